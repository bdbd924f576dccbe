"""The place of a sampled value, and the error if no value is valid there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from dateline.model import Trail
from dateline.sample.dice import Dice

_MOST: Final = 20_000
"""About how many values a sample may consist of, on each of its levels."""


class NothingFitsError(Exception):
    """No valid value was found for the schemas at ``path``, or none that has room there."""

    def __init__(self, path: Trail, reason: str, *, lacks_room: bool = False) -> None:
        self.path = path
        self.reason = reason
        self.lacks_room = lacks_room
        super().__init__(reason)


@dataclass(frozen=True)
class Here:
    """The place of a value: its parents, its path, the room for it, and the references above.

    ``above`` are the references that led to the surrounding value. ``salt`` distinguishes the
    values for the same place in different attempts. ``copies`` is about how many values of the
    whole are like this one.
    """

    name: str
    room: float
    path: Trail = ()
    above: frozenset[str] = frozenset()
    salt: tuple[int, ...] = ()
    copies: int = 1

    @property
    def is_tight(self) -> bool:
        """Return whether optional parts are to be left out."""
        return self.room < 1

    @property
    def fields(self) -> list[str]:
        """The names of the last two fields on the path."""
        return [step for step in self.path if isinstance(step, str)][-2:]

    def dice(self, purpose: str, *numbers: int) -> Dice:
        return Dice(self.name, *self.path, "", *self.salt, purpose, *numbers)

    def below(self, step: str | int, share: int, references: set[str], attempt: int) -> Here:
        """Return the place *step* within this one, one of *share* places that share its room."""
        return Here(
            name=self.name,
            room=self.room / share,
            path=(*self.path, step),
            above=self.above | references,
            salt=self.again(attempt).salt,
            copies=self.copies * share,
        )

    def check_size(self, count: int, most: int = _MOST) -> None:
        """Raise NothingFitsError if *count* in this value, and in its copies, are too many."""
        if count * self.copies > most:
            reason = f"{count:,} are more than a sample may have here"
            raise NothingFitsError(self.path, reason, lacks_room=self.copies > 1)

    def again(self, attempt: int) -> Here:
        """Return the same place in another *attempt*; for the first attempt it is unchanged."""
        return replace(self, salt=(*self.salt, attempt)) if attempt else self
