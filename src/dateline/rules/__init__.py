"""A change in, a judgement out: the rule that applies, and its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from dateline.model import Change, Verdict
from dateline.rules import additive, gated, routes
from dateline.rules.advice import author_advice, caller_advice
from dateline.rules.law import Example, Rule
from dateline.rules.wording import said

RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        rule.id: rule
        for module in (routes, additive, *gated.SUBJECTS)
        for rule in vars(module).values()
        if isinstance(rule, Rule)
    }
)
"""Every rule by its id, in the order in which they are asked: the first that applies judges.

What may never happen comes first, then what is additive; all that is left is gated, the last
rule applies to everything.
"""

PRESETS: Final[Mapping[str, Mapping[str, Verdict]]] = MappingProxyType(
    {
        "dated-contract": {},
        # "Breaking changes" in the documentation of GitHub's REST API: an operation may go with a
        # new version; response fields and enum values are additive, and so is all that is optional
        # in a request, a body's fields counting as parameters. Its version 2026-03-10 has the
        # status 451 among its breaking changes.
        "github": {
            "operation-removed": Verdict.GATED,
            "error-response-added": Verdict.GATED,
            "parameter-value-added": Verdict.ADDITIVE,
            "required-response-field-added": Verdict.ADDITIVE,
            "request-field-added": Verdict.ADDITIVE,
            "value-added": Verdict.ADDITIVE,
            "request-loosened": Verdict.ADDITIVE,
        },
        # What no message on the wire can break: names that only code knows, and every change
        # that promises callers more or asks less of them.
        "wire": dict.fromkeys(
            (
                *("operation-id-changed", "component-removed", "component-renamed"),
                *("dialect-changed", "path-parameter-renamed"),
                *("required-response-field-added", "response-narrowed", "open-value-removed"),
                *("request-field-added", "request-loosened", "parameter-value-added"),
            ),
            Verdict.ADDITIVE,
        ),
    }
)
"""For each preset the verdicts that differ from the rules' own, by rule id."""


class Judgement(NamedTuple):
    """The id of the rule that applies to a change, and what follows."""

    rule: str
    verdict: Verdict


def judge(
    change: Change,
    preset: str,
    overrides: Mapping[str, Verdict],
    *,
    rules: Mapping[str, Rule] = RULES,
) -> Judgement:
    """Return what *preset* says of *change*; *overrides* (verdicts by rule id) have the last word.

    Where a reference was switched, and all that follows from it is additive, so is the switch.
    Raises KeyError for a preset that there is not.
    """
    within = [judge(inner, preset, overrides, rules=rules) for inner in change.within]
    if within and all(judgement.verdict is Verdict.ADDITIVE for judgement in within):
        return within[0]
    rule = next(rule for rule in rules.values() if rule.applies(change))
    return Judgement(rule.id, {**PRESETS[preset], **overrides}.get(rule.id, rule.verdict))


def explain(rule: str) -> str:
    """Return law, reason, an example and the way out of *rule*, for a terminal.

    Raises LookupError for an id that no rule has, with the nearest one.
    """
    if rule not in RULES:
        # its import is only needed for a message
        from difflib import get_close_matches

        near = get_close_matches(rule, RULES, 1)
        hint = f"Did you mean {near[0]!r}?" if near else "`dateline rules` lists them."
        raise LookupError(f"No rule {rule!r}. {hint}")
    found = RULES[rule]
    parts = [f"{found.id} ({found.verdict})", f"{found.law}\n{found.reason}"]
    if found.example.before:
        parts.append(_shown(found.example))
    parts.append(found.way_out)
    parts += [
        f"Under the preset `{preset}`: {verdicts[rule]}."
        for preset, verdicts in PRESETS.items()
        if rule in verdicts
    ]
    return "\n\n".join(parts)


def _shown(example: Example) -> str:
    before, after = (_indented(text) for text in (example.before, example.after))
    lines = [f"Before ({example.where}):", *before, "After:", *after]
    return "\n".join(lines)


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.splitlines()]


__all__ = [
    "PRESETS",
    "RULES",
    "Example",
    "Judgement",
    "Rule",
    "author_advice",
    "caller_advice",
    "explain",
    "judge",
    "said",
]
