"""Edits of a schema: some that callers notice, and some that they don't.

For each edit, ``listed`` names the roles for which the list of additive changes includes it; for
all others it needs a version. Edits work in place on plain data, on contracts as well as on
annotated sources. They share no code with the differ.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final, NamedTuple

from support.schema_sites import BODY, MODEL, NEGATED, PARAMETER, RESPONSE, Schema

NAMES: Final = ("id", "name", "state", "note", "tags", "owner", "x1", "amount", "branch")
_WORDS: Final = ("active", "paused", "returned", "lost", "A", "B")
_FORMATS: Final = ("date", "date-time", "uuid")
PATTERNS: Final = ("^L[0-9]+$", "^[a-z]*$", "^LN-[0-9]+$", "^a")
_LOWER: Final = (*("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"),)
_UPPER: Final = (*("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"),)
_BOUNDS: Final = {
    "string": ("minLength", "maxLength"),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}


Change = Callable[[Random, Schema], bool]


class Edit(NamedTuple):
    """A change of one schema object; it returns whether it was applicable.

    ``listed`` contains the roles for which the list of additive changes includes it.
    """

    name: str
    change: Change
    listed: frozenset[str]


_EVERYWHERE: Final = frozenset({PARAMETER, BODY, RESPONSE, MODEL, NEGATED})
_READ: Final = frozenset({RESPONSE, MODEL})
_LOOSENED: Final = frozenset({PARAMETER})
_NOWHERE: Final[frozenset[str]] = frozenset()

EDITS: Final[list[Edit]] = []
"""Every edit of a schema that callers may notice."""

NOTES: Final[list[Edit]] = []
"""Every edit of a schema that says nothing about values."""


def _edit(listed: frozenset[str], home: list[Edit] = EDITS) -> Callable[[Change], Change]:
    def register(change: Change) -> Change:
        home.append(Edit(change.__name__.strip("_").replace("_", " "), change, listed))
        return change

    return register


def scalar(random: Random) -> Schema:
    """Return a schema of one scalar."""
    kind = random.choice(("string", "integer", "boolean", "string", "number", "enum", "open"))
    if kind == "enum":
        return {"type": "string", "enum": random.sample(_WORDS, random.randint(1, 3))}
    if kind == "open":
        return {"type": "string", "x-extensible-enum": random.sample(_WORDS, 2)}
    made: Schema = {"type": kind}
    if kind != "boolean" and random.random() < 0.4:
        key = random.choice(_BOUNDS[kind])
        made[key] = random.randint(1, 4) if key in _LOWER else random.randint(5, 12)
    elif kind == "string" and random.random() < 0.3:
        made["format"] = random.choice(_FORMATS)
    return made


def _is_object(node: Schema) -> bool:
    return "$ref" not in node and ("properties" in node or node.get("type") == "object")


def _new_name(random: Random, node: Schema) -> str | None:
    left = [name for name in (*NAMES, "shelf") if name not in node.get("properties", {})]
    return random.choice(left) if left else None


# Fields


@_edit(_READ)
def _optional_field_added(random: Random, node: Schema) -> bool:
    return not _is_closed(node) and _put_field(random, node)


@_edit(_NOWHERE)
def _field_of_a_closed_object_added(random: Random, node: Schema) -> bool:
    return _is_closed(node) and _put_field(random, node)


@_edit(_READ | {BODY, PARAMETER})
def _optional_field_added_that_is_read_only(random: Random, node: Schema) -> bool:
    return not _is_closed(node) and _put_field(random, node, "created", readOnly=True)


@_edit(_READ)
def _optional_field_added_that_is_write_only(random: Random, node: Schema) -> bool:
    return not _is_closed(node) and _put_field(random, node, "secret", writeOnly=True)


def _put_field(random: Random, node: Schema, named: str = "", **reported: Any) -> bool:
    name = named or _new_name(random, node)
    taken = {*node.get("properties", ()), *node.get("required", ())}
    if not _is_object(node) or name is None or name in taken:
        return False
    node.setdefault("properties", {})[name] = {**scalar(random), **reported}
    return True


def _is_closed(node: Schema) -> bool:
    return False in (node.get("additionalProperties"), node.get("unevaluatedProperties"))


@_edit(_NOWHERE)
def _required_field_added(random: Random, node: Schema) -> bool:
    name = _new_name(random, node)
    if not _is_object(node) or name is None or name in node.get("required", []):
        return False
    node.setdefault("properties", {})[name] = scalar(random)
    node["required"] = [*node.get("required", []), name]
    return True


def _fields(node: Schema) -> list[str]:
    """Return the fields of *node*, except a tag and those that it requires itself."""
    return sorted(
        name
        for name, child in node.get("properties", {}).items()
        if "const" not in child and len(child.get("enum", "  ")) > 1
    )


@_edit(_NOWHERE)
def _field_removed(random: Random, node: Schema) -> bool:
    left = _fields(node)
    if not left:
        return False
    name = random.choice(left)
    del node["properties"][name]
    require(node, [each for each in node.get("required", []) if each != name])
    return True


@_edit(_NOWHERE)
def _field_renamed(random: Random, node: Schema) -> bool:
    new = _new_name(random, node)
    left = _fields(node)
    if not left or new is None or new in node.get("required", []):
        return False
    old = random.choice(left)
    node["properties"][new] = node["properties"].pop(old)
    require(node, [new if each == old else each for each in node.get("required", [])])
    return True


def require(node: Schema, names: list[str]) -> None:
    if names:
        node["required"] = names
    else:
        node.pop("required", None)


@_edit(_NOWHERE)
def _field_made_required(random: Random, node: Schema) -> bool:
    left = sorted(node.get("properties", {}).keys() - set(node.get("required", [])))
    if not left:
        return False
    node["required"] = [*node.get("required", []), random.choice(left)]
    return True


@_edit(_LOOSENED)
def _field_made_optional(random: Random, node: Schema) -> bool:
    left = [name for name in _fields(node) if name in node.get("required", [])]
    if not left:
        return False
    gone = random.choice(left)
    require(node, [each for each in node["required"] if each != gone])
    return True


@_edit(_NOWHERE)
def _fields_closed(_random: Random, node: Schema) -> bool:
    if not _is_object(node) or "additionalProperties" in node:
        return False
    node["additionalProperties"] = False
    return True


@_edit(_LOOSENED)
def _fields_opened(_random: Random, node: Schema) -> bool:
    return node.pop("additionalProperties", True) is not True


@_edit(_NOWHERE)
def _field_moved_to_a_part(random: Random, node: Schema) -> bool:
    """Move a field into another part, so that `additionalProperties` doesn't know it any more."""
    if not node.get("properties") or node.get("additionalProperties", True) in (True, {}):
        return False
    name = random.choice(sorted(node["properties"]))
    part = {"type": "object", "properties": {name: node["properties"].pop(name)}}
    node["allOf"] = [*node.get("allOf", []), part]
    return True


# Types and values


@_edit(_NOWHERE)
def _type_changed(random: Random, node: Schema) -> bool:
    kind = node.get("type")
    others = [each for each in ("string", "integer", "boolean") if each != kind]
    if kind not in ("string", "integer", "number", "boolean"):
        return False
    for key in list(node):
        if key not in ("description", "title"):
            del node[key]
    # an integer read as a number is a looser type, and so is a parameter that becomes a string
    left = [each for each in others if (kind, each) != ("number", "integer") and each != "string"]
    node["type"] = random.choice(left)
    return True


@_edit(_LOOSENED)
def _scalar_made_a_text(_random: Random, node: Schema) -> bool:
    if node.get("type") not in ("integer", "number", "boolean") or "default" in node:
        return False
    for key in node.keys() - {"readOnly", "writeOnly"}:
        del node[key]
    node["type"] = "string"
    return True


@_edit(_LOOSENED)
def _integer_made_a_number(_random: Random, node: Schema) -> bool:
    if node.get("type") != "integer" or {"format", "multipleOf"} & node.keys():
        return False
    node["type"] = "number"
    return True


@_edit(_LOOSENED)
def _null_allowed(_random: Random, node: Schema) -> bool:
    if not isinstance(node.get("type"), str) or node["type"] == "null" or "enum" in node:
        return False
    if {"const", "oneOf", "anyOf", "allOf", "$ref", "x-extensible-enum"} & node.keys():
        return False
    node["type"] = [node["type"], "null"]
    return True


@_edit(_NOWHERE)
def _null_forbidden(_random: Random, node: Schema) -> bool:
    kinds = node.get("type")
    if not isinstance(kinds, list) or "null" not in kinds or len(kinds) != 2:
        return False
    node["type"] = next(kind for kind in kinds if kind != "null")
    return True


def constants(node: Schema) -> list[Any] | None:
    members = node.get("oneOf")
    if members and all(isinstance(each, dict) and "const" in each for each in members):
        return list(members)
    return None


@_edit(_NOWHERE)
def _value_added(random: Random, node: Schema) -> bool:
    members = constants(node)
    if members is not None:
        members.insert(random.randint(0, len(members)), {"const": "unheard"})
        node["oneOf"] = members
        return True
    if not isinstance(node.get("enum"), list) or not is_text(node["enum"]):
        return False
    node["enum"] = [*node["enum"]]
    node["enum"].insert(random.randint(0, len(node["enum"])), "unheard")
    return True


def is_text(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


@_edit(_NOWHERE)
def _value_removed(random: Random, node: Schema) -> bool:
    members = constants(node)
    key = "oneOf" if members is not None else "enum"
    values = members if members is not None else node.get("enum")
    if not isinstance(values, list) or len(values) < 2:
        return False
    gone = random.randrange(len(values))
    node[key] = [*values[:gone], *values[gone + 1 :]]
    return True


@_edit(_NOWHERE)
def _enumeration_dropped(_random: Random, node: Schema) -> bool:
    if node.get("type") != "string":
        return False
    return node.pop("enum", None) is not None


@_edit(_NOWHERE)
def _enumeration_made(_random: Random, node: Schema) -> bool:
    if node.get("type") != "string" or len(node.keys() - {"description"}) > 1:
        return False
    node["enum"] = ["active", "paused"]
    return True


@_edit(_NOWHERE)
def _constant_changed(_random: Random, node: Schema) -> bool:
    if not isinstance(node.get("const"), str):
        return False
    node["const"] += "2"
    return True


@_edit(_EVERYWHERE - {NEGATED})
def _open_value_added(random: Random, node: Schema) -> bool:
    if "x-extensible-enum" not in node:
        return False
    node["x-extensible-enum"] = [*node["x-extensible-enum"]]
    at = random.randint(0, len(node["x-extensible-enum"]))
    node["x-extensible-enum"].insert(at, "unheard")
    return examples_follow(node)


@_edit(_NOWHERE)
def _open_value_removed(_random: Random, node: Schema) -> bool:
    if len(node.get("x-extensible-enum", [])) < 2:
        return False
    node["x-extensible-enum"] = node["x-extensible-enum"][1:]
    return examples_follow(node)


def examples_follow(node: Schema) -> bool:
    if "examples" in node:
        node["examples"] = list(node["x-extensible-enum"])
    return True


@_edit(_NOWHERE)
def _open_field_closed(_random: Random, node: Schema) -> bool:
    if "x-extensible-enum" not in node:
        return False
    node.pop("examples", None)
    node["enum"] = node.pop("x-extensible-enum")
    return True


@_edit(_NOWHERE)
def _closed_field_opened(_random: Random, node: Schema) -> bool:
    if not isinstance(node.get("enum"), list) or not is_text(node["enum"]):
        return False
    if node.get("type") != "string":
        return False
    node["x-extensible-enum"] = node.pop("enum")
    return True


# Constraints


def _bound(random: Random, node: Schema, keys: tuple[str, ...]) -> str | None:
    found = [key for key in keys if type(node.get(key)) in (int, float)]
    return random.choice(found) if found else None


@_edit(_LOOSENED)
def _bound_loosened(random: Random, node: Schema) -> bool:
    key = _bound(random, node, (*_LOWER, *_UPPER))
    if key is None or "multipleOf" in node:
        return False
    if key.startswith("min") and key != "minimum" and node[key] == 0:
        return False
    node[key] += -1 if key in _LOWER else 1
    return True


@_edit(_NOWHERE)
def _bound_tightened(random: Random, node: Schema) -> bool:
    key = _bound(random, node, (*_LOWER, *_UPPER))
    if key is None or (key in _UPPER and node[key] < 1):
        return False
    node[key] += 1 if key in _LOWER else -1
    return True


@_edit(_LOOSENED)
def _bound_dropped(random: Random, node: Schema) -> bool:
    key = _bound(random, node, (*_LOWER, *_UPPER))
    return key is not None and node.pop(key) != 0


@_edit(_NOWHERE)
def _bound_made(random: Random, node: Schema) -> bool:
    kind = node.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), None)
    keys = _BOUNDS.get(str(kind), ())
    reported = {"enum", "const", "oneOf", "x-extensible-enum", "format", "additionalProperties"}
    if not keys or {*reported, *keys, "required", "multipleOf"} & node.keys():
        return False  # another bound may have no effect there
    key = random.choice(keys)
    node[key] = 1 if key in _LOWER else 20
    return True


@_edit(_LOOSENED)
def _multiple_of_a_divisor(_random: Random, node: Schema) -> bool:
    if node.get("multipleOf") not in (4, 6):
        return False
    node["multipleOf"] = 2
    return True


@_edit(_NOWHERE)
def _multiple_of_a_multiple(_random: Random, node: Schema) -> bool:
    if node.get("type") not in ("integer", "number") or {"enum", "const"} & node.keys():
        return False
    node["multipleOf"] = node.get("multipleOf", 1) * 3
    return True


@_edit(_NOWHERE)
def _format_made_or_changed(random: Random, node: Schema) -> bool:
    if node.get("type") != "string" or {"enum", "pattern", "x-extensible-enum"} & node.keys():
        return False
    node["format"] = random.choice([each for each in _FORMATS if each != node.get("format")])
    return True


@_edit(_LOOSENED)
def _format_dropped(_random: Random, node: Schema) -> bool:
    return node.pop("format", None) is not None


@_edit(_LOOSENED)
def _integer_widened(_random: Random, node: Schema) -> bool:
    if node.get("format") != "int32":
        return False
    node["format"] = "int64"
    return True


@_edit(_NOWHERE)
def _pattern_made_or_changed(random: Random, node: Schema) -> bool:
    if node.get("type") != "string" or {"enum", "format", "x-extensible-enum"} & node.keys():
        return False
    node["pattern"] = random.choice([each for each in PATTERNS if each != node.get("pattern")])
    return True


@_edit(_LOOSENED)
def _pattern_dropped(_random: Random, node: Schema) -> bool:
    return node.pop("pattern", None) is not None


@_edit(_NOWHERE)
def _items_made_unique(_random: Random, node: Schema) -> bool:
    if node.get("type") != "array" or node.get("uniqueItems") is True:
        return False
    node["uniqueItems"] = True
    return True


@_edit(_LOOSENED)
def _items_may_repeat(_random: Random, node: Schema) -> bool:
    return node.pop("uniqueItems", False) is True


@_edit(_NOWHERE)
def _items_replaced(random: Random, node: Schema) -> bool:
    if node.get("type") != "array" or "items" not in node:
        return False
    before = node["items"]
    node["items"] = {"type": "object", "properties": {"odd": scalar(random)}}
    return bool(before != node["items"])


@_edit(_NOWHERE)
def default_changed(_random: Random, node: Schema) -> bool:
    if {"$ref", "oneOf", "anyOf", "allOf", "pattern", "format", "const"} & node.keys():
        return False
    options: list[Any] = node.get("enum") or {
        "string": ["a" * node.get("minLength", 1)],
        "boolean": [True, False],
        "integer": [node.get("maximum", node.get("minimum", 7))],
    }.get(str(node.get("type")), [])
    left = [value for value in options if value != node.get("default", _NOTHING)]
    if not left:
        return False
    node["default"] = left[0]
    return True


_NOTHING: Final = object()


@_edit(_NOWHERE)
def _default_dropped(_random: Random, node: Schema) -> bool:
    return node.pop("default", None) is not None


@_edit(_NOWHERE)
def _access_changed(random: Random, node: Schema) -> bool:
    if not {"type"} & node.keys() or "readOnly" in node:
        return False
    node[random.choice(("readOnly", "writeOnly"))] = True
    return True


@_edit(_NOWHERE)
def odd_constraint_made(random: Random, node: Schema) -> bool:
    key, value = random.choice(
        [
            ("not", {"required": ["note"]}),
            ("propertyNames", {"maxLength": 4}),
            ("dependentRequired", {"id": ["name"]}),
            ("contains", {"type": "string"}),
            ("unevaluatedProperties", {"type": "string"}),
            ("patternProperties", {"^x": {"type": "integer"}}),
            ("if", {"required": ["id"]}),
            ("minContains", 2),
            ("additionalProperties", {"type": "integer"}),
        ]
    )
    if key in node or "$ref" in node:
        return False
    of_list = key in ("contains", "minContains")
    if node.get("type") != "array" if of_list else not _is_object(node):
        return False
    if key == "minContains":
        node["contains"] = {"type": "string"}
    if key == "if":
        node["then"] = {"required": ["name"]}
    node[key] = value
    return True


@_edit(_NOWHERE)
def _unknown_keyword_made(_random: Random, node: Schema) -> bool:
    if "$ref" in node:
        return False  # in OpenAPI 3.0, a reference hides its siblings
    node["sorted"] = True
    return True


# Unions and references


@_edit(_NOWHERE)
def _variant_added(random: Random, node: Schema) -> bool:
    key = _union_of(node)
    if key is None:
        return False
    members = [*node[key]]
    members.insert(
        random.randint(0, len(members)),
        {"type": "object", "required": ["odd"], "properties": {"odd": {"type": "string"}}},
    )
    node[key] = members
    return True


@_edit(_NOWHERE)
def _variant_removed(random: Random, node: Schema) -> bool:
    key = _union_of(node)
    if key is None or len(node[key]) < 3:
        return False
    gone = random.randrange(len(node[key]))
    member = node[key][gone]
    node[key] = [*node[key][:gone], *node[key][gone + 1 :]]
    mapping = node.get("discriminator", {}).get("mapping", {})
    for tag in [tag for tag, goal in mapping.items() if goal == member.get("$ref")]:
        del mapping[tag]
    return True


def _union_of(node: Schema) -> str | None:
    if constants(node) is not None:
        return None
    return next((key for key in ("oneOf", "anyOf") if len(node.get(key, [])) > 1), None)


@_edit(_NOWHERE)
def _tag_renamed(random: Random, node: Schema) -> bool:
    mapping = node.get("discriminator", {}).get("mapping")
    if not mapping:
        return False
    tag = random.choice(sorted(mapping))
    mapping[tag + "2"] = mapping.pop(tag)
    return True


@_edit(_NOWHERE)
def _tags_moved(_random: Random, node: Schema) -> bool:
    reported = node.get("discriminator")
    if not reported:
        return False
    reported["propertyName"] += "_of"
    return True


# Notes


@_edit(_EVERYWHERE, NOTES)
def _description_changed(random: Random, node: Schema) -> bool:
    node["description"] = f"What it is, in {random.randint(1, 9)} words."
    return True


@_edit(_EVERYWHERE, NOTES)
def _title_changed(_random: Random, node: Schema) -> bool:
    node["title"] = "A Title"
    return True


@_edit(_EVERYWHERE, NOTES)
def _deprecated(_random: Random, node: Schema) -> bool:
    node["deprecated"] = not node.get("deprecated", False)
    return True


@_edit(_EVERYWHERE, NOTES)
def _foreign_key_made(_random: Random, node: Schema) -> bool:
    node["x-owner"] = "lending"
    return True


@_edit(_EVERYWHERE, NOTES)
def _comment_made(_random: Random, node: Schema) -> bool:
    node["$comment"] = "nothing"
    return True
