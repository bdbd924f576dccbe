"""A regular expression in, what makes it unfit out: one dialect, and no way to blow up.

The dialect is what ECMA-262 with its `u` flag, Python and Rust read in the same way: literals,
`.`, classes, groups, `|`, `^`, `$`, `\\b` and quantifiers. There are no references back and no
looking around, since an engine that promises linear time has neither. An expression that other
engines could take exponential time over is refused too: a repeated group within which one text
can be read in several ways, such as `(a+)+`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from functools import lru_cache, reduce
from typing import Final, NamedTuple

_LONGEST: Final = 2000
_DEEPEST: Final = 40
_MOST_REPEATS: Final = 1000
# How far two alternatives are compared.
_POSITIONS: Final = 64

# A set of characters is an integer: one bit for each character of ASCII, one for all others.
_OTHER: Final = 1 << 128
_EVERY: Final = (1 << 129) - 1


def _bits(characters: str) -> int:
    return sum(1 << ord(character) for character in set(characters))


_DIGITS: Final = _bits("0123456789")
_WORD: Final = _DIGITS | _bits("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_SPACE: Final = _bits(" \t\n\r\f\v") | _OTHER
_CLASSES: Final = {
    "d": _DIGITS,
    "w": _WORD,
    "s": _SPACE,
    "D": _EVERY & ~_DIGITS,
    "W": _EVERY & ~_WORD,
    "S": _EVERY & ~_SPACE | _OTHER,
}
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}
_SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/")
_PUNCTUATION: Final = frozenset("!\"#%&',-:;=@_`~ ")
_QUANTIFIERS: Final[dict[str, tuple[int, int | None]]] = {
    "*": (0, None),
    "+": (1, None),
    "?": (0, 1),
}

_BRACES: Final = re.compile(r"\{([0-9]{1,5})(,([0-9]{1,5})?)?\}")
_HEX: Final = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})")


class Flaw(NamedTuple):
    """What is wrong with an expression: the id of the problem and its message."""

    id: str
    message: str


class _ForeignError(Exception):
    """The expression is not of the dialect, though some engine may read it."""


class _BrokenError(Exception):
    """The expression is none: no engine reads it."""


class _Piece(NamedTuple):
    """What a part of an expression can match, as far as ambiguity goes.

    ``first`` is what it can begin with; ``open`` holds the beginnings of the quantified parts
    that can still take more when the piece ends; ``fixed`` is the set at each position of a
    piece of one length.
    """

    first: int
    empty: bool
    open: tuple[int, ...]
    fixed: tuple[int, ...] | None


_NOTHING: Final = _Piece(0, True, (), ())


@lru_cache(maxsize=4096)
def flaw(pattern: str) -> Flaw | None:
    """Return what makes *pattern* unfit, None where nothing does."""
    reading = _Reading(pattern)
    try:
        reading.read()
        re.compile(pattern)
    except _ForeignError as refused:
        return Flaw("pattern-dialect", str(refused))
    except _BrokenError as refused:
        return Flaw("pattern-invalid", str(refused))
    except (re.error, OverflowError) as error:
        return Flaw("pattern-invalid", f"{error.args[0]}; mend it")
    if reading.ambiguous is not None:
        return Flaw(
            "pattern-explodes",
            f"{reading.ambiguous!r} can read one text in many ways, and may take forever to; "
            "let what is repeated begin with something that it can't end with",
        )
    if reading.loose is not None:
        return Flaw("pattern-loose", reading.loose)
    return None


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> re.Pattern[str] | None:
    """Return *pattern*, read as ECMA-262 does, for searching; None where it is not fit."""
    unfit = flaw(pattern)
    if unfit is not None and unfit.id != "pattern-loose":
        return None
    reading = _Reading(pattern)
    reading.read()
    text = list(pattern)
    for at in reading.ends:
        # in Python `$` also matches before a line feed at the end
        text[at] = r"\Z"
    return re.compile("".join(text), re.ASCII)


class _Reading:
    """One reading of an expression by recursive descent, with what was noticed on the way."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.depth = 0
        self.ambiguous: str | None = None
        self.loose: str | None = None
        self.ends: list[int] = []

    def read(self) -> None:
        if len(self.pattern) > _LONGEST:
            raise _ForeignError(f"more than {_LONGEST} characters; shorten it")
        self._either()
        if self._peek() == ")":
            raise _BrokenError("a `)` without its `(`; write `\\)` for the character")

    def _peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def _take(self) -> str:
        character = self._peek()
        self.at += 1
        return character

    def _either(self) -> tuple[_Piece, bool]:
        """Read alternatives; also tell whether two of them can begin to match the same text."""
        pieces = [self._sequence()]
        while self._peek() == "|":
            self.at += 1
            pieces.append(self._sequence())
        if len(pieces) == 1:
            return pieces[0], False
        overlap = any(
            _alike(one, other) for i, one in enumerate(pieces) for other in pieces[i + 1 :]
        )
        lengths = {None if piece.fixed is None else len(piece.fixed) for piece in pieces}
        fixed = None
        if len(lengths) == 1 and None not in lengths:
            columns = zip(*(piece.fixed or () for piece in pieces), strict=True)
            fixed = tuple(_union(column) for column in columns)
        merged = _Piece(
            _union(piece.first for piece in pieces),
            any(piece.empty for piece in pieces),
            tuple({still: None for piece in pieces for still in piece.open}),
            fixed,
        )
        return merged, overlap

    def _sequence(self) -> _Piece:
        piece = _NOTHING
        while (character := self._peek()) and character not in "|)":
            piece = _then(piece, self._quantified())
        return piece

    def _quantified(self) -> _Piece:
        start = self.at
        piece, overlap = self._atom()
        least, most = self._quantifier()
        if (least, most) == (1, 1):
            return piece
        if piece == _NOTHING:
            raise _ForeignError("a quantifier behind something that takes nothing; leave it out")
        repeats = most is None or most > 1
        if repeats and (overlap or piece.empty or any(s & piece.first for s in piece.open)):
            self.ambiguous = self.ambiguous or self.pattern[start : self.at]
        still = (*piece.open, piece.first) if least != most else piece.open
        fixed = None
        if piece.fixed is not None and least == most:
            fixed = (piece.fixed * min(least, _POSITIONS))[:_POSITIONS]
        return _Piece(piece.first, piece.empty or least == 0, still, fixed)

    def _quantifier(self) -> tuple[int, int | None]:
        character = self._peek()
        if character == "{":
            return self._braces()
        if character not in _QUANTIFIERS:
            return 1, 1
        self.at += 1
        self._lazy()
        return _QUANTIFIERS[character]

    def _braces(self) -> tuple[int, int | None]:
        match = _BRACES.match(self.pattern, self.at)
        if match is None:
            raise _ForeignError("a `{` that begins no quantifier; write `\\{` for the character")
        self.at = match.end()
        self._lazy()
        least = int(match[1])
        most = least if match[2] is None else (int(match[3]) if match[3] else None)
        if most is not None and most < least:
            raise _BrokenError(f"{match[0]!r} has its bounds the wrong way round; swap them")
        if max(least, most or 0) > _MOST_REPEATS:
            raise _ForeignError(f"{match[0]!r} repeats over {_MOST_REPEATS} times; use maxLength")
        return least, most

    def _lazy(self) -> None:
        if self._peek() == "?":
            self.at += 1
        if self._peek() and self._peek() in "*+?{":
            raise _BrokenError("one quantifier behind another; put the first in a group")

    def _atom(self) -> tuple[_Piece, bool]:
        start = self.at
        character = self._take()
        if character == "(":
            return self._group()
        if character == "[":
            return _one(self._class()), False
        if character == ".":
            return _one(_EVERY & ~_bits("\n\r")), False
        if character == "\\":
            return self._escape(), False
        if character in "^$":
            if character == "$":
                self.ends.append(start)
            return _NOTHING, False
        if character in "*+?":
            raise _BrokenError(f"a `{character}` with nothing before it; write `\\{character}`")
        if character == "{":
            raise _ForeignError("a `{` that begins no quantifier; write `\\{` for the character")
        if character in "]}":
            self._loosely(f"a bare `{character}`; write `\\{character}` for the character")
        return _one(_character(character)), False

    def _group(self) -> tuple[_Piece, bool]:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _ForeignError(f"groups more than {_DEEPEST} deep; write it flatter")
        if self._peek() == "?":
            opening = self.pattern[self.at - 1 : self.at + 2]
            if not opening.startswith("(?:"):
                raise _ForeignError(
                    f"{opening!r} is not read alike everywhere; only (...) and (?:...) are"
                )
            self.at += 2
        piece = self._either()
        if self._take() != ")":
            raise _BrokenError("a `(` that is not closed; write `\\(` for the character")
        self.depth -= 1
        return piece

    def _escape(self) -> _Piece:
        character = self._take()
        if character in ("b", "B"):
            return _NOTHING
        return _one(self._escaped(character, in_class=False))

    def _escaped(self, character: str, *, in_class: bool) -> int:
        """Return the set of what stands behind a backslash; *character* is taken already."""
        if character in _CLASSES:
            return _CLASSES[character]
        if character in _CONTROLS:
            return _character(_CONTROLS[character])
        if character in _SYNTAX or (in_class and character == "-"):
            return _character(character)
        match = _HEX.match(self.pattern, self.at - 1)
        if match is not None:
            self.at = match.end()
            return _character(chr(int(match[1] or match[2], 16)))
        if character in _PUNCTUATION:
            self._loosely(f"'\\{character}' needs no backslash; write `{character}`")
            return _character(character)
        if not character:
            raise _BrokenError("a backslash at the end; write `\\\\` for the character")
        raise _ForeignError(
            f"'\\{character}' is not read alike everywhere; write the characters themselves"
        )

    def _class(self) -> int:
        negated = self._peek() == "^"
        self.at += negated
        members = 0
        if self._peek() == "]":
            raise _ForeignError("an empty class; name its characters")
        while (character := self._take()) != "]":
            if not character:
                raise _BrokenError("a `[` that is not closed; write `\\[` for the character")
            low = self._member(character)
            if self._peek() != "-" or self.pattern[self.at + 1 : self.at + 2] in ("]", ""):
                members |= low
                continue
            self.at += 1
            members |= self._range(low, self._member(self._take()))
        return _EVERY & ~members | _OTHER if negated else members

    def _member(self, character: str) -> int:
        if character == "\\":
            return self._escaped(self._take(), in_class=True)
        if character == "[" or (character in "&-|~" and self._peek() == character):
            raise _ForeignError(
                f"{character!r} in a class has another meaning elsewhere; write `\\{character}`"
            )
        return _character(character)

    def _range(self, low: int, high: int) -> int:
        if low.bit_count() != 1 or high.bit_count() != 1:
            raise _ForeignError("a range of a class needs a character at both ends; write `\\-`")
        if low > high:
            raise _BrokenError("a range of a class has its ends the wrong way round; swap them")
        return (high << 1) - low

    def _loosely(self, message: str) -> None:
        self.loose = self.loose or f"{message}, which every engine reads"


def _character(character: str) -> int:
    return 1 << ord(character) if character < "\x80" else _OTHER


def _one(characters: int) -> _Piece:
    return _Piece(characters, False, (), (characters,))


def _union(sets: Iterable[int]) -> int:
    return reduce(operator.or_, sets, 0)


def _then(before: _Piece, after: _Piece) -> _Piece:
    # what can still take more goes on through a part that it could take as well
    still = [s for s in before.open if after.empty or s & after.first]
    fixed = None
    if before.fixed is not None and after.fixed is not None:
        fixed = (before.fixed + after.fixed)[:_POSITIONS]
    return _Piece(
        before.first | after.first if before.empty else before.first,
        before.empty and after.empty,
        tuple(dict.fromkeys([*still, *after.open])),
        fixed,
    )


def _alike(one: _Piece, other: _Piece) -> bool:
    """Tell whether what one alternative matches can be how the other begins."""
    if one.fixed is None or other.fixed is None:
        return bool(one.first & other.first)
    return all(a & b for a, b in zip(one.fixed, other.fixed, strict=False))
