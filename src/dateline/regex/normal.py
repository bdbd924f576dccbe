"""Decide whether two regular expressions are the same but for how characters are written."""

from __future__ import annotations

import re
from typing import Any, Final

from dateline.regex import tree

# ECMA-262 section 22.2.2.9; `s` has characters beyond ASCII.
_ESCAPES: Final = {
    "d": [(0x30, 0x39)],
    "w": [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)],
}

# Engines read these in another way without the `u` flag (ECMA-262, annex B.1.2).
_AMBIGUOUS: Final = re.compile(r"\\[0-9]|\\u\{|\\u[dD][89a-fA-F]|[\U00010000-\U0010ffff]")


def are_equal(one: Any, other: Any) -> bool:
    r"""Return whether two patterns surely match the same texts, such as `\d` and `[0-9]`."""
    if one == other:
        return True
    if not (isinstance(one, str) and isinstance(other, str)):
        return False
    if _AMBIGUOUS.search(one) or _AMBIGUOUS.search(other):
        return False
    try:
        return bool(_normalize_choice(tree.parse(one)) == _normalize_choice(tree.parse(other)))
    except tree.RegexError:
        return False


def _normalize_choice(choice: tree.Choice) -> Any:
    return tuple(tuple(map(_normalize, branch)) for branch in choice.branches)


def _normalize(node: tree.Node) -> Any:
    if isinstance(node, tree.Literal):
        return _normalize_class([node], negated=False)
    if isinstance(node, tree.Escape) and node.letter in _ESCAPES:
        return _normalize_class([node], negated=False)
    if isinstance(node, tree.Class):
        return _normalize_class(node.members, negated=node.negated)
    if isinstance(node, tree.Group):
        return "group", node.opening, node.name, node.number, _normalize_choice(node.body)
    if isinstance(node, tree.Repeat):
        if node.least == node.most == 1:
            return _normalize(node.body)
        return "repeat", _normalize(node.body), node.least, node.most, node.lazy
    return type(node).__name__, node


def _normalize_class(members: Any, *, negated: bool) -> Any:
    """Return a class as its ranges of characters, and its other members."""
    ranges: list[tuple[int, int]] = []
    others = set()
    for member in members:
        match member:
            case tree.Literal(character):
                ranges.append((ord(character), ord(character)))
            case tree.Escape(letter) if letter in _ESCAPES:
                ranges += _ESCAPES[letter]
            case tree.Range(tree.Literal(low), tree.Literal(high)):
                ranges.append((ord(low), ord(high)))
            case _:
                others.add((type(member).__name__, member))
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return "class", tuple(joined), frozenset(others), negated
