"""What fails when an application starts."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
from support.assembled import app, contracts, operation, serving
from support.exchanges import ask, request
from support.sources import API
from support.things import Handlers, data, operations

# What fails at start


def test_all_missing_handlers_are_named() -> None:
    class Some:
        async def add_thing(self) -> None: ...

    with pytest.raises(serving().MissingHandlerError) as error:
        app(data(), operations(), Some())
    assert str(error.value) == (
        "no handler for things.list_things, things.get_thing, things.get_mine"
    )


def test_all_handlers_that_are_no_coroutine_functions_are_named() -> None:
    class Some:
        add_thing = Handlers().do

        def list_things(self, call: Any, **_: Any) -> Any: ...

        @staticmethod
        def get_thing(call: Any, **_: Any) -> Any: ...

    with pytest.raises(serving().MissingHandlerError) as error:
        app(data(), operations(), Some())
    assert str(error.value) == (
        "no handler for things.get_mine; things.list_things has to be `async def`; "
        "things.get_thing has to be `async def`"
    )


def test_a_decorated_handler_is_what_it_decorates() -> None:
    class Decorated:
        inner = Handlers([])

        @functools.wraps(inner.do)
        def do(self, *arguments: Any, **said: Any) -> Any:
            return self.inner.do(*arguments, **said)

        list_things = add_thing = get_thing = get_mine = do

    response = ask(app(data(), operations(), Decorated()), request("GET", "/api/things"))
    assert (response.status, response.body) == (200, b"[]")


UNREADABLE = """
paths:
  /things/{id}:
    get:
      operationId: get_thing
      tags: [Loans]
      parameters:
        - { name: id, in: path, required: true, style: label, schema: { type: string } }
        - { name: 'of[it]', in: query, style: deepObject, schema: { type: object } }
        - { name: where, in: query, schema: { type: object } }
        - { name: either, in: header, schema: { type: [string, array], items: true } }
        - { name: rows, in: query, schema: { type: array, items: { type: array, items: true } } }
        - { name: as, in: query, content: { application/json: { schema: { type: string } } } }
        - { name: seen, in: cookie, schema: { type: array, items: true } }
      responses: { '204': { description: done } }
"""


REASONS = {
    "id": ("path", "the style label is not supported, only simple"),
    "of[it]": ("query", "no [ in a name can be told from those of the style"),
    "where": (
        "query",
        "only texts, numbers, booleans and lists of these can be read without the style deepObject",
    ),
    "either": ("header", "only texts, numbers, booleans and lists of these can be read"),
    "rows": (
        "query",
        "only texts, numbers and booleans can be read in a list without the style deepObject",
    ),
    "as": ("query", "the style content is not supported, only form and deepObject"),
    "seen": ("cookie", "a list can't be read from a cookie"),
}


def test_an_operation_whose_requests_cant_be_read_answers_501_and_the_others_are_served() -> None:
    other = "  /things: { get: { operationId: list_things, tags: [Loans], responses: { '204': "
    source = UNREADABLE.replace("paths:\n", f"paths:\n{other}{{ description: done }} }} }} }}\n")
    operations = [
        operation("get_thing", "GET", "/things/{id}"),
        operation("list_things", "GET", "/things", responses={"204": None}),
    ]
    made = app(contracts(API + source), operations, Handlers([None]))
    response = ask(made, request("GET", "/api/things/7"))
    reasons = (f"{place} parameter {name!r}: {why}" for name, (place, why) in REASONS.items())
    assert (response.status, json.loads(response.body)["detail"]) == (501, "; ".join(reasons))
    assert ask(made, request("GET", "/api/things")).status == 204
