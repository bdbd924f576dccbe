"""Security, servers and tags in, how they differ: what operations inherit from the document."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any, Final

from dateline.diff.graph import NodePair
from dateline.diff.keywords import EXTENSION, NOTE, differences
from dateline.diff.messages import Thing
from dateline.model import Kind
from dateline.schema.references import Located, escape
from dateline.schema.values import text

SECURITY: Final = (Kind.SECURITY_CHANGED,) * 3
# Hints for people: what a token looks like is between the server and whoever gives it out.
_WORDS: Final = frozenset({"description", "bearerFormat"})
_SERVERS: Final = (Kind.SERVERS_CHANGED,) * 3


def alternatives(
    node: Located | None, renamed: Mapping[str, str]
) -> set[frozenset[tuple[str, frozenset[str]]]]:
    """Return the alternatives of a security requirement: sets of schemes with their scopes.

    No requirement and an empty list both let everybody in.
    """
    listed = node.value if node and isinstance(node.value, list) else []
    return {
        frozenset(
            (renamed.get(name, name), _scopes(scopes)) for name, scopes in alternative.items()
        )
        for alternative in listed or [{}]
    }


def _scopes(listed: Any) -> frozenset[str]:
    """Return the scopes that are *listed*; what is no list of names is one as it is written."""
    if not listed:
        return frozenset()
    found = listed if isinstance(listed, list) else [listed]
    return frozenset(scope if isinstance(scope, str) else text(scope) for scope in found)


def renamed_schemes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, str]:
    """Return the new names of security schemes that are equal but for their names."""
    gone = {_demand(before[name]): name for name in before if name not in after}
    came = {_demand(after[name]): name for name in after if name not in before}
    return {gone[found]: came[found] for found in gone if found in came}


def _demand(scheme: Any) -> str:
    """Return what a security scheme asks of callers, as text."""
    if not isinstance(scheme, dict):
        return text(scheme)
    told = settings(scheme, "")
    return text(
        {
            path: _folded(scheme, path, node)
            for path, node in told
            if scheme_kinds(path, both=True) is SECURITY
        }
    )


def _folded(scheme: dict[str, Any], path: str, setting: Located | None) -> Any:
    """Return the value of a setting, in lower case where case does not count.

    So it is for the name of a header and of an HTTP authentication scheme (RFC 9110, sections 5.1
    and 11.1).
    """
    value = setting.value if setting else None
    caseless = path == "scheme" or (path == "name" and scheme.get("in") == "header")
    return value.lower() if caseless and isinstance(value, str) else value


def is_same_setting(
    path: str, before: tuple[Any, Located | None], after: tuple[Any, Located | None]
) -> bool:
    """Tell whether the setting at *path* of two schemes, each given with it, asks the same."""
    return text(_folded(before[0], path, before[1])) == text(_folded(after[0], path, after[1]))


def settings(node: dict[str, Any], pointer: str, path: str = "") -> Iterator[tuple[str, Located]]:
    """Yield the settings of a security scheme by dotted path: flows are looked into."""
    for key, value in node.items():
        at, below = f"{pointer}/{escape(key)}", f"{path}{key}"
        if isinstance(value, dict) and not key.startswith("x-"):
            yield from settings(value, at, f"{below}.")
        else:
            yield below, Located(value, at)


def scheme_kinds(path: str, *, both: bool, scopes: Container[str] = ()) -> tuple[Kind, Kind, Kind]:
    """Return what a change of the setting at *path* is called.

    *both* if it stands on both sides; *scopes* are those that operations demand.
    """
    _, in_flow, scope = path.partition(".scopes.")
    if path in _WORDS or (in_flow and (both or scope not in scopes)):
        return NOTE
    return EXTENSION if path.rsplit(".", 1)[-1].startswith("x-") else SECURITY


def compare_servers(
    asks: NodePair, whole: NodePair, before: Located | None, after: Located | None
) -> None:
    if _servers(before) != _servers(after):
        differences(asks, "servers", [before], [after], _SERVERS)
    elif _servers(before, described=True) != _servers(after, described=True):
        differences(whole, "servers", [before], [after], NOTE)


def _servers(node: Located | None, *, described: bool = False) -> list[str]:
    """Return what is said of each server; their order does not count."""
    listed = node.value if node and isinstance(node.value, list) else []
    return sorted(
        text(
            {
                key: _unordered(value) if key == "variables" else value
                for key, value in server.items()
                if described or key in ("url", "variables")
            }
        )
        for server in listed or [{"url": "/"}]
        if isinstance(server, dict)
    )


def _unordered(variables: Any) -> Any:
    """Return server variables with the values of each in one order."""
    if not isinstance(variables, dict):
        return variables
    return {
        name: {**variable, "enum": sorted(map(text, variable["enum"]))}
        if isinstance(variable, dict) and isinstance(variable.get("enum"), list)
        else variable
        for name, variable in variables.items()
    }


def named_tags(document: Thing) -> dict[str, Located]:
    listed = document.get("tags")
    if listed is None or not isinstance(listed.value, list):
        return {}
    return {
        str(tag.get("name")): Located(tag, f"{listed.pointer}/{index}")
        for index, tag in enumerate(listed.value)
        if isinstance(tag, dict)
    }
