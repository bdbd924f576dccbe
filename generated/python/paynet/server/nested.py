"""Read objects and lists written with brackets in a query string: `created[gte]=5`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .contracts import Contract
from .runtime import query
from .runtime.errors import RequestError, quote
from .texts import reader

STYLE: Final = "deepObject"

_DEEPEST: Final = 16
_BRACKETS: Final = re.compile(r"(?:\[[^\[\]]*\])*")
_MANY: Final = frozenset({"array", "object"})


@dataclass(frozen=True)
class _Sent:
    """The values that were sent at one place, or those below it, by the text in brackets."""

    name: str
    texts: list[str] = field(default_factory=list)
    below: dict[str, _Sent] = field(default_factory=dict)


class Nested:
    """Reads the parameters of one request that are written with brackets."""

    def __init__(self, schemas: Mapping[str, Any], contract: Contract) -> None:
        self._schemas = schemas
        self._contract = contract

    def read(self, query_string: bytes) -> dict[str, Any]:
        """Return plain values by name, each text read according to its own schema.

        The values are not validated. Raises RequestError for a value that is given more than once,
        and for what the types of the schemas can't be read from.
        """
        sent: dict[str, _Sent] = {}
        for name, text in query.pairs(query_string):
            called, opening, rest = name.partition("[")
            if called in self._schemas:
                place = _place(sent.setdefault(called, _Sent(called)), opening + rest)
                place.texts.append(text)
        return {name: self._value(each, self._schemas[name]) for name, each in sent.items()}

    def _value(self, sent: _Sent, schema: Any) -> Any:
        types = self._contract.types(schema)
        if sent.texts:
            return _one(sent, types)
        items = _items(sent) if "array" in types else None
        if items is not None:
            below = self._contract.items(schema)
            return [self._value(each, below) for each in items]
        if "object" in types:
            return {
                name: self._value(each, self._contract.property(schema, name))
                for name, each in sent.below.items()
            }
        if "array" in types:
            raise _wrong(sent, "has to be a list: [] after its name for each item, or [0], [1]...")
        raise _wrong(sent, "has to be one value, without brackets")


def _place(sent: _Sent, brackets: str) -> _Sent:
    """Return the place at *brackets* below *sent*, created if necessary."""
    if not _BRACKETS.fullmatch(brackets):
        raise RequestError(f"the parameter {quote(sent.name + brackets)} has unpaired brackets")
    steps = brackets[1:-1].split("][") if brackets else []
    if len(steps) > _DEEPEST:
        raise _wrong(sent, f"is nested more than {_DEEPEST} levels deep")
    for step in steps:
        sent = sent.below.setdefault(step, _Sent(f"{sent.name}[{step}]"))
    return sent


def _one(sent: _Sent, types: frozenset[str]) -> Any:
    if sent.below:
        raise _wrong(sent, "is given both with brackets and without")
    if len(sent.texts) > 1:
        raise _wrong(sent, "is given more than once")
    if types & _MANY and not types - _MANY - {"null"}:
        written = "[] after it for each item" if "array" in types else "its fields in brackets"
        raise _wrong(sent, f"has to be written with {written}")
    try:
        return reader(types)(sent.texts[0])
    except RequestError as error:
        raise _wrong(sent, str(error)) from None


def _items(sent: _Sent) -> list[_Sent] | None:
    """Return the items of a list; None for anything that is not written as one."""
    unnumbered = sent.below.get("")
    if unnumbered is not None and len(sent.below) == 1 and not unnumbered.below:
        return [_Sent(unnumbered.name, [text]) for text in unnumbered.texts]
    numbers = [str(number) for number in range(len(sent.below))]
    return [*sent.below.values()] if [*sent.below] == numbers else None


def _wrong(sent: _Sent, what: str) -> RequestError:
    return RequestError(f"the parameter {quote(sent.name)} {what}")
