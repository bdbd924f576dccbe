"""A `oneOf` of OpenAPI 3.0 accepts null that several members allow only if one of them names it."""

from __future__ import annotations

from itertools import product
from typing import Any

from support.tables import cases

from dateline.sample.document import SampledDocument

# The possible members: whether null is valid for each, and whether it names null.
MEMBERS: dict[str, tuple[Any, bool, bool]] = {
    "untyped": ({"required": ["a"]}, True, False),
    "anything": ({}, True, False),
    "untyped_all": ({"allOf": [{"required": ["a"]}]}, True, False),
    "untyped_union": ({"anyOf": [{"required": ["a"]}, {"type": "string"}]}, True, False),
    "referred": ({"$ref": "#/components/schemas/Untyped"}, True, False),
    "circular": ({"$ref": "#/components/schemas/Circle"}, True, False),
    "object": ({"type": "object"}, False, False),
    "enum": ({"enum": ["a"]}, False, False),
    "nullable": ({"type": "object", "nullable": True}, True, True),
    "listed": ({"enum": ["a", None]}, True, True),
    "typed_enum": ({"type": "string", "enum": ["a", None]}, True, True),
    "nullable_referred": ({"$ref": "#/components/schemas/Nullable"}, True, True),
    "nullable_all": ({"allOf": [{"$ref": "#/components/schemas/Nullable"}]}, True, True),
    "nullable_union": ({"anyOf": [{"type": "string", "nullable": True}, {}]}, True, True),
}
SCHEMAS = {
    "Untyped": {"properties": {"a": {"type": "string"}}, "required": ["a"]},
    "Nullable": {"type": "object", "nullable": True},
    "Circle": {"anyOf": [{"$ref": "#/components/schemas/Circle"}, {"required": ["b"]}]},
}


@cases(("first", "second"), [*product(MEMBERS, MEMBERS)])
def test_null_in_a_union_of_two_members(first: str, second: str) -> None:
    members = [MEMBERS[name] for name in (first, second)]
    union = {"oneOf": [schema for schema, _, _ in members]}
    allowed = sum(is_valid for _, is_valid, _ in members)
    is_named = any(names for _, _, names in members)
    document = {
        "openapi": "3.0.3",
        "info": {"title": "Null", "version": "1"},
        "paths": {},
        "components": {"schemas": {**SCHEMAS, "Union": union}},
    }
    sampled = SampledDocument(document)
    reference = ({"$ref": "#/components/schemas/Union"},)
    assert sampled.fits(reference, None) is (allowed == 1 or (allowed == 2 and is_named))
