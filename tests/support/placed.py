"""A small API served in every way, and a transport that records the addresses that clients call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

import httpx
import pytest

from dateline.model import Api
from dateline.serve.mock import Mock
from support.exchanges import serving
from support.generated_server import Generated, ask

# to create a client takes longer than a request
_CLIENT: Final = httpx.Client(verify=False)


class Newest:
    """An application of the newest version that records the paths of its requests."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    async def __call__(self, scope: Any, _: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        self.paths.append(scope["raw_path"].decode())
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"id":"a","more":1}'})


class Handlers:
    """Handlers for every operation."""

    def __getattr__(self, _: str) -> Handlers:
        return self

    async def __call__(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {"id": "a", "more": 1}


class RecordingTransport(httpx.BaseTransport):
    """Sends requests for any host to *app*, and records their addresses."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.urls: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.urls.append(str(request.url))
        headers = {key: value for key, value in request.headers.items() if key != "host"}
        path = request.url.raw_path.decode()
        if isinstance(self._app, int):
            url = f"http://127.0.0.1:{self._app}{path}"
            return _CLIENT.request(request.method, url, headers=headers)
        found = ask(self._app, request.method, path, headers=headers)
        return httpx.Response(found.status_code, headers=found.headers, content=found.content)


@contextmanager
def open_door(
    door: str, made: Generated, api: Api, environment: str, behind: Newest, **settings: Any
) -> Iterator[Any]:
    """Yield an application that serves all versions, or its port."""
    server = made.module("server")
    options = {"environment": environment, "settings": server.Settings(**settings)}
    if door == "server":
        yield server.create_app(Handlers(), **options)
    elif door == "mock":
        yield Mock(api, server, environment, 0).app
    elif door == "around":
        yield server.versioned(behind, **options)
    else:
        pytest.importorskip("aiohttp", reason="the proxy is a client with aiohttp")
        forwarding = import_module(f"{server.__name__}.forwarding")
        with serving(behind, "h11") as port:
            upstream = forwarding.Upstream(url=f"http://127.0.0.1:{port}")
            app = server.versioned(forwarding.Forwarding(upstream), **options)
            with serving(app, "h11", lifespan="on") as number:
                yield number
