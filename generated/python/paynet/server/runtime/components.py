"""Take values of components to another version and back, outside of any request."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from .compiling import Compiler, Converter, Judge
from .values import Change, Json


class Components:
    """The ways down and up of the components in one environment.

    Each is compiled when a value first takes it. *contracts* are the contract data of components;
    *converters* are keyed by the direction, `down` or `up`, and by the names in the data. *judge*
    is called where a schema decides what becomes of a value, and validates the results of
    converters.
    """

    def __init__(
        self,
        contracts: Mapping[str, Any],
        environment: str,
        converters: Mapping[str, Mapping[str, Converter]],
        judge: Judge | None = None,
    ) -> None:
        self._contracts = contracts
        self._environment = environment
        self._converters = converters
        self._judge = judge
        self._known: dict[tuple[str, str, str], Change] = {}

    def narrow(self, value: Json, component: str, version: str) -> Json:
        """Return *value*, a canonical one of *component*, as *version* shows it.

        The result shares parts with *value*: it is to be read only. Raises UnfitError for a value
        that does not fit the canonical contract where something in it differs, or of which the
        version shows nothing; ValueError for an unknown component or version;
        MissingConverterError where one is needed that was not given.
        """
        return self.change("down", component, version)(value)

    def lift(self, value: Json, component: str, version: str) -> Json:
        """Return *value*, which fits *component* at *version*, as a canonical one.

        The result and the errors are as those of `narrow`.
        """
        return self.change("up", component, version)(value)

    def change(self, way: str, component: str, version: str) -> Change:
        """Return the function that takes values of *component* the *way*, `down` or `up`."""
        key = way, component, version
        found = self._known.get(key)
        if found is None:
            if component not in self._contracts["components"]:
                raise ValueError(f"{component!r} is no component of these contracts")
            compiler = self._down if way == "down" else self._up
            found = self._known[key] = compiler.component(component, version)
        return found

    @cached_property
    def _down(self) -> Compiler:
        return self._compiler("down")

    @cached_property
    def _up(self) -> Compiler:
        return self._compiler("up")

    def _compiler(self, way: str) -> Compiler:
        return Compiler(self._contracts, way, self._environment, self._converters[way], self._judge)
