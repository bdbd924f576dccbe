"""Serve one operation: read its request, call its handler, and respond."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus
from typing import Any, Final, TypeVar

from starlette.exceptions import HTTPException

from .callers import Callers
from .contracts import MisfitError
from .converters import Make, call
from .items import StreamError
from .nouns import Call, Operation, Refusal
from .problems import NO_PATH, Problems
from .readers import Readers
from .reading import Reader
from .results import Results, Stream, make_repeatable
from .runtime import bodies, etag, idempotency
from .runtime.asgi import (
    ENCODING,
    VERSION,
    Headers,
    Receive,
    Scope,
    Send,
    describe_error,
    field,
    list_refusal_headers,
    log_failure,
    read_body,
    respond,
    strip_tags,
)
from .runtime.conversion import ConversionContext
from .runtime.errors import RequestError
from .runtime.idempotency import Answer
from .runtime.media_types import choose_media_type
from .runtime.problems import Problem
from .streaming import Streaming, close
from .uploads import LeftError, Upload

T = TypeVar("T")

Handler = Callable[..., Awaitable[Any]]

# The headers that a response with status 304 repeats (RFC 9110, section 15.4.5).
_UNMODIFIED: Final = frozenset(
    {b"cache-control", b"content-location", b"date", b"etag", b"expires", b"vary"}
)
_UNWRITTEN: Final = "this operation is not implemented yet"


class Endpoint:
    """Serves one operation: an ASGI application that responds whatever happens."""

    def __init__(
        self,
        operation: Operation,
        handler: Handler | None,
        callers: Callers,
        readers: Readers,
        results: Results,
        problems: Problems,
        environment: str,
    ) -> None:
        self._operation = operation
        self._environment = environment
        self._problems = problems
        self._handler = handler
        self._callers = callers
        self._readers = readers
        self._results = results
        self._is_post = operation.method == "POST"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = []
        try:
            response = await self._handle(strip_tags(scope, scope["state"][VERSION]), receive, send)
            if response is None:
                return
            answer, headers = response
        except LeftError:
            return
        except StreamError:
            raise
        except RequestError as error:
            answer = self._problems.answer(scope, describe_error(error), self._results)
            headers = list_refusal_headers(error)
        except Exception as error:
            answer = self._problems.answer(scope, log_failure(scope, error), self._results)
        if headers:
            answer, headers = _conditional(scope, answer, headers)
        await respond(scope, send, answer, headers)

    async def _handle(
        self, scope: Scope, receive: Receive, send: Send
    ) -> tuple[Answer, Headers] | None:
        """Return the response; None if it has been sent, or the caller has left."""
        version = scope["state"][VERSION]
        reader = self._readers.at(version)
        if reader is None:
            unserved = self._readers.explain_unserved(version)
            status, message = (501, unserved) if unserved else (404, NO_PATH)
            return self._problems.answer(scope, Problem(status=status, message=message)), []
        if self._handler is None:
            problem = Problem(status=501, message=_UNWRITTEN)
            return self._problems.answer(scope, problem, self._results), []
        try:
            account = await self._callers.account(reader.security, scope, reader.headers)
        except Refusal as refusal:
            refuse = partial(self._render_refusal, refusal, scope, version)
            return await self._answer(refuse, self._describe_call(scope, version))
        except HTTPException as error:
            refuse = partial(self._render_refused_by, error, scope, version)
            return await self._answer(refuse, self._describe_call(scope, version))
        context = self._describe_call(scope, version, account)
        key = field(scope, idempotency.HEADER) if self._is_post else None
        if key is not None:
            key = idempotency.read_key(key)
        make = _maker(reader.awaits, context)
        if reader.awaits is None:
            arguments = reader.arguments(scope)
        else:
            arguments = await make(partial(reader.arguments, scope))
        upload: Upload | None = None
        media_type: str | None = None
        if reader.takes_body:
            arguments["body"], upload = await self._read_body(reader, scope, receive, make)
            if arguments["body"] is not None:
                content_type = choose_media_type(field(scope, "content-type"))
                media_type = reader.find_media_type(content_type)
        accept = field(scope, "accept") if self._results.negotiates else None
        wanted = self._results.find_wanted(version, accept)
        try:
            given = Call(account, key, scope, media_type, wanted)
            result = await self._handler(given, **arguments)
            stream = self._results.open(result, version, accept)
            if stream is not None:
                return await self._stream(stream, context, receive, send, upload)
        except Refusal as refusal:
            answer = partial(self._render_refusal, refusal, scope, version)
        except HTTPException as error:
            answer = partial(self._render_refused_by, error, scope, version)
        else:
            if self._results.awaits(version):
                result = make_repeatable(result)
            answer = partial(self._results.answer, result, version, accept)
        return await self._answer(answer, context)

    async def _read_body(
        self, reader: Reader, scope: Scope, receive: Receive, make: Make
    ) -> tuple[Any, Upload | None]:
        """Return the argument from the body, and the body if it is passed on as it arrives.

        Raises RequestError, and LeftError if the caller leaves.
        """
        content_type = choose_media_type(field(scope, "content-type"))
        upload = Upload(receive, content_type or "") if reader.opens(content_type) else None
        content = b"" if upload is not None else await read_body(receive)
        if content is None:
            raise LeftError("the caller has left")
        is_passed_on = upload is not None and not await upload.is_empty()
        if (content or is_passed_on) and ENCODING in scope["state"]:
            bodies.check_encoding(scope["state"][ENCODING])
        if upload is not None and is_passed_on:
            return reader.open(upload, make), upload
        read = partial(reader.body, content, content_type)
        return read() if reader.awaits is None else await make(read), upload

    def _describe_call(
        self, scope: Scope, version: str, account: object = None
    ) -> ConversionContext:
        return ConversionContext(self._environment, version, account, self._operation.id, scope)

    async def _answer(
        self, make: Callable[[], tuple[Answer, Headers]], context: ConversionContext
    ) -> tuple[Answer, Headers]:
        awaits = self._results.awaits(context.version)
        return make() if awaits is None else await call(make, context, awaits=awaits)

    async def _stream(
        self,
        stream: Stream,
        context: ConversionContext,
        receive: Receive,
        send: Send,
        upload: Upload | None,
    ) -> tuple[Answer, Headers] | None:
        """Send *stream*; return a response if one has to be sent instead.

        Raises what the handler raises before the response begins, StreamError after that.
        """
        scope: Any = context.scope
        awaits = self._results.awaits(context.version)
        make = _maker(awaits, context)
        headers = await make(stream.headers)
        if headers:
            before = Answer(stream.status, None, b"")
            answer, headers = _conditional(scope, before, headers)
            if answer is not before:
                await close(stream.pieces)
                return answer, headers

        async def write(piece: Any) -> bytes:
            if awaits is None:
                return stream.write(piece)
            return await make(partial(stream.write, make_repeatable(piece)))

        async def wait_for_disconnect() -> None:
            if upload is not None:
                await upload.wait()
            while (await receive())["type"] == "http.request":
                pass

        streaming = Streaming(
            stream, headers, write, send, wait_for_disconnect, is_head=scope["method"] == "HEAD"
        )
        try:
            await streaming.run()
        except Exception as error:
            if not streaming.is_begun:
                raise
            log_failure(scope, error)
            raise StreamError("the stream was broken off") from error
        return None

    def _render_refused_by(
        self, error: HTTPException, scope: Scope, version: str
    ) -> tuple[Answer, Headers]:
        """Return the response for an exception of a web framework, with a body of the definitions.

        Details that are not valid are left out.
        """
        status, headers = error.status_code, dict(error.headers or {})
        try:
            return self._render_refusal(Refusal(status, error.detail, headers), scope, version)
        except MisfitError:
            title = Problem(status=status).title
            return self._render_refusal(Refusal(status, title, headers), scope, version)

    def _render_refusal(
        self, refusal: Refusal, scope: Scope, version: str
    ) -> tuple[Answer, Headers]:
        answer, headers = self._results.render_refusal(refusal, version)
        if answer is None:
            answer = self._problems.refusal(scope, refusal.status, refusal.body, self._results)
        return answer, headers


def _maker(awaits: bool | None, context: ConversionContext) -> Make:
    """Return a function that gives converters *context*, and awaits them."""

    async def make(compute: Callable[[], T]) -> T:
        return compute() if awaits is None else await call(compute, context, awaits=awaits)

    return make


def _conditional(scope: Scope, answer: Answer, headers: Headers) -> tuple[Answer, Headers]:
    """Return the response with the entity-tag of its version, or that nothing has changed.

    What the caller is shown differs by version, and so does the tag (RFC 9110, section 8.8.3).
    """
    sent = next((value for name, value in headers if name == b"etag"), None)
    if sent is None:
        return answer, headers
    tag = etag.tag_version(sent.decode(), scope["state"][VERSION])
    fields = [(name, tag.encode() if name == b"etag" else value) for name, value in headers]
    is_read = scope["method"] in ("GET", "HEAD") and answer.status == HTTPStatus.OK
    if not is_read or etag.none_match(field(scope, "If-None-Match"), tag):
        return answer, fields
    kept = [each for each in fields if each[0] in _UNMODIFIED]
    return Answer(HTTPStatus.NOT_MODIFIED, None, b""), kept
