"""HTML in descriptions, as safe elements of a page or as plain text.

Elements that only lay out text are kept; all other tags are text: `<id>` is a placeholder more
often than an element.
"""

from __future__ import annotations

import re
from functools import partial
from html import escape, unescape
from typing import Final
from urllib.parse import urlsplit

_VALUE: Final = r"""\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+)"""
_NAME: Final = r"[A-Za-z][A-Za-z0-9]*"
_TAG: Final = re.compile(
    rf"<(?P<end>/?)(?P<name>{_NAME})(?P<attributes>(?:\s+[^\s\"'<>/=]+(?:{_VALUE})?)*)\s*/?>"
    # a comment without an end is text, up to the end
    r"|(?P<comment><!--.*?-->)|<!--.*",
    re.DOTALL,
)
_TAG_OR_CODE: Final = re.compile(
    rf"(?P<code>(?<!`)(?P<fence>`++).+?(?<!`)(?P=fence)(?!`))|{_TAG.pattern}", re.DOTALL
)

HEADING: Final = "h4"
"""The element of headings in descriptions: pages have their own headings above them."""

_SAME: Final = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), HEADING),
    **{"b": "strong", "i": "em", "tt": "code", "kbd": "code", "strike": "del", "s": "del"},
}
_INLINE: Final = frozenset({"a", "br", "code", "del", "em", "strong", "sub", "sup"})
_BLOCKS: Final = frozenset(
    {"blockquote", "div", HEADING, "hr", "li", "ol", "p", "pre", "table", "ul"}
)
_CELLS: Final = frozenset({"tbody", "td", "th", "thead", "tr"})
_KEPT: Final = _INLINE | _BLOCKS | _CELLS
# What they contain is shown without them.
_DROPPED_BLOCKS: Final = frozenset({"center", "dd", "details", "dl", "dt", "section"})
_DROPPED: Final = _DROPPED_BLOCKS | {"font", "img", "mark", "small", "span", "summary", "u"}

_ATTRIBUTES: Final = {"a": {"href"}, "ol": {"start"}, "td": {"class"}, "th": {"class"}}
_SCHEMES: Final = frozenset({"http", "https", "mailto"})
_CLASSES: Final = frozenset({"center", "left", "right"})

_IN_TEXT: Final = {"code": "`", "strong": "**", "em": "*", "br": "\n", "hr": "\n\n"}
_SEVERAL_BREAKS: Final = re.compile(r"(?<![ \t])[ \t]*+\n(?:[ \t]*+\n)+")


def has_markup(text: str) -> bool:
    """Return whether *text* has HTML in it that is more than text."""
    return "<" in text and any(
        found["comment"] or _name(found) in _KEPT | _DROPPED for found in _TAG.finditer(text)
    )


def tidy_markup(html: str, *, in_line: bool = False) -> str:
    """Return *html* with the kept elements only, nested as they have to be; other tags are text.

    With *in_line*, it has no blocks.
    """
    # needed by descriptions with HTML only
    import nh3

    return nh3.clean(
        _TAG.sub(partial(_normalize, in_line=in_line), html),
        tags=set(_INLINE if in_line else _KEPT),
        attributes=_ATTRIBUTES,
        attribute_filter=_keep,
        set_tag_attribute_values={"pre": {"tabindex": "0"}},
        url_schemes=set(_SCHEMES),
        link_rel=None,
    )


def remove_markup(text: str) -> str:
    """Return *text* with its HTML as CommonMark, or without it where that has nothing equal."""
    if not has_markup(text):
        return text
    plain = unescape(_TAG_OR_CODE.sub(_write_plainly, text))
    return _SEVERAL_BREAKS.sub("\n\n", plain).strip()


def _write_plainly(found: re.Match[str]) -> str:
    if found["code"]:
        # what is code already stays as it is
        return escape(found["code"], quote=False)
    if found["comment"]:
        return ""
    name = _name(found)
    if name in _IN_TEXT:
        return _IN_TEXT[name]
    if name == "li":
        return "" if found["end"] else "\n- "
    if name in _BLOCKS | _DROPPED_BLOCKS | {"tr"}:
        return "\n\n"
    if name in ("td", "th"):
        return " "
    return "" if name in _KEPT | _DROPPED else escape(found[0], quote=False)


def _name(found: re.Match[str]) -> str:
    name = (found["name"] or "").lower()
    return _SAME.get(name, name)


def _normalize(found: re.Match[str], *, in_line: bool) -> str:
    """Return a tag under the name that pages use for it, or as text."""
    name = _name(found)
    if found["comment"]:
        return ""
    if name not in _KEPT | _DROPPED:
        return escape(found[0], quote=False)
    if name in _DROPPED_BLOCKS or (in_line and name not in _INLINE | _DROPPED):
        return " "
    return f"<{found['end']}{name}{found['attributes']}>"


def _keep(element: str, attribute: str, value: str) -> str | None:
    """Return the *value* of an attribute, or None if its element loses it."""
    if attribute == "href":
        return value if _has_scheme(value) else None
    if attribute == "start":
        return value if value.isdecimal() else None
    return value if element == "pre" or value in _CLASSES else None


def _has_scheme(address: str) -> bool:
    try:
        return urlsplit(address).scheme in _SCHEMES
    except ValueError:
        return False
