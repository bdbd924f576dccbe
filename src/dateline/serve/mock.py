"""The server package of an API in, an application out whose handlers give sampled values."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import Enum
from functools import lru_cache, partial
from importlib.resources import files
from types import SimpleNamespace
from typing import Any, Final
from uuid import UUID

from dateline.model import Api
from dateline.openapi import chain
from dateline.render.server.operations import Operation, Parameter, groups
from dateline.render.shapes import canonical
from dateline.sample import Sampler, UnsatisfiedError
from dateline.sample.texts import words

# How many values are kept, so that they need not be made again.
_KEPT: Final = 1024


@dataclass(frozen=True)
class _Anyone:
    """The one account there is."""

    identity: str = "anyone"


class Mock:
    """A mock of one environment of an API: ``app`` answers with values sampled from the schemas.

    The same path has the same values each time. What a parameter says is echoed in the field of
    the answer that is called by the same words. Any credentials will do; where the definitions
    ask for some, they have to be sent. An operation for which no value is found answers 501.
    """

    def __init__(self, api: Api, server: Any, environment: str, seed: int) -> None:
        self.api = api
        self.server = server
        self.environment = environment
        self.seed = seed
        self.operations = [each for group in groups(api) for each in group.operations]
        self._document = canonical(api)
        self._sampler = Sampler(self._document, seed)
        self._schemas: dict[tuple[str, str], Any] = {}
        self._value = lru_cache(_KEPT)(self._sampled)
        self.app = self._app()

    def parameter(self, operation: Operation, parameter: Parameter) -> Any:
        """Return a JSON value for *parameter*. Raises UnsatisfiedError."""
        item, node = self._nodes(operation)
        for each in (*node.get("parameters", ()), *item.get("parameters", ())):
            found = chain(self._document, each)[-1]
            if (found["in"], found["name"]) == (parameter.place, parameter.name):
                holder = next(iter(found.get("content", {}).values()), found)
                schema = self._with_examples(holder)
                return self._sampler.value(schema, f"{operation.id} {parameter.name}")
        raise LookupError(parameter.name)

    def _app(self) -> Any:
        handlers: dict[str, dict[str, Any]] = {}
        for operation in self.operations:
            handler = partial(self._handle, operation)
            handlers.setdefault(operation.group, {})[operation.handler] = handler
        said: dict[str, Any] = {}
        if any(operation.is_secured for operation in self.operations):
            said["authenticate"] = _authenticate
        if methods := self._converters():
            said["converters"] = SimpleNamespace(**methods)
        return self.server.create_app(
            SimpleNamespace(**{name: SimpleNamespace(**each) for name, each in handlers.items()}),
            environment=self.environment,
            idempotency=self.server.runtime.idempotency.MemoryStore(),
            **said,
        )

    def _converters(self) -> dict[str, Callable[[Any], Any]]:
        """Return the converters that the server demands: each gives a value that fits."""
        wanted: Mapping[str, Mapping[str, str]] = getattr(self.server.routes, "CONVERTERS", {})
        data = json.loads(files(self.server).joinpath("contracts.json").read_bytes())
        return {
            method: partial(self._converted, way, name, data["converters"][name])
            for way, methods in wanted.items()
            for name, method in methods.items()
        }

    def _converted(self, way: str, name: str, said: dict[str, Any], value: Any, /) -> Any:
        era = said["older" if way == "down" else "newer"]
        schema = era if said["kind"] == "schema" else era.get("schema", {})
        return self._sampler.value(schema, f"{name} {way} {json.dumps(value, sort_keys=True)}")

    async def _handle(self, operation: Operation, _: Any, **given: Any) -> Any:
        status, content = next(iter(operation.successes.items()), ("", None))
        if content is None:
            return None
        sent = [
            (each, _plain(given[each.keyword]))
            for each in operation.parameters
            if each.place in ("path", "query") and given.get(each.keyword) is not None
        ]
        path = [str(value) for each, value in sent if each.place == "path"]
        schema = self._schema(operation, status)
        try:
            made = self._value((operation.id, status), " ".join([operation.id, *path]))
        except UnsatisfiedError as error:
            raise self.server.Refusal(501, str(error)) from None
        if not content.is_json:
            return made if isinstance(made, str) else json.dumps(made)
        return self._echoed(schema, copy.deepcopy(made), list(_echoes(operation, sent)))

    def _sampled(self, key: tuple[str, str], name: str) -> Any:
        return self._sampler.value(self._schemas[key], name)

    def _echoed(self, schema: Any, made: Any, echoes: list[_Echo]) -> Any:
        """Return *made* with *echoes* in its fields, but for those that would not fit."""
        for echo in echoes:
            for holder in _holders(made, items=echo.in_items):
                for field in [field for field in holder if words(field) == words(echo.field)]:
                    before = holder[field]
                    holder[field] = echo.value
                    if not self._sampler.fits(schema, made):
                        holder[field] = before
        return made

    def _schema(self, operation: Operation, status: str) -> Any:
        """Return the schema of a response, with the examples that stand beside it."""
        key = operation.id, status
        if key not in self._schemas:
            _, node = self._nodes(operation)
            content = chain(self._document, node["responses"][status])[-1]["content"]
            said = operation.responses[status]
            self._schemas[key] = self._with_examples(content[said.media_type]) if said else {}
        return self._schemas[key]

    def _nodes(self, operation: Operation) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the path item and the operation itself as they are in the document."""
        item = chain(self._document, self._document["paths"][operation.path])[-1]
        return item, item[operation.method.lower()]

    def _with_examples(self, holder: dict[str, Any]) -> Any:
        """Return the schema that *holder* has, with its examples (OpenAPI 3.1.1, 4.8.14)."""
        examples = [holder["example"]] if "example" in holder else []
        for each in holder.get("examples", {}).values():
            found = chain(self._document, each)
            examples += [found[-1]["value"]] if found and "value" in found[-1] else []
        schema = holder.get("schema", {})
        return {"allOf": [schema], "examples": examples} if examples else schema


@dataclass(frozen=True)
class _Echo:
    """A value that was sent, and the field of the answer that it belongs in."""

    field: str
    value: Any
    in_items: bool


def _echoes(operation: Operation, sent: list[tuple[Parameter, Any]]) -> Iterator[_Echo]:
    for parameter, value in sent:
        # the `id` of a path is not that of what is listed below it
        yield _Echo(parameter.name, value, in_items=words(parameter.name) != ("id",))
        if operation.path.endswith(f"{{{parameter.name}}}"):
            yield _Echo("id", value, in_items=False)


def _holders(made: Any, *, items: bool) -> Iterator[dict[str, Any]]:
    """Yield the object that an answer is and, with *items*, those that it lists."""
    if isinstance(made, dict):
        yield made
    if items:
        lists = made.values() if isinstance(made, dict) else [made]
        for found in lists:
            yield from (each for each in _listed(found) if isinstance(each, dict))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _plain(value: Any) -> Any:
    """Return as JSON what a handler is given."""
    if isinstance(value, date):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    return str(value) if isinstance(value, UUID) else value


async def _authenticate(_: Any) -> _Anyone:
    return _Anyone()
