"""Phrase values, kinds of objects and near misses for messages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

_LONGEST: Final = 60
_MOST: Final = 8

_VOWELS: Final = frozenset("aeiou")

_BEGINS_WORD: Final = re.compile(
    r"""
    (?<! (?<![A-Za-z0-9]) [a-z] (?=[A-Z]{2}) )  # but not in `iOS` and `mTLS`,
    (?<! (?<![A-Z]) O (?=Auth) ) (?<! (?<![A-Za-z0-9]) o (?=Auth) )
    (?<! (?<![A-Z]) E (?=Tag) ) (?<! (?<![A-Za-z0-9]) e (?=Tag) )
    (?:
        (?<=[a-z0-9]) (?=[A-Z])
      | (?<=[A-Z]) (?=[A-Z][a-z])
        (?! [A-Z]v[0-9]  # `IPv4`
          | [A-Z]s(?![A-Za-z]) | (?: [B-HJ-Z] | (?<=AP)I )s(?![a-z])  # `URLsById`, not `IDIsSet`
        )
    )
    """,
    re.VERBOSE,
)


# versions have the same names many times over
@lru_cache(maxsize=1 << 14)
def split_camel(name: str) -> tuple[str, ...]:
    """Return the words of *name*, which is in camel case: `get`, `OAuth`, `URLs`."""
    return tuple(_BEGINS_WORD.split(name))


def quote(value: Any) -> str:
    """Return *value* for a message: short values as JSON, others by their kind."""
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…")
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value}"
    return "a mapping" if isinstance(value, dict) else "a list"


def quote_all(values: Iterable[Any]) -> str:
    """Return *values* as JSON, joined; of many only the first few."""
    written = [quote(value).removeprefix("the number ") for value in values]
    return ", ".join(written[:_MOST]) + (", …" if len(written) > _MOST else "")


def phrase_count(number: int, one: str, many: str) -> str:
    """Return *number* with the words that go with it: those for *one*, or for *many*."""
    return f"{number:,} {one if number == 1 else many}"


def name_kind(kind: str) -> str:
    """Return a kind of OpenAPI object or a JSON type with its article: `an operation`."""
    if kind in ("info", "components", "paths", "responses", "external-docs"):
        return f"`{kind.replace('-d', 'D')}`"
    if kind in ("document", "null"):
        return "the document" if kind == "document" else kind
    return f"{'an' if kind[0] in _VOWELS else 'a'} {kind.replace('-', ' ')}"


def find_nearest(word: str, known: Iterable[str], closeness: float = 0.6) -> str | None:
    """Return the *known* word that *word* was probably meant to be, if any."""
    # imported for a message only
    from difflib import get_close_matches

    names = list(known)
    folded = word.casefold().replace("_", "").replace("-", "")
    for name in names:
        if name.casefold().replace("_", "").replace("-", "") == folded:
            return name
    found = get_close_matches(word, names, n=1, cutoff=closeness)
    return found[0] if found else None


def suggest(word: str, known: Iterable[str], closeness: float = 0.6) -> str:
    """Return the end of a message about *word*: the nearest of *known*, if one is near."""
    nearest = find_nearest(word, known, closeness)
    return "" if nearest is None else f"; did you mean {nearest!r}?"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a message about the unknown *word*: the nearest of *known*, or all."""
    names = list(known)
    listed = f"; known: {', '.join(names[:_MOST])}{', …' if len(names) > _MOST else ''}"
    return suggest(word, names) or (listed if names else "")


def join_quoted(words: Iterable[str]) -> str:
    """Return *words* quoted and joined: `'a', 'b' and 'c'`."""
    quoted = [repr(word) for word in words]
    return " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def say_repeated(value: Any) -> str:
    """Return the message about *value* that occurs twice in a list."""
    return f"{quote(value)} is in the list already; leave one out"


_MOST_ALIKE: Final = 10
"""The number of equal notes about different places that are shown one by one."""


def group_notes(notes: Sequence[str]) -> list[str]:
    """Return *notes*, `PLACE: what`; for many equal ones, the first and the number of others."""
    counts = Counter(note.partition(": ")[2] for note in notes)
    grouped: dict[str, str] = {}
    for note in notes:
        place, _, text = note.partition(": ")
        more = counts[text] - 1
        is_one_of_many = bool(text) and more >= _MOST_ALIKE
        grouped.setdefault(
            text if is_one_of_many else note,
            f"{place} (and {more} more places): {text}" if is_one_of_many else note,
        )
    return list(grouped.values())
