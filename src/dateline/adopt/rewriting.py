"""Write changed definitions into their sources, which otherwise keep every byte."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any

from dateline.adopt.appending import Appender
from dateline.adopt.dividing import divide, is_long
from dateline.adopt.fragments import LONGEST, count_lines, split
from dateline.adopt.inputs import yaml_file
from dateline.edit.history import plain, same
from dateline.edit.sources import Sources
from dateline.model import Api, Trail
from dateline.openapi import COMPONENTS, value_at


class SourceWriter:
    """Writes what an *appender* made of the document of *api* into its sources, by file name."""

    def __init__(self, api: Api, contents: Mapping[str, bytes], appender: Appender) -> None:
        self._api = api
        self._contents = contents
        self._sources = Sources(api, contents)
        self._appender = appender
        self._added: dict[str, dict[str, Any]] = {}
        self._removed: list[Trail] = []

    def write(self, document: dict[str, Any]) -> dict[str, bytes]:
        """Return the content of every file once the sources define *document*."""
        self._homes = _EntryFiles(self._api, document, self._contents)
        self._sources.added |= dict(self._homes.list_new())
        self._write((), self._api.document, document)
        for path in self._removed:
            if path[:1] == ("components",) and len(path) == 3:
                self._sources.remove_empty(path)
        added = {name: yaml_file(content).encode() for name, content in self._added.items()}
        return self._divide({**self._sources.read_contents(), **added})

    def _divide(self, contents: dict[str, bytes]) -> dict[str, bytes]:
        """Return *contents*, with files of adopted definitions that have become long in parts."""
        long = [
            name
            for name in self._homes.fragments
            if self._api.table.adopted
            and contents.get(name) != self._contents[name]
            and name.endswith((".yaml", ".yml"))
            and is_long(contents.get(name, b""))
        ]
        for name in long if len(self._homes.fragments) > 1 else ():
            contents |= divide(name, contents[name], contents)
        return contents

    def _write(self, path: Trail, old: Any, new: Any) -> None:
        """Turn *old* at *path* into *new*; inner edits come first, as paths are those of *old*."""
        if new is old:
            return
        if isinstance(old, dict) and isinstance(new, dict) and old and new:
            self._write_mapping(path, old, new)
        elif isinstance(old, list) and isinstance(new, list) and old and new:
            self._write_list(path, old, new)
        elif not same(plain(old), plain(new)):
            self._sources.replace(path, plain(new))

    def _write_mapping(self, path: Trail, old: dict[str, Any], new: dict[str, Any]) -> None:
        former = self._appender.names.get(id(new), {})
        kept = {former.get(key, key) for key in new}
        for key in new:
            if (own := former.get(key, key)) in old:
                self._write((*path, own), old[own], new[key])
        for key in old:
            if key not in kept:
                self._remove((*path, key), old[key])
        for key, own in former.items():
            self._sources.rename((*path, own), key)
        is_split = path in (("paths",), ("webhooks",)) or path[:-1] == ("components",)
        for number, key in enumerate(new):
            if former.get(key, key) in old:
                continue
            if is_split:
                self._place(path, key, new)
            elif path == ("components",) and key in COMPONENTS:
                for name in new[key]:
                    self._place((*path, key), name, new[key])
            else:
                self._sources.put((*path, key), plain(new[key]), number if path else None)

    def _remove(self, path: Trail, old: Any) -> None:
        """Remove what is at *path*; the components of a section may be in several files."""
        if path[:-1] == ("components",) and path[-1] in COMPONENTS:
            for name in old:
                self._remove((*path, name), None)
            return
        self._sources.remove(path)
        self._removed.append(path)

    def _write_list(self, path: Trail, old: list[Any], new: list[Any]) -> None:
        ours, theirs = ([self._identify(one) for one in each] for each in (old, new))
        opcodes = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
        for tag, a, b, c, d in opcodes:
            for n, m in zip(range(a, b), range(c, d), strict=False):
                if tag == "equal":
                    self._write((*path, n), old[n], new[m])
        for _, a, b, c, d in (each for each in reversed(opcodes) if each[0] != "equal"):
            for n in reversed(range(a, b)):
                self._sources.remove((*path, n))
            for m in reversed(range(c, d)):
                self._sources.insert((*path, a), plain(new[m]))

    def _identify(self, item: Any) -> Any:
        former = self._appender.find_former(item)
        return id(former) if isinstance(former, dict) else json.dumps(plain(former))

    def _place(self, path: Trail, name: str, new: dict[str, Any]) -> None:
        """Put a new path or component where its like is."""
        file = self._homes.find((*path, name))
        value = plain(new[name])
        if file not in self._contents:
            holder = self._added.setdefault(file, {})
            for step in path:
                holder = holder.setdefault(str(step), {})
            holder[name] = value
            return
        names = list(new)
        source, at = self._sources.file(file), None
        before = [each for each in names[: names.index(name)] if source.has((*path, each))]
        if before:
            own = [each for each in names if source.has((*path, each))]
            at = own.index(before[-1]) + 1
        depth = len(path)
        while not source.has(path[:depth]):
            depth -= 1
        for step in reversed(path[depth:]):
            name, value = str(step), {name: value}
        source.put((*path[:depth], name), value, at)


class _EntryFiles:
    """The files of new paths and components: those of what would be in one file with them.

    If such a file would become too long, and it is not the only one, they are in another part.
    """

    def __init__(self, api: Api, document: dict[str, Any], contents: Mapping[str, bytes]) -> None:
        self._document = document
        self._lines = {name: content.count(b"\n") for name, content in contents.items()}
        self._chosen: dict[Trail, str] = {}
        self._trace = api.trace
        self._known = {*_list_entries(api.document)}
        self._like = {
            entry: (name, entries)
            for name, part in split(document).items()
            for entries in [[*_list_entries(part)]]
            for entry in entries
        }

    @cached_property
    def fragments(self) -> list[str]:
        """The files of known paths and components, without those that only references lead to."""
        traces = ((entry, *self._trace(entry)) for entry in self._known)
        return sorted({file for entry, file, path in traces if path == entry})

    def list_new(self) -> Iterator[tuple[Trail, str]]:
        """Yield the new components, each with its file."""
        for entry in self._like:
            if entry[0] == "components" and entry not in self._known:
                yield entry, self.find(entry)

    def find(self, entry: Trail) -> str:
        """Return the file of the path, webhook or component at *entry*."""
        if entry not in self._chosen:
            length = 1 + count_lines(value_at(self._document, entry))
            file = self._find_like(entry)
            file = self._choose_part(file, length) if len(self.fragments) > 1 else file
            self._lines[file] = self._lines.get(file, 0) + length
            self._chosen[entry] = file
        return self._chosen[entry]

    def _choose_part(self, file: str, length: int) -> str:
        """Return *file*, or the first numbered part of it that has room for *length* lines."""
        stem, _, suffix = file.rpartition(".")
        part, number = file, 1
        while part in self._lines and self._lines[part] + length > LONGEST:
            number += 1
            part = f"{stem}-{number}.{suffix}"
        return part

    def _find_like(self, entry: Trail) -> str:
        name, like = self._like[entry]
        traces = ((each, *self._trace(each)) for each in like if each in self._known)
        files = Counter(file for each, file, path in traces if path == each)
        if files:
            return files.most_common(1)[0][0]
        return self.fragments[0] if len(self.fragments) == 1 else name


def _list_entries(document: dict[str, Any]) -> Iterator[Trail]:
    """Yield where the paths, webhooks and components of *document* are."""
    for section in ("paths", "webhooks"):
        yield from ((section, name) for name in document.get(section) or ())
    for section, nodes in (document.get("components") or {}).items():
        if section in COMPONENTS:
            yield from (("components", section, name) for name in nodes)
