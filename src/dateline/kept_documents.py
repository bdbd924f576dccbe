"""Cache the generated documents by the meaning of the definitions; words are filled in last."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache as cached
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dateline import fresh
from dateline.cache import Cache
from dateline.load.meaning import DocumentOrigin, Unit, digest_word, note_origin, replace_in_units
from dateline.model import (
    ADDITIONS,
    Api,
    Artifact,
    DatelineError,
    Definitions,
    Keep,
    PendingText,
    Table,
    in_memory,
)
from dateline.source.text import json_text, yaml_text

if TYPE_CHECKING:
    from dateline.changes.record import Record

Render = Callable[[Api], Iterable[Artifact]]
"""Returns the documents of definitions."""

Resized = Callable[[str, int], bool]
"""Returns whether the content at a path has another size, and so has changed."""

_MARK: Final = "\U0001d304"
_OF_JSON: Final = -1
_JSON: Final = ".json"  # these are read to be compared
_PACKAGES: Final = ("jinja2", "markupsafe")

_WordPlace = tuple[int, int, int, int]
"""The text between two offsets is the word with a number, laid out at an indent or as JSON."""

_Edit = tuple[int, int, bytes]
"""The text that replaces what is between two offsets."""


class RecordFiles:
    """The files of the record of additions, by their *digest*, and what *read* returns of them."""

    def __init__(self, digest: str, read: Callable[[], Record | None]) -> None:
        self.digest = digest
        self._read = cached(read)

    def read(self) -> Record | None:
        """Return the record; it is kept for the next call. Raises what `read_record` raises."""
        return self._read()

    def forget(self) -> None:
        """Free the memory that the record takes; it is read again if it is needed."""
        self._read.cache_clear()


def find_record(schemas: Path, table: Table, cache: Cache | None) -> RecordFiles:
    """Return the record beside the definitions in *schemas*, which is read when needed."""

    def read() -> Record | None:
        # slow to import, and not needed if all documents are in the cache
        from dateline.changes.record import read_record

        return read_record(schemas, table, cache)

    return RecordFiles(fresh.digest(schemas / ADDITIONS), read)


def recall_documents(
    api: Api,
    recorded: str,
    folders: Sequence[Path],
    cache: Cache,
    render: Render,
    resized: Resized | None = None,
    keep: Keep = in_memory,
) -> list[Artifact]:
    """Return what *render* returns for *api*, or returned for definitions of the same meaning.

    *recorded* is a digest of the record beside the definitions, and *folders* are those of the
    templates. In a cached document, only words that have changed are laid out again. Documents
    known to be *resized* may come without content. *keep* is called with each document.
    """
    definitions = api.document
    if not isinstance(definitions, Definitions) or api.parts or api.table.shared:
        # the meaning of partial files can't be separated from their words
        return [*map(keep, render(api))]
    # texts of `info` are combined with other texts
    info = json.dumps(api.document.get("info"))
    inputs = cache.list_inputs(folders, _PACKAGES)
    key = cache.key("documents", api.meaning or b"", info, recorded, *inputs)
    origin = DocumentOrigin(key, api.meaning or b"")
    if (head := cache.get(key)) is not None:
        found = _read(json.loads(head), definitions, cache, origin, resized, keep)
        if found is not None:
            return found
    try:
        return _render(api, definitions, cache, origin, render, keep)
    except (DatelineError, ValueError):
        # errors are reported for the definitions themselves
        return [*map(keep, render(api))]


def _render(
    api: Api,
    definitions: Definitions,
    cache: Cache,
    origin: DocumentOrigin,
    render: Render,
    keep: Keep,
) -> list[Artifact]:
    """Render the documents and store them in the *cache*; ValueError if they can't be stored."""
    begin = f"{_MARK}{os.urandom(8).hex()}."
    both = zip(definitions.units, definitions.words, strict=True)
    numbers = {word: number for number, word in enumerate(both)}
    pending: dict[int, PendingText] = {}
    texts: dict[int, str] = {}

    def hide(text: str, unit: Unit) -> str:
        if not text:
            return text
        number = numbers.get((unit, digest_word(text)))
        if number is None:
            raise ValueError("a word that no file has at this place")
        texts[number] = text
        return pending.setdefault(number, PendingText(f"{begin}{number}{_MARK}"))

    info = {key: value for key, value in definitions.items() if key == "info"}
    document = Definitions(replace_in_units(definitions, hide) | info)
    document.meaning = definitions.meaning
    document.comparison = definitions.comparison
    found, rows = [], []
    # the latest version appears twice
    known: dict[bytes, tuple[Artifact, list[Any]]] = {}
    for artifact in render(replace(api, document=document)):
        raw = sha256(artifact.content).digest()
        if raw not in known:
            content, places = _fill(artifact.content, begin, texts)
            digest = sha256(content).hexdigest()
            kept = json.dumps([number for place in places for number in place]).encode()
            # the words have other numbers in definitions of another meaning
            cache.put(cache.key("places of words", origin.key, digest), kept)
            cache.put(cache.key("document", digest), zlib.compress(content, 1))
            shown = sorted({place[2] for place in places})
            kept_artifact = keep(Artifact(path=artifact.path, content=content))
            known[raw] = kept_artifact, [digest, len(content), shown]
        kept_artifact, row = known[raw]
        if artifact.path.endswith(_JSON):
            note_origin(cache, artifact.path, row[0], origin)
        rows.append([artifact.path, *row])
        found.append(kept_artifact.move(artifact.path))
    cache.put(origin.key, json.dumps([definitions.words, rows]).encode())
    return found


def _fill(raw: bytes, begin: str, texts: Mapping[int, str]) -> tuple[bytes, list[_WordPlace]]:
    """Return the content of a file with all words filled in, and their positions."""
    pieces: list[bytes] = []
    places: list[_WordPlace] = []
    end = size = 0
    start, mark = re.escape(begin.encode()), _MARK.encode()
    pattern = rb'"%b(\d+)%b"|%b(\d+)\.(\d+)%b' % (start, mark, start, mark)
    for found in re.finditer(pattern, raw):
        number = int(found[1] or found[2])
        indent = int(found[3]) if found[3] else _OF_JSON
        between, word = raw[end : found.start()], _lay_out(texts[number], indent)
        pieces += (between, word)
        size += len(between) + len(word)
        places.append((size - len(word), size, number, indent))
        end = found.end()
    filled = b"".join([*pieces, raw[end:]])
    if begin.encode() in filled:
        raise ValueError("a word where none can be filled in")
    return filled, places


def _lay_out(text: str, indent: int) -> bytes:
    return (json_text(text) if indent == _OF_JSON else yaml_text(text, indent)[1:]).encode()


def _read(
    head: list[Any],
    definitions: Definitions,
    cache: Cache,
    origin: DocumentOrigin,
    resized: Resized | None,
    keep: Keep,
) -> list[Artifact] | None:
    """Return the documents of *definitions* from the cache, or None if some part is missing."""
    before, rows = head
    both = enumerate(zip(before, definitions.words, strict=True))
    changed = {number: now for number, (then, now) in both if then != now}
    known = definitions.find_words(changed.values())
    texts = {number: known[digest] for number, digest in changed.items()}
    contents: dict[str, Artifact] = {}
    found = []
    for path, digest, size, numbers in rows:
        edits: list[_Edit] = []
        if not changed.keys().isdisjoint(numbers):
            places = cache.get(cache.key("places of words", origin.key, digest))
            if places is None:
                return None
            edits = list(_list_edits(json.loads(places), texts))
            size += sum(len(text) - (end - begin) for begin, end, text in edits)
            if resized is not None and resized(path, size):
                found.append(Artifact(path=path, content=b""))
                continue
        if digest not in contents:
            kept = cache.get(cache.key("document", digest))
            if kept is None:
                return None
            content = b"".join(_replace(zlib.decompress(kept), edits))
            contents[digest] = keep(Artifact(path=path, content=content))
        artifact = contents[digest].move(path)
        if edits and path.endswith(_JSON):
            note_origin(cache, path, sha256(artifact.content).hexdigest(), origin)
        found.append(artifact)
    return found


def _list_edits(places: list[int], texts: Mapping[int, str]) -> Iterator[_Edit]:
    """Yield the *places* of words that are in *texts*, with their new content."""
    for at in range(2, len(places), 4):
        if places[at] in texts:
            begin, end, number, indent = places[at - 2 : at + 2]
            yield begin, end, _lay_out(texts[number], indent)


def _replace(content: bytes, edits: Iterable[_Edit]) -> Iterator[bytes]:
    last = 0
    for begin, end, text in edits:
        yield content[last:begin]
        yield text
        last = end
    yield content[last:]
