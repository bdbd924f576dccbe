"""The recipes of CONTRIBUTING.md, followed literally in a copy of the repository."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.seeds import IN_CI

TOP = Path(__file__).parents[2]
CONTRIBUTING = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")

STEP = re.compile(
    r"^(?P<verb>Append to|Create) `(?P<path>[^`]+)`[^\n]*:\n\n```\w+\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
"""A step of a recipe: what is done to which file, and the block with its text."""

pytestmark = IN_CI


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository, with its bytecode, in which every step was followed."""
    top = tmp_path_factory.mktemp("recipes")
    for folder in ("src/dateline", "src/dateline_runtime", "templates", "docs"):
        shutil.copytree(TOP / folder, top / folder)
    for folder in ("rules", "support"):
        shutil.copytree(TOP / "tests" / folder, top / "tests" / folder)
    for name in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(TOP / name, top / name)
    for step in STEP.finditer(CONTRIBUTING):
        path, text = top / step["path"], step["text"]
        if step["verb"] == "Create":
            assert not path.exists()
            path.write_text(text, encoding="utf-8")
        else:
            blank = "\n\n" if path.suffix == ".py" else ""
            path.write_text(path.read_text(encoding="utf-8") + blank + text, encoding="utf-8")
    return top


@pytest.fixture(scope="module")
def project(copy: Path) -> Path:
    """A project that the copy has generated, with an edit that breaks the new rule."""
    folder = copy / "library"
    folder.mkdir()
    loans = {"type": "array", "items": {"type": "string"}, "contains": {"const": "desk"}}
    answer = {"description": "loans", "content": {"application/json": {"schema": loans}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Library", "version": "1"},
        "paths": {"/loans": {"get": {"operationId": "listLoans", "responses": {"200": answer}}}},
    }
    (folder / "library.json").write_text(json.dumps(document), encoding="utf-8")
    run(copy, folder, "dateline", "adopt", "2025-01-15=library.json")
    run(copy, folder, "dateline", "generate")
    for path in (folder / "schemas").glob("*.yaml"):
        path.write_text(path.read_text(encoding="utf-8").replace("const: desk", "const: app"))
    return folder


def run(copy: Path, folder: Path, *words: str) -> str:
    """Return the output of Python in *folder* with *copy*: of a module, or of a text."""
    finished = subprocess.run(
        [sys.executable, "-m" if words[1:] else "-c", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(copy / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in finished.stderr
    return finished.stdout


def test_recipes_have_steps() -> None:
    assert [step["path"].rpartition("/")[2] for step in STEP.finditer(CONTRIBUTING)] == [
        *("choices.py", "contains-changed.yaml", "compact.py", "reports.md"),
        "versions.txt.jinja",
    ]


def test_new_rule_is_listed_and_explained(copy: Path) -> None:
    listed = run(copy, copy, "dateline", "rules")
    assert "contains-changed " in listed
    explained = run(copy, copy, "dateline", "explain", "contains-changed")
    assert explained.startswith("contains-changed (gated)\n\nAn array contains what it ")
    assert "\nCallers: Check which items you look for" in explained


def test_new_rule_applies_and_the_new_format_reports_it(copy: Path, project: Path) -> None:
    first, last = run(copy, project, "dateline", "check", "--format", "compact").splitlines()
    where, _, rest = first.partition(": gated contains-changed: ")
    assert re.fullmatch(r"schemas/[a-z]+\.yaml:\d+:\d+", where)
    assert rest == 'GET /loans: contains changed ({"/const": "desk"} -> {"/const": "app"})'
    assert last == "1 gated"


def test_new_template_is_rendered(project: Path) -> None:
    text = (project / "generated/spec/production/versions.txt").read_text(encoding="utf-8")
    assert text == "2025-01-15 /spec/2025-01-15\n"


def test_cases_of_the_new_rule_pass(copy: Path) -> None:
    words = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "case or example")
    printed = run(copy, copy, "pytest", *words, "tests/rules/test_rules.py")
    assert re.search(r"^\d+ passed, \d+ deselected", printed, re.MULTILINE), printed


def test_reference_has_the_new_format(copy: Path) -> None:
    code = (
        "from pathlib import Path; from dateline.report import FORMATS, describe_format;"
        "text = Path('docs/reports.md').read_text();"
        "print([name for name in FORMATS if f'| `{name}` | {describe_format(name)} |' not in text])"
    )
    assert run(copy, copy, code) == "[]\n"


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_paths_in_the_recipes_exist(page: str) -> None:
    text = STEP.sub("", (TOP / page).read_text(encoding="utf-8"))
    paths = re.findall(r"`((?:src|tests|templates|docs)/[^`\s]*)`", text)
    made = {"docs/reports.md"}
    assert [path for path in paths if path not in made and not list(TOP.glob(path))] == []
