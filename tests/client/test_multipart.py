"""Forms with files, as clients write them and as the generated server parses them."""

from __future__ import annotations

import asyncio
import email.policy
import io
import json
import os
from datetime import UTC, datetime
from decimal import Decimal
from email.parser import BytesParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from pydantic import ValidationError
from support.calls import Scripted, answer
from support.generated_server import Generated
from support.sources import loaded
from support.tables import cases
from support.uploads_api import UPLOADS

VERSION = "2024-01-15"
LATER = "2024-09-01"
PNG = b"\x89PNG\r\n--not a boundary\r\n\x00"


@pytest.fixture(scope="module")
def uploads(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The package of the API, with the modules of its two versions and its server."""
    folder = tmp_path_factory.mktemp("uploads")
    made = Generated(folder, loaded(folder, UPLOADS), "uploads")
    names = ("v2024_01_15", "v2024_09_01", "client", "server")
    modules = {name: made.module(name) for name in names}
    return SimpleNamespace(folder=made.folder, text=made.text, **modules)


def parse(content_type: str, body: bytes) -> list[dict[str, Any]]:
    """Return the parts of a multipart *body*, read by the parser of Python's `email`."""
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    message = BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    assert message.is_multipart()
    assert not message.defects
    found: list[dict[str, Any]] = []
    for part in message.iter_parts():
        content: Any = part.get_payload(decode=True)
        assert not part.defects
        found.append(
            {
                "name": part.get_param("name", header="Content-Disposition"),
                "file": part.get_filename(),
                "type": part.get_content_type() if "Content-Type" in part else None,
                "headers": {
                    name: value
                    for name, value in part.items()
                    if name.lower() not in ("content-type", "content-disposition")
                },
                "content": content.decode("latin-1"),
            }
        )
    return found


def serve(uploads: Any, version: str) -> Any:
    """Return a client of *version* for the generated server, which answers with what it parsed."""

    class Scans:
        def __getattr__(self, name: str) -> Any:
            async def handle(_: Any, *, body: Any = None) -> Any:
                if isinstance(body, bytes):
                    return {"parts": [{"content": body.decode()}]}
                return {"parts": parse(body.content_type, await body.read())}

            return handle

    server = uploads.server
    app = server.create_app(server.Handlers(default=Scans()), environment="production")
    module = getattr(uploads, f"v{version.replace('-', '_')}")
    return module.AsyncClient(
        base_url="http://test/api", transport=httpx.ASGITransport(app), max_retries=0
    )


def send(uploads: Any, name: str, body: Any, version: str = LATER) -> list[dict[str, Any]]:
    """Return the parts that the server finds in a form."""

    async def call() -> Any:
        async with serve(uploads, version) as client:
            return await getattr(client, name)(body=body)

    return list(asyncio.run(call()).parts)


def part(name: str, content: str, type: str | None = None, file: str | None = None) -> Any:
    return {"name": name, "file": file, "type": type, "headers": {}, "content": content}


BINARY = PNG.decode("latin-1")
OCTETS = "application/octet-stream"


@pytest.mark.parametrize("version", [VERSION, LATER])
def test_server_parses_what_a_client_writes(uploads: Any, version: str) -> None:
    models = uploads.v2024_01_15 if version == VERSION else uploads.v2024_09_01
    more = {} if version == VERSION else {"pages": [b"1", ("2.pdf", b"2")]}
    form = models.ScanForm(
        title="ä\r\n--b",
        scan=PNG,
        taken=datetime(2024, 5, 6, tzinfo=UTC),
        price=Decimal("1.50"),
        count=0,
        is_public=True,
        note=None,
        place=models.Place(shelf=3),
        places=[models.Place(shelf=4), models.Place(shelf=5)],
        words=["a", "b"],
        class_="c",
        **more,
    )
    form.model_extra["other"] = "d"
    expected = [
        part("title", "ä\r\n--b".encode().decode("latin-1")),
        part("taken", "2024-05-06T00:00:00Z"),
        part("price", "1.50"),
        part("count", "0"),
        part("is_public", "true"),
        part("place", '{"shelf": 3}', "application/json"),
        part("places", '{"shelf": 4}', "application/json"),
        part("places", '{"shelf": 5}', "application/json"),
        part("words", "a"),
        part("words", "b"),
        part("class", "c"),
        part("other", "d"),
        part("scan", BINARY, OCTETS, "scan"),
    ]
    if version == LATER:
        expected += [
            part("pages", "1", OCTETS, "pages"),
            part("pages", "2", "application/pdf", "2.pdf"),
        ]
    assert send(uploads, "add_scan", form, version) == expected


FILES: list[tuple[Any, tuple[str | None, str]]] = [
    (PNG, ("scan", OCTETS)),
    (io.BytesIO(PNG), ("scan", OCTETS)),
    (("a.png", PNG), ("a.png", "image/png")),
    (("a.unknown", PNG), ("a.unknown", OCTETS)),
    (('ä".png', io.BytesIO(PNG)), ("ä%22.png", "image/png")),
    (("a.png", PNG, "image/x-own"), ("a.png", "image/x-own")),
    (("a.png", PNG, None), ("a.png", "image/png")),
    ((None, PNG), (None, OCTETS)),
]


@pytest.mark.parametrize(("given", "expected"), FILES)
def test_file_is_bytes_or_a_file_object_with_or_without_a_name(
    uploads: Any, given: Any, expected: tuple[str | None, str]
) -> None:
    form = uploads.v2024_09_01.ScanForm(title="t", scan=given)
    [_, found] = send(uploads, "add_scan", form)
    assert (found["content"], found["file"], found["type"]) == (BINARY, *expected)


def test_file_on_disk_has_its_name_and_pipe_is_read_once(uploads: Any, tmp_path: Path) -> None:
    (tmp_path / "page.png").write_bytes(PNG)
    with (tmp_path / "page.png").open("rb") as opened:
        form = uploads.v2024_09_01.ScanForm(title="t", scan=opened)
        for _ in range(2):
            [_, found] = send(uploads, "add_scan", form)
            assert (found["file"], found["type"], found["content"]) == (
                "page.png",
                "image/png",
                BINARY,
            )
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as end:
        end.write(PNG)
    with os.fdopen(reading, "rb") as pipe:
        form = uploads.v2024_09_01.ScanForm(title="t", scan=("p", pipe))
        [_, found] = send(uploads, "add_scan", form)
    assert found["content"] == BINARY


@cases(
    "wrong",
    [
        "path.png",
        Path("path.png"),
        io.StringIO("text"),
        ("a.png", "text"),
        ("a.png", io.StringIO("text")),
        ("a.png",),
        (1, b""),
        ("a", b"", 1),
        ("a", b"", None, {}, None),
        None,
        3,
        [b""],
    ],
)
def test_invalid_file_is_refused_when_the_form_is_created(uploads: Any, wrong: Any) -> None:
    with pytest.raises(ValidationError):
        uploads.v2024_09_01.ScanForm(title="t", scan=wrong)


def test_fields_of_a_form_have_the_constraints_of_the_definitions(uploads: Any) -> None:
    form = uploads.v2024_09_01.ScanForm
    for wrong in ({}, {"title": "", "scan": b""}, {"title": "t", "scan": b"", "pages": [b""] * 3}):
        with pytest.raises(ValidationError):
            form(**wrong)


def test_encoding_defines_how_properties_are_written(uploads: Any) -> None:
    models = uploads.v2024_09_01
    form = models.AddEncodedForm.model_validate(
        {
            "image": ("a.gif", PNG, None, {"x-checksum": "1"}),
            "sketch": b"%PDF",
            "code": "print()",
            "packed": "aGk=",
            "sheet": b"<a/>",
            "label": "l",
            "ids": [1, 2],
            "range": {"from": 3},
            "within": {"year": 4},
            "row": {"b": 5},
        }
    )
    found = send(uploads, "add_encoded", form)
    assert found == [
        part("code", "print()", "text/x-python"),
        part("packed", "aGk=", OCTETS),
        {**part("label", '"l"', "application/json"), "headers": {"X-L": "l"}},
        part("ids", "1,2"),
        part("from", "3"),
        part("within[year]", "4"),
        part("row", '{"b": 5}', "application/vnd.row+json"),
        {
            # none of its possible types is that of the name
            **part("image", BINARY, "image/png", "a.gif"),
            "headers": {"X-Kind": "page", "x-checksum": "1"},
        },
        part("sketch", "%PDF", "application/pdf", "sketch"),
        part("sheet", "<a/>", "application/xml", "sheet"),
    ]
    named = models.AddEncodedForm(image=("a.jpg", PNG, None, {"X-Checksum": "1", "X-Kind": "b"}))
    [image] = send(uploads, "add_encoded", named)
    assert image["type"] == "image/jpeg"
    assert image["headers"] == {"X-Kind": "b", "X-Checksum": "1"}
    for headers, message in (
        ((), "the part image needs X-Checksum: give a tuple"),
        (({"X-Checksum": "a\r\nb"},), "the header X-Checksum can't have this value"),
    ):
        with pytest.raises(ValueError, match=message):
            send(
                uploads,
                "add_encoded",
                models.AddEncodedForm(image=("a", PNG, "image/png", *headers)),
            )


def test_forms_without_property_names_and_unions_are_sent(uploads: Any) -> None:
    assert send(uploads, "add_free", {"a": "b", "c": "d"}) == [part("a", "b"), part("c", "d")]
    choice = uploads.v2024_09_01.AddChoiceFormByFile(kind="ByFile", scan=b"x")
    assert send(uploads, "add_choice", choice) == [
        part("kind", "ByFile"),
        part("scan", "x", OCTETS, "scan"),
    ]
    other = uploads.v2024_09_01.ByAddress(kind="ByAddress", address="a")
    assert send(uploads, "add_choice", other)[1] == part("address", "a")


def test_form_of_pairs_contains_json_if_its_encoding_says_so(uploads: Any) -> None:
    body = uploads.v2024_09_01.AddWordsBody.model_validate({"within": {"year": 1}, "raw": "a/b"})
    [found] = send(uploads, "add_words", body)
    assert found["content"] == "within=%7B%22year%22%3A%201%7D&raw=a/b"


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_form_is_the_same_in_all_attempts(uploads: Any, kind: str) -> None:
    transport = Reading([httpx.ConnectError("refused"), answer(200, {"parts": []}, LATER)])
    settings: Any = {"transport": transport, "backoff": uploads.client.Backoff(0.0, 0.0)}
    form = uploads.v2024_09_01.ScanForm(title="t", scan=io.BytesIO(PNG))
    client = getattr(uploads.v2024_09_01, kind)(**settings)
    made = client.add_scan(body=form)
    if kind == "AsyncClient":
        asyncio.run(wait_for(made))
    first, second = transport.requests
    assert first.headers["content-type"] == second.headers["content-type"]
    assert transport.bodies[0] == transport.bodies[1]
    assert parse(first.headers["content-type"], transport.bodies[1])[1]["content"] == BINARY
    assert int(first.headers["content-length"]) == len(transport.bodies[0])


class Reading(Scripted):
    """Reads the bodies of requests before it answers."""

    def __init__(self, answers: Any) -> None:
        super().__init__(answers)
        self.bodies: list[bytes] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(request.read())
        return super().handle_request(request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(await request.aread())
        return super().handle_request(request)


async def wait_for(made: Any) -> Any:
    return await made


@pytest.mark.parametrize("body", [{}, b"--x\r\n\r\n--x--\r\n"])
def test_form_without_parts_and_form_of_bytes(uploads: Any, body: Any) -> None:
    transport = Reading([answer(200, {"parts": []}, LATER)])
    uploads.v2024_09_01.Client(transport=transport).add_free(body=body)
    _, _, boundary = transport.requests[0].headers["content-type"].partition("boundary=")
    assert transport.bodies == [body or f"--{boundary}--\r\n".encode()]


def test_form_is_read_from_json_as_well(uploads: Any) -> None:
    form = uploads.v2024_09_01.ScanForm
    assert form.model_validate_json(json.dumps({"title": "t", "scan": "x"})).scan == b"x"
    schema = form.model_json_schema()["properties"]
    assert schema["scan"]["format"] == schema["pages"]["items"]["format"] == "binary"
