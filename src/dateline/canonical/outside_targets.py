"""Objects in places that are none of OpenAPI's, such as extensions: components with a history."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from operator import is_
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from dateline.canonical.eras import restore_history
from dateline.gates import Timeline
from dateline.model import EVERYWHERE, Api, copy_items
from dateline.openapi import SECTIONS, target, walk
from dateline.project import Projector
from dateline.schema.memo import objects_in
from dateline.schema.references import Resolver

# Kinds of objects that decide how requests and responses are converted.
_DECIDING: Final = ("schema", "parameter", "header", "request-body", "response")

# Keywords below which an object is data.
_DATA: Final = frozenset({"example", "examples", "default", "enum", "const"})


class _Target(NamedTuple):
    """The kind of what a reference leads to, and its content at each version, newest first.

    It is None at versions that do not refer to it.
    """

    kind: str
    eras: list[dict[str, Any] | None]


def with_outside_targets(api: Api) -> Api:
    """Return *api* with components in place of changed objects that are in places of their own.

    A `$ref` may lead to such a place, as in `#/x-enums/Color`. Only the whole of the extension has
    a history in the definitions: the component has that of the object.
    """
    if not any(_list_references(api.document)):
        return api
    found = _drop_unchanged(_read_targets(api))
    if not found:
        return api
    components = api.document.get("components", {})
    names = _name_components(found, components)
    dates, timeline = api.table.dates[::-1], Timeline(api.table)
    visible = dict(api.visible)
    document = _redirect(api.document, names)
    sections = {name: {**entries} for name, entries in document.get("components", {}).items()}
    for reference, (kind, eras) in found.items():
        name = names[reference].rpartition("/")[2]
        node = restore_history({}, dates, _redirect(eras, names))
        sections.setdefault(SECTIONS[kind], {})[name] = node
        visible[SECTIONS[kind], name] = sum(
            1 << at
            for at, (version, _) in enumerate(timeline.combinations)
            if eras[dates.index(version)] is not None
        )
    items = [*{**document, "components": copy_items(components, [*sections.items()])}.items()]
    return replace(api, document=copy_items(api.document, items), visible=visible)


def _list_references(node: Any) -> Iterator[str]:
    """Yield the local references in *node* that lead to no component."""
    for each in objects_in(node):
        reference = each.get("$ref")
        if isinstance(reference, str) and reference[:1] == "#" and target(reference) is None:
            yield reference


def _read_targets(api: Api) -> dict[str, _Target]:
    """Return the targets that no walk of a document reaches, by the references to them."""
    projector = Projector(api)
    dates = api.table.dates[::-1]
    found: dict[str, _Target] = {}
    for number, date in enumerate(dates):
        document = projector.contract(date, EVERYWHERE).document
        resolver = Resolver(document)
        pending = [*walk("document", document)]
        known = {id(node) for _, _, node in pending}
        while pending:
            _, kind, node = pending.pop()
            located = resolver.locate(node.get("$ref")) if kind in _DECIDING else None
            value = None if located is None else located.value
            if isinstance(value, dict) and id(value) not in known:
                row = found.setdefault(node["$ref"], _Target(kind, [None] * len(dates)))
                if row.eras[number] is None:
                    row.eras[number] = value
                    pending += walk(kind, value)
    return found


def _drop_unchanged(found: dict[str, _Target]) -> dict[str, _Target]:
    """Return those of *found* that change themselves, or refer to one that does."""
    changed = {
        reference
        for reference, (_, eras) in found.items()
        if any(one != other for one in eras for other in eras if one and other)
    }
    used = {reference: {*_list_references(each.eras)} for reference, each in found.items()}
    while more := {each for each in found.keys() - changed if used[each] & changed}:
        changed |= more
    return {reference: found[reference] for reference in sorted(changed)}


def _name_components(
    found: Mapping[str, _Target], components: Mapping[str, Collection[str]]
) -> dict[str, str]:
    """Return a reference to a new component for each of the references in *found*."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for reference, (kind, _) in found.items():
        section = SECTIONS[kind]
        name = base = re.sub(r"[^A-Za-z0-9._-]+", ".", unquote(reference)).strip(".")
        number = 2
        while name in components.get(section, ()) or name in taken:
            name, number = f"{base}{number}", number + 1
        taken.add(name)
        names[reference] = f"#/components/{section}/{name}"
    return names


def _redirect(node: Any, names: Mapping[str, str]) -> Any:
    """Return *node* with other references; unchanged parts are the same objects."""
    if isinstance(node, list):
        found = [_redirect(each, names) for each in node]
        return node if all(map(is_, found, node)) else found
    if not isinstance(node, dict):
        return node
    items = []
    for key, value in node.items():
        if key == "$ref" and isinstance(value, str):
            items.append((key, names.get(value, value)))
        else:
            items.append((key, value if key in _DATA else _redirect(value, names)))
    if all(value is node[key] for key, value in items):
        return node
    return copy_items(node, items)
