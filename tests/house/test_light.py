"""What the light installation can do with everything else hidden, and its size."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from support.commands import dateline

TOP = Path(__file__).parents[2]
MOST_PACKAGES, MOST_BYTES = 12, 20_000_000

# Only the packages that are installed with dateline itself can be imported.
HIDING = """
import sys
from importlib.abc import MetaPathFinder
hidden = set(sys.argv.pop(1).split(","))
class Hide(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hide())
import os
import dateline.check, dateline.cli, dateline.edit, dateline.report
from dateline.entry import main
# each command is a fork of a process with the imports of most
commands, log = sys.argv.pop(1).split(";"), sys.argv.pop(1)
for number, command in enumerate(commands):
    if os.fork() == 0:
        for stream in (1, 2):
            os.dup2(os.open(f"{log}-{number}", os.O_CREAT | os.O_APPEND | os.O_WRONLY), stream)
        sys.argv = ["dateline", *command.split(",")]
        main()
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""


def name_of(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement)[0]).lower()


def find_light() -> set[str]:
    """Return the normalized names of what `pip install dateline` installs on this platform."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: set[str] = set()
    left = {name_of(one) for one in project["dependencies"]}
    while left:
        found |= left
        left = {needed for name in left for needed in list_needed(name)} - found
    return found


def list_needed(name: str) -> Iterator[str]:
    for requirement in distribution(name).requires or []:
        if "extra ==" not in requirement and "platform_system" not in requirement:
            yield name_of(requirement)


LIGHT = find_light()


@cache
def list_hidden() -> list[str]:
    """Return the modules of everything installed beyond the light installation.

    This reads the files of every package, so it is not done during collection.
    """
    return sorted(
        module
        for module, names in packages_distributions().items()
        if not {name_of(name) for name in names} & {*LIGHT, "dateline"}
    )


def run_all(project: Path, *commands: list[str]) -> list[tuple[int, str]]:
    """Return the status of each of *commands* with everything else hidden, and what it prints."""
    log = project.with_name(f"{project.name}-log")
    joined = ";".join(map(",".join, commands))
    program = [sys.executable, "-c", HIDING, ",".join(list_hidden()), joined, str(log)]
    done = subprocess.run(program, cwd=project, capture_output=True, text=True, check=True)
    logs = [log.with_name(f"{log.name}-{number}") for number in range(len(commands))]
    printed = [each.read_text("utf-8") for each in logs]
    for each in logs:
        each.unlink()
    return list(zip(map(int, done.stdout.split()), printed, strict=True))


def test_light_installation_is_small() -> None:
    # including dateline itself
    assert len(LIGHT) + 1 <= MOST_PACKAGES
    size = sum(
        path.stat().st_size
        for name in LIGHT
        for file in distribution(name).files or []
        if file.suffix != ".pyc" and (path := Path(str(file.locate()))).is_file()
    )
    assert size <= MOST_BYTES
    assert {"datamodel_code_generator", "pydantic", "openapi_spec_validator"} < set(list_hidden())


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project generated with everything installed, to which a value was added since."""
    made = tmp_path_factory.mktemp("light")
    loans = made / "schemas" / "loans.yaml"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        assert dateline("init").status == 0
        # with a pattern that some validators may not be able to read
        channel = "channel: { type: string"
        text = loans.read_text(encoding="utf-8").replace(
            channel, f"{channel}, pattern: '(?:desk|app)'"
        )
        loans.write_text(text, encoding="utf-8")
        assert "pattern" in text
        assert dateline("generate").status == 0
    lost = "- const: returned\n        - const: lost"
    loans.write_text(text.replace("- const: returned", lost), encoding="utf-8")
    return made


def test_reading_commands_run_and_others_say_what_to_install(project: Path) -> None:
    # the same definitions without the value, and nothing cached: layout has to be generated
    other = shutil.copytree(project, project.with_name("other"))
    shutil.rmtree(other / ".generated.dateline")
    loans = other / "schemas" / "loans.yaml"
    text = loans.read_text(encoding="utf-8").replace("        - const: lost\n", "")
    loans.write_text(text.replace("librarians", "all librarians"), encoding="utf-8")
    before = sorted(other.glob("generated/**/*"))
    there = ["--schemas", str(other / "schemas"), "--output", str(other / "generated")]
    install = "run `pip install 'dateline[generate]'`"
    expected = [
        (["check"], 1, "LoanState: value lost added"),
        (["check", "--format", "sarif"], 1, "value-added"),
        (["diff", "2025-01-15", "2025-09-01"], 0, "field renamed"),
        (["gate", "--dry-run"], 1, "+          x-added: next"),
        (["status"], 0, "run `dateline generate`"),
        (["history", "Loan.borrower"], 0, "reader"),
        (["explain", "value-added"], 0, "An enum that callers read gains no value."),
        (["generate", *there], 2, install),
    ]
    outcomes = run_all(project, *(arguments for arguments, _, _ in expected))
    for (arguments, status, said), (ended, printed) in zip(expected, outcomes, strict=True):
        assert (arguments, ended) == (arguments, status), printed
        assert said in printed, arguments
    assert outcomes[-1][1].count("\n") == 1
    assert sorted(other.glob("generated/**/*")) == before
