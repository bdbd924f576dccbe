"""Choose the repairs that gate the breaking changes of published contracts."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from dateline.edit import children, keywords, renames
from dateline.edit.components import give_back_components
from dateline.edit.draft import ADDED, REMOVED, Breaking, Draft
from dateline.edit.renames import Rename
from dateline.edit.repairs import CantGateError, Repair
from dateline.edit.values import gate_value
from dateline.model import Change, Kind, Trail, Verdict
from dateline.oddities import list_reached
from dateline.openapi import parts, value_at
from dateline.rules import RULES, describe


@dataclass(kw_only=True)
class RepairPlan:
    """The repairs; and the changes that none of them gates, each with the reason."""

    repairs: list[Repair] = field(default_factory=list)
    left: list[tuple[Change, str]] = field(default_factory=list)


def plan(
    draft: Draft,
    breaking: Iterable[Breaking],
    renamed: Iterable[Rename] = (),
    coarse: Container[str] = (),
) -> RepairPlan:
    """Return the repairs for *breaking*; *renamed* are the confirmed renames.

    *coarse* changes can't be repaired in detail: there a list or mapping is restored as a whole.
    """
    planned = RepairPlan()
    known = {rename: renames.restore_name(draft, rename) for rename in renamed}
    wanted = list(breaking)
    gone = _find_gone_components(draft, wanted)
    for found in _drop_consequences(draft, wanted):
        detailed = describe(found.change) not in coarse
        try:
            _require_use(found, gone)
            repairs = renames.find_settled(draft, found, known) or _find_repairs(
                draft, found, detailed
            )
        except CantGateError as reason:
            planned.left.append((found.change, str(reason)))
            continue
        for repair in repairs:
            repair.changes.append(found.change)
    give_back_components(draft)
    planned.repairs = list(draft.repairs.values())
    return planned


def _find_gone_components(draft: Draft, breaking: list[Breaking]) -> dict[Trail, str]:
    """Return the components that removed operations led to, each with the operation."""
    found: dict[Trail, str] = {}
    for one in breaking:
        change = one.change
        if change.kind is not Kind.OPERATION_REMOVED or one.judgement.verdict is not Verdict.NEVER:
            continue
        document = draft.published[one.combination]
        operation = value_at(document, parts(change.before_pointer or ""))
        reached = sorted(list_reached(document, [operation]))
        names = ", ".join(change.operations)
        found |= {("components", *component): names for component in reached}
    return found


def _require_use(found: Breaking, gone: dict[Trail, str]) -> None:
    """Raise CantGateError for a component that was removed with an operation."""
    operation = gone.get(parts(found.change.before_pointer or ""))
    if found.change.kind is Kind.COMPONENT_REMOVED and operation is not None:
        raise CantGateError(f"it went with {operation}; put both back")


def _drop_consequences(draft: Draft, breaking: list[Breaking]) -> Iterator[Breaking]:
    """Yield the *breaking* changes without those in a new component that replaces something.

    No older version has that component once its reference is restored.
    """
    switches = [_switch(draft, found) for found in breaking]
    led_to = {goal for _, goal in switches}
    for found, (path, _) in zip(breaking, switches, strict=True):
        if path[:3] not in led_to:
            yield found


def _switch(draft: Draft, found: Breaking) -> tuple[Trail, Trail | None]:
    """Return where something is different, and the new component that it refers to now."""
    change = found.change
    if change.kind not in _REPAIRS:
        with suppress(CantGateError):
            return keywords.switch(draft, found)
    return parts(change.after_pointer or change.holder_pointer or ""), None


def _find_repairs(draft: Draft, found: Breaking, detailed: bool) -> list[Repair]:
    """Return the repairs for *found*. Raises CantGateError if there are none."""
    change = found.change
    if found.judgement.verdict is Verdict.NEVER:
        rule = RULES[found.judgement.rule]
        by_policy = "the policy allows it in no version; restore what was published"
        raise CantGateError(rule.way_out if rule.verdict is Verdict.NEVER else by_policy)
    if not detailed:
        return [keywords.restore_coarsely(draft, found)]
    if switched := keywords.restore_references(draft, found):
        return switched
    if change.kind is Kind.COMPONENT_RENAMED:
        raise CantGateError("a component has one name in all versions; keep the old one")
    if change.kind in (Kind.PARAMETER_RENAMED, Kind.PARAMETER_MOVED):
        # without the history, only the path shows that a different name is the same parameter
        raise CantGateError(
            "a path is the same in every version, and so are the names in it; write the old one "
            "back"
        )
    if change.kind is Kind.SECURITY_CHANGED and change.keyword == "security":
        if not change.operations:
            raise CantGateError(
                "the `security` of the document is that of all versions; write it back, and put "
                "what differs on operations"
            )
        return [keywords.restore_security(draft, found, one) for one in change.operations]
    if change.keyword == "discriminator" and change.kind is Kind.KEYWORD_CHANGED:
        return [keywords.restore(draft, found), *renames.restore_tag_names(draft, found)]
    if change.keyword == "mapping" and (tag := children.give_back_tag(draft, found)) is not None:
        return [tag]
    return [_REPAIRS.get(change.kind, keywords.restore)(draft, found)]


_REPAIRS = {
    **dict.fromkeys(ADDED, children.gate_part),
    **dict.fromkeys(REMOVED, children.give_back),
    **dict.fromkeys((Kind.VALUE_ADDED, Kind.VALUE_REMOVED), gate_value),
    Kind.FIELD_REQUIRED: keywords.restore_required,
    Kind.FIELD_OPTIONAL: keywords.restore_optional,
}
"""The repair for each kind of change; for all others, a keyword is restored."""
