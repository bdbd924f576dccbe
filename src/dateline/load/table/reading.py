"""Take values out of mappings of `versions.yaml`; what is wrong becomes a problem."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dateline.load.table.valid import TYPES, Check, sequence
from dateline.load.table.vocabulary import KEYS, OPENAPI
from dateline.load.wording import did_you_mean, quote
from dateline.model import KEYS as OUR_KEYS
from dateline.model import Map, Place, Problem, Seq


class TableReading:
    """One reading of the file: the problems so far, and how values are taken out of it."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def note(self, place: Place, id: str, message: str) -> None:
        """Keep what is wrong at *place*."""
        self.problems.append(Problem(place=place, id=id, message=message))

    def known_keys(self, node: Map, what: str) -> None:
        """Note each key of *node* that *what*, a name in ``KEYS``, does not have."""
        for key in node:
            foreign = what in OPENAPI and key.startswith("x-") and key not in OUR_KEYS
            if foreign or key in KEYS[what]:
                continue
            self.note(
                node.place(key),
                "unknown-key",
                f"{key!r} is no key of {what}{did_you_mean(key, KEYS[what])}",
            )

    def value(self, node: Map, key: str, check: Check, default: Any) -> Any:
        """Return the value of *key*; *default* where nothing valid does."""
        if key not in node:
            return default
        complaint = check(node[key])
        if complaint is None:
            return node[key]
        self.note(node.place(key, value=True), *complaint)
        return default

    def required(self, node: Map, key: str, check: Check, way_out: str) -> Any:
        """Return the value of *key*; None where nothing valid does, which is noted."""
        if key not in node:
            self.note(node.place(), "missing-key", f"`{key}` is missing; {way_out}")
        return self.value(node, key, check, None)

    def items(self, node: Map, key: str, check: Check) -> Iterator[str]:
        """Yield the valid items of the list under *key*, and note one that is repeated."""
        rows = self.value(node, key, sequence, Seq())
        seen: set[str] = set()
        for index, item in enumerate(rows):
            if complaint := check(item):
                self.note(rows.place(index), *complaint)
            elif item in seen:
                self.note(rows.place(index), "item-twice", f"{item!r} is in the list already")
            else:
                seen.add(item)
                yield item

    def holds(self, value: Any, expected: type, place: Place, way_out: str) -> bool:
        """Return whether *value* is of the *expected* type; note it where it is not."""
        if isinstance(value, expected):
            return True
        self.note(place, "wrong-type", f"{quote(value)} where {TYPES[expected]} belongs; {way_out}")
        return False
