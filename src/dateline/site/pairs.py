"""Write a value as a form: its pairs, each in the style of its property (OpenAPI 3.1.1, 4.8.15)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from dateline.python.forms import FormPart

URL_ENCODED: Final = "application/x-www-form-urlencoded"

_SEPARATORS: Final = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}


def write_pairs(value: Mapping[str, Any], parts: Mapping[str, FormPart]) -> Iterator[str]:
    """Yield `name=value` for each pair of the form *value*, percent-encoded.

    *parts* are those of the properties whose values don't determine how they are written.
    """
    for name, each in value.items():
        if each is not None:
            yield from _write(name, each, parts.get(name, FormPart()).style or {})


def _write(name: str, value: Any, settings: Mapping[str, Any]) -> Iterator[str]:
    style = settings.get("style") or "form"
    if style == "content":
        yield f"{quote(name, safe='')}={_encode(json.dumps(value))}"
    elif not isinstance(value, dict | list):
        yield f"{quote(name, safe='')}={_encode(value)}"
    elif style == "deepObject":
        yield from _write_deep(quote(name, safe=""), value)
    elif isinstance(value, dict):
        if settings.get("explode", style == "form"):
            yield from (f"{quote(key, safe='')}={_encode(each)}" for key, each in value.items())
        elif value:
            texts = [text for key, each in value.items() for text in (quote(key), _encode(each))]
            yield f"{quote(name, safe='')}={_SEPARATORS.get(style, ',').join(texts)}"
    elif settings.get("explode", style == "form"):
        yield from (f"{quote(name, safe='')}={_encode(each)}" for each in value)
    elif value:
        joined = _SEPARATORS.get(style, ",").join(map(_encode, value))
        yield f"{quote(name, safe='')}={joined}"


def _write_deep(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _write_deep(f"{name}[{quote(key, safe='')}]", each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _write_deep(f"{name}[{index}]", each)
    else:
        yield f"{name}={_encode(value)}"


def _encode(value: Any) -> str:
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    return quote(text, safe="")
