"""Find what documents do not say about the paths of an application, in its routes.

OpenAPI can't describe parameters whose values may have slashes: `/files/{path:path}` of FastAPI is
`/files/{path}` in its document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

_SPANNING: Final = "a/b"
_PARAMETER: Final = re.compile(r"\{[^{}]*\}")


def find_spanning(app: Any) -> dict[str, frozenset[int]]:
    """Return the places of such parameters among those of a path, for each path that has any.

    The paths have `{}` for each parameter. *app* is FastAPI, Starlette, Litestar, or middleware
    around them; of other applications, routes are unknown.
    """
    found: dict[str, frozenset[int]] = {}
    for path, places in _list_spanning(app, "", frozenset()):
        # methods may have routes of their own
        found[path] = found.get(path, frozenset()) | places
    return found


def find_root(app: Any) -> str:
    """Return the `root_path` of *app*, FastAPI or middleware around it; empty if it has none.

    FastAPI accepts paths with and without it, whatever the server says.
    """
    found = _unwrap(app)
    # that of Flask is a folder
    root = found.root_path if hasattr(found, "root_path_in_servers") else ""
    return root if isinstance(root, str) else ""


def _unwrap(app: Any) -> Any:
    """Return what has the routes: *app*, or what it is middleware around."""
    while not hasattr(app, "routes") and hasattr(app, "app"):
        app = app.app
    return app


def _list_spanning(
    app: Any, prefix: str, within: frozenset[int]
) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield the paths below *prefix*, the path of a mount, in which *within* are such places."""
    routes = getattr(_unwrap(app), "routes", ())
    if not isinstance(routes, list | tuple):
        return
    first = len(_PARAMETER.findall(prefix))
    for route in _list_routes(routes):
        if isinstance(components := getattr(route, "path_components", None), list):
            yield from _read_components(components)
            continue
        convertors = getattr(route, "param_convertors", None)
        path = getattr(route, "path", None)
        is_mount = getattr(route, "endpoint", None) is None and hasattr(route, "app")
        if is_mount and path is None:
            # it is for a host
            yield from _list_spanning(route.app, prefix, within)
        if not isinstance(convertors, dict) or not isinstance(path, str):
            continue
        places = within.union(
            first + at
            for at, convertor in enumerate([*convertors.values()][: len(_PARAMETER.findall(path))])
            if re.fullmatch(getattr(convertor, "regex", ""), _SPANNING) is not None
        )
        if is_mount:
            yield from _list_spanning(route.app, prefix + path, places)
        elif places:
            yield _PARAMETER.sub("{}", prefix + path), places


def _read_components(components: list[Any]) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield the path of a route of Litestar if it has such parameters: those of the type `Path`."""
    parameters = [each for each in components if not isinstance(each, str)]
    found = [at for at, each in enumerate(parameters) if getattr(each, "type", None) is Path]
    if found:
        texts = (each if isinstance(each, str) else "{}" for each in components)
        yield "/" + "/".join(texts), frozenset(found)


def _list_routes(routes: Iterable[Any]) -> Iterable[Any]:
    """Return *routes*, with those of routers that FastAPI includes when they are needed."""
    try:
        listed = getattr(import_module("fastapi.routing"), "iter_route_contexts", None)
    except ImportError:
        return routes
    return routes if listed is None else listed(routes)
