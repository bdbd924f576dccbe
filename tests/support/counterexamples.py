"""Values that one schema accepts and another refuses."""

from __future__ import annotations

import json
from functools import lru_cache
from random import Random
from typing import Any, Final

import jsonschema_rs

Schema = dict[str, Any]

_TRIES: Final = 200


def covers(read: str, sent: str) -> str:
    """Return whether *read* accepts all that *sent* accepts (JSON): `yes`, `no` or `unknown`."""
    return str(_canonical(read).covers(_canonical(sent))).lower()


@lru_cache(maxsize=4096)
def _canonical(schema: str) -> jsonschema_rs.CanonicalSchema:
    return jsonschema_rs.canonicalize(
        json.loads(schema), draft=jsonschema_rs.Draft202012, validate_formats=True
    )


def find_uncovered(sender: Schema, reader: Schema, random: Random) -> Any:
    """Return an instance that *sender* accepts and *reader* doesn't; None if none was found."""
    allowed, known = (
        jsonschema_rs.Draft202012Validator(side, validate_formats=True) for side in (sender, reader)
    )
    bounds = Bounds((sender, reader), random)
    for _ in range(_TRIES):
        instance = bounds.instance(sender, sender)
        if allowed.is_valid(instance) and not known.is_valid(instance):
            return instance
    return None


_TEXTS: Final = (
    *("", "a", "ab", "L1", "LN-12", "x1", "2024-02-29", "2024-05-06T07:08:09Z", "12", "é"),
    "00000000-0000-4000-8000-00000000000a",
)


_ODD: Final[tuple[Any, ...]] = (None, True, 0, -1, 1.5, 2**31, 2**63, "zz", [], {}, ["a"])


_DEPTH: Final = 6


class Bounds:
    """Makes instances that lie on, just below and just above the bounds of given schemas."""

    def __init__(self, schemas: tuple[Schema, ...], random: Random) -> None:
        self._random = random
        self._numbers: list[Any] = [0, 1, 0.5, -1.5]
        self._sizes: list[int] = [0, 1, 2]
        self._atoms: list[Any] = []
        self._names: list[str] = ["unheard_of"]
        for schema in schemas:
            self._learn(schema)

    def _learn(self, node: Any) -> None:
        if isinstance(node, list):
            for each in node:
                self._learn(each)
        if not isinstance(node, dict):
            return
        for key, value in node.items():
            if isinstance(value, bool):
                continue
            if key.lower().endswith("imum") or key == "multipleOf":
                self._numbers += [value - 1, value, value + 1, value + 0.5]
            elif key.startswith(("minL", "maxL", "minI", "maxI", "minP", "maxP", "minC", "maxC")):
                self._sizes += [max(0, value - 1), value, value + 1]
            elif key == "const":
                self._atoms.append(value)
            elif key == "enum":
                self._atoms += value
            else:
                if key == "properties" and isinstance(value, dict):
                    self._names += value
                self._learn(value)

    def instance(self, schema: Any, root: Schema, depth: int = 0) -> Any:
        """Return an instance that *schema* probably accepts."""
        pick = self._random
        if depth > 3 * _DEPTH:
            return None
        if not isinstance(schema, dict) or not schema.keys() - {"$defs", "not"}:
            return pick.choice((*_ODD, *self._atoms))
        made = self._own(schema, root, depth)
        for key in ("anyOf", "oneOf"):
            if key in schema:
                members = schema[key]
                if depth > _DEPTH:
                    members = [each for each in members if each == {"type": "null"}] or members
                made = self._joined(made, self.instance(pick.choice(members), root, depth))
        below = list(schema.get("allOf", []))
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")
            below.append(root["$defs"][name])
        for each in below:
            made = self._joined(made, self.instance(each, root, depth))
        return pick.choice(_ODD) if made is _NOTHING else made

    def _joined(self, made: Any, other: Any) -> Any:
        if isinstance(made, dict) and isinstance(other, dict):
            return {**made, **other}
        return other if made is _NOTHING else made

    def _own(self, schema: Schema, root: Schema, depth: int) -> Any:
        """Return an instance from the keywords of *schema* itself."""
        pick = self._random
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return pick.choice(schema["enum"]) if schema["enum"] else None
        kinds = schema.get("type", _infer_type(schema))
        kind = pick.choice(kinds) if isinstance(kinds, list) else kinds
        if kind == "object":
            return self._object(schema, root, depth)
        if kind == "array":
            return self._array(schema, root, depth)
        if kind == "string":
            return self._string(schema)
        if kind in ("integer", "number"):
            return self._number(schema, kind)
        return {"boolean": pick.random() < 0.5, "null": None}.get(str(kind), _NOTHING)

    def _object(self, schema: Schema, root: Schema, depth: int) -> Any:
        pick = self._random
        made: Schema = {}
        required = schema.get("required", [])
        named = schema.get("properties", {})
        share = 0.5 if depth < _DEPTH else 0.0
        for name, child in named.items():
            if name in required or pick.random() < share:
                made[name] = self.instance(child, root, depth + 1)
        for name in required:
            if name not in made:
                made[name] = self.instance(True, root)
        others = schema.get("additionalProperties", True)
        patterns = schema.get("patternProperties", {})
        if depth < _DEPTH and (others is not False or patterns):
            for _ in range(pick.choice((0, 0, 1, 2))):
                name = pick.choice((*self._names, "x1"))
                if name not in named:
                    child = pick.choice([others, *patterns.values()])
                    made[name] = self.instance(child, root, depth + 1)
        return made

    def _array(self, schema: Schema, root: Schema, depth: int) -> Any:
        pick = self._random
        low = schema.get("minItems", 0)
        high = schema.get("maxItems", max(low, 3))
        sizes = [size for size in (*self._sizes, low, high) if low <= size <= min(high, 12)]
        size = pick.choice(sizes or [low]) if depth < _DEPTH else low
        first = schema.get("prefixItems", [])
        items = schema.get("items", True)
        if "contains" in schema and pick.random() < 0.5:
            items = schema["contains"]
        return [
            self.instance(first[at] if at < len(first) else items, root, depth + 1)
            for at in range(size)
        ]

    def _string(self, schema: Schema) -> Any:
        pick = self._random
        if "pattern" not in schema and "format" not in schema and pick.random() < 0.5:
            low, high = schema.get("minLength", 0), schema.get("maxLength", 10**6)
            sizes = [size for size in (*self._sizes, low, high) if low <= size <= min(high, 600)]
            return "a" * pick.choice(sizes or [low])
        texts = [atom for atom in self._atoms if isinstance(atom, str)]
        return pick.choice((*_TEXTS, *texts))

    def _number(self, schema: Schema, kind: str) -> Any:
        pick = self._random
        step = schema.get("multipleOf", 1)
        near = [
            schema[key] + offset
            for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
            if key in schema
            for offset in (-step, 0, step)
        ]
        made = pick.choice((*self._numbers, *near, step, 2 * step, 3 * step))
        if "multipleOf" in schema and pick.random() < 0.8:
            made = made // step * step
        if kind == "integer" and pick.random() < 0.9:
            made = int(made)
        return made


_NOTHING: Final = object()


def _infer_type(schema: Schema) -> Any:
    """Return the type that the keywords of *schema* apply to."""
    for kind, keys in (
        ("object", ("properties", "required", "additionalProperties", "patternProperties")),
        ("array", ("items", "minItems", "maxItems", "contains", "prefixItems")),
        ("string", ("minLength", "maxLength", "pattern", "format")),
        ("number", ("minimum", "maximum", "multipleOf")),
    ):
        if any(key in schema for key in keys):
            return kind
    return None
