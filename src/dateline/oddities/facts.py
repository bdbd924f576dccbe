"""Facts about an object that depend on the whole document."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

from dateline.oddities.meanings import CALLED, UNDECIDING
from dateline.openapi import COMPONENTS, find_kind, list_mapped, parts
from dateline.schema.dialect import UNIONS
from dateline.schema.memo import closure
from dateline.schema.references import Resolver
from dateline.schema.variants import subtypes

_FOUND_EMPTY: Final = frozenset({"schema", "response", "request-body", "header"})
"""Kinds of objects that may be empty, as one is that refers to another kind."""


class DocumentFacts:
    """Facts about a document, for keys whose meaning depends on more than their object."""

    def __init__(self, document: dict[str, Any], *, is_strict: bool = False) -> None:
        self.is_strict = is_strict
        self._document = document
        self.resolver = Resolver(document)

    def is_certain(self, keyword: str, value: Any) -> bool:
        """Return whether *keyword* leads to exactly one schema, or names one."""
        anchor = f"#{value}" if keyword == "$dynamicAnchor" else value
        return keyword in CALLED and len(self.resolver.list_anchored(anchor)) < 2

    def says_nothing(self, kind: str, node: dict[str, Any]) -> bool:
        """Return whether *node*, of *kind*, refers to nothing of its kind, and may do so.

        It may if that affects no value. A schema elsewhere is an unknown keyword.
        """
        found = self.resolver.locate(node["$ref"])
        if found is not None:
            return kind in _FOUND_EMPTY and find_kind(found.pointer) not in (kind, "")
        is_text = isinstance(node["$ref"], str)
        return is_text and (kind in UNDECIDING or id(node) in self._unused)

    def selects_nothing(self, schema: dict[str, Any], named: Any) -> bool:
        """Return whether *named*, by the discriminator of *schema*, is none of its schemas.

        Without a union, that is what the document lacks.
        """
        goal = self.resolver.find_mapped(named)
        unions = [schema[key] for key in UNIONS if isinstance(schema.get(key), list)]
        members = {self.resolver.find_variant(each) for union in unions for each in union}
        return goal is None or (bool(members) and goal not in members)

    @cached_property
    def _unused(self) -> set[int]:
        """The ids of the objects in components that nothing uses."""
        used = list_used(self._document)
        found = self._document.get("components")
        components = found if isinstance(found, dict) else {}
        shown = [value for key, value in self._document.items() if key != "components"]
        hidden: list[Any] = []
        for section, entries in components.items():
            for name, entry in entries.items() if isinstance(entries, dict) else ():
                is_used = section not in COMPONENTS or (section, name) in used
                (shown if is_used else hidden).append(entry)
        return _list_ids(hidden) - _list_ids(shown)


def _list_ids(node: Any) -> set[int]:
    found: set[int] = set()
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, dict | list) and id(each) not in found:
            found.add(id(each))
            pending += each.values() if isinstance(each, dict) else each
    return found


def list_used(document: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the components that *document* uses, by section and name; in doubt, too many."""
    components = document.get("components")
    sections = components if isinstance(components, dict) else {}
    rest = {key: value for key, value in document.items() if key != "components"}
    others = [value for section, value in sections.items() if section not in COMPONENTS]
    return list_reached(document, [rest, others])


def list_reached(document: dict[str, Any], nodes: list[Any]) -> set[tuple[str, str]]:
    """Return the components that *nodes* of *document* lead to, by section and name.

    In doubt, these are too many.
    """
    resolver = Resolver(document)
    entries = {
        (section, name): entry
        for section in COMPONENTS
        for name, entry in resolver.section(section).items()
    }
    extended = subtypes(resolver.section("schemas"))

    def list_goals(node: Any) -> Iterator[tuple[str, str]]:
        for text in _list_names(node):
            yield from ((section, text) for section in ("schemas", "securitySchemes"))
            found = resolver.locate(text)
            for pointer in (text.removeprefix("#"), found.pointer if found else ""):
                steps = parts(pointer) if pointer.startswith("/components/") else ()
                if len(steps) > 2:
                    yield steps[1], steps[2]

    def follow(goal: tuple[str, str]) -> list[tuple[str, str]]:
        section, name = goal
        also = extended.get(name, ()) if section == "schemas" else ()
        return [*list_goals(entries.get(goal)), *(("schemas", each) for each in also)]

    return {*closure([*list_goals(nodes)], follow)}


def _list_names(node: Any) -> Iterator[str]:
    """Yield texts in *node* that may be a component's name or address."""
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, list):
            pending += each
        elif isinstance(each, str) and each.startswith("#"):
            yield each
        elif isinstance(each, dict):
            pending += each.values()
            demands = each.get("security")
            for demand in demands if isinstance(demands, list) else ():
                yield from demand if isinstance(demand, dict) else ()
            yield from (name for name in list_mapped(each) if isinstance(name, str))
