"""The examples in README and docs work: the commands of a page are run, in order.

The README starts in an empty folder, each page of `docs` in the project that the README sets up.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import print_dateline
from support.launched import launch_folder
from support.tables import cases

from dateline.presets import PRESETS
from dateline.rules import RULES

TOP = Path(__file__).parents[2]
README = (TOP / "README.md").read_text(encoding="utf-8")
PAGES = sorted((TOP / "docs").glob("*.md"))
EXAMPLE = TOP / "docs" / "example"
FRONT_PAGE = 150
"""How many lines the README may have: what is longer is a page of `docs`."""

RULES_PAGE = (TOP / "docs" / "rules.md").read_text(encoding="utf-8")


def run(command: str, folder: Path) -> str:
    """Return the output of *command*, run in this process except for servers and code of users."""
    if re.fullmatch(r"dateline (?!serve|proxy|demo|try)[\w ./:=,'-]*", command):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            return print_dateline(*shlex.split(command)[1:])
    return run_in_shell(command, folder)


def run_in_shell(command: str, folder: Path) -> str:
    folders = [launch_folder(), Path(sys.executable).parent, os.environ["PATH"]]
    finished = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={
            **os.environ,
            "PATH": os.pathsep.join(map(str, folders)),
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


def matches(expected: str, printed: str) -> bool:
    """Return whether *printed* matches *expected*, in which a line of `…` stands for any lines."""
    pattern = "(?:.*\n)*".join(re.escape(part) for part in expected.split("…\n"))
    return re.fullmatch(pattern, printed) is not None


def follow(page: str, folder: Path, run: Callable[[str, Path], str] = run_in_shell) -> list[str]:
    """Run the commands on *page* in *folder*; return them. Fail if the output differs."""
    commands = []
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        if language == "console":
            for command, expected in sessions(block):
                if command.startswith("cd ") and ";" not in command:
                    folder /= command.removeprefix("cd ")
                    continue
                printed = run(command, folder)
                assert matches(expected, printed), f"$ {command}\n{printed}"
                commands.append(command)
        elif language == "python":
            file = _find_file(block) or "example.py"
            (folder / file).write_text(block, encoding="utf-8")
            assert run(f"python -W error {file}", folder) == ""
        elif language == "yaml" and not (folder / (_find_file(block) or ".")).exists():
            (folder / _find_file(block)).write_text(block, encoding="utf-8")
        elif language == "yaml":
            sources = [path.read_text() for path in (folder / "schemas").glob("*.yaml")]
            assert [block for text in sources if block in text] == [block]
    return commands


def _find_file(block: str) -> str:
    """Return the file named by a comment in the first line of *block*; empty for none."""
    found = re.match(r"# ([\w/]+\.(?:py|yaml))\n", block)
    return "" if found is None else found[1]


def test_readme_examples_work(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "docs" / "example")
    assert "dateline generate" in follow(README, tmp_path)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    run("dateline init", folder)
    run("dateline generate", folder)
    shutil.copytree(EXAMPLE, folder / "docs" / "example")
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_on_a_page_of_the_docs_work(page: Path, project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "library"
    shutil.copytree(project, folder)
    text = page.read_text(encoding="utf-8")
    commands = follow(text, folder, run)
    assert any("dateline " in command for command in commands) == ("```console" in text)


@cases("page", [TOP / "README.md", *PAGES], ids=lambda page: page.stem)
def test_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\(([^):#]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).is_file()] == []


def test_readme_links_to_every_page() -> None:
    assert [page.name for page in PAGES if f"(docs/{page.name})" not in README] == []


def test_readme_is_short() -> None:
    assert len(README.splitlines()) <= FRONT_PAGE


def test_makefile_targets_are_in_the_readme() -> None:
    assert [word for word in ("make run", "make test") if f"`{word}`" not in README] == []


def test_rules_in_the_docs_are_the_existing_ones() -> None:
    rows = re.findall(
        r"^\| `([a-z-]+)` \| (gated|never|additive) \| (.*) \|$", RULES_PAGE, re.MULTILINE
    )
    known = {name: (str(rule.verdict), rule.summary) for name, rule in RULES.items()}
    assert len(rows) > 20
    assert [row for row in rows if known[row[0]] != row[1:]] == []


def test_presets_in_the_docs_are_the_existing_ones() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| ([^|]*) \|$", RULES_PAGE, re.MULTILINE)
    assert rows == [(name, preset.purpose) for name, preset in PRESETS.items()]
