"""The fields that a closed schema allows."""

from __future__ import annotations

from typing import NamedTuple

from dateline.regex.engines import matches_portably


class ClosedFields(NamedTuple):
    """The fields that a schema with `additionalProperties: false` allows at a version."""

    names: frozenset[str]
    """canonical names"""
    patterns: tuple[str, ...]

    def admits(self, name: str, called: str) -> bool:
        """Return whether the field *name* may be allowed, which the version calls *called*.

        A pattern that engines read differently may allow any.
        """
        return name in self.names or any(
            matches_portably(pattern, called, unknown=True) for pattern in self.patterns
        )
