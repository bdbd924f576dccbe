"""YAML of random values in every style that an author may mix, for tests of editing."""

from __future__ import annotations

import re
from random import Random
from typing import Any

_WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "größe", "zeta eta", "日本", "a/b", "x-y")
_TEXTS = (
    *("plain", "two words", "it's", 'a "quote"', "colon: here", "# no comment", "", "2024-01-15"),
    *("yes", "012", "[x]", "{y}", "a, b", "tail:", "snow ☃ man", "-dash", "back\\slash", "😀 far"),
)
_LONG = (
    "a rather long sentence that an author would fold over several lines of the file, as it is "
    "longer than a line may be in most of them"
)


def value(random: Random, depth: int = 3) -> Any:
    """Return a random mapping of mappings, lists and scalars."""
    return {name: _value(random, depth) for name in random.sample(_WORDS, random.randint(1, 5))}


def _value(random: Random, depth: int) -> Any:
    kind = random.random()
    if depth and kind < 0.35:
        return {
            name: _value(random, depth - 1) for name in random.sample(_WORDS, random.randint(0, 4))
        }
    if depth and kind < 0.55:
        return [_value(random, depth - 1) for _ in range(random.randint(0, 4))]
    return scalar(random)


def scalar(random: Random) -> Any:
    """Return a random scalar of a kind that occurs in sources."""
    return random.choice(
        [
            *(random.choice(_TEXTS) for _ in range(5)),
            *(random.choice(_WORDS) for _ in range(3)),
            *(True, False, None, 0, -7, 12, 1.5, 1e20, 2.5e-7),
            *("first\nsecond", "first\n\n  third\n", _LONG, "kept\n\n"),
        ]
    )


_PLAIN_KEY = re.compile(r"[^\W\d]([\w /-]*\w)?|\$ref|\d{4}-\d\d-\d\d")


class Writer:
    """Writes values as YAML, each node in a style of its own."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._step = random.choice((2, 2, 4))
        self._list_step = random.choice((0, 2, 2))
        self._pad = random.choice((" ", ""))

    def text(self, document: dict[str, Any]) -> str:
        """Return *document* as a file."""
        head = self._random.choice(("", "# head of the file\n\n", "---\n", "# größe ☃\n"))
        body = self._block(document, 0).removeprefix("\n")
        if body.endswith("\n"):
            return head + body + "\n"
        return head + body + self._random.choice(("\n", "\n", "\n# the end\n", "\n\n\n", ""))

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _comment(self) -> str:
        return self._random.choice(("", "", "", " # note", "   # größe: [x], {y}"))

    def _own_line(self, indent: int) -> str:
        """Return lines that may stand between two entries."""
        margin = "\n" + " " * indent
        return self._random.choice(
            ("", "", "", "", "\n", f"{margin}# about it", "\n" + f"{margin}# a")
        )

    def _key(self, name: str) -> str:
        style = self._random.random()
        if style < 0.15:
            return f"'{name}'"
        if style < 0.25 or not _PLAIN_KEY.fullmatch(name):
            return f'"{name}"'
        return name

    def _block(self, node: Any, indent: int) -> str:
        """Return a collection in block style, with a line break before each of its lines."""
        margin = "\n" + " " * indent
        parts: list[str] = []
        entries = node.items() if isinstance(node, dict) else enumerate(node)
        for number, (name, below) in enumerate(entries):
            # blank lines after kept ones would be part of them
            if number and not parts[-1].endswith("\n"):
                parts.append(self._own_line(indent))
            if isinstance(node, dict):
                parts.append(f"{margin}{self._key(name)}:{self._behind(below, indent)}")
            else:
                parts.append(f"{margin}-{self._item(below, indent)}")
        return "".join(parts)

    def _behind(self, node: Any, indent: int) -> str:
        if isinstance(node, dict | list) and node and self._chance(0.6):
            deeper = indent + (self._step if isinstance(node, dict) else self._list_step)
            return self._comment() + self._own_line(deeper) + self._block(node, deeper)
        return " " + self._inline(node, indent)

    def _item(self, node: Any, indent: int) -> str:
        if isinstance(node, dict | list) and node and self._chance(0.6):
            if self._chance(0.15):
                return self._comment() + self._block(node, indent + 2)
            return " " + self._block(node, indent + 2).lstrip("\n ")
        return " " + self._inline(node, indent)

    def _inline(self, node: Any, indent: int) -> str:
        if isinstance(node, str) and self._chance(0.7):
            block = self._block_text(node, indent + self._step)
            if block is not None:
                return block
        if isinstance(node, dict | list) and node and self._chance(0.4):
            return self._over_lines(node, indent + self._step + 2) + self._comment()
        return self._flow(node) + self._comment()

    def _block_text(self, text: str, indent: int) -> str | None:
        margin = "\n" + " " * indent
        if text == _LONG:
            words = text.split(" ")
            return (
                ">-" + self._comment() + margin + " ".join(words[:9]) + margin + " ".join(words[9:])
            )
        if "\n" not in text:
            return None
        lines = text.removesuffix("\n").split("\n")
        mark = "|" if text.endswith("\n") else "|-"
        if lines[-1] == "":
            mark = "|+"
        return mark + self._comment() + "".join(margin + line if line else "\n" for line in lines)

    def _flow(self, node: Any) -> str:
        if isinstance(node, dict):
            pairs = ", ".join(f"{self._key(k)}: {self._flow(v)}" for k, v in node.items())
            return "{" + (self._pad + pairs + self._pad if node else "") + "}"
        if isinstance(node, list):
            return "[" + ", ".join(map(self._flow, node)) + "]"
        return self._scalar(node)

    def _over_lines(self, node: Any, indent: int) -> str:
        margin = "\n" + " " * indent
        if isinstance(node, dict):
            parts = [f"{self._key(k)}: {self._flow(v)}" for k, v in node.items()]
            opening, closing = "{", "}"
        else:
            parts = [self._flow(item) for item in node]
            opening, closing = "[", "]"
        first = self._random.choice((" ", margin))
        last = self._random.choice((" ", margin, "," + margin))
        lines = [f"{part},{self._comment()}" for part in parts[:-1]]
        comment = self._comment() if last == margin else ""
        return opening + first + margin.join([*lines, parts[-1] + comment]) + last + closing

    def _scalar(self, value: Any) -> str:
        if value is None:
            return "null"
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, float):
            return {1e20: "1.0e+20", 2.5e-7: "2.5e-07"}.get(value) or str(value)
        if isinstance(value, int):
            return str(value)
        if value in _WORDS and self._chance(0.8):
            return str(value)
        if "\n" in value or self._chance(0.4):
            escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            return f'"{escaped}"'
        return "'" + str(value).replace("'", "''") + "'"
