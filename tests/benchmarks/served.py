"""A server and its requests in a process: generated, bare FastAPI, wrapped or Cadwyn.

`requests ours|bare|around|cadwyn single|page VERSION COUNT` answers batches of that many requests
to the payment API, sequentially; `start ours|bare|plain|cadwyn PACKAGES VERSIONS` starts the
synthetic API and answers one, where `plain` is bare FastAPI with the models of Cadwyn's. Both call
the application in process, and print the cost of each phase, that of the cheapest batch.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import inspect
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any
from uuid import UUID

from fastapi import FastAPI, Header

# `on_cadwyn`, and what it shares with the sources of the synthetic API
sys.path.append(str(Path(__file__).parents[1]))

_GENERATED = Path(__file__).parents[2] / "generated" / "python"
_ID = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
_BATCHES = 12
_PATHS = {"single": f"/api/autoramps/{_ID}", "page": "/api/autoramps"}


@dataclass(frozen=True)
class Account:
    identity: str


async def authenticate(_: Any) -> Account:
    return Account("somebody")


class Anything:
    """Handlers for every operation of every group, which return *result*."""

    def __init__(self, result: Callable[[str], Any]) -> None:
        self._result = result

    def __getattr__(self, name: str) -> Any:
        async def handler(*_: Any, **__: Any) -> Any:
            return self._result(name)

        return handler


def requests(which: str, what: str, version: str, count: str) -> Iterator[str]:
    sys.path.append(str(_GENERATED))
    server = importlib.import_module("paynet.server")
    models = importlib.import_module("paynet.server.models")
    yield "imports"
    one = models.Autoramp.model_validate(
        {
            "id": _ID,
            "customer_id": _ID,
            "external_id": "external",
            "ramp_type": "Onramp",
            "deposit_rails": [{"type": "Iban"}, {"type": "FedNow"}, {"type": "Swift"}],
            "created_at": "2026-07-01T00:00:00Z",
            "updated_at": "2026-07-01T00:00:00Z",
        }
    )
    results = {
        "get_autoramp": one,
        "list_autoramps": models.AutorampList(items=[one] * 100),
    }
    if which == "ours":
        groups = dict.fromkeys(("addresses", "autoramp", "customer", "sandbox"))
        app = server.create_app(
            server.Handlers(**{name: Anything(results.get) for name in groups}),
            environment="production",
            authenticate=authenticate,
        )
    elif which == "cadwyn":
        from benchmarks import on_cadwyn

        oldest = importlib.import_module("paynet.v2025_03_13")
        app = on_cadwyn.payments(lambda router: _payments(router, models, results), models, oldest)
    else:
        app = _payments(FastAPI(), models, results)
        if which == "around":
            app = server.versioned(app, environment="production")
    asyncio.run(_asked(app, _PATHS[what], version, 50))
    gc.collect()
    yield "start"
    for _ in range(_BATCHES):
        asyncio.run(_asked(app, _PATHS[what], version, int(count)))
        yield "requests"


def _payments(router: Any, models: Any, results: dict[str, Any]) -> Any:
    """Add the requested operations to *router*, and return it."""

    async def known(key: str) -> bool:
        return bool(key)

    @router.get("/api/autoramps", response_model=models.AutorampList)  # type: ignore[untyped-decorator]
    async def _(x_api_key: Annotated[str, Header()]) -> Any:
        return await known(x_api_key) and results["list_autoramps"]

    @router.get("/api/autoramps/{autoramp_id}", response_model=models.Autoramp)  # type: ignore[untyped-decorator]
    async def _(autoramp_id: UUID, x_api_key: Annotated[str, Header()]) -> Any:
        return await known(x_api_key) and autoramp_id and results["get_autoramp"]

    return router


def start(which: str, packages: str, versions: str) -> Iterator[str]:
    from benchmarks.synthetic import dates

    # before this folder, which also has a module `synthetic`
    sys.path.insert(0, packages)
    server = importlib.import_module("synthetic.server")
    models = importlib.import_module("synthetic.server.models")
    operations = importlib.import_module("synthetic.server.routes").OPERATIONS
    yield "imports"
    if which == "ours":
        groups = inspect.signature(server.Handlers).parameters
        handlers = SimpleNamespace(**{name: Anything(lambda _: {"items": []}) for name in groups})
        app = server.create_app(handlers, environment="production", authenticate=authenticate)
    elif which == "bare":
        app = _synthetic(FastAPI(), operations, lambda generated: generated)
    else:
        from benchmarks import on_cadwyn

        def add(router: Any) -> Any:
            return _synthetic(router, operations, on_cadwyn.plain)

        cadwyn = which == "cadwyn"
        app = on_cadwyn.synthetic(add, models, int(versions)) if cadwyn else add(FastAPI())
    yield "start"
    asyncio.run(_asked(app, "/api/accounts", dates(int(versions))[int(versions) // 2], 1))
    yield "first request"


def _synthetic(router: Any, operations: Any, shaped: Callable[[Any], Any]) -> Any:
    """Add all *operations* to *router*, with types from *shaped*, and return it."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    for operation in operations:
        parameters = [inspect.Parameter("x_api_key", keyword, annotation=Annotated[str, Header()])]
        for each in operation.parameters:
            default = inspect.Parameter.empty if each.required else each.default
            parameters.append(
                inspect.Parameter(
                    each.keyword, keyword, default=default, annotation=shaped(each.type)
                )
            )
        if operation.body:
            [body] = operation.body.values()
            parameters.append(inspect.Parameter("body", keyword, annotation=shaped(body)))
        status, content = next(iter(operation.responses.items()))
        router.add_api_route(
            f"/api{operation.path}",
            _handler(inspect.Signature(parameters)),
            methods=[operation.method],
            status_code=int(status),
            response_model=shaped(next(iter(content.values()))) if content else None,
        )
    return router


def _handler(signature: inspect.Signature) -> Callable[..., Awaitable[Any]]:
    async def handler(**_: Any) -> Any:
        return {"items": []}

    handler.__signature__ = signature  # type: ignore[attr-defined]
    return handler


async def _asked(app: Any, path: str, version: str, count: int) -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [
        (b"host", b"api.example"),
        (b"accept", b"application/json"),
        (b"x-api-key", b"key"),
        (b"x-api-version", version.encode()),
    ]
    for _ in range(count):
        sent.clear()
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "https",
            "server": ("api.example", 443),
            "root_path": "",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": headers,
            "state": {},
        }
        await app(scope, receive, send)
    if sent[0]["status"] != 200:
        raise SystemExit(f"{path}: {sent}")


def main() -> None:
    job, *arguments = sys.argv[1:]
    then = time.process_time()
    spent = {"python": then}
    phases = requests(*arguments) if job == "requests" else start(*arguments)
    for phase in phases:
        now = time.process_time()
        spent[phase] = min(spent.get(phase, now), now - then)
        then = now
    print(json.dumps({"phases": spent}))


if __name__ == "__main__":
    main()
