"""Create texts that match a regular expression.

Look-around, boundaries and anchors are ignored: callers validate the result.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from dateline.regex import tree
from dateline.sample.dice import Dice

_LETTERS: Final = string.ascii_lowercase + string.ascii_uppercase
_PRINTABLE: Final = string.ascii_letters + string.digits + "-_.~ !*+,:;=@/"
_ESCAPES: Final = {
    "d": string.digits,
    "D": _LETTERS,
    "s": " ",
    "S": _LETTERS + string.digits,
    "w": _LETTERS + string.digits,
    "W": " -.",
}
# The number of repetitions beyond the minimum; the first choice looks best.
_STRETCHES: Final = (7, 0, 3, 1, 15, 31, 63, 127)
_LONGEST: Final = 1 << 17
"""The number of parts of which a text may consist."""


def generate_texts(pattern: str, dice: Dice, least: int = 0) -> Iterator[str]:
    """Yield texts without end that should match *pattern*; none if it can't be read.

    Some have at least *least* characters, if that is possible. They end at one that is too long.
    """
    try:
        root = tree.parse(pattern)
    except tree.RegexError:
        return
    long = [(least, least)] if least > max(_STRETCHES) else []
    stretches = [*long, *((stretch, 0) for stretch in _STRETCHES)]
    with suppress(_TooLongError):
        while True:
            for stretch in stretches:
                yield _Writing(dice, *stretch).write_choice(root)


class _TooLongError(Exception):
    """The text that is being created has too many characters."""


class _Writing:
    """One text that is being created.

    A part is repeated up to *stretch* times more than it has to be, and at least *least* times more
    if it may be.
    """

    def __init__(self, dice: Dice, stretch: int, least: int) -> None:
        self._dice = dice
        self._stretch = stretch
        self._least = least
        self._left = _LONGEST
        self._groups: dict[int | str | None, str] = {}

    def write_choice(self, choice: tree.Choice) -> str:
        branches = choice.branches
        branch = branches[0] if len(branches) == 1 else self._dice.pick(branches)
        return "".join(map(self._write, branch))

    def _write(self, node: tree.Node) -> str:
        if isinstance(node, tree.Repeat):
            most = node.least + self._stretch
            most = most if node.most is None else min(node.most, most)
            times = self._dice.between(min(node.least + self._least, most), most)
            if times > self._left:
                raise _TooLongError
            return "".join(self._write(node.body) for _ in range(times))
        self._left -= 1
        if self._left < 0:
            raise _TooLongError
        if isinstance(node, tree.Group):
            return self._group(node)
        if isinstance(node, tree.Reference):
            return self._groups.get(node.group, "")
        if isinstance(node, tree.Literal):
            return node.character
        if isinstance(node, tree.Dot):
            return self._dice.pick(_LETTERS)
        if isinstance(node, tree.Class):
            return self._class(node)
        if isinstance(node, tree.Escape | tree.Property):
            return self._class(tree.Class((node,), negated=False))
        return ""

    def _group(self, group: tree.Group) -> str:
        if group.opening[:3] in ("(?=", "(?!") or group.opening in ("(?<=", "(?<!"):
            return ""
        text = self.write_choice(group.body)
        if group.number is not None:
            self._groups[group.number] = self._groups[group.name] = text
        return text

    def _class(self, node: tree.Class) -> str:
        listed = [each for member in node.members for each in _expand(member)]
        if node.negated or not listed:
            allowed = [
                character
                for character in _PRINTABLE
                if not any(_holds(member, character) for member in listed)
            ]
            return self._dice.pick(allowed) if allowed else "é"
        if len(listed) == 1 and isinstance(listed[0], tree.Literal):
            return listed[0].character
        return self._pick(self._dice.pick(listed))

    def _pick(self, member: tree.Literal | tree.Escape | tree.Range) -> str:
        """Return a character of *member*, which belongs to a class."""
        if isinstance(member, tree.Escape):
            return self._dice.pick(_ESCAPES[member.letter])
        if isinstance(member, tree.Literal):
            return member.character
        return chr(self._dice.between(*_bounds(member)))


def _expand(member: tree.Member) -> list[tree.Literal | tree.Escape | tree.Range]:
    """Return *member* as characters, escapes and ranges; for a property, those within ASCII."""
    if isinstance(member, tree.Property):
        numeric = member.name.startswith("N") != member.negated
        return [_span(*ends) for ends in (["09"] if numeric else ["az", "AZ"])]
    if isinstance(member, tree.Range) and not (
        isinstance(member.low, tree.Literal) and isinstance(member.high, tree.Literal)
    ):
        return [*_expand(member.low), tree.Literal("-", "-", 0), *_expand(member.high)]
    return [member]


def _span(low: str, high: str) -> tree.Range:
    return tree.Range(tree.Literal(low, low, 0), tree.Literal(high, high, 0))


def _bounds(member: tree.Range) -> tuple[int, int]:
    assert isinstance(member.low, tree.Literal)  # _expand leaves no other
    assert isinstance(member.high, tree.Literal)
    return ord(member.low.character), ord(member.high.character)


def _holds(member: tree.Literal | tree.Escape | tree.Range, character: str) -> bool:
    if isinstance(member, tree.Escape):
        return character in _ESCAPES[member.letter]
    if isinstance(member, tree.Literal):
        return character == member.character
    low, high = _bounds(member)
    return low <= ord(character) <= high
