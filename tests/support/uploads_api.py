"""An API whose callers upload files in forms, which differ by version."""

from __future__ import annotations

from typing import Final

_VERSIONS: Final = """\
header: X-API-Version
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: Initial version }
  - { date: 2024-09-01, title: Pages }
environments:
  production: { servers: [{ url: https://api.archive.example/api }] }
policy: dated-contract
python: { package: uploads }
"""

_API: Final = """\
openapi: 3.1.0
info: { title: Uploads, version: canonical }
components:
  schemas:
    Place: { type: object, required: [shelf], properties: { shelf: { type: integer } } }
    File: { type: string, format: binary, description: Any file. }
    ByFile:
      type: object
      required: [kind, scan]
      properties: { kind: { const: ByFile }, scan: { type: string, format: binary } }
    ByAddress:
      type: object
      required: [kind, address]
      properties: { kind: { const: ByAddress }, address: { type: string } }
    Stored:
      type: object
      required: [parts]
      properties:
        parts: { type: array, items: { type: object } }
        since: { type: string, x-added: 2024-09-01 }
    Scan:
      type: object
      required: [scan, title]
      properties:
        title: { type: string, minLength: 1 }
        scan: { $ref: '#/components/schemas/File' }
        taken: { type: string, format: date-time }
        price: { type: string, format: decimal }
        count: { type: integer }
        is_public: { type: boolean }
        note: { type: [string, 'null'] }
        place: { $ref: '#/components/schemas/Place' }
        places: { type: array, items: { $ref: '#/components/schemas/Place' } }
        words: { type: array, items: { type: string } }
        class: { type: string }
        pages:
          type: array
          minItems: 1
          maxItems: 2
          items: { type: string, format: binary }
          x-added: 2024-09-01
"""

_RESPONSES: Final = """\
      responses:
        '200':
          description: what arrived
          content: { application/json: { schema: { $ref: '#/components/schemas/Stored' } } }
"""

_PATHS: Final = f"""\
paths:
  /scans:
    post:
      operationId: addScan
      requestBody:
        required: true
        content:
          multipart/form-data: {{ schema: {{ $ref: '#/components/schemas/Scan' }} }}
{_RESPONSES}
  /encoded:
    post:
      operationId: addEncoded
      requestBody:
        content:
          multipart/form-data:
            schema:
              allOf:
                - type: object
                  required: [image]
                  properties:
                    image: {{ type: string, contentMediaType: image/png }}
                    sketch: {{ contentMediaType: application/pdf }}
                    code: {{ type: string, contentMediaType: text/x-python }}
                    packed: {{ type: string, contentEncoding: base64 }}
                    sheet: {{ type: object, properties: {{ a: {{ type: string }} }} }}
                    label: {{ type: string }}
                    ids: {{ type: array, items: {{ type: integer }} }}
                    range: {{ type: object, properties: {{ from: {{ type: integer }} }} }}
                    within: {{ type: object, properties: {{ year: {{ type: integer }} }} }}
                    row: {{ type: object, properties: {{ b: {{ type: integer }} }} }}
            encoding:
              image:
                contentType: image/png, image/jpeg
                headers:
                  X-Kind: {{ schema: {{ const: page }} }}
                  X-Checksum: {{ required: true, schema: {{ type: string }} }}
                  Content-Type: {{ schema: {{ type: string }} }}
              sheet: {{ contentType: application/xml }}
              label: {{ contentType: application/json, headers: {{ X-L: {{ $ref: LABEL }} }} }}
              ids: {{ style: form, explode: false }}
              range: {{ style: form, explode: true }}
              within: {{ style: deepObject, explode: true }}
              row: {{ contentType: application/vnd.row+json }}
{_RESPONSES}
  /free:
    post:
      operationId: addFree
      requestBody:
        content:
          multipart/form-data:
            schema: {{ type: object, additionalProperties: {{ type: string }} }}
{_RESPONSES}
  /choice:
    post:
      operationId: addChoice
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              oneOf:
                - $ref: '#/components/schemas/ByFile'
                - $ref: '#/components/schemas/ByAddress'
              discriminator: {{ propertyName: kind }}
{_RESPONSES}
  /words:
    post:
      operationId: addWords
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              properties:
                within: {{ type: object, properties: {{ year: {{ type: integer }} }} }}
                raw: {{ type: string }}
            encoding:
              within: {{ contentType: application/json }}
              raw: {{ allowReserved: true }}
{_RESPONSES}
components:
  headers:
    Label: {{ schema: {{ enum: [l] }} }}
""".replace("LABEL", "'#/components/headers/Label'")

UPLOADS: Final = {
    "versions.yaml": _VERSIONS,
    "api.yaml": _API,
    "scans.yaml": _PATHS,
}
