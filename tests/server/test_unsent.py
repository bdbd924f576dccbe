"""Notes about successes that can't be sent at some version, compared with the actual answers."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any, Final, NamedTuple

import pytest
from support.generated_server import Generated, ask, generate_adopted
from support.random_chains import DATES
from support.tables import cases

from dateline.server.unsent import Unsent, list_unsent
from dateline_runtime.statuses import find_counterpart

OLD, NEW = DATES[:2]
JSON, VENDOR, CSV = "application/json", "application/vnd.x+json", "text/csv"

CONTENTS: Final = ((), (JSON,), (VENDOR,), (CSV,), (CSV, JSON))
STATUSES: Final = {"200": 200, "201": 201, "204": 204, "2XX": 202, "2xx": 202, "default": 200}
_THING: Final = {"type": "object", "properties": {"here": {"type": "string"}}}
_OTHER: Final = {"type": "object", "properties": {"later": {"type": "string"}}}


class Case(NamedTuple):
    """A success: media types at each version, its newest key, and whether the schema differs.

    With *more*, the newest version has a second success, which the older one has as well.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    key: str
    differs: bool
    more: bool

    @property
    def path(self) -> str:
        return f"/things/{CASES.index(self)}"


# each fifth: every pair of contents, and every combination of what follows them
CASES: Final = [
    Case(*each) for each in product(CONTENTS, CONTENTS, STATUSES, (False, True), (False, True))
][::5]


def _response(media_types: tuple[str, ...], schema: Any) -> dict[str, Any]:
    content = {
        each: {"schema": schema if "json" in each else {"type": "string"}} for each in media_types
    }
    return {"description": "done", **({"content": content} if content else {})}


def _document(at: int) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for case in CASES:
        key = ("200", case.key)[at]
        schema = _OTHER if at and case.differs else _THING
        responses = {key: _response((case.before, case.after)[at], schema)}
        if case.more:
            responses["203"] = _response((JSON,), _THING)
        paths[case.path] = {"post": {"responses": responses}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": paths,
    }


@cache
def made() -> Generated:
    return generate_adopted(_document(0), _document(1))


@cache
def unsent() -> dict[str, list[Unsent]]:
    """Return what can't be sent at some version, by path."""
    data = made().module("server.data").read_contracts()
    return {
        facts["path"]: [*list_unsent(name, facts["responses"], data, data)]
        for name, facts in data["operations"].items()
    }


async def backend(scope: Any, _: Any, send: Any) -> None:
    case = CASES[int(scope["path"].rpartition("/")[2])]
    status = STATUSES[case.key]
    has_body = status != 204 and case.after
    headers = [(b"content-type", case.after[0].encode())] if has_body else []
    body = b"" if not has_body else b"{}" if "json" in case.after[0] else b"a"
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Handlers:
    def __getattr__(self, name: str) -> Any:
        async def handle(_: Any) -> Any:
            return {}

        return handle if name.startswith("post_") else self


@pytest.mark.parametrize("door", ["a handler", "the application"])
def test_success_answered_with_501_is_noted(door: str) -> None:
    server = made().module("server")
    given: dict[str, Any] = {"environment": "production"}
    if door == "a handler":
        app = server.create_app(Handlers(), **given)
    else:
        app = server.versioned(backend, **given)
    wrong = {}
    for case in CASES:
        status = ask(app, "POST", case.path, headers={"X-API-Version": OLD}).status_code
        found = [each for each in unsent()[case.path] if (each.door, each.version) == (door, OLD)]
        noted = [each.is_all for each in found]
        if (status == 501) != (noted == [True]):
            wrong[case] = status, noted
        # next to a success, `default` is for errors
        is_success = door == "the application" and not (case.more and case.key == "default")
        if status == 500 and is_success and not noted:
            wrong[case] = status, noted
    assert wrong == {}


def test_application_can_send_everything_at_its_own_version() -> None:
    found = [each for case in CASES for each in unsent()[case.path] if each.version == NEW]
    # a handler returns JSON for an older version, whatever the newest one has
    assert {each.door for each in found} == {"a handler"}


def test_notes_count_operations_and_name_the_first() -> None:
    counts = [
        sum(any(each.is_all is is_all for each in found) for found in unsent().values())
        for is_all in (True, False)
    ]
    assert all(counts)
    notes = [note for note in made().notes if "success" in note]
    assert [note.partition(" ")[0] for note in notes] == [str(count) for count in counts]
    assert "can't send any success at some version, and answer 501 there (first at " in notes[0]
    assert notes[0].endswith(f", at {OLD})")
    assert "can't send one of several successes at some version" in notes[1]


@cases(
    ("status", "newest", "older", "expected"),
    [
        ("200", ["200"], ["200", "default"], "200"),
        ("200", ["200"], ["201", "default"], "201"),
        ("201", ["200", "201"], ["202", "default"], "default"),
        ("201", ["200", "201"], ["202"], None),
        ("200", ["200"], ["2XX", "default"], "2XX"),
        ("200", ["200"], ["default"], "default"),
        ("default", ["default"], ["200"], "200"),
        ("200", ["default"], ["201"], "201"),
        ("204", ["204"], ["200", "default"], "default"),
        ("404", ["default"], ["200"], None),
        ("404", ["200", "404"], ["200", "default"], "default"),
        ("302", ["302"], ["200"], "200"),
        ("302", ["200", "302"], ["200"], None),
    ],
)
def test_counterpart_of_a_response_is_found(
    status: str, newest: list[str], older: list[str], expected: str | None
) -> None:
    assert find_counterpart(status, newest, older) == expected
