"""What a report says beside its findings, and how it is laid out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from dateline.model import Problem


def _no_source(_: str) -> str | None:
    return None


@dataclass(frozen=True, kw_only=True)
class Context:
    """The run that reported the findings, and the reader of the report.

    ``version`` is the tool's own; ``baseline`` says in a few words what was compared with, such
    as ``git main (3f2a...)``; ``command`` is the one that was run. ``colour`` and ``width`` (in
    columns) are the terminal's; ``show_waived`` writes waived findings out there, too. ``against``
    is the baseline that the command line named: commands that a report prints repeat it.

    ``problems`` are what kept the definitions, or what callers have, from being read: findings
    are then not all that there are. With ``quiet``, text has no more than what is wrong.
    ``projects`` gives the name of each project that has one, by what its folder of definitions is
    called. ``fallback`` is the file that formats name for a finding without a place where their
    readers demand one. ``rule_pages`` is the address of a rule's page, with ``{rule}`` in it, or
    nothing. ``source`` gives the text of a file as findings name it in ``after_source``, or None.
    """

    version: str
    baseline: str
    command: Literal["check", "diff"] = "check"
    against: str | None = None
    colour: bool = False
    width: int = 100
    show_waived: bool = False
    problems: tuple[Problem, ...] = ()
    quiet: bool = False
    projects: Mapping[str, str] = field(default_factory=dict)
    rule_pages: str = ""
    fallback: str = "schemas/versions.yaml"
    source: Callable[[str], str | None] = _no_source
