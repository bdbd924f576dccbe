"""Write the sources of a large API with any number of versions, the same text every time.

200 operations and 400 models: forty resources with five operations and nine or ten models each, and
ten models that all of them share. Every version after the first edits five types, each in another
way: a field renamed, a required field added, an enum value added, a union member added, a request
field removed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

OPERATIONS: Final = 200
MODELS: Final = 400

RESOURCES: Final = (
    *("Account", "Agreement", "Alert", "Balance", "Batch", "Booking", "Branch", "Budget"),
    *("Campaign", "Carrier", "Claim", "Contract", "Coupon", "Depot", "Deposit", "Device"),
    *("Dispute", "Document", "Employee", "Event", "Facet", "Forecast", "Grant", "Invoice"),
    *("Journal", "Ledger", "License", "Location", "Mandate", "Member", "Notice", "Order"),
    *("Parcel", "Payout", "Permit", "Project", "Quote", "Refund", "Shipment", "Tariff"),
)

# The edit of a version at the place of a resource marked with the same word.
_EDITS: Final = {
    "line": "x-was: {{ {date}: {{ name: item_count }} }}",
    "state": "x-added: {date}\n          x-shown-as: active",
    "method": "x-added: {date}\n          x-shown-as: {{ kind: card, label: x, digits: '0000' }}",
    "details": "x-added: {date}",
    "input": "x-removed: {date}",
}

_VERSIONS: Final = """\
header: X-API-Version
default: {default}
versions:
{versions}
environments:
  production: {{ servers: [{{ url: https://api.synthetic.example/api }}] }}
policy: dated-contract
python: {{ package: synthetic }}
"""

_HEAD: Final = """\
openapi: 3.1.0
info:
  title: Synthetic
  version: canonical
  description: A large API, made to be measured.
tags:
{tags}
security:
  - ApiKey: []
components:
  securitySchemes:
    ApiKey: {{ type: apiKey, in: header, name: X-API-Key, description: A secret of the caller. }}
  parameters:
    ApiVersion:
      name: X-API-Version
      in: header
      description: The version to serve, as a date `YYYY-MM-DD`.
      schema: {{ type: string }}
    Cursor:
      name: cursor
      in: query
      description: The cursor of the page before.
      schema: {{ type: string, format: uuid }}
    PageSize:
      name: page_size
      in: query
      description: How many items a page holds.
      schema: {{ type: integer, minimum: 1, maximum: 100, default: 10 }}
  headers:
    ServedVersion:
      description: The version served.
      schema: {{ type: string }}
  responses:
    Refused:
      description: The request can't be read.
      headers:
        X-API-Version: {{ $ref: '#/components/headers/ServedVersion' }}
      content:
        application/json:
          schema: {{ $ref: '#/components/schemas/ApiError' }}
    NotFound:
      description: There is no such thing.
      headers:
        X-API-Version: {{ $ref: '#/components/headers/ServedVersion' }}
      content:
        application/json:
          schema: {{ $ref: '#/components/schemas/ApiError' }}
  schemas:
    ApiError:
      type: object
      description: What went wrong.
      required: [message, trace_id]
      properties:
        message: {{ type: string, description: What happened. }}
        trace_id: {{ type: string, description: To be quoted when asking. }}
        details:
          type: array
          description: Each field that is wrong.
          items: {{ $ref: '#/components/schemas/ErrorDetail' }}
    ErrorDetail:
      type: object
      description: One field that is wrong.
      required: [field, reason]
      properties:
        field: {{ type: string, description: Its name. }}
        reason: {{ type: string, description: What is wrong with it. }}
    Money:
      type: object
      description: An amount in a currency.
      required: [amount, currency]
      properties:
        amount: {{ type: string, pattern: '^[0-9]+[.][0-9]+$', description: A decimal number. }}
        currency: {{ $ref: '#/components/schemas/Currency' }}
    Currency:
      type: string
      description: A currency.
      enum: [EUR, USD, GBP, CHF, JPY, SEK, NOK, DKK, PLN, CZK]
    Country:
      type: string
      description: A country.
      enum: [AT, BE, CH, CZ, DE, DK, ES, FR, GB, IT, JP, NL, 'NO', PL, PT, SE, US]
    PostalAddress:
      type: object
      description: Where letters go.
      required: [street, city, country]
      properties:
        street: {{ type: string, maxLength: 200, description: Street and number. }}
        city: {{ type: string, maxLength: 100, description: City. }}
        postal_code: {{ type: string, maxLength: 16, description: Postal code. }}
        country: {{ $ref: '#/components/schemas/Country' }}
    Person:
      type: object
      description: Somebody.
      required: [id, name]
      properties:
        id: {{ type: string, format: uuid, description: Who it is. }}
        name: {{ type: string, minLength: 1, maxLength: 200, description: As they write it. }}
        born: {{ type: string, format: date, description: Day of birth. }}
        address: {{ $ref: '#/components/schemas/PostalAddress' }}
    Period:
      type: object
      description: A time with a beginning.
      required: [begin]
      properties:
        begin: {{ type: string, format: date-time, description: The first moment. }}
        end: {{ type: string, format: date-time, description: The first moment after it. }}
    Channel:
      type: string
      description: How something reached us.
      enum: [desk, app, telephone, letter]
    Metadata:
      type: object
      description: Whatever the caller keeps here.
      additionalProperties: {{ type: string, maxLength: 500 }}
"""

_RESOURCE: Final = """\
paths:
  /things:
    get:
      operationId: listThings
      tags: [Thing]
      summary: List things
      description: Returns the things of the caller, newest first, a page at a time.
      parameters:
        - { $ref: '#/components/parameters/Cursor' }
        - { $ref: '#/components/parameters/PageSize' }
        - name: state
          in: query
          description: Only things in these states.
          explode: false
          schema: { type: array, items: { type: string, enum: [active, closed] } }
        - name: search_term
          in: query
          description: Only things that hold this text.
          schema: { type: string, maxLength: 256 }
        - { $ref: '#/components/parameters/ApiVersion' }
      responses:
        '200':
          description: A page of things.
          headers: { X-API-Version: { $ref: '#/components/headers/ServedVersion' } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/ThingPage' }
        '400': { $ref: '#/components/responses/Refused' }
    post:
      operationId: createThing
      tags: [Thing]
      summary: Create a thing
      description: Creates a thing and returns it.
      parameters:
        - { $ref: '#/components/parameters/ApiVersion' }
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/ThingInput' }
      responses:
        '200':
          description: The new thing.
          headers: { X-API-Version: { $ref: '#/components/headers/ServedVersion' } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Thing' }
        '400': { $ref: '#/components/responses/Refused' }
  /things/{id}:
    get:
      operationId: getThing
      tags: [Thing]
      summary: Get a thing
      description: Returns a thing by its id.
      parameters:
        - name: id
          in: path
          required: true
          description: Id of the thing.
          schema: { type: string, format: uuid }
        - { $ref: '#/components/parameters/ApiVersion' }
      responses:
        '200':
          description: The thing.
          headers: { X-API-Version: { $ref: '#/components/headers/ServedVersion' } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Thing' }
        '404': { $ref: '#/components/responses/NotFound' }
    put:
      operationId: updateThing
      tags: [Thing]
      summary: Update a thing
      description: Replaces what the caller may write of a thing.
      parameters:
        - name: id
          in: path
          required: true
          description: Id of the thing.
          schema: { type: string, format: uuid }
        - { $ref: '#/components/parameters/ApiVersion' }
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/ThingInput' }
      responses:
        '200':
          description: The thing as it is now.
          headers: { X-API-Version: { $ref: '#/components/headers/ServedVersion' } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Thing' }
        '400': { $ref: '#/components/responses/Refused' }
        '404': { $ref: '#/components/responses/NotFound' }
    delete:
      operationId: deleteThing
      tags: [Thing]
      summary: Delete a thing
      description: Deletes a thing for good.
      parameters:
        - name: id
          in: path
          required: true
          description: Id of the thing.
          schema: { type: string, format: uuid }
        - { $ref: '#/components/parameters/ApiVersion' }
      responses:
        '204':
          description: It is gone.
          headers: { X-API-Version: { $ref: '#/components/headers/ServedVersion' } }
        '404': { $ref: '#/components/responses/NotFound' }
components:
  schemas:
    Thing:
      type: object
      description: A thing.
      required: [id, state, amount, details, lines, method, owner, created_at]
      properties:
        id: { type: string, format: uuid, description: Id of the thing. }
        state: { $ref: '#/components/schemas/ThingState' }
        channel: { $ref: '#/components/schemas/Channel' }
        reason: { type: string, x-extensible-enum: [first, repeated], description: Why. }
        amount: { $ref: '#/components/schemas/Money' }
        details: { $ref: '#/components/schemas/ThingDetails' }
        lines:
          type: array
          description: What it consists of.
          items: { $ref: '#/components/schemas/ThingLine' }
        method: { $ref: '#/components/schemas/ThingMethod' }
        owner: { $ref: '#/components/schemas/Person' }
        labels:
          type: array
          description: Words to find it by.
          items: { type: string, maxLength: 40 }
        note: { type: [string, 'null'], maxLength: 1000, description: For people. }
        metadata: { $ref: '#/components/schemas/Metadata' }
        previous: { $ref: '#/components/schemas/PreviousDetails' }
        created_at: { type: string, format: date-time, description: When it was made. }
        updated_at: { type: string, format: date-time, description: When it last changed. }
    ThingState:
      type: string
      description: State of a thing.
      oneOf:
        - { const: draft, description: Not yet in force. }
        - { const: active, description: In force. }
        - const: paused
          description: In force again later.
          # state
        - { const: closed, description: No longer in force. }
    ThingDetails:
      type: object
      description: More about a thing.
      required: [reference, period, score]
      properties:
        reference: { type: string, maxLength: 64, description: What the owner calls it. }
        period: { $ref: '#/components/schemas/Period' }
        address: { $ref: '#/components/schemas/PostalAddress' }
        limit: { $ref: '#/components/schemas/Money' }
        share: { type: number, minimum: 0, maximum: 1, description: Part of the whole. }
        score:
          type: integer
          description: From bad to good.
          minimum: 0
          maximum: 1000
          # details
        contact:
          type: object
          description: Whom to ask.
          properties:
            name: { type: string, description: Name of the contact. }
            telephone: { type: string, maxLength: 30, description: With country code. }
    ThingLine:
      type: object
      description: A part of a thing.
      required: [position, quantity, price]
      properties:
        position: { type: integer, minimum: 1, description: From 1. }
        quantity:
          type: integer
          description: How many.
          minimum: 0
          # line
        price: { $ref: '#/components/schemas/Money' }
        unit: { type: string, enum: [piece, hour, kilogram], description: Of the quantity. }
        text: { type: string, maxLength: 200, description: What it is. }
        optional: { type: boolean, default: false, description: Whether it may be left out. }
    ThingMethod:
      description: How a thing is settled.
      oneOf:
        - $ref: '#/components/schemas/ThingCard'
MEMBERS
      discriminator:
        propertyName: kind
        mapping:
          card: '#/components/schemas/ThingCard'
          transfer: '#/components/schemas/ThingTransfer'
    ThingCard:
      type: object
      description: Settled by card.
      required: [kind, label, digits]
      properties:
        kind: { const: card, type: string, description: Which member this is. }
        label: { type: string, description: Name of the card. }
        digits: { type: string, pattern: '^[0-9]{4}$', description: The last four digits. }
        expires: { type: string, format: date, description: Last day. }
    ThingTransfer:
      type: object
      description: Settled by bank transfer.
      required: [kind, label, iban]
      properties:
        kind: { const: transfer, type: string, description: Which member this is. }
        label: { type: string, description: Name of the bank account. }
        iban: { type: string, maxLength: 34, description: Number of the bank account. }
        holder: { $ref: '#/components/schemas/Person' }
    ThingInput:
      type: object
      description: What the caller may write of a thing.
      additionalProperties: false
      required: [amount, reference]
      properties:
        amount: { $ref: '#/components/schemas/Money' }
        reference: { type: string, maxLength: 64, description: What the owner calls it. }
        channel: { $ref: '#/components/schemas/Channel' }
        labels:
          type: array
          description: Words to find it by.
          maxItems: 20
          items: { type: string, maxLength: 40 }
        priority:
          type: integer
          description: From low to high.
          minimum: 1
          maximum: 5
          # input
        note: { type: [string, 'null'], maxLength: 1000, description: For people. }
    ThingPage:
      type: object
      description: A page of things.
      required: [items]
      properties:
        items:
          type: array
          description: The things of this page.
          items: { $ref: '#/components/schemas/Thing' }
        cursor: { type: string, format: uuid, description: Leads to the next page. }
"""

_WALLET: Final = """\
    ThingWallet:
      type: object
      description: Settled from a wallet.
      required: [kind, label, wallet]
      properties:
        kind: { const: wallet, type: string, description: Which member this is. }
        label: { type: string, description: Name of the wallet. }
        wallet: { type: string, format: uuid, description: Id of the wallet. }
"""


def dates(versions: int) -> list[str]:
    """Return the dates of that many versions, a month apart."""
    return [f"{2020 + number // 12}-{number % 12 + 1:02}-01" for number in range(versions)]


def edits(versions: int) -> dict[tuple[str, str], str]:
    """Return the date of each edit by its place (line, state, ...) and the resource's name.

    With more than 40 versions, the last ones make the edits of the first ones, which then make
    none.
    """
    return {
        (place, RESOURCES[(number + 8 * lane) % len(RESOURCES)]): date
        for number, date in enumerate(dates(versions))
        if number
        for lane, place in enumerate(_EDITS)
    }


def members(name: str) -> list[str]:
    """Return the kinds of settlement of *name*; an edit of `method` adds the last of them."""
    # three of four have a third one: 300 + 90 models, and ten shared ones
    return ["Card", "Transfer"] + (["Wallet"] if RESOURCES.index(name) % 4 != 3 else [])


def write(folder: Path, versions: int, resources: int = len(RESOURCES)) -> None:
    """Write the sources of an API with that many *versions* (1 to 50) and *resources*."""
    folder.mkdir(parents=True)
    known = dates(versions)
    rows = "\n".join(f"  - {{ date: {date}, title: What came with {date}. }}" for date in known)
    tags = "\n".join(f"  - {{ name: {name}, description: {name}s. }}" for name in RESOURCES)
    (folder / "versions.yaml").write_text(_VERSIONS.format(default=known[0], versions=rows))
    (folder / "api.yaml").write_text(_HEAD.format(tags=tags))
    edited = {
        (place, name): _EDITS[place].format(date=date)
        for (place, name), date in edits(versions).items()
    }
    names = RESOURCES[:resources]
    for name, previous in zip(names, (names[-1], *names), strict=False):
        (folder / f"{name.lower()}s.yaml").write_text(_resource(name, previous, edited))


def _resource(name: str, previous: str, edited: dict[tuple[str, str], str]) -> str:
    text = _RESOURCE
    if "Wallet" in members(name):
        text += _WALLET
        text = text.replace(
            "ThingTransfer'\n    ThingCard",
            "ThingTransfer'\n          wallet: '#/components/schemas/ThingWallet'\n    ThingCard",
        )
    # the first version is there already, and the edit goes below the last line
    listed = "\n".join(
        f"        - $ref: '#/components/schemas/Thing{m}'" for m in members(name)[1:]
    )
    text = text.replace("MEMBERS", f"{listed}\n          # method")
    for place in _EDITS:
        text = text.replace(f"# {place}\n", edited.get((place, name), "# as ever") + "\n")
    return text.replace("Previous", previous).replace("Thing", name).replace("thing", name.lower())
