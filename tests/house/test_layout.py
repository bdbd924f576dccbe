"""The layout of the tests: folders named like rooms, helpers in one package, short files."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from support.tables import cases

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src"
FILES = sorted(TESTS.rglob("*.py"))

MOST_LINES = 700
LONG_SOURCE = 500


OTHER_FOLDERS = {
    "benchmarks": "the rows of `make bench`",
    "house": "the project as a whole",
    "integrations": "what CI systems and pre-commit run",
    "runtime": "the package `dateline_runtime`",
    "sandbox": "the package `paynet_sandbox`",
    "support": "code that several tests share",
}


def test_every_folder_has_the_name_of_a_room() -> None:
    rooms = {path.stem for path in (SOURCE / "dateline").iterdir()}
    folders = {path.name for path in TESTS.iterdir() if path.is_dir()} - {"__pycache__"}
    assert sorted(folders - rooms - OTHER_FOLDERS.keys()) == []


@cases("path", FILES, ids=lambda path: str(path.relative_to(TESTS)))
def test_file_is_short_and_imports_no_test(path: Path) -> None:
    text = path.read_text("utf-8")
    # to parse every test would take longer than to run many of them
    assert re.findall(r"^ *(?:from|import) test_\S*", text, re.MULTILINE) == []
    assert len(text.splitlines()) <= MOST_LINES


def test_first_line_of_a_long_source_explains_why_it_is_one_file() -> None:
    long = {
        path.relative_to(SOURCE).as_posix(): lines[0]
        for path in sorted(SOURCE.rglob("*.py"))
        if "generated" not in path.parts
        and len(lines := path.read_text("utf-8").splitlines()) > LONG_SOURCE
    }
    assert long
    assert [name for name, first in long.items() if "one file" not in first] == []


def test_every_helper_has_one_line_in_the_docstring_of_the_package() -> None:
    support = TESTS / "support"
    docstring = ast.get_docstring(ast.parse((support / "__init__.py").read_text("utf-8"))) or ""
    described = re.findall(r"^- `(\w+)`: .+$", docstring, re.M)
    assert described == sorted(path.stem for path in support.glob("*.py") if path.stem[0] != "_")
