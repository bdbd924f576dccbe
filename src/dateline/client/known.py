"""The source of methods of clients, kept for later versions with the same operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from dateline.client.paging import PagingForm
from dateline.filters import Code
from dateline.python.code import references
from dateline.schema.memo import Memo

T = TypeVar("T")


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


class WrittenMethod(NamedTuple):
    """A method: its name, and its source in both kinds of clients."""

    name: str
    method: Code
    awaited: Code


class _KnownBySubject(Generic[T]):
    """What was found for earlier versions, by the identity of what it was found for."""

    def __init__(self) -> None:
        self._found: dict[tuple[Any, ...], tuple[tuple[Any, ...], T]] = {}

    def find(self, subject: tuple[Any, ...], details: tuple[str, ...], find: Callable[[], T]) -> T:
        """Return what *find* returned first for the objects of *subject* and *details*.

        The objects are kept alive: an id is unique only while its object lives.
        """
        key = (*map(id, subject), *details)
        known = self._found.get(key)
        if known is None:
            known = self._found[key] = subject, find()
        return known[1]


class KnownMethods:
    """The methods of earlier versions, and the forms of their pages."""

    def __init__(self) -> None:
        self.list_references = Memo(lambda typed: tuple(references(typed.type.whole)))
        """The names of the definitions that a type refers to."""
        self.methods = _KnownBySubject[ClientMethod]()
        self.forms = _KnownBySubject[PagingForm | None]()
