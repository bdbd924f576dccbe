"""The generated site beside a mock, at `/site/`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from dateline.model import Api

PREFIX: Final = "/site"

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_Application = Callable[[_Message, _Receive, _Send], Awaitable[None]]


def find_site(server: Any) -> Path | None:
    """Return the folder of the site that was generated with the package of *server*, if any."""
    folder = Path(server.__file__).parents[3] / "site"
    return folder if (folder / "index.html").is_file() else None


def is_free(api: Api) -> bool:
    """Return whether no path of *api* is where the site is served."""
    return not any(path.split("/")[1] == PREFIX[1:] for path in api.document.get("paths", {}))


def serve_site(app: _Application, folder: Path) -> _Application:
    """Return *app* with the files of *folder* at `/site/`, which requests can only read."""
    files = import_module("starlette.staticfiles").StaticFiles(directory=folder, html=True)
    mounted = import_module("starlette.routing").Mount(PREFIX, files)
    site = import_module("starlette.applications").Starlette(routes=[mounted])

    async def answer(scope: _Message, receive: _Receive, send: _Send) -> None:
        path = scope.get("path", "")
        is_site = scope["type"] == "http" and (path == PREFIX or path.startswith(f"{PREFIX}/"))
        await (site if is_site else app)(scope, receive, send)

    return answer
