"""A regular expression in, texts that it should match out; what it says around them is ignored.

Look-around, boundaries and anchors within are left to whoever checks the texts.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from dateline.sample.dice import Dice

# the one parser there is of such expressions; type checkers don't agree on whether it exists
_parser: Any = import_module("re._parser")

_LETTERS: Final = string.ascii_lowercase + string.ascii_uppercase
_PRINTABLE: Final = string.ascii_letters + string.digits + "-_.~ !*+,:;=@/"
_CATEGORIES: Final = {
    "CATEGORY_DIGIT": string.digits,
    "CATEGORY_NOT_DIGIT": _LETTERS,
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_SPACE": _LETTERS + string.digits,
    "CATEGORY_WORD": _LETTERS + string.digits,
    "CATEGORY_NOT_WORD": " -.",
}
# How many more times than it must something is repeated; the first is what looks best.
_STRETCHES: Final = (7, 0, 3, 1, 15, 31, 63, 127)

# What ECMA-262 writes and Python does not read: properties of characters, names of groups.
_TOKEN: Final = re.compile(r"\\[pP]\{[^}]*\}|\(\?<(?=[A-Za-z_])|\\?.", re.DOTALL)


def texts(pattern: str, dice: Dice) -> Iterator[str]:
    """Yield texts without end that *pattern* should match; none where it can't be read."""
    tree = _read(pattern)
    while tree is not None:
        for stretch in _STRETCHES:
            yield _Writing(dice, stretch).sequence(tree)


@lru_cache(maxsize=1024)
def _read(pattern: str) -> Any:
    try:
        return _parser.parse("".join(_python(pattern)))
    except (re.error, OverflowError, RecursionError):
        return None


def _python(pattern: str) -> Iterator[str]:
    """Yield *pattern* as Python writes it; of a property of characters, what ASCII has of it."""
    within = False
    for token in _TOKEN.findall(pattern):
        if token in "[]":
            within = token == "["
        if token.startswith("(?<"):
            yield "(?P<"
        elif token[:2] in (r"\p", r"\P"):
            numeric = token[3:].startswith("N")
            members = "0-9" if numeric == (token[1] == "p") else "a-zA-Z"
            yield members if within else f"[{members}]"
        else:
            yield token


class _Writing:
    """One text that is being written."""

    def __init__(self, dice: Dice, stretch: int) -> None:
        self._dice = dice
        self._stretch = stretch
        self._groups: dict[int, str] = {}

    def sequence(self, tree: Any) -> str:
        return "".join(self._one(str(operation), value) for operation, value in tree)

    def _one(self, operation: str, value: Any) -> str:
        handle = _HANDLERS.get(operation)
        return handle(self, value) if handle else ""

    def literal(self, code: int) -> str:
        return chr(code)

    def other(self, code: int) -> str:
        return self._dice.pick(_PRINTABLE.replace(chr(code), ""))

    def any(self, _: None) -> str:
        return self._dice.pick(_LETTERS)

    def set(self, members: list[tuple[Any, Any]]) -> str:
        listed = [member for member in members if str(member[0]) != "NEGATE"]
        if len(listed) == len(members):
            return _character(self._dice, *self._dice.pick(listed))
        allowed = [
            character
            for character in _PRINTABLE
            if not any(_holds(str(kind), value, character) for kind, value in listed)
        ]
        return self._dice.pick(allowed) if allowed else "é"

    def branch(self, value: tuple[Any, list[Any]]) -> str:
        return self.sequence(self._dice.pick(value[1]))

    def group(self, value: tuple[int | None, int, int, Any]) -> str:
        made = self.sequence(value[-1])
        if value[0] is not None:
            self._groups[value[0]] = made
        return made

    def again(self, group: int) -> str:
        return self._groups.get(group, "")

    def repeat(self, value: tuple[int, int, Any]) -> str:
        least, most, tree = value
        times = self._dice.between(least, min(int(most), least + self._stretch))
        return "".join(self.sequence(tree) for _ in range(times))


_HANDLERS: Final[dict[str, Callable[[_Writing, Any], str]]] = {
    "LITERAL": _Writing.literal,
    "NOT_LITERAL": _Writing.other,
    "ANY": _Writing.any,
    "IN": _Writing.set,
    "BRANCH": _Writing.branch,
    "SUBPATTERN": _Writing.group,
    "GROUPREF": _Writing.again,
    "MAX_REPEAT": _Writing.repeat,
    "MIN_REPEAT": _Writing.repeat,
    "POSSESSIVE_REPEAT": _Writing.repeat,
}


def _character(dice: Dice, kind: Any, value: Any) -> str:
    """Return a character that one member of a set holds."""
    if str(kind) == "CATEGORY":
        return dice.pick(_CATEGORIES[str(value)])
    if str(kind) == "RANGE":
        return chr(dice.between(*value))
    return chr(value)


def _holds(kind: str, value: Any, character: str) -> bool:
    if kind == "CATEGORY":
        return character in _CATEGORIES[str(value)]
    if kind == "RANGE":
        return bool(value[0] <= ord(character) <= value[1])
    return character == chr(value)
