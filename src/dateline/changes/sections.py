"""Group the changes of a page in reading order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from dateline.changes.entries import Entry

_MANY: Final = 100
"""The groups of sections with more entries are folded on pages."""

_CROWD: Final = 30
"""Changes without a reason are grouped by what they concern where there are more than these."""

_TITLES: Final = {
    "breaking": "Breaking changes",
    "compatible": "Nothing to do",
    "models": "Only in generated code",
    "documentation": "Only in the documentation",
}
"""The sections of a page by their anchors, in reading order."""

_FOLDED: Final = ("models", "documentation")


@dataclass(frozen=True, kw_only=True)
class PageSection:
    """A part of a page: changes of one weight, in groups of one reason or one subject each.

    One that is ``folded`` holds what no request and no response shows.
    """

    anchor: str
    title: str
    groups: list[tuple[str | None, list[Entry]]]
    folded: bool

    @property
    def folds_groups(self) -> bool:
        """Whether each group is folded, since the section is very long."""
        return self.count > _MANY and len(self.groups) > 1

    @cached_property
    def count(self) -> int:
        # templates ask for it once for each group
        return sum(len(entries) for _, entries in self.groups)


def list_sections(entries: Iterable[Entry]) -> list[PageSection]:
    """Return *entries* in sections: what breaks code, what does not, and what messages don't show.

    None of them is empty.
    """
    found: dict[str, list[Entry]] = {anchor: [] for anchor in _TITLES}
    for entry in entries:
        found[_choose_section(entry)].append(entry)
    return [
        PageSection(
            anchor=anchor, title=_TITLES[anchor], groups=_group(each), folded=anchor in _FOLDED
        )
        for anchor, each in found.items()
        if each
    ]


def _choose_section(entry: Entry) -> str:
    if entry.is_documentation:
        return "documentation"
    if entry.is_only_in_code:
        return "models"
    return "breaking" if entry.breaks else "compatible"


def _group(entries: list[Entry]) -> list[tuple[str | None, list[Entry]]]:
    """Return *entries* by reason, in the order of the first of each; those without one come last.

    Many of those are grouped by component or path.
    """
    reasons = group_by_reason(entries)
    why, others = reasons[-1]
    if why is not None or len(others) <= _CROWD:
        return reasons
    subjects: dict[str, list[Entry]] = {}
    for entry in others:
        subjects.setdefault(_name_subject(entry), []).append(entry)
    return [*reasons[:-1], *sorted(subjects.items())]


def _name_subject(entry: Entry) -> str:
    """Return the component that *entry* concerns, or else the path of the first operation."""
    if entry.schema is not None:
        return entry.schema
    return entry.operations[0].partition(" ")[2] if entry.operations else "All operations"


def group_by_reason(entries: Iterable[Entry]) -> list[tuple[str | None, list[Entry]]]:
    """Return *entries* by reason, in the order of the first of each; without one they come last."""
    found: dict[str | None, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.why, []).append(entry)
    return sorted(found.items(), key=lambda item: item[0] is None)


def count_breaking(entries: Iterable[Entry]) -> list[str]:
    """Return a phrase with how many of *entries* break code of callers, and how many don't."""
    counted = Counter(_choose_section(entry) == "breaking" for entry in entries)
    breaking, others = counted[True], counted[False]
    words = [f"{breaking:,} breaking"] if breaking else []
    if others and breaking:
        words.append(f"{others:,} {'others' if others > 1 else 'other'}")
    elif others:
        words.append(f"{others:,} compatible")
    return words
