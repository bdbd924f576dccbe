"""Find values of a third-party document whose type their keys can't have."""

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
    """Return the places in *document* of values with a type that their key can't have."""
    # slow to import, and needed after a failed comparison only
    from dateline.load.checks import find_type_problems

    found = find_type_problems(dict(document.content), _FOREIGN, document.locate)
    return [problem for problem in found if problem.id == "wrong-type"]


@contextmanager
def wrong_types_refused(*documents: Document) -> Iterator[None]:
    """Raise SourceError if the *documents* in a failed comparison have values of a wrong type.

    Published documents have errors that don't affect every comparison: the comparison is tried
    first, and only if it fails are the documents checked.
    """
    try:
        yield
    except (TypeError, AttributeError, LookupError, ValueError) as error:
        problems = [problem for document in documents for problem in find_wrong_types(document)]
        if not problems:
            raise
        raise SourceError(problems) from error
