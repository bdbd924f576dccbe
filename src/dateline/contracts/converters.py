"""The values that need a converter written by the owner of the server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dateline.contracts.histories import Histories, Way
from dateline.contracts.published import PublishedSchemas, together


@dataclass(frozen=True, kw_only=True)
class RequiredConverter:
    """A value with a difference that no node of contract data can serve.

    ``holder`` is the node that names the converter. ``newer`` returns the schema of canonical
    values, ``older`` that of a combination. ``sent`` are the schemas for which a request's value
    must be valid; if there are none, any value is. With ``is_text``, it is the text of a body.
    """

    holder: Any
    newer: Callable[[], Any]
    older: Callable[[int], Any] = lambda _: True
    sent: tuple[Any, ...] = ()
    is_text: bool = False


class RequiredConverters:
    """The values of one API that no node can serve, by number, and what differs in them."""

    def __init__(self, histories: Histories, published: PublishedSchemas) -> None:
        self._histories = histories
        self._published = published
        # each with its identity: an id is unique only while its object lives
        self._numbers: dict[tuple[int, ...], tuple[int, Any]] = {}
        self._required: list[tuple[RequiredConverter, dict[str, None]]] = []
        self._names: dict[int, str] = {}

    def note(
        self, nodes: tuple[Any, ...], parts: Iterable[str], required: RequiredConverter
    ) -> int:
        """Return the number of the value described by all *nodes*, in which *parts* differ."""
        key = tuple(map(id, nodes))
        if key not in self._numbers:
            self._numbers[key] = len(self._required), nodes
            self._required.append((required, {}))
        number, _ = self._numbers[key]
        self._required[number][1].update(dict.fromkeys(parts))
        return number

    def value(self, schemas: tuple[Any, ...], parts: Iterable[str]) -> int:
        """Return the number of the value described by all *schemas*, in which *parts* differ."""
        published = self._published
        required = RequiredConverter(
            holder=schemas[0],
            newer=lambda: together(map(published.canonical, schemas)),
            older=lambda at: together(published.at(each, at) for each in schemas),
            sent=schemas,
        )
        return self.note(schemas, parts, required)

    def names(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the names of the converters of *numbers*."""
        for number in sorted(numbers):
            if number not in self._names:
                self._names[number] = self._histories.name(self._required[number][0].holder)
        return {number: self._names[number] for number in sorted(numbers)}

    def list_holders(self) -> dict[str, Any]:
        """Return the node that names each converter, by the converter's name."""
        return {name: self._required[number][0].holder for number, name in self._names.items()}

    def converters(
        self,
        names: Mapping[int, str],
        needed: Mapping[str, set[int]],
        entries: Callable[[Callable[[int], Any]], list[dict[str, Any]]],
    ) -> dict[str, Any]:
        """Return the contract data of the converters that are *needed*, by direction."""
        return {
            name: {
                "place": name.partition("#")[0],
                "reason": f"{' and '.join(parts)} differs between versions",
                "kind": "schema",
                "passes_null": False,
                "newer": required.newer(),
                "older": entries(required.older),
                **({"text": True} if required.is_text else {}),
                **{way: number in numbers for way, numbers in needed.items()},
                **(
                    {"sent": self._published.describe_sent(*required.sent)}
                    if required.sent and number in needed[Way.UP.value]
                    else {}
                ),
            }
            for number, name in names.items()
            for required, parts in [self._required[number]]
        }
