"""The beginning and end of each key, value and item of a source.

Offsets count characters of the given text; line ends may be LF or CRLF.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]  # not in its stub
from typing import Any, Final

import yaml

_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

FLOW: Final = frozenset("{[")
"""The styles of collections in brackets."""

BLOCK: Final = frozenset(":-")
"""The styles of collections in block style."""

_JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{},:]|[^\s"\[\]{},:]+', re.DOTALL)


@dataclass(slots=True, eq=False)
class Span:
    """A node of a text: ``text[start:end]``.

    ``style`` is ``{`` or ``[`` for a collection in brackets, ``:`` or ``-`` for a mapping or list
    in block style, ``|`` or ``>`` for block text, a quote, or empty for plain text. A collection
    without brackets ends with its last child, block text with its last line, without the line end.
    ``column``, from 0, is where it starts, which is its indentation in block style. ``below`` are
    the values or items, parallel to the ``keys`` and their ``names``.
    """

    start: int
    end: int
    style: str
    column: int
    names: list[str] = field(default_factory=list)
    keys: list[Span] = field(default_factory=list)
    below: list[Span] = field(default_factory=list)

    @property
    def is_map(self) -> bool:
        return self.style in ("{", ":")


def spans(text: str, *, json: bool = False) -> Span:
    """Return the root of *text*, a source that ``read`` accepts, without byte order mark.

    *json* distinguishes JSON texts from YAML ones.
    """
    return _json_spans(text) if json else _yaml_spans(text)


def everything(root: Span) -> Iterator[Span]:
    """Yield *root* and every key, value and item below it."""
    pending = [root]
    while pending:
        span = pending.pop()
        yield span
        pending += span.keys
        pending += span.below


class _Tree:
    """Nests spans as they come in the order of the text."""

    def __init__(self) -> None:
        self.root: Span | None = None
        self._around: list[Span] = []

    def add(self, span: Span, name: str = "") -> None:
        """Add *span* to the innermost open collection; *name* is its text if it may be a key."""
        if not self._around:
            self.root = self.root or span
        else:
            here = self._around[-1]
            if here.is_map and len(here.keys) == len(here.below):
                here.keys.append(span)
                here.names.append(name)
            else:
                here.below.append(span)
        if span.style in FLOW or span.style in BLOCK:
            self._around.append(span)

    def close(self, end: int) -> None:
        """End the innermost open collection."""
        span = self._around.pop()
        if span.style in FLOW:
            span.end = end
        elif span.below:
            # the parser ends it at the next token, after blank lines and comments
            span.end = max(span.below[-1].end, span.keys[-1].end if span.keys else 0)


def _yaml_spans(text: str) -> Span:
    tree = _Tree()
    loader: Any = _Loader(text)
    kind: type = yaml.StreamStartEvent
    try:
        while kind is not yaml.StreamEndEvent:
            event = loader.get_event()
            kind = type(event)
            if issubclass(kind, yaml.CollectionStartEvent):
                tree.add(_collection(event))
            elif issubclass(kind, yaml.CollectionEndEvent):
                tree.close(event.end_mark.index)
            elif kind is yaml.ScalarEvent:
                tree.add(_scalar(event, text), event.value)
            elif kind is yaml.AliasEvent:
                start = event.start_mark
                tree.add(Span(start.index, event.end_mark.index, "", start.column))
    finally:
        loader.dispose()
    assert tree.root is not None
    return tree.root


def _collection(event: Any) -> Span:
    start = event.start_mark
    styles = "{:" if isinstance(event, yaml.MappingStartEvent) else "[-"
    return Span(start.index, event.end_mark.index, styles[not event.flow_style], start.column)


def _scalar(event: Any, text: str) -> Span:
    start, end = event.start_mark, event.end_mark.index
    style = event.style or ""
    if style in ("|", ">"):
        end = _last_line(text, start.index, end)
    return Span(start.index, end, style, start.column)


def _last_line(text: str, start: int, end: int) -> int:
    """Return the end of the last line of block text, which the parser ends at *end*."""
    header = text[start : min(end, _line_end(text, start))]
    block = text[start:end]
    if "+" in header.partition("#")[0]:
        # blank lines at its end belong to it
        block = block.removesuffix(" " * (len(block) - len(block.rstrip(" "))))
        return start + len(block.removesuffix("\n").removesuffix("\r"))
    return start + len(block.rstrip())


def _line_end(text: str, offset: int) -> int:
    found = text.find("\n", offset)
    return len(text) if found < 0 else found


def _json_spans(text: str) -> Span:
    tree = _Tree()
    line = 0
    for token in _JSON_TOKEN.finditer(text):
        word, start = token.group(), token.start()
        line = text.rfind("\n", line, start) + 1 or line
        first = word[0]
        if first in "}]":
            tree.close(token.end())
        elif first in "{[":
            tree.add(Span(start, token.end(), first, start - line))
        elif first == '"':
            tree.add(Span(start, token.end(), '"', start - line), scanstring(text, start + 1)[0])
        elif first not in ",:":
            tree.add(Span(start, token.end(), "", start - line))
    assert tree.root is not None
    return tree.root
