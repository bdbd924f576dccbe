"""A change between two versions in, the versions that made it and their reason out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from dateline.gates import order
from dateline.model import ADDED, REMOVED, WAS, WHY, Api, Change, Kind
from dateline.openapi import follow, target
from dateline.project import Projector

_COMPONENT: Final = frozenset({Kind.COMPONENT_ADDED, Kind.COMPONENT_REMOVED})

# Every reference of a node, at any depth: `json.dumps` writes them just so.
_REFERENCE: Final = re.compile(r'"\$ref": "(#/components/[^"\\]+)"')

_Component = tuple[str, str]

_Shown = tuple[Change, str]
"""A change, and an environment in which it is seen."""


class Reason(NamedTuple):
    """The versions whose gates made a change, oldest first, and what `x-why` says; or nothing."""

    versions: tuple[str, ...] = ()
    why: str | None = None


class Reasons:
    """What made the changes between two versions."""

    def __init__(self, api: Api, projector: Projector, older: str, newer: str) -> None:
        self._api = api
        self._projector = projector
        self._older, self._newer = older, newer
        self._documents: dict[tuple[str, str], dict[str, Any]] = {}

    def of(self, changes: Iterable[_Shown]) -> list[Reason]:
        """Return the reason of each change, which comes with an environment that shows it.

        It is that of the nearest gate around it. A component that came or went with what refers
        to it has the reason of that.
        """
        told = list(changes)
        found = [self._gated(*shown) for shown in told]
        led = self._led_to(told, found)
        return [
            led.get(_component(change), reason)
            if change.kind in _COMPONENT and not reason.versions
            else reason
            for (change, _), reason in zip(told, found, strict=True)
        ]

    def _side(self, change: Change) -> tuple[str, str]:
        """Return the pointer to what changed, and the version whose document it leads into."""
        if change.after_pointer is None or change.kind is Kind.FIELD_OPTIONAL:
            return change.before_pointer or "", self._older
        return change.after_pointer, self._newer

    def _document(self, version: str, environment: str) -> dict[str, Any]:
        key = version, environment
        if key not in self._documents:
            self._documents[key] = self._projector.contract(version, environment).document
        return self._documents[key]

    def _gated(self, change: Change, environment: str) -> Reason:
        path = self._projector.origin(*self._side(change), environment)
        nodes: list[Any] = [self._api.document]
        for step in path:
            nodes.append(nodes[-1][step])
        for node in reversed(nodes):
            if isinstance(node, dict) and (dates := self._between(node)):
                return Reason(dates, node.get(WHY))
        return Reason()

    def _between(self, node: dict[str, Any]) -> tuple[str, ...]:
        """Return the dates of the node's gates that are newer than one version, not the other."""
        # `x-was` is the only key of ours whose value is a mapping; data may have any keys
        was = node.get(WAS)
        dates = {*(was if isinstance(was, dict) else ()), node.get(ADDED), node.get(REMOVED)}
        within = [
            date
            for date in dates
            if isinstance(date, str) and order(self._older) < order(date) <= order(self._newer)
        ]
        return tuple(sorted(within, key=order))

    def _led_to(self, changes: list[_Shown], found: list[Reason]) -> dict[_Component, Reason]:
        """Return the reason of each component that changes with a reason lead to."""
        led: dict[_Component, Reason] = {}
        for (change, environment), reason in zip(changes, found, strict=True):
            if not reason.versions:
                continue
            pointer, version = self._side(change)
            pending = [_at(self._document(version, environment), pointer)]
            while pending:
                for component in _referred(pending.pop()):
                    if component not in led:
                        led[component] = reason
                        pending.append(self._only_here(component, version, environment))
        return led

    def _only_here(self, component: _Component, version: str, environment: str) -> Any:
        """Return the component if the other version lacks it, and None if it does not."""
        section, name = component
        other = self._newer if version == self._older else self._older
        here, there = (
            self._document(which, environment).get("components", {}).get(section, {})
            for which in (version, other)
        )
        return None if name in there else here.get(name)


def _component(change: Change) -> _Component:
    found = target(f"#{change.after_pointer or change.before_pointer}")
    assert found is not None  # the change is one of a component
    return found


def _at(document: dict[str, Any], pointer: str) -> Any:
    node: Any = document
    for step in follow(document, pointer):
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            # a keyword that is told of without being written, such as a default
            return None
    return node


def _referred(node: Any) -> list[_Component]:
    references = _REFERENCE.findall(json.dumps(node))
    return [found for reference in references if (found := target(reference)) is not None]
