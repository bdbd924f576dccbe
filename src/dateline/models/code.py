"""Expressions of Python source in, lines of at most a hundred columns out; text stays inert."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from dateline.templating import Code

WIDTH: Final = 100
_STEP: Final = 4

_WORD: Final = re.compile(r"[^ ]* +|[^ ]+")
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True)
class Reference:
    """The name of another definition, and of an attribute of it."""

    name: str
    attribute: str = ""


@dataclass(frozen=True)
class Group:
    """What stands between brackets behind a head: `Annotated[...]`, `t.Field(...)`, `{...}`."""

    head: str
    items: tuple[Node, ...]
    brackets: str = "[]"


@dataclass(frozen=True)
class Either:
    """Alternatives: `A | B`."""

    members: tuple[Node, ...]


@dataclass(frozen=True)
class Pair:
    """A name or key and its value: `alias="class"`, `"Iban": Iban`."""

    key: str
    value: Node
    sign: str = "="


@dataclass(frozen=True)
class Text:
    """A string literal with this value."""

    value: str


Node = str | Reference | Group | Either | Pair | Text
"""An expression; plain text is source that this package wrote itself."""


def subscript(head: str, *items: Node) -> Group:
    return Group(head, items)


def call(head: str, *items: Node) -> Group:
    return Group(head, items, "()")


def either(members: list[Node]) -> Node:
    """Return the alternatives without duplicates; a single one stands for itself."""
    flat: list[Node] = []
    for member in members:
        for part in member.members if isinstance(member, Either) else (member,):
            if part not in flat:
                flat.append(part)
    return flat[0] if len(flat) == 1 else Either(tuple(flat))


def literal(text: str) -> str:
    """Return *text* as a string literal; what can't be seen is escaped."""
    return f'"{escaped(text)}"'


def value(data: Any) -> Node:
    """Return a JSON value as an expression."""
    if isinstance(data, str):
        return Text(data)
    if isinstance(data, list):
        return Group("", tuple(map(value, data)))
    if isinstance(data, dict):
        pairs = tuple(Pair(literal(key), value(item), ": ") for key, item in data.items())
        return Group("", pairs, "{}")
    return repr(data)


def references(node: Node) -> Iterator[str]:
    """Yield the names of the definitions that *node* speaks of."""
    if isinstance(node, Reference):
        yield node.name
    for child in children(node):
        yield from references(child)


def words(node: Node) -> Iterator[str]:
    """Yield the names that *node* speaks of: those of definitions, heads and plain source."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, Reference):
        yield node.name
    elif isinstance(node, Group):
        yield node.head
    for child in children(node):
        yield from words(child)


def quoted(node: Node, ahead: Collection[str]) -> Node:
    """Return *node* with the names *ahead*, which are not defined yet, as forward references."""
    if isinstance(node, Reference):
        return Text(node.name) if node.name in ahead else node
    if isinstance(node, Group):
        return replace(node, items=tuple(quoted(item, ahead) for item in node.items))
    if isinstance(node, Pair):
        return replace(node, value=quoted(node.value, ahead))
    if isinstance(node, Either):
        members = tuple(quoted(member, ahead) for member in node.members)
        # `"A" | B` is no expression that can be evaluated
        if any(isinstance(member, Text) for member in members):
            return Group("Union", members)
        return Either(members)
    return node


def lay_out(node: Node, indent: int = 0, used: int = 0) -> Code:
    """Return the source of *node*; lines after the first begin at *indent*.

    *used* is what else stands on the line: before the expression and behind it.
    """
    room = WIDTH - used
    if isinstance(node, Either) and len(_line(node)) > room:
        # a line break needs brackets around it
        inner = indent + _STEP
        margin = "\n" + " " * inner
        return Code(f"({margin}{_laid_out(node, inner, WIDTH - inner)}\n{' ' * indent})")
    return Code(_laid_out(node, indent, room))


def docstring(text: str, indent: int) -> Code:
    """Return an expression statement whose value is exactly *text*."""
    line = literal(text)
    if len(line) + indent + 4 <= WIDTH and "\\" not in line:
        return Code(f'""{line}""')
    if len(line) + indent <= WIDTH:
        return Code(line)
    return Code(_laid_out(Text(text), indent, 0))


def children(node: Node) -> tuple[Node, ...]:
    """Return what stands directly within *node*."""
    if isinstance(node, Group):
        return node.items
    if isinstance(node, Either):
        return node.members
    return (node.value,) if isinstance(node, Pair) else ()


def escaped(text: str) -> str:
    """Return *text* as it is written within double quotes."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return text
    return "".join(map(_written, text))


def _written(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if character.isprintable() else ascii(character)[1:-1]


def _line(node: Node) -> str:
    if isinstance(node, str):
        return node
    if isinstance(node, Reference):
        return node.name + node.attribute
    if isinstance(node, Text):
        return literal(node.value)
    if isinstance(node, Pair):
        return node.key + node.sign + _line(node.value)
    if isinstance(node, Either):
        return " | ".join(map(_line, node.members))
    # a single item in bare parentheses is a tuple only with a comma
    comma = "," if node.brackets == "()" and not node.head and len(node.items) == 1 else ""
    inside = ", ".join(map(_line, node.items)) + comma
    return node.head + node.brackets[0] + inside + node.brackets[1]


def _laid_out(node: Node, indent: int, room: int) -> str:
    line = _line(node)
    if len(line) <= room or isinstance(node, str | Reference):
        return line
    inner = indent + _STEP
    margin = "\n" + " " * inner
    if isinstance(node, Pair):
        head = node.key + node.sign
        return head + _laid_out(node.value, indent, room - len(head))
    if isinstance(node, Either):
        first, *rest = node.members
        break_ = "\n" + " " * indent + "| "
        return _laid_out(first, indent, room) + "".join(
            break_ + _laid_out(member, indent, WIDTH - indent - 3) for member in rest
        )
    if isinstance(node, Text):
        pieces = _pieces(node.value, WIDTH - inner - 2)
        return "(" + "".join(margin + literal(piece) for piece in pieces) + f"\n{' ' * indent})"
    if not node.items:
        return line
    items = [_laid_out(item, inner, WIDTH - inner - 1) for item in node.items]
    # a comma behind the only index of a subscript would make it a tuple
    last = "" if len(items) == 1 and node.head and node.brackets == "[]" else ","
    return (
        node.head
        + node.brackets[0]
        + margin
        + f",{margin}".join(items)
        + last
        + f"\n{' ' * indent}{node.brackets[1]}"
    )


def _pieces(text: str, width: int) -> list[str]:
    """Cut *text* behind line breaks and blanks, so that the literals fit in *width*."""
    pieces: list[str] = []
    for line in text.splitlines(keepends=True):
        piece, used = "", 0
        for word in _WORD.findall(line):
            size = len(escaped(word))
            if piece and used + size > width:
                pieces.append(piece)
                piece, used = "", 0
            piece += word
            used += size
        pieces.append(piece)
    return pieces
