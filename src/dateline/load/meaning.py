"""The meaning of definitions, without their documentation.

Most results about definitions don't depend on descriptions, and most edits change only
descriptions, so earlier results stay valid.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import blake2b, sha256
from typing import Any, NamedTuple

from dateline.model import WAS
from dateline.openapi import Arrangement, slot
from dateline.schema.words import WORDS_OF


class Meaning(NamedTuple):
    """A digest of a file without its words, and one of each of its words, in their order.

    Two files with the same ``structure`` have words in the same places.
    """

    structure: bytes
    words: tuple[str, ...]

    @classmethod
    def of(cls, document: dict[str, Any]) -> Meaning:
        """Return the meaning of *document*."""
        words: list[str] = []

        def take(text: str) -> bool:
            words.append(digest_word(text))
            return bool(text)

        structure = json.dumps(replace_words("document", document, take))
        return cls(sha256(structure.encode()).digest(), tuple(words))


def digest_word(text: str) -> str:
    """Return the digest of a word."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest()


def list_words(meanings: Iterable[Meaning]) -> tuple[str, ...]:
    """Return the digest of each word, once, in the order of the files.

    Sets of files with the same joint meaning have equally many words, in the same places.
    """
    return tuple(dict.fromkeys(word for meaning in meanings for word in meaning.words))


def join_meanings(meanings: Iterable[tuple[str, Meaning]]) -> bytes:
    """Return a digest of the joint meaning of files, by name, without the content of their words.

    It includes which words are equal or empty: two descriptions that become equal can make two
    schemas equal.
    """
    total = sha256()
    numbers: dict[str, int] = {}
    for name, meaning in meanings:
        total.update(json.dumps(name).encode() + meaning.structure)
        places = [numbers.setdefault(word, len(numbers)) for word in meaning.words]
        total.update(json.dumps(places).encode())
    return total.digest()


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


def find_words(
    files: Sequence[tuple[Meaning, dict[str, Any]]], wanted: Collection[str]
) -> dict[str, str]:
    """Return the texts of the words in *files* whose digests are *wanted*."""
    found: dict[str, str] = {}

    def note(text: str) -> str:
        return found.setdefault(digest_word(text), text)

    for meaning, document in files:
        if not found.keys() >= set(wanted) and not set(wanted).isdisjoint(meaning.words):
            replace_words("document", document, note)
    return found


def replace_words(kind: str, node: Any, replace: Callable[[str], Any]) -> Any:
    """Return *node*, an object of *kind*, with each of its words replaced by *replace*."""
    if not isinstance(node, dict):
        return node
    replaced = {}
    for key, value in node.items():
        if isinstance(value, str):
            if key in WORDS_OF[kind]:
                value = replace(value)
        elif isinstance(value, dict):
            arrangement, below = slot(kind, key)
            if arrangement is Arrangement.ONE:
                value = replace_words(below, value, replace)
            elif arrangement is Arrangement.MAP or key == WAS:
                # a history contains former values of the keys of the object
                below = kind if key == WAS else below
                value = {
                    name: replace_words(below, child, replace) for name, child in value.items()
                }
        elif isinstance(value, list):
            arrangement, below = slot(kind, key)
            if arrangement is Arrangement.LIST:
                value = [replace_words(below, child, replace) for child in value]
        replaced[key] = value
    return replaced
