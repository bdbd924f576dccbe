"""Serve every version of an application that implements the newest one: the layer around it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from functools import cache, cached_property, partial
from http import HTTPStatus
from inspect import isawaitable
from typing import Any, Final, TypeVar

from .answers import (
    BODILESS,
    AnswerNarrowing,
    Prepared,
    Undescribed,
    accept_codings,
    accept_types,
    replace_length,
)
from .contracts import Contracts, MisfitError
from .converters import call
from .hidden import find_hidden_headers, hide_headers
from .items import NarrowedStream, StreamError
from .lifts import Lifted, RequestLift
from .nouns import Operation, Settings
from .pages import serve_documents
from .paths import Paths, PathTemplate
from .problems import NO_PATH, Problems
from .results import Results
from .runtime import etag, lifecycle
from .runtime.asgi import (
    App,
    Headers,
    Message,
    Receive,
    Scope,
    Send,
    describe_error,
    find_headers,
    join_lines,
    list_values,
    log_failure,
    methods,
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
from .runtime.versioned import Handling, Versioned
from .spanning import find_spanning

_IN_DOUBT: Final = "the request may mean more than one operation"

_SELECTING: Final = etag.CONDITIONS | {b"range", b"accept-encoding"}

# Extensions that send a body without passing it through the layer, or what describes its bytes.
_SHORTCUTS: Final = frozenset(
    {"http.response.pathsend", "http.response.zerocopysend", "http.response.trailers"}
)

_KEPT: Final = 100
"""The maximum number of unversioned paths that are logged."""

FindAccount = Callable[[Scope], object]
"""Returns the account for the scope of a request, or an awaitable of it."""

_log = logging.getLogger(__name__)

T = TypeVar("T")


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
        raise ValueError(f"{environment!r} is no environment of this API; there are {known}")
    unknown = sorted(
        {*(only or ()), *settings.limits_of, *settings.spanning} - contracts["operations"].keys()
    )
    if unknown:
        raise ValueError(f"there is no operation {', '.join(unknown)}")
    prefix = contracts["prefixes"][environment] if settings.prefix is None else settings.prefix
    data = Contracts(contracts, environment)
    judge = data.judge
    down = narrowings(
        contracts, environment, converters["down"], judge=judge, is_partial=is_partial
    )
    up = liftings(contracts, environment, converters["up"], judge=judge, is_partial=is_partial)
    spanning = find_spanning(app)
    rows = [
        _Row(
            name,
            facts,
            prefix,
            contracts,
            data,
            down,
            up,
            is_strict=is_strict,
            spanning=spanning,
            is_spanning=name in settings.spanning,
            is_served=only is None or name in only,
            most=settings.limits_of.get(name, settings.limits).item,
        )
        for name, facts in contracts["operations"].items()
    ]

    def make(readings: tuple[tuple[_Row, ...], ...]) -> _Routed | None:
        if readings and not any(row.is_served for found in readings for row in found):
            return None
        return _Routed(layer, contracts["default"], readings)

    triples = ((each.method, each.path, each) for each in rows)
    paths = Paths(triples, make, {each.path: each.spanning for each in rows})
    problems = Problems(contracts, data, settings, partial(_find_results, paths))
    problems.add(each.results for each in rows)
    hidden = cache(partial(find_hidden_headers, contracts, data))
    layer = _Layer(app, problems, settings, environment, data.newest, hidden, account)
    pages = None
    if documents:
        paths_served = [each.path for each in rows if each.is_served]
        pages = serve_documents(documents, settings, paths_served, problems.answer)
    return Versioned(
        layer.pass_on,
        Supported.read(contracts),
        prefix=prefix,
        find=_find_beside(pages, paths, prefix),
        documents=pages,
        ends=lifecycle.read_ends(contracts["ends"]),
        credentials=contracts["credentials"],
        answer=problems.answer,
    )


def _find_beside(
    pages: Documents | None, paths: Paths[_Row, _Routed], prefix: str
) -> Callable[[str, str], _Routed | None]:
    """Return what finds operations where *pages* has nothing: its documents come first."""
    if pages is None or not (
        "{" in prefix or any(_overlap(prefix, each) for each in pages.prefixes)
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


class _Row:
    """One operation: what is done to its requests and answers, by the version of their caller."""

    def __init__(
        self,
        name: str,
        facts: Mapping[str, Any],
        prefix: str,
        contracts: Mapping[str, Any],
        data: Contracts,
        down: Mapping[str, Narrowing],
        up: Mapping[str, Lifting],
        *,
        spanning: Mapping[str, Collection[int]],
        is_spanning: bool,
        is_strict: bool,
        is_served: bool,
        most: int,
    ) -> None:
        self.name = name
        self.is_served = is_served
        """whether it is versioned; if not, it passes as it is"""
        self._most = most
        self.method: str = facts["method"]
        self.path: str = prefix + facts["path"]
        template = PathTemplate(self.path)
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
        self._there: dict[str, bool] = {}
        self._unserved: dict[str, str] = {}
        self._lifts: dict[str, RequestLift] = {}
        self._answers: dict[str, AnswerNarrowing] = {}

    @cached_property
    def template(self) -> PathTemplate:
        return PathTemplate(self.path, self.spanning)

    def is_there(self, version: str) -> bool:
        """Return whether *version* has the operation."""
        if version not in self._there:
            self._there[version] = self._data.at(self.name, version) is not None
        return self._there[version]

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
            and self._lift(version, is_strict=False).is_plain
            and (self.answers(version).is_plain)
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
            if contract is not None and not self.template.is_clear:
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
            self.template,
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
                most=self._most,
            )
        return self._answers[version]


def _find_results(paths: Paths[_Row, _Routed], scope: Scope, version: str) -> Results | None:
    """Return the results of the operation that a request of *version* means."""
    routed = paths.find(methods(scope), route(scope))
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
        row = self.find(default)
        self.ignores_version = row is not None and row.ignores_version

    def __missing__(self, version: str) -> Handling:
        found = [row for each in self._readings for row in each if row.is_there(version)]
        if self._is_in_doubt(found, version):
            # an answer of another operation could be newer than its caller
            self[version] = self._layer.doubt()
        elif all(row.template.is_path for row in found):
            self[version] = self._layer.handle(found[0] if found else None, version)
        else:
            self[version] = self._layer.choose([*dict.fromkeys(found)], version)
        return self[version]

    def find(self, version: str, query: bytes = b"") -> _Row | None:
        """Return the operation that a request of *version* with a query string means."""
        found = (row for each in self._readings for row in each if row.is_there(version))
        return next((row for row in found if row.template.has_query(query)), None)

    def _is_in_doubt(self, found: list[_Row], version: str) -> bool:
        """Return whether the application may perform another operation than the first *found*.

        Operations whose paths have a query don't count: they are not served, or pass.
        """
        own = [row for row in found if row.template.is_path][:1]
        readings = {*own, *self._find_behind()}
        return bool(own) and len(readings) > 1 and not all(row.passes(version) for row in readings)

    def _find_behind(self) -> Iterator[_Row]:
        """Yield the operations that the application may perform for a request."""
        for found in self._readings:
            yield from [row for row in found if row.is_behind and row.template.is_path][:1]


class _Layer:
    """The layer around the application, which lifts its requests and narrows its answers."""

    def __init__(
        self,
        app: App,
        problems: Problems,
        settings: Settings,
        environment: str,
        newest: str,
        hidden: Callable[[str], frozenset[bytes]],
        account: FindAccount | None,
    ) -> None:
        self._app = app
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
            return Handling(self._refuse(HTTPStatus.NOT_FOUND, NO_PATH), None)
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
        if not (lift.is_plain and answers.is_plain and not hidden):
            way = _Way(self._app, row, version, answers, self._problems)
            is_usual = lift.is_plain and not answers.converts and not hidden
            app = way.narrow if is_usual else partial(self._serve, way, lift, hidden)
        return Handling(app, limits)

    def choose(self, rows: list[_Row], version: str) -> Handling:
        """Return the handling of requests that mean one of *rows*, by their query string.

        Requests that mean none of them pass unchanged.
        """
        handled = [(row.template, self.handle(row, version)) for row in rows]

        async def choose(scope: Scope, receive: Receive, send: Send) -> None:
            query = scope.get("query_string", b"")
            apps = (handling.app for template, handling in handled if template.has_query(query))
            await next(apps, self.pass_on)(scope, receive, send)

        limits = (handling.limits for template, handling in handled if template.is_path)
        return Handling(choose, next(limits, None))

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
        way: _Way,
        lift: RequestLift,
        hidden: frozenset[bytes],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Lift a request, call the application, and narrow the answer."""
        context = None
        if lift.converts or way.answers.converts:
            account = None if self._account is None else self._account(scope)
            context = ConversionContext(
                environment=self._environment,
                version=way.version,
                account=await account if isawaitable(account) else account,
                operation=way.row.name,
                scope=scope,
            )
        if hidden:
            send = hide_headers(send, hidden)
        if not lift.is_plain:
            query = scope.get("query_string", b"")
            lifted = await lift.lift(scope, receive, context)
            if lifted is None:
                return
            scope, receive = lifted
            if scope.get("query_string", b"") not in (query, b""):
                send = _repeat_query(send, scope["query_string"], query)
            if isinstance(receive, Lifted):
                send = _Refusing(scope, receive, send, way.row, self._problems).send
        if way.answers.is_plain:
            await _strip(self._app, way.version)(scope, receive, send)
            return
        await way.narrow(scope, receive, send, context)

    async def pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer a request of no versioned operation."""
        if scope["type"] == "http":
            send = self._watch(scope, send)
        await self._app(scope, receive, send)

    def _watch(self, scope: Scope, send: Send) -> Send:
        """Return *send*, or a function that also logs the path once if the application has it."""
        path = scope["method"], route(scope)
        if path in self._logged or len(self._logged) >= _KEPT:
            return send

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] not in (404, 405):
                self._logged.add(path)
                _log.info("%s %r is no operation that is versioned: it passes as it is", *path)
            await send(message)

        return watch


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
        self._is_over = False

    async def send(self, message: Message) -> None:
        """Send a message of the application, or the refusal in place of its answer."""
        if self._is_over:
            return
        refused = self._body.refused
        if refused is None or self._is_started:
            self._is_started = True
            await self._send(message)
            return
        self._is_over = True
        problem = describe_error(refused)
        answer = self._problems.answer(self._scope, problem, self._row.results)
        await respond(self._scope, self._send, answer, find_headers(refused))


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


class _Done:
    """An awaitable that is done."""

    # called for most messages, so none of it is written in Python
    __await__ = staticmethod(partial(iter, ()))


_DONE: Final = _Done()


class _Way:
    """What the answers to all requests of an operation at one version have in common."""

    # read for each request: attributes in slots are the fastest
    __slots__ = ("_app", "accepted", "answers", "problems", "row", "selecting", "version")

    def __init__(
        self, app: App, row: _Row, version: str, answers: AnswerNarrowing, problems: Problems
    ) -> None:
        self._app = app
        self.row = row
        self.version = version
        self.answers = answers
        self.problems = problems
        self.selecting = _SELECTING
        self.accepted = b""
        """what callers accept who do not say so, if the application may send more"""
        if not all(answers.media_types.values()):
            self.selecting |= {b"accept"}
            self.accepted = accept_types(b"", answers.media_types)

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
        *("_context", "_is_bodiless", "_is_dropped", "_pieces", "_prepared"),
        *("_scope", "_send", "_start", "_stream", "_way", "broken"),
    )

    def __init__(
        self, scope: Scope, send: Send, way: _Way, context: ConversionContext | None
    ) -> None:
        self._scope = scope
        self._send = send
        self._way = way
        self._context = context
        self._start: Message = {}
        self._prepared: Prepared | None = None
        self._pieces: list[bytes] | None = None
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
            return _DONE
        if kind != "http.response.body":
            return _DONE if kind == "http.response.trailers" else self._send(message)
        if self._prepared is not None:
            piece = message.get("body", b"")
            if message.get("more_body", False):
                self._pieces = self._pieces or []
                self._pieces.append(piece)
                return self._pass_undescribed(self._prepared) or _DONE
            content = piece if self._pieces is None else b"".join([*self._pieces, piece])
            return self._end(self._prepared, content)
        if self._is_dropped:
            # this answer, or another in its place, has been sent
            return _DONE
        if self._is_bodiless:
            # not every server leaves out what applications send to HEAD
            return self._send({**message, "body": b""})
        return self._send(message) if self._stream is None else self._pass(self._stream, message)

    def _pass_undescribed(self, prepared: Prepared) -> Awaitable[None] | None:
        """Return what sends the pieces of a body that will not be changed; None for others."""
        body, pieces = prepared.body, self._pieces or []
        if not isinstance(body, Undescribed) or not body.is_certain(pieces, prepared.coding):
            return None
        self._prepared = None
        return self._send_begin(b"".join(pieces))

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
            await self._refuse(message["status"], error)
            return
        if treatment.is_replaced:
            await self._replace(treatment.status)
            return
        start = {**message, "status": treatment.status, "headers": headers, "trailers": False}
        if treatment.status == HTTPStatus.RESET_CONTENT or treatment.has_no_body:
            self._is_bodiless = True
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
            if self._context is None:
                body = narrowing.narrow(content, coding)
            else:
                body = await self._make(partial(narrowing.narrow, content, coding))
        except MisfitError as error:
            if not HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
                await self._refuse(status, error)
                return
            # what a redirect leads to is not in its body
            body = b""
        self._is_dropped = True
        self._start["headers"].append((b"content-length", b"%d" % len(body)))
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})

    async def _make(self, make: Callable[[], T]) -> T:
        awaits = self._way.answers.awaits
        if awaits is None or self._context is None:
            return make()
        return await call(make, self._context, awaits=awaits)

    async def _refuse(self, status: int, error: MisfitError) -> None:
        """Answer in place of the application, whose answer with *status* does not fit."""
        if status >= HTTPStatus.BAD_REQUEST:
            # the application declares another body than it has, as many do for errors
            await self._replace(status)
        else:
            await self._describe(log_failure(self._scope, error))

    async def _replace(self, status: int) -> None:
        """Answer with *status* and nothing from the application's answer."""
        await self._describe(Problem(status=status))

    async def _describe(self, problem: Problem) -> None:
        self._is_dropped = True
        answer = self._way.problems.answer(self._scope, problem, self._way.row.results)
        await respond(self._scope, self._send, answer)


def _strip(app: App, version: str) -> App:
    """Return *app* for requests with entity-tags of *version*, whose answers are not narrowed.

    Callers may have the tags from answers of other operations of a resource.
    """

    def strip(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        return app(strip_tags(scope, version), receive, send)

    return strip


def _unversioned(scope: Scope, way: _Way) -> Scope:
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


def _select_all(headers: Headers, way: _Way, method: str) -> Headers:
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
