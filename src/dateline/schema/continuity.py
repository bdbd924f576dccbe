"""Find what a version has in common with the one before it: the same objects, to any depth.

Contracts of one API share every node that no gate affects. What was read from such a node holds
for the next version, too, if everything that it refers to is shared as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from dateline.openapi import COMPONENTS, list_mapped
from dateline.schema.memo import Memo, closure, objects_in
from dateline.schema.references import REFERENCES
from dateline.schema.usage import find_component

_DIALECT: Final = ("openapi", "jsonSchemaDialect")

# section and name of a component
_Goal = tuple[str, str]


class Continuity:
    """Compares documents, one after the other, each with the one before it."""

    def __init__(self) -> None:
        self._goals = Memo(_list_goals)
        self._before: dict[str, Any] = {}

    def follow(self, document: dict[str, Any]) -> frozenset[str]:
        """Return the paths of *document* that are as in the document of the call before.

        Their path items are the same objects, and so is all that these refer to.
        """
        before, self._before = self._before, document
        if any(before.get(key) != document.get(key) for key in _DIALECT):
            return frozenset()
        kept = self._find_kept(before, document)
        known = before.get("paths") or {}
        return frozenset(
            path
            for path, item in (document.get("paths") or {}).items()
            if known.get(path) is item
            and (goals := self._goals(item)) is not None
            and goals <= kept
        )

    def _find_kept(self, before: dict[str, Any], document: dict[str, Any]) -> set[_Goal]:
        """Return the components that are the same in both, and so is all that they refer to."""
        known, nodes = dict(_list_components(before)), dict(_list_components(document))
        lost = {goal for goal, node in nodes.items() if known.get(goal) is not node}
        users: dict[_Goal, list[_Goal]] = {}
        for goal, node in nodes.items():
            goals = self._goals(node)
            if goals is None:
                lost.add(goal)
            for each in goals or ():
                users.setdefault(each, []).append(goal)
        lost |= users.keys() - nodes.keys()
        return nodes.keys() - closure(lost, lambda goal: users.get(goal, ())).keys()


def _list_components(document: dict[str, Any]) -> Iterator[tuple[_Goal, Any]]:
    components = document.get("components") or {}
    for section in COMPONENTS:
        for name, node in (components.get(section) or {}).items():
            yield (section, name), node


def _list_goals(node: Any) -> frozenset[_Goal] | None:
    """Return the components that *node* refers to or into; None if it also refers elsewhere."""
    goals: set[_Goal] = set()
    for each in objects_in(node):
        named = [each[key] for key in REFERENCES if key in each]
        mapped = list_mapped(each.get("discriminator"))
        goals.update(("schemas", name) for name in mapped if "/" not in str(name))
        for reference in (*named, *(name for name in mapped if "/" in str(name))):
            goal = find_component(reference) if isinstance(reference, str) else None
            if goal is None:
                return None
            goals.add(goal)
    return frozenset(goals)
