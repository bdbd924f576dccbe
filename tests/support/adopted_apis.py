"""Documents of several dates, and the definitions adopted from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from dateline.adopt import Adoption, adopt
from dateline.adopt.extending import Extension, extend
from dateline.changes.record import read_record
from dateline.changes.words import restore_contract
from dateline.documents import publish
from dateline.files.sources import write
from dateline.load import load
from dateline.project import Projector
from support.random_chains import DATES, plain

Document = dict[str, Any]


def store(folder: Path, documents: list[Document]) -> tuple[str, ...]:
    """Write *documents*, oldest first, and return the arguments of `adopt` that name them."""
    for date, document in zip(DATES, documents, strict=False):
        (folder / f"{date}.json").write_text(json.dumps(document))
    return tuple(
        f"{date}={folder / f'{date}.json'}" for date, _ in zip(DATES, documents, strict=False)
    )


def read_back(schemas: Path) -> list[Document]:
    """Return the documents that the definitions in *schemas* render, oldest version first."""
    api = load(schemas)
    projector = Projector(api)
    contracts = [projector.contract(date, "production") for date in api.table.dates]
    record = read_record(schemas, api.table)
    words = record.words if record else {}
    return [publish(restore_contract(one, words), api.table) for one in contracts]


def adopt_all(folder: Path, documents: list[Document], *, accept: bool = False) -> Adoption:
    """Adopt *documents* into `schemas` of *folder*, and assert that they are rendered again."""
    adoption = adopt(store(folder, documents), folder / "schemas", accept=lambda _: accept)
    shown = read_back(folder / "schemas")
    assert [plain(each) for each in shown] == [plain(each) for each in documents]
    return adoption


def extend_all(folder: Path, documents: list[Document], *, accept: bool = False) -> Path:
    """Adopt *documents* one after another, each as the next version; return the definitions."""
    first, *others = store(folder, documents)
    schemas = folder / "extended"
    adopt((first,), schemas, accept=lambda _: accept)
    for each in others:
        write_extension(extend((each,), schemas, accept=lambda _: accept))
    assert [plain(each) for each in read_back(schemas)] == [plain(each) for each in documents]
    return schemas


def write_extension(plan: Extension) -> None:
    write(plan.folder, (*plan.replacements, *plan.recorded))


class _TextualDates(yaml.CSafeLoader):
    """Loads dates as text, as definitions do."""


_TextualDates.add_constructor("tag:yaml.org,2002:timestamp", lambda _, node: str(node.value))


def definitions(schemas: Path) -> Document:
    """Return the joined definitions as written, each file read by PyYAML."""
    found: Document = {}
    for path in sorted(schemas.glob("*.yaml")):
        if path.name != "versions.yaml":
            _join(found, yaml.load(path.read_text(), _TextualDates))
    return found


def _join(into: Document, fragment: Document) -> None:
    for key, value in fragment.items():
        if key in into:
            _join(into[key], value)
        else:
            into[key] = value


# Documents


def api(**parts: Any) -> Document:
    """Return a document with one operation and one schema; *parts* replace its parts."""
    answer = {"application/json": {"schema": {"$ref": "#/components/schemas/Loan"}}}
    operation = {
        "operationId": "getLoan",
        "parameters": parts.get("parameters", [{"name": "a", "in": "query", "schema": {}}]),
        "responses": {"200": {"description": "a loan", "content": answer}, **parts.get("also", {})},
        **parts.get("operation", {}),
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Library", "version": "1", **parts.get("info", {})},
        "paths": {"/loan": {"get": operation}, **parts.get("paths", {})},
        "components": {
            "schemas": {"Loan": parts.get("loan", {"type": "object"}), **parts.get("schemas", {})}
        },
        **parts.get("root", {}),
    }


def loans(*each: str) -> list[Document]:
    """Return documents whose schema `Loan` is *each* of these, written in YAML."""
    return [api(loan=yaml.safe_load(one)) for one in each]


def loans_with(**parts: Any) -> list[Document]:
    return [api(), api(**parts)]


ANSWER = {"200": {"description": "ok"}}
