"""Decide which paths and webhooks of two documents correspond."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from dateline.diff.documents import Key
from dateline.openapi import WEBHOOKS

Aligned = list[tuple[Key | None, Key | None]]

VARIABLE: Final = re.compile(r"\{([^{}]*)\}")


def align_served_paths(
    before: Collection[str], after: Collection[str], prefixes: tuple[str, str]
) -> tuple[Aligned, bool]:
    """Return which paths correspond, and whether they do so with *prefixes* of the servers.

    These count if at least as many paths correspond as without them.
    """
    plain = align_paths(before, after)
    moved = align_paths(before, after, prefixes) if any(prefixes) else []
    count, other = (sum(None not in pair for pair in each) for each in (plain, moved))
    return (moved, True) if 0 < other >= count else (plain, False)


def align_paths(
    before: Iterable[str], after: Iterable[str], prefixes: tuple[str, str] = ("", "")
) -> Aligned:
    """Return which paths correspond: the names of their parameters are ignored.

    If several paths differ only in those names, each is identified by its text. The paths of a side
    are read with its one of *prefixes* before them.
    """
    ours, theirs = (
        [f"{prefix}{path}" for path in side if not path.startswith("x-")]
        for prefix, side in zip(prefixes, (before, after), strict=True)
    )
    known = set(theirs) & set(ours)
    forms = [Counter(VARIABLE.sub("{}", path) for path in side) for side in (ours, theirs)]
    left = {VARIABLE.sub("{}", path): path for path in theirs if path not in known}
    found: list[tuple[str, str | None]] = []
    for path in ours:
        form = VARIABLE.sub("{}", path)
        if path in known:
            found.append((path, path))
        elif form in left and forms[0][form] == forms[1][form] == 1:
            found.append((path, left.pop(form)))
        else:
            found.append((path, None))
    matched = {new for _, new in found}
    pairs = [*found, *((None, path) for path in theirs if path not in matched)]
    return [(_find_key(old, prefixes[0]), _find_key(new, prefixes[1])) for old, new in pairs]


def _find_key(path: str | None, prefix: str) -> Key | None:
    return None if path is None else ("paths", path.removeprefix(prefix))


def align_names(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[tuple[str | None, str | None]]:
    """Return the names of both sides, each with itself if the other side has it, too."""
    return [
        (name if name in before else None, name if name in after else None)
        for name in dict.fromkeys((*before, *after))
    ]


def align_webhooks(
    before: Collection[Key], after: Collection[Key], *, are_moved: bool
) -> list[tuple[Key | None, Key | None]]:
    """Return which webhooks correspond.

    They *are moved* if only one side is OpenAPI 3.0: its `x-webhooks` are `webhooks` since 3.1.
    If a side has a name in both sections, each of the two corresponds only to its own section.
    """
    twins = {key: _elsewhere(key) for key in before if are_moved and key not in after}
    moved = {key: twin for key, twin in twins.items() if twin in after and twin not in before}
    found = [(key, moved.get(key, key if key in after else None)) for key in before]
    matched = {new for _, new in found}
    return [*found, *((None, key) for key in after if key not in matched)]


def _elsewhere(key: Key) -> Key:
    """Return the key of a webhook with the same name in the other section."""
    section, name = key
    return WEBHOOKS[section == WEBHOOKS[0]], name
