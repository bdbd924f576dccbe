"""Decide which names of two versions belong to one thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from dateline.adopt.inputs import UsageError


class Proposal(NamedTuple):
    """A possible rename: a field, header or parameter.

    ``holder`` is the component, or the operation as ``METHOD /path``, that contains it; empty if
    there is neither.
    """

    holder: str
    older: str
    newer: str

    @property
    def option(self) -> str:
        """The value of `--rename` that makes it a rename."""
        return f"{self.holder}.{self.older}={self.newer}" if self.holder else self.written

    @property
    def written(self) -> str:
        return f"{self.older}={self.newer}"


class Renames:
    """The renames between adopted documents: those that users name or confirm.

    *given* are `OLD=NEW`, or `HOLDER.OLD=NEW` for one component or operation. *accept* is called
    once for each other pair that looks renamed. Raises UsageError for values of another form.
    """

    def __init__(self, given: Iterable[str], accept: Callable[[Proposal], bool]) -> None:
        self._given = dict.fromkeys(given, False)
        self._accept = accept
        self._answers: dict[Proposal, bool] = {}
        wrong = [each for each in self._given if not all(each.rpartition("="))]
        if wrong:
            raise UsageError(f"--rename {wrong[0]}: write OLD=NEW, or SCHEMA.OLD=NEW")

    def says(self, holder: str, older: str, newer: str) -> bool:
        """Return whether users name *older* as renamed to *newer*."""
        proposal = Proposal(holder, older, newer)
        given = [each for each in (proposal.option, proposal.written) if each in self._given]
        self._given |= dict.fromkeys(given, True)
        return bool(given)

    def accepts(self, holder: str, older: str, newer: str) -> bool:
        """Return whether users confirm *newer* as the new name of *older*, which looks like it."""
        proposal = Proposal(holder, older, newer)
        if proposal not in self._answers:
            self._answers[proposal] = self._accept(proposal)
        return self._answers[proposal]

    @property
    def declined(self) -> tuple[Proposal, ...]:
        """The likely renames that were not confirmed."""
        return tuple(sorted(each for each, is_taken in self._answers.items() if not is_taken))

    def require_used(self) -> None:
        """Raise UsageError for the first rename that matches nothing in the documents."""
        for written, is_used in self._given.items():
            if not is_used:
                raise UsageError(
                    f"--rename {written}: no field, header or parameter of the old name is removed "
                    "between two neighbouring versions while one of the new name is added"
                )
