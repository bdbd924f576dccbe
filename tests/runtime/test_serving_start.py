"""Failures when an application starts."""

from __future__ import annotations

import asyncio
import functools
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fastapi import HTTPException
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
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


def test_operation_without_a_handler_answers_501_if_configured() -> None:
    class Some:
        list_things = Handlers([]).do

    settings = serving().Settings(unwritten="501")
    made = app(data(), operations(), Some(), settings=settings)
    response = ask(made, request("GET", "/api/things/mine"))
    assert (response.status, b"not implemented yet" in response.body) == (501, True)
    assert response.header("x-api-version") != []
    assert ask(made, request("GET", "/api/things")).status == 200


def test_plain_function_is_a_handler_that_runs_in_a_thread() -> None:
    threads = []

    class Plain:
        def do(self, *_: Any, **__: Any) -> Any:
            threads.append(threading.current_thread())
            return []

        list_things = add_thing = get_thing = get_mine = do

    response = ask(app(data(), operations(), Plain()), request("GET", "/api/things"))
    assert (response.status, response.body) == (200, b"[]")
    assert threads != [threading.main_thread()]


@pytest.mark.parametrize("detail", ["gone for good", {"odd": object}])
def test_framework_exception_is_a_refusal(detail: Any) -> None:
    made = app(data(), operations(), Handlers(HTTPException(404, detail, {"X-Request-Id": "7"})))
    response = ask(made, request("GET", "/api/things"))
    said = detail if isinstance(detail, str) else "Not Found"
    assert (response.status, json.loads(response.body)) == (404, said)
    assert response.header("x-request-id") == ["7"]


def test_answers_of_middleware_name_their_version() -> None:
    class Closed:
        def __init__(self, app: Any) -> None: ...

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await PlainTextResponse("closed", 503)(scope, receive, send)

    made = app(data(), operations(), Handlers([]), middleware=[Middleware(Closed)])
    response = ask(made, request("GET", "/api/things"))
    assert (response.status, response.body) == (503, b"closed")
    assert response.header("x-api-version") != []
    assert response.header("vary") == ["X-API-Version"]


def test_application_runs_the_given_lifespan() -> None:
    seen = []

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        seen.append("begun")
        yield
        seen.append("ended")

    made = app(data(), operations(), Handlers([]), lifespan=lifespan)
    messages = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]

    async def receive() -> Any:
        return messages.pop(0)

    async def send(_: Any) -> None: ...

    async def live() -> None:
        await made({"type": "lifespan"}, receive, send)

    asyncio.run(live())
    assert seen == ["begun", "ended"]


def test_decorated_handler_is_recognized() -> None:
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
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: 'of[it]', in: query, style: deepObject, schema: { type: object } }
        - name: where
          in: query
          schema: { type: object, required: [a], properties: { a: { type: object } } }
        - { name: rows, in: query, schema: { type: array, items: { type: array, items: true } } }
        - { name: as, in: query, content: { text/csv: {} } }
        - { name: seen, in: cookie, schema: { type: array, items: { type: object } } }
      responses: { '204': { description: done } }
"""


REASONS = {
    "of[it]": ("query", "a name with [ is ambiguous in the style deepObject"),
    "where": (
        "query",
        "an object can't be read in the field 'a' without the style deepObject",
    ),
    "rows": (
        "query",
        "only texts, numbers and booleans can be read in a list without the style deepObject",
    ),
    "as": ("query", "text/csv is not read, only JSON"),
    "seen": ("cookie", "only texts, numbers and booleans can be read in a list"),
}


def test_operation_with_unreadable_requests_answers_501_and_others_are_served() -> None:
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
