"""Find values of a third-party document that its keys can't have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from dateline.bundle import Document
from dateline.model import Problem, SourceError, Table

# The rules for any OpenAPI document, whoever wrote it.
_FOREIGN: Final = Table(
    header="",
    default="",
    annotation=None,
    versions=(),
    environments=(),
    ignoring_tags=(),
    policy="",
    overrides={},
    package="",
    adopted=True,
)


def find_wrong_types(document: Document) -> list[Problem]:
    """Return where *document* has a value of a type that its key can't hold."""
    # heavy: needed where a comparison failed
    from dateline.load.checks import find_type_problems

    found = find_type_problems(dict(document.content), _FOREIGN, document.locate)
    return [problem for problem in found if problem.id == "wrong-type"]


@contextmanager
def wrong_types_refused(*documents: Document) -> Iterator[None]:
    """Raise SourceError where the *documents* are not what a comparison of them needs.

    Published documents have slips that a comparison can do without knowing of: it is tried, and
    only what it fails on is looked for.
    """
    try:
        yield
    except (TypeError, AttributeError, LookupError, ValueError) as error:
        problems = [problem for document in documents for problem in find_wrong_types(document)]
        if not problems:
            raise
        raise SourceError(problems) from error
