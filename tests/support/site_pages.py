"""Read the pages of a site, and find broken links."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from posixpath import dirname, join, normpath
from urllib.parse import unquote


class SitePage(HTMLParser):
    """The links, ids, elements and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self.source = text
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags.add(tag)
        self.attributes.update(known)
        if (tag == "a" or known.get("rel") == "alternate") and known.get("href"):
            self.links.append(known["href"] or "")
        elif tag in ("link", "script", "img", "iframe"):
            self.loads.append(known.get("href") or known.get("src") or "")
        if known.get("id"):
            self.ids.append(known["id"] or "")

    def handle_data(self, data: str) -> None:
        self.words += data.split()

    @property
    def text(self) -> str:
        return " ".join(self.words)


Site = dict[str, SitePage]
"""Pages by their paths in the site."""


def find_broken_links(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the page and the link for each link to a missing page, or to a missing or empty id."""
    files = {*site, "site.css", "site.js", "changes/feed.xml"}
    for path, page in site.items():
        for link in page.links:
            target, sign, fragment = link.partition("#")
            if "://" in target:
                continue
            goal = normpath(join(dirname(path), unquote(target))) if target else path
            known = goal in files and (not sign or unquote(fragment) in site[goal].ids)
            if not known:
                yield path, link
