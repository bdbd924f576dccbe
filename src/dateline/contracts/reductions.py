"""Read a schema as one that it replaced: without the fields that only the newer one has."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from dateline.contracts.containment import is_contained
from dateline.contracts.equality import Equality
from dateline.gates import Timeline, drop_keys
from dateline.model import ADDED, GATES, REMOVED, WAS, WHY, copy_items
from dateline.schema.dialect import OR_NULL
from dateline.schema.memo import Memo
from dateline.schema.references import Resolver
from dateline.schema.types import EVERY_TYPE, UNIONS, declared_types

Schema = dict[str, Any]

# Keywords for all other values in an object or list: which these are depends on what is beside.
_OTHERS: Final = ("additionalProperties", "items")
_COMBINED: Final = frozenset({"type", "properties", "required", *_OTHERS})
_PRESENCE: Final = frozenset({ADDED, REMOVED, WHY})
# where a component exists is known from what refers to it
_READ: Final = _COMBINED | {"$ref", "allOf", *UNIONS, OR_NULL} | _PRESENCE


class Reductions:
    """Compares schemas by their fields, through references, `allOf` and unions with one member.

    A schema with keywords for anything but fields, items and types can't be reduced, nor can one in
    which parts with gates differ.
    """

    def __init__(self, resolver: Resolver, equality: Equality) -> None:
        self._resolver = resolver
        self._equality = equality
        self._combined = Memo(Reductions._combine, owner=self)
        self._united: dict[tuple[tuple[str, int], ...], Schema] = {}
        self._origins: dict[int, Schema] = {}
        # fields of an era without the gates by which the era has them, and as they are written
        self._plain: dict[int, tuple[Schema, Schema]] = {}
        self._written: dict[int, Schema] = {}

    def settle(self, era: Schema, mask: int, timeline: Timeline, *, newest: bool) -> Schema:
        """Return *era*, of the combinations *mask*, with the parts that it has, without gates.

        These are fields and members of `allOf`. It is returned unchanged if only some of its
        combinations have a part, unless that is added within the *newest* era: no other one has it.
        """

        def is_there(part: Any) -> bool | None:
            shown = timeline.of(part) & mask
            is_new = newest and shown == timeline.of(part) and REMOVED not in part
            return bool(shown) if shown in (0, mask) or is_new else None

        fields, members = era.get("properties", {}), era.get("allOf", [])
        there = {id(part): is_there(part) for part in (*fields.values(), *members)}
        if None in there.values() or all(map(_is_ungated, (*fields.values(), *members))):
            return era
        own = {name: self._strip(part) for name, part in fields.items() if there[id(part)]}
        changed = {
            "properties": own,
            "allOf": [self._strip(part) for part in members if there[id(part)]],
            "required": [n for n in era.get("required", ()) if n in own or n not in fields],
        }
        items = [(key, changed.get(key, value)) for key, value in era.items()]
        return copy_items(era, [(key, value) for key, value in items if value != []])

    def _strip(self, child: Any) -> Any:
        if _is_ungated(child):
            return child
        if id(child) not in self._plain:
            plain = drop_keys(child, *_PRESENCE)
            self._plain[id(child)] = child, plain
            self._written[id(plain)] = child
        return self._plain[id(child)][1]

    def is_reducible(self, newer: Schema, older: Schema, *, down: bool) -> bool:
        """Return whether values of one schema fit the other without fields that only *newer* has.

        On the way *down* they are values of *newer*, on the way up those of *older*.
        """
        return self._is_reducible(newer, older, down, set())

    def reduce(self, eras: Sequence[Schema], dates: Sequence[str]) -> tuple[Schema, list[Schema]]:
        """Return the last of *eras*, newest first, as one schema, and the newer ones.

        *dates* are those at which each era was replaced by the one before it. What differs below
        has a history in the result.
        """
        *newer, last = [self._combined(era) or {} for era in eras]
        result = dict(last)
        for key in _OTHERS:
            if isinstance(last.get(key), dict):
                result[key] = self._unite([each[key] for each in (*newer, last)], dates)
        if "properties" in last:
            result["properties"] = {
                name: self._unite([each["properties"][name] for each in (*newer, last)], dates)
                for name in last["properties"]
            }
        return result, newer

    def find_origin(self, schema: Schema) -> Schema | None:
        """Return the oldest era of a *schema* that `reduce` gave a history."""
        return self._origins.get(id(schema))

    def _unite(self, eras: list[Any], dates: Sequence[str]) -> Any:
        """Return a schema with the history *eras*, newest first: the same one for the same eras."""
        if all(self._equality.are_equal(*pair) for pair in pairwise(eras)):
            return self._written.get(id(eras[-1]), eras[-1])
        key = tuple(zip(["", *dates], map(id, eras), strict=True))
        if key not in self._united:
            was = {
                date: {"set": {**older}, "unset": [*(newer.keys() - older.keys())]}
                for date, (newer, older) in zip(dates, pairwise(eras), strict=True)
            }
            united = self._united[key] = {**eras[0], WAS: was}
            self._origins[id(united)] = self._written.get(id(eras[-1]), eras[-1])
        return self._united[key]

    def _is_reducible(
        self, newer: Any, older: Any, down: bool, assumed: set[tuple[int, int]]
    ) -> bool:
        now, then = self._combined(newer), self._combined(older)
        if now is None or then is None:
            return False
        if (id(now), id(then)) in assumed:
            return True
        assumed.add((id(now), id(then)))
        fields, known = now.get("properties", {}), then.get("properties", {})
        others = [(now.get(key), then.get(key)) for key in _OTHERS]
        others = [pair for pair in others if any(isinstance(each, dict) for each in pair)]
        hidden = fields.keys() - known.keys()
        # the older schema may say something about what only the newer one names
        is_named = others or not hidden.isdisjoint(then.get("required", ()))
        if not known.keys() <= fields.keys() or (hidden and is_named):
            return False
        children = [*((fields[name], known[name]) for name in known), *others]
        both = [_drop_children(each) for each in ((now, then) if down else (then, now))]
        return is_contained("schema", *both) and all(
            self._is_child_reducible(*pair, down, assumed) for pair in children
        )

    def _is_child_reducible(
        self, newer: Any, older: Any, down: bool, assumed: set[tuple[int, int]]
    ) -> bool:
        if self._equality.are_equal(newer, older):
            return True
        both = isinstance(newer, dict) and isinstance(older, dict)
        has_gates = not both or not GATES.isdisjoint({**newer, **older})
        return not has_gates and self._is_reducible(newer, older, down, assumed)

    def _combine(self, schema: Any, within: frozenset[int] = frozenset()) -> Schema | None:
        """Return *schema* and what it refers to as one schema without references, or None."""
        if not isinstance(schema, dict) or id(schema) in within:
            return None
        read = self._equality.read(schema)
        unions = [read[key] for key in UNIONS if key in read]
        members = [each for listed in (read.get("allOf", []), *unions) for each in listed]
        is_gated = any(isinstance(each, dict) and GATES & each.keys() for each in members)
        if not read.keys() <= _READ or is_gated or any(len(listed) != 1 for listed in unions):
            return None
        bases = [*members, *(self._resolver.resolve(read[key]) for key in ("$ref",) if key in read)]
        own = {key: read[key] for key in _COMBINED if key in read}
        parts = [self._combine(each, within | {id(schema)}) for each in bases]
        found = [each for each in (own, *parts) if each]
        return None if None in parts else self._merge(found, is_nullable=OR_NULL in read)

    def _merge(self, parts: list[Schema], *, is_nullable: bool) -> Schema | None:
        """Return one schema for the values of all *parts*, or None."""
        is_open = all(each.get(key, True) is True for each in parts for key in _OTHERS)
        fields: dict[str, Any] = {}
        for name, child in [item for each in parts for item in each.get("properties", {}).items()]:
            if not self._equality.are_equal(fields.setdefault(name, child), child):
                return None
        types = EVERY_TYPE.intersection(*map(declared_types, parts))
        types |= {"null"} if is_nullable else set()
        if not types or not (is_open or len(parts) == 1):
            return None
        result: Schema = {key: parts[0][key] for key in _OTHERS if key in parts[0]} if parts else {}
        result |= {"type": sorted(types)} if types != EVERY_TYPE else {}
        result |= {"properties": fields} if fields else {}
        required = {name for each in parts for name in each.get("required", ())}
        return result | ({"required": sorted(required)} if required else {})


def _is_ungated(child: Any) -> bool:
    return not isinstance(child, dict) or GATES.isdisjoint(child)


def _drop_children(schema: Schema) -> Schema:
    return {
        key: value
        for key, value in schema.items()
        if key != "properties" and not (key in _OTHERS and isinstance(value, dict))
    }
