"""Each key of dateline in every place is allowed, or reported with its right place."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Final

import pytest
import yaml
from support.checked import TABLE
from support.tables import cases

from dateline.load.checks import find_problems
from dateline.model import KEYS, Place, Problem

DOCUMENT: Final = yaml.safe_load("""
openapi: 3.1.0
info: { title: T, version: c, contact: { name: c }, license: { name: MIT } }
servers: [{ url: 'https://a.example/{x}', variables: { x: { default: y } } }]
tags: [{ name: T, externalDocs: { url: 'https://a.example' } }]
security: [{ key: [] }]
paths:
  /loans/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    post:
      operationId: addLoan
      tags: [T]
      parameters:
        - { name: q, in: query, schema: { type: string }, examples: { a: { value: x } } }
      requestBody:
        content:
          multipart/form-data:
            schema: { $ref: '#/components/schemas/Loan' }
            encoding: { id: { contentType: text/plain } }
      responses:
        '200':
          description: ok
          headers: { X-A: { schema: { type: string } } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Loan' }
              examples: { a: { value: { id: a } } }
          links: { next: { operationId: addLoan, parameters: { id: x } } }
      callbacks:
        done:
          '{$request.body#/url}':
            post: { operationId: done, tags: [T], responses: { '200': { description: ok } } }
components:
  securitySchemes:
    key:
      type: oauth2
      flows: { clientCredentials: { tokenUrl: 'https://a.example/t', scopes: { a: b } } }
  schemas:
    Loan:
      type: object
      required: [id]
      properties:
        id: { type: string }
        state: { type: string, oneOf: [{ const: a }, { const: b }] }
        map: { type: object, additionalProperties: { type: string } }
        list: { type: array, items: { type: string } }
        pet: { $ref: '#/components/schemas/Pet' }
    Pet:
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
      discriminator:
        propertyName: kind
        mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' }
    Cat: { type: object, required: [kind], properties: { kind: { type: string, const: cat } } }
    Dog: { type: object, required: [kind], properties: { kind: { type: string, const: dog } } }
""")

VALUES: Final[dict[str, Any]] = {
    "x-added": "2025-06-01",
    "x-removed": "2025-06-01",
    "x-was": {"2025-06-01": {"description": "Older."}},
    "x-shown-as": "a",
    "x-why": "Because.",
    "x-environments": ["sandbox"],
    "x-extensible-enum": ["a"],
}

NAMES: Final = (
    *("variables", "examples", "content", "encoding", "headers", "links", "callbacks"),
    *("securitySchemes", "schemas", "properties"),
)
"""What holds objects by names that others choose."""

ADVICE: Final = (
    *(
        "put it on ",
        "put it beside ",
        "put `x-was` on ",
        "put `x-was: {DATE: {security: ...}}` on ",
    ),
    *("leave it out", "write it there", "give it that type", "add one", "add x-added, "),
    *("leave one of the two out", "a tag comes and goes with the member"),
)


def find(document: dict[str, Any]) -> list[Problem]:
    return list(find_problems(document, TABLE, lambda *_, **__: Place("api.yaml", 1, 1)))


def places(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each mapping in the document."""
    if isinstance(node, dict):
        yield path
    pairs = node.items() if isinstance(node, dict) else enumerate(node)
    for key, below in pairs:
        if isinstance(below, dict | list):
            yield from places(below, (*path, key))


def problems_with(key: str, path: tuple[str | int, ...]) -> list[tuple[str, str]]:
    """Return the ids and messages of the problems when *key* is at *path*."""
    document = copy.deepcopy(DOCUMENT)
    node = document
    for step in path:
        node = node[step]
    node[key] = VALUES[key]
    return [(one.id, one.message) for one in find(document)]


def test_table_has_every_key() -> None:
    assert VALUES.keys() == KEYS
    assert find(DOCUMENT) == []


@pytest.mark.parametrize("key", VALUES)
def test_key_in_a_wrong_place_is_reported_with_the_right_one(key: str) -> None:
    reported = 0
    for path in places(DOCUMENT):
        said = problems_with(key, path)
        misplaced = [message for id, message in said if id == "misplaced-annotation"]
        for message in misplaced:
            assert message.startswith(f"`{key}` "), path
            assert message.split("; ")[-1].startswith(ADVICE), message
        # where it is allowed, or is a value, there is no problem
        others = {id for id, _ in said} - {"misplaced-annotation"}
        assert others <= {"unknown-key", "discriminator-property", "annotation-in-data"} | (
            {"status-code", "wrong-type", "history-without-effect"} if key == "x-was" else set()
        ), (path, said)
        reported += bool(misplaced)
    assert reported >= 20


@cases("key", VALUES)
def test_key_among_names_is_the_only_problem(key: str) -> None:
    for path in places(DOCUMENT):
        if (path and path[-1] in (*NAMES, "mapping", "scopes")) or path == ("security", 0):
            among = "security" if path == ("security", 0) else path[-1]
            ((id, message),) = problems_with(key, path)
            assert id == "misplaced-annotation", path
            assert message.startswith(f"`{key}` is among the names in `{among}`; "), message


@cases(
    ("key", "path", "message"),
    [
        (
            "x-added",
            "responses",
            "is not allowed on `responses`, which every version has; put it on a response",
        ),
        ("x-was", "responses", "is not allowed on `responses`; put it on a response"),
        ("x-why", "info", "is the reason for a gate, which `info` can't have; leave it out"),
        (
            "x-added",
            "discriminator",
            "is not allowed on a discriminator, which every version has; "
            "put `x-was` on the schema that it belongs to",
        ),
        ("x-was", "flows", "is not allowed on an oauth flows; put `x-was` on the security scheme"),
    ],
)
def test_gate_on_a_part_of_every_version_is_reported_with_an_alternative(
    key: str, path: str, message: str
) -> None:
    (at,) = [one for one in places(DOCUMENT) if one[-1:] == (path,)][:1]
    said = [text for id, text in problems_with(key, at) if id == "misplaced-annotation"]
    assert said == [f"`{key}` {message}"]
    assert not [text for id, text in problems_with(key, at) if id == "wrong-type"]


def test_header_may_have_the_name_of_a_key() -> None:
    document = copy.deepcopy(DOCUMENT)
    response = document["paths"]["/loans/{id}"]["post"]["responses"]["200"]
    response["headers"] = {key: {"schema": {"type": "string"}} for key in VALUES}
    assert find(document) == []
