"""Phrase a finding in short lines that are safe wherever they are printed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from dateline.model import Finding, Place, Policy, Verdict
from dateline.report.escaping import escape_line

MOST_OPERATIONS: Final = 3
"""The number of operations of a finding that are named; all others are counted."""

_MOST_NAMES: Final = 10


class TextSpan(NamedTuple):
    """A piece of a text; ``code`` if it was between backticks."""

    text: str
    code: bool


def split_spans(text: str) -> list[TextSpan]:
    """Return *text* as plain pieces, those between two backticks marked as code."""
    *pieces, last = escape_line(text).split("`")
    if len(pieces) % 2:
        # a backtick without a partner is a character like any other
        last = f"{pieces.pop()}`{last}"
    found = [TextSpan(piece, bool(index % 2)) for index, piece in enumerate([*pieces, last])]
    return [span for span in found if span.text]


def split_paragraphs(text: str) -> list[str]:
    """Return the paragraphs of *text*, each on one line."""
    parts = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return [part for part in parts if part]


def list_names(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Return the first few of *names*, and how many more there are."""
    shown = ", ".join(escape_line(name, 200) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def place_of(finding: Finding) -> Place | None:
    """Return the place at which *finding* is reported: the present one, or the former one."""
    return finding.after_source or finding.before_source


def format_place(finding: Finding) -> str:
    """Return the place of *finding* as text; without one the pointer, or else nothing."""
    place = place_of(finding)
    if place is not None:
        return escape_line(str(place))
    pointer = finding.after_pointer or finding.before_pointer
    return f"#{escape_line(pointer)}" if pointer else ""


class Fact(NamedTuple):
    """One more fact about a finding: its name and its text."""

    name: str
    text: str


def list_facts(finding: Finding) -> Iterator[Fact]:
    """Yield the facts about *finding* besides its message and help."""
    if finding.policy is Policy.MINTED and finding.verdict is Verdict.ADDITIVE:
        yield Fact("policy", "minted: fails, since it withholds what all versions can have")
    if finding.versions:
        environments = list_names([name for name in finding.environments if name])
        versions = list_names(finding.versions)
        yield Fact("versions", f"{versions} ({environments})" if environments else versions)
    if finding.operations:
        yield Fact("operations", list_names(finding.operations, MOST_OPERATIONS))
    if finding.after_source and finding.before_source:
        yield Fact("before", escape_line(str(finding.before_source)))
    if finding.waived is not None:
        yield Fact("waived", escape_line(finding.waived))


def number_repetitions(names: Iterable[str]) -> Iterator[str]:
    """Yield each of *names*, repeated ones with a number: readers drop repetitions."""
    counts: Counter[str] = Counter()
    for name in names:
        found = name
        while counts[found]:
            counts[name] += 1
            found = f"{name} ({counts[name]})"
        counts[found] += 1
        yield found
