"""A schema that extends a discriminated one is a variant wherever its parent is used."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

import pytest
from support.parents import (
    AUTHORED,
    CASES,
    OLD,
    POSITIONS,
    SPELLINGS,
    TABLE,
    Schema,
    api,
    document,
    extending,
    make_converter,
    pet,
    ref,
)
from support.sources import problems
from support.tables import cases

from dateline.check.servable import check_servable
from dateline.diff import diff
from dateline.diff.documents import ChangeSurvey, DocumentIndex, Texts
from dateline.project import Projector
from dateline.rules import judge
from dateline_runtime.values import UnfitError


def list_reported(before: Schema, after: Schema) -> list[str]:
    return [
        f"{change.kind} {change.after_pointer or change.before_pointer} {change.direction} "
        f"{', '.join(change.operations)}: {judge(change, 'dated-contract', {})[1]}"
        for change in diff(before, after)
        if change.operations
    ]


@cases(("spelling", "position"), CASES)
def test_new_heir_is_a_new_variant_in_responses(spelling: str, position: str) -> None:
    after = SPELLINGS[spelling]()
    before = {name: schema for name, schema in after.items() if name != "Dog"}
    body = POSITIONS[position][0]
    older, newer = document(before, body, "response"), document(after, body, "response")
    said = "/components/schemas/Dog response POST /pets: gated"
    assert list_reported(older, newer) == [f"variant-added {said}"]
    assert list_reported(newer, older) == [f"variant-removed {said}"]


@cases(("spelling", "position"), CASES)
def test_field_of_an_heir_is_part_of_messages_with_its_parent(spelling: str, position: str) -> None:
    before = SPELLINGS[spelling]()
    after = copy.deepcopy(before)
    after["Dog"]["allOf"].append({"properties": {"age": {"type": "integer"}}})
    at = f"/components/schemas/Dog/allOf/{len(after['Dog']['allOf']) - 1}/properties/age"
    body = POSITIONS[position][0]
    for way, verdict in (("request", "gated"), ("response", "additive"), ("both", "gated")):
        older, newer = document(before, body, way), document(after, body, way)
        assert list_reported(older, newer) == [f"field-added {at} {way} POST /pets: {verdict}"]


def test_heir_of_a_schema_without_a_discriminator_is_unrelated() -> None:
    base = {key: value for key, value in pet().items() if key != "discriminator"}
    before = {"Pet": base}
    after = {"Pet": base, "Dog": extending("Pet", "bark")}
    assert list_reported(document(before, ref("Pet")), document(after, ref("Pet"))) == []


def test_sibling_is_no_variant_where_an_heir_is_used() -> None:
    before = {"Pet": pet(), "Cat": extending("Pet", "claws")}
    after = {**before, "Dog": extending("Pet", "bark")}
    assert list_reported(document(before, ref("Cat")), document(after, ref("Cat"))) == []


@cases(("section", "count"), [("schemas", 2), ("parameters", 1)])
def test_heirs_are_relevant_to_a_changed_parent_and_not_to_its_namesake(
    section: str, count: int
) -> None:
    root = {"components": {"schemas": {"Pet": pet(), "Cat": extending("Pet", "claws")}}}
    changed = copy.deepcopy(root)
    changed["components"].setdefault(section, {})["Pet"] = {**pet(), "description": "a pet"}
    texts = Texts(root)
    survey = ChangeSurvey(DocumentIndex(root, texts), DocumentIndex(changed, texts))
    assert len(survey.list_relevant()) == count


MAPPED: Final = "/components/schemas/Pet/discriminator"


@cases("body", ["Pet", "Cat"])
@cases(
    ("before", "after", "said"),
    [
        ({"cat": "Cat"}, {"kitty": "Cat"}, f"keyword-changed {MAPPED}/mapping/kitty"),
        ({}, {"cat": ref("Cat")["$ref"]}, f"keyword-changed {MAPPED}/mapping/cat"),
        ({"cat": "Cat"}, {}, f"keyword-changed {MAPPED}"),
        ({}, {"Cat": "Cat"}, None),
        ({"cat": "Cat"}, {"cat": ref("Cat")["$ref"]}, None),
    ],
)
def test_tag_is_mapped_or_the_name_of_the_heir(
    before: Schema, after: Schema, said: str | None, body: str
) -> None:
    def mapped(mapping: Schema) -> Schema:
        tags = {"propertyName": "kind", **({"mapping": mapping} if mapping else {})}
        return document(
            {"Pet": pet(discriminator=tags), "Cat": extending("Pet", "claws")}, ref(body)
        )

    expected = [f"{said} both POST /pets: gated"] if said else []
    assert list_reported(mapped(before), mapped(after)) == expected


def test_renamed_heir_has_another_tag() -> None:
    before = {"Pet": pet(), "Cat": extending("Pet", "claws")}
    after = {"Pet": pet(), "Feline": extending("Pet", "claws")}
    assert list_reported(document(before, ref("Pet")), document(after, ref("Pet"))) == [
        f"keyword-changed {MAPPED} both POST /pets: gated"
    ]


@cases(("spelling", "position"), AUTHORED)
def test_gated_heir_is_hidden_from_older_callers(
    spelling: str, position: str, tmp_path: Path
) -> None:
    body, filled, empty = POSITIONS[position]
    made = api(tmp_path, SPELLINGS[spelling](**{"x-added": "next"}), body)
    assert list(check_servable(made)) == []
    schemas = Projector(made).contract(OLD, "production").document["components"]["schemas"]
    assert "Dog" not in schemas
    assert "Pet" in schemas
    down = make_converter(made, "down")
    assert down(filled({"kind": "Dog", "bark": "loud"})) == empty
    known = filled({"kind": "Hamster", "wheel": "round"})
    assert down(known) == known
    with pytest.raises(UnfitError):
        make_converter(made, "up")(filled({"kind": "Dog", "bark": "loud"}))


@cases(("spelling", "position"), AUTHORED)
def test_gated_field_of_an_heir_is_hidden_from_older_callers(
    spelling: str, position: str, tmp_path: Path
) -> None:
    body, filled, _ = POSITIONS[position]
    schemas = SPELLINGS[spelling]()
    age = {"age": {"type": "integer", "x-added": "next"}}
    schemas["Dog"]["allOf"].append({"type": "object", "properties": age})
    made = api(tmp_path, schemas, body)
    down = make_converter(made, "down")
    assert down(filled({"kind": "Dog", "age": 3, "bark": "loud"})) == filled(
        {"kind": "Dog", "bark": "loud"}
    )


@pytest.mark.parametrize("mapping", [{}, {"mapping": {"dog": "Dog"}}])
def test_example_does_not_show_a_gated_heir_to_older_callers(
    mapping: Schema, tmp_path: Path
) -> None:
    tags = {"propertyName": "kind", **mapping}
    shown = {"kind": "dog" if mapping else "Dog", "bark": "loud"}
    schemas = {
        "Pet": pet(discriminator=tags, examples=[{"kind": "Pet"}, shown]),
        "Dog": extending("Pet", "bark", **{"x-added": "next"}),
    }
    text = json.dumps(document(schemas, {"type": "array", "items": ref("Pet")}))
    (said,) = problems(tmp_path, {"versions.yaml": TABLE, "api.yaml": text})
    assert "reference-outlives-target: Pet.examples.1 is shown in 2024-01-15, where Dog" in said


def test_gated_heir_in_a_required_place_needs_a_substitute(tmp_path: Path) -> None:
    body = {"type": "object", "required": ["pet"], "properties": {"pet": ref("Pet")}}
    gated = extending("Pet", "bark", **{"x-added": "next"})
    made = api(tmp_path, {"Pet": pet(), "Dog": gated}, body)
    assert [
        f"{each.rule} {each.after_pointer}: {each.message}" for each in check_servable(made)
    ] == [
        f"member-without-substitute /components/schemas/Dog: Pet: Dog is absent in {OLD}, and "
        "POST /pets is required and single-valued"
    ]
    gated["x-shown-as"] = {"kind": "Pet", "name": "a dog"}
    made = api(tmp_path / "other", {"Pet": pet(), "Dog": gated}, body)
    assert list(check_servable(made)) == []
    assert make_converter(made, "down")({"pet": {"kind": "Dog", "bark": "loud"}}) == {
        "pet": {"kind": "Pet", "name": "a dog"}
    }


def test_gated_heir_needs_no_substitute_where_its_sibling_is_used(tmp_path: Path) -> None:
    gated = extending("Pet", "bark", **{"x-added": "next"})
    schemas = {"Pet": pet(), "Cat": extending("Pet", "claws"), "Dog": gated}
    assert list(check_servable(api(tmp_path, schemas, ref("Cat")))) == []


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"kind": "Pet"}, []),
        ({"kind": "Dog"}, [f"'Dog' is the tag of Dog, which is absent in {OLD} too"]),
        ({"kind": "Wolf"}, [f"'Wolf' is the tag of Wolf, which is absent in {OLD} too"]),
        ("a dog", ["no Pet: "]),
    ],
)
def test_substitute_must_be_an_heir_that_older_callers_know(
    value: Any, said: list[str], tmp_path: Path
) -> None:
    schemas = {
        "Pet": pet(),
        "Dog": extending("Pet", "bark", **{"x-added": "next", "x-shown-as": value}),
        "Wolf": extending("Pet", "howl", **{"x-added": "next", "x-shown-as": {"kind": "Pet"}}),
    }
    text = json.dumps(document(schemas, ref("Pet")))
    found = problems(tmp_path, {"versions.yaml": TABLE, "api.yaml": text})
    assert len(found) == len(said)
    assert all(f"shown-as-invalid: {each}" in one for each, one in zip(said, found, strict=True))


def test_substitute_is_only_allowed_on_a_schema_with_a_tag(tmp_path: Path) -> None:
    base = {key: value for key, value in pet().items() if key != "discriminator"}
    gated = extending("Pet", "bark", **{"x-added": "next", "x-shown-as": {"kind": "Pet"}})
    text = json.dumps(document({"Pet": base, "Dog": gated}, ref("Dog")))
    found = problems(tmp_path, {"versions.yaml": TABLE, "api.yaml": text})
    assert any("misplaced-annotation: `x-shown-as`" in one for one in found)
