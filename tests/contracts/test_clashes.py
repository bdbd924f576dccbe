"""Schemas of one value that rename or convert the same field, alike or in different ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.sources import VERSIONS
from support.tables import cases
from support.thing_sources import api

from dateline.contracts import contract_data

PATHS = """\
paths:
  /things:
    put:
      operationId: putThing
      tags: [Loans]
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
      responses:
        '200':
          description: a thing
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
components:
  schemas:
    Part: PART
    Thing: THING
"""

OLD, NEW = "2024-09-01", "2025-06-01"
LINKS = (
    "{ allOf: [{ $ref: '#/components/schemas/Part' }, OWN] }",
    "{ allOf: [OWN, { $ref: '#/components/schemas/Part' }] }",
    "{ type: object, allOf: [{ allOf: [{ $ref: '#/components/schemas/Part' }] }], BESIDE }",
    "{ type: object, BESIDE, anyOf: [{ $ref: '#/components/schemas/Part' }] }",
    "{ type: object, BESIDE, oneOf: [{ oneOf: [{ $ref: '#/components/schemas/Part' }] }] }",
)


def describe(part: str, own: str, link: str, folder: Path) -> dict[str, Any]:
    """Return the contract data of a `Thing` that has *part*, and its *own* keywords beside it."""
    thing = link.replace("OWN", f"{{ type: object, {own} }}").replace("BESIDE", own)
    text = PATHS.replace("PART", f"{{ type: object, {part} }}").replace("THING", thing)
    return contract_data(api(folder, text, VERSIONS)).data


def rename(name: str, date: str) -> str:
    return f"properties: {{ a: {{ type: string, x-was: {{ {date}: {{ name: {name} }} }} }} }}"


def replaced(name: str, date: str, field: str = "a") -> str:
    was = f"{{ in-place-of: [{field}], properties: {{ {name}: {{ type: string }} }} }}"
    now = f"required: [{field}], properties: {{ {field}: {{ type: integer }} }}"
    return f"{now}, x-was: {{ {date}: {was} }}"


def converted(date: str, more: str = "") -> str:
    was = f"{{ {date}: {{ type: string{more} }} }}"
    return f"properties: {{ a: {{ type: integer, x-was: {was} }} }}"


CLASHES = {
    "two names": (rename("b", OLD), rename("c", NEW), "`a`"),
    "two names at one date": (rename("b", NEW), rename("c", NEW), "`a`"),
    "a name and none": (rename("b", NEW), "properties: { a: { maxLength: 5 } }", "`a`"),
    "the name of another field": (
        rename("b", NEW),
        "required: [b], properties: { b: { type: string } }",
        "`a` and what the schemas of `allOf` make of `b`",
    ),
    "two replacements": (replaced("b", OLD), replaced("c", NEW), "`a`"),
    "a replaced field": (replaced("b", NEW), "properties: { a: { minimum: 5 } }", "`a`"),
    "the field before": (replaced("b", NEW), "properties: { b: { type: string } }", "`b`"),
}
APART = {
    "one name": (rename("b", NEW), rename("b", NEW), []),
    "other fields": (replaced("b", OLD), replaced("d", NEW, "c"), ["Part", "Thing"]),
    "another field": (replaced("b", OLD), "properties: { c: { type: string } }", ["Part"]),
    "a field that came with it": (
        replaced("b", NEW),
        f"properties: {{ a: {{ minimum: 5, x-added: {NEW} }} }}",
        ["Part"],
    ),
}


@cases("link", LINKS)
@cases("clash", CLASHES)
def test_different_histories_of_one_field_need_a_converter_of_the_whole_value(
    clash: str, link: str, tmp_path: Path
) -> None:
    part, own, fields = CLASHES[clash]
    reason = f"what the schemas of `allOf` make of {fields} differs between versions"
    for at, both in enumerate([(part, own), (own, part)]):
        folder = tmp_path / str(at)
        folder.mkdir()
        found = describe(*both, link, folder)["converters"].values()
        # at some versions, only a member of a union may have converters: that is another value
        assert {
            (each["place"], each.get("reason"), each["down"], each["up"]) for each in found
        } == {("Thing", reason, True, True)}


@cases("link", LINKS)
@cases("case", APART)
def test_histories_of_different_fields_are_served_one_by_one(
    case: str, link: str, tmp_path: Path
) -> None:
    part, own, names = APART[case]
    found = describe(part, own, link, tmp_path)["converters"]
    assert [[each["place"], "reason" in each] for each in found.values()] == [
        [name, False] for name in names
    ]


@cases("link", LINKS)
@cases("more", ["", ", converter: cents"])
def test_equal_histories_of_one_field_convert_it_once(link: str, more: str, tmp_path: Path) -> None:
    both = converted(NEW, more)
    found = describe(both, both, link, tmp_path)
    [name] = found["converters"]
    for way in ("down", "up"):
        thing = found[way]["shapes"]["Thing"][0]["shape"]
        assert thing["fields"]["a"]["convert"] == [name]


@cases("link", LINKS[:2])
def test_schema_that_a_value_has_twice_is_converted_once(link: str, tmp_path: Path) -> None:
    part = replaced("b", NEW)
    again = "allOf: [{ $ref: '#/components/schemas/Part' }]"
    found = describe(part, again, link, tmp_path)
    assert [*found["converters"]] == ["Part"]
