"""What fails when an application starts."""

from __future__ import annotations

import functools
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


def test_all_requests_that_cant_be_read_are_named() -> None:
    with pytest.raises(serving().UnsupportedError) as error:
        app(
            contracts(API + UNREADABLE), [operation("get_thing", "GET", "/things/{id}")], Handlers()
        )
    assert str(error.value).splitlines() == [
        "get_thing: path parameter 'id': the style label is not supported; declare simple",
        "get_thing: query parameter 'of[it]': no [ in a name can be told from those of the style",
        "get_thing: query parameter 'where': only texts, numbers, booleans and lists of these "
        "can be read; declare the style deepObject for what holds more",
        "get_thing: header parameter 'either': only texts, numbers, booleans and lists of these "
        "can be read",
        "get_thing: query parameter 'rows': a list may hold only texts, numbers and booleans; "
        "declare the style deepObject for what holds more",
        "get_thing: query parameter 'as': the style content is not supported; "
        "declare form or deepObject",
        "get_thing: cookie parameter 'seen': a list can't be read from a cookie",
    ]
