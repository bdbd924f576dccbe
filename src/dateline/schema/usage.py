"""Find the components that requests and responses use, and what schemas refer to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from dateline.model import Contract
from dateline.openapi import COMPONENTS, children, list_mapped, target
from dateline.schema.memo import Memo, closure
from dateline.schema.references import Resolver
from dateline.schema.variants import subtypes

_REQUEST: Final = 1
_RESPONSE: Final = 2

# section, name, and direction
_Goal = tuple[str, str, int]


def schemas(contract: Contract) -> dict[str, Any]:
    """Return the component schemas of *contract*."""
    components = contract.document.get("components") or {}
    return components.get("schemas") or {}


class Ways:
    """Finds the direction of components: to the server, to callers, or both.

    The references of a node are found once for each object, however many contracts share it.
    """

    def __init__(self) -> None:
        self._goals = Memo(_list_goals)
        self._both = Memo(Ways._find_both, owner=self)

    def request_only(self, contract: Contract) -> frozenset[str]:
        """Return the component schemas that requests use, and nothing that callers receive."""
        sent, received = self.both(contract)
        return sent - received

    def both(self, contract: Contract) -> tuple[frozenset[str], frozenset[str]]:
        """Return the component schemas that callers send, and those that they receive."""
        return self._both(contract.document)

    def _find_both(self, document: dict[str, Any]) -> tuple[frozenset[str], frozenset[str]]:
        components = document.get("components") or {}
        ahead = [
            goal
            for section, way in (("paths", _REQUEST), ("webhooks", _RESPONSE))
            for item in (document.get(section) or {}).values()
            for goal in self._goals(item, "path-item", way)
        ]

        resolver = Resolver(document)
        extended = subtypes(resolver.section("schemas"))

        def follow(goal: _Goal) -> list[_Goal]:
            section, name, way = goal
            if not section:
                # the target of an anchor is within a component, which has the same direction
                found = resolver.locate(name)
                around = find_component("" if found is None else f"#{found.pointer}")
                return [] if around is None else [(*around, way)]
            node = (components.get(section) or {}).get(name)
            is_there = node is not None and section in COMPONENTS
            below = sorted(extended.get(name, ())) if section == "schemas" else []
            also = [(section, each, way) for each in below]
            return [*self._goals(node, COMPONENTS[section], way), *also] if is_there else []

        seen = closure(ahead, follow)
        sent, received = (
            frozenset(name for section, name, way in seen if (section, way) == ("schemas", wanted))
            for wanted in (_REQUEST, _RESPONSE)
        )
        return sent, received


def _list_goals(node: Any, kind: str, way: int) -> list[_Goal]:
    return list(dict.fromkeys(_find_goals(kind, node, way)))


def _find_goals(kind: str, node: Any, way: int) -> Iterator[_Goal]:
    """Yield the components that *node* and everything below it refer to."""
    if not isinstance(node, dict):
        return
    for each in _list_named(node):
        goal = find_component(each)
        if goal is not None:
            yield (*goal, way)
        elif each.startswith("#") and not each.startswith("#/"):
            yield "", each, way
    for (key, *_), below, child in children(kind, node):
        yield from _find_goals(below, child, _turn(kind, str(key), way))


def find_component(reference: str) -> tuple[str, str] | None:
    """Return (section, name) of the component that a pointer leads to or into; None for others."""
    return target("/".join(reference.split("/")[:4]))


def _turn(kind: str, key: str, way: int) -> int:
    """Return the direction below *key*: responses have the opposite one of requests."""
    if (kind, key) in (("operation", "responses"), ("operation", "callbacks")):
        return _REQUEST + _RESPONSE - way
    return way


def _list_named(node: dict[str, Any]) -> list[str]:
    """Return the texts in *node* that name other nodes."""
    mapped = list_mapped(node["discriminator"]) if "discriminator" in node else []
    return [each for each in (node.get("$ref"), *mapped) if isinstance(each, str)]


def list_references(node: Any) -> Iterator[str]:
    """Yield the names of the components that *node* refers to or into, at any depth.

    Anchors are yielded unresolved: see `find_name`.
    """
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            for named in _list_named(each):
                goal = find_component(named)
                yield goal[1] if goal else named
            pending += reversed(each.values())
        elif isinstance(each, list):
            pending += reversed(each)


def find_name(reference: str, resolver: Resolver) -> str:
    """Return the component with the target of *reference*, an item of `list_references`."""
    found = resolver.locate(reference) if reference.startswith("#") else None
    goal = None if found is None else find_component(f"#{found.pointer}")
    return reference if goal is None else goal[1]
