"""An API and what is published in, findings out: one for one cause."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import Any

from dateline.check.baseline import BaselineError, Document, Published
from dateline.check.laws import LAWS, fingerprint
from dateline.check.servable import check_servable
from dateline.check.versions import check_table, without_change
from dateline.check.waivers import Waiver, read_waivers, waive
from dateline.diff import diff
from dateline.gates import Timeline, order
from dateline.model import (
    EVERYWHERE,
    WAS,
    Api,
    Change,
    Combination,
    Finding,
    Kind,
    Place,
    Policy,
    Verdict,
)
from dateline.openapi import pointer, walk
from dateline.project import Projector
from dateline.rules import RULES, Judgement, judge, said

# What may differ between neighbouring versions without a new version being needed for it: words.
_WORDS = frozenset({Kind.DOCUMENTATION_CHANGED, Kind.EXTENSION_CHANGED})


def check(
    api: Api, published: Published, *, waivers: Sequence[Waiver] = (), today: date
) -> list[Finding]:
    """Return every breach of the versioning rules, sorted by place; waived ones are marked.

    Three policies: *frozen*, no published contract changes but additively; *minted*, no version
    holds back what is additive; *servable*, the run time can serve every gate. Beside them the
    version table's own rules. *today* decides on announcements and waivers.
    Raises BaselineError where a published document can't be read.
    """
    judged = _Judge(api, published)
    findings = [
        *check_table(api.table, published, today),
        *judged.frozen(),
        *judged.minted(),
        *check_servable(api),
    ]
    return sorted(waive(findings, waivers, today), key=_by_place)


def breaches(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that stop a change: neither waived nor mere information."""
    return [
        finding
        for finding in findings
        if finding.waived is None and finding.verdict is not Verdict.INFORMATION
    ]


def compare(
    before: Mapping[Combination, Any],
    after: Mapping[Combination, Any],
    *,
    policy: str = "dated-contract",
    overrides: Mapping[str, Verdict] | None = None,
) -> list[Finding]:
    """Return all that differs between contracts, judged, for people; pairs go by their keys."""
    merged = _Merged(policy, overrides or {})
    for combination in [key for key in before if key in after]:
        for change in diff(before[combination], after[combination]):
            merged.add(change, combination)
    return sorted(merged.findings(Policy.COMPARISON), key=_by_place)


def _by_place(finding: Finding) -> tuple[Any, ...]:
    place = finding.after_source or finding.before_source or Place("", 0, 0)
    where = finding.after_pointer or finding.before_pointer or ""
    return (place, where, finding.rule, finding.field, finding.fingerprint)


@dataclass
class _Group:
    """The changes that have one cause, and everything they concern."""

    change: Change
    judgement: Judgement
    first: Combination
    combinations: set[Combination] = field(default_factory=set)
    operations: set[str] = field(default_factory=set)


class _Merged:
    """Changes of several versions and environments, one group for each cause."""

    def __init__(self, policy: str, overrides: Mapping[str, Verdict]) -> None:
        self._policy = policy
        self._overrides = overrides
        self._groups: dict[str, _Group] = {}

    def add(self, change: Change, combination: Combination) -> None:
        judgement = judge(change, self._policy, self._overrides)
        where = change.schema or change.after_pointer or change.before_pointer
        key = json.dumps(
            (judgement.rule, change.kind.value, change.keyword, where, change.field, said(change)),
        )
        group = self._groups.setdefault(key, _Group(change, judgement, combination))
        group.combinations.add(combination)
        group.operations.update(change.operations)

    def groups(self) -> Iterable[_Group]:
        return self._groups.values()

    def findings(self, policy: Policy) -> Iterator[Finding]:
        for group in self.groups():
            yield finding(group, policy)


def finding(group: _Group, policy: Policy, **details: Any) -> Finding:
    """Return the finding of one cause; *details* are added or replace what the change says."""
    change, judgement = group.change, group.judgement
    shown = [found for found in group.combinations if found.environment != EVERYWHERE]
    given: dict[str, Any] = {
        "rule": judgement.rule,
        "verdict": judgement.verdict,
        "policy": policy,
        "message": said(change),
        "help": RULES[judgement.rule].text,
        "fingerprint": fingerprint(
            judgement.rule,
            policy.value,
            change.before_pointer,
            change.after_pointer,
            change.before,
            change.after,
        ),
        "direction": change.direction,
        "before_pointer": change.before_pointer,
        "after_pointer": change.after_pointer,
        "schema": change.schema,
        "field": change.field,
        "operations": tuple(sorted(group.operations)),
        "versions": tuple(sorted({found.version for found in group.combinations}, key=order)),
        "environments": tuple(sorted({found.environment for found in shown})),
        "before": change.before,
        "after": change.after,
    }
    return Finding(**{**given, **details})


class _Judge:
    """The policies frozen and minted over one API."""

    def __init__(self, api: Api, published: Published) -> None:
        self._api = api
        self._published = published
        self._projector = Projector(api)
        self._timeline = Timeline(api.table)
        self._overrides = {rule: Verdict(verdict) for rule, verdict in api.table.overrides.items()}

    def _merged(self) -> _Merged:
        return _Merged(self._api.table.policy, self._overrides)

    def frozen(self) -> Iterator[Finding]:
        """Yield what differs from a published contract and is not additive."""
        known = set(self._timeline.combinations)
        merged = self._merged()
        for combination, document in self._published.documents.items():
            if combination in known:
                now = self._projector.contract(*combination).document
                for change in diff(document.content, now):
                    merged.add(change, combination)
        for group in merged.groups():
            if group.judgement.verdict in (Verdict.GATED, Verdict.NEVER):
                before = self._published.documents[group.first]
                yield finding(
                    group,
                    Policy.FROZEN,
                    before_source=before.place(group.change.before_pointer or ""),
                    after_source=self._source(group.change.after_pointer, group),
                )

    def minted(self) -> Iterator[Finding]:
        """Yield what a version that is not published yet holds back although it is additive."""
        dates = self._api.table.dates
        published = self._published.versions
        for older, newer in pairwise(dates):
            if newer in published:
                continue
            merged = self._merged()
            for environment in self._api.table.environments:
                self._compare(merged, older, newer, environment.name)
            groups = [group for group in merged.groups() if group.change.kind not in _WORDS]
            for group in groups:
                if group.judgement.verdict in (Verdict.ADDITIVE, Verdict.NEVER):
                    yield finding(
                        group,
                        Policy.MINTED,
                        help=_held_back(group),
                        after_source=self._source(group.change.after_pointer, group),
                    )
            version = self._api.table.versions[dates.index(newer)]
            if not groups and not version.undisclosed and not version.draft:
                yield without_change(version, older)

    def _compare(self, merged: _Merged, older: str, newer: str, environment: str) -> None:
        before = self._projector.contract(older, environment).document
        after = self._projector.contract(newer, environment).document
        renames = self._renames(older, newer, environment)
        for change in diff(before, after, renames=renames):
            merged.add(change, Combination(newer, environment))

    def _renames(self, older: str, newer: str, environment: str) -> dict[str, str]:
        """Return what `x-was` says of names: pointer in the newer contract, older name."""
        at = self._timeline.combinations.index(Combination(newer, environment))
        before = self._timeline.combinations.index(Combination(older, environment))
        renames = {}
        for path, kind, node in self._renamed:
            names = self._timeline.names(kind, str(path[-1]), node)
            now = next((name for mask, name in names if mask >> at & 1), None)
            then = next((name for mask, name in names if mask >> before & 1), None)
            if now is not None and then is not None and now != then:
                renames[pointer((*path[:-1], now))] = then
        return renames

    @property
    def _renamed(self) -> list[tuple[tuple[str | int, ...], str, dict[str, Any]]]:
        return [found for found in walk("document", self._api.document) if WAS in found[2]]

    def _source(self, at: str | None, group: _Group) -> Place:
        """Return where the definitions hold what a contract shows at *at*, or around it."""
        path = self._projector.origin(at or group.change.before_pointer or "", *group.first)
        return self._api.locate(path)


def _held_back(group: _Group) -> str:
    if group.judgement.verdict is Verdict.NEVER:
        return RULES[group.judgement.rule].text
    return (
        "Additive changes go to all versions (rule 8 of dated versioning). Drop its `x-added` (or "
        "the `x-was` that holds it back)."
    )


__all__ = [
    "LAWS",
    "BaselineError",
    "Document",
    "Published",
    "Waiver",
    "breaches",
    "check",
    "compare",
    "read_waivers",
]
