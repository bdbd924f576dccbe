"""Clients read every sequential media type like servers: its name, its schema, and its bytes."""

from __future__ import annotations

import importlib
import json
from itertools import product
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from support.calls import Cut, Scripted
from support.generated_server import Generated
from support.sources import loaded
from support.tables import cases

import dateline_runtime.sequences as runtime
from dateline.openapi import find_framing, is_sequential

VERSION: Final = "2024-09-01"

# The media types of RFC 7464, RFC 8142 and of JSON Lines in use, and their spellings.
TYPES: Final = (
    *("application/json-seq", "application/geo+json-seq", "APPLICATION/JSON-SEQ; q=1"),
    *("application/jsonl", "application/x-jsonl", "application/jsonlines"),
    *("application/x-jsonlines", "application/ndjson", "application/x-ndjson"),
    "application/x-ndjson; charset=utf-8",
)
RECORD: Final = {"$ref": "#/components/schemas/Record"}
MEDIA: Final[dict[str, dict[str, Any]]] = {
    "items": {"itemSchema": RECORD},
    "item": {"schema": RECORD},
    "list": {"schema": {"type": "array", "items": RECORD}},
    "listed": {"schema": {"$ref": "#/components/schemas/Records"}},
    "any": {},
}
CASES: Final = [*product(range(len(TYPES)), MEDIA)]


def define() -> str:
    paths = {
        f"/{number}/{form}": {
            "get": {
                "operationId": f"read_{form}_{number}",
                "responses": {
                    "200": {"description": "", "content": {TYPES[number]: MEDIA[form]}},
                },
            }
        }
        for number, form in CASES
    }
    record = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
    document = {
        "openapi": "3.2.0",
        "info": {"title": "Sequences", "version": "canonical"},
        "paths": paths,
        "components": {
            "schemas": {"Record": record, "Records": {"type": "array", "items": RECORD}}
        },
    }
    return json.dumps(document)


TABLE: Final = f"""\
header: X-API-Version
default: {VERSION}
versions: [{{ date: {VERSION}, title: First }}]
environments: {{ production: {{ servers: [{{ url: https://sequences.example/api }}] }} }}
policy: dated-contract
python: {{ package: sequences_read }}
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder: Path = tmp_path_factory.mktemp("sequences")
    api = loaded(folder, {"versions.yaml": TABLE, "api.yaml": define()})
    return Generated(folder, api, "sequences_read").module("v2024_09_01")


@cases("media_type", [*TYPES, "text/event-stream", "application/json", "a/b+json"])
def test_generator_and_runtime_know_the_same_sequences(media_type: str) -> None:
    assert is_sequential(media_type) == runtime.is_sequential(media_type)
    if kind := find_framing(media_type):
        framing = runtime.find_framing(media_type, dump=bytes, most=1)
        names = {"events": "EventFraming", "lines": "_Lines", "records": "_Records"}
        assert type(framing).__name__ == names[kind]


@cases(("number", "form"), CASES)
def test_each_item_is_a_model_of_its_schema(module: Any, number: int, form: str) -> None:
    mark = b"\x1e" if "json-seq" in TYPES[number].lower() else b""
    body = b"".join(mark + b'{"id": %d}\n' % each for each in (1, 2))
    headers = {"X-API-Version": VERSION, "Content-Type": TYPES[number]}
    answer = httpx.Response(200, content=body, headers=headers)
    client = module.Client(transport=Scripted([answer]))
    items = list(getattr(client, f"read_{form}_{number}")())
    if form == "any":
        assert items == [{"id": 1}, {"id": 2}]
    else:
        assert items == [module.Record(id=1), module.Record(id=2)]


# What servers may send, and is easily mistaken for the end of an item or for an item.
SPELLED: Final = {
    "application/x-ndjson": (
        b'{"id": 1}\n{"id": 2}\n',
        b'{"id": 1}\r\n\r\n{"id": 2}\r\n',
        b'\xef\xbb\xbf{"id": 1}\n  \n\n{"id": 2}',
        b'{"id":\r1}\n{"id":\t2}\n',
        b'{"id": 1, "text": "\xe2\x80\xa8"}\n{"id": 2}\n',
    ),
    "application/json-seq": (
        b'\x1e{"id": 1}\n\x1e{"id": 2}\n',
        b'\x1e{\n  "id": 1\n}\n\x1e{\n  "id": 2\n}\n',
        b'\x1e\x1e{"id":\r\n1}\r\n\x1e\n\x1e{"id": 2}',
        b'\xef\xbb\xbf\x1e{"id": 1}\n\x1e{"id": 2}\n',
    ),
}


@cases("size", [1, 2, 5, 1000])
@cases(
    ("media_type", "body"), [(name, body) for name, bodies in SPELLED.items() for body in bodies]
)
def test_items_are_read_as_the_runtime_reads_them(
    module: Any, media_type: str, body: bytes, size: int
) -> None:
    chunks = [body[at : at + size] for at in range(0, len(body), size)]
    answer = httpx.Response(
        200,
        stream=Cut(*chunks, is_cut=False),
        headers={"X-API-Version": VERSION, "Transfer-Encoding": "chunked"},
    )
    number = TYPES.index(media_type)
    client = module.Client(transport=Scripted([answer]))
    items = list(getattr(client, f"read_any_{number}")())
    framing = runtime.find_framing(media_type, dump=lambda _: b"", most=100)
    frames = [*(each for chunk in chunks for each in framing.split(chunk)), *framing.end()]
    assert items == [each.item for each in frames if not isinstance(each, bytes)]
    assert [each["id"] for each in items] == [1, 2]


def test_record_is_available_before_the_next_one(module: Any) -> None:
    answer = httpx.Response(
        200,
        stream=Cut(b'\x1e{\n"id": 1\n', b"}\n"),
        headers={"X-API-Version": VERSION},
    )
    client = module.Client(transport=Scripted([answer]))
    assert next(iter(client.read_item_0())).id == 1


def test_runtime_ignores_reconnection_times_that_are_too_long() -> None:
    framing = runtime.find_framing(
        "text/event-stream", dump=lambda _: b"", most=10_000, data="fields"
    )
    body = b"retry: %s\nretry: 5\ndata: a\n\n" % (b"9" * 5_000)
    [frame] = framing.split(body)
    assert not isinstance(frame, bytes)
    assert frame.item == {"retry": 5, "data": "a"}


def test_clients_ignore_reconnection_times_that_are_too_long(module: Any) -> None:
    events = module.__name__.rpartition(".")[0] + ".client.streams"
    decoder = importlib.import_module(events).Events()
    [event] = decoder.feed(b"retry: 5\nretry: %s\ndata: a\n\n" % (b"9" * 5_000))
    assert (event.retry, event.data) == (5, "a")
