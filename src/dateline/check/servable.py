"""Find gates that the generated server could not serve.

Each gate needs a total way down for values (a list item or optional field is left out, a renamed
one has its old name, ``x-shown-as`` replaces a member) and a total way up for requests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

from dateline.cache import Cache, Recollection
from dateline.canonical import with_media_types
from dateline.check.findings import create_finding, list_concerned
from dateline.check.responses import find_unsendable
from dateline.gates import Timeline, gate_dates
from dateline.model import (
    ADDED,
    SHOWN_AS,
    WAS,
    Api,
    Finding,
    Policy,
    Verdict,
)
from dateline.openapi import follow, pointer, target, value_at, walk
from dateline.project import Projector
from dateline.schema.access import READ_ONLY, WRITE_ONLY, Access
from dateline.schema.memo import closure
from dateline.schema.references import Resolver
from dateline.schema.types import UNIONS
from dateline.schema.variants import subtypes

Path = tuple[str | int, ...]

_REQUEST: Final = frozenset({"requestBody", "requestBodies", "parameters"})
_RESPONSE: Final = frozenset({"responses"})
_SAME_VALUE: Final = frozenset({"oneOf", "anyOf", "allOf", "then", "else", "if"})
_LEFT_OUT: Final = frozenset(
    {"items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "contains"}
)


class Unservable(NamedTuple):
    """What can't be served: the rule, the place, the message and the affected versions."""

    rule: str
    path: Path
    message: str
    concerned: dict[str, tuple[str, ...]]


def check_servable(
    api: Api, projector: Projector | None = None, cache: Cache | None = None
) -> Iterator[Finding]:
    """Yield each gated member without a substitute, and each request field without a way up.

    *projector* is one of the same definitions, if the caller has one. The *cache* has results for
    definitions that differ only in words. In adopted sources, what a cut version introduced is
    information: it was published elsewhere.
    """
    drafts = {version.date for version in api.table.versions if version.draft}
    newest = {version.date for version in api.table.supported[-1:]}
    for found in _list_unservable(api, projector, cache):
        finding = _create_finding(api, found)
        if finding.rule == "response-without-way-down":
            # a draft introduced what callers of the newest cut version can't be sent
            is_of_draft = not newest.isdisjoint(finding.versions)
        else:
            is_of_draft = not drafts.isdisjoint(_dates(api, finding))
        if api.table.adopted and not is_of_draft:
            finding = replace(finding, verdict=Verdict.INFORMATION)
        yield finding


def _dates(api: Api, finding: Finding) -> set[str]:
    """Return the dates of the gates that *finding* is about."""
    path = follow(api.document, finding.after_pointer or "")
    node = value_at(api.document, path)
    return {*gate_dates(node if isinstance(node, dict) else value_at(api.document, path[:-1]))}


def _list_unservable(
    api: Api, projector: Projector | None, cache: Cache | None
) -> list[Unservable]:
    def compute() -> list[Unservable]:
        return list(_find_unservable(api, projector or Projector(api)))

    found = Recollection(cache, api.meaning).recall("unservable", compute, repr(api.visible))
    return [_read_row(*row) for row in found]


def _read_row(
    rule: str, path: list[str | int], message: str, concerned: dict[str, list[str]]
) -> Unservable:
    who = {name: tuple(those) for name, those in concerned.items()}
    return Unservable(rule, tuple(path), message, who)


def _find_unservable(api: Api, projector: Projector) -> Iterator[Unservable]:
    places = _Places(api)
    for path, kind, node in places.gated_parents:
        if kind == "schema":
            yield from _members(places, path, node)
            yield from _fields(places, path, node)
        elif kind in ("operation", "path-item"):
            yield from _parameters(path, node)
    yield from _variants(api, places)
    for path, kind, node in places.with_history:
        if kind == "schema" and places.in_request(path):
            yield from _required_fields(places, path, node)
        elif kind in ("parameter", "request-body") and node.get("required"):
            yield from _required_since(places, path, kind)
    yield from _empty_bodies(api, places)
    yield from _responses(api, projector)


def _members(places: _Places, path: Path, node: dict[str, Any]) -> Iterator[Unservable]:
    for key in UNIONS:
        for index, member in enumerate(node.get(key, ())):
            missing = places.timeline.all & ~places.timeline.of(member)
            if not missing or not isinstance(member, dict) or SHOWN_AS in member:
                continue
            holder = places.holder(path)
            if holder is None:
                continue
            at = (*path, key, index)
            _, name = target(member.get("$ref", "")) or ("", "a member")
            name = member["const"] if member.get("const", "") != "" else name
            yield Unservable(
                "member-without-substitute",
                at,
                f"{_name(path)}: {name} is absent in {places.timeline.places(missing)}, and "
                f"{holder}",
                {},
            )


def _variants(api: Api, places: _Places) -> Iterator[Unservable]:
    """Yield each gated extension of a discriminated schema that some response requires."""
    schemas = api.document.get("components", {}).get("schemas", {})
    for parent, names in sorted(places.subtypes.items()):
        parent_shown = api.visible.get(("schemas", parent), places.timeline.all)
        holder = places.holder(("components", "schemas", parent))
        for name in sorted(names if holder is not None else ()):
            missing = parent_shown & ~places.timeline.of(schemas[name])
            if holder is None or not missing or SHOWN_AS in schemas[name]:
                continue
            yield Unservable(
                "member-without-substitute",
                ("components", "schemas", name),
                f"{parent}: {name} is absent in {places.timeline.places(missing)}, and {holder}",
                {},
            )


def _fields(places: _Places, path: Path, node: dict[str, Any]) -> Iterator[Unservable]:
    yield from _left_fields(places, path, node)
    for name, child in node.get("properties", {}).items():
        missing = places.timeline.all & ~places.timeline.of(child)
        if (
            missing
            and ADDED in child
            and name in node.get("required", ())
            and "default" not in child
            and places.in_request(path)
            and places.access.of(child) != READ_ONLY
        ):
            at = (*path, "properties", name)
            message = (
                f"{_name(at)}: required in requests, and absent in "
                f"{places.timeline.places(missing)}"
            )
            yield Unservable("request-without-way-up", at, message, {})


def _left_fields(places: _Places, path: Path, node: dict[str, Any]) -> Iterator[Unservable]:
    """Yield each object of which versions without some of its fields may have too few left."""
    fields = node.get("properties", {})
    required = [fields[name] for name in node.get("required", ()) if name in fields]
    short = 0
    for mask, era in places.timeline.eras("schema", node):
        least = _count(era.get("minProperties"))
        # below the names that it always has, an object may be as short as that
        for each in places.timeline.members(mask) if least else ():
            at = 1 << places.timeline.combinations.index(each)
            is_lacking = any(not places.timeline.of(child) & at for child in fields.values())
            always = sum(bool(places.timeline.of(child) & at) for child in required)
            short |= at if is_lacking and always < least else 0
    if short and (holder := places.holder(path)) is not None:
        message = (
            f"{_name(path)}: `minProperties` may count fields that are absent in "
            f"{places.timeline.places(short)}, and {holder}"
        )
        yield Unservable("response-without-way-down", (*path, "minProperties"), message, {})


def _required_fields(places: _Places, path: Path, node: dict[str, Any]) -> Iterator[Unservable]:
    """Yield each field that requests must have now, and could omit before."""
    for name in node.get("required", ()):
        child = node.get("properties", {}).get(name, {})
        free = places.timeline.all & ~places.where(path, partial(_requires, name))
        if name in node.get("properties", {}):
            # a converter for the whole object creates it from the fields that it replaced
            free &= ~places.where(path, partial(_lacks, name))
        is_needed = "default" not in child and places.access.of(child) != READ_ONLY
        if free & places.timeline.of(child) and is_needed:
            message = (
                f"{_name((*path, 'properties', name))}: required in requests, and optional in "
                f"{places.timeline.places(free)}"
            )
            yield Unservable("request-without-way-up", (*path, "required"), message, {})


def _parameters(path: Path, node: dict[str, Any]) -> Iterator[Unservable]:
    for index, parameter in enumerate(node.get("parameters", ())):
        if (
            isinstance(parameter, dict)
            and parameter.get("required")
            and ADDED in parameter
            and "default" not in parameter.get("schema", {})
        ):
            at = (*path, "parameters", index)
            message = f"{_name(path)}: parameter {parameter.get('name')} is required, and new"
            yield Unservable("request-without-way-up", at, message, {})


def _lacks(name: str, node: dict[str, Any]) -> bool:
    return name not in node.get("properties", {name: None})


def _requires(name: str, schema: dict[str, Any]) -> bool:
    return name in schema.get("required", ())


def _required_since(places: _Places, path: Path, kind: str) -> Iterator[Unservable]:
    """Yield the required parameter or body at *path*, if requests could omit it before."""
    node = places.node(path)
    free = places.where(path, lambda era: not era.get("required")) & places.timeline.of(node)
    if free and "default" not in node.get("schema", {}):
        what = "a body" if kind == "request-body" else f"parameter {node.get('name')}"
        message = (
            f"{_name(path)}: {what} is required, and optional in {places.timeline.places(free)}"
        )
        yield Unservable("request-without-way-up", (*path, "required"), message, {})


def _empty_bodies(api: Api, places: _Places) -> Iterator[Unservable]:
    """Yield each body of a 204 response, with the operations and versions that declare it."""
    users: dict[Path, list[Path]] = defaultdict(list)
    for path, kind, node in walk("document", api.document):
        if kind == "responses" and "204" in node:
            response = places.resolve((*path, "204"))
            if response is not None and places.where(response, _has_content):
                users[response].append((*path, "204"))
    for response, responses in users.items():
        shown = 0
        for path in responses:
            shown |= places.find_shown(path) & places.where(response, _has_content)
        named = response if response[0] == "components" else response[:-2]
        names = tuple(sorted({_name(path) for path in responses if path[0] == "paths"}))
        concerned = {"operations": names, **list_concerned(places.timeline.members(shown))}
        message = f"{_name(named)}: a body is declared for 204"
        yield Unservable("body-without-content", (*response, "content"), message, concerned)


def _has_content(response: dict[str, Any]) -> bool:
    return bool(response.get("content"))


def _responses(api: Api, projector: Projector) -> Iterator[Unservable]:
    """Yield each response of the newest version that callers of older ones can't be sent."""
    placed = with_media_types(api)
    projector = projector if placed is api else Projector(placed)
    for path, fact, operations, combinations in find_unsendable(placed, projector):
        concerned = list_concerned(combinations)
        message = f"{operations[0]}: {fact} in {', '.join(concerned['versions'])}"
        who = {"operations": operations, **concerned}
        yield Unservable("response-without-way-down", path, message, who)


def _create_finding(api: Api, found: Unservable) -> Finding:
    at = pointer(found.path)
    return create_finding(
        found.rule,
        Policy.SERVABLE,
        found.message,
        key=(at,),
        after_pointer=at,
        after_source=api.locate(found.path),
        operations=found.concerned.get("operations", ()),
        versions=found.concerned.get("versions", ()),
        environments=found.concerned.get("environments", ()),
    )


def _name(path: Path) -> str:
    """Return a path as a component and a dotted field, or as an operation."""
    if path[:2] == ("components", "schemas"):
        steps = [str(step) for step in path[3:] if step not in ("properties", "schema")]
        return ".".join([str(path[2]), *steps])
    if path[0] == "paths" and len(path) > 2:
        return f"{str(path[2]).upper()} {path[1]}"
    return pointer(path)


def _leads(path: Path, words: frozenset[str]) -> bool:
    """Return whether one of *words* on *path* leads to it."""
    return not words.isdisjoint(path[1:2] if path[0] == "components" else path)


class _RequiredPlace(NamedTuple):
    """A place that contains a value, and can't omit it; *least* is a keyword that makes it so."""

    path: Path
    least: str = ""

    def __str__(self) -> str:
        how = f"has `{self.least}`" if self.least else "is required and single-valued"
        return f"{_name(self.path)} {how}"


class _Places:
    """Where schemas are used: in requests or responses, and whether a value can be left out."""

    def __init__(self, api: Api) -> None:
        self.timeline = Timeline(api.table)
        self._document = api.document
        self.access = Access(api.document)
        self._nodes: dict[Path, tuple[str, dict[str, Any]]] = {}
        self._users: dict[Path, list[Path]] = defaultdict(list)
        self._resolver = Resolver(api.document)
        for path, kind, node in walk("document", api.document):
            self._nodes[path] = kind, node
            if (goal := self._find_goal(node)) is not None:
                self._users[goal].append(path)

    def _find_goal(self, node: dict[str, Any]) -> Path | None:
        """Return the path of the target of the reference *node*: a component or within one."""
        goal = self._resolver.locate(node.get("$ref"))
        return None if goal is None else follow(self._document, goal.pointer)

    @cached_property
    def subtypes(self) -> dict[str, frozenset[str]]:
        """The schemas that extend a discriminated schema, and are allowed wherever it is."""
        return subtypes(self._document.get("components", {}).get("schemas", {}))

    def resolve(self, path: Path) -> Path | None:
        """Return the path of the object at *path*, or of the one that it refers to."""
        node = self._nodes[path][1]
        found = self._find_goal(node) if "$ref" in node else path
        return found if found in self._nodes else None

    def find_shown(self, path: Path) -> int:
        """Return where *path* is visible, by the keys on the way there."""
        mask = self.timeline.all
        for length in range(len(path) + 1):
            if path[:length] in self._nodes:
                mask &= self.timeline.of(self._nodes[path[:length]][1])
        return mask

    def node(self, path: Path) -> dict[str, Any]:
        """Return the object at *path*."""
        return self._nodes[path][1]

    def where(self, path: Path, holds: Callable[[dict[str, Any]], Any]) -> int:
        """Return where *holds* is true for the object at *path*, as it was in each version."""
        eras = self.timeline.eras(*self._nodes[path])
        return sum(mask for mask, era in eras if holds(era))

    @cached_property
    def gated_parents(self) -> list[tuple[Path, str, dict[str, Any]]]:
        """The nodes that may contain a gated member, field or parameter."""
        everywhere = self.timeline.all
        parents = {
            path[:-2]
            for path, (_, node) in self._nodes.items()
            if len(path) > 2 and self.timeline.of(node) != everywhere
        }
        return [(path, *found) for path, found in self._nodes.items() if path in parents]

    @property
    def with_history(self) -> list[tuple[Path, str, dict[str, Any]]]:
        """The nodes that were different in older versions."""
        return [(path, *found) for path, found in self._nodes.items() if WAS in found[1]]

    def in_request(self, path: Path) -> bool:
        return _leads(path, _REQUEST) or not self._requested.isdisjoint(_prefixes(path))

    def in_response(self, path: Path) -> bool:
        return _leads(path, _RESPONSE) or not self._answered.isdisjoint(_prefixes(path))

    @cached_property
    def _requested(self) -> set[Path]:
        return self._reach(_REQUEST)

    @cached_property
    def _answered(self) -> set[Path]:
        return self._reach(_RESPONSE)

    def _reach(self, words: frozenset[str]) -> set[Path]:
        """Return everything that one of *words* leads to, through references or not."""
        refers: dict[Path, set[Path]] = defaultdict(set)
        for goal, users in self._users.items():
            for user in users:
                for around in self._users.keys() & {*_prefixes(user)}:
                    refers[around].add(goal)
        starts = [
            goal
            for goal, users in self._users.items()
            if any(_leads(user, words) for user in users)
        ]
        return {*closure(starts, lambda goal: refers[goal])}

    def holder(self, path: Path) -> _RequiredPlace | None:
        """Return a place in a response that contains the value at *path* and can't omit it."""
        return self._holder(path, set())

    def _holder(self, path: Path, seen: set[Path]) -> _RequiredPlace | None:
        if path in seen:
            return None
        seen.add(path)
        is_component = path[0] == "components" and len(path) == 3
        if not is_component and (found := self._find_around(path, seen)) is not None:
            return found
        subtypes = self.subtypes.get(str(path[2]), frozenset()) if is_component else frozenset()
        holders = (
            self._holder(user, seen)
            for user in self._users.get(path, ())
            # a subtype is never another subtype
            if not subtypes or user[2] not in subtypes or {*user[3::2], "allOf"} != {"allOf"}
        )
        return next((holder for holder in holders if holder is not None), None)

    def _find_around(self, path: Path, seen: set[Path]) -> _RequiredPlace | None:
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

    def _find_least(self, path: Path, seen: set[Path], *, least: int) -> _RequiredPlace | None:
        """Return what holds the object or list at *path*, if that needs more than the *least*."""
        for keyword in ("minItems", "minProperties"):
            if self.where(path, partial(_demands, keyword, least)):
                holder = self._holder(path, seen)
                return holder and _RequiredPlace(holder.path if holder.least else path, keyword)
        return None


def _demands(keyword: str, least: int, schema: dict[str, Any]) -> bool:
    return _count(schema.get(keyword)) > least


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _prefixes(path: Path) -> list[Path]:
    """Return *path* and its ancestors, up to a component."""
    return [path[:length] for length in range(3, len(path) + 1)]
