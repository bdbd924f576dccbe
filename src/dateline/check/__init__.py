"""An API and what is published in, findings out: one for one cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import pairwise

from dateline.check.baseline import BaselineError, Document, Published
from dateline.check.laws import LAWS
from dateline.check.merge import Group, Merged, by_place
from dateline.check.servable import check_servable
from dateline.check.versions import check_table, without_change
from dateline.check.waivers import Waiver, read_waivers, waive
from dateline.diff import diff
from dateline.model import Api, Combination, Finding, Kind, Place, Policy, Verdict
from dateline.project import Projector
from dateline.rules import RULES

__all__ = [
    "LAWS",
    "BaselineError",
    "Document",
    "Published",
    "Waiver",
    "breaches",
    "check",
    "read_waivers",
]

# What may differ between neighbouring versions without a new version being needed for it: words,
# and components that come with the gated member that leads to them.
_FOLLOWING = frozenset({Kind.DOCUMENTATION_CHANGED, Kind.EXTENSION_CHANGED, Kind.COMPONENT_ADDED})

_HELD_BACK = (
    "Additive changes go to all versions. Drop its `x-added`, or the `x-was` that holds it back."
)


def check(
    api: Api, published: Published, *, waivers: Sequence[Waiver] = (), today: date
) -> list[Finding]:
    """Return every breach of the versioning rules, sorted by place; waived ones are marked.

    Three policies: *frozen*, no published contract changes but additively; *minted*, no version
    holds back what is additive; *servable*, the run time can serve every gate. Beside them the
    version table's own rules. *today* decides on announcements and waivers.
    Raises BaselineError where a published document can't be read.
    """
    judge = _Judge(api, published)
    findings = [
        *check_table(api.table, published, today),
        *judge.frozen(),
        *judge.minted(),
        *check_servable(api),
    ]
    return sorted(waive(findings, waivers, today), key=by_place)


def breaches(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that stop a change: neither waived nor mere information."""
    return [
        finding
        for finding in findings
        if finding.waived is None and finding.verdict is not Verdict.INFORMATION
    ]


class _Judge:
    """The policies frozen and minted over one API."""

    def __init__(self, api: Api, published: Published) -> None:
        self._api = api
        self._published = published
        self._projector = Projector(api)
        self._overrides = {rule: Verdict(verdict) for rule, verdict in api.table.overrides.items()}

    def _merged(self) -> Merged:
        return Merged(self._api.table.policy, self._overrides)

    def frozen(self) -> Iterator[Finding]:
        """Yield what differs from a published contract and is not additive."""
        merged = self._merged()
        for combination, document in self._published.documents.items():
            if combination in self._api.combinations:
                now = self._projector.contract(*combination).document
                for change in diff(document.content, now):
                    merged.add(change, combination)
        for group in merged:
            if group.judgement.verdict in (Verdict.GATED, Verdict.NEVER):
                document = self._published.documents[group.combinations[0]]
                before = group.change.before_pointer
                yield group.finding(
                    Policy.FROZEN,
                    before_source=None if before is None else document.place(before),
                    after_source=self._source(group),
                )

    def minted(self) -> Iterator[Finding]:
        """Yield what a version that is not published yet holds back although it is additive."""
        table = self._api.table
        for older, newer in pairwise(table.versions):
            if newer.date in self._published.versions:
                continue
            merged = self._merged()
            for environment in table.environments:
                self._compare(merged, older.date, newer.date, environment.name)
            groups = [group for group in merged if group.change.kind not in _FOLLOWING]
            for group in groups:
                verdict = group.judgement.verdict
                if verdict in (Verdict.ADDITIVE, Verdict.NEVER):
                    additive = verdict is Verdict.ADDITIVE
                    yield group.finding(
                        Policy.MINTED,
                        help=_HELD_BACK if additive else RULES[group.judgement.rule].text,
                        after_source=self._source(group),
                    )
            if not groups and not newer.undisclosed and not newer.draft:
                yield without_change(newer, older.date)

    def _compare(self, merged: Merged, older: str, newer: str, environment: str) -> None:
        before = self._projector.contract(older, environment).document
        after = self._projector.contract(newer, environment).document
        renames = self._projector.renames(older, newer, environment)
        for change in diff(before, after, renames=renames):
            merged.add(change, Combination(newer, environment))

    def _source(self, group: Group) -> Place:
        """Return where the definitions hold what the change is about, or what is around it."""
        change = group.change
        pointer = change.after_pointer or change.before_pointer or ""
        return self._api.locate(self._projector.origin(pointer, *group.combinations[0]))
