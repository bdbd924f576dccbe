"""Write values of parameters into requests, in the styles of OpenAPI (3.2.0, section 4.12)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from dateline.openapi import QUERYSTRING, is_form

_REPEATED: Final = ("query", "cookie")
"""The places in which an item or a field may be a parameter of its own."""

_SEPARATORS: Final = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}

Encode = Callable[[str], str]


def write_parameter(parameter: Mapping[str, Any], value: Any) -> list[tuple[str, str]]:
    """Return the names and the texts by which a request has *value* as the *parameter*.

    They are encoded as their place requires; in a path or a header, there is one.
    """
    name, place = str(parameter.get("name")), parameter.get("in")
    style = parameter.get("style") or ("form" if place in _REPEATED else "simple")
    is_raw = place == "header" or style == "cookie"
    encode: Encode = str if is_raw else partial(quote, safe="")
    if "content" in parameter:
        return [(encode(name), encode(json.dumps(value, ensure_ascii=False)))]
    explode = bool(parameter.get("explode", style in ("form", "cookie")))
    if style == "deepObject" and isinstance(value, dict | list):
        return [*_write_deep(encode(name), value, encode)]
    if place not in _REPEATED:
        return [(name, _join(name, style, explode, value, encode))]
    if value in ([], {}):
        return []
    if explode and isinstance(value, dict):
        return [(encode(key), encode(_text(each))) for key, each in value.items()]
    if explode and isinstance(value, list):
        return [(encode(name), encode(_text(each))) for each in value]
    return [(encode(name), _join(name, style, explode, value, encode))]


def write_query(parameter: Mapping[str, Any], value: Any) -> list[str]:
    """Return `name=value` for each pair by which a query has *value* as the *parameter*.

    A parameter that is the whole query has no name: its value is a form, or else JSON.
    """
    if parameter.get("in") != QUERYSTRING:
        return ["=".join(pair) for pair in write_parameter(parameter, value)]
    if isinstance(value, dict) and any(map(is_form, parameter.get("content", ()))):
        fields = ({"name": name, "in": "query"} for name in value)
        return [
            pair
            for field in fields
            if value[field["name"]] is not None
            for pair in write_query(field, value[field["name"]])
        ]
    return [quote(json.dumps(value, ensure_ascii=False), safe="")]


def _find_notation(name: str, style: str, explode: bool, kind: type) -> tuple[str, str]:
    """Return what precedes a value of the type *kind*, and what is between its parts."""
    if style == "label":
        return ".", "." if explode else ","
    if style != "matrix":
        return "", _SEPARATORS.get(style, ",")
    if explode and kind is dict:
        return ";", ";"
    before = f";{name}="
    return before, before if explode and kind is list else ","


def _join(name: str, style: str, explode: bool, value: Any, encode: Encode) -> str:
    before, sign = _find_notation(name, style, explode, type(value))
    if isinstance(value, list):
        return before + sign.join(encode(_text(each)) for each in value)
    if not isinstance(value, dict):
        return before + encode(_text(value))
    between = "=" if explode else sign
    pairs = (f"{encode(key)}{between}{encode(_text(each))}" for key, each in value.items())
    return before + sign.join(pairs)


def _write_deep(name: str, value: Any, encode: Encode) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _write_deep(f"{name}[{encode(key)}]", each, encode)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _write_deep(f"{name}[{index}]", each, encode)
    else:
        yield name, encode(_text(value))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)
