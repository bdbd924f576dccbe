"""Edits of one source in, its new text out: what no edit is about stays byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from dateline.edit.writing import (
    Day,
    after_key,
    entry,
    in_brackets,
    item,
    key_text,
    laid_out,
    style_of,
)
from dateline.load.spans import BLOCK, FLOW, Span, spans

Path = tuple[str | int, ...]
"""Keys and indexes from the root of a source to a place in it, as edited so far."""

_BYTE_ORDER_MARK: Final = "\ufeff"
# What may stand between a value in brackets and the comma or bracket that follows it.
_GAP: Final = re.compile(r"(?:\s|(?<=\s)#[^\n]*)*")
# The header of block text that keeps the blank lines behind it.
_KEEPING: Final = re.compile(r"[|>][0-9]?\+")
_COMMA: Final = re.compile(r"\s*,")
_QUOTES: Final = ("'", '"')


@dataclass(eq=False)
class _New:
    """A value that the text does not have yet."""

    value: Any


@dataclass(eq=False)
class _Old:
    """A node of the text, and the children it is to have."""

    span: Span
    children: list[_Child] = field(default_factory=list)
    opened: bool = False


@dataclass(eq=False)
class _Child:
    """What a collection holds: under which name, and where the text has it, if it does.

    ``number`` is its place among the children that the text has; -1 where it is new.
    """

    name: str
    node: _Old | _New
    number: int = -1


@dataclass(frozen=True)
class _Splice:
    """What to put in the place of ``text[start:end]``; on what stays only, if so."""

    start: int
    end: int
    text: str
    on_what_stays: bool = False


class Source:
    """The text of a source that can be edited.

    Paths lead through the source as edited so far. *content* is a source that ``read`` accepts;
    *json* tells JSON from YAML.
    """

    def __init__(self, content: bytes, *, json: bool = False) -> None:
        text = content.decode("utf-8")
        self._mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
        self._text = text.removeprefix(_BYTE_ORDER_MARK)
        self._root = _Old(spans(self._text, json=json))
        self._style = style_of(self._text, self._root.span, json=json)
        self._keeps_blanks = _KEEPING.search(self._text) is not None
        self._break = "\r\n" if "\r\n" in self._text else "\n"

    def put(self, path: Path, value: Any, at: int | None = None) -> None:
        """Let the mapping's key at the end of *path* hold *value*.

        A new key becomes number *at* of the keys; the last one without it.
        """
        holder, key = self._holder(path), str(path[-1])
        if isinstance(holder, _Old):
            children = self._children(holder)
            for child in children:
                if child.name == key:
                    child.node = _New(deepcopy(value))
                    return
            children.insert(len(children) if at is None else at, _Child(key, _New(deepcopy(value))))
        elif key in holder or at is None:
            holder[key] = value
        else:
            entries = list(holder.items())
            entries.insert(at, (key, value))
            holder.clear()
            holder.update(entries)

    def insert(self, path: Path, value: Any) -> None:
        """Put *value* into a list, before the item at *path*; an index past the end appends."""
        holder, index = self._holder(path), int(path[-1])
        if isinstance(holder, _Old):
            self._children(holder).insert(index, _Child("", _New(deepcopy(value))))
        else:
            holder.insert(index, value)

    def replace(self, path: Path, value: Any) -> None:
        """Let *value* stand where *path* leads."""
        holder = self._holder(path)
        if isinstance(holder, _Old):
            self._child(holder, path[-1]).node = _New(deepcopy(value))
        else:
            holder[path[-1]] = value

    def remove(self, path: Path) -> None:
        """Take the key or item at *path* away."""
        holder = self._holder(path)
        if isinstance(holder, _Old):
            self._children(holder).remove(self._child(holder, path[-1]))
        else:
            del holder[path[-1]]

    def rename(self, path: Path, name: str) -> None:
        """Give the key at the end of *path* another name; it keeps its place and its value."""
        holder = self._holder(path)
        if isinstance(holder, _Old):
            self._child(holder, path[-1]).name = name
        else:
            entries = [(name if key == path[-1] else key, value) for key, value in holder.items()]
            holder.clear()
            holder.update(entries)

    def is_empty(self, path: Path) -> bool:
        """Tell whether the collection at *path* holds nothing."""
        holder = self._holder((*path, ""))
        return not (self._children(holder) if isinstance(holder, _Old) else holder)

    def content(self) -> bytes:
        """Return the text with all edits done."""
        parts = []
        done = 0
        splices = sorted(self._splices(self._root), key=lambda splice: (splice.start, splice.end))
        for splice in splices:
            if splice.on_what_stays and splice.start < done:
                continue
            added = splice.text.replace("\n", self._break)
            parts += [self._text[done : splice.start], added]
            done = max(done, splice.end)
        parts.append(self._text[done:])
        text = "".join(parts)
        unended = done == len(self._text) and not self._text.endswith("\n")
        if unended and self._needs_line_end(text):
            text += self._break
        return (self._mark + text).encode()

    def _needs_line_end(self, text: str) -> bool:
        """Tell whether block text that is to keep its line end is last in *text*."""
        last = _last(spans(text, json=self._style.json))
        return last.style in ("|", ">") and "-" not in _header(text, last)

    # Finding the way

    def _holder(self, path: Path) -> Any:
        """Return what holds the end of *path*: a node of the text, or a new dict or list."""
        node: Any = self._root
        for step in path[:-1]:
            node = self._child(node, step).node if isinstance(node, _Old) else node[step]
            if isinstance(node, _New):
                node = node.value
        return node

    def _child(self, old: _Old, step: str | int) -> _Child:
        children = self._children(old)
        if isinstance(step, int):
            return children[step]
        return next(child for child in children if child.name == step)

    @staticmethod
    def _children(old: _Old) -> list[_Child]:
        if not old.opened:
            old.opened = True
            names = old.span.names or [""] * len(old.span.below)
            old.children = [
                _Child(name, _Old(below), number)
                for number, (name, below) in enumerate(zip(names, old.span.below, strict=True))
            ]
        return old.children

    # Splicing. Positions are those of the text as it was.

    def _splices(self, old: _Old) -> Iterator[_Splice]:
        if not old.opened:
            return
        span = old.span
        kept = [child for child in old.children if child.number >= 0]
        if not kept:
            # only the root: what is below another is replaced as a whole
            end = span.end if span.style in FLOW else self._line_end(span.end)
            yield _Splice(span.start, end, self._anew(span, _value(old)))
            return
        for child in kept:
            if span.is_map and child.name != span.names[child.number]:
                key = span.keys[child.number]
                text = key_text(child.name, self._style, brackets=span.style in FLOW)
                yield _in_quotes(key, child.name) or _Splice(key.start, key.end, text)
            node = child.node
            if isinstance(node, _New) or self._is_rewritten(node):
                yield from self._replaced(span, child, _value(node))
            else:
                yield from self._splices(node)
        yield from self._inserted(old)
        yield from self._removed(span, {child.number for child in kept})

    def _is_rewritten(self, old: _Old) -> bool:
        """Tell whether nothing of *old* is left, or what stood on one line does so no longer."""
        if not old.opened:
            return False
        on_one_line = (
            old.span.style in FLOW and "\n" not in self._text[old.span.start : old.span.end]
        )
        return not any(
            child.number >= 0 and not (on_one_line and isinstance(child.node, _New))
            for child in old.children
        )

    def _anew(self, span: Span, value: Any) -> str:
        if span.style in FLOW or not value:
            return in_brackets(value, self._style)
        return laid_out(value, self._style, span.column)

    # Replacing

    def _replaced(self, around: Span, child: _Child, value: Any) -> Iterator[_Splice]:
        span = around.below[child.number]
        brackets = _brackets([span], value)
        if kept := _in_quotes(span, value):
            yield kept
        elif around.style in FLOW:
            yield self._in_place(span, in_brackets(value, self._style))
        elif around.style == "-":
            text = item(value, self._style, around.column + 2, brackets=brackets)
            yield from self._as_item(around.column, span, text)
        else:
            key_span = around.keys[child.number]
            taken = key_span.end - key_span.start + 1
            text = after_key(
                child.name, value, self._style, around.column, taken, brackets=brackets
            )
            yield from self._behind(key_span, span, text)

    def _as_item(self, column: int, span: Span, text: str) -> Iterator[_Splice]:
        """Put *text* in the place of *span*, an item of the list at *column*."""
        stop = self._line_end(span.end)
        head, tail = _parted(text)
        if span.style in BLOCK:
            yield _Splice(span.start, stop, text)
        elif "\n" in head and self._text[span.end : stop].strip():
            # a comment that follows can only stay above lines
            yield _Splice(span.start, span.end, "")
            yield _Splice(stop, stop, "\n" + " " * (column + 2) + text)
        else:
            yield _Splice(span.start, span.end, head)
            yield _Splice(stop, stop, tail)

    def _in_place(self, span: Span, text: str) -> _Splice:
        # an empty value stands directly behind the colon
        bare = span.start == span.end and self._text[span.start - 1] == ":"
        return _Splice(span.start, span.end, f" {text}" if bare else text)

    def _behind(self, key: Span, span: Span, text: str) -> Iterator[_Splice]:
        """Put *text*, which begins with a blank or a line break, behind the colon of *key*."""
        colon = self._text.index(":", key.end) + 1
        head, tail = _parted(text)
        if head.startswith("\n"):
            if span.style in BLOCK:
                yield _Splice(self._break_before(span.start), self._line_end(span.end), head)
            else:
                yield _Splice(colon, span.end, "")
                yield from self._below(span, head)
        elif span.style in BLOCK:
            line = self._line_end(colon)
            yield _Splice(colon, colon, head)
            # comments above what was there would be part of block text
            start = line if tail else self._break_before(span.start)
            yield _Splice(start, self._line_end(span.end), tail)
        else:
            yield self._in_place(span, head[1:])
            yield from self._below(span, tail)

    def _below(self, span: Span, text: str) -> Iterator[_Splice]:
        """Put *text*, which begins with a line break, below the line that *span* ends on."""
        end = self._line_end(span.end)
        yield _Splice(end, end, text)

    # Inserting

    def _inserted(self, old: _Old) -> Iterator[_Splice]:
        kept = {child.number for child in old.children}
        # a pair in a list may do without braces as long as it is one
        bare = -1 in kept and old.span.style in FLOW and self._text[old.span.start] not in FLOW
        if bare:
            yield _Splice(old.span.start, old.span.start, "{ ")
        anchor: int | None = None
        for is_new, run in groupby(old.children, key=lambda child: child.number < 0):
            children = list(run)
            if not is_new:
                anchor = children[-1].number
            elif old.span.style in FLOW:
                yield from self._inserted_in_brackets(old.span, anchor, children, kept)
            else:
                yield from self._inserted_lines(old.span, anchor, children)
        if bare:
            yield _Splice(old.span.end, old.span.end, " }")

    def _inserted_lines(
        self, span: Span, anchor: int | None, children: list[_Child]
    ) -> Iterator[_Splice]:
        margin = " " * span.column
        gap = "\n" if self._is_parted(span, anchor) else ""
        lines = [margin + self._line(span, anchor, child) for child in children]
        if anchor is not None:
            below = span.below[anchor]
            end = self._line_end(below.end)
            yield from self._closed(below)
            yield _Splice(end, end, "".join(f"{gap}\n{line}" for line in lines))
            return
        first = self._head(span, 0)
        line = self._line_start(first)
        above = self._line_above(line)
        if self._text[line:first].strip():
            # behind the dash of the item around it
            text = f"\n{gap}".join([*lines, margin])
            yield _Splice(first, first, text.removeprefix(margin))
        elif above is None:
            yield _Splice(line, line, "".join(f"{text}\n{gap}" for text in lines))
        else:
            yield _Splice(above, above, "".join(f"\n{text}{gap}" for text in lines))

    def _line(self, span: Span, anchor: int | None, child: _Child) -> str:
        value = _value(child.node)
        number = -1 if anchor is None else anchor
        nearest = [*reversed(span.below[: number + 1]), *span.below[number + 1 :]]
        brackets = _brackets(nearest, value)
        if span.is_map:
            return entry(child.name, value, self._style, span.column, brackets=brackets)
        return "- " + item(value, self._style, span.column + 2, brackets=brackets)

    def _is_parted(self, span: Span, anchor: int | None) -> bool:
        """Tell whether a blank line stands between the neighbours."""
        # blank lines behind text that keeps them would be part of it
        if len(span.below) < 2 or "+" in _header(self._text, _last(span.below[anchor or 0])):
            return False
        number = min(anchor or 0, len(span.below) - 2)
        between = self._text[span.below[number].end : self._head(span, number + 1)]
        return any(not line.strip() for line in between.split("\n")[1:-1])

    def _closed(self, span: Span) -> Iterator[_Splice]:
        """Let block text at the end of the file, without a line end, stay without one."""
        leaf = _last(span)
        if leaf.style in ("|", ">") and leaf.end == len(self._text):
            header = _header(self._text, leaf)
            if "+" in header:
                at = leaf.start + header.index("+")
                yield _Splice(at, at + 1, "-", on_what_stays=True)
            elif "-" not in header:
                yield _Splice(leaf.start + 1, leaf.start + 1, "-", on_what_stays=True)

    def _inserted_in_brackets(
        self, span: Span, anchor: int | None, children: list[_Child], kept: set[int]
    ) -> Iterator[_Splice]:
        number = anchor or 0
        head = self._head(span, number)
        line = "\n" + " " * (head - self._line_start(head))
        by_line = self._is_by_line(span, number)
        texts = [self._in_line(span, child, line if by_line else "") for child in children]
        if anchor is None:
            comma = f",{line}" if by_line else ", "
            yield _Splice(head, head, "".join(text + comma for text in texts))
            return
        end = span.below[anchor].end
        gap = _GAP.match(self._text, end)
        assert gap is not None
        comma_follows = self._text.startswith(",", gap.end())
        same_line = "\n" not in gap.group()
        following_goes = number + 1 < len(span.below) and number + 1 not in kept
        stop = self._line_end(end)
        if not by_line or following_goes or (comma_follows and not same_line):
            yield _Splice(end, end, "".join(f", {text}" for text in texts))
        elif not same_line:
            yield _Splice(end, end, ",")
            yield _Splice(stop, stop, ",".join(f"{line}{text}" for text in texts))
        elif comma_follows and not self._text[gap.end() + 1 : stop].partition("#")[0].strip():
            yield _Splice(stop, stop, "".join(f"{line}{text}," for text in texts))
        else:
            # the bracket, or what comes next, stands on the same line
            yield _Splice(end, end, "".join(f",{line}{text}" for text in texts))

    def _in_line(self, span: Span, child: _Child, line: str) -> str:
        value, style = _value(child.node), self._style
        text = in_brackets(value, style)
        if style.json and line:
            text = json.dumps(value, ensure_ascii=False, indent=style.step).replace("\n", line)
        return f"{key_text(child.name, style, brackets=True)}: {text}" if span.is_map else text

    def _is_by_line(self, span: Span, number: int) -> bool:
        """Tell whether the children in brackets stand on lines of their own."""
        if len(span.below) < 2:
            return "\n" in self._text[span.start : self._head(span, 0)]
        number = min(number, len(span.below) - 2)
        return "\n" in self._text[span.below[number].end : self._head(span, number + 1)]

    # Removing

    def _removed(self, span: Span, kept: set[int]) -> Iterator[_Splice]:
        remove = self._removed_in_brackets if span.style in FLOW else self._removed_lines
        for is_kept, run in groupby(range(len(span.below)), key=lambda number: number in kept):
            if not is_kept:
                numbers = list(run)
                yield remove(span, numbers[0], numbers[-1])

    def _removed_in_brackets(self, span: Span, first: int, last: int) -> _Splice:
        start = self._head(span, first)
        if last + 1 < len(span.below):
            return _Splice(start, self._head(span, last + 1), "")
        before = span.below[first - 1].end
        end = span.below[last].end
        if "#" not in self._text[before:start]:
            return _Splice(before, end, "")
        # the comment is on what stays, whose comma does no harm before the bracket
        if comma := _COMMA.match(self._text, end):
            end = comma.end()
        rest = self._text[end : self._line_end(end)].partition("#")[0]
        alone = not (self._text[self._line_start(start) : start] + rest).strip()
        return _Splice(self._break_before(start) if alone else start, end, "")

    def _removed_lines(self, span: Span, first: int, last: int) -> _Splice:
        start = self._head(span, first)
        line, end = self._line_start(start), self._line_end(span.below[last].end)
        if self._text[line:start].strip():
            # behind the dash of the item around it
            after = self._head(span, last + 1)
            follows = self._line_start(after) == self._next_line(end)
            return _Splice(start, after if follows else end, "")
        line = self._comments_above(start, span.below[first - 1].end if first else 0)
        if not first:
            return _Splice(line, self._next_line(end), "")
        if self._keeps_blanks:
            # the blank lines that follow could become part of the text before
            end = self._text_end(end)
        elif not self._text[end : self._line_end(self._next_line(end))].strip():
            # what stays is parted by one gap, not by two
            line = self._blanks_above(line)
        return _Splice(self._break_before(line), end, "")

    # Lines

    def _comments_above(self, head: int, floor: int) -> int:
        """Return the start of the lines that are about what begins at *head*.

        These are its own and the comments directly above it in its column, as far as they stand
        behind *floor*. What the file begins with is about the file.
        """
        line = self._line_start(head)
        margin = self._text[line:head] + "#"
        first = line
        while first and self._text.startswith(margin, above := self._line_start(first - 1)):
            if above < floor:
                break
            first = above
        return first or line

    def _head(self, span: Span, number: int) -> int:
        """Return where child *number* begins: its key, its dash, or itself in brackets."""
        if span.is_map:
            return span.keys[number].start
        start = span.below[number].start
        if span.style == "[" or number == 0:
            return start if span.style == "[" else span.start
        line = self._line_start(start)
        while self._text[line : line + span.column + 1] != " " * span.column + "-":
            line = self._line_start(line - 1)
        return line + span.column

    def _line_start(self, offset: int) -> int:
        return self._text.rfind("\n", 0, offset) + 1

    def _line_end(self, offset: int) -> int:
        found = self._text.find("\n", offset)
        if found < 0:
            return len(self._text)
        return found - self._text.startswith("\r\n", found - 1)

    def _blanks_above(self, line: int) -> int:
        """Return the start of the blank lines that stand directly above *line*."""
        while line and not self._text[(above := self._line_start(line - 1)) : line].strip():
            line = above
        return line

    def _text_end(self, offset: int) -> int:
        """Return the end of the last of the blank lines that follow the line of *offset*."""
        following = self._next_line(offset)
        while following < len(self._text):
            stop = self._line_end(following)
            if self._text[following:stop].strip():
                break
            offset, following = stop, self._next_line(following)
        return self._line_end(offset)

    def _next_line(self, offset: int) -> int:
        return self._text.find("\n", offset) + 1 or len(self._text)

    def _break_before(self, offset: int) -> int:
        """Return where the line before that of *offset* ends."""
        return self._line_end(self._line_start(offset) - 1)

    def _line_above(self, line: int) -> int | None:
        """Return the end of the nearest line above *line* that is no comment, None without one."""
        while line:
            above = self._line_start(line - 1)
            content = self._text[above:line].strip()
            if content and not content.startswith("#"):
                return self._line_end(above)
            line = above
        return None


def _in_quotes(span: Span, value: Any) -> _Splice | None:
    """Return how a date stays in the quotes that *span* has; None where there are none."""
    if isinstance(value, Day) and span.style in _QUOTES:
        return _Splice(span.start + 1, span.end - 1, value)
    return None


def _last(span: Span) -> Span:
    """Return the last scalar, or empty collection, of *span*."""
    while span.below:
        span = span.below[-1]
    return span


def _header(text: str, span: Span) -> str:
    """Return what stands before the lines of block text; nothing for any other node."""
    if span.style not in ("|", ">"):
        return ""
    return text[span.start : span.end].partition("\n")[0].partition("#")[0]


def _parted(text: str) -> tuple[str, str]:
    """Part block text behind its first line: there a comment may stand."""
    if not text.lstrip(" ").startswith(("|", ">")):
        return text, ""
    head, _, tail = text.partition("\n")
    return head, f"\n{tail}"


def _value(node: _Old | _New) -> Any:
    """Return the value of what has nothing of the text left."""
    if isinstance(node, _New):
        return node.value
    values = [_value(child.node) for child in node.children]
    if node.span.is_map:
        return dict(zip((child.name for child in node.children), values, strict=True))
    return values


def _brackets(neighbours: list[Span], value: Any) -> bool | None:
    """Return whether most neighbours of *value*'s kind stand in brackets, if any is one.

    Of as many the nearest, which comes first, decides.
    """
    wanted = ("{", ":") if isinstance(value, dict) else ("[", "-")
    alike = [span.style in FLOW for span in neighbours if span.style in wanted and span.below]
    return max(alike, key=alike.count) if alike else None
