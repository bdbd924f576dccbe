"""The definitions of the shop: six versions, with a gate of each kind."""

from __future__ import annotations

from typing import Final

VERSIONS: Final = (
    *("2023-01-10", "2023-07-01", "2024-02-15"),
    *("2024-10-01", "2025-05-20", "2026-01-15"),
)

_TABLE: Final = """\
header: X-API-Version
default: 2023-01-10
versions:
  - { date: 2023-01-10, title: Initial version }
  - { date: 2023-07-01, title: Packed orders }
  - { date: 2024-02-15, title: Customers }
  - { date: 2024-10-01, title: FedNow }
  - { date: 2025-05-20, title: Wallets }
  - { date: 2026-01-15, title: Badges }
environments:
  production: { servers: [{ url: https://shop.example/api }] }
  sandbox: { servers: [{ url: https://sandbox.shop.example/api }] }
policy: dated-contract
python: { package: shop }
"""

_API: Final = """\
openapi: 3.1.0
info: { title: Shop, version: canonical }
tags: [{ name: Shop }]
paths:
  /orders:
    get:
      operationId: listOrders
      tags: [Shop]
      parameters:
        - name: state
          in: query
          schema: { $ref: '#/components/schemas/OrderState' }
        - name: page_size
          in: query
          schema: { type: integer, minimum: 1, maximum: 50, default: 3 }
          x-was: { 2024-02-15: { name: limit } }
      responses:
        '200':
          description: a page
          headers:
            X-Total-Count:
              schema: { type: integer }
              x-was: { 2024-02-15: { name: X-Count } }
            X-Tags: { schema: { type: array, items: { type: string } } }
            X-Page: { content: { application/json: { schema: { type: object } } } }
            X-Left: { schema: { type: integer } }
            Set-Cookie: { schema: { type: string } }
          content:
            application/json:
              schema:
                type: object
                required: [items]
                properties:
                  items: { type: array, items: { $ref: '#/components/schemas/Order' } }
        '400': { $ref: '#/components/responses/Refused' }
    post:
      operationId: createOrder
      tags: [Shop]
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/OrderDraft' } } }
      responses:
        '201': { $ref: '#/components/responses/Order' }
        '400': { $ref: '#/components/responses/Refused' }
  /orders/{id}:
    get:
      operationId: getOrder
      tags: [Shop]
      parameters: [{ $ref: '#/components/parameters/Id' }]
      responses:
        '200': { $ref: '#/components/responses/Order' }
        '404': { $ref: '#/components/responses/Refused' }
  /orders/{id}/simulate:
    x-environments: [sandbox]
    post:
      operationId: simulateOrder
      tags: [Shop]
      parameters: [{ $ref: '#/components/parameters/Id' }]
      responses: { '200': { $ref: '#/components/responses/Order' } }
  /categories/{id}:
    get:
      operationId: getCategory
      tags: [Shop]
      parameters: [{ $ref: '#/components/parameters/Id' }]
      responses:
        '200':
          description: a category
          content: { application/json: { schema: { $ref: '#/components/schemas/Category' } } }
  /stock/{sku}:
    get:
      operationId: getStock
      tags: [Shop]
      parameters: [{ name: sku, in: path, required: true, schema: { type: string } }]
      responses:
        '200':
          description: what is there
          content: { application/json: { schema: { $ref: '#/components/schemas/Stock' } } }
components:
  parameters:
    Id: { name: id, in: path, required: true, schema: { type: string } }
  responses:
    Order:
      description: an order
      content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } }
    Refused:
      description: refused
      content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
  schemas:
    Error:
      type: object
      required: [message]
      properties:
        message: { type: string }
        hint: { type: string, x-added: 2025-05-20 }
    Stock:
      type: object
      required: [sku, count]
      properties: { sku: { type: string }, count: { type: integer } }
    OrderState:
      type: string
      oneOf:
        - const: draft
        - const: placed
        - { const: packed, x-added: 2023-07-01, x-shown-as: placed }
        - { const: returned, x-added: 2025-05-20, x-shown-as: placed }
    OrderDraft:
      type: object
      required: [customer_name, payment]
      properties:
        customer_name: { type: string, x-was: { 2024-02-15: { name: buyer } } }
        payment: { $ref: '#/components/schemas/Payment' }
        wanted_at: { type: string, format: date-time, x-was: { 2024-10-01: { format: date } } }
        note: { type: string, x-removed: 2025-05-20 }
        express: { type: boolean, x-added: 2023-07-01 }
    Order:
      type: object
      required: [id, customer_name, state, payment, lines, placed_at]
      properties:
        id: { type: string }
        customer_name: { type: string, x-was: { 2024-02-15: { name: buyer } } }
        state: { $ref: '#/components/schemas/OrderState' }
        payment: { $ref: '#/components/schemas/Payment' }
        refunds: { type: object, additionalProperties: { $ref: '#/components/schemas/Payment' } }
        lines: { type: array, items: { $ref: '#/components/schemas/Line' } }
        placed_at: { type: string, format: date-time, x-was: { 2024-10-01: { format: date } } }
        trace: { type: string, x-environments: [sandbox] }
        express: { type: boolean, x-added: 2023-07-01 }
    Line:
      type: object
      required: [sku, weight, attributes]
      properties:
        sku: { type: string }
        weight: { type: integer, x-was: { 2023-07-01: { type: string } } }
        attributes:
          type: array
          items: { type: object, additionalProperties: { $ref: '#/components/schemas/Attribute' } }
    Attribute:
      type: object
      required: [label]
      properties:
        label: { type: string, x-was: { 2023-07-01: { name: title } } }
        unit: { type: string, x-added: 2024-10-01 }
    Payment:
      oneOf:
        - $ref: '#/components/schemas/Card'
        - $ref: '#/components/schemas/Transfer'
        - $ref: '#/components/schemas/Wallet'
          x-added: 2025-05-20
          x-shown-as: { kind: card, last4: '0000' }
      discriminator:
        propertyName: kind
        mapping:
          card: '#/components/schemas/Card'
          transfer: '#/components/schemas/Transfer'
          wallet: '#/components/schemas/Wallet'
    Card:
      type: object
      required: [kind, last4]
      properties:
        kind: { const: card }
        last4: { type: string }
        brand: { type: string, x-added: 2024-02-15 }
    Transfer:
      type: object
      required: [kind, bank]
      properties:
        kind: { const: transfer }
        bank: { $ref: '#/components/schemas/Bank' }
    Wallet:
      type: object
      required: [kind, owner]
      properties: { kind: { const: wallet }, owner: { type: string } }
    Bank:
      oneOf:
        - $ref: '#/components/schemas/Iban'
        - $ref: '#/components/schemas/FedNow'
          x-added: 2024-10-01
          x-shown-as: { scheme: iban, iban: none }
      discriminator:
        propertyName: scheme
        mapping: { iban: '#/components/schemas/Iban', fednow: '#/components/schemas/FedNow' }
    Iban:
      type: object
      required: [scheme, iban]
      properties: { scheme: { const: iban }, iban: { type: string } }
    FedNow:
      type: object
      required: [scheme, routing]
      properties: { scheme: { const: fednow }, routing: { type: string } }
    Category:
      type: object
      required: [label]
      properties:
        label: { type: string, x-was: { 2023-07-01: { name: title } } }
        badge: { type: string, x-added: 2026-01-15 }
        children: { type: array, items: { $ref: '#/components/schemas/Category' } }
        related: { type: object, additionalProperties: { $ref: '#/components/schemas/Category' } }
"""

FILES: Final = {"versions.yaml": _TABLE, "api.yaml": _API}
