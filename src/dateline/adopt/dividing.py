"""Divide a source that has become too long, entry by entry; each line is in one of the parts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple

from dateline.adopt.fragments import LONGEST
from dateline.model import Trail
from dateline.openapi import COMPONENTS
from dateline.source.spans import Span, spans

_MOST: Final = 2000
"""How many lines a file has before it is divided into parts of about `LONGEST` lines."""

_BYTE_ORDER_MARK: Final = "\ufeff"


class _Block(NamedTuple):
    """The lines of a key with its value and the comments above it, or of a key alone."""

    path: Trail
    column: int
    start: int
    end: int


def is_long(content: bytes) -> bool:
    """Return whether a file with *content* should be divided."""
    return content.count(b"\n") > _MOST


def divide(name: str, content: bytes, taken: Collection[str]) -> dict[str, bytes]:
    """Return *content*, that of the file *name*, in parts of about `LONGEST` lines, by file name.

    The first part keeps the name, and what is no path or component. The names of others are none
    of those *taken*.
    """
    text = content.decode("utf-8")
    source = _DividedSource(text.removeprefix(_BYTE_ORDER_MARK))
    parts: list[list[_Block]] = [[]]
    for block in source.entries:
        begins = parts[-1][0].start if len(parts) > 1 else 0
        if parts[-1] and block.end - begins > LONGEST:
            parts.append([])
        parts[-1].append(block)
    moved = source.list_moved(parts[0])
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    rest = source.write_rest([*moved.values(), *chain(*parts[1:])])
    divided = {name: (mark + rest).encode()}
    for part in parts[1:]:
        called = _name_part(name, {*taken, *divided})
        divided[called] = source.write_part(part, moved).encode()
    return divided


@dataclass
class _DividedSource:
    """The lines of a source, its entries in their order, and the keys around these."""

    text: str
    entries: list[_Block] = field(default_factory=list, init=False)
    _around: dict[Trail, _Block] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._lines = self.text.split("\n")
        self._root = spans(self.text)
        for path, mapping in self._list_sections():
            starts = [self._find_start(key) for key in mapping.keys]
            ends = [*starts[1:], self._find_end(mapping)]
            for key, name, start, end in zip(
                mapping.keys, mapping.names, starts, ends, strict=True
            ):
                self.entries.append(_Block((*path, name), key.column, start, end))
            for depth in range(len(path)):
                self._add_around(path[: depth + 1])
        if not all(self._is_alone(block) for block in (*self.entries, *self._around.values())):
            self.entries = []  # keys on one line can't be parted

    def _list_sections(self) -> Iterator[tuple[Trail, Span]]:
        """Yield the mappings in block style whose keys can be in files of their own."""
        for section, below in zip(self._root.names, self._root.below, strict=True):
            if section in ("paths", "webhooks") and below.style == ":":
                yield (section,), below
            elif section == "components" and below.style == ":":
                for kind, entries in zip(below.names, below.below, strict=True):
                    if kind in COMPONENTS and entries.style == ":":
                        yield (section, kind), entries

    def _add_around(self, path: Trail) -> None:
        """Add the key at *path*, without what is below it."""
        holder = self._root
        for step in path[:-1]:
            holder = holder.below[holder.names.index(str(step))]
        number = holder.names.index(str(path[-1]))
        key, below = holder.keys[number], holder.below[number]
        end = self._find_start(below.keys[0])
        block = _Block(path, key.column, self._find_start(key), end)
        self._around.setdefault(path, block)

    def _line_of(self, offset: int) -> int:
        return self.text.count("\n", 0, offset)

    def _find_start(self, key: Span) -> int:
        """Return the first line of *key*, with the comments directly above it."""
        line = self._line_of(key.start)
        indent = " " * key.column
        while line and self._lines[line - 1].startswith(f"{indent}#"):
            line -= 1
        return line

    def _find_end(self, mapping: Span) -> int:
        """Return the line after *mapping*, and after the comments that are indented like it."""
        line = self._line_of(max(mapping.end - 1, 0)) + 1
        indent = " " * mapping.column
        found = line
        while line < len(self._lines) and (
            not self._lines[line].strip() or self._lines[line].startswith(indent)
        ):
            line += 1
            found = line if self._lines[line - 1].strip() else found
        return found

    def _is_alone(self, block: _Block) -> bool:
        """Return whether a key is the first on its line, and its value below it."""
        line = next(
            each for each in self._lines[block.start :] if each.strip() and each.strip()[0] != "#"
        )
        is_around = block.path in self._around
        own = re.fullmatch(r"""\s*["']?[\w-]+["']?:\s*(#.*)?""", line)
        indent = len(line) - len(line.lstrip())
        return indent == block.column and (not is_around or own is not None)

    def list_moved(self, first: Sequence[_Block]) -> dict[Trail, _Block]:
        """Return the keys that no longer surround anything if only *first* are there."""
        kept = {block.path[:depth] for block in first for depth in range(len(block.path))}
        section = ("components",)
        if section in self._around:
            names = self._root.below[self._root.names.index(section[0])].names
            if any((*section, name) not in self._around for name in names):
                kept.add(section)
        return {path: block for path, block in self._around.items() if path not in kept}

    def write_rest(self, gone: Sequence[_Block]) -> str:
        """Return the text without the blocks that are *gone*."""
        dropped = {line for block in gone for line in range(block.start, block.end)}
        return "\n".join(line for at, line in enumerate(self._lines) if at not in dropped)

    def write_part(self, blocks: Sequence[_Block], moved: dict[Trail, _Block]) -> str:
        """Return the text of *blocks*, below the keys around them; those *moved* come once."""
        ending = "\r" if "\r\n" in self.text else ""
        lines: list[str] = []
        there: set[Trail] = set()
        for block in blocks:
            for depth in range(1, len(block.path)):
                path = block.path[:depth]
                if path not in there:
                    there.add(path)
                    known = moved.pop(path, None)
                    around = self._around[path]
                    plain = " " * around.column + f"{path[-1]}:{ending}"
                    lines += self._lines[known.start : known.end] if known else [plain]
            lines += self._lines[block.start : block.end]
        return "\n".join(lines) + ("\n" if lines[-1] else "")


def _name_part(name: str, taken: Collection[str]) -> str:
    stem, _, suffix = name.rpartition(".")
    stem = re.sub(r"-\d+$", "", stem)  # a part is divided like the whole
    number = 2
    while f"{stem}-{number}.{suffix}" in taken:
        number += 1
    return f"{stem}-{number}.{suffix}"
