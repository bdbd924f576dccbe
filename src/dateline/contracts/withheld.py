"""Find values of responses that callers of an older version can't be sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from dateline.contracts.nodes import Node, Withholder, is_absent, list_references
from dateline.model import Combination, Trail
from dateline.schema.memo import closure
from dateline_runtime.shapes import list_parts


class Withheld(NamedTuple):
    """A schema whose values may not be sent to callers in *combinations*, and the keywords why.

    Without keywords it is a member of a union or enumeration. With *is_sent*, requests of these
    callers may not fit it.
    """

    path: Trail
    why: tuple[str, ...]
    combinations: tuple[Combination, ...]
    is_sent: bool = False


class _Use(NamedTuple):
    """A use of a shared node; with ``keep``, its value can't be left out there."""

    name: str
    keep: bool


def list_sources(names: Iterable[str], find: Callable[[str], Node]) -> list[Withholder]:
    """Return the sources from which values of the nodes *names* may not be shown as a whole.

    *find* returns the shared nodes of one version. What can be left out of a value is left out; a
    substitute is shown instead of what can't.
    """
    sources: list[Withholder] = []

    def follow(use: _Use) -> list[_Use]:
        losses = list(list_losses(find(use.name), keep=use.keep))
        sources.extend(each for each in losses if isinstance(each, Withholder))
        return [each for each in losses if isinstance(each, _Use)]

    closure([_Use(name, keep=True) for name in names], follow)
    return sources


def list_misfits(names: Iterable[str], find: Callable[[str], Node]) -> list[Withholder]:
    """Return the sources that values may not fit after they went through the nodes *names*."""
    reached = closure(names, lambda name: list_references(find(name)))
    nodes = (node for name in reached for node in list_parts(find(name)) if isinstance(node, dict))
    return [node["source"] for node in nodes if "source" in node and node["source"].why]


def list_losses(node: Node, *, keep: bool) -> Iterator[Withholder | _Use]:
    """Yield why the value of *node* may be lost, and the nodes with whose values it is lost."""
    if isinstance(node, str):
        yield _Use(node, keep)
    if not isinstance(node, dict):
        return
    if is_absent(node):
        if not (keep and "shown_as" in node) and "source" in node:
            yield node["source"]
        return
    for each in node.get("values", ()):
        if "is" not in each and not (keep and "shown_as" in each):
            yield each["source"]
    tried = [each["then"] for each in node.get("tried", ())]
    # a value that stays as it is stays valid for one member
    if "fits" in node and "source" in node and not (tried and all(map(_is_same, tried))):
        yield node["source"]
    least = node.get("least", 0)
    if "items" in node:
        if least > 0:
            yield from list_losses(node["items"], keep=True)
        if least > 1 and "unique" in node:
            yield node["source"]
        return
    # with enough other fields, any that are not required can be left out
    is_scarce = least > 0 and "source" in node
    if is_scarce and "left_out" in node:
        yield node["source"]
    for name, below in node.get("fields", {}).items():
        if is_scarce or name in node.get("required", ()):
            yield from list_losses(below, keep=True)
    if is_scarce:
        yield from list_losses(node.get("extras"), keep=True)
    for below in list_alternatives(node):
        yield from list_losses(below, keep=keep)


def _is_same(node: Node) -> bool:
    """Return whether *node* shows values as what they are, or not at all."""
    is_kept = isinstance(node, dict) and node.keys() == {"left_out", "source"}
    return node is None or is_kept or is_absent(node)


def list_alternatives(node: dict[str, Any]) -> Iterator[Node]:
    """Yield the nodes of which one converts the same value as *node*."""
    yield node.get("then")
    yield node.get("otherwise")
    for key in ("members", "types"):
        yield from node.get(key, {}).values()
    yield from (each["then"] for each in node.get("tried", ()))
