"""Compare JSON values: one text for all equal values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from json import JSONEncoder
from typing import Any, Final

_ordered = JSONEncoder(
    ensure_ascii=False, check_circular=False, default=repr, sort_keys=True
).encode
_WHOLE_FLOAT: Final = re.compile(r"\.0|e\+")

_compact: Final = JSONEncoder(
    ensure_ascii=False, check_circular=False, default=repr, separators=(",", ":")
).encode

written = JSONEncoder(ensure_ascii=False, check_circular=False, default=repr).encode
"""Returns a JSON value as text, which distinguishes `1` and `true`, unlike `==`."""


def text(value: Any) -> str:
    """Return *value* as text that all equal JSON values, and no others, have in common.

    The order of keys does not matter, nor how a number is written: 1.0 equals 1, but `true` does
    not (JSON Schema 2020-12, core, section 4.2.2).
    """
    try:
        found = _ordered(value)
        return _ordered(_with_integers(value)) if _WHOLE_FLOAT.search(found) else found
    except TypeError:
        # keys of several types, which JSON documents can't have
        return written(value)


def write_compactly(value: Any) -> bytes:
    """Return *value* as compact JSON for comparison, which distinguishes `1`, `1.0` and `true`.

    Use it for large values, for which a faster encoder is worth importing.
    """
    write, refused = _import_writer()
    try:
        return write(value, fallback=repr)
    except refused:
        # too deep, or text that is not valid Unicode
        return write_slowly(value)


@cache  # an import statement takes longer than to write a short value
def _import_writer() -> tuple[Callable[..., bytes], type[Exception]]:
    from pydantic_core import PydanticSerializationError, to_json

    return to_json, PydanticSerializationError


def write_slowly(value: Any) -> bytes:
    """Return the result of `write_compactly`, without importing anything."""
    return _compact(value).encode("utf-8", "surrogatepass")


def list_items(node: Mapping[str, Any], key: str) -> list[Any]:
    """Return the list at *key* of *node*; empty if there is none."""
    found = node.get(key)
    return found if isinstance(found, list) else []


def find_repeated(values: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Yield each of *values* that equals an earlier one, as JSON, with its index."""
    seen: set[str] = set()
    for index, value in enumerate(values):
        known_as = text(value)
        if known_as in seen:
            yield index, value
        seen.add(known_as)


def _with_integers(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _with_integers(below) for key, below in value.items()}
    return [_with_integers(below) for below in value] if isinstance(value, list) else value
