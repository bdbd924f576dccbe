"""Values as JSON (RFC 8259): ASCII only, a row for each item."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from math import isfinite
from typing import Any, Final

_HALVES: Final = re.compile("[\ud800-\udfff]")


def format_row(value: Any) -> str:
    """Return *value* on one line, readable by every strict reader.

    Numbers that JSON lacks, such as infinity, become their name as text, and half of a surrogate
    pair becomes U+FFFD.
    """
    try:
        text = json.dumps(value, allow_nan=False)
    except ValueError:
        return format_row(_exchangeable(value))
    if "\\ud" in text:
        text = json.dumps(_exchangeable(value))
    # what CI servers interpret as a command in a log; `#` occurs in texts only
    return text.replace("##", "\\u0023#")


def format_rows(items: Iterable[Any]) -> str:
    """Return *items* as an array, one to a line."""
    lines = ",\n".join(map(format_row, items))
    return f"[\n{lines}\n]" if lines else "[]"


def _exchangeable(value: Any) -> Any:
    if isinstance(value, dict):
        return {_exchangeable(key): _exchangeable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_exchangeable(item) for item in value]
    if isinstance(value, str):
        return _HALVES.sub("\ufffd", value)
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value
