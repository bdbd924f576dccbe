"""Build an application that responds with values sampled from the schemas of an API."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from functools import cached_property, lru_cache, partial
from importlib.resources import files
from types import SimpleNamespace
from typing import Any, Final
from uuid import UUID

from dateline.canonical import canonical_document
from dateline.canonical.contract_data import choose_entry
from dateline.canonical.former_operations import with_former_operations
from dateline.canonical.ranges import with_media_types
from dateline.client.paging import PagingForm, find_paging
from dateline.model import Api
from dateline.openapi import operation_path, resolve, value_at, value_schema
from dateline.project import Projector
from dateline.python.operations import read_operations
from dateline.python.parts import list_parameters
from dateline.sample import Sampler, UnsatisfiedError
from dateline.sample.answers import AnswerSampler
from dateline.sample.notations import write_parameter
from dateline.sample.texts import words
from dateline.schema.parts import PartReader
from dateline.serve.shown import Shown
from dateline.server.contents import Content
from dateline.server.operations import Operation, Parameter, read_groups
from dateline_runtime.statuses import first_status

# The number of values that are cached, so that they need not be sampled again.
_KEPT: Final = 1024

# The number of values that are tried before one is accepted that can only be shown to callers of
# one version, and the number for these alone.
_FOR_ALL: Final = 8
_FOR_ONE: Final = 64


class _UnmadeError(BaseException):
    """No value was found. As an Exception, it would be mistaken for a defect of the handler."""


@dataclass(frozen=True)
class _Anyone:
    """The only account."""

    identity: str = "anyone"


class Mock:
    """A mock of one environment of an API: ``app`` responds with values sampled from the schemas.

    A path gets the same values each time. The value of a parameter is echoed in the field of the
    response whose name has the same words. The second page of a listing is the last one, so that
    reading all of them ends. Where the definitions require credentials, any will do. An operation
    for which no value is found answers 501.
    """

    def __init__(self, api: Api, server: Any, environment: str, seed: int) -> None:
        self.api = api = with_media_types(with_former_operations(api))
        self.server = server
        self.environment = environment
        self.seed = seed
        self.operations = [each for group in read_groups(api) for each in group.operations]
        self._canonical = canonical_document(api)
        self._answers = AnswerSampler(self._canonical, seed)
        self._document = self._answers.document
        self._sampler = self._answers.sampler
        self._schemas: dict[tuple[str, str], Any] = {}
        self._value = lru_cache(_KEPT)(self._sample_value)
        self._projector = Projector(api)
        self._older = lru_cache(None)(self._sampler_at)
        self._contracts = json.loads(files(server).joinpath("contracts.json").read_bytes())
        self._converters = {way: self._list_converters(way) for way in ("down", "up")}
        versions = [version.date for version in api.table.supported]
        down = self._converters["down"]
        self._shown = Shown(server, self._contracts, environment, down, versions)
        self.app = self._app()

    def write_parameter(self, operation: Operation, parameter: Parameter) -> list[tuple[str, str]]:
        """Return names and texts for a value of *parameter*, as requests have them.

        Raises UnsatisfiedError.
        """
        item, node = self._nodes(operation)
        listed = list_parameters(self._document, operation.path, item, node)
        found = listed[parameter.place, parameter.name][-1]
        holder = next(iter(found.get("content", {}).values()), found)
        schema = self._answers.read_schema(holder)
        value = self._sampler.value(schema, f"{operation.id} {parameter.name}")
        if value is None:
            raise UnsatisfiedError(parameter.name, "", "null has no text")
        return write_parameter(found, value)

    def _app(self) -> Any:
        handlers: dict[str, dict[str, Any]] = {}
        for operation in self.operations:
            if operation.unserved:
                continue  # its name may be that of another one
            handler = partial(self._handle, operation)
            handlers.setdefault(operation.group, {})[operation.handler] = handler
        options: dict[str, Any] = {}
        secured = [each for each in self.operations if each.is_secured]
        if secured:
            options["authenticate"] = _authenticate
        if any(each.method == "POST" and self._is_served(each) for each in secured):
            options["idempotency"] = self.server.MemoryStore()
        methods = {
            method: self._converters[way][name]
            for way, named in self._contracts["methods"].items()
            for name, method in named.items()
        }
        if methods:
            options["converters"] = SimpleNamespace(**methods)
        app = self.server.create_app(
            SimpleNamespace(**{name: SimpleNamespace(**each) for name, each in handlers.items()}),
            environment=self.environment,
            settings=self.server.Settings(docs=True),
            **options,
        )
        for each in app.routes:
            each.app = partial(self._answer, each.app)
        return app

    def _is_served(self, operation: Operation) -> bool:
        return self.environment in (operation.environments or (self.environment,))

    async def _answer(self, app: Any, scope: Any, receive: Any, send: Any) -> None:
        """Call *app*; respond with 501 if no value was found, whichever responses are declared."""
        asgi = self.server.runtime.asgi
        try:
            await app(scope, receive, send)
        except _UnmadeError as error:
            body = self.server.runtime.errors.encode(str(error))
            answer = self.server.runtime.idempotency.Answer(501, asgi.MEDIA_TYPE, body)
            await asgi.respond(scope, send, answer)

    def _list_converters(self, way: str) -> dict[str, Callable[..., Any]]:
        """Return the converters that the server requires; each returns a valid value."""
        return {
            name: partial(self._convert, way, name, described)
            for name, described in self._contracts["converters"].items()
            if described[way]
        }

    def _convert(
        self, way: str, name: str, described: dict[str, Any], value: Any, context: Any, /
    ) -> Any:
        if "text" in described:
            return value
        goal = "older" if way == "down" else "newer"
        sampler, era = self._sampler, described[goal]
        if way == "down" and "reason" in described:
            version = context.version
            entry = choose_entry(era, self._contracts["versions"], version, self.environment)
            sampler, era = self._older(version), entry["schema"]
        schema = era if described["kind"] == "schema" else value_schema(era, {})
        # the result may contain such values, too, which are converted next: it has to end
        room = sum(1 for _ in _containers(value)) / 2
        key = f"{name} {way} {json.dumps(value, sort_keys=True)}"
        try:
            sampled = sampler.value(schema, key, room)
        except UnsatisfiedError as error:
            if way == "up":
                # the request is valid: it must not be refused
                raise _UnmadeError(
                    f"no value was found for the converter {name}: {error.reason}"
                ) from None
            raise ValueError(str(error)) from error
        if "replaced" in described:
            return {
                field: sampled[field] for field in described["replaced"][goal] if field in sampled
            }
        return sampled

    def _sampler_at(self, version: str) -> Sampler:
        return AnswerSampler(self._document_at(version), self.seed).sampler

    def _document_at(self, version: str) -> dict[str, Any]:
        return self._projector.contract(version, self.environment).document

    async def _handle(self, operation: Operation, call: Any, /, **given: Any) -> Any:
        version = call.scope["state"][self.server.runtime.asgi.VERSION]
        status, content = self._find_success(operation, version)
        if not status and operation.responses and self.api.table.adopted:
            # it declares errors only, and authored definitions may leave success open
            refused = first_status(min(operation.responses))
            raise self.server.Refusal(refused, "the operation declares no success")
        if content is None:
            return self.server.Reply(status=first_status(status)) if status else None
        sent = [
            (each, _to_json(given[each.keyword]))
            for each in operation.parameters
            if each.place in ("path", "query") and given.get(each.keyword) is not None
        ]
        path = [str(value) for each, value in sent if each.place == "path"]
        try:
            sampled = self._make_value(operation, status, " ".join([operation.id, *path]), version)
        except UnsatisfiedError as error:
            raise _UnmadeError(str(error)) from None
        if content.is_json:
            echoes = list(_find_echoes(operation, sent))
            sampled = self._fill_echoes(operation, status, version, copy.deepcopy(sampled), echoes)
            sampled = self._end_listing(operation, status, version, sampled, sent)
        elif not content.is_sequence and not isinstance(sampled, str):
            sampled = json.dumps(sampled)
        return self.server.Reply(sampled, status=first_status(status))

    def _find_success(self, operation: Operation, version: str) -> tuple[str, Content | None]:
        """Return the status and content of success at *version*; not every version has each."""
        if len(operation.successes) > 1:
            document = self._document_at(version)
            item = resolve(document, document["paths"][operation.path])
            known = value_at(item, operation_path(item, operation.method))["responses"]
            for status, content in operation.successes.items():
                if status in known:
                    return status, content
        return next(iter(operation.successes.items()), ("", None))

    def _make_value(self, operation: Operation, status: str, name: str, version: str) -> Any:
        """Return a value for callers of *version*: if possible, the same as for all others."""
        self._schema(operation, status)
        key = operation.id, status
        for tries, shown in (
            (_FOR_ALL, self._shown.by_all),
            (_FOR_ONE, partial(self._shown.by, version)),
        ):
            for again in range(tries):
                value = self._value(key, f"{name} {again}" if again else name)
                if shown(operation, status, value):
                    return value
        least = copy.deepcopy(self._value(key, name))
        for holder, field in _list_entries(least):
            left = holder[field]
            del holder[field]
            if not self._sampler.fits(self._schemas[key], least):
                _put_back(holder, field, left)
            elif self._shown.by(version, operation, status, least):
                return least
        raise UnsatisfiedError(name, "", f"callers of {version} can be shown none that was found")

    def _sample_value(self, key: tuple[str, str], name: str) -> Any:
        return self._sampler.value(self._schemas[key], name)

    def _fill_echoes(
        self, operation: Operation, status: str, version: str, value: Any, echoes: list[_Echo]
    ) -> Any:
        """Return *value* with *echoes* in its fields, except those that would not be valid."""
        for echo in echoes:
            for holder in _find_holders(value, items=echo.in_items):
                for field in [field for field in holder if words(field) == words(echo.field)]:
                    before = holder[field]
                    holder[field] = echo.value
                    if not self._fits(operation, status, version, value):
                        holder[field] = before
        return value

    def _fits(self, operation: Operation, status: str, version: str, value: Any) -> bool:
        """Return whether *value* is a valid response that callers of *version* can be shown."""
        return bool(
            self._sampler.fits(self._schema(operation, status), value)
            and self._shown.by(version, operation, status, value)
        )

    def _end_listing(
        self,
        operation: Operation,
        status: str,
        version: str,
        value: Any,
        sent: list[tuple[Parameter, Any]],
    ) -> Any:
        """Return *value*, as the last page if one after the first is requested and it is valid."""
        queried = {each.name: given for each, given in sent if each.place == "query"}
        form = self._pagings.get((operation.method, operation.path)) if queried else None
        if form is None or form.argument.name not in queried:
            return value
        ends = _list_ends(form, queried[form.argument.name], value)
        return next((end for end in ends if self._fits(operation, status, version, end)), value)

    @cached_property
    def _pagings(self) -> dict[tuple[str, str], PagingForm]:
        """How the pages of listings are requested, by method and path."""
        table, document = self.api.table, self._canonical
        reader = PartReader(document)
        found = (
            (each, find_paging(reader, each))
            for each in read_operations(table, document, {self.environment: document})
        )
        return {(each.method, each.path): form for each, form in found if form is not None}

    def _schema(self, operation: Operation, status: str) -> Any:
        """Return the schema of a response, including the examples beside it."""
        key = operation.id, status
        if key not in self._schemas:
            _, node = self._nodes(operation)
            content = resolve(self._document, node["responses"][status])["content"]
            response = operation.responses[status]
            holder = content[response.media_type] if response else {}
            if response and response.is_sequence:
                # the maximum number of items in one list
                listed = {"type": "array", "items": response.schema, "minItems": 1, "maxItems": 3}
                holder = {"schema": listed}
            self._schemas[key] = self._answers.read_schema(holder)
        return self._schemas[key]

    def _nodes(self, operation: Operation) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the path item and the operation itself as they are in the document."""
        item = resolve(self._document, self._document["paths"][operation.path])
        return item, value_at(item, operation_path(item, operation.method))


@dataclass(frozen=True)
class _Echo:
    """A value that was sent, and the field of the response for it."""

    field: str
    value: Any
    in_items: bool


def _find_echoes(operation: Operation, sent: list[tuple[Parameter, Any]]) -> Iterator[_Echo]:
    for parameter, value in sent:
        # the `id` of a path is not that of what is listed below it
        yield _Echo(parameter.name, value, in_items=words(parameter.name) != ("id",))
        if operation.path.endswith(f"{{{parameter.name}}}"):
            yield _Echo("id", value, in_items=False)


def _list_ends(form: PagingForm, at: Any, value: Any) -> Iterator[Any]:
    """Yield *value* as the last page of a listing, in each way there is, if page *at* may be it."""
    is_counted = form.kind in ("page", "offset")
    if is_counted and at <= form.first:
        return
    if form.items is None:
        yield []
    elif not isinstance(value, dict):
        return
    elif is_counted:
        yield {**value, form.items: []}
    elif form.more is not None:
        yield {**value, form.more: False}
    else:
        yield {name: each for name, each in value.items() if name != form.following}
        yield from ({**value, form.following: end} for end in (None, ""))


def _find_holders(value: Any, *, items: bool) -> Iterator[dict[str, Any]]:
    """Yield the object of a response and, with *items*, those that it lists."""
    if isinstance(value, dict):
        yield value
    if items:
        lists = value.values() if isinstance(value, dict) else [value]
        for found in lists:
            if isinstance(found, list):
                yield from (each for each in found if isinstance(each, dict))


def _put_back(holder: Any, key: Any, value: Any) -> None:
    if isinstance(holder, list):
        holder.insert(key, value)
    else:
        holder[key] = value


def _list_entries(value: Any) -> list[tuple[Any, Any]]:
    """Return the contents of objects and lists in *value* with their keys, inner ones first.

    Lists are in reverse order, so that the remaining indexes stay valid.
    """
    found = [
        (holder, key)
        for holder in _containers(value)
        for key in (holder if isinstance(holder, dict) else range(len(holder)))
    ]
    return found[::-1]


def _containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from _containers(each)


def _to_json(value: Any) -> Any:
    """Return the argument of a handler as JSON."""
    if isinstance(value, date):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list):
        return [_to_json(each) for each in value]
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value) if isinstance(value, UUID) else value


async def _authenticate(_: Any) -> _Anyone:
    return _Anyone()
