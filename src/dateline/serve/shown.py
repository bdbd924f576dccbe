"""Decide whether a value can be converted for the callers of a version."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from dateline.server.operations import Operation
from dateline_runtime.statuses import first_status


class Shown:
    """The values that callers of *versions* of a *server* can be shown, in one environment.

    *contracts* are its data; *converters* are keyed by the names in these.
    """

    def __init__(
        self,
        server: Any,
        contracts: Mapping[str, Any],
        environment: str,
        converters: Mapping[str, Callable[..., Any]],
        versions: Sequence[str],
    ) -> None:
        self._server = server
        self._contracts = contracts
        self._environment = environment
        self._converters = converters
        self._versions = versions

    def by_all(self, operation: Operation, status: str, value: Any) -> bool:
        """Return whether callers of all versions can be shown *value*."""
        return all(self.by(version, operation, status, value) for version in self._versions)

    def by(self, version: str, operation: Operation, status: str, value: Any) -> bool:
        """Return whether callers of *version* can be shown *value*."""
        content = operation.responses[status]
        if content is None:
            return True
        change = self._narrowings[version].body(
            operation.id, first_status(status), content.media_type
        )
        conversion = self._server.runtime.conversion
        context = conversion.ConversionContext(environment=self._environment, version=version)
        try:
            conversion.convert_within(partial(change, value), context)
        except self._server.runtime.narrowing.UnfitError:
            return False
        return True

    @cached_property
    def _narrowings(self) -> Mapping[str, Any]:
        judge = self._server.contracts.Contracts(self._contracts, self._environment).judge
        found: Mapping[str, Any] = self._server.runtime.narrowing.narrowings(
            self._contracts, self._environment, self._converters, self._versions, judge=judge
        )
        return found
