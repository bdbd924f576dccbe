"""One document in, its fragments by file name out: operations by tag, components beside them.

What has no tag goes by the first word of its path that tells paths apart.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, Final

from dateline.load import TABLE
from dateline.openapi import COMPONENTS, METHODS, target

COMMON: Final = "common"
"""The file of what the whole document says, and of components that several files use."""

UNTAGGED: Final = "untagged"
"""The file of operations without a tag whose paths have no words."""

_KEPT: Final = (TABLE.removesuffix(".yaml"), "waivers", "aux", "con", "nul", "prn")
"""Names of files that are no fragments, and of what is no file on Windows."""

_SHARED: Final = ("paths", "webhooks", "components")

Component = tuple[str, str]


def split(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the fragments of *document*, by file name; their union is the document."""
    fragments: dict[str, dict[str, Any]] = defaultdict(dict)
    fragments[COMMON].update({key: value for key, value in document.items() if key not in _SHARED})
    homes = _homes(document)
    components = document.get("components", {})
    uses: dict[Component, set[str]] = defaultdict(set)
    for section in ("paths", "webhooks"):
        items = document.get(section)
        if items == {}:
            fragments[COMMON][section] = {}
        for name, item in (items or {}).items():
            file = homes[section, name]
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


def _homes(document: dict[str, Any]) -> dict[tuple[str, str], str]:
    """Return which file each path and webhook goes to: (section, name) to its name."""
    items = {
        (section, name): item
        for section in ("paths", "webhooks")
        for name, item in document.get(section, {}).items()
    }
    files = _Files()
    homes = {key: files.of_tag(tag) for key, item in items.items() if (tag := _tag(item))}
    bare = [key for key in items if key not in homes]
    words = {name: _words(name) for section, name in bare if section == "paths"}
    # what all of them begin with, such as `v1`, tells none apart
    shared = _shared([own for name, own in words.items() if name.startswith("/")])
    for section, name in bare:
        own = words.get(name, ["webhooks"])
        telling = own[shared:] or own[-1:]
        homes[section, name] = files.of_word(telling[0]) if telling else UNTAGGED
    return homes


def _tag(item: Any) -> str | None:
    """Return the first tag of the first operation that has one."""
    for method in METHODS:
        operation = item.get(method) if isinstance(item, dict) else None
        tags = operation.get("tags") if isinstance(operation, dict) else None
        if tags:
            return str(tags[0])
    return None


def _words(path: str) -> list[str]:
    """Return the parts of *path* that are no variables."""
    return [word for word in path.split("/") if word and "{" not in word]


def _shared(lists: list[list[str]]) -> int:
    """Return with how many words all *lists* begin alike."""
    alike = takewhile(lambda words: len(set(words)) == 1, zip(*lists, strict=False))
    return sum(1 for _ in alike)


class _Files:
    """Gives each tag a file name of its own, on every file system; each word of paths any."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._taken = {*_KEPT, COMMON, UNTAGGED}

    def of_tag(self, tag: str) -> str:
        if tag not in self._names:
            self._names[tag] = self._free(_plain(tag, "tag"))
        return self._names[tag]

    def of_word(self, word: str) -> str:
        plain = _plain(word, UNTAGGED)
        return self.of_tag(plain) if plain in (*_KEPT, COMMON) else plain

    def _free(self, plain: str) -> str:
        name, number = plain, 1
        while name in self._taken:
            number += 1
            name = f"{plain}-{number}"
        self._taken.add(name)
        return name


def _plain(text: str, default: str) -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or default


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
