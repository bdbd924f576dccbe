"""What follows from members by itself: `required`, and the mapping of a discriminator."""

from __future__ import annotations

from typing import Any

from dateline.adopt.runs import ABSENT, Run, States
from dateline.gates import Timeline
from dateline.schema.types import UNIONS


class Followers:
    """Finds what to write so that what follows from gates is what each version shows."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline

    def follow(self, found: dict[str, list[Run]], columns: dict[str, States]) -> None:
        """Rewrite those of the keywords *found* of a schema that follow from others."""
        if "required" in columns and "properties" in found:
            found["required"] = self._required(columns["required"], found["properties"])
        if "discriminator" in columns:
            merged = self._discriminator(columns["discriminator"], found)
            if merged is not None:
                found["discriminator"] = [merged]

    def _required(self, states: States, properties: list[Run]) -> list[Run]:
        names = {
            version: self._names(run.value, version)
            for run in properties
            for version in run.versions
        }
        written: list[Run] = []
        for version, shown in states.items():
            known = names[version]
            canonical = {called: name for name, called in known.items() if called is not None}
            wanted = ABSENT if shown is ABSENT else [canonical.get(name, name) for name in shown]
            if written:
                run = written[-1]
                for value in (run.value, _joined(run.value, wanted)):
                    if all(
                        _followed(value, names[at]) == states[at] for at in (*run.versions, version)
                    ):
                        written[-1] = Run([*run.versions, version], value)
                        break
                else:
                    written.append(Run([version], wanted))
            else:
                written.append(Run([version], wanted))
        return written

    def _names(self, properties: Any, version: int) -> dict[str, str | None]:
        """Return what each of *properties* is called in *version*, None where it is hidden."""
        if properties is ABSENT:
            return {}
        return {
            name: next(
                (
                    called
                    for mask, called in self._timeline.names("schema", name, node)
                    if (mask & self._timeline.of(node)) >> version & 1
                ),
                None,
            )
            for name, node in properties.items()
        }

    def _discriminator(self, states: States, found: dict[str, list[Run]]) -> Run | None:
        """Return a discriminator whose mapping shows *states* as members come and go, if any."""
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
                member.get("$ref")
                for member in members
                if isinstance(member, dict) and not self._timeline.of(member) >> version & 1
            }
            kept = {tag: goal for tag, goal in mapping.items() if goal not in hidden}
            if {**values[0], "mapping": kept} != value:
                return None
        return Run(list(states), {**values[0], "mapping": mapping})


def _followed(value: Any, names: dict[str, str | None]) -> Any:
    """Return what `required` shows if it is written as *value*."""
    if value is ABSENT or all(called == name for name, called in names.items()):
        return value
    shown = [names.get(name, name) for name in value]
    kept = [name for name in shown if name is not None]
    return kept if kept or not value else ABSENT


def _joined(newer: Any, older: Any) -> Any:
    """Return the names of both lists, those of the older beside what stands before them there."""
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
