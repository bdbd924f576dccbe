"""A converter of several fields of an object: a split, a merge, or fields moved into an object."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from support.generated_server import Generated, ask
from support.sources import API, VERSIONS, loaded
from support.tables import cases

from dateline.check.servable import check_servable

NEW, OLD, OLDEST = "2025-06-01", "2024-09-01", "2024-01-15"

PATHS = """
paths:
  /people:
    post:
      operationId: addPerson
      tags: [Loans]
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } }
      responses:
        '200':
          description: added
          content:
            application/json: { schema: { type: array, items: { $ref: '#/components/schemas/A' } } }
components:
  schemas:
    State: { type: string, enum: [open, shut] }
    A:
      type: object
      required: [id, NEWER]
      properties: { ID, FIELDS }
      x-was: { 2025-06-01: { required: [id, OLDER], properties: { ID, WERE } } }
"""
# The fields beside the converted ones have gates of their own.
ID = (
    "id: { type: string, x-was: { 2024-09-01: { name: key } } }, "
    "state: { $ref: '#/components/schemas/State' }"
)


SHORT = "x-was: { 2025-06-01: { in-place-of: [NEWER], properties: { WERE } } }"


class Case:
    """The fields of an object now and before 2025-06-01, with values of each."""

    def __init__(self, fields: str, now: dict[str, Any], were: str, then: dict[str, Any]) -> None:
        self.now, self.then = now, then
        whole = re.search(r"x-was: .*\n", PATHS[PATHS.index("properties: { ID, FIELDS") :])
        assert whole is not None
        self.short = (
            PATHS.replace(whole[0], f"{SHORT}\n")
            .replace("NEWER", ", ".join(now))
            .replace("FIELDS", fields)
            .replace("WERE", were)
            .replace("ID", ID)
        )
        paths = PATHS.replace("required: [id, OLDER], ", "") if [*now] == [*then] else PATHS
        self.source = (
            paths.replace("NEWER", ", ".join(now))
            .replace("OLDER", ", ".join(then))
            .replace("FIELDS", fields)
            .replace("WERE", were)
            .replace("ID", ID)
        )

    def convert(self, value: dict[str, Any], goal: dict[str, Any]) -> dict[str, Any]:
        """Return *value* with its fields replaced by those of *goal*."""
        gone = self.now if goal is self.then else self.then
        assert {name: value[name] for name in gone} == gone
        return {**{name: each for name, each in value.items() if name not in gone}, **goal}

    def older_a(self, value: dict[str, Any], /) -> dict[str, Any]:
        return self.convert(value, self.then)

    def newer_a(self, value: dict[str, Any], /) -> dict[str, Any]:
        return self.convert(value, self.now)


TEXT, NUMBER = "{ type: string }", "{ type: integer }"
CASES = {
    "split": Case(
        f"first: {TEXT}, last: {TEXT}",
        {"first": "Jane", "last": "Austen"},
        f"name: {TEXT}",
        {"name": "Jane Austen"},
    ),
    "merge": Case(
        f"name: {TEXT}",
        {"name": "Jane Austen"},
        f"first: {TEXT}, last: {TEXT}",
        {"first": "Jane", "last": "Austen"},
    ),
    "flat fields to an object": Case(
        f"home: {{ type: object, required: [street], properties: {{ street: {TEXT} }} }}",
        {"home": {"street": "College"}},
        f"street: {TEXT}",
        {"street": "College"},
    ),
    "cents beside a currency": Case(
        f"price: {TEXT}, currency: {TEXT}",
        {"price": "1.50", "currency": "EUR"},
        f"price: {NUMBER}, currency: {TEXT}",
        {"price": 150, "currency": "EUR"},
    ),
    "an id to the object": Case(
        f"owner: {{ type: object, required: [key], properties: {{ key: {TEXT} }} }}",
        {"owner": {"key": "k"}},
        f"owner_id: {TEXT}",
        {"owner_id": "k"},
    ),
}


class Fields:
    """Converts only the fields, as the short annotation demands."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def older_a(self, value: dict[str, Any]) -> dict[str, Any]:
        assert {name: value[name] for name in self.case.now} == self.case.now
        return self.case.then

    def newer_a(self, value: dict[str, Any]) -> dict[str, Any]:
        assert {name: value[name] for name in self.case.then} == self.case.then
        return self.case.now


@cases(
    ("name", "is_short"), [*((name, True) for name in CASES), ("split", False), ("merge", False)]
)
def test_several_fields_are_converted_together_both_ways(
    name: str, is_short: bool, tmp_path: Path
) -> None:
    case = CASES[name]
    source = case.short if is_short else case.source
    api = loaded(tmp_path, {"versions.yaml": VERSIONS, "api.yaml": API, "people.yaml": source})
    converters = Fields(case) if is_short else case
    assert list(check_servable(api)) == []
    made = Generated(tmp_path, api)
    server = made.module("server")
    received: list[Any] = []

    class Loans:
        async def add_person(self, _: Any, *, body: Any) -> list[Any]:
            received.append(body.model_dump(mode="json"))
            return [body, body]

    # the group of the starter project has no other operation
    app = server.create_app(
        SimpleNamespace(loans=Loans()), environment="production", converters=converters
    )
    newest = {"id": "1", "state": "open", **case.now}
    older = {"id": "1", "state": "open", **case.then}
    oldest = {"key": "1", "state": "open", **case.then}
    for version, body in ((NEW, newest), (OLD, older), (OLDEST, oldest)):
        headers = {"X-API-Version": version}
        response = ask(app, "POST", "/api/people", json=body, headers=headers)
        assert (response.status_code, response.json()) == (200, [body, body])
    assert received == [newest] * 3
    components = made.module("components")
    assert components.narrow(newest, "A", OLDEST, converters=converters) == oldest
    assert components.lift(oldest, "A", OLDEST, converters=converters) == newest


def test_field_that_became_required_with_others_has_no_way_up(tmp_path: Path) -> None:
    case = CASES["split"]
    source = case.source.replace(
        f"{{ {ID}, name: {TEXT} }}", f"{{ {ID}, first: {TEXT}, x: {TEXT} }}"
    )
    assert source != case.source
    source = source.replace("required: [id, name]", "required: [id, x]")
    api = loaded(tmp_path, {"versions.yaml": VERSIONS, "api.yaml": API, "people.yaml": source})
    assert [finding.message for finding in check_servable(api)] == [
        "A.first: required in requests, and optional in 2024-01-15, 2024-09-01"
    ]
