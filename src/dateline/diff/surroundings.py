"""Compare servers and tags, which operations and documents have in common."""

from __future__ import annotations

from typing import Any, Final

from dateline.diff.graph import Kinds, NodePair
from dateline.diff.keywords import NOTE
from dateline.diff.messages import Thing
from dateline.model import Kind
from dateline.schema.references import Located
from dateline.schema.values import text

_SERVERS: Final = Kinds.all(Kind.SERVERS_CHANGED)


def compare_servers(
    asks: NodePair, whole: NodePair, before: Located | None, after: Located | None
) -> None:
    """Note in *asks* where other servers answer, in *whole* what is only described otherwise."""
    if _read_servers(before) != _read_servers(after):
        asks.compare(_SERVERS, "servers", before, after)
    elif _read_servers(before, described=True) != _read_servers(after, described=True):
        whole.compare(NOTE, "servers", before, after)


def _read_servers(node: Located | None, *, described: bool = False) -> list[str]:
    """Return the text of each server; their order does not count."""
    listed = node.value if node and isinstance(node.value, list) else []
    return sorted(
        text(
            {
                key: _sort_values(value) if key == "variables" else value
                for key, value in server.items()
                if described or key in ("url", "variables")
            }
        )
        for server in listed or [{"url": "/"}]
        if isinstance(server, dict)
    )


def _sort_values(variables: Any) -> Any:
    """Return server variables with the values of each in one order."""
    if not isinstance(variables, dict):
        return variables
    return {
        name: {**variable, "enum": sorted(map(text, variable["enum"]))}
        if isinstance(variable, dict) and isinstance(variable.get("enum"), list)
        else variable
        for name, variable in variables.items()
    }


def tags_by_name(document: Thing) -> dict[str, Located]:
    """Return the tags that a document describes."""
    tags = document.items("tags")
    return {str(tag.value.get("name")): tag for tag in tags if isinstance(tag.value, dict)}
