"""What a report says beside its findings, and how it is laid out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


def _no_source(_: str) -> str | None:
    return None


@dataclass(frozen=True, kw_only=True)
class Context:
    """The run that reported the findings, and the reader of the report.

    ``version`` is the tool's own; ``baseline`` says in a few words what was compared with, such
    as ``git main (3f2a...)``; ``command`` is the one that was run. ``colour`` and ``width`` (in
    columns) are the terminal's; ``show_waived`` writes waived findings out there, too. ``against``
    is the baseline that the command line named: commands that a report prints repeat it.

    ``base_path`` leads from the top of the repository to the folder that the files of the
    findings are relative to: code hosts want paths from the top. ``fallback`` is the file that
    formats name for a finding without a place where their readers demand one. ``source`` gives
    the text of a file as findings name it in ``after_source``, or None.
    """

    version: str
    baseline: str
    command: Literal["check", "diff"] = "check"
    against: str | None = None
    colour: bool = False
    width: int = 100
    show_waived: bool = False
    base_path: str = ""
    fallback: str = "schemas/versions.yaml"
    source: Callable[[str], str | None] = _no_source
