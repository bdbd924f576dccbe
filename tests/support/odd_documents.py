"""A valid document, the oddities of published ones, and all kinds of objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

CASES: list[dict[str, Any]] = yaml.load(
    Path(__file__).with_name("oddities.yaml").read_text("utf-8"), yaml.CSafeLoader
)

SOUND: dict[str, Any] = yaml.safe_load("""
openapi: 3.0.3
info: { title: Library, version: '1' }
servers: [{ url: 'https://library.example/v1' }]
security: [{ key: [] }]
paths:
  /loans/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getLoan
      parameters: [{ name: q, in: query, schema: { type: string } }]
      responses:
        '200':
          description: the loan
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
  /loans:
    post:
      operationId: makeLoan
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
      responses:
        '201':
          description: the loan
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Loan:
      type: object
      required: [id]
      properties:
        id: { type: string }
        state: { type: string, enum: [a, b] }
        pet: { $ref: '#/components/schemas/Pet' }
    Pet:
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
      discriminator:
        propertyName: kind
        mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' }
    Cat: { type: object, required: [kind], properties: { kind: { type: string } } }
    Dog: { type: object, required: [kind], properties: { kind: { type: string } } }
""")


EVERY_OBJECT: dict[str, Any] = yaml.safe_load("""
openapi: 3.2.0
info: { title: Library, version: '1', contact: {}, license: { name: MIT } }
servers: [{ url: '/{v}', variables: { v: { default: a } } }]
tags: [{ name: a, externalDocs: { url: a } }]
paths:
  /loans:
    parameters: [{ name: q, in: query, schema: { $anchor: a } }]
    post:
      requestBody:
        content:
          application/json:
            schema: { $dynamicRef: '#a', discriminator: { propertyName: a }, xml: {} }
            examples: { a: { value: 1 } }
            encoding: { a: { contentType: a } }
      responses:
        "200":
          description: a
          headers: { X-A: { schema: {} } }
          links: { a: { operationId: a } }
      callbacks: { a: { b: {} } }
components:
  securitySchemes: { a: { type: oauth2, flows: { implicit: { scopes: {} } } } }
""")


PATH = "/loans/{id}"

ROOTS: dict[str, tuple[str, ...]] = {
    "item": ("paths", PATH),
    "get": ("paths", PATH, "get"),
    "post": ("paths", "/loans", "post"),
    "schemas": ("components", "schemas"),
    "schemes": ("components", "securitySchemes"),
    "properties": ("components", "schemas", "Loan", "properties"),
}
"""What the first word of a place stands for; others are keys of the document."""


def find(document: Any, place: str) -> tuple[Any, Any]:
    """Return the container of the node at *place*, and the node's key or index in it."""
    first, *below = place.split("/")
    *steps, last = [*ROOTS.get(first, (first,)), *below]
    for step in steps:
        document = document[int(step) if isinstance(document, list) else step]
    return document, int(last) if isinstance(document, list) else last


def edit(document: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    """Apply the edits of *case* to *document*, and return it."""
    for place, value in case.get("put", {}).items():
        holder, last = find(document, place)
        holder[last] = value
    for place in case.get("drop", ()):
        holder, last = find(document, place)
        del holder[last]
    document["paths"][PATH]["get"]["parameters"] += case.get("parameters", ())
    if "path" in case:
        document["paths"][case["path"]] = document["paths"].pop(PATH)
    return document


def adds_only(document: dict[str, Any], case: dict[str, Any]) -> bool:
    """Return whether *case* only adds to *document*."""
    places = (find(document, place) for place in case.get("put", {}))
    return not case.keys() & {"drop", "path"} and all(last not in each for each, last in places)
