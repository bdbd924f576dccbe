"""Find every problem of the joined document, each with its place.

First the structure of the document (``structure``); then, on a document in which every value has
the type that its key demands, the checks of each theme: ``keywords``, ``names``, ``newest``,
``references``, ``schemas``, ``discriminators``, ``values``, ``operations``, ``gating`` (our own
keys), ``replacing`` (`x-was` besides keywords), ``members`` and ``lists``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

# Importing a theme registers its checks.
from dateline.load.checks import (
    discriminators,
    gating,
    keywords,
    lists,
    members,
    names,
    newest,
    operations,
    references,
    replacing,
    schemas,
    values,
)
from dateline.load.checks.scope import Scope, Violation, path
from dateline.load.checks.structure import StructureWalk, without_faults
from dateline.load.checks.style import ADOPTABLE, ODDITIES, STYLE
from dateline.model import Place, Problem, Table

__all__ = ["ADOPTABLE", "ODDITIES", "STYLE", "THEMES", "find_problems", "find_type_problems"]

THEMES: Final = (
    *(discriminators, gating, keywords, lists, members, names, newest, operations, references),
    *(replacing, schemas, values),
)

Locate = Callable[..., Place]
"""Returns the place of the key or item at a path, or of its nearest ancestor that is written;
with ``value=True``, the place of the value."""


def find_problems(document: dict[str, Any], table: Table, locate: Locate) -> Iterator[Problem]:
    """Yield the problems of *document*, sorted by place, each once.

    *document* may have any structure. In adopted sources, problems in ``ADOPTABLE`` are ignored.
    """
    yield from _problems(_run_checks(document, table), table, locate)


def find_type_problems(document: dict[str, Any], table: Table, locate: Locate) -> Iterator[Problem]:
    """Yield, like ``find_problems``, the values of *document* whose type their key can't have."""
    yield from _problems(StructureWalk(_scope(document, table)).found, table, locate)


def _problems(faults: Iterable[Violation], table: Table, locate: Locate) -> list[Problem]:
    problems = {
        Problem(
            place=table.place(found.table_key)
            if found.table_key
            else locate(path(found.trail), value=found.value),
            id=found.id,
            message=found.message,
        )
        for found in faults
        if not (table.adopted and found.id in ADOPTABLE)
    }
    return sorted(problems)


def _scope(document: dict[str, Any], table: Table) -> Scope:
    return Scope(document, table, authored=not table.adopted)


def _run_checks(document: dict[str, Any], table: Table) -> Iterator[Violation]:
    scope = _scope(document, table)
    survey = StructureWalk(scope)
    yield from survey.found
    if survey.faults:
        scope = without_faults(scope, survey.faults)
        survey = StructureWalk(scope)
    for checks, site in survey.pending:
        for run, key, _ in checks:
            yield from run(scope, site, key)
