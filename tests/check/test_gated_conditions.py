"""Gated schemas that limit values which versions without them have, too."""

from __future__ import annotations

from pathlib import Path

from support.sources import VERSIONS
from support.tables import cases
from support.thing_sources import api

from dateline.check.servable import check_servable

PATHS = """\
paths:
  /things:
    METHOD
components:
  schemas:
    Base:
      type: object
      properties:
        a: STRING
        l: { type: array, items: STRING }
        o: { type: object, properties: { p: STRING } }
    Part: { type: object, properties: { a: { maxLength: 5 } } }
    Short: { maxLength: 5 }
    Thing: THING
"""
CONTENT = "content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }"
SENT = f"""\
post:
      operationId: addThing
      tags: [Loans]
      requestBody: {{ {CONTENT} }}
      responses: {{ '204': {{ description: added }} }}
"""
RETURNED = f"""\
get:
      operationId: getThing
      tags: [Loans]
      responses: {{ '200': {{ description: a thing, {CONTENT} }} }}
"""
BASE = "{ $ref: '#/components/schemas/Base' }"
DEEP = "allOf: [{ properties: { l: { maxItems: 2, GATE } } }]"
BESIDE = "type: string, allOf: [{ $ref: '#/components/schemas/Short', GATE }]"
# The schema, and the place and keyword that its values may not fit.
LIMITED = {
    f"{{ allOf: [{BASE}, {{ properties: {{ a: {{ maxLength: 5, GATE }} }} }}] }}": (
        ("Thing.allOf.1.a", "it")
    ),
    f"{{ allOf: [{BASE}, {{ GATE, properties: {{ a: {{ type: string, pattern: x }} }} }}] }}": (
        ("Thing.allOf.1.a", "it")
    ),
    f"{{ allOf: [{BASE}], properties: {{ a: {{ enum: [x, z], GATE }} }} }}": ("Thing.a", "it"),
    f"{{ allOf: [{BASE}, {{ $ref: '#/components/schemas/Part', GATE }}] }}": ("Part.a", "it"),
    f"{{ allOf: [{{ allOf: [{BASE}] }}, {{ {DEEP} }}] }}": ("Thing.allOf.1.allOf.0.l", "it"),
    f"{{ allOf: [{BASE}, {{ properties: {{ o: {{ GATE, type: object, "
    "properties: { p: { type: string, maxLength: 5 } } } } }] }": ("Thing.allOf.1.o", "it"),
    "{ type: object, properties: { t: { allOf: [STRING, { maxLength: 5, GATE }] } } }": (
        ("Thing.t.allOf.1", "`maxLength`")
    ),
    f"{{ type: object, properties: {{ t: {{ {BESIDE} }} }} }}": ("Short", "`maxLength`"),
}
FREE = [
    f"{{ allOf: [{BASE}, {{ properties: {{ o: {{ GATE, type: object, "
    "properties: { p: STRING, r: STRING } } } }] }",
    f"{{ allOf: [{BASE}, {{ properties: {{ a: {{ description: A word., GATE }} }} }}] }}",
    f"{{ allOf: [{BASE}, {{ properties: {{ a: {{ type: string, GATE }} }} }}] }}",
    f"{{ allOf: [{BASE}, {{ properties: {{ b: {{ type: string, maxLength: 5, GATE }} }} }}] }}",
    f"{{ allOf: [{BASE}, {{ GATE, type: object, properties: {{ b: {{ maxLength: 5 }} }} }}] }}",
    "{ type: object, properties: { t: { allOf: [{ type: string, maxLength: 5 }, "
    "{ maxLength: 5, GATE }] } } }",
    "{ allOf: [{ properties: { a: { type: string, GATE } } }, "
    "{ properties: { a: { maxLength: 5, GATE } } }] }",
]
ADVICE = "write `x-was` with its older keywords in place of the gate"


def find(schema: str, gate: str, method: str, folder: Path) -> list[tuple[str, str]]:
    text = PATHS.replace("METHOD", method).replace("THING", schema)
    text = text.replace("STRING", "{ type: string }").replace("GATE", gate)
    return [(each.rule, each.message) for each in check_servable(api(folder, text, VERSIONS))]


@cases("gate", ["x-added: 2025-06-01", "x-removed: 2025-06-01"])
@cases("schema", LIMITED)
def test_request_may_not_fit_a_schema_that_its_version_lacks(
    schema: str, gate: str, tmp_path: Path
) -> None:
    place, what = LIMITED[schema]
    lacking = "2024-01-15, 2024-09-01" if "added" in gate else "2025-06-01, next"
    message = f"{place}: requests of {lacking} may not fit {what}; {ADVICE}"
    assert find(schema, gate, SENT, tmp_path) == [("request-without-way-up", message)]


@cases("schema", LIMITED)
def test_response_may_not_fit_a_schema_that_was_removed(schema: str, tmp_path: Path) -> None:
    place, what = LIMITED[schema]
    message = f"{place}: values may not fit {what} in 2024-01-15, 2024-09-01; {ADVICE}"
    assert find(schema, "x-removed: 2025-06-01", RETURNED, tmp_path) == [
        ("response-without-way-down", message)
    ]
    assert find(schema, "x-added: 2025-06-01", RETURNED, tmp_path) == []


@cases("gate", ["x-added: 2025-06-01", "x-removed: 2025-06-01"])
@cases("method", [SENT, RETURNED])
@cases("schema", FREE)
def test_gated_schema_that_limits_nothing_else_is_served(
    schema: str, method: str, gate: str, tmp_path: Path
) -> None:
    assert find(schema, gate, method, tmp_path) == []
