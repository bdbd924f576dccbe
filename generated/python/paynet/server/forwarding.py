"""Forward requests to a server in any language; needs the extra `proxy`.

`Forwarding` is pure ASGI (version 3, on asyncio): it streams bodies both ways over connections
that are kept, passes WebSockets on, and knows nothing of versions.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

import aiohttp
from aiohttp.payload import AsyncIterablePayload
from multidict import CIMultiDict
from yarl import URL

from .runtime.asgi import (
    STATUSES,
    VERSION,
    Headers,
    Receive,
    Scope,
    Send,
    describe_error,
    field,
    plain,
    resolve_target,
    respond,
)
from .runtime.errors import Fault, RequestError
from .runtime.mounting import change_references, find_path_at
from .runtime.sequences import is_sequential

# RFC 9110, section 7.6.1, and what concerns the next proxy only. What a `Trailer` announces is
# dropped: ASGI servers can't send it.
_HOP: Final = frozenset(
    {b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authentication-info"}
    | {b"proxy-authorization", b"proxy-connection", b"te", b"trailer", b"transfer-encoding"}
    | {b"upgrade"}
)
# What a proxy extends, or replaces.
_FORWARDING: Final = frozenset(
    {b"host", b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto"}
)
_SCHEMES: Final = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
_VIA: Final = "1.1 dateline"
# What aiohttp would add to a request by itself.
_AUTOMATIC: Final = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
# A body up to this size in bytes is read first: it is then sent in one piece with the headers.
_SMALL: Final = 64 * 1024
_NO_STATUS: Final = 600
# The longest line of a response's head in bytes.
_LONGEST_LINE: Final = 64 * 1024
_LARGEST_MESSAGE: Final = 16 * 1024 * 1024
_MESSAGES: Final = {aiohttp.WSMsgType.TEXT: "text", aiohttp.WSMsgType.BINARY: "bytes"}
_HANDSHAKE: Final = b"sec-websocket-"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Upstream:
    """The server that requests are forwarded to, and its time limits in seconds.

    ``url`` is where the paths of requests begin. ``connect`` is for a connection, including the
    wait for a free one of at most ``connections``; ``write`` for sending a piece of a request's
    body; ``read`` for the head of a response and for each piece of its body. Callers have the same
    time to send a piece of a request's body, and to accept one of the response. Streams of events
    or other items may be silent for any time. Connections are kept for ``idle`` seconds after a
    response: less than the server keeps them, as a request could meet the end of its connection
    otherwise.

    Callers from the networks ``trusted`` (`10.0.0.0/8`) are other proxies: their `Forwarded` and
    `X-Forwarded-*` are forwarded, and of those of others `X-Forwarded-For` only. With
    ``keeps_host``, the header `Host` is forwarded as well.

    Raises ValueError for an invalid address of a server, and for an invalid network.
    """

    url: str
    connect: float = 5.0
    read: float = 60.0
    write: float = 30.0
    idle: float = 1.5
    connections: int = 1000
    trusted: tuple[str, ...] = ()
    keeps_host: bool = False

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        is_plain = not (parts.query or parts.fragment or "@" in parts.netloc)
        # .port raises ValueError for an invalid port
        if parts.scheme not in ("http", "https") or not parts.hostname or not is_plain:
            raise ValueError(f"{parts.hostname or self.url!r} is not an http:// or https:// URL")
        _ = parts.port
        for network in self.trusted:
            ip_network(network)

    def trusts(self, host: str) -> bool:
        """Return whether *host*, a caller's address, is in one of the networks."""
        return bool(self.trusted) and _is_within(host, self.trusted)


class Forwarding:
    """An ASGI application that forwards each request to a server and its response to the caller.

    Headers that concern one connection are dropped; `Forwarded`, `X-Forwarded-*` and `Via` say for
    whom a request is forwarded. References to the server in responses lead to the caller's address.
    A response that ends too early ends the caller's connection; a caller who leaves ends the
    request. If the server can't be reached, or is too late, the status is 502 or 504; it is 408 if
    the body of the request is. Below `Versioned`, RequestError is raised, which it answers.
    """

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._base = upstream.url.rstrip("/")
        self._session: aiohttp.ClientSession | None = None
        self._sockets: aiohttp.ClientSession | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._forward(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)

    async def is_reachable(self) -> bool:
        """Return whether the server accepts connections now."""
        address = URL(self._base)
        try:
            async with asyncio.timeout(self._upstream.connect):
                _, writer = await asyncio.open_connection(address.host, address.port)
        except OSError:
            return False
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        return True

    async def close(self) -> None:
        """Close all connections."""
        for session in (self._sockets, self._session):
            if session is not None:
                await session.close()
        self._session = self._sockets = None

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                await self.close()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return

    def _open(self) -> aiohttp.ClientSession:
        """Return the session, which belongs to the event loop that runs."""
        if self._session is None:
            upstream = self._upstream
            self._session = self._create_session(
                _Connector(limit=upstream.connections, keepalive_timeout=upstream.idle)
            )
        return self._session

    def _open_for_sockets(self) -> aiohttp.ClientSession:
        """Return a session with the same connections that passes on refusals."""
        if self._sockets is None:
            connector = self._open().connector
            special = {"middlewares": (_refuse,), "ws_response_class": _Socket}
            self._sockets = self._create_session(connector, connector_owner=False, **special)
        return self._sockets

    def _create_session(self, connector: Any, **special: Any) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, connect=self._upstream.connect),
            auto_decompress=False,
            skip_auto_headers=_AUTOMATIC,
            max_line_size=_LONGEST_LINE,
            max_field_size=_LONGEST_LINE,
            **special,
        )

    async def _forward(self, scope: Scope, receive: Receive, send: Send) -> None:
        transfer = _Transfer(scope, receive, send, self._upstream)
        try:
            target = resolve_target(scope)
            headers = _request_headers(target, self._upstream)
            await transfer.run(self._open(), _address(self._base, target), headers)
        except RequestError as error:
            if error.fault in (Fault.UNREACHABLE, Fault.LATE):
                _log.warning("%s %r: %s", scope["method"], scope["path"], error)
            if transfer.is_started or VERSION in scope.get("state", {}):
                raise
            await respond(scope, send, plain(scope, describe_error(error)))

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the messages of a WebSocket, in both directions."""
        await receive()
        try:
            target = resolve_target(scope)
            address = _address(self._base, target)
            headers = _request_headers(target, self._upstream)
        except RequestError as error:
            await _deny(scope, send, STATUSES[error.fault])
            return
        for name in [name for name in headers if name.lower().startswith("sec-websocket-")]:
            headers.popall(name, None)
        try:
            async with asyncio.timeout(self._upstream.read):
                # the server decides on the subprotocol, and whether there is a connection at all
                socket = await self._open_for_sockets().ws_connect(
                    address,
                    headers=headers,
                    protocols=scope.get("subprotocols", ()),
                    autoclose=False,
                    max_msg_size=_LARGEST_MESSAGE,
                )
        except _RefusedError as error:
            refused = _rewrite_headers(error.headers, self._upstream)
            await _deny(scope, send, error.status, refused, error.body)
        except (aiohttp.ClientError, OSError) as error:
            late = isinstance(error, TimeoutError)
            _log.warning("WebSocket %r: %s", scope["path"], type(error).__name__)
            await _deny(scope, send, HTTPStatus.GATEWAY_TIMEOUT if late else HTTPStatus.BAD_GATEWAY)
        else:
            async with socket:
                assert isinstance(socket, _Socket)
                accepted = _rewrite_headers(socket.headers, self._upstream)
                accepted = [each for each in accepted if not each[0].startswith(_HANDSHAKE)]
                start = {"subprotocol": socket.protocol, "headers": accepted}
                await send({"type": "websocket.accept", **start})
                await _pass_messages(socket, receive, send)


class _Transfer:
    """One request and its answer."""

    is_started = False
    """whether the caller has been sent the head of an answer"""

    _is_sent = False
    _is_answered = False
    _has_left = False
    _waits_for_caller = False
    _is_over = False
    _refusal: RequestError | None = None
    _watch: asyncio.Task[None] | None = None

    def __init__(self, scope: Scope, receive: Receive, send: Send, upstream: Upstream) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._upstream = upstream
        self._timer = asyncio.timeout(None)
        self._pause = self._find_pause(field(scope, "Content-Type"))
        self._expects = any(name == b"expect" for name, _ in scope["headers"])

    async def run(
        self, session: aiohttp.ClientSession, address: URL, headers: CIMultiDict[str]
    ) -> None:
        """Forward the request. Raises RequestError; UNREACHABLE and LATE are the server's fault."""
        try:
            async with self._timer:
                body = await self._body()
                if self._is_sent:
                    # everything else has been sent
                    headers.pop("Expect", None)
                self._wait(self._upstream.connect + self._upstream.read)
                outer = _RUNNING.set(self)
                try:
                    async with session.request(
                        self._scope["method"],
                        address,
                        headers=headers,
                        data=body,
                        allow_redirects=False,
                    ) as response:
                        await self._answer(response)
                finally:
                    _RUNNING.reset(outer)
        except (aiohttp.ClientError, OSError) as error:
            # a TimeoutError is an OSError
            fault = self._explain(error)
            if fault is not None:
                raise fault from None
        finally:
            if self._watch is not None:
                self._watch.cancel()

    def _find_pause(self, media_type: str | None) -> float | None:
        """Return how many seconds may pass between two pieces of a body; None for any number."""
        return None if is_sequential(media_type or "") else self._upstream.read

    def _explain(self, error: Exception) -> RequestError | None:
        """Return why a transfer failed; None if the caller has left.

        Messages of the client may contain the address with its query: none is repeated.
        """
        if self._refusal is not None or self._has_left:
            return self._refusal
        if isinstance(error, TimeoutError) and self._waits_for_caller:
            # one who accepts no more of a response gets none
            stalled = RequestError("the body did not arrive in time", Fault.STALLED)
            return None if self.is_started else stalled
        if isinstance(error, TimeoutError):
            return RequestError("the server behind this one did not answer in time", Fault.LATE)
        if isinstance(error, aiohttp.ClientConnectorError):
            return RequestError("the server behind this one can't be reached", Fault.UNREACHABLE)
        message = "the server behind this one broke the connection off"
        return RequestError(message, Fault.UNREACHABLE)

    def _wait(self, seconds: float | None, *, for_caller: bool = False) -> None:
        """End the transfer in *seconds*, unless called again before, or unless it already ends."""
        if not self._timer.expired() and not self._is_over:
            self._waits_for_caller = for_caller
            loop = asyncio.get_running_loop()
            self._timer.reschedule(None if seconds is None else loop.time() + seconds)

    async def _body(self) -> Any:
        """Return the body for the client: None, the bytes of a small one, or a stream."""
        coding = field(self._scope, "Transfer-Encoding")
        is_chunked = coding is not None
        announced = field(self._scope, "Content-Length")
        if is_chunked and announced is not None:
            # one server's end of the body would be in the middle of another's
            raise RequestError("a body has a length or comes in chunks, not both")
        if coding is not None and coding.lower() != "chunked":
            # the server behind would not know of another one
            raise RequestError("the only transfer coding of a body is chunked")
        length = int(announced or 0)
        has_body = is_chunked or length or not self._scope["http_version"].startswith("1")
        if not has_body:
            self._end_body()
            return None
        piece, more = b"", True
        while more and 0 < length <= _SMALL and not self._expects:
            following, more = await self._next()
            piece += following
        if more:
            return _Stream(self._pieces(piece))
        self._end_body()
        return piece

    async def _pieces(self, piece: bytes) -> AsyncIterator[bytes]:
        """Yield *piece* and the rest of the body, each piece once the previous one is sent."""
        more = True
        while True:
            if piece:
                self._wait_for_head(self._upstream.write)
                yield piece
            if not more:
                break
            if self._expects and self._is_answered:
                # refused before it was sent
                raise aiohttp.ClientPayloadError
            piece, more = await self._next()
        self._wait_for_head(self._upstream.read)
        self._end_body()

    async def _next(self) -> tuple[bytes, bool]:
        """Return the next piece of the body, and whether there are more."""
        self._wait_for_head(self._pause, for_caller=True)
        try:
            message = await self._receive()
        except RequestError as error:
            # the body is too large or too slow
            self._refusal = error
            self._end_now()
            raise aiohttp.ClientPayloadError from None
        if message["type"] != "http.request":
            self._leave()
            raise aiohttp.ClientPayloadError
        return message.get("body", b""), message.get("more_body", False)

    def begin(self) -> None:
        """Wait for the head of the answer: there is a connection now."""
        self._wait_for_head(self._upstream.read)

    def _wait_for_head(self, seconds: float | None, *, for_caller: bool = False) -> None:
        """Wait for what comes before the response. Once there is one, it sets the pace."""
        if not self._is_answered:
            self._wait(seconds, for_caller=for_caller)

    def _end_body(self) -> None:
        self._is_sent = True
        self._watch = asyncio.create_task(self._wait_until_left())

    async def _wait_until_left(self) -> None:
        with suppress(RequestError):
            while (await self._receive())["type"] == "http.request":
                pass
        self._leave()

    def _leave(self) -> None:
        self._has_left = True
        self._end_now()

    def _end_now(self) -> None:
        self._wait(0)
        self._is_over = True

    async def _answer(self, response: aiohttp.ClientResponse) -> None:
        self._is_answered = True
        _require_readable(response)
        self._pause = self._find_pause(response.headers.get("content-type"))
        headers = _rewrite_headers(response.raw_headers, self._upstream)
        self.is_started = True
        await self._give("start", status=response.status, headers=headers)
        content = response.content
        more = True
        while more and not self._has_left:
            self._wait(self._pause)
            piece = await content.readany()
            more = not content.at_eof()
            await self._give("body", body=piece, more_body=more)
        if not self._is_sent or more:
            # the rest of the request's body, or of the response, is not needed
            response.close()

    def _give(self, part: str, **content: Any) -> Awaitable[None]:
        self._wait(self._pause, for_caller=True)
        return self._send({"type": f"http.response.{part}", **content})


_RUNNING: Final[ContextVar[_Transfer | None]] = ContextVar("running", default=None)
"""The transfer that a task does, if it does one."""


class _Connector(aiohttp.TCPConnector):
    """Signals when a transfer has its connection, a new or a kept one."""

    async def connect(self, *given: Any, **named: Any) -> Any:
        connection = await super().connect(*given, **named)
        transfer = _RUNNING.get()
        if transfer is not None:
            transfer.begin()
        return connection


class _Socket(aiohttp.ClientWebSocketResponse[bool]):
    """A WebSocket, with the headers of the response that opened it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.headers: Final[tuple[tuple[bytes, bytes], ...]] = given[3].raw_headers


class _RefusedError(Exception):
    """The server responds to the request for a WebSocket without opening one."""

    def __init__(self, response: aiohttp.ClientResponse, body: bytes) -> None:
        super().__init__()
        self.status = response.status
        self.headers = response.raw_headers
        self.body = body


async def _refuse(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Raise _RefusedError for a response that opens no WebSocket: redirects are the caller's."""
    response = await handler(request)
    if response.status == HTTPStatus.SWITCHING_PROTOCOLS:
        return response
    body = bytearray()
    try:
        _require_readable(response)
        async for piece in response.content.iter_any():
            body += piece
            if len(body) > _LARGEST_MESSAGE:
                raise aiohttp.ClientPayloadError
        raise _RefusedError(response, bytes(body))
    finally:
        response.close()


def _require_readable(response: aiohttp.ClientResponse) -> None:
    """Raise ClientPayloadError for a response that can't be passed on."""
    if not HTTPStatus.OK <= response.status < _NO_STATUS:
        # an upgrade that nobody requested, or a status that HTTP doesn't have
        raise aiohttp.ClientPayloadError
    codings = response.headers.getall("transfer-encoding", [])
    if [each.strip().lower() for each in codings] not in ([], ["chunked"]):
        # nobody accepts another one, and the client would not decode it
        raise aiohttp.ClientPayloadError


class _Stream(AsyncIterablePayload):
    """A body that arrives in pieces."""

    @property
    def consumed(self) -> bool:
        # it can be read once: requests with it are not repeated
        return True


def _address(base: str, scope: Scope) -> URL:
    """Return the address that a request is forwarded to: its path as sent, and its query.

    Raises RequestError for a target without a path, which could lead to another server.
    """
    path: str = scope["path"]
    if path[:1] not in ("", "/"):
        raise RequestError("the target of the request is not a path")
    raw = scope.get("raw_path")
    # some servers put the query string there, too
    sent = raw.partition(b"?")[0].decode("latin-1") if raw else ""
    if unquote(sent) != path or not sent.isascii():
        # another path has replaced it since
        sent = quote(path, safe="/:@!$&'()*+,;=~")
    query = scope.get("query_string", b"").decode("latin-1")
    return URL(f"{base}{sent}?{query}" if query else f"{base}{sent}", encoded=True)


def _request_headers(scope: Scope, upstream: Upstream) -> CIMultiDict[str]:
    """Return the headers to forward. Raises RequestError for what the client can't send."""
    lines: Headers = scope["headers"]
    client = scope.get("client")
    caller = client[0] if client else "unknown"
    dropped = _HOP | _named_in_connection(lines) | _list_claims(lines, upstream.trusts(caller))
    found: CIMultiDict[str] = CIMultiDict()
    passed: dict[bytes, list[str]] = {}
    for name, value in lines:
        if name in dropped:
            continue
        try:
            text = value.decode("utf-8")
        except UnicodeDecodeError:
            raise RequestError(f"the header {name.decode('latin-1')} is not UTF-8") from None
        if name in _FORWARDING:
            passed.setdefault(name, []).append(text)
        else:
            found.add(name.decode("latin-1"), text)
    if len(passed.get(b"host", ())) > 1:
        raise RequestError("the header Host is repeated")
    scheme = _SCHEMES.get(scope.get("scheme", ""), "http")
    host = "".join(passed.get(b"host", ()))
    found["x-forwarded-for"] = ", ".join([*passed.get(b"x-forwarded-for", ()), caller])
    for header, seen in ("x-forwarded-proto", scheme), ("x-forwarded-host", host):
        if text := ", ".join(passed.get(header.encode(), [seen])):
            found[header] = text
    node = f'"[{caller}]"' if ":" in caller else caller
    quoted = host.replace("\\", "\\\\").replace('"', '\\"')
    step = ";".join([f"for={node}", *([f'host="{quoted}"'] if host else ()), f"proto={scheme}"])
    found["forwarded"] = ", ".join([*passed.get(b"forwarded", ()), step])
    found["via"] = ", ".join([*passed.get(b"via", ()), _VIA])
    if upstream.keeps_host and host:
        found["host"] = host
    return found


def _list_claims(lines: Headers, is_trusted: bool) -> set[bytes]:
    """Return the headers that say for whom a request is forwarded, and are not passed on.

    Servers take those of callers, and some also those with an underscore, for the proxy's own.
    """
    found = set()
    for name, _ in lines:
        usual = name.replace(b"_", b"-")
        if usual == b"forwarded" or usual.startswith(b"x-forwarded-"):
            is_chain = name == b"x-forwarded-for"
            if not (is_chain or (is_trusted and name == usual)):
                found.add(name)
    return found


def _rewrite_headers(lines: Iterable[tuple[bytes, bytes]], upstream: Upstream) -> Headers:
    """Return the headers of a response of *upstream* for the caller."""

    def rewrite(reference: str) -> str:
        path = find_path_at(reference, upstream.url.rstrip("/"))
        return reference if path is None else path

    return change_references(_response_headers(lines), rewrite)


def _response_headers(lines: Iterable[tuple[bytes, bytes]]) -> Headers:
    found = [(name.lower(), value) for name, value in lines]
    dropped = _HOP | _named_in_connection(found)
    if any(name == b"transfer-encoding" for name, _ in found):
        # RFC 9112, section 6.3: it overrides the length
        dropped |= {b"content-length"}
    return [(name, value) for name, value in found if name not in dropped]


def _named_in_connection(headers: Headers) -> frozenset[bytes]:
    return frozenset(
        option.strip().lower()
        for name, value in headers
        if name == b"connection"
        for option in value.split(b",")
    )


@lru_cache(maxsize=1024)
def _is_within(host: str, networks: tuple[str, ...]) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return any(address in ip_network(network) for network in networks)


async def _deny(
    scope: Scope, send: Send, status: int, headers: Headers | None = None, body: bytes = b""
) -> None:
    """Answer the request for a WebSocket; with 403 if the server knows no other status."""
    if "websocket.http.response" in scope.get("extensions", {}):
        kept = [each for each in headers or () if each[0] != b"content-length"]
        kept.append((b"content-length", b"%d" % len(body)))
        start = {"status": status, "headers": kept}
        await send({"type": "websocket.http.response.start", **start})
        await send({"type": "websocket.http.response.body", "body": body})
    else:
        await send({"type": "websocket.close"})


async def _pass_messages(socket: _Socket, receive: Receive, send: Send) -> None:
    """Forward messages, in both directions, until one side closes the connection."""

    async def up() -> None:
        while (message := await receive())["type"] == "websocket.receive":
            # what no longer reaches the server is lost: `down` reports how it has ended
            with suppress(aiohttp.ClientError, OSError):
                if message.get("text") is not None:
                    await socket.send_str(message["text"])
                else:
                    await socket.send_bytes(message["bytes"])
        reason = message.get("reason") or ""
        await socket.close(code=_code(message.get("code")), message=reason.encode())

    async def down() -> None:
        while (message := await socket.receive()).type in _MESSAGES:
            key = _MESSAGES[message.type]
            await send({"type": "websocket.send", key: message.data})
        code: int | None = 1006
        reason = ""
        if message.type is aiohttp.WSMsgType.CLOSE:
            code, reason = message.data, message.extra or ""
        elif message.type is aiohttp.WSMsgType.ERROR:
            code = socket.close_code
        await send({"type": "websocket.close", "code": _code(code), "reason": reason})

    tasks = [asyncio.create_task(up()), asyncio.create_task(down())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _code(code: int | None) -> int:
    """Return the status code to close a WebSocket with: *code*, if it may be sent.

    RFC 6455, section 7.4: 1005 stands for none, as 0 does here, and other reserved codes for a
    connection that broke off.
    """
    if not code or code == 1005:
        return 1000
    return 1011 if code in (1004, 1006, 1015) or not 1000 <= code < 5000 else code
