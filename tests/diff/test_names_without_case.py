"""Names of headers and media types are case-insensitive; duplicates both count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from support.tables import cases

from dateline.diff import diff
from dateline.model import Kind

Entries = dict[str, dict[str, Any]]

TEXT: Final = {"schema": {"type": "string"}}
NUMBER: Final = {"schema": {"type": "integer"}}


def _document(operation: dict[str, Any]) -> dict[str, Any]:
    info = {"title": "Loans", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": {"/loans": {"post": operation}}}


def _response(**parts: Any) -> dict[str, Any]:
    return _document({"responses": {"200": {"description": "loans", **parts}}})


def _request(content: Entries) -> dict[str, Any]:
    return _document({"requestBody": {"content": content}, "responses": {}})


def _parameters(entries: Entries) -> dict[str, Any]:
    listed = [{"name": name, "in": "header", **one} for name, one in entries.items()]
    return _document({"parameters": listed, "responses": {}})


PLACES: Final[dict[str, tuple[Callable[[Entries], dict[str, Any]], tuple[str, str]]]] = {
    "headers of a response": (lambda entries: _response(headers=entries), ("X-Total", "x-total")),
    "header parameters": (_parameters, ("X-Total", "x-total")),
    "media types of a response": (
        lambda entries: _response(content=entries),
        ("application/json", "Application/JSON"),
    ),
    "media types with blanks": (
        lambda entries: _response(content=entries),
        ("text/csv; header=absent", "text/csv;header=absent"),
    ),
    "media types with a character set": (
        lambda entries: _response(content=entries),
        ("text/csv; Charset=UTF-8", "text/csv;charset=utf-8"),
    ),
    "media types of a request": (
        _request,
        ("application/json", "Application/JSON"),
    ),
    "headers of a part": (
        lambda entries: _document(
            {
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {"properties": {"file": {"type": "string"}}},
                            "encoding": {"file": {"headers": entries}},
                        }
                    }
                },
                "responses": {},
            }
        ),
        ("X-Total", "x-total"),
    ),
}


@cases("place", PLACES)
def test_change_of_case_is_no_rename(place: str) -> None:
    write, (first, second) = PLACES[place]
    assert diff(write({first: TEXT}), write({second: TEXT})) == []
    (change,) = diff(write({first: TEXT}), write({second: NUMBER}))
    assert (change.kind, change.keyword) == (Kind.KEYWORD_CHANGED, "type")


@cases("place", PLACES)
@cases("turned", [False, True], ids=["first", "second"])
def test_duplicates_that_differ_in_case_both_count(place: str, turned: bool) -> None:
    write, names = PLACES[place]
    one, other = reversed(names) if turned else names
    both = dict.fromkeys(names, TEXT)
    assert diff(write(both), write(dict(reversed(both.items())))) == []
    for changed in ({**both, one: NUMBER}, {one: TEXT}, {other: TEXT}, {one: NUMBER}):
        assert diff(write(both), write(changed))
        assert diff(write(changed), write(both))


def test_case_counts_in_the_values_of_other_parameters() -> None:
    before, after = ({f'application/json; profile="{name}"': TEXT} for name in ("Loan", "loan"))
    for write in (lambda content: _response(content=content), _request):
        kinds = {change.kind for change in diff(write(before), write(after))}
        assert kinds == {Kind.MEDIA_TYPE_ADDED, Kind.MEDIA_TYPE_REMOVED}
