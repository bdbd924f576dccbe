"""Access the contract data of components and events, for everything outside of requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from .converters import find_methods
from .runtime.compiling import Judge
from .runtime.components import Components
from .runtime.events import Events, Misfit
from .runtime.values import Json

Methods = Mapping[str, Mapping[str, str]]
"""The methods of converters, by direction and by their names in the contract data."""

_SCHEMAS: Final = "#/components/schemas/"

_MOST: Final = 64
"""The number of converter objects for which the results are cached."""

# The object with its results: an id is unique only while its object lives.
_opened: Final[dict[tuple[str, int], tuple[object, Components, Events]]] = {}


def components(environment: str, converters: object, methods: Methods) -> Components:
    """Return the components in one environment, which *converters* has *methods* for."""
    return _open(environment, converters, methods)[1]


def events(environment: str, converters: object, methods: Methods) -> Events:
    """Return the events of one environment, which *converters* has *methods* for."""
    return _open(environment, converters, methods)[2]


def _open(
    environment: str, converters: object, methods: Methods
) -> tuple[object, Components, Events]:
    key = environment, id(converters)
    if key not in _opened:
        data = _read()
        if environment not in data["environments"]:
            known = ", ".join(data["environments"])
            raise ValueError(f"unknown environment {environment!r}; this API has {known}")
        if len(_opened) >= _MOST:
            _opened.clear()
        found = Components(
            data, environment, find_methods(converters, methods), _judge(environment)
        )
        _opened[key] = converters, found, Events(data, environment, found, _misfits)
    return _opened[key]


@cache
def _read() -> dict[str, Any]:
    package = files(__name__.rpartition(".server.")[0])
    found: dict[str, Any] = json.loads(package.joinpath("components.json").read_bytes())
    return found


def _judge(environment: str) -> Judge:
    """Return a validator of values, which imports its library when a value needs it."""

    @cache
    def contracts() -> Any:
        from .contracts import Contracts

        nothing: dict[str, Any] = {}
        operations = ("requests", "statuses", "headers", "results")
        return Contracts({**dict.fromkeys(operations, nothing), **_read()}, environment)

    return lambda schema, version: _LateFits(lambda: contracts().judge(schema, version))


class _LateFits:
    """Validates values with the result of *judge*, which is called for the first of them."""

    def __init__(self, judge: Callable[[], Any]) -> None:
        self._judge = judge

    def __call__(self, value: Json) -> bool:
        found: bool = self._judge()(value)
        return found

    def list_misfits(self, value: Json) -> list[tuple[list[str | int], str]]:
        found: list[tuple[list[str | int], str]] = self._judge().list_misfits(value)
        return found


@cache
def _misfits(component: str) -> Misfit:
    found: Misfit = _joint().find({"$ref": f"{_SCHEMAS}{component}"}).find_misfit
    return found


@cache
def _joint() -> Any:
    """Return the validators of all events: they share the components that events have in common."""
    from .contracts import JointValidators

    data = _read()
    names = sorted({event["component"] for event in data["events"].values()})
    schemas = {name: {"$ref": f"{_SCHEMAS}{name}"} for name in names}
    return JointValidators([{"events": schemas}], data["canonical"].get)
