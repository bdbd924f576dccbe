"""HTML in descriptions, as safe elements of a page or as plain text.

Elements that only lay out text are kept; all other tags are text: `<id>` is a placeholder more
often than an element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
from typing import Final
from urllib.parse import urlsplit

_VALUE: Final = r"""\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+)"""
_NAME: Final = r"[A-Za-z][A-Za-z0-9]*"
_TAG: Final = re.compile(
    rf"<(?P<end>/?)(?P<name>{_NAME})(?P<attributes>(?:\s+[^\s\"'<>/=]+(?:{_VALUE})?)*)\s*/?>"
    r"|(?P<comment><!--.*?-->)",
    re.DOTALL,
)
_TAG_OR_CODE: Final = re.compile(rf"(?P<code>(?P<fence>`+).+?(?P=fence))|{_TAG.pattern}", re.DOTALL)
_ATTRIBUTE: Final = re.compile(rf"\s([A-Za-z]+)({_VALUE})")
_BARE: Final = re.compile(r"&(?!(?:#\w+|\w+);)")

HEADING: Final = "h4"
"""The element of headings in descriptions: pages have their own headings above them."""

_SAME: Final = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), HEADING),
    **{"b": "strong", "i": "em", "tt": "code", "kbd": "code", "strike": "del", "s": "del"},
}
_INLINE: Final = frozenset({"a", "code", "del", "em", "strong", "sub", "sup"})
_BLOCKS: Final = frozenset({"blockquote", HEADING, "p", "pre"})
_VOID: Final = frozenset({"br", "hr"})
_CELLS: Final = frozenset({"thead", "tbody", "tr", "td", "th"})
# Elements with this parent only; one of the same kind, still open in it, ends before them.
_INSIDE: Final = {"li": ("ol", "ul"), **dict.fromkeys(_CELLS, ("table",))}
_LISTS: Final = frozenset({"ol", "table", "ul"})
_KEPT: Final = _INLINE | _BLOCKS | _VOID | _LISTS | _INSIDE.keys()
# What they contain is shown without them.
_DROPPED_BLOCKS: Final = frozenset({"center", "dd", "details", "div", "dl", "dt", "section"})
_DROPPED: Final = _DROPPED_BLOCKS | {"font", "img", "mark", "small", "span", "summary", "u"}

_SCHEMES: Final = frozenset({"http", "https", "mailto"})
_CLASSES: Final = frozenset({"center", "left", "right"})

_IN_TEXT: Final = {"code": "`", "strong": "**", "em": "*", "br": "\n", "hr": "\n\n"}
_SEVERAL_BREAKS: Final = re.compile(r"[ \t]*\n(?:[ \t]*\n)+")


def has_markup(text: str) -> bool:
    """Return whether *text* has HTML in it that is more than text."""
    return "<" in text and any(
        found["comment"] or _name(found) in _KEPT | _DROPPED for found in _TAG.finditer(text)
    )


def tidy_markup(html: str, *, in_line: bool = False) -> str:
    """Return *html* with the kept elements only, nested as they have to be; other tags are text.

    With *in_line*, it has no blocks.
    """
    tidied = _Tidied(in_line=in_line)
    at = 0
    for found in _TAG.finditer(html):
        tidied.add_text(html[at : found.start()])
        tidied.add_tag(found)
        at = found.end()
    tidied.add_text(html[at:])
    return tidied.finish()


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
    if name in _BLOCKS | _DROPPED_BLOCKS | _LISTS | {"tr"}:
        return "\n\n"
    if name in ("td", "th"):
        return " "
    return "" if name in _KEPT | _DROPPED else escape(found[0], quote=False)


def _name(found: re.Match[str]) -> str:
    name = (found["name"] or "").lower()
    return _SAME.get(name, name)


class _Tidied:
    """HTML without unknown tags, of which every element ends within the one it begins in."""

    def __init__(self, *, in_line: bool) -> None:
        self._in_line = in_line
        self._written: list[str] = []
        # open elements, innermost last; the second is empty for one that is not written
        self._open: list[tuple[str, str]] = []

    def add_text(self, text: str) -> None:
        escaped = text.replace("<", "&lt;").replace(">", "&gt;")
        self._written.append(_BARE.sub("&amp;", escaped))

    def add_tag(self, found: re.Match[str]) -> None:
        name = _name(found)
        if found["comment"]:
            return
        if name in _DROPPED or (self._in_line and name in _KEPT - _INLINE - {"br"}):
            self._drop(name)
        elif name not in _KEPT:
            self.add_text(found[0])
        elif found["end"]:
            self._end(name)
        else:
            self._begin(name, dict(_read_attributes(found["attributes"])))

    def finish(self) -> str:
        self._close(0)
        return "".join(self._written)

    def _drop(self, name: str) -> None:
        if self._in_line:
            self._written.append("" if name in _DROPPED - _DROPPED_BLOCKS else " ")
        elif name in _DROPPED_BLOCKS:
            self._end("p")

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if name in _INSIDE:
            around = self._find(*_INSIDE[name])
            if around is None:
                return
            twin = self._find(name)
            if twin is not None and twin > around:
                self._close(twin)
        elif name not in _INLINE and name != "br":
            self._end("p")
        elif name == "a":
            self._end("a")
        written = "".join(f' {key}="{value}"' for key, value in _keep(name, attributes))
        is_text = name == "a" and not written
        self._written.append("" if is_text else f"<{name}{written}>")
        if name not in _VOID:
            self._open.append((name, "" if is_text else f"</{name}>"))

    def _end(self, name: str) -> None:
        at = self._find(name)
        if at is not None:
            self._close(at)

    def _find(self, *names: str) -> int | None:
        """Return the place of the innermost open element with one of these *names*."""
        places = (at for at, (name, _) in enumerate(self._open) if name in names)
        return max(places, default=None)

    def _close(self, at: int) -> None:
        while len(self._open) > at:
            self._written.append(self._open.pop()[1])


def _read_attributes(text: str) -> Iterator[tuple[str, str]]:
    for name, value in _ATTRIBUTE.findall(text):
        yield name.lower(), unescape(value.strip().removeprefix("=").strip().strip("\"'"))


def _keep(name: str, attributes: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the attributes that an element keeps, and their values as HTML."""
    address = "".join(attributes.get("href", "").split())
    if name == "a" and _read_scheme(address) in _SCHEMES:
        yield "href", escape(address)
    if name == "ol" and attributes.get("start", "").isdecimal():
        yield "start", attributes["start"]
    if name in ("td", "th") and attributes.get("class") in _CLASSES:
        yield "class", attributes["class"]
    if name == "pre":
        yield "tabindex", "0"


def _read_scheme(address: str) -> str:
    try:
        return urlsplit(address).scheme
    except ValueError:
        return ""
