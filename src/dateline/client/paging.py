"""Find how a listing is paged, from its parameters and its response.

Only unambiguous forms count: a parameter and a member of the page with the same name, or with names
that belong together, and one array with the items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from dateline.python.called import Argument, Called
from dateline.python.names import snake
from dateline.schema.parts import PartReader

_ITEMS: Final = ("items", "data", "results", "entries", "records", "values", "elements")
"""The name of the array of items if a page has more than one array."""

_PAGES: Final = frozenset({"page", "page_number", "page_no"})
_OFFSETS: Final = frozenset({"offset", "skip", "start_index"})
_LAST_ITEMS: Final = frozenset({"starting_after"})
_MORE: Final = frozenset({"has_more", "more"})
_BACKWARDS: Final = ("prev", "previous", "before", "ending_before")


@dataclass(frozen=True, kw_only=True)
class PagingForm:
    """How pages are requested: the kind, the parameter, and members of a page by their JSON names.

    ``items`` is None if the response is the array itself. ``backwards`` are the parameters that
    lead to earlier pages.
    """

    kind: str
    argument: Argument
    items: str | None
    following: str | None = None
    more: str | None = None
    first: int = 0
    backwards: tuple[str, ...] = ()


def find_paging(reader: PartReader, operation: Called) -> PagingForm | None:
    """Return how the pages of *operation* are requested, or None if it has no pages."""
    results = [each for each in operation.results.values() if each is not None]
    if operation.method != "GET" or len(results) != 1 or results[0].inline is None:
        return None
    schema = results[0].inline.schema
    queries = {
        snake(each.name): each
        for each in operation.arguments
        if each.place == "query" and not each.required
    }
    members = dict(_list_members(reader, schema))
    items = None
    if _type_of(reader, schema) != "array":
        arrays = [name for name, each in members.items() if _type_of(reader, each) == "array"]
        usual = [name for name in _ITEMS if name in arrays]
        if len(arrays) != 1 and not usual:
            return None
        items = arrays[0] if len(arrays) == 1 else usual[0]
        for form in _find_cursors(reader, queries, members, items):
            return form
    return _find_numbers(reader, queries, items)


def _find_cursors(
    reader: PartReader,
    queries: Mapping[str, Argument],
    members: Mapping[str, Any],
    items: str,
) -> Iterator[PagingForm]:
    """Yield the form of pages that contain a cursor of the next one."""
    texts = {
        snake(name): name
        for name, each in members.items()
        if _type_of(reader, each) == "string" and name != items
    }
    backwards = tuple(name for name in queries if name.startswith(_BACKWARDS))
    for name, argument in queries.items():
        if name in backwards or _type_of(reader, argument.inline.schema) not in ("string", ""):
            continue
        # the parameter has the page's own value, or its value for the next page
        found = [each for each in (f"next_{name}", f"{name}_next", name) if each in texts]
        if found and (name not in texts or _is_cursor(name)):
            yield PagingForm(
                kind="cursor",
                argument=argument,
                items=items,
                following=texts[found[0]],
                backwards=tuple(queries[each].keyword for each in backwards),
            )
            return
    more = next((name for name in members if snake(name) in _MORE), None)
    last = next((name for name in queries if name in _LAST_ITEMS), None)
    if more is not None and last is not None:
        inner = _items_of(reader, members[items])
        if "id" in dict(_list_members(reader, inner)):
            yield PagingForm(
                kind="last-item",
                argument=queries[last],
                items=items,
                following="id",
                more=more,
                backwards=tuple(queries[each].keyword for each in queries if each in _BACKWARDS),
            )


def _is_cursor(name: str) -> bool:
    """Return whether *name*, shared by a parameter and the page, is that of a cursor.

    A filter such as `status` may be on the page as well.
    """
    words = set(name.split("_"))
    return bool(words & {"cursor", "token", "continuation", "marker", "after"})


def _find_numbers(
    reader: PartReader, queries: Mapping[str, Argument], items: str | None
) -> PagingForm | None:
    """Return the form of pages that are counted, or whose items are."""
    for kind, names in (("page", _PAGES), ("offset", _OFFSETS)):
        for name in sorted(names & {*queries}):
            schema = queries[name].inline.schema
            if _type_of(reader, schema) != "integer":
                continue
            first = 1 if kind == "page" else 0
            for part in reader.parts_of(schema):
                for keyword in ("minimum", "default"):
                    if kind == "page" and part.get(keyword) == 0:
                        first = 0
            return PagingForm(kind=kind, argument=queries[name], items=items, first=first)
    return None


def _type_of(reader: PartReader, schema: Any) -> str:
    """Return the one type of *schema* besides null; empty if there are none or several."""
    for part in reader.parts_of(schema):
        type_ = part.get("type")
        kinds = [each for each in (type_ if isinstance(type_, list) else [type_]) if each != "null"]
        if len(kinds) == 1 and isinstance(kinds[0], str):
            return kinds[0]
    return ""


def _list_members(reader: PartReader, schema: Any) -> Iterator[tuple[str, Any]]:
    for part in reader.parts_of(schema):
        yield from part.get("properties", {}).items()


def _items_of(reader: PartReader, schema: Any) -> Any:
    parts = reader.parts_of(schema)
    return next((part.node["items"] for part in parts if "items" in part.node), {})
