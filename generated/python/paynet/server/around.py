"""Serve every version of an application that speaks the newest one: the layer around it."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, cached_property, partial
from http import HTTPStatus
from typing import Any, Final, TypeVar

from .answers import AnswerNarrowing, Treatment, accept_codings, described, replace_length
from .contracts import Contracts, MisfitError
from .converters import call
from .hidden import find_hidden_headers, hide_headers
from .items import NarrowedStream, StreamError
from .lifts import Lifted, RequestLift
from .nouns import Operation, Settings
from .pages import DocumentsPage
from .paths import Paths, PathTemplate
from .problems import Problems
from .results import Results
from .runtime import etag, lifecycle
from .runtime.asgi import (
    VERSION,
    App,
    Documents,
    Headers,
    Limits,
    Message,
    Receive,
    Scope,
    Send,
    Versioned,
    describe_error,
    log_failure,
    respond,
    route,
)
from .runtime.conversion import ConversionContext
from .runtime.lifting import Lifting, liftings
from .runtime.narrowing import Narrowing, narrowings
from .runtime.negotiation import Supported
from .runtime.problems import Problem

_NO_PATH: Final = "there is no such path"

_CONDITIONS: Final = frozenset({b"if-match", b"if-none-match", b"if-range"})

# Ways to send a body past us.
_SHORTCUTS: Final = frozenset({"http.response.pathsend", "http.response.zerocopysend"})

_KEPT: Final = 100
"""How many paths that are not versioned are logged."""

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
) -> App:
    """Return an application that serves all versions in *environment* by asking *app*.

    *app* is an ASGI application that speaks the newest version of *contracts*, the contract data.
    *only* are the operations to serve so, all if None; all other requests reach *app* as they are.
    *documents* are those of the specification, by path. If it *is_strict*, requests are validated
    that no gate reaches, too.

    Raises ValueError for an unknown environment or operation, MissingConverterError.
    """
    if environment not in contracts["prefixes"]:
        known = ", ".join(contracts["prefixes"])
        raise ValueError(f"{environment!r} is no environment of this API; there are {known}")
    unknown = sorted({*(only or ()), *settings.limits_of} - contracts["operations"].keys())
    if unknown:
        raise ValueError(f"there is no operation {', '.join(unknown)}")
    prefix = contracts["prefixes"][environment] if settings.prefix is None else settings.prefix
    data = Contracts(contracts, environment)
    judge = data.judge
    down = narrowings(
        contracts, environment, converters["down"], judge=judge, is_partial=is_partial
    )
    up = liftings(contracts, environment, converters["up"], judge=judge, is_partial=is_partial)
    found = _Found()
    problems = Problems(contracts, data, settings, found.results)
    rows = [
        _Row(
            name,
            said,
            prefix,
            contracts,
            data,
            down,
            up,
            is_strict=is_strict,
            most=settings.limits_of.get(name, settings.limits).item,
        )
        for name, said in contracts["operations"].items()
    ]
    problems.add(each.results for each in rows)
    served = [each for each in rows if only is None or each.name in only]
    hidden = cache(partial(find_hidden_headers, contracts, data))
    default = contracts["default"]
    layer = _Layer(app, served, found, problems, settings, default, environment, hidden)
    return Versioned(
        layer,
        Supported(
            contracts["default"],
            tuple(contracts["supported"]),
            contracts["header"],
            **contracts.get("naming", {}),
        ),
        prefix=prefix,
        serves=layer.serves,
        ignoring=layer.ignores_version if any(each.ignores_version for each in served) else None,
        documents=(DocumentsPage if settings.docs else Documents)(documents, answer=problems.answer)
        if documents
        else None,
        ends=lifecycle.read_ends(contracts["ends"]),
        credentials=contracts["credentials"],
        limits=layer.limit,
        answer=problems.answer,
    )


class _Row:
    """One operation: what is done to its requests and answers, by the version of their caller."""

    def __init__(
        self,
        name: str,
        said: Mapping[str, Any],
        prefix: str,
        contracts: Mapping[str, Any],
        data: Contracts,
        down: Mapping[str, Narrowing],
        up: Mapping[str, Lifting],
        *,
        is_strict: bool,
        most: int,
    ) -> None:
        self.name = name
        self._most = most
        self.method: str = said["method"]
        self.path: str = prefix + said["path"]
        self.ignores_version: bool = said.get("ignores_version", False)
        responses = {
            key: dict.fromkeys(content) or None for key, content in said["responses"].items()
        }
        operation = Operation(
            id=name,
            group="",
            handler="",
            method=self.method,
            path=said["path"],
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
    def _template(self) -> PathTemplate:
        return PathTemplate(self.path)

    def is_there(self, version: str) -> bool:
        """Return whether *version* has the operation."""
        if version not in self._there:
            self._there[version] = self._data.at(self.name, version) is not None
        return self._there[version]

    def explain_unserved(self, version: str) -> str:
        """Return why the operation can't be served at *version*; empty if it can."""
        if version not in self._unserved:
            missing = {
                *self._up[version].missing(self.name),
                *self._down[version].missing(self.name),
            }
            said = f"there is no converter {', '.join(sorted(missing))}" if missing else ""
            self._unserved[version] = said
        return self._unserved[version]

    def lift(self, version: str) -> RequestLift:
        if version not in self._lifts:
            self._lifts[version] = RequestLift(
                self.name,
                self._template,
                self._data,
                self._up,
                version,
                is_strict=self._is_strict,
                most=self._most,
            )
        return self._lifts[version]

    def answers(self, version: str) -> AnswerNarrowing:
        if version not in self._answers:
            self._answers[version] = AnswerNarrowing(
                self.name, self.results, self._data, self._down, version, most=self._most
            )
        return self._answers[version]


_KEYS: Final = (f"dateline.operation.{number}" for number in itertools.count(1))


class _Found:
    """What a request may mean, in the state of its scope: layers may be around each other."""

    def __init__(self) -> None:
        self._key = next(_KEYS)

    def keep(self, scope: Scope, rows: list[tuple[_Row, dict[str, str]]]) -> None:
        scope.setdefault("state", {})[self._key] = rows

    def is_kept(self, scope: Scope) -> bool:
        return self._key in scope.get("state", ())

    def choose(self, scope: Scope, version: str) -> tuple[_Row | None, Mapping[str, str]]:
        """Return the operation that a request of *version* means, and the texts in its path."""
        for row, texts in scope.get("state", {}).get(self._key, ()):
            if row.is_there(version):
                return row, texts
        return None, {}

    def results(self, scope: Scope, version: str) -> Results | None:
        """Return the results of that operation."""
        row, _ = self.choose(scope, version)
        return None if row is None else row.results


class _Layer:
    """Lifts requests for the application, and narrows its answers."""

    def __init__(
        self,
        app: App,
        served: Iterable[_Row],
        found: _Found,
        problems: Problems,
        settings: Settings,
        default: str,
        environment: str,
        hidden: Callable[[str], frozenset[bytes]],
    ) -> None:
        self._app = app
        self._hidden = hidden
        self._environment = environment
        self._paths = Paths((each.method, each.path, each) for each in served)
        self._found = found
        self._problems = problems
        self._settings = settings
        self._default = default
        self._logged: set[tuple[str, str]] = set()

    def serves(self, scope: Scope) -> bool:
        """Return whether a request means an operation that is versioned."""
        rows = list(self._paths.find(scope["method"], route(scope)))
        if rows:
            self._found.keep(scope, rows)
        return bool(rows)

    def ignores_version(self, scope: Scope) -> bool:
        """Return whether a request means an operation that ignores the version."""
        row, _ = self._found.choose(scope, self._default)
        return row is not None and row.ignores_version

    def limit(self, scope: Scope) -> Limits | None:
        """Return the limits of a request's body if it is read here, or has some of its own."""
        version = scope["state"][VERSION]
        row, _ = self._found.choose(scope, version)
        if row is None:
            return None
        reads_body = row.lift(version).reads_body
        return self._settings.limits_of.get(row.name, self._settings.limits if reads_body else None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if not self._found.is_kept(scope):
            await self._app(scope, receive, self._watch(scope, send))
            return
        version: str = scope["state"][VERSION]
        row, texts = self._found.choose(scope, version)
        unserved = row.explain_unserved(version) if row is not None else _NO_PATH
        if row is None or unserved:
            problem = Problem(status=404 if row is None else 501, message=unserved)
            await respond(scope, send, self._problems.answer(scope, problem))
            return
        context = ConversionContext(
            environment=self._environment, version=version, operation=row.name, scope=scope
        )
        hidden = self._hidden(version)
        if hidden:
            send = hide_headers(send, hidden)
        lift = row.lift(version)
        if not lift.is_plain:
            lifted = await lift.lift(scope, receive, texts, context)
            if lifted is None:
                return
            scope, receive = lifted
            if isinstance(receive, Lifted):
                send = _Refusing(scope, receive, send, row, self._problems).send
        answers = row.answers(version)
        if answers.is_plain:
            await self._app(scope, receive, send)
        else:
            exchange = _Narrowed(scope, send, row, answers, self._problems, context)
            await self._app(_unversioned(scope, version), receive, exchange.send)
            exchange.check()

    def _watch(self, scope: Scope, send: Send) -> Send:
        """Return *send*, or what logs the path once if something is there."""
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
    """The answer to a request whose body is lifted as it comes: that it is refused, if it is."""

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
        """Send a message of the application, or in place of its answer that of a refusal."""
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
        await respond(self._scope, self._send, answer)


class _Narrowed:
    """One answer of the application, on its way to a caller of a version."""

    def __init__(
        self,
        scope: Scope,
        send: Send,
        row: _Row,
        answers: AnswerNarrowing,
        problems: Problems,
        context: ConversionContext,
    ) -> None:
        self._context = context
        self._scope = scope
        self._send = send
        self._row = row
        self._answers = answers
        self._problems = problems
        self._start: Message | None = None
        self._treatment: Treatment | None = None
        self._pieces: list[bytes] = []
        self._stream: NarrowedStream | None = None
        self._broken: StreamError | None = None

    async def send(self, message: Message) -> None:
        """Send a message of the application, or keep it until the whole body is there."""
        kind = message["type"]
        if kind == "http.response.start":
            await self._begin(message)
        elif kind == "http.response.body" and self._stream is not None:
            await self._pass(self._stream, message)
        elif kind == "http.response.body" and self._start is not None:
            self._pieces.append(message.get("body", b""))
            if not message.get("more_body", False):
                await self._end()
        elif kind == "http.response.body" and self._treatment is None:
            # another answer has been sent in place of this one
            return
        else:
            await self._send(message)

    def check(self) -> None:
        """Raise StreamError if the answer can't go on, whatever the application made of that."""
        if self._broken is not None:
            raise self._broken

    async def _pass(self, stream: NarrowedStream, message: Message) -> None:
        """Send what callers see of a piece of a stream as soon as it is there."""
        self.check()
        is_last = not message.get("more_body", False)
        try:
            body = await stream.change(message.get("body", b""), is_last=is_last)
        except MisfitError as error:
            log_failure(self._scope, error)
            self._broken = StreamError("the stream was broken off")
            raise self._broken from error
        if body or is_last:
            await self._send({**message, "body": body})

    async def _begin(self, message: Message) -> None:
        try:
            treatment = self._answers.treat(message["status"], described(message, b"content-type"))
            given = list(message.get("headers", ()))
            headers = await self._make(partial(self._answers.headers, given, treatment))
            if treatment.items is not None:
                coding = described(message, b"content-encoding").strip().lower()
                self._stream = NarrowedStream(treatment.items, coding, self._make)
                headers = [each for each in headers if each[0].lower() != b"content-encoding"]
                headers = replace_length(headers, None)
        except MisfitError as error:
            await self._fail(error)
            return
        if treatment.is_replaced:
            await self._replace(treatment.status)
            return
        self._treatment = treatment
        message = {**message, "status": treatment.status, "headers": headers}
        if treatment.body is None:
            await self._send(message)
        elif self._scope["method"] == "HEAD":
            await self._send({**message, "headers": replace_length(headers, None)})
        else:
            self._start = message

    async def _end(self) -> None:
        start, treatment = self._start, self._treatment
        assert start is not None
        assert treatment is not None
        assert treatment.body is not None
        self._start = None
        content = b"".join(self._pieces)
        try:
            coding = described(start, b"content-encoding").strip().lower()
            body = await self._make(partial(treatment.body.narrow, content, coding))
        except MisfitError as error:
            self._treatment = None
            if treatment.status >= HTTPStatus.BAD_REQUEST:
                # the application declares another body than it has, as many do for errors
                await self._replace(treatment.status)
            else:
                await self._fail(error)
            return
        headers = replace_length(start["headers"], len(body))
        await self._send({**start, "headers": headers, "trailers": False})
        await self._send({"type": "http.response.body", "body": body})

    async def _make(self, make: Callable[[], T]) -> T:
        awaits = self._answers.awaits
        return make() if awaits is None else await call(make, self._context, awaits=awaits)

    async def _fail(self, error: MisfitError) -> None:
        await self._describe(log_failure(self._scope, error))

    async def _replace(self, status: int) -> None:
        """Answer with *status* and nothing of what the application said."""
        await self._describe(Problem(status=status))

    async def _describe(self, problem: Problem) -> None:
        answer = self._problems.answer(self._scope, problem, self._row.results)
        await respond(self._scope, self._send, answer)


def _unversioned(scope: Scope, version: str) -> Scope:
    """Return a request whose answer can be narrowed: all of it, in a coding that can be read.

    The entity-tags of *version* are those that the application knows.
    """
    headers: Headers = []
    for name, value in scope["headers"]:
        if name in (b"range", b"if-range"):
            continue
        if name in _CONDITIONS:
            value = etag.strip_version(value, version)
        elif name == b"accept-encoding":
            value = accept_codings(value)
        headers.append((name, value))
    extensions = scope.get("extensions") or {}
    if not _SHORTCUTS.isdisjoint(extensions):
        extensions = {key: value for key, value in extensions.items() if key not in _SHORTCUTS}
    return {**scope, "headers": headers, "extensions": extensions}
