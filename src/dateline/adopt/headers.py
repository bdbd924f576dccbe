"""Find the header with which callers of a published document choose a version."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from dateline.adopt.inputs import Source
from dateline.openapi import METHODS, chain

_WORDS: Final = re.compile("version|revision", re.IGNORECASE)

_MOST: Final = 0.9
"""The share of operations that declare the header: some may be the same in all versions."""


class VersionHeader(NamedTuple):
    """A header that selects a version, and the version that callers without it have, if any."""

    name: str
    default: Any


def find_version_header(source: Source) -> VersionHeader | None:
    """Return the header by which operations of *source* select a version.

    Nearly all of them declare it, and it is named after versions or has the date of *source* as
    its value. None where no header is such a one, or several are.
    """
    operations = list(_list_headers(source.document))
    times = Counter(name for headers in operations for name in headers)
    found = {
        name.lower(): VersionHeader(name, _schema(headers[name]).get("default"))
        for headers in operations
        for name in headers
        if times[name] >= _MOST * len(operations) and _selects(headers[name], source.date)
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _list_headers(document: dict[str, Any]) -> Iterator[dict[str, dict[str, Any]]]:
    """Yield the header parameters of each operation, by name."""
    for written in document.get("paths", {}).values():
        sites = chain(document, written)
        for method in METHODS if sites else ():
            node = sites[-1].get(method)
            if isinstance(node, dict):
                listed = (*sites[-1].get("parameters", ()), *node.get("parameters", ()))
                resolved = [found[-1] for each in listed if (found := chain(document, each))]
                yield {each["name"]: each for each in resolved if each["in"] == "header"}


def _selects(parameter: dict[str, Any], date: str) -> bool:
    schema = _schema(parameter)
    values = [schema.get("default"), schema.get("const"), schema.get("example")]
    return _WORDS.search(parameter["name"]) is not None or date in values


def _schema(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = parameter.get("schema")
    return schema if isinstance(schema, dict) else {}
