"""A media type without an entry of its own has the contract of its media range."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Final

from support.tables import cases

from dateline.diff import diff
from dateline.model import Kind, Verdict
from dateline.rules import judge

Schema = dict[str, Any]
Content = dict[str, Any]

WIDE: Final[Schema] = {"type": "string", "maxLength": 9}
NARROW: Final[Schema] = {"type": "string", "maxLength": 5}

# A media type, and ranges that contain it.
RANGES: Final = [
    ("application/json", "*/*"),
    ("application/json", "application/*"),
    ("Application/JSON", "application/*"),
    ("text/csv; header=present", "text/*"),
    ("text/csv; header=present", "text/csv"),
]


def _operation(**keys: Any) -> Schema:
    return {"operationId": "it", "responses": {"204": {"description": "done"}}, **keys}


def _answer(content: Content) -> Schema:
    return _operation(responses={"200": {"description": "it", "content": content}})


def _header(content: Content) -> Schema:
    header = {"X-It": {"content": content}}
    return _operation(responses={"200": {"description": "it", "headers": header}})


def _callback(content: Content) -> Schema:
    return _operation(callbacks={"done": {"{$request.query.url}": {"post": _body(content)}}})


def _body(content: Content) -> Schema:
    return _operation(requestBody={"content": content})


def _parameter(content: Content) -> Schema:
    return _operation(parameters=[{"name": "it", "in": "query", "content": content}])


# Places of content, and whether callers read or write it.
PLACES: Final[dict[str, tuple[Callable[[Content], Schema], str]]] = {
    "body": (_body, "request"),
    "parameter": (_parameter, "request"),
    "response": (_answer, "response"),
    "header": (_header, "response"),
    "callback": (_callback, "response"),
}


def document(place: str, **schemas: Schema) -> Schema:
    """Return a document with *schemas* by media type at *place*, and a component that both use."""
    content = {name: {"schema": copy.deepcopy(each)} for name, each in schemas.items()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Ranges", "version": "1"},
        "paths": {"/it": {"post": PLACES[place][0](content)}},
    }


def list_findings(before: Schema, after: Schema) -> list[tuple[str, str, Any, Any]]:
    return sorted(
        (str(change.kind), str(change.direction), change.before, change.after)
        for change in diff(before, after)
        if change.kind is Kind.KEYWORD_CHANGED
    )


@cases("place", PLACES)
@cases(("media_type", "wider"), RANGES)
def test_entry_that_equals_its_range_is_no_change(place: str, media_type: str, wider: str) -> None:
    alone = document(place, **{wider: WIDE})
    beside = document(place, **{wider: WIDE, media_type: WIDE})
    assert diff(alone, beside) == diff(beside, alone) == []


@cases("place", PLACES)
@cases(("media_type", "wider"), RANGES)
@cases("is_kept", [True, False])
def test_new_entry_is_compared_with_its_range(
    place: str, media_type: str, wider: str, *, is_kept: bool
) -> None:
    direction = PLACES[place][1]
    for old, new in ((WIDE, NARROW), (NARROW, WIDE)):
        by_range = document(place, **{wider: old})
        of_its_own = document(place, **{**({wider: old} if is_kept else {}), media_type: new})
        sizes = old["maxLength"], new["maxLength"]
        assert list_findings(by_range, of_its_own) == [("keyword-changed", direction, *sizes)]
        assert list_findings(of_its_own, by_range) == [("keyword-changed", direction, *sizes[::-1])]


@cases("place", PLACES)
@cases(("media_type", "wider"), RANGES)
def test_another_media_type_needs_a_version(place: str, media_type: str, wider: str) -> None:
    by_range = document(place, **{wider: WIDE})
    of_its_own = document(place, **{media_type: WIDE})
    for both in ((by_range, of_its_own), (of_its_own, by_range)):
        changes = diff(*both)
        assert {change.kind for change in changes} == {
            Kind.MEDIA_TYPE_ADDED,
            Kind.MEDIA_TYPE_REMOVED,
        }
        verdicts = {judge(change, "dated-contract", {}).verdict for change in changes}
        assert verdicts == {Verdict.GATED}


def test_narrowest_range_applies() -> None:
    before = document("response", **{"*/*": NARROW, "text/*": WIDE})
    after = document("response", **{"*/*": NARROW, "text/*": WIDE, "text/csv": NARROW})
    assert list_findings(before, after) == [("keyword-changed", "response", 9, 5)]
