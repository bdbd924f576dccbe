"""The problems that the checks find in a document, as `line:column: id: message`, in order."""

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

# What a document can't be without; it stands at the end, so that lines count from the case's own.
_REST: Final = {
    "openapi": "openapi: 3.1.0\n",
    "info": "info: { title: Library, version: canonical }\n",
    "paths": "paths: {}\n",
}


def checked(text: str, **table: Any) -> list[str]:
    """Return what the checks say of *text*, which may leave out `openapi`, `info` and `paths`.

    Keywords are fields of the version table that differ from ``TABLE``.
    """
    text = text.strip("\n") + "\n"
    missing = [key for key in _REST if not re.search(f"^{key}:", text, re.MULTILINE)]
    return whole(text + "".join(_REST[key] for key in missing), **table)


def whole(text: str, **table: Any) -> list[str]:
    """Return what the checks say of *text*, a whole document; blank lines before it don't count."""
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


def schema(text: str, **table: Any) -> list[str]:
    """Return what the checks say of a component `Loan`; its schema *text* begins at 4:7."""
    return checked(f"components:\n  schemas:\n    Loan:\n      {text}", **table)
