"""An API of streams with three versions, and applications that serve it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from support.generated_server import Generated
from support.sources import loaded

OLD, MIDDLE, NEW = "2024-01-15", "2024-09-01", "2025-06-01"

_TABLE: Final = f"""\
header: X-API-Version
default: {OLD}
versions:
  - {{ date: {OLD}, title: First }}
  - {{ date: {MIDDLE}, title: Second }}
  - {{ date: {NEW}, title: Third }}
environments:
  production: {{ servers: [{{ url: https://feeds.example/api }}] }}
policy: dated-contract
python: {{ package: feeds }}
"""

_API: Final = f"""\
openapi: 3.2.0
info: {{ title: Feeds, version: canonical }}
tags: [{{ name: Feeds }}]
paths:
  /events:
    get:
      operationId: listenToEvents
      tags: [Feeds]
      responses:
        '200':
          description: the data of each event is a tick
          headers: {{ X-Feed: {{ schema: {{ type: string }}, x-added: {NEW} }} }}
          content: {{ text/event-stream: {{ schema: {{ $ref: '#/components/schemas/Tick' }} }} }}
        '404': {{ $ref: '#/components/responses/Refused' }}
  /envelopes:
    get:
      operationId: listenToEnvelopes
      tags: [Feeds]
      responses:
        '200':
          description: events with more than data
          content:
            text/event-stream:
              itemSchema:
                type: object
                required: [data, event]
                properties:
                  data: {{ type: string }}
                  id: {{ type: string }}
                  event:
                    type: string
                    oneOf: [{{ const: old }}, {{ const: new, x-added: {NEW}, x-shown-as: old }}]
  /texts:
    get:
      operationId: listenToTexts
      tags: [Feeds]
      responses:
        '200':
          description: events of text
          content:
            text/event-stream: {{ schema: {{ type: string }} }}
  /lines:
    get:
      operationId: readLines
      tags: [Feeds]
      responses:
        '200':
          description: a tick on each line
          content:
            application/x-ndjson: {{ itemSchema: {{ $ref: '#/components/schemas/Tick' }} }}
    post:
      operationId: writeLines
      tags: [Feeds]
      requestBody:
        required: true
        content:
          application/x-ndjson: {{ itemSchema: {{ $ref: '#/components/schemas/Draft' }} }}
      responses:
        '200':
          description: what has been read
          content:
            application/json:
              schema: {{ type: array, items: {{ $ref: '#/components/schemas/Draft' }} }}
        '400': {{ $ref: '#/components/responses/Refused' }}
  /records:
    get:
      operationId: readRecords
      tags: [Feeds]
      responses:
        '200':
          description: a sequence of JSON texts, or all of them
          content:
            application/json:
              schema: {{ type: array, items: {{ $ref: '#/components/schemas/Tick' }} }}
            application/json-seq:
              schema: {{ type: array, items: {{ $ref: '#/components/schemas/Tick' }} }}
  /files:
    get:
      operationId: readFile
      tags: [Feeds]
      responses:
        '200': {{ description: a file, content: {{ application/octet-stream: {{}} }} }}
    post:
      operationId: writeFile
      tags: [Feeds]
      requestBody: {{ required: true, content: {{ application/octet-stream: {{}} }} }}
      responses:
        '200':
          description: how long it is
          content: {{ application/json: {{ schema: {{ type: integer }} }} }}
components:
  responses:
    Refused:
      description: refused
      content:
        application/json:
          schema:
            type: object
            required: [message]
            properties: {{ message: {{ type: string }} }}
  schemas:
    Draft:
      type: object
      required: [title]
      properties:
        title: {{ type: string, x-was: {{ {MIDDLE}: {{ name: name }} }} }}
        secret: {{ type: string, x-added: {NEW} }}
    Tick:
      oneOf:
        - {{ $ref: '#/components/schemas/Plain' }}
        - {{ $ref: '#/components/schemas/Extra', x-added: {NEW} }}
      discriminator:
        propertyName: kind
        mapping:
          plain: '#/components/schemas/Plain'
          extra: '#/components/schemas/Extra'
    Plain:
      type: object
      required: [kind, count]
      properties:
        kind: {{ const: plain }}
        count: {{ type: integer, x-was: {{ {MIDDLE}: {{ name: number }} }} }}
        secret: {{ type: string, x-added: {NEW} }}
    Extra:
      type: object
      required: [kind]
      properties: {{ kind: {{ const: extra }} }}
"""


def make_plain_tick(count: int) -> dict[str, Any]:
    """Return a tick in the newest form, of a kind that every version has."""
    return {"kind": "plain", "count": count, "secret": "s"}


EXTRA: Final = {"kind": "extra"}
"""A tick that only the newest version has."""


class Feeds:
    """The package of the API, as a server with handlers or around an application."""

    def __init__(self, folder: Path) -> None:
        api = loaded(folder / "schemas", {"versions.yaml": _TABLE, "openapi.yaml": _API})
        self.package = Generated(folder, api, "feeds")
        self.server = self.package.module("server")

    def serve(self, handlers: Any, **said: Any) -> Any:
        """Return the generated server with *handlers*; missing handlers answer 501."""
        settings = self.server.Settings(unwritten="501", **said)
        handlers = self.server.Handlers(feeds=handlers)
        return self.server.create_app(handlers, environment="production", settings=settings)

    def wrap(self, app: Callable[..., Any], **said: Any) -> Any:
        """Return the application that wraps *app*."""
        settings = self.server.Settings(**said)
        return self.server.versioned(app, environment="production", settings=settings)
