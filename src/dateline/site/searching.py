"""The index of the search: the names and words of each operation and schema, and their versions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, takewhile
from operator import is_
from typing import Final

from dateline.site.contents import OperationPlace
from dateline.site.trees import TreeRow
from dateline.site.version import VersionPages

_UNNAMED: Final = frozenset({"body", "page", "variant", "item", "other member"})
"""The roles of rows whose name the API does not give."""


@dataclass(kw_only=True)
class SearchEntry:
    """An operation or a schema, as the newest version describes it.

    ``names`` are what code calls it. ``places`` has the rows of its page by version: the anchor, or
    the anchor, a blank and a value. ``trees`` are the rows of the version that was added last.
    """

    title: str
    name: str
    tag: str
    page: str
    names: dict[str, None]
    texts: list[str]
    trees: Sequence[TreeRow] = ()
    places: dict[str, list[str]] = field(default_factory=dict)

    def add(self, date: str, trees: Sequence[TreeRow]) -> None:
        """Add the version *date*, in which the page shows *trees*."""
        is_equal = len(trees) == len(self.trees) and all(map(is_, trees, self.trees))
        known = next(reversed(self.places.values()), [])
        self.places[date] = known if is_equal else [*dict.fromkeys(_list_places(trees))]
        self.trees = trees

    def write(self) -> list[object]:
        """Return the entry for the script.

        Each version has the places that the one before it in the list lacks, and those that only
        that one has.
        """
        versions: list[tuple[str, list[object], list[object]]] = []
        last: list[str] = []
        for date, places in self.places.items():
            added, gone = _subtract(places, last), _subtract(last, places)
            versions.append((date, [*_shorten(added)], [*_shorten(gone)]))
            last = places
        head = [self.title, self.name, self.tag, self.page, " ".join(self.names)]
        return [*head, versions, self.texts]


class SearchIndex:
    """The entries of the *versions*, which are in the order in which readers prefer them."""

    def __init__(
        self,
        versions: Mapping[str, VersionPages],
        operation_pages: Mapping[str, str],
        schema_pages: Mapping[str, str],
    ) -> None:
        self._entries: dict[str, SearchEntry] = {}
        for date, version in versions.items():
            for operation in version.operations.values():
                page = f"operations/{operation_pages[operation.name]}"
                self._add_operation(date, version, operation, page)
            for name in version.schemas:
                self._add_schema(date, version.component(name), name, schema_pages[name])

    def write(self) -> list[list[object]]:
        """Return the entries for the script."""
        return [each.write() for each in self._entries.values()]

    def _add_operation(
        self, date: str, version: VersionPages, operation: OperationPlace, page: str
    ) -> None:
        sections = version.sections(operation)
        trees = [row for each in sections for row in each.rows]
        trees += [tree for each in sections for _, tree, _ in each.contents]
        if page not in self._entries:
            texts = [str(operation.node.get("description") or "")]
            texts += [each.description for each in sections]
            self._entries[page] = SearchEntry(
                title=operation.title,
                name=operation.name,
                tag=operation.tag,
                page=page,
                names={},
                texts=_list_texts(texts, trees),
            )
        entry = self._entries[page]
        entry.names.update(dict.fromkeys(version.list_names(operation)))
        entry.add(date, trees)

    def _add_schema(self, date: str, tree: TreeRow | None, name: str, page: str) -> None:
        trees = [tree] if tree else []
        page = f"schemas/{page}"
        if page not in self._entries:
            self._entries[page] = SearchEntry(
                title=name, name="schema", tag="", page=page, names={}, texts=_list_texts([], trees)
            )
        self._entries[page].add(date, trees)


def _list_rows(trees: Iterable[TreeRow]) -> Iterator[TreeRow]:
    """Yield the rows of *trees* whose contents no page of their own shows."""
    for row in trees:
        yield row
        if row.component is None:
            yield from _list_rows(row.rows)


def _list_places(trees: Iterable[TreeRow]) -> Iterator[str]:
    for row in _list_rows(trees):
        if row.role not in _UNNAMED:
            yield row.anchor
        if row.component is None:
            for each in row.values:
                yield f"{row.anchor} {_unquote(each.text)}"


def _subtract(places: list[str], others: list[str]) -> list[str]:
    if places is others:
        return []
    known = {*others}
    return [each for each in places if each not in known]


def _shorten(places: Iterable[str]) -> Iterator[object]:
    """Yield for each place how many characters it shares with the start of the one before, and the
    rest of it; scripts count two for a character above U+FFFF.
    """
    last = ""
    for each in places:
        pairs = zip(each, last, strict=False)
        shared = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
        yield len(shared) + sum(one > "\uffff" for one in shared)
        yield each[len(shared) :]
        last = each


def _unquote(text: str) -> str:
    value = json.loads(text)
    return value if isinstance(value, str) else text


def _list_texts(texts: Iterable[str], trees: Iterable[TreeRow]) -> list[str]:
    """Return *texts* and the descriptions of *trees* and of their values, each once."""
    rows = [*_list_rows(trees)]
    values = (each.description for row in rows if row.component is None for each in row.values)
    found = chain(texts, (row.description for row in rows), values)
    return [*dict.fromkeys(filter(None, found))]
