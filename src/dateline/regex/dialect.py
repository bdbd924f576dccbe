"""Find out why regex engines would read an expression differently, or slowly.

The dialect is what ECMA-262 with its `u` flag, Python and Rust interpret in the same way: literals,
`.`, classes, groups, `|`, `^`, `$`, `\b` and quantifiers. It has no back references and no
look-around, since engines with linear time have neither. Expressions that can take other engines
exponential time are refused too: repeated groups that can match a text in several ways, such as
`(a+)+`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from functools import lru_cache, reduce
from typing import Final, NamedTuple

from dateline.regex import tree

_LONGEST: Final = 2000
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
# The characters after a backslash: characters of the syntax and names of control characters.
_ESCAPABLE: Final = frozenset("^$\\.*+?()[]{}|/tnrfv")
_PUNCTUATION: Final = frozenset("!\"#%&',-:;=@_`~ ")
_HEX: Final = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u(?![dD][89a-fA-F])[0-9A-Fa-f]{4})")

_BRACE: Final = "a `{` that begins no quantifier; write `\\{` for the character"


class Flaw(NamedTuple):
    """A flaw of an expression: the id of the problem and its message."""

    id: str
    message: str


class _ForeignError(Exception):
    """The expression is not of the dialect, though some engines may accept it."""


class _Piece(NamedTuple):
    """What a part of an expression can match, as far as ambiguity is concerned.

    ``first`` is the set of its first characters; ``open`` holds the first characters of quantified
    parts that can still match more at its end; ``fixed`` is the set at each position of a piece
    with a fixed length.
    """

    first: int
    empty: bool
    open: tuple[int, ...]
    fixed: tuple[int, ...] | None


_NOTHING: Final = _Piece(0, True, (), ())


@lru_cache(maxsize=4096)
def find_flaw(pattern: str) -> Flaw | None:
    """Return the flaw of *pattern*, or None."""
    try:
        if len(pattern) > _LONGEST:
            raise _ForeignError(f"more than {_LONGEST} characters; shorten it")
        inspection = _Inspection(pattern)
        inspection.inspect_choice(tree.parse(pattern))
        re.compile(pattern)
    except (_ForeignError, tree.RegexDepthError) as refused:
        return Flaw("pattern-dialect", str(refused))
    except tree.RegexError as refused:
        return Flaw("pattern-invalid", str(refused))
    except (re.error, OverflowError) as error:
        return Flaw("pattern-invalid", f"{error.args[0]}; fix the pattern")
    if inspection.ambiguous is not None:
        return Flaw(
            "pattern-explodes",
            f"{inspection.ambiguous!r} can read one text in many ways, and may take forever to; "
            "let what is repeated begin with something that it can't end with",
        )
    if inspection.loose is not None:
        return Flaw("pattern-loose", inspection.loose)
    return None


class _Inspection:
    """One visit of an expression, with its findings."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.ambiguous: str | None = None
        self.loose: str | None = None

    def inspect_choice(self, choice: tree.Choice) -> tuple[_Piece, bool]:
        """Visit alternatives; also return whether two of them can begin with the same text."""
        pieces = [reduce(_then, map(self._inspect, branch), _NOTHING) for branch in choice.branches]
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

    def _inspect(self, node: tree.Node) -> _Piece:
        if isinstance(node, tree.Repeat):
            return self._repeat(node)
        return self._atom(node)[0]

    def _atom(self, node: tree.Node) -> tuple[_Piece, bool]:
        if isinstance(node, tree.Group):
            if node.opening not in ("(", "(?:"):
                raise _ForeignError(
                    f"{node.opening[:3]!r} is not read alike everywhere; only (...) and (?:...) are"
                )
            return self.inspect_choice(node.body)
        if isinstance(node, tree.Assertion):
            return _NOTHING, False
        if isinstance(node, tree.Reference):
            name = node.group if isinstance(node.group, int) else "k"
            raise _unlike(f"\\{name}")
        characters = self._characters(node)
        return _Piece(characters, False, (), (characters,)), False

    def _characters(self, node: tree.Node) -> int:
        """Return the characters that a node of one position matches."""
        if isinstance(node, tree.Dot):
            return _EVERY & ~_bits("\n\r")
        if isinstance(node, tree.Class):
            if not node.members:
                raise _ForeignError("an empty class; name its characters")
            members = _union(map(self._member, node.members))
            return _EVERY & ~members | _OTHER if node.negated else members
        if isinstance(node, tree.Literal) and node.source == "{":
            raise _ForeignError(_BRACE)
        if isinstance(node, tree.Literal) and node.source in ("]", "}"):
            self._note_loose(f"a bare `{node.source}`; write `\\{node.source}` for the character")
        assert isinstance(node, tree.Literal | tree.Escape | tree.Property)
        return self._read_character(node)

    def _read_character(
        self, node: tree.Literal | tree.Escape | tree.Property, *, in_class: bool = False
    ) -> int:
        if isinstance(node, tree.Escape):
            return _CLASSES[node.letter]
        if isinstance(node, tree.Property):
            raise _unlike(f"\\{'P' if node.negated else 'p'}")
        if node.source.startswith("\\") and _HEX.fullmatch(node.source) is None:
            letter = node.source[1]
            if letter in _PUNCTUATION and not (in_class and letter == "-"):
                self._note_loose(f"'\\{letter}' needs no backslash; write `{letter}`")
            elif len(node.source) > 2 or (letter not in _ESCAPABLE and letter != "-"):
                raise _unlike(node.source[:2])
        return 1 << ord(node.character) if node.character < "\x80" else _OTHER

    def _member(self, member: tree.Member) -> int:
        if isinstance(member, tree.Range):
            return self._range(member)
        if isinstance(member, tree.Literal):
            source = member.source
            doubled = source in "&-|~" and self._pattern[member.end : member.end + 1] == source
            if source == "[" or doubled:
                raise _ForeignError(
                    f"{source!r} in a class has another meaning elsewhere; write `\\{source}`"
                )
        return self._read_character(member, in_class=True)

    def _range(self, members: tree.Range) -> int:
        low, high = self._member(members.low), self._member(members.high)
        if low.bit_count() != 1 or high.bit_count() != 1:
            raise _ForeignError("a range of a class needs a character at both ends; write `\\-`")
        return (high << 1) - low

    def _repeat(self, node: tree.Repeat) -> _Piece:
        piece, overlap = self._atom(node.body)
        least, most = node.least, node.most
        if max(least, most or 0) > _MOST_REPEATS:
            raise _ForeignError(
                f"{node.source!r} repeats over {_MOST_REPEATS} times; use maxLength"
            )
        if (least, most) == (1, 1):
            return piece
        if piece == _NOTHING:
            raise _ForeignError("a quantifier behind something that takes nothing; leave it out")
        repeats = most is None or most > 1
        if repeats and (overlap or piece.empty or any(s & piece.first for s in piece.open)):
            self.ambiguous = self.ambiguous or self._pattern[node.start : node.end]
        still = (*piece.open, piece.first) if least != most else piece.open
        fixed = None
        if piece.fixed is not None and least == most:
            fixed = (piece.fixed * min(least, _POSITIONS))[:_POSITIONS]
        return _Piece(piece.first, piece.empty or least == 0, still, fixed)

    def _note_loose(self, message: str) -> None:
        self.loose = self.loose or f"{message}, which every engine reads"


def _unlike(source: str) -> _ForeignError:
    return _ForeignError(
        f"'{source}' is not read alike everywhere; write the characters themselves"
    )


def _union(sets: Iterable[int]) -> int:
    return reduce(operator.or_, sets, 0)


def _then(before: _Piece, after: _Piece) -> _Piece:
    # what can still match more continues through a part that it could match as well
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
    """Return whether a match of one alternative can be the beginning of a match of the other."""
    if one.fixed is None or other.fixed is None:
        return bool(one.first & other.first)
    return all(a & b for a, b in zip(one.fixed, other.fixed, strict=False))
