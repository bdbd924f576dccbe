"""Check the keys that gate: where they may appear, what they name, and what they change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from dateline.gates import drop_keys, gate_dates, substitutes
from dateline.load.checks.names import (
    header_names,
    parameter_name,
    parameter_name_style,
    property_names,
    property_names_style,
)
from dateline.load.checks.scope import (
    CHECKS,
    Finder,
    LinkedTrail,
    Scope,
    Site,
    Violation,
    extend,
    list_past,
    on,
    path,
)
from dateline.load.checks.structure import HOLLOW
from dateline.load.table import check_version
from dateline.model import (
    ADDED,
    ENVIRONMENTS,
    EXTENSIBLE,
    GATES,
    KEYS,
    NEXT,
    REMOVED,
    SHOWN_AS,
    WAS,
    WHY,
)
from dateline.openapi import OBJECTS, WHOLE, Arrangement, slot
from dateline.schema.types import UNIONS
from dateline.schema.values import text
from dateline.versions import is_well_formed
from dateline.wording import did_you_mean, name_kind, quote

_PRESENCE: Final = (ADDED, REMOVED, ENVIRONMENTS)
"""The keys that decide whether something is visible at all."""

OPTIONAL_PARTS: Final = frozenset({"operation", "request-body", "path-item", "response"})
"""Objects held by a key of the surrounding object that may be omitted."""

_RENAMED: Final = "name"
_NAMED_BY_KEY: Final = frozenset({"schema", "header"})


_INSTEAD: Final = {
    **dict.fromkeys(
        ("info", "contact", "license", "external-docs", "server-variable", "xml"), "leave it out"
    ),
    "paths": "put it on a path",
    "responses": "put it on a response",
    "discriminator": f"put `{WAS}` on the schema that it belongs to",
    **dict.fromkeys(("oauth-flows", "oauth-flow"), f"put `{WAS}` on the security scheme"),
}
"""The right place of a key on an object that every version has; by default, a part of it."""


# Where a key is allowed


@on(*(f"*.{key}" for key in sorted(KEYS)), finds=("misplaced-annotation",))
def our_keys_are_allowed(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    if key == WAS and not scope.authored:
        return  # adopted documents may have differed in anything
    reason = _PLACES[key](site)
    if reason is not None:
        yield Violation(site.at(key), "misplaced-annotation", f"`{key}` {reason}")


def _presence(site: Site) -> str | None:
    if site.kind in WHOLE:
        where = _INSTEAD.get(site.kind, "put it on a part of it")
        return f"is not allowed on {name_kind(site.kind)}, which every version has; {where}"
    if (
        slot(_holder(site), site.slot).arrangement is Arrangement.ONE
        and site.kind not in OPTIONAL_PARTS
    ):
        return (
            f"is not allowed on the `{site.slot}` of {name_kind(_holder(site))}, "
            f"which has to be there; put `{WAS}` on what contains it"
        )
    if _in_path(site.node) and _holder(site) != "components":
        return "is not allowed on a path parameter, which the path always has; put it on the path"
    return None


def _in_path(node: dict[str, Any]) -> bool:
    return node.get("in") == "path"


def _was(site: Site) -> str | None:
    if site.kind not in WHOLE:
        return None
    where = _INSTEAD.get(site.kind, "put it on a part of it")
    return f"is not allowed on {name_kind(site.kind)}; {where}"


def _shown_as(site: Site) -> str | None:
    if site.kind != "schema" or not (site.slot in UNIONS or _extends(site)):
        return (
            "is allowed only on a value of an enumeration or a member of a union; leave it out here"
        )
    if site.node.keys().isdisjoint((ADDED, REMOVED)):
        return f"is what callers get instead, but there is no `{ADDED}` or `{REMOVED}`; add one"
    return None


def _extends(site: Site) -> bool:
    """Return whether *site* is a component that a discriminator of another schema may select."""
    return _holder(site) == "components" and "allOf" in site.node


def _extensible(site: Site) -> str | None:
    if site.kind != "schema" or "$ref" in site.node:
        return "is allowed only on a schema with `type: string`; write it there"
    written = site.node.get("type", ())
    types = {written} if isinstance(written, str) else set(written)
    if types - {"null"} != {"string"}:
        return "is allowed only on a schema with `type: string`; give it that type"
    if "enum" in site.node or "const" in site.node:
        return "beside a closed list of values contradicts it; leave one of the two out"
    return None


def _why(site: Site) -> str | None:
    if site.node.keys() & GATES:
        return None
    if site.kind in WHOLE:
        return f"is the reason for a gate, which {name_kind(site.kind)} can't have; leave it out"
    return f"is the reason for a gate, but there is none here; add {ADDED}, {REMOVED} or {WAS}"


_PLACES: Final = {
    **dict.fromkeys(_PRESENCE, _presence),
    WAS: _was,
    SHOWN_AS: _shown_as,
    EXTENSIBLE: _extensible,
    WHY: _why,
}


def _holder(site: Site) -> str:
    return site.parent.kind if site.parent is not None else site.kind


@on(
    *(f"schema.{key}" for key in ("default", "const", "enum", "example", "examples")),
    *(f"{kind}.example" for kind in ("parameter", "header", "media-type")),
    *("example.value", f"schema.{SHOWN_AS}"),
    finds=("annotation-in-data",),
)
def not_inside_data(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    pending = [(site.at(key), site.node[key])]
    while pending:
        trail, value = pending.pop()
        if isinstance(value, dict):
            for name in value.keys() & KEYS:
                message = f"`{name}` has no effect inside a value; leave it out"
                yield Violation((trail, name), "annotation-in-data", message)
            pending += [((trail, name), below) for name, below in value.items()]
        elif isinstance(value, list):
            pending += [((trail, index), below) for index, below in enumerate(value)]


# Dates and environments


@on(f"*.{ADDED}", f"*.{REMOVED}", finds=("date", "unknown-version"))
def dates(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    yield from _date(scope, site.node[key], site.at(key), value=True)


@on(f"schema.{SHOWN_AS}", finds=("date", "unknown-version"))
def dates_of_substitutes(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    for date in substitutes(site.node):
        if date is not None:
            yield from _date(scope, date, site.at(key, date), value=False)


@on(f"*.{WAS}", finds=("date", "unknown-version"))
def dates_of_history(scope: Scope, site: Site, _: str) -> Iterator[Violation]:
    for past in list_past(site):
        gates = [past.setting.get(gate) for gate in (ADDED, REMOVED)]
        for date in (past.date, *gates):
            if isinstance(date, str):
                yield from _date(scope, date, past.at, value=False)


def _date(scope: Scope, written: str, trail: LinkedTrail, *, value: bool) -> Iterator[Violation]:
    if written in scope.ranks:
        return
    known = scope.table.dates
    if written == NEXT:
        message = (
            "the version table has no `next`; run `dateline gate`, or add "
            "`- { date: next, title: Being prepared., draft: true }` to the end of its `versions`"
        )
        yield Violation(trail, "unknown-version", message, value=value)
    elif is_well_formed(written, scope.table.form):
        message = f"no version {written} in the table{did_you_mean(written, known)}"
        yield Violation(trail, "unknown-version", message, value=value)
    elif refusal := check_version(written, scope.table.form):
        yield Violation(trail, "date", refusal.message, value=value)


@on(f"*.{ADDED}", finds=("gate-without-effect",))
def added_later(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    # such a component exists by itself, whatever refers to it
    by_itself = site.parent is not None and site.parent.kind == "components"
    if scope.ranks.get(site.node[key]) == 0 and not by_itself:
        message = f"{site.node[key]} is the first version, so every version has it; leave it out"
        yield Violation(site.at(key), "gate-without-effect", message, value=True)


@on(f"*.{REMOVED}", finds=("never-there",))
def exists_before_removed(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    removed = scope.ranks.get(site.node[key])
    added = scope.ranks.get(site.node.get(ADDED, ""), 0)
    if removed is None or removed > added:
        return
    if ADDED in site.node:
        added_at = f"added at {site.node[ADDED]}, so no version has it"
        message = f"{added_at}; remove it later, or leave the node out"
    else:
        message = f"{site.node[key]} is the first version, so none has it; leave the node out"
    yield Violation(site.at(key), "never-there", message, value=True)


@on(f"*.{WAS}", finds=("gate-without-effect",))
def history_has_a_past(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    for past in list_past(site):
        if ADDED in (*past.setting, *past.unset):
            break  # it existed before it was added again
        if scope.ranks.get(past.date, 1) <= scope.ranks.get(site.node.get(ADDED, ""), 0):
            since = "the first version" if ADDED not in site.node else "when it is added"
            message = f"{past.date} is {since}, so there is nothing before it; leave it out"
            yield Violation(past.at, "gate-without-effect", message)
    if not site.node[key]:
        message = "no date is listed; write {DATE: {keyword: value}}, or leave it out"
        yield Violation(site.at(key), "gate-without-effect", message)


@on(f"*.{ENVIRONMENTS}", finds=("unknown-environment",))
def environments(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    known = scope.table.environment_names
    for index, name in enumerate(site.node[key]):
        if name not in known:
            message = f"there is no environment {quote(name)}{did_you_mean(name, known)}"
            yield Violation(site.at(key, index), "unknown-environment", message)


# The other keys


@on(f"*.{WHY}", finds=("several-lines", "blank-text"))
def why(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    written = site.node[key]
    reasons = written.items() if isinstance(written, dict) else [(None, written)]
    for date, reason in reasons:
        trail = site.at(key) if date is None else site.at(key, date)
        if not reason.strip():
            message = "the reason is blank; say it in a sentence"
            yield Violation(trail, "blank-text", message, value=True)
        elif reason.splitlines() != [reason]:
            message = f"{quote(reason)} has several lines; write one sentence"
            yield Violation(trail, "several-lines", message, value=True)


@on(f"*.{WHY}", finds=("reason-without-gate",))
def reasons_of_gates(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    written = site.node[key]
    known = gate_dates(site.node)
    for date in written if isinstance(written, dict) else ():
        if date not in known:
            message = f"there is no gate of {date} here{did_you_mean(date, known)}"
            yield Violation(site.at(key, date), "reason-without-gate", message)
    if not written and isinstance(written, dict):
        message = "no date is listed; write {DATE: TEXT}, or leave it out"
        yield Violation(site.at(key), "reason-without-gate", message)


@on(f"schema.{EXTENSIBLE}", finds=("blank-text", "control-character"))
def open_values(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for index, value in enumerate(site.node[key]):
        if not value:
            yield Violation(site.at(key, index), "blank-text", "the value is blank; write one")
        elif not value.isprintable():
            message = f"{quote(value)} contains a control character; leave it out"
            yield Violation(site.at(key, index), "control-character", message)


# Histories


@on(f"*.{WAS}", finds=("history-without-effect", "misplaced-rename"))
def history_changes_something(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """Each keyword that a date sets or unsets differs from its value after that date."""
    if not scope.ranks.keys() >= site.node[key].keys():
        return
    now: dict[str, Any] = dict(site.node)
    named = _own_name(site)
    if named is not None:
        now[_RENAMED] = named
    for date, at, setting, unset, set_at in list_past(site):
        if not setting and not unset:
            message = "no keyword is listed; write what it was, or leave the date out"
            yield Violation(at, "history-without-effect", message)
        for keyword, value in setting.items():
            if keyword == _RENAMED and site.kind in _NAMED_BY_KEY and named is None:
                message = "only properties, headers and parameters have a name; leave it out"
                yield Violation((set_at, keyword), "misplaced-rename", message)
            elif keyword in now and _is_same(scope, now[keyword], value):
                message = f"`{keyword}` is {quote(value)} after {date} too; leave it out"
                yield Violation((set_at, keyword), "history-without-effect", message)
        for keyword in unset:
            if keyword == _RENAMED and named is not None:
                message = "a name can't be unset; write the old one, or leave it out"
                yield Violation(at, "misplaced-rename", message)
            elif keyword not in now and keyword in OBJECTS[site.kind]:
                message = f"`{keyword}` is not there after {date} either; leave it out"
                yield Violation((at, keyword), "history-without-effect", message)
        now = {key: value for key, value in {**now, **setting}.items() if key not in unset}


def _is_same(scope: Scope, newer: Any, older: Any) -> bool:
    if text(newer) != text(older):
        return False
    # third parties may have written the same number differently, or something in place of a schema
    return scope.authored or (repr(newer) == repr(older) and not _has_hollow(newer))


def _has_hollow(value: Any) -> bool:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is HOLLOW or any(map(_has_hollow, below))


@on(f"parameter.{WAS}", finds=("path-parameter-changed",))
def path_parameters_stay(_: Scope, site: Site, __: str) -> Iterator[Violation]:
    """A path is the same in every version, and so are the names in its braces."""
    for past in list_past(site):
        for keyword in ("in", _RENAMED):
            if keyword in past.setting and (_in_path(site.node) or _in_path(past.setting)):
                message = (
                    f"a path is the same in every version, and with it the parameters that it "
                    f"names; leave `{keyword}` out, and keep what it was"
                )
                yield Violation((past.set_at, keyword), "path-parameter-changed", message)


def _own_name(site: Site) -> str | None:
    """Return the name of *site*; None if it has none of its own."""
    if site.kind == "parameter":
        name: str | None = site.node.get("name")
        return name
    # a component is identified by references, which only refer to it by name
    if site.slot in ("properties", "headers") and site.trail and _holder(site) != "components":
        return str(site.trail[1])
    return None


@on(
    *(f"{kind}.{WAS}" for kind in ("schema", "header", "parameter")),
    finds=("property-name", "unsafe-name", "header-name", "parameter-name", "misplaced-annotation"),
)
def old_names_are_names(scope: Scope, site: Site, _: str) -> Iterator[Violation]:
    """An old name follows the grammar of the named kind."""
    for trail, old in _old_names(site):
        if site.kind == "parameter":
            probe, key = site._replace(node={**site.node, "name": old}), "name"
        else:
            probe, key = Site(_holder(site), {site.slot: {old: {}}}, None, "", None), site.slot
        for check in _GRAMMARS[site.kind]:
            for found in check(scope, probe, key):
                yield Violation(trail, found.id, found.message, value=True)


_GRAMMARS: Final[dict[str, tuple[Finder, ...]]] = {
    "schema": (property_names, property_names_style),
    "header": (header_names,),
    "parameter": (parameter_name, parameter_name_style),
}


def _old_names(site: Site) -> Iterator[tuple[LinkedTrail, str]]:
    if _own_name(site) is None:
        return
    for past in list_past(site):
        if isinstance(past.setting.get(_RENAMED), str):
            yield (past.set_at, _RENAMED), past.setting[_RENAMED]


@on(
    *("schema.properties", "response.headers", "operation.parameters", "path-item.parameters"),
    finds=("rename-collision",),
)
def old_names_are_free(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """No two siblings have the same name in the same version."""
    children = site.node[key]
    pairs = list(children.items() if isinstance(children, dict) else enumerate(children))
    nodes = [child for _, child in pairs if isinstance(child, dict)]
    if not any(WAS in node for node in nodes) or not all(_in_known(scope, n) for n in nodes):
        return
    kind = slot(site.kind, key).kind
    taken: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for name, child in pairs:
        for shown_in, called, now in _names(scope, kind, name, child):
            for others, other in taken.get(called, ()):
                both = others & shown_in
                # two of the same name in the newest version are found without any history
                if both and not (called[1] == now == other):
                    versions = scope.timeline.places(both) or "what applies to all environments"
                    message = (
                        f"{quote(called[1])} is the name of {quote(other)} too in {versions}; "
                        "rename one, or remove one before that"
                    )
                    yield Violation(site.at(key, name), "rename-collision", message)
            taken.setdefault(called, []).append((shown_in, now))


def _in_known(scope: Scope, node: dict[str, Any]) -> bool:
    return {*scope.table.environment_names}.issuperset(node.get(ENVIRONMENTS, ()))


def _names(
    scope: Scope, kind: str, name: str | int, child: Any
) -> Iterator[tuple[int, tuple[str, str], str]]:
    """Yield where *child* has which name, and its current name."""
    there = scope.timeline.of(child)
    if kind in _NAMED_BY_KEY:
        for mask, called in scope.timeline.names(kind, str(name), child):
            spelt = called.casefold() if kind == "header" else called
            yield mask & there, ("", spelt), str(name)
        return
    now = scope.resolve(kind, child)
    if not isinstance(now, dict):
        return
    for mask, era in scope.timeline.eras(kind, now):
        where, called = era.get("in", ""), era.get("name", "")
        spelt = called.casefold() if where == "header" else called
        yield mask & there, (where, spelt), now.get("name", "")


@on(f"*.{WAS}", finds=("*",))
def history_is_sound(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """The checks apply to former values as to current ones."""
    if not scope.ranks.keys() >= site.node[key].keys():
        return
    now = drop_keys(site.node, WAS)
    known = {(found.id, found.message) for found in _defects(scope, site._replace(node=now))}
    depth = len(path(site.trail))
    for past in list_past(site):
        setting = dict(past.setting)
        if site.kind in _NAMED_BY_KEY:
            setting.pop(_RENAMED, None)
        now = {k: v for k, v in {**now, **setting}.items() if k not in past.unset}
        for found in _defects(scope.past, site._replace(node=now)):
            if (found.id, found.message) not in known:
                known.add((found.id, found.message))
                yield found._replace(trail=extend(past.set_at, *path(found.trail)[depth:]))


def _defects(scope: Scope, site: Site) -> Iterator[Violation]:
    """Yield what the checks of *site*'s own keys find, except those of our keys."""
    for key in site.node:
        # discriminators are checked against the schemas of their time, by checks of their own
        if key in OBJECTS[site.kind] and key != "discriminator":
            for check in CHECKS.get(f"{site.kind}.{key}", ()):
                yield from check.run(scope, site, key)
    for check in CHECKS.get(site.kind, ()):
        yield from check.run(scope, site, "")
