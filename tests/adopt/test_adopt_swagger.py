"""Harmless mistakes in published documents of Swagger 2.0 are kept, as in 3.x."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.adopted_apis import read_back, store
from support.swagger_documents import LIBRARY
from support.tables import cases

from dateline.adopt import adopt
from dateline.bundle import Readings, open_document
from dateline.check.comparison import compare
from dateline.model import SourceError

Document = dict[str, Any]

REMOTE = {"$ref": "https://example.com/a.json#/A"}

REFERENCES: dict[str, Any] = {
    "remote": REMOTE,
    "of another file": {"$ref": "gone.json#/A"},
    "outside": {"$ref": "../gone.json"},
    "of no file": {"$ref": "Loan"},
}

SCHEMAS: dict[str, Callable[[Any], Any]] = {
    "alone": lambda found: found,
    "in a property": lambda found: {"type": "object", "properties": {"a": found}},
    "in items": lambda found: {"type": "array", "items": found},
    "in allOf": lambda found: {"allOf": [found, {"type": "object"}]},
    "in additionalProperties": lambda found: {"type": "object", "additionalProperties": found},
}

OK = {"200": {"description": "fine"}}


def small(**more: Any) -> Document:
    return {
        "swagger": "2.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a": {"get": {"responses": dict(OK)}, "post": {"responses": dict(OK)}}},
        **more,
    }


def definition(schema: Any) -> tuple[Document, Callable[[Document], Any]]:
    document = small(definitions={"X": schema, "Over": {"$ref": "#/definitions/X"}})
    used = {"description": "fine", "schema": {"$ref": "#/definitions/Over"}}
    return document, lambda paths: paths["get"]["responses"].update({"200": used})


def response(schema: Any) -> tuple[Document, Callable[[Document], Any]]:
    document = small(responses={"X": {"description": "fine", "schema": schema}})
    used = {"$ref": "#/responses/X"}
    return document, lambda paths: paths["get"]["responses"].update({"200": used})


def body(schema: Any) -> tuple[Document, Callable[[Document], Any]]:
    document = small(parameters={"X": {"in": "body", "name": "b", "schema": schema}})
    return document, lambda paths: paths["post"].update(parameters=[{"$ref": "#/parameters/X"}])


PLACES = {"definition": definition, "response": response, "body": body}


def adopt_and_convert(folder: Path, document: Document) -> tuple[Document, Document]:
    """Return the document rendered for an adopted *document*, and its conversion to 3.0."""
    folder.mkdir()
    arguments = store(folder, [document])
    path = Path(arguments[0].partition("=")[2])
    adopt(arguments, folder / "schemas", accept=lambda _: True)
    return read_back(folder / "schemas")[0], dict(open_document(path, "a.json", Readings()).content)


@cases("reference", REFERENCES)
@cases("schema", SCHEMAS)
@cases("place", PLACES)
def test_unreadable_target_is_refused_only_if_it_is_used(
    place: str, schema: str, reference: str, tmp_path: Path
) -> None:
    document, use = PLACES[place](SCHEMAS[schema](REFERENCES[reference]))
    shown, published = adopt_and_convert(tmp_path / "unused", document)
    assert shown == published
    assert json.dumps(REFERENCES[reference])[1:-1] in json.dumps(shown)
    used = copy.deepcopy(document)
    use(used["paths"]["/a"])
    with pytest.raises(SourceError, match=": reference-"):
        adopt_and_convert(tmp_path / "used", used)


def edit(path: str, value: Any) -> Document:
    """Return the library document with *value* at *path*."""
    made: Document = json.loads(json.dumps(LIBRARY))
    here: Any = made
    *around, last = path.split("|")
    for step in around:
        here = here[int(step) if isinstance(here, list) else step]
    here[int(last) if isinstance(here, list) else last] = value
    return made


KEPT: dict[str, Any] = {
    "definitions|Loan|description": None,
    "definitions|Loan|properties|since": None,
    "definitions|Loan|properties|id|maxLength": "9",
    "definitions|Loan|properties|id|required": True,
    "definitions|Loan|properties|id|enum": "one",
    "definitions|Number": 7,
    "definitions|Gone": {"properties": {"a": {"$ref": "#/definitions/No"}}},
    "paths|/covers|get|tags": "covers",
    "paths|/covers|get|parameters|0|required": "true",
    "paths|/covers|get|responses|200|description": None,
    "paths|/covers|post|parameters|0|required": "true",
    "paths|/covers|post|parameters|1|required": None,
    "paths|/covers|post|consumes|0": None,
    "host": None,
    "basePath": None,
    "schemes": None,
    "consumes": None,
    "responses|Missing|description": None,
    "security": [{"key": None}],
    "securityDefinitions|oauth|scopes": None,
}


@cases("path", KEPT)
def test_mistake_with_one_meaning_is_kept(path: str, tmp_path: Path) -> None:
    document = edit(path, KEPT[path])
    shown, published = adopt_and_convert(tmp_path / "a", document)
    assert shown == published


@cases("path", KEPT)
def test_mistake_in_both_documents_is_no_change(path: str, tmp_path: Path) -> None:
    before = edit(path, KEPT[path])
    after = json.loads(json.dumps(before))
    after["paths"]["/covers"]["get"]["operationId"] = "another"
    for name, document in (("a", before), ("b", after)):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    sides = [str(tmp_path / f"{name}.json") for name in "ab"]
    rules = {finding.rule for finding in compare(tmp_path, tmp_path, *sides)[0]}
    assert rules == {"operation-id-changed"}
