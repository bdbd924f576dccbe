"""What the README shows is what happens: its commands are run, in order, in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dateline.rules import RULES

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def run(command: str, folder: Path) -> str:
    tools = Path(sys.executable).parent
    finished = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(folder / "generated" / "python"),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return finished.stdout


def sessions(block: str) -> list[tuple[str, str]]:
    """Return the (command, output) pairs of a console block."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def shown(expected: str, printed: str) -> bool:
    """Tell whether *printed* is as *expected*, in which a line of `…` stands for any lines."""
    pattern = "(?:.*\n)*".join(re.escape(part) for part in expected.split("…\n"))
    return re.fullmatch(pattern, printed) is not None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


def test_the_readme_shows_what_happens(folder: Path) -> None:
    seen = []
    for language, block in BLOCKS:
        if language == "console":
            for command, expected in sessions(block):
                printed = run(command, folder)
                assert shown(expected, printed), f"$ {command}\n{printed}"
                seen.append(command.split(" ")[0])
        elif language == "python":
            (folder / "example.py").write_text(block, encoding="utf-8")
            assert run("python -W error example.py", folder) == ""
        elif language == "yaml":
            sources = [path.read_text() for path in (folder / "schemas").glob("*.yaml")]
            assert [block for text in sources if block in text] == [block]
    assert "dateline" in seen


def test_the_words_of_the_makefile_stand_in_the_readme() -> None:
    assert [word for word in ("make run", "make test") if f"`{word}`" not in README] == []


def test_the_rules_that_the_readme_shows_are_the_rules() -> None:
    rows = re.findall(
        r"^\| `([a-z-]+)` \| (gated|never|additive) \| (.*) \|$", README, re.MULTILINE
    )
    known = {name: (str(rule.verdict), rule.summary) for name, rule in RULES.items()}
    assert len(rows) > 20
    assert [row for row in rows if known[row[0]] != row[1:]] == []
