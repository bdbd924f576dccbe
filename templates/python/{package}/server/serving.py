"""Build the application that serves all versions from handlers and the table of operations."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
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
from .pages import serve_documents
from .paths import PathTemplate, concrete_first, methods_of
from .problems import NO_METHOD, NO_PATH, Problems
from .readers import Readers
from .results import Results
from .runtime import lifecycle
from .runtime.asgi import MEDIA_TYPE, VERSION, App, Limits, Mountable, Scope, route
from .runtime.errors import encode
from .runtime.idempotency import Store
from .runtime.lifting import liftings
from .runtime.narrowing import MissingConverterError, narrowings
from .runtime.negotiation import Supported
from .runtime.problems import Problem, problem_details
from .runtime.replaying import Idempotent
from .runtime.versioned import Versioned

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


_UNKEYED: Final = (
    "idempotency keys belong to accounts, and no POST of this environment requires authentication: "
    "declare `security`, or leave out `idempotency`"
)


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

    *contracts* are the contract data. *prefix* is the path of the servers of the newest document,
    below which the operations are, except those with other servers; *documents* are those of the
    specification, by path. *handlers* has an attribute for each group; *converters* are keyed by
    the direction, `down` or `up`, and by the names in the contract data. *middleware* wraps the
    handlers, inside of versioning: its responses name their version, too.

    Operations that can't be served respond with 501. Raises ValueError for an unknown environment
    or a store that nothing would use, MissingHandlerError and MissingConverterError; each names
    everything that is missing.
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
    sent = partial(data.judge, is_sent=True)
    up = liftings(contracts, environment, converters["up"], judge=sent, is_partial=is_partial)
    methods = _methods(
        [each for each in shown if data.serves(each.id)],
        handlers,
        is_partial=settings.unwritten == "501",
    )
    keyed = {each.id for each in shown if each.method == "POST" and _is_secured(each, data)}
    if idempotency is not None and not keyed:
        raise ValueError(_UNKEYED)
    callers = Callers(schemes, authenticate)
    routes: list[_Operation] = []
    problems = Problems(contracts, data, settings, partial(_find_results, routes))
    for operation in shown:
        most = settings.limits_of.get(operation.id, settings.limits).item
        results = Results(operation, contracts, down, data, most=most)
        readers = Readers(operation, data, up, down, results, most=most)
        handler = methods.get(operation.id)
        endpoint: App = Endpoint(
            operation, handler, callers, readers, results, problems, environment
        )
        if idempotency is not None and operation.id in keyed:
            account = _keeper(callers, readers)
            endpoint = Idempotent(
                endpoint, idempotency, account, patience=settings.patience, answer=problems.answer
            )
        found = data.find_versions(operation.id, prefix, settings.prefix)
        routes += [
            _Operation(path, operation, endpoint, versions, results)
            for path, versions in found.items()
        ]
    routes.sort(key=lambda each: concrete_first(each.operation.method, each.path))
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
    pages = serve_documents(documents, settings, (each.path for each in routes), problems.answer)
    app.state.pages = pages.prefixes
    ignoring = [each for each in routes if each.operation.ignores_version]
    default = contracts["default"]
    prefix = prefix if settings.prefix is None else settings.prefix
    prefixes = [*dict.fromkeys([prefix, *(each.prefix for each in routes)])]
    paths = {prefix, *(each.stem for each in routes if each.prefix != prefix)}
    app.add_middleware(Mountable, prefixes=(*paths, *pages.prefixes))
    app.add_middleware(
        Versioned,
        # by keyword, because older releases of starlette pass the application by keyword, too
        supported=Supported.read(contracts),
        prefixes=prefixes,
        paths=paths,
        ignoring=(lambda scope: _find(ignoring, scope, default) is not None) if ignoring else None,
        documents=pages,
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
    """Return whether callers of any version must be authenticated."""
    requests = (each.request for each in data.each(operation.id))
    return any(any(each.get("security", operation.security)) for each in requests)


class _Operation(Route):
    """The route of one operation: its method only, with the original names of its parameters.

    It is below *prefix* at *versions* only. A parameter may have a name that a route's may not, and
    may contain a slash that was sent encoded. If the caller's version lacks the operation, another
    one may match.
    """

    def __init__(
        self,
        prefix: str,
        operation: Operation,
        endpoint: App,
        versions: Collection[str],
        results: Results,
    ) -> None:
        self.prefix = prefix
        self.operation = operation
        self.results = results
        self._versions = versions
        self._template = PathTemplate(prefix + operation.path)
        super().__init__("/", endpoint, name=operation.id)
        self.path = self._template.text
        # one that the definitions have comes first
        self.methods: set[str] = {*methods_of(operation.method)}

    @property
    def stem(self) -> str:
        """The path of its servers, or else the beginning of its own."""
        first = f"/{self._template.segments[1]}"
        return self.prefix or ("" if "{" in first else first)

    def is_there(self, version: str) -> bool:
        """Return whether *version* has the operation."""
        return version in self._versions

    def is_meant_by(self, scope: Scope) -> bool:
        """Return whether a request means the operation, if its version has it."""
        return self._match_path(scope) is not None and scope["method"] in self.methods

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        values = self._match_path(scope)
        if values is None or not self.is_there(scope["state"][VERSION]):
            return Match.NONE, {}
        match = Match.FULL if scope["method"] in self.methods else Match.PARTIAL
        return match, {"endpoint": self.endpoint, "path_params": values}

    def _match_path(self, scope: Scope) -> dict[str, str] | None:
        if scope["type"] != "http" or not self._template.has_query(scope.get("query_string", b"")):
            return None
        return self._template.match(route(scope))


def _keeper(callers: Callers, readers: Readers) -> Callable[[Scope], Awaitable[str | None]]:
    """Return a function that finds the owner of a request's idempotency keys; None for nobody.

    There is no owner either if the caller's version lacks the operation: that response must not be
    replayed to a request for another version.
    """

    async def keeper(scope: Scope) -> str | None:
        reader = readers.at(scope["state"][VERSION])
        if reader is None:
            return None
        return await callers.identity(reader.security, scope, reader.headers)

    return keeper


def _find(routes: Sequence[_Operation], scope: Scope, version: str) -> _Operation | None:
    """Return the operation of *version* that a request means."""
    found = (each for each in routes if each.is_there(version) and each.is_meant_by(scope))
    return next(found, None)


def _limit(routes: Sequence[_Operation], settings: Settings) -> Callable[[Scope], Limits]:
    """Return a function that finds the limits of a request's body."""
    names = {each.operation.id for each in routes}
    unknown = sorted(settings.limits_of.keys() - names)
    if unknown:
        raise ValueError(f"there is no operation {', '.join(unknown)}")

    def limit(scope: Scope) -> Limits:
        row = _find(routes, scope, scope["state"][VERSION])
        name = "" if row is None else row.operation.id
        return settings.limits_of.get(name, settings.limits)

    return limit


def _find_results(routes: Sequence[_Operation], scope: Scope, version: str) -> Results | None:
    """Return the results of the operation of *version* that a request means."""
    row = _find(routes, scope, version)
    return None if row is None else row.results


Handle = Callable[[HttpRequest, Exception], Awaitable[HttpResponse]]


def _no_path(problems: Problems) -> Handle:
    async def handle(request: HttpRequest, error: Exception) -> HttpResponse:
        return _render_problem(problems, request, Problem(status=404, message=NO_PATH), error)

    return handle


def _no_method(problems: Problems) -> Handle:
    async def handle(request: HttpRequest, error: Exception) -> HttpResponse:
        problem = Problem(status=405, message=NO_METHOD)
        response = _render_problem(problems, request, problem, error)
        response.headers["allow"] = ", ".join(sorted(set(_list_methods(request))))
        return response

    return handle


def _render_problem(
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


def _list_methods(request: HttpRequest) -> Iterator[str]:
    for each in request.app.routes:
        if isinstance(each, Route) and each.matches(request.scope)[0] is not Match.NONE:
            yield from each.methods or ()
