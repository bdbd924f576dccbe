"""Which names of two versions are those of one thing: what users say, and what looks like it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from dateline.adopt.inputs import UsageError


class Proposal(NamedTuple):
    """Something that may have been renamed: a field, header or parameter.

    ``holder`` is the component, or the operation as ``METHOD /path``, that it stands in; empty
    where it stands in neither.
    """

    holder: str
    older: str
    newer: str

    @property
    def option(self) -> str:
        """What `--rename` takes to make a fact of it."""
        return f"{self.holder}.{self.older}={self.newer}" if self.holder else self.written

    @property
    def written(self) -> str:
        return f"{self.older}={self.newer}"


class Renames:
    """The renames of documents that are adopted: only what is said, or accepted, is one.

    *given* are `OLD=NEW`, or `HOLDER.OLD=NEW` for one component or operation. *accept* is asked
    once for each other pair that looks renamed. Raises UsageError for what is no such pair.
    """

    def __init__(self, given: Iterable[str], accept: Callable[[Proposal], bool]) -> None:
        self._given = dict.fromkeys(given, False)
        self._accept = accept
        self._answers: dict[Proposal, bool] = {}
        wrong = [each for each in self._given if not all(each.rpartition("="))]
        if wrong:
            raise UsageError(f"--rename {wrong[0]}: write OLD=NEW, or SCHEMA.OLD=NEW")

    def says(self, holder: str, older: str, newer: str) -> bool:
        """Tell whether users say that *older* was renamed to *newer*."""
        proposal = Proposal(holder, older, newer)
        said = [each for each in (proposal.option, proposal.written) if each in self._given]
        self._given |= dict.fromkeys(said, True)
        return bool(said)

    def accepts(self, holder: str, older: str, newer: str) -> bool:
        """Tell whether what looks like it was *older* renamed to *newer* is taken for that."""
        if self.says(holder, older, newer):
            return True
        proposal = Proposal(holder, older, newer)
        if proposal not in self._answers:
            self._answers[proposal] = self._accept(proposal)
        return self._answers[proposal]

    @property
    def declined(self) -> tuple[Proposal, ...]:
        """What looks renamed and was not taken for it."""
        return tuple(sorted(each for each, is_taken in self._answers.items() if not is_taken))

    def require_used(self) -> None:
        """Raise UsageError for the first rename that is none of anything in the documents."""
        for written, is_used in self._given.items():
            if not is_used:
                raise UsageError(
                    f"--rename {written}: no field, header or parameter goes by the one name and "
                    "comes by the other between two neighbouring versions"
                )
