"""Laws for every document: neither identity nor a refactoring is a change."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
from support.refactorings import DOCUMENTS, REFACTORINGS, Document, reorder

from dateline.diff import diff
from dateline.model import Change, Direction, Kind


def _list_reported(changes: list[Change]) -> list[str]:
    """Return the changes that are more than renamed components."""
    named = {Kind.COMPONENT_ADDED, Kind.COMPONENT_REMOVED, Kind.COMPONENT_RENAMED}
    return [
        f"{change.kind} {change.keyword} {change.before_pointer} -> {change.after_pointer}"
        for change in changes
        if change.direction is not Direction.MODEL or change.kind not in named
    ]


@pytest.fixture(params=DOCUMENTS)
def document(request: pytest.FixtureRequest) -> Document:
    return DOCUMENTS[request.param]()


def test_document_does_not_change_from_itself(document: Document) -> None:
    assert diff(document, copy.deepcopy(document)) == []


@pytest.mark.parametrize("refactored", REFACTORINGS)
def test_refactoring_is_no_change_for_callers(
    document: Document, refactored: Callable[[Document], Document]
) -> None:
    other = refactored(document)
    assert other != document or refactored is reorder
    assert _list_reported(diff(document, other)) == []
    assert _list_reported(diff(other, document)) == []
