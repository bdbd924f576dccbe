"""Two values that nothing is known about in, where exactly they differ."""

from __future__ import annotations

from typing import Any

from dateline.diff.documents import escape


def leaves(before: Any, after: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what stands on each side where two values differ, by pointer relative to them.

    A list is compared item by item; `1`, `true` and `1.0` are three values.
    """
    from deepdiff import DeepDiff

    # threshold 0: otherwise an object whose keys were all replaced is reported as one changed
    # value, and no key is named
    found = DeepDiff(before, after, threshold_to_diff_deeper=0, verbose_level=2, view="tree")
    gone: dict[str, Any] = {}
    came: dict[str, Any] = {}
    for kind in sorted(found):
        for level in found[kind]:
            at = "".join(f"/{escape(str(key))}" for key in level.path(output_format="list"))
            if not kind.endswith("_added"):
                gone[at] = level.t1
            if not kind.endswith("_removed"):
                came[at] = level.t2
    return dict(sorted(gone.items())), dict(sorted(came.items()))
