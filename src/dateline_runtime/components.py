"""Convert values of components to another version and back, outside of any request."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any

from .compiling import Compiler, Converter, Judge
from .conversion import NOT_AWAITED, ConversionContext, await_converters, convert_within
from .values import Change, ConversionError, Json


class ComponentWay:
    """The way of values of one component to a version, or from it.

    ``awaits`` says whether it needs a converter that must be awaited; if it is None, it needs none,
    and ``change`` does everything.
    """

    def __init__(
        self, component: str, change: Change, awaits: bool | None, context: ConversionContext
    ) -> None:
        self._component = component
        self.change = change
        self.awaits = awaits
        self._context = context

    def take(self, value: Json, account: object = None) -> Json:
        """Return the converted *value*. Raises ConversionError if a converter must be awaited."""
        if self.awaits is None:
            return self.change(value)
        if self.awaits:
            raise ConversionError(
                f"a converter of {self._component} can't be called: {NOT_AWAITED}"
            )
        return convert_within(partial(self.change, value), self._find_context(account))

    async def take_async(self, value: Json, account: object = None) -> Json:
        """Return the converted *value*, after awaiting its converters."""
        if not self.awaits:
            return self.take(value, account)
        return await await_converters(partial(self.change, value), self._find_context(account))

    def _find_context(self, account: object) -> ConversionContext:
        return self._context if account is None else self._context._replace(account=account)


class Components:
    """The ways down and up of the components in one environment.

    Each is compiled when it is first used. *contracts* are the contract data of components;
    *converters* are keyed by the direction, `down` or `up`, and by the names in the data. *judge*
    is called if a schema decides how a value is converted, and validates the results of converters.
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
        self._known: dict[tuple[str, str, str], ComponentWay] = {}

    def narrow(self, value: Json, component: str, version: str, account: object = None) -> Json:
        """Return *value*, a canonical one of *component*, in the form of *version*.

        The result shares parts with *value*, which is not validated, and must not be changed.
        Raises UnfitError for a value that can't be converted, as it has no object or no known tag
        where it needs one, or of which the version shows nothing; ConversionError, a kind of it,
        for a converter that fails, or must be awaited; ValueError for an unknown component or
        version; MissingConverterError for a missing converter. *account* is that of the context of
        converters.
        """
        # most values need no converter: only what changes them is called for these
        way = self._known.get(("down", component, version)) or self.way("down", component, version)
        return way.change(value) if way.awaits is None else way.take(value, account)

    def lift(self, value: Json, component: str, version: str, account: object = None) -> Json:
        """Return *value*, valid for *component* at *version*, in canonical form.

        The result and the errors are as those of `narrow`.
        """
        way = self._known.get(("up", component, version)) or self.way("up", component, version)
        return way.change(value) if way.awaits is None else way.take(value, account)

    def way(self, way: str, component: str, version: str) -> ComponentWay:
        """Return what converts values of *component* in the direction *way*, `down` or `up`."""
        key = way, component, version
        found = self._known.get(key)
        if found is None:
            if component not in self._contracts["components"]:
                raise ValueError(f"unknown component {component!r}")
            compiler = self._down if way == "down" else self._up
            found = self._known[key] = ComponentWay(
                component,
                compiler.component(component, version),
                compiler.component_awaits(component, version),
                ConversionContext(environment=self._environment, version=version),
            )
        return found

    @cached_property
    def _down(self) -> Compiler:
        return self._compiler("down")

    @cached_property
    def _up(self) -> Compiler:
        return self._compiler("up")

    def _compiler(self, way: str) -> Compiler:
        return Compiler(self._contracts, way, self._environment, self._converters[way], self._judge)
