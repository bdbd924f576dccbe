"""Find the versions that made a change, and its reason from `x-why`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from dateline.gates import order, why
from dateline.model import ADDED, EVERYWHERE, REMOVED, WAS, Api, Change, Kind, Trail
from dateline.openapi import references
from dateline.schema.memo import memoize

Origin = Callable[[str, str, str], Trail]
"""Returns the path in the definitions for a pointer, a version and an environment."""


class Reason(NamedTuple):
    """The versions whose gates made a change, oldest first, and their `x-why`, if any."""

    versions: tuple[str, ...] = ()
    why: str | None = None


class _Traced(NamedTuple):
    """The path of a changed node in the definitions, its reason, and the node with the gate."""

    path: Trail
    reason: Reason = Reason()
    gated: dict[str, Any] | None = None


class Reasons:
    """The causes of the changes between two versions."""

    def __init__(self, api: Api, origin: Origin, older: str, newer: str) -> None:
        self._api = api
        self._origin = origin
        self._older, self._newer = older, newer

    def of(self, changes: Iterable[tuple[Change, str]]) -> list[Reason]:
        """Return the reason of each change, given with an environment that shows it.

        It is that of the nearest enclosing gate. A component that was added or removed together
        with what refers to it has the reason of that, and so has everything in it.
        """
        traced = [self._trace(*shown) for shown in changes]
        reasons = self._list_component_reasons(traced)
        return [
            found.reason if found.gated else reasons.get(found.path[1:3], found.reason)
            for found in traced
        ]

    def _trace(self, change: Change, environment: str) -> _Traced:
        gone = change.after_pointer is None or change.kind is Kind.FIELD_OPTIONAL
        path = self._origin(
            (change.before_pointer if gone else change.after_pointer) or "",
            self._older if gone else self._newer,
            environment,
        )
        nodes: list[Any] = [self._api.document]
        for step in path:
            nodes.append(nodes[-1][step])
        for node in reversed(nodes):
            if isinstance(node, dict) and (dates := self._between(node)):
                return _Traced(path, Reason(dates, why(node, dates)), node)
        # a reference may lead elsewhere because of what is different there
        within = (self._trace(inner, environment) for inner in change.within)
        return next((inner for inner in within if inner.gated), _Traced(path))

    def _between(self, node: dict[str, Any]) -> tuple[str, ...]:
        """Return the dates of the node's gates after one version and up to the other."""
        # data may have any keys
        was = node.get(WAS)
        dates = {*(was if isinstance(was, dict) else ()), node.get(ADDED), node.get(REMOVED)}
        within = [
            date
            for date in dates
            if isinstance(date, str) and order(self._older) < order(date) <= order(self._newer)
        ]
        return tuple(sorted(within, key=order))

    def _list_component_reasons(self, traced: list[_Traced]) -> dict[Trail, Reason]:
        """Return the reason of each component that was added or removed with what refers to it."""
        sections = self._api.document.get("components", {})
        came_or_went = memoize(self._came_or_went)
        reasons: dict[Trail, Reason] = {}
        # many changes may have the same gate
        for found in {id(found.gated): found for found in traced}.values():
            pending: list[Any] = [found.gated]
            while pending:
                for section, name in references(pending.pop()):
                    if (section, name) not in reasons and came_or_went(section, name):
                        reasons[section, name] = found.reason
                        pending.append(sections[section][name])
        return reasons

    def _came_or_went(self, section: str, name: str) -> bool:
        shown = self._api.visible.get((section, name), 0)
        there = {one for at, one in enumerate(self._api.combinations) if shown >> at & 1}
        return any(
            ((self._older, environment) in there) != ((self._newer, environment) in there)
            for environment in (EVERYWHERE, *self._api.table.environment_names)
        )
