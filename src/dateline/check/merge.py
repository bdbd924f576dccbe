"""Changes of several versions and environments in, one finding for each cause out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dateline.check.laws import fingerprint
from dateline.gates import order
from dateline.model import EVERYWHERE, Change, Combination, Finding, Place, Policy, Verdict
from dateline.rules import RULES, Judgement, judge, said


@dataclass
class Group:
    """The changes that have one cause, and everything they concern."""

    change: Change
    judgement: Judgement
    combinations: list[Combination] = field(default_factory=list)
    operations: set[str] = field(default_factory=set)
    key: str = ""

    def finding(self, policy: Policy, **details: Any) -> Finding:
        """Return the finding; *details* are added, or replace what the change says."""
        change, judgement = self.change, self.judgement
        versions = {found.version for found in self.combinations if found.version}
        environments = {
            found.environment for found in self.combinations if found.environment != EVERYWHERE
        }
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
            "operations": tuple(sorted(self.operations)),
            "versions": tuple(sorted(versions, key=order)),
            "environments": tuple(sorted(environments)),
            "before": change.before,
            "after": change.after,
        }
        return Finding(**{**given, **details})


class Merged:
    """The groups of all changes that are added, each judged under one policy."""

    def __init__(self, policy: str, overrides: Mapping[str, Verdict]) -> None:
        self._policy = policy
        self._overrides = overrides
        self._groups: dict[str, Group] = {}

    def add(self, change: Change, combination: Combination) -> None:
        judgement = judge(change, self._policy, self._overrides)
        where = change.schema or change.after_pointer or change.before_pointer
        # indexes shift between versions, so a place within a component goes by its field
        key = json.dumps(
            [judgement.rule, change.kind.value, change.keyword, where, change.field, said(change)]
        )
        group = self._groups.setdefault(key, Group(change, judgement, key=key))
        group.combinations.append(combination)
        group.operations.update(change.operations)

    def __iter__(self) -> Iterator[Group]:
        return iter(self._groups.values())


def by_place(finding: Finding) -> tuple[Any, ...]:
    """Return the key that findings are sorted by."""
    place = finding.after_source or finding.before_source or Place("", 0, 0)
    where = finding.after_pointer or finding.before_pointer or ""
    remark = finding.verdict is Verdict.INFORMATION
    return remark, place, where, finding.rule, finding.field, finding.fingerprint
