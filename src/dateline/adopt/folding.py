"""The members that versions show in one place in, aligned, out: the newest first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, Final

from dateline.adopt.renames import Renames
from dateline.adopt.runs import ABSENT, NAMED_BY_KEY, States, gateable, shape

_TELLING: Final = frozenset(
    {"$ref", "enum", "const", "pattern", "properties", "oneOf", "anyOf", "allOf"}
)
"""Keywords of a schema that few others would have alike."""

_WORD: Final = re.compile("[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")


@dataclass
class Member:
    """One thing among others: what it is in each version, and what it is called there."""

    states: States
    names: dict[int, str] = field(default_factory=dict)


class Same:
    """A value, as far as versions show the very same."""

    def __init__(self) -> None:
        self.value: Any = None
        self.versions: list[int] = []

    def take(self, version: int, value: Any) -> bool:
        """Take in the next older *version*; return False where it shows another value."""
        if self.versions and value is not self.value:
            return False
        self.value = value
        self.versions.append(version)
        return True


class Mapping:
    """A mapping, as far as its versions can be told by gates on its members."""

    def __init__(
        self, kind: str, keyword: str, required: States, holder: str, renames: Renames
    ) -> None:
        self.members: dict[str, Member] = {}
        self.versions: list[int] = []
        self._kind = kind
        self._named = (kind, keyword) in NAMED_BY_KEY
        self._required = required
        self._holder = holder
        self._renames = renames

    def take(self, version: int, value: Any) -> bool:
        """Take in the next older *version*; return False, and change nothing, where it can't."""
        shown: dict[str, Any] = {} if value is ABSENT else value
        if not self.versions:
            self.members = {
                name: Member({version: node}, {version: name}) for name, node in shown.items()
            }
            self.versions.append(version)
            return True
        last = self.versions[-1]
        before = {each.names[last]: each for each in self.members.values() if last in each.states}
        new = [name for name in shown if name not in before]
        gone = [name for name in before if name not in shown]
        renamed = self._renamed(before, shown, gone, new, version) if self._named else {}
        alone = [name for name in new if name not in renamed]
        lost = [before[name] for name in gone if name not in renamed.values()]
        back = [self.members[name] for name in alone if name in self.members]
        if not all(
            gateable(self._kind, node)
            for node in [
                *(shown[name] for name in alone),
                *(one.states[last] for one in lost),
                *(node for one in back for node in one.states.values()),
            ]
        ):
            return False
        for name, node in shown.items():
            known = before.get(name) or before.get(renamed.get(name, ""))
            if known is not None and not self._goes_on(known.states[last], node):
                return False
        for name, node in shown.items():
            known = before.get(name) or before.get(renamed.get(name, ""))
            if known is None:
                known = self.members.setdefault(name, Member({}))
            known.states[version] = node
            known.names[version] = name
        self.versions.append(version)
        return True

    def _goes_on(self, newer: Any, older: Any) -> bool:
        return newer is older or (isinstance(newer, dict) and isinstance(older, dict))

    def _renamed(
        self,
        before: dict[str, Member],
        shown: dict[str, Any],
        gone: list[str],
        new: list[str],
        version: int,
    ) -> dict[str, str]:
        """Return which of the older names became which newer one, by what users say of it.

        They are asked of a shape that no other has. A plain text that goes and another that comes
        need not be one: a word of the name, the description or a shape that says more has to stay.
        """
        last = self.versions[-1]

        def told(name: str, node: Any, at: int) -> Any:
            return shape(node) | {"required": name in _names(self._required, at)}

        newer = [
            (name, told(name, node, last))
            for name in gone
            if isinstance(node := before[name].states[last], dict)
        ]
        older = [
            (name, told(name, shown[name], version))
            for name in new
            if isinstance(shown[name], dict) and name not in self.members
        ]
        found = {
            name: other
            for name, _ in older
            for other, _ in newer
            if self._renames.says(self._holder, name, other)
        }
        older = [each for each in older if each[0] not in found]
        newer = [each for each in newer if each[0] not in found.values()]
        for name, kept in older:
            alike = [other for other, its in newer if its == kept]
            if len(alike) == 1 and sum(its == kept for _, its in older) == 1:
                then = shown[name]
                if _is_telling(
                    (name, then), (alike[0], before[alike[0]].states[last])
                ) and self._renames.accepts(self._holder, name, alike[0]):
                    found[name] = alike[0]
        return found


def _names(required: States, at: int) -> Any:
    names = required.get(at, ABSENT)
    return () if names is ABSENT else names


def _is_telling(older: tuple[str, dict[str, Any]], newer: tuple[str, dict[str, Any]]) -> bool:
    (name, then), (called, now) = older, newer
    if then.keys() & _TELLING or _words(name) & _words(called):
        return True
    return "description" in then and then["description"] is now.get("description")


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


class Listing:
    """A list, as far as its versions can be told by gates on its items.

    In a *published* one constants alone get no gates: with these, it would become an `enum`.
    """

    def __init__(self, kind: str, holder: str, renames: Renames, *, published: bool) -> None:
        self.members: list[Member] = []
        self.versions: list[int] = []
        self._kind = kind
        self._published = published
        self._holder = holder
        self._renames = renames

    def take(self, version: int, value: Any) -> bool:
        """Take in the next older *version*; return False, and change nothing, where it can't."""
        shown: list[Any] = [] if value is ABSENT else value
        if not self.versions:
            self.members = [Member({version: node}) for node in shown]
            self.versions.append(version)
            return True
        last = self.versions[-1]
        before = [at for at, member in enumerate(self.members) if last in member.states]
        pairs = dict(self._aligned([self.members[at].states[last] for at in before], shown))
        kept = set(pairs.values())
        new = [node for index, node in enumerate(shown) if index not in kept]
        lost = [self.members[at].states[last] for n, at in enumerate(before) if n not in pairs]
        if not all(gateable(self._kind, node) for node in (*new, *lost)):
            return False
        if self._published and (new or lost) and self._constants(new):
            return False
        found = {before[n]: index for n, index in pairs.items()}
        made: list[Member] = []
        taken = 0
        for at, member in enumerate(self.members):
            if at in found:
                # what is only in the older version stands before the next that both have
                made += [Member({version: node}) for node in shown[taken : found[at]]]
                member.states[version] = shown[found[at]]
                taken = found[at] + 1
            made.append(member)
        made += [Member({version: node}) for node in shown[taken:]]
        self.members = made
        self.versions.append(version)
        return True

    def _aligned(self, newer: list[Any], older: list[Any]) -> Iterator[tuple[int, int]]:
        """Yield which items are the same thing, in order: those that say who they are first."""
        ours, theirs = ([_key(self._kind, node) for node in nodes] for nodes in (newer, older))
        matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag == "equal":
                yield from zip(range(a, b), range(c, d), strict=True)
            elif tag == "replace":
                inline = [n for n in range(a, b) if _is_inline(newer[n])]
                others = [n for n in range(c, d) if _is_inline(older[n])]
                if len(inline) == len(others):
                    yield from (
                        (n, m)
                        for n, m in zip(inline, others, strict=True)
                        if self._is_one(newer[n], older[m])
                    )

    def _is_one(self, newer: dict[str, Any], older: dict[str, Any]) -> bool:
        """Tell whether two items are one that was changed; of parameters, one that was renamed."""
        if self._kind != "parameter":
            return _is_like(self._kind, newer, older)
        if newer.get("in") != older.get("in"):
            return False
        names = str(older.get("name")), str(newer.get("name"))
        return self._renames.says(self._holder, *names) or (
            _is_like(self._kind, newer, older) and self._renames.accepts(self._holder, *names)
        )

    def _constants(self, new: list[Any]) -> bool:
        known = [node for member in self.members for node in member.states.values()]
        return all("const" in node for node in (*known, *new))


Fold = Same | Mapping | Listing


def _key(kind: str, node: Any) -> Any:
    """Return what tells an item of a list from others, however it is changed."""
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


def _is_inline(node: Any) -> bool:
    return isinstance(node, dict) and not node.keys() & {"$ref", "const"}


def _is_like(kind: str, newer: dict[str, Any], older: dict[str, Any]) -> bool:
    """Tell whether two items may be one that was changed; of parameters, one that was renamed."""
    if kind == "schema":
        return newer.get("type") is older.get("type") and newer.get("title") is older.get("title")
    if kind != "parameter":
        return False
    now, then = (
        {key: value for key, value in shape(one).items() if key != "name"} for one in (newer, older)
    )
    schema = now.get("schema")
    telling = isinstance(schema, dict) and bool(schema.keys() & _TELLING)
    return now == then and (telling or _is_telling((older["name"], older), (newer["name"], newer)))
