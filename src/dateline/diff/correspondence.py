"""Decide which paths and webhooks of two documents correspond."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from dateline.diff.documents import Key
from dateline.openapi import WEBHOOKS

VARIABLE: Final = re.compile(r"\{([^{}]*)\}")


def align_paths(before: Iterable[str], after: Iterable[str]) -> list[tuple[Key | None, Key | None]]:
    """Return which paths correspond: the names of their parameters are ignored.

    If several paths differ only in those names, each is identified by its text.
    """
    ours = [path for path in before if not path.startswith("x-")]
    theirs = [path for path in after if not path.startswith("x-")]
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
    added = [(None, ("paths", path)) for path in theirs if path not in matched]
    kept = [(("paths", old), None if new is None else ("paths", new)) for old, new in found]
    return [*kept, *added]


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
