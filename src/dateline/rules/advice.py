"""Advice to authors of definitions about a judged change."""

from __future__ import annotations

from typing import Final

from dateline.model import Change, Kind, Verdict
from dateline.rules.rule import Rule

_ADDED: Final = frozenset(kind for kind in Kind if kind.value.endswith("-added")) - {
    Kind.KEYWORD_ADDED,
    Kind.TYPE_ADDED,
}
_REMOVED: Final = frozenset(kind for kind in Kind if kind.value.endswith("-removed")) - {
    Kind.KEYWORD_REMOVED,
    Kind.TYPE_REMOVED,
}
_RENAMED: Final = frozenset(kind for kind in Kind if kind.value.endswith("-renamed"))


def describe_way_out(rule: Rule, verdict: Verdict, change: Change) -> str:
    """Return the help of a finding about *change*, which *rule* applies to.

    Where the policy gives the rule another *verdict* than its own, the way out is that verdict's.
    """
    if verdict is rule.verdict:
        return rule.help
    way_out = {
        Verdict.ADDITIVE: "It goes to all versions: write it without `x-added` and `x-was`.",
        Verdict.NEVER: "No version may have it: write back what was published.",
    }.get(verdict, "")
    return f"The policy calls `{rule.id}` {verdict}. {way_out or _gate(change)}"


def _gate(change: Change) -> str:
    """Return how *change* is kept from older versions: by a key, if there is one for it."""
    if change.kind in _ADDED:
        key = "Give it `x-added: next`"
    elif change.kind in _REMOVED:
        key = "Put it back, with `x-removed: next`"
    elif change.kind in _RENAMED:
        key = "Keep the old name for older versions: `x-was: {next: {name: old}}`"
    elif change.keyword and change.kind is not Kind.SERVERS_CHANGED:
        key = f"Keep the old value for older versions: `x-was: {{next: {{{change.keyword}: old}}}}`"
    else:
        return "Write back what was published: no key keeps it for older versions."
    return f"{key} (`dateline gate` writes it)."
