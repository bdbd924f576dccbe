"""The names in use, and notes on what can't be expressed, collected while models are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dateline.model import Map, Place, Problem
from dateline.models.definitions import Where
from dateline.models.flat import Flat
from dateline.python.names import apart, find_equal


class Ledger:
    """The names that definitions of one version may not have, and its notes and problems.

    ``notes`` name what the document says and no type can express; ``problems`` what must be
    renamed. In ``adopted`` definitions, where nobody may rename, there are none: underscores
    distinguish names.
    """

    def __init__(self, *, taken: set[str], holders: dict[str, Any], adopted: bool) -> None:
        self.taken = taken
        self._adopted = adopted
        # the holder of each schema, which gives the place of a problem
        self.holders = holders
        self.notes: list[str] = []
        self.problems: list[Problem] = []

    def claim(self, names: Sequence[str], where: Where) -> str:
        """Return the first free one of *names*; a further one only in adopted definitions."""
        last = names[-1]
        while self._adopted and last in self.taken:
            last += "_"
        for called in (*names, last):
            if called not in self.taken:
                self.taken.add(called)
                return called
        self.problems.append(
            Problem(
                place=place_of(self.holders[where.component]),
                id="model-name-taken",
                message=f"{where}: its model would be called {names[0]}, and so is another: "
                "give it a component of its own, under another name",
            )
        )
        return names[-1]

    def name_fields(
        self, name: str, properties: dict[str, Any], called: dict[str, str], taken: set[str]
    ) -> dict[str, str]:
        """Return distinct Python names for the properties of the model *name*, from *called*.

        Names that are *taken* by their types can't be used. If two are the same, one must be
        renamed, except in adopted definitions.
        """
        if self._adopted:
            as_it_is_first = sorted(called, key=lambda wire: called[wire] != wire)
            return apart({wire: called[wire] for wire in as_it_is_first}, taken)
        self.problems += (
            Problem(
                place=place_of(properties[wire]),
                id="field-name-taken",
                message=f"{name}: the properties {first!r} and {wire!r} would both be the field "
                f"{called[wire]}: rename one",
            )
            for first, wire in find_equal(called)
        )
        return called

    def note_keywords(
        self, flat: Flat, where: Where, keywords: Iterable[str], why: str = ""
    ) -> None:
        """Note the *keywords* that *flat* has; *why* they can't be expressed is appended."""
        known = [f"`{each}`" for each in keywords if each in flat.constraints]
        if known:
            self.note_ignored(where, f"{' and '.join(known)} {why}".rstrip())

    def note_left(self, flat: Flat, where: Where) -> None:
        """Note the keywords of *flat* that are not modelled."""
        for keyword in flat.left:
            self.note_ignored(where, f"`{keyword}`")

    def note_ignored(self, where: Where, what: str) -> None:
        """Note *what* the document says at *where* and no type can express."""
        self.note(where, f"models ignore {what}")

    def note(self, where: Where, text: str) -> None:
        """Add the note *text* on *where*."""
        self.notes.append(f"{where}: {text}")


def place_of(node: Any) -> Place:
    """Return the place of *node*, or that of the components if it has none."""
    return node.place() if isinstance(node, Map) else Place("components", 1, 1)
