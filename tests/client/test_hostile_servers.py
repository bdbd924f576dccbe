"""Whatever a server sends, a call returns its result or raises a client error."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import cycle, product
from typing import Any, Final
from uuid import UUID

import httpx
import pytest
from paynet.client import Backoff, ClientError, StatusError, UnreadableResponseError
from paynet.v2026_07_01 import AsyncClient, Client
from support.calls import Scripted
from support.tables import cases

ID: Final = UUID(int=1)
SECRET: Final = "secret-secret"

BODIES: Final = {
    "nothing": b"",
    "nested lists": b"[" * 100_000,
    "nested objects": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "many digits": b"9" * 5_000,
    "large exponent": b'{"id": 1e999}',
    "not a number": b"[NaN, Infinity, -Infinity]",
    "equal keys": b'{"items": [], "items": 1}',
    "half of a pair": b'{"code": "\\ud800"}',
    "no UTF-8": b'{"code": "\xff\xfe"}',
    "a mark": b"\xef\xbb\xbf{}",
    "a control character": b"\0",
    "text": b"<html>",
    "codes of other types": b'{"error": {"code": {}, "message": []}, "code": 5}',
    "a long message": b'{"message": "' + b"x " * 100_000 + b'"}',
    "a secret": f'{{"message": "{SECRET} is no key"}}'.encode(),
}
STATUSES: Final = (200, 201, 204, 206, 301, 304, 307, 400, 404, 409, 422, 429, 500, 503, 999)
TYPES: Final = (
    "application/json",
    "text/html; charset=utf-16",
    "",
    "text/plain; charset=none-such",
)
# Python codecs that don't decode to text, or not always
CODECS: Final = (
    "base64",
    "hex",
    "idna",
    "punycode",
    "rot13",
    "undefined",
    "zlib",
    "unicode_escape",
)
LOCATIONS: Final = (
    *(b"http://[", b"//", b"\xff", b"", b"javascript:1", b"http://x:99999/", b"\x85"),
    *(b"http://xn--/", b"http://xn--a.xn--/", b"http://a..b/", b"http://" + b"a" * 300),
    # encoded, they are longer than httpx allows
    *(start + b"\xe9" * 20_000 for start in (b"/", b"http://api/", b"http://api/?a=1&b=", b"?")),
)
CALLS: Final[dict[str, Callable[[Any], Any]]] = {
    "get": lambda client: client.get_autoramp(ID),
    "iterate": lambda client: next(client.iter_autoramp_transactions(), None),
    "list": lambda client: client.list_autoramp_transactions(),
}


def call(response: httpx.Response, name: str = "get", **settings: Any) -> Any:
    """Return the error of a call, or None; both kinds of clients raise the same class."""
    settings = {
        "api_key": SECRET,
        "base_url": "http://api",
        "backoff": Backoff(initial=0.0),
        "max_retries": 1,
        **settings,
    }
    outcomes = [run(response, name, settings)]
    if name != "iterate":
        outcomes.append(asyncio.run(run_async(response, name, settings)))
    assert len({(type(each), str(each)) for each in outcomes}) == 1
    return outcomes[0]


def run(response: httpx.Response, name: str, settings: dict[str, Any]) -> Any:
    try:
        CALLS[name](Client(transport=Scripted([response]), **settings))
    except ClientError as error:
        return error
    return None


async def run_async(response: httpx.Response, name: str, settings: dict[str, Any]) -> Any:
    try:
        await CALLS[name](AsyncClient(transport=Scripted([response]), **settings))
    except ClientError as error:
        return error
    return None


# each body with each status, while calls and types rotate
@cases(
    ("body", "status", "name", "media_type"),
    [
        (*sent, *how)
        for sent, how in zip(product(BODIES, STATUSES), cycle(product(CALLS, TYPES)), strict=False)
    ],
)
def test_any_body_with_any_status_and_type_is_a_result_or_an_error(
    body: str, status: int, name: str, media_type: str
) -> None:
    headers = {"Content-Type": media_type, "X-API-Version": "2026-07-01"}
    error = call(httpx.Response(status, headers=headers, content=BODIES[body]), name)
    assert error is not None
    assert SECRET not in f"{error} {error!r} {error.__notes__ if error.attempts else ''}"
    if 200 <= status < 300:
        assert type(error) is UnreadableResponseError
    else:
        assert isinstance(error, StatusError)
    assert error.status == status


@cases("codec", CODECS)
def test_text_in_a_python_codec_is_read(codec: str) -> None:
    for body in (b"plain text", b"\xff\0\\", "é".encode()):
        headers = {"Content-Type": f"text/plain; charset={codec}"}
        error = call(httpx.Response(400, headers=headers, content=body))
        assert isinstance(error, StatusError)
        assert isinstance(error.body, str)


@cases(
    ("location", "follows", "status"),
    [
        (*target, status)
        for target, status in zip(
            product(LOCATIONS, [False, True]), cycle([301, 302, 303, 307, 308]), strict=False
        )
    ],
    ids=lambda each: f"{each!r:.20}",
)
def test_invalid_target_of_a_redirect_is_refused(
    location: bytes, follows: bool, status: int
) -> None:
    response = httpx.Response(status, headers=[(b"Location", location)])
    error = call(response, follow_redirects=follows)
    assert isinstance(error, ClientError)


@cases("status", [409, 429, 503])
@cases("retries", [0, 1])
def test_long_wait_is_the_reason_only_if_a_retry_was_left(status: int, retries: int) -> None:
    response = httpx.Response(status, headers={"Retry-After": "999"})
    error = call(response, max_retries=retries)
    has_note = any("longer than the backoff's" in each for each in getattr(error, "__notes__", ()))
    assert has_note is (retries > 0 and status != 409)


def test_cookies_that_no_request_can_have_are_not_kept() -> None:
    cookies = [b"kept=1", b"\xff=2", b"value=\xc3\xa9", b'quoted="\xff"; Path=/', b"also=kept"]
    headers = [(b"Set-Cookie", cookie) for cookie in cookies]
    transport = Scripted([httpx.Response(503, headers=headers)])
    client = Client(
        api_key=SECRET, base_url="http://api", backoff=Backoff(initial=0.0), transport=transport
    )
    for _ in range(2):
        with pytest.raises(StatusError):
            client.get_autoramp(ID)
    sent = [request.headers.get("Cookie") for request in transport.requests]
    assert sent == [None] + 5 * ["kept=1; also=kept"]
