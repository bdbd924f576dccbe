"""A library API with a record of its additions, and the pages that list them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import jsonschema_rs

from dateline.changes import schema
from support.changing import ATOM
from support.commands import Outcome, dateline, read_files
from support.repositories import (
    commit,
    edit,
)

CLEAN, MISUSE, INVALID, STALE = 0, 2, 3, 4


LATER: Final = "2026-01-15"


PAGES_FIELD: Final = (
    "        note: {",
    "        pages: { type: integer }\n        note: {",
)


FORM_VALUE: Final = ("[desk, app]", "[desk, app, post]")


def publish(*edits: tuple[str, str]) -> None:
    """Make *edits*, generate the outputs and commit."""
    edit(*edits)
    assert dateline("generate").status == CLEAN
    commit()


def cut_next(day: str = LATER) -> Outcome:
    outcome = dateline("cut", day, "--title", "As before.", "--undisclosed")
    assert outcome.status == CLEAN
    return outcome


def record() -> dict[str, str]:
    """Return the text of each file of the record, by file name."""
    return read_files(Path("schemas/_additions"))


def page(version: str) -> Any:
    """Validate the JSON page of additions since *version* was cut, and return it."""
    reported = json.loads(Path(f"generated/changes/added-since-{version}.json").read_text("utf-8"))
    jsonschema_rs.Draft202012Validator(json.loads(schema())).validate(reported)
    return reported


def section(text: str, heading: str) -> list[str]:
    """Return the lines of the Markdown *text* below *heading*, up to the next heading."""
    below = text.split(f"## {heading}\n")[1].split("\n## ")[0]
    return [line for line in below.splitlines() if line.startswith(("-", "|", "#"))]


def index() -> str:
    return Path("generated/changes/README.md").read_text("utf-8")


def feed() -> dict[str | None, str]:
    """Return the text of each feed entry by its title."""
    root = ElementTree.parse("generated/changes/feed.xml").getroot()
    return {
        entry.findtext(f"{ATOM}title"): " ".join("".join(entry.itertext()).split())
        for entry in root.findall(f"{ATOM}entry")
    }


def added_pages() -> list[str]:
    return sorted(path.name for path in Path("generated/changes").glob("added-*"))
