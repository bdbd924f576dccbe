"""Merge changes of several versions and environments into one finding for each cause."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from dateline.check.findings import fingerprint, list_concerned
from dateline.gates import order
from dateline.model import (
    Change,
    Combination,
    Direction,
    Finding,
    Kind,
    Place,
    Policy,
    Verdict,
)
from dateline.openapi import parts
from dateline.rules import RULES, Judgement, describe, describe_way_out, judge

FROM_MILD_TO_STRICT: Final = (Verdict.INFORMATION, Verdict.ADDITIVE, Verdict.GATED, Verdict.NEVER)


@dataclass
class ChangeGroup:
    """The changes with one cause, and everything that they affect.

    ``change`` was found in the first of ``combinations``, and no other one has a stricter verdict;
    its direction, carriers and operations are those of all.
    """

    change: Change
    judgement: Judgement
    combinations: list[Combination]
    key: str

    def finding(self, policy: Policy, **details: Any) -> Finding:
        """Return the finding; *details* are added to the data of the change, or replace it."""
        change, judgement = self.change, self.judgement
        given: dict[str, Any] = {
            "rule": judgement.rule,
            "verdict": judgement.verdict,
            "policy": policy,
            "message": describe(change),
            "help": describe_way_out(RULES[judgement.rule], judgement.verdict, change),
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
            "operations": change.operations,
            **list_concerned(self.combinations),
            "before": change.before,
            "after": change.after,
            "within": change.within,
        }
        return Finding(**{**given, **details})


class ChangeGroups:
    """Groups the changes that are added to it by cause, and judges each under one policy."""

    def __init__(self, policy: str, overrides: Mapping[str, Verdict]) -> None:
        self._policy = policy
        self._overrides = overrides
        self._groups: dict[str, ChangeGroup] = {}

    def add(self, change: Change, combination: Combination, cause: str = "") -> str:
        """Add *change*, found in *combination*, and return its cause.

        Changes with the same *cause* are one finding.
        """
        change = place_at_cause(change)
        judgement = self._judge(change)
        key = cause or identify_cause(change)
        group = self._groups.get(key)
        if group is None:
            self._groups[key] = ChangeGroup(change, judgement, [combination], key)
        else:
            self._join(group, change, judgement, combination)
        return key

    def _join(
        self, group: ChangeGroup, change: Change, judgement: Judgement, combination: Combination
    ) -> None:
        if _strictness(judgement) > _strictness(group.judgement):
            change, group.change = group.change, change
            group.judgement = judgement
            group.combinations.insert(0, combination)
        else:
            group.combinations.append(combination)
        group.change = _combine(group.change, change)
        group.judgement = max(self._judge(group.change), group.judgement, key=_strictness)

    def _judge(self, change: Change) -> Judgement:
        return judge(change, self._policy, self._overrides)

    def __iter__(self) -> Iterator[ChangeGroup]:
        return iter(self._groups.values())


def join_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Return *findings*, of which those with the same fingerprint are one.

    It has the words of the last, and concerns what any of them does: a deleted field may have been
    required in some versions only, and either side of a merge may publish versions of its own.
    """
    found: dict[str, Finding] = {}
    for finding in findings:
        known = found.setdefault(finding.fingerprint, finding)
        found[finding.fingerprint] = replace(
            finding,
            verdict=max(known.verdict, finding.verdict, key=FROM_MILD_TO_STRICT.index),
            versions=tuple(sorted({*known.versions, *finding.versions}, key=order)),
            environments=tuple(sorted({*known.environments, *finding.environments})),
            operations=tuple(sorted({*known.operations, *finding.operations})),
        )
    return list(found.values())


def place_at_cause(change: Change) -> Change:
    """Return *change* at the place of the edit that caused it, if operations show it elsewhere."""
    if not change.shared:
        return change
    before, after = (
        None if pointer is None else change.shared
        for pointer in (change.before_pointer, change.after_pointer)
    )
    return replace(change, before_pointer=before, after_pointer=after)


def identify_cause(change: Change) -> str:
    """Return what all changes from one edit have in common.

    Environments may differ in the operations that it reaches, and so in its direction and rule.
    """
    change = place_at_cause(change)
    described = describe(_drop_operations(change))
    # indexes shift between versions, so a place within a component is identified by its field
    where = _find_holder(change), change.field
    return json.dumps([change.kind.value, change.keyword, *where, described])


def _find_holder(change: Change) -> str | None:
    return change.schema or change.after_pointer or change.before_pointer


def identify_switch(change: Change) -> str | None:
    """Return the key of the fact that newer callers have another component; None if it is none.

    It is that of a reference which leads elsewhere, or of a component in place of another one.
    """
    if change.kind is Kind.COMPONENT_RENAMED:
        return json.dumps(["", change.before, change.after])
    if change.keyword != "$ref":
        return None
    change = place_at_cause(change)
    where = _find_holder(change), change.field
    return json.dumps(["$ref", *where, change.before, change.after])


def find_switch(change: Change) -> str | None:
    """Return the key of the fact that *change* may follow from, as `identify_switch` does."""
    if change.keyword == "$ref":
        return identify_switch(change)
    section, *names = parts(change.holder_pointer or change.before_pointer or "")[1:3] or ("",)
    return json.dumps(["", *names, change.schema]) if section == "schemas" else None


def identify_edit(change: Change, written: Mapping[str, str | None]) -> str:
    """Return what all changes that are *written* at the same places have in common."""
    return json.dumps([change.kind.value, change.keyword, change.field, written])


def _drop_operations(change: Change) -> Change:
    within = tuple(_drop_operations(inner) for inner in change.within)
    return replace(change, operations=(), within=within)


def _strictness(judgement: Judgement) -> int:
    return FROM_MILD_TO_STRICT.index(judgement.verdict)


def _combine(change: Change, other: Change) -> Change:
    """Return *change* with everything that reaches it or the *other*."""
    directions = {change.direction, other.direction} - {Direction.MODEL}
    both = len(directions) > 1
    return replace(
        change,
        direction=Direction.BOTH if both else next(iter(directions), Direction.MODEL),
        operations=tuple(sorted({*change.operations, *other.operations})),
        carriers=tuple(sorted({*change.carriers, *other.carriers})),
    )


def sort_key(finding: Finding) -> tuple[Any, ...]:
    """Return the key that findings are sorted by."""
    place = finding.after_source or finding.before_source or Place("", 0, 0)
    where = finding.after_pointer or finding.before_pointer or ""
    remark = finding.verdict is Verdict.INFORMATION
    return remark, place, where, finding.rule, finding.field, finding.fingerprint
