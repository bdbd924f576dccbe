"""An API with a discriminated union and a discriminated parent without a list of its children."""

from __future__ import annotations

from typing import Final

PETS: Final = {
    "versions.yaml": """\
header: X-V
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: First. }
  - { date: next, title: Being prepared., draft: true }
environments:
  production: { servers: [{ url: https://api.pets.example }] }
policy: dated-contract
python: { package: pets }
""",
    "pets.yaml": """\
openapi: 3.1.0
info: { title: Pets, version: '1' }
servers: [{ url: https://api.pets.example }]
tags: [{ name: P, description: pets }]
paths:
  /pets:
    get:
      operationId: listPets
      summary: List pets
      tags: [P]
      parameters: [{ name: X-V, in: header, schema: { type: string } }]
      responses:
        '200':
          description: pets
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Pet' } }
    post:
      operationId: addItem
      summary: Add an item
      tags: [P]
      parameters: [{ name: X-V, in: header, schema: { type: string } }]
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } }
      responses:
        '200':
          description: item
          content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } }
components:
  schemas:
    Pet:
      type: object
      required: [kind]
      properties:
        kind: { type: string }
        name: { type: string }
      discriminator: { propertyName: kind }
    Cat:
      allOf:
        - $ref: '#/components/schemas/Pet'
        - type: object
          properties: { claws: { type: integer } }
    Item:
      oneOf:
        - $ref: '#/components/schemas/Book'
        - $ref: '#/components/schemas/Disc'
      discriminator:
        propertyName: kind
        mapping: { book: '#/components/schemas/Book', disc: '#/components/schemas/Disc' }
    Book:
      type: object
      required: [kind]
      properties:
        kind: { type: string }
        pages: { type: integer }
    Disc:
      type: object
      required: [kind]
      properties:
        kind: { type: string }
        minutes: { type: integer }
""",
}
