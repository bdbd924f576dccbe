"""Decide who may approve waivers: those named by the policy or by CODEOWNERS."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from dateline.fresh import OWNERS
from dateline.model import Table
from dateline.paths import find_top

FILE_OF_OWNERS: Final = "CODEOWNERS"
"""A name that stands for the owners of `waivers.yaml` in the CODEOWNERS file."""

_NAME: Final = re.compile(r"[^\s,;()]+")
_SECTION: Final = re.compile(r"\^?\[[^\]]+\](?:\[\d+\])?")


def find_approvers(
    table: Table, folder: Path, file: str, published: str | None
) -> frozenset[str] | None:
    """Return who may approve the waivers in *file* of *folder*; None if nobody must.

    Owners must also be owners by the *published* text of CODEOWNERS, if that is known. Names are in
    lower case, as code hosts compare them.
    """
    if not table.approvals:
        return None
    names = {name.casefold() for name in table.approvals if name != FILE_OF_OWNERS}
    if FILE_OF_OWNERS in table.approvals:
        names |= _find_owners(folder / file, published)
    return frozenset(names)


def is_approved(given: str | None, approvers: frozenset[str] | None) -> bool:
    """Return whether *given*, the `approved-by` of a waiver, names one of *approvers*."""
    if approvers is None:
        return True
    return any(name.casefold() in approvers for name in _NAME.findall(given or ""))


def _find_owners(path: Path, published: str | None) -> set[str]:
    """Return the owners of *path* by the first CODEOWNERS file of its repository."""
    place = Path(os.path.abspath(path))  # noqa: PTH100
    top = find_top(place)
    if top is None:
        return set()
    for name in OWNERS:
        try:
            text = (top / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        owners = [
            {owner.casefold() for owner in _read_owners(each, place.relative_to(top).as_posix())}
            for each in (text, published)
            if each is not None
        ]
        return set.intersection(*owners)
    return set()


def _read_owners(text: str, path: str) -> Iterator[str]:
    """Yield the owners of *path*: for each section those of the last matching pattern.

    Sections are GitLab's; a file without any is one section.
    """
    found: dict[str, list[str]] = {}
    section, by_default = "", list[str]()
    for line in text.splitlines():
        content = line.partition(" #")[0].strip()
        if not content or content.startswith("#"):
            continue
        if heading := _SECTION.match(content):
            section, by_default = heading[0].casefold(), content[heading.end() :].split()
            continue
        # a space within a pattern is escaped
        pattern, *owners = re.split(r"(?<!\\)\s+", content)
        if _matches(pattern.replace("\\ ", " "), path):
            found[section] = owners or by_default
    for owners in found.values():
        yield from owners


_WILDCARDS: Final[Mapping[str, str]] = {
    "**/": "(?:.*/)?",
    "/**": "/.*",
    "**": ".*",
    "*": "[^/]*",
    "?": "[^/]",
}


def _matches(pattern: str, path: str) -> bool:
    """Return whether *pattern*, in .gitignore syntax, matches *path* or a folder of it."""
    body = pattern.strip("/")
    # a slash before the end anchors a pattern at the top of the repository
    start = "" if "/" in pattern.rstrip("/") else "(?:.*/)?"
    parts = re.split(r"(\*\*/|/\*\*|\*\*|\*|\?)", body)
    expression = "".join(_WILDCARDS.get(part) or re.escape(part) for part in parts)
    # `docs/*` matches what is in the folder, and nothing below
    end = "" if body.endswith("/*") and not pattern.endswith("/") else "(?:/.*)?"
    return re.fullmatch(start + expression + end, path) is not None
