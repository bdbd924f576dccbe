"""An API with difficult names, such as none, keywords and duplicates, in every place."""

from __future__ import annotations

from typing import Final

VERSIONS: Final = """\
header: X-API-Version
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: The first }
  - { date: 2025-06-01, title: The second }
environments:
  production: { servers: [{ url: 'https://api.odd.example/v1' }] }
  sandbox: { servers: [{ url: 'https://sandbox.odd.example/v1' }] }
policy: dated-contract
lint: adopted
python: { package: odd }
"""

API: Final = r"""
openapi: 3.1.0
info: { title: Odd, version: canonical }
components:
  securitySchemes:
    Key: { type: apiKey, in: query, name: key }
    Token: { type: http, scheme: bearer }
    Login: { type: http, scheme: basic }
    Certificate: { type: mutualTLS }
  schemas:
    Thing:
      type: object
      required: [id, due, part]
      properties:
        id: { type: string }
        due: { type: string, format: date-time, x-was: { 2025-06-01: { format: date } } }
        part: { $ref: '#/components/schemas/Part' }
    Part:
      type: object
      required: [kind, size]
      properties:
        kind: { $ref: '#/components/schemas/Kind' }
        size: { type: integer, x-added: 2025-06-01 }
    Kind: { type: string, enum: [a, b] }
    PostThingsBody: { type: string }
  parameters:
    Class: { name: class, in: query, schema: { type: string, enum: [x, y], default: x } }
  responses:
    Bad:
      description: bad
      content:
        application/json: { schema: { oneOf: [{ type: string }, { type: array, items: {} }] } }
paths:
  /things:
    parameters: [{ $ref: '#/components/parameters/Class' }]
    get:
      security: [{ Key: [] }, { Token: [], Login: [] }]
      parameters:
        - name: from
          in: query
          schema: { type: array, items: { type: string, format: date } }
        - { name: self, in: query, schema: { type: integer, default: 3 } }
        - { name: X-Trace, in: header, schema: { type: string, x-extensible-enum: [q] } }
        - { name: body, in: cookie, schema: { type: boolean, default: true } }
        - { name: since, in: query, required: true, x-added: 2025-06-01, schema: { type: string } }
        - { name: list, in: query, schema: { type: array, items: { type: integer }, default: [] } }
        - { name: X-API-Version, in: header, schema: { type: string } }
      responses:
        '200':
          description: ok
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Thing' } }
        '400': { $ref: '#/components/responses/Bad' }
    post:
      description: "Says \"\"\"hello\"\"\", and \\ends with a quote \""
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [part]
              properties:
                part: { $ref: '#/components/schemas/Part' }
                class: { type: string, enum: [u, v] }
      responses:
        '201':
          description: made
          content:
            application/json:
              schema: { type: object, required: [id], properties: { id: { type: string } } }
        '202': { description: soon }
        '400': { $ref: '#/components/responses/Bad' }
  /things/{id}/import/{class}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string, format: uuid } }
      - { name: class, in: path, required: true, schema: { type: string } }
    put:
      operationId: import
      tags: [class]
      security: [{}, { Token: [] }]
      parameters: [{ name: id, in: query, deprecated: true, schema: { type: integer } }]
      requestBody: { content: { application/octet-stream: { schema: { type: string } } } }
      responses:
        '200': { description: ok, content: { text/csv: { schema: { type: string } } } }
        '204': { description: nothing }
    delete:
      operationId: list
      tags: [class]
      deprecated: true
      security: [{ Certificate: [] }]
      responses: { '302': { description: moved } }
"""

ODD: Final = {"versions.yaml": VERSIONS, "api.yaml": API}
