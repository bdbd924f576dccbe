"""The context of a report: the run, and the layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from dateline.model import Problem


@dataclass(frozen=True, kw_only=True)
class Context:
    """The run that reported the findings, and the reader of the report.

    ``version`` is the tool's own; ``baseline`` is a short description of the baseline, such as
    ``git main (3f2a...)``; ``command`` is the one that was run. ``colour`` and ``width`` (in
    columns) are the terminal's; with ``show_waived``, waived findings are written out there, too.
    ``against`` is the baseline named on the command line: commands that a report prints repeat it.

    ``problems`` are the reasons why definitions or published documents could not be read: findings
    are incomplete then. With ``quiet``, text has only findings, and no summary. ``projects`` maps
    folders of definitions to the names of their projects, if these have names. ``fallback`` is the
    file that formats name for a finding without a place if they need one. ``rule_pages`` is the
    address of a rule's page, with ``{rule}`` in it, or empty. ``source`` returns the text of a file
    named in ``after_source``, or None.
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
    source: Callable[[str], str | None] = lambda _: None
