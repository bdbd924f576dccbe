"""Render events for the subscribers of each version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .components import Components, ComponentWay
from .values import Json, UnfitError

Misfit = Callable[[Json], tuple[list[str | int], str] | None]
"""Returns the steps to the invalid part of a value, and the reason; None if it is valid."""


class AbsentEventError(LookupError):
    """A version has no such event in the environment: nothing may be sent to its subscribers.

    ``versions`` are those that have it there, oldest first.
    """

    def __init__(
        self, name: str, version: str, environment: str, versions: tuple[str, ...]
    ) -> None:
        self.name = name
        self.version = version
        self.environment = environment
        self.versions = versions
        known = f"; these have it: {', '.join(versions)}" if versions else ""
        super().__init__(f"{version} has no event {name!r} in {environment}{known}")


class Events:
    """The events of one environment.

    *contracts* are the contract data of components, which *components* reads; *misfits* returns a
    validator for canonical values of a component.
    """

    def __init__(
        self,
        contracts: Mapping[str, Any],
        environment: str,
        components: Components,
        misfits: Callable[[str], Misfit],
    ) -> None:
        self._events = contracts["events"]
        self._versions = frozenset(contracts["versions"])
        self._environment = environment
        self._components = components
        self._misfits = misfits
        self._known: dict[tuple[str, str], tuple[Misfit, ComponentWay]] = {}

    def versions(self, name: str) -> tuple[str, ...]:
        """Return the versions that have the event *name*, oldest first."""
        event = self._events.get(name)
        return () if event is None else tuple(event["versions"].get(self._environment, ()))

    def payload(self, name: str, version: str) -> str:
        """Return the component that is the payload of the event *name*.

        Raises AbsentEventError if *version* does not have it, ValueError for an unknown event or
        version.
        """
        if name not in self._events:
            raise ValueError(f"unknown event {name!r}")
        if version not in self._versions:
            raise ValueError(f"unknown version {version!r}")
        versions = self.versions(name)
        if version not in versions:
            raise AbsentEventError(name, version, self._environment, versions)
        return str(self._events[name]["component"])

    def render(self, name: str, event: Json, version: str, account: object = None) -> Json:
        """Return the canonical *event*, plain JSON, in the form for subscribers of *version*.

        The result shares parts with *event* and must not be changed. *account* is that of the
        context of converters. Raises what `payload` raises, UnfitError for an event that is not
        valid, ConversionError and MissingConverterError.
        """
        misfit, way = self._known.get((name, version)) or self._open(name, version)
        if (unfit := misfit(event)) is not None:
            raise UnfitError(unfit[1], unfit[0])
        return way.change(event) if way.awaits is None else way.take(event, account)

    async def render_async(
        self, name: str, event: Json, version: str, account: object = None
    ) -> Json:
        """Return what `render` returns, after awaiting its converters."""
        misfit, way = self._known.get((name, version)) or self._open(name, version)
        if (unfit := misfit(event)) is not None:
            raise UnfitError(unfit[1], unfit[0])
        return await way.take_async(event, account)

    def _open(self, name: str, version: str) -> tuple[Misfit, ComponentWay]:
        """Return what validates events, and what converts them to *version*."""
        component = self.payload(name, version)
        way = self._components.way("down", component, version)
        self._known[name, version] = self._misfits(component), way
        return self._known[name, version]
