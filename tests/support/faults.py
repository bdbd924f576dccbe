"""An API that declares its error responses in some form, and requests to it."""

from __future__ import annotations

from typing import Any

from support.assembled import app, contracts, fields, operation
from support.exchanges import Response, ask, request
from support.sources import API, VERSIONS

NEW, MIDDLE, OLD = "2025-06-01", "2024-09-01", "2024-01-15"


TRACE = "T"


SOURCE = """
paths:
  /things/{id}:
    get:
      operationId: get_thing
      tags: [Loans]
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: size, in: query, schema: { type: integer } }
      responses:
        '200':
          description: the thing
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
%s
components:
  schemas:
    Thing:
      type: object
      properties:
        id: { type: string }
        secret: { type: string, x-added: 2025-06-01 }
%s
"""


class Handlers:
    """Returns or raises the result that a test sets."""

    def __init__(self, result: Any) -> None:
        self.result = result

    async def get_thing(self, *_: Any, **__: Any) -> Any:
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def create_app(
    responses: str, schemas: str, result: Any = None, keys: tuple[str, ...] = (), **said: Any
) -> Any:
    """Return an application whose one operation has *responses*, a line of YAML for each."""
    rows = "".join(f"        {line}\n" for line in responses.splitlines())
    more = "".join(f"    {line}\n" for line in schemas.splitlines())
    kinds = {key: {"application/json": dict} for key in keys} | said.pop("kinds", {})
    return app(
        contracts(API + SOURCE % (rows, more), VERSIONS + "lint: adopted\n"),
        [
            operation(
                "get_thing",
                "GET",
                "/things/{id}",
                parameters=[
                    {"keyword": "id", "name": "id", "place": "path", "type": str},
                    {"keyword": "size", "name": "size", "place": "query", "type": int},
                ],
                responses={"200": {"application/json": dict}, **kinds},
                **said.pop("operation", {}),
            )
        ],
        Handlers(result),
        **said,
    )


def fetch(
    application: Any, path: str = "/things/a?size=x", version: str = NEW, **more: str
) -> Response:
    return ask(application, request("GET", f"/api{path}", fields(x_api_version=version, **more)))


def declare(status: str, schema: str, media_type: str = "application/json") -> str:
    content = f"content: {{ {media_type}: {{ schema: {schema} }} }}"
    return f"'{status}': {{ description: bad, {content} }}"


class KnownCaller:
    identity = "known"
