"""The meaning of definitions, apart from their documentation.

Nearly all that is found out about definitions does not depend on what a description says. Most
edits change descriptions, so that what was found out before them still holds.
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
    """A digest of all but the words of a file, and one of each of its words, in their order.

    Two files of the same ``structure`` have words in the same places.
    """

    structure: bytes
    words: tuple[str, ...]

    @classmethod
    def of(cls, document: dict[str, Any]) -> Meaning:
        """Return what *document* means."""
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
    """Return the digest of each word, once, in the order in which files have them.

    Files that have one meaning together have as many, at the same places.
    """
    return tuple(dict.fromkeys(word for meaning in meanings for word in meaning.words))


def join_meanings(meanings: Iterable[tuple[str, Meaning]]) -> bytes:
    """Return a digest of what files, by name, mean together, but for what their words say.

    Words count as far as they are the same as others, or empty: two descriptions that become equal
    can make two schemas equal.
    """
    total = sha256()
    numbers: dict[str, int] = {}
    for name, meaning in meanings:
        total.update(json.dumps(name).encode() + meaning.structure)
        places = [numbers.setdefault(word, len(numbers)) for word in meaning.words]
        total.update(json.dumps(places).encode())
    return total.digest()


def find_words(
    files: Sequence[tuple[Meaning, dict[str, Any]]], wanted: Collection[str]
) -> dict[str, str]:
    """Return the texts of the words with the digests that are *wanted*, which *files* have."""
    found: dict[str, str] = {}

    def note(text: str) -> str:
        return found.setdefault(digest_word(text), text)

    for meaning, document in files:
        if not found.keys() >= set(wanted) and not set(wanted).isdisjoint(meaning.words):
            replace_words("document", document, note)
    return found


def replace_words(kind: str, node: Any, replace: Callable[[str], Any]) -> Any:
    """Return *node*, an object of *kind*, with what *replace* returns for each of its words."""
    if not isinstance(node, dict):
        return node
    made = {}
    for key, value in node.items():
        if isinstance(value, str):
            if key in WORDS_OF[kind]:
                value = replace(value)
        elif isinstance(value, dict):
            arrangement, below = slot(kind, key)
            if arrangement is Arrangement.ONE:
                value = replace_words(below, value, replace)
            elif arrangement is Arrangement.MAP or key == WAS:
                # a history holds what the keys of the object were
                below = kind if key == WAS else below
                value = {
                    name: replace_words(below, child, replace) for name, child in value.items()
                }
        elif isinstance(value, list):
            arrangement, below = slot(kind, key)
            if arrangement is Arrangement.LIST:
                value = [replace_words(below, child, replace) for child in value]
        made[key] = value
    return made
