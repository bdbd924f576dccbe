"""Explain gates that change a published version because they name a date that is cut."""

from __future__ import annotations

from typing import Any

from dateline.check.baseline import Published
from dateline.check.merge import ChangeGroup
from dateline.gates import order
from dateline.model import ADDED, KEYS, REMOVED, WAS, Api, Combination, Kind
from dateline.openapi import follow, parts, target, value_at
from dateline.project import Projector
from dateline.rules import RULES


def explain_attachment(
    api: Api, projector: Projector, published: Published, group: ChangeGroup
) -> str | None:
    """Return how to fix the gate that causes *group*, if it names a date that is cut.

    None if the cause is another: the affected versions are neither all from the date on, nor all
    after it, nor all before it; or the published documents have the difference already.
    """
    if group.change.kind is Kind.COMPONENT_REMOVED:
        section, name = parts(group.change.before_pointer or "")[1:3]
        if name in api.document.get("components", {}).get(section, {}):
            return (
                f"{RULES[group.judgement.rule].summary} It is defined, and visible only with "
                f"what refers to it. Give it `x-added: {api.table.dates[0]}`, the first version, "
                "to make it visible by itself (`dateline gate` writes it)."
            )
    concerned = {found.version for found in group.combinations}
    listed = ", ".join(sorted(concerned, key=order))
    for key, date in _list_gates(api, projector, group):
        since = {one for one in published.versions if order(one) >= order(date)}
        before = set(published.versions) - since
        if key == ADDED and group.change.kind.value.endswith("-removed") and concerned <= before:
            return (
                f"`{key}: {date}` hides it from {listed}, where it is published. Drop the key, or "
                f"give it the date of the first version that has it."
            )
        if date in since and concerned == since - {date} and concerned:
            return (
                f"{date} is published with it (`{key}: {date}`), and {listed} without it: no "
                "gate preserves both. If they were cut on two branches, revert the cut that no "
                "caller has seen (`git revert COMMIT`, on its branch), merge, and cut it again on "
                f"a later day; if not, write back what {listed} said."
            )
        if since and before and concerned in (since, before):
            environments = {found.environment for found in group.combinations}
            found_before = key == WAS or group.change.before_pointer is not None
            if found_before and any(
                _was_there(published, group, one, date, before) for one in environments
            ):
                continue
            attaches = f"`{key}: {date}` attaches to a version that is cut"
            if concerned == before:
                return f"{attaches}, and changes what is published of {listed}. Drop it."
            return (
                f"{attaches}, and {listed} stays as it is published. Date it with a version that "
                f"is not cut yet, such as `next`."
            )
    return None


def _list_gates(api: Api, projector: Projector, group: ChangeGroup) -> list[tuple[str, str]]:
    """Return the dated keys of the node that *group* is about."""
    change = group.change
    pointer = change.after_pointer or change.before_pointer or ""
    path = projector.origin(pointer, *group.combinations[0])
    node: Any = api.document
    nodes = []
    for step in (*path, *parts(pointer)[len(path) :]):
        if isinstance(node, list) and isinstance(step, str):
            # published lists lack what is hidden, so the item is found by its content
            node = next((one for one in node if _bare(one) == group.change.before), None)
        elif isinstance(node, dict):
            node = node.get(str(step))
        elif isinstance(node, list):
            node = node[int(step)]
        if node is None:
            break
        nodes.append(node)
    found = []
    for one in nodes[-2:]:
        if isinstance(one, dict):
            found += [(key, one[key]) for key in (ADDED, REMOVED) if isinstance(one.get(key), str)]
            found += [(WAS, date) for date in one.get(WAS, ())]
    return found


def _bare(item: Any) -> Any:
    """Return a member of a list as in changes: without our keys, a reference as its target."""
    if not isinstance(item, dict):
        return item
    bare = {key: value for key, value in item.items() if key not in KEYS}
    goal = target(bare["$ref"]) if isinstance(bare.get("$ref"), str) else None
    return goal[1] if goal else bare.get("const", bare)


def _was_there(
    published: Published, group: ChangeGroup, environment: str, date: str, before: set[str]
) -> bool:
    """Return whether the versions before and after *date* are published with a difference there."""
    pointer = group.change.before_pointer or group.change.holder_pointer or ""
    sides = []
    for version in (max(before, key=order), date):
        document = published.documents.get(Combination(version, environment))
        if document is None:
            return False
        sides.append(value_at(document.content, follow(document.content, pointer)))
    return bool(sides[0] != sides[1])
