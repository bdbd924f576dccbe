"""The source format as JSON Schemas, with which an editor completes keys and underlines slips."""

from __future__ import annotations

import json
import keyword
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from dateline.load import TABLE
from dateline.load.reader import read
from dateline.load.table import (
    DEFAULT_HEADER,
    DEFAULT_PACKAGE,
    DEFAULT_POLICY,
    ENVIRONMENT_NAME,
    HEADER_NAME,
    PACKAGE_NAME,
    PRESETS,
    RULE_ID,
    SERVER_URL,
    VERDICTS,
    read_table,
)
from dateline.model import (
    ADDED,
    ENVIRONMENTS,
    EXTENSIBLE,
    GATES,
    NEXT,
    NOTICE_DAYS,
    REMOVED,
    SHOWN_AS,
    WAS,
    WHY,
    Problem,
    Table,
)
from dateline.model import KEYS as OUR_KEYS
from dateline.openapi import ANY, OBJECTS, REFERABLE, REQUIRED, WHOLE, Shape, Slot

JsonSchema = dict[str, Any]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_ANY: Final[JsonSchema] = {}
_TEXT: Final = {"type": "string"}
_LINE: Final = {"type": "string", "pattern": r"^[^\r\n]*[^\s][^\r\n]*$"}
_FLAG: Final = {"type": "boolean"}
_NUMBER: Final = {"type": "number"}
# In OpenAPI 3.0 these say whether the neighbouring bound is exclusive.
_EXCLUSIVE: Final = {"type": ["number", "boolean"]}
_COUNT: Final = {"type": "integer", "minimum": 0}
_TEXTS: Final = {"type": "array", "items": _TEXT, "uniqueItems": True}
_TEXT_MAP: Final = {"type": "object", "additionalProperties": _TEXT}
_TYPES: Final = {"enum": ["string", "number", "integer", "boolean", "object", "array", "null"]}
_DAY: Final = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"


def _matching(grammar: str, otherwise: str) -> JsonSchema:
    """Return the schema of texts of *grammar*; editors say *otherwise* of any other text."""
    return {"type": "string", "pattern": f"^(?:{grammar})$", "patternErrorMessage": otherwise}


_CUT: Final = _matching(_DAY, "Write a date as YYYY-MM-DD.")
_DATE: Final = {
    **_matching(f"{NEXT}|{_DAY}", "Write a date as YYYY-MM-DD, or `next`."),
    "examples": [NEXT],
}
_URL: Final = _matching(SERVER_URL, "Write http://..., https://... or a path from /.")
_NAME: Final = _matching(ENVIRONMENT_NAME, "Use lower-case letters, digits and hyphens.")

_BY_KEY: Final[dict[str, JsonSchema]] = {
    **dict.fromkeys(("description", "summary", "title", "$comment", "name", "url"), _TEXT),
    **dict.fromkeys(("email", "termsOfService", "version", "identifier"), _TEXT),
    **dict.fromkeys(("operationId", "operationRef", "externalValue", "contentType"), _TEXT),
    **dict.fromkeys(("format", "contentEncoding", "contentMediaType", "propertyName"), _TEXT),
    **dict.fromkeys(("scheme", "bearerFormat", "openIdConnectUrl"), _TEXT),
    **dict.fromkeys(("authorizationUrl", "tokenUrl", "refreshUrl"), _TEXT),
    **dict.fromkeys(("namespace", "prefix", "jsonSchemaDialect"), _TEXT),
    **dict.fromkeys(("$id", "$schema", "$anchor", "$dynamicRef", "$dynamicAnchor"), _TEXT),
    **dict.fromkeys(("deprecated", "allowEmptyValue", "explode", "allowReserved"), _FLAG),
    **dict.fromkeys(("readOnly", "writeOnly", "uniqueItems", "attribute", "wrapped"), _FLAG),
    **dict.fromkeys(("maximum", "minimum"), _NUMBER),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum"), _EXCLUSIVE),
    **dict.fromkeys(("maxLength", "minLength", "maxItems", "minItems"), _COUNT),
    **dict.fromkeys(("maxContains", "minContains", "maxProperties", "minProperties"), _COUNT),
    **dict.fromkeys(("mapping", "scopes"), _TEXT_MAP),
    "multipleOf": {"type": "number", "exclusiveMinimum": 0},
    "nullable": {**_FLAG, "description": "OpenAPI 3.0 only; in 3.1 add 'null' to `type`."},
    "pattern": {"type": "string", "format": "regex"},
    "required": _FLAG,
    "tags": _TEXTS,
    "$ref": {
        "type": "string",
        "pattern": "^#/",
        "description": "A place in this document: `#/components/...`. Other files are not read.",
    },
    # OpenAPI 3.1.1 section 4.8.12.3
    "style": {
        "enum": [
            "matrix",
            "label",
            "simple",
            "form",
            "spaceDelimited",
            "pipeDelimited",
            "deepObject",
        ]
    },
    "security": {
        "type": "array",
        "items": {"type": "object", "additionalProperties": {"type": "array", "items": _TEXT}},
    },
    "dependentRequired": {"type": "object", "additionalProperties": _TEXTS},
    "$vocabulary": {"type": "object", "additionalProperties": _FLAG},
    # values of the API's own
    **dict.fromkeys(("default", "const", "example", "value", "parameters", "requestBody"), _ANY),
}
"""What the keys that hold data hold, where that is the same in every object."""

_BY_OBJECT: Final[dict[tuple[str, str], JsonSchema]] = {
    ("document", "openapi"): {"type": "string", "pattern": r"^3\.[01]\.[0-9]+$"},
    ("schema", "type"): {
        "anyOf": [
            _TYPES,
            {"type": "array", "items": _TYPES, "minItems": 1, "uniqueItems": True},
        ]
    },
    ("schema", "enum"): {"type": "array", "minItems": 1, "uniqueItems": True},
    ("schema", "required"): _TEXTS,
    ("schema", "examples"): {"type": "array"},
    ("server", "url"): _URL,
    ("server-variable", "enum"): {**_TEXTS, "minItems": 1},
    ("server-variable", "default"): _TEXT,
    ("parameter", "in"): {"enum": ["path", "query", "header", "cookie"]},
    ("security-scheme", "in"): {"enum": ["query", "header", "cookie"]},
    ("security-scheme", "type"): {
        "enum": ["apiKey", "http", "mutualTLS", "oauth2", "openIdConnect"]
    },
}
"""What a key that holds data holds in one object, where that differs."""

_NAMES: Final = {
    "paths": "^/",
    "responses": "^(?:[1-5][0-9][0-9]|[1-5]XX|default)$",
    "callback": "^(?!x-)",
}
"""Objects whose keys are the author's own, and the pattern of those keys."""


def editor_schema(which: str, folder: Path) -> str:
    """Return the schema that an editor needs, as JSON: of the `source` or of the `versions` file.

    The dates and environments offered are those of the version table in *folder*. While it is
    absent or has a slip in it, every date and every name will do.
    """
    schema = versions_schema() if which == "versions" else source_schema(_table(folder))
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _table(folder: Path) -> Table | None:
    # what is wrong with the table is told when definitions are checked, not here
    problems: list[Problem] = []
    document = read(folder / TABLE, TABLE, adopted=False, problems=problems)
    return None if document is None else read_table(document, problems)


def source_schema(table: Table | None) -> JsonSchema:
    """Return the JSON Schema (2020-12) of a file of definitions.

    With a *table*, dates and environments are those that it names, and `next`.
    """
    return {
        "$schema": _DIALECT,
        "$comment": "definitions of an API: OpenAPI 3.1, and what differs between versions",
        "$ref": "#/$defs/document",
        "$defs": {
            **{kind: _kind(kind) for kind in OBJECTS},
            **{f"before-{kind}": _before(kind) for kind in OBJECTS if kind not in WHOLE},
            "reference": _object(
                {"$ref": _BY_KEY["$ref"], "summary": _TEXT, "description": _TEXT},
                required=("$ref",),
            ),
            "key": {"allOf": [_no_slip(key) for key in sorted(OUR_KEYS)]},
            "date": _date(table),
            "environment": _environment(table),
            **_our_keys(),
        },
    }


def versions_schema() -> JsonSchema:
    """Return the JSON Schema (2020-12) of `versions.yaml`."""
    servers = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/server"}}
    authored = {
        "required": ["environments"],
        "properties": {"environments": {"additionalProperties": {"required": ["servers"]}}},
    }
    return {
        "$schema": _DIALECT,
        "$comment": "the version table of an API",
        **_object(
            {
                "header": {
                    **_matching(HEADER_NAME, "Use letters, digits and hyphens."),
                    "default": DEFAULT_HEADER,
                    "description": "The request header that selects a version.",
                },
                "default": {
                    **_CUT,
                    "description": "The version served without the header; the oldest supported "
                    "one if left out.",
                },
                "annotation": {
                    "$ref": "#/$defs/date",
                    "description": "The schema default written on the header parameter. It changes "
                    "nothing that is served.",
                },
                "versions": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"$ref": "#/$defs/version"},
                    "description": "Every version, oldest first, drafts last.",
                },
                "environments": {
                    "type": "object",
                    "minProperties": 1,
                    "propertyNames": _NAME,
                    "additionalProperties": _object({"servers": servers}),
                    "description": "Each deployment by name, with the addresses it is served from.",
                },
                "announcements": {
                    "type": "array",
                    "items": {"$ref": "#/$defs/announcement"},
                    "description": "What callers were told will happen, and when.",
                },
                "ignores-header": {
                    "type": "array",
                    "items": _LINE,
                    "uniqueItems": True,
                    "description": "Tags whose operations look the same in every version.",
                },
                "policy": {
                    "anyOf": [{"$ref": "#/$defs/preset"}, {"$ref": "#/$defs/policy"}],
                    "default": DEFAULT_POLICY,
                    "description": "What each kind of change demands.",
                },
                "require-why": {
                    **_FLAG,
                    "default": False,
                    "description": "Let `check` demand `x-why` beside each gate of a version that "
                    "is not cut yet.",
                },
                "python": _object(
                    {
                        "package": {
                            **_matching(PACKAGE_NAME, "Use lower-case letters, digits and _."),
                            "not": {"enum": keyword.kwlist},
                            "default": DEFAULT_PACKAGE,
                            "description": "The name that the generated package is imported by.",
                        }
                    }
                ),
                "lint": {
                    "enum": ["authored", "adopted"],
                    "default": "authored",
                    "description": "`adopted` relaxes the rules of style, for an OpenAPI document "
                    "that was written elsewhere.",
                },
            },
            required=("versions",),
        ),
        "if": {"properties": {"lint": {"const": "adopted"}}, "required": ["lint"]},
        "else": authored,
        "$defs": {
            "date": _DATE,
            "version": {
                **_object(
                    {
                        "date": {
                            "$ref": "#/$defs/date",
                            "description": "The day it is cut, or `next` for the one being "
                            "prepared.",
                        },
                        "title": {**_LINE, "description": "One sentence for callers."},
                        "draft": {**_FLAG, "default": False, "description": "Not cut yet."},
                        "undisclosed": {
                            **_FLAG,
                            "default": False,
                            "description": "Supported, but its changes are not shown.",
                        },
                    },
                    required=("date", "title"),
                ),
                "if": {"properties": {"date": {"const": NEXT}}, "required": ["date"]},
                "then": {"required": ["draft"], "properties": {"draft": {"const": True}}},
            },
            "announcement": {
                **_object(
                    {
                        "default": {**_CUT, "description": "The version that becomes the default."},
                        "ends": {**_CUT, "description": "The version that is served no longer."},
                        "from": {**_CUT, "description": "The day from which it holds."},
                        "announced": {**_CUT, "description": "The day on which it is told."},
                    },
                    required=("from", "announced"),
                ),
                "oneOf": [{"required": ["default"]}, {"required": ["ends"]}],
            },
            "server": _grammar("server"),
            "server-variable": _grammar("server-variable"),
            "preset": {"enum": list(PRESETS)},
            "policy": _object(
                {
                    "preset": {"$ref": "#/$defs/preset"},
                    "rules": {
                        "type": "object",
                        "propertyNames": _matching(RULE_ID, "Ids look like variant-added."),
                        "additionalProperties": {"enum": list(VERDICTS)},
                        "description": "Rules whose verdict differs from the preset's.",
                    },
                    "notice-days": {
                        "type": "integer",
                        "minimum": 0,
                        "default": NOTICE_DAYS,
                        "description": "How long before its day an announcement is made, at least.",
                    },
                },
                required=("preset",),
            ),
        },
    }


def _object(properties: JsonSchema, required: tuple[str, ...] = ()) -> JsonSchema:
    closed = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**closed, "required": list(required)} if required else closed


def _kind(kind: str) -> JsonSchema:
    """Return the schema of the objects of *kind* in a file of definitions."""
    schema = {**_grammar(kind), "propertyNames": {"$ref": "#/$defs/key"}}
    if kind not in WHOLE:
        schema["properties"] |= _ours(kind)
        schema["dependentSchemas"] = _COMPANIONS
    if kind == "schema":
        # `true` and `false` are schemas too
        return {**schema, "type": ["object", "boolean"]}
    if kind in REFERABLE:
        reference = {"$ref": "#/$defs/reference"}
        return {"if": {"required": ["$ref"]}, "then": reference, "else": schema}
    return schema


def _grammar(kind: str) -> JsonSchema:
    """Return the schema of the objects of *kind* in OpenAPI, without keys of ours."""
    slots = OBJECTS[kind]
    properties = {key: _held(kind, key, slot) for key, slot in slots.items() if key != ANY}
    patterns: JsonSchema = {"^x-": _ANY}
    if ANY in slots:
        patterns[_NAMES[kind]] = _ref(slots[ANY].kind)
    # the document is spread over several files: none of them needs to have all of it
    required = () if kind == "document" else REQUIRED.get(kind, ())
    return {**_object(properties, required), "patternProperties": patterns}


def _held(kind: str, key: str, slot: Slot) -> JsonSchema:
    """Return the schema of what stands under *key* of an object of *kind*."""
    if slot.shape is Shape.DATA:
        return _BY_OBJECT.get((kind, key)) or _BY_KEY[key]
    below = _ref(slot.kind)
    if slot.shape is Shape.LIST:
        return {"type": "array", "items": below}
    if slot.shape is Shape.MAP:
        return {"type": "object", "additionalProperties": below}
    return below


def _ref(kind: str) -> JsonSchema:
    return {"$ref": f"#/$defs/{kind}"}


# our own keys


_COMPANIONS: Final[JsonSchema] = {
    SHOWN_AS: {"required": [ADDED]},
    WHY: {"anyOf": [{"required": [gate]} for gate in sorted(GATES)]},
    EXTENSIBLE: {"required": ["type"], "not": {"required": ["enum"]}},
}
"""What a key of ours needs beside it."""


def _ours(kind: str) -> JsonSchema:
    """Return the schemas of our keys on the objects of *kind*."""
    shared = sorted(OUR_KEYS - {WAS} - (set() if kind == "schema" else {EXTENSIBLE}))
    return {**{key: _ref(key) for key in shared}, WAS: _history(kind)}


def _our_keys() -> JsonSchema:
    """Return the schemas of our keys but `x-was`, which looks different in every object."""
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
            "description": "What callers of older versions get instead, where leaving it out is "
            f"not possible. Stands beside `{ADDED}` on a member of a union or an enum.",
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
            "items": _TEXT,
            "description": "The values known today of a text that may take others later. A new "
            "one is an additive change.",
        },
        WHY: {**_LINE, "description": "The reason for this gate, for callers."},
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


def _before(kind: str) -> JsonSchema:
    """Return the schema of one date under `x-was` of an object of *kind*."""
    keywords = [*(key for key in OBJECTS[kind] if key != ANY), "name"]
    if kind == "schema":
        keywords.append(EXTENSIBLE)
    keys = {"enum": list(dict.fromkeys(keywords))}
    setting = {"type": "object", "minProperties": 1, "propertyNames": keys}
    unset = {"type": "array", "minItems": 1, "uniqueItems": True, "items": keys}
    long = {**_object({"set": setting, "unset": unset}), "minProperties": 1}
    is_long = {"anyOf": [{"required": ["set"]}, {"required": ["unset"]}]}
    return {"type": "object", "if": is_long, "then": long, "else": setting}


def _date(table: Table | None) -> JsonSchema:
    if table is None:
        return _DATE
    titles = {version.date: version.title for version in table.versions}
    titles.setdefault(NEXT, "the version being prepared")
    return {
        "enum": list(titles),
        "description": "\n".join(f"{date}: {title}" for date, title in titles.items()),
    }


def _environment(table: Table | None) -> JsonSchema:
    if table is None:
        return _NAME
    return {"enum": [environment.name for environment in table.environments]}


def _no_slip(key: str) -> JsonSchema:
    """Return the schema of keys that are not one slip of a finger away from *key*, one of ours."""
    slips = "|".join(dict.fromkeys(_one_off(key.removeprefix("x-"))))
    return {"pattern": f"^(?!x-(?:{slips})$)", "patternErrorMessage": f"Did you mean {key}?"}


def _one_off(word: str) -> Iterator[str]:
    """Yield patterns for *word* with a letter left out, added, changed, or two of them swapped."""
    # a short word with another letter is another word: `x-who` is no slip of `x-why`
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
