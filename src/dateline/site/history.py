"""The changes that the page of an operation lists: if there are many, those of what it shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import merge
from itertools import chain, islice
from typing import Any, Final, Protocol

from dateline.openapi import pointer

_MOST_LISTED: Final = 40
"""So many changes are listed; the page counts the others."""


class Step(Protocol):
    """The differences between two versions, from `changes`."""

    @property
    def older(self) -> Any: ...
    @property
    def newer(self) -> Any: ...
    @property
    def shown(self) -> list[Any]: ...


@dataclass(frozen=True, kw_only=True)
class ListedChanges:
    """Changes that concern an operation, and the number of the ``others``."""

    entries: tuple[Any, ...]
    others: int


class StepHistory:
    """The changes of one step, documentation aside, by the operations that they concern."""

    def __init__(self, step: Step) -> None:
        self._entries = [each for each in step.shown if not each.is_documentation]

    def list_changes(self, name: str, near: Sequence[Iterable[str]]) -> ListedChanges | None:
        """Return the changes of the operation *name*, or None if there are none.

        If there are many, they are those of the definitions at the pointers in *near*, if there are
        such, and the first of *near* come before the others.
        """
        groups = self._groups.get(name, ())
        if not groups:
            return None
        listed = [*islice(merge(*groups), _MOST_LISTED)]
        count = sum(map(len, groups))
        if count > _MOST_LISTED:
            found = dict.fromkeys(chain.from_iterable(self._list_at(name, each) for each in near))
            listed = sorted([*found][:_MOST_LISTED]) or listed
        entries = tuple(map(self._entries.__getitem__, listed))
        return ListedChanges(entries=entries, others=count - len(entries))

    def _list_at(self, name: str, pointers: Iterable[str]) -> list[int]:
        """Return the changes of the operation *name* that are of the definitions at *pointers*."""
        places = {_name_place(each) for each in pointers}
        found = {index for at in places for index in self._by_place.get(at, ())}
        return sorted(each for each in found if name in self._operations[each])

    @cached_property
    def _by_place(self) -> Mapping[str, list[int]]:
        """The entries, by the components and paths that they are changes of."""
        places: dict[str, list[int]] = {}
        for index, entry in enumerate(self._entries):
            pointers = filter(None, (entry.before_pointer, entry.after_pointer))
            for at in {_name_place(each) for each in pointers}:
                places.setdefault(at, []).append(index)
        return places

    @cached_property
    def _operations(self) -> list[frozenset[str]]:
        """The operations that each entry concerns; most entries share theirs with others."""
        known: dict[tuple[str, ...], frozenset[str]] = {}
        return [
            known.setdefault(each.operations, frozenset(each.operations)) for each in self._entries
        ]

    @cached_property
    def _groups(self) -> Mapping[str, list[list[int]]]:
        """The entries of each operation, in lists that operations share."""
        shared: dict[frozenset[str], list[int]] = {}
        for index, operations in enumerate(self._operations):
            shared.setdefault(operations, []).append(index)
        found: defaultdict[str, list[list[int]]] = defaultdict(list)
        for operations, indexes in shared.items():
            for name in operations:
                found[name].append(indexes)
        return found


def name_component(name: str) -> str:
    """Return the pointer of the schema *name*."""
    return pointer(("components", "schemas", name))


def _name_place(at: str) -> str:
    """Return the pointer of the component or path that has what is *at* this pointer."""
    steps = at.split("/")
    return "/".join(steps[:4] if steps[1:2] == ["components"] else steps[:3])
