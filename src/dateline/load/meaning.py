"""The meaning of definitions, without their documentation.

Most results about definitions don't depend on descriptions, and most edits change only
descriptions, so earlier results stay valid.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import blake2b, sha256
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple

from dateline.cache import Cache
from dateline.model import GATES, WAS
from dateline.openapi import Arrangement, slot
from dateline.schema.words import WORDS_OF

Unit = tuple[str, ...]
"""The path of an operation, a path item or a component; empty for the rest of a document."""

_PATH_STEPS: Final = 2
"""How many steps lead to a path item or webhook."""


class Word(NamedTuple):
    """The digest of a word, and the unit that it is in."""

    unit: Unit
    digest: str


class Meaning(NamedTuple):
    """A digest of a file without its words, and one of each of its words, in their order.

    It may have gates only if it *varies*: otherwise, all versions have all of it.

    Two files with the same ``structure`` have words in the same places.
    """

    structure: bytes
    words: tuple[Word, ...]
    varies: bool

    @classmethod
    def of(cls, document: dict[str, Any]) -> Meaning:
        """Return the meaning of *document*."""
        words: list[Word] = []

        def take(text: str, unit: Unit) -> bool:
            words.append(Word(unit, digest_word(text)))
            return bool(text)

        structure = json.dumps(replace_in_units(document, take))
        varies = any(f'"{gate}"' in structure for gate in GATES)
        return cls(sha256(structure.encode()).digest(), tuple(words), varies)

    @classmethod
    def restore(cls, row: Sequence[Any]) -> Meaning:
        """Return the meaning of which `write` returned *row*."""
        structure, varies, units = row
        words = [Word(tuple(unit), digest) for unit, digests in units for digest in digests]
        return cls(bytes.fromhex(structure), tuple(words), varies)

    def write(self) -> list[Any]:
        """Return the meaning as plain values."""
        units = groupby(self.words, itemgetter(0))
        rows = [(unit, [word.digest for word in words]) for unit, words in units]
        return [self.structure.hex(), self.varies, rows]


def digest_word(text: str) -> str:
    """Return the digest of a word."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest()


def list_words(meanings: Iterable[Meaning]) -> tuple[Word, ...]:
    """Return each word once for each unit that it is in, in the order of the files.

    Sets of files with the same joint meaning have equally many words, in the same places.
    """
    return tuple(dict.fromkeys(word for meaning in meanings for word in meaning.words))


def join_meanings(meanings: Iterable[tuple[str, Meaning]]) -> bytes:
    """Return a digest of the joint meaning of files, by name, without the content of their words.

    It includes which words are empty, and which words of a unit are equal: two descriptions that
    become equal can make a value in a history equal to what is there now. Which texts of different
    units are equal is left to `digest_comparison`.
    """
    total = sha256()
    numbers: dict[Word, int] = {}
    for name, meaning in meanings:
        total.update(json.dumps(name).encode() + meaning.structure)
        places = [numbers.setdefault(word, len(numbers)) for word in meaning.words]
        total.update(json.dumps(places).encode())
    return total.digest()


def digest_comparison(meanings: Sequence[Meaning], *, refers: bool) -> bytes:
    """Return a digest of which words of files are equal, across units.

    Where two versions are compared, a position may be in a unit of its own in each: a reference
    leads elsewhere, or a parameter is that of the path. Empty if nothing differs between versions,
    in no file and in none that these *refer* to.
    """
    if not (refers or any(meaning.varies for meaning in meanings)):
        return b""
    numbers: dict[str, int] = {}
    words = (word for meaning in meanings for word in meaning.words)
    places = [numbers.setdefault(word.digest, len(numbers)) for word in words]
    return sha256(json.dumps(places).encode()).digest()


def digest_equality(document: dict[str, Any]) -> bytes:
    """Return a digest of which words of *document* are equal.

    Necessary if references lead to other files: there, a word may be in an object whose kind only
    a reference determines, and then it is part of the structure of its file.
    """
    numbers: dict[str, int] = {}
    places: list[int] = []

    def note(text: str) -> str:
        places.append(numbers.setdefault(text, len(numbers)))
        return text

    replace_words("document", document, note)
    return sha256(json.dumps(places).encode()).digest()


class DocumentOrigin(NamedTuple):
    """What a document was generated from; at one path, documents with one ``key`` differ in words.

    ``meaning`` is that of the definitions.
    """

    key: bytes
    meaning: bytes


def note_origin(cache: Cache, path: str, digest: str, origin: DocumentOrigin) -> None:
    """Note in the *cache* that the document at *path* with this SHA-256 comes from *origin*."""
    content = json.dumps([origin.key.hex(), origin.meaning.hex()])
    cache.put(cache.key("origin", path, digest), content.encode())


def find_origin(cache: Cache, path: str, document: bytes) -> DocumentOrigin | None:
    """Return the origin of *document* at *path* as `note_origin` noted it, or None.

    At another path it would be the contract of another version.
    """
    known = cache.get(cache.key("origin", path, sha256(document).hexdigest()))
    return None if known is None else DocumentOrigin(*map(bytes.fromhex, json.loads(known)))


def find_words(
    files: Sequence[tuple[Meaning, dict[str, Any]]], wanted: Collection[str]
) -> dict[str, str]:
    """Return the texts of the words in *files* whose digests are *wanted*."""
    found: dict[str, str] = {}

    def note(text: str) -> str:
        return found.setdefault(digest_word(text), text)

    for meaning, document in files:
        known = {word.digest for word in meaning.words}
        if not found.keys() >= set(wanted) and not known.isdisjoint(wanted):
            replace_words("document", document, note)
    return found


def replace_words(kind: str, node: Any, replace: Callable[[str], Any]) -> Any:
    """Return *node*, an object of *kind*, with each of its words replaced by *replace*."""
    return _replace(kind, node, lambda text, _: replace(text), ())


def replace_in_units(document: dict[str, Any], replace: Callable[[str, Unit], Any]) -> Any:
    """Return *document* with each of its words replaced by *replace*, which gets its unit, too."""
    return _replace("document", document, replace, ())


def _find_unit(holder: str, kind: str, around: Unit, *steps: str) -> Unit:
    """Return the unit of an object of *kind*, *steps* below a *holder* that is in *around*."""
    if holder == "components":
        return (holder, *steps)
    if kind == "path-item" and not around:
        return (holder, *steps) if holder == "paths" else steps
    if kind == "operation" and len(around) == _PATH_STEPS:
        return (*around, *steps)
    return around


def _replace(kind: str, node: Any, replace: Callable[[str, Unit], Any], unit: Unit) -> Any:
    if not isinstance(node, dict):
        return node
    replaced = {}
    for key, value in node.items():
        if isinstance(value, str):
            if key in WORDS_OF[kind]:
                value = replace(value, unit)
        elif isinstance(value, dict):
            arrangement, below = slot(kind, key)
            if arrangement is Arrangement.ONE:
                value = _replace(below, value, replace, _find_unit(kind, below, unit, key))
            elif arrangement is Arrangement.MAP:
                value = {
                    name: _replace(below, child, replace, _find_unit(kind, below, unit, key, name))
                    for name, child in value.items()
                }
            elif key == WAS:
                # a history contains former values of the keys of the object
                value = {
                    name: _replace(kind, child, replace, unit) for name, child in value.items()
                }
        elif isinstance(value, list):
            arrangement, below = slot(kind, key)
            if arrangement is Arrangement.LIST:
                value = [_replace(below, child, replace, unit) for child in value]
        replaced[key] = value
    return replaced
