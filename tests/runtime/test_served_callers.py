"""A caller whom `authenticate` refuses gets an answer like a refusal of a handler, at once."""

from __future__ import annotations

from typing import Any

import pytest
from support.assembled import app, contracts, fields, memory_store, operation, serving
from support.exchanges import Response, ask, request
from support.sources import API

OLD, NEW = "2024-01-15", "2025-06-01"

THINGS = """
paths:
  /things:
    post:
      operationId: add_thing
      tags: [Loans]
      responses:
        '204': { description: done }
        '409':
          description: refused
          content: { application/json: { schema: { $ref: '#/components/schemas/Refused' } } }
components:
  schemas:
    Refused:
      type: object
      required: [reason]
      properties: { reason: { type: string, x-was: { 2025-06-01: { name: why } } } }
"""


class Gate:
    """Refuses every caller, and counts its calls."""

    def __init__(self, status: int, body: Any, headers: dict[str, Any]) -> None:
        self.refused = (status, body, headers)
        self.asked = 0

    async def authenticate(self, _: Any) -> Any:
        self.asked += 1
        raise serving().Refusal(*self.refused)


class Handlers:
    async def add_thing(self, _: Any) -> None:
        raise AssertionError("called for one who is refused")


def ask_refused(
    status: int, body: Any, *, optional: bool = False, **headers: Any
) -> tuple[Response, int]:
    """Return the answer to a caller whom `authenticate` refuses, and the number of its calls."""
    gate = Gate(status, body, headers)
    served = app(
        contracts(API + THINGS),
        [
            operation(
                "add_thing",
                "POST",
                "/things",
                security=[("Key",), *([()] if optional else [])],
                responses={"204": None, "409": {"application/json": dict[str, Any]}},
            )
        ],
        Handlers(),
        schemes={"Key": serving().Scheme(place="header", name="X-Key")},
        authenticate=gate.authenticate,
        idempotency=memory_store(),
    )
    sent = fields(x_key="known", x_api_version=OLD, idempotency_key="a")
    return ask(served, request("POST", "/api/things", sent)), gate.asked


@pytest.mark.parametrize("optional", [False, True])
def test_authenticate_may_refuse(optional: bool) -> None:
    response, asked = ask_refused(403, "suspended", optional=optional, reason="unpaid")
    assert (response.status, response.json, asked) == (403, "suspended", 1)
    for name, value in (
        ("reason", "unpaid"),
        ("x-api-version", OLD),
        ("content-type", "application/json; charset=utf-8"),
        ("cache-control", "private, no-store"),
    ):
        assert response.header(name) == [value]


def test_defined_refusal_is_sent_as_the_callers_version_has_it() -> None:
    response, _ = ask_refused(409, {"reason": "frozen"})
    assert (response.status, response.json) == (409, {"why": "frozen"})
