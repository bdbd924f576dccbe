"""Read requests and send responses of pure ASGI (version 3, on asyncio).

Only this module and those that import it (`versioned`, `exchanges`, `documents`, `references`,
`replaying`) know HTTP. They work with any ASGI application.
"""

from __future__ import annotations

import logging
import re
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Mapping,
    MutableMapping,
    Set,
)
from dataclasses import asdict, dataclass
from functools import lru_cache
from http import HTTPStatus
from itertools import product
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

from . import etag, statuses
from .errors import FAILED, ApiError, Fault, RequestError, encode, new_trace_id, quote
from .idempotency import Answer
from .mounting import add_root_to_headers
from .negotiation import BLANKS, Rejection
from .problems import Problem

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
    Fault.UNAVAILABLE: 503,
    Fault.LATE: 504,
}

BODILESS: Final = frozenset(map(int, statuses.BODILESS))
"""The statuses of responses without a body (RFC 9110, sections 6.4.1 and 15.3.6)."""

_BLANKS: Final = BLANKS.encode()

# Headers by which callers name another method if they can only send POST, and the parameter of a
# query that does the same.
METHOD_HEADERS: Final = frozenset(
    each.encode()
    for name in ("x-http-method-override", "x-http-method", "x-method-override")
    # many applications don't distinguish `-` from `_`
    for each in map("".join, product(*({sign, "_"} if sign == "-" else sign for sign in name)))
)
_METHOD: Final = "_method"

# The target of a request in absolute form (RFC 9112, section 3.2.2), and its parts. It has a host
# and no user (RFC 9110, sections 4.2.1 and 4.2.4).
_ABSOLUTE: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*://([!$&-.0-;=A-Z\[\]_a-z~]+)([/?#].*)?", re.DOTALL
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of a request's body: how many bytes, and within how many seconds.

    ``item`` is the maximum size of an item of a stream in bytes, in requests and in responses.
    """

    body: int = 1024 * 1024
    seconds: float = 30.0
    item: int = 1024 * 1024


def list_values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    """Return the values of the field lines of *name*, which is in lower case."""
    return [value for each, value in headers if each.lower() == name]


def join_lines(lines: Iterable[bytes]) -> str:
    """Return the values of field lines as one, without the blanks around each."""
    # servers differ in whether they keep blanks around
    return b", ".join([line.strip(_BLANKS) for line in lines]).decode("latin-1")


def field(scope: Scope, name: str) -> str | None:
    """Return the value of the request's header *name*, or None.

    Its field lines are joined by a comma and a space, without the blanks around each (RFC 9110,
    section 5); bytes are read as Latin-1.
    """
    lines = list_values(scope["headers"], name.lower().encode("latin-1"))
    return join_lines(lines) if lines else None


def route(scope: Scope) -> str:
    """Return the path of a request below the mount point of the application.

    A slash that was sent as `%2F` is data of its segment (RFC 3986, section 2.2), not the end of
    it: it is replaced by `SLASH`. Servers that pass only the decoded path lose such slashes.
    """
    path = find_path(scope)
    root = scope.get("root_path")
    # applications are mounted by decoded paths
    if not root or not path.replace(SLASH, "/").startswith(root):
        return path
    below = path[len(root) :]
    if below.startswith(SLASH):
        return f"/{below[1:]}"
    return below if below[:1] in ("", "/") else path


def find_path(scope: Scope) -> str:
    """Return the whole path of a request, with slashes as in `route`."""
    path: str = scope["path"]
    raw = scope.get("raw_path")
    # nearly all are as they were sent
    return _mark_slashes(path, raw) if raw and b"%2" in raw else path


@lru_cache(maxsize=16)  # each route needs it for each request
def _mark_slashes(path: str, raw: bytes) -> str:
    # some servers put the query string there, too
    sent = raw.partition(b"?")[0].decode("latin-1")
    if unquote(sent) != path:
        # another path has replaced it since
        return path
    return "/".join(unquote(segment).replace("/", SLASH) for segment in sent.split("/"))


def join_methods(scope: Scope) -> str:
    """Return the methods that a request may mean, its own first, separated by blanks."""
    lines = [value.decode("latin-1") for name, value in scope["headers"] if name in METHOD_HEADERS]
    query = scope.get("query_string", b"").decode("latin-1")
    if query and scope["method"] == "POST" and _METHOD in unquote(query):
        pairs = parse_qsl(query, keep_blank_values=True)
        lines += [value for name, value in pairs if name == _METHOD]
    # of several, some applications take the first
    return " ".join([scope["method"], *(each.replace(",", " ") for each in lines)])


def remove_methods(headers: Iterable[tuple[bytes, bytes]], methods: Set[bytes]) -> Headers:
    """Return *headers* without *methods* in `Allow`."""

    def remove(value: bytes) -> bytes:
        listed = [each.strip(_BLANKS) for each in value.split(b",")]
        return b", ".join(each for each in listed if each not in methods)

    return [(name, remove(value) if name.lower() == b"allow" else value) for name, value in headers]


def resolve_target(scope: Scope) -> Scope:
    """Return a request whose target is a path, from one in which it may be in absolute form.

    The host in the target replaces the header `Host` (RFC 9112, section 3.2.2). The target `*` is
    unchanged. Raises RequestError for any other target.
    """
    path: str = scope["path"]
    if path[:1] in ("", "/") or path == "*":
        return scope
    found = _ABSOLUTE.fullmatch(path)
    if found is None:
        raise RequestError("the target of the request is not a path")
    headers = [each for each in scope["headers"] if each[0] != b"host"]
    headers.insert(0, (b"host", found[1].encode()))
    changed = {**scope, "path": found[2] or "/", "headers": headers}
    raw = _ABSOLUTE.fullmatch((scope.get("raw_path") or b"").decode("latin-1"))
    changed["raw_path"] = None if raw is None else (raw[2] or "/").encode("latin-1")
    return changed


def strip_tags(scope: Scope, version: str) -> Scope:
    """Return a request with the entity-tags of *version* as the application knows them."""
    if etag.CONDITIONS.isdisjoint(dict(scope["headers"])):
        return scope
    headers = [
        (name, etag.strip_version(value, version) if name in etag.CONDITIONS else value)
        for name, value in scope["headers"]
    ]
    return {**scope, "headers": headers}


async def read_body(receive: Receive) -> bytes | None:
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


def list_refusal_headers(error: RequestError) -> Headers:
    """Return the headers of an answer to *error* (RFC 9110, section 12.5.3)."""
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
    message = (
        rejection.why
        or {
            "version_unknown": "is not a supported version",
            "version_malformed": f"is not a version: a date, {form}",
        }[rejection.reason]
    )
    return Problem(
        status=400,
        code=rejection.error,
        message=f"{quote(rejection.requested)} {message}",
        members=rejection.members,
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
    """Send the whole response, without its body if HTTP has none: HEAD, 204, 205, 304."""
    fields = [*headers]
    body = answer.body
    if answer.status in BODILESS:
        body = b""
        if answer.status == HTTPStatus.RESET_CONTENT:
            fields.append((b"content-length", b"0"))
    else:
        if answer.media_type is not None:
            fields.append((b"content-type", answer.media_type.encode("latin-1")))
        fields.append((b"content-length", str(len(body)).encode()))
        if scope["method"] == "HEAD":
            body = b""
    await send({"type": "http.response.start", "status": answer.status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


class Mountable:
    """Prefixes references in the headers of responses with the mount point of an application.

    Handlers write paths as if the application were not mounted: absolute paths to one of *prefixes*
    or below get the mount point.
    """

    def __init__(self, app: App, prefixes: Collection[str]) -> None:
        self._app = app
        self._prefixes = prefixes

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        root = scope.get("root_path")
        if not root or scope["type"] != "http":
            return self._app(scope, receive, send)

        def rewrite(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                headers = add_root_to_headers(message.get("headers", ()), root, self._prefixes)
                message = {**message, "headers": headers}
            return send(message)

        return self._app(scope, receive, rewrite)
