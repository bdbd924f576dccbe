"""Explain rules and presets on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dateline.presets import PRESETS, Preset
from dateline.rules import RULES
from dateline.rules.rule import Example, Rule
from dateline.wording import find_nearest


def list_rules() -> Iterator[str]:
    """Yield a line for each rule: its id, verdict and summary."""
    width = max(map(len, RULES))
    for rule in RULES.values():
        yield f"{rule.id:{width}}  {rule.verdict:11}  {rule.summary}"


def find_rule(name: str) -> Rule:
    """Return the rule with the id *name*; raise LookupError with the nearest one for any other."""
    if name in RULES:
        return RULES[name]
    raise _unknown("rule", name, RULES)


def _unknown(kind: str, name: str, known: Iterable[str]) -> LookupError:
    near = find_nearest(name, known)
    hint = f"Did you mean {near!r}?" if near else "`dateline rules` lists the rules."
    return LookupError(f"No {kind} {name!r}. {hint}")


def find_explained(name: str) -> Rule | None:
    """Return the rule with the id *name*, None for a preset; raise LookupError for any other."""
    if name not in RULES and name not in PRESETS:
        raise _unknown("rule or preset", name, [*RULES, *PRESETS])
    return RULES.get(name)


def explain(name: str) -> str:
    """Return what the rule or preset called *name* says.

    Raises LookupError for any other name, with the nearest one.
    """
    if (rule := find_explained(name)) is None:
        return _explain_preset(name, PRESETS[name])
    parts = [f"{rule.id} ({rule.verdict})", f"{rule.summary}\n{rule.reason}"]
    if rule.example.before:
        parts.append(_lay_out(rule.example))
    parts.append(rule.way_out)
    if rule.callers:
        parts.append(f"Callers: {rule.callers}")
    if breaks := rule.breaks_readers or rule.breaks_senders:
        parts.append(f"Breaks {breaks}")
    parts += [
        f"Under the preset `{preset}`: {verdicts[rule.id]}."
        for preset, (_, verdicts) in PRESETS.items()
        if rule.id in verdicts
    ]
    return "\n\n".join(parts)


def _explain_preset(name: str, preset: Preset) -> str:
    lines = [f"{name} (preset)", "", preset.purpose, ""]
    lines += [
        f"  {rule}: {verdict} instead of {RULES[rule].verdict}"
        for rule, verdict in preset.verdicts.items()
    ]
    if not preset.verdicts:
        lines.append("Each rule has the verdict that `dateline rules` lists.")
    return "\n".join([*lines, "", f"Choose it with `policy: {name}` in versions.yaml."])


def _lay_out(example: Example) -> str:
    before, after = (
        [f"  {line}" for line in text.splitlines()] for text in (example.before, example.after)
    )
    return "\n".join([f"Before ({example.where}):", *before, "After:", *after])
