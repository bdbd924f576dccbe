"""What to do about a judged change: for the author of definitions, and for callers."""

from __future__ import annotations

from typing import Final

from dateline.model import Change, Direction, Kind, Verdict
from dateline.rules.law import Rule
from dateline.rules.reading import ASKED, is_required

_ADDED: Final = frozenset(kind for kind in Kind if kind.value.endswith("-added")) - {
    Kind.KEYWORD_ADDED,
    Kind.TYPE_ADDED,
}
_REMOVED: Final = frozenset(kind for kind in Kind if kind.value.endswith("-removed")) - {
    Kind.KEYWORD_REMOVED,
    Kind.TYPE_REMOVED,
}
_RENAMED: Final = frozenset(kind for kind in Kind if kind.value.endswith("-renamed"))


def author_advice(rule: Rule, verdict: Verdict, change: Change) -> str:
    """Return what the author of definitions can do about *change*, which *rule* applies to.

    A policy may give the rule another *verdict* than its own, whose way out is another then.
    """
    if verdict is rule.verdict:
        return rule.text
    way_out = {
        Verdict.ADDITIVE: "It goes to all versions: write it without `x-added` and `x-was`.",
        Verdict.NEVER: "No version may have it: write back what was published.",
    }.get(verdict, "")
    return f"The policy calls `{rule.id}` {verdict}. {way_out or _gate(change)}"


def _gate(change: Change) -> str:
    """Return the key that keeps *change* from older versions."""
    if change.kind in _ADDED:
        key = "Give it `x-added: next`"
    elif change.kind in _REMOVED:
        key = "Put it back, with `x-removed: next`"
    elif change.kind in _RENAMED:
        key = "Keep the old name for older versions: `x-was: {next: {name: old}}`"
    else:
        keyword = change.keyword or "keyword"
        key = f"Keep the old value for older versions: `x-was: {{next: {{{keyword}: old}}}}`"
    return f"{key} (`dateline gate` writes it)."


def caller_advice(verdict: Verdict, change: Change) -> str:
    """Return what callers do about *change* when they move from the older to the newer version."""
    if verdict in (Verdict.ADDITIVE, Verdict.INFORMATION):
        return "Callers need to do nothing."
    if (alone := _ALONE.get(change.kind)) is not None:
        return alone
    asked, shown = change.direction in ASKED, change.direction is not Direction.REQUEST
    if change.kind in _RENAMED:
        return "Callers use the new name when they move to the newer version."
    if change.kind in _ADDED:
        required = is_required(change)
        sends = "send it, as they have to" if required else "may send it"
        texts = (f"{sends}", "have to be ready to read it")
    elif change.kind in _REMOVED:
        texts = ("stop sending it", "stop reading it")
    else:
        texts = ("send what the newer one takes", "have to be ready to read what the newer one has")
    said = " and ".join(text for text, holds in zip(texts, (asked, shown), strict=True) if holds)
    return f"When they move to the newer version, callers {said}."


_NAMES: Final = "Code that imports the model by its name changes with the version."
_ALONE: Final = {
    Kind.OPERATION_ADDED: "Callers answer it before they move to the newer version.",
    Kind.OPERATION_REMOVED: "Callers stop using it before they move to the newer version.",
    Kind.COMPONENT_REMOVED: _NAMES,
    Kind.COMPONENT_RENAMED: _NAMES,
    Kind.SECURITY_CHANGED: "Callers send the credentials that the newer version demands.",
    Kind.SERVERS_CHANGED: "Callers use the addresses of the newer version.",
    Kind.FIELD_REQUIRED: "When they move to the newer version, callers always send it.",
    Kind.FIELD_OPTIONAL: "Before they move to the newer version, callers do without it.",
}
