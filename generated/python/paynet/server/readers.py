"""The readers of an operation's requests, by the version of their caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .contracts import Contracts
from .nouns import Operation
from .reading import Reader
from .results import Results
from .runtime.lifting import Lifting
from .runtime.narrowing import Narrowing
from .runtime.sequences import is_sequential


class Readers:
    """The readers of one operation, each created when callers of its version first need it.

    *most* is the maximum size of an item of a streamed body, in bytes.
    """

    def __init__(
        self,
        operation: Operation,
        contracts: Contracts,
        liftings: Mapping[str, Lifting],
        narrowings: Mapping[str, Narrowing],
        results: Results,
        *,
        most: int,
    ) -> None:
        self._most = most
        self._operation = operation
        self._contracts = contracts
        self._liftings = liftings
        self._narrowings = narrowings
        self._results = results
        self._known: dict[tuple[int, int], Reader] = {}
        self._at: dict[str, Reader | None] = {}
        self._unserved: dict[str, str] = {}

    def explain_unserved(self, version: str) -> str:
        """Return why the operation can't be served at *version*; empty if it can."""
        if version not in self._unserved:
            self._unserved[version] = self._explain(version)
        return self._unserved[version]

    def _explain(self, version: str) -> str:
        contract = self._contracts.at(self._operation.id, version)
        if contract is None or contract.unserved:
            return "" if contract is None else contract.unserved
        operation = self._operation
        # of a request, each media type may be refused alone; handlers may return the usual one
        # without regard to what is wanted
        responses = {key: _list_usual(each or ()) for key, each in operation.responses.items()}
        missing = {
            *self._liftings[version].missing(operation.id),
            *self._narrowings[version].missing(operation.id, responses),
        }
        if missing:
            return f"there is no converter {', '.join(sorted(missing))}"
        return self._results.explain_unserved(version)

    def at(self, version: str) -> Reader | None:
        """Return the reader for callers of *version*; None if it does not serve the operation."""
        if version not in self._at:
            self._at[version] = self._create_reader(version)
        return self._at[version]

    def _create_reader(self, version: str) -> Reader | None:
        contract = self._contracts.at(self._operation.id, version)
        if contract is None or self.explain_unserved(version):
            return None
        lifting = self._liftings[version]
        # both live as long as the application
        key = id(contract), id(lifting)
        if key not in self._known:
            newest = self._contracts.at(self._operation.id, self._contracts.newest)
            self._known[key] = Reader(self._operation, contract, newest, lifting, most=self._most)
        return self._known[key]


def _list_usual(content: Iterable[str]) -> list[str]:
    """Return the first media type of *content*, and the first sequence."""
    listed = [*content]
    return [*listed[:1], *[each for each in listed[1:] if is_sequential(each)][:1]]
