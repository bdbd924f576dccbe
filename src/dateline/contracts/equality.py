"""Find schemas that are written differently, and allow the same values."""

from __future__ import annotations

import json
from typing import Any, Final

from dateline.model import ENVIRONMENTS, GATES, KEYS, WAS
from dateline.openapi import Arrangement, slot
from dateline.schema.dialect import NOTES, Dialect
from dateline.schema.memo import each_once

_WORDS: Final = NOTES | {"deprecated", "xml", "x-enum-descriptions"}

Schema = dict[str, Any]


class Equality:
    """Compares schemas of one document by their meaning.

    A component means the same as its schema, as another component with the same schema, and as an
    `allOf` of it alone. Schemas with gates are equal only if they are written identically.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def align(self, one: Schema, other: Schema) -> tuple[Schema, Schema]:
        """Return both schemas resolved, with what is equal in *other* written as in *one*."""
        one, other = (self._dialect.read("schema", self._resolve(each)) for each in (one, other))
        if _is_same(one, other) or self._are_equal(one, other, set()):
            return one, one
        return one, {key: self._align_below(key, one.get(key), other[key]) for key in other}

    def are_equal(self, one: Any, other: Any) -> bool:
        """Return whether two schemas allow the same values; with gates, only if they are alike."""
        return self._are_children_equal(one, other, set())

    def read(self, schema: Schema) -> Schema:
        """Return the keywords of *schema* that concern values."""
        return {
            key: value
            for key, value in self._dialect.keywords(schema).items()
            if key not in _WORDS and (key in KEYS or not key.startswith("x-"))
        }

    def _align_below(self, key: str, one: Any, other: Any) -> Any:
        arrangement, kind = slot("schema", key)
        if kind != "schema" or type(one) is not type(other):
            return other
        if arrangement is Arrangement.MAP:
            return {name: self._align(one.get(name), child) for name, child in other.items()}
        return self._align(one, other)

    def _align(self, one: Any, other: Any) -> Any:
        return one if self.are_equal(one, other) else other

    def _are_children_equal(self, one: Any, other: Any, assumed: set[tuple[int, int]]) -> bool:
        if _is_same(one, other):
            return True
        both = isinstance(one, dict) and isinstance(other, dict)
        if not both or not GATES.isdisjoint({**one, **other}):
            return False
        one, other = self._resolve(one), self._resolve(other)
        return _is_same(one, other) or self._are_equal(one, other, assumed)

    def _are_equal(self, one: Schema, other: Schema, assumed: set[tuple[int, int]]) -> bool:
        if (id(one), id(other)) in assumed:
            return True
        assumed.add((id(one), id(other)))
        left, right = self.read(one), self.read(other)
        if left.keys() != right.keys() or "discriminator" in left:
            return False  # tags may be names of components
        return all(self._are_values_equal(key, left[key], right[key], assumed) for key in left)

    def _are_values_equal(
        self, key: str, one: Any, other: Any, assumed: set[tuple[int, int]]
    ) -> bool:
        if key == "required":
            return {*one} == {*other}
        arrangement, kind = slot("schema", key)
        if kind != "schema" or type(one) is not type(other):
            return _is_same(one, other)
        if arrangement is Arrangement.ONE:
            return self._are_children_equal(one, other, assumed)
        if len(one) != len(other) or (isinstance(one, dict) and one.keys() != other.keys()):
            return False
        names = one if isinstance(one, dict) else range(len(one))
        return all(self._are_children_equal(one[name], other[name], assumed) for name in names)

    def _resolve(self, schema: Schema) -> Schema:
        """Return the schema that *schema* only refers to."""
        seen: set[int] = set()
        while id(schema) not in seen:
            seen.add(id(schema))
            goal = self._find_goal(self.read(schema))
            if goal is None or not {WAS, ENVIRONMENTS}.isdisjoint(goal) or self._is_tagged(goal):
                break
            schema = goal
        return schema

    def _find_goal(self, read: Schema) -> Schema | None:
        says = {*read} - GATES
        goal = None
        if says == {"$ref"}:
            goal = self._dialect.resolver.resolve(read["$ref"])
        elif says == {"allOf"} and len(read["allOf"]) == 1:
            goal = read["allOf"][0]
        return goal if isinstance(goal, dict) else None

    def _is_tagged(self, schema: Schema) -> bool:
        """Return whether values have a tag, which may be the name of a component."""
        resolve = self._dialect.resolver.resolve
        parts = each_once(
            [schema], lambda each: [resolve(each.get("$ref")), *each.get("allOf", ())]
        )
        return any("discriminator" in each for each in parts)


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (one == other and json.dumps(one) == json.dumps(other))
