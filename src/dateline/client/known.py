"""The source of methods of clients, kept for later versions with the same operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dateline.filters import Code
from dateline.python.code import references
from dateline.schema.memo import Memo


@dataclass(frozen=True, kw_only=True)
class ClientMethod:
    """The source of one operation, equal in all versions that share it.

    ``names`` are those of its methods, ``constants`` describe the operation and its pages.
    ``methods`` are those of clients that wait, ``awaited`` those of asynchronous ones. ``words``
    are the names that the source uses, ``modules`` the modules of models.
    """

    names: tuple[str, ...]
    constants: tuple[Code, ...]
    methods: tuple[Code, ...]
    awaited: tuple[Code, ...]
    words: frozenset[str]
    modules: frozenset[str]


class KnownMethods:
    """The methods of earlier versions, by the identity of what they were written for."""

    def __init__(self) -> None:
        self.list_references = Memo(lambda typed: tuple(references(typed.type.whole)))
        """The names of the definitions that a type refers to."""
        self._written: dict[tuple[Any, ...], tuple[tuple[Any, ...], ClientMethod]] = {}

    def find(
        self,
        subject: tuple[Any, ...],
        details: tuple[str, ...],
        write: Callable[[], ClientMethod],
    ) -> ClientMethod:
        """Return the method for the objects of *subject* and *details*; *write* writes a new one.

        The objects are kept alive: an id is unique only while its object lives.
        """
        key = (*map(id, subject), *details)
        known = self._written.get(key)
        if known is None:
            known = self._written[key] = subject, write()
        return known[1]
