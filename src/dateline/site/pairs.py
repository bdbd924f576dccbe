"""Write a value as a form: its pairs, each in the style of its property (OpenAPI 3.1.1, 4.8.15)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from dateline.python.forms import FormPart
from dateline.sample.notations import write_query

URL_ENCODED: Final = "application/x-www-form-urlencoded"


def write_pairs(value: Mapping[str, Any], parts: Mapping[str, FormPart]) -> Iterator[str]:
    """Yield `name=value` for each pair of the form *value*, percent-encoded.

    *parts* are those of the properties whose values don't determine how they are written.
    """
    for name, each in value.items():
        if each is None:
            continue
        style = parts.get(name, FormPart()).style or {}
        place = {"content": {}} if style.get("style") == "content" else style
        yield from write_query({**place, "name": name, "in": "query"}, each)
