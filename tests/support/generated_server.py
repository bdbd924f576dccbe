"""Import the package of a generated server, and send requests to it in process."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import httpx

from dateline.adopt import adopt
from dateline.load import load
from dateline.model import Api
from dateline.render import render
from support.adopted_apis import store
from support.exchanges import run
from support.imported import import_from

SCHEMAS = Path(__file__).parents[2] / "schemas"

_COUNT = itertools.count(1)
_FOLDERS: list[TemporaryDirectory[str]] = []

# It sends nothing: a client for each request would take as long as the request.
_BUILDER = httpx.Client(transport=httpx.BaseTransport(), base_url="http://test")


class Generated:
    """The distribution of one API, written to its own folder under its own name."""

    def __init__(self, folder: Path, api: Api, name: str | None = None) -> None:
        self.name = name or f"served_{next(_COUNT)}"
        api = replace(api, table=replace(api.table, package=self.name))
        rendered = render(api, validate=False, changes=False)
        self.notes = rendered.notes
        self.files = {each.path: each.content for each in rendered.artifacts}
        self.folder = folder / "python"
        for path, content in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)

    def module(self, name: str) -> ModuleType:
        """Return the module *name* of the package, such as `server.models`."""
        return import_from(self.folder, f"{self.name}.{name}")

    def text(self, name: str) -> str:
        """Return the text of the file *name* of the package."""
        return self.files[f"python/{self.name}/{name}"].decode()


def keep_folder() -> Path:
    """Return a new folder that exists until this process ends."""
    _FOLDERS.append(TemporaryDirectory())
    return Path(_FOLDERS[-1].name)


def generate_adopted(*documents: dict[str, Any]) -> Generated:
    """Adopt *documents*, oldest first, and return the distribution generated from them."""
    folder = keep_folder()
    adopt(store(folder, [*documents]), folder / "schemas", accept=lambda _: True)
    return Generated(keep_folder(), load(folder / "schemas"))


@cache
def generate_payments() -> Generated:
    """Return the distribution of the payment API, generated once per process."""
    return Generated(keep_folder(), load(SCHEMAS))


def ask(app: Any, method: str, url: str, **said: Any) -> httpx.Response:
    """Return the response of *app* to one request."""
    return run(_send(app, _BUILDER.build_request(method, url, **said)))


async def _send(app: Any, request: httpx.Request) -> httpx.Response:
    response = await httpx.ASGITransport(app).handle_async_request(request)
    response.request = request
    await response.aread()
    return response
