"""Repairs that bring back the components that other repairs refer to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dateline.edit.draft import Draft
from dateline.edit.history import ABSENT
from dateline.edit.places import find_index
from dateline.edit.repairs import Repair, Restored, Returned
from dateline.gates import order
from dateline.model import Trail
from dateline.openapi import references, value_at


def beside(draft: Draft, whole: Trail, names: list[str]) -> tuple[str, int, Trail]:
    """Return the file for a component, its index there, and its neighbour."""
    section = whole[:-1]
    api = draft.canvas.api
    traces = {name: api.trace((*section, name)) for name in draft.canvas.node(section) or ()}
    # a file that only references lead to has no place for components
    files = {name: file for name, (file, path) in traces.items() if path == (*section, name)}
    known = [*files]
    if not known:
        return api.trace(section)[0], 0, section
    place = find_index(known, names, str(whole[-1]))
    neighbour = known[max(place - 1, 0)]
    there = [name for name, file in files.items() if file == files[neighbour]]
    return files[neighbour], there.index(neighbour) + (place > 0), (*section, neighbour)


def give_back_components(draft: Draft) -> None:
    """Restore every component that something restored refers to; it is visible with that."""
    known = draft.canvas.api.document.get("components", {})
    pending = [value for repair in draft.repairs.values() for value in _list_written(repair)]
    seen = set()
    while pending:
        for goal in references(pending.pop()):
            section, name = goal
            if goal in seen or name in known.get(section, {}):
                continue
            seen.add(goal)
            found = _published_component(draft, section, name)
            if found is None:
                continue
            names, value = found
            whole: Trail = ("components", section, name)
            file, place, neighbour = beside(draft, whole, names)
            repair = draft.keep(
                Returned(
                    path=whole,
                    value=value,
                    holder=whole[:-1] if section in known else whole[:1],
                    at=place,
                    order=names.index(name),
                    file=file,
                    beside=neighbour,
                )
            )
            repair.shown.clear()
            pending.append(value)


def _published_component(draft: Draft, section: str, name: str) -> tuple[list[str], Any] | None:
    """Return the names of a section and one component of it, from the newest that has it."""
    for combination in sorted(draft.published, key=lambda one: order(one.version), reverse=True):
        components = value_at(draft.published[combination], ("components", section))
        if isinstance(components, dict) and name in components:
            return list(components), draft.to_source(components[name])
    return None


def _list_written(repair: Repair) -> Iterator[Any]:
    """Yield the values that a repair restores."""
    if isinstance(repair, Returned):
        yield repair.value
    elif isinstance(repair, Restored):
        for keyword, by_version in repair.wanted.items():
            for value in by_version.values():
                if value is not ABSENT:
                    yield {keyword: value}
