"""Read media types, and find them among those that definitions declare (RFC 9110, section 8.3)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from .errors import Fault, RequestError, quote
from .negotiation import BLANKS

JSON: Final = "application/json"

# The elements of a list; a comma in quotes is part of one (RFC 9110, section 5.6.1).
_LISTED: Final = re.compile(r'(?:[^,"]|"(?:[^"\\]|\\.)*"?)+')

# The line before the first part of a body (RFC 2046, section 5.1.1), and what needs no quotes.
_DELIMITER: Final = re.compile(
    rb"^--([0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-])[ \t]*\r?$", re.MULTILINE
)
_WEIGHT: Final = re.compile(r"[01](\.[0-9]{0,3})?")
_TOKEN: Final = re.compile(r"[0-9A-Za-z'+_.-]+")


def essence(media_type: str) -> str:
    """Return *media_type* without parameters, in lower case."""
    return media_type.partition(";")[0].strip(BLANKS).lower()


def is_json(media_type: str) -> bool:
    """Return whether *media_type* is JSON (RFC 6839, section 3.1), also by the name in ASP.NET."""
    name = essence(media_type)
    return name.endswith("+json") or name in (JSON, "text/json")


def add_boundary(media_type: str, body: bytes) -> str:
    """Return *media_type* with the boundary between the parts of *body*, if it has none yet."""
    if not essence(media_type).startswith("multipart/") or "boundary=" in media_type.lower():
        return media_type
    found = _DELIMITER.search(body)
    if found is None:
        return media_type
    boundary = found[1].decode("ascii")
    return f"{media_type}; boundary=" + (
        boundary if _TOKEN.fullmatch(boundary) else f'"{boundary}"'
    )


def split_list(value: str) -> list[str]:
    """Return the elements of a header with a list of media types, without empty ones."""
    listed = (each.strip(BLANKS) for each in _LISTED.findall(value))
    return [each for each in listed if each]


def find_declared(declared: Iterable[str], media_type: str) -> str | None:
    """Return that one of the *declared* media types that *media_type* is, or None.

    Parameters count only if several match.
    """
    listed = [*declared]
    if media_type in listed:
        return media_type
    wanted = essence(media_type)
    return next((each for each in listed if essence(each) == wanted), None)


def find_essence(names: Collection[str], content_type: str | None) -> str:
    """Return the one of *names* that *content_type* is; its own essence if it is none of them.

    They are essences, or ranges of them (`image/*`), of which the narrowest counts. JSON of other
    names than the usual one is in `application/*+json` and `*/*+json`, too.
    """
    name = essence(content_type or "")
    kind = name.partition("/")[0]
    ranges = [f"{kind}/*", "*/*"]
    if name != JSON and is_json(name):
        ranges = [f"{kind}/*+json", "*/*+json", *ranges]
    return name if name in names else next((each for each in ranges if each in names), name)


def rank_accepted(names: Iterable[str], accept: str | None) -> list[str]:
    """Return the media types *names* in the order in which an `Accept` prefers them.

    Of equal ones, the first comes first; those that it does not accept come last.
    """
    if accept is None:
        return [*names]
    exact: dict[str, float] = {}
    loose: dict[str, float] = {}
    for each in split_list(accept):
        accepted, weight = _read_weight(each)
        exact[accepted] = max(weight, exact.get(accepted, 0))
        name = essence(accepted)
        loose[name] = max(weight, loose.get(name, 0))

    def weigh(media_type: str) -> float:
        # the most specific range counts (RFC 9110, section 12.5.1)
        whole, name = _strip_blanks(media_type), essence(media_type)
        found = [exact.get(whole), (loose if whole == name else exact).get(name)]
        found += [exact.get(f"{name.partition('/')[0]}/*"), exact.get("*/*")]
        return next((each for each in found if each is not None), 0)

    return sorted(names, key=weigh, reverse=True)


def _strip_blanks(media_type: str) -> str:
    return ";".join(part.strip(BLANKS) for part in media_type.split(";")).lower()


def _read_weight(accepted: str) -> tuple[str, float]:
    """Return an element of an `Accept` without its weight, and that; it is 1 if it is invalid."""
    name, *parameters = _strip_blanks(accepted).split(";")
    for at, parameter in enumerate(parameters):
        key, _, value = parameter.partition("=")
        if key == "q":
            weight = float(value) if _WEIGHT.fullmatch(value) else 1.0
            return ";".join([name, *parameters[:at]]), weight
    return ";".join([name, *parameters]), 1.0


def choose_media_type(content_type: str | None) -> str | None:
    """Return the media type of a body, without the commas of empty field lines.

    Raises RequestError (UNSUPPORTED_MEDIA) for several, even if they are equal: applications differ
    in which of them they use, and in whether they accept them.
    """
    if content_type is None or "," not in content_type:
        return content_type
    listed = split_list(content_type)
    if len(listed) > 1:
        raise RequestError("the body has more than one media type", Fault.UNSUPPORTED_MEDIA)
    return listed[0] if listed else content_type


def check_charset(content_type: str | None) -> None:
    """Accept no `charset` but UTF-8. Raises RequestError (UNSUPPORTED_MEDIA) for any other."""
    for parameter in (content_type or "").split(";")[1:]:
        name, _, value = parameter.strip(BLANKS).partition("=")
        if name.lower() == "charset" and value.strip('"').lower() not in ("utf-8", "utf8"):
            raise RequestError(
                f"the body has to be in utf-8, not {quote(value)}", Fault.UNSUPPORTED_MEDIA
            )
