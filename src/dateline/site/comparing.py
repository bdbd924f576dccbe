"""Compare an operation in two versions, section by section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from dateline.site.marks import select_presence
from dateline.site.trees import ListedValue, TreeRow

_MOST_WITHIN: Final = 50
"""If more components differ, their differences are not shown in other components."""

Lookup = Callable[[str], TreeRow | None]
"""Returns the tree of a component, None where a version has no such component."""


@dataclass(frozen=True, kw_only=True)
class MessagePart:
    """Parameters, the request body, or a response.

    ``rows`` are parameters or headers; ``contents`` are a media type, the tree of its schema and a
    sample each. ``state`` is ``added`` or ``removed`` if one of two versions lacks it.
    """

    kind: str
    name: str
    description: str = ""
    rows: tuple[TreeRow, ...] = ()
    contents: tuple[tuple[str, TreeRow, str], ...] = ()
    is_required: bool = False
    state: str = ""

    @property
    def anchor(self) -> str:
        """The id of its heading."""
        return f"response-{self.name}-title" if self.kind == "response" else f"{self.kind}-title"


class PageComparison:
    """Compares two versions; what is equal in both is left out.

    *older* and *newer* return the components of the two, *names* are those that both have. The
    differences in a component are shown where it is named; if many differ, not in other components:
    each page would show most of them.
    """

    def __init__(self, older: Lookup, newer: Lookup, names: Iterable[str]) -> None:
        self._older, self._newer = older, newer
        self._components: dict[str, TreeRow | None] = {}
        different = (name for name in names if older(name) is not newer(name))
        self._are_few = next(islice(different, _MOST_WITHIN, None), None) is None

    def sections(
        self, before: list[MessagePart], after: list[MessagePart]
    ) -> Iterator[MessagePart]:
        """Yield the sections of an operation that differ, with their differences."""
        known = {(section.kind, section.name): section for section in before}
        for section in after:
            then = known.pop((section.kind, section.name), None)
            if then is None:
                yield replace(section, state="added")
            elif then is not section and (compared := self._section(then, section)):
                yield compared
        for section in known.values():
            yield replace(section, state="removed")

    def _section(self, before: MessagePart, after: MessagePart) -> MessagePart | None:
        then, now = ({row.name: row for row in each.rows} for each in (before, after))
        old, new = ({name: tree for name, tree, _ in each.contents} for each in (before, after))
        rows = [self._compare(then.get(name), now.get(name)) for name in {**now, **then}]
        trees = [(name, self._compare(old.get(name), new.get(name))) for name in {**new, **old}]
        compared = replace(
            after,
            rows=tuple(row for row in rows if row is not None),
            contents=tuple((name, tree, "") for name, tree in trees if tree is not None),
            state="changed" if before.is_required != after.is_required else "",
        )
        return compared if compared.rows or compared.contents or compared.state else None

    def _component(self, name: str) -> TreeRow | None:
        """Return the differences in a component that both versions have; None if there are none."""
        if name not in self._components:
            # a recursive one is shown where it is first met
            self._components[name] = None
            before, after = self._older(name), self._newer(name)
            if before is not after and before is not None and after is not None:
                self._components[name] = self._compare(before, after, is_inner=not self._are_few)
        return self._components[name]

    def _compare(
        self, older: TreeRow | None, newer: TreeRow | None, *, is_inner: bool = False
    ) -> TreeRow | None:
        """Return the row of two versions of a value with the differences, or None.

        With *is_inner*, components are only named.
        """
        if newer is None or older is None:
            row, state = (older, "removed") if newer is None else (newer, "added")
            return None if row is None else _change_whole(row, state)
        if older is newer and newer.component is None and not newer.rows:
            return None
        rows = [
            each
            for old, new in _align(older.rows, newer.rows)
            if (each := self._compare(old, new, is_inner=is_inner)) is not None
        ]
        whole = None
        if newer.component is not None and newer.component == older.component:
            # its variants and values are shown by the tree of the component
            rows, whole = [], None if is_inner else self._component(newer.component)
        values = _compare_values(older, newer)
        is_same = older.words == newer.words
        if is_same and whole is None and not rows and not any(each.state for each in values):
            return None
        return replace(
            newer,
            rows=tuple(rows),
            whole=whole,
            values=() if whole else values,
            state="" if is_same else "changed",
            before="" if is_same else older.words,
        )


def _change_whole(row: TreeRow, state: str) -> TreeRow:
    """Return *row* as one that was added or removed as a whole, with all of its contents.

    A component is described on its own page.
    """
    # the newer version has no place for a link to the contents of a removed one
    rows = (
        tuple(_change_whole(each, state) for each in row.rows) if state == "removed" else row.rows
    )
    return replace(row, state=state, whole=None, rows=rows)


def _align(
    older: tuple[TreeRow, ...], newer: tuple[TreeRow, ...]
) -> Iterator[tuple[TreeRow | None, TreeRow | None]]:
    """Yield the rows of each name in two versions; removed ones are in their former places."""
    known, there = dict(_list_keys(older)), dict(_list_keys(newer))
    for key, row in there.items():
        if key in known:
            keys = list(known)
            for other in keys[: keys.index(key)]:
                if other not in there:
                    yield known.pop(other), None
        yield known.pop(key, None), row
    for gone in known.values():
        yield gone, None


def _list_keys(rows: Iterable[TreeRow]) -> Iterator[tuple[Hashable, TreeRow]]:
    """Yield each of *rows* after what identifies it: its name.

    The names of variants that are no components count them; they are the same in two versions if
    they are there in the same versions and of the same type, in this order.
    """
    counts = Counter[Hashable]()
    for row in rows:
        key: Hashable = row.name
        if row.role == "variant" and row.component is None:
            kind = row.type, select_presence(row.marks)
            counts[kind] += 1
            key = kind, counts[kind]
        yield key, row


def _compare_values(older: TreeRow, newer: TreeRow) -> tuple[ListedValue, ...]:
    """Return the values of both; added and removed ones are marked."""
    then, now = ({value.text for value in row.values} for row in (older, newer))
    values = [
        value if value.text in then else replace(value, state="added") for value in newer.values
    ]
    values += [replace(value, state="removed") for value in older.values if value.text not in now]
    return tuple(values)
