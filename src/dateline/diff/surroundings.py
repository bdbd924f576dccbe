"""Compare servers and tags, which operations and documents share."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Any, Final
from urllib.parse import urljoin

from dateline.addresses import read_address, read_path
from dateline.diff.graph import Kinds, NodePair
from dateline.diff.keywords import NOTE
from dateline.diff.messages import Thing
from dateline.model import Kind
from dateline.schema.references import Located
from dateline.schema.values import text
from dateline.schema.words import drop_words

_SCHEMES: Final = "x-schemes"
# the end of an address that may be the beginning of paths
_END: Final = re.compile(r"(?:/[^/?#{}]+)+")
SERVERS: Final = Kinds.all(Kind.SERVERS_CHANGED)


def compare_servers(
    requests: NodePair,
    whole: NodePair,
    before: Located | None,
    after: Located | None,
    kinds: Kinds = SERVERS,
) -> None:
    """Add other server addresses to *requests*, and other descriptions of servers to *whole*."""
    # what Swagger 2.0 can express, and OpenAPI 3 can't
    schemes = [_SCHEMES] if all(_has_schemes(side) for side in (before, after)) else []
    keys = ("url", "variables", *schemes)
    ours, theirs = _read_servers(before, keys), _read_servers(after, keys)
    # operations are below the path of the first one
    paths = [_read_path(side.value if side else None) for side in (before, after)]
    if sorted(ours) != sorted(theirs) or paths[0] != paths[1]:
        is_kept = ours[:1] == theirs[:1] and set(ours) <= set(theirs)
        requests.add(kinds, "servers", before, after, wider=is_kept)
    elif sorted(_read_servers(before)) != sorted(_read_servers(after)):
        whole.compare(NOTE, "servers", before, after)


def _read_path(servers: Any) -> str:
    """Return what operations are below: the path of the first one of *servers*.

    A variable in place of a host may have a path, too, so it is part of it.
    """
    address = read_address(servers)
    return address if address.startswith("{") else read_path(servers)


def find_moved_path(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, str]:
    """Return what to read before the paths of each document, as the other has it in its paths.

    That is the end of the addresses of all servers, if these are otherwise the same, and operations
    have no servers of their own.
    """
    sides = [_list_addresses(document) for document in (before, after)]
    is_possible = len(sides[0]) == len(sides[1]) and not (_is_divided(before) or _is_divided(after))
    for longer, shorter in (sides, sides[::-1]) if is_possible else ():
        ends = set(map(_find_end, longer, shorter))
        if len(ends) == 1 and (end := ends.pop()):
            return (end, "") if longer is sides[0] else ("", end)
    return "", ""


def _list_addresses(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the address of each server of *document*, and what else callers have to know."""
    servers = document.get("servers") or [{"url": "/"}]
    return [
        (str(each.get("url", "")).rstrip("/"), text([each.get("variables"), each.get(_SCHEMES)]))
        for each in (servers if isinstance(servers, list) else [])
        if isinstance(each, dict)
    ]


def _find_end(longer: tuple[str, str], shorter: tuple[str, str]) -> str:
    """Return the path that a server has beyond another, which is otherwise the same; or nothing."""
    end = longer[0].removeprefix(shorter[0]) if longer[0].startswith(shorter[0]) else ""
    return end if _END.fullmatch(end) and longer[1] == shorter[1] else ""


def _is_divided(document: dict[str, Any]) -> bool:
    """Return whether a path or operation may have servers of its own."""
    paths = document.get("paths")
    items = [item for item in (paths or {}).values() if isinstance(item, dict)]
    operations = [each for item in items for each in item.values() if isinstance(each, dict)]
    return any("servers" in node or "$ref" in node for node in (*items, *operations))


def find_self_kinds(before: Thing, after: Thing) -> Kinds:
    """Return the kinds of changes of `$self`, which relative servers depend on.

    Source: OpenAPI Specification 3.2.0, section 4.1.1 and Server Object.
    """
    served = [_list_urls(side, "") for side in (before, after)]
    moved = [_list_urls(side, str(side.value("$self", ""))) for side in (before, after)]
    return SERVERS if served[0] == served[1] and moved[0] != moved[1] else NOTE


def _list_urls(document: Thing, base: str) -> list[str]:
    servers = document.items("servers") or [Located({"url": "/"}, "")]
    urls = (server.value.get("url") for server in servers if isinstance(server.value, dict))
    return sorted(urljoin(base, url) for url in urls if isinstance(url, str))


def _has_schemes(node: Located | None) -> bool:
    listed = node.value if node and isinstance(node.value, list) else []
    return any(isinstance(server, dict) and _SCHEMES in server for server in listed)


def _read_servers(node: Located | None, keys: Container[str] | None = None) -> list[str]:
    """Return the *keys* of each server, without *keys* all of them, and its addresses."""
    listed = node.value if node and isinstance(node.value, list) else []
    servers = [server for server in listed or [{"url": "/"}] if isinstance(server, dict)]
    return [part for server in servers for part in _list_parts(server, keys)]


def _list_parts(server: dict[str, Any], keys: Container[str] | None) -> Iterator[str]:
    """Yield what *server* is, and then each value that one of its variables may have."""
    found = {
        key: value
        for key, value in server.items()
        if (key != _SCHEMES if keys is None else key in keys)
    }
    values: list[list[Any]] = []
    if isinstance(found.get("variables"), dict):
        variables = {}
        for name, node in found["variables"].items():
            variable = (
                node if keys is None else drop_words("server-variable", node, extensions=True)
            )
            if isinstance(variable, dict) and isinstance(variable.get("enum"), list):
                values += ([name, value] for value in variable["enum"])
                variable = {**variable, "enum": []}
            variables[name] = variable
        found["variables"] = variables
    yield text(found)
    yield from (text([found, *value]) for value in values)


def list_tags(document: Thing) -> dict[str, Located]:
    """Return the tags that a document describes."""
    tags = document.items("tags")
    return {str(tag.value.get("name")): tag for tag in tags if isinstance(tag.value, dict)}
