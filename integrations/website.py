"""Build the website of dateline: its guides, a page for each rule and preset, and its commands.

    python integrations/website.py [FOLDER]

The pages are laid out by the templates of generated sites. FOLDER is `build/website` unless given;
what is in it is replaced.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from html import escape
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import click
from markdown_it.token import Token

from dateline.cli import main as command
from dateline.filters import create_renderer
from dateline.presets import PRESETS
from dateline.rules import RULES
from dateline.rules.explanation import explain
from dateline.templating import Code, environment

ROOT = Path(__file__).parents[1]
GUIDES = ROOT / "docs"


class WebPage(NamedTuple):
    """A page: its address, its heading, its text as HTML, and words that a search finds it by."""

    address: str
    heading: str
    words: str
    keywords: str = ""


def slug(text: str) -> str:
    """Return the anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def render_guide(text: str, home: str) -> tuple[str, str, str]:
    """Return the heading of a guide in Markdown, the rest as HTML, and its headings as words.

    Links to other guides lead to their pages, those out of the website become plain text. *home*
    leads from the folder of the guide to `docs`.
    """
    renderer = create_renderer()
    tokens = renderer.parse(text)
    headings = []
    for opening, inside in pairwise(tokens):
        if opening.type == "heading_open":
            headings.append("".join(each.content for each in inside.children or ()))
            opening.attrs["id"] = slug(headings[-1])
    for token in tokens:
        token.children = [*_convert_links(token.children or [], home)] or None
    # the first heading is that of the page
    start = next(index for index, each in enumerate(tokens) if each.type == "heading_close") + 1
    words = renderer.renderer.render(tokens[start:], renderer.options, {})
    return headings[0], words, " ".join(headings[1:])


def _convert_links(tokens: list[Token], home: str) -> Iterator[Token]:
    dropped = 0
    for token in tokens:
        if token.type == "link_open":
            address = _convert_address(str(token.attrs["href"]), home)
            dropped += address is None
            if address is None:
                continue
            token.attrs["href"] = address
        elif token.type == "link_close" and dropped:
            dropped -= 1
            continue
        elif token.type == "image":
            token.attrs["src"] = str(token.attrs["src"]).removeprefix(home)
        yield token


def _convert_address(address: str, home: str) -> str | None:
    path, hash_, anchor = address.partition("#")
    if "://" in address or not path:
        return address
    path = path.removeprefix(home)
    if "/" in path or not (GUIDES / path).is_file():
        return None
    return f"{path.removesuffix('.md')}.html{hash_}{anchor}"


def list_pages() -> Iterator[WebPage]:
    """Yield every page of the website but its style and scripts."""
    _, words, keywords = render_guide((ROOT / "README.md").read_text("utf-8"), "docs/")
    yield WebPage("index.html", "dateline", words, keywords)
    guides = []
    for path in sorted(GUIDES.glob("*.md")):
        heading, words, keywords = render_guide(path.read_text("utf-8"), "")
        guides.append((f"{path.stem}.html", heading))
        yield WebPage(f"{path.stem}.html", heading, words, keywords)
    yield WebPage("guides.html", "Guides", _list_links(guides))
    explained = [*RULES, *PRESETS]
    for name in explained:
        heading, _, rest = explain(name).partition("\n\n")
        yield WebPage(f"rules/{name}.html", heading, _lay_out(rest), rest)
    yield WebPage("rules/index.html", "Rules", _list_links((f"{n}.html", n) for n in explained))
    context = click.Context(command, info_name="dateline")
    names = command.list_commands(context)
    for name in names:
        each = command.get_command(context, name)
        if each is None:
            continue
        text = each.get_help(click.Context(each, context, name, max_content_width=88))
        yield WebPage(f"commands/{name}.html", f"dateline {name}", _preformat(text), text)
    links = ((f"{name}.html", f"dateline {name}") for name in names)
    yield WebPage("commands/index.html", "Commands", _list_links(links))


def _list_links(links: Any) -> str:
    items = (f'<li><a href="{escape(at)}">{escape(text)}</a></li>' for at, text in links)
    return f"<ul>{''.join(items)}</ul>"


def _preformat(text: str) -> str:
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'


def _lay_out(text: str) -> str:
    """Return an explanation as HTML: code where it is indented, paragraphs elsewhere."""
    return "".join(
        _preformat(part) if "\n  " in part else f"<p>{_mark_code(escape(part))}</p>"
        for part in text.split("\n\n")
    )


def _mark_code(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)


def build(folder: Path) -> int:
    """Write the website to *folder*, in place of what is there; return the number of its pages."""
    shutil.rmtree(folder, ignore_errors=True)
    templates = environment([ROOT / "integrations" / "docs", ROOT / "templates"])
    layout = templates.get_template("page.html.jinja")
    common = {"title": "dateline", "version": version("dateline"), "picker": [], "notice": False}
    index = []
    pages = list(list_pages())
    for page in pages:
        path = folder / page.address
        path.parent.mkdir(parents=True, exist_ok=True)
        up = ".." if "/" in page.address else "."
        context = {**common, "up": up, "heading": page.heading, "words": Code(page.words)}
        path.write_text(layout.render(context), encoding="utf-8", newline="\n")
        kind = page.address.partition("/")[0] if "/" in page.address else "guide"
        at = page.address.removesuffix(".html")
        index.append([page.heading, kind, "", at, path.stem, [], [page.keywords]])
    for name, values in (("site.css", {}), ("site.js", {}), ("search.js", {"index": index})):
        text = templates.get_template(f"site/{name}.jinja").render(values)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    shutil.copy(GUIDES / "picture.svg", folder)
    return len(pages)


if __name__ == "__main__":
    goal = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "website")
    print(f"{build(goal)} pages in {goal}")
