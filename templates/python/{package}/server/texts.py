"""Read a text as a plain value, by the JSON types that the value may have."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from .contracts import TYPES
from .runtime import query
from .runtime.errors import RequestError

# Texts are read as the first of these types that is possible.
_READERS: Final[dict[str, query.Reader]] = {
    "boolean": query.boolean,
    "integer": query.integer,
    "number": query.number,
    "string": query.text,
}


def reader(types: frozenset[str]) -> query.Reader:
    """Return a function that reads one value of *types*; a text for types without a spelling."""
    if types == TYPES:
        return query.text
    # a number may be an integer
    read_types = types - {"integer"} if "number" in types else types
    readers = [read for name, read in _READERS.items() if name in read_types]
    *others, last = readers or [query.text]
    if not others:
        return last

    def read(value: str) -> Any:
        for each in others:
            with suppress(RequestError):
                return each(value)
        return last(value)

    return read
