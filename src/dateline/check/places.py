"""Find where schemas of the definitions are used, and whether a value there can be left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

from dateline.gates import Timeline, gate_dates, order
from dateline.model import GATES, WAS, Api, Trail
from dateline.openapi import find_operation, follow, method_name, pointer, walk
from dateline.schema.access import WRITE_ONLY, Access
from dateline.schema.memo import closure
from dateline.schema.references import Resolver
from dateline.schema.variants import subtypes

_REQUEST: Final = frozenset({"requestBody", "requestBodies", "parameters"})
_RESPONSE: Final = frozenset({"responses"})
_SAME_VALUE: Final = frozenset({"oneOf", "anyOf", "allOf", "then", "else", "if"})
_LEFT_OUT: Final = frozenset(
    {"items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "contains"}
)


def name_place(path: Trail) -> str:
    """Return a path as a component and a dotted field, or as an operation."""
    if path[:2] == ("components", "schemas"):
        steps = [str(step) for step in path[3:] if step not in ("properties", "schema")]
        return ".".join([str(path[2]), *steps])
    if (operation := find_operation(path)) is not None:
        return f"{method_name(operation[1])} {operation[0]}"
    return str(path[1]) if path[0] == "paths" else pointer(path)


class _RequiredPlace(NamedTuple):
    """A place that can't omit its value; *least* is the keyword that demands it, if one does."""

    path: Trail
    least: str = ""

    def __str__(self) -> str:
        how = f"has `{self.least}`" if self.least else "is required and single-valued"
        return f"{name_place(self.path)} {how}"


class Places:
    """Where schemas are used: in requests or responses, and whether a value can be left out."""

    def __init__(self, api: Api) -> None:
        self.timeline = Timeline(api.table)
        self.document = api.document
        self.access = Access(api.document)
        self._nodes: dict[Trail, tuple[str, dict[str, Any]]] = {}
        # the places of the references to each target
        self._users: dict[Trail, list[Trail]] = defaultdict(list)
        self._resolver = Resolver(api.document)
        for path, kind, node in walk("document", api.document):
            self._nodes[path] = kind, node
            if (goal := self._find_goal(node)) is not None:
                self._users[goal].append(path)

    def _find_goal(self, node: dict[str, Any]) -> Trail | None:
        """Return the path of the target of the reference *node*: a component or within one."""
        goal = self._resolver.locate(node.get("$ref"))
        return None if goal is None else follow(self.document, goal.pointer)

    @cached_property
    def subtypes(self) -> dict[str, frozenset[str]]:
        """The schemas that extend a discriminated schema, and are allowed wherever it is."""
        return subtypes(self.document.get("components", {}).get("schemas", {}))

    def resolve(self, path: Trail) -> Trail | None:
        """Return the path of the object at *path*, or of the one that it refers to."""
        node = self._nodes[path][1]
        found = self._find_goal(node) if "$ref" in node else path
        return found if found in self._nodes else None

    def find_shown(self, path: Trail) -> int:
        """Return the combinations in which *path* is visible by the keys on the way, as a mask."""
        mask = self.timeline.all
        for length in range(len(path) + 1):
            if path[:length] in self._nodes:
                mask &= self.timeline.of(self._nodes[path[:length]][1])
        return mask

    def node(self, path: Trail) -> dict[str, Any]:
        """Return the object at *path*."""
        return self._nodes[path][1]

    def where(self, path: Trail, holds: Callable[[dict[str, Any]], Any]) -> int:
        """Return the combinations in which *holds* is true for the object at *path*, as a mask."""
        eras = self.timeline.eras(*self._nodes[path])
        return sum(mask for mask, era in eras if holds(era))

    @cached_property
    def gated_parents(self) -> list[tuple[Trail, str, dict[str, Any]]]:
        """The nodes that may contain a gated member, field or parameter."""
        everywhere = self.timeline.all
        parents = {
            path[:-2]
            for path, (_, node) in self._nodes.items()
            if len(path) > 2 and self.timeline.of(node) != everywhere
        }
        return [(path, *found) for path, found in self._nodes.items() if path in parents]

    @property
    def has_gates(self) -> bool:
        """Whether anything differs between versions or environments."""
        return any(not GATES.isdisjoint(node) for _, node in self._nodes.values())

    def list_combined(self) -> list[Trail]:
        """Return the schemas that consist of several ones, if there are any gates."""
        nodes = self._nodes.items() if self.has_gates else ()
        return [path for path, (kind, node) in nodes if kind == "schema" and "allOf" in node]

    def is_older(self, one: int, other: int) -> bool:
        """Return whether a version of *one* is older than one of *other* in its environment."""
        newest = {c.environment: c.version for c in self.timeline.members(other)}
        return any(
            order(c.version) < order(newest[c.environment])
            for c in self.timeline.members(one)
            if c.environment in newest
        )

    def list_requiring(self) -> Iterator[tuple[Trail, dict[str, Any]]]:
        """Yield the schemas that require fields of other schemas, if there are any gates."""
        for path, (kind, node) in self._nodes.items() if self.has_gates else ():
            names = node.get("required") if kind == "schema" else None
            if isinstance(names, list) and not node.get("properties", {}).keys() >= {*names}:
                yield path, node

    def is_steady(self, path: Trail, name: str) -> bool:
        """Return whether the field *name* of the value at *path* is the same at all versions."""
        return self.timeline.are_steady(self.access.list_fields(path, name))

    @property
    def with_history(self) -> list[tuple[Trail, str, dict[str, Any]]]:
        """The nodes that were different in older versions."""
        return [(path, *found) for path, found in self._nodes.items() if WAS in found[1]]

    def in_request(self, path: Trail) -> bool:
        return self._leads(path, _REQUEST) or not self._requested.isdisjoint(_prefixes(path))

    def in_response(self, path: Trail) -> bool:
        return self._leads(path, _RESPONSE) or not self._answered.isdisjoint(_prefixes(path))

    def _leads(self, path: Trail, words: frozenset[str]) -> bool:
        """Return whether one of *words* on *path* leads to it, in a message of an operation.

        Callbacks are not served, and `find_withheld` knows whether webhooks can be sent.
        """
        is_item = path[:2] == ("components", "pathItems")
        is_served = path[:3] in self._served_items if is_item else path[:1] != ("webhooks",)
        # a path item has operations, or those of other methods by their names
        if not is_served or "callbacks" in path[3:6]:
            return False
        is_component = path[:1] == ("components",) and not is_item
        return not words.isdisjoint(path[1:2] if is_component else path)

    @cached_property
    def _served_items(self) -> set[Trail]:
        """The path items in components that paths refer to, directly or in turn."""
        items = {goal: users for goal, users in self._users.items() if goal[1:2] == ("pathItems",)}
        starts = [goal for goal, users in items.items() if any(u[0] == "paths" for u in users)]
        below = {
            user: [goal for goal, users in items.items() if user in users]
            for users in items.values()
            for user in users
        }
        return {*closure(starts, lambda item: below.get(item, ()))}

    @cached_property
    def _requested(self) -> set[Trail]:
        return self._reach(lambda user: self._leads(user, _REQUEST))

    @cached_property
    def _answered(self) -> set[Trail]:
        return self._reach(lambda user: self._leads(user, _RESPONSE))

    def _reach(self, is_start: Callable[[Trail], bool]) -> set[Trail]:
        """Return what references at places for which *is_start* holds lead to, at any distance."""
        starts = [goal for goal, users in self._uses.items() if any(map(is_start, users))]
        return {*closure(starts, lambda goal: self._refers[goal])}

    @cached_property
    def _refers(self) -> dict[Trail, set[Trail]]:
        """What the references in each target lead to."""
        refers: dict[Trail, set[Trail]] = defaultdict(set)
        for goal, users in self._uses.items():
            for user in users:
                for around in self._uses.keys() & {*_prefixes(user)}:
                    refers[around].add(goal)
        return refers

    @cached_property
    def _uses(self) -> dict[Trail, list[Trail]]:
        """The places of the references to each target, or to a schema of which it is a subtype."""
        uses = {goal: [*users] for goal, users in self._users.items()}
        for parent, names in self.subtypes.items():
            for name in names:
                users = self._list_users(("components", "schemas", parent))
                uses.setdefault(("components", "schemas", name), []).extend(users)
        return uses

    def _list_users(self, path: Trail) -> list[Trail]:
        """Return the places of the references to *path* that allow its subtypes, if it has any."""
        users = self._users.get(path, [])
        is_schema = path[:-1] == ("components", "schemas")
        names = self.subtypes.get(str(path[-1])) if is_schema else None
        if not names:
            return users
        # a subtype is never another subtype
        return [u for u in users if u[2] not in names or {*u[3::2], "allOf"} != {"allOf"}]

    def find_dates(self, path: Trail) -> set[str]:
        """Return the dates of all gates around *path*, within it, and in what it refers to."""
        reached = {path, *self._reach(lambda user: path in _prefixes(user))}
        around = {above for each in reached for above in _prefixes(each)}
        return {
            date
            for at, (_, node) in self._nodes.items()
            if not GATES.isdisjoint(node)
            and (at in around or not reached.isdisjoint(_prefixes(at)))
            for date in gate_dates(node)
        }

    def holder(self, path: Trail) -> _RequiredPlace | None:
        """Return a place in a response that contains the value at *path* and can't omit it."""
        return self._holder(path, set())

    def _holder(self, path: Trail, seen: set[Trail]) -> _RequiredPlace | None:
        if path in seen:
            return None
        seen.add(path)
        is_component = path[0] == "components" and len(path) == 3
        if not is_component and (found := self._find_around(path, seen)) is not None:
            return found
        holders = (self._holder(user, seen) for user in self._list_users(path))
        return next((holder for holder in holders if holder is not None), None)

    def _find_around(self, path: Trail, seen: set[Trail]) -> _RequiredPlace | None:
        """Return the result of `holder` for what surrounds *path* in the definitions."""
        parent, step = path[:-1], path[-1]
        if step in _LEFT_OUT:
            return self._find_least(parent, seen, least=0)
        if parent and parent[-1] == "patternProperties":
            return None
        if parent and parent[-1] == "properties":
            required = self._nodes[path[:-2]][1].get("required", ())
            is_shown = self.in_response(path) and self.access.of(self._nodes[path][1]) != WRITE_ONLY
            if step in required or not is_shown:
                return _RequiredPlace(path) if is_shown else None
            return self._find_least(path[:-2], seen, least=len(required))
        if parent and parent[-1] in _SAME_VALUE:
            return self._holder(path[:-2], seen)
        if step in _SAME_VALUE:
            return self._holder(parent, seen)
        if step == "schema":
            return (
                _RequiredPlace(path) if self.in_response(path) and "headers" not in path else None
            )
        return None

    def _find_least(self, path: Trail, seen: set[Trail], *, least: int) -> _RequiredPlace | None:
        """Return what holds the object or list at *path*, if that needs more than the *least*."""
        for keyword in ("minItems", "minProperties"):
            if self.where(path, partial(_demands, keyword, least)):
                holder = self._holder(path, seen)
                return holder and _RequiredPlace(holder.path if holder.least else path, keyword)
        return None


def _demands(keyword: str, least: int, schema: dict[str, Any]) -> bool:
    return count(schema.get(keyword)) > least


def count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _prefixes(path: Trail) -> list[Trail]:
    """Return *path* and its ancestors, without the root."""
    return [path[:length] for length in range(1, len(path) + 1)]
