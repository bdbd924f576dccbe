"""Locate the differences between values without known meaning: extensions, examples.

deepdiff pairs the items of two lists that differ in several places: which was moved, replaced,
added or removed. It sees nothing else: equal values, objects, and lists that differ in one place
are handled here, by the text that equal JSON values share. Schemas are never compared by it.
"""

from __future__ import annotations

from typing import Any

from dateline.schema.references import escape
from dateline.schema.values import text


def find_leaves(before: Any, after: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is on each side where two values differ, by pointer relative to them.

    `1` and `1.0` are one value, `true` is another. An item inserted into a list is one difference.
    """
    gone: dict[str, Any] = {}
    came: dict[str, Any] = {}
    _descend(before, after, "", gone, came)
    return gone, came


def _descend(before: Any, after: Any, at: str, gone: dict[str, Any], came: dict[str, Any]) -> None:
    """Follow equal keys as far as they go, so that deepdiff sees only the lists that differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}, key=str):
            below = f"{at}/{escape(str(key))}"
            if key not in after:
                gone[below] = before[key]
            elif key not in before:
                came[below] = after[key]
            else:
                _descend(before[key], after[key], below, gone, came)
    elif text(before) == text(after):
        return
    elif isinstance(before, list) and isinstance(after, list):
        _lists(before, after, at, gone, came)
    else:
        gone[at], came[at] = before, after


def _lists(
    before: list[Any], after: list[Any], at: str, gone: dict[str, Any], came: dict[str, Any]
) -> None:
    same = _alike(before, after)
    ours, theirs = len(before) - sum(same), len(after) - sum(same)
    if ours == theirs == 1:
        _descend(before[same[0]], after[same[0]], f"{at}/{same[0]}", gone, came)
        return
    if not (ours and theirs):
        # items were inserted or removed in one place
        gone.update((f"{at}/{index}", before[index]) for index in range(same[0], same[0] + ours))
        came.update((f"{at}/{index}", after[index]) for index in range(same[0], same[0] + theirs))
        return
    from deepdiff import DeepDiff

    # threshold 0: otherwise an object whose keys were all replaced is reported as one changed
    # value, and no key is named
    found = DeepDiff(before, after, threshold_to_diff_deeper=0, verbose_level=2, view="tree")
    for kind in sorted(found):
        for level in found[kind]:
            steps = level.path(output_format="list")
            below = at + "".join(f"/{escape(str(step))}" for step in steps)
            if not kind.endswith("_added"):
                gone[below] = level.t1
            if not kind.endswith("_removed"):
                came[below] = level.t2


def _alike(before: list[Any], after: list[Any]) -> tuple[int, int]:
    """Return how many items two lists share at their beginnings and, after that, at their ends."""
    ours, theirs = [*map(text, before)], [*map(text, after)]
    shorter = min(len(ours), len(theirs))
    first = next((at for at in range(shorter) if ours[at] != theirs[at]), shorter)
    left = shorter - first
    last = next((at for at in range(left) if ours[-1 - at] != theirs[-1 - at]), left)
    return first, last
