"""Read a YAML text with positions; parts shared with another text are read once."""

from __future__ import annotations

import re
from collections.abc import Callable
from sys import intern
from typing import Any, Final

import yaml

from dateline.collector import collection_off
from dateline.model import Map, Place, Problem, Seq, Trail
from dateline.source.problems import Log, StoppedError
from dateline.source.reader.characters import text_refusals
from dateline.source.reader.json_text import TextLines
from dateline.source.reader.limits import ADOPTED
from dateline.source.reader.locator import Locator
from dateline.source.reader.yaml_document import LOADER, RISKY_ESCAPE, YamlReader
from dateline.source.scalars import RefusedError, adopted_value

# What may be above the first entry of a mapping, and the indentation of that entry.
_HEAD: Final = re.compile(r"(?: *(?:#[^\n]*)?\n)*( *)(?=[^ \n#])")
# The beginning of an entry that can't be anything else.
_BEGINNING: Final = re.compile(r"[A-Za-z0-9_/$\"']")
# A line with nothing but a key: its value is on the lines below.
_KEY_ALONE: Final = re.compile(r" *([A-Za-z][\w-]*): *\n")
# Most of a document is two levels below its root, in `paths` and in sections of `components`.
_BELOW: Final = 2


class YamlText(TextLines):
    """The YAML text of a third-party document.

    Entries near the root are read one by one: one that is well formed by itself and is followed by
    a line at the indentation of its mapping, or by the end, means the same in the whole. In case of
    doubt, and if anything is wrong, ``YamlReader`` reads the whole text. It also finds the places
    in an entry, when one is needed.
    """

    def __init__(self, file: str, text: str, *, part: bool = False) -> None:
        super().__init__(file, text)
        self._is_part = part
        # names and values of entries that were read by themselves, by their texts and holders
        self._known: dict[tuple[Trail, str], tuple[str, Any]] = {}
        # the beginning and end of each of them, by its path
        self._entries: dict[Trail, tuple[int, int]] = {}
        # the beginnings of the keys and the values of what was read entry by entry
        self._keys: dict[Trail, int] = {(): 0}
        self._starts: dict[Trail, int] = {}
        # entries with their places, by their beginnings
        self._marked: dict[int, Map] = {}
        self._whole: Map | Seq | None = None
        self.notes: list[Problem] = []
        """what `YamlReader` notes"""
        self.has_anchors = False
        """whether parts of the text belong to several places"""

    def read(self, log: Log, like: YamlText | None) -> dict[str, Any] | list[Any]:
        """Return the content; raises StoppedError if the text is not YAML to its end.

        That of a part of a document may be a list, which is read as a whole.
        Entries that *like*, which has been read, has at the same path with the same text are the
        same objects.
        """
        reader = _EntryReader()
        start = 4 if self.text.startswith("---\n") else 0
        try:
            with collection_off():
                found = self._read_entries((), start, len(self.text), 0, reader, like)
        except (StoppedError, RefusedError, yaml.YAMLError):
            found = None
        if found is None:
            self._known.clear()
            reader_of_all = YamlReader(self.text, ADOPTED, True, log, published=True)
            whole = reader_of_all.read_part() if self._is_part else reader_of_all.read()
            self._whole = whole
            self.notes = reader_of_all.notes
            self.has_anchors = reader_of_all.has_anchors
            return whole
        return found

    def find(self, path: Trail, value: bool = False) -> Place:
        """Return the place of the key or item at *path*, or of its nearest ancestor in the text.

        With *value*, return the place of the value of the key.
        """
        if self._whole is not None:
            return Locator([self._whole]).locate(path, value=value)
        for depth in range(1, len(path) + 1):
            if path[:depth] in self._entries:
                begin, end = self._entries[path[:depth]]
                if begin not in self._marked:
                    log = Log(self.file, [])
                    entry = self.text[begin:end]
                    self._marked[begin] = YamlReader(entry, ADOPTED, True, log).read()
                place = Locator([self._marked[begin]]).locate(path[depth - 1 :], value=value)
                return place._replace(file=self.file, line=place.line + self.place(begin).line - 1)
        while path not in self._starts:
            path, value = path[:-1], False
        return self.place(self._starts[path] if value or not path else self._keys[path])

    def _read_entries(
        self,
        path: Trail,
        start: int,
        end: int,
        least: int,
        reader: _EntryReader,
        like: YamlText | None,
    ) -> dict[str, Any] | None:
        """Return the mapping from *start* to *end*, which is indented by at least *least*.

        None if there is no mapping in block style. Raises StoppedError if it can't be read entry by
        entry.
        """
        head = _HEAD.match(self.text, start, end)
        if head is None or len(head[1]) < least or not _BEGINNING.match(self.text, head.end()):
            return None
        margin = head[1]
        self._starts[path] = head.end()
        found: dict[str, Any] = {}
        begin = head.end() - len(margin)
        # a list may be indented no further than its key
        ends = re.compile(rf"\n{margin}(?=[^ \n#-])").finditer(self.text, begin, end)
        for stop in [*(found.start() + 1 for found in ends), end]:
            if not _BEGINNING.match(self.text, begin + len(margin)):
                raise StoppedError
            name, value = self._read_entry(path, begin, stop, len(margin), reader, like)
            if name in found:
                raise StoppedError
            found[name] = value
            begin = stop
        return found

    def _read_entry(
        self,
        path: Trail,
        begin: int,
        end: int,
        margin: int,
        reader: _EntryReader,
        like: YamlText | None,
    ) -> tuple[str, Any]:
        alone = _KEY_ALONE.match(self.text, begin, end) if len(path) < _BELOW else None
        if alone is not None:
            name, below = alone[1], (*path, alone[1])
            self._keys[below] = begin + margin
            value = self._read_entries(below, alone.end(), end, margin + 1, reader, like)
            if value is not None:
                return name, value
        text = self.text[begin:end]
        entry = like._known.get((path, text)) if like else None
        if entry is None:
            entry = reader.read(text, len(path))
        self._known[path, text] = entry
        self._entries[(*path, entry[0])] = begin, end
        return entry


class _EntryReader:
    """Reads entries of mappings as plain data, without positions, as long as all is well."""

    def __init__(self) -> None:
        self._nodes_left = ADOPTED.nodes
        # the values of plain scalars
        self._values: dict[str, Any] = {}

    def read(self, text: str, around: int) -> tuple[str, Any]:
        """Return the name and the value of the only entry in *text*.

        In the whole document, *around* mappings surround it. Raises StoppedError, RefusedError or
        YAMLError if anything is wrong, or if there is not exactly one entry.
        """
        loader = LOADER(text.encode())
        try:
            found = self._fill(loader.get_event, around, RISKY_ESCAPE.search(text) is not None)
        finally:
            loader.dispose()
        if len(found) != 1:
            raise StoppedError
        return next(iter(found.items()))

    def _fill(self, get_event: Callable[[], Any], around: int, risky: bool) -> dict[str, Any]:
        """Return the mapping that is the only document among the events."""
        scalar, alias = yaml.ScalarEvent, yaml.AliasEvent
        mapping, mapping_end = yaml.MappingStartEvent, yaml.MappingEndEvent
        sequence_end = yaml.SequenceEndEvent
        values = self._values
        root: dict[str, Any] = {}
        # the containers around the current one; a list as a stand-in for the stream
        stack: list[Any] = []
        here: Any = root
        in_map = wants_key = True
        key = ""
        get_event(), get_event()
        if type(get_event()) is not mapping:
            raise StoppedError
        while True:
            event = get_event()
            kind = type(event)
            if kind is mapping_end or kind is sequence_end:
                if not stack:
                    break
                here = stack.pop()
                in_map = wants_key = type(here) is dict
                continue
            if kind is alias or event.anchor is not None or event.tag is not None:
                raise StoppedError
            if kind is scalar:
                value = event.value
                if event.style:
                    if (
                        risky
                        and event.style == '"'
                        and any(text_refusals(value, ADOPTED.text, adopted=True))
                    ):
                        raise StoppedError
                elif not wants_key:
                    if value not in values:
                        values[value] = adopted_value(value)
                    value = values[value]
            else:
                value = {} if kind is mapping else []
            if wants_key:
                if kind is not scalar or value in here or value == "<<":
                    raise StoppedError
                key = intern(value)
                wants_key = False
                continue
            if in_map:
                here[key] = value
                self._nodes_left -= 1
            else:
                here.append(value)
            self._nodes_left -= 1
            if kind is scalar:
                wants_key = in_map
            else:
                stack.append(here)
                if len(stack) + around >= ADOPTED.depth or self._nodes_left < 0:
                    raise StoppedError
                here = value
                in_map = wants_key = kind is mapping
        get_event()
        if not isinstance(get_event(), yaml.StreamEndEvent):
            raise StoppedError
        return root
