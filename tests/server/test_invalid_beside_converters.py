"""Applications may answer with what does not fit their own contract where no converter reads it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

import pytest
from support.generated_server import Generated, ask, keep_folder
from support.sources import folder
from support.tables import cases

from dateline.load import load

OLD, NEW = "2025-01-01", "2026-01-01"

TABLE = f"""\
header: X-API-Version
default: {OLD}
versions:
  - {{date: {OLD}, title: The first.}}
  - {{date: {NEW}, title: The second.}}
environments:
  production: {{servers: [{{url: https://api.example}}]}}
policy: dated-contract
"""

API = """\
openapi: 3.1.0
info: {title: Loans, version: canonical}
tags: [{name: loans}]
paths:
  /loans:
    get:
      operationId: listLoans
      tags: [loans]
      summary: List the loans
      responses:
        '200':
          description: the loans
          content: {application/json: {schema: {$ref: '#/components/schemas/Page'}}}
components:
  schemas:
    Page:
      type: object
      required: [items, at]
      properties:
        at: {type: string, format: date-time}
        items: {type: array, items: {$ref: '#/components/schemas/Loan'}}
        last: {$ref: '#/components/schemas/Book'}
        shelf: {$ref: '#/components/schemas/Shelf'}
    Shelf:
      type: object
      properties: {spot: {type: object, properties: {row: {type: string, maxLength: 4}}}}
      x-was:
        2026-01-01:
          converter: shelf
          properties: {spot: {type: object, properties: {row: {type: string, minLength: 3}}}}
    Loan:
      type: object
      required: [made, first, last, book]
      x-was:
        2026-01-01:
          in-place-of: [first, last]
          properties: {full: {type: string, minLength: 3}}
          converter: split
      properties:
        made: {type: string, format: date-time}
        note: {type: string}
        first: {type: string}
        last: {type: string}
        book: {$ref: '#/components/schemas/Book'}
    Book:
      type: object
      required: [title]
      properties:
        title: {type: string}
        printed: {type: string, format: date-time}
        isbn: {type: integer, x-was: {2026-01-01: {type: string, converter: isbn}}}
"""

NAIVE: Final = "2025-01-01T00:00:00"
AWARE: Final = f"{NAIVE}Z"
BOOK: Final = {"title": "t", "printed": AWARE, "isbn": 7}
LOAN: Final = {"made": AWARE, "first": "a", "last": "b", "book": BOOK}
PAGE: Final = {"at": AWARE, "items": [LOAN]}


class Converters:
    def older_split(self, value: Any, _: Any) -> Any:
        return {"full": f"{value['first']} {value['last']}"}

    def older_isbn(self, value: Any, _: Any) -> str:
        return str(value)

    def older_shelf(self, value: Any) -> Any:
        return value

    def newer_shelf(self, value: Any) -> Any:
        return value


class Backend:
    body: Any = None

    async def __call__(self, _: Any, __: Any, send: Any) -> None:
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(self.body).encode()})


@cache
def build(*, strict: bool) -> tuple[Any, Backend]:
    files = {"api.yaml": API, "versions.yaml": TABLE}
    server: Any = made(json.dumps(files)).module("server")
    backend = Backend()
    said = {"environment": "production", "strict": strict}
    return server.versioned(backend, converters=Converters(), **said), backend


@cache
def made(files: str) -> Generated:
    return Generated(keep_folder(), load(folder(keep_folder(), json.loads(files))))


def narrow(loan: dict[str, Any]) -> dict[str, Any]:
    book = {**loan["book"], "isbn": "7"}
    full = f"{loan['first']} {loan['last']}"
    kept = {key: value for key, value in loan.items() if key not in ("first", "last")}
    return {**kept, "book": book, "full": full}


@cases(
    "page",
    [
        PAGE,
        {**PAGE, "at": NAIVE},
        {**PAGE, "last": {"printed": NAIVE, "title": None}},
        {"items": [LOAN]},
        {**PAGE, "items": [{**LOAN, "made": NAIVE}] * 100},
        {**PAGE, "items": [LOAN, {**LOAN, "note": None}]},
        {**PAGE, "items": [{**LOAN, "book": {**BOOK, "printed": NAIVE}}]},
        {**PAGE, "at": NAIVE, "shelf": {"spot": {"row": "abc"}, "other": 1}},
    ],
)
def test_invalid_parts_that_no_converter_reads_are_sent(page: Any) -> None:
    narrowed = {**page, "items": [narrow(each) for each in page["items"]]}
    for strict in (False, True):
        app, backend = build(strict=strict)
        backend.body = page
        older, newer = (
            ask(app, "GET", "/loans", headers={"X-API-Version": date}) for date in (OLD, NEW)
        )
        assert (newer.status_code, newer.json()) == (200, page)
        if page is PAGE or not strict:
            assert (older.status_code, older.json()) == (200, narrowed)
        else:
            assert older.status_code == 500


@cases(
    "page",
    [
        {**PAGE, "items": [{**LOAN, "first": 1}]},
        {**PAGE, "at": NAIVE, "items": [{**LOAN, "last": None}]},
        {**PAGE, "items": [{**LOAN, "first": "", "last": ""}]},
        {**PAGE, "items": [{**LOAN, "book": {**BOOK, "isbn": "x"}}]},
        {**PAGE, "last": {**BOOK, "isbn": None, "printed": NAIVE}},
        {**PAGE, "items": [{"made": AWARE, "first": "a", "book": BOOK}]},
        {**PAGE, "items": [{**LOAN, "book": []}]},
        {**PAGE, "shelf": {"spot": {"row": "ab"}}},
        {**PAGE, "items": {}},
        {**PAGE, "items": [LOAN, 1]},
        [],
    ],
)
def test_invalid_parts_that_converters_read_are_not_sent(page: Any) -> None:
    app, backend = build(strict=False)
    backend.body = page
    assert ask(app, "GET", "/loans", headers={"X-API-Version": OLD}).status_code == 500


@cases(
    ("way", "row", "is_refused"),
    [
        ("narrow", "abc", False),
        ("narrow", "ab", True),
        ("lift", "abc", False),
        ("lift", "abcde", True),
    ],
)
def test_what_a_converter_keeps_has_to_fit_the_other_version(
    way: str, row: str, *, is_refused: bool
) -> None:
    components: Any = made(json.dumps({"api.yaml": API, "versions.yaml": TABLE})).module(
        "components"
    )
    shelf = {"spot": {"row": row}}

    def convert() -> Any:
        return getattr(components, way)(shelf, "Shelf", OLD, converters=Converters())

    if is_refused:
        with pytest.raises(components.UnfitError, match="what the converter shelf makes of it"):
            convert()
    else:
        assert convert() == shelf
