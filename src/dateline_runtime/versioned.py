"""Serve dated versions of any ASGI application.

`Versioned` goes outermost. It negotiates the version before anything else, names the version
served in every response, limits the size of bodies, answers faulty requests, and serves the
specification documents.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Set
from dataclasses import replace
from datetime import date
from functools import partial
from math import ceil
from typing import NamedTuple, Protocol
from urllib.parse import quote, unquote

from . import lifecycle
from .asgi import (
    ENCODING,
    METHOD_HEADERS,
    REPLAYED,
    VERSION,
    Answering,
    App,
    Limits,
    Message,
    Receive,
    Scope,
    Send,
    describe_error,
    describe_rejection,
    join_lines,
    join_methods,
    list_values,
    plain,
    remove_methods,
    resolve_target,
    respond,
    route,
)
from .documents import Documents
from .errors import RequestError
from .exchanges import Exchange, Served, require_left
from .mounting import cut_prefix
from .negotiation import BLANKS, Rejection, Supported, negotiate
from .places import Find, find_version
from .references import METHODS, rewrite_references


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
        ...

    def list_hidden(self, version: str, /) -> Set[bytes]:
        """Return the methods of those operations at its path that *version* lacks."""
        ...

    def get(self, version: str, /) -> Handling | None:
        """Return how its requests at *version* are handled; None if that is not known yet."""

    def __getitem__(self, version: str, /) -> Handling:
        """Return how its requests at *version* are handled."""
        ...


class Versioned:
    """Serves every dated version of an application's operations.

    *prefixes* are the paths of the servers. Requests to them and below, or to *paths* and below if
    given, are versioned; those to *documents* are answered from them; all others pass through
    unchanged. *find*, if given, takes a request's method and its path without
    what names a version; requests for which it returns None pass through unchanged, too, and its
    result for others is used in place of *ignoring*, *limits* and the application. If a request
    names other methods, *find* gets all of them (`join_methods`). It must return None for the paths
    of *documents*. In `Allow`, responses to requests that pass through have no methods that the
    operations at the path have at other versions only.

    *ignoring* takes a request's scope and returns whether its operation ignores the header: it is
    then served as without one. *ends* are the announced ends, by version; operations that ignore
    the header don't announce them. In a brownout, requests that name the version are refused.
    *credentials* are the names of headers with a caller's secret:
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
        prefixes: Collection[str] = ("/api",),
        paths: Collection[str] | None = None,
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
        self._paths = frozenset(map(unquote, prefixes if paths is None else paths))
        self._below = tuple(f"{path}/" for path in self._paths)
        self._ignoring = ignoring
        self._documents = documents
        self._documented = documents.prefixes if documents is not None else ()
        self._limits = limits or Limits()
        self._name = supported.header.lower().encode("latin-1")
        self._find_version: Find | None = None
        self._prefixes = prefixes
        if supported.place != "header":
            self._name = b""
            place, known = supported.place, supported.known
            self._find_version = find_version(
                place, supported.header, prefixes, supported.form, known
            )
        ends = ends or {}
        for version in ends:
            if version not in supported.known:
                raise ValueError(f"the end of {version!r}, which is not a supported version")
        # by the usual spelling, which is found without decoding it
        self._exact = {
            version.encode(): Served(supported, version, ends.get(version))
            for version in supported.versions
        }
        retired = {
            version: lifecycle.End(sunset=date.fromisoformat(day))
            for version, day in supported.retired.items()
        }
        self._ends = {**ends, **retired}
        self._paused = {version.encode() for version, end in ends.items() if end.brownouts}
        self._default = self._exact[supported.default.encode()]
        # for requests whose header is ignored or rejected
        self._plain = Served(supported, supported.default, None)
        self._secrets = frozenset(name.lower().encode("latin-1") for name in credentials)
        self._read = self._secrets | {self._name, b"content-length", b"content-encoding"}
        if find is not None:
            self._read |= METHOD_HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._respond(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _respond(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Return what responds to a request: a version, the documents, or the application alone."""
        # in the form of `route`, which nearly all requests have without it
        path: str = scope["path"]
        raw = scope.get("raw_path")
        # with an escape, the path as it was sent is longer
        if scope.get("root_path") or (raw and len(raw) != len(path)):
            path = route(scope)
        if self._find_version is None and self._find is not None:
            routed = self._find(scope["method"], path)
            if routed is not None:
                return self._serve(scope, receive, send, None, routed)
        if path[:1] != "/" and path:
            return self._resolve_target(scope, receive, send)
        documents = self._documents
        is_documented = path.startswith(self._documented)
        if documents is not None and is_documented and documents.serves(path):
            return documents(scope, receive, send)
        reading = self._read_version(scope, path)
        if reading is None:
            return self._app(scope, receive, partial(self._send_passed, scope, send))
        named, found, routed = reading
        if named is not None and self._supported.place != "media-type":
            send = rewrite_references(send, scope, found, partial(self._name_version, named))
        return self._serve(found, receive, send, named, routed)

    def _serve(
        self, scope: Scope, receive: Receive, send: Send, named: str | None, routed: Routed | None
    ) -> Awaitable[None]:
        """Return what responds to a request of the version *named*, or of that in its header."""
        state = scope.setdefault("state", {})
        lines: list[bytes] = []
        length = 0
        is_private = False
        may_override = scope["method"] == "POST" and bool(scope.get("query_string"))
        read = self._read
        for name, value in scope["headers"]:
            if name in read:
                if name == self._name:
                    lines.append(value)
                elif name in self._secrets:
                    is_private = True
                elif name == b"content-length":
                    length = _length(value)
                elif name == b"content-encoding":
                    state[ENCODING] = join_lines(list_values(scope["headers"], name))
                else:
                    may_override = True
        if may_override and routed is not None:
            overridden = self._find_overridden(scope)
            routed = routed if overridden is None else overridden
        served, rejection = self._choose_version(scope, named, lines, routed)
        if root := scope.get("root_path"):
            served = served.below(root)
        state[VERSION] = served.version
        if routed is not None:
            # dict.get is found faster than the __getitem__ of a class with __missing__
            app, limits = routed.get(served.version) or routed[served.version]
        else:
            app = self._app
            limits = self._limits(scope) if callable(self._limits) else self._limits
        if limits is None and rejection is None:
            return self._forward(app, scope, receive, send, served, is_private)
        exchange = Exchange(scope, receive, send, served, is_private, limits, self._answer)
        if limits is not None and length > limits.body:
            exchange.refuse_body()
        if rejection is not None:
            exchange.early = describe_rejection(rejection, self._supported.form)
            exchange.early_headers = self._list_refusal_headers(rejection)
        return exchange.run(app)

    def _choose_version(
        self, scope: Scope, named: str | None, lines: list[bytes], routed: Routed | None
    ) -> tuple[Served, Rejection | None]:
        """Return the version served; *lines* are those of the header in which requests name it."""
        if routed is not None:
            ignores_version = routed.ignores_version
        else:
            ignores_version = self._ignoring is not None and self._ignoring(scope)
        if ignores_version:
            return self._plain, None
        if named is None:
            if not lines:
                return self._default, None
            if len(lines) == 1 and lines[0] in self._exact and lines[0] not in self._paused:
                return self._exact[lines[0]], None
            named = join_lines(lines)
        found = negotiate(named, self._supported)
        if not isinstance(found, Rejection):
            line = found.encode()
            # requests that name no version are always served
            is_refused = line in self._paused and bool(named.strip(BLANKS))
            rejection = self._find_brownout(found) if is_refused else None
            if rejection is None:
                return self._exact[line], None
            found = rejection
        return self._plain, found

    def _find_brownout(self, version: str) -> Rejection | None:
        """Return the refusal of *version* if it is in a brownout now."""
        end, now = self._ends[version], time.time()
        over = end.find_brownout(now)
        if over is None:
            return None
        others = tuple(each for each in self._supported.versions if each != version)
        return Rejection(
            "version_unknown",
            version,
            others,
            why=f"ends on {end.sunset}, and is refused until {over:%Y-%m-%dT%H:%MZ}, as announced",
            retry_after=max(1, ceil(over.timestamp() - now)),
        )

    def _list_refusal_headers(self, rejection: Rejection) -> list[tuple[bytes, bytes]]:
        """Return the headers that say when a refused version ends, and until when it is refused."""
        end = self._ends.get(rejection.requested)
        # the place of its successor depends on the version that is served
        fields = [] if end is None else lifecycle.headers(replace(end, successor=None))
        if rejection.retry_after is not None:
            fields.append(("Retry-After", str(rejection.retry_after)))
        return [(name.lower().encode(), value.encode()) for name, value in fields]

    async def _forward(
        self,
        app: App,
        scope: Scope,
        receive: Receive,
        send: Send,
        served: Served,
        is_private: bool,
    ) -> None:
        """Let *app* respond, with the minimum: most of these responses are sent as they are."""
        is_started = False

        def forward(message: Message) -> Awaitable[None]:
            nonlocal is_started
            if message["type"] == "http.response.start":
                is_started = True
                if REPLAYED not in scope["state"]:
                    headers = served.add_headers(message.get("headers", ()), is_private)
                    message = {**message, "headers": headers}
            return send(message)

        try:
            await app(scope, receive, forward)
            if not is_started:
                await require_left(receive)
        except Exception as error:
            if is_started:
                raise
            exchange = Exchange(scope, receive, send, served, is_private, None, self._answer)
            await exchange.fail(error)

    def _read_version(
        self, scope: Scope, path: str
    ) -> tuple[str | None, Scope, Routed | None] | None:
        """Return the version that a request names, the request without it, and its operation.

        None for a request that is not versioned.
        """
        ways: list[tuple[str | None, Scope]] = [(None, scope)]
        if self._find_version is not None:
            way = self._find_version(scope)
            # servers may read the path as another one that names no version
            ways = [way] if way[1] is scope else [way, *ways]
        if self._find is None:
            found = ways[0][1]
            path = path if found is scope else route(found)
            is_below = path.startswith(self._below) or path in self._paths
            return (*ways[0], None) if is_below else None
        for named, found in ways:
            routed = self._find(scope["method"], route(found))
            if routed is None:
                routed = self._find_overridden(found)
            if routed is not None:
                return named, found, routed
        return None

    def _send_passed(self, scope: Scope, send: Send, message: Message) -> Awaitable[None]:
        """Send a message of the response to a request that is not versioned."""
        headers = message.get("headers", ())
        if self._find is not None and any(name.lower() == b"allow" for name, _ in headers):
            by_place = self._find_version
            named, found = (None, scope) if by_place is None else by_place(scope)
            routed = self._find(METHODS, route(found))
            if routed is not None:
                lines = list_values(scope["headers"], self._name)
                served, _ = self._choose_version(scope, named, lines, routed)
                message = {
                    **message,
                    "headers": remove_methods(headers, routed.list_hidden(served.version)),
                }
        return send(message)

    def _name_version(self, version: str, target: str) -> str | None:
        """Return *target*, a path with its query, such that it names *version*.

        None for what names a version already, or is not versioned.
        """
        path, _, query = target.partition("?")
        raw, query_string = path.encode("latin-1"), query.encode("latin-1")
        scope: Scope = {"path": unquote(path), "raw_path": raw, "query_string": query_string}
        found = (cut_prefix(target, each) for each in self._prefixes)
        below = next((each for each in found if each is not None and each.startswith("/")), None)
        is_document = self._documents is not None and self._documents.serves(scope["path"])
        if below is None or is_document or self._names_version(scope):
            return None
        if self._find is not None and self._find(METHODS, route(scope)) is None:
            return None
        if self._supported.place == "path":
            return f"{target.removesuffix(below)}/{version}{below}"
        pair = f"{quote(self._supported.header)}={quote(version)}"
        return f"{path}?{query}&{pair}" if query else f"{path}?{pair}"

    def _names_version(self, scope: Scope) -> bool:
        return self._find_version is not None and self._find_version(scope)[0] is not None

    async def _resolve_target(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request whose target is not a path, but may contain one."""
        try:
            found = resolve_target(scope)
        except RequestError as error:
            await respond(scope, send, self._answer(scope, describe_error(error)))
            return
        await (self._app if found is scope else self)(found, receive, send)

    def _find_overridden(self, scope: Scope) -> Routed | None:
        """Return the operation that a request may mean by its method, or by one that it names."""
        if self._find is None:
            return None
        named = join_methods(scope)
        return self._find(named, route(scope)) if " " in named else None


def _length(value: bytes) -> int:
    if not value.isdigit():
        return 0
    # longer than any body, and maybe longer than int() reads
    return int(value[:20])
