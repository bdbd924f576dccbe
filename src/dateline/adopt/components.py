"""Components as each version has them in, the same with the gates that reach does not give out."""

from __future__ import annotations

from typing import Any

from dateline.gates import Timeline
from dateline.load.availability import available
from dateline.model import ADDED, REMOVED, DatelineError, Place

Component = tuple[str, str]


class ScatteredError(DatelineError):
    """A component comes and goes in a way that no gate can say."""


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
        visible, _ = available(document, timeline, _nowhere, adopted=True)
        wrong = [
            component
            for component, wanted in there.items()
            if component not in own and visible[component] & everywhere != wanted
        ]
        if not wrong:
            return document
        for section, name in wrong:
            own.add((section, name))
            gates = _gates(there[section, name], dates)
            if gates is None:
                raise ScatteredError(
                    f"/components/{section}/{name}: adopt-scattered: it comes and goes more than "
                    "once, and nothing that refers to it comes and goes with it; leave it in the "
                    "documents between"
                )
            sections[section][name] = {**sections[section][name], **gates}


def _gates(there: int, dates: tuple[str, ...]) -> dict[str, str] | None:
    """Return the keys that show a component in the versions *there*, if keys can."""
    first = (there & -there).bit_length() - 1
    end = there.bit_length()
    if there != (1 << end) - (1 << first):
        return None
    removed = {REMOVED: dates[end]} if end < len(dates) else {}
    # the first date says that it is there even where nothing refers to it
    return {ADDED: dates[first], **removed}


def _nowhere(_: tuple[str | int, ...]) -> Place:
    return Place("", 1, 1)
