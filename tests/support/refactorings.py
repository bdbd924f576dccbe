"""Documents, and refactorings of them that callers can't notice."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import yaml

from dateline.openapi import Arrangement, slot

Document = dict[str, Any]


SHOP: Final = """\
openapi: 3.1.0
info: { title: Shop, version: '1' }
servers:
  - { url: https://shop.example }
  - url: https://{place}.shop.example
    variables: { place: { default: eu, enum: [eu, us, sg] } }
security: [{ key: [] }, { token: [read, write] }]
tags: [{ name: Orders }, { name: Items }]
paths:
  /orders/{id}:
    parameters: [{ $ref: '#/components/parameters/Id' }]
    get:
      operationId: getOrder
      tags: [Orders, Items]
      parameters:
        - { name: expand, in: query, schema: { type: array, items: { enum: [lines, payer] } } }
        - { name: X-Trace, in: header, schema: { type: string, maxLength: 20 } }
      responses:
        '200':
          description: an order
          headers: { X-Rate: { schema: { type: integer, minimum: 0 } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } }
        default: { $ref: '#/components/responses/Problem' }
    put:
      operationId: putOrder
      requestBody:
        required: true
        content:
          application/json:
            schema:
              allOf:
                - $ref: '#/components/schemas/Order'
                - { type: object, required: [lines], properties: { note: { type: string } } }
      responses:
        '204': { description: stored }
        '409':
          description: it is another
          content: { application/json: { schema: { $ref: '#/components/schemas/Once' } } }
      callbacks:
        stored:
          '{$request.body#/url}':
            post:
              requestBody:
                content:
                  application/json: { schema: { $ref: '#/components/schemas/Event' } }
              responses: { '200': { description: taken } }
webhooks:
  shipped:
    post:
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Event' } } }
      responses: { '200': { description: taken } }
components:
  parameters:
    Id: { name: id, in: path, required: true, schema: { type: string, format: uuid } }
  responses:
    Problem:
      description: a problem
      content:
        application/problem+json:
          schema:
            type: object
            required: [title]
            properties: { title: { type: string }, status: { type: integer } }
  securitySchemes:
    key: { type: apiKey, name: X-Key, in: header }
    token: { type: http, scheme: bearer }
  schemas:
    Order:
      type: object
      description: what was bought
      required: [id, lines, state]
      properties:
        id: { type: string, format: uuid, readOnly: true }
        lines: { type: array, minItems: 1, items: { $ref: '#/components/schemas/Line' } }
        state: { $ref: '#/components/schemas/State' }
        payer: { anyOf: [{ $ref: '#/components/schemas/Party' }, { type: 'null' }] }
        payment: { $ref: '#/components/schemas/Payment' }
        extra: { type: object, additionalProperties: { type: string, maxLength: 9 } }
        limits: { type: object, patternProperties: { ^x: { type: integer, maximum: 5 } } }
        total: { type: [integer, 'null'], exclusiveMinimum: 0, description: in cents }
        parent: { description: what it belongs to, $ref: '#/components/schemas/Order' }
        pair: { type: array, prefixItems: [{ type: string }, { type: integer }], items: false }
        odd: { not: { $ref: '#/components/schemas/Line' }, type: object }
    Line:
      allOf:
        - { type: object, required: [sku], properties: { sku: { type: string } } }
        - { type: object, properties: { count: { type: integer, minimum: 1 } } }
    State:
      type: string
      oneOf: [{ const: open, description: not paid }, { const: paid }, { const: sent }]
    Party:
      type: object
      required: [name]
      properties:
        name: { type: string }
        boss: { $ref: '#/components/schemas/Party' }
        kind: { type: string, x-extensible-enum: [person, firm], examples: [person, firm] }
    Payment:
      oneOf: [{ $ref: '#/components/schemas/Card' }, { $ref: '#/components/schemas/Cash' }]
      discriminator:
        propertyName: by
        mapping: { card: '#/components/schemas/Card', cash: '#/components/schemas/Cash' }
    Card:
      type: object
      required: [by, pan]
      properties: { by: { const: card }, pan: { type: string } }
    Cash:
      type: object
      required: [by]
      properties: { by: { const: cash }, till: { type: integer } }
    Once: { type: object, properties: { a: { type: string, pattern: ^a } } }
    Event:
      type: object
      properties:
        order: { $ref: '#/components/schemas/Order' }
        at: { type: string, format: date-time }
        data: { if: { required: [a] }, then: { required: [b] }, type: object }
    Unused: { type: object, properties: { a: { type: string } } }
"""


DATA: Final = Path(os.environ.get("DATELINE_DATA", ""))
"""A folder of folders, each with `base.json.gz` or `base.yml.gz` and the like."""


def _read(path: Path) -> Document:
    content = gzip.decompress(path.read_bytes())
    found: Document = (
        json.loads(content)
        if ".json" in path.suffixes
        else yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    )
    return found


def _shop() -> Document:
    found: Document = yaml.safe_load(SHOP)
    return found


DOCUMENTS: Final[dict[str, Callable[[], Document]]] = {
    "shop": _shop,
    **{
        path.parent.name: lambda path=path: _read(path)  # type: ignore[misc]
        for path in (sorted(DATA.glob("*/base.*.gz")) if DATA.name else ())
    },
}


def _rebuild(
    kind: str,
    node: Any,
    change: Callable[[str, Document, tuple[str | int, ...]], Any],
    path: tuple[str | int, ...] = (),
) -> Any:
    """Return *node* with every object in it changed, innermost first."""
    if not isinstance(node, dict):
        return node
    built: Document = {}
    for key, value in node.items():
        arrangement, below = slot(kind, key)
        if arrangement is Arrangement.ONE:
            built[key] = _rebuild(below, value, change, (*path, key))
        elif arrangement is Arrangement.MAP and isinstance(value, dict):
            built[key] = {
                name: _rebuild(below, child, change, (*path, key, name))
                for name, child in value.items()
            }
        elif arrangement is Arrangement.LIST and isinstance(value, list):
            built[key] = [
                _rebuild(below, child, change, (*path, key, index))
                for index, child in enumerate(value)
            ]
        else:
            built[key] = value
    return change(kind, built, path)


def extract(document: Document) -> Document:
    """Turn every inline schema into a component."""
    found: Document = {}

    def change(kind: str, node: Document, path: tuple[str | int, ...]) -> Any:
        if kind != "schema" or "$ref" in node or path[:-1] == ("components", "schemas"):
            return node
        name = f"Extracted{len(found)}"
        found[name] = node
        return {"$ref": f"#/components/schemas/{name}"}

    built: Document = _rebuild("document", document, change)
    built.setdefault("components", {}).setdefault("schemas", {}).update(found)
    return built


def inline(document: Document) -> Document:
    """Inline components that are referenced once.

    Only outside of schema components, so that what was inlined isn't visited again.
    """
    written = json.dumps(document)
    schemas: Document = document["components"]["schemas"]
    references = {name: json.dumps(f"#/components/schemas/{name}") for name in schemas}
    once = {
        json.loads(reference): schemas[name]
        for name, reference in references.items()
        if written.count(reference) == 1 and f"{reference[:-1]}/" not in written
    }
    used = set()

    def change(kind: str, node: Document, _path: tuple[str | int, ...]) -> Any:
        reference = node.get("$ref")
        if kind != "schema" or reference not in once:
            return node
        used.add(reference)
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return {**beside, "allOf": [once[reference]]} if beside else once[reference]

    components = {key: value for key, value in document["components"].items() if key != "schemas"}
    built: Document = _rebuild("document", {**document, "components": components}, change)
    built["components"]["schemas"] = {
        name: node for name, node in schemas.items() if f"#/components/schemas/{name}" not in used
    }
    return built


def rename(document: Document) -> Document:
    """Rename every schema component."""
    known = "|".join(map(re.escape, document["components"]["schemas"]))
    written = re.sub(
        rf'"#/components/schemas/(?=(?:{known})["/])',
        '"#/components/schemas/New.',
        json.dumps(document, ensure_ascii=False),
    )
    built: Document = json.loads(written)
    schemas = built["components"]["schemas"]
    built["components"]["schemas"] = {f"New.{name}": node for name, node in schemas.items()}
    return built


def wrap(document: Document) -> Document:
    """Wrap every schema in an `allOf`."""

    def change(kind: str, node: Document, _path: tuple[str | int, ...]) -> Any:
        return {"allOf": [node]} if kind == "schema" else node

    built: Document = _rebuild("document", document, change)
    return built


_UNORDERED: Final = frozenset(
    {"allOf", "oneOf", "anyOf", "required", "enum", "type", "parameters", "tags", "servers"}
    | {"security", "x-extensible-enum"}
)


def reorder(document: Document) -> Document:
    """Reverse every order that has no meaning."""

    def reverse(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: reverse(value[key]) for key in reversed(value)}
        return [reverse(item) for item in value] if isinstance(value, list) else value

    def change(kind: str, node: Document, _path: tuple[str | int, ...]) -> Any:
        return {
            key: value[::-1]
            if key in _UNORDERED and isinstance(value, list) and kind != "example"
            else value
            for key, value in node.items()
        }

    built: Document = reverse(_rebuild("document", document, change))
    return built


REFACTORINGS: Final = (extract, inline, rename, wrap, reorder)
