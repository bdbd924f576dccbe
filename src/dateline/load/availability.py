"""Check that nothing is visible where something it refers to is absent.

Also computes where each component is part of the contract: a component that only gated places reach
appears and disappears with them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from functools import cached_property, reduce
from itertools import pairwise
from operator import or_
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from dateline.gates import Timeline, substitutes
from dateline.model import ADDED, REMOVED, SHOWN_AS, WAS, Place, Problem, Trail
from dateline.openapi import (
    COMPONENTS,
    children,
    find_operation,
    follow,
    list_mapped,
    method_name,
    operation_steps,
    pointer,
    target,
)
from dateline.schema.references import Located, Resolver
from dateline.schema.types import UNIONS
from dateline.schema.usage import find_component
from dateline.schema.variants import subtypes

# Steps of a path that say nothing about the place.
_WRAPPING: Final = ("content", "schema")

Component = tuple[str, str]
Locate = Callable[..., Place]


class Need(NamedTuple):
    """A reference: its holder, where it is visible (within its owner), and what it needs.

    ``needs`` is where the target is visible by its own keys. A *following* edge keeps its target
    part of the contract, but disappears where the target is absent, as discriminator mappings do.
    """

    owner: Component | None
    path: Trail
    shown: int
    goal: Component | None
    needs: int
    goal_path: Trail
    goal_name: str
    following: bool = False


def find_availability(
    document: dict[str, Any],
    timeline: Timeline,
    locate: Locate,
    *,
    adopted: bool,
    drafts: Collection[str] = (),
) -> tuple[dict[Component, int], list[Problem]]:
    """Return where each component is part of the contract, and every dangling reference.

    *document* has passed the checks: its references resolve and its keys are well formed. A
    component that was explicitly added with the first version does not depend on what reaches it.
    *Adopted* documents may refer to what is absent, as their own versions did, but not because of a
    gate of one of the *drafts*; and in them, components with explicit dates don't depend on what
    reaches them.
    """
    walk = _Walk(document, timeline, with_values=not adopted)
    edges = list(walk.edges())
    own = [key for key in walk.declared if walk.is_by_itself(key, adopted=adopted)]
    visible = _propagate(walk.declared, edges, timeline.all, own)
    problems = [
        _create_problem(edge, lacking, timeline, locate)
        for edge in edges
        if not edge.following
        and (lacking := edge.shown & visible.get(edge.owner, timeline.all) & ~edge.needs)
        and (not adopted or _is_of_draft(lacking, edge.needs, timeline, drafts))
    ]
    problems += [
        Problem(
            place=locate(path),
            id="union-without-member",
            message=f"every member of this {path[-1]} is absent in "
            f"{timeline.places(lacking)}; gate the place that contains the union as well",
        )
        for owner, path, mask in walk.empty_unions
        if (lacking := mask & visible.get(owner, timeline.all))
    ]
    return {key: mask for key, mask in visible.items() if key is not None}, problems


def _is_of_draft(lacking: int, needs: int, timeline: Timeline, drafts: Collection[str]) -> bool:
    """Return whether one of the *drafts* breaks a reference, or adds its target too late."""
    return any(
        newer.version in drafts
        and older.environment == newer.environment
        and ((needs >> at + 1) if lacking >> at & 1 else (lacking >> at + 1)) & 1
        for at, (older, newer) in enumerate(pairwise(timeline.combinations))
    )


def _create_problem(edge: Need, lacking: int, timeline: Timeline, locate: Locate) -> Problem:
    there = timeline.places(edge.needs) or "no version"
    return Problem(
        place=locate(edge.path),
        id="reference-outlives-target",
        message=f"{_describe_path(edge.path)} is shown in {timeline.places(lacking)}, where "
        f"{edge.goal_name} is absent ({locate(edge.goal_path)}: only in {there}); "
        f"give this place the same gate, or make {edge.goal_name} visible there",
    )


def _describe_path(path: Trail) -> str:
    """Return a short description of a path: the component or operation, then the rest."""
    if path[0] == "components":
        return ".".join(str(part) for part in path[2:] if part != "properties")
    if (operation := find_operation(path)) is not None:
        called, method = operation
        below = [part for part in path[2 + len(operation_steps(method)) :] if part not in _WRAPPING]
        return " ".join(map(str, (method_name(method), called, *below)))
    return " ".join(map(str, path))


def _propagate(
    declared: dict[Component, int], edges: list[Need], everywhere: int, own: list[Component]
) -> dict[Component | None, int]:
    """Return the smallest sets of combinations that follow from the roots along the edges.

    The components in *own* are roots as well.
    """
    outgoing: dict[Component | None, list[Need]] = defaultdict(list)
    for edge in edges:
        if edge.goal is not None and edge.goal != edge.owner:
            outgoing[edge.owner].append(edge)
    referred = {edge.goal for edge in edges if edge.goal != edge.owner}
    visible: dict[Component | None, int] = {}

    def flow(root: Component | None, mask: int) -> None:
        visible[root] = visible.get(root, 0) | mask
        pending = [root]
        while pending:
            owner = pending.pop()
            for edge in outgoing[owner]:
                assert edge.goal is not None
                known = visible.get(edge.goal)
                reached = (known or 0) | (edge.shown & visible[owner] & declared[edge.goal])
                if reached != known:
                    visible[edge.goal] = reached
                    pending.append(edge.goal)

    flow(None, everywhere)
    for component in own:
        flow(component, declared[component])
    # Components that no operation reaches are still part of every contract, because consumers
    # import them. First those that nothing refers to, then one of each remaining cycle.
    for component in [*(c for c in declared if c not in referred), *declared]:
        if component not in visible:
            flow(component, declared[component])
    return visible


class _Walk:
    """One pass over the canonical document that collects edges."""

    def __init__(self, document: dict[str, Any], timeline: Timeline, *, with_values: bool) -> None:
        self.document = document
        self.with_values = with_values
        self.timeline = timeline
        self.components: dict[str, dict[str, Any]] = document.get("components", {})
        self.declared: dict[Component, int] = {
            (section, name): timeline.of(node)
            for section in COMPONENTS
            for name, node in self.components.get(section, {}).items()
        }
        self.tags = {
            tag["name"]: (index, timeline.of(tag))
            for index, tag in enumerate(document.get("tags", ()))
        }
        self.empty_unions: list[tuple[Component | None, Trail, int]] = []
        # the places of operations, and where each is visible there under its name or at all
        self._operations: dict[str, dict[Trail, int]] = defaultdict(dict)
        self._links: list[tuple[Component | None, Trail, int, str]] = []
        self.owner: Component | None = None

    def is_by_itself(self, component: Component, *, adopted: bool) -> bool:
        """Return whether *component* is visible by its own keys, whatever reaches it."""
        section, name = component
        node = self.components[section][name]
        if not isinstance(node, dict):
            return False
        first = self.timeline.combinations[0].version
        return node.get(ADDED) == first or (adopted and (ADDED in node or REMOVED in node))

    def edges(self) -> Iterator[Need]:
        everywhere = self.timeline.all
        for era, now in self.timeline.eras("document", self.document):
            yield from self._security(now, (), era)
        for key in ("paths", "webhooks"):
            for name, item in self.document.get(key, {}).items():
                yield from self._node("path-item", item, (key, name), everywhere)
        for section, kind in COMPONENTS.items():
            for name, node in self.components.get(section, {}).items():
                self.owner = section, name
                yield from self._node(kind, node, ("components", section, name), everywhere)
        yield from self._linked()

    def _node(self, kind: str, node: Any, path: Trail, shown: int) -> Iterator[Need]:
        if not isinstance(node, dict):
            return
        shown &= self.timeline.of(node)
        for era, now in self.timeline.eras(kind, node):
            if not (mask := shown & era):
                continue
            reference = now.get("$ref")
            if isinstance(reference, str) and (goal := self._find_goal(reference)) is not None:
                key = "$ref" if node.get("$ref") == reference else WAS
                yield self._to(goal, (*path, key), mask)
            if kind == "operation":
                yield from self._operation(now, path, mask)
            elif kind == "link":
                for key, read in (("operationId", str), ("operationRef", unquote)):
                    if key in now:
                        self._links.append((self.owner, (*path, key), mask, read(now[key])))
            elif kind == "schema":
                yield from self._schema(now, path, mask)
            elif kind in ("media-type", "parameter", "header"):
                schema_path = (*path, "schema")
                yield from self._examples(now, now.get("schema"), schema_path, path, mask)
            for below, child_kind, child in children(kind, now):
                yield from self._node(child_kind, child, path + below, mask)

    def _find_goal(self, reference: str) -> Component | None:
        """Return the component that *reference* leads to or into."""
        goal = target(reference)
        if goal is None and (found := self._references.locate(reference)) is not None:
            goal = find_component("#" + found.pointer)
        return goal if goal in self.declared else None

    @cached_property
    def _references(self) -> Resolver:
        return Resolver(self.document)

    def _to(self, goal: Component, path: Trail, shown: int, *, following: bool = False) -> Need:
        goal_path = ("components", *goal)
        needs = self.declared[goal]
        return Need(self.owner, path, shown, goal, needs, goal_path, goal[1], following)

    def _linked(self) -> Iterator[Need]:
        """Yield what links need. The operations of a reference out of the document are unknown."""
        for owner, path, shown, named in self._links:
            if found := self._operations.get(named):
                needs = reduce(or_, found.values())
                at = next(iter(found))
                yield Need(owner, path, shown, None, needs, at, _describe_path(at))

    def _operation(self, node: dict[str, Any], path: Trail, shown: int) -> Iterator[Need]:
        for name in (f"#{pointer(path)}", node.get("operationId")):
            if isinstance(name, str):
                seen = self._operations[name]
                seen[path] = seen.get(path, 0) | shown
        yield from self._security(node, path, shown)
        for index, name in enumerate(node.get("tags", ())):
            if name in self.tags:
                at, needs = self.tags[name]
                yield Need(
                    self.owner, (*path, "tags", index), shown, None, needs, ("tags", at), name
                )

    def _security(self, node: dict[str, Any], path: Trail, shown: int) -> Iterator[Need]:
        for index, requirement in enumerate(node.get("security", ())):
            for name in requirement:
                if ("securitySchemes", name) in self.declared:
                    place = (*path, "security", index, name)
                    yield self._to(("securitySchemes", name), place, shown)

    def _schema(self, node: dict[str, Any], path: Trail, shown: int) -> Iterator[Need]:
        yield from self._examples(node, node, path, path, shown)
        if "default" in node:
            yield from self._value(node["default"], node, path, (*path, "default"), shown)
        for key in UNIONS:
            members = node.get(key)
            if not members:
                continue
            together = 0
            for index, member in enumerate(members):
                mask = self.timeline.of(member)
                together |= mask
                if isinstance(member, dict) and SHOWN_AS in member:
                    place = (*path, key, index, SHOWN_AS)
                    yield from self._substitutes(member, node, path, place, shown & ~mask)
            if shown & ~together:
                self.empty_unions.append((self.owner, (*path, key), shown & ~together))
        for goal in self._named_by_tags(node):
            yield self._to(goal, (*path, "discriminator"), shown, following=True)
        if self.owner is not None and path == ("components", *self.owner):
            for name in sorted(self.subtypes.get(self.owner[1], ())):
                yield self._to(("schemas", name), path, shown, following=True)

    def _substitutes(
        self, member: dict[str, Any], node: dict[str, Any], path: Trail, place: Trail, lacking: int
    ) -> Iterator[Need]:
        """Yield what the `x-shown-as` values of *member* need where it is *lacking*.

        The member of *node* that such a value belongs to may be replaced by its own `x-shown-as`
        there.
        """
        for date, value, mask in self.timeline.substituted(member, lacking):
            where = place if date is None else (*place, date)
            for edge in self._value(value, node, path, where, mask) if mask else ():
                *around, index = edge.goal_path
                followed = (
                    tuple(around) in {(*path, key) for key in UNIONS}
                    and edge.path == where
                    and substitutes(node[str(around[-1])][index])
                )
                if not followed:
                    yield edge

    def _named_by_tags(self, node: dict[str, Any]) -> Iterator[Component]:
        """Yield the targets of a discriminator's mapping that are not members of its union."""
        named = self._references
        members = [named.variant_name(member) for key in UNIONS for member in node.get(key, ())]
        for reference in list_mapped(node.get("discriminator")):
            name = named.mapped_name(reference)
            if name is not None and name not in members:
                yield "schemas", name

    @cached_property
    def subtypes(self) -> dict[str, frozenset[str]]:
        """The schemas that extend a discriminated schema, and are allowed wherever it is."""
        return subtypes(self.components.get("schemas", {}))

    def _examples(
        self, node: dict[str, Any], schema: Any, at: Trail, path: Trail, shown: int
    ) -> Iterator[Need]:
        if "example" in node:
            yield from self._value(node["example"], schema, at, (*path, "example"), shown)
        examples = node.get("examples")
        if isinstance(examples, list):
            for index, value in enumerate(examples):
                yield from self._value(value, schema, at, (*path, "examples", index), shown)
        elif isinstance(examples, dict):
            for name, example in examples.items():
                if isinstance(example, dict) and "value" in example:
                    mask = shown & self.timeline.of(example)
                    place = (*path, "examples", name, "value")
                    yield from self._value(example["value"], schema, at, place, mask)

    def _value(self, value: Any, schema: Any, at: Trail, path: Trail, shown: int) -> Iterator[Need]:
        """Yield what a value at *path* needs of *schema* at *at*: its members and fields."""
        if not self.with_values:
            return
        pending = [(value, schema, at, path)]
        seen: set[tuple[int, Trail]] = set()
        while pending:
            value, schema, at, path = pending.pop()
            schema, at = self._resolve(schema, at)
            if schema is None or (id(value), at) in seen:
                continue
            seen.add((id(value), at))
            for index, base in enumerate(schema.get("allOf", ())):
                pending.append((value, base, (*at, "allOf", index), path))
            for key in UNIONS:
                for index, member in enumerate(schema.get(key, ())):
                    if self._is_member(value, member, schema.get("discriminator")):
                        place = (*at, key, index)
                        yield self._within(path, shown, member, place, _member_name(member))
                        pending.append((value, member, place, path))
            for name in self._variants(value, schema, at):
                variant, place = self.components["schemas"][name], ("components", "schemas", name)
                yield self._within(path, shown, variant, place, name)
                pending.append((value, variant, place, path))
            if isinstance(value, dict):
                properties = schema.get("properties", {})
                for name in [name for name in value if name in properties]:
                    place = (*at, "properties", name)
                    yield self._within(path, shown, properties[name], place, name)
                    pending.append((value[name], properties[name], place, (*path, name)))
            elif isinstance(value, list) and isinstance(schema.get("items"), dict):
                for index, item in enumerate(value):
                    pending.append((item, schema["items"], (*at, "items"), (*path, index)))

    def _variants(self, value: Any, schema: dict[str, Any], at: Trail) -> Iterator[str]:
        """Yield the extension of *schema* at *at* that the tag of *value* selects."""
        tags = schema.get("discriminator")
        below = self.subtypes.get(str(at[2]), ()) if at[:2] == ("components", "schemas") else ()
        if not below or not isinstance(value, dict) or not isinstance(tags, dict):
            return
        tag = value.get(tags.get("propertyName"))
        named = (tags.get("mapping") or {}).get(tag, tag) if isinstance(tag, str) else None
        goal = self._references.mapped_name(named)
        yield from (name for name in below if name == goal and len(at) == 3)

    def _within(self, path: Trail, shown: int, goal: Any, goal_path: Trail, name: str) -> Need:
        return Need(self.owner, path, shown, None, self.timeline.of(goal), goal_path, name)

    def _resolve(self, schema: Any, path: Trail) -> tuple[dict[str, Any] | None, Trail]:
        if isinstance(schema, dict) and "$ref" in schema:
            located = self._references.follow(Located(schema, pointer(path)))
            schema, path = located.value, follow(self.document, located.pointer)
        is_found = isinstance(schema, dict) and "$ref" not in schema
        return (schema, path) if is_found else (None, path)

    def _is_member(self, value: Any, member: Any, discriminator: Any) -> bool:
        """Return whether *value* belongs to *member*, if that can be decided."""
        node, _ = self._resolve(member, ())
        if node is None:
            return False
        if "const" in node:
            return bool(node["const"] == value and type(node["const"]) is type(value))
        if isinstance(discriminator, dict) and isinstance(value, dict):
            tag = value.get(discriminator.get("propertyName"))
            named = (discriminator.get("mapping") or {}).get(tag, tag)
            own = self._references.find_variant(member)
            return own is not None and own == self._references.find_mapped(named)
        return False


def _member_name(member: dict[str, Any]) -> str:
    reference = member.get("$ref")
    goal = target(reference) if isinstance(reference, str) else None
    return goal[1] if goal else repr(member.get("const"))
