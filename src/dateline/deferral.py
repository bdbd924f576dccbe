"""Fill words into source last, so that the rest of it can be cached while they change.

Definitions have a placeholder in place of each word. Source with a placeholder in it is deferred:
a name, the digest of its parts, takes its place until `dateline.python.filling` lays the parts out
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

_write: Final = json.JSONEncoder(ensure_ascii=False).encode

# Templates test whether a word contains this, so its placeholder has to contain it, too.
_TESTED: Final = "deprecated"

Parts = dict[str, str]
"""The parts of deferred source, as JSON, by its name."""

_PARTS: Final[ContextVar[Parts | None]] = ContextVar("parts", default=None)


@contextmanager
def deferring() -> Iterator[Parts]:
    """Yield the parts of all source that is deferred within the block."""
    parts: Parts = {}
    token = _PARTS.set(parts)
    try:
        yield parts
    finally:
        _PARTS.reset(token)


def create_placeholder(number: int, text: str) -> str:
    """Return the placeholder of the word *text*; a blank text is returned as it is."""
    if not text.strip():
        return text
    tested = _TESTED if _TESTED in text.lower() else ""
    return f"{_WORD}{tested}{number}{_WORD}"


def has_marks(text: str) -> bool:
    """Return whether *text* has a placeholder in it, or deferred source."""
    return _DEFERRED in text or (not text.isascii() and _MARK.search(text) is not None)


def waits(text: str) -> bool:
    """Return whether source with *text* in it must be deferred; False outside of `deferring`."""
    return _PARTS.get() is not None and has_marks(text)


def ends_deferred(text: str) -> bool:
    """Return whether *text* ends with deferred source; False outside of `deferring`."""
    return _PARTS.get() is not None and text.endswith(_DEFERRED)


def join_lines(text: str) -> str:
    """Return *text* as running text in one line."""
    return " ".join(text.split()).replace(_WORD, _FLOWING)


def defer(kind: str, *parts: Any) -> str:
    """Return the name of deferred source of this *kind* with these *parts*, plain JSON values.

    Call it only for text that `waits`.
    """
    known = _PARTS.get()
    assert known is not None, "nothing waits outside of `deferring`"
    written = _write([kind, *parts])
    name = blake2b(written.encode(errors="surrogatepass"), digest_size=12).hexdigest()
    known[name] = written
    return f"{_DEFERRED}{name}{_DEFERRED}"


def fill_in(written: str, words: Callable[[int], str], lay_out: Callable[[str], str]) -> Any:
    """Return the parts of deferred source, *written* as JSON, with all words filled in.

    *words* returns a word by its number, *lay_out* nested deferred source by its name.
    """

    def find(found: re.Match[str]) -> str:
        if found[1]:
            text = words(int(found[1]))
        elif found[2]:
            text = join_lines(words(int(found[2])))
        else:
            text = lay_out(found[3])
        return _write(text)[1:-1]

    return json.loads(_MARKED.sub(find, written))


def split_deferred(text: str) -> list[str]:
    """Return the pieces of *text*: plain text and names of deferred source in turn."""
    return _DEFERRED_ALONE.split(text)
