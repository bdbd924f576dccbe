"""The context of a check: the document, a node of it, and the reported problems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

from dateline.gates import Timeline, is_long, order, restate
from dateline.model import ENVIRONMENTS, WAS, Table, Trail
from dateline.openapi import SECTIONS
from dateline.schema.dialect import Dialect
from dateline.schema.references import Resolver, component
from dateline.schema.variants import subtypes

LinkedTrail = tuple["LinkedTrail", str | int] | None
"""A path from the root as linked pairs, the innermost key first: one pair for each step."""


# A longer chain of references is a cycle, or nothing that anyone could read.
_HOPS: Final = 64


class Violation(NamedTuple):
    """One violation: its place (the key or item, or its value), its id and the message.

    With a ``table_key``, its place is that key of the version table.
    """

    trail: LinkedTrail
    id: str
    message: str
    value: bool = False
    table_key: str = ""


class Site(NamedTuple):
    """A node of the document: its kind, its place, and the key and the site that hold it."""

    kind: str
    node: Any
    trail: LinkedTrail
    slot: str
    parent: Site | None

    def at(self, *keys: str | int) -> LinkedTrail:
        """Return the trail of what is below this node under *keys*."""
        return extend(self.trail, *keys)


@dataclass(frozen=True)
class Scope:
    """The whole document, in which every value has the type that its key demands.

    ``authored`` sources must follow the style rules, too. If it ``is_past``, enumeration values may
    have the name they had in any older version.
    """

    document: dict[str, Any]
    table: Table
    authored: bool
    is_past: bool = field(default=False, kw_only=True)

    @cached_property
    def past(self) -> Scope:
        """The same document, for values of older versions."""
        return replace(self, is_past=True)

    @cached_property
    def components(self) -> dict[str, dict[str, Any]]:
        sections: dict[str, dict[str, Any]] = self.document.get("components", {})
        return sections

    @cached_property
    def references(self) -> Resolver:
        """The references of the document."""
        return Resolver(self.document)

    @cached_property
    def dialect(self) -> Dialect:
        """The dialect of the document's schemas."""
        return Dialect(self.document)

    @property
    def modern(self) -> bool:
        """Whether the document is OpenAPI 3.1 or later, whose schemas are JSON Schemas."""
        return not self.dialect.is_old

    @property
    def openapi(self) -> str:
        """The version of OpenAPI, without its patch number: `3.0`, `3.1` or `3.2`."""
        return ".".join(str(self.document.get("openapi", "")).split(".")[:2])

    @cached_property
    def timeline(self) -> Timeline:
        return Timeline(self.table)

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The dates of the version table, each with its position there."""
        return {date: rank for rank, date in enumerate(self.table.dates)}

    @cached_property
    def then(self) -> dict[int, Scope]:
        """The document at combinations, by their numbers in the timeline, as far as it was read."""
        return {}

    @cached_property
    def searched(self) -> set[str]:
        """The addresses of schemas, not of components, from which circles were searched."""
        return set()

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.table.environment_names)

    def find_shown(self, node: Any) -> int:
        """Return where *node* is visible; everywhere if it names an unknown environment."""
        if isinstance(node, dict) and not self._names.issuperset(node.get(ENVIRONMENTS, ())):
            return self.timeline.all
        return self.timeline.of(node)

    def list_components(self, kind: str) -> dict[str, Any]:
        """Return the components of *kind* by name."""
        return self.components.get(SECTIONS[kind], {})

    @cached_property
    def subtypes(self) -> dict[str, frozenset[str]]:
        """The schemas that extend a discriminated schema, and are allowed wherever it is."""
        return subtypes(self.list_components("schema"))

    def now(self, schema: Any) -> Any:
        """Return *schema* as it is in the version concerned: as written, in the newest."""
        return schema

    def resolve(self, kind: str, node: Any) -> Any:
        """Return what *node* leads to through references; None if one is dangling."""
        for _ in range(_HOPS):
            node = self.now(node) if kind == "schema" else node
            if not isinstance(node, dict) or "$ref" not in node:
                return node
            goal = self.references.locate(node["$ref"])
            named = None if goal is None else component(goal.pointer)
            if goal is None or (named and named[0] != SECTIONS.get(kind)):
                return None
            node = goal.value
        return None


Finder = Callable[[Scope, Site, str], Iterator[Violation]]
"""Finds problems of a node; the text is the key to check, or empty for the node itself."""


class Check(NamedTuple):
    """A finder with the key that it checks, and the ids of everything it can find."""

    run: Finder
    key: str
    ids: frozenset[str]


class Past(NamedTuple):
    """One date of `x-was`: its place, what it sets and unsets, and where it sets it."""

    date: str
    at: LinkedTrail
    setting: dict[str, Any]
    unset: tuple[str, ...]
    set_at: LinkedTrail


def list_past(site: Site) -> list[Past]:
    """Return the dates of the history of *site*, newest first."""
    found = []
    now = site.node
    for date in sorted(site.node.get(WAS, ()), key=order, reverse=True):
        entry = site.node[WAS][date]
        setting, unset = restate(now, entry)
        now = {key: value for key, value in {**now, **setting}.items() if key not in unset}
        at = site.at(WAS, date)
        is_inside = is_long(entry) and "set" in entry
        found.append(Past(date, at, setting, unset, (at, "set") if is_inside else at))
    return found


CHECKS: Final[dict[str, list[Check]]] = {}
"""The checks by what they inspect: ``kind`` or ``kind.key``; ``*.key`` means every kind."""


def on(*places: str, finds: tuple[str, ...]) -> Callable[[Finder], Finder]:
    """Register a finder for nodes of a kind (``schema``) or a key of theirs (``schema.enum``)."""

    def register(run: Finder) -> Finder:
        for place in places:
            key = place.partition(".")[2]
            CHECKS.setdefault(place, []).append(Check(run, key, frozenset(finds)))
        return run

    return register


def extend(trail: LinkedTrail, *steps: str | int) -> LinkedTrail:
    """Return the trail of what is below *trail* under *steps*."""
    for step in steps:
        trail = (trail, step)
    return trail


def path(trail: LinkedTrail) -> Trail:
    """Return *trail* as a path from the root."""
    steps: list[str | int] = []
    while trail is not None:
        trail, step = trail
        steps.append(step)
    return tuple(reversed(steps))
