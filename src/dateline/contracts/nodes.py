"""The nodes of contract data: what takes a value from one version to another.

A node is plain data: the name of a shared node, None where nothing differs, or a mapping with

- ``convert`` (names of converters) and ``then`` (a node: what is below them), perhaps with
``fits``: a schema that the result has to fit;
- ``then`` and ``fits`` alone: what comes out of that node may not be shown unless it fits;
- any of ``fields``, ``left_out``, ``names``, ``defaults``, ``required``, ``extras`` with
  ``declared`` and ``least``: an object; ``defaults`` are values for fields that it lacks, written
  as they are before;
- ``items``, perhaps with ``least`` and ``unique``: a list;
- ``values``: the values of an enumeration that are absent, or that another one ``is``;
- ``retag`` (the tag property of an object as it comes out, and the texts that it has instead of
  others) and ``then``: what is done before;
- ``tag`` and ``members``, perhaps with ``otherwise``: an object whose tag says what it is;
- ``tried``: members, each a ``schema`` and what is ``then`` done to a value that fits it and none
  before it, perhaps with ``fits``: a schema that what comes out has to fit;
- ``types``: a node for each JSON type that the value may have;
- ``demand``: the name of a converter that takes the version, too, ``where``: nodes that change
  something where it is needed, and ``otherwise`` a node for where it is not; until converters are
  named, ``why`` in place of it: the number of the value that needs one;
- ``absent: true``, perhaps with ``shown_as``: nothing that may be shown.

A node may have a ``source``: the schema from which a value may not be shown, see `Withholder`. It
is no part of the contract data.

Schemas are those that values have before: canonical ones on the way down, the version's on the
way up; what comes out is of the other side.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from dateline_runtime.shapes import list_parts

Node = dict[str, Any] | str | None


@dataclass(frozen=True, eq=False)
class Withholder:
    """The schema of the definitions from which a value may not be shown, and the keywords why.

    All sources are equal, so that equal nodes of several schemas are one.
    """

    schema: Any
    why: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Withholder)


def by_type(nodes: dict[str, Node]) -> Node:
    """Return the node of a value with any of the types named."""
    if all(node is None for node in nodes.values()):
        return None
    if len(nodes) == 1 and not is_absent(node := next(iter(nodes.values()))):
        return node
    return {"types": nodes}


def is_absent(node: Node) -> bool:
    return isinstance(node, dict) and node.get("absent") is True


def list_references(node: Node) -> set[str]:
    """Return the names of the shared nodes that *node* refers to."""
    return {each for each in list_parts(node) if isinstance(each, str)}


def list_converters(node: Node) -> set[str]:
    """Return the names of the converters that *node* needs."""
    demanded = {each["demand"] for each in _inline(node) if "demand" in each}
    return demanded | {name for each in _inline(node) for name in each.get("convert", ())}


def list_unserved(node: Node) -> set[int]:
    """Return the numbers of the values in *node* that need a converter of their own."""
    return {each["why"] for each in _inline(node) if "why" in each}


def list_judging(node: Node) -> Iterator[Any]:
    """Yield the schemas that decide how values are converted, on the side before conversion."""
    return (member["schema"] for each in _inline(node) for member in each.get("tried", ()))


def list_fitting(node: Node) -> Iterator[Any]:
    """Yield the schemas for which results must be valid."""
    return (each["fits"] for each in _inline(node) if "fits" in each)


def _inline(node: Node) -> Iterator[Mapping[str, Any]]:
    return (each for each in list_parts(node) if not isinstance(each, str))


# The keys of a node that contain others: one, several by name, or a list of them.
_ONE: Final = ("then", "items", "extras", "otherwise")
_MAPS: Final = ("fields", "members", "types")
_LISTS: Final = ("tried", "where")


def _replace(node: dict[str, Any], change: Callable[[Node], Node]) -> dict[str, Any]:
    """Return *node* with each node in it replaced by the result of *change*."""
    found = dict(node)
    for key in found.keys() & {*_ONE, *_MAPS, *_LISTS}:
        value = found[key]
        if key in _ONE:
            found[key] = change(value)
        elif key in _MAPS:
            found[key] = {name: change(below) for name, below in value.items()}
        elif key == "tried":
            found[key] = [{**each, "then": change(each["then"])} for each in value]
        else:
            found[key] = [change(each) for each in value]
    return found


def prune(node: Node, live: Container[str]) -> Node:
    """Return *node* without parts that change nothing; *live* are the nodes that change any."""
    if isinstance(node, str):
        return node if node in live else None
    if node is None or is_absent(node):
        return node
    found = _replace(node, lambda below: prune(below, live))
    for key in ("then", "items", "extras"):
        if found.get(key) is None:
            found.pop(key, None)
    if "fields" in node:
        found["fields"] = {name: each for name, each in found["fields"].items() if each is not None}
        found["required"] = [name for name in node.get("required", ()) if name in found["fields"]]
    if "why" in node:
        found["where"] = [each for each in found["where"] if each is not None]
        if not found["where"]:
            return found.get("otherwise")
    if "extras" not in found:
        found.pop("declared", None)
    found = {key: value for key, value in found.items() if value not in ({}, []) or key in _KEPT}
    return found if _changes(found) else None


_KEPT: Final = frozenset({"declared", "then", "items", "value", "shown_as", "is"})

# The keys with which a node changes something, whatever their values.
_ACTS: Final = (
    *("convert", "then", "names", "defaults", "left_out", "values", "fields", "extras", "items"),
    *("where", "retag"),
)


def _changes(node: dict[str, Any]) -> bool:
    if any(node.get(key) is not None for key in _ACTS):
        return True
    below = [node.get("otherwise"), *(each["then"] for each in node.get("tried", ()))]
    below += [each for key in ("members", "types") for each in node.get(key, {}).values()]
    return any(each is not None for each in below)


def with_converters(node: Node, names: Mapping[int, str]) -> Node:
    """Return *node* with a converter, named as in *names*, for each value that is not served."""
    if not isinstance(node, dict):
        return node
    found = _replace(node, lambda below: with_converters(below, names))
    found.pop("source", None)
    if "values" in found:
        found["values"] = [
            {key: value for key, value in each.items() if key != "source"}
            for each in found["values"]
        ]
    if "why" not in node:
        return found
    demand = {"demand": names[node["why"]], "where": found["where"]}
    otherwise = found.get("otherwise")
    return {**demand, "otherwise": otherwise} if otherwise is not None else demand
