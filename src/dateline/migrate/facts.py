"""What callers' code has to change from one version to another, in Python's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from dateline.migrate.package import VersionModule
from dateline.python.names import argument_name, class_name, field_name

_REMOVED: Final = frozenset({"response-field-removed", "request-field-removed"})
_REQUIRED: Final = frozenset({"required-request-field-added", "field-required"})
_PARAMETER_RENAMED: Final = frozenset({"parameter-renamed", "path-parameter-renamed"})
_PARAMETER_REQUIRED: Final = frozenset({"required-parameter-added", "parameter-required"})
_VALUE_REMOVED: Final = frozenset({"value-removed", "open-value-removed", "response-narrowed"})


@dataclass(frozen=True)
class NewName:
    """A name that is another one in the newer version; ``wire`` are both as JSON has them."""

    new: str
    wire: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class CallerRemark:
    """What no rewriting settles: what happened, and the reason for it, if one was given."""

    fact: str
    why: str | None = None

    def __str__(self) -> str:
        return f"{self.fact}: {self.why}" if self.why else self.fact


@dataclass(kw_only=True)
class MigrationFacts:
    """What became of names: renamed, or something to look at.

    Fields, members, arguments and methods go by the class or method, then by their own name;
    ``required`` lists what a call of a class or method has to give now. ``left`` is what concerns
    none of these.
    """

    classes: dict[str, NewName | CallerRemark] = field(default_factory=dict)
    fields: dict[tuple[str, str], NewName | CallerRemark] = field(default_factory=dict)
    members: dict[tuple[str, str], CallerRemark] = field(default_factory=dict)
    methods: dict[str, NewName | CallerRemark] = field(default_factory=dict)
    arguments: dict[tuple[str, str], NewName | CallerRemark] = field(default_factory=dict)
    required: dict[str, dict[str, CallerRemark]] = field(default_factory=dict)
    left: list[CallerRemark] = field(default_factory=list)

    def find_names(self) -> set[str]:
        """Return each name of a field, member or method that something became of."""
        pairs = (*self.fields, *self.members)
        return {name for _, name in pairs} | {*self.methods}


def find_facts(
    changes: Sequence[Mapping[str, Any]], older: VersionModule, newer: VersionModule
) -> MigrationFacts:
    """Return what *changes*, those of a change page in JSON, mean for code of *older*."""
    return _FactFinder(older, newer).find(changes)


class _FactFinder:
    def __init__(self, older: VersionModule, newer: VersionModule) -> None:
        self._older, self._newer = older, newer
        self._facts = MigrationFacts()
        self._former: dict[str, str] = {}

    def find(self, changes: Sequence[Mapping[str, Any]]) -> MigrationFacts:
        facts = self._facts
        for change in changes:
            if change["rule"] == "component-renamed":
                before, after = class_name(str(change["before"])), class_name(str(change["after"]))
                self._former[str(change["after"])] = str(change["before"])
                facts.classes[before] = NewName(after)
        for change in changes:
            if not self._place(change) and change["verdict"] in ("gated", "never"):
                facts.left.append(_remark(change))
        for name in sorted(self._older.names - self._newer.names):
            gone = CallerRemark(f"{self._newer.path} has no {name}")
            facts.classes.setdefault(name, gone)
        return facts

    def _place(self, change: Mapping[str, Any]) -> bool:
        """Note what *change* means for a name; return whether it concerns one."""
        rule = change["rule"]
        if rule in ("component-renamed", "component-removed", "component-added"):
            return True
        if rule == "field-renamed":
            return self._note_field_rename(change)
        if rule in _REMOVED:
            return self._note_field(change, _remark(change))
        if rule in _REQUIRED:
            return self._note_required_field(change)
        if rule in _VALUE_REMOVED:
            return self._note_member(change)
        if rule in ("operation-removed", "operation-id-changed"):
            return self._note_methods(change)
        if rule in (*_PARAMETER_RENAMED, "parameter-removed", *_PARAMETER_REQUIRED):
            return self._note_arguments(change)
        return False

    # --- fields and members

    def _find_holder(self, change: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return the class that has the changed field in the older version, and the field."""
        if change["schema"] is None:
            return None
        start = class_name(self._former.get(change["schema"], change["schema"]))
        *way, last = str(change["field"]).replace("[]", "").replace("{}", "").split(".")
        holder = self._older.find_class(start, [field_name(each) for each in way if each])
        return None if holder is None else (holder, last)

    def _note_field(self, change: Mapping[str, Any], what: NewName | CallerRemark) -> bool:
        found = self._find_holder(change)
        if found is None:
            return False
        holder, last = found
        name = field_name(what.wire[0] if isinstance(what, NewName) else last)
        if name not in self._older.classes[holder].fields:
            return False
        self._facts.fields[holder, name] = what
        return True

    def _note_field_rename(self, change: Mapping[str, Any]) -> bool:
        found = self._find_holder(change)
        if found is None:
            return False
        before, after = str(change["before"]), str(change["after"])
        return self._note_field(change, NewName(field_name(after), (before, after)))

    def _note_required_field(self, change: Mapping[str, Any]) -> bool:
        found = self._find_holder(change)
        if found is None:
            return False
        self._facts.required.setdefault(found[0], {})[field_name(found[1])] = _remark(change)
        return True

    def _note_member(self, change: Mapping[str, Any]) -> bool:
        if change["schema"] is None:
            return False
        start = class_name(self._former.get(change["schema"], change["schema"]))
        way = [each for each in str(change["field"]).split(".") if each]
        holder = self._older.find_class(start, [field_name(each) for each in way])
        members = self._older.classes[holder].members if holder else {}
        found = [name for name, value in members.items() if value == change["before"]]
        for name in found:
            self._facts.members[holder or "", name] = _remark(change)
        return bool(found)

    # --- methods and arguments

    def _list_methods(self, change: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return each operation of *change* that the older client has, and its method."""
        known = self._older.methods
        return [(name, known[name]) for name in change["operations"] if name in known]

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
        found = self._list_methods(change)
        for _, method in found:
            if change["rule"] in _PARAMETER_RENAMED:
                before, after = str(change["before"]), str(change["after"])
                renamed = NewName(argument_name(after), (before, after))
                self._facts.arguments[method, argument_name(before)] = renamed
            elif change["rule"] == "parameter-removed":
                gone = argument_name(str(change["field"]))
                self._facts.arguments[method, gone] = _remark(change)
            else:
                needed = argument_name(str(change["field"]))
                self._facts.required.setdefault(method, {})[needed] = _remark(change)
        return bool(found)


def _remark(change: Mapping[str, Any]) -> CallerRemark:
    return CallerRemark(str(change["message"]), change["why"])
