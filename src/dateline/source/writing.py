"""Write values into a file in the style of that file."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from dateline.model import KEYS, Day
from dateline.source.scalars import (
    end_key,
    format_block,
    format_folded,
    format_number,
    is_long_key,
    is_plain,
    quote_yaml,
    wrap_quoted,
)
from dateline.source.spans import BLOCK, FLOW, Span, everything

_WIDTHS: Final = (80, 120)
"""A file's longest line counts as its width within these bounds."""

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, kw_only=True)
class Style:
    """How a file is written, as far as it shows."""

    brackets: bool  # collections may be in brackets
    map_padding: str
    list_padding: str
    quote: str
    step: int  # the indentation of a mapping within another
    list_step: int  # the indentation of a list within a mapping
    width: int
    folds: bool = True  # long text is broken, not left on one line
    json: bool = False


def style_of(text: str, root: Span, *, json: bool = False) -> Style:
    """Return the prevalent style of *text*."""
    found: Counter[tuple[str, Any]] = Counter()
    for span in everything(root):
        found["quote", span.style] += 1
        if span.style in FLOW and span.below:
            padding = " " if text[span.start + 1] == " " else ""
            found["padding" + span.style, padding] += 1
        if span.style == ":":
            for below in span.below:
                if below.style in BLOCK:
                    found["step" + below.style, below.column - span.column] += 1

    def most(name: str, usual: Any, *others: Any) -> Any:
        """Return the commonest of the choices; any that is found if there is only one choice."""
        known = others or [choice for what, choice in found if what == name]
        return max((usual, *known), key=lambda choice: found[name, choice])

    low, high = _WIDTHS
    longest = max(map(len, text.splitlines()), default=0)
    root_step = root.keys[0].column if json and root.keys else 0
    return Style(
        brackets=any(name.startswith("padding") for name, _ in found) or not root.below,
        map_padding=most("padding{", " ", ""),
        list_padding=most("padding[", "", " "),
        quote=most("quote", "'", '"'),
        step=root_step or most("step:", 2),
        list_step=most("step-", 2),
        width=max(low, min(high, longest)),
        folds=found["quote", ">"] > 0 or not any(map(_is_left_long, text.splitlines())),
        json=json,
    )


def _is_left_long(line: str) -> bool:
    """Return whether *line* is a long one that could be broken."""
    content = line.lstrip(" -").rstrip()
    return len(line) > _WIDTHS[1] and " " in (content.partition(": ")[2] or content)


def in_brackets(value: Any, style: Style) -> str:
    """Return *value* on one line."""
    if style.json:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        if not value:
            return "{}"
        entries = ", ".join(
            f"{key_in_brackets(name, style)} {in_brackets(below, style)}"
            for name, below in value.items()
        )
        return "{" + style.map_padding + entries + style.map_padding + "}"
    if isinstance(value, list):
        items = ", ".join(in_brackets(item, style) for item in value)
        padding = style.list_padding if value else ""
        return f"[{padding}{items}{padding}]"
    return scalar(value, style, brackets=True)


def entry(name: str, value: Any, style: Style, indent: int, *, brackets: bool | None = None) -> str:
    """Return `name: value` laid out at *indent*; lines after the first begin there.

    *brackets* says how the neighbours are written; None if no neighbour shows it.
    """
    head = _block_key(name, style, indent)
    return head + after_key(name, value, style, indent, len(head), brackets=brackets)


def after_key(
    name: str, value: Any, style: Style, indent: int, taken: int, *, brackets: bool | None = None
) -> str:
    """Return what follows the colon after *name*, which takes *taken* characters after *indent*."""
    if isinstance(value, dict | list) and value:
        line = in_brackets(value, style)
        one_line = style.brackets if name in KEYS else _on_one_line(value, style, brackets)
        if one_line and indent + taken + 1 + len(line) <= style.width:
            return f" {line}"
        inner = indent + (style.step if isinstance(value, dict) else style.list_step)
        return "\n" + " " * inner + laid_out(value, style, inner)
    if isinstance(value, str):
        return " " + _text(value, style, indent, taken)
    return " " + in_brackets(value, style)


def item(value: Any, style: Style, indent: int, *, brackets: bool | None = None) -> str:
    """Return what follows `- `, laid out at *indent*, the column after it."""
    if isinstance(value, dict | list) and value:
        line = in_brackets(value, style)
        only = isinstance(value, dict) and len(value) == 1
        if brackets is None and only:
            brackets = False
        if _on_one_line(value, style, brackets) and indent + len(line) <= style.width:
            return line
        return laid_out(value, style, indent)
    if isinstance(value, str):
        return _text(value, style, indent - 2, 2)
    return in_brackets(value, style)


def laid_out(value: Any, style: Style, indent: int) -> str:
    """Return a non-empty collection in block style; its first line has no indentation."""
    margin = "\n" + " " * indent
    if isinstance(value, dict):
        return margin.join(
            _block_key(name, style, indent) + after_key(name, below, style, indent, len(name) + 1)
            for name, below in value.items()
        )
    return margin.join("- " + item(below, style, indent + 2) for below in value)


def _on_one_line(value: Any, style: Style, brackets: bool | None) -> bool:
    if not style.brackets or brackets is False:
        return False
    single = isinstance(value, list) and len(value) == 1
    return brackets is True or _depth(value) <= 1 + single


def _depth(value: Any) -> int:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, below)) if below else 0


def key_text(name: str, style: Style, *, brackets: bool = False) -> str:
    """Return *name* as a key, in brackets or not; dates are plain."""
    if _DATE.fullmatch(name) and not style.json:
        return name
    return scalar(name, style, brackets=brackets)


def key_in_brackets(name: str, style: Style) -> str:
    """Return *name* as a key with its colon, in brackets."""
    written = key_text(name, style, brackets=True)
    return f"? {written} :" if is_long_key(written) and not style.json else f"{written}:"


def _block_key(name: str, style: Style, indent: int) -> str:
    """Return *name* as a key with its colon, in block style at *indent*."""
    return end_key(key_text(name, style), " " * indent)


def scalar(value: Any, style: Style, *, brackets: bool = False) -> str:
    """Return a scalar on one line."""
    if style.json:
        return json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        return format_number(value)
    if (isinstance(value, Day) and value.is_plain) or is_plain(
        value, to_people=True, brackets=brackets
    ):
        return value
    double = quote_yaml(value)
    # the quote that needs no escape, if only one of them does
    if double[1:-1] != value and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if style.quote == '"' or "'" in value or not value.isprintable():
        return double
    return f"'{value}'"


def _text(text: str, style: Style, indent: int, taken: int) -> str:
    """Return *text* as a value at *indent*: on one line, or as block text below it.

    If the file breaks long texts, this one is broken, too, as far as YAML can.
    """
    line = scalar(text, style)
    if style.json:
        return line
    margin = " " * (indent + style.step)
    written = format_block(text, margin) or line
    rows = written.split("\n")
    rows[0] = f"{' ' * (indent + taken + 1)}{rows[0]}"
    if not style.folds or max(map(len, rows)) <= style.width or " " not in text.strip():
        return written
    column = indent + taken + 1
    return format_folded(text, margin, style.width) or wrap_quoted(
        text, margin, style.width, column
    )
