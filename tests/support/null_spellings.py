"""Every spelling of null in OpenAPI 3.0, with values that fit it and values that don't."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
TEXT_OR_NULL: Final[Schema] = {"type": "string", "nullable": True}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


COMPONENTS: Final[dict[str, Schema]] = {
    "Text": TEXT,
    "TextOrNull": TEXT_OR_NULL,
    "Listed": {"type": "string", "enum": ["a", "b", None]},
    "Part": {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}},
    "PartOrNull": {
        "type": "object",
        "nullable": True,
        "required": ["x"],
        "properties": {"x": {"type": "integer"}},
    },
}


class Spelling(NamedTuple):
    """A schema, a value that fits it, one that doesn't, and whether it accepts null.

    ``departs`` is true where OpenAPI 3.0.4, read literally, refuses null.
    """

    schema: Schema
    valid: Any
    invalid: Any
    null: bool = True
    departs: bool = False


PART: Final = {"x": 1}
SPELLINGS: Final = {
    "type": Spelling(TEXT_OR_NULL, "a", 5),
    "integer": Spelling(
        {"type": "integer", "nullable": True, "minimum": 1, "exclusiveMinimum": True}, 2, 1
    ),
    "bounded": Spelling({"type": "integer", "nullable": True, "format": "int32"}, 2, "a"),
    "object": Spelling(COMPONENTS["PartOrNull"], PART, {"x": "a"}),
    "array": Spelling({"type": "array", "nullable": True, "items": TEXT}, ["a"], [1]),
    "map": Spelling(
        {"type": "object", "nullable": True, "additionalProperties": TEXT}, {"a": "a"}, {"a": 1}
    ),
    "anything": Spelling({"nullable": True}, "a", ...),
    "enum": Spelling({"type": "string", "nullable": True, "enum": ["a", None]}, "a", "b"),
    "enum_null": Spelling({"type": "string", "enum": ["a", None]}, "a", "b", departs=True),
    "enum_not_nullable": Spelling(
        {"type": "string", "nullable": False, "enum": ["a", None]}, "a", "b", departs=True
    ),
    "enum_untyped_null": Spelling({"enum": ["a", None]}, "a", "b"),
    "enum_nullable": Spelling(
        {"type": "string", "nullable": True, "enum": ["a", "c"]}, "a", "b", departs=True
    ),
    "enum_untyped_nullable": Spelling({"nullable": True, "enum": ["a"]}, "a", "b", departs=True),
    "enum_beside_base": Spelling(
        {"enum": ["a", None], "allOf": [ref("Text")]}, "a", "b", departs=True
    ),
    "reference": Spelling({**ref("Text"), "nullable": True}, "a", 5, departs=True),
    "reference_object": Spelling({**ref("Part"), "nullable": True}, PART, {}, departs=True),
    "base": Spelling({"nullable": True, "allOf": [ref("Text")]}, "a", 5, departs=True),
    "base_object": Spelling({"nullable": True, "allOf": [ref("Part")]}, PART, {}, departs=True),
    "typed_base": Spelling(
        {"type": "object", "nullable": True, "allOf": [ref("Part")]}, PART, {}, departs=True
    ),
    "two_bases": Spelling(
        {
            "nullable": True,
            "allOf": [ref("Part"), {"type": "object", "properties": {"y": TEXT}}],
        },
        {"x": 1, "y": "a"},
        {"x": 1, "y": 5},
        departs=True,
    ),
    "one_of": Spelling(
        {"nullable": True, "oneOf": [ref("Text"), ref("Part")]}, PART, 5, departs=True
    ),
    "any_of": Spelling(
        {"nullable": True, "anyOf": [ref("Part"), {"type": "integer"}]}, 5, "a", departs=True
    ),
    "any_of_one": Spelling({"nullable": True, "anyOf": [ref("Part")]}, PART, "a", departs=True),
    "referenced": Spelling(ref("TextOrNull"), "a", 5),
    "referenced_object": Spelling(ref("PartOrNull"), PART, {}),
    "referenced_enum": Spelling(ref("Listed"), "a", "c"),
    "base_nullable": Spelling({"allOf": [ref("TextOrNull")]}, "a", 5),
    "base_object_nullable": Spelling({"allOf": [ref("PartOrNull")]}, PART, {}),
    "base_inline": Spelling({"allOf": [{"type": "integer", "nullable": True}]}, 5, "a"),
    "member": Spelling({"oneOf": [ref("TextOrNull"), {"type": "integer"}]}, 5, 1.5),
    "member_object": Spelling({"anyOf": [ref("PartOrNull"), {"type": "integer"}]}, PART, "a"),
    "member_enum": Spelling({"anyOf": [{"type": "integer"}, {"enum": [None]}]}, 5, "a"),
    # null is refused
    "plain": Spelling(TEXT, "a", 5, null=False),
    "not_nullable": Spelling({"type": "string", "nullable": False}, "a", 5, null=False),
    "reference_alone": Spelling(ref("Text"), "a", 5, null=False),
    "hidden_sibling": Spelling({**ref("Text"), "maxLength": 1}, "abc", 5, null=False),
    "hidden_enum": Spelling({**ref("Text"), "enum": ["a", None]}, "b", 5, null=False),
    "another_base": Spelling(
        {"allOf": [ref("TextOrNull"), {"type": "string", "maxLength": 3}]}, "a", 5, null=False
    ),
    "typed_around": Spelling({"type": "string", "allOf": [ref("TextOrNull")]}, "a", 5, null=False),
    "several_members": Spelling(
        {"oneOf": [ref("TextOrNull"), {"type": "integer", "nullable": True}]}, 5, 1.5, departs=True
    ),
    "several_members_by_enum": Spelling(
        {"oneOf": [ref("Listed"), ref("PartOrNull"), {"type": "integer"}]}, PART, "c", departs=True
    ),
    "several_nested": Spelling(
        {"oneOf": [{"anyOf": [ref("TextOrNull"), ref("Part")]}, {"enum": [5, None]}]},
        PART,
        1.5,
        departs=True,
    ),
    "no_member": Spelling({"oneOf": [ref("Text"), {"type": "integer"}]}, "a", 1.5, null=False),
}


def instances(spelling: Spelling) -> list[tuple[Any, bool]]:
    """Return values, each with whether it fits."""
    made = [(None, spelling.null), (spelling.valid, True)]
    return made if spelling.invalid is ... else [*made, (spelling.invalid, False)]


POSITIONS: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "field": (lambda schema: schema, lambda value: value),
    "items": (lambda schema: {"type": "array", "items": schema}, lambda value: [value]),
    "map": (
        lambda schema: {"type": "object", "additionalProperties": schema},
        lambda value: {"k": value},
    ),
}
"""Places of a schema within another one, and of its values"""
