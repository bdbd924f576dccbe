"""Read sources as values with their types and places, and list the problems."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dateline.model import Map, Problem, Seq
from dateline.source.reader import read


def reading(
    folder: Path, content: str | bytes, *, name: str = "api.yaml", adopted: bool = False
) -> tuple[Map | None, list[str]]:
    """Return the value of a file with *content*, and the problems in it as lines."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    problems: list[Problem] = []
    document = read(path, name, adopted=adopted, problems=problems)
    return document, [str(problem) for problem in problems]


def typed(value: Any) -> Any:
    """Return *value* in a form in which 1, 1.0 and True differ, and the order of keys counts."""
    if isinstance(value, dict):
        return [(typed(key), typed(child)) for key, child in value.items()]
    if isinstance(value, list):
        return [typed(child) for child in value]
    return type(value).__name__, value


def places(value: Any) -> Any:
    """Return the places of a mapping or list and of everything in it."""
    if isinstance(value, Map):
        inside = [(value.place(k), value.place(k, value=True), places(v)) for k, v in value.items()]
        return value.place(), inside
    if isinstance(value, Seq):
        return value.place(), [(value.place(i), places(v)) for i, v in enumerate(value)]
    return None


ANCHOR = "anchor-used: &{0} can't be reused; write the value out in place of *{0}"


TAG = "tag-used: the tag {} is not read; delete it, or put the text in quotes"


EMPTY = "empty-file: this file has no content; write a mapping, or delete the file"


NOT_A_MAPPING = "not-a-mapping: the file must contain a mapping; write `key: value` lines"


NOT_A_KEY = "key-not-text: a mapping or list can't be a key; put a text with {{ }} in quotes"


SEVERAL = "several-documents: a second document begins here; put it into a file of its own"


HALF = "lone-surrogate: this escape is half of a character; write the character itself"


WIDE = "not-utf-8: the file is in UTF-16 or UTF-32; save it as UTF-8"


TAB = "yaml-syntax: a tab can't indent; use spaces"


UNSEEN = "control-character: the invisible character {} is here; delete it"


ESCAPED = "control-character: the invisible character {} is here, as an escape; delete it"


HUGE = "number-out-of-range: the number {} is too large to be read everywhere; write it as text"


def trails(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each value in *value*."""
    yield path
    if isinstance(value, dict | list):
        for step, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from trails(below, (*path, step))


def part(value: Any, path: tuple[str | int, ...]) -> Any:
    """Return the value at *path* in *value*."""
    for step in path:
        value = value[step]
    return value


def twice(key: str, first: str) -> str:
    return f"duplicate-key: '{key}' is already at {first}; keep one of the two"


def start(found: str) -> str:
    return f"yaml-syntax: {found} can't begin a text; put the text in quotes"


def after(found: str, opening: str) -> str:
    way_out = "align it, or put the text in quotes"
    return f"yaml-syntax: {found} can't follow in what begins at {opening}; {way_out}"


def inside(found: str, opening: str) -> str:
    way_out = "look for a missing , or closing bracket"
    return f"yaml-syntax: {found} can't follow in the brackets that open at {opening}; {way_out}"


# --- Places

PLACED = """\
# ünïcode
openapi: 3.1.0
"größe 😀": { é: [1, "😀", two], ok: true }
tabbed:\t"x"\t# comment
list:
- one
-   two: 2
    three:
      - - deep
text: |
  no: key
  of: ours
? asked
: answered
last: >-
  folded
"""
