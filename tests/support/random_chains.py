"""Random versions of one API, whose documents may differ in anything that they can contain.

The first document is random, or the one below with every construct. From version to version, a few
random edits are made: some that callers notice, and some blind ones wherever they leave a valid
document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import repeat
from random import Random
from typing import Any, Final

import yaml

from dateline.load.checks import ODDITIES, find_problems
from dateline.model import Place
from support.checked import TABLE
from support.copies import copy_plain
from support.random_documents import Maker, edit_randomly, refactor_randomly
from support.schema_sites import Document

DATES: Final = ("2020-01-01", "2021-02-03", "2022-05-06", "2023-08-09", "2024-11-12")

EVERYTHING: Final = """
openapi: 3.1.0
info:
  title: Library
  version: '1'
  description: Lends books
  contact: { name: Desk, email: desk@library.example }
  license: { name: MIT }
  x-audience: all
servers:
  - url: https://{region}.library.example/v1
    variables: { region: { default: eu, enum: [eu, us] } }
  - { url: https://sandbox.library.example/v1, description: to try }
security: [{ key: [] }, { login: [read] }]
tags:
  - { name: Loans, description: What is lent, externalDocs: { url: https://library.example/l } }
  - { name: Readers }
externalDocs: { url: https://library.example/docs }
x-origin: { tool: hand, of: [1, 2.5, true, null] }
paths:
  /loans:
    summary: All of them
    parameters:
      - $ref: '#/components/parameters/Page'
      - { name: order, in: query, schema: { type: string, enum: [asc, desc] } }
    get:
      operationId: listLoans
      tags: [Loans, Readers]
      parameters:
        - { name: state, in: query, schema: { type: string, enum: [active, paused, returned] } }
        - { name: X-Trace, in: header, deprecated: true, schema: { type: string } }
        - name: filter
          in: query
          content: { application/json: { schema: { type: object, properties: { a: {} } } } }
      responses:
        '200':
          description: the loans
          headers:
            X-Total: { description: how many, schema: { type: integer } }
            X-Next: { $ref: '#/components/headers/Next' }
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Loan' } }
              examples:
                none: { value: [] }
                one: { $ref: '#/components/examples/One' }
          links:
            reader: { operationId: getReader, parameters: { id: $response.body#/0/reader } }
        4XX: { $ref: '#/components/responses/Problem' }
        default: { description: anything else }
    post:
      operationId: lend
      tags: [Loans]
      security: []
      servers: [{ url: https://write.library.example/v1 }]
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: '#/components/schemas/NewLoan' } }
          multipart/form-data:
            schema: { type: object, properties: { scan: { type: string, format: binary } } }
            encoding:
              scan: { contentType: image/png, headers: { X-Size: { schema: { type: integer } } } }
      callbacks:
        due:
          '{$request.body#/url}':
            post:
              requestBody: { $ref: '#/components/requestBodies/Due' }
              responses: { '204': { description: taken } }
      responses:
        '201':
          description: lent
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
  /readers/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getReader
      tags: [Readers]
      deprecated: true
      responses:
        '200':
          description: a reader
          content: { application/json: { schema: { $ref: '#/components/schemas/Reader' } } }
    delete: { operationId: dropReader, responses: { '204': { description: gone } } }
  /health:
    get: { operationId: health, responses: { '200': { description: well } } }
webhooks:
  returned:
    post:
      operationId: onReturned
      tags: [Loans]
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
      responses: { '200': { description: taken } }
  lost: { post: { responses: { '200': { description: taken } } } }
components:
  x-note: kept
  schemas:
    Loan:
      type: object
      required: [id, item, state, reader]
      properties:
        id: { type: string, format: uuid }
        item: { $ref: '#/components/schemas/Item', description: what is lent }
        state: { $ref: '#/components/schemas/State' }
        reader: { type: string, examples: [ann] }
        due: { type: [string, 'null'], format: date-time, default: null }
        fine: { type: number, minimum: 0, exclusiveMaximum: 100, multipleOf: 0.5 }
        tags: { type: array, maxItems: 3, uniqueItems: true, items: { type: string } }
        extra: true
      additionalProperties: false
    NewLoan:
      allOf:
        - { $ref: '#/components/schemas/Base' }
        - type: object
          required: [item]
          properties: { item: { type: string }, url: { type: string, format: uri } }
    Base: { type: object, properties: { note: { type: string, maxLength: 200, x-order: 1 } } }
    State: { type: string, enum: [active, paused, returned, null], title: State }
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }, { $ref: '#/components/schemas/Map' }]
      discriminator:
        propertyName: kind
        mapping: { book: '#/components/schemas/Book', map: '#/components/schemas/Map' }
    Book:
      type: object
      required: [kind]
      properties: { kind: { const: book }, pages: { type: integer } }
    Map:
      type: object
      required: [kind, scale]
      properties: { kind: { const: map }, scale: { type: integer } }
    Level: { oneOf: [{ const: 1, title: low }, { const: 2, title: high }] }
    Reader:
      type: object
      properties:
        name: { type: string, xml: { name: n, attribute: true } }
        address:
          anyOf:
            - { type: string }
            - { type: object, properties: { city: { type: string } } }
            - { type: 'null' }
        card:
          anyOf:
            - { type: string }
            - { $ref: '#/components/schemas/Card' }
            - { $ref: '#/components/schemas/LostCard' }
        friends: { type: array, items: { $ref: '#/components/schemas/Reader' } }
        spot: { type: array, prefixItems: [{ type: number }, { type: number }], items: false }
      patternProperties: { '^x-': { type: string } }
      propertyNames: { maxLength: 40 }
      dependentRequired: { address: [name] }
      dependentSchemas: { friends: { required: [name] } }
      if: { properties: { name: { const: ann } } }
      then: { required: [address] }
      else: { not: { required: [spot] } }
      $defs: { Word: { type: string } }
      unevaluatedProperties: { type: string }
      minProperties: 1
    Card:
      type: object
      required: [id, number]
      properties: { id: { type: string }, number: { type: string }, level: { type: integer } }
    LostCard:
      type: object
      required: [id, lost]
      properties: { id: { type: string }, lost: { type: boolean, enum: [true] } }
    Unused: { type: string, contentEncoding: base64, contentMediaType: image/png }
  parameters:
    Page:
      { name: page, in: query, style: form, explode: true, schema: { type: integer, default: 1 } }
    Old: { name: old, in: query, allowEmptyValue: true, schema: { type: string } }
  headers: { Next: { schema: { type: string }, example: b } }
  examples: { One: { summary: one, value: [{ id: a }] } }
  responses:
    Problem:
      { description: a problem, content: { application/json: { schema: { type: object } } } }
  requestBodies:
    Due:
      content:
        application/json: { schema: { type: object, properties: { day: { type: string } } } }
  links: { Self: { operationId: health } }
  callbacks:
    Ping: { '{$request.body#/url}': { post: { responses: { '204': { description: ok } } } } }
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    login:
      type: oauth2
      flows:
        clientCredentials: { tokenUrl: https://library.example/token, scopes: { read: to read } }
  pathItems: { Spare: { get: { responses: { '200': { description: spare } } } } }
"""

_Edit = Callable[[Random, Document, list[Document]], None]


def chains(
    seed: int, count: int, length: int = len(DATES), *, odd: bool = False
) -> Iterator[list[Document]]:
    """Yield *count* chains of *length* valid documents, oldest first.

    With *odd*, documents may contain what validators reject although it has only one meaning.
    """
    accepts = is_adoptable if odd else is_sound
    everything = yaml.load(EVERYTHING, yaml.CSafeLoader)
    for number in range(count):
        random = Random(f"{seed} {number}")
        first = copy_plain(everything)
        if random.random() < 0.5:
            first = next(filter(accepts, (Maker(random).document() for _ in repeat(None))))
        chain = [first]
        while len(chain) < length:
            chain.append(_next(random, chain, accepts))
        yield chain


def _next(random: Random, chain: list[Document], accepts: Callable[[Document], bool]) -> Document:
    document = copy_plain(chain[-1])
    for _ in range(random.choice((0, 1, 2, 3, 5, 8))):
        tried = copy_plain(document)
        if random.random() < 0.3 and "x-origin" not in tried:
            edit_randomly(random, tried)
        elif random.random() < 0.1 and "x-origin" not in tried:
            refactor_randomly(random, tried)
        else:
            random.choice(_BLIND)(random, tried, chain)
        if tried.get("openapi") == document["openapi"] and accepts(tried):
            document = tried
    return document


def is_sound(document: Document) -> bool:
    """Return whether *document* could be adopted alone, and has no oddities."""
    # cheaper first: the first problem shows that a document can't be adopted
    return is_adoptable(document) and not any(
        problem.id in _ODD for problem in find_problems(document, TABLE, _place)
    )


def is_adoptable(document: Document) -> bool:
    """Return whether *document* could be adopted alone."""
    if any(find_problems(document, replace(TABLE, adopted=True), _place)):
        return False
    # a component that is `true` or `false` can't have a gate
    schemas = document.get("components", {}).get("schemas", {})
    return all(isinstance(schema, dict) for schema in schemas.values())


_ODD: Final = ODDITIES | {"wrong-type", "missing-key"}


def _place(*_: Any, **__: Any) -> Place:
    return Place("", 1, 1)


# Blind edits of any mapping or list, whatever it means


def _holders(node: Any) -> Iterator[Any]:
    if isinstance(node, dict | list) and node:
        yield node
        for below in node.values() if isinstance(node, dict) else node:
            yield from _holders(below)


def _holder(random: Random, document: Document, kind: type) -> Any:
    return random.choice([one for one in _holders(document) if isinstance(one, kind)] or [kind()])


def _dropped(random: Random, document: Document, _: list[Document]) -> None:
    holder = _holder(random, document, dict)
    del holder[random.choice(list(holder))]


def _item_dropped(random: Random, document: Document, _: list[Document]) -> None:
    holder = _holder(random, document, list)
    if holder:
        del holder[random.randrange(len(holder))]


def _shuffled(random: Random, document: Document, _: list[Document]) -> None:
    random.shuffle(_holder(random, document, list))


def _repeated(random: Random, document: Document, _: list[Document]) -> None:
    holder = _holder(random, document, list)
    if holder:
        holder.insert(random.randint(0, len(holder)), copy_plain(random.choice(holder)))


def _renamed(random: Random, document: Document, _: list[Document]) -> None:
    holder = _holder(random, document, dict)
    name = random.choice(list(holder))
    items = [(f"{key}Too" if key == name else key, value) for key, value in holder.items()]
    holder.clear()
    holder.update(items)


def _doubled(random: Random, document: Document, _: list[Document]) -> None:
    holder = _holder(random, document, dict)
    name = random.choice(list(holder))
    holder[f"{name}{random.randint(1, 3)}"] = copy_plain(holder[name])


def _replaced(random: Random, document: Document, _: list[Document]) -> None:
    holder, other = _holder(random, document, dict), _holder(random, document, dict)
    holder[random.choice(list(holder))] = copy_plain(random.choice(list(other.values())))


def _altered(random: Random, document: Document, _: list[Document]) -> None:
    holder = _holder(random, document, dict)
    for name in random.sample(list(holder), len(holder)):
        value = holder[name]
        if isinstance(value, bool):
            holder[name] = not value
        elif isinstance(value, int | float):
            holder[name] = value + random.choice((1, 0.5, 2))
        elif isinstance(value, str):
            holder[name] = random.choice((f"{value}s", "", "null", "yes", "a\nb\n", "- x: #y"))
        elif value is None or random.random() < 0.1:
            holder[name] = random.choice((True, False, 0, 1, [], {}, None, "1", 1.0))
        else:
            continue
        return


def _brought_back(random: Random, document: Document, chain: list[Document]) -> None:
    """Restore a value of an older version at the same place."""
    older: Any = random.choice(chain)
    node: Any = document
    while True:
        keys = [key for key in older if key in node] if isinstance(node, dict) else []
        gone = [key for key in older if key not in node] if isinstance(node, dict) else []
        if gone and (not keys or random.random() < 0.5):
            key = random.choice(gone)
            node[key] = copy_plain(older[key])
            return
        keys = [key for key in keys if isinstance(older[key], dict)]
        if not keys:
            return
        key = random.choice(keys)
        if not isinstance(node[key], dict) or random.random() < 0.1:
            node[key] = copy_plain(older[key])
            return
        older, node = older[key], node[key]


_BLIND: Final[tuple[_Edit, ...]] = (
    *(_dropped, _item_dropped, _shuffled, _repeated, _renamed, _doubled),
    *(_replaced, _altered, _altered, _brought_back, _brought_back, _brought_back),
)


def plain(document: Document) -> Document:
    """Return *document* without empty `paths` and component sections."""
    components = {name: nodes for name, nodes in document.get("components", {}).items() if nodes}
    rest = {
        key: value
        for key, value in document.items()
        if key != "components" and (key, value) != ("paths", {})
    }
    return {**rest, "components": components} if components else rest
