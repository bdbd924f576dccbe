"""One document in, its fragments by file name out: operations by tag, components beside them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from dateline.load import TABLE
from dateline.openapi import COMPONENTS, METHODS, target

COMMON: Final = "common"
"""The file of what the whole document says, and of components that several files use."""

UNTAGGED: Final = "untagged"
"""The file of operations without a tag."""

_RESERVED: Final = (TABLE.removesuffix(".yaml"), "waivers", COMMON, UNTAGGED)
_SHARED: Final = ("paths", "webhooks", "components")

Component = tuple[str, str]


def split(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the fragments of *document*, by file name; their union is the document."""
    fragments: dict[str, dict[str, Any]] = defaultdict(dict)
    fragments[COMMON].update({key: value for key, value in document.items() if key not in _SHARED})
    files = _Files()
    components = document.get("components", {})
    uses: dict[Component, set[str]] = defaultdict(set)
    for section in ("paths", "webhooks"):
        items = document.get(section)
        if items == {}:
            fragments[COMMON][section] = {}
        for name, item in (items or {}).items():
            file = files.of(item)
            fragments[file].setdefault(section, {})[name] = item
            for component in _references(item):
                uses[component].add(file)
    _spread(uses, components)
    for section, nodes in components.items():
        if section not in COMPONENTS or not nodes:
            fragments[COMMON].setdefault("components", {})[section] = nodes
            continue
        for name, node in nodes.items():
            users = uses.get((section, name), set())
            file = next(iter(users)) if len(users) == 1 else COMMON
            fragments[file].setdefault("components", {}).setdefault(section, {})[name] = node
    if components == {} and "components" in document:
        fragments[COMMON]["components"] = {}
    return {f"{name}.yaml": fragments[name] for name in sorted(fragments)}


class _Files:
    """Gives each tag a file name of its own, on every file system."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._taken = set(_RESERVED)

    def of(self, item: Any) -> str:
        for method in METHODS:
            operation = item.get(method) if isinstance(item, dict) else None
            tags = operation.get("tags") if isinstance(operation, dict) else None
            if tags:
                return self._named(tags[0])
        return UNTAGGED

    def _named(self, tag: str) -> str:
        if tag not in self._names:
            plain = re.sub("[^a-z0-9]+", "-", tag.lower()).strip("-")[:80] or "tag"
            name, number = plain, 1
            while name in self._taken:
                number += 1
                name = f"{plain}-{number}"
            self._taken.add(name)
            self._names[tag] = name
        return self._names[tag]


def _references(node: Any) -> Iterator[Component]:
    """Yield the components that *node* names, in references or in mappings."""
    pending = [node]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value
        elif isinstance(value, str) and value.startswith("#/") and (goal := target(value)):
            yield goal


def _spread(uses: dict[Component, set[str]], components: dict[str, Any]) -> None:
    """Let what a component refers to be used wherever the component is."""
    pending = list(uses)
    outgoing: dict[Component, list[Component]] = {}
    while pending:
        component = pending.pop()
        if component not in outgoing:
            section, name = component
            outgoing[component] = list(_references(components.get(section, {}).get(name)))
        for goal in outgoing[component]:
            # more than one is as good as all
            if len(uses[goal]) < 2 and not uses[component] <= uses[goal]:
                uses[goal] |= uses[component]
                pending.append(goal)
