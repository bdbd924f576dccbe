"""Names of converters: from the component and field, or as the definitions set them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sources import API, VERSIONS, loaded, problems
from support.tables import cases

from dateline.demands import DemandedConverter, list_demands
from dateline.model import SourceError
from dateline.project import project

PATHS = """
paths:
  /people:
    get:
      operationId: listPeople
      tags: [Loans]
      responses:
        '200':
          description: people
          content: { application/json: { schema: { $ref: '#/components/schemas/Household' } } }
"""
FIELDS = """
type: object
required: [first, last]
properties: { first: { type: string }, last: { type: string } }
x-was: { next: { in-place-of: [first, last], NAMED properties: { name: { type: string } } } }
"""


def indent(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.strip().splitlines())


def component(named: str = "") -> str:
    return f"    Person:\n{indent(FIELDS.replace('NAMED', named), 6)}"


def household(*people: str) -> str:
    """Return the definitions of an object with a field for each of *people*, a schema."""
    fields = "".join(
        f"        person{number}:\n{indent(each, 10)}" for number, each in enumerate(people)
    )
    return (
        f"components:\n  schemas:\n    Household:\n      type: object\n      properties:\n{fields}"
    )


REFERENCE = "$ref: '#/components/schemas/Person'"


def methods(demands: list[DemandedConverter]) -> list[str]:
    return [each.partition("(")[0] for one in demands for each in one.signatures]


def list_converters(folder: Path, *files: str, **more: str) -> list[DemandedConverter]:
    numbered = {f"{number}.yaml": text for number, text in enumerate(files)}
    named = {name.replace("_", "."): text for name, text in more.items()}
    return list_demands(
        loaded(folder, {"versions.yaml": VERSIONS, "api.yaml": API + PATHS, **numbered, **named})
    )


def test_name_survives_moving_a_schema_to_another_file(tmp_path: Path) -> None:
    whole = list_converters(tmp_path / "whole", household(REFERENCE) + component())
    assert methods(whole) == ["older_person"]
    parts = list_converters(
        tmp_path / "parts",
        household(REFERENCE),
        f"components:\n  schemas:\n{component()}",
    )
    file = list_converters(
        tmp_path / "file", household("$ref: Person.yaml"), Person_yaml=FIELDS.replace("NAMED", "")
    )
    for other in (parts, file):
        assert [(each.name, each.signatures) for each in other] == [
            (each.name, each.signatures) for each in whole
        ]


def test_explicit_name_survives_inlining_the_schema(tmp_path: Path) -> None:
    inlined = FIELDS.replace("NAMED", "converter: full_name,")
    by_reference = list_converters(
        tmp_path / "reference", household(REFERENCE, REFERENCE) + component("converter: full_name,")
    )
    once = list_converters(
        tmp_path / "once", household(inlined, REFERENCE) + component("converter: full_name,")
    )
    twice = list_converters(tmp_path / "twice", household(inlined, inlined))
    for found in (by_reference, once, twice):
        assert [(each.name, each.before, each.signatures) for each in found] == [
            (
                "full_name",
                "next",
                (
                    "older_full_name(value: converted.FullNameNewer) -> "
                    "converted.FullNameOlderFields",
                ),
            )
        ]


def test_default_name_comes_from_the_place(tmp_path: Path) -> None:
    inlined = FIELDS.replace("NAMED", "")
    found = list_converters(tmp_path, household(inlined, inlined))
    assert methods(found) == ["older_household_person0", "older_household_person1"]


def test_one_name_for_different_conversions_is_refused(tmp_path: Path) -> None:
    inlined = FIELDS.replace("NAMED", "converter: full_name,")
    other = inlined.replace("name: {", "called: {")
    with pytest.raises(SourceError, match="converter-name-taken: another converter is called"):
        list_converters(tmp_path, household(inlined, other))


DEFECTS = {
    "in-place-of: [first, lost], properties: { name: {} }": (
        "replaced-unknown: there is no property 'lost' that took the place of another; did you "
        "mean 'last'?"
    ),
    "in-place-of: [first]": "replaced-by-nothing: `in-place-of` names the properties that took",
    "in-place-of: [], properties: { name: {} }": "replaced-by-nothing: `in-place-of` names",
    "in-place-of: [first], properties: { last: { type: integer } }": (
        "rename-collision: 'last' is a property after that, too; name it in `in-place-of`"
    ),
    "in-place-of: first, properties: { name: {} }": "wrong-type: 'first' where a list of texts",
    "in-place-of: [3], properties: { name: {} }": "wrong-type: the number 3 in a list of texts",
    "in-place-of: [first], properties: { name: {} }, required: [lost]": (
        "required-unknown: 'lost' is required but is not a property"
    ),
    "converter: FullName, type: string": "converter-name: 'FullName' is not a name for a method",
    "converter: 3, type: string": "wrong-type: the number 3 where text belongs",
}


@cases("entry", DEFECTS)
def test_invalid_entry_is_reported_with_its_place(entry: str, tmp_path: Path) -> None:
    schema = "properties: { first: { type: string }, last: { type: string } }"
    text = f"{{ type: object, {schema}, x-was: {{ next: {{ {entry} }} }} }}"
    source = f"components:\n  schemas:\n    Household: {text}\n"
    found = problems(
        tmp_path, {"versions.yaml": VERSIONS, "api.yaml": API + PATHS, "it.yaml": source}
    )
    assert any(DEFECTS[entry] in line and "it.yaml:3:" in line for line in found), found


@cases(
    ("fields", "entry", "required"),
    [
        ("required: [first, last]", "", ["name"]),
        ("required: [first]", "", None),
        ("required: [first, last]", "required: [],", None),
        ("required: [id, last]", "", ["id"]),
        ("required: [id, last]", "required: [name],", ["id", "name"]),
        ("minProperties: 1", "", None),
    ],
)
def test_older_properties_are_required_if_all_their_replacements_are(
    fields: str, entry: str, required: list[str] | None, tmp_path: Path
) -> None:
    text = FIELDS.replace("required: [first, last]", fields).replace("NAMED", entry)
    text = text.replace("properties: { first", "properties: { id: { type: string }, first")
    files = {"versions.yaml": VERSIONS, "api.yaml": API + PATHS, "it.yaml": household(text)}
    document = project(loaded(tmp_path, files), "2024-01-15", "production").document
    found = document["components"]["schemas"]["Household"]["properties"]["person0"]
    assert (list(found["properties"]), found.get("required")) == (["id", "name"], required)
