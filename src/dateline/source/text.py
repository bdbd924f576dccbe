"""Write generated documents: the same bytes for the same value."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

from dateline.model import Day, PendingText
from dateline.source.scalars import (
    end_key,
    format_block,
    format_folded,
    format_number,
    is_plain,
    quote_json,
    quote_yaml,
    wrap_quoted,
)

# Documents repeat the same few keys over and over.
_remembered: Final = lru_cache(maxsize=1 << 14)


@_remembered
def json_key(key: str) -> str:
    """Return *key* as the name of a JSON member."""
    return quote_json(key)


# Numbers so large or so small that they are written differently here, at the end of a line. Both
# kinds begin with a digit, which makes the search several times as fast.
_EXPONENT: Final = re.compile(r"[0-9](?:e[-+]?[0-9]+|(?<=\b0)\.0000[0-9]*),?$", re.MULTILINE)


def json_text(value: Any, indent: int = 0) -> str:
    """Return *value* as JSON, two blanks per level; lines after the first begin at *indent*."""
    if isinstance(value, dict | list) and value:
        from pydantic_core import PydanticSerializationError, to_json

        try:
            text = to_json(value, indent=2).decode()
        except PydanticSerializationError:
            return write_json(value, indent)
        lines = text.split("\n")
        if "".join(lines).isprintable() and not _EXPONENT.search(text):
            return ("\n" + " " * indent).join(lines)
    return write_json(value, indent)


# The same in compact JSON, where a text rarely looks like that.
_COMPACT_EXPONENT: Final = re.compile(rb"[:,[]-?(?:[0-9][0-9.]*e|0\.0000)")


def compact_json(value: dict[str, Any] | list[Any]) -> bytes:
    """Return *value* as JSON without blanks, as `json.dumps` writes it."""
    from pydantic_core import PydanticSerializationError, to_json

    with suppress(PydanticSerializationError):
        text = to_json(value)
        if not _COMPACT_EXPONENT.search(text):
            return text
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def write_json(value: Any, indent: int) -> str:
    """Return the result of `json_text` for any characters and numbers in *value*."""
    if isinstance(value, dict):
        if not value:
            return "{}"
        inner = " " * (indent + 2)
        lines = [
            f"{inner}{json_key(key)}: {write_json(child, indent + 2)}"
            for key, child in value.items()
        ]
        return "{\n" + ",\n".join(lines) + "\n" + " " * indent + "}"
    if isinstance(value, list):
        if not value:
            return "[]"
        inner = " " * (indent + 2)
        lines = [inner + write_json(child, indent + 2) for child in value]
        return "[\n" + ",\n".join(lines) + "\n" + " " * indent + "]"
    return quote_json(value) if isinstance(value, str) else format_number(value)


@_remembered
def yaml_key(key: str, indent: int) -> str:
    """Return *key* as a YAML mapping key at *indent*, with its colon."""
    return end_key(key if is_plain(key) else quote_yaml(key), " " * indent)


def _yaml_key(key: str, indent: int) -> str:
    # a day equals the text that is cached for others
    return f"{key}:" if isinstance(key, Day) and key.is_plain else yaml_key(key, indent)


def yaml_text(value: Any, indent: int = 0, width: int = 0, column: int = 0) -> str:
    """Return *value* in YAML block style, to follow `key:` or `-` at *indent*.

    It begins with a blank or a line break, so that it can follow the colon directly. With a
    *width*, texts are folded into lines of at most that width, if possible; the value follows
    *column* characters.
    """
    if isinstance(value, dict):
        if not value:
            return " {}"
        inner = "\n" + " " * indent
        return "".join(
            [
                f"{inner}{(name := _yaml_key(key, indent))}"
                f"{yaml_text(child, indent + 2, width, indent + len(name) + 1)}"
                for key, child in value.items()
            ]
        )
    if isinstance(value, list):
        if not value:
            return " []"
        inner = "\n" + " " * indent + "-"
        return "".join([inner + _yaml_item(child, indent + 2, width) for child in value])
    if isinstance(value, str):
        if isinstance(value, PendingText):
            return f" {value[:-1]}.{indent}{value[-1]}"
        is_plain = isinstance(value, Day) and value.is_plain
        return f" {value}" if is_plain else _yaml_string(value, indent, width, column)
    return " " + format_number(value)


def _yaml_item(value: Any, indent: int, width: int) -> str:
    text = yaml_text(value, indent, width, indent)
    # the first key of a mapping in a list is on the line of its dash
    if isinstance(value, dict | list) and value:
        return " " + text[indent + 1 :]
    return text


# Shorter texts, such as names of types and fields, are repeated in a document.
_LONG: Final = 60


@_remembered
def _yaml_short(text: str) -> str:
    return f" {text}" if is_plain(text) else f" {quote_yaml(text)}"


def _yaml_string(text: str, indent: int, width: int, column: int) -> str:
    if not width and len(text) < _LONG and "\n" not in text:
        return _yaml_short(text)
    margin = " " * indent
    written = text if is_plain(text) else format_block(text, margin) or quote_yaml(text)
    if width and max(map(len, f"{' ' * column}{written}".split("\n"))) > width:
        written = format_folded(text, margin, width) or wrap_quoted(text, margin, width, column)
    return " " + written
