"""An answer with a duplicate member reaches callers with one of them, the one read, or not at all.

Parsers differ in which of the two they take, so a caller could see what the layer has not checked.
"""

from __future__ import annotations

import gzip
import json
from itertools import cycle, product
from typing import Any, Final

import pytest
from support.exchanges import ask, request
from support.generated_server import Generated
from support.sources import loaded
from support.tables import cases

OLD, NEW = "2024-01-15", "2025-06-01"

_TABLE: Final = f"""\
header: X-API-Version
default: {OLD}
versions:
  - {{ date: {OLD}, title: First }}
  - {{ date: {NEW}, title: Second }}
environments:
  production: {{ servers: [{{ url: https://ticks.example/api }}] }}
policy: dated-contract
python: {{ package: ticks }}
"""

_API: Final = f"""\
openapi: 3.2.0
info: {{ title: Ticks, version: canonical }}
tags: [{{ name: Ticks }}]
paths:
  /ticks:
    get:
      operationId: read
      tags: [Ticks]
      responses:
        '200':
          description: a tick, or several
          content:
            application/json: {{ schema: {{ $ref: '#/components/schemas/Tick' }} }}
            application/x-ndjson: {{ itemSchema: {{ $ref: '#/components/schemas/Tick' }} }}
            application/json-seq: {{ itemSchema: {{ $ref: '#/components/schemas/Tick' }} }}
            text/event-stream: {{ schema: {{ $ref: '#/components/schemas/Tick' }} }}
        '400':
          description: refused
          content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Tick' }} }} }}
components:
  schemas:
    Tick:
      type: object
      properties:
        count: {{ type: integer }}
        later: {{ type: string, x-added: {NEW} }}
        below: {{ $ref: '#/components/schemas/Tick' }}
        listed: {{ type: array, items: {{ $ref: '#/components/schemas/Tick' }} }}
        mapped: {{ type: object, additionalProperties: {{ $ref: '#/components/schemas/Tick' }} }}
        one: {{ $ref: '#/components/schemas/Either' }}
    Either:
      oneOf: [{{ $ref: '#/components/schemas/A' }}, {{ $ref: '#/components/schemas/B' }}]
      discriminator:
        propertyName: kind
        mapping: {{ a: '#/components/schemas/A', b: '#/components/schemas/B' }}
    A: {{ type: object, required: [kind], properties: {{ kind: {{ const: a }} }} }}
    B:
      type: object
      required: [kind]
      properties: {{ kind: {{ const: b }}, later: {{ type: string, x-added: {NEW} }} }}
"""

_HIDDEN: Final = '{"later": "SECRET"}'

PLACES: Final = {
    "itself": '{"later": "SECRET", "later": "SECRET"}',
    "another before it": f'{{"below": {_HIDDEN}, "below": {{"count": 1}}}}',
    "another after it": f'{{"below": {{"count": 1}}, "below": {_HIDDEN}}}',
    "spelled with an escape": f'{{"below": {_HIDDEN}, "b\\u0065low": {{"count": 1}}}}',
    "in a list": f'{{"listed": [{{"below": {_HIDDEN}, "below": {{}}}}]}}',
    "a list": f'{{"listed": [{_HIDDEN}], "listed": []}}',
    "a map": f'{{"mapped": {{"x": {_HIDDEN}}}, "mapped": {{}}}}',
    "a key of a map": f'{{"mapped": {{"x": {_HIDDEN}, "x": {{}}}}}}',
    "a tag": '{"one": {"kind": "b", "later": "SECRET", "kind": "b"}}',
    "one of three": f'{{"below": {{}}, "below": {_HIDDEN}, "below": {{"count": 1}}}}',
}

WRITTEN: Final = {
    "application/json": "{}",
    "application/x-ndjson": "{}\n",
    "application/json-seq": "\x1e{}\n",
    "text/event-stream": "data: {}\n\n",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("ticks")
    made = Generated(folder, loaded(folder, {"versions.yaml": _TABLE, "api.yaml": _API}))
    return made.module("server")


class Backend:
    def __init__(self, status: int, media_type: str, body: bytes, coding: str) -> None:
        self._status = status
        self._headers = [(b"content-type", media_type.encode())]
        self._headers += [(b"content-encoding", coding.encode())] if coding else []
        self._body = body

    async def __call__(self, _: Any, __: Any, send: Any) -> None:
        start = {"status": self._status, "headers": self._headers}
        await send({"type": "http.response.start", **start})
        await send({"type": "http.response.body", "body": self._body})


# each place in each media type, in rotation with and without a coding and stricter validation
CASES: Final = [
    (*each, *how)
    for each, how in zip(
        product(PLACES, WRITTEN), cycle(product([False, True], ["", "gzip", ""])), strict=False
    )
]


@cases(("place", "media_type", "strict", "coding"), CASES)
def test_duplicate_member_is_sent_once(
    server: Any, place: str, media_type: str, strict: bool, coding: str
) -> None:
    written = WRITTEN[media_type].replace("{}", PLACES[place]).encode()
    body = gzip.compress(written) if coding else written
    for status in (200, 400) if media_type == "application/json" else (200,):
        app = server.versioned(
            Backend(status, media_type, body, coding), environment="production", strict=strict
        )
        got = ask(app, request(path="/api/ticks", headers=[(b"x-api-version", OLD.encode())]))
        sent = gzip.decompress(got.body) if got.header("content-encoding") else got.body
        assert got.status == status
        assert b"SECRET" not in sent
        value = sent.decode().strip("\x1e\n").removeprefix("data: ")
        assert json.loads(value, object_pairs_hook=list) == _once(json.loads(value))
        # the newest version is not read
        newest = ask(app, request(path="/api/ticks", headers=[(b"x-api-version", NEW.encode())]))
        assert newest.body == body


def _once(value: Any) -> Any:
    if isinstance(value, dict):
        return [(name, _once(below)) for name, below in value.items()]
    return [*map(_once, value)] if isinstance(value, list) else value


@pytest.mark.parametrize("media_type", [each for each in WRITTEN if each != "application/json"])
def test_item_with_a_number_that_no_parser_supports_ends_the_stream(
    server: Any, media_type: str
) -> None:
    body = WRITTEN[media_type].replace("{}", '{"count": 1, "other": 1e400}').encode()
    app = server.versioned(Backend(200, media_type, body, ""), environment="production")
    with pytest.raises(Exception, match="the stream was broken off"):
        ask(app, request(path="/api/ticks", headers=[(b"x-api-version", OLD.encode())]))
