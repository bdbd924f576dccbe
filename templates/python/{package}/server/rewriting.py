"""Write the values of lifted parameters into a request, as the newest version has them.

Raises RequestError for a text that would be read as another one, or as more than one: the styles
differ in what they can write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import quote, quote_plus, unquote

from .forms import keep_pairs
from .nested import STYLE
from .objects import CONTENT, decode_cookie, find_notation, is_encoded_cookie
from .paths import PathTemplate
from .runtime import errors
from .runtime.asgi import Headers, Scope
from .runtime.errors import RequestError

Parameters = Mapping[str, Mapping[str, Any]]
"""Parameters in one place of a request by their names, as the contract data describe them."""

IsGone = Callable[[str], bool]
"""Takes the name of a parameter that was sent; returns whether it is left out."""

Encode = Callable[[str], str]

# What no header contains, and what ends a cookie for some servers.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_END: Final = re.compile(r";|,[ \t]")
_SPLIT: Final = re.compile(r"[,\s]+")


def write_query(
    scope: Scope, is_gone: IsGone, values: Mapping[str, Any], described: Parameters
) -> Scope:
    """Return *scope* with *values* in its query string, and without the parameters that are gone.

    The values are plain ones, by the names of *described*. All other pairs are unchanged.
    """
    sent = scope.get("query_string", b"")
    kept = [pair for pair in keep_pairs(sent, is_gone, "the query string") if pair]
    pairs = [
        f"{quote_plus(name)}={quote_plus(text)}".encode()
        for key, value in values.items()
        for name, text in _write_fields(key, value, described.get(key, {}))
    ]
    return {**scope, "query_string": b"&".join([*kept, *pairs])}


def write_whole_query(
    scope: Scope, _: IsGone, values: Mapping[str, Any], described: Parameters
) -> Scope:
    """Return *scope* with the one of *values* as its query string, or without a query string."""
    written = "".join(_write_whole(value, described[name]) for name, value in values.items())
    return {**scope, "query_string": written.encode()}


def _write_whole(value: Any, described: Mapping[str, Any]) -> str:
    if described["style"] == CONTENT or not isinstance(value, dict):
        return quote(join_parts(value, described), safe="")
    pairs = _write_fields("", value, described)
    return "&".join(f"{quote_plus(name)}={quote_plus(text)}" for name, text in pairs)


def write_headers(
    scope: Scope, is_gone: IsGone, values: Mapping[str, Any], described: Parameters
) -> Scope:
    """Return *scope* with *values* in its headers, and without the headers that are gone."""
    kept: Headers = [
        field for field in scope["headers"] if not is_gone(field[0].decode("latin-1").lower())
    ]
    for name, value in values.items():
        text = join_parts(value, described.get(name, {}))
        kept.append((name.lower().encode("latin-1"), _encode_field(name, text)))
    return {**scope, "headers": kept}


def write_cookies(
    scope: Scope, is_gone: IsGone, values: Mapping[str, Any], described: Parameters
) -> Scope:
    """Return *scope* with *values* in its cookies, and without the cookies that are gone.

    Some parsers also end a cookie at a comma or a blank.
    """
    kept = []
    headers: Headers = []
    for field in scope["headers"]:
        if field[0].lower() != b"cookie":
            headers.append(field)
            continue
        for pair in field[1].decode("latin-1").split(";"):
            first, *others = _SPLIT.split(pair.strip())
            names = [
                each.partition("=")[0] for each in (first, *others) if "=" in each or each is first
            ]
            if not any(is_gone(name) or is_gone(decode_cookie(name)) for name in names):
                kept.append(pair.strip(" \t"))
    kept += [
        each
        for name, value in values.items()
        for each in _write_cookie(name, value, described[name])
    ]
    if kept:
        headers.append((b"cookie", "; ".join(kept).encode("latin-1")))
    return {**scope, "headers": headers}


# RFC 6265, section 4.1.1, without the percent sign
_IN_COOKIES: Final = "!#$&'()*+-./:<=>?@[]^_`{|}~"


def _write_cookie(name: str, value: Any, described: Mapping[str, Any]) -> Iterator[str]:
    encode = partial(quote, safe=_IN_COOKIES) if is_encoded_cookie(described) else str
    for each, text in _write_fields(name, value, described, encode):
        called = each if each == name else encode(each).replace("=", "%3D")
        for part in (called, text):
            _encode_field(name, part)
            if _END.search(part) or part.strip(" \t") != part:
                raise _unwritable(name, part)
        yield f"{called}={text}"


def _encode_field(name: str, text: str) -> bytes:
    """Return *text*, of the parameter *name*, as it is in a header."""
    try:
        encoded = text.encode("latin-1")
    except UnicodeEncodeError:
        raise _unwritable(name, text) from None
    if _CONTROL.search(text):
        raise _unwritable(name, text)
    return encoded


def _unwritable(name: str, text: str) -> RequestError:
    shown = errors.quote(text)
    return RequestError(f"the parameter {errors.quote(name)} can't be converted with {shown}")


# RFC 3986, section 3.3, and the percent sign of encoded characters
_IN_PATHS: Final = "/%:@!$&'()*+,;="


def write_path(
    scope: Scope, template: PathTemplate, values: Mapping[str, Any], described: Parameters
) -> Scope:
    """Return *scope* with *values* for the parameters of its path, which has the *template*."""
    path = template.path
    for name, value in values.items():
        encode = partial(quote, safe="/" if name in template.spanning else "")
        path = path.replace("{" + name + "}", join_parts(value, described.get(name, {}), encode))
    root = scope.get("root_path") or ""
    before = root if root and scope["path"].startswith(root) else ""
    return {
        **scope,
        "path": before + unquote(path),
        "raw_path": quote(before).encode() + quote(path, safe=_IN_PATHS).encode(),
    }


def _write_fields(
    name: str, value: Any, described: Mapping[str, Any], encode: Encode = str
) -> Iterator[tuple[str, str]]:
    if described.get("style") == STYLE:
        yield from _write_nested(name, value)
    elif described.get("style") == CONTENT or not described.get("explode"):
        yield name, join_parts(value, described, encode)
    elif isinstance(value, dict):
        for key, below in value.items():
            yield from ((key, encode(_text(item))) for item in _list(below))
    else:
        yield from ((name, encode(_text(item))) for item in _list(value))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _write_nested(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _write_nested(f"{name}[{key}]", below)
    elif isinstance(value, list):
        for at, below in enumerate(value):
            holder = isinstance(below, dict | list)
            yield from _write_nested(f"{name}[{at if holder else ''}]", below)
    else:
        yield name, _text(value)


def join_parts(value: Any, described: Mapping[str, Any], encode: Encode = str) -> str:
    """Return *value* as one text, as the parameter *described* requires.

    Of its parts, each is changed by *encode*.
    """
    if described.get("style") == CONTENT:
        # other characters than these are rare in headers, and not read alike
        is_ascii = described["in"] == "header"
        return encode(json.dumps(value, ensure_ascii=is_ascii, separators=(",", ":")))
    before, sign = find_notation(described, type(value))
    # the list `;id=1;id=2` has a name in its sign
    write = partial(_write_part, described, encode, sign[0])
    if isinstance(value, list):
        return before + sign.join(write(_text(item)) for item in value)
    if not isinstance(value, dict):
        return before + encode(_text(value))
    between = "=" if described.get("explode") else sign
    pairs = (
        f"{write(name, between)}{between}{write(_text(below))}" for name, below in value.items()
    )
    return before + sign.join(pairs)


def _write_part(
    described: Mapping[str, Any], encode: Encode, sign: str, text: str, end: str = ""
) -> str:
    """Return *text*, a part of a parameter that ends at *sign*, and also at *end* if given."""
    written = encode(text)
    # only cookies are decoded after they are split
    split = written if described.get("in") == "cookie" else text
    if sign in split or (end and end in split):
        raise _unwritable(described.get("name", ""), text)
    return written


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
