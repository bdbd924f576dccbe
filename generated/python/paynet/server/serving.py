"""Build the application that serves all versions from handlers and the table of operations."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from fastapi import Request as HttpRequest
from fastapi import Response as HttpResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Match, Route
from starlette.types import Lifespan

from .callers import A, Authenticate, Callers
from .contracts import Contracts
from .converters import call
from .endpoints import Endpoint, Handler
from .nouns import (
    Account,
    Call,
    Credentials,
    Json,
    MissingHandlerError,
    Operation,
    Parameter,
    Refusal,
    Reply,
    Result,
    Scheme,
    Settings,
)
from .paths import PathTemplate, concrete_first, methods_of
from .problems import Problems
from .readers import Readers
from .results import MisfitError, Results, make_repeatable
from .runtime import bodies, etag, idempotency, lifecycle
from .results import Results
from .runtime import lifecycle
from .runtime.asgi import (
    MEDIA_TYPE,
    VERSION,
    App,
    Documents,
    Idempotent,
    Limits,
    Scope,
    Versioned,
    route,
)
from .runtime.conversion import ConversionContext
from .runtime.errors import Fault, RequestError, encode
from .runtime.idempotency import Answer, Store
from .runtime.errors import encode
from .runtime.idempotency import Store
from .runtime.lifting import liftings
from .runtime.narrowing import MissingConverterError, narrowings
from .runtime.negotiation import Supported
from .runtime.problems import Problem, problem_details

__all__ = [
    "A",
    "Account",
    "Authenticate",
    "Call",
    "Credentials",
    "Json",
    "MissingConverterError",
    "MissingHandlerError",
    "Operation",
    "Parameter",
    "Problem",
    "Refusal",
    "Reply",
    "Result",
    "Scheme",
    "Settings",
    "build",
    "problem_details",
]

_log = logging.getLogger(__name__)

_NO_PATH: Final = "there is no such path"
_NO_METHOD: Final = "there is no such method at this path"


def build(
    operations: Sequence[Operation],
    schemes: Mapping[str, Scheme],
    contracts: Mapping[str, Any],
    handlers: object,
    *,
    environment: str,
    prefix: str,
    authenticate: Authenticate[A],
    idempotency: Store | None,
    converters: Mapping[str, Mapping[str, Callable[..., Any]]],
    documents: Mapping[str, bytes],
    settings: Settings,
    middleware: Sequence[Middleware] = (),
    lifespan: Lifespan[Any] | None = None,
    is_partial: bool = False,
) -> FastAPI:
    """Return the application that serves *operations* with *handlers* in one environment.

    *contracts* are the contract data. The operations are below *prefix*; *documents* are those of
    the specification, by path. *handlers* has an attribute for each group; *converters* are keyed
    by the direction, `down` or `up`, and by the names in the contract data. *middleware* is around
    the handlers, inside of what versions: its answers name their version, too.

    What can't be served answers 501. Raises ValueError for an unknown environment,
    MissingHandlerError and MissingConverterError; each names everything that is missing.
    """
    data = Contracts(contracts, environment)
    shown = [
        operation
        for operation in operations
        if environment in (operation.environments or (environment,)) and data.has(operation.id)
    ]
    down = narrowings(
        contracts, environment, converters["down"], judge=data.judge, is_partial=is_partial
    )
    up = liftings(contracts, environment, converters["up"], judge=data.judge, is_partial=is_partial)
    methods = _methods(
        [each for each in shown if data.serves(each.id)],
        handlers,
        is_partial=settings.unwritten == "501",
    )
    callers = Callers(schemes, authenticate)
    routes: list[_Operation] = []
    problems = Problems(contracts, data, settings, _finding(routes))
    for operation in sorted(shown, key=lambda each: concrete_first(each.method, each.path)):
        most = settings.limits_of.get(operation.id, settings.limits).item
        readers = Readers(operation, data, up, down, most=most)
        results = Results(operation, contracts, down, data, most=most)
        handler = methods.get(operation.id)
        endpoint: App = _Endpoint(
            operation, handler, callers, readers, results, problems, environment
        )
        endpoint: App = Endpoint(operation, handler, callers, readers, results, problems)
        if idempotency is not None and operation.method == "POST" and _is_secured(operation, data):
            account = _keeper(callers, readers)
            endpoint = Idempotent(
                endpoint, idempotency, account, patience=settings.patience, answer=problems.answer
            )
        routes.append(_Operation(prefix, operation, endpoint, readers, results))
    problems.add(each.results for each in routes)
    app = FastAPI(
        routes=[*routes],
        redirect_slashes=False,
        openapi_url=None,
        middleware=middleware,
        lifespan=lifespan,
    )
    app.add_exception_handler(404, _no_path(problems))
    app.add_exception_handler(405, _no_method(problems))
    default = contracts["default"]
    ignoring = [
        each for each in routes if each.operation.ignores_version and each.is_there(default)
    ]
    app.add_middleware(
        Versioned,
        Supported(
            default,
            tuple(contracts["supported"]),
            contracts["header"],
            **contracts.get("naming", {}),
        ),
        prefix=prefix,
        ignoring=_ignoring(ignoring) if ignoring else None,
        documents=Documents(documents, answer=problems.answer),
        ends=lifecycle.read_ends(contracts["ends"]),
        credentials=[
            "Cookie" if each.place == "cookie" else each.name
            for each in schemes.values()
            if each.place != "query"
        ],
        limits=_limit(routes, settings) if settings.limits_of else settings.limits,
        answer=problems.answer,
    )
    return app


def _methods(
    operations: Sequence[Operation], handlers: object, *, is_partial: bool
) -> dict[str, Handler]:
    """Return the handler of each operation. Raises MissingHandlerError, unless it *is_partial*."""
    found: dict[str, Handler] = {}
    missing = []
    for operation in operations:
        group = getattr(handlers, operation.group, None)
        method = getattr(group, operation.handler, None)
        if not callable(method):
            missing.append(f"{operation.group}.{operation.handler}")
        else:
            found[operation.id] = _awaitable(method)
    if missing:
        error = MissingHandlerError(f"no handler for {', '.join(missing)}")
        if not is_partial:
            raise error
        _log.warning("%s; these operations answer 501", error)
    return found


def _awaitable(method: Callable[..., Any]) -> Handler:
    """Return *method* as a function that can be awaited.

    Decorators are unwrapped; callable objects may be anything.
    """
    if not (inspect.isfunction(method) or inspect.ismethod(method)):
        return method
    kind = inspect.unwrap(method)
    if inspect.isasyncgenfunction(kind):

        async def generate(*given: Any, **named: Any) -> Any:
            return method(*given, **named)

        return generate
    return method if inspect.iscoroutinefunction(kind) else _in_thread(method)


def _in_thread(method: Callable[..., Any]) -> Handler:
    """Return a handler that runs *method*, which can't be awaited, in a thread."""

    async def handle(*given: Any, **named: Any) -> Any:
        result = await run_in_threadpool(method, *given, **named)
        return await result if inspect.isawaitable(result) else result

    return handle


def _is_secured(operation: Operation, data: Contracts) -> bool:
    """Return whether callers of any version have to be authenticated."""
    requests = (each.request for each in data.each(operation.id))
    return any(any(each.get("security", operation.security)) for each in requests)


class _Operation(Route):
    """The route of one operation: its method only, its parameters by their own names.

    A parameter may have a name that a route's may not, and may contain a slash that was sent
    encoded. If the caller's version lacks the operation, another one may match.
    """

    def __init__(
        self,
        prefix: str,
        operation: Operation,
        endpoint: App,
        readers: Readers,
        results: Results,
    ) -> None:
        self.operation = operation
        self.results = results
        self._readers = readers
        self._template = PathTemplate(prefix + operation.path)
        super().__init__("/", endpoint, name=operation.id)
        self.path = self._template.text
        # one that the definitions have comes first
        self.methods: set[str] = {*methods_of(operation.method)}

    def is_there(self, version: str) -> bool:
        """Return whether *version* has the operation."""
        return self._readers.has(version)

    def is_asked_for(self, scope: Scope) -> bool:
        """Return whether a request means the operation, if its version has it."""
        return self._found(scope) is not None and scope["method"] in self.methods

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        values = self._found(scope)
        if values is None or not self.is_there(scope["state"][VERSION]):
            return Match.NONE, {}
        match = Match.FULL if scope["method"] in self.methods else Match.PARTIAL
        return match, {"endpoint": self.endpoint, "path_params": values}

    def _found(self, scope: Scope) -> dict[str, str] | None:
        return self._template.match(route(scope)) if scope["type"] == "http" else None


def _keeper(callers: Callers, readers: Readers) -> Callable[[Scope], Awaitable[str | None]]:
    """Return a function that finds the owner of a request's idempotency keys; None for nobody.

    Nobody owns them, too, if the caller's version lacks the operation: that answer is not replayed
    to a request for another version.
    """

    async def keeper(scope: Scope) -> str | None:
        reader = readers.at(scope["state"][VERSION])
        if reader is None:
            return None
        return await callers.identity(reader.security, scope, reader.headers)

    return keeper


class _Endpoint:
    """Serves one operation: an ASGI application that answers whatever happens."""

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
            made = await self._made(_unversioned(scope), receive)
            if made is None:
                return
            answer, headers = made
        except RequestError as error:
            answer = self._problems.answer(scope, describe_error(error), self._results)
            headers = [_CODINGS] if error.fault is Fault.ENCODED else []
        except Exception as error:
            answer = self._problems.answer(scope, log_failure(scope, error), self._results)
        if headers:
            answer, headers = _conditional(scope, answer, headers)
        await respond(scope, send, answer, headers)

    async def _made(self, scope: Scope, receive: Receive) -> tuple[Answer, Headers] | None:
        """Return the answer; None where the caller has left."""
        version = scope["state"][VERSION]
        reader = self._readers.at(version)
        if reader is None:
            unserved = self._readers.unserved(version)
            status, message = (501, unserved) if unserved else (404, _NO_PATH)
            return self._problems.answer(scope, Problem(status=status, message=message)), []
        if self._handler is None:
            problem = Problem(status=501, message=_UNWRITTEN)
            return self._problems.answer(scope, problem, self._results), []
        context = ConversionContext(
            environment=self._environment,
            version=version,
            operation=self._operation.id,
            scope=scope,
        )
        try:
            account = await self._callers.account(reader.security, scope, reader.headers)
        except Refusal as refusal:
            return await self._answer(partial(self._refused, refusal, scope, version), context)
        except HTTPException as error:
            return await self._answer(partial(self._refused_by, error, scope, version), context)
        context = replace(context, account=account)
        key = field(scope, idempotency.HEADER) if self._is_post else None
        if key is not None:
            key = idempotency.read_key(key)
        awaits = reader.awaits
        if awaits is None:
            arguments = reader.arguments(scope)
        else:
            arguments = await call(partial(reader.arguments, scope), context, awaits=awaits)
        if reader.takes_body:
            content = await whole(receive)
            if content is None:
                return None
            if content and ENCODING in scope["state"]:
                bodies.check_encoding(scope["state"][ENCODING])
            read = partial(reader.body, content, field(scope, "content-type"))
            body = read() if awaits is None else await call(read, context, awaits=awaits)
            arguments["body"] = body
        try:
            result = await self._handler(Call(account, key, scope), **arguments)
        except Refusal as refusal:
            answer = partial(self._refused, refusal, scope, version)
        except HTTPException as error:
            answer = partial(self._refused_by, error, scope, version)
        else:
            if self._results.awaits(version):
                result = make_repeatable(result)
            answer = partial(self._results.answer, result, version)
        return await self._answer(answer, context)

    async def _answer(
        self, make: Callable[[], tuple[Answer, Headers]], context: ConversionContext
    ) -> tuple[Answer, Headers]:
        awaits = self._results.awaits(context.version)
        return make() if awaits is None else await call(make, context, awaits=awaits)

    def _refused_by(
        self, error: HTTPException, scope: Scope, version: str
    ) -> tuple[Answer, Headers]:
        """Return the answer for an exception of a web framework, in a body of the definitions.

        Details that do not fit are left out.
        """
        status, headers = error.status_code, dict(error.headers or {})
        try:
            return self._refused(Refusal(status, error.detail, headers), scope, version)
        except MisfitError:
            said = Problem(status=status).title
            return self._refused(Refusal(status, said, headers), scope, version)

    def _refused(self, refusal: Refusal, scope: Scope, version: str) -> tuple[Answer, Headers]:
        answer, headers = self._results.refused(refusal, version)
        if answer is None:
            answer = self._problems.refusal(scope, refusal.status, refusal.body, self._results)
        return answer, headers


def _unversioned(scope: Scope) -> Scope:
    """Return *scope* with the entity-tags of its version as handlers know them."""
    headers = scope["headers"]
    if all(name not in _CONDITIONS for name, _ in headers):
        return scope
    version: str = scope["state"][VERSION]
    known = [
        (name, etag.strip_version(value, version) if name in _CONDITIONS else value)
        for name, value in headers
    ]
    return {**scope, "headers": known}


def _conditional(scope: Scope, answer: Answer, headers: Headers) -> tuple[Answer, Headers]:
    """Return the answer with the entity-tag of its version, or that nothing has changed.

    What the caller is shown differs by version, and so does the tag (RFC 9110, section 8.8.3).
    """
    fields = dict(headers)
    if b"etag" not in fields:
        return answer, headers
    tag = etag.tag_version(fields[b"etag"].decode(), scope["state"][VERSION])
    fields[b"etag"] = tag.encode()
    is_read = scope["method"] in ("GET", "HEAD") and answer.status == HTTPStatus.OK
    if not is_read or etag.none_match(field(scope, "If-None-Match"), tag):
        return answer, list(fields.items())
    kept = {name: value for name, value in fields.items() if name in _UNMODIFIED}
    return Answer(HTTPStatus.NOT_MODIFIED, None, b""), list(kept.items())


def _ignoring(routes: Sequence[_Operation]) -> Callable[[Scope], bool]:
    def ignoring(scope: Scope) -> bool:
        return any(each.is_asked_for(scope) for each in routes)

    return ignoring


def _limit(routes: Sequence[_Operation], settings: Settings) -> Callable[[Scope], Limits]:
    """Return what finds the limits of a request's body."""
    names = {each.operation.id for each in routes}
    unknown = sorted(settings.limits_of.keys() - names)
    if unknown:
        raise ValueError(f"there is no operation {', '.join(unknown)}")

    def limit(scope: Scope) -> Limits:
        version = scope["state"][VERSION]
        found = (each for each in routes if each.is_there(version) and each.is_asked_for(scope))
        row = next(found, None)
        name = "" if row is None else row.operation.id
        return settings.limits_of.get(name, settings.limits)

    return limit


def _finding(routes: Sequence[_Operation]) -> Callable[[Scope, str], Results | None]:
    """Return what finds the results of the operation that a request means."""

    def find(scope: Scope, version: str) -> Results | None:
        found = (each for each in routes if each.is_there(version) and each.is_asked_for(scope))
        return next((each.results for each in found), None)

    return find


Handle = Callable[[HttpRequest, Exception], Awaitable[HttpResponse]]


def _no_path(problems: Problems) -> Handle:
    async def handle(request: HttpRequest, error: Exception) -> HttpResponse:
        return _told(problems, request, Problem(status=404, message=_NO_PATH), error)

    return handle


def _no_method(problems: Problems) -> Handle:
    async def handle(request: HttpRequest, error: Exception) -> HttpResponse:
        problem = Problem(status=405, message=_NO_METHOD)
        response = _told(problems, request, problem, error)
        response.headers["allow"] = ", ".join(sorted(set(_allowed(request))))
        return response

    return handle


def _told(
    problems: Problems, request: HttpRequest, problem: Problem, error: Exception
) -> HttpResponse:
    if isinstance(error, HTTPException) and error.detail != problem.title:
        # a route beside those of the operations may describe it better
        return HttpResponse(encode(error.detail), problem.status, media_type=MEDIA_TYPE)
    answer = problems.answer(request.scope, problem)
    response = HttpResponse(answer.body, answer.status, media_type=answer.media_type)
    if request.method == "HEAD":
        response.body = b""
    return response


def _allowed(request: HttpRequest) -> Iterator[str]:
    for each in request.app.routes:
        if isinstance(each, Route) and each.matches(request.scope)[0] is not Match.NONE:
            yield from each.methods or ()
