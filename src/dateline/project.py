"""The canonical definitions in, what one version promises in one environment out.

One walk serves all versions: what carries no key is published once and shared (the same
object) by every contract; what does is published once for each history that tells it apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, Final

from dateline.gates import Timeline
from dateline.model import EXTENSIBLE, KEYS, WAS, Api, Combination, Contract, Place
from dateline.openapi import COMPONENTS, Shape, parts, pointer, slot, target, walk
from dateline.schema.types import UNIONS

_STRIPPED: Final = KEYS - {EXTENSIBLE}

# Which part of the root stands where in a published document.
_ROOT_ORDER: Final[tuple[str, ...]] = (
    "openapi",
    "info",
    "jsonSchemaDialect",
    "servers",
    "security",
    "tags",
    "externalDocs",
    "paths",
    "webhooks",
    "components",
)


class Projector:
    """The contracts of an API. Making one costs little; the walk is done at the first."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._timeline = Timeline(api.table)
        self._publisher = _Publisher(api, self._timeline)
        document = api.document
        self._components: dict[str, _Entries] = {
            section: self._publisher.entries(
                kind,
                document.get("components", {}).get(section, {}),
                shown=partial(self._visible, section),
            )
            for section, kind in COMPONENTS.items()
        }
        # what is around the components: these come and go by what refers to them
        self._around = self._publisher.node(
            "document", {key: below for key, below in document.items() if key != "components"}
        )
        self._beside = self._publisher.node(
            "components",
            {
                key: below
                for key, below in document.get("components", {}).items()
                if key not in COMPONENTS
            },
        )

    def _visible(self, section: str, name: str) -> int:
        return self._api.visible[section, name]

    def contract(self, version: str, environment: str) -> Contract:
        """Return what *version* promises in *environment* (or `EVERYWHERE`).

        Raises ValueError for a version or environment that the table does not have.
        """
        combination = Combination(version, environment)
        if combination not in self._timeline.combinations:
            raise ValueError(
                f"{version} ({environment or 'everywhere'}) is not in the version table"
            )
        at = self._timeline.combinations.index(combination)
        document = self._at(at, 1 << at)
        if not self._api.table.adopted:
            document["info"] = {**document["info"], "version": version}
        for known in self._api.table.environments:
            if known.name == environment and known.servers:
                document["servers"] = list(known.servers)
        ordered = [key for key in _ROOT_ORDER if key in document]
        ordered += [key for key in document if key not in _ROOT_ORDER]
        return Contract(
            version=version,
            environment=environment,
            document={key: document[key] for key in ordered},
        )

    def node(self, kind: str, node: Any, at: Combination) -> Any:
        """Return what a *node* of the definitions, wherever it stands, is shown as at *at*."""
        return _value(self._publisher.node(kind, node), self._timeline.combinations.index(at))

    def origin(self, at: str, version: str, environment: str) -> tuple[str | int, ...]:
        """Return the canonical path of what stands at the pointer *at* in a contract.

        *at* is a JSON pointer (RFC 6901), the path the keys and indexes that lead from the root of
        the definitions. Where these hold nothing for the end of *at*, the path leads to the
        nearest thing around it. Raises ValueError as `contract` does.
        """
        index = self._timeline.combinations.index(Combination(version, environment))
        return _Origin(self._timeline, index).path(self._api.document, parts(at))

    def place(self, at: str, version: str, environment: str) -> Place:
        """Return where the sources hold what stands at the pointer *at* in a contract.

        Of what they hold no more, that is the nearest thing around it or beside it. Raises
        ValueError as `contract` does.
        """
        steps = parts(at)
        if steps[:1] == ("servers",):
            for known in self._api.table.environments:
                if known.name == environment and known.servers:
                    return known.place
        path = self.origin(at, version, environment)
        if path == ("paths",) and len(steps) > 1:
            path += _nearest(self._api.document["paths"], steps[1])
        elif len(path) == 2 and path[0] == "components" and len(steps) > 2:
            path += _alike(self._api.document["components"][path[1]], steps[2])
        return self._api.locate(path)

    def renames(self, older: str, newer: str, environment: str) -> dict[str, str]:
        """Return what was renamed between two versions: pointer in the newer, older name.

        It fits the *renames* of `diff`. Raises ValueError as `contract` does.
        """
        combinations = self._timeline.combinations
        then = combinations.index(Combination(older, environment))
        now = combinations.index(Combination(newer, environment))
        renames = {}
        for path, kind, node in self._renamed:
            names = self._timeline.names(kind, str(path[-1]), node)
            if kind == "parameter":
                names = [(era, one["name"]) for era, one in self._timeline.eras(kind, node)]
            shown = [next(name for mask, name in names if mask >> at & 1) for at in (then, now)]
            if shown[0] != shown[1]:
                step = self._number(path, now) if kind == "parameter" else shown[1]
                renames[pointer((*path[:-1], step))] = shown[0]
        return renames

    def _number(self, path: tuple[str | int, ...], now: int) -> str | int:
        """Return the number that an item of a list has in a contract; a component's name."""
        *around, step = path
        if isinstance(step, str):
            return step
        items: Any = self._api.document
        for key in around:
            items = items[key]
        return sum(self._timeline.of(item) >> now & 1 for item in items[:step])

    @cached_property
    def _renamed(self) -> list[tuple[tuple[str | int, ...], str, dict[str, Any]]]:
        return [
            (path, kind, node)
            for path, kind, node in walk("document", self._api.document)
            if WAS in node and path
        ]

    def _at(self, at: int, bit: int) -> dict[str, Any]:
        document: dict[str, Any] = dict(_value(self._around, at))
        defined = self._api.document.get("components")
        if defined is not None:
            shown = {
                section: nodes
                for section, entries in self._components.items()
                # a section goes with its last component; one that is written empty stays
                if (nodes := entries.at(at, bit)) or defined.get(section) == {}
            }
            components = {**shown, **_value(self._beside, at)}
            if components or not any(defined.values()):
                document["components"] = components
        return document


def project(api: Api, version: str, environment: str) -> Contract:
    """Return what *version* of *api* promises in *environment*.

    For more than one contract of the same API use one `Projector`: they share what is equal.
    Raises ValueError for a version or environment that the table does not have.
    """
    return Projector(api).contract(version, environment)


def _nearest(paths: Iterable[str], gone: str) -> tuple[str, ...]:
    """Return that of *paths* which begins most like *gone*; none where all begin otherwise."""
    segments = {path: path.split("/") for path in paths}
    return _beginning_most_like(segments, gone.split("/"), least=2)


def _alike(names: Iterable[str], gone: str) -> tuple[str, ...]:
    """Return that of *names* which begins most like *gone*; none where all begin otherwise."""
    return _beginning_most_like({name: name for name in names}, gone, least=3)


def _beginning_most_like(
    known: Mapping[str, Sequence[str]], gone: Sequence[str], *, least: int
) -> tuple[str, ...]:
    def common(name: str) -> int:
        pairs = zip(known[name], gone, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    nearest = max(known, key=common, default="")
    return (nearest,) if nearest and common(nearest) >= least else ()


class _Origin:
    """Follows a pointer into a contract through the canonical definitions it came from."""

    def __init__(self, timeline: Timeline, at: int) -> None:
        self._timeline = timeline
        self._at = at

    def path(self, document: dict[str, Any], steps: tuple[str, ...]) -> tuple[str | int, ...]:
        path: tuple[str | int, ...] = ()
        kind, node, rest = "document", document, list(steps)
        while rest and isinstance(node, dict):
            now = self._now(kind, node)
            key = rest.pop(0)
            if kind == "schema" and key == "enum" and "enum" not in now and "oneOf" in now:
                key = "oneOf"  # an annotated enumeration, published as a plain one
            if key not in now:
                return path
            if now[key] is not node.get(key):
                return (*path, WAS)
            path = (*path, key)
            shape, below = slot(kind, key)
            step: str | int | None = None
            node = now[key]
            if shape in (Shape.MAP, Shape.LIST) and rest:
                step = self._step(shape, below, node, rest.pop(0))
                if step is None:
                    return path
                path, node = (*path, step), node[step]
            elif shape is Shape.DATA:
                return path + _within(node, rest)
            kind = below
        return path

    def _now(self, kind: str, node: dict[str, Any]) -> dict[str, Any]:
        return next(era for mask, era in self._timeline.eras(kind, node) if mask >> self._at & 1)

    def _step(self, shape: Shape, kind: str, node: Any, step: str) -> str | int | None:
        """Return the canonical key or index of what a contract shows as *step*."""
        if shape is Shape.MAP and isinstance(node, dict):
            # most things are called what they are called now
            names: list[str] = [step, *node] if step in node else list(node)
            return next((name for name in names if self._is(kind, name, node[name], step)), None)
        if not isinstance(node, list) or not step.isdecimal():
            return None
        shown = [i for i, child in enumerate(node) if self._timeline.of(child) >> self._at & 1]
        return shown[int(step)] if int(step) < len(shown) else None

    def _is(self, kind: str, name: str, child: Any, step: str) -> bool:
        """Tell whether *child*, canonically called *name*, is what is shown as *step*."""
        shown = self._timeline.of(child)
        called = self._timeline.names(kind, name, child)
        return any((mask & shown) >> self._at & 1 and step == text for mask, text in called)


def _within(value: Any, steps: list[str]) -> tuple[str | int, ...]:
    """Return as many of *steps* as lead into *value*, which is data."""
    path: list[str | int] = []
    for text in steps:
        step: str | int = int(text) if isinstance(value, list) and text.isdecimal() else text
        inside = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if not inside and not (isinstance(value, dict) and step in value):
            break
        path.append(step)
        value = value[step]
    return tuple(path)


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


def _value(value: Any, at: int) -> Any:
    return value.at(at) if isinstance(value, _Varying) else value


# (where it is shown, what it is called there, what it is)
_Entry = tuple[int, str, Any]


class _Entries:
    """The entries of a mapping: where each is shown, under which name, and its value."""

    def __init__(self, entries: list[_Entry]) -> None:
        self._entries = entries

    def at(self, at: int, bit: int) -> dict[str, Any]:
        return {name: _value(value, at) for mask, name, value in self._entries if mask & bit}


class _Publisher:
    """Turns canonical nodes into published ones: constant, or varying."""

    def __init__(self, api: Api, timeline: Timeline) -> None:
        self.api = api
        self.timeline = timeline
        self.all = timeline.all
        self.count = len(timeline.combinations)
        # beside each its node: an id is unique only while its object lives
        self._with_history: dict[int, tuple[Any, Any]] = {}

    def entries(
        self,
        kind: str,
        mapping: dict[str, Any],
        *,
        shown: Callable[[str], int] | None = None,
    ) -> _Entries:
        """Publish a mapping of *kind*; *shown* overrides what the nodes' own keys say."""
        return _Entries(
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
        """Publish what stands under *key* of an object of *kind*: (value, where shown)."""
        shape, below = slot(kind, key)
        if shape is Shape.DATA:
            return value, self.all
        if shape is Shape.ONE:
            return self.node(below, value), self.timeline.find_shown(below, value)
        if shape is Shape.MAP and isinstance(value, dict):
            return self._map(below, value)
        if shape is Shape.LIST and isinstance(value, list):
            return self._list(below, value)
        return value, self.all

    def node(self, kind: str, node: Any) -> Any:
        """Publish one object: the same object where nothing needs to change."""
        if not isinstance(node, dict):
            return node
        if WAS not in node:
            return self._object(kind, node)
        # every era of what is around it leads here: publish it once for all of them
        known = self._with_history.get(id(node))
        if known is None:
            known = self._with_history[id(node)] = node, self._eras(kind, node)
        return known[1]

    def _eras(self, kind: str, node: dict[str, Any]) -> Any:
        published = [
            (mask, self._object(kind, era)) for mask, era in self.timeline.eras(kind, node)
        ]

        def build(at: int) -> Any:
            return next(_value(value, at) for mask, value in published if mask >> at & 1)

        return _Varying(self._classes(published), build)

    def _object(self, kind: str, node: dict[str, Any]) -> Any:
        parts: list[tuple[str, int, Any]] = []
        same = True
        for key, value in node.items():
            if key in _STRIPPED:
                same = False
                continue
            published, mask = self.child(kind, key, value)
            same = same and published is value and mask == self.all
            parts.append((key, mask, published))
        finish = self._schema_finish(node) if kind == "schema" else None
        if same and finish is None:
            return node

        def build(at: int) -> dict[str, Any]:
            built = {key: _value(value, at) for key, mask, value in parts if mask >> at & 1}
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
            return {name: _value(value, at) for mask, name, value in entries if mask >> at & 1}

        return self._container([(mask, value) for mask, _, value in entries], build)

    def _list(self, kind: str, items: list[Any]) -> tuple[Any, int]:
        parts = [(self.timeline.find_shown(kind, item), self.node(kind, item)) for item in items]
        if all(
            mask == self.all and value is item
            for (mask, value), item in zip(parts, items, strict=True)
        ):
            return items, self.all

        def build(at: int) -> list[Any]:
            return [_value(value, at) for mask, value in parts if mask >> at & 1]

        return self._container(parts, build)

    def _container(
        self, parts: Sequence[tuple[int, Any]], build: Callable[[int], Any]
    ) -> tuple[Any, int]:
        """Return a mapping or list whose members vary; it goes where none is left."""
        together = 0
        for mask, _ in parts:
            together |= mask
        return self._build_varying(parts, build), together

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

    # Schemas: what follows from the members by itself.

    def _dependencies(self, node: dict[str, Any]) -> list[tuple[int, Any]]:
        """Return what a schema depends on beside its own parts: the subtypes it names."""
        mapping = self._mapping(node)
        return [(self._find_mapped(node, reference), None) for reference in mapping.values()]

    def _schema_finish(
        self, node: dict[str, Any]
    ) -> Callable[[dict[str, Any], int], dict[str, Any]] | None:
        steps = [
            step
            for applies, step in (
                (self._renames_or_removes(node), partial(self._list_required, node)),
                (bool(self._mapping(node)), partial(self._discriminator, node)),
                (self._is_annotated_enumeration(node), enumeration),
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
        """Let `required` follow its properties; it is written in canonical names throughout."""
        properties = node["properties"]
        required = []
        for name in node["required"]:
            child = properties.get(name)
            if child is None:
                required.append(name)
            elif self.timeline.of(child) >> at & 1:
                called = self.timeline.names("schema", name, child)
                required.append(next(shown for mask, shown in called if mask >> at & 1))
        if required or not node["required"]:
            return {**built, "required": required}
        return {key: value for key, value in built.items() if key != "required"}

    @staticmethod
    def _mapping(node: dict[str, Any]) -> dict[str, str]:
        discriminator = node.get("discriminator")
        return (discriminator.get("mapping") or {}) if isinstance(discriminator, dict) else {}

    def _find_mapped(self, node: dict[str, Any], reference: str) -> int:
        """Return where a mapping's target is a member; where it exists, if it is none."""
        goal = target(reference) or ("schemas", reference)
        members = [
            member
            for key in UNIONS
            for member in node.get(key, ())
            if isinstance(member, dict) and target(member.get("$ref", "")) == goal
        ]
        together = 0 if members else self.all
        for member in members:
            together |= self.timeline.of(member)
        return together & self.api.visible.get(goal, self.all)

    def _discriminator(
        self, node: dict[str, Any], built: dict[str, Any], at: int
    ) -> dict[str, Any]:
        mapping = self._mapping(node)
        kept = {
            tag: reference
            for tag, reference in mapping.items()
            if self._find_mapped(node, reference) >> at & 1
        }
        if len(kept) == len(mapping):
            return built
        return {**built, "discriminator": {**built["discriminator"], "mapping": kept}}

    def _is_annotated_enumeration(self, node: dict[str, Any]) -> bool:
        """Tell whether *node* is a `oneOf` of `const`, published as a plain `enum`.

        In adopted sources only one that has a history is ours; others are published as they are.
        """
        members = node.get("oneOf")
        return (
            isinstance(members, list)
            and bool(members)
            and all(isinstance(member, dict) and "const" in member for member in members)
            and (
                not self.api.table.adopted
                or any(self.timeline.of(member) != self.all for member in members)
            )
        )


def enumeration(built: dict[str, Any], _at: int = 0) -> dict[str, Any]:
    """Return a `oneOf` of `const` as it is published: as an `enum`."""
    members = built["oneOf"]
    published = {
        "enum" if key == "oneOf" else key: [member["const"] for member in members]
        if key == "oneOf"
        else value
        for key, value in built.items()
    }
    said = {
        str(member["const"]): member["description"] for member in members if "description" in member
    }
    return {**published, "x-enum-descriptions": said} if said else published


def open_ended(built: dict[str, Any], _at: int = 0) -> dict[str, Any]:
    """Return an open-ended text as it is published: the known values stand where tools look."""
    if "examples" in built:
        return built
    return {**built, "examples": list(built[EXTENSIBLE])}
