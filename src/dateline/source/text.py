"""JSON and YAML text for plain values, at any indentation; the same value, the same bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from dateline.model import Day

# Text that every YAML 1.1 and 1.2 reader takes for just this text. What begins like a number,
# a date or an indicator is quoted, and so are the words below. A colon stands only before what
# can't make it the end of a key, and a blank only before what can't begin a comment.
_PLAIN: Final = re.compile(
    r"[A-Za-z_/$](?:[A-Za-z0-9_./{}$()+*'@!?;=,\-]|[ :](?=[A-Za-z0-9_(/$-]))*"
)
_WORDS: Final = frozenset(
    ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity"]
)

_quoted_utf8: Any = json.encoder.encode_basestring

# Documents repeat the same few keys over and over.
_remembered: Final = lru_cache(maxsize=1 << 14)


def quoted(text: str) -> str:
    """Return *text* as a JSON string (RFC 8259 section 7), everything unprintable escaped."""
    return _escaped(text, lambda character: json.dumps(character)[1:-1])


def _double_quoted(text: str) -> str:
    """Return *text* as a YAML double-quoted scalar (YAML 1.2.2 section 7.3.1).

    The same as JSON, but a character beyond U+FFFF is one escape and not two surrogates.
    """
    return _escaped(
        text,
        lambda character: (
            json.dumps(character)[1:-1] if character <= "\uffff" else f"\\U{ord(character):08x}"
        ),
    )


def _escaped(text: str, escape: Callable[[str], str]) -> str:
    plain = str(_quoted_utf8(text))
    if plain.isprintable():
        return plain
    return "".join(
        character if character.isprintable() else escape(character) for character in plain
    )


def _scalar(value: Any) -> str:
    text = json.dumps(value)
    if isinstance(value, float) and "e" in text and "." not in text:
        # YAML 1.1 knows an exponent only behind a decimal point
        return text.replace("e", ".0e")
    return text


@_remembered
def json_key(key: str) -> str:
    """Return *key* as the name of a JSON member."""
    return quoted(key)


def json_text(value: Any, indent: int = 0) -> str:
    """Return *value* as JSON, two blanks a level; lines after the first begin at *indent*."""
    if isinstance(value, dict):
        if not value:
            return "{}"
        inner = " " * (indent + 2)
        lines = [
            f"{inner}{json_key(key)}: {json_text(child, indent + 2)}"
            for key, child in value.items()
        ]
        return "{\n" + ",\n".join(lines) + "\n" + " " * indent + "}"
    if isinstance(value, list):
        if not value:
            return "[]"
        inner = " " * (indent + 2)
        lines = [inner + json_text(child, indent + 2) for child in value]
        return "[\n" + ",\n".join(lines) + "\n" + " " * indent + "]"
    return quoted(value) if isinstance(value, str) else _scalar(value)


@_remembered
def yaml_key(key: str) -> str:
    """Return *key* as a YAML mapping key."""
    return key if _is_plain(key) else _double_quoted(key)


def _yaml_name(key: str) -> str:
    # a day equals the text that is remembered for others
    return key if isinstance(key, Day) else yaml_key(key)


def yaml_text(value: Any, indent: int = 0) -> str:
    """Return *value* as YAML block style, to stand after `key:` or `-` at *indent*.

    Begins with a blank or a line break, so that it can be set directly behind the colon.
    """
    if isinstance(value, dict):
        if not value:
            return " {}"
        inner = "\n" + " " * indent
        return "".join(
            f"{inner}{_yaml_name(key)}:{yaml_text(child, indent + 2)}"
            for key, child in value.items()
        )
    if isinstance(value, list):
        if not value:
            return " []"
        inner = "\n" + " " * indent + "-"
        return "".join(inner + _yaml_item(child, indent + 2) for child in value)
    if isinstance(value, str):
        return f" {value}" if isinstance(value, Day) else _yaml_string(value, indent)
    return " " + _scalar(value)


def _yaml_item(value: Any, indent: int) -> str:
    text = yaml_text(value, indent)
    # the first key of a mapping in a list stands on the line of its dash
    if isinstance(value, dict | list) and value:
        return " " + text[indent + 1 :]
    return text


def _yaml_string(text: str, indent: int) -> str:
    if _is_plain(text):
        return " " + text
    if "\n" in text and _can_be_block(text):
        style = "|" if text.endswith("\n") else "|-"
        margin = " " * indent
        lines = text.removesuffix("\n").split("\n")
        return f" {style}\n" + "\n".join(margin + line if line else "" for line in lines)
    return " " + _double_quoted(text)


def _is_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and text.lower() not in _WORDS


def _can_be_block(text: str) -> bool:
    """Tell whether a literal block scalar (YAML 1.2.2 section 8.1.2) gives *text* back."""
    lines = text.removesuffix("\n").split("\n")
    return (
        lines[0] != ""
        and lines[-1] != ""
        and not lines[0].startswith((" ", "\t"))
        and all(line.isprintable() and not line.endswith(" ") for line in lines)
    )
