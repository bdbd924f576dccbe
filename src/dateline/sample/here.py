"""The place of a sampled value, and the error if no value is valid there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dateline.sample.dice import Dice


class NothingFitsError(Exception):
    """Nothing was found that fits the schemas of the value at ``path``."""

    def __init__(self, path: tuple[str | int, ...], reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True)
class Here:
    """Where a value is made: within which one, where in it, with how much room, below what.

    ``above`` are the references that led to what it is in. ``salt`` tells apart what is made
    for the same place in one attempt and in the next.
    """

    name: str
    room: float
    path: tuple[str | int, ...] = ()
    above: frozenset[str] = frozenset()
    salt: tuple[int, ...] = ()

    @property
    def is_tight(self) -> bool:
        """Return whether nothing is to be made that can be done without."""
        return self.room < 1

    @property
    def fields(self) -> list[str]:
        """The names of the last two fields on the way here."""
        return [step for step in self.path if isinstance(step, str)][-2:]

    def dice(self, purpose: str, *numbers: int) -> Dice:
        return Dice(self.name, *self.path, "", *self.salt, purpose, *numbers)

    def below(self, step: str | int, share: int, references: set[str], attempt: int) -> Here:
        """Return the place *step* within this one, one of *share* that have its room together."""
        return replace(
            self.again(attempt),
            path=(*self.path, step),
            room=self.room / share,
            above=self.above | references,
        )

    def again(self, attempt: int) -> Here:
        """Return the same place in another *attempt*; in the first one it is the same."""
        return replace(self, salt=(*self.salt, attempt)) if attempt else self
