"""Definitions for tests: a small library API that uses every key, and folders of fragments."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from dateline.load import load
from dateline.model import Api, Map, Problem, SourceError
from dateline.source.reader import read

VERSIONS: Final = """\
header: X-API-Version
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: Initial version }
  - { date: 2024-09-01, title: Audio books }
  - { date: 2025-06-01, title: Author names in one field }
  - { date: next, title: Loans can be paused, draft: true }
environments:
  production: { servers: [{ url: https://api.library.example/api }] }
  sandbox: { servers: [{ url: https://sandbox.library.example/api }] }
policy: dated-contract
python: { package: library }
"""

API: Final = """\
openapi: 3.1.0
info: { title: Library, version: canonical }
tags: [{ name: Loans }, { name: Sandbox }]
"""

LOANS: Final = """\
paths:
  /loans/{id}:
    get:
      operationId: getLoan
      tags: [Loans]
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        '200':
          description: a loan
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
  /sandbox/loans/{id}/expire:
    x-environments: [sandbox]
    post:
      operationId: expireLoan
      tags: [Sandbox]
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '204': { description: expired } }
components:
  schemas:
    Loan:
      type: object
      required: [id, item, author_name, state]
      properties:
        id: { type: string, format: uuid }
        item: { $ref: '#/components/schemas/Item' }
        author_name:
          type: string
          x-was: { 2025-06-01: { name: writer } }
        fine_cents: { type: integer, x-removed: 2025-06-01 }
        due: { type: string, format: date-time, x-was: { 2024-09-01: { format: date } } }
        note: { type: string }
        channel: { type: string, x-extensible-enum: [desk, app] }
        state: { $ref: '#/components/schemas/LoanState' }
    LoanState:
      type: string
      oneOf:
        - const: active
        - { const: paused, x-added: next, x-shown-as: active, x-why: a loan can be paused }
        - const: returned
    Item:
      oneOf:
        - $ref: '#/components/schemas/Book'
        - $ref: '#/components/schemas/AudioBook'
          x-added: 2024-09-01
          x-shown-as: { kind: Book, title: audio book }
      discriminator:
        propertyName: kind
        mapping: { Book: '#/components/schemas/Book', AudioBook: '#/components/schemas/AudioBook' }
    Book:
      type: object
      required: [kind, title]
      properties: { kind: { const: Book }, title: { type: string } }
    AudioBook:
      type: object
      required: [kind, title, minutes]
      properties:
        kind: { const: AudioBook }
        title: { type: string }
        minutes: { type: integer }
"""

NOTE: Final = (
    "note: components.Item: models ignore that `oneOf` allows no other tags: "
    "they are read as a class `Unknown…`\n"
)
"""What `generate` says of the models of the library."""

LIBRARY: Final = {"versions.yaml": VERSIONS, "api.yaml": API, "loans.yaml": LOANS}


def folder(root: Path, files: dict[str, str], name: str = "schemas") -> Path:
    """Write *files* into a folder below *root* and return the folder."""
    target = root / name
    target.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        path = target / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return target


def loaded(root: Path, files: dict[str, str]) -> Api:
    """Return the API that *files* define."""
    return load(folder(root, files))


def problems(root: Path, files: dict[str, str]) -> list[str]:
    """Return all problems of *files* as printed."""
    try:
        loaded(root, files)
    except SourceError as error:
        return str(error).split("\n")
    return []


def parsed(root: Path, content: str | bytes, name: str = "versions.yaml") -> Map:
    """Return *content*, written below *root*, as the reader returns it, without problems."""
    path = root / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    said: list[Problem] = []
    document = read(path, name, adopted=False, problems=said)
    assert said == []
    assert document is not None
    return document


def plain(node: Any) -> Any:
    """Return *node* without source positions."""
    if isinstance(node, dict):
        return {key: plain(below) for key, below in node.items()}
    return [plain(below) for below in node] if isinstance(node, list) else node
