"""Append a version to definitions: what is different in it becomes gates beside those there are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import chain
from typing import Any, Final

from dateline.adopt.dependents import join_names
from dateline.adopt.states import NAMED_BY_KEY
from dateline.edit.history import (
    ABSENT,
    NAME,
    PARTIAL,
    find_gates,
    plain,
    rewrite_history,
    same,
    values,
)
from dateline.gates import Timeline, changes, drop_keys, gate_dates, is_long, order
from dateline.model import (
    ADDED,
    EXTENSIBLE,
    IN_PLACE_OF,
    REMOVED,
    UNPUBLISHED,
    WAS,
    WHY,
    DatelineError,
    Day,
    Table,
    Trail,
)
from dateline.openapi import Arrangement, slot
from dateline.project.origins import Origin

_GATES: Final = frozenset({ADDED, REMOVED, WAS})
_REQUIRED: Final = "required"


class AppendError(DatelineError):
    """Something of the new version can't be expressed beside what was written by hand."""

    def __init__(self, path: Trail, reason: str) -> None:
        super().__init__(reason)
        self.path = path


class Appender:
    """Makes definitions show something else in one version, and what they show in all others.

    Nodes are never changed: what is different is a new one, and ``origins`` has the former one of
    each, by its id. ``names`` has the former keys of what is renamed, by the ids of the mappings.
    """

    def __init__(self, table: Table, version: str) -> None:
        self.origins: dict[int, tuple[Any, Any]] = {}
        self.names: dict[int, dict[str, str]] = {}
        self._version = version
        self._timeline = Timeline(table)
        self._dates = tuple(map(Day, table.dates))
        self._at = table.dates.index(version)
        self._day = self._dates[self._at]
        self._origin = Origin(self._timeline, self._at)

    def append(self, kind: str, node: Any, shown: Any, merged: Any, path: Trail = ()) -> Any:
        """Return *node* of the definitions, an object of *kind*, as *merged* says.

        *shown* is what the version shows of it, *merged* that with the gates for what is different.
        """
        if shown is merged:
            return node
        if not (isinstance(node, dict) and isinstance(shown, dict) and isinstance(merged, dict)):
            raise AppendError(path, "it can't have keys")
        if "oneOf" in merged and "oneOf" in node and "oneOf" not in shown and "enum" in shown:
            # values with gates are members, and published as an `enum`
            shown = {**shown, "oneOf": [{"const": value} for value in shown["enum"]]}
            del shown["enum"]
        now = dict(node)
        renamed: dict[str, str | None] = {}
        former, unset = changes(merged.get(WAS, {}).get(self._version, {}))
        for key in dict.fromkeys((*merged, *former, *unset, *shown)):
            value = merged.get(key, ABSENT)
            if key == "examples" and _are_derived(node, shown):
                continue
            if key in _GATES or (key == NAME and key not in merged and key not in shown):
                continue
            if key in former or key in unset:
                now = self._rewrite(now, key, value, path)
            elif value is not shown.get(key, ABSENT):
                self._descend(kind, key, now, (shown, merged), (*path, key), renamed)
        if renamed:
            _rename_required(now, renamed)
        return self._finish(node, now)

    def _finish(self, node: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
        """Return *now*, made of *node*, with the reason of that at its own gates."""
        reason, known = node.get(WHY), gate_dates(node)
        if isinstance(reason, str) and known and not {*gate_dates(now)} <= {*known}:
            now[WHY] = dict.fromkeys(known, reason)
        self.origins[id(now)] = now, node
        return now

    def _rewrite(
        self, node: Mapping[str, Any], key: str, value: Any, path: Trail
    ) -> dict[str, Any]:
        """Return *node* with *value* for *key* in the version, and newer ones that had the same."""
        was = node.get(WAS, {})
        if key in PARTIAL and any(IN_PLACE_OF in entry for entry in was.values()):
            raise AppendError(path, f"`{key}` has a history with `{IN_PLACE_OF}`")
        then = values(node.get(key, ABSENT), was, key, self._dates)
        before = then[self._day]
        for date in self._dates[self._at :]:
            if not same(plain(then[date]), plain(before)):
                break
            then[date] = value
        if key in _GATES:
            then = {date: each if each is ABSENT else Day(each) for date, each in then.items()}
        history = rewrite_history(plain(was), key, then, self._dates)
        now = {each: below for each, below in node.items() if each != WAS or history}
        own = then[self._dates[-1]]
        if own is ABSENT:
            now.pop(key, None)
        else:
            now = {**now, key: own} if key in now else _insert_before_gates(now, key, own)
        if history:
            now[WAS] = history
        return now

    def _show(self, node: dict[str, Any], is_shown: bool, path: Trail) -> dict[str, Any] | None:
        """Return *node* shown in the version or not; None if no version shows it."""
        seen = {each.version for each in self._timeline.members(self._timeline.of(node))}
        shown: dict[str, bool | None] = {date: date in seen for date in self._dates}
        before = shown[self._version]
        for date in self._dates[self._at :]:
            if shown[date] is not before:
                break
            shown[date] = is_shown
        if not any(shown.values()):
            return None
        gates = find_gates(node, shown, self._dates)
        if gates is not None and not any(
            _GATES & {*chain(*changes(entry))} for entry in node.get(WAS, {}).values()
        ):
            kept = {key: value for key, value in node.items() if key not in (ADDED, REMOVED)}
            return self._finish(node, {**kept, **{key: Day(day) for key, day in gates.items()}})
        now = self._rewrite(node, REMOVED, ABSENT if is_shown else self._day, path)
        if is_shown:
            now = self._rewrite(now, ADDED, self._day, path)
        return self._finish(node, now)

    def find_former(self, node: Any) -> Any:
        """Return what *node* was in the definitions, or itself."""
        while id(node) in self.origins:
            _, node = self.origins[id(node)]
        return node

    # What is below a node

    def _descend(
        self,
        kind: str,
        key: str,
        now: dict[str, Any],
        sides: tuple[dict[str, Any], dict[str, Any]],
        path: Trail,
        renamed: dict[str, str | None],
    ) -> None:
        """Set *key* of *now*, where the two *sides* differ and gates say so further down."""
        shown, merged = (side.get(key, ABSENT) for side in sides)
        arrangement, below = slot(kind, key)
        is_later = any(
            order(date) > order(self._version) and key in changes(entry)[0]
            for date, entry in now.get(WAS, {}).items()
        )
        if is_later:
            raise AppendError(path, "a newer version has another value, too")
        if key == _REQUIRED:
            now[key] = join_names(merged, now.get(key, ABSENT))
        elif key == "discriminator" and isinstance(merged, dict):
            former = now.get(key, {}).get("mapping", {})
            mapping = {**former, **merged.get("mapping", {})}
            now[key] = {**merged, "mapping": mapping} if mapping else merged
        elif arrangement is Arrangement.MAP and isinstance(merged, dict):
            now[key] = self._map(below, now.get(key, {}), (shown, merged), path, renamed)
        elif arrangement is Arrangement.LIST and isinstance(merged, list):
            self._list(below, key, now, (shown, merged), path)
        elif arrangement is Arrangement.ONE and isinstance(merged, dict):
            self._one(below, key, now, (shown, merged), path)
        elif merged is ABSENT:
            now.pop(key, None)
        else:
            now[key] = merged

    def _one(
        self, kind: str, key: str, now: dict[str, Any], sides: tuple[Any, Any], path: Trail
    ) -> None:
        shown, merged = sides
        found = self._member(kind, now.get(key), (shown, merged), path)
        if found is None:
            del now[key]
        else:
            now[key] = found

    def _member(self, kind: str, node: Any, sides: tuple[Any, Any], path: Trail) -> Any:
        """Return *node* as *merged* says; None if no version shows it any more."""
        shown, merged = sides
        if shown is ABSENT:
            return merged if node is None else self._return(node, merged, path)
        gate = isinstance(merged, dict) and REMOVED in merged
        bare = {key: value for key, value in merged.items() if key != REMOVED} if gate else merged
        # nothing else is different in what the version lacks
        return self._show(node, False, path) if gate else self.append(kind, node, shown, bare, path)

    def _return(self, node: Any, merged: Any, path: Trail) -> Any:
        """Return *node*, which the version lacks so far, with the content of *merged* in it."""
        if not isinstance(node, dict) or not isinstance(merged, dict):
            raise AppendError(path, "an older version has something else of this name")
        now = self._show(node, True, path) or node
        # a value of an enumeration has no more than gates
        keys = () if "const" in merged else dict.fromkeys((*node, *merged))
        for key in keys:
            if key in UNPUBLISHED:
                continue
            if not same(plain(node.get(key, ABSENT)), plain(merged.get(key, ABSENT))):
                now = self._rewrite(now, key, merged.get(key, ABSENT), path)
        return self._finish(node, now)

    def _map(
        self,
        kind: str,
        node: dict[str, Any],
        sides: tuple[Any, Any],
        path: Trail,
        renamed: dict[str, str | None],
    ) -> dict[str, Any]:
        shown, merged = sides
        shown = {} if shown is ABSENT else shown
        found: dict[str, Any] = dict(node)
        former: dict[str, str] = {}
        former_names: set[str | None] = set()
        last: str | None = None
        is_named = (kind, path[-1]) in NAMED_BY_KEY
        for name, member in merged.items():
            called = _find_former_name(member, name, self._version) if is_named else None
            former_names.add(called)
            own = self._origin.find_step(Arrangement.MAP, kind, node, called or name)
            is_new = name not in shown and called is None
            own = name if is_new or own is None else str(own)
            sides = ABSENT if is_new else shown[called or name], member
            at = self._member(kind, node.get(own), sides, (*path, own))
            if at is None:
                del found[own]
                continue
            if called is not None:
                at = self._rewrite_name(node[own], at, own)
                former[name] = own
                found = {name if key == own else key: below for key, below in found.items()}
            target = name if called is not None else own
            if target in found:
                found[target] = at
            else:
                found = _insert_behind(found, last, target, at)
            last = target
        for name in shown.keys() - merged.keys() - former_names:
            # words, which have no gates
            found.pop(str(self._origin.find_step(Arrangement.MAP, kind, node, name)), None)
        if path[-1] == "properties":
            renamed |= {own: name for name, own in former.items()}
            renamed |= dict.fromkeys(node.keys() - found.keys() - renamed.keys())
        self.names[id(found)] = former
        self.origins[id(found)] = found, node
        return found

    def _rewrite_name(self, node: dict[str, Any], now: dict[str, Any], own: str) -> dict[str, Any]:
        """Return *now*, made of *node*, which was called *own* before the version."""
        was = plain(now.get(WAS, {}))
        then = values(own, was, NAME, self._dates)
        for date in self._dates[self._at :]:
            then[date] = ABSENT
        history = rewrite_history(was, NAME, then, self._dates)
        return self._finish(node, {**now, WAS: history})

    def _list(
        self, kind: str, key: str, now: dict[str, Any], sides: tuple[Any, Any], path: Trail
    ) -> None:
        shown, merged = sides
        if key == "oneOf" and shown is ABSENT and isinstance(now.get("enum"), list):
            self._enumerate(now, merged, path)
            return
        shown = [] if shown is ABSENT else shown
        node = now.get(key, [])
        seen = [n for n, each in enumerate(node) if self._timeline.of(each) >> self._at & 1]
        found: list[Any] = list(node)
        is_old = [not (isinstance(one, dict) and one.get(ADDED) == self._version) for one in merged]
        if sum(is_old) != len(shown) or len(seen) != len(shown):
            raise AppendError(path, "its items can't be told apart")
        place = taken = 0
        for member, old in zip(merged, is_old, strict=True):
            if not old:
                hidden = self._find_hidden(kind, node, member)
                if hidden is None:
                    found.insert(place, member)
                    place += 1
                else:
                    at = next(n for n, one in enumerate(found) if one is node[hidden])
                    found[at] = self._return(node[hidden], member, (*path, hidden))
                continue
            number = seen[taken]
            place = next(n for n, one in enumerate(found) if one is node[number])
            at = self._member(kind, node[number], (shown[taken], member), (*path, number))
            taken += 1
            if at is None:
                del found[place]
            else:
                found[place] = at
                place += 1
        now[key] = found
        gated = (each for each in node if isinstance(each, dict) and _GATES & each.keys())
        if key == "oneOf" and any("const" in each for each in gated):
            _write_plain_values(now)

    def _find_hidden(self, kind: str, node: list[Any], member: dict[str, Any]) -> int | None:
        """Return the index of what the version lacks so far, and *member* brings back."""
        wanted = _identify(kind, member)
        for number, each in enumerate(node):
            is_hidden = not self._timeline.of(each) >> self._at & 1
            if is_hidden and _identify(kind, each) == wanted:
                return number
        return None

    def _enumerate(self, now: dict[str, Any], merged: list[Any], path: Trail) -> None:
        """Write the values of an `enum` as members with gates, or their history as a whole."""
        if "oneOf" in now or any("enum" in changes(each)[0] for each in now.get(WAS, {}).values()):
            values_now = [one["const"] for one in merged if REMOVED not in one]
            written = self._rewrite(now, "enum", values_now, path)
            now.clear()
            now.update(written)
            return
        entries = [("oneOf", merged) if key == "enum" else (key, now[key]) for key in now]
        now.clear()
        now.update(entries)


def _are_derived(node: dict[str, Any], shown: dict[str, Any]) -> bool:
    """Return whether the examples that are *shown* are the known values of an open-ended *node*."""
    return "examples" not in node and node.get(EXTENSIBLE, ABSENT) == shown.get("examples")


def _identify(kind: str, node: dict[str, Any]) -> str:
    """Return what a constant, a reference or a parameter is called in a list; others by content."""
    for keys in (("$ref",), ("const",), ("in", "name") if kind == "parameter" else ()):
        if keys and all(key in node for key in keys):
            return json.dumps([keys, *(plain(node[key]) for key in keys)])
    return json.dumps(plain(drop_keys(node, *_GATES, WHY)), sort_keys=True)


def _write_plain_values(node: dict[str, Any]) -> None:
    """Write the values of *node* as an `enum`, which they are published as, if none has a gate."""
    if "enum" not in node and all(each.keys() == {"const"} for each in node["oneOf"]):
        values = [each["const"] for each in node["oneOf"]]
        entries = [("enum", values) if key == "oneOf" else (key, node[key]) for key in node]
        node.clear()
        node.update(entries)


def _find_former_name(member: Any, name: str, version: str) -> str | None:
    """Return the name of *member* before *version*, if it was another one."""
    if not isinstance(member, dict):
        return None
    called = changes(member.get(WAS, {}).get(version, {}))[0].get(NAME)
    return called if called != name else None


def _insert_before_gates(node: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """Return *node* with a new *key*; gates stay at its end."""
    number = len(node)
    for each in reversed(node):
        if each not in (*_GATES, WHY):
            break
        number -= 1
    entries = list(node.items())
    entries.insert(number, (key, value))
    return dict(entries)


def _insert_behind(
    found: dict[str, Any], last: str | None, name: str, value: Any
) -> dict[str, Any]:
    entries = list(found.items())
    place = 0 if last is None else list(found).index(last) + 1
    entries.insert(place if entries else 0, (name, value))
    return dict(entries)


def _rename_required(node: dict[str, Any], renamed: Mapping[str, str | None]) -> None:
    """Write the new names of fields where *node* requires them, in its history, too.

    Fields that are *renamed* to None are gone in all versions.
    """

    def rename(holder: dict[str, Any]) -> dict[str, Any]:
        if is_long(holder):
            return {**holder, "set": rename(holder.get("set", {}))}
        names = holder.get(_REQUIRED)
        if not isinstance(names, list):
            return holder
        left = [
            one for one in dict.fromkeys(renamed.get(one, one) for one in names) if one is not None
        ]
        return {key: left if key == _REQUIRED else value for key, value in holder.items()}

    node.update(rename(node))
    if node.get(_REQUIRED) == [] and None in renamed.values():
        del node[_REQUIRED]
    if WAS in node:
        node[WAS] = {date: rename(entry) for date, entry in node[WAS].items()}
