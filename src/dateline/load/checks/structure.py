"""Check the types and keys of a document of any structure, in one file for one walk.

This is the only check that assumes nothing about its input. All others get a document in which
every value has the type that its key demands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from dateline.gates import changes, is_long
from dateline.load.checks.right_places import find_right_place
from dateline.load.checks.scope import (
    CHECKS,
    Check,
    LinkedTrail,
    Scope,
    Site,
    Violation,
    extend,
    path,
)
from dateline.load.checks.style import ADOPTABLE
from dateline.model import (
    ADDED,
    CONVERTER,
    ENVIRONMENTS,
    EXTENSIBLE,
    GATES,
    IN_PLACE_OF,
    KEYS,
    NEXT,
    REMOVED,
    SHOWN_AS,
    WAS,
    WHY,
    Trail,
)
from dateline.oddities import CLOSE_TO_OURS
from dateline.openapi import (
    ANY,
    ANY_TYPE,
    JSON_TYPES,
    LIST_TYPE,
    MAPPING_TYPE,
    NEWEST,
    OBJECTS,
    REFERABLE,
    TEXTS,
    WHOLE,
    Arrangement,
    Key,
    Value,
    find_kind,
    follow,
    list_required,
    target,
)
from dateline.versions import is_dated
from dateline.wording import find_nearest, name_kind, quote, suggest

FINDS: Final = frozenset(
    {"wrong-type", "missing-key", "misspelt-key", "unknown-key", "key-names-code"}
    | {"unknown-annotation", "misplaced-annotation"}
)
"""The ids of the problems that this module reports."""


_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")


class ValueType(NamedTuple):
    """The allowed Python types of a value and of its items (None for any), and both in words."""

    accepts: frozenset[type]
    holds: frozenset[type] | None
    words: str


_TEXT: Final = ValueType(*JSON_TYPES[Value.TEXT], "text")
_DATE: Final = ValueType(*JSON_TYPES[Value.TEXT], "a version, written as in versions.yaml,")
_LIST: Final = ValueType(*LIST_TYPE, "a list")
_TEXTS: Final = ValueType(*JSON_TYPES[Value.TEXTS], "a list of texts")
_NODE: Final = ValueType(*MAPPING_TYPE, "a mapping")
_SCHEMA: Final = ValueType(MAPPING_TYPE.accepts | {bool}, None, "a schema (a mapping)")
_DATED: Final = ValueType(
    MAPPING_TYPE.accepts, MAPPING_TYPE.accepts, "a mapping {DATE: {keyword: value}}"
)
_ANYTHING: Final = ValueType(*ANY_TYPE, "a value of any kind")

_WORDS: Final[dict[Value, str]] = {
    Value.TEXT: _TEXT.words,
    Value.FLAG: "true or false",
    Value.NUMBER: "a number",
    Value.BOUND: "a number",
    Value.COUNT: "a whole number from 0",
    Value.LIST: _LIST.words,
    Value.TEXTS: _TEXTS.words,
    Value.TYPES: "the name of a type or a list of such names",
    Value.MAP: _NODE.words,
    Value.TEXT_MAP: "a mapping to texts",
    Value.LIST_MAP: "a mapping to lists",
    Value.DEMANDS: "a list of mappings",
    Value.ANY: _ANYTHING.words,
}

_OURS: Final[dict[str, ValueType]] = {
    ADDED: _DATE,
    REMOVED: _DATE,
    WAS: _DATED,
    SHOWN_AS: _ANYTHING,
    ENVIRONMENTS: _TEXTS,
    EXTENSIBLE: _TEXTS,
    WHY: ValueType(TEXTS | MAPPING_TYPE.accepts, TEXTS, "text or a mapping {DATE: text}"),
}

_RIGHT_PLACES: Final = {
    "mapping": "put it on the member that the tag names",
    "scopes": "put it on the security scheme",
    EXTENSIBLE: "put it on a schema with `type: string`",
    SHOWN_AS: "put it on a value of an enumeration, or a member of a union",
    WHY: "put it beside the gate that it is the reason for",
}
"""The right place of one of our keys among names, unless it goes on one of the named things."""

_EXPLAINING: Final[dict[str | int, tuple[str, ...]]] = {
    ADDED: (SHOWN_AS, WHY),
    REMOVED: (SHOWN_AS, WHY),
    WAS: (WHY,),
}
"""By gate, the keys that have no meaning without it."""

_BESIDE_KEYWORDS: Final = {IN_PLACE_OF: _TEXTS, CONVERTER: _TEXT}
"""The keys of a date of `x-was` besides keywords."""

# Required by 3.0 only. Without a response no operation can be served, so authored ones need it too.
_REQUIRED_ONCE: Final[dict[str, tuple[str, ...]]] = {
    "document": ("paths",),
    "operation": ("responses",),
}

# Without these, an object of an adopted document has no meaning.
_INDISPENSABLE: Final[dict[str, tuple[str, ...]]] = {
    "document": ("openapi",),
    "discriminator": ("propertyName",),
    "parameter": ("name", "in"),
    "server": ("url",),
    "tag": ("name",),
}

# Keys that other generators interpret as code to import or to run.
_NAMES_CODE: Final = re.compile(
    r"custom(Type|Base)Path|default_factory|x-python-.*|x-enum-?varnames|x-enumNames",
    re.IGNORECASE,
)
# The first word of a foreign key that was probably meant for one of our keys.
_LIKE_OURS: Final = {
    **dict.fromkeys(("add", "added", "adds"), ADDED),
    **dict.fromkeys(("remove", "removed", "removes"), REMOVED),
    **dict.fromkeys(("was", "were"), WAS),
    **dict.fromkeys(("shown", "show", "showas", "shownas"), SHOWN_AS),
    **dict.fromkeys(("env", "envs", "environment", "environments"), ENVIRONMENTS),
    **dict.fromkeys(("extensible", "extensibleenum"), EXTENSIBLE),
    "why": WHY,
}
# How similar a foreign key must be to one of our keys to be taken for it. In adopted documents
# `x-removedIn` is their own key, and only a typing error is taken for ours.
_CLOSE_TO_OURS: Final = {True: 0.8, False: CLOSE_TO_OURS}
_CLOSE_TO_A_KEY: Final = 0.75


class _KeyForm(NamedTuple):
    """The content of a key: its type, the objects below it, and its own checks."""

    type: ValueType
    arrangement: Arrangement
    kind: str
    checks: tuple[Check, ...]
    is_newer: bool = False
    """Whether the key was added in a newer version of OpenAPI than that of the document."""


@dataclass(frozen=True)
class _Form:
    """The form of objects of one kind."""

    kind: str
    keys: dict[str, _KeyForm]
    other: _KeyForm | None
    required: tuple[str, ...]
    checks: tuple[Check, ...]
    reference: tuple[Check, ...]


class Pending(NamedTuple):
    """The checks to run on a node once the whole document is well formed."""

    checks: tuple[Check, ...]
    site: Site


class TypeFault(NamedTuple):
    """A value of the wrong type, and its replacement; None to leave it out."""

    trail: LinkedTrail
    instead: dict[str, Any] | None


# Replaces a child of the wrong type, so that its name or index stays taken.
HOLLOW: Final[dict[str, Any]] = {}


class StructureWalk:
    """One walk over the document that collects structural problems, and the checks to run."""

    def __init__(self, scope: Scope) -> None:
        self.found: list[Violation] = []
        self.pending: list[Pending] = []
        self.faults: list[TypeFault] = []
        self._authored = scope.authored
        self._forms = _forms(scope.authored, scope.openapi)
        self._scope = scope
        self._outside: set[tuple[str, str]] = set()
        self._stack: list[tuple[_Form, Site]] = [
            (self._forms["document"], Site("document", scope.document, None, "", None))
        ]
        while self._stack:
            self._node(*self._stack.pop())

    def _node(self, form: _Form, site: Site) -> None:
        _, node, trail, _, _ = site
        if node is HOLLOW:
            return
        if "$ref" in node and not self._authored:
            self._follow(form, node["$ref"])
        if form.reference and "$ref" in node:
            if type(node["$ref"]) is str:
                self.pending.append(Pending(form.reference, site))
            else:
                self._wrong(node["$ref"], (trail, "$ref"), _TEXT)
            self._gates(form, site)
            return
        keys = form.keys
        checks = form.checks
        for key, value in node.items():
            known = keys.get(key)
            if known is None:
                if form.other is None or key.startswith("x-"):
                    self.found += self._unknown(form, key, (trail, key))
                    continue
                known = form.other
            elif known.is_newer:
                # it is walked all the same, so that what is below it has the types that it needs
                self.found += self._unknown(form, key, (trail, key))
            if type(value) not in known.type.accepts:
                self._wrong(value, (trail, key), known.type, tolerated=known.type is _SCHEMA)
                continue
            if known.checks:
                checks += known.checks
            if known.arrangement is not Arrangement.DATA:
                self._below(known, value, (trail, key), key, site)
            elif known.type.holds is not None and type(value) is not str:
                self._check_items(known.type, value, (trail, key))
                # in a forbidden place, its content is irrelevant
                if key == WAS and not (self._authored and form.kind in WHOLE):
                    self._history(form, site)
        for key in form.required:
            if key not in node:
                message = f"{name_kind(form.kind)} needs `{key}`; write it"
                self.found.append(Violation(trail, "missing-key", message))
        if checks:
            self.pending.append(Pending(checks, site))

    def _follow(self, form: _Form, reference: Any) -> None:
        """Push what *reference* leads to on the stack, if that is within data or an extension."""
        if type(reference) is not str or target(reference) is not None:
            return
        goal = self._scope.references.locate(reference)
        if goal is None or find_kind(goal.pointer) or (goal.pointer, form.kind) in self._outside:
            return
        self._outside.add((goal.pointer, form.kind))
        if type(goal.value) in _NODE.accepts:
            trail = extend(None, *follow(self._scope.document, goal.pointer))
            self._stack.append((form, Site(form.kind, goal.value, trail, "", None)))

    def _gates(self, form: _Form, site: Site) -> None:
        """Check the gates beside a reference, which has no other keys."""
        for key in GATES & site.node.keys():
            known = form.keys[key]
            if type(site.node[key]) not in known.type.accepts:
                self._wrong(site.node[key], site.at(key), known.type)
                continue
            self.pending.append(Pending(known.checks, site))
            if known.type.holds is not None:
                self._check_items(known.type, site.node[key], site.at(key))
                if key == WAS:
                    self._history(form, site)

    def _below(
        self, known: _KeyForm, value: Any, trail: LinkedTrail, key: str, parent: Site
    ) -> None:
        """Push the objects in *value* on the stack."""
        form = self._forms[known.kind]
        if known.arrangement is Arrangement.ONE:
            if type(value) is not bool:
                self._stack.append((form, Site(known.kind, value, trail, key, parent)))
            return
        wanted = _SCHEMA if known.kind == "schema" else _NODE
        pairs = value.items() if known.arrangement is Arrangement.MAP else enumerate(value)
        for name, child in pairs:
            if is_annotation(name, child, is_authored=self._authored):
                self._note_misplaced(str(name), (trail, name), key)
            elif type(child) not in wanted.accepts:
                self._wrong(child, (trail, name), wanted, HOLLOW, tolerated=wanted is _SCHEMA)
            elif type(child) is not bool:
                self._stack.append((form, Site(known.kind, child, (trail, name), key, parent)))

    def _check_items(self, wanted: ValueType, value: Any, trail: LinkedTrail) -> None:
        """Report the first item of the list or mapping *value* that is not of the right type."""
        assert wanted.holds is not None
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in pairs:
            if is_annotation(key, item, is_authored=self._authored, in_data=True):
                self._note_misplaced(str(key), (trail, key), str(trail[1]) if trail else "")
            elif type(item) not in wanted.holds:
                message = f"{quote(item)} in {wanted.words}"
                self.found.append(Violation((trail, key), "wrong-type", message, value=True))
                self.faults.append(TypeFault(trail, None))
                return

    def _history(self, form: _Form, site: Site) -> None:
        """Walk what each date of `x-was` sets as an object of the same kind."""
        before = self._forms[_before(form.kind)]
        for date, entry in site.node[WAS].items():
            if type(entry) not in _NODE.accepts:
                continue
            at = site.at(WAS, date)
            setting, unset = changes(entry)
            for key, wanted in _BESIDE_KEYWORDS.items():
                if key not in entry:
                    continue
                if type(entry[key]) not in wanted.accepts:
                    self._wrong(entry[key], (at, key), wanted)
                elif wanted.holds is not None:
                    self._check_items(wanted, entry[key], (at, key))
            if is_long(entry):
                if type(setting) not in _NODE.accepts:
                    self._wrong(setting, (at, "set"), _NODE)
                    continue
                if "unset" in entry and type(entry["unset"]) not in _LIST.accepts:
                    self._wrong(entry["unset"], (at, "unset"), _TEXTS)
                    continue
                if "set" in entry:
                    at = (at, "set")
            self._stack.append((before, Site(form.kind, setting, at, WAS, site)))
            for key in unset:
                if type(key) is not str:
                    self._wrong(key, site.at(WAS, date, "unset"), _TEXTS)
                elif key not in before.keys or before.keys[key].is_newer:
                    self.found += self._unknown(before, key, site.at(WAS, date))

    def _wrong(
        self,
        value: Any,
        trail: LinkedTrail,
        wanted: ValueType,
        instead: dict[str, Any] | None = None,
        *,
        tolerated: bool = False,
    ) -> None:
        """Report that *value* has the wrong type, which *tolerated* keys may have if adopted."""
        if self._authored or not tolerated:
            message = f"{quote(value)} where {wanted.words} belongs{_way_out(value, trail, wanted)}"
            self.found.append(Violation(trail, "wrong-type", message, value=True))
        self.faults.append(TypeFault(trail, instead))

    def _note_misplaced(self, key: str, trail: LinkedTrail, among: str) -> None:
        """Report that *key*, one of ours, is written as one of the names in *among*."""
        place = _RIGHT_PLACES.get(key) or _RIGHT_PLACES.get(among, "put it on one of them")
        message = f"`{key}` is among the names in `{among}`; {place}"
        self.found.append(Violation(trail, "misplaced-annotation", message))
        self.faults.append(TypeFault(trail, None))

    def _unknown(self, form: _Form, key: str, trail: LinkedTrail) -> Iterator[Violation]:
        if _NAMES_CODE.fullmatch(key):
            message = (
                f"{quote(key)} refers to code; definitions only describe messages, leave it out"
            )
            yield Violation(trail, "key-names-code", message)
        elif key in KEYS:
            message = f"`{key}` is not allowed inside `x-was`; put it on the node itself"
            yield Violation(trail, "misplaced-annotation", message)
        elif key.startswith("x-"):
            nearest = _meant_for_ours(key, self._authored)
            if nearest is not None:
                yield Violation(
                    trail, "unknown-annotation", f"{quote(key)}; did you mean {nearest!r}?"
                )
        else:
            fact = f"{quote(key)} is not a key of {name_kind(form.kind)}"
            known = [name for name, each in form.keys.items() if not each.is_newer]
            if WAS in path(trail):
                known += _BESIDE_KEYWORDS
            if hint := suggest(key, known, _CLOSE_TO_A_KEY):
                yield Violation(trail, "misspelt-key", f"{fact}{hint}")
            else:
                # a history has nothing around it or below
                place = None if WAS in path(trail) else find_right_place(form.kind, key)
                message = f"{fact}; {place or 'leave it out, or let it begin with `x-`'}"
                yield Violation(trail, "unknown-key", message)


def is_annotation(name: str | int, value: Any, *, is_authored: bool, in_data: bool = False) -> bool:
    """Return whether *name*, among names chosen by the author, is one of our keys.

    A header, say, may have such a name; its *value* decides. In adopted definitions, it is one only
    with a value that makes sense: publishers don't know these keys. Where values are texts or
    lists, *in_data*, those of publishers make sense, too.
    """
    if name not in KEYS or type(value) not in _OURS[str(name)].accepts:
        return False
    if isinstance(value, dict):
        return bool(value) and all(key == NEXT or is_dated(key) for key in value)
    if is_authored:
        return True
    if name in (ADDED, REMOVED):
        return value == NEXT or is_dated(value)
    if in_data:
        return False
    # a schema, a reference, or a requirement without scopes
    return not (type(value) is bool or value == [] or str(value).startswith("#/"))


def _way_out(value: Any, trail: LinkedTrail, wanted: ValueType) -> str:
    """Return how to write what *value*, of the wrong type, was probably meant to be."""
    if type(value) is bool and trail is not None and trail[-1] == "required" and wanted == _TEXTS:
        return "; list what is required beside `properties`: `required: [NAME]`"
    if isinstance(value, str) and "number" in wanted.words and _NUMBER.fullmatch(value):
        return f"; write {value} without quotes"
    return ""


@lru_cache(maxsize=1024)
def _meant_for_ours(key: str, authored: bool) -> str | None:
    """Return which of our keys the foreign *key* was probably meant to be."""
    nearest = find_nearest(key, sorted(KEYS), _CLOSE_TO_OURS[authored])
    if nearest is None and authored:
        nearest = _LIKE_OURS.get(re.split("[-_]", key[2:].casefold())[0])
    return nearest


def without_faults(scope: Scope, faults: list[TypeFault]) -> Scope:
    """Return *scope* over a document without the values that are *faults*."""
    root = dict(scope.document)
    copies: dict[Trail, Any] = {(): root}
    for fault in faults:
        *steps, last = path(fault.trail)
        if WAS in steps:
            # a history with a missing part would mean something else
            steps, last = steps[: steps.index(WAS)], WAS
        node: Any = root
        for depth, step in enumerate(steps, start=1):
            place = tuple(steps[:depth])
            if place not in copies:
                below = node[step]
                copies[place] = dict(below) if isinstance(below, dict) else list(below)
                node[step] = copies[place]
            node = copies[place]
        if fault.instead is not None and last != WAS:
            node[last] = fault.instead
        elif isinstance(node, dict):
            for key in (last, *_EXPLAINING.get(last, ())):
                node.pop(key, None)
    return replace(scope, document=root)


@lru_cache(maxsize=6)
def _forms(authored: bool, openapi: str) -> dict[str, _Form]:
    is_newest = openapi == NEWEST

    def active(*places: str) -> tuple[Check, ...]:
        checks = (check for place in places for check in CHECKS.get(place, ()))
        return tuple(check for check in checks if authored or not check.ids <= ADOPTABLE)

    def now(kind: str) -> _Form:
        required = list_required(kind, openapi)
        if authored or openapi == "3.0":
            required += _REQUIRED_ONCE.get(kind, ())
        if not authored:
            required = tuple(key for key in required if key in _INDISPENSABLE.get(kind, ()))
        keys = {}
        for key, known in OBJECTS[kind].items():
            # a key that came with 3.2 is unknown in an older document
            is_newer = known.since == NEWEST and not is_newest
            checks = () if is_newer else active(f"{kind}.{key}", f"*.{key}")
            if key != ANY:
                keys[key] = _KeyForm(_type(known), *known.slot, checks, is_newer)
        for key, accepted in _OURS.items():
            keys[key] = _KeyForm(
                accepted, Arrangement.DATA, "data", active(f"{kind}.{key}", f"*.{key}")
            )
        other = OBJECTS[kind].get(ANY)
        return _Form(
            kind=kind,
            keys=keys,
            other=other and _KeyForm(_NODE, *other.slot, ()),
            required=required,
            checks=active(kind),
            reference=active("reference.$ref") if is_referable(kind) else (),
        )

    def is_referable(kind: str) -> bool:
        return kind in REFERABLE and (is_newest or kind != "media-type")

    def before(kind: str) -> _Form:
        form = now(kind)
        # their content is checked in the whole object that they were part of
        keys = {
            key: known._replace(checks=())
            for key, known in form.keys.items()
            if key not in KEYS
            or (key == EXTENSIBLE and kind == "schema")
            # third parties may have removed a key and added it again
            or (key in (ADDED, REMOVED) and not authored)
        }
        if kind in ("schema", "header"):
            keys["name"] = _KeyForm(_TEXT, Arrangement.DATA, "data", ())
        return replace(form, keys=keys, required=(), checks=(), reference=())

    return {kind: now(kind) for kind in OBJECTS} | {_before(kind): before(kind) for kind in OBJECTS}


def _before(kind: str) -> str:
    """Return the name of the form for what `x-was` sets in an object of *kind*."""
    return f"{kind} before"


def _type(key: Key) -> ValueType:
    slot = key.slot
    if slot.arrangement is Arrangement.LIST:
        return _LIST
    if slot.arrangement is Arrangement.MAP:
        return _NODE
    if slot.arrangement is Arrangement.ONE:
        return _SCHEMA if slot.kind == "schema" else _NODE
    return ValueType(*JSON_TYPES[key.value], _WORDS[key.value])
