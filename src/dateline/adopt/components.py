"""Components as each version has them in, the same with the gates that reach does not give out."""

from __future__ import annotations

from typing import Any

from dateline.adopt.gating import present
from dateline.gates import Timeline
from dateline.load.availability import find_availability
from dateline.model import ADDED, Place

Component = tuple[str, str]


def gated(
    document: dict[str, Any],
    timeline: Timeline,
    dates: tuple[str, ...],
    there: dict[Component, int],
) -> dict[str, Any]:
    """Return *document* with a gate on each component that is not there wherever it is reached.

    *there* says in which versions each component is; a bit for each of *dates*.
    """
    sections: dict[str, dict[str, Any]] = {
        section: dict(nodes) if isinstance(nodes, dict) else nodes
        for section, nodes in document.get("components", {}).items()
    }
    if not sections:
        return document
    document = {**document, "components": sections}
    own: set[Component] = set()
    everywhere = (1 << len(dates)) - 1
    while True:
        visible, _ = find_availability(document, timeline, _nowhere, adopted=True)
        wrong = [
            component
            for component, wanted in there.items()
            if component not in own and visible[component] & everywhere != wanted
        ]
        if not wrong:
            return document
        for section, name in wrong:
            own.add((section, name))
            sections[section][name] = _there(sections[section][name], there[section, name], dates)


def _there(node: Any, there: int, dates: tuple[str, ...]) -> Any:
    """Return a component that says itself in which versions it is *there*."""
    if not isinstance(node, dict):
        return node
    versions = list(reversed(range(len(dates))))
    shown = [version for version in versions if there >> version & 1]
    if shown == versions:
        # from the first on, even where nothing refers to it
        return {**node, ADDED: dates[0]}
    return present(node, shown, versions, dates)


def _nowhere(_: tuple[str | int, ...]) -> Place:
    return Place("", 1, 1)
