"""Small definitions, and the contract data for narrowing and lifting their values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dateline.contracts import contract_data
from dateline.model import Api
from support.sources import API, VERSIONS, loaded

SCHEMAS = Path(__file__).parents[2] / "schemas"


ADOPTED = VERSIONS.replace("policy:", "lint: adopted\npolicy:")


def api(folder: Path, text: str, versions: str = VERSIONS) -> Api:
    """Return the API that *text* defines, with the head of the library API."""
    return loaded(folder, {"versions.yaml": versions, "api.yaml": API, "things.yaml": text})


def things(schemas: str, thing: str = "$ref: '#/components/schemas/Thing'") -> str:
    """Return sources with an operation that returns a *thing*; *schemas* are indented by four."""
    return f"""\
paths:
  /things:
    get:
      operationId: getThing
      tags: [Loans]
      responses:
        '200':
          description: a thing
          content: {{ application/json: {{ schema: {{ {thing} }} }} }}
components:
  schemas:
{schemas}
"""


def taking(schemas: str) -> str:
    """Return sources with an operation that takes a `Thing`; *schemas* are indented by four."""
    return f"""\
paths:
  /things:
    post:
      operationId: addThing
      tags: [Loans]
      requestBody:
        content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }}
      responses: {{ '204': {{ description: added }} }}
components:
  schemas:
{schemas}
"""


def down(found: Api) -> dict[str, Any]:
    """Return the shapes for responses of *found* by name and first version."""
    return {
        name: {entry["since"]: entry["shape"] for entry in entries}
        for name, entries in contract_data(found).data["down"]["shapes"].items()
    }


def up(found: Api) -> dict[str, Any]:
    """Return the shapes for requests of *found*."""
    return {
        name: {entry["since"]: entry["shape"] for entry in entries}
        for name, entries in contract_data(found).data["up"]["shapes"].items()
    }


GATED = "type: object, properties: { new: { type: string, x-added: next } }"
