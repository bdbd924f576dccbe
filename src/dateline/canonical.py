"""The canonical document of an API, which handlers are written against: what any version shows.

Names are the canonical ones, and fields and members that some versions lack are included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import Any, Final, NamedTuple

from dateline.gates import Timeline, changes, drop_keys, order
from dateline.model import (
    ADDED,
    EXTENSIBLE,
    GATES,
    REMOVED,
    UNPUBLISHED,
    WAS,
    Api,
    Combination,
    Trail,
    copy_items,
)
from dateline.openapi import METHODS, chain, find_replaced, is_json, operations, target
from dateline.project.publishing import enumeration, open_ended
from dateline.schema.parts import PartReader
from dateline.schema.types import EVERY_TYPE, declared_types, is_enumeration

# The ranges of media types that include JSON, the narrowest first.
_RANGES: Final = ("application/*", "*/*")
_JSON: Final = "application/json"
_BYTES: Final = frozenset({"binary", "byte", "base64"})

_RANGE: Final = "x-served-range"
"""The key for the range in place of which a media type is served, if it is not JSON."""


def prepare_serving(api: Api) -> Api:
    """Return *api* as its server reads it; see the three functions that this combines."""
    return with_event_components(with_media_types(with_former_operations(api)))


def with_media_types(api: Api) -> Api:
    """Return *api* with the media types in which a server reads and writes bodies.

    A media type object is written in place of a reference to it (OpenAPI 3.2). A range such as
    `*/*` becomes JSON, or the usual media type of texts and bytes. If a version has both a range
    and a specific media type, the specific one counts (OpenAPI 3.1.1, sections 4.8.13.1 and
    4.8.17.1); what other versions have of either becomes one history.
    """
    document = api.document
    ranges = _Ranges(api)

    def place(kind: str, node: Any) -> Any:
        if kind == "schema" or not isinstance(node, dict):
            return node
        behind = chain(document, node) if kind == "media-type" else []
        replaced = behind[-1] if behind else node
        changed = find_replaced(kind, replaced, lambda _, below, child: place(below, child))
        if kind in ("request-body", "response"):
            changed |= ranges.replace_in({**replaced, **changed})
        return copy_items(replaced, [*{**replaced, **changed}.items()]) if changed else replaced

    placed = place("document", document)
    return api if placed is document else replace(api, document=placed)


class _Ranges:
    """Replaces media type ranges in the bodies of an API, in the present and in their histories."""

    def __init__(self, api: Api) -> None:
        self._reader = PartReader(api.document)
        self._timeline = Timeline(api.table)
        self._versions = api.table.dates[::-1]

    def replace_in(self, holder: dict[str, Any]) -> dict[str, Any]:
        """Return the changed keys of a body, with every media type range replaced."""
        changed: dict[str, Any] = {}
        if (content := self._replace(holder.get("content"))) is not holder.get("content"):
            changed["content"] = content
        was = holder.get(WAS, {})
        eras = {day: self._replace_in_era(entry) for day, entry in was.items()}
        if any(eras[day] is not was[day] for day in was):
            changed[WAS] = copy_items(was, [*eras.items()])
        return changed

    def _replace_in_era(self, entry: dict[str, Any]) -> dict[str, Any]:
        setting, _ = changes(entry)
        content = self._replace(setting.get("content"))
        if content is setting.get("content"):
            return entry
        replaced = {**setting, "content": content}
        return {**entry, "set": replaced} if "set" in entry else {**entry, **replaced}

    def _replace(self, given: Any) -> Any:
        """Return *given* with a specific media type in place of each range that includes JSON."""
        if not isinstance(given, dict) or given.keys().isdisjoint(_RANGES):
            return given
        there = [each for each in _RANGES if each in given]
        usual = {each: _find_usual(self._reader, given[each]) for each in there}
        # beside JSON, other media types of a range may be JSON, too
        marked = usual if _JSON not in usual.values() else {}
        content = {
            key: _mark(media, key) if key in marked else media for key, media in given.items()
        }
        replaced: dict[str, Any] = {}
        for name in dict.fromkeys(usual.get(str(key), str(key)) for key in content):
            ranges = [each for each in there if usual[each] == name]
            keys = [key for key in (name, *ranges) if key in content]
            one = self._unite([content[key] for key in keys])
            replaced |= {key: content[key] for key in keys} if one is None else {name: one}
        return copy_items(given, [*replaced.items()])

    def _unite(self, members: list[Any]) -> Any:
        """Return one media type with the history of *members*, the first of which counts.

        None if it can't be written: it differs between environments, or was absent for a while.
        """
        first = members[0]
        if len(members) == 1 or self._timeline.of(first) == self._timeline.all:
            return first
        states = []
        for version in self._versions:
            found = [self._at(at, members) for at in self._list_places(version)]
            if any(one != found[0] for one in found):
                return None
            states.append(found[0])
        there = [at for at, state in enumerate(states) if state is not None]
        if not there or there != [*range(there[0], there[-1] + 1)]:
            return None
        return _with_eras([*self._versions[:-1]], states)

    def _list_places(self, version: str) -> list[int]:
        return [at for at, one in enumerate(self._timeline.combinations) if one.version == version]

    def _at(self, at: int, members: list[dict[str, Any]]) -> dict[str, Any] | None:
        """Return the first of *members* that is visible at the combination *at*, as it is there."""
        for member in members:
            for mask, era in self._timeline.eras("media-type", member):
                if (mask & self._timeline.of(era)) >> at & 1:
                    return drop_keys(era, *UNPUBLISHED)
        return None


def _mark(media: Any, key: str) -> Any:
    is_object = isinstance(media, dict)
    return copy_items(media, [*media.items(), (_RANGE, key)]) if is_object else media


def find_ranges(message: dict[str, Any]) -> dict[str, str]:
    """Return the ranges in place of which a body or response has a media type, and that type."""
    content = message.get("content", {})
    return {each[_RANGE]: name for name, each in content.items() if _RANGE in each}


def name_range(
    reader: PartReader, content: dict[str, Any], *, only_json: bool = False
) -> dict[str, Any]:
    """Return *content*, of one version, with what servers read in place of a media type range.

    With *only_json*, it remains a range if that is not JSON.
    """
    found = next((each for each in _RANGES if each in content), None)
    usual = found and _find_usual(reader, content[found])
    if not usual or usual in content or (only_json and usual != _JSON):
        return content
    return {usual if key == found else key: media for key, media in content.items()}


def _find_usual(reader: PartReader, media: Any) -> str:
    """Return the usual media type of a body that *media* describes."""
    if not isinstance(media, dict) or "schema" not in media:
        return "application/octet-stream"
    found = [part.node for part in reader.parts_of(media["schema"])]
    types = reduce(and_, map(declared_types, found), EVERY_TYPE)
    if not types <= {"string", "null"}:
        return _JSON
    formats = {str(part.get("format")) for part in found}
    return "text/plain" if formats.isdisjoint(_BYTES) else "application/octet-stream"


def with_former_operations(api: Api) -> Api:
    """Return *api* with an operation for each one that is only in the history of its path item.

    Adopted documents may have such a history. The operation is removed where its history ends.
    """
    paths = api.document.get("paths", {})
    changed = {
        path: found
        for path, item in paths.items()
        if isinstance(item, dict) and WAS in item and (found := _with_former(api, item)) is not item
    }
    if not changed:
        return api
    return replace(api, document={**api.document, "paths": {**paths, **changed}})


def _with_former(api: Api, item: dict[str, Any]) -> dict[str, Any]:
    dates = sorted(item[WAS], key=order, reverse=True)
    eras = [era for _, era in Timeline(api.table).eras("path-item", item)]
    resolved = [(chain(api.document, era) or [{}])[-1] for era in eras]
    former = [m for m in METHODS if m not in resolved[0] and any(m in era for era in resolved)]
    if not former:
        return item
    found = {key: value for key, value in resolved[0].items() if key not in ("$ref", WAS)}
    history = dict(_history(dates, resolved, {"$ref", WAS, *former}))
    found = {**found, WAS: history} if history else found
    for method in former:
        operations = [era.get(method) for era in resolved]
        found[method] = _with_eras(dates, operations)
    return found


def _with_eras(dates: list[str], eras: list[Any]) -> dict[str, Any]:
    """Return a node with the history *eras*, given newest first; None where it is absent.

    *eras* begins with the current one; each of *dates*, newest first, ends the era after it.
    """
    newest = next(at for at, each in enumerate(eras) if each is not None)
    found = {**eras[newest], **({REMOVED: dates[newest - 1]} if newest else {})}
    last = next((at for at in range(newest, len(dates)) if eras[at + 1] is None), None)
    if last is not None:
        found[ADDED] = dates[last]
    history = dict(_history(dates[newest:last], eras[newest:], frozenset()))
    return {**found, WAS: history} if history else found


def _history(
    dates: list[str], eras: list[dict[str, Any]], without: Container[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the `x-was` entry of each date: the keys that differ between an era and the next."""
    for date, newer, older in zip(dates, eras, eras[1:], strict=False):
        keys = {key: None for key in (*newer, *older) if key not in without}
        entry = {key: older.get(key) for key in keys if older.get(key) != newer.get(key)}
        if entry:
            yield date, entry


def canonical_document(api: Api, *, sent: bool = False) -> dict[str, Any]:
    """Return the canonical document.

    With *sent*, return it for requests: fields that some versions lack are not required then.
    """
    adopted = api.table.adopted
    document: dict[str, Any] = canonical("document", api.document, sent=sent, adopted=adopted)
    return document


def answered_document(api: Api) -> dict[str, Any]:
    """Return the canonical document as an application of the newest version writes it.

    Fields that only older versions, drafts or some environments have are not required.
    """
    drafts = {version.date for version in api.table.versions if version.draft}

    def is_lacked(node: Any) -> bool:
        added = node.get(ADDED) if isinstance(node, dict) else None
        return added in drafts or (_is_gated(node) and node.keys() & (GATES - {WAS}) != {ADDED})

    document: dict[str, Any] = canonical(
        "document", api.document, is_lacked=is_lacked, adopted=api.table.adopted
    )
    return document


def canonical(
    kind: str,
    node: Any,
    *,
    sent: bool = False,
    adopted: bool = False,
    is_lacked: Callable[[Any], bool] | None = None,
) -> Any:
    """Return *node* as it is today, without our keys: canonical names, every member, all fields.

    *adopted* definitions are written as they were published. If it is *sent* by callers of any
    version, fields that some versions lack are not required, and a default is left out if some
    versions lack it. Fields for which *is_lacked* returns true are not required either.
    """
    if not isinstance(node, dict):
        return node
    found = drop_keys(node, *own) if (own := UNPUBLISHED & node.keys()) else node
    below = find_replaced(
        kind,
        found,
        lambda _, below, child: canonical(
            below, child, sent=sent, adopted=adopted, is_lacked=is_lacked
        ),
    )
    found = {**found, **below} if below else found
    if kind != "schema":
        return found
    if sent and has_lacked_default(node):
        found = {key: value for key, value in found.items() if key != "default"}
    if (sent or is_lacked) and "required" in node:
        lacked = list_lacked(node, is_lacked or _is_gated)
        required = [name for name in node["required"] if name not in lacked]
        found = {**found, "required": required} if lacked else found
    members = node.get("oneOf")
    if isinstance(members, list) and is_enumeration({"oneOf": members}):
        found = found if adopted and not any(map(_is_gated, members)) else enumeration(found)
    return open_ended(found) if EXTENSIBLE in found and not adopted else found


def _is_gated(node: Any) -> bool:
    return isinstance(node, dict) and not GATES.isdisjoint(node.keys() - {WAS})


def list_lacked(node: Any, is_lacked: Callable[[Any], bool] = _is_gated) -> list[str]:
    """Return the required fields that some version lacks, or for which *is_lacked* returns true."""
    properties = node.get("properties", {})
    return [name for name in node.get("required", ()) if is_lacked(properties.get(name))]


def has_lacked_default(node: Any) -> bool:
    """Return whether an older version of a schema had no default.

    A new field has its default for callers of all versions, because it fills the field on the way
    up.
    """
    if not isinstance(node, dict) or WAS not in node or "default" not in node or _is_gated(node):
        return False
    return any("default" in changes(entry)[1] for entry in node[WAS].values())


Row = dict[str, list[Any]]
"""The values of something at each version, oldest first, by environment."""


def entries(row: Row, versions: tuple[str, ...], key: str) -> Iterator[dict[str, Any]]:
    """Yield where each value of *row* begins, and in which environments if not in all.

    *row* holds the values at each of *versions*; *key* is the key of a value in an entry.
    """
    groups: list[tuple[list[str], list[Any]]] = []
    for environment, values in row.items():
        for names, known in groups:
            if known == values:
                names.append(environment)
                break
        else:
            groups.append(([environment], values))
    for at, version in enumerate(versions):
        for names, values in groups:
            if at == 0 or values[at] != values[at - 1]:
                where = {"environments": names} if len(groups) > 1 else {}
                yield {"since": version, **where, key: values[at]}


def choose_entry(
    rows: Sequence[Mapping[str, Any]], versions: Sequence[str], version: str, environment: str
) -> Mapping[str, Any]:
    """Return the one of *rows*, as `entries` yields them, that applies to *version*.

    *versions* are all of them, oldest first.
    """
    at = versions.index(version)
    return next(
        each
        for each in reversed(rows)
        if versions.index(each["since"]) <= at
        and environment in each.get("environments", (environment,))
    )


class Unserved(NamedTuple):
    """Why an operation can't be served, in which versions and environments.

    ``lost`` are those in which it can't be served around an application either.
    """

    reason: str
    where: frozenset[Combination]
    lost: frozenset[Combination]


class ContractData(NamedTuple):
    """How values differ between versions, as plain JSON values (see the room `contracts`).

    ``canonical`` and ``dated`` are the components that schemas in ``data`` refer to: those whose
    canonical schema is needed, and those whose schema at a version is needed. ``unserved`` are the
    operations that can't be served somewhere, by id. ``places`` are the paths in the definitions of
    the nodes that demand converters, by the converters' names.
    """

    data: dict[str, Any]
    canonical: set[str]
    dated: set[str]
    unserved: dict[str, Unserved]
    places: Mapping[str, Trail]


class Description:
    """The contract data of an API, in a compact form.

    If outputs are generated next, they are needed: a check, which reads most of them, keeps them.
    """

    def __init__(self, _: Api) -> None:
        self.is_needed = False
        self.compressed: bytes | None = None


def with_event_components(api: Api) -> Api:
    """Return *api* with a component for each webhook payload that is not a component yet.

    Only payloads in JSON count. The component is named after the webhook, and is visible where the
    webhook is.
    """
    document = api.document
    schemas = dict(document.get("components", {}).get("schemas", {}))
    webhooks = dict(document.get("webhooks", {}))
    visible = dict(api.visible)
    timeline = Timeline(api.table)
    for name, item in webhooks.items():
        found = _find_payload(document, item)
        if found is None or _find_component(found.media.get("schema")) is not None:
            continue
        component = _name_payload(name, schemas)
        schemas[component] = found.media.get("schema", True)
        masks = [timeline.of(node) for node in found.nodes]
        visible["schemas", component] = reduce(and_, masks, timeline.all)
        media = _with(found.media, "schema", {"$ref": f"#/components/schemas/{component}"})
        content = _with(found.body["content"], found.media_type, media)
        body = _with(found.body, "content", content)
        operation = _with(found.item[found.method], "requestBody", body)
        webhooks[name] = _with(found.item, found.method, operation)
    if len(schemas) == len(document.get("components", {}).get("schemas", {})):
        return api
    components = {**document.get("components", {}), "schemas": schemas}
    document = {**document, "components": components, "webhooks": webhooks}
    return replace(api, document=document, visible=visible)


def list_events(document: dict[str, Any]) -> dict[str, str]:
    """Return the component that is the payload of each webhook of *document*, by its name.

    Payloads that are not references to components are left out.
    """
    found = {
        name: payload and _find_component(payload.media.get("schema"))
        for name, item in document.get("webhooks", {}).items()
        for payload in [_find_payload(document, item)]
    }
    return {name: component for name, component in found.items() if component}


class _Payload(NamedTuple):
    """Where a webhook has its payload, and the nodes whose gates decide where it is visible."""

    item: dict[str, Any]
    method: str
    body: dict[str, Any]
    media_type: str
    media: dict[str, Any]
    nodes: list[dict[str, Any]]


def _find_payload(document: dict[str, Any], item: Any) -> _Payload | None:
    """Return the payload of a webhook, or None without one in JSON."""
    items = chain(document, item)
    for method, operation in operations(items[-1]) if items else ():
        bodies = chain(document, operation.get("requestBody"))
        content = bodies[-1].get("content", {}) if bodies else {}
        media_type = next(filter(is_json, content), None)
        if media_type is not None:
            nodes = [*items, operation, *bodies, content[media_type]]
            return _Payload(items[-1], method, bodies[-1], media_type, content[media_type], nodes)
    return None


def _find_component(schema: Any) -> str | None:
    """Return the component that *schema* is, if it is nothing but a reference."""
    if not isinstance(schema, dict) or schema.keys() - {"$ref"}:
        return None
    goal = target(schema["$ref"]) if "$ref" in schema else None
    return goal[1] if goal is not None and goal[0] == "schemas" else None


def _name_payload(event: str, taken: Container[str]) -> str:
    """Return a name for the component of the payload of *event* that is not *taken*."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+", event) if word]
    name = "".join(word[0].upper() + word[1:] for word in words) or "Event"
    for suffix in ("", "Event", "Payload"):
        if name + suffix not in taken and (name + suffix)[0].isalpha():
            return name + suffix
    name = f"EventPayload{name}"
    while name in taken:
        name += "Payload"
    return name


def _with(node: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    return copy_items(node, [(each, value if each == key else kept) for each, kept in node.items()])
