"""List what changes for callers' code from one version to another, by Python names."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from dateline.migrate.matching import match_classes
from dateline.migrate.package import RESPONSES, GeneratedClass, VersionModule
from dateline.python.names import argument_name, class_name

_T = TypeVar("_T")

_REMOVED: Final = frozenset({"response-field-removed", "request-field-removed"})
_REQUIRED: Final = frozenset({"required-request-field-added", "field-required"})
_PARAMETER_RENAMED: Final = frozenset({"parameter-renamed", "path-parameter-renamed"})
_SWAPPED: Final = "path-parameters-swapped"
_BODY_REQUIRED: Final = frozenset({"body-added", "body-required"})
_ARGUMENT_REQUIRED: Final = _BODY_REQUIRED | {"required-parameter-added", "parameter-required"}
_PATH_PARAMETER: Final = re.compile(r"\{[^{}]*\}")
_VALUE_REMOVED: Final = frozenset({"value-removed", "open-value-removed", "response-narrowed"})


@dataclass(frozen=True)
class NewName:
    """A name that is different in the newer version; ``wire`` are both as in JSON."""

    new: str
    wire: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class CallerRemark:
    """A change that no rewriting settles, and its reason, if one was given."""

    fact: str
    why: str | None = None

    def __str__(self) -> str:
        return f"{self.fact}: {self.why}" if self.why else self.fact


@dataclass(kw_only=True)
class MigrationFacts:
    """The changes of names: renames, and remarks for people.

    Fields, members, arguments and methods are keyed by the class or method and by their own name;
    ``required`` lists what a call of a class or method must pass now, ``aliases`` are classes that
    can't be called any more. ``left`` is what concerns none of these.
    """

    classes: dict[str, NewName | CallerRemark] = field(default_factory=dict)
    fields: dict[tuple[str, str], NewName | CallerRemark] = field(default_factory=dict)
    members: dict[tuple[str, str], CallerRemark] = field(default_factory=dict)
    methods: dict[str, NewName | CallerRemark] = field(default_factory=dict)
    arguments: dict[tuple[str, str], NewName | CallerRemark] = field(default_factory=dict)
    required: dict[str, dict[str, CallerRemark]] = field(default_factory=dict)
    aliases: dict[str, CallerRemark] = field(default_factory=dict)
    left: list[CallerRemark] = field(default_factory=list)

    def find_names(self) -> set[str]:
        """Return each changed name of a field, member or method."""
        pairs = (*self.fields, *self.members)
        return {name for _, name in pairs} | {*self.methods}


def find_facts(
    changes: Sequence[Mapping[str, Any]], older: VersionModule, newer: VersionModule
) -> MigrationFacts:
    """Return what *changes*, those of a change page in JSON, mean for code of *older*.

    The statement of a change about a name counts only if both versions of the package confirm it.
    """
    return _FactFinder(older, newer).find(changes)


class _FactFinder:
    def __init__(self, older: VersionModule, newer: VersionModule) -> None:
        self._older, self._newer = _align_operations(older, newer), newer
        self._facts = MigrationFacts()

    def find(self, changes: Sequence[Mapping[str, Any]]) -> MigrationFacts:
        facts = self._facts
        self._renamed = dict(self._list_renamed_fields(changes))
        self._counterparts = match_classes(self._older, self._newer, changes, self._renamed)
        former = {new: old for old, new in self._counterparts.items()}
        self._former = {name: former.get(name, name) for name in self._newer.classes}
        # no rename of its method settles a change of places
        for change in sorted(changes, key=lambda each: bool(each["rule"] == _SWAPPED)):
            if not self._place(change) and change["verdict"] in ("gated", "never"):
                facts.left.append(_remark(change))
            if change["rule"] == "component-renamed":
                # another one may have the name now; if none has, the next lines decide
                facts.classes[class_name(str(change["before"]))] = _remark(change)
        for name in sorted(self._older.names - self._newer.names):
            new = self._counterparts.get(name)
            gone = CallerRemark(f"{self._newer.path} has no {name}")
            facts.classes[name] = gone if new is None else NewName(new)
        self._note_unexplained()
        return facts

    def _list_renamed_fields(
        self, changes: Sequence[Mapping[str, Any]]
    ) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield the class and the old name of each renamed field, and the new name, as in JSON."""
        for change in changes:
            if change["rule"] == "field-renamed" and (found := self._find_field(change)):
                yield found, str(change["after"])

    def _place(self, change: Mapping[str, Any]) -> bool:
        """Record what *change* means for a name; return whether it concerns one."""
        rule = change["rule"]
        if rule in ("component-renamed", "component-removed", "component-added"):
            return True
        for rules, note in (
            (("field-renamed",), self._note_field_rename),
            (_REMOVED, self._note_field_removal),
            (_REQUIRED, self._note_required_field),
            (_VALUE_REMOVED, self._note_member),
        ):
            if rule in rules:
                place = self._find_field(change)
                return place is not None and note(change, *place)
        if rule in ("operation-removed", "operation-id-changed"):
            return self._note_methods(change)
        if rule == _SWAPPED:
            found = self._list_methods(change)
            self._facts.methods.update((method, _remark(change)) for _, method in found)
            return bool(found)
        if rule in (*_PARAMETER_RENAMED, "parameter-removed", *_ARGUMENT_REQUIRED):
            return self._note_arguments(change)
        return False

    # --- fields and members

    def _find_field(self, change: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return the class of the older version with the changed field, and its name in JSON.

        A field that only the newer version has belongs to the class that replaced this one; None if
        no class of the older version is replaced.
        """
        if change["before_pointer"] is not None:
            return self._older.find_field(change["before_pointer"], change["operations"])
        found = self._newer.find_field(change["after_pointer"] or "", change["operations"])
        if found is None or self._former[found[0]] not in self._older.classes:
            return None
        return self._former[found[0]], found[1]

    def _list_newer(self, holder: str) -> list[GeneratedClass]:
        """Return the classes that replace *holder*: several, if it is a union."""
        name = ast.Name(self._counterparts.get(holder, holder))
        return [self._newer.classes[each] for each in self._newer.list_classes(name)]

    def _find_newer(self, holder: str) -> GeneratedClass | None:
        found = self._list_newer(holder)
        return found[0] if len(found) == 1 else None

    def _note_field_rename(self, change: Mapping[str, Any], holder: str, before: str) -> bool:
        after = str(change["after"])
        old, new = self._older.classes[holder].wire, self._find_newer(holder)
        if before not in old or new is None or after not in new.wire or before in new.wire:
            return False
        self._facts.fields[holder, old[before]] = NewName(new.wire[after], (before, after))
        return True

    def _note_field_removal(self, change: Mapping[str, Any], holder: str, name: str) -> bool:
        old, new = self._older.classes[holder].wire, self._find_newer(holder)
        if name not in old or (new is not None and name in new.wire):
            return False
        self._facts.fields[holder, old[name]] = _remark(change)
        return True

    def _note_required_field(self, change: Mapping[str, Any], holder: str, _: str) -> bool:
        last = str(change["field"]).rpartition(".")[2]
        new = self._find_newer(holder)
        name = None if new is None else new.wire.get(last)
        if new is None or name is None or name not in new.required:
            return False
        self._facts.required.setdefault(holder, {})[name] = _remark(change)
        return True

    def _note_member(self, change: Mapping[str, Any], holder: str, _: str) -> bool:
        new = self._find_newer(holder)
        members = self._older.classes[holder].members
        gone = [name for name, value in members.items() if value == change["before"]]
        for name in gone:
            if new is None or new.members.get(name) != change["before"]:
                self._facts.members[holder, name] = _remark(change)
        return bool(gone)

    def _note_unexplained(self) -> None:
        """Record what else is missing or needed, whatever change caused it."""
        facts = self._facts
        for name, old in self._older.classes.items():
            called = self._counterparts.get(name, name)
            if called not in self._newer.names:
                # the class itself is gone, and reported as such
                continue
            what = f"{self._newer.path}.{called}"
            now = self._newer.aliases.get(called)
            if now is not None and not isinstance(now, ast.Name | ast.Attribute):
                facts.aliases[name] = CallerRemark(f"{what} is not a class but a type alias")
            new = self._list_newer(name)
            for each in old.fields:
                if not new or any(each not in one.fields for one in new):
                    gone = CallerRemark(f"{what} has no field {each}")
                    facts.fields.setdefault((name, each), gone)
            for each, value in old.members.items():
                if not new or any(one.members.get(each) != value for one in new):
                    gone = CallerRemark(f"{what} has no {each}, which is {value!r}")
                    facts.members.setdefault((name, each), gone)
            for each in new[0].required if len(new) == 1 else ():
                self._note_needed(name, each, self._rename(name, old.required, facts.fields))
        for operation, method in self._older.methods.items():
            if method not in self._newer.methods.values():
                gone = CallerRemark(f"the client of {self._newer.version} has no {method}")
                facts.methods.setdefault(method, gone)
            for each in self._newer.needed.get(operation, ()):
                before = self._older.needed[operation]
                self._note_needed(method, each, self._rename(method, before, facts.arguments))
            self._note_missing_arguments(operation, method)

    def _note_missing_arguments(self, operation: str, method: str) -> None:
        new = self._newer.methods.get(operation)
        for name in self._older.types[operation] if new is not None else ():
            is_result = name.startswith(RESPONSES)
            if not is_result and name not in self._newer.types[operation]:
                gone = CallerRemark(f"{new} of {self._newer.version} has no argument {name}")
                self._facts.arguments.setdefault((method, name), gone)

    def _note_needed(self, holder: str, name: str, before: Collection[str]) -> None:
        if name not in before:
            needed = CallerRemark(f"needed in {self._newer.version}")
            self._facts.required.setdefault(holder, {}).setdefault(name, needed)

    @staticmethod
    def _rename(
        holder: str, names: Collection[str], facts: Mapping[tuple[str, str], NewName | CallerRemark]
    ) -> set[str]:
        """Return the new names of *names* of *holder*."""
        known = {name: facts.get((holder, name)) for name in names}
        return {what.new if isinstance(what, NewName) else name for name, what in known.items()}

    # --- methods and arguments

    def _list_methods(self, change: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return each operation of *change* that the older client has, and its methods."""
        changed = {*change["operations"]}
        known = self._older.methods.items()
        return [(name, method) for name, method in known if _name_operation(name) in changed]

    def _note_methods(self, change: Mapping[str, Any]) -> bool:
        found = self._list_methods(change)
        for operation, method in found:
            new = self._newer.methods.get(operation)
            if new is None:
                self._facts.methods[method] = _remark(change)
            elif new != method:
                self._facts.methods[method] = NewName(new)
        return bool(found)

    def _note_arguments(self, change: Mapping[str, Any]) -> bool:
        is_renamed = change["rule"] in _PARAMETER_RENAMED
        before = str(change["before"] if is_renamed else change["field"])
        after = str(change["after"] if is_renamed else change["field"])
        old, new = argument_name(before), argument_name(after)
        if change["rule"] in _BODY_REQUIRED:
            new = "body"
        noted = False
        for operation, method in self._list_methods(change):
            is_taken = new in self._newer.types.get(operation, {})
            if change["rule"] in _ARGUMENT_REQUIRED:
                if is_taken:
                    self._facts.required.setdefault(method, {})[new] = _remark(change)
                    noted = True
            elif old in self._older.types[operation]:
                # with another method the call is marked as a whole
                what = NewName(new, (before, after)) if is_renamed and is_taken else _remark(change)
                self._facts.arguments[method, old] = what
                noted = True
        return noted


def _align_operations(older: VersionModule, newer: VersionModule) -> VersionModule:
    """Return *older* with operations keyed as in *newer* where only path parameters are renamed."""
    ours, theirs = ({*each.methods} for each in (older, newer))
    counterparts: dict[str, list[str]] = {}
    for key in theirs - ours:
        counterparts.setdefault(_PATH_PARAMETER.sub("{}", key), []).append(key)
    found = {key: counterparts.get(_PATH_PARAMETER.sub("{}", key), ()) for key in ours - theirs}
    count = Counter(each[0] for each in found.values() if each)
    # of several with the same path, none is certain
    keys = {key: each[0] for key, each in found.items() if len(each) == 1 and count[each[0]] == 1}

    def rekey(entries: Mapping[str, _T]) -> dict[str, _T]:
        return {keys.get(key, key): each for key, each in entries.items()}

    return replace(
        older,
        methods=rekey(older.methods),
        types=rekey(older.types),
        needed=rekey(older.needed),
    )


def _name_operation(key: str) -> str:
    """Return `METHOD /path` of a method's key."""
    return key.removesuffix(" _iterate").removesuffix(" _open")


def _remark(change: Mapping[str, Any]) -> CallerRemark:
    return CallerRemark(str(change["message"]), change["why"])
