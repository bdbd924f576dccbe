"""List the problems that the checks find in a document, as `line:column: id: message`."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from dateline.load.checks import find_problems
from dateline.model import Environment, Place, Problem, Table, Version
from dateline.source.reader import Locator, read

_PLACE: Final = Place("versions.yaml", 1, 1)

TABLE: Final = Table(
    header="X-API-Version",
    default="2024-01-15",
    annotation=None,
    versions=tuple(
        Version(date=date, title=f"What came at {date}", draft=date == "next", place=_PLACE)
        for date in ("2024-01-15", "2024-09-01", "2025-06-01", "next")
    ),
    environments=tuple(
        Environment(name=name, servers=(), place=_PLACE) for name in ("production", "sandbox")
    ),
    ignoring_tags=("Prices",),
    policy="dated-contract",
    overrides={},
    package="library",
    adopted=False,
)

# Keys that a document needs. They are appended, so that they don't shift the lines of a case.
_REST: Final = {
    "openapi": "openapi: 3.1.0\n",
    "info": "info: { title: Library, version: canonical }\n",
    "paths": "paths: {}\n",
}


def check_fragment(text: str, **table: Any) -> list[str]:
    """Return the problems of *text*, which may omit `openapi`, `info` and `paths`.

    Keyword arguments replace fields of ``TABLE``.
    """
    text = text.strip("\n") + "\n"
    missing = [key for key in _REST if not re.search(f"^{key}:", text, re.MULTILINE)]
    return check_document(text + "".join(_REST[key] for key in missing), **table)


def check_document(text: str, **table: Any) -> list[str]:
    """Return the problems of *text*, a complete document; leading blank lines don't count."""
    problems: list[Problem] = []
    adopted = table.get("adopted", False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "api.yaml")
        path.write_text(text.lstrip("\n"), encoding="utf-8")
        document = read(path, "api.yaml", adopted=adopted, problems=problems)
    assert document is not None, problems
    assert problems == []
    found = find_problems(dict(document), replace(TABLE, **table), Locator([document]).locate)
    return [str(problem).removeprefix("api.yaml:") for problem in found]


def check_schema(text: str, **table: Any) -> list[str]:
    """Return the problems of a component `Loan`, whose schema *text* begins at 4:7."""
    return check_fragment(f"components:\n  schemas:\n    Loan:\n      {text}", **table)
