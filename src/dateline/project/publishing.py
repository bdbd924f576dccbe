"""Publish canonical nodes, each once for all combinations that agree on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import or_
from typing import Any

from dateline.gates import Timeline, drop_keys
from dateline.model import EXTENSIBLE, UNPUBLISHED, WAS, Api
from dateline.oddities import list_dangling
from dateline.openapi import Arrangement, list_mapped, slot
from dateline.schema.references import Resolver
from dateline.schema.types import UNIONS, is_enumeration
from dateline.schema.usage import find_component


class _Varying:
    """A value that depends on the combination; built once for each class of combinations."""

    __slots__ = ("_build", "_values", "classes")

    def __init__(self, classes: tuple[int, ...], build: Callable[[int], Any]) -> None:
        self.classes = classes
        self._build = build
        self._values: dict[int, Any] = {}

    def at(self, at: int) -> Any:
        which = self.classes[at]
        if which not in self._values:
            self._values[which] = self._build(at)
        return self._values[which]


def choose_at(value: Any, at: int) -> Any:
    return value.at(at) if isinstance(value, _Varying) else value


# (where it is visible, its name there, its value)
_Entry = tuple[int, str, Any]


class Entries:
    """The entries of a mapping: where each is visible, under which name, and its value."""

    def __init__(self, entries: list[_Entry]) -> None:
        self._entries = entries

    def at(self, at: int, bit: int) -> dict[str, Any]:
        return {name: choose_at(value, at) for mask, name, value in self._entries if mask & bit}


class Publisher:
    """Turns canonical nodes into published ones: constant, or varying."""

    def __init__(self, api: Api, timeline: Timeline) -> None:
        self.api = api
        self.timeline = timeline
        self._references = Resolver(api.document)
        self.all = timeline.all
        self.count = len(timeline.combinations)
        # each with its node: an id is unique only while its object lives
        self._with_history: dict[int, tuple[Any, Any]] = {}

    def entries(
        self,
        kind: str,
        mapping: dict[str, Any],
        *,
        shown: Callable[[str], int] | None = None,
    ) -> Entries:
        """Publish a mapping of *kind*; *shown* overrides the visibility by the nodes' own keys."""
        return Entries(
            [
                (
                    shown(name) if shown else self.timeline.find_shown(kind, node),
                    name,
                    self.node(kind, node),
                )
                for name, node in mapping.items()
            ]
        )

    def child(self, kind: str, key: str, value: Any) -> tuple[Any, int]:
        """Publish the value of *key* in an object of *kind*: (value, where visible)."""
        arrangement, below = slot(kind, key)
        if arrangement is Arrangement.ONE:
            return self.node(below, value), self.timeline.find_shown(below, value)
        if arrangement is Arrangement.MAP and isinstance(value, dict):
            return self._map(below, value)
        if arrangement is Arrangement.LIST and isinstance(value, list):
            return self._list(below, value)
        return value, self.all

    def node(self, kind: str, node: Any) -> Any:
        """Publish one object; the same object if nothing changes."""
        if not isinstance(node, dict):
            return node
        if WAS not in node:
            return self._object(kind, node)
        # every era of the surrounding object leads here: publish it once for all of them
        known = self._with_history.get(id(node))
        if known is None:
            known = self._with_history[id(node)] = node, self._eras(kind, node)
        return known[1]

    def _eras(self, kind: str, node: dict[str, Any]) -> Any:
        published = [
            (mask, self._object(kind, era)) for mask, era in self.timeline.eras(kind, node)
        ]

        def build(at: int) -> Any:
            return next(choose_at(value, at) for mask, value in published if mask >> at & 1)

        return _Varying(self._classes(published), build)

    def _object(self, kind: str, node: dict[str, Any]) -> Any:
        parts: list[tuple[str, int, Any]] = []
        same = True
        for key, value in node.items():
            if key in UNPUBLISHED:
                same = False
                continue
            published, mask = self.child(kind, key, value)
            same = same and published is value and mask == self.all
            parts.append((key, mask, published))
        finish = self._schema_finish(node) if kind == "schema" else None
        if same and finish is None:
            return node

        def build(at: int) -> dict[str, Any]:
            built = {key: choose_at(value, at) for key, mask, value in parts if mask >> at & 1}
            return finish(built, at) if finish else built

        extra = self._dependencies(node) if kind == "schema" else []
        return self._build_varying([(mask, value) for _, mask, value in parts] + extra, build)

    def _map(self, kind: str, mapping: dict[str, Any]) -> tuple[Any, int]:
        entries: list[_Entry] = []
        same = True
        for name, node in mapping.items():
            mask = self.timeline.find_shown(kind, node)
            published = self.node(kind, node)
            for era, called in self.timeline.names(kind, name, node):
                if mask & era:
                    entries.append((mask & era, called, published))
            same = same and published is node and entries[-1:] == [(self.all, name, node)]
        if same:
            return mapping, self.all

        def build(at: int) -> dict[str, Any]:
            return {name: choose_at(value, at) for mask, name, value in entries if mask >> at & 1}

        return self._container([(mask, value) for mask, _, value in entries], build)

    def _list(self, kind: str, items: list[Any]) -> tuple[Any, int]:
        parts = [(self.timeline.find_shown(kind, item), self.node(kind, item)) for item in items]
        if all(
            mask == self.all and value is item
            for (mask, value), item in zip(parts, items, strict=True)
        ):
            return items, self.all

        def build(at: int) -> list[Any]:
            return [choose_at(value, at) for mask, value in parts if mask >> at & 1]

        return self._container(parts, build)

    def _container(
        self, parts: Sequence[tuple[int, Any]], build: Callable[[int], Any]
    ) -> tuple[Any, int]:
        """Return a mapping or list whose members vary; it disappears with its last member."""
        return self._build_varying(parts, build), reduce(or_, (mask for mask, _ in parts), 0)

    def _build_varying(self, parts: Sequence[tuple[int, Any]], build: Callable[[int], Any]) -> Any:
        if all(mask == self.all and not isinstance(value, _Varying) for mask, value in parts):
            return build(0)
        return _Varying(self._classes(parts), build)

    def _classes(self, parts: Sequence[tuple[int, Any]]) -> tuple[int, ...]:
        """Number the combinations so that equal numbers mean equal values."""
        numbers: dict[tuple[Any, ...], int] = {}
        telling = [
            (mask, value.classes if isinstance(value, _Varying) else None)
            for mask, value in parts
            if mask != self.all or isinstance(value, _Varying)
        ]
        return tuple(
            numbers.setdefault(
                tuple((mask >> at & 1, classes[at] if classes else 0) for mask, classes in telling),
                len(numbers),
            )
            for at in range(self.count)
        )

    # Schemas: what follows from the members automatically.

    def _dependencies(self, node: dict[str, Any]) -> list[tuple[int, Any]]:
        """Return what a schema depends on besides its own parts: the subtypes it names."""
        named = list_mapped(node.get("discriminator"))
        return [(self._find_mapped(node, reference), None) for reference in named]

    def _schema_finish(
        self, node: dict[str, Any]
    ) -> Callable[[dict[str, Any], int], dict[str, Any]] | None:
        steps = [
            step
            for applies, step in (
                (self._renames_or_removes(node), partial(self._list_required, node)),
                (bool(list_mapped(node.get("discriminator"))), partial(self._discriminator, node)),
                (is_published_as_enum(node, self.api, self.timeline), enumeration),
                (not self.api.table.adopted and EXTENSIBLE in node, open_ended),
            )
            if applies
        ]
        if not steps:
            return None

        def finish(built: dict[str, Any], at: int) -> dict[str, Any]:
            for step in steps:
                built = step(built, at)
            return built

        return finish

    def _renames_or_removes(self, node: dict[str, Any]) -> bool:
        return "required" in node and any(
            self.timeline.of(child) != self.all
            or len(self.timeline.names("schema", name, child)) > 1
            for name, child in node.get("properties", {}).items()
        )

    def _list_required(
        self, node: dict[str, Any], built: dict[str, Any], at: int
    ) -> dict[str, Any]:
        """Limit `required` to the visible properties; its names are canonical throughout."""
        properties = node["properties"]
        required = []
        for name in node["required"]:
            child = properties.get(name)
            if child is None:
                required.append(name)
            elif self.timeline.of(child) >> at & 1:
                required.append(self.timeline.name("schema", name, child, at))
        if required or not node["required"]:
            return {**built, "required": required}
        return {key: value for key, value in built.items() if key != "required"}

    def _find_mapped(self, node: dict[str, Any], named: str) -> int:
        return find_mapped(self.api, self._references, self.timeline, node, named)

    def _discriminator(
        self, node: dict[str, Any], built: dict[str, Any], at: int
    ) -> dict[str, Any]:
        discriminator = built["discriminator"]
        mapping = discriminator.get("mapping") or {}
        dangling = list_dangling(built) if self.api.table.adopted else []

        def is_published(named: str) -> bool:
            return named in dangling or bool(self._find_mapped(node, named) >> at & 1)

        kept = {tag: named for tag, named in mapping.items() if is_published(named)}
        default = discriminator.get("defaultMapping")
        if default is not None and not is_published(default):
            discriminator = drop_keys(discriminator, "defaultMapping")
        if len(kept) < len(mapping):
            discriminator = {**discriminator, "mapping": kept}
        return {**built, "discriminator": discriminator}


def is_published_as_enum(node: dict[str, Any], api: Api, timeline: Timeline) -> bool:
    """Return whether the schema *node* has a `oneOf` of `const`, published as a plain `enum`.

    In adopted sources only one that has a history is ours; others are published as they are.
    """
    if "oneOf" not in node or not is_enumeration({"oneOf": node["oneOf"]}):
        return False
    return not api.table.adopted or any(timeline.of(one) != timeline.all for one in node["oneOf"])


def find_mapped(
    api: Api, resolver: Resolver, timeline: Timeline, node: dict[str, Any], named: str
) -> int:
    """Return where the target of a mapping entry of *node* is a member, or is visible at all.

    *resolver* belongs to the definitions.
    """
    goal = resolver.find_mapped(named)
    shown = [
        timeline.of(member)
        for key in UNIONS
        for member in node.get(key, ())
        if goal is not None and resolver.find_variant(member) == goal
    ]
    together = reduce(or_, shown) if shown else timeline.all
    owner = None if goal is None else find_component(f"#{goal}")
    return together if owner is None else together & api.visible.get(owner, timeline.all)


def enumeration(built: dict[str, Any], _at: int = 0) -> dict[str, Any]:
    """Return the published form of a `oneOf` of `const`: an `enum`."""
    members = built["oneOf"]
    published = {
        "enum" if key == "oneOf" else key: [member["const"] for member in members]
        if key == "oneOf"
        else value
        for key, value in built.items()
    }
    keywords = {
        str(member["const"]): member["description"] for member in members if "description" in member
    }
    return {**published, "x-enum-descriptions": keywords} if keywords else published


def open_ended(built: dict[str, Any], _at: int = 0) -> dict[str, Any]:
    """Return the published form of an open-ended text: the known values are where tools look."""
    if "examples" in built:
        return built
    return {**built, "examples": list(built[EXTENSIBLE])}
