"""Deep objects and lists in queries reach the handler as their schemas define, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_core import to_jsonable_python
from support.generated_server import Generated, ask
from support.sources import API, VERSIONS, loaded
from support.tables import cases

OLD, NEW = "2024-01-15", "2025-06-01"

THINGS = """
paths:
  /things:
    get:
      operationId: list_things
      tags: [Loans]
      parameters:
        - name: created
          in: query
          style: deepObject
          explode: true
          schema:
            anyOf:
              - type: object
                properties: { gte: { type: integer }, lt: { type: integer, maximum: 9 } }
              - { type: integer }
        - name: expand
          in: query
          style: deepObject
          schema: { type: array, items: { type: string, maxLength: 5 } }
        - name: filter
          in: query
          style: deepObject
          schema: { $ref: '#/components/schemas/Filter' }
        - name: metadata
          in: query
          style: deepObject
          schema:
            type: object
            additionalProperties: { anyOf: [{ type: integer }, { enum: [''] }] }
        - name: lines
          in: query
          style: deepObject
          schema: { type: array, items: { $ref: '#/components/schemas/Filter' } }
        - { name: at, in: query, style: deepObject, schema: { type: string, format: date-time } }
        - { name: page, in: query, schema: { type: integer } }
      responses: { '204': { description: done } }
components:
  schemas:
    Filter:
      type: object
      additionalProperties: false
      properties:
        since: { type: string, format: date }
        open: { type: boolean }
        rate: { type: number, x-was: { 2025-06-01: { name: share } } }
        tags: { type: array, items: { type: string } }
        inner: { $ref: '#/components/schemas/Filter' }
"""


class Handlers:
    """Records its arguments."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    async def list_things(self, _: Any, **arguments: Any) -> None:
        self.calls.append(arguments)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("queries")
    files = {"versions.yaml": VERSIONS, "api.yaml": API + THINGS}
    return Generated(folder, loaded(folder, files))


def ask_for(package: Generated, query: str, version: str = NEW) -> tuple[int, Any]:
    """Return the status, and the handler's arguments or else the answer."""
    server = package.module("server")
    handlers = Handlers()
    app = server.create_app(server.Handlers(loans=handlers), environment="production")
    answer = ask(app, "GET", f"/api/things?{query}", headers={"X-API-Version": version})
    if not handlers.calls:
        return answer.status_code, answer.json()["detail"]
    [given] = handlers.calls
    plain = to_jsonable_python(given, by_alias=True)
    return answer.status_code, {name: value for name, value in plain.items() if value is not None}


@cases(
    ("query", "given"),
    [
        ("", {}),
        ("created=5", {"created": 5}),
        ("created[gte]=5&page=1&created%5Blt%5D=9", {"created": {"gte": 5, "lt": 9}, "page": 1}),
        ("created[other]=5", {"created": {"other": "5"}}),
        ("expand[]=a&expand[]=b%5B", {"expand": ["a", "b["]}),
        ("expand[0]=a&expand[1]=b", {"expand": ["a", "b"]}),
        (
            "filter[since]=2024-02-29&filter[open]=true",
            {"filter": {"since": "2024-02-29", "open": True}},
        ),
        (
            "filter[tags][]=1&filter[inner][rate]=1.5",
            {"filter": {"tags": ["1"], "inner": {"rate": 1.5}}},
        ),
        ("metadata[a.b]=1&metadata[]=", {"metadata": {"a.b": 1, "": ""}}),
        (
            "lines[0][open]=true&lines[1][rate]=2&lines[0][rate]=3",
            {"lines": [{"open": True, "rate": 3}, {"rate": 2}]},
        ),
        ("at=2024-01-01T00:00:00Z", {"at": "2024-01-01T00:00:00Z"}),
        ("other[a=1&creat=1", {}),
    ],
)
def test_values_in_brackets_get_their_types(
    package: Generated, query: str, given: dict[str, Any]
) -> None:
    assert ask_for(package, query) == (204, given)


@cases(
    ("query", "said"),
    [
        ("created=5&created=5", '"created" is given more than once'),
        ("created[gte]=5&created[gte]=5", '"created[gte]" is given more than once'),
        ("created[gte]=5&created=5", '"created" is given both with brackets and without'),
        ("created[gte]=x", '"created[gte]" has to be an integer in plain decimal digits'),
        ("created[lt]=10", '"created" at /lt has to be at most 9, not 10'),
        ("created[gte][x]=1", '"created[gte]" has to be one value, without brackets'),
        ("created[gte=1", '"created[gte" has unpaired brackets'),
        ("created[gte]x=1", '"created[gte]x" has unpaired brackets'),
        ("created[a[b]]=1", '"created[a[b]]" has unpaired brackets'),
        ("expand=a", '"expand" has to be written with [] after it for each item'),
        (
            "expand[]=a&expand[0]=b",
            '"expand" has to be a list: [] after its name for each item, or [0], [1]...',
        ),
        (
            "expand[1]=a",
            '"expand" has to be a list: [] after its name for each item, or [0], [1]...',
        ),
        ("expand[]=abcdef", '"expand" at /0 has to have at most 5 characters, not "abcdef"'),
        ("filter=a", '"filter" has to be written with its fields in brackets'),
        ("filter[other]=a", '"filter" has a field that is not known, "other"'),
        ("filter[open]=yes", '"filter[open]" has to be true or false'),
        (
            "filter[since]=2024-02-30",
            '"filter" at /since has to be a date (YYYY-MM-DD), not "2024-02-30"',
        ),
        ("metadata[a]=x", '"metadata" at /a has to be one of "", not "x"'),
        ("filter" + 17 * "[inner]" + "=1", '"filter" is nested more than 16 levels deep'),
    ],
)
def test_values_in_brackets_are_parsed_strictly(package: Generated, query: str, said: str) -> None:
    assert ask_for(package, query) == (400, f"the parameter {said}")


def test_fields_in_brackets_differ_between_versions(package: Generated) -> None:
    query = "filter[share]=0.5"
    assert ask_for(package, query, OLD) == (204, {"filter": {"rate": 0.5}})
    assert ask_for(package, query, NEW)[0] == 400
