"""How values become text that is safe to insert: the filters of templates for texts.

What a filter makes of a placeholder waits for its word (see `dateline.deferral`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, partial
from html import escape
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

import markupsafe

from dateline.deferral import defer, ends_deferred, waits
from dateline.markup import HEADING, has_markup, tidy_markup
from dateline.model import printable
from dateline.report.escaping import escape_line, escape_markdown, quote_markdown

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token


class Code(str):
    """Text that is safe to insert: made by a filter, or by the template itself."""

    __slots__ = ()


_MOST_IN_LINE: Final = 10_000
"""The maximum length, in characters, of one line of a longer text."""

_PLAIN_LINE: Final = r"[A-Za-z](?:[A-Za-z0-9 ,.;:?()/'-]*[A-Za-z0-9,.;:?()/'-])?"
_PLAIN: Final = re.compile(rf"{_PLAIN_LINE}(?:\n{_PLAIN_LINE})*")
"""A paragraph without anything that Markdown or HTML interprets, as most descriptions are.

The parser is slow to import, and to run.
"""

_ADDRESS: Final = re.compile(r"https?://[^\s)>]*|</?\w+[^<>]*>")
_WORD: Final = re.compile(r"\w[\w'\u2019-]+")


def _escape_code(line: str) -> str:
    # never used in attributes: quotes stay, of which samples have very many
    code = line.lstrip("\t")
    indent = line[: len(line) - len(code)]
    return indent + escape(printable(code, _MOST_IN_LINE), quote=False)


def _inert(text: str) -> str:
    """Return *text* line by line without characters that hide or reorder others."""
    return "\n".join(printable(line, _MOST_IN_LINE) for line in text.expandtabs(4).splitlines())


def create_renderer(*, html: bool = False) -> MarkdownIt:
    """Return a renderer of CommonMark 0.31 with tables; without *html*, that is text.

    Code that is wider than the page can be scrolled by keyboard. Columns are aligned by classes,
    since pages have no inline style.
    """
    # needed by the site only
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": html}).enable("table")
    rules = parser.renderer.rules  # type: ignore[attr-defined]
    for name in ("fence", "code_block"):
        rules[name] = partial(_render_code, rules[name])
    parser.core.ruler.push("aligned_by_class", _align_by_class)
    return parser


def _render_code(render: Callable[..., str], *arguments: Any) -> str:
    return render(*arguments).replace("<pre>", '<pre tabindex="0">', 1)


def _align_by_class(state: StateCore) -> None:
    for token in state.tokens:
        style = str(token.attrs.pop("style", ""))
        if style:
            token.attrs["class"] = style.removeprefix("text-align:")


@cache
def _commonmark(*, html: bool = False) -> MarkdownIt:
    """Return a renderer of CommonMark 0.31 with tables; *html* is copied, or else it is text.

    Images become links: a page loads nothing from elsewhere. A link to an address without a scheme,
    which leads somewhere where its authors publish it, is text.
    """
    parser = create_renderer(html=html).disable("image")
    for name in ("heading_open", "heading_close"):
        parser.add_render_rule(name, _render_heading)
    parser.core.ruler.push("links_outside", _remove_relative_links)
    return parser


def _lay_out_commonmark(text: str) -> str:
    inert = _inert(text)
    if _PLAIN.fullmatch(inert):
        return f"<p>{inert}</p>\n"
    if has_markup(inert):
        return tidy_markup(_commonmark(html=True).render(inert))
    return str(_commonmark().render(inert))


def _lay_out_commonmark_line(text: str) -> str:
    inert = _inert(text)
    if _PLAIN.fullmatch(inert):
        return inert
    if has_markup(inert):
        return tidy_markup(_commonmark(html=True).renderInline(inert), in_line=True)
    return str(_commonmark().renderInline(inert))


def _remove_relative_links(state: StateCore) -> None:
    for block in state.tokens:
        kept: list[Token] = []
        is_removed = False
        for token in block.children or ():
            if token.type == "link_open":
                is_removed = urlsplit(str(token.attrs["href"])).scheme == ""
            if not (is_removed and token.type in ("link_open", "link_close")):
                kept.append(token)
        if block.children is not None:
            block.children = kept


def _render_heading(_: object, tokens: Sequence[Token], index: int, *_others: object) -> str:
    return f"<{HEADING}>" if tokens[index].nesting == 1 else f"</{HEADING}>\n"


def _write_index(entries: Sequence[Sequence[Any]]) -> str:
    """Return *entries* as compact JSON, with the words of the texts that each ends with."""
    written = [[*entry[:-1], _list_words(entry[-1])] for entry in entries]
    return json.dumps(written, ensure_ascii=False, separators=(",", ":"))


def _list_words(texts: Iterable[str]) -> str:
    """Return the words of *texts*, each once, without addresses."""
    text = _ADDRESS.sub(" ", " ".join(texts).lower())
    return " ".join(dict.fromkeys(_WORD.findall(text)))


ESCAPES: Final[dict[str, Callable[[Any], str]]] = {
    # on one line, without anything that the reading language interprets
    "index": _write_index,
    "fragment": lambda text: markupsafe.escape(quote(text, safe="")),
    "diffline": lambda text: printable(text, _MOST_IN_LINE),
    "pre": lambda text: "\n".join(map(_escape_code, text.split("\n"))),
    "commonmark": _lay_out_commonmark,
    "commonmark_line": _lay_out_commonmark_line,
    "html": lambda text: markupsafe.escape(escape_line(text)),
    "md": escape_markdown,
    "mdcode": quote_markdown,
}
"""What returns a text as a filter lays it out, by the name of the filter; `index` takes the
entries of the search."""

TRIMMED: Final = "trimmed"
"""The kind of what `trim` defers."""

_LONG: Final = ("diffline", "pre")
"""The filters of texts that pages don't repeat."""


def create_filter(name: str) -> Callable[[Any], Code]:
    """Return the filter *name* of one environment.

    It escapes words that pages repeat, such as names and rules, only once.
    """
    lay_out = ESCAPES[name]

    def escape_value(value: Any) -> Code:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return Code(defer(name, value) if waits(text) else lay_out(value))

    if name == "index":
        return escape_value
    known = escape_value if name in _LONG else lru_cache(maxsize=1 << 14)(escape_value)
    return lambda value: known(str(value))


def trim(text: str) -> str:
    """Return *text* without the line break at its end, which may be that of a deferred part."""
    return defer(TRIMMED, text) if ends_deferred(text) else text.removesuffix("\n")
