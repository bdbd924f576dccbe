"""Parse regular expressions of ECMA-262 into a tree.

The grammar is that of ECMA-262 section 22.2.1 with the additions of annex B.1.2, as in browsers:
what JSON Schema recommends (2020-12, core, section 6.4), and what published documents use.
Surrogate pairs are one character, as with the `u` flag.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

DEEPEST: Final = 40
"""The maximum nesting of groups."""

_BRACES: Final = re.compile(r"\{([0-9]{1,20})(,([0-9]{1,20})?)?\}")
_PAIR: Final = re.compile(r"\\u([dD][89abAB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})")
_CODE: Final = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\})")
_PROPERTY: Final = re.compile(r"\\[pP]\{([A-Za-z0-9_=]+)\}")
_NAMED_REFERENCE: Final = re.compile(r"\\k<([A-Za-z_][A-Za-z0-9_]*)>")
_NUMBERED_REFERENCE: Final = re.compile(r"\\([1-9][0-9]*)")
_OPENING: Final = re.compile(r"\((?:\?(?:<([A-Za-z_][A-Za-z0-9_]*)>|<[=!]|.)?)?", re.DOTALL)
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_LIMITS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class RegexError(Exception):
    """A text that is not a regular expression; the message says why and what to write."""


class RegexDepthError(RegexError):
    """A regular expression with groups nested deeper than ``DEEPEST``."""


class Literal(NamedTuple):
    """One character; ``source`` is how it is written, ending before ``end``."""

    character: str
    source: str
    end: int


class Dot(NamedTuple):
    """Any character but a line terminator."""


class Escape(NamedTuple):
    """A class escape: ``letter`` is one of `d`, `D`, `w`, `W`, `s`, `S`."""

    letter: str


class Property(NamedTuple):
    r"""A Unicode property escape, `\p{name}` or `\P{name}`."""

    name: str
    negated: bool


class Range(NamedTuple):
    """A range of a class. Annex B: if an end is not a single character, the hyphen is literal."""

    low: Member
    high: Member


class Class(NamedTuple):
    """A character class; without members it matches nothing, or anything if negated."""

    members: tuple[Member, ...]
    negated: bool


class Assertion(NamedTuple):
    r"""`^`, `$`, `\b` or `\B`."""

    source: str


class Group(NamedTuple):
    """``opening`` is `(`, `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!`, or begins a named group.

    Any other opening belongs to another dialect. ``number`` counts the capturing groups from 1.
    """

    opening: str
    name: str | None
    number: int | None
    body: Choice


class Reference(NamedTuple):
    """A back reference to a capturing group, by its number or name."""

    group: int | str


class Repeat(NamedTuple):
    """A quantified part; ``most`` is None if there is no limit.

    ``source`` is the quantifier without a `?` after it. The whole is from ``start`` to ``end`` of
    the expression.
    """

    body: Node
    least: int
    most: int | None
    source: str
    lazy: bool
    start: int
    end: int


class Choice(NamedTuple):
    """Alternatives, each a sequence of nodes."""

    branches: tuple[tuple[Node, ...], ...]


Member = Literal | Escape | Property | Range
Node = Literal | Dot | Escape | Property | Class | Assertion | Group | Reference | Repeat


@lru_cache(maxsize=4096)
def parse(pattern: str) -> Choice:
    """Return the tree of *pattern*. Raises RegexError if it is invalid."""
    return _Parser(pattern).parse()


class _Parser:
    """Recursive descent over one expression."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0
        self._groups = 0

    def parse(self) -> Choice:
        tree = self._choice()
        if self._peek() == ")":
            raise RegexError("a `)` without its `(`; write `\\)` for the character")
        return tree

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        match = expression.match(self._pattern, self._at)
        if match is not None:
            self._at = match.end()
        return match

    def _choice(self) -> Choice:
        branches = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            branches.append(self._sequence())
        return Choice(tuple(branches))

    def _sequence(self) -> tuple[Node, ...]:
        nodes = []
        while (character := self._peek()) and character not in "|)":
            nodes.append(self._read_quantifier())
        return tuple(nodes)

    def _read_quantifier(self) -> Node:
        start = self._at
        node = self._atom()
        quantifier = self._at
        limits = self._limits()
        if limits is None:
            return node
        source = self._pattern[quantifier : self._at]
        lazy = self._peek() == "?"
        self._at += lazy
        end = self._at
        if self._limits() is not None:
            raise RegexError("one quantifier behind another; put the first in a group")
        return Repeat(node, *limits, source, lazy, start, end)

    def _limits(self) -> tuple[int, int | None] | None:
        """Read a quantifier and return its limits; the upper one may be None."""
        if self._peek() in _LIMITS:
            self._at += 1
            return _LIMITS[self._pattern[self._at - 1]]
        match = self._match(_BRACES)
        if match is None:
            return None
        least = int(match[1])
        most = least if match[2] is None else (int(match[3]) if match[3] else None)
        if most is not None and most < least:
            raise RegexError(f"{match[0]!r} has its bounds the wrong way round; swap them")
        return least, most

    def _atom(self) -> Node:
        character = self._peek()
        if character == "(":
            return self._group()
        if character == "\\":
            return self._escape()
        if character in "*+?" or _BRACES.match(self._pattern, self._at):
            raise RegexError(f"a `{character}` with nothing before it; write `\\{character}`")
        self._at += 1
        if character == "[":
            return self._class()
        if character == ".":
            return Dot()
        if character in "^$":
            return Assertion(character)
        return Literal(character, character, self._at)

    def _group(self) -> Group:
        self._depth += 1
        if self._depth > DEEPEST:
            raise RegexDepthError(f"groups more than {DEEPEST} deep; write it flatter")
        match = self._match(_OPENING)
        assert match is not None  # this is certainly a parenthesis
        number = None
        if match[0] == "(" or match[1]:
            self._groups += 1
            number = self._groups
        body = self._choice()
        if not self._peek():
            raise RegexError("a `(` that is not closed; write `\\(` for the character")
        self._at += 1
        self._depth -= 1
        return Group(match[0], match[1], number, body)

    def _escape(self) -> Node:
        following = self._pattern[self._at + 1 : self._at + 2]
        if (match := self._match(_NUMBERED_REFERENCE)) is not None:
            return Reference(int(match[1]))
        if following == "k":
            match = self._match(_NAMED_REFERENCE)
            if match is None:
                raise RegexError(r"a `\k` without a name; write `k` for the character")
            return Reference(match[1])
        if following and following in "bB":
            self._at += 2
            return Assertion(f"\\{following}")
        return self._read_escape()

    def _read_escape(self) -> Literal | Escape | Property:
        """Read an escape with the same meaning within and outside of a class."""
        start = self._at
        self._at += 2
        letter = self._pattern[start + 1 : self._at]
        if not letter:
            raise RegexError("a backslash at the end; write `\\\\` for the character")
        if letter in "dDwWsS":
            return Escape(letter)
        self._at = start
        if (match := self._match(_PROPERTY)) is not None:
            return Property(match[1], letter == "P")
        character = letter
        if (match := self._match(_PAIR)) is not None:
            low, high = int(match[2], 16), int(match[1], 16)
            character = chr(0x10000 + (high - 0xD800) * 0x400 + low - 0xDC00)
        elif (match := self._match(_CODE)) is not None:
            code = int(match[1] or match[2] or match[3], 16)
            if code > 0x10FFFF:
                raise RegexError(f"{match[0]!r} is beyond the last character, `\\u{{10FFFF}}`")
            character = chr(code)
        else:
            self._at = start + 2
            if letter in _CONTROLS:
                character = _CONTROLS[letter]
            elif letter == "c" and self._peek():
                character = chr(ord(self._peek()) % 32)
                self._at += 1
        return Literal(character, self._pattern[start : self._at], self._at)

    def _class(self) -> Class:
        negated = self._peek() == "^"
        self._at += negated
        members: list[Member] = []
        while self._peek() != "]":
            low = self._member()
            if self._peek() != "-" or self._pattern[self._at + 1 : self._at + 2] in ("]", ""):
                members.append(low)
                continue
            self._at += 1
            high = self._member()
            members.append(_range(low, high))
        self._at += 1
        return Class(tuple(members), negated)

    def _member(self) -> Literal | Escape | Property:
        character = self._peek()
        if not character:
            raise RegexError("a `[` that is not closed; write `\\[` for the character")
        if character == "\\":
            if self._pattern.startswith("\\b", self._at):
                self._at += 2
                return Literal("\b", "\\b", self._at)
            return self._read_escape()
        self._at += 1
        return Literal(character, character, self._at)


def _range(low: Literal | Escape | Property, high: Literal | Escape | Property) -> Range:
    if isinstance(low, Literal) and isinstance(high, Literal) and low.character > high.character:
        raise RegexError("a range of a class has its ends the wrong way round; swap them")
    return Range(low, high)
