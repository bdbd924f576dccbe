"""Run the steps of a composite GitHub action as a GitHub runner does."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

Outputs = dict[str, str]


@dataclass
class Run:
    """The result of a run: what was printed, and the outputs of each step."""

    log: str = ""
    status: int = 0
    steps: dict[str, Outputs] = field(default_factory=dict)
    summary: str = ""


@dataclass
class Runner:
    """A runner with the workspace *workspace*, whose steps get *variables* as environment."""

    action: Path
    workspace: Path
    temporary: Path
    variables: Mapping[str, str]
    token: str = "secret"

    def run(self, given: Mapping[str, str], *, without: frozenset[str] = frozenset()) -> Run:
        """Run every step except those in *without* and those that use another action."""
        text = yaml.safe_load((self.action / "action.yml").read_text("utf-8"))
        inputs = {name: str(each.get("default", "")) for name, each in text["inputs"].items()}
        assert given.keys() <= inputs.keys()
        run = Run()
        known = {"github.token": self.token, "github.action_path": str(self.action)}
        known |= {"github.event_name": self.variables["GITHUB_EVENT_NAME"]}
        known |= {f"inputs.{name}": evaluate(each, known) for name, each in inputs.items()}
        known |= {f"inputs.{name}": value for name, value in given.items()}
        for step in text["runs"]["steps"]:
            if "run" not in step or step["id"] in without or run.status:
                continue
            if "if" in step and evaluate("${{ " + step["if"] + " }}", known) == "false":
                continue
            self._run_step(step, known, run)
            for name, value in run.steps[step["id"]].items():
                known[f"steps.{step['id']}.outputs.{name}"] = value
        return run

    def _run_step(self, step: Mapping[str, Any], known: Mapping[str, str], run: Run) -> None:
        outputs, summary = self.temporary / "outputs", self.temporary / "summary"
        outputs.write_text("")
        environment = {
            **os.environ,
            **self.variables,
            "GITHUB_ACTION_PATH": str(self.action),
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_STEP_SUMMARY": str(summary),
            "RUNNER_TEMP": str(self.temporary),
            **{name: evaluate(each, known) for name, each in step.get("env", {}).items()},
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.workspace,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        run.log += done.stdout
        run.status = done.returncode
        run.steps[step["id"]] = dict(
            line.split("=", 1) for line in outputs.read_text("utf-8").splitlines()
        )
        run.summary = summary.read_text("utf-8") if summary.exists() else ""


def evaluate(text: str, known: Mapping[str, str]) -> str:
    """Return *text* with its `${{ … }}` replaced: names, `||`, `&&`, `==` and startsWith."""
    return re.sub(r"\$\{\{ (.+?) \}\}", lambda found: _value(found[1], known), text)


def _value(expression: str, known: Mapping[str, str]) -> str:
    if " || " in expression:
        return next(filter(None, (_value(each, known) for each in expression.split(" || "))), "")
    if " && " in expression:
        values = [_value(each, known) for each in expression.split(" && ")]
        return "false" if "false" in values else values[-1]
    if " == " in expression:
        left, right = (_value(each, known) for each in expression.split(" == "))
        return str(left == right).lower()
    if found := re.fullmatch(r"startsWith\((.+), (.+)\)", expression):
        return str(_value(found[1], known).startswith(_value(found[2], known))).lower()
    if expression.startswith("'"):
        return expression.strip("'")
    return known.get(expression, "")
