"""Breaking changes of published contracts in, the repairs that gate them out."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

from dateline.edit.history import ABSENT, plain, same, values
from dateline.edit.places import Object, Steps, at, child, holder, keyed, objects
from dateline.edit.repairs import (
    NAME,
    CantGateError,
    Canvas,
    Enumerated,
    Gated,
    Repair,
    Restored,
    Returned,
    file_of,
)
from dateline.gates import changes, order
from dateline.model import EXTENSIBLE, GATES, KEYS, REMOVED, WAS, Change, Combination, Kind, Verdict
from dateline.openapi import follow, parts, pointer, target, walk
from dateline.project import Projector
from dateline.rules import RULES, Judgement, said

_ADDED: Final = frozenset(
    {
        *(Kind.FIELD_ADDED, Kind.PARAMETER_ADDED, Kind.BODY_ADDED, Kind.MEDIA_TYPE_ADDED),
        *(Kind.RESPONSE_ADDED, Kind.HEADER_ADDED, Kind.VARIANT_ADDED, Kind.COMPONENT_ADDED),
        Kind.OPERATION_ADDED,
    }
)
_REMOVED: Final = frozenset(
    {
        *(Kind.FIELD_REMOVED, Kind.PARAMETER_REMOVED, Kind.BODY_REMOVED, Kind.MEDIA_TYPE_REMOVED),
        *(Kind.RESPONSE_REMOVED, Kind.HEADER_REMOVED, Kind.VARIANT_REMOVED, Kind.COMPONENT_REMOVED),
        Kind.OPERATION_REMOVED,
    }
)
# What may be one thing under another name, and what it would look like.
_NAMED: Final = {
    Kind.FIELD_REMOVED: Kind.FIELD_ADDED,
    Kind.HEADER_REMOVED: Kind.HEADER_ADDED,
    Kind.PARAMETER_REMOVED: Kind.PARAMETER_ADDED,
}

# What a node says beside its shape.
_WORDS: Final = frozenset(
    {"description", "title", "summary", "example", "examples", "deprecated", "$comment"}
    | {"externalDocs", "xml"}
    | (KEYS - {EXTENSIBLE})
)
# Where one of these changes, nothing else of a schema means what it did.
_SHAPE: Final = frozenset({"type", "$ref", EXTENSIBLE})

_BY_HAND: Final = "it stands in an `x-was`, or follows from other parts; mend it by hand"
_TOO_MUCH: Final = "no key can say it; if it was renamed, affirm that, else write it back"
_MOVED: Final = "it moved at the same time; move it in a step of its own"

_R = TypeVar("_R", bound=Repair)


class Breaking(NamedTuple):
    """A change of a published contract, as one combination shows it, and what is said of it."""

    combination: Combination
    change: Change
    judgement: Judgement


@dataclass(frozen=True, kw_only=True, order=True)
class Rename:
    """Two fields, headers or parameters that look like one: was it renamed?

    ``before`` and ``after`` are its names, ``path`` leads in the definitions to what it is now.
    """

    path: Steps
    before: str
    after: str
    versions: tuple[str, ...]


@dataclass(kw_only=True)
class Planned:
    """The repairs; and the changes that none of them gates, each with the reason."""

    repairs: list[Repair] = field(default_factory=list)
    left: list[tuple[Change, str]] = field(default_factory=list)


class Planner:
    """Looks at an API and at what is published of it, side by side."""

    def __init__(self, canvas: Canvas, published: Mapping[Combination, dict[str, Any]]) -> None:
        self._canvas = canvas
        self._published = published
        self._projector = Projector(canvas.api)
        self._repairs: dict[tuple[str, Steps], Repair] = {}
        self._items: dict[tuple[Steps, str], int] = {}

    def plan(
        self,
        breaking: Iterable[Breaking],
        renames: Iterable[Rename] = (),
        coarse: Container[str] = (),
    ) -> Planned:
        """Return the repairs for *breaking*; *renames* are those that are known to be some.

        What is said of *coarse* changes can't be repaired in detail: there a list or mapping is
        restored as a whole.
        """
        planned = Planned()
        known = {}
        for rename in renames:
            known[rename.path, rename.before] = self._renamed(rename)
        for found in breaking:
            try:
                done = self._known(found, known)
                if not done:
                    detailed = said(found.change) not in coarse
                    done = self._asked(found) if detailed else [self._coarsely(found)]
            except CantGateError as reason:
                planned.left.append((found.change, str(reason)))
                continue
            for repair in done:
                repair.changes.append(found.change)
        self._give_back_components()
        planned.repairs = list(self._repairs.values())
        return planned

    # Where things stand

    def _projected(self, combination: Combination) -> dict[str, Any]:
        return self._projector.contract(*combination).document

    def _before(self, found: Breaking, at: str) -> list[Object]:
        """Return the objects that *at* leads through in what is published."""
        document = self._published[found.combination]
        return objects(document, follow(document, at))

    def _after(self, found: Breaking, at: str) -> list[Object]:
        """Return the objects that *at* leads through in what would be published now."""
        document = self._projected(found.combination)
        return objects(document, follow(document, at))

    def _canonical(self, path: Steps, combination: Combination) -> Steps:
        """Return where the definitions hold what a contract shows at *path*."""
        found = self._projector.origin(pointer(path), *combination)
        if found[-1:] == (WAS,) or len(found) != len(path):
            raise CantGateError(_BY_HAND)
        return found

    def _keep(self, repair: _R) -> _R:
        """Return the repair of this kind that there is for the place already, or this one."""
        known = self._repairs.setdefault((type(repair).__name__, repair.path), repair)
        assert isinstance(known, type(repair))
        return known

    # What is asked for

    def _asked(self, found: Breaking) -> list[Repair]:
        change = found.change
        if found.judgement.verdict is Verdict.NEVER:
            raise CantGateError(RULES[found.judgement.rule].way_out)
        if switched := self._switched(found):
            return switched
        if change.kind is Kind.COMPONENT_RENAMED:
            raise CantGateError("no key can tell what a component was called; keep its old name")
        if change.kind is Kind.SECURITY_CHANGED and change.keyword == "security":
            if not change.operations:
                raise CantGateError("no key of ours can stand on the document; write it back")
            return [self._security(found, operation) for operation in change.operations]
        if change.kind in _ADDED:
            return [self._added(found)]
        if change.kind in _REMOVED:
            return [self._removed(found)]
        if change.kind in (Kind.VALUE_ADDED, Kind.VALUE_REMOVED):
            return [self._value(found)]
        if change.kind is Kind.FIELD_REQUIRED:
            return [self._required(found)]
        if change.kind is Kind.FIELD_OPTIONAL:
            return [self._optional(found)]
        if change.keyword == "mapping" and (repair := self._mapped(found)) is not None:
            return [repair]
        return [self._keywords(found)]

    def _mapped(self, found: Breaking) -> Repair | None:
        """Give a tag back whose member is given back, too: it comes and goes with that."""
        change = found.change
        if change.before_pointer is None or change.after_pointer is not None:
            return None
        published = self._published[found.combination]
        path = follow(published, change.before_pointer)
        goal = target(str(at(published, path)))
        schema = objects(self._projected(found.combination), path[:-3])[-1]
        if path[-3:-1] != ("discriminator", "mapping") or schema.path != path[:-3]:
            return None
        canonical = self._canonical(schema.path, found.combination)
        node = self._canvas.node(canonical)
        members = [*node.get("oneOf", ()), *node.get("anyOf", ())]
        staying = [
            member for member in members if isinstance(member, dict) and REMOVED not in member
        ]
        if goal is None or any(target(str(member.get("$ref"))) == goal for member in staying):
            return None
        canonical = (*canonical, *path[-3:-1])
        known, told = self._canvas.node(canonical), at(published, path[:-1])
        if not isinstance(known, dict):
            return None
        name = str(path[-1])
        return self._keep(
            Returned(
                path=(*canonical, name),
                value=at(published, path),
                holder=canonical,
                at=_place(list(known), list(told), name),
                order=list(told).index(name),
            )
        )

    def _added(self, found: Breaking) -> Repair:
        """What is new is gated."""
        change = found.change
        assert change.after_pointer is not None
        document = self._projected(found.combination)
        path = follow(document, change.after_pointer)
        way = objects(document, path)
        if way[-1].path != path:
            if isinstance(at(document, path), bool):
                raise CantGateError("no key can stand on `true` or `false`; write a schema instead")
            return self._keywords(found)
        canonical = self._canonical(path, found.combination)
        repair = self._keep(Gated(path=canonical, in_schema=way[-1].kind == "schema"))
        repair.shown[found.combination.version] = False
        return repair

    def _coarsely(self, found: Breaking) -> Repair:
        """What holds the thing, as a whole, was otherwise."""
        change = found.change
        document = self._projected(found.combination)
        if change.kind in _REMOVED:
            assert change.before_pointer is not None
            published = self._published[found.combination]
            path = follow(published, change.before_pointer)
            then, now = self._holder(found, objects(published, path), path)
            key = str(path[len(then.path)])
        elif change.after_pointer is not None:
            path = follow(document, change.after_pointer)
            now, key = keyed(document, path, change.keyword)
            then = self._before(found, change.holder_pointer or now.pointer)[-1]
        else:
            raise CantGateError(_MOVED)
        if key == "properties" or then.kind != now.kind:
            raise CantGateError(_TOO_MUCH)
        repair = self._restored(now, found.combination)
        self._want(repair, key, found.combination.version, then.node.get(key, ABSENT))
        return repair

    # References that lead elsewhere

    def _switched(self, found: Breaking) -> list[Repair]:
        """Restore the references that led to one known component and lead to another now.

        The differ compares the two as if one had become the other.
        """
        change = found.change
        then, now = (
            _component(at)
            for at in (
                change.before_pointer or change.holder_pointer,
                change.after_pointer or change.holder_pointer,
            )
        )
        if then is None or now is None or then == now or not self._is_published(now):
            return []
        published = self._published[found.combination]
        document = self._projected(found.combination)
        repairs: list[Repair] = []
        for path, kind, node in walk("document", published):
            if kind == "schema" and target(str(node.get("$ref"))) == then[1:]:
                after = objects(document, path)[-1]
                if after.path == path and target(str(after.node.get("$ref"))) == now[1:]:
                    repair = self._restored(after, found.combination)
                    self._want(repair, "$ref", found.combination.version, node["$ref"])
                    repairs.append(repair)
        return repairs

    def _is_published(self, path: Steps) -> bool:
        return any(at(document, path) is not None for document in self._published.values())

    # Keywords

    def _keywords(self, found: Breaking) -> Repair:
        """What is different was otherwise."""
        change = found.change
        published, now = self._published[found.combination], self._projected(found.combination)
        old, old_key = self._side(published, change.before_pointer, now, change)
        new, new_key = self._side(now, change.after_pointer, published, change)
        if new.kind != "schema" and "$ref" in new.node:
            return self._inlined_with_history(found, old, new)
        keys = {old_key, new_key} - {""}
        if keys & _SHAPE and new.kind == "schema":
            # what only one of the two has belongs to what it is
            keys |= (old.node.keys() ^ new.node.keys()) - _WORDS
        repair = self._restored(new, found.combination)
        for key in sorted(keys):
            value = old.node.get(key, ABSENT)
            if not same(value, new.node.get(key, ABSENT)):
                self._want(repair, key, found.combination.version, value)
                repair.published[key] = self._published_values(old.path, key)
        return repair

    def _inlined_with_history(self, found: Breaking, old: Object, new: Object) -> Repair:
        """What a reference that is no schema's led to is told beside what it leads to."""
        then = _resolved(self._published[found.combination], old.node)
        now = _resolved(self._projected(found.combination), new.node)
        path = self._canonical(new.path, found.combination)
        repair = self._keep(Restored(path=path, inlined=True))
        for key in sorted((then.keys() | now.keys()) - _WORDS):
            value = then.get(key, ABSENT)
            if not same(value, now.get(key, ABSENT)):
                self._want(repair, key, found.combination.version, value)
        return repair

    def _published_values(self, path: Steps, key: str) -> dict[str, Any]:
        """Return what *key* of the object at *path* is in every version that is published."""
        found = {}
        for combination, document in self._published.items():
            there = objects(document, path)[-1]
            if there.path == path:
                value = there.node.get(key, ABSENT)
                found[combination.version] = value if value is ABSENT else self._authored(value)
        return found

    @staticmethod
    def _side(
        document: dict[str, Any], own: str | None, other: dict[str, Any], change: Change
    ) -> tuple[Object, str]:
        """Return the object of *document* that has the keyword, or lacks it, and its key if not."""
        if own is not None:
            return keyed(document, follow(document, own), change.keyword)
        told = change.before_pointer or change.after_pointer or ""
        there, key = keyed(other, follow(other, told), change.keyword)
        here = objects(document, there.path)[-1]
        if here.path == there.path and not same(
            here.node.get(key, ABSENT), there.node.get(key, ABSENT)
        ):
            return here, ""
        if change.holder_pointer is None:
            raise CantGateError(_MOVED)
        return holder(document, follow(document, change.holder_pointer)), ""

    def _restored(self, holder: Object, combination: Combination) -> Restored:
        if not holder.gateable:
            kind = holder.kind.replace("-", " ")
            raise CantGateError(f"no key of ours can stand on the {kind}; write it back")
        path = self._canonical(holder.path, combination)
        return self._keep(Restored(path=path, named=path[-2:-1] in (("properties",), ("headers",))))

    def _want(self, repair: Restored, key: str, version: str, value: Any) -> None:
        node = self._canvas.node(repair.path)
        if key == "enum" and "enum" not in node and "oneOf" in node:
            # what is published as an `enum` is written as a `oneOf` of `const`
            repair.want("oneOf", version, ABSENT)
        repair.want(key, version, value if value is ABSENT else self._authored(value))

    def _security(self, found: Breaking, operation: str) -> Repair:
        method, _, route = operation.partition(" ")
        path = ("paths", route, method.lower())
        before, after = (
            objects(document, path)[-1]
            for document in (
                self._published[found.combination],
                self._projected(found.combination),
            )
        )
        if before.path != path or after.path != path:
            raise CantGateError(_MOVED)
        demanded = before.node.get("security", ABSENT)
        if demanded is ABSENT:
            # of the whole document, which can't say what it was
            of_all = self._published[found.combination].get("security", ABSENT)
            if not same(of_all, self._projected(found.combination).get("security", ABSENT)):
                demanded = of_all
        repair = self._restored(after, found.combination)
        self._want(repair, "security", found.combination.version, demanded)
        return repair

    # Required fields

    def _required(self, found: Breaking) -> Repair:
        assert found.change.after_pointer is not None
        document = self._projected(found.combination)
        path = follow(document, found.change.after_pointer)
        schema = objects(document, path)[-1]
        name = self._own_name(schema, str(at(document, path)), found.combination)
        repair = self._restored(schema, found.combination)
        names = self._names(repair, found.combination.version)
        self._put_names(repair, found, [other for other in names if other != name])
        return repair

    def _optional(self, found: Breaking) -> Repair:
        change = found.change
        assert change.after_pointer is not None
        assert change.before_pointer is not None
        *_, schema, shown = self._after(found, change.after_pointer)
        name = self._own_name(schema, str(shown.path[-1]), found.combination)
        repair = self._restored(schema, found.combination)
        names = self._names(repair, found.combination.version)
        if name not in names:
            document = self._published[found.combination]
            *around, number = follow(document, change.before_pointer)
            published = at(document, tuple(around))
            place = _place(names, published, published[int(number)])
            names.insert(place, name)
        self._put_names(repair, found, names)
        return repair

    def _own_name(self, schema: Object, name: str, combination: Combination) -> str:
        """Return what the definitions call the property that a contract shows as *name*."""
        path = (*schema.path, "properties", name)
        found = self._projector.origin(pointer(path), *combination)
        return str(found[-1]) if len(found) == len(path) else name

    def _names(self, repair: Restored, version: str) -> list[str]:
        """Return what is required in *version*, as far as it is known by now."""
        node = self._canvas.node(repair.path)
        own = node.get("required", ABSENT)
        now = values(own, node.get(WAS, {}), "required", self._canvas.dates)
        names = repair.wanted.get("required", now).get(version, now[version])
        return [] if names is ABSENT else list(names)

    @staticmethod
    def _put_names(repair: Restored, found: Breaking, names: list[str]) -> None:
        known = repair.wanted.setdefault("required", {})
        # their order says nothing: one that stands already makes fewer differences
        alike = (other for other in known.values() if other is not ABSENT)
        names = next((other for other in alike if sorted(other) == sorted(names)), names)
        known[found.combination.version] = names or ABSENT

    # Values of enumerations

    def _value(self, found: Breaking) -> Repair:
        change = found.change
        added = change.kind is Kind.VALUE_ADDED
        pointed = change.after_pointer if added else change.holder_pointer
        if pointed is None:
            raise CantGateError(_MOVED)
        document = self._projected(found.combination)
        path = follow(document, pointed)
        schema = objects(document, path)[-1]
        if schema.path == path and path[-2:-1] in (("oneOf",), ("anyOf",)):
            # adopted documents show a `oneOf` of `const` as it is
            return self._added(found) if added else self._removed(found)
        canonical = self._canonical(schema.path, found.combination)
        if not _is_enumeration(self._canvas.node(canonical)):
            return self._values(found, schema)
        repair = self._keep(Enumerated(path=canonical))
        repair.want(change.after if added else change.before, found.combination.version, not added)
        if not added:
            repair.published = self._listed(found)
        return repair

    def _values(self, found: Breaking, schema: Object) -> Repair:
        """Restore all values at once, where single ones can't be gated."""
        change = found.change
        pointed = change.before_pointer or change.holder_pointer
        if pointed is None:
            raise CantGateError(_MOVED)
        old = self._before(found, pointed)[-1]
        repair = self._restored(schema, found.combination)
        for key in ("enum", "const"):
            value = old.node.get(key, ABSENT)
            if not same(value, schema.node.get(key, ABSENT)):
                self._want(repair, key, found.combination.version, value)
        return repair

    def _listed(self, found: Breaking) -> list[Any]:
        assert found.change.before_pointer is not None
        old = self._before(found, found.change.before_pointer)[-1].node
        return list(old["enum"]) if "enum" in old else [old.get("const")]

    # What is gone

    def _removed(self, found: Breaking) -> Repair:
        """What is gone comes back, unless it is there and only hidden."""
        change = found.change
        assert change.before_pointer is not None
        published = self._published[found.combination]
        path = follow(published, change.before_pointer)
        around, holder = self._holder(found, objects(published, path), path)
        canonical = self._canonical(holder.path, found.combination)
        below = path[len(around.path) :]
        reached = canonical
        for step in below[:-1]:
            if not isinstance(child(self._canvas.node(reached), step), dict | list):
                break
            reached = (*reached, step)
        value = self._inlined(at(published, path), published, below)
        if len(reached) == len(canonical) + len(below) - 1:
            siblings = at(published, path[:-1])
            return self._back_among(found, reached, siblings, path[-1], value, around)
        # what holds it is gone as well: it comes back where its keys stood
        key = below[len(reached) - len(canonical)]
        beside = at(published, (*around.path, *below[: len(reached) - len(canonical)]))
        place = _place(list(self._canvas.node(reached)), list(beside), key)
        whole = (*canonical, *below)
        return self._back(found, whole, reached, value, place, 0, around)

    def _holder(self, found: Breaking, way: list[Object], path: Steps) -> tuple[Object, Object]:
        """Return the innermost object around *path* that is left: as it was, and as it is."""
        above = [holder for holder in way if len(holder.path) < len(path)]
        if found.change.holder_pointer is not None:
            now = self._after(found, found.change.holder_pointer)[-1]
            then = next((one for one in reversed(above) if one.kind == now.kind), None)
            if then is None:
                raise CantGateError(_MOVED)
            return then, now
        document = self._projected(found.combination)
        for then in reversed(above):
            now = objects(document, then.path)[-1]
            if now.path == then.path:
                return then, now
        raise CantGateError(_MOVED)

    def _inlined(self, value: Any, published: dict[str, Any], below: Steps) -> Any:
        """Return *value* as it is to be written: a reference that is no schema, in full."""
        in_schema = not ({"parameters", "responses", "headers", "requestBody"} & {*map(str, below)})
        while not in_schema and isinstance(value, dict) and "$ref" in value:
            goal = target(value["$ref"])
            value = at(published, ("components", *goal)) if goal else None
        if value is None:
            raise CantGateError("what it refers to is not published with it; write it back")
        return self._authored(value)

    def _back_among(
        self,
        found: Breaking,
        container: Steps,
        siblings: Any,
        step: str | int,
        value: Any,
        around: Object,
    ) -> Repair:
        """Let *value*, published as *step* among *siblings*, come back into *container*."""
        now = self._canvas.node(container)
        if isinstance(now, dict):
            aliases = _aliases(now)
            if (name := aliases.get(str(step))) is not None:
                return self._unhidden(found, (*container, name))
            names = [aliases.get(name, name) for name in siblings]
            whole: Steps = (*container, step)
            number = list(siblings).index(step)
            if container[:1] == ("components",) and len(container) == 2:
                return self._component(found, whole, names, value, around)
            place = _place(list(now), names, str(step))
            return self._back(found, whole, container, value, place, number, around)
        index = int(step)
        known = [self._identity(item, self._canvas.api.document) for item in now]
        theirs = [self._identity(item, self._published[found.combination]) for item in siblings]
        own = theirs[index]
        if own in known:
            return self._unhidden(found, (*container, known.index(own)))
        # an item's number says nothing: it gets one of its own
        new = len(now) + len(self._items)
        whole = (*container, self._items.setdefault((container, own), new))
        return self._back(found, whole, container, value, _place(known, theirs, own), index, around)

    def _identity(self, item: Any, document: dict[str, Any]) -> str:
        """Return what tells an item of a list from the others, in any version."""
        if isinstance(item, dict) and isinstance(item.get("$ref"), str):
            goal = target(item["$ref"])
            resolved = at(document, ("components", *goal)) if goal else None
            if goal and goal[0] == "parameters" and isinstance(resolved, dict):
                item = resolved
            else:
                return str(item["$ref"])
        if isinstance(item, dict):
            for keys in (("in", "name"), ("const",), ("title",)):
                if all(key in item for key in keys):
                    return json.dumps([item[key] for key in keys])
        bare = {k: v for k, v in item.items() if k not in KEYS} if isinstance(item, dict) else item
        return json.dumps(plain(bare), sort_keys=True)

    def _unhidden(self, found: Breaking, path: Steps) -> Repair:
        if path[:1] == ("components",) and len(path) == 3:
            node = self._canvas.node(path)
            if isinstance(node, dict) and not GATES & node.keys():
                raise CantGateError("it goes with what refers to it; gate that by hand")
        repair = self._keep(Gated(path=path))
        repair.shown[found.combination.version] = True
        return repair

    def _back(
        self,
        found: Breaking,
        whole: Steps,
        holder: Steps,
        value: Any,
        place: int,
        number: int,
        around: Object,
    ) -> Returned:
        repair = self._keep(
            Returned(path=whole, value=value, holder=holder, at=place, order=number)
        )
        version = found.combination.version
        if all(order(known) <= order(version) for known, there in repair.shown.items() if there):
            repair.value = value
            if whole[-2:-1] == ("properties",):
                required = around.node.get("required", [])
                name = str(whole[-1])
                if name in required:
                    repair.required_behind = tuple(required[: required.index(name)])
        for combination, document in self._published.items():
            # where nothing could hold it, nothing is said of it
            if objects(document, around.path)[-1].path != around.path:
                repair.shown.setdefault(combination.version, None)
        repair.shown[version] = True
        return repair

    # Components

    def _component(
        self, found: Breaking, whole: Steps, names: list[str], value: Any, around: Object
    ) -> Returned:
        file, place, neighbour = self._beside(whole, names)
        number = names.index(str(whole[-1]))
        repair = self._back(found, whole, whole[:-1], value, place, number, around)
        repair.file = file
        repair.beside = neighbour
        return repair

    def _beside(self, whole: Steps, names: list[str]) -> tuple[str, int, Steps]:
        """Return the file that a component goes to, its number there, and its neighbour."""
        section = whole[:-1]
        known = self._canvas.node(section) or {}
        place = _place(list(known), names, str(whole[-1]))
        neighbours = list(known)
        if not neighbours:
            return file_of(self._canvas.api, section), 0, section
        neighbour = neighbours[max(place - 1, 0)]
        file = file_of(self._canvas.api, (*section, neighbour))
        there = [one for one in known if file_of(self._canvas.api, (*section, one)) == file]
        return file, there.index(neighbour) + (place > 0), (*section, neighbour)

    def _give_back_components(self) -> None:
        """Give back every component that something restored refers to; it goes with that."""
        known = self._canvas.api.document.get("components", {})
        pending = [value for repair in self._repairs.values() for value in _written(repair)]
        seen = set()
        while pending:
            for goal in _references(pending.pop()):
                section, name = goal
                if goal in seen or name in known.get(section, {}):
                    continue
                seen.add(goal)
                found = self._published_component(section, name)
                if found is None:
                    continue
                names, value = found
                whole: Steps = ("components", section, name)
                file, place, neighbour = self._beside(whole, names)
                repair = self._keep(
                    Returned(
                        path=whole,
                        value=value,
                        holder=whole[:-1] if section in known else whole[:1],
                        at=place,
                        order=names.index(name),
                        file=file,
                        beside=neighbour,
                    )
                )
                repair.shown.clear()
                pending.append(value)

    def _published_component(self, section: str, name: str) -> tuple[list[str], Any] | None:
        """Return the names of a section and one component of it, from the newest that has it."""
        for combination in sorted(
            self._published, key=lambda one: order(one.version), reverse=True
        ):
            components = at(self._published[combination], ("components", section))
            if isinstance(components, dict) and name in components:
                return list(components), self._authored(components[name])
        return None

    def _authored(self, value: Any) -> Any:
        """Return a published *value* as it would be written."""
        return plain(value) if self._canvas.api.table.adopted else _unpublished(plain(value))

    # Renames

    def renames(self, changes: Iterable[Breaking]) -> list[Rename]:
        """Return what may have been renamed: one thing gone, one of the same shape new beside it.

        Where more than two could be meant, nothing is returned.
        """
        gone: dict[tuple[Steps, str], dict[Combination, str]] = {}
        new: dict[tuple[Steps, str], dict[Combination, str]] = {}
        paths: dict[tuple[Steps, str], Steps] = {}
        for found in changes:
            if found.change.kind in _NAMED:
                seen = self._gone(found)
                if seen is not None:
                    gone.setdefault(seen[0], {})[found.combination] = seen[1]
            elif found.change.kind in _NAMED.values():
                added = self._new(found)
                if added is not None:
                    new.setdefault(added[0], {})[found.combination] = added[1]
                    paths[added[0]] = added[2]
        pairs = [
            (old, now)
            for old, shapes in gone.items()
            for now, others in new.items()
            if old[0] == now[0] and shapes == others
        ]
        return sorted(
            Rename(
                path=paths[now],
                before=old[1],
                after=now[1],
                versions=tuple(sorted({one.version for one in gone[old]}, key=order)),
            )
            for old, now in pairs
            if sum(old == other for other, _ in pairs)
            == sum(now == other for _, other in pairs)
            == 1
        )

    def _gone(self, found: Breaking) -> tuple[tuple[Steps, str], str] | None:
        change = found.change
        if change.holder_pointer is None or change.before_pointer is None:
            return None
        published = self._published[found.combination]
        path = follow(published, change.before_pointer)
        way = objects(published, path)
        try:
            around, holder = self._holder(found, way, path)
            canonical = self._canonical(holder.path, found.combination)
        except CantGateError:
            return None
        value = _child(published, path)
        name = str(value[NAME]) if change.kind is Kind.PARAMETER_REMOVED else str(path[-1])
        return ((*canonical, str(path[-2])), name), _shape(value, around.node, name, change.kind)

    def _new(self, found: Breaking) -> tuple[tuple[Steps, str], str, Steps] | None:
        change = found.change
        assert change.after_pointer is not None
        document = self._projected(found.combination)
        path = follow(document, change.after_pointer)
        way = objects(document, path)
        try:
            canonical = self._canonical(path, found.combination)
        except CantGateError:
            return None
        if way[-1].path != path or not way[-1].gateable:
            return None
        value = _child(document, path)
        parameter = change.kind is Kind.PARAMETER_ADDED
        name = str(value[NAME]) if parameter else str(path[-1])
        around = (*canonical[:-2], str(canonical[-2]))
        return (around, name), _shape(value, way[-2].node, name, change.kind), canonical

    def _renamed(self, rename: Rename) -> Repair:
        named = rename.path[-2:-1] in (("properties",), ("headers",))
        repair = self._keep(Restored(path=rename.path, named=named))
        for version in rename.versions:
            repair.want(NAME, version, rename.before)
        return repair

    def _known(
        self, found: Breaking, known: Mapping[tuple[Steps, str], Repair]
    ) -> list[Repair] | None:
        """Return what is done already about one side of a rename, None if it is none."""
        kind = found.change.kind
        if not known:
            return None
        if kind in _NAMED:
            gone = self._gone(found)
            return [
                repair
                for (path, before), repair in known.items()
                if gone is not None and gone[0] == ((*path[:-2], str(path[-2])), before)
            ]
        if kind in _NAMED.values():
            new = self._new(found)
            return [
                repair for (path, _), repair in known.items() if new is not None and new[2] == path
            ]
        return None


def _resolved(document: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """Return what *node* is, or refers to."""
    while isinstance(node.get("$ref"), str) and (goal := target(node["$ref"])):
        found = at(document, ("components", *goal))
        node = found if isinstance(found, dict) else {}
    return node


def _child(document: dict[str, Any], path: Steps) -> dict[str, Any]:
    """Return the field, header or parameter at *path*; what the latter two refer to."""
    node = at(document, path)
    if not isinstance(node, dict):
        return {}
    return node if path[-2] == "properties" else _resolved(document, node)


def _component(at: str | None) -> Steps | None:
    """Return the path of the component that a pointer leads into."""
    steps = parts(at or "")
    return steps[:3] if steps[:1] == ("components",) and len(steps) > 2 else None


def _shape(value: dict[str, Any], around: dict[str, Any], name: str, kind: Kind) -> str:
    """Return what a field, header or parameter is but for its name, as text."""
    fields = kind in (Kind.FIELD_ADDED, Kind.FIELD_REMOVED)
    required = name in around.get("required", ()) if fields else None
    own = set() if fields else {NAME}
    bare = {key: below for key, below in value.items() if key not in _WORDS | own}
    return json.dumps([required, plain(bare)], sort_keys=True)


def _place(known: list[Any], published: list[Any], own: Any) -> int:
    """Return the number that *own* gets among *known*: beside its nearest published neighbour."""
    number = published.index(own)
    for neighbour in reversed(published[:number]):
        if neighbour in known:
            return known.index(neighbour) + 1
    for neighbour in published[number + 1 :]:
        if neighbour in known:
            return known.index(neighbour)
    return len(known)


def _aliases(children: Mapping[str, Any]) -> dict[str, str]:
    """Return the name of each child by every name that it ever had; today's come first."""
    known = {name: name for name in children}
    for name, node in children.items():
        was = node.get(WAS, {}) if isinstance(node, dict) else {}
        for entry in was.values():
            known.setdefault(changes(entry)[0].get(NAME, name), name)
    return known


def _is_enumeration(node: Any) -> bool:
    """Tell whether single values of *node* can be gated."""
    if not isinstance(node, dict):
        return False
    members = node.get("oneOf")
    if "const" in node:
        return False
    if "enum" in node:
        histories = [changes(entry)[0] for entry in node.get(WAS, {}).values()]
        return members is None and not any("enum" in setting for setting in histories)
    return isinstance(members, list) and all(
        isinstance(member, dict) and "const" in member for member in members
    )


def _unpublished(value: Any) -> Any:
    """Return *value* without what publishing adds to it."""
    if isinstance(value, list):
        return [_unpublished(item) for item in value]
    if not isinstance(value, dict):
        return value
    named = EXTENSIBLE in value and value.get("examples") == value[EXTENSIBLE]
    return {
        key: _unpublished(below)
        for key, below in value.items()
        if not (named and key == "examples")
    }


def _written(repair: Repair) -> Iterator[Any]:
    """Yield the values that a repair writes back."""
    if isinstance(repair, Returned):
        yield repair.value
    elif isinstance(repair, Restored):
        for keyword, by_version in repair.wanted.items():
            for value in by_version.values():
                if value is not ABSENT:
                    yield {keyword: value}


def _references(value: Any) -> Iterator[tuple[str, str]]:
    """Yield every component that *value* refers to."""
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending += node
        elif isinstance(node, dict):
            for key, below in node.items():
                if key == "security" and isinstance(below, list):
                    names = [
                        name for demand in below if isinstance(demand, dict) for name in demand
                    ]
                    yield from (("securitySchemes", name) for name in names)
                elif isinstance(below, str) and (goal := target(below)) is not None:
                    yield goal
                else:
                    pending.append(below)
