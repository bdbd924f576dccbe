"""What definitions mean, but for what their words say.

Nearly all that is found out about definitions does not depend on what a description says. Most
edits change descriptions, so that what was found out before them still holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b, sha256
from typing import Any, Final, NamedTuple

WORDS: Final = frozenset({"description", "summary"})
"""The keys of texts for people."""

# What is below these is data, or has keys that the author chose: a text may mean something there
# whatever its key.
_DATA: Final = frozenset(
    {"const", "default", "enum", "example", "examples", "links", "mapping", "scopes"}
)
_HISTORY: Final = "x-was"


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
        structure = json.dumps(_take_words(document, words))
        return cls(sha256(structure.encode()).digest(), tuple(words))


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


def _take_words(node: Any, words: list[str]) -> Any:
    """Return *node* with nothing in the place of its words, which are added to *words*."""
    if isinstance(node, dict):
        made = {}
        for key, value in node.items():
            if key in WORDS and isinstance(value, str):
                made[key] = bool(value)
                words.append(
                    blake2b(value.encode(errors="surrogatepass"), digest_size=12).hexdigest()
                )
            elif isinstance(value, dict | list) and not _is_data(key):
                made[key] = _take_words(value, words)
            else:
                made[key] = value
        return made
    if isinstance(node, list):
        return [
            _take_words(child, words) if isinstance(child, dict | list) else child for child in node
        ]
    return node


def _is_data(key: str) -> bool:
    return key in _DATA or (key.startswith("x-") and key != _HISTORY)
