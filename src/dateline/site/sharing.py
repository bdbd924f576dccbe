"""Find the pages that two versions share, which are rendered once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dateline.openapi import COMPONENTS, parts, references, target
from dateline.schema.memo import closure, objects_in
from dateline.site.marks import Marks

Key = tuple[str, str]
"""The section and the name of a component, a path or a webhook."""


class SharedNodes:
    """The components and paths that are equal in two versions, with everything they refer to."""

    def __init__(
        self,
        older: dict[str, Any],
        newer: dict[str, Any],
        marks: tuple[Mapping[str, Marks], Mapping[str, Marks]],
    ) -> None:
        known, nodes = dict(_nodes(older)), dict(_nodes(newer))
        then, now = map(_group, marks)
        users: dict[Key, list[Key]] = {}
        for key, node in nodes.items():
            for goal in references(node):
                users.setdefault(goal, []).append(key)
        changed = [
            key
            for key, node in nodes.items()
            if known.get(key) is not node or then.get(key) != now.get(key) or _refers_within(node)
        ]
        self._changed = closure(changed, lambda key: users.get(key, ()))
        self._nodes = nodes

    def has(self, section: str, name: str) -> bool:
        """Return whether the component, path or webhook is the same in both."""
        return (section, name) in self._nodes and (section, name) not in self._changed


def _nodes(document: dict[str, Any]) -> Iterator[tuple[Key, Any]]:
    components = document.get("components", {})
    for section in COMPONENTS:
        for name, node in components.get(section, {}).items():
            yield (section, name), node
    for section in ("paths", "webhooks"):
        for path, item in document.get(section, {}).items():
            yield (section, path), item


def _group(marks: Mapping[str, Marks]) -> dict[Key, dict[str, Marks]]:
    """Return *marks* by their component or path."""
    found: dict[Key, dict[str, Marks]] = {}
    for at, each in marks.items():
        steps = parts(at)
        key = steps[1:3] if steps[:1] == ("components",) else steps[:2]
        if len(key) == 2:
            found.setdefault((key[0], key[1]), {})[at] = each
    return found


def _refers_within(node: Any) -> bool:
    """Return whether *node* refers to anything but components, which may have changed."""
    return any(
        "$dynamicRef" in each
        or (isinstance(each.get("$ref"), str) and target(each["$ref"]) is None)
        for each in objects_in(node)
    )
