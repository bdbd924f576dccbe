"""Find what documents do not say about the paths of an application, in its routes.

OpenAPI can't describe parameters whose values may have slashes: `/files/{path:path}` of FastAPI is
`/files/{path}` in its document, and so is `/files/<path:path>` of Django and Flask.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

_SPANNING: Final = "a/b"
_PARAMETER: Final = re.compile(r"\{[^{}]*\}")

# A parameter in a route of Django and Werkzeug, which may have a converter with arguments.
_CONVERTED: Final = re.compile(r"<(?:[^<>:]*:)?\s*([A-Za-z_]\w*)>")

# A group of a regular expression, without groups in it.
_GROUP: Final = re.compile(r"(?<!\\)\((?:\?P<\w+>)?((?:[^()\\\[\]]|\\.|\[(?:[^\]\\]|\\.)*\])*)\)")
_ANCHOR: Final = re.compile(r"\\A|\\Z|\^|\$|(?<=/)\?")

# Where middleware, and what makes an ASGI application of another one, have what they wrap.
_WRAPPED: Final = ("app", "application", "wsgi_application", "__self__")
_DEEPEST: Final = 32


def find_spanning(app: Any, *, is_started: bool = False) -> dict[str, frozenset[int]]:
    """Return the places of such parameters among those of a path, for each path that has any.

    The paths have `{}` for each parameter. *app* is FastAPI, Starlette, Litestar, Django, Flask or
    Quart, or what is around them; of other applications, routes are unknown. Those of Django, which
    are loaded when they are needed, are only read if it *is_started*.
    """
    found: dict[str, frozenset[int]] = {}
    for path, places in _list_spanning(app, "", frozenset(), is_started):
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
    for _ in range(_DEEPEST):
        if hasattr(app, "routes") or hasattr(app, "url_map"):
            break
        # that of Channels has an application for each protocol
        mapping = getattr(app, "application_mapping", None)
        below = mapping.get("http") if isinstance(mapping, dict) else None
        for name in _WRAPPED if below is None else ():
            below = getattr(app, name, None) if below is None else below
        if below is None:
            break
        app = below
    return app


def _list_spanning(
    app: Any, prefix: str, within: frozenset[int], is_started: bool
) -> Iterator[tuple[str, frozenset[int]]]:
    """Yield the paths below *prefix*, the path of a mount, in which *within* are such places."""
    found = _unwrap(app)
    first = len(_PARAMETER.findall(prefix))
    for below, own in _list_other(found, is_started):
        if places := within.union(first + at for at in own):
            yield f"{prefix}{below}", places
    routes = getattr(found, "routes", ())
    if not isinstance(routes, list | tuple):
        return
    for route in _list_routes(routes):
        if isinstance(components := getattr(route, "path_components", None), list):
            yield from _read_components(components)
            continue
        convertors = getattr(route, "param_convertors", None)
        path = getattr(route, "path", None)
        is_mount = getattr(route, "endpoint", None) is None and hasattr(route, "app")
        if is_mount and path is None:
            # it is for a host
            yield from _list_spanning(route.app, prefix, within, is_started)
        if not isinstance(convertors, dict) or not isinstance(path, str):
            continue
        places = within.union(
            first + at
            for at, convertor in enumerate([*convertors.values()][: len(_PARAMETER.findall(path))])
            if re.fullmatch(getattr(convertor, "regex", ""), _SPANNING) is not None
        )
        if is_mount:
            yield from _list_spanning(route.app, prefix + path, places, is_started)
        elif places:
            yield _PARAMETER.sub("{}", prefix + path), places


def _list_other(app: Any, is_started: bool) -> Iterator[tuple[str, list[int]]]:
    """Yield the paths of *app*, Django, Flask or Quart, each with such places in it."""
    if hasattr(app, "url_map"):
        for rule in app.url_map.iter_rules():
            yield _read_converted(rule.rule, getattr(rule, "_converters", {}))
    elif is_started and type(app).__module__.startswith("django.core.handlers."):
        resolver = import_module("django.urls").get_resolver()
        for path, places in _list_patterns(resolver.url_patterns):
            yield f"/{path}", places


def _list_patterns(patterns: Iterable[Any]) -> Iterator[tuple[str, list[int]]]:
    """Yield the paths of *patterns* of Django, relative to those around them."""
    for each in patterns:
        own, places = _read_pattern(each.pattern)
        if not hasattr(each, "url_patterns"):
            yield own, places
            continue
        first = len(_PARAMETER.findall(own))
        for path, below in _list_patterns(each.url_patterns):
            yield own + path, [*places, *(first + at for at in below)]


def _read_pattern(pattern: Any) -> tuple[str, list[int]]:
    converters = getattr(pattern, "converters", {})
    if converters or not hasattr(pattern, "regex") or hasattr(pattern, "_route"):
        return _read_converted(str(pattern), converters)
    text = str(pattern)
    groups = _GROUP.findall(text)
    path = re.sub(r"\\(.)", r"\1", _ANCHOR.sub("", _GROUP.sub("{}", text)))
    return path, [at for at, each in enumerate(groups) if _spans(each)]


def _read_converted(route: str, converters: Any) -> tuple[str, list[int]]:
    names = _CONVERTED.findall(route)
    found = [at for at, name in enumerate(names) if _spans(_find_regex(converters.get(name)))]
    return _CONVERTED.sub("{}", route), found


def _find_regex(converter: Any) -> str:
    regex = getattr(converter, "regex", "")
    return regex if isinstance(regex, str) else ""


def _spans(regex: str) -> bool:
    """Return whether a parameter that matches *regex* may have slashes."""
    try:
        return re.fullmatch(regex, _SPANNING) is not None
    except re.error:
        return False


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
