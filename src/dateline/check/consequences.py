"""Remove findings that are only consequences of another one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from dateline.check.baseline import Published
from dateline.model import EVERYWHERE, Combination, Finding, Policy, Verdict
from dateline.oddities import list_reached
from dateline.openapi import (
    ADDITIONAL,
    METHODS,
    operation_steps,
    operations,
    parts,
    path_items,
)

_MOVED: Final = {
    "media-type-removed": "media-type-added",
    "response-removed": "success-response-added",
}
"""Kinds of removals, and of additions that may replace them."""

_Component = tuple[str, str]


def drop_consequences(findings: Iterable[Finding], published: Published) -> list[Finding]:
    """Return *findings* without those that follow from another that must be fixed anyway.

    A component is removed with the only operations that led to it; a new media type or status may
    have the content of the removed one. Waived findings explain nothing, and neither does what
    breaks no rule.
    """
    known = list(findings)
    failing = [
        one
        for one in known
        if one.policy is Policy.FROZEN
        and one.verdict in (Verdict.GATED, Verdict.NEVER)
        and one.waived is None
    ]
    moved = {id(gone): new for gone, new in _pair_moves(failing)}
    follows = {id(new) for new in moved.values()} | _gone_with_operations(failing, published)
    return [
        _name_successor(one, moved[id(one)]) if id(one) in moved else one
        for one in known
        if id(one) not in follows
    ]


def _pair_moves(failing: list[Finding]) -> Iterator[tuple[Finding, Finding]]:
    """Yield removals with their replacements, if there is only one possibility."""
    came = defaultdict(list)
    for new in failing:
        came[new.rule, _holder(new.after_pointer)].append(new)
    pairs = [
        (gone, new)
        for gone in failing
        if gone.rule in _MOVED and gone.before is not None
        for new in came[_MOVED[gone.rule], _holder(gone.before_pointer)]
        if gone.before == new.after
        and {*new.versions} <= {*gone.versions}
        and {*new.environments} <= {*gone.environments}
    ]
    met = Counter(id(one) for pair in pairs for one in pair)
    yield from ((gone, new) for gone, new in pairs if met[id(gone)] == met[id(new)] == 1)


def _holder(pointer: str | None) -> tuple[str, ...]:
    return parts(pointer or "")[:-1]


def _name_successor(gone: Finding, new: Finding) -> Finding:
    name = parts(new.after_pointer or "")[-1]
    way_out = (
        f"`{name}` has its content now: give that one `x-added: next` (`dateline gate` writes both)"
    )
    return replace(gone, help=f"{gone.help} {way_out}.", after_source=new.after_source)


def _gone_with_operations(failing: list[Finding], published: Published) -> set[int]:
    """Return the ids of findings about components to which only removed operations led."""
    operations = [one for one in failing if one.rule == "operation-removed"]
    components = {
        (path[1], path[2]): one
        for one in failing
        if one.rule == "component-removed" and len(path := parts(one.before_pointer or "")) == 3
    }
    if not operations or not components:
        return set()
    alone: dict[_Component, list[bool]] = {}
    for combination, document in published.documents.items():
        lost = {
            parts(one.before_pointer or "") for one in operations if _concerns(one, combination)
        }
        there = document.content.get("components", {})
        went, stays = (
            _split_document(document.content, lost, components.keys()) if lost else ([], [])
        )
        only_theirs = list_reached(document.content, went) - list_reached(document.content, stays)
        for (section, name), one in components.items():
            if _concerns(one, combination) and name in there.get(section, {}):
                alone.setdefault((section, name), []).append((section, name) in only_theirs)
    return {id(components[known]) for known, found in alone.items() if all(found)}


def _concerns(finding: Finding, shown: Combination) -> bool:
    environments = (EVERYWHERE, *finding.environments)
    return shown.version in finding.versions and shown.environment in environments


def _split_document(
    document: dict[str, Any], lost: set[tuple[str, ...]], gone: Container[_Component]
) -> tuple[list[Any], list[Any]]:
    """Return what the *lost* operations of a document say, and the rest of the document."""
    went: list[Any] = []
    stays: list[Any] = [{"security": document.get("security")}]
    for section in ("paths", "webhooks"):
        for name, item in path_items(document, section):
            known = {operation_steps(method): node for method, node in operations(item)}
            ours = {steps for steps in known if (section, name, *steps) in lost}
            if ours and ours == known.keys():
                # what all operations of a path share is removed with the last of them
                went.append(item)
                continue
            went += [known[steps] for steps in sorted(ours)]
            stays += [node for steps, node in known.items() if steps not in ours]
            stays += [node for key, node in item.items() if key not in (*METHODS, ADDITIONAL)]
    stays += [
        node
        for section, nodes in document.get("components", {}).items()
        if isinstance(nodes, dict)  # the value of an extension may be anything
        for name, node in nodes.items()
        if (section, name) not in gone
    ]
    return went, stays
