"""Describe what is wrong with published documents that were edited by hand."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dateline.check.git import GitError, Repository
from dateline.paths import name_path


def explain_edited(output: Path, edited: Iterable[str]) -> str:
    """Return a line for each of the *edited* documents in *output*: its place, and the way out."""
    lines = []
    for name in edited:
        # git can join lines without conflict markers, and the result is still broken
        if _is_merging(output) or b"\n<<<<<<< " in b"\n" + (output / name).read_bytes():
            fact = (
                "merge-conflict: a merge left the outputs of both sides here; finish the merge of "
                "the definitions, then run `dateline generate`"
            )
        else:
            fact = (
                "baseline-edited: the published document was edited by hand; restore it from "
                "version control, or compare with `--against REF`"
            )
        lines.append(f"{name_path(output / name)}:1:1: {fact}")
    return "\n".join(lines)


def _is_merging(output: Path) -> bool:
    try:
        return Repository(output).is_merging()
    except GitError:
        return False
