"""The size of the clients of many versions, compared with those of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from paynet.client.calling import Operation
from paynet.v2026_07_01 import Autoramp, AutorampList
from support.sources import loaded

from dateline.render import render

_RESOURCES = 20
_AUTORAMP = {"id": "6f1f8d5a-0000-4000-8000-000000000001", "deposit_rails": []}


def write_sources(count: int) -> dict[str, str]:
    """Return an API of *count* versions, each of which adds a value to one resource."""
    dates = [f"{2000 + number}-01-15" for number in range(count)]
    rows = "\n".join(f"  - {{ date: {date}, title: A version. }}" for date in dates)
    values = "".join(
        f"\n        - {{ const: v{number}, x-added: {date}, x-shown-as: v }}"
        for number, date in enumerate(dates[1:])
    )
    paths = "".join(
        f"""
  /r{number}/{{id}}:
    put:
      operationId: putR{number}
      parameters:
        - {{ name: id, in: path, required: true, schema: {{ type: string }} }}
        - {{ name: word, in: query, description: A word., schema: {{ type: string }} }}
      requestBody:
        required: true
        content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Own' }} }} }}
      responses:
        '200':
          description: it
          content:
            application/json: {{ schema: {{ $ref: '#/components/schemas/{name}' }} }}"""
        for number in range(_RESOURCES)
        for name in ("Changing" if number == 0 else "Own",)
    )
    return {
        "versions.yaml": f"""\
header: X-API-Version
default: {dates[0]}
versions:
{rows}
environments:
  production: {{ servers: [{{ url: https://api.example.com/api }}] }}
policy: dated-contract
python: {{ package: shared }}
""",
        "api.yaml": f"""\
openapi: 3.1.0
info: {{ title: Shared, version: canonical }}
paths:{paths}
components:
  schemas:
    Own: {{ type: object, properties: {{ a: {{ type: string }} }} }}
    Changing:
      type: object
      properties:
        kind: {{ $ref: '#/components/schemas/Kind' }}
    Kind:
      type: string
      oneOf:
        - const: v{values}
""",
    }


def measure(root: Path, count: int) -> int:
    """Return the size in bytes of the clients of an API with *count* versions."""
    rendered = render(
        loaded(root / str(count), write_sources(count)), validate=False, changes=False
    )
    return sum(
        len(each.content)
        for each in rendered.artifacts
        if "client" in each.path.split("/")[-1] or "/client/" in each.path
    )


def test_clients_of_25_versions_are_at_most_twice_as_large_as_those_of_one(tmp_path: Path) -> None:
    assert measure(tmp_path, 25) <= 2 * measure(tmp_path, 1)


def test_operations_share_the_validators_of_their_models() -> None:
    first, second = (
        Operation[Any](
            name=f"get{number}",
            method="GET",
            path="/",
            results={"200": list[Autoramp] if number else Autoramp, "2XX": AutorampList},
        )
        for number in range(2)
    )
    for key, data, model in (("2XX", {}, AutorampList), ("200", _AUTORAMP, Autoramp)):
        second.find_reader(second.results, key).validate_python(data if key == "2XX" else [data])
        reader = first.find_reader(first.results, key)
        reader.validate_python(data)
        assert reader.validator is model.__pydantic_validator__
