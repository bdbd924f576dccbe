"""Align the members of a mapping or list across versions, so that each can have its own gates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, Final

from dateline.adopt.renames import Renames
from dateline.adopt.states import NAMED_BY_KEY, States
from dateline.edit.history import ABSENT
from dateline.openapi import WHOLE
from dateline.schema.words import DESCRIPTIVE

_DISTINCTIVE: Final = frozenset(
    {"$ref", "enum", "const", "pattern", "properties", "oneOf", "anyOf", "allOf"}
)
"""Keywords of a schema that few others have alike."""

_WORD: Final = re.compile("[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")


@dataclass
class MemberStates:
    """One member: its value in each version, and its name there."""

    states: States
    names: dict[int, str] = field(default_factory=dict)


class ConstantStates:
    """A value, as far as neighbouring versions have the very same."""

    def __init__(self) -> None:
        self.value: Any = None
        self.versions: list[int] = []

    def add(self, version: int, value: Any) -> bool:
        """Add the next older *version*; return False if it has another value."""
        if self.versions and value is not self.value:
            return False
        self.value = value
        self.versions.append(version)
        return True


class MappingStates:
    """A mapping, as far as its versions differ in what gates on its members can express."""

    def __init__(
        self, kind: str, keyword: str, required: States, holder: str, renames: Renames
    ) -> None:
        self.members: dict[str, MemberStates] = {}
        self.versions: list[int] = []
        self._kind = kind
        self._is_named = (kind, keyword) in NAMED_BY_KEY
        self._required = required
        self._holder = holder
        self._renames = renames

    def add(self, version: int, value: Any) -> bool:
        """Add the next older *version*; return False, and change nothing, if gates can't."""
        shown: dict[str, Any] = {} if value is ABSENT else value
        before: dict[str, MemberStates] = {}
        if self.versions:
            last = self.versions[-1]
            members = self.members.values()
            before = {one.names[last]: one for one in members if last in one.states}
            new = [name for name in shown if name not in before]
            gone = [name for name in before if name not in shown]
            renamed = self._find_renames(before, shown, gone, new, version)
            before |= {name: before[newer] for name, newer in renamed.items()}
            alone = [name for name in new if name not in renamed]
            changing = [shown[name] for name in alone]
            changing += [before[name].states[last] for name in {*gone} - {*renamed.values()}]
            for name in alone:
                if name in self.members:
                    changing += self.members[name].states.values()
            pairs = ((before[name].states[last], shown[name]) for name in shown if name in before)
            if not _can_change(self._kind, changing) or not all(
                are_mergeable(newer, older) for newer, older in pairs
            ):
                return False
        for name, node in shown.items():
            member = before.get(name) or self.members.setdefault(name, MemberStates({}))
            member.states[version] = node
            member.names[version] = name
        self.versions.append(version)
        return True

    def _find_renames(
        self,
        before: dict[str, MemberStates],
        shown: dict[str, Any],
        gone: list[str],
        new: list[str],
        version: int,
    ) -> dict[str, str]:
        """Return the newer name of each older name that was renamed, as users decide.

        They are asked only about schemas that no other member has. A plain text that is removed and
        another that is added need not be one: a word of the name, the description or a distinctive
        keyword must be the same.
        """
        if not self._is_named:
            return {}
        last = self.versions[-1]
        newer = {
            name: (node, self._comparable(name, node, last))
            for name in gone
            if isinstance(node := before[name].states[last], dict)
        }
        older = {
            name: (node, self._comparable(name, node, version))
            for name in new
            if isinstance(node := shown[name], dict) and name not in self.members
        }
        found = {
            name: other
            for name in older
            for other in newer
            if self._renames.says(self._holder, name, other)
        }
        older = {name: each for name, each in older.items() if name not in found}
        newer = {name: each for name, each in newer.items() if name not in found.values()}
        for name, (node, kept) in older.items():
            alike = [other for other, (_, its) in newer.items() if its == kept]
            if (
                len(alike) == 1
                and sum(its == kept for _, its in older.values()) == 1
                and _is_distinctive((name, node), (alike[0], newer[alike[0]][0]))
                and self._renames.accepts(self._holder, name, alike[0])
            ):
                found[name] = alike[0]
        return found

    def _comparable(self, name: str, node: dict[str, Any], version: int) -> dict[str, Any]:
        required = self._required.get(version, ABSENT)
        return drop_words(node) | {"required": required is not ABSENT and name in required}


class ListStates:
    """A list, as far as its versions differ in what gates on its items can express.

    In a published `oneOf` constants alone get no gates: with these, it would become an `enum`.
    """

    def __init__(self, kind: str, keyword: str, holder: str, renames: Renames) -> None:
        self.members: list[MemberStates] = []
        self.versions: list[int] = []
        self._kind = kind
        self._keyword = keyword
        self._holder = holder
        self._renames = renames

    def add(self, version: int, value: Any) -> bool:
        """Add the next older *version*; return False, and change nothing, if gates can't."""
        shown: list[Any] = [] if value is ABSENT else value
        found: dict[int, int] = {}
        if self.versions:
            last = self.versions[-1]
            before = [at for at, member in enumerate(self.members) if last in member.states]
            newer = [self.members[at].states[last] for at in before]
            found = {before[n]: index for n, index in self._align(newer, shown)}
            kept = set(found.values())
            new = [node for index, node in enumerate(shown) if index not in kept]
            lost = [self.members[at].states[last] for at in before if at not in found]
            if not _can_change(self._kind, (*new, *lost)):
                return False
            if self._keyword == "oneOf" and (new or lost) and self._are_constants(new):
                return False
        members: list[MemberStates] = []
        taken = 0
        for at, member in enumerate(self.members):
            if at in found:
                # what is only in the older version comes before the next that both have
                members += [MemberStates({version: node}) for node in shown[taken : found[at]]]
                member.states[version] = shown[found[at]]
                taken = found[at] + 1
            members.append(member)
        self.members = members + [MemberStates({version: node}) for node in shown[taken:]]
        self.versions.append(version)
        return True

    def _align(self, newer: list[Any], older: list[Any]) -> Iterator[tuple[int, int]]:
        """Yield the indexes of items that are the same thing, in order."""
        ours, theirs = ([_identity(self._kind, node) for node in nodes] for nodes in (newer, older))
        matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag == "equal":
                yield from zip(range(a, b), range(c, d), strict=True)
            elif tag == "replace":
                inline = [n for n in range(a, b) if _is_inline(newer[n])]
                others = [n for n in range(c, d) if _is_inline(older[n])]
                if len(inline) == len(others):
                    pairs = zip(inline, others, strict=True)
                    yield from ((n, m) for n, m in pairs if self._is_same(newer[n], older[m]))
                if self._are_replaced(newer, older) and len(inline) == len(others):
                    referring = [n for n in range(a, b) if _is_reference(newer[n])]
                    those = [n for n in range(c, d) if _is_reference(older[n])]
                    in_order = [n - a for n in referring] == [n - c for n in those]
                    yield from zip(referring, those, strict=True) if in_order else ()

    def _are_replaced(self, newer: list[Any], older: list[Any]) -> bool:
        """Return whether other references in these lists are those that replaced the older ones.

        A value is one member of a union, to which others may have been added.
        """
        if self._kind != "schema":
            return False
        counts = {sum(map(_is_reference, nodes)) for nodes in (newer, older)}
        return self._keyword == "allOf" or counts == {1}

    def _is_same(self, newer: dict[str, Any], older: dict[str, Any]) -> bool:
        """Return whether two items are one that was changed or, for parameters, renamed."""
        if self._kind == "schema":
            return newer.get("type") is older.get("type") and newer.get("title") is older.get(
                "title"
            )
        if self._kind != "parameter" or newer.get("in") != older.get("in"):
            return False
        names = str(older.get("name")), str(newer.get("name"))
        return self._renames.says(self._holder, *names) or (
            _is_renamed_parameter(newer, older) and self._renames.accepts(self._holder, *names)
        )

    def _are_constants(self, new: list[Any]) -> bool:
        known = [node for member in self.members for node in member.states.values()]
        return all("const" in node for node in (*known, *new))


Aligned = ConstantStates | MappingStates | ListStates


def are_mergeable(newer: Any, older: Any) -> bool:
    """Return whether one node can express both values: they are equal, or two objects."""
    return newer is older or (isinstance(newer, dict) and isinstance(older, dict))


def _can_change(kind: str, nodes: Iterable[Any]) -> bool:
    """Return whether each of *nodes*, members of one kind, can be added and removed separately."""
    return all(isinstance(node, dict) and kind not in WHOLE for node in nodes)


def drop_words(node: dict[str, Any]) -> dict[str, Any]:
    """Return *node* without the keys that don't change which values are valid."""
    return {key: value for key, value in node.items() if key not in DESCRIPTIVE}


def _is_distinctive(older: tuple[str, dict[str, Any]], newer: tuple[str, dict[str, Any]]) -> bool:
    (name, then), (called, now) = older, newer
    if then.keys() & _DISTINCTIVE or _list_words(name) & _list_words(called):
        return True
    return "description" in then and then["description"] is now.get("description")


def _list_words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


def _identity(kind: str, node: Any) -> Any:
    """Return what distinguishes an item of a list, whatever else changes in it."""
    if not isinstance(node, dict):
        return id(node)
    if "$ref" in node:
        return "$ref", node["$ref"]
    if kind == "parameter":
        return node.get("name"), node.get("in")
    if kind in ("tag", "server"):
        return node.get("name", node.get("url"))
    # equal values are one object here
    return ("const", id(node["const"])) if "const" in node else id(node)


def _is_reference(node: Any) -> bool:
    return isinstance(node, dict) and "$ref" in node


def _is_inline(node: Any) -> bool:
    return isinstance(node, dict) and not node.keys() & {"$ref", "const"}


def _is_renamed_parameter(newer: dict[str, Any], older: dict[str, Any]) -> bool:
    now, then = (
        {key: value for key, value in drop_words(one).items() if key != "name"}
        for one in (newer, older)
    )
    schema = now.get("schema")
    distinctive = isinstance(schema, dict) and bool(schema.keys() & _DISTINCTIVE)
    return now == then and (
        distinctive or _is_distinctive((older["name"], older), (newer["name"], newer))
    )
