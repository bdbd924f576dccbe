"""Random schemas that combine keywords for different types, which authors seldom do on purpose."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from dateline.schema.values import text

Schema = dict[str, Any]

_TYPES: Final = ("string", "integer", "number", "boolean", "array", "object")
_NAMES: Final = ("a", "b", "c", "x1")
_VALUES: Final[tuple[Any, ...]] = ("x", "yy", 1, 2.5, True, None, ["x"], {"a": 1}, 0, False, [], {})
_BOUNDS: Final = (
    *(("minLength", 1), ("maxLength", 2), ("pattern", "^[xy]"), ("format", "date")),
    *(("minimum", 1), ("maximum", 2), ("multipleOf", 2), ("format", "int32")),
    *(("minItems", 1), ("maxItems", 1), ("uniqueItems", True)),
    *(("minProperties", 1), ("maxProperties", 2)),
)
_LEAVES: Final[tuple[Schema, ...]] = (
    *({"type": "string"}, {"type": "integer"}, {"type": "object"}),
    *({"enum": ["x", 1]}, {"enum": ["x", None]}, {"maxLength": 1}, {"minimum": 1}, {}),
)
_MODERN_LEAVES: Final[tuple[Any, ...]] = (
    *({"const": "x"}, {"const": None}, {"type": "null"}, {"type": ["string", "null"]}),
    *(True, False),
)
_DEPTH: Final = 3


def mixed_schemas(seed: int, count: int, *, old: bool) -> dict[str, Schema]:
    """Return *count* components by name, for OpenAPI 3.0 if *old*; some refer to earlier ones."""
    random = Random(seed)
    found: dict[str, Schema] = {}
    for index in range(count):
        made = None
        while not (isinstance(made, dict) and made):
            made = _Maker(random, list(found), old).schema(0)
        found[f"M{index}"] = made
    return found


class _Maker:
    def __init__(self, random: Random, known: list[str], old: bool) -> None:
        self._random = random
        self._known = known
        self._old = old
        self._pieces: list[Callable[[int], Schema]] = [
            *([self._type, self._bound, self._properties, self._union] * 2),
            *(self._items, self._others, self._required, self._enum, self._reference, self._not),
        ]
        if not old:
            self._pieces += [
                *(self._types, self._const, self._or_null, self._unevaluated, self._dependent),
                *(self._condition, self._first_items, self._contains, self._patterns, self._keys),
            ]

    def schema(self, depth: int) -> Any:
        """Return a schema of one to three keywords chosen independently."""
        pick = self._random
        if not self._old and depth and pick.random() < 0.04:
            return pick.choice((True, False, {}))
        made: Schema = {}
        for _ in range(pick.choice((1, 1, 1, 2, 2, 3))):
            made = {**pick.choice(self._pieces)(depth), **made}
        if self._old:
            if len(made) > 1 and "$ref" in made:
                made.setdefault("allOf", []).append({"$ref": made.pop("$ref")})
            if pick.random() < 0.25:
                made["nullable"] = pick.random() < 0.75
            if made.get("type") == "array":
                made.setdefault("items", {})
        return made

    def _below(self, depth: int) -> Any:
        if depth < _DEPTH:
            return self.schema(depth + 1)
        return self._random.choice((*_LEAVES, *(() if self._old else _MODERN_LEAVES)))

    def _type(self, _: int) -> Schema:
        return {"type": self._random.choice(_TYPES if self._old else (*_TYPES, "null"))}

    def _types(self, _: int) -> Schema:
        return {"type": self._random.sample((*_TYPES, "null"), self._random.choice((1, 2, 3)))}

    def _bound(self, _: int) -> Schema:
        keyword, value = self._random.choice(_BOUNDS)
        if keyword == "minimum" and self._old and self._random.random() < 0.5:
            return {keyword: value, "exclusiveMinimum": self._random.random() < 0.5}
        return {keyword: value}

    def _properties(self, depth: int) -> Schema:
        names = [name for name in _NAMES if self._random.random() < 0.5]
        return {"properties": {name: self._below(depth) for name in names}}

    def _union(self, depth: int) -> Schema:
        keyword = self._random.choice(("allOf", "anyOf", "oneOf"))
        return {keyword: [self._below(depth) for _ in range(self._random.choice((1, 1, 2, 2, 3)))]}

    def _items(self, depth: int) -> Schema:
        return {"items": self._below(depth)}

    def _others(self, depth: int) -> Schema:
        below = self._below(depth)
        return {"additionalProperties": self._random.choice((False, True, below, below))}

    def _required(self, _: int) -> Schema:
        return {"required": self._random.sample(_NAMES, self._random.choice((1, 1, 2)))}

    def _enum(self, _: int) -> Schema:
        values = self._random.sample(_VALUES, self._random.choice((1, 2, 3, 4)))
        return {"enum": list({text(value): value for value in values}.values())}

    def _const(self, _: int) -> Schema:
        return {"const": self._random.choice(_VALUES)}

    def _reference(self, depth: int) -> Schema:
        if not self._known:
            return self._type(depth)
        return {"$ref": f"#/components/schemas/{self._random.choice(self._known)}"}

    def _not(self, depth: int) -> Schema:
        return {"not": self._below(depth)}

    def _or_null(self, depth: int) -> Schema:
        members = [self._below(depth), {"type": "null"}]
        self._random.shuffle(members)
        return {self._random.choice(("anyOf", "oneOf")): members}

    def _unevaluated(self, depth: int) -> Schema:
        keyword = self._random.choice(("unevaluatedProperties", "unevaluatedItems"))
        return {keyword: self._random.choice((False, False, self._below(depth)))}

    def _dependent(self, depth: int) -> Schema:
        name, other = self._random.choice(_NAMES), self._random.choice(_NAMES)
        if self._random.random() < 0.5:
            return {"dependentRequired": {name: [other]}}
        return {"dependentSchemas": {name: self._below(depth)}}

    def _condition(self, depth: int) -> Schema:
        branches = [each for each in ("then", "else") if self._random.random() < 0.7]
        return {keyword: self._below(depth) for keyword in ("if", *branches)}

    def _first_items(self, depth: int) -> Schema:
        return {"prefixItems": [self._below(depth) for _ in range(self._random.choice((1, 2)))]}

    def _contains(self, depth: int) -> Schema:
        made = {"contains": self._below(depth)}
        if self._random.random() < 0.3:
            made["minContains"] = self._random.choice((0, 1, 2))
        if self._random.random() < 0.3:
            made["maxContains"] = self._random.choice((1, 2))
        return made

    def _patterns(self, depth: int) -> Schema:
        return {"patternProperties": {self._random.choice(("^a", "^x", "1$")): self._below(depth)}}

    def _keys(self, depth: int) -> Schema:
        return {"propertyNames": self._below(depth)}


def mixed_instances(seed: int) -> list[Any]:
    """Return the values in the schemas, and random ones with the same names and values."""
    random = Random(seed)
    objects = [{"a": None}, {"a": "x", "b": 1}, {"x1": 1}, {"c": []}, {"a": {"a": "x"}}, {"q": 1}]
    lists = [["x", "x"], [1, "x"], [1, 1.0], [None], [{}]]
    return [*_VALUES, 2, "2024-02-29", *objects, *lists, *(_value(random, 0) for _ in range(12))]


def _value(random: Random, depth: int) -> Any:
    kind = random.random()
    if depth > 2 or kind < 0.4:
        return random.choice(_VALUES)
    if kind < 0.7:
        return [_value(random, depth + 1) for _ in range(random.choice((0, 1, 2, 3)))]
    names = [name for name in (*_NAMES, "q") if random.random() < 0.4]
    return {name: _value(random, depth + 1) for name in names}
