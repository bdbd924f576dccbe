"""Find where callers of published documents name a version: in a header, the query, the path..."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from dateline.adopt.inputs import Source
from dateline.openapi import is_json, operations, path_items, resolve
from dateline.placement import hide_version, show_version

_WORDS: Final = re.compile("version|revision", re.IGNORECASE)

_MOST: Final = 0.9
"""The share of operations that declare the parameter: some may be the same in all versions."""

_PARAMETER: Final = re.compile(r";\s*(?P<name>[^\s;=]+)\s*=\s*(?P<value>[^\s;]+)")


class Selector(NamedTuple):
    """What selects a version: its place, one of ``PLACES``, its name, and its default if any."""

    place: str
    name: str
    default: Any = None

    @property
    def text(self) -> str:
        """The selector as `Table.selector` has it."""
        return self.name if self.place == "header" else f"{self.place} {self.name}"

    @property
    def description(self) -> str:
        """The header or query parameter, in words; empty for other places."""
        kinds = {"header": "header", "query": "query parameter"}
        return f"{kinds[self.place]} {self.name}" if self.place in kinds else ""


def find_selector(sources: Sequence[Source]) -> Selector | None:
    """Return what selects a version of *sources*; None if nothing does, or several things do.

    A header or query parameter counts if nearly all operations of the newest document declare it
    and its name contains a word for versions, or its value is the date of the document. A segment
    of the path is at the end of the addresses of all servers of each document, a parameter of media
    types at those of all its JSON responses; either is the date of the document.
    """
    found = [
        *_find_parameters(sources[-1]),
        *([Selector("path", "segment")] if all(map(_has_segment, sources)) else []),
        *_find_media_parameters(sources),
    ]
    if len(found) != 1 or not all(_comes_back(source, found[0]) for source in sources):
        return None
    return found[0]


def _comes_back(source: Source, selector: Selector) -> bool:
    """Return whether publishing the document without the selector restores it."""
    hidden = hide_version(source.document, selector.text, source.date)
    return show_version(hidden, selector.text, source.date) == source.document


def _find_parameters(source: Source) -> list[Selector]:
    operations = list(_list_parameters(source.document))
    times = Counter(key for parameters in operations for key in parameters)
    found = {
        (place, name.lower()): Selector(
            place, name, _find_schema(parameters[place, name]).get("default")
        )
        for parameters in operations
        for place, name in parameters
        if times[place, name] >= _MOST * len(operations)
        and _selects(parameters[place, name], source.date)
    }
    return list(found.values())


def _list_parameters(document: dict[str, Any]) -> Iterator[dict[tuple[str, str], dict[str, Any]]]:
    """Yield the parameters of each operation in headers and in the query, by place and name."""
    for _, written in path_items(document):
        item = resolve(document, written)
        for _, operation in operations(item):
            listed = (*item.get("parameters", ()), *operation.get("parameters", ()))
            yield {
                (each["in"], each["name"]): each
                for each in (resolve(document, one) for one in listed)
                if each.get("in") in ("header", "query")
            }


def _selects(parameter: dict[str, Any], date: str) -> bool:
    schema = _find_schema(parameter)
    values = [schema.get(key) for key in ("default", "const", "example")]
    values += schema.get("enum") or ()
    return _WORDS.search(parameter["name"]) is not None or date in values


def _find_schema(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = parameter.get("schema")
    return schema if isinstance(schema, dict) else {}


def _has_segment(source: Source) -> bool:
    servers = source.document.get("servers") or [{}]
    return all(str(each.get("url", "")).endswith(f"/{source.date}") for each in servers)


def _find_media_parameters(sources: Sequence[Source]) -> list[Selector]:
    """Return the parameter with the date of its document that all JSON responses have."""
    names: set[str] | None = None
    for source in sources:
        for media_type in _list_media_types(source.document):
            parameters = [found.groupdict() for found in _PARAMETER.finditer(media_type)]
            here = {each["name"] for each in parameters if each["value"].strip('"') == source.date}
            names = here if names is None else names & here
    return [Selector("media-type", name) for name in sorted(names or ())]


def _list_media_types(document: dict[str, Any]) -> Iterator[str]:
    """Yield the media types of the responses of operations that are JSON."""
    for _, written in path_items(document):
        for _, operation in operations(resolve(document, written)):
            for status, response in operation.get("responses", {}).items():
                if not status.startswith("x-"):
                    content = resolve(document, response).get("content") or {}
                    yield from filter(is_json, content)
