"""Check the history of enumeration values and union members, and `x-shown-as`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from dateline.gates import gate_dates, order, substitutes
from dateline.load.checks.scope import Scope, Site, Violation, extend, list_past, on
from dateline.load.checks.values import find_fault
from dateline.model import ADDED, REMOVED, SHOWN_AS, WAS
from dateline.schema.types import UNIONS, is_enumeration
from dateline.schema.values import text
from dateline.wording import did_you_mean, quote

_WORDS: Final = frozenset({"title", "description", "deprecated", "$comment", "x-environments"})
"""What the history of an enumeration value may contain besides `const`, and its dates."""


@on(*(f"schema.{key}" for key in UNIONS), finds=("shown-as-invalid", "gate-without-effect"))
def shown_as_another_member(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """Each version without a member has the value that replaces it, or one that follows."""
    for index, member in enumerate(site.node[key]):
        if not isinstance(member, dict):
            continue
        dates = [date for date in substitutes(member) if date is not None]
        if SHOWN_AS in member and gate_dates(member) and scope.ranks.keys() >= {*dates}:
            yield from _find_unshown(scope, site, key, index)


class _GatedUnion(NamedTuple):
    """A union with gated members, and the values that replace these."""

    scope: Scope
    node: dict[str, Any]
    key: str

    @property
    def members(self) -> list[Any]:
        members: list[Any] = self.node[self.key]
        return members

    def at(self, at: int) -> list[int]:
        """Return the numbers of the members that the combination *at* has."""
        return [i for i, each in enumerate(self.members) if self.scope.find_shown(each) >> at & 1]

    def dates(self, at: int) -> list[str | None]:
        """Return, for each member, the date of its `x-shown-as` that applies at *at*."""
        return [self.scope.timeline.substitute_date(each, at) for each in self.members]

    def matching(self, value: Any, numbers: list[int]) -> list[int]:
        """Return those of the members *numbers* that *value* is valid for."""
        if is_enumeration({self.key: self.members}):
            return [i for i in numbers if text(value) == text(self.members[i]["const"])]
        return [
            i
            for i in numbers
            if find_fault(self.scope, value, {**self.node, self.key: [self.members[i]]}) is None
        ]

    def is_shown(self, index: int, at: int) -> bool:
        """Return whether *index* is replaced at *at* by a visible member, directly or in turn.

        If a later replacement is at fault, its own check reports it.
        """
        present = self.at(at)
        absent = [i for i in range(len(self.members)) if i not in present]
        seen: list[int] = []
        while index not in seen:
            seen.append(index)
            value = self.scope.timeline.substitute(self.members[index], at)
            if not value:
                return len(seen) > 2
            if self.matching(value[0], present):
                return True
            following = self.matching(value[0], absent)
            if not following:
                return len(seen) > 1
            index = following[0]
        return False


def _find_unshown(scope: Scope, site: Site, key: str, index: int) -> Iterator[Violation]:
    member = site.node[key][index]
    union = _GatedUnion(scope, site.node, key)
    lacking = scope.timeline.all & ~scope.find_shown(member)
    unused = {*substitutes(member)} - {None}
    known: dict[tuple[Any, ...], bool] = {}
    # (which value, when) -> where the member is absent, and where its replacement is missing
    absent: dict[tuple[str | None, str], tuple[int, int]] = {}
    for at in range(len(scope.timeline.combinations)):
        if not lacking >> at & 1:
            continue
        date = scope.timeline.substitute_date(member, at)
        unused.discard(date)
        which = (date, *union.at(at), *union.dates(at))
        if which not in known:
            known[which] = union.is_shown(index, at)
        shown_when = date, _describe_absence(scope, member, at)
        there, wrong = absent.get(shown_when, (0, 0))
        absent[shown_when] = there | 1 << at, wrong | (0 if known[which] else 1 << at)
    for (date, when), (there, wrong) in absent.items():
        if wrong:
            versions = when if wrong == there and when else scope.timeline.places(wrong)
            at = (wrong & -wrong).bit_length() - 1
            yield _create_violation(union, site, (index, date), versions, at)
    for date in sorted(filter(None, unused), key=order):
        message = f"no version without the member is shown the value for {date}; leave it out"
        yield Violation(site.at(key, index, SHOWN_AS, date), "gate-without-effect", message)


def _describe_absence(scope: Scope, member: dict[str, Any], at: int) -> str:
    version = order(scope.timeline.combinations[at].version)
    if ADDED in member and version < order(member[ADDED]):
        return f"before {member[ADDED]}"
    if REMOVED in member and version >= order(member[REMOVED]):
        return f"from {member[REMOVED]} on"
    return ""


def _create_violation(
    union: _GatedUnion, site: Site, shown_when: tuple[int, str | None], when: str, at: int
) -> Violation:
    index, date = shown_when
    value = substitutes(union.members[index])[date]
    steps = (union.key, index, SHOWN_AS) if date is None else (union.key, index, SHOWN_AS, date)
    trail = site.at(*steps)
    others = [union.members[i] for i in union.at(at)]
    if is_enumeration({union.key: union.members}):
        known = [other["const"] for other in others]
        message = f"{quote(value)} is not a value of the versions {when}"
        if isinstance(value, str):
            message += did_you_mean(value, filter(lambda v: isinstance(v, str), known))
        return Violation(trail, "shown-as-invalid", message, value=True)
    if not others:
        message = f"the union has no member {when}; gate what contains it instead"
        return Violation(trail, "shown-as-invalid", message)
    wrong = find_fault(union.scope, value, {**union.node, union.key: others})
    said_wrong = "its replacements lead back to it" if wrong is None else wrong.message
    trail = extend(trail, *(() if wrong is None else wrong.path))
    message = f"no member of the versions {when}: {said_wrong}"
    return Violation(trail, "shown-as-invalid", message, value=True)


@on(
    *(f"schema.{key}" for key in UNIONS),
    finds=("misplaced-annotation", "rename-collision"),
)
def history_of_values(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """An enumeration value stays one; no two are the same in any version."""
    members = site.node[key]
    if not is_enumeration({key: members}) or not any(WAS in member for member in members):
        return
    for index, member in enumerate(members):
        for past in list_past(Site("schema", member, site.at(key, index), key, site)):
            for keyword in past.setting.keys() - _WORDS - {"const", ADDED, REMOVED}:
                message = (
                    f"of a value of an enumeration only `const` and words have a history; put "
                    f"that of `{keyword}` on the schema around it"
                )
                yield Violation((past.set_at, keyword), "misplaced-annotation", message)
            if "const" in past.unset:
                message = "a value of an enumeration always has its `const`; use `x-added` instead"
                yield Violation(past.at, "misplaced-annotation", message)
    yield from _collisions(scope, site, key)


def _collisions(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    taken: list[tuple[int, int, Any]] = []
    members = site.node[key]
    for index, member in enumerate(members):
        for mask, era in scope.timeline.eras("schema", member):
            if "const" not in era:
                continue
            there = mask & scope.find_shown(era)
            for others, other, value in taken:
                both = others & there
                at = index if WAS in member else other
                if (
                    both
                    and other != index
                    and WAS in members[at]
                    and text(value) == text(era["const"])
                ):
                    message = (
                        f"{quote(value)} is what {quote(members[other]['const'])} and "
                        f"{quote(member['const'])} both are in {scope.timeline.places(both)}; "
                        "change one, or remove one before that"
                    )
                    yield Violation(site.at(key, at, WAS), "rename-collision", message)
            taken.append((there, index, era["const"]))
