"""A server with every kind of parameter and body, and requests to it."""

from __future__ import annotations

import functools
from datetime import date, datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from support.assembled import app, contracts, fields, operation
from support.exchanges import Response, ask, request
from support.sources import API

NEW, MIDDLE, OLD = "2025-06-01", "2024-09-01", "2024-01-15"
ID = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"


THINGS = """
paths:
  /things:
    get:
      operationId: list_things
      tags: [Loans]
      parameters:
        - { name: id, in: query, schema: { type: string, format: uuid } }
        - { name: size, in: query, schema: { type: integer, maximum: 9, default: 5 } }
        - { name: rate, in: query, schema: { type: number } }
        - { name: open, in: query, schema: { type: boolean } }
        - { name: since, in: query, schema: { type: string, format: date-time } }
        - { name: day, in: query, schema: { type: string, format: date } }
        - { name: tag, in: query, schema: { type: array, items: { type: string, minLength: 1 } } }
        - name: count
          in: query
          explode: false
          schema: { type: array, items: { type: integer } }
        - { name: any, in: query, schema: { anyOf: [{ type: integer }, { type: string }] } }
        - name: has
          in: query
          schema:
            oneOf:
              - { type: string, enum: [all, 'no,ne'] }
              - { type: array, items: { oneOf: [{ type: integer }, { enum: [both] }] } }
        - name: of
          in: query
          explode: false
          schema:
            anyOf:
              - { type: string, enum: [all, 'no,ne'] }
              - type: [array, 'null']
                items: { anyOf: [{ type: integer }, { type: string, maxLength: 3 }] }
        - { name: X-Trace, in: header, schema: { type: string, maxLength: 5 } }
        - { name: X-Counts, in: header, schema: { type: array, items: { type: integer } } }
        - { name: seen, in: cookie, schema: { type: boolean } }
      responses:
        '200':
          description: things
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Thing' } }
    post:
      operationId: add_thing
      tags: [Loans]
      parameters:
        - name: page_size
          in: query
          schema: { type: integer, default: 10 }
          x-was: { 2024-09-01: { name: size, schema: { type: integer, default: 3 } } }
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: '#/components/schemas/Thing' } }
          text/plain: { schema: { type: string } }
      responses:
        '201':
          description: the thing
          headers: { X-Count: { schema: { type: integer }, x-added: 2025-06-01 } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
        '202': { description: later }
        '409':
          description: there is one
          content: { application/json: { schema: { $ref: '#/components/schemas/Refused' } } }
  /things/{thing-id}:
    get:
      operationId: get_thing
      tags: [Loans]
      x-added: 2024-09-01
      parameters: [{ name: thing-id, in: path, required: true, schema: { type: string } }]
      responses:
        '200':
          description: the thing
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
  /things/mine:
    get:
      operationId: get_mine
      tags: [Loans]
      responses:
        '200': { description: text, content: { text/plain: { schema: { type: string } } } }
components:
  schemas:
    Thing:
      type: object
      additionalProperties: false
      required: [total]
      properties:
        total: { type: integer, format: int32, x-was: { 2025-06-01: { name: sum } } }
        parts: { type: array, items: { $ref: '#/components/schemas/Part' } }
        code: { type: string, pattern: '^[a-z]+$', minLength: 2, maxLength: 4 }
        kind: { type: string, enum: [a, b] }
        note: { type: [string, 'null'], x-added: 2025-06-01 }
    Part:
      oneOf:
        - { type: string }
        - { $ref: '#/components/schemas/Object' }
    Object:
      oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }]
      discriminator: { propertyName: kind }
    A:
      type: object
      required: [kind, amount]
      properties: { kind: { const: A }, amount: { type: number, exclusiveMinimum: 0 } }
    B:
      type: object
      required: [kind]
      properties: { kind: { const: B }, due: { type: string, format: date } }
    Refused:
      type: object
      required: [reason]
      properties: { reason: { type: string } }
"""


def is_none(value: object) -> bool:
    return value is None


class Thing(BaseModel):
    model_config = ConfigDict(extra="forbid")

    total: int
    parts: list[Any] | None = Field(default=None, exclude_if=is_none)
    code: str | None = Field(default=None, exclude_if=is_none)
    kind: str | None = Field(default=None, exclude_if=is_none)
    note: str | None = Field(default=None, exclude_if=is_none)


class Refused(BaseModel):
    reason: str


class Handlers:
    """Handlers that record their arguments and return what a test sets."""

    def __init__(self, result: Any = None) -> None:
        self.result = result
        self.calls: list[dict[str, Any]] = []

    async def do(self, call: Any, **arguments: Any) -> Any:
        self.calls.append({**arguments, "call": call})
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    list_things = add_thing = get_thing = get_mine = do


@functools.cache
def data() -> dict[str, Any]:
    return contracts(API + THINGS)


def parameter(place: str, name: str, kind: Any, **said: Any) -> dict[str, Any]:
    keyword = name.lower().replace("-", "_")
    return {"keyword": keyword, "name": name, "place": place, "type": kind, **said}


@functools.cache
def operations() -> tuple[Any, ...]:
    json = "application/json"
    return (
        operation(
            "list_things",
            "GET",
            "/things",
            parameters=[
                parameter("query", "id", UUID),
                parameter("query", "size", int, default=5),
                parameter("query", "rate", float),
                parameter("query", "open", bool),
                parameter("query", "since", datetime),
                parameter("query", "day", date),
                parameter("query", "tag", list[str]),
                parameter("query", "count", list[int]),
                parameter("query", "any", int | str),
                parameter("query", "has", str | list[int | str]),
                parameter("query", "of", str | list[int | str]),
                parameter("header", "X-Trace", str),
                parameter("header", "X-Counts", list[int]),
                parameter("cookie", "seen", bool),
            ],
            responses={"200": {json: list[Thing]}},
        ),
        operation(
            "add_thing",
            "POST",
            "/things",
            parameters=[parameter("query", "page_size", int, default=10)],
            body={json: Thing, "text/plain": bytes},
            responses={"201": {json: Thing}, "202": None, "409": {json: Refused}},
        ),
        operation(
            "get_thing",
            "GET",
            "/things/{thing-id}",
            parameters=[parameter("path", "thing-id", str, required=True)],
            responses={"200": {json: Thing}},
        ),
        operation("get_mine", "GET", "/things/mine", responses={"200": {"text/plain": bytes}}),
    )


def send(handlers: Handlers, method: str, path: str, *pieces: bytes, **headers: str) -> Response:
    return ask(
        app(data(), operations(), handlers),
        request(method, f"/api{path}", fields(**headers)),
        *pieces,
    )


def add(body: str, result: Any = None, version: str = NEW) -> tuple[Response, list[Any]]:
    handlers = Handlers({"total": 1} if result is None else result)
    said = {"content_type": "application/json", "x_api_version": version}
    response = send(handlers, "POST", "/things", body.encode(), **said)
    return response, [call["body"] for call in handlers.calls]


# Authentication

SECURED = """
paths:
  /things:
    get:
      operationId: list_things
      tags: [Loans]
      responses: { '204': { description: done } }
"""
