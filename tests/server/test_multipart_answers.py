"""Multipart answers name their boundary, so that callers can parse them."""

from __future__ import annotations

from email import message_from_bytes
from functools import cache
from types import SimpleNamespace
from typing import Any, Final

from support.generated_server import Generated, ask, generate_adopted
from support.tables import cases

DECLARED: Final = ("multipart/mixed", "Multipart/Form-Data", "multipart/related; type=text/plain")
# RFC 2046, section 5.1.1: up to 70 characters, without a blank at the end
BOUNDARIES: Final = ("b", "0", "-", "--x--", "a" * 70, "a b", "a:b", "a=b?", "'()+_,-./:=?", "=_x")
PARTS: Final = (b"one", b"--", b"two\r\nlines")


@cache
def made() -> Generated:
    text = {"type": "string"}
    paths = {
        f"/bodies/{number}": {
            "get": {
                "operationId": f"get{number}",
                "tags": ["all"],
                "responses": {
                    "200": {"description": "it", "content": {media_type: {"schema": text}}}
                },
            }
        }
        for number, media_type in enumerate((*DECLARED, "multipart/mixed; boundary=given"))
    }
    info = {"title": "Things", "version": "1"}
    return generate_adopted({"openapi": "3.1.0", "info": info, "paths": paths})


def join(boundary: str, *, before: bytes = b"", end: bytes = b"\r\n") -> bytes:
    line = b"--" + boundary.encode()
    parts = [line + end + end + part + end for part in PARTS]
    return before + b"".join(parts) + line + b"--" + end


class Handlers:
    """Handlers of everything, which return *body*."""

    body: bytes

    def __getattr__(self, _: str) -> Any:
        return lambda *_, **__: self.body


@cache
def build() -> tuple[Handlers, Any]:
    handlers = Handlers()
    server = made().module("server")
    return handlers, server.create_app(SimpleNamespace(all=handlers), environment="production")


def fetch(number: int, body: bytes) -> str:
    handlers, app = build()
    handlers.body = body
    answer = ask(app, "GET", f"/bodies/{number}")
    assert (answer.status_code, answer.content) == (200, body)
    return answer.headers["content-type"]


@cases("number", range(len(DECLARED)))
@cases("before", [b"", b"A preamble.\r\n", b"--\r\n\r\n"])
def test_multipart_body_is_parsed_by_its_content_type(number: int, before: bytes) -> None:
    for boundary in BOUNDARIES:
        body = join(boundary, before=before)
        content_type = fetch(number, body)
        assert content_type.startswith(f"{DECLARED[number]}; boundary=")
        found = message_from_bytes(f"Content-Type: {content_type}\n\n".encode() + body)
        assert found.get_boundary() == boundary
        read = [part.get_payload() for part in found.walk() if not part.is_multipart()]
        assert read == [part.decode() for part in PARTS]


@cases(
    ("number", "body"),
    [(0, b""), (0, b"no parts"), (0, b"x--b\r\n"), (len(DECLARED), join("other"))],
)
def test_boundary_is_neither_invented_nor_replaced(number: int, body: bytes) -> None:
    assert fetch(number, body) == (*DECLARED, "multipart/mixed; boundary=given")[number]
