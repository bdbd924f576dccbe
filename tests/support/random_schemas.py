"""Random schemas of OpenAPI 3.0 and 3.1, with all keywords that narrowing supports."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

Schema = dict[str, Any]

_TYPES: Final = ("string", "integer", "number", "boolean", "array", "object")
_NAMES: Final = ("a", "b", "c")
_VALUES: Final = ("x", "yy", 1, 2.5, True, ["x"], {"a": 1})
_KEYWORDS: Final[dict[str, tuple[tuple[str, Any], ...]]] = {
    "string": (("minLength", 1), ("maxLength", 3), ("pattern", "^[a-y]"), ("format", "uuid")),
    "integer": (("minimum", 1), ("maximum", 9), ("multipleOf", 2), ("format", "int32")),
    "number": (("minimum", 0.5), ("maximum", 7.5), ("multipleOf", 0.5)),
    "array": (("minItems", 1), ("maxItems", 2), ("uniqueItems", True)),
    "object": (("minProperties", 1), ("maxProperties", 2), ("additionalProperties", False)),
}
_DEPTH: Final = 3


def random_schemas(seed: int, count: int, *, old: bool) -> dict[str, Schema]:
    """Return *count* components by name, for OpenAPI 3.0 if *old*; some refer to earlier ones."""
    random = Random(seed)
    found: dict[str, Schema] = {}
    for index in range(count):
        found[f"R{index}"] = _Maker(random, list(found), old).schema(0)
    return found


class _Maker:
    def __init__(self, random: Random, known: list[str], old: bool) -> None:
        self._random = random
        self._known = known
        self._old = old

    def schema(self, depth: int) -> Schema:
        pick = self._random
        makers = [self._typed] * 4 + [self._listed, self._combined, self._reference]
        maker = pick.choice(makers if depth < _DEPTH else makers[:5])
        schema = maker(depth)
        if pick.random() < 0.25:
            schema = self._or_null(schema)
        return schema

    def _typed(self, depth: int) -> Schema:
        pick = self._random
        kind = pick.choice(_TYPES if depth < _DEPTH else _TYPES[:4])
        schema: Schema = {"type": kind}
        for keyword, value in _KEYWORDS.get(kind, ()):
            if pick.random() < 0.3:
                schema[keyword] = value
        if kind == "integer" and self._old and "minimum" in schema and pick.random() < 0.5:
            schema["exclusiveMinimum"] = pick.random() < 0.7
        if kind == "array":
            schema["items"] = self.schema(depth + 1)
        if kind == "object":
            names = [name for name in _NAMES if pick.random() < 0.7]
            schema["properties"] = {name: self.schema(depth + 1) for name in names}
            required = [name for name in names if pick.random() < 0.4]
            schema |= {"required": required} if required else {}
            if pick.random() < 0.2:
                schema["additionalProperties"] = self.schema(depth + 1)
        return schema

    def _listed(self, _: int) -> Schema:
        pick = self._random
        if pick.random() < 0.5:
            return {"type": "string", "enum": pick.sample(["x", "yy", "zzz"], 2)}
        values = pick.sample(_VALUES, pick.choice((1, 2)))
        return {"enum": values} if self._old else {"const": values[0]}

    def _combined(self, depth: int) -> Schema:
        keyword = self._random.choice(("allOf", "anyOf", "oneOf"))
        return {keyword: [self.schema(depth + 1) for _ in range(self._random.choice((1, 2, 2)))]}

    def _reference(self, depth: int) -> Schema:
        if not self._known:
            return self._typed(depth)
        return {"$ref": f"#/components/schemas/{self._random.choice(self._known)}"}

    def _or_null(self, schema: Schema) -> Schema:
        pick = self._random
        if self._old:
            return {**schema, "nullable": True}
        if "type" in schema and pick.random() < 0.5:
            return {**schema, "type": [schema["type"], "null"]}
        return {pick.choice(("anyOf", "oneOf")): [schema, {"type": "null"}]}


def odd_instances() -> Iterator[Any]:
    """Yield values that schemas of every type often refuse, or accept by mistake."""
    yield from (None, True, 0, 1, 2, 2.0, 2.5, 10, 2**31, "", "x", "yy", "zzz", "zzzz")
    yield from ([], ["x"], [1, 1.0], [None], {}, {"a": 1}, {"a": None}, {"b": "x", "d": 1})
