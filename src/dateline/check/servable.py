"""Find gates that the generated server could not serve.

Each gate needs a total way down for values (a list item or optional field is left out, a renamed
one has its old name, ``x-shown-as`` replaces a member) and a total way up for requests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import cache as cache_result
from functools import partial
from typing import Any, NamedTuple

from dateline.cache import Cache, Recollection
from dateline.canonical import canonical
from dateline.canonical.ranges import with_media_types
from dateline.check.conditions import find_conditions
from dateline.check.findings import create_finding, list_concerned
from dateline.check.places import Places, count, name_place
from dateline.check.responses import find_unsendable
from dateline.diff import DiffReadings
from dateline.diff.overlaps import are_apart
from dateline.gates import gate_dates
from dateline.model import (
    ADDED,
    REMOVED,
    SHOWN_AS,
    Api,
    Finding,
    Policy,
    Trail,
    Verdict,
)
from dateline.openapi import follow, pointer, target, value_at, walk
from dateline.project import Projector
from dateline.schema.access import READ_ONLY, WRITE_ONLY
from dateline.schema.references import Located
from dateline.schema.types import UNIONS
from dateline_runtime.statuses import BODILESS


class Unservable(NamedTuple):
    """What can't be served: the rule, the place, the message and the affected versions."""

    rule: str
    path: Trail
    message: str
    concerned: dict[str, tuple[str, ...]]


def check_servable(
    api: Api, projector: Projector | None = None, cache: Cache | None = None, cut: str | None = None
) -> Iterator[Finding]:
    """Yield each gated member without a substitute, and each request field without a way up.

    *projector* is one of the same definitions, if the caller has one. The *cache* has results for
    definitions that differ only in words. In adopted sources, what a cut version introduced is
    information: it was published elsewhere, unless it is the one that is *cut* now.
    """
    drafts = {*api.table.drafts} | ({cut} if cut else set())
    find_places = cache_result(partial(Places, api))
    for found in _list_unservable(api, projector, cache):
        finding = _create_finding(api, found)
        if api.table.adopted and drafts.isdisjoint(
            _list_dates(api, finding, find_places) if drafts else ()
        ):
            finding = replace(finding, verdict=Verdict.INFORMATION)
        yield finding


def _list_dates(api: Api, finding: Finding, find_places: Callable[[], Places]) -> set[str]:
    """Return the dates of the gates that *finding* may be about."""
    path = follow(api.document, finding.after_pointer or "")
    if not isinstance(value_at(api.document, path), dict):
        path = path[:-1]  # a keyword of the schema
    if finding.rule == "response-without-way-down":
        return find_places().find_dates(path)
    return {*gate_dates(value_at(api.document, path))}


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
    places = Places(api)
    known = list(_find_by_place(api, places, projector))
    yield from known
    if not places.has_gates:
        return
    reported = {(found.rule, found.path) for found in known}
    for found in _find_withheld(api, projector):
        if (found.rule, found.path) not in reported:
            yield found


def _find_by_place(api: Api, places: Places, projector: Projector) -> Iterator[Unservable]:
    for path, kind, node in places.gated_parents:
        if kind == "schema":
            yield from _find_members(places, path, node)
            yield from _find_new_fields(places, path, node)
            yield from _find_removed_fields(places, path, node, api.table.drafts)
        elif kind in ("operation", "path-item"):
            yield from _find_parameters(places, path, node)
    for path, node in places.list_requiring():
        yield from _find_required_of_parts(places, path, node) if places.in_request(path) else ()
    yield from _find_ambiguous(api, places)
    yield from _find_variants(api, places)
    for rule, path, message in find_conditions(places):
        yield Unservable(rule, path, message, {})
    for path, kind, node in places.with_history:
        yield from _find_access(places, path) if kind == "schema" else ()
        if not places.in_request(path):
            continue
        if kind == "schema":
            yield from _find_required_fields(places, path, node)
            yield from _find_field_once_read_only(places, path, node)
        elif kind in ("parameter", "request-body") and node.get("required"):
            yield from _find_required_since(places, path, kind)
    yield from _find_empty_bodies(api, places)
    yield from _find_responses(api, projector)


def _find_withheld(api: Api, projector: Projector) -> Iterator[Unservable]:
    """Yield each schema whose values may have no form that can be sent to older callers."""
    # slow to import, and needed only if definitions have changed
    from dateline.contracts import find_withheld

    for path, why, combinations, is_sent in find_withheld(api, projector):
        concerned = list_concerned(combinations)
        keywords = ", ".join(f"`{keyword}`" for keyword in why)
        is_member = not why and len(path) > 2
        rule = "member-without-substitute" if is_member else "response-without-way-down"
        fact = f"values may not fit {keywords}" if why else "it is absent"
        where = ", ".join(concerned["versions"])
        message = f"{name_place(path)}: {fact} in {where}, and can't be left out"
        if is_sent:
            rule = "request-without-way-up"
            message = f"{name_place(path)}: requests of {where} may not fit {keywords}"
        # a single keyword that the schema has is the place
        is_there = len(why) == 1 and why[0] in (value_at(api.document, path) or ())
        yield Unservable(rule, (*path, *why) if is_there else path, message, concerned)


def _find_members(places: Places, path: Trail, node: dict[str, Any]) -> Iterator[Unservable]:
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
                f"{name_place(path)}: {name} is absent in {places.timeline.places(missing)}, and "
                f"{holder}",
                {},
            )


def _find_ambiguous(api: Api, places: Places) -> Iterator[Unservable]:
    """Yield each new member of a `oneOf` that requests of older versions may fit beside theirs."""
    new = [
        (path, at, node["oneOf"])
        for path, kind, node in places.gated_parents
        if kind == "schema" and "discriminator" not in node
        for at, member in enumerate(node.get("oneOf", ()))
        if _is_new(member) and places.in_request(path)
    ]
    if not new:
        return
    timeline, readings = places.timeline, DiffReadings().of(api.document)
    for path, at, members in new:
        missing = timeline.all & ~timeline.of(members[at])
        lasting = [each for each in members if not _is_removed(each)]
        known = [each for each in lasting if timeline.of(each) & missing]
        newer, *others = (
            readings.read([Located(canonical("schema", each, adopted=api.table.adopted), "")])
            for each in (members[at], *known)
        )
        if not all(are_apart(newer, each) for each in others):
            where = timeline.places(missing)
            message = f"{name_place(path)}: requests of {where} may also fit a new member"
            yield Unservable("request-without-way-up", (*path, "oneOf", at), message, {})


def _is_new(member: Any) -> bool:
    return isinstance(member, dict) and ADDED in member and not _is_removed(member)


def _is_removed(member: Any) -> bool:
    return isinstance(member, dict) and REMOVED in member


def _find_variants(api: Api, places: Places) -> Iterator[Unservable]:
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


def _find_new_fields(places: Places, path: Trail, node: dict[str, Any]) -> Iterator[Unservable]:
    yield from _find_short_objects(places, path, node)
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
                f"{name_place(at)}: required in requests, and absent in "
                f"{places.timeline.places(missing)}"
            )
            yield Unservable("request-without-way-up", at, message, {})


def _find_removed_fields(
    places: Places, path: Trail, node: dict[str, Any], drafts: Collection[str]
) -> Iterator[Unservable]:
    """Yield each field that a draft removes from responses, and older versions require."""
    for name, child in node.get("properties", {}).items():
        if child.get(REMOVED) not in drafts or places.access.of(child) == WRITE_ONLY:
            continue
        owed = places.timeline.of(child) & places.where(path, partial(_requires, name))
        if owed and places.in_response(path):
            at = (*path, "properties", name)
            message = f"{name_place(at)}: required in responses of {places.timeline.places(owed)}"
            yield Unservable("removed-field-required", at, message, {})


def _find_short_objects(places: Places, path: Trail, node: dict[str, Any]) -> Iterator[Unservable]:
    """Yield each object of which versions without some of its fields may have too few left."""
    fields = node.get("properties", {})
    required = [fields[name] for name in node.get("required", ()) if name in fields]
    short = 0
    for mask, era in places.timeline.eras("schema", node):
        least = count(era.get("minProperties"))
        # below the names that it always has, an object may be as short as that
        for each in places.timeline.members(mask) if least else ():
            at = 1 << places.timeline.combinations.index(each)
            is_lacking = any(not places.timeline.of(child) & at for child in fields.values())
            always = sum(bool(places.timeline.of(child) & at) for child in required)
            short |= at if is_lacking and always < least else 0
    if short and (holder := places.holder(path)) is not None:
        message = (
            f"{name_place(path)}: `minProperties` may count fields that are absent in "
            f"{places.timeline.places(short)}, and {holder}"
        )
        concerned = list_concerned(places.timeline.members(short))
        yield Unservable("response-without-way-down", (*path, "minProperties"), message, concerned)


def _find_required_fields(
    places: Places, path: Trail, node: dict[str, Any]
) -> Iterator[Unservable]:
    """Yield each field that requests must have now, and could omit before."""
    for name in node.get("required", ()):
        free = places.timeline.all & ~places.where(path, partial(_requires, name))
        child = node.get("properties", {}).get(name)
        if child is None:
            is_needed = not _is_given(places, path, name)
        else:
            # a converter for the whole value creates it from what it replaced
            free &= ~places.where(path, partial(_lacks, name)) & places.timeline.of(child)
            is_needed = "default" not in child and places.access.of(child) != READ_ONLY
        if free and is_needed:
            message = (
                f"{name_place((*path, 'properties', name))}: required in requests, and optional in "
                f"{places.timeline.places(free)}"
            )
            yield Unservable("request-without-way-up", (*path, "required"), message, {})


def _is_given(places: Places, path: Trail, name: str) -> bool:
    """Return whether requests need not have the field *name*, which parts of a value declare."""
    return places.is_steady(path, name) and any(
        isinstance(field, dict) and ("default" in field or places.access.of(field) == READ_ONLY)
        for field, _ in places.access.list_fields(path, name)
    )


def _find_required_of_parts(
    places: Places, path: Trail, node: dict[str, Any]
) -> Iterator[Unservable]:
    """Yield each name that requests of all versions must have, if only some have the field."""
    for name in node.get("required", ()):
        if name in node.get("properties", ()) or places.is_steady(path, name):
            continue
        if places.where(path, partial(_requires, name)) == places.timeline.all:
            message = (
                f"{name_place((*path, 'properties', name))}: required in requests of all versions, "
                "and differs between them where it is declared"
            )
            yield Unservable("request-without-way-up", (*path, "required"), message, {})


def _find_field_once_read_only(
    places: Places, path: Trail, node: dict[str, Any]
) -> Iterator[Unservable]:
    """Yield the field at *path* if requests must have it now, and could not have it before."""
    if path[-2] != "properties" or "default" in node or places.access.of(node) == READ_ONLY:
        return
    hidden = places.where(path, lambda era: places.access.of(era) == READ_ONLY)
    if hidden and path[-1] in places.node(path[:-2]).get("required", ()):
        message = (
            f"{name_place(path)}: required in requests, and `readOnly` in "
            f"{places.timeline.places(hidden)}"
        )
        yield Unservable("request-without-way-up", path, message, {})


def _find_access(places: Places, path: Trail) -> Iterator[Unservable]:
    """Yield the schema at *path* if only some versions limit it, and it is no field by itself."""
    for keyword, rule, is_used in (
        (READ_ONLY, "request-without-way-up", places.in_request),
        (WRITE_ONLY, "response-without-way-down", places.in_response),
    ):
        limited = places.where(path, partial(_is_true, keyword))
        if path[-2] != "properties" and limited not in (0, places.timeline.all) and is_used(path):
            message = (
                f"{name_place(path)}: `{keyword}` only in {places.timeline.places(limited)}, which "
                "is served only where a field has it itself"
            )
            yield Unservable(rule, path, message, {})


def _find_parameters(places: Places, path: Trail, node: dict[str, Any]) -> Iterator[Unservable]:
    for index, parameter in enumerate(node.get("parameters", ())):
        at = (*path, "parameters", index)
        if (
            isinstance(parameter, dict)
            and parameter.get("required")
            and ADDED in parameter
            and "default" not in parameter.get("schema", {})
            and places.in_request(at)
        ):
            message = f"{name_place(path)}: parameter {parameter.get('name')} is required, and new"
            yield Unservable("request-without-way-up", at, message, {})


def _lacks(name: str, schema: dict[str, Any]) -> bool:
    """Return whether *schema* has other fields, or values that are no objects."""
    types = schema.get("type", "object")
    listed = types if isinstance(types, list) else [types]
    # null alone may be sent without a converter
    is_no_object = "object" not in listed and listed != ["null"]
    return is_no_object or name not in schema.get("properties", {name: None})


def _is_true(keyword: str, schema: dict[str, Any]) -> bool:
    return schema.get(keyword) is True


def _requires(name: str, schema: dict[str, Any]) -> bool:
    return name in schema.get("required", ())


def _find_required_since(places: Places, path: Trail, kind: str) -> Iterator[Unservable]:
    """Yield the required parameter or body at *path*, if requests could omit it before."""
    node = places.node(path)
    free = places.where(path, lambda era: not era.get("required")) & places.timeline.of(node)
    if free and "default" not in node.get("schema", {}):
        what = "a body" if kind == "request-body" else f"parameter {node.get('name')}"
        where = places.timeline.places(free)
        message = f"{name_place(path)}: {what} is required, and optional in {where}"
        yield Unservable("request-without-way-up", (*path, "required"), message, {})


def _find_empty_bodies(api: Api, places: Places) -> Iterator[Unservable]:
    """Yield each body of a response that never has one, with the operations that declare it."""
    users: dict[Trail, list[Trail]] = defaultdict(list)
    for path, kind, node in walk("document", api.document):
        for status in sorted(BODILESS & node.keys() if kind == "responses" else ()):
            response = places.resolve((*path, status))
            if response is not None and places.where(response, _has_content):
                users[response].append((*path, status))
    for response, responses in users.items():
        shown = 0
        for path in responses:
            shown |= places.find_shown(path) & places.where(response, _has_content)
        statuses = " and ".join(sorted({str(path[-1]) for path in responses}))
        named = response if response[0] == "components" else response[:-2]
        names = tuple(sorted({name_place(path) for path in responses if path[0] == "paths"}))
        concerned = {"operations": names, **list_concerned(places.timeline.members(shown))}
        message = f"{name_place(named)}: a body is declared for {statuses}"
        yield Unservable("body-without-content", (*response, "content"), message, concerned)


def _has_content(response: dict[str, Any]) -> bool:
    return bool(response.get("content"))


def _find_responses(api: Api, projector: Projector) -> Iterator[Unservable]:
    """Yield each response of the newest version that callers of older ones can't be sent."""
    placed = with_media_types(api)
    projector = projector if placed is api else Projector(placed)
    for path, fact, operations, combinations in find_unsendable(placed, projector):
        concerned = list_concerned(combinations)
        message = f"{operations[0]}: {fact} in {', '.join(concerned['versions'])}"
        who = {"operations": operations, **concerned}
        yield Unservable("response-without-way-down", path, message, who)


def _name_member(api: Api, path: Trail) -> Any:
    """Return the member of a list that *path* leads to or through: a value, or its name."""
    depth = max((number for number, step in enumerate(path, 1) if isinstance(step, int)), default=0)
    member = value_at(api.document, path[:depth]) if depth else None
    if not isinstance(member, dict):
        return member
    if "name" in member and "in" in member:
        return f"{member['in']} {member['name']}"
    found = target(member["$ref"]) if isinstance(member.get("$ref"), str) else None
    return found[1] if found else member.get("const")


def _create_finding(api: Api, found: Unservable) -> Finding:
    at = pointer(found.path)
    return create_finding(
        found.rule,
        Policy.SERVABLE,
        found.message,
        key=(at,),
        after_pointer=at,
        after=_name_member(api, found.path),
        after_source=api.locate(found.path),
        operations=found.concerned.get("operations", ()),
        versions=found.concerned.get("versions", ()),
        environments=found.concerned.get("environments", ()),
    )
