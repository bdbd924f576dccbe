"""The place of a sampled value, and the error if no value is valid there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dateline.sample.dice import Dice


class NothingFitsError(Exception):
    """No valid value was found for the schemas at ``path``."""

    def __init__(self, path: tuple[str | int, ...], reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True)
class Here:
    """The place of a value: its parents, its path, the room for it, and the references above.

    ``above`` are the references that led to the surrounding value. ``salt`` distinguishes the
    values for the same place in different attempts.
    """

    name: str
    room: float
    path: tuple[str | int, ...] = ()
    above: frozenset[str] = frozenset()
    salt: tuple[int, ...] = ()

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
        return replace(
            self.again(attempt),
            path=(*self.path, step),
            room=self.room / share,
            above=self.above | references,
        )

    def again(self, attempt: int) -> Here:
        """Return the same place in another *attempt*; for the first attempt it is unchanged."""
        return replace(self, salt=(*self.salt, attempt)) if attempt else self
