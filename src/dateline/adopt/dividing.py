"""Divide a source that has become too long, entry by entry; each keeps its text and comments."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from dateline.adopt.fragments import LONGEST
from dateline.model import Trail
from dateline.openapi import COMPONENTS
from dateline.source.spans import Span, spans
from dateline.source.splice import EditableSource

_MOST: Final = 2000
"""How many lines a file has before it is divided into parts of about `LONGEST` lines."""


def is_long(content: bytes) -> bool:
    """Return whether a file with *content* should be divided."""
    return content.count(b"\n") > _MOST


def divide(name: str, content: bytes, taken: Collection[str]) -> dict[str, bytes]:
    """Return *content*, that of the file *name*, in parts of about `LONGEST` lines, by file name.

    The first part keeps the name, and what is no path or component. The names of others are none
    of those *taken*.
    """
    text = content.decode("utf-8-sig")
    root = spans(text)
    entries = [*_list_entries(root)]
    above = content[: len(content) - len(text[root.start :].encode())]
    parts: list[list[Trail]] = [[]]
    begins = 0
    for at, (path, start) in enumerate(entries):
        end = entries[at + 1][1] if at + 1 < len(entries) else len(text)
        if parts[-1] and text.count("\n", begins, end) > LONGEST:
            parts.append([])
            begins = start
        parts[-1].append(path)
    divided: dict[str, bytes] = {}
    for number, part in enumerate(parts):
        called = name if number == 0 else _name_part(name, {*taken, *divided})
        source = EditableSource(content)
        if number:
            _remove_rest(source, root)
        for path, _ in entries:
            if path not in part:
                source.remove(path)
        for path in dict.fromkeys(path[:-1] for path, _ in entries):
            if source.is_empty(path):
                source.remove(path)
        if source.has(("components",)) and source.is_empty(("components",)):
            source.remove(("components",))
        written = source.content()
        # what is above the first key is about the whole file
        divided[called] = written.removeprefix(above) if number else written
    return divided


def _list_entries(root: Span) -> Iterator[tuple[Trail, int]]:
    """Yield the path of what can be in a file of its own, and where it begins."""
    for section, below in zip(root.names, root.below, strict=True):
        if section in ("paths", "webhooks"):
            yield from _list_keys((section,), below)
        elif section == "components" and below.style == ":":
            for kind, entries in zip(below.names, below.below, strict=True):
                if kind in COMPONENTS:
                    yield from _list_keys((section, kind), entries)


def _list_keys(path: Trail, mapping: Span) -> Iterator[tuple[Trail, int]]:
    if mapping.style == ":":
        for name, key in zip(mapping.names, mapping.keys, strict=True):
            yield (*path, name), key.start


def _remove_rest(source: EditableSource, root: Span) -> None:
    """Remove from *source* what only the first part has."""
    sections = {path[:-1] for path, _ in _list_entries(root)}
    for name, below in zip(root.names, root.below, strict=True):
        if not any(path[0] == name for path in sections):
            source.remove((name,))
        elif name == "components":
            for kind in below.names:
                if (name, kind) not in sections:
                    source.remove((name, kind))


def _name_part(name: str, taken: Collection[str]) -> str:
    stem, _, suffix = name.rpartition(".")
    stem = re.sub(r"-\d+$", "", stem)  # a part is divided like the whole
    number = 2
    while f"{stem}-{number}.{suffix}" in taken:
        number += 1
    return f"{stem}-{number}.{suffix}"
