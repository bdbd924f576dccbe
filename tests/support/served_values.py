"""Serve sampled values from handlers, and check what callers get."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from dateline.load import load
from support.exchanges import Response, ask, request
from support.generated_server import Generated, generate_payments, keep_folder
from support.mocks import MockRequest, requests
from support.narrowed import Body, Law, generate_law, make_converters
from support.sources import LIBRARY, loaded

SCHEMAS = Path(__file__).parents[2] / "schemas"


class ScriptedHandlers:
    """Handlers that return, or raise, what a test sets."""

    result: Any = None

    def __getattr__(self, name: str) -> Any:
        async def handle(*_: Any, **__: Any) -> Any:
            if isinstance(self.result, Exception):
                raise self.result
            return self.result

        return handle


DOORS: Final = ("server", "around")
"""What serves the versions: the generated server, and the layer around an application."""


class Served:
    """An API served through one of the `DOORS`, with the law of its values."""

    def __init__(self, law: Law, package: Generated, door: str = "server") -> None:
        self.law = law
        self._door = door
        self._media_type = ""
        self.received = b""
        """the body that reached the application"""
        self.server = package.module("server")
        self.routes = package.module("server.routes")
        self.operations = {each.id: each for each in self.routes.OPERATIONS}
        self.handlers = ScriptedHandlers()
        self._contracts = package.text("server/contracts.json")
        self._apps: dict[str, Any] = {}

    def app(self, environment: str) -> Any:
        if environment not in self._apps:
            said: dict[str, Any] = {}
            groups = dict.fromkeys((each.group for each in self.routes.OPERATIONS), self.handlers)
            methods = json.loads(self._contracts)["methods"]
            if any(methods.values()):
                known = {way: make_converters(self.law.contracts, way) for way in methods}
                said["converters"] = SimpleNamespace(
                    **{
                        method: known[way][name]
                        for way, names in methods.items()
                        for name, method in names.items()
                    }
                )
            if self._door == "around":
                self._apps[environment] = self.server.versioned(
                    self._backend, environment=environment, **said
                )
                return self._apps[environment]
            if self.routes.SCHEMES:
                said["authenticate"] = authenticate
            self._apps[environment] = self.server.create_app(
                SimpleNamespace(**groups), environment=environment, **said
            )
        return self._apps[environment]

    async def _backend(self, _: Any, receive: Any, send: Any) -> None:
        """Answer as the handlers would: an application without any knowledge of versions."""
        message = await receive()
        self.received = message["body"]
        result = self.handlers.result
        body = b"" if result.status == 204 else json.dumps(result.body).encode()
        kind = [] if result.status == 204 else [(b"content-type", self._media_type.encode())]
        headers = [*kind, (b"content-length", str(len(body)).encode())]
        start = {"type": "http.response.start", "status": result.status, "headers": headers}
        await send(start)
        await send({"type": "http.response.body", "body": body})

    @functools.cached_property
    def asked(self) -> dict[tuple[str, str, str], MockRequest]:
        """Return a request for each operation by version, environment and operation."""
        supported = [version.date for version in self.law.api.table.supported]
        return {
            (version, environment, each.operation["operationId"]): each
            for (version, environment), shown in self.law.shown.items()
            if version in supported
            for each in requests(shown.document, version, "X-API-Version", "X-API-Key")
        }

    def ask(self, environment: str, asked: MockRequest, result: Any) -> Response:
        self.handlers.result = result
        body = b"" if asked.body is None else json.dumps(asked.body).encode()
        headers = [(name.lower().encode(), value.encode()) for name, value in asked.headers.items()]
        scope = request(asked.method.upper(), f"/api{asked.url}", headers)
        return ask(self.app(environment), scope, body)

    def given(self, body: Body, value: Any) -> Iterator[tuple[Any, Any]]:
        """Yield *value* in each form that a handler may return, with its plain form.

        Values of types without a model or a Python type are returned in their plain form only.
        """
        status = int(body.status)
        if status >= 400:
            yield self.server.Refusal(status, value), value
            return
        yield self.server.Reply(value, status=status), value
        answers = self.operations[body.operation].responses[body.status]
        if answers is not None and self._door == "server":
            adapter = TypeAdapter(answers[body.media_type])
            with suppress(ValidationError):
                model = adapter.validate_json(json.dumps(value))
                plain = adapter.dump_python(model, mode="json")
                assert plain == value
                yield self.server.Reply(model, status=status), plain

    def wrong(self, count: int, seed: int = 1) -> Iterator[str]:
        """Yield how the answers for *count* canonical values differ from what they should be."""
        for body, value in self.law.values(count, seed):
            for (version, environment, operation), asked in self.asked.items():
                at = self.law.shown[version, environment].found(body)
                if operation != body.operation or at is None:
                    continue
                narrow = self.law.narrow(version, environment, body)
                self._media_type = body.media_type
                for given, plain in self.given(body, value):
                    found = self.ask(environment, asked, given)
                    where = f"{asked.url} {version}: {plain}: {found.status} {found.body!r}"
                    # a body of 204 is documented, but never sent
                    expected = b"" if found.status == 204 else narrow(plain)
                    shown = found.body if found.status == 204 else found.json
                    if (found.status, shown) != (int(body.status), expected):
                        yield where
                    elif found.status != 204 and self.law.shown[version, environment].defect(
                        at, shown
                    ):
                        yield f"{where} is against its document"

    def lift_breaches(self, count: int) -> Iterator[str]:
        """Yield how request bodies of each version reach the application incorrectly."""
        for version, environment in self.law.shown:
            newest = self.law.shown[self.law.contracts["versions"][-1], environment]
            for body, value in self.law.sent(version, environment, count):
                asked = self.asked.get((version, environment, body.operation))
                at = newest.found(body)
                if asked is None or at is None:
                    continue
                self.received = b""
                found = self.ask(environment, asked._replace(body=value), self.refusal)
                where = f"{version} {body.operation}: {json.dumps(value)}"
                if found.status != 418:
                    yield f"{where}: {found.status} {found.body!r}"
                    continue
                received = json.loads(self.received)
                if defect := newest.defect(at, received):
                    yield f"{where} -> {json.dumps(received)}: {defect}"

    @property
    def refusal(self) -> Any:
        return self.server.Refusal(418, "no")


async def authenticate(_: Any) -> Any:
    return SimpleNamespace(identity="anyone")


def served(name: str, door: str = "server") -> Served:
    """Return the API of *name* served through *door*; each server is generated once per process."""
    return Served(_find_law(name), _generate(name), door)


@functools.cache
def _find_law(name: str) -> Law:
    if name == "payment":
        return Law(load(SCHEMAS))
    if name == "library":
        return Law(loaded(keep_folder(), LIBRARY))
    return generate_law(int(name))


@functools.cache
def _generate(name: str) -> Generated:
    if name == "payment":
        return generate_payments()
    return Generated(keep_folder(), _find_law(name).api)
