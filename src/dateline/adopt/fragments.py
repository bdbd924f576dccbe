"""Split one document into fragments by file name: operations by tag, components beside them.

Operations without a tag are grouped by the first word that distinguishes paths. Fragments that
would be very long are divided; a part is named after the first path or component in it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from typing import Any, Final

from dateline.load import TABLE
from dateline.openapi import COMPONENTS, operations, references
from dateline.python.names import snake
from dateline.schema.memo import closure

COMMON: Final = "common"
"""The file of what the whole document says, and of components that most files use."""

UNTAGGED: Final = "untagged"
"""The file of operations without a tag whose paths have no words."""

LONGEST: Final = 1900
"""About how many lines a file has at most."""

_LINE: Final = 80
"""About how many characters of a text are in a line."""

_RESERVED: Final = (TABLE.removesuffix(".yaml"), "waivers", "aux", "con", "nul", "prn")
"""Names of files that are no fragments, and names that are no files on Windows."""

Component = tuple[str, str]


def split(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the fragments of *document*, by file name; their union is the document."""
    fragments: dict[str, dict[str, Any]] = defaultdict(dict)
    split_keys = ("paths", "webhooks", "components")
    fragments[COMMON].update({key: document[key] for key in document if key not in split_keys})
    homes = _choose_files(document)
    components = document.get("components", {})
    users: dict[Component, set[str]] = defaultdict(set)

    @cache
    def list_used(component: Component) -> list[Component]:
        section, name = component
        return _components_in(components.get(section, {}).get(name))

    for section in ("paths", "webhooks"):
        items = document.get(section)
        if items == {}:
            fragments[COMMON][section] = {}
        for name, item in (items or {}).items():
            file = homes[section, name]
            fragments[file].setdefault(section, {})[name] = item
            for component in _components_in(item):
                users[component].add(file)
    starts: dict[str, list[Component]] = defaultdict(list)
    for component, files in users.items():
        for file in files:
            starts[file].append(component)
    for file, used in starts.items():
        for component in closure(used, list_used):
            users[component].add(file)
    shared: dict[Component, set[str]] = {}
    for section, nodes in components.items():
        if section not in COMPONENTS or not nodes:
            fragments[COMMON].setdefault("components", {})[section] = nodes
            continue
        for name in nodes:
            shared[section, name] = users.get((section, name), set())
    found = _find_homes(shared, components, fragments)
    for (section, name), file in found.items():
        node = components[section][name]
        fragments[file].setdefault("components", {}).setdefault(section, {})[name] = node
    if components == {} and "components" in document:
        fragments[COMMON]["components"] = {}
    return {
        f"{name}.yaml": part
        for name, part in sorted(_divide(fragments, _count_shared(document)).items())
    }


def _find_homes(
    users: dict[Component, set[str]],
    components: dict[str, Any],
    fragments: dict[str, dict[str, Any]],
) -> dict[Component, str]:
    """Return the file of each component: that of its users, if they are in one file.

    A component with users in several files is in the one with its name, as `invoice_item` is in
    `invoices`; of the rest, the common file has those that most files use, as far as they fit. The
    others are in the first file that uses them.
    """
    homes = {each: next(iter(found)) for each, found in users.items() if len(found) == 1}
    order = {file: at for at, file in enumerate(fragments)}
    words = {file: _list_singular(file.split("-")) for file in fragments if file != COMMON}
    lines = count_lines(fragments[COMMON])
    for each in sorted(users.keys() - homes.keys(), key=lambda each: _rank(users[each], each)):
        section, name = each
        called = _find_namesake(name, {file: words[file] for file in words if file in users[each]})
        if called is not None:
            homes[each] = called
            continue
        lines += 1 + count_lines(components[section][name])
        is_first = lines > LONGEST and bool(users[each])
        homes[each] = min(users[each], key=order.__getitem__) if is_first else COMMON
    return {each: homes[each] for each in users}


def _rank(users: set[str], component: Component) -> tuple[bool, int, Component]:
    # security schemes belong to the document, which is in the common file
    return component[0] != "securitySchemes", -len(users), component


def _find_namesake(component: str, files: dict[str, list[str]]) -> str | None:
    """Return the one of *files* with whose words, in the singular, the name *component* begins."""
    words = _list_singular(snake(component).split("_"))
    alike = [file for file, own in files.items() if words[: len(own)] == own]
    return max(alike, key=lambda file: len(files[file]), default=None)


def _list_singular(words: list[str]) -> list[str]:
    return [re.sub("(?<=[a-z]{2})(?:ies|y|s)$", "", word) for word in words]


def _divide(fragments: dict[str, dict[str, Any]], shared: int) -> dict[str, dict[str, Any]]:
    """Return *fragments* in parts of about `LONGEST` lines; only one entry may be longer.

    All paths have the first *shared* words in common.
    """
    divided: dict[str, dict[str, Any]] = {}
    for name, fragment in fragments.items():
        lines = 0
        part = divided[name] = {}
        for (*sections, key), node in _list_entries(fragment):
            length = 1 + count_lines(node)
            if lines and lines + length > LONGEST:
                called = _name_part(name, key, {*divided, *fragments}, shared)
                part, lines = divided.setdefault(called, {}), 0
            lines += length
            holder = part
            for section in sections:
                holder = holder.setdefault(section, {})
            holder[key] = node
    return divided


def _name_part(fragment: str, first: str, taken: set[str], shared: int) -> str:
    """Return the name of a part of *fragment* that begins with the path or component *first*."""
    words = _list_words(first)[shared:] if first.startswith("/") else [snake(first)]
    own = [word for word in "-".join(map(_make_name, words)).split("-") if word]
    while own and own[0] in ("api", *fragment.split("-")):
        own = own[1:]
    named = "-".join([fragment, *own])[:80].strip("-")
    called, number = named, 1
    while called in taken:
        number += 1
        called = f"{named}-{number}"
    return called


def _list_entries(fragment: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield what can be in a file of its own, by its place."""
    for key, value in fragment.items():
        if key not in ("paths", "webhooks", "components") or not value:
            yield (key,), value
            continue
        for name, node in value.items():
            if key != "components" or name not in COMPONENTS or not node:
                yield (key, name), node
            else:
                yield from (((key, name, each), node[each]) for each in node)


def count_lines(node: Any) -> int:
    """Return about how many lines *node* has in YAML, below its key."""
    if isinstance(node, dict):
        return sum(1 + count_lines(child) for child in node.values())
    if isinstance(node, list):
        return sum(max(1, count_lines(item)) for item in node)
    return node.count("\n") + len(node) // _LINE if isinstance(node, str) else 0


def _components_in(node: Any) -> list[Component]:
    """Return the components that *node* refers to; security schemes belong to the document."""
    return [goal for goal in references(node) if goal[0] != "securitySchemes"]


def _choose_files(document: dict[str, Any]) -> dict[tuple[str, str], str]:
    """Return the file of each path and webhook, by section and name."""
    items = {
        (section, name): item
        for section in ("paths", "webhooks")
        for name, item in document.get(section, {}).items()
    }
    files = _FileNames()
    homes = {key: files.of_tag(tag) for key, item in items.items() if (tag := _first_tag(item))}
    bare = [key for key in items if key not in homes]
    words = {name: _list_words(name) for section, name in bare if section == "paths"}
    shared = _count_shared({"paths": words})
    for section, name in bare:
        own = words.get(name, ["webhooks"])
        distinct = own[shared:] or own[-1:]
        homes[section, name] = files.of_word(distinct[0]) if distinct else UNTAGGED
    return homes


def _first_tag(item: Any) -> str | None:
    for _, operation in operations(item) if isinstance(item, dict) else ():
        tags = operation.get("tags") if isinstance(operation, dict) else None
        if tags:
            return str(tags[0])
    return None


def _count_shared(document: dict[str, Any]) -> int:
    """Return how many words all paths begin with: such as `v1`, they don't distinguish any."""
    paths = [_list_words(path) for path in document.get("paths", {}) if path.startswith("/")]
    alike = takewhile(lambda each: len(set(each)) == 1, zip(*paths, strict=False))
    return sum(1 for _ in alike)


def _list_words(path: str) -> list[str]:
    """Return the parts of *path* that are not variables."""
    return [word for word in path.split("/") if word and "{" not in word]


class _FileNames:
    """Gives each tag a file name of its own, valid on every file system; words share names."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._taken = {*_RESERVED, COMMON, UNTAGGED}

    def of_tag(self, tag: str) -> str:
        if tag not in self._names:
            plain = _make_name(tag, "tag")
            name, number = plain, 1
            while name in self._taken:
                number += 1
                name = f"{plain}-{number}"
            self._taken.add(name)
            self._names[tag] = name
        return self._names[tag]

    def of_word(self, word: str) -> str:
        plain = _make_name(word, UNTAGGED)
        return self.of_tag(plain) if plain in (*_RESERVED, COMMON) else plain


def _make_name(text: str, default: str = "") -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or default
