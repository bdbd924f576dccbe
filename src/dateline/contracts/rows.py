"""Rows: the nodes of a value or component at every version, by environment."""

from __future__ import annotations

from dateline.canonical.contract_data import Row
from dateline.contracts.nodes import Node, list_references, prune


def list_nodes(row: Row) -> list[Node]:
    """Return the nodes of *row*, each once for each run of versions that share it."""
    found: list[Node] = []
    for nodes in row.values():
        found += [node for i, node in enumerate(nodes) if i == 0 or node is not nodes[i - 1]]
    return found


def list_row_references(row: Row) -> set[str]:
    """Return the names of the shared nodes that a row refers to, at any version."""
    return set[str]().union(*(list_references(node) for node in list_nodes(row)))


def find_live(rows: dict[str, Row]) -> set[str]:
    """Return the names of the nodes that change anything, at any version."""
    users: dict[str, list[str]] = {}
    for name, row in rows.items():
        for other in list_row_references(row):
            users.setdefault(other, []).append(name)
    live: set[str] = set()
    ahead = {*rows}
    while ahead:
        more = {
            name
            for name in ahead
            if any(prune(node, live) is not None for node in list_nodes(rows[name]))
        }
        live |= more
        # only what refers to these may be live as well
        ahead = {user for name in more for user in users.get(name, ())} - live
    return live


def prune_row(row: Row, live: set[str]) -> Row:
    """Return *row* without references to nodes that are not *live*."""
    known: dict[int, Node] = {}
    pruned: Row = {}
    for environment, nodes in row.items():
        for node in nodes:
            if id(node) not in known:
                known[id(node)] = prune(node, live)
        pruned[environment] = [known[id(node)] for node in nodes]
    return pruned


def is_trivial(row: Row) -> bool:
    """Return whether nothing in *row* changes a value."""
    return all(node is None for node in list_nodes(row))


def find_common_node(row: Row) -> Node:
    """Return the node of *row* if it is the same throughout, else None."""
    first, *rest = [node for nodes in row.values() for node in nodes]
    return first if all(node == first for node in rest) else None
