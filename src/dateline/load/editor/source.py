"""The JSON Schema of a file of definitions, for editors: OpenAPI, and the keys that gate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dateline.load.editor.grammar import (
    DIALECT,
    REFERENCE,
    closed_object,
    grammar,
    ref,
)
from dateline.load.joining import OF_A_DOCUMENT, SHARED
from dateline.load.table.contents import ENVIRONMENT, LINE, TEXT, JsonSchema, version_schema
from dateline.model import (
    ADDED,
    CONVERTER,
    ENVIRONMENTS,
    EXTENSIBLE,
    GATES,
    IN_PLACE_OF,
    NEXT,
    REMOVED,
    SHOWN_AS,
    WAS,
    WHY,
    Table,
)
from dateline.model import KEYS as OUR_KEYS
from dateline.openapi import ANY, METHODS, OBJECTS, REFERABLE, WHOLE
from dateline.versions import DATE_FORM

COMPANIONS: Final[JsonSchema] = {
    SHOWN_AS: {"anyOf": [{"required": [ADDED]}, {"required": [REMOVED]}]},
    WHY: {"anyOf": [{"required": [gate]} for gate in sorted(GATES)]},
    EXTENSIBLE: {"required": ["type"], "not": {"required": ["enum"]}},
}
"""The keys that each of our keys needs beside it."""

# The keys that identify the kind of an object in its own file; the first match counts.
_SIGNS: Final[dict[tuple[str, ...], tuple[tuple[str, ...], ...]]] = {
    ("path-item",): tuple((method,) for method in METHODS),
    ("operation",): (("responses",),),
    ("parameter",): (("name", "in"),),
    ("request-body", "response"): (("content",),),
    ("security-scheme",): (("type", "scheme"), ("type", "flows"), ("type", "openIdConnectUrl")),
    ("schema",): (
        *(("type",), ("properties",), ("items",), ("enum",), ("const",), ("format",), ("not",)),
        *(("allOf",), ("anyOf",), ("oneOf",), ("additionalProperties",), ("patternProperties",)),
    ),
}


def source_schema(table: Table | None) -> JsonSchema:
    """Return the JSON Schema (2020-12) of a file of definitions.

    With a *table*, the valid dates and environments are those of the table, and `next`.
    """
    return {
        "$schema": DIALECT,
        "$comment": "definitions of an API: OpenAPI 3.1, and what differs between versions",
        "if": _may_be_part(),
        "then": {"$ref": "#/$defs/part"},
        "else": {"$ref": "#/$defs/document"},
        "$defs": {
            "part": _part(),
            **{kind: _kind(kind) for kind in OBJECTS},
            **{f"before-{kind}": before(kind) for kind in OBJECTS if kind not in WHOLE},
            "reference": closed_object(
                {"$ref": REFERENCE, "summary": TEXT.schema, "description": TEXT.schema},
                required=("$ref",),
            ),
            "key": {"allOf": [no_slip(key) for key in sorted(OUR_KEYS)]},
            "date": date_of(table),
            "environment": environment_of(table),
            **our_keys(),
        },
    }


def _kind(kind: str) -> JsonSchema:
    """Return the schema of the objects of *kind* in a file of definitions."""
    schema = {**grammar(kind), "propertyNames": {"$ref": "#/$defs/key"}}
    if kind not in WHOLE:
        schema["properties"] |= our_keys_of(kind)
        schema["dependentSchemas"] = COMPANIONS
    if kind == "schema":
        # `true` and `false` are schemas too
        return {**schema, "type": ["object", "boolean"]}
    if kind in REFERABLE:
        reference = {"$ref": "#/$defs/reference"}
        return {"if": {"required": ["$ref"]}, "then": reference, "else": schema}
    return schema


def _may_be_part() -> JsonSchema:
    """Return the schema of files that are not documents of their own."""
    slips = dict.fromkeys(slip for key in SHARED for slip in _one_off(key))
    known = {"anyOf": [{"enum": [*OBJECTS["document"]]}, {"pattern": "^x-"}]}
    return {
        "type": "object",
        "propertyNames": {"pattern": f"^(?!(?:{'|'.join(slips)})$)"},
        "not": {
            "anyOf": [
                *({"required": [key]} for key in sorted(OF_A_DOCUMENT)),
                {"propertyNames": known},
            ]
        },
    }


def _part() -> JsonSchema:
    """Return the schema of a file that others refer to: one object, or several by name."""
    found: JsonSchema = {"type": "object", "propertyNames": {"$ref": "#/$defs/key"}}
    for kinds, signs in reversed(_SIGNS.items()):
        found = {
            "if": {"anyOf": [{"required": [*sign]} for sign in signs]},
            "then": {"anyOf": [ref(kind) for kind in kinds]} if len(kinds) > 1 else ref(*kinds),
            "else": found,
        }
    return found


def our_keys_of(kind: str) -> JsonSchema:
    """Return the schemas of our keys on the objects of *kind*."""
    shared = sorted(OUR_KEYS - {WAS} - (set() if kind == "schema" else {EXTENSIBLE}))
    return {**{key: ref(key) for key in shared}, WAS: _history(kind)}


def our_keys() -> JsonSchema:
    """Return the schemas of our keys except `x-was`, which is different for every kind."""
    return {
        ADDED: {
            "$ref": "#/$defs/date",
            "description": "The first version that has this. Without it: every version.",
        },
        REMOVED: {
            "$ref": "#/$defs/date",
            "description": "The first version without this.",
        },
        SHOWN_AS: {
            "description": "What callers of versions without this get instead, where leaving it "
            f"out is not possible. Stands beside `{ADDED}` or `{REMOVED}` on a member of a union "
            "or an enum.",
        },
        ENVIRONMENTS: {
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": {"$ref": "#/$defs/environment"},
            "description": "The only environments that have this.",
        },
        EXTENSIBLE: {
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": TEXT.schema,
            "description": "The values known today of a text that may take others later. A new "
            "one is an additive change.",
        },
        WHY: {
            "anyOf": [
                LINE.schema,
                {
                    "type": "object",
                    "minProperties": 1,
                    "propertyNames": {"$ref": "#/$defs/date"},
                    "additionalProperties": LINE.schema,
                },
            ],
            "description": "The reason for this gate, for callers; {DATE: TEXT} where its dates "
            "have several.",
        },
    }


def _history(kind: str) -> JsonSchema:
    return {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"$ref": "#/$defs/date"},
        "additionalProperties": {"$ref": f"#/$defs/before-{kind}"},
        "description": "{DATE: {keyword: value}}: before DATE these keywords had these values. "
        "`name` is what it was called, `null` unsets. Long form: {DATE: {set: {...}, unset: "
        "[...]}}.",
    }


def before(kind: str) -> JsonSchema:
    """Return the schema of one date under `x-was` of an object of *kind*."""
    keywords = [*(key for key in OBJECTS[kind] if key != ANY), "name"]
    if kind == "schema":
        keywords.append(EXTENSIBLE)
    keys = {"enum": list(dict.fromkeys(keywords))}
    beside = _beside_keywords(kind)
    names = {"enum": list(dict.fromkeys([*keywords, *beside]))}
    setting = {"type": "object", "minProperties": 1, "propertyNames": names, "properties": beside}
    unset = {"type": "array", "minItems": 1, "uniqueItems": True, "items": keys}
    inside = {"type": "object", "minProperties": 1, "propertyNames": keys}
    long = {**closed_object({"set": inside, "unset": unset, **beside}), "minProperties": 1}
    is_long = {"anyOf": [{"required": ["set"]}, {"required": ["unset"]}]}
    return {"type": "object", "if": is_long, "then": long, "else": setting}


def _beside_keywords(kind: str) -> dict[str, JsonSchema]:
    """Return the schemas of the keys of a date under `x-was` besides keywords."""
    name = {
        "type": "string",
        "pattern": "^[a-z][a-z0-9]*(_[a-z0-9]+)*$",
        "description": "What the converter is called, wherever this is written.",
    }
    if kind != "schema":
        return {CONVERTER: name}
    replaced = {
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": {"type": "string"},
        "description": "The properties that took the place of those in `properties` here; all "
        "others stay.",
    }
    return {IN_PLACE_OF: replaced, CONVERTER: name}


def date_of(table: Table | None) -> JsonSchema:
    """Return the schema of a date of *table*, or of any date without one."""
    if table is None:
        return version_schema(DATE_FORM)
    titles = {version.date: version.title for version in table.versions}
    titles.setdefault(NEXT, "the version being prepared")
    return {
        "enum": list(titles),
        "description": "\n".join(f"{date}: {title}" for date, title in titles.items()),
    }


def environment_of(table: Table | None) -> JsonSchema:
    """Return the schema of an environment's name in *table*, or of any name without one."""
    if table is None:
        return ENVIRONMENT.schema
    return {"enum": [*table.environment_names]}


def no_slip(key: str) -> JsonSchema:
    """Return the schema of keys that are not one typing error away from our *key*."""
    slips = "|".join(dict.fromkeys(_one_off(key.removeprefix("x-"))))
    return {"pattern": f"^(?!x-(?:{slips})$)", "patternErrorMessage": f"Did you mean {key}?"}


def _one_off(word: str) -> Iterator[str]:
    """Yield patterns for *word* with a letter left out, added, changed, or two of them swapped."""
    # a short word with another letter is another word: `x-who` is not a misspelt `x-why`
    distinct = len(word) >= 5
    for at, letter in enumerate(word):
        head, tail = word[:at], word[at + 1 :]
        yield head + tail
        yield f"{head}.{letter}{tail}"
        if distinct:
            yield f"{head}[^{letter}]{tail}"
        if distinct and tail and tail[0] != letter:
            yield head + tail[0] + letter + tail[1:]
    yield f"{word}."
