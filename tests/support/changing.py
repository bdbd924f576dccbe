"""The texts of change pages, and sources that lead to them."""

from __future__ import annotations

import json
import re
from typing import Any, Final
from xml.etree import ElementTree

from dateline.model import Api
from dateline.render import render
from support.sources import VERSIONS

DATES: Final = ("2024-01-15", "2024-09-01", "2025-06-01", "next")
"""The versions of the library."""

ATOM: Final = "{http://www.w3.org/2005/Atom}"

Files = dict[str, str]


def render_pages(api: Api) -> Files:
    """Return the text of every file in `changes/` by its name."""
    made = render(api, models=False, validate=False).artifacts
    return {
        artifact.path.removeprefix("changes/"): artifact.content.decode()
        for artifact in made
        if artifact.path.startswith("changes/")
    }


def read_page_data(files: Files, older: str, newer: str) -> Any:
    """Return the JSON of the page from *older* to *newer*."""
    return json.loads(files[f"{older}...{newer}.json"])


def versions(*rows: str) -> str:
    """Return a version table with *rows* and two environments."""
    return VERSIONS[: VERSIONS.index("  - {")] + "".join(
        [
            *(f"  - {{ {row} }}\n" for row in rows),
            VERSIONS[VERSIONS.index("environments:") :],
        ]
    )


def replace_texts(files: Files, *edits: tuple[str, str]) -> Files:
    """Return *files* with texts replaced, each of which has to occur once."""
    changed = dict(files)
    for before, after in edits:
        (name,) = [name for name, text in changed.items() if before in text]
        assert changed[name].count(before) == 1
        changed[name] = changed[name].replace(before, after)
    return changed


def read_feed(files: Files) -> list[tuple[str | None, str | None, str | None]]:
    """Check the feed against RFC 4287, section 4.1; return (title, date, link) of each entry."""
    root = ElementTree.fromstring(files["feed.xml"])
    assert root.tag == f"{ATOM}feed"
    entries = root.findall(f"{ATOM}entry")
    for holder in (root, *entries):
        for required in ("id", "title", "updated"):
            assert len(holder.findall(f"{ATOM}{required}")) == 1
        assert re.fullmatch(
            r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
            holder.findtext(f"{ATOM}id") or "",
        )
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(ids)) == len(ids)
    assert root.find(f"{ATOM}author/{ATOM}name") is not None
    updated = [entry.findtext(f"{ATOM}updated") or "" for entry in entries]
    assert updated == sorted(updated, reverse=True)
    assert root.findtext(f"{ATOM}updated") == updated[0]
    listed = []
    for one in entries:
        (link,) = one.findall(f"{ATOM}link[@rel='alternate']")
        assert link.get("href") in files
        listed.append(
            (
                one.findtext(f"{ATOM}title"),
                one.findtext(f"{ATOM}updated"),
                link.get("href"),
            )
        )
    return listed
