"""An API with every form of paging, credentials and streams, which differs by version."""

from __future__ import annotations

from typing import Final

_VERSIONS: Final = """\
header: X-API-Version
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: Initial version }
  - { date: 2024-09-01, title: Scans }
environments:
  production: { servers: [{ url: https://api.archive.example/api }] }
policy: dated-contract
python: { package: archive }
"""

_API: Final = """\
openapi: 3.1.0
info: { title: Archive, version: canonical }
security: [{ Key: [] }, { Login: [] }, { Cookie: [], Token: [] }]
components:
  securitySchemes:
    Key: { type: apiKey, in: query, name: key }
    Login: { type: http, scheme: basic }
    Token: { type: http, scheme: bearer }
    Cookie: { type: apiKey, in: cookie, name: session }
"""

_ITEM: Final = "{ $ref: '#/components/schemas/Record' }"


def _listing(path: str, parameters: str, page: str) -> str:
    return f"""\
  /{path}:
    get:
      operationId: list{path.title()}
      parameters: [{parameters}]
      responses:
        '200':
          description: a page
          content: {{ application/json: {{ schema: {page} }} }}
"""


def _page(members: str) -> str:
    return f"{{ type: object, required: [data], properties: {{ {members} }} }}"


def _query(name: str, kind: str = "string", more: str = "") -> str:
    return f"{{ name: {name}, in: query, schema: {{ type: {kind}{more} }} }}"


_TEXTS: Final = "{ type: array, items: { type: string } }"
_DATA: Final = f"data: {{ type: array, items: {_ITEM} }}"

_LISTINGS: Final = (
    _listing(
        "tokens", _query("page_token"), _page(f"{_DATA}, next_page_token: {{ type: string }}")
    ),
    _listing(
        "pages",
        f"{_query('page', 'integer')}, {_query('per_page', 'integer')}",
        f"{{ type: array, items: {_ITEM} }}",
    ),
    _listing("zeros", _query("page", "integer", ", minimum: 0"), _page(_DATA)),
    _listing("offsets", f"{_query('offset', 'integer')}", _page(_DATA)),
    _listing(
        "lasts",
        f"{_query('starting_after')}, {_query('ending_before')}",
        _page(f"{_DATA}, has_more: {{ type: boolean }}"),
    ),
    # none of these is a paged listing: a filter, two arrays, a required cursor
    _listing("filters", _query("status"), _page(f"{_DATA}, status: {{ type: string }}")),
    _listing(
        "pairs",
        _query("cursor"),
        f"{{ type: object, properties: {{ a: {_TEXTS}, b: {_TEXTS}, "
        "cursor: { type: string } } }",
    ),
)

_PATHS: Final = (
    "paths:\n"
    + "".join(_LISTINGS)
    + """\
  /watch:
    get:
      operationId: watchRecords
      security: []
      responses:
        '200':
          description: events
          content: { text/event-stream: { schema: { type: string } } }
        '500':
          description: an error
          content: { application/json: { schema: { $ref: '#/components/schemas/Failure' } } }
  /export:
    get:
      operationId: exportRecords
      security: []
      responses:
        '200':
          description: lines
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Record' } }
            application/x-ndjson: { schema: { $ref: '#/components/schemas/Record' } }
  /records/{id}/scan:
    x-added: 2024-09-01
    get:
      operationId: getScan
      security: []
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        '200': { description: an image, content: { image/png: {} } }
        '404': { description: the reason, content: { text/plain: { schema: { type: string } } } }
        '410': { description: the reason, content: { text/html: {} } }
        '422': { description: a mark, content: { application/octet-stream: {} } }
  /search:
    post:
      operationId: searchRecords
      security: []
      parameters:
        - { name: filter, in: query, style: deepObject, schema: { type: object } }
        - name: ids
          in: query
          style: pipeDelimited
          explode: false
          schema: { type: array, items: { type: integer } }
        - { name: tags, in: query, schema: { type: array, items: { type: string } } }
        - name: above
          in: query
          schema: { type: array, items: { type: string, format: decimal } }
        - { name: raw, in: query, content: { application/json: { schema: { type: object } } } }
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: { $ref: '#/components/schemas/Search' }
            encoding: { within: { style: deepObject, explode: true } }
      responses: { '204': { description: done } }
components:
  schemas:
    Record: { type: object, required: [id], properties: { id: { type: integer } } }
    Failure:
      type: object
      required: [error]
      properties: { error: { type: object, properties: { code: { type: string } } } }
    Search:
      type: object
      properties:
        text: { type: string }
        words: { type: array, items: { type: string } }
        within: { type: object, properties: { year: { type: integer } } }
"""
)

ARCHIVE: Final = {
    "versions.yaml": _VERSIONS,
    "api.yaml": _API,
    "records.yaml": _PATHS,
}
