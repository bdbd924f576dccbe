"""The rules in words: those over changes, and those that no single change shows."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from dateline.check.laws import LAWS
from dateline.rules import RULES
from dateline.rules import explain as explain_rule


def listed() -> Iterator[str]:
    """Yield a line for each rule: id, verdict and law."""
    rows = [(name, str(rule.verdict), rule.law) for name, rule in RULES.items()]
    rows += [(name, str(law.verdict), law.law) for name, law in LAWS.items()]
    width = max(len(name) for name, _, _ in rows)
    for name, verdict, law in rows:
        yield f"{name:{width}}  {verdict:11}  {law}"


def laws() -> dict[str, str]:
    """Return the law of each rule, by its id."""
    return {
        **{name: rule.law for name, rule in RULES.items()},
        **{name: law.law for name, law in LAWS.items()},
    }


def explained(rule: str) -> str:
    """Return law, reason, example and way out of *rule*; LookupError for an unknown one."""
    if known(rule) in RULES:
        return explain_rule(rule)
    law = LAWS[rule]
    return f"{rule} ({law.verdict})\n\n{law.law}\n{law.reason}\n\n{law.way_out}"


def known(rule: str) -> str:
    """Return *rule* if it is the id of one; LookupError with the nearest one otherwise."""
    if rule in RULES or rule in LAWS:
        return rule
    near = get_close_matches(rule, [*RULES, *LAWS], 1)
    hint = f"Did you mean {near[0]!r}?" if near else "`dateline rules` lists them."
    raise LookupError(f"No rule {rule!r}. {hint}")
