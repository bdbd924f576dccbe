"""Read and write plain JSON values, with the fastest library that is installed."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from pydantic_core import from_json, to_json


def read_json(content: bytes) -> Any:
    """Return the value of the JSON text *content*. Raises ValueError."""
    return from_json(content, allow_inf_nan=False)


def write_json(value: Any) -> bytes:
    """Return *value* as JSON. Raises ValueError for values that JSON does not have."""
    text = to_json(value)
    if b"Infinity" in text or b"NaN" in text:
        # a text may contain it, too
        json.dumps(value, allow_nan=False, default=str)
    return text


def _find_fastest() -> tuple[
    Callable[[bytes], Any], Callable[[Any], bytes], tuple[type[Exception], ...]
]:
    """Return functions that read and write values that only consist of JSON types.

    The last of the result are the exceptions for a text that is not JSON.
    """
    try:
        msgspec = import_module("msgspec")
    except ImportError:
        return read_json, write_json, (ValueError,)
    refused = (msgspec.MsgspecError, ValueError, RecursionError)
    return msgspec.json.Decoder().decode, msgspec.json.Encoder().encode, refused


_FASTEST: Final = _find_fastest()

read_quickly: Final = _FASTEST[0]
"""`read_json`, as fast as it can be. Raises UNREADABLE"""

write_quickly: Final = _FASTEST[1]
"""`write_json` for what `read_quickly` has read, or contract data hold"""

UNREADABLE: Final = _FASTEST[2]
"""The exceptions of `read_quickly`"""
