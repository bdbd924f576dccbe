"""Forward requests to a server and responses back, byte by byte over sockets."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from typing import Any
from urllib.parse import quote

import pytest
from support.exchanges import PersistentCaller, Response, request, serving, talk
from support.generated_server import Generated
from support.node_servers import run_node
from support.sources import LIBRARY, folder
from support.tables import cases

from dateline.load import load

aiohttp = pytest.importorskip("aiohttp", reason="the proxy is a client with aiohttp")
pytest.importorskip("websockets", reason="uvicorn serves WebSockets with it")
pytest.importorskip("uvicorn", reason="uvicorn is what listens to the socket")


@pytest.fixture(scope="module")
def forwarding(tmp_path_factory: pytest.TempPathFactory) -> Any:
    sources = folder(tmp_path_factory.mktemp("library"), LIBRARY)
    made = Generated(tmp_path_factory.mktemp("generated"), load(sources))
    return made.module("server.forwarding")


@pytest.fixture(scope="module")
def backend() -> Iterator[int]:
    with run_node("node_echo.js") as port:
        yield port


@pytest.fixture(scope="module")
def port(forwarding: Any, backend: int) -> Iterator[int]:
    with proxying(forwarding, f"http://127.0.0.1:{backend}/") as number:
        yield number


@pytest.fixture(scope="module")
def impatient(forwarding: Any, backend: int) -> Iterator[int]:
    """The port of a proxy with short timeouts, which on a busy machine gets no answer at all."""
    with proxying(forwarding, f"http://127.0.0.1:{backend}/", read=0.5) as number:
        yield number


def proxying(forwarding: Any, url: str, http: Any = "httptools", **said: Any) -> Any:
    app = forwarding.Forwarding(forwarding.Upstream(url=url, **said))
    return serving(app, http, lifespan="on", ws="auto", proxy_headers=False)


def get(port: int, path: str, *lines: bytes, body: bytes = b"", method: bytes = b"GET") -> Response:
    start = b" ".join([method, path.encode(), b"HTTP/1.1"])
    head = [start, b"Host: api.example:80", b"Connection: close", *lines]
    return talk(port, b"\r\n".join(head), body)


def received(response: Response) -> tuple[str, list[tuple[str, str]]]:
    """Return the request line and the headers that the server received."""
    said = response.json
    raw = said["rawHeaders"]
    headers = [(name.lower(), raw[at + 1]) for at, name in enumerate(raw) if at % 2 == 0]
    return f"{said['method']} {said['url']}", [each for each in headers if each[0] != "host"]


FORWARDED = [
    ("x-forwarded-for", "127.0.0.1"),
    ("x-forwarded-proto", "http"),
    ("x-forwarded-host", "api.example:80"),
    ("forwarded", 'for=127.0.0.1;host="api.example:80";proto=http'),
    ("via", "1.1 dateline"),
]


@pytest.mark.parametrize(
    "target",
    ["/", "/a%2Fb/%7e/..//c?q=%20&&x=+", "/caf%C3%A9", "/%E9", "//host/path", "/a;b=c,d@e:f"],
)
def test_target_arrives_as_sent(port: int, target: str) -> None:
    assert received(get(port, target)) == (f"GET {target}", FORWARDED)


def test_target_in_absolute_form_is_forwarded_to_the_same_server(port: int) -> None:
    assert received(get(port, "http://elsewhere.example/a?b")) == ("GET /a?b", FORWARDED)


@cases(
    "target",
    [
        *("@127.0.0.1/", ".example/", "0/", ":80/", "a/b", "*", "\\\\x/", "example:443", "a@b://c"),
        *("http:///a", "http://me@h/a", "http://h%0d%0aX:y/a", "http://h%20i/a"),
    ],
)
def test_target_that_is_no_path_is_refused(forwarding: Any, backend: int, target: str) -> None:
    # h11 takes it for a path; appended to a server's address, it would change the host
    with proxying(forwarding, f"http://127.0.0.1:{backend}", "h11") as port:
        response = get(port, target)
    assert (response.status, response.json) == (400, "the target of the request is not a path")


def test_headers_keep_their_order_and_lines(port: int) -> None:
    lines = [b"X-B: 2", b"X-A: 1", b"X-B: 1", "X-Name: café".encode(), b"Cookie: a=b"]
    _, headers = received(get(port, "/", *lines))
    own = [("x-b", "2"), ("x-a", "1"), ("x-b", "1"), ("x-name", "caf\xc3\xa9"), ("cookie", "a=b")]
    assert headers == [*own, *FORWARDED]


def test_header_that_the_client_can_not_send_is_refused(port: int) -> None:
    response = get(port, "/", b"X-Name: caf\xe9")
    assert (response.status, response.body) == (400, b'"the header x-name is not UTF-8"')


def test_repeated_host_is_refused(port: int) -> None:
    response = get(port, "/", b"Host: other.example")
    assert (response.status, response.body) == (400, b'"the header Host is repeated"')


@pytest.mark.parametrize(
    "lines",
    [
        [b"TE: trailers"],
        [b"Keep-Alive: timeout=5"],
        [b"Proxy-Connection: keep-alive"],
        [b"Proxy-Authorization: Basic c2VjcmV0"],
        [b"Upgrade: h2c"],
        [b"Connection: X-Own, Upgrade", b"X-Own: 1", b"Upgrade: something/1"],
        [b"connection: x-one", b"CONNECTION: x-two", b"X-One: 1", b"x-TWO: 2"],
        [b"Connection: x-forwarded-for, via, forwarded"],
    ],
    ids=lambda lines: lines[0].decode(),
)
def test_hop_by_hop_request_headers_are_not_forwarded(port: int, lines: list[bytes]) -> None:
    _, headers = received(get(port, "/", *lines, b"X-Kept: 1"))
    assert headers == [("x-kept", "1"), *FORWARDED]


def test_hop_by_hop_response_headers_are_not_forwarded(port: int) -> None:
    response = get(port, "/")
    names = {name for name, _ in response.headers}
    assert names == {"set-cookie", "content-length"}
    assert response.header("set-cookie") == ["a=1", "b=2"]


SPOOFED = [
    b"X-Forwarded-For: 10.1.1.1, 10.2.2.2",
    b"X-Forwarded-Proto: https",
    b"X-Forwarded-Host: shop.example",
    b"X-Forwarded-Prefix: /shop",
    b"Forwarded: for=10.1.1.1",
    b"Via: 1.0 other",
    # some servers do not distinguish these from those with hyphens
    b"X_Forwarded_For: 10.3.3.3",
    b"X-Forwarded_Host: own.example",
]


def test_forwarding_headers_of_an_untrusted_caller_are_replaced(port: int) -> None:
    _, headers = received(get(port, "/", *SPOOFED))
    assert dict(headers) == {
        "x-forwarded-for": "10.1.1.1, 10.2.2.2, 127.0.0.1",
        "x-forwarded-proto": "http",
        "x-forwarded-host": "api.example:80",
        "forwarded": 'for=127.0.0.1;host="api.example:80";proto=http',
        "via": "1.0 other, 1.1 dateline",
    }


def test_forwarding_headers_of_a_trusted_proxy_are_kept(forwarding: Any, backend: int) -> None:
    trusted = ("127.0.0.0/8", "::1/128")
    url = f"http://127.0.0.1:{backend}"
    with proxying(forwarding, url, trusted=trusted, keeps_host=True) as port:
        response = get(port, "/", *SPOOFED)
    headers = dict(received(response)[1])
    assert headers == {
        "x-forwarded-for": "10.1.1.1, 10.2.2.2, 127.0.0.1",
        "x-forwarded-proto": "https",
        "x-forwarded-host": "shop.example",
        "x-forwarded-prefix": "/shop",
        "forwarded": 'for=10.1.1.1, for=127.0.0.1;host="api.example:80";proto=http',
        "via": "1.0 other, 1.1 dateline",
    }
    assert response.json["rawHeaders"].count("api.example:80") == 1


def test_path_of_the_upstream_address_comes_first(forwarding: Any, backend: int) -> None:
    with proxying(forwarding, f"http://127.0.0.1:{backend}/base/") as port:
        assert received(get(port, "/a?b")) == ("GET /base/a?b", FORWARDED)


CHUNKED = b"Transfer-Encoding: chunked"


@cases("size", [0, 1, 65536, 65537, 3_000_000])
@cases("framing", ["length", "chunks"])
@cases("expects", [False, True])
def test_body_arrives_completely(port: int, size: int, framing: str, expects: bool) -> None:
    body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    sent = body
    lines = [b"Content-Length: %d" % size]
    if framing == "chunks":
        pieces = [body[at : at + 1000] for at in range(0, size, 1000)]
        sent = b"".join(b"%x\r\n%b\r\n" % (len(each), each) for each in pieces) + b"0\r\n\r\n"
        lines = [CHUNKED]
    if expects:
        lines.append(b"Expect: 100-continue")
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        head = [b"PUT /up HTTP/1.1", b"Host: a", b"Connection: close", *lines]
        connection.sendall(b"\r\n".join([*head, b"", b""]))
        if expects and size:
            assert connection.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(sent)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    said = json.loads(answer.rpartition(b"\r\n\r\n")[2])
    assert (said["length"], said["sha256"]) == (size, hashlib.sha256(body).hexdigest())


def test_body_that_the_server_refuses_is_never_requested(port: int) -> None:
    # ends without the body, because the caller is not told to continue
    lines = [b"Content-Length: 1000", b"Expect: 100-continue"]
    response = get(port, "/refusing", *lines, method=b"POST")
    assert (response.status, response.body) == (413, b"2\r\nno\r\n0\r\n\r\n")


def test_answer_before_the_end_of_the_body_arrives(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(
            b"POST /refusing HTTP/1.1\r\nHost: a\r\n" + CHUNKED + b"\r\n\r\n1\r\nx\r\n"
        )
        assert connection.recv(12) == b"HTTP/1.1 413"


@pytest.mark.parametrize(
    ("path", "method", "status", "body"),
    [
        ("/nothing", b"GET", 204, b""),
        ("/same", b"GET", 304, b""),
        ("/", b"HEAD", 200, b""),
        ("/early", b"GET", 200, b"late"),
        ("/trailing", b"GET", 200, b"4\r\nbody\r\n0\r\n\r\n"),
    ],
)
def test_answers_keep_their_framing(
    port: int, path: str, method: bytes, status: int, body: bytes
) -> None:
    response = get(port, path, method=method)
    assert (response.status, response.body) == (status, body)
    assert response.header("trailer") == []


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/silent", 504, "the server behind this one did not answer in time"),
        ("/reset", 502, "the server behind this one broke the connection off"),
        # RFC 9110, section 15: not a valid status code
        ("/600", 502, "the server behind this one broke the connection off"),
        ("/999", 502, "the server behind this one broke the connection off"),
    ],
)
def test_failing_server_is_reported(
    port: int, impatient: int, path: str, status: int, said: str
) -> None:
    response = get(impatient if status == 504 else port, path)
    assert (response.status, response.json) == (status, said)


@pytest.mark.parametrize(
    ("lines", "body"),
    [
        ([], b""),
        ([b"Content-Length: 1"], b"a"),
        ([b"Transfer-Encoding: chunked"], b"1\r\na\r\n0\r\n\r\n"),
    ],
    ids=["no body", "a small body", "a streamed body"],
)
def test_timeout_for_the_response_head_starts_with_the_connection(
    forwarding: Any, backend: int, lines: list[bytes], body: bytes
) -> None:
    # longer than the caller waits
    patience = {"connect": 600, "read": 0.3}
    with proxying(forwarding, f"http://127.0.0.1:{backend}", **patience) as port:
        on_new, *_, on_kept = (
            get(port, path, *lines, body=body, method=b"POST")
            for path in ("/silent", "/", "/silent")
        )
    assert (on_new.status, on_kept.status) == (504, 504)


def test_slow_callers_end_their_request_unless_it_is_a_stream(port: int, impatient: int) -> None:
    with ExitStack() as stack:

        def begin(head: bytes) -> socket.socket:
            connection = socket.create_connection(("127.0.0.1", impatient), timeout=20)
            connection.sendall(head)
            return stack.enter_context(connection)

        put = b"PUT /up HTTP/1.1\r\nHost: a\r\n"
        stream = begin(put + b"Content-Type: application/x-ndjson\r\n" + CHUNKED + b"\r\n\r\n")
        lines = (b"Content-Length: 2", b"Content-Length: 100000", CHUNKED)
        stalled = [begin(put + line + b"\r\n\r\n1") for line in lines]
        begin(b"GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
        assert [each.recv(12) for each in stalled] == [b"HTTP/1.1 408"] * 3
        wait_for(port, "endless closed")
        stream.sendall(b"0\r\n\r\n")
        assert stream.recv(12) == b"HTTP/1.1 200"


def test_unreachable_server_is_reported(forwarding: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with proxying(forwarding, f"http://127.0.0.1:{taken.getsockname()[1]}") as port:
            response = get(port, "/secret?token=secret")
    said = "the server behind this one can't be reached"
    assert (response.status, response.json) == (502, said)


@pytest.mark.parametrize("path", ["/broken", "/broken-chunks"])
def test_truncated_answer_is_not_completed(port: int, path: str) -> None:
    response = get(port, path)
    assert response.status == 200
    assert response.body in (b"abc", b"3\r\nabc\r\n")
    assert not response.body.endswith(b"0\r\n\r\n")


def wait_for(port: int, what: str) -> None:
    deadline = time.monotonic() + 20
    while what not in get(port, "/seen").json:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_disconnect_ends_a_silent_stream(port: int, impatient: int) -> None:
    with socket.create_connection(("127.0.0.1", impatient), timeout=20) as connection:
        connection.sendall(b"GET /ticks HTTP/1.1\r\nHost: a\r\n\r\n")
        received = b""
        while b"data: 1\n\n" not in received:
            received += connection.recv(65536)
        # longer than the timeout for a piece of any other response
        time.sleep(0.7)
        connection.settimeout(0.01)
        with pytest.raises(TimeoutError):
            connection.recv(1)
    wait_for(port, "closed")


def test_disconnect_in_the_body_ends_the_request(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(
            b"PUT /up HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + b"x" * 99
        )
    wait_for(port, "aborted")


@pytest.fixture(scope="module")
def parsers(forwarding: Any, backend: int, port: int) -> Iterator[dict[str, int]]:
    with proxying(forwarding, f"http://127.0.0.1:{backend}", http="h11") as other:
        yield {"httptools": port, "h11": other}


@cases(
    ("lines", "body"),
    [
        ([b"Content-Length: 4", CHUNKED], b"0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"),
        ([CHUNKED, b"Content-Length: 4"], b"0\r\n\r\n"),
        ([b"Content-Length: 4", b"Content-Length: 5"], b"abcde"),
        ([b"Content-Length: 4, 5"], b"abcde"),
        ([b"Content-Length: +4"], b"abcd"),
        ([b"Transfer-Encoding: chunked, identity"], b"0\r\n\r\n"),
        ([b"Transfer-Encoding: gzip, chunked"], b"0\r\n\r\n"),
        ([b"Transfer-Encoding: xchunked"], b"0\r\n\r\n"),
        ([b"Transfer-Encoding : chunked"], b"0\r\n\r\n"),
        ([CHUNKED], b"zz\r\nabc\r\n0\r\n\r\n"),
        ([CHUNKED], b"3;a=b\nabc\r\n0\r\n\r\n"),
        ([CHUNKED], b"3\r\nabcX\r\n0\r\n\r\n"),
        ([b"X-A: a\0b"], b""),
        ([b"X-A: a\rX-B: b"], b""),
    ],
)
@cases("kind", ["httptools", "h11"])
def test_request_that_parsers_may_read_differently_is_refused(
    parsers: dict[str, int], kind: str, lines: list[bytes], body: bytes
) -> None:
    assert get(parsers[kind], "/", *lines, body=body, method=b"POST").status == 400


def test_folded_header_is_refused_or_arrives_on_one_line(parsers: dict[str, int]) -> None:
    folded = b"X-Folded: a\r\n b"
    assert get(parsers["httptools"], "/", folded).status == 400
    assert received(get(parsers["h11"], "/", folded))[1] == [("x-folded", "a b"), *FORWARDED]


def test_websocket_is_forwarded(port: int) -> None:
    async def talk_both_ways() -> list[object]:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"http://127.0.0.1:{port}/echo", protocols=["one", "two"]) as echo,
        ):
            said: list[object] = [echo.protocol]
            await echo.send_str("caf\xe9")
            said.append(await echo.receive_str())
            await echo.send_bytes(b"\0\xff")
            said.append(await echo.receive_bytes())
            await echo.close(code=4001)
            return [*said, echo.close_code]

    assert asyncio.run(talk_both_ways()) == ["two", "caf\xe9", b"\0\xff", 4001]


@pytest.mark.parametrize(("path", "status"), [("/other", 403), ("/echo", 502)])
def test_refusal_of_a_websocket_is_forwarded(
    forwarding: Any, port: int, path: str, status: int
) -> None:
    async def connect(to: int) -> int:
        async with aiohttp.ClientSession() as session:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"http://127.0.0.1:{to}{path}")
            return int(refused.value.status)

    if status == 403:
        assert asyncio.run(connect(port)) == status
    else:
        with proxying(forwarding, "http://127.0.0.1:1") as other:
            assert asyncio.run(connect(other)) == status


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://a", "a"),
        ("http://", "http://"),
        ("http://user:secret@a", "a"),
        ("http://a?token=secret", "a"),
        ("http://a:port", "Port could not be cast to integer value as 'port'"),
    ],
)
def test_invalid_upstream_address_is_refused(forwarding: Any, url: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as refused:
        forwarding.Upstream(url=url)
    assert "secret" not in str(refused.value)


HERE = [
    ("{server}/a?b#c", "/a?b#c"),
    ("{server}", "/"),
    ("{server}?b", "/?b"),
    ("HTTP://{authority}/a", "/a"),
    ("//{authority}/a", "/a"),
    ("{server}//other.example/a", "/.//other.example/a"),
    ("{server}/\\other.example/a", "/./\\other.example/a"),
]
ELSEWHERE = [
    "/a",
    "a/b",
    "https://{authority}/a",
    "http://127.0.0.1/a",
    "http://127.0.0.1:1/a",
    "http://other.example/{server}/a",
    "http://{authority}@other.example/a",
    "http://{authority}.other.example/a",
    "//other.example/a",
    "mailto:{authority}",
    "http://[/a",
]


@cases(("sent", "expected"), [*HERE, *((each, each) for each in ELSEWHERE)], ids=lambda uri: uri)
def test_references_to_the_server_become_references_to_the_callers_address(
    port: int, backend: int, sent: str, expected: str
) -> None:
    known = {"authority": f"127.0.0.1:{backend}", "server": f"http://127.0.0.1:{backend}"}
    sent, expected = sent.format(**known), expected.format(**known)
    response = get(port, f"/leading?{quote(sent, safe='')}")
    link = f'<https://elsewhere.example/>; rel="a", <{expected}>; rel="b"; title="<{sent}>"'
    found = [response.header(name) for name in ("location", "content-location", "link")]
    assert found == [[expected], [expected], [link]]


BASED = [
    ("http://Shop.example/base/a", "/a"),
    ("http://shop.example:80/base", "/"),
    ("http://shop.example:80/base?b", "/?b"),
    ("http://shop.example/base//other.example", "/.//other.example"),
    ("http://shop.example/base/\\other.example", "/./\\other.example"),
    ("http://shop.example/base/\t/other.example", "/./\t/other.example"),
    ("http://shop.example/base/\t\t\\other.example", "/./\t\t\\other.example"),
    ("http://shop.example/based", None),
    ("http://shop.example/", None),
    ("http://shop.example:8080/base/a", None),
    ("http://shop.example:x/base/a", None),
    ("http://shop.example:0/base/a", None),
    ("http://shop.example:/base/a", "/a"),
    # browsers resolve dot segments
    *((f"http://shop.example/base/{each}x", None) for each in ("../", "a/../../", "%2e%2E/")),
    *(
        (f"http://shop.example/base{each}x", None)
        for each in ("/..\\", "\\..\\", "/.\t./", "/.%2e/")
    ),
    ("http://shop.example/base/..", None),
    ("http://shop.example/base/../based", None),
    ("http://shop.example/a/../base/b?../c#../d", "/b?../c#../d"),
    ("http://shop.example/base/../base/a", "/a"),
    ("http://shop.example/base/./", "/"),
    ("http://shop.example/base/a/..", "/"),
    ("http://shop.example/base/.", "/"),
    ("http://shop.example/../../base/a", "/a"),
    ("http://shop.example/base/a/..//other.example", "/.//other.example"),
    ("http://shop.example/base?/../a", "/?/../a"),
    ("http://shop.example/base/..a/.b/c../...", "/..a/.b/c../..."),
]


@cases(("reference", "expected"), BASED)
def test_only_references_below_the_servers_path_are_rewritten(
    forwarding: Any, reference: str, expected: str | None
) -> None:
    assert forwarding.find_path_at(reference, "http://shop.example/base") == expected


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("/base/a", "/at/base/a"),
        ("/base/../a", "/base/../a"),
        ("/base/%2e%2e/a", "/base/%2e%2e/a"),
        ("/../base/a", "/at/base/a"),
        ("/a/..\\base?b", "/at/base?b"),
        ("base/../base", "base/../base"),
    ],
)
def test_only_references_below_the_prefix_of_a_mounted_application_are_rewritten(
    forwarding: Any, reference: str, expected: str
) -> None:
    lead = import_module(f"{forwarding.__package__}.runtime.mounting").add_root_to_headers
    headers = [(b"location", reference.encode())]
    assert lead(headers, "/at", ["/base"]) == [(b"location", expected.encode())]


@cases("reference", ["/a/..//b", "/.//b", "/%2e%2e//b", "/a/..\\\\b"])
def test_path_of_a_mounted_application_becomes_no_host(forwarding: Any, reference: str) -> None:
    lead = import_module(f"{forwarding.__package__}.runtime.mounting").add_root_to_headers
    assert lead([(b"location", reference.encode())], "/at", [""]) == [(b"location", b"/at/.//b")]


def test_transfer_does_not_leak_into_later_work_of_its_task(forwarding: Any, backend: int) -> None:
    app = forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{backend}"))
    messages = [{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1000}]
    sent: list[str] = []

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message["type"])

    async def run() -> None:
        known = {"scheme": "http", "raw_path": None}
        caller = PersistentCaller()
        await app({**request(path="/reset"), **known}, caller.receive, caller.send)
        assert caller.response.status == 502
        # it has its own connection, which the transfer must not mistake for its own
        await app({**request(path="/echo"), **known, "type": "websocket"}, receive, send)
        await app.close()

    asyncio.run(run())
    assert sent[0] == "websocket.accept"
