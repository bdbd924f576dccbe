"""Narrow the answers of an application to the versions of its callers, as they are sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any, Final, TypeVar, cast

from .answers import (
    AnswerNarrowing,
    Body,
    ErrorBody,
    Prepared,
    Treatment,
    Undescribed,
    accept_types,
    replace_length,
)
from .codings import accept_codings
from .contracts import MisfitError
from .converters import call
from .items import NarrowedStream, StreamError
from .problems import Problems
from .results import Results
from .runtime import etag
from .runtime.asgi import (
    BODILESS,
    App,
    Headers,
    Message,
    Receive,
    Scope,
    Send,
    join_lines,
    list_values,
    log_failure,
    respond,
)
from .runtime.conversion import ConversionContext
from .runtime.problems import Problem

T = TypeVar("T")

_SELECTING: Final = etag.CONDITIONS | {b"range", b"accept-encoding"}

# Extensions that send a body without passing it through the layer, or what describes its bytes.
_SHORTCUTS: Final = frozenset(
    {"http.response.pathsend", "http.response.zerocopysend", "http.response.trailers"}
)


class _Done:
    """An awaitable that is done."""

    # called for most messages, so none of it is written in Python
    __await__ = staticmethod(partial(iter, ()))


DONE: Final = cast("Awaitable[None]", _Done())


class AnswerWay:
    """What the answers to all requests of an operation at one version have in common."""

    # read for each request: attributes in slots are the fastest
    __slots__ = ("_app", "accepted", "answers", "problems", "results", "selecting", "version")

    def __init__(
        self,
        app: App,
        results: Results,
        version: str,
        answers: AnswerNarrowing,
        problems: Problems,
    ) -> None:
        self._app = app
        self.results = results
        self.version = version
        self.answers = answers
        self.problems = problems
        self.selecting = _SELECTING
        self.accepted = b""
        """what callers accept who do not say so, if the application may send more"""
        media_types = answers.media_types
        if any(sent != [name] for name, sent in media_types.items()):
            self.selecting |= {b"accept"}
        if not all(media_types.values()):
            self.accepted = accept_types(b"", media_types)

    async def narrow(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        context: ConversionContext | None = None,
    ) -> None:
        """Pass a request on unchanged, and narrow the answer."""
        exchange = _Narrowed(scope, send, self, context)
        await self._app(_unversioned(scope, self), receive, exchange.send)
        if exchange.broken is not None:
            # the application may have ignored it
            raise exchange.broken


class _Narrowed:
    """One answer of the application, on its way to a caller of a version."""

    __slots__ = (
        *("_context", "_is_bodiless", "_is_dropped", "_kept", "_prepared"),
        *("_scope", "_send", "_start", "_stream", "_way", "broken"),
    )

    def __init__(
        self, scope: Scope, send: Send, way: AnswerWay, context: ConversionContext | None
    ) -> None:
        self._scope = scope
        self._send = send
        self._way = way
        self._context = context
        self._start: Message = {}
        self._prepared: Prepared | None = None
        self._kept: bytearray | None = None
        self._is_bodiless = False
        self._is_dropped = False
        self._stream: NarrowedStream | None = None
        self.broken: StreamError | None = None
        """why the answer can't go on, if it can't"""

    def send(self, message: Message) -> Awaitable[None]:
        """Send a message of the application, or keep it until the whole body is there."""
        kind = message["type"]
        if kind == "http.response.start":
            prepared = self._way.answers.prepare(message)
            if prepared is None or self._scope["method"] == "HEAD":
                return self._begin(message)
            self._start, self._prepared = prepared
            return DONE
        if kind != "http.response.body":
            return DONE if kind == "http.response.trailers" else self._send(message)
        if self._prepared is not None:
            piece = message.get("body", b"")
            if message.get("more_body", False):
                if self._kept is None:
                    self._kept = bytearray()
                self._kept += piece
                return self._pass_undescribed(self._prepared) or DONE
            if self._kept is not None:
                self._kept += piece
                piece = bytes(self._kept)
            return self._end(self._prepared, piece)
        if self._is_dropped:
            # this answer, or another in its place, has been sent
            return DONE
        if self._is_bodiless:
            # not every server leaves out what applications send to HEAD
            return self._send({**message, "body": b""})
        return self._send(message) if self._stream is None else self._pass(self._stream, message)

    def _pass_undescribed(self, prepared: Prepared) -> Awaitable[None] | None:
        """Return what sends the pieces of a body that will not be changed; None for others."""
        body, kept = prepared.body, self._kept
        if kept is None or not isinstance(body, Undescribed | ErrorBody):
            return None
        if not body.is_certain(kept, prepared.coding):
            return None
        self._prepared = None
        return self._send_begin(bytes(kept))

    async def _send_begin(self, begin: bytes) -> None:
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": begin, "more_body": True})

    async def _pass(self, stream: NarrowedStream, message: Message) -> None:
        """Send a piece of a stream, narrowed, as soon as it arrives."""
        if self.broken is not None:
            raise self.broken
        is_last = not message.get("more_body", False)
        try:
            body = await stream.change(message.get("body", b""), is_last=is_last)
        except MisfitError as error:
            log_failure(self._scope, error)
            self.broken = StreamError("the stream was broken off")
            raise self.broken from error
        if body or is_last:
            await self._send({**message, "body": body})

    async def _begin(self, message: Message) -> None:
        self._is_bodiless = self._scope["method"] == "HEAD" or message["status"] in BODILESS
        given: Headers = list(message.get("headers", ()))
        coding = join_lines(list_values(given, b"content-encoding")).lower()
        try:
            content_type = join_lines(list_values(given, b"content-type"))
            treatment = self._way.answers.treat(message["status"], content_type)
            headers = await self._make(partial(self._way.answers.headers, given, treatment))
            if treatment.items is not None:
                self._stream = NarrowedStream(treatment.items, coding, self._make)
                headers = [each for each in headers if each[0].lower() != b"content-encoding"]
                headers = replace_length(headers, None)
        except MisfitError as error:
            if message["status"] < HTTPStatus.BAD_REQUEST:
                await self._describe(log_failure(self._scope, error))
                return
            treatment = Treatment(message["status"], is_replaced=True)
        if treatment.is_replaced:
            if self._is_bodiless:
                await self._replace(treatment.status, given)
                return
            # what it says stays
            self._start = {**message, "headers": given}
            self._prepared = Prepared(treatment.status, ErrorBody(None), coding)
            return
        if treatment.status in BODILESS or treatment.has_no_body:
            # the application's status may be another one, with a body
            self._is_bodiless = True
        start = {**message, "status": treatment.status, "headers": headers, "trailers": False}
        if treatment.status == HTTPStatus.RESET_CONTENT or treatment.has_no_body:
            await self._send({**start, "headers": replace_length(headers, 0)})
            return
        if treatment.body is None:
            if treatment.status in BODILESS:
                # a length would be that of the body which 304 stands for
                start["headers"] = replace_length(headers, None)
            await self._send(start)
            return
        start["headers"] = replace_length(headers, None)
        if self._is_bodiless:
            await self._send(start)
        else:
            self._start = start
            self._prepared = Prepared(treatment.status, treatment.body, coding)

    async def _end(self, prepared: Prepared, content: bytes) -> None:
        status, narrowing, coding = prepared
        self._prepared = None
        try:
            body = await self._narrow(narrowing, content, coding)
        except MisfitError as error:
            if status < HTTPStatus.MULTIPLE_CHOICES:
                await self._describe(log_failure(self._scope, error))
                return
            if status >= HTTPStatus.BAD_REQUEST:
                found = await self._restate(narrowing, status, content, coding)
                if found is None:
                    return
                content = found
            # what a redirect leads to is not in its body
            body = content if status >= HTTPStatus.BAD_REQUEST else b""
        self._is_dropped = True
        self._start["headers"].append((b"content-length", b"%d" % len(body)))
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})

    async def _make(self, make: Callable[[], T]) -> T:
        awaits = self._way.answers.awaits
        if awaits is None or self._context is None:
            return make()
        return await call(make, self._context, awaits=awaits)

    async def _narrow(self, body: Body, content: bytes, coding: str) -> bytes:
        if self._context is None:
            return body.narrow(content, coding)
        return await self._make(partial(body.narrow, content, coding))

    async def _restate(self, body: Body, status: int, content: bytes, coding: str) -> bytes | None:
        """Answer with an error of the definitions that says what *content* does, which is unfit.

        The application declares another body than it has, as many do for errors. Returns what is
        to be sent if nothing is known that could be sent instead.
        """
        given: Headers = self._start["headers"]
        way = self._way
        answer = way.problems.restate(self._scope, status, content, coding, way.results)
        if answer is not None:
            self._is_dropped = True
            kept = way.answers.list_general_headers(given)
            await respond(self._scope, self._send, answer, kept)
            return None
        if isinstance(body, ErrorBody) and body.other is not None:
            with suppress(MisfitError):
                return await self._narrow(body.other, content, coding)
        kept = way.answers.list_general_headers(given)
        await self._describe(way.problems.read(status, content, coding), kept)
        return None

    async def _replace(self, status: int, given: Headers) -> None:
        """Answer with *status*, an error of the definitions, and headers of the application."""
        kept = self._way.answers.list_general_headers(given)
        await self._describe(Problem(status=status), kept)

    async def _describe(self, problem: Problem, headers: Headers | None = None) -> None:
        self._is_dropped = True
        answer = self._way.problems.answer(self._scope, problem, self._way.results)
        await respond(self._scope, self._send, answer, headers or ())


def _unversioned(scope: Scope, way: AnswerWay) -> Scope:
    """Return a request whose answer can be narrowed: all of it, in a known coding and media type.

    Its entity-tags are those that the application knows.
    """
    changed: dict[str, Any] = {}
    for name, _ in scope["headers"]:
        if name in way.selecting:
            changed["headers"] = _select_all(scope["headers"], way, scope["method"])
            break
    else:
        if way.accepted:
            changed["headers"] = [*scope["headers"], (b"accept", way.accepted)]
    extensions = scope.get("extensions")
    if extensions and not _SHORTCUTS.isdisjoint(extensions):
        kept = {key: value for key, value in extensions.items() if key not in _SHORTCUTS}
        changed["extensions"] = kept
    return {**scope, **changed} if changed else scope


def _select_all(headers: Headers, way: AnswerWay, method: str) -> Headers:
    """Return *headers* of a request whose answer can be narrowed."""
    selected: Headers = []
    for name, value in headers:
        if name in (b"range", b"if-range"):
            continue
        if name == b"if-none-match" and method in ("GET", "HEAD"):
            value = etag.select_version(value, way.version)
        elif name in etag.CONDITIONS:
            value = etag.strip_version(value, way.version)
        elif name == b"accept-encoding":
            value = accept_codings(value)
        elif name == b"accept" and name in way.selecting:
            value = accept_types(value, way.answers.media_types)
        selected.append((name, value))
    if way.accepted and all(name != b"accept" for name, _ in selected):
        selected.append((b"accept", way.accepted))
    return selected
