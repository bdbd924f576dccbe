"""Serve dated versions of any ASGI application, in one file: no other module knows HTTP.

`Versioned` goes outermost. It negotiates the version before anything else, names the version
served in every response, limits the size of bodies, answers faulty requests, and serves the
specification documents. `Idempotent` goes inside it, and replays the answers to repeated POSTs.
Both are pure ASGI (version 3, on asyncio), so that any ASGI application can use them.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import parse_qsl, unquote

from . import etag, idempotency, lifecycle
from .errors import FAILED, ApiError, Fault, RequestError, encode, new_trace_id, quote
from .idempotency import Answer
from .mounting import lead_below, lead_headers_below
from .negotiation import BLANKS, Rejection, Supported, negotiate
from .places import Find, find_version
from .problems import Problem
from .sequences import is_sequential

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

Answering = Callable[[Scope, Problem], Answer]
"""Takes the scope of a request and the problem with it; returns the answer that describes it."""

MEDIA_TYPE: Final = "application/json; charset=utf-8"

VERSION: Final = "api_version"
"""The key of the served version, a string, in ``scope["state"]``."""

ENCODING: Final = "content_encoding"
"""The key of the content coding of a request's body in ``scope["state"]``, if it has one."""

REPLAYED: Final = "idempotent_replay"
"""The key that is set in ``scope["state"]`` of a request whose response is a replay."""

REFUSED: Final = "idempotent_refusal"
"""The key that is set in ``scope["state"]`` of a request that was refused before it had an effect:
its answer is not kept, whatever its status."""

SLASH: Final = "\udc2f"
"""Replaces a slash that was sent as `%2F` in a route: no text in UTF-8 contains it."""

STATUSES: Final[Mapping[Fault, int]] = {
    Fault.MALFORMED: 400,
    Fault.UNAUTHORIZED: 401,
    Fault.STALLED: 408,
    Fault.KEY_IN_USE: 409,
    Fault.TOO_LARGE: 413,
    Fault.UNSUPPORTED_MEDIA: 415,
    Fault.ENCODED: 415,
    Fault.KEY_REUSED: 422,
    Fault.UNREACHABLE: 502,
    Fault.LATE: 504,
}

_BODILESS: Final = frozenset({204, 304})
_BLANKS: Final = BLANKS.encode()
_PRIVATE: Final = (b"cache-control", b"private, no-store")
_CLOSE: Final = (b"connection", b"close")

# Headers by which callers name another method if they can only send POST, and the parameter of a
# query that does the same.
_METHODS: Final = frozenset({b"x-http-method-override", b"x-http-method", b"x-method-override"})
_METHOD: Final = "_method"

# The target of a request in absolute form (RFC 9112, section 3.2.2), and its parts. It has a host
# and no user (RFC 9110, sections 4.2.1 and 4.2.4).
_ABSOLUTE: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*://([!$&-.0-;=A-Z\[\]_a-z~]+)([/?#].*)?", re.DOTALL
)

# The number of mount points of the application for which links are cached.
_MOST_ROOTS: Final = 16

# A path in the list of versions. In the texts there, quotation marks are escaped.
_LOCATION: Final = re.compile(rb'("location":\s*")([^"\\]*)')

_NO_RESPONSE: Final = "the application returned without a response"

# The number of seconds without a byte of a refused body that show that no more of it comes.
_LINGER: Final = 2.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of a request's body: how many bytes, and within how many seconds.

    ``item`` is the maximum size of an item of a stream in bytes, in requests and in responses.
    """

    body: int = 1024 * 1024
    seconds: float = 30.0
    item: int = 1024 * 1024


class Handling(NamedTuple):
    """How the requests of one operation at one version are handled.

    ``limits`` are those of a body, None for one that ``app`` limits itself.
    """

    app: App
    limits: Limits | None


class Routed(Protocol):
    """The operation that a request means by its method and its path."""

    @property
    def ignores_version(self) -> bool:
        """Whether it is served as if its callers named no version."""

    def get(self, version: str, /) -> Handling | None:
        """Return how its requests at *version* are handled, if there have been any."""

    def __getitem__(self, version: str, /) -> Handling:
        """Return how its requests at *version* are handled."""


def field(scope: Scope, name: str) -> str | None:
    """Return the value of the request's header *name*, or None.

    Its field lines are joined by a comma and a space, without the blanks around each (RFC 9110,
    section 5); bytes are read as Latin-1.
    """
    lines = _values(scope["headers"], name.lower().encode("latin-1"))
    return _join(lines) if lines else None


def route(scope: Scope) -> str:
    """Return the path of a request below the mount point of the application.

    A slash that was sent as `%2F` is data of its segment (RFC 3986, section 2.2), not the end of
    it: it is replaced by `SLASH`. Servers that pass only the decoded path lose such slashes.
    """
    path = _concrete(scope)
    root = scope.get("root_path")
    if not root or not path.startswith(root):
        return path
    below = path[len(root) :]
    return below if below[:1] in ("", "/") else path


def methods(scope: Scope) -> str:
    """Return the methods that a request may mean: its own, and those that it names otherwise."""
    lines = [value.decode("latin-1") for name, value in scope["headers"] if name in _METHODS]
    query = scope.get("query_string", b"").decode("latin-1")
    if query and scope["method"] == "POST" and _METHOD in unquote(query):
        pairs = parse_qsl(query, keep_blank_values=True)
        lines += [value for name, value in pairs if name == _METHOD]
    # of several, some applications take the first
    return " ".join([scope["method"], *(each.replace(",", " ") for each in lines)])


def lead_to_path(scope: Scope) -> Scope:
    """Return a request with a path, whose target may be in absolute form.

    The host in its target takes the place of the header `Host` (RFC 9112, section 3.2.2). Raises
    RequestError for another target; `*` stays.
    """
    path: str = scope["path"]
    if path[:1] in ("", "/") or path == "*":
        return scope
    found = _ABSOLUTE.fullmatch(path)
    if found is None:
        raise RequestError("the target of the request is no path")
    headers = [each for each in scope["headers"] if each[0] != b"host"]
    headers.insert(0, (b"host", found[1].encode()))
    changed = {**scope, "path": found[2] or "/", "headers": headers}
    raw = _ABSOLUTE.fullmatch((scope.get("raw_path") or b"").decode("latin-1"))
    changed["raw_path"] = None if raw is None else (raw[2] or "/").encode("latin-1")
    return changed


def strip_tags(scope: Scope, version: str) -> Scope:
    """Return a request with the entity-tags of *version* as the application knows them."""
    if all(name not in etag.CONDITIONS for name, _ in scope["headers"]):
        return scope
    headers = [
        (name, etag.strip_version(value, version) if name in etag.CONDITIONS else value)
        for name, value in scope["headers"]
    ]
    return {**scope, "headers": headers}


async def whole(receive: Receive) -> bytes | None:
    """Return the body of a request; None if the caller leaves before its end."""
    pieces = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        pieces.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(pieces)


def repeat(body: bytes, receive: Receive) -> Receive:
    """Return a function that returns *body*, which was read, and then the messages of *receive*."""
    unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return unread.pop() if unread else await receive()

    return receive_again


def describe_error(error: RequestError) -> Problem:
    """Return *error* as a problem for the sender of the request."""
    code = error.fault.value.replace(" ", "_")
    return Problem(status=STATUSES[error.fault], code=code, message=str(error))


def find_headers(error: RequestError) -> Headers:
    """Return the headers that an answer to *error* has (RFC 9110, section 12.5.3)."""
    return [(b"accept-encoding", b"identity")] if error.fault is Fault.ENCODED else []


def log_failure(scope: Scope, error: BaseException) -> Problem:
    """Log *error* with a fresh trace id and return a problem with nothing but that id."""
    trace_id = new_trace_id()
    # %r: a decoded path may contain line breaks
    _log.error("%s: %s %r", trace_id, scope["method"], scope["path"], exc_info=error)
    return Problem(status=500, message=FAILED, trace_id=trace_id)


def describe_rejection(rejection: Rejection, form: str = "YYYY-MM-DD") -> Problem:
    """Return *rejection* as a problem for the sender of the request.

    *form* is how versions are named.
    """
    message = {
        "version_unknown": "is not a supported version",
        "version_malformed": f"is not a version: a date, {form}",
    }[rejection.reason]
    return Problem(
        status=400,
        code=rejection.error,
        message=f"{quote(rejection.requested)} {message}",
        members=asdict(rejection),
    )


def plain(_: Scope, problem: Problem) -> Answer:
    """Return the response of applications without error bodies of their own."""
    body: Any = problem.message
    if problem.members:
        body = problem.members
    elif problem.trace_id is not None:
        body = asdict(ApiError(problem.message, problem.trace_id))
    return Answer(problem.status, MEDIA_TYPE, encode(body))


def refusal(error: RequestError) -> Answer:
    """Return the response to a request that can't be served as it is: a string."""
    return plain({}, describe_error(error))


async def respond(
    scope: Scope, send: Send, answer: Answer, headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Send the whole response, without its body if HTTP has none: HEAD, 204, 304."""
    fields = [*headers]
    body = answer.body
    if answer.status in _BODILESS:
        body = b""
    else:
        if answer.media_type is not None:
            fields.append((b"content-type", answer.media_type.encode("latin-1")))
        fields.append((b"content-length", str(len(body)).encode()))
        if scope["method"] == "HEAD":
            body = b""
    await send({"type": "http.response.start", "status": answer.status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


class Documents:
    """The specification documents of one environment, by path: a separate ASGI application.

    Each has a strong entity-tag, and is sent again only if it has changed. There is no
    authentication, and the version header is ignored.
    """

    def __init__(
        self, contents: Mapping[str, bytes], prefix: str = "/spec", *, answer: Answering = plain
    ) -> None:
        self.prefixes: tuple[str, ...] = (prefix,)
        """what the paths of all that it serves begin with"""
        self._index = f"{prefix}/versions"
        self._index_below = lru_cache(_MOST_ROOTS)(self._make_index)
        self._answer = answer
        self._found = {
            path: (Answer(200, MEDIA_TYPE, content), etag.strong(content))
            for path, content in contents.items()
        }

    def serves(self, path: str) -> bool:
        """Return whether the path is below the prefix, a document or not."""
        prefix = self.prefixes[0]
        return path.startswith(prefix) and path[len(prefix) :][:1] in ("", "/")

    async def __call__(self, scope: Scope, _: Receive, send: Send) -> None:
        headers: Headers = []
        path = route(scope)
        if path not in self._found:
            answer = self._refuse(scope, 404, "there is no such specification document")
        elif scope["method"] not in ("GET", "HEAD"):
            answer = self._refuse(scope, 405, "specification documents can only be read")
            headers = [(b"allow", b"GET, HEAD")]
        else:
            answer, tag = self._found[path]
            if path == self._index and (root := scope.get("root_path")):
                answer, tag = self._index_below(root)
            headers = [(b"etag", tag.encode()), (b"cache-control", b"no-cache")]
            if not etag.match(field(scope, "If-Match"), tag):
                answer = self._refuse(scope, 412, "the document has changed")
            elif not etag.none_match(field(scope, "If-None-Match"), tag):
                answer = Answer(304, None, b"")
        await respond(scope, send, answer, headers)

    def _make_index(self, root: str) -> tuple[Answer, str]:
        """Return the list of versions with the documents' paths below *root*, and its tag."""

        def lead(found: re.Match[bytes]) -> bytes:
            return found[1] + lead_below(found[2].decode(), root).encode()

        content = _LOCATION.sub(lead, self._found[self._index][0].body)
        return Answer(200, MEDIA_TYPE, content), etag.strong(content)

    def _refuse(self, scope: Scope, status: int, message: str) -> Answer:
        return self._answer(scope, Problem(status=status, message=message))


class _Served:
    """A version, and the headers that announce it in responses."""

    def __init__(
        self, supported: Supported, version: str, end: lifecycle.End | None, root: str = ""
    ) -> None:
        self._made_of = supported, version, end
        self._below: dict[str, _Served] = {root: self}
        if end is not None and end.successor is not None:
            end = replace(end, successor=lead_below(end.successor, root))
        echo = [(supported.header, version)] if supported.place == "header" else []
        fields = [*echo, *(lifecycle.headers(end) if end is not None else ())]
        self.version = version
        self._fields = [(name.lower().encode("latin-1"), value.encode()) for name, value in fields]
        # caches distinguish URLs, but not what headers select
        selecting = {"header": supported.header, "media-type": "Accept"}.get(supported.place, "")
        self._header = selecting.encode("latin-1")
        self._alone = [*self._fields, *([(b"vary", self._header)] if selecting else [])]
        self._alone_private = [*self._alone, _PRIVATE]
        self._met = frozenset({name for name, _ in self._fields[: len(echo)]})
        self._met |= {b"vary", b"cache-control"}
        self._parameter = b""
        if supported.place == "media-type":
            self._parameter = f"; {supported.header}={version}".encode("latin-1")
            self._met |= {b"content-type"}

    def below(self, root: str) -> _Served:
        """Return the headers that announce the version if the application is mounted at *root*."""
        if root not in self._below:
            if len(self._below) > _MOST_ROOTS:
                return self
            self._below[root] = _Served(*self._made_of, root)
        return self._below[root]

    def add_headers(self, headers: Iterable[tuple[bytes, bytes]], private: bool) -> Headers:
        """Return a response's headers with ours: one of each, with the values of `Vary` kept."""
        fields = [*headers]
        for name, _ in fields:
            if name.lower() in self._met:
                return self._merge(fields, private)
        fields += self._alone_private if private else self._alone
        return fields

    def _merge(self, headers: Headers, private: bool) -> Headers:
        dropped = self._met - {b"cache-control", b"content-type"}
        kept = [
            (name, value + self._parameter if name.lower() == b"content-type" else value)
            for name, value in headers
            if name.lower() not in dropped
        ]
        kept += self._fields
        if vary := self._vary(_values(headers, b"vary")):
            kept.append((b"vary", vary))
        if private and not _values(headers, b"cache-control"):
            kept.append(_PRIVATE)
        return kept

    def _vary(self, lines: list[bytes]) -> bytes:
        names = [name.strip(_BLANKS) for line in lines for name in line.split(b",")]
        if b"*" in names:
            return b"*"
        if self._header and self._header.lower() not in (name.lower() for name in names):
            names.append(self._header)
        return b", ".join(filter(None, names))


class Versioned:
    """Serves every dated version of an application's operations.

    Requests to *prefix* and below are versioned; those to *documents* are answered from them; all
    others pass through unchanged. *find*, if given, takes a request's method and its path without
    what names a version; requests for which it returns None pass through unchanged, too, and its
    result for others is used in place of *ignoring*, *limits* and the application. If a request
    names other methods, *find* gets all, with blanks between (`methods`). It must return None for
    the paths of *documents*, and for those outside of *prefix*.

    *ignoring* takes a request's scope and returns whether its operation ignores the header: it is
    then served as without one. *ends* are the announced ends, by version; operations that ignore
    the header don't announce them. *credentials* are the names of headers with a caller's secret:
    responses to requests with one of them are kept out of every cache, unless they say how they may
    be cached. *limits* are those of every body, or a function that returns those of a request's.
    *answer* creates the responses to errors.

    Raises ValueError for the end of a version that is not supported.
    """

    def __init__(
        self,
        app: App,
        supported: Supported,
        *,
        prefix: str = "/api",
        find: Callable[[str, str], Routed | None] | None = None,
        ignoring: Callable[[Scope], bool] | None = None,
        documents: Documents | None = None,
        ends: Mapping[str, lifecycle.End] | None = None,
        credentials: Collection[str] = (),
        limits: Limits | Callable[[Scope], Limits] | None = None,
        answer: Answering = plain,
    ) -> None:
        self._app = app
        self._find = find
        self._supported = supported
        self._answer = answer
        self._prefix = prefix
        self._below = f"{prefix}/"
        self._ignoring = ignoring
        self._documents = documents
        self._documented = documents.prefixes if documents is not None else ()
        self._limits = limits or Limits()
        self._name = supported.header.lower().encode("latin-1")
        self._find_version: Find | None = None
        if supported.place != "header":
            self._name = b""
            place, known = supported.place, supported.known
            self._find_version = find_version(
                place, supported.header, prefix, supported.form, known
            )
        ends = ends or {}
        for version in ends:
            if version not in supported.known:
                raise ValueError(f"the end of {version!r}, which is not a supported version")
        # by the usual spelling, which is found without decoding it
        self._exact = {
            version.encode(): _Served(supported, version, ends.get(version))
            for version in supported.versions
        }
        self._default = self._exact[supported.default.encode()]
        # for requests whose header is ignored or rejected
        self._plain = _Served(supported, supported.default, None)
        self._secrets = frozenset(name.lower().encode("latin-1") for name in credentials)
        self._read = self._secrets | {self._name, b"content-length", b"content-encoding"}
        if find is not None:
            self._read |= _METHODS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # in the form of `route`, which nearly all requests have without it
        path: str = scope["path"]
        root = scope.get("root_path")
        raw = scope.get("raw_path")
        # with an escape, the path as it was sent is longer
        if root or (raw and len(raw) != len(path)):
            path = route(scope)
        named, found, routed = None, scope, None
        if self._find_version is None and self._find is not None:
            routed = self._find(scope["method"], path)
        if routed is None:
            if path[:1] != "/" and path:
                await self._lead_to_path(scope, receive, send)
                return
            if path.startswith(self._documented):
                documents = self._documents
                if documents is not None and documents.serves(path):
                    await documents(scope, receive, send)
                    return
            ways: list[tuple[str | None, Scope]] = [(None, scope)]
            if self._find_version is not None:
                way = self._find_version(scope)
                # servers may read the path as another one that names no version
                ways = [way] if way[1] is scope else [way, *ways]
            if self._find is None:
                if not path.startswith(self._below) and path != self._prefix:
                    await self._app(scope, receive, send)
                    return
                named, found = ways[0]
            else:
                for way in ways:
                    routed = self._find(scope["method"], route(way[1]))
                    if routed is None:
                        routed = self._find_overridden(way[1])
                    if routed is not None:
                        named, found = way
                        break
                else:
                    await self._app(scope, receive, send)
                    return
        state = found.setdefault("state", {})
        lines: list[bytes] = []
        length = 0
        is_private = False
        for name, value in found["headers"]:
            if name in self._read:
                if name == self._name:
                    lines.append(value)
                elif name in self._secrets:
                    is_private = True
                elif name == b"content-length":
                    length = _length(value)
                elif name == b"content-encoding":
                    state[ENCODING] = _join(_values(found["headers"], name))
                else:
                    routed = self._find_overridden(found)
        if routed is not None and found["method"] == "POST" and found.get("query_string"):
            overridden = self._find_overridden(found)
            routed = routed if overridden is None else overridden
        if routed is not None:
            ignores_version = routed.ignores_version
        else:
            ignores_version = self._ignoring is not None and self._ignoring(found)
        rejection = None
        if ignores_version:
            served = self._plain
        elif named is not None:
            served, rejection = self._negotiate(named)
        elif not lines:
            served = self._default
        elif len(lines) == 1 and lines[0] in self._exact:
            served = self._exact[lines[0]]
        else:
            served, rejection = self._negotiate(_join(lines))
        if root:
            served = served.below(root)
        state[VERSION] = served.version
        if routed is not None:
            # dict.get is found faster than the __getitem__ of a class with __missing__
            app, limits = routed.get(served.version) or routed[served.version]
        else:
            app = self._app
            limits = self._limits(scope) if callable(self._limits) else self._limits
        if limits is not None or rejection is not None:
            exchange = _Exchange(found, receive, send, served, is_private, limits, self._answer)
            if limits is not None and length > limits.body:
                exchange.refuse_body()
            if rejection is not None:
                exchange.early = describe_rejection(rejection, self._supported.form)
            await exchange.run(app)
            return
        # the minimum: most of these requests are answered as they are
        is_started = False

        def forward(message: Message) -> Awaitable[None]:
            nonlocal is_started
            if message["type"] == "http.response.start":
                is_started = True
                if REPLAYED not in state:
                    headers = served.add_headers(message.get("headers", ()), is_private)
                    message = {**message, "headers": headers}
            return send(message)

        try:
            await app(found, receive, forward)
            if not is_started:
                raise RuntimeError(_NO_RESPONSE)
        except Exception as error:
            if is_started:
                raise
            exchange = _Exchange(found, receive, send, served, is_private, None, self._answer)
            await exchange.fail(error)

    async def _lead_to_path(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request whose target is not a path, but may contain one."""
        try:
            found = lead_to_path(scope)
        except RequestError as error:
            await respond(scope, send, self._answer(scope, describe_error(error)))
            return
        await (self._app if found is scope else self)(found, receive, send)

    def _find_overridden(self, scope: Scope) -> Routed | None:
        """Return the operation that a request may mean by its method, or by one that it names."""
        if self._find is None:
            return None
        named = methods(scope)
        return self._find(named, route(scope)) if " " in named else None

    def _negotiate(self, named: str) -> tuple[_Served, Rejection | None]:
        found = negotiate(named, self._supported)
        if isinstance(found, Rejection):
            return self._plain, found
        return self._exact[found.encode()], None


class _Body(Enum):
    """The progress of the body of a request."""

    COMING = "coming"
    WHOLE = "whole"
    LOST = "lost"


class _Exchange:
    """One request and its response, between the server and the application.

    Most requests change none of the attributes of the class. `receive` and `send`
    return the server's own awaitables where they can: a coroutine more costs each request.
    """

    early: Problem | None = None
    """what is answered without asking the application"""

    _limits = Limits()
    _body = _Body.COMING
    _size = 0
    _deadline: float | None = None
    _refused: RequestError | None = None
    _is_started = False
    _is_replaced = False
    _closes = False

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        served: _Served,
        private: bool,
        limits: Limits | None,
        answer: Answering,
    ) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._served = served
        self._private = private
        self._answered = answer
        if limits is not None:
            self._limits = limits

    def refuse_body(self) -> None:
        """Refuse the announced body, without reading any of it."""
        self.early = describe_error(self._break_off(self._too_large(), Fault.TOO_LARGE))

    async def run(self, app: App) -> None:
        """Let the application respond; respond in its place if it fails to."""
        if self.early is not None:
            await self._answer(self.early)
            return
        try:
            await app(self._scope, self.receive, self.send)
            if not self._is_started and self._body is not _Body.LOST:
                raise RuntimeError(_NO_RESPONSE)
        except Exception as error:
            if self._is_replaced:
                return
            if self._is_started:
                # too late for a response: the server closes the connection
                raise
            await self.fail(error)

    async def fail(self, error: Exception) -> None:
        """Respond in place of the application, which raised *error*."""
        if self._body is _Body.LOST:
            method, path = self._scope["method"], self._scope["path"]
            _log.info("%s %r: the caller has left", method, path, exc_info=error)
        elif isinstance(error, RequestError):
            await self._answer(describe_error(error), find_headers(error))
        else:
            await self._answer(log_failure(self._scope, error))

    def receive(self) -> Awaitable[Message]:
        """Return the next message of the server; raise RequestError if the body is refused."""
        return self._next() if self._body is _Body.COMING else self._receive()

    async def _next(self) -> Message:
        if self._refused is not None:
            raise self._refused
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().time() + self._limits.seconds
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise self._break_off("the body did not arrive in time", Fault.STALLED) from None
        if message["type"] != "http.request":
            self._body = _Body.LOST
            return message
        self._size += len(message.get("body", b""))
        if self._size > self._limits.body:
            raise self._break_off(self._too_large(), Fault.TOO_LARGE)
        if not message.get("more_body", False):
            self._body = _Body.WHOLE
        return message

    def _too_large(self) -> str:
        return f"the body has to be at most {self._limits.body} bytes"

    def _break_off(self, reason: str, fault: Fault) -> RequestError:
        """Refuse the body and close the connection: the rest of it stays unread."""
        self._closes = True
        self._refused = RequestError(reason, fault)
        return self._refused

    def send(self, message: Message) -> Awaitable[None]:
        """Send a message of the application, or the refusal once its body was refused."""
        if self._refused is None:
            return self._forward(message)
        return self._instead(self._refused, message)

    async def _instead(self, error: RequestError, message: Message) -> None:
        if not self._is_started:
            self._is_replaced = True
            await self._answer(describe_error(error))
        elif not self._is_replaced:
            await self._forward(message)

    async def _answer(self, problem: Problem, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        """Send a response of our own. It ends the connection if a body is left unread."""
        answer = self._answered(self._scope, problem)
        has_connections = self._scope.get("http_version", "1.1").startswith("1")
        if self._closes and has_connections:
            await respond(self._scope, self._send_last, answer, [*headers, _CLOSE])
        else:
            await respond(self._scope, self._forward, answer, headers)

    async def _send_last(self, message: Message) -> None:
        """Send a message of the last response of a connection, and end it late.

        Closing a connection with unread data resets it, and the response is lost on its way (RFC
        9112, section 9.6), so what the caller still sends is read before.
        """
        if message["type"] == "http.response.body":
            await self._forward({**message, "more_body": True})
            await self._drain()
            message = {"type": "http.response.body", "body": b""}
        await self._forward(message)

    async def _drain(self) -> None:
        """Read the rest of the body, as long as it comes and there is time for a body."""
        if self._deadline is None and field(self._scope, "expect") is not None:
            # the caller sends it only after an interim response (RFC 9110, section 10.1.1)
            return
        is_late = self._refused is not None and self._refused.fault is Fault.STALLED
        more = True
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER if is_late else self._limits.seconds):
                while more:
                    async with asyncio.timeout(_LINGER):
                        message = await self._receive()
                    more = message["type"] == "http.request" and message.get("more_body", False)

    def _forward(self, message: Message) -> Awaitable[None]:
        if message["type"] == "http.response.start":
            self._is_started = True
            if REPLAYED not in self._scope["state"]:
                headers = self._served.add_headers(message.get("headers", ()), self._private)
                message = {**message, "headers": headers}
        return self._send(message)


class Mountable:
    """Prefixes references in responses of an application with its mount point, if it is mounted.

    Handlers write paths as if it was not mounted: absolute paths to *prefixes* or below get its
    mount point in the headers of responses that contain references.
    """

    def __init__(self, app: App, prefixes: Collection[str]) -> None:
        self._app = app
        self._prefixes = prefixes

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        root = scope.get("root_path")
        if not root or scope["type"] != "http":
            return self._app(scope, receive, send)

        def lead(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                headers = lead_headers_below(message.get("headers", ()), root, self._prefixes)
                message = {**message, "headers": headers}
            return send(message)

        return self._app(scope, receive, lead)


class Idempotent:
    """Responds to a repeated POST as to the first one.

    *account* takes a request's scope and returns for whom it is made, including the sub-partner;
    None for an unknown caller. Then, and without an idempotency key, and for all methods but POST,
    the request passes through. A replay has the stored status and body, and no headers besides
    their type and length. A stream of items is not stored: its request is executed again. Place it
    inside of `Versioned`, which limits the body and omits its headers from replays.
    """

    def __init__(
        self,
        app: App,
        store: idempotency.Store,
        account: Callable[[Scope], Awaitable[str | None]],
        *,
        patience: float = idempotency.PATIENCE,
        answer: Answering = plain,
    ) -> None:
        self._app = app
        self._store = store
        self._account = account
        self._patience = patience
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_post = scope["type"] == "http" and scope["method"] == "POST"
        header = field(scope, idempotency.HEADER) if is_post else None
        account = await self._account(scope) if header is not None else None
        if header is None or account is None:
            await self._app(scope, receive, send)
            return
        try:
            body = await whole(receive)
            if body is None:
                return
            attempt = _attempt(scope, account, header, body)
            stored = await idempotency.begin(self._store, attempt, self._patience)
        except RequestError as error:
            await respond(scope, send, self._answer(scope, describe_error(error)))
            return
        if stored is None:
            recording = _Recording(self._store, attempt, send)
            await recording.run(self._app, scope, repeat(body, receive))
        else:
            scope.setdefault("state", {})[REPLAYED] = True
            await respond(scope, send, stored)


class _Recording:
    """The first request with its key: its response is recorded before the caller sees it."""

    def __init__(self, store: idempotency.Store, attempt: idempotency.Attempt, send: Send) -> None:
        self._store = store
        self._attempt = attempt
        self._send = send
        self._start: Message = {}
        self._state: Message = {}
        self._pieces: list[bytes] = []
        self._is_held = True
        self._is_stream = False

    async def run(self, app: App, scope: Scope, receive: Receive) -> None:
        # extensions are other ways to send a body, bypassing this one
        scope["extensions"] = {}
        self._state = scope.setdefault("state", {})
        try:
            await app(scope, receive, self.send)
        finally:
            if self._is_held:
                await self._store.release(self._attempt)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            # it may never end: nobody can be answered with it again
            self._is_stream = is_sequential(_media_type(message) or "")
        if self._is_stream:
            await self._send(message)
        elif message["type"] == "http.response.body":
            self._pieces.append(message.get("body", b""))
            if not message.get("more_body", False):
                await self._end(b"".join(self._pieces))

    async def _end(self, body: bytes) -> None:
        answer = Answer(self._start["status"], _media_type(self._start), body)
        self._is_held = False
        if REFUSED in self._state:
            await self._store.release(self._attempt)
        else:
            await idempotency.finish(self._store, self._attempt, answer)
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})


def _concrete(scope: Scope) -> str:
    """Return the whole path of a request, with slashes as in `route`."""
    path: str = scope["path"]
    raw = scope.get("raw_path")
    # nearly all are as they were sent
    return _told_apart(path, raw) if raw and b"%2" in raw else path


@lru_cache(maxsize=16)  # each route needs it for each request
def _told_apart(path: str, raw: bytes) -> str:
    # some servers put the query string there, too
    sent = raw.partition(b"?")[0].decode("latin-1")
    if unquote(sent) != path:
        # another path has replaced it since
        return path
    return "/".join(unquote(segment).replace("/", SLASH) for segment in sent.split("/"))


def _attempt(scope: Scope, account: str, header: str, body: bytes) -> idempotency.Attempt:
    key = idempotency.read_key(header)
    within = idempotency.Scope(account, scope["method"], _concrete(scope), key)
    query = scope.get("query_string", b"")
    return idempotency.Attempt(within, idempotency.fingerprint(within, body, query))


def _values(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> list[bytes]:
    return [value for name, value in headers if name.lower() == wanted]


def _join(lines: list[bytes]) -> str:
    # servers differ in whether they keep blanks around
    return b", ".join([line.strip(_BLANKS) for line in lines]).decode("latin-1")


def _length(value: bytes) -> int:
    if not value.isdigit():
        return 0
    # longer than any body, and maybe longer than int() reads
    return int(value[:20])


def _media_type(start: Message) -> str | None:
    values = _values(start.get("headers", ()), b"content-type")
    return values[0].decode("latin-1") if values else None
