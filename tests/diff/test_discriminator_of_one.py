"""The discriminator of a union with one member matters on the wire, as in any other union."""

from __future__ import annotations

import copy
from typing import Any, Final

import pytest
from support.tables import cases

from dateline.diff import diff
from dateline.model import Direction

Schema = dict[str, Any]

CAT, DOG = ({"$ref": f"#/components/schemas/{name}"} for name in ("Cat", "Dog"))
NULLS: Final[dict[str, list[Schema]]] = {"alone": [], "beside null": [{"type": "null"}]}
TAGGED: Final = {"propertyName": "kind", "mapping": {"c": "Cat"}}

# The new discriminator, and the keyword that changed.
CHANGED: Final[dict[str, tuple[Any, str]]] = {
    "another tag": ({"propertyName": "kind", "mapping": {"cat": "Cat"}}, "mapping"),
    "one more tag": ({"propertyName": "kind", "mapping": {"c": "Cat", "k": "Cat"}}, "mapping"),
    "no tag": ({"propertyName": "kind"}, "mapping"),
    "another property": ({"propertyName": "form", "mapping": {"c": "Cat"}}, "discriminator"),
    "nothing": (None, "discriminator"),
}
SAME: Final[dict[str, Schema]] = {
    "a reference": {"propertyName": "kind", "mapping": {"c": "#/components/schemas/Cat"}},
    "another order": {"mapping": {"c": "Cat"}, "propertyName": "kind"},
}


def document(keyword: str, members: list[Schema], discriminator: Any) -> Schema:
    text = {"type": "string"}
    record = {
        "type": "object",
        "required": ["kind", "form"],
        "properties": {"kind": text, "form": text},
    }
    union: Schema = {keyword: copy.deepcopy(members)}
    if discriminator is not None:
        union["discriminator"] = copy.deepcopy(discriminator)
    body = {"content": {"application/json": {"schema": {"type": "array", "items": union}}}}
    answer = {"200": {"description": "pets", **body}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "1"},
        "paths": {"/pets": {"put": {"requestBody": body, "responses": answer}}},
        "components": {"schemas": {"Cat": record, "Dog": {**record, "minProperties": 3}}},
    }


def list_findings(before: Schema, after: Schema) -> list[tuple[str, Direction, Any, Any]]:
    return [
        (change.keyword, change.direction, change.before, change.after)
        for change in diff(before, after)
        if change.keyword in ("mapping", "discriminator")
    ]


@cases("null", NULLS)
@cases("keyword", ["oneOf", "anyOf"])
@cases("case", CHANGED)
def test_changed_discriminator_is_found(case: str, keyword: str, null: str) -> None:
    members = [CAT, *NULLS[null]]
    changed, said = CHANGED[case]
    plain, other = (document(keyword, members, each) for each in (TAGGED, changed))
    for both in ((plain, other), (other, plain)):
        assert {(name, way) for name, way, _, _ in list_findings(*both)} == {(said, Direction.BOTH)}


@cases("null", NULLS)
@cases("keyword", ["oneOf", "anyOf"])
@cases("case", SAME)
def test_equivalent_discriminator_is_no_change(case: str, keyword: str, null: str) -> None:
    members = [CAT, *NULLS[null]]
    plain, other = (document(keyword, members, each) for each in (TAGGED, SAME[case]))
    assert diff(plain, other) == diff(other, plain) == []


@cases("null", NULLS)
@cases("keyword", ["oneOf", "anyOf"])
@cases("tag", ["c", "cat"])
def test_tag_is_compared_when_a_member_is_added(tag: str, keyword: str, null: str) -> None:
    alone = document(keyword, [CAT, *NULLS[null]], TAGGED)
    mapping = {tag: "Cat", "d": "Dog"}
    several = document(keyword, [CAT, DOG, *NULLS[null]], {**TAGGED, "mapping": mapping})
    changed = [("mapping", Direction.BOTH, "c", tag)] if tag != "c" else []
    assert list_findings(alone, several) == changed
    assert list_findings(several, alone) == [
        (name, way, after, before) for name, way, before, after in changed
    ]


@pytest.mark.parametrize("entry", ["c", "{c}", "a } b", '{"c":"'])
def test_target_of_a_mapping_is_reached_whatever_the_tags_are(entry: str) -> None:
    mapping = {entry: "Dog", "a": "Cat"}
    before = document("anyOf", [CAT, {"type": "null"}], {**TAGGED, "mapping": mapping})
    after = copy.deepcopy(before)
    after["components"]["schemas"]["Dog"]["minProperties"] = 2
    [change] = diff(before, after)
    assert (change.keyword, change.direction) == ("minProperties", Direction.BOTH)
