"""Find the keywords whose published value depends on gates beside them.

These are `required`, which leaves out hidden properties, and the mapping of a discriminator.
"""

from __future__ import annotations

from typing import Any

from dateline.adopt.states import Run, States
from dateline.edit.history import ABSENT
from dateline.gates import Timeline
from dateline.openapi import target
from dateline.schema.types import UNIONS


def rewrite_dependents(
    found: dict[str, list[Run]], columns: dict[str, States], timeline: Timeline
) -> None:
    """Rewrite the runs of a schema, *found* by keyword, that depend on others.

    *columns* are the values of each version, by keyword.
    """
    if "required" in columns and "properties" in found:
        found["required"] = _merge_required(columns["required"], found["properties"], timeline)
    if "discriminator" in columns:
        merged = _merge_discriminator(columns["discriminator"], found, timeline)
        if merged is not None:
            found["discriminator"] = [merged]


def _merge_required(states: States, properties: list[Run], timeline: Timeline) -> list[Run]:
    names = {
        version: _published_names(run.value, version, timeline)
        for run in properties
        for version in run.versions
    }
    written: list[Run] = []
    for version, shown in states.items():
        canonical = {called: name for name, called in names[version].items() if called is not None}
        wanted = ABSENT if shown is ABSENT else [canonical.get(name, name) for name in shown]
        last = written[-1] if written else Run([], wanted)
        versions = [*last.versions, version]
        fitting = next(
            (
                value
                for value in (last.value, join_names(last.value, wanted))
                if all(_published_required(value, names[at]) == states[at] for at in versions)
            ),
            None,
        )
        if fitting is None:
            written.append(Run([version], wanted))
        else:
            written[-1:] = [Run(versions, fitting)]
    return written


def _published_names(properties: Any, version: int, timeline: Timeline) -> dict[str, str | None]:
    """Return the name of each of *properties* in *version*, None if it is hidden."""
    return {
        name: next(
            (
                called
                for mask, called in timeline.names("schema", name, node)
                if (mask & timeline.of(node)) >> version & 1
            ),
            None,
        )
        for name, node in ({} if properties is ABSENT else properties).items()
    }


def _published_required(value: Any, names: dict[str, str | None]) -> Any:
    """Return the published `required` if it is written as *value*."""
    if value is ABSENT or all(called == name for name, called in names.items()):
        return value
    shown = [names.get(name, name) for name in value]
    kept = [name for name in shown if name is not None]
    return kept if kept or not value else ABSENT


def join_names(newer: Any, older: Any) -> Any:
    """Return the names of both lists, those of the older after their predecessors there."""
    if newer is ABSENT or older is ABSENT:
        return newer if older is ABSENT else older
    joined = list(newer)
    at = 0
    for name in older:
        if name in joined:
            at = joined.index(name) + 1
        else:
            joined.insert(at, name)
            at += 1
    return joined


def _merge_discriminator(
    states: States, found: dict[str, list[Run]], timeline: Timeline
) -> Run | None:
    """Return a discriminator whose mapping projects to *states* through its members' gates."""
    values = list(states.values())
    if not all(isinstance(value, dict) and value.get("mapping") for value in values):
        return None
    mapping: dict[str, str] = {}
    for value in values:
        for tag, reference in value["mapping"].items():
            if mapping.setdefault(tag, reference) != reference:
                return None
    members = [
        member
        for key in UNIONS
        if len(found.get(key, ())) == 1 and found[key][0].value is not ABSENT
        for member in found[key][0].value
    ]
    for version, value in states.items():
        hidden = {
            target(member.get("$ref", ""))
            for member in members
            if isinstance(member, dict) and not timeline.of(member) >> version & 1
        }
        goals = {tag: target(named) or ("schemas", named) for tag, named in mapping.items()}
        kept = {tag: named for tag, named in mapping.items() if goals[tag] not in hidden}
        if {**values[0], "mapping": kept} != value:
            return None
    return Run(list(states), {**values[0], "mapping": mapping})
