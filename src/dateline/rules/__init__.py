"""The versioning rules, and the judgement of a change by the first one that applies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from dateline.model import Change, Verdict
from dateline.presets import PRESETS
from dateline.rules import additive, definitions, gated, routes
from dateline.rules.advice import describe_way_out
from dateline.rules.rule import Example, Rule
from dateline.rules.wording import describe

CHANGE_RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        rule.id: rule
        for module in (routes, additive, *gated.SUBJECTS)
        for rule in vars(module).values()
        if isinstance(rule, Rule)
    }
)
"""The rules about changes by id, in the order in which they are tried: the first match judges.

What is forbidden comes first, then what is additive; all that is left is gated, and the last rule
applies to everything. A policy can give each of them another verdict.
"""

RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        **CHANGE_RULES,
        **{rule.id: rule for rule in vars(definitions).values() if isinstance(rule, Rule)},
    }
)
"""Every rule by id: those about changes, then those about the definitions."""


class Judgement(NamedTuple):
    """The id of the rule that applies to a change, and the verdict."""

    rule: str
    verdict: Verdict


def judge(
    change: Change,
    preset: str,
    overrides: Mapping[str, Verdict],
    *,
    rules: Mapping[str, Rule] = CHANGE_RULES,
) -> Judgement:
    """Return what *preset* says of *change*; *overrides* (verdicts by rule id) win over it.

    A switched reference is additive where everything that follows from it is.
    Raises KeyError for an unknown preset.
    """
    within = [judge(inner, preset, overrides, rules=rules) for inner in change.within]
    if within and all(judgement.verdict is Verdict.ADDITIVE for judgement in within):
        return within[0]
    rule = next(rule for rule in rules.values() if rule.applies and rule.applies(change))
    return Judgement(rule.id, find_verdict(rule, preset, overrides))


def find_verdict(rule: Rule, preset: str, overrides: Mapping[str, Verdict]) -> Verdict:
    """Return the verdict of *rule* under *preset*; *overrides*, by rule id, win over it.

    Raises KeyError for an unknown preset.
    """
    return {**PRESETS[preset].verdicts, **overrides}.get(rule.id, rule.verdict)


__all__ = [
    "CHANGE_RULES",
    "PRESETS",
    "RULES",
    "Example",
    "Judgement",
    "Rule",
    "describe",
    "describe_way_out",
    "judge",
]
