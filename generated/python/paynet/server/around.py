"""Serve every version of an application that implements the newest one: the layer around it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from functools import cache, cached_property, partial
from http import HTTPStatus
from inspect import isawaitable
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from .answers import AnswerNarrowing
from .contracts import Contracts
from .failures import render_errors
from .hidden import find_hidden_headers, hide_headers, hide_methods
from .lifts import Lifted, RequestLift
from .narrowed import AnswerWay
from .nouns import Operation, Settings
from .pages import serve_documents
from .paths import Paths, PathTemplate, is_plain_query, methods_of
from .problems import NO_METHOD, NO_PATH, Problems
from .results import Results
from .runtime import lifecycle
from .runtime.asgi import (
    App,
    Message,
    Receive,
    Scope,
    Send,
    describe_error,
    field,
    join_methods,
    list_refusal_headers,
    respond,
    route,
    strip_tags,
)
from .runtime.conversion import ConversionContext
from .runtime.documents import Documents
from .runtime.lifting import Lifting, liftings
from .runtime.mounting import change_references
from .runtime.narrowing import Narrowing, narrowings
from .runtime.negotiation import Supported
from .runtime.problems import Problem
from .runtime.references import METHODS, rewrite_references
from .runtime.versioned import Handling, Versioned
from .spanning import find_root, find_spanning

_IN_DOUBT: Final = "the request may mean more than one operation"

_KEPT: Final = 100
"""The maximum number of unversioned paths that are logged."""

FindAccount = Callable[[Scope], object]
"""Returns the account for the scope of a request, or an awaitable of it."""

_log = logging.getLogger(__name__)


def wrap(
    app: App,
    contracts: Mapping[str, Any],
    *,
    environment: str,
    converters: Mapping[str, Mapping[str, Callable[..., Any]]],
    documents: Mapping[str, bytes],
    settings: Settings,
    only: Collection[str] | None = None,
    is_strict: bool = False,
    is_partial: bool = False,
    account: FindAccount | None = None,
) -> App:
    """Return an application that serves all versions in *environment* by calling *app*.

    *app* is an ASGI application that implements the newest version of *contracts*, the contract
    data. *only* are the versioned operations, all if None; other requests reach *app* unchanged.
    *documents* are the OpenAPI documents by path; *account* returns the account in the context of
    converters. If it *is_strict*, all requests are validated.

    Raises ValueError for an unknown environment or operation, MissingConverterError.
    """
    if environment not in contracts["prefixes"]:
        known = ", ".join(contracts["prefixes"])
        raise ValueError(f"unknown environment {environment!r}; this API has {known}")
    unknown = sorted(
        {*(only or ()), *settings.limits_of, *settings.spanning} - contracts["operations"].keys()
    )
    if unknown:
        raise ValueError(f"there is no operation {', '.join(unknown)}")
    build = partial(
        _build,
        app,
        contracts,
        environment=environment,
        converters=converters,
        documents=documents,
        settings=settings,
        only=only,
        is_strict=is_strict,
        is_partial=is_partial,
        account=account,
    )
    spanning = find_spanning(app)
    served = build(spanning)
    is_started = False

    # servers recognize an application by its being a coroutine function
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal served, is_started
        if not is_started and scope["type"] == "http":
            # routes may have been added since, for example while it was started; what is wrong
            # with them is an error of the application, in the response to each request
            found = None
            with suppress(Exception):
                found = find_spanning(app, is_started=True)
            if found is not None and found != spanning:
                served = build(found)
            is_started = found is not None
        await served(scope, receive, send)

    return serve


def _build(
    app: App,
    contracts: Mapping[str, Any],
    spanning: Mapping[str, Collection[int]],
    *,
    environment: str,
    converters: Mapping[str, Mapping[str, Callable[..., Any]]],
    documents: Mapping[str, bytes],
    settings: Settings,
    only: Collection[str] | None,
    is_strict: bool,
    is_partial: bool,
    account: FindAccount | None,
) -> App:
    """Return what `wrap` does, for an application with the routes that *spanning* was found in."""
    usual = contracts["prefixes"][environment]
    data = Contracts(contracts, environment)
    down = narrowings(
        contracts, environment, converters["down"], judge=data.judge, is_partial=is_partial
    )
    sent = partial(data.judge, is_sent=True)
    up = liftings(contracts, environment, converters["up"], judge=sent, is_partial=is_partial)
    conversions = _Conversions(contracts, data, down, up, is_strict)
    rows = [
        _Row(
            name,
            own,
            found,
            conversions,
            spanning=spanning,
            is_spanning=name in settings.spanning,
            is_served=only is None or name in only,
            most=settings.limits_of.get(name, settings.limits).item,
            renders_errors=settings.errors == "declared",
        )
        for name in contracts["operations"]
        for found in [data.find_versions(name, usual, settings.prefix)]
        for own in found
    ]
    prefix = usual if settings.prefix is None else settings.prefix
    prefixes = [*dict.fromkeys([prefix, *(each.prefix for each in rows)])]

    def make(readings: tuple[tuple[_Row, ...], ...]) -> _Routed | None:
        if readings and not any(row.is_served for found in readings for row in found):
            return None
        return _Routed(layer, contracts["default"], readings)

    triples = ((each.method, each.path, each) for each in rows)
    paths = Paths(triples, make, {each.path: each.spanning for each in rows})
    problems = Problems(contracts, data, settings, partial(_find_results, paths))
    problems.add(each.results for each in rows)
    hidden = cache(partial(find_hidden_headers, contracts, data))
    moved = {(row.name, each): row for row in rows for each in row.list_moved()}
    beside: dict[str, list[_Row]] = {}
    for row in rows:
        beside.setdefault(row.path, []).append(row)
    supported = Supported.read(contracts)
    layer = _Layer(
        app,
        paths.find,
        problems,
        settings,
        environment=environment,
        methods=" ".join(sorted({each.method for each in rows})),
        newest=data.newest,
        hidden=hidden,
        moved=moved,
        beside=beside,
        account=account,
        selector=supported.header if only is None and supported.place == "header" else "",
    )
    pages = None
    if documents:
        paths_served = [each.path for each in rows if each.is_served]
        pages = serve_documents(documents, settings, paths_served, problems.answer)
    versioned = Versioned(
        layer.pass_on,
        supported,
        prefixes=prefixes,
        find=_find_beside(pages, paths, prefixes),
        documents=pages,
        ends=lifecycle.read_ends(contracts["ends"]),
        credentials=contracts["credentials"],
        answer=problems.answer,
    )
    root = find_root(app)
    # the definitions may have it in the paths of servers, as documents of FastAPI do
    is_known = any(f"{each}/".startswith(f"{root}/") for each in prefixes)
    return _add_root(versioned, root) if root and not is_known else versioned


def _add_root(app: App, root: str) -> App:
    """Return *app* for requests below *root*, which the application adds to their scopes later."""

    def serve(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        return app({**scope, "root_path": root}, receive, send)

    return serve


def _find_beside(
    pages: Documents | None, paths: Paths[_Row, _Routed], prefixes: Collection[str]
) -> Callable[[str, str], _Routed | None]:
    """Return what finds operations where *pages* has nothing: its documents come first."""
    if pages is None or not any(
        "{" in prefix or _overlap(prefix, pages.prefixes) for prefix in prefixes
    ):
        return paths.find

    def find(method: str, path: str) -> _Routed | None:
        return None if pages.serves(path) else paths.find(method, path)

    return find


def _overlap(prefix: str, others: Collection[str]) -> bool:
    """Return whether paths below *prefix* may be below one of *others*."""
    return any(
        f"{prefix}/".startswith(f"{other}/") or f"{other}/".startswith(f"{prefix}/")
        for other in others
    )


class _Conversions(NamedTuple):
    """The contract data, as JSON and as validators, and the ways down and up by version."""

    contracts: Mapping[str, Any]
    data: Contracts
    down: Mapping[str, Narrowing]
    up: Mapping[str, Lifting]
    is_strict: bool


class _Row:
    """One operation: what is done to its requests and answers, by the version of their caller.

    It is that of the callers who send its requests below *prefix*, a key of *found*, which has the
    versions of such callers.
    """

    def __init__(
        self,
        name: str,
        prefix: str,
        found: Mapping[str, Collection[str]],
        conversions: _Conversions,
        *,
        spanning: Mapping[str, Collection[int]],
        is_spanning: bool,
        is_served: bool,
        most: int,
        renders_errors: bool,
    ) -> None:
        contracts, data, down, up, is_strict = conversions
        facts = contracts["operations"][name]
        self.name = name
        self.is_served = is_served
        """whether it is versioned; if not, its requests and answers are passed on unchanged"""
        self._most = most
        self._renders_errors = renders_errors
        self.method: str = facts["method"]
        self.prefix = prefix
        self.path: str = prefix + facts["path"]
        self._versions = found[prefix]
        newest = (each for each, versions in found.items() if data.newest in versions)
        self._newest_path: str = next(newest, prefix) + facts["path"]
        template = PathTemplate(self._newest_path)
        last = [len(template.names) - 1] if is_spanning else []
        self.spanning: Final = frozenset({*spanning.get(template.shape, ()), *last})
        """the places of parameters that may contain slashes"""
        self.ignores_version: bool = facts.get("ignores_version", False)
        responses = {
            key: dict.fromkeys(content) or None for key, content in facts["responses"].items()
        }
        operation = Operation(
            id=name,
            group="",
            handler="",
            method=self.method,
            path=facts["path"],
            environments=(),
            responses=responses,
        )
        self.results = Results(operation, contracts, down, data)
        self._data = data
        self._down = down
        self._up = up
        self._is_strict = is_strict
        self._unserved: dict[str, str] = {}
        self._lifts: dict[str, RequestLift] = {}
        self._answers: dict[str, AnswerNarrowing] = {}

    @cached_property
    def template(self) -> PathTemplate:
        return PathTemplate(self.path, self.spanning)

    def list_moved(self) -> Collection[str]:
        """Return the versions whose requests get another path on their way to the application."""
        return self._versions if self.is_served and self.path != self._newest_path else ()

    def is_there(self, version: str) -> bool:
        """Return whether *version* has the operation."""
        return version in self._versions

    def has(self, query: bytes) -> bool:
        """Return whether requests with this path and a query string are those of the operation."""
        return self.template.has_query(query)

    def is_meant(self, query: bytes) -> bool:
        """Return whether applications may take such requests for those of the operation."""
        return self.template.is_path or (self.template.is_clear and self.has(query))

    def precedes(self, other: _Row) -> bool:
        """Return whether applications perform this one if a request may mean both."""
        return self.method != other.method or self.template.precedes(other.template)

    @property
    def is_behind(self) -> bool:
        """Whether the application has the operation, which speaks the newest version."""
        return self.is_there(self._data.newest)

    def passes(self, version: str) -> bool:
        """Return whether requests and answers at *version* are those of the newest version."""
        if not self.is_served:
            return True
        return (
            self.is_there(version)
            and not self.explain_unserved(version)
            and self._lift(version, is_strict=False).is_plain
            and self.answers(version).is_plain
        )

    def explain_unserved(self, version: str) -> str:
        """Return why the operation can't be served at *version*; empty if it can."""
        if version not in self._unserved:
            missing = {
                *self._up[version].missing(self.name),
                *self._down[version].missing(self.name),
            }
            reason = f"there is no converter {', '.join(sorted(missing))}" if missing else ""
            contract = self._data.at(self.name, version)
            if contract is not None and (contract.is_lost or not self.template.is_clear):
                reason = contract.unserved
            if contract is not None and not reason and self.is_behind:
                # an effect without an answer is worse than none
                reason = self.answers(version).explain_unserved()
            self._unserved[version] = reason
        return self._unserved[version]

    def lift(self, version: str) -> RequestLift:
        if version not in self._lifts:
            self._lifts[version] = self._lift(version, is_strict=self._is_strict)
        return self._lifts[version]

    def _lift(self, version: str, *, is_strict: bool) -> RequestLift:
        return RequestLift(
            self.name,
            (self.template, PathTemplate(self._newest_path, self.spanning)),
            self._data,
            self._up,
            version,
            is_strict=is_strict,
            most=self._most,
        )

    def answers(self, version: str) -> AnswerNarrowing:
        if version not in self._answers:
            self._answers[version] = AnswerNarrowing(
                self.name,
                self.results,
                self._data,
                self._down,
                version,
                is_strict=self._is_strict,
                renders_errors=self._renders_errors,
                most=self._most,
            )
        return self._answers[version]


def _find_results(paths: Paths[_Row, _Routed], scope: Scope, version: str) -> Results | None:
    """Return the results of the operation that a request of *version* means."""
    routed = paths.find(join_methods(scope), route(scope))
    row = None if routed is None else routed.find(version, scope.get("query_string", b""))
    return None if row is None else row.results


class _Routed(dict[str, Handling]):
    """The handling of a request by version: that of the first operation which the version has.

    *readings* are the operations that the request may mean, for each reading of its path.
    """

    def __init__(self, layer: _Layer, default: str, readings: tuple[tuple[_Row, ...], ...]) -> None:
        super().__init__()
        self._layer = layer
        self._readings = readings
        self._pairs = {pair for each in readings for row in each for pair in row.template.query}
        row = self.find(default)
        self.ignores_version = row is not None and row.ignores_version

    def __missing__(self, version: str) -> Handling:
        found = [row for each in self._readings for row in each if row.is_there(version)]
        if self._pairs or not all(row.template.is_path for row in found):
            self[version] = self._choose_by_query(found, version)
        elif self._is_in_doubt(found, version):
            self[version] = self._layer.doubt()
        else:
            self[version] = self._layer.handle(found[0] if found else None, version)
        return self[version]

    def _choose_by_query(self, found: list[_Row], version: str) -> Handling:
        """Return the handling of requests that mean one of *found*, by their query string.

        Requests that mean no operation of any version pass unchanged. A body that is read has the
        largest limit of *found*.
        """
        handled = {row: self._layer.handle(row, version) for row in found}
        every = [row for each in self._readings for row in each]
        absent, doubt = self._layer.handle(None, version), self._layer.doubt()

        async def choose(scope: Scope, receive: Receive, send: Send) -> None:
            query = scope.get("query_string", b"")
            app: App = self._layer.pass_on
            if self._is_in_doubt(found, version, query):
                app = doubt.app
            elif (row := next((each for each in found if each.has(query)), None)) is not None:
                app = handled[row].app
            elif any(each.has(query) for each in every):
                app = absent.app
            await app(scope, receive, send)

        limits = [each.limits for each in handled.values() if each.limits is not None]
        return Handling(choose, max(limits, key=lambda each: each.body, default=None))

    def find(self, version: str, query: bytes = b"") -> _Row | None:
        """Return the operation that a request of *version* with a query string means."""
        found = (row for each in self._readings for row in each if row.is_there(version))
        return next((row for row in found if row.has(query)), None)

    def _is_in_doubt(self, found: list[_Row], version: str, query: bytes = b"") -> bool:
        """Return whether the application may perform another operation than the first *found*.

        Its answer could be newer than the caller. Operations that no request can mean don't count:
        they are not served, or pass.
        """
        own = [row for row in found if row.is_meant(query)][:1]
        readings = {*own, *self._find_behind(query)}
        is_doubtful = (bool(own) and len(readings) > 1) or not self._is_plain(query)
        return is_doubtful and not all(row.passes(version) for row in readings)

    def list_behind(self, query: bytes) -> Iterator[_Row]:
        """Yield the first operation that the application has, for each reading of the path."""
        for each in self._readings:
            yield from [row for row in each if row.is_behind and row.has(query)][:1]

    def list_hidden(self, version: str) -> Set[bytes]:
        """Return the methods of those operations at the path that *version* lacks."""
        return _list_hidden([row for each in self._readings for row in each], version)

    def list_methods(self, version: str, query: bytes) -> Set[str]:
        """Return the methods that requests of *version* may have."""
        rows = (row for each in self._readings for row in each if row.has(query))
        return {
            method
            for row in rows
            if row.is_there(version) or not row.is_served
            for method in methods_of(row.method)
        }

    def _is_plain(self, query: bytes) -> bool:
        return not self._pairs or is_plain_query(query, self._pairs)

    def _find_behind(self, query: bytes) -> Iterator[_Row]:
        """Yield the operations that the application may perform for a request.

        Of several with the same path, it may perform any, except those whose query has less than
        that of the first.
        """
        is_plain = self._is_plain(query)
        for found in self._readings:
            behind = [row for row in found if row.is_behind]
            if is_plain:
                behind = [row for row in behind if row.is_meant(query)]
                yield from behind[:1]
                behind = [row for row in behind[1:] if not behind[0].precedes(row)]
            yield from behind

    def leads_to(self, name: str, query: bytes) -> bool:
        """Return whether the application performs no other operation than *name* for a request."""
        return all(row.name == name for row in self._find_behind(query))


def _list_hidden(rows: Iterable[_Row], version: str) -> Set[bytes]:
    """Return the methods of those of *rows* that *version* lacks, and of no other row."""
    found: dict[bool, set[bytes]] = {True: set(), False: set()}
    for row in rows:
        shown = row.is_there(version) or not row.is_served
        found[shown] |= {each.encode() for each in methods_of(row.method)}
    return found[False] - found[True]


class _Layer:
    """The layer around the application, which lifts its requests and narrows its answers."""

    def __init__(
        self,
        app: App,
        find: Callable[[str, str], _Routed | None],
        problems: Problems,
        settings: Settings,
        *,
        environment: str,
        methods: str,
        newest: str,
        hidden: Callable[[str], frozenset[bytes]],
        moved: Mapping[tuple[str, str], _Row],
        beside: Mapping[str, Collection[_Row]],
        account: FindAccount | None,
        selector: str,
    ) -> None:
        self._app = app
        self._selector = selector
        self._moved = moved
        self._beside = beside
        self._is_moved = {version for _, version in moved}
        self._find = find
        self._methods = methods
        self._newest = newest
        self._account = account
        self._hidden = hidden
        self._environment = environment
        self._problems = problems
        self._settings = settings
        self._logged: set[tuple[str, str]] = set()

    def handle(self, row: _Row | None, version: str) -> Handling:
        """Return the handling of requests of *row* at *version*; of unknown ones if it is None.

        A body is limited if it is read here, or if the settings limit this operation.
        """
        if row is None:
            return Handling(partial(self._refuse_absent, version), None)
        if not row.is_served:
            return Handling(self.pass_on, None)
        lift = row.lift(version)
        usual = self._settings.limits if lift.reads_body else None
        limits = self._settings.limits_of.get(row.name, usual)
        unserved = row.explain_unserved(version)
        if unserved:
            return Handling(self._refuse(HTTPStatus.NOT_IMPLEMENTED, unserved), limits)
        app = self._app if version == self._newest else _strip(self._app, version)
        answers = row.answers(version)
        hidden = self._hidden(version)
        is_moved = version in self._is_moved
        way = AnswerWay(self._app, row.results, version, answers, self._problems)
        if answers.is_plain and answers.describes_errors:
            app = render_errors(app, way)
        if not (lift.is_plain and answers.is_plain and not hidden and not is_moved):
            is_usual = lift.is_plain and not (answers.converts or hidden or is_moved)
            served = app if answers.is_plain else None
            app = way.narrow if is_usual else partial(self._serve, row, way, lift, hidden, served)
        if methods := _list_hidden(self._beside[row.path], version):
            app = hide_methods(app, methods)
        return Handling(app, limits)

    async def _refuse_absent(
        self, version: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Refuse a request of an operation that *version* lacks; its path may have others."""
        routed = self._find(self._methods, route(scope))
        query = scope.get("query_string", b"")
        methods = None if routed is None else routed.list_methods(version, query)
        if not methods:
            await self._refuse(HTTPStatus.NOT_FOUND, NO_PATH)(scope, receive, send)
            return
        problem = Problem(status=HTTPStatus.METHOD_NOT_ALLOWED, message=NO_METHOD)
        allow = (b"allow", ", ".join(sorted(methods)).encode())
        await respond(scope, send, self._problems.answer(scope, problem), [allow])

    def doubt(self) -> Handling:
        """Return the handling of requests that may mean one operation or another."""
        return Handling(self._refuse(HTTPStatus.NOT_FOUND, _IN_DOUBT), None)

    def _refuse(self, status: int, detail: str) -> App:
        async def refuse(scope: Scope, _: Receive, send: Send) -> None:
            problem = Problem(status=status, message=detail)
            await respond(scope, send, self._problems.answer(scope, problem))

        return refuse

    async def _serve(
        self,
        row: _Row,
        way: AnswerWay,
        lift: RequestLift,
        hidden: frozenset[bytes],
        served: App | None,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Lift a request, call the application, and narrow the answer.

        If *served* is given, it is the application, and its answers need no narrowing.
        """
        context = None
        if lift.converts or way.answers.converts:
            account = None if self._account is None else self._account(scope)
            context = ConversionContext(
                environment=self._environment,
                version=way.version,
                account=await account if isawaitable(account) else account,
                operation=row.name,
                scope=scope,
            )
        if hidden:
            send = hide_headers(send, hidden)
        sent = scope
        if not lift.is_plain:
            query = scope.get("query_string", b"")
            lifted = await lift.lift(scope, receive, context)
            if lifted is None:
                return
            if not self._leads_to(row, scope, lifted[0]):
                await self.doubt().app(scope, receive, send)
                return
            scope, receive = lifted
            if scope.get("query_string", b"") not in (query, b""):
                send = _repeat_query(send, scope["query_string"], query)
            if isinstance(receive, Lifted):
                send = _Refusing(scope, receive, send, row, self._problems).send
        if way.version in self._is_moved:
            send = rewrite_references(send, sent, scope, partial(self._find_moved, way.version))
        try:
            if served is not None:
                await served(scope, receive, send)
            else:
                await way.narrow(scope, receive, send, context)
        except Exception:
            # applications also raise what they have tried to answer
            if not (isinstance(receive, Lifted) and receive.is_answered):
                raise

    def _leads_to(self, row: _Row, sent: Scope, lifted: Scope) -> bool:
        """Return whether the application performs the operation of *row* for a *lifted* request."""
        if lifted["path"] == sent["path"]:
            return True
        routed = self._find(join_methods(lifted), route(lifted))
        return routed is None or routed.leads_to(row.name, lifted.get("query_string", b""))

    def _find_moved(self, version: str, target: str) -> str | None:
        """Return where callers of *version* have what the application has at *target*.

        *target* is a path with its query. None for what is at the same path, or not there.
        """
        path, _, query = target.partition("?")
        scope = {"path": unquote(path), "raw_path": path.encode("latin-1")}
        routed = self._find(METHODS, route(scope))
        for row in () if routed is None else routed.list_behind(query.encode("latin-1")):
            moved = self._moved.get((row.name, version))
            if moved is not None and path.startswith(f"{row.prefix}/"):
                return moved.prefix + target[len(row.prefix) :]
            if row.is_there(version):
                return None
        return None

    async def pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer a request of no versioned operation."""
        if scope["type"] == "http":
            send = self._watch(scope, send)
        await self._app(scope, receive, send)

    def _watch(self, scope: Scope, send: Send) -> Send:
        """Return *send*, or a function that also logs the path once if the application has it."""
        path = scope["method"], route(scope)
        # OPTIONS asks what a path has, as browsers do before they call an operation
        if scope["method"] == "OPTIONS" or path in self._logged or len(self._logged) >= _KEPT:
            return send

        async def watch(message: Message) -> None:
            is_there = message["type"] == "http.response.start" and message["status"] not in (
                404,
                405,
            )
            # another request may have been answered since
            if is_there and path not in self._logged:
                self._logged.add(path)
                level = logging.WARNING if self._names_version(scope) else logging.INFO
                text = "%s %r is not a versioned operation: it is passed on unchanged"
                _log.log(level, text, *path)
            await send(message)

        return watch

    def _names_version(self, scope: Scope) -> bool:
        """Return whether a request names a version though all operations are versioned.

        The operations are probably below another prefix than the definitions say.
        """
        return bool(self._selector) and field(scope, self._selector) is not None


class _Refusing:
    """The answer to a request whose body is lifted while it arrives, and may be refused."""

    def __init__(
        self, scope: Scope, body: Lifted, send: Send, row: _Row, problems: Problems
    ) -> None:
        self._scope = scope
        self._body = body
        self._send = send
        self._row = row
        self._problems = problems
        self._is_started = False

    async def send(self, message: Message) -> None:
        """Send a message of the application, or the refusal in place of its answer."""
        if self._body.is_answered:
            return
        refused = self._body.refused
        if refused is None or self._is_started:
            self._is_started = True
            await self._send(message)
            return
        self._body.is_answered = True
        problem = describe_error(refused)
        answer = self._problems.answer(self._scope, problem, self._row.results)
        await respond(self._scope, self._send, answer, list_refusal_headers(refused))


def _repeat_query(send: Send, lifted: bytes, query: bytes) -> Send:
    """Return *send* for a request whose *query* was lifted: redirects repeat it as it was sent."""

    def repeat(reference: str) -> str:
        target, _, rest = reference.partition("?")
        repeated, mark, fragment = rest.partition("#")
        if repeated.encode("latin-1") != lifted:
            return reference
        return f"{target}?{query.decode('latin-1')}{mark}{fragment}"

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start" and 300 <= message["status"] < 400:
            headers = change_references(message.get("headers", ()), repeat)
            message = {**message, "headers": headers}
        await send(message)

    return sending


def _strip(app: App, version: str) -> App:
    """Return *app* for requests with entity-tags of *version*, whose answers are not narrowed.

    Callers may have the tags from answers of other operations of a resource.
    """

    def strip(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        return app(strip_tags(scope, version), receive, send)

    return strip
