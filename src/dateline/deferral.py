"""Source whose words are filled in last, so that the rest of it can be kept while they change.

In place of a word, definitions have a placeholder. What is laid out with one in it is deferred:
the source has its name, a digest of its parts, until `dateline.python.filling` lays the parts out
with the word itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import blake2b
from typing import Any, Final

_WORD, _FLOWING, _DEFERRED = "\U0001d300", "\U0001d301", "\x7f"
MARKS: Final = (_WORD, _FLOWING, _DEFERRED)
"""Characters of placeholders and of deferred source, which definitions must not have themselves."""

# The last one is as it is in JSON, too, and keeps source ASCII: texts take a byte a character.
_NAME: Final = rf"{_DEFERRED}([0-9a-f]{{24}}){_DEFERRED}"
_MARK: Final = re.compile(f"[{''.join(MARKS)}]")
_MARKED: Final = re.compile(
    rf"{_WORD}[a-z]*([0-9]+){_WORD}|{_FLOWING}[a-z]*([0-9]+){_FLOWING}|{_NAME}"
)
_DEFERRED_ALONE: Final = re.compile(_NAME)

# What is asked of a word before it is laid out, so that a placeholder has to say it, too.
_ASKED: Final = "deprecated"

Parts = dict[str, str]
"""What deferred source is laid out from, as JSON, by its name."""

_PARTS: Final[ContextVar[Parts | None]] = ContextVar("parts", default=None)


@contextmanager
def deferring() -> Iterator[Parts]:
    """Yield the parts of what is deferred from now on, which go at the end."""
    parts: Parts = {}
    token = _PARTS.set(parts)
    try:
        yield parts
    finally:
        _PARTS.reset(token)


def create_placeholder(number: int, text: str) -> str:
    """Return the placeholder of the word *text*; a blank one stays what it is."""
    if not text.strip():
        return text
    said = _ASKED if _ASKED in text.lower() else ""
    return f"{_WORD}{said}{number}{_WORD}"


def has_marks(text: str) -> bool:
    """Return whether *text* has a placeholder in it, or deferred source."""
    return _DEFERRED in text or (not text.isascii() and _MARK.search(text) is not None)


def waits(text: str) -> bool:
    """Return whether source with *text* in it is to be deferred: never outside of `deferring`."""
    return _PARTS.get() is not None and has_marks(text)


def ends_deferred(text: str) -> bool:
    """Return whether *text* ends with something deferred: never outside of `deferring`."""
    return _PARTS.get() is not None and text.endswith(_DEFERRED)


def join_lines(text: str) -> str:
    """Return *text* as running text in one line."""
    return " ".join(text.split()).replace(_WORD, _FLOWING)


def defer(kind: str, *parts: Any) -> str:
    """Return the name of what *kind* of source is laid out from *parts*, plain JSON values.

    Only for what `waits`.
    """
    known = _PARTS.get()
    assert known is not None, "nothing waits outside of `deferring`"
    written = json.dumps([kind, *parts], ensure_ascii=False)
    name = blake2b(written.encode(errors="surrogatepass"), digest_size=12).hexdigest()
    known[name] = written
    return f"{_DEFERRED}{name}{_DEFERRED}"


def fill_in(written: str, words: Callable[[int], str], lay_out: Callable[[str], str]) -> Any:
    """Return the parts of deferred source, which are *written* as JSON, with nothing deferred.

    *words* are given by their numbers; *lay_out* returns what is deferred within, by its name.
    """

    def find(found: re.Match[str]) -> str:
        if found[1]:
            text = words(int(found[1]))
        elif found[2]:
            text = join_lines(words(int(found[2])))
        else:
            text = lay_out(found[3])
        return json.dumps(text, ensure_ascii=False)[1:-1]

    return json.loads(_MARKED.sub(find, written))


def split_deferred(text: str) -> list[str]:
    """Return the pieces of *text*: as it is, the name of what is deferred, as it is, and so on."""
    return _DEFERRED_ALONE.split(text)
