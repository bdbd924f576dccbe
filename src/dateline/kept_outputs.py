"""Cache the package and the site by the meaning of the definitions; words are filled in last."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from dateline.cache import Cache, compress, pack, unpack
from dateline.collector import return_memory
from dateline.deferral import create_placeholder, deferring, has_marks
from dateline.load.meaning import Unit, replace_in_units
from dateline.model import Api, Artifact, DatelineError, Definitions, Keep, Place, in_memory
from dateline.project import Projector
from dateline.python.filling import Deferred, Filling

Render = Callable[[Api], tuple[list[Artifact], list[str]]]
"""Returns files, and notes."""

_BEGIN, _END = "\ue000", "\ue001"
_PLACE: Final = re.compile(f"{_BEGIN}(.*?){_END}:0:0")
"""Stands in notes for positions in the sources, which edits of words move."""

_NAME: Final = re.compile(r"\S+ /")
"""How the name of an operation begins: pages show a summary beside one only if it differs."""


class HiddenWords:
    """Definitions with placeholders in place of their words."""

    def __init__(self, api: Api) -> None:
        self.original = api
        self._title = str(api.document.get("info", {}).get("title"))

    @cached_property
    def _replaced(self) -> tuple[dict[str, Any], list[str]]:
        """The document with placeholders, and the text of each, by its number.

        Equal texts of different units are different words, unless versions are compared.
        """
        numbers: dict[tuple[Unit, str], int] = {}
        before = self.original.document
        are_compared = isinstance(before, Definitions) and bool(before.comparison)

        def hide(text: str, unit: Unit) -> str:
            word = (() if are_compared else unit, text)
            return self._hide(numbers.setdefault(word, len(numbers)), text)

        document = replace_in_units(before, hide)
        return document, [text for _, text in numbers]

    @property
    def words(self) -> list[str]:
        """The text of each placeholder, by its number."""
        return self._replaced[1]

    @property
    def is_possible(self) -> bool:
        """Whether placeholders can be distinguished from all else in the definitions."""
        return self.original.meaning is not None and not any(map(has_marks, self.words))

    def _hide(self, number: int, text: str) -> str:
        """Return the placeholder of *text*, or a word itself that is compared with other texts."""
        is_compared = self._title.startswith(text) or _NAME.match(text)
        return text if is_compared else create_placeholder(number, text)

    @cached_property
    def known(self) -> str:
        """What the placeholders reveal of the words, as text."""
        return json.dumps([self._hide(0, text) for text in self.words])

    @cached_property
    def digests(self) -> list[str]:
        """A digest of each of the words."""
        return [*map(_digest, self.words)]

    @cached_property
    def api(self) -> Api:
        """The definitions with placeholders, of the same meaning, and without positions."""
        definitions = Definitions(self._replaced[0])
        if isinstance(self.original.document, Definitions):
            definitions.meaning = self.original.document.meaning
            definitions.comparison = self.original.document.comparison
        return replace(
            self.original,
            document=definitions,
            locate=lambda path: Place(f"{_BEGIN}{json.dumps(path)}{_END}", 0, 0),
        )

    @cached_property
    def projector(self) -> Projector:
        """What projects them."""
        return Projector(self.api)


def recall_outputs(
    kind: str,
    hidden: HiddenWords,
    inputs: tuple[Iterable[Path], Iterable[str]],
    cache: Cache,
    render: Render,
    keep: Keep = in_memory,
    *,
    list_quoted: Callable[[], Collection[str]] = tuple,
) -> tuple[list[Artifact], list[str]]:
    """Return what *render* returns for the original of *hidden*, or for the same meaning.

    *inputs* are the folders of templates and the packages that outputs of this *kind* are laid out
    with. Only parts with words that have changed are laid out again, or everything if a word has
    changed that *list_quoted* returns: one that *render* takes from elsewhere, not from the
    definitions that it is given. *keep* is called with each file once its words are filled in.
    """
    api = hidden.original
    if not hidden.is_possible:
        return render(api)
    key = cache.key(kind, api.comparison or b"", hidden.known, *cache.list_inputs(*inputs))
    try:
        known = cache.get(key)
        found = None if known is None else _read(known, hidden, keep)
        artifacts, notes = found or _render(hidden, key, cache, render, keep, list_quoted)
    except (DatelineError, ValueError, KeyError):
        # errors have their places in the definitions themselves
        return render(api)
    return artifacts, [_PLACE.sub(lambda found: _locate(api, found[1]), note) for note in notes]


def _render(
    hidden: HiddenWords,
    key: bytes,
    cache: Cache,
    render: Render,
    keep: Keep,
    list_quoted: Callable[[], Collection[str]],
) -> tuple[list[Artifact], list[str]]:
    """Return the files and notes with all words, and store them in the *cache*."""
    with deferring() as parts:
        rendered, notes = render(hidden.api)
    return_memory()
    artifacts, kept = _fill(rendered, Filling(parts, hidden.words.__getitem__), keep)
    texts = {*list_quoted()}
    quoted = [number for number, text in enumerate(hidden.words) if text in texts]
    cache.put(key, pack([hidden.digests, quoted, notes], kept))
    return artifacts, notes


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=9).hexdigest()


def _locate(api: Api, path: str) -> str:
    return str(api.locate(tuple(json.loads(path))))


def _read_text(artifact: Artifact) -> str:
    """Return the text of *artifact*; ValueError if it is not text, or contains a position."""
    text = artifact.content.decode()
    if _BEGIN in text:
        raise ValueError("a place in the sources")
    return text


def _fill(
    rendered: list[Artifact], filling: Filling, keep: Keep
) -> tuple[list[Artifact], list[bytes]]:
    """Return the *rendered* files with the words of *filling*, and what to store of them.

    The list is emptied. Raises ValueError if a word, or a position in the sources, is somewhere it
    can't be filled in.
    """
    artifacts, kept = [], []
    rendered.reverse()
    while rendered:
        # some files are large, so nothing is in memory twice for long
        path, pieces = _split(rendered.pop(), filling)
        artifacts.append(keep(Artifact(path=path, content=filling.join(pieces).encode())))
        kept.append(compress(json.dumps([path, pieces]).encode()))
    return artifacts, [compress(json.dumps(filling.known).encode()), *kept]


def _split(artifact: Artifact, filling: Filling) -> tuple[str, list[Any]]:
    return artifact.path, [*filling.split(_read_text(artifact))]


def _read(kept: bytes, hidden: HiddenWords, keep: Keep) -> tuple[list[Artifact], list[str]] | None:
    """Return the *kept* files and notes with the words of *hidden*; None if they quote others."""
    (before, quoted, notes), parts = unpack(kept)
    both = enumerate(zip(before, hidden.digests, strict=True))
    changed = {number for number, (old, new) in both if old != new}
    if not changed.isdisjoint(quoted):
        return None
    deferred, *files = map(json.loads, parts)
    waiting = {name: row[0] for name, row in deferred.items()}
    known = {name: Deferred(*row) for name, row in deferred.items() if changed.isdisjoint(row[2])}
    filling = Filling(waiting, hidden.words.__getitem__, known)
    artifacts = [
        keep(Artifact(path=path, content=filling.join(pieces).encode())) for path, pieces in files
    ]
    return artifacts, notes
