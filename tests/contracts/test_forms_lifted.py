"""Forms with added parts need no converter; forms with other differences do."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any, Final

from support.sources import loaded
from support.tables import cases

from dateline.contracts import contract_data

OLD, NEW = "2024-01-15", "2025-06-01"
TABLE: Final = f"""\
header: X-API-Version
default: {OLD}
versions:
  - {{ date: {OLD}, title: First }}
  - {{ date: {NEW}, title: Second }}
environments:
  production: {{ servers: [{{ url: https://api.example }}] }}
policy: dated-contract
lint: adopted
python: {{ package: example }}
"""
TEXT: Final = {"type": "string"}
ADDED: Final = {**TEXT, "x-added": NEW}
FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
MEDIA_TYPES: Final = (*FORMS, "multipart/mixed", "application/xml")

# The schema of the part `later`, and whether it needs a converter.
PARTS: Final[dict[str, tuple[Any, bool]]] = {
    "none": (TEXT, False),
    "added": (ADDED, False),
    "added file": ({**ADDED, "format": "binary"}, False),
    "added list": ({"type": "array", "items": TEXT, "x-added": NEW}, False),
    "removed": ({**TEXT, "x-removed": NEW}, False),
    "renamed": ({**TEXT, "x-was": {NEW: {"name": "sooner"}}}, True),
    "changed": ({**TEXT, "x-was": {NEW: {"type": "integer"}}}, True),
    "added below": ({"type": "object", "properties": {"deep": ADDED}}, True),
}
SPELLINGS: Final[dict[str, Any]] = {
    "inline": lambda schema: (schema, {}),
    "reference": lambda schema: ({"$ref": "#/components/schemas/F"}, {"F": schema}),
    "base": lambda schema: ({"allOf": [{"$ref": "#/components/schemas/F"}]}, {"F": schema}),
    "references": lambda schema: (
        {"$ref": "#/components/schemas/G"},
        {"F": schema, "G": {"$ref": "#/components/schemas/F"}},
    ),
}


def data(
    folder: Path, media_type: str, written: tuple[Any, Any], position: str, encoding: Any = None
) -> Any:
    schema, schemas = written
    content = {"content": {media_type: {"schema": schema, **(encoding or {})}}}
    operation: dict[str, Any] = {"operationId": "put", "tags": ["all"]}
    operation["responses"] = {"200": {"description": "it"}}
    if position == "request":
        operation["requestBody"] = content
    else:
        operation["responses"]["200"] |= content
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "paths": {"/things": {"put": operation}},
        "components": {"schemas": schemas},
    }
    files = {"versions.yaml": TABLE, "api.yaml": json.dumps(document)}
    return contract_data(loaded(folder, files)).data


@cases(
    ("kind", "spelling", "media_type", "position"),
    [
        *product(PARTS, ["inline"], MEDIA_TYPES, ["request", "response"]),
        *product(PARTS, SPELLINGS, FORMS[1:], ["request"]),
    ],
)
def test_form_with_another_difference_needs_a_converter(
    kind: str, spelling: str, media_type: str, position: str, tmp_path: Path
) -> None:
    later, needs = PARTS[kind]
    schema = {"type": "object", "properties": {"here": TEXT, "later": later}}
    found = data(tmp_path, media_type, SPELLINGS[spelling](schema), position)
    is_lifted = position == "request" and media_type in FORMS
    assert bool(found["converters"]) == (needs or (kind != "none" and not is_lifted))
    entries = [each for row in found["up"]["shapes"].values() for each in row]
    left_out = [each["since"] for each in entries if each["shape"] == {"left_out": ["later"]}]
    if is_lifted and kind in ("added", "removed"):
        assert left_out[:1] == [OLD if "added" in kind else NEW]


@cases("media_type", FORMS)
@cases("spelling", SPELLINGS)
def test_read_only_parts_need_no_converter(spelling: str, media_type: str, tmp_path: Path) -> None:
    later = {**TEXT, "readOnly": True}
    schema = {"type": "object", "properties": {"here": TEXT, "later": later}}
    found = data(tmp_path, media_type, SPELLINGS[spelling](schema), "request")
    assert found["converters"] == {}
    [[entry]] = found["up"]["shapes"].values()
    assert entry["shape"] == {"left_out": ["later"]}


LIST: Final = {"type": "array", "items": TEXT}
OBJECT: Final = {"type": "object", "properties": {"deep": TEXT}}
JOINED: Final = {"explode": False}
EXPLODED: Final = {"style": "form", "explode": True}
DEEP: Final = {"style": "deepObject", "explode": True}

# The schema of the part `later`, its encodings now and before, and whether it needs a converter.
NOTATIONS: Final[dict[str, tuple[Any, Any, Any, bool]]] = {
    "joined": (LIST, JOINED, None, True),
    "joined no more": (LIST, None, JOINED, True),
    "other separator": (LIST, {"style": "pipeDelimited"}, {"style": "spaceDelimited"}, True),
    "other style": (OBJECT, DEEP, EXPLODED, True),
    "JSON no more": (OBJECT, EXPLODED, {"contentType": "application/json"}, True),
    "spelled": (LIST, EXPLODED, None, False),
    "same": (OBJECT, DEEP, {**DEEP, "x-note": "old"}, False),
    "text": (TEXT, JOINED, None, False),
    "type of a file": (TEXT, {"contentType": "image/png"}, {"contentType": "image/*"}, False),
    "added": ({**LIST, "x-added": NEW}, JOINED, None, False),
    "removed": ({**LIST, "x-removed": NEW}, None, JOINED, False),
}


def find_others(node: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return what *node* has and *other* has not."""
    return {key: value for key, value in node.items() if other.get(key) != value}


HISTORIES: Final[dict[str, Any]] = {
    "of the form": lambda now, was: {
        "encoding": {"later": now} if now else {},
        "x-was": {NEW: {"encoding": {"later": was} if was else None}},
    },
    "of the entry": lambda now, was: {
        "encoding": {
            "later": {
                **now,
                "x-was": {NEW: {**dict.fromkeys(now.keys() - was), **find_others(was, now)}},
            }
        }
    },
    "added entry": lambda now, _: {"encoding": {"later": {**now, "x-added": NEW}}},
    "removed entry": lambda _, was: {"encoding": {"later": {**was, "x-removed": NEW}}},
}


def list_notations() -> list[tuple[str, str]]:
    """Return the kinds and the histories in which they can be written."""
    return [
        (kind, history)
        for (kind, (_, now, was, _)), history in product(NOTATIONS.items(), HISTORIES)
        if history == "of the form"
        or (history == "of the entry" and now and was)
        or (history == "added entry" and now and not was)
        or (history == "removed entry" and was and not now)
    ]


@cases("media_type", FORMS)
@cases("kind, history", list_notations())
def test_form_in_another_notation_needs_a_converter(
    kind: str, history: str, media_type: str, tmp_path: Path
) -> None:
    later, now, was, needs = NOTATIONS[kind]
    schema = {"type": "object", "properties": {"here": TEXT, "later": later}}
    encoding = HISTORIES[history](now, was)
    found = data(tmp_path, media_type, (schema, {}), "request", encoding)
    assert bool(found["converters"]) == needs
