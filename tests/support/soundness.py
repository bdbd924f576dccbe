"""Compare the findings of the differ and the rules with the oracle, on pairs of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Final, NamedTuple

from dateline.diff import diff
from dateline.model import EXTENSIBLE, Change, Direction, Kind, Verdict
from dateline.rules import CHANGE_RULES, Rule, judge
from support.containment import Contradiction, Document, Flows, find_contradictions, flows
from support.random_documents import Pair

WIRE: Final = "wire"
_SILENT: Final = frozenset({Kind.DOCUMENTATION_CHANGED, Kind.EXTENSION_CHANGED})


class Judged(NamedTuple):
    """A pair of documents with the changes found and the oracle's answer."""

    pair: Pair
    changes: list[Change]
    contradictions: list[Contradiction]
    proved: bool
    """Whether there can be no other contradiction."""
    unequal: list[Contradiction]
    """What one of the two sides could not say to the other though nothing was found to differ."""

    def additive(self, preset: str, rules: Mapping[str, Rule] = CHANGE_RULES) -> bool:
        """Whether every change is additive."""
        return all(
            judge(change, preset, {}, rules=rules).verdict is Verdict.ADDITIVE
            for change in self.changes
        )

    def missed(self, rules: Mapping[str, Rule] = CHANGE_RULES) -> bool:
        """Whether something that needs a version passes without one, by the wire or by the list."""
        if self.unequal:
            return True
        if not self.additive("dated-contract", rules):
            return False
        return bool(self.contradictions) or self.beyond_the_list

    @property
    def beyond_the_list(self) -> bool:
        """Whether one edit was made that callers can notice and no list names additive."""
        noticed = any(
            change.kind not in _SILENT
            and change.direction is not Direction.MODEL
            and change.keyword != EXTENSIBLE
            for change in self.changes
        )
        return noticed and len(self.pair.edits) == 1 and not self.pair.listed

    @property
    def compatible(self) -> bool:
        """Whether schemas changed, and callers provably can't notice it on the wire."""
        return self.pair.schemas_only and self.proved and not self.contradictions

    @property
    def false_alarm(self) -> bool:
        """Whether the preset that follows the wire demands a version without need.

        Schemas that no operation uses are never on the wire.
        """
        seen = [change for change in self.changes if change.direction is not Direction.MODEL]
        return self.compatible and not self._replace(changes=seen).additive(WIRE)

    @property
    def loud(self) -> list[Change]:
        """The changes of messages that need a version."""
        return [
            change
            for change in self.changes
            if change.direction is not Direction.MODEL
            and judge(change, "dated-contract", {}).verdict is not Verdict.ADDITIVE
        ]

    def __str__(self) -> str:
        reported = [
            f"{change.kind} {change.keyword} {change.after_pointer}" for change in self.changes
        ]
        return f"{self.pair.edits}: {reported} {[*self.contradictions, *self.unequal]}"


Differ = Callable[[Document, Document], list[Change]]


def judge_pairs(pairs: Iterable[Pair], differ: Differ = diff) -> Iterator[Judged]:
    """Yield the results for each of *pairs*."""
    known: tuple[object, Flows] = (None, {})
    for number, pair in enumerate(pairs):
        random = Random(number)
        if known[0] is not pair.before:
            known = (pair.before, flows(pair.before))
        ours, theirs = known[1], flows(pair.after)
        changes = differ(pair.before, pair.after)
        found, proved = find_contradictions(ours, theirs, random)
        unequal = []
        if all(change.kind in _SILENT for change in changes):
            unequal = found + find_contradictions(theirs, ours, random).contradictions
        yield Judged(pair, changes, found, proved, unequal)


def replace_predicate(rule: str, applies: Callable[[Change], bool]) -> dict[str, Rule]:
    """Return the rules with another predicate for *rule*."""
    return {**CHANGE_RULES, rule: replace(CHANGE_RULES[rule], applies=applies)}
