"""Instances of schemas, plausible and damaged, the same for the same seed.

Validity is not decided here: `reading` returns the document as models are documented to read it,
and jsonschema-rs validates against that.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import jsonschema_rs

from dateline.schema.references import Resolver

_DEPTH = 5
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 1.0, 0.5, 12, 10**20, 1e15),
    *("", "a", "1", "true", "Zzz", "2024-02-30", "2024-05-06", "2024-05-06T07:08:09Z", "é😀"),
    *("2024-05-06T07:08:09", "00000000-0000-4000-8000-00000000000A", "x" * 40),
    *([], {}, [1], [None], {"a": 1}, {"type": "Zzz"}),
)
_FORMATS: dict[str, tuple[str, ...]] = {
    "date-time": (
        *("2024-05-06T07:08:09Z", "2024-05-06t07:08:09.1234567z", "2024-05-06T07:08:09.5+02:00"),
        *("1990-12-31T23:59:60Z", "2024-05-06T07:08:09-00:00", "9999-12-31T23:59:59.999999Z"),
    ),
    "date": ("2024-05-06", "2024-02-29", "9999-12-31"),
    "decimal": ("12.50", "-0", "+1", "007.5", ".5", "1.", "0.0000001", "9" * 30 + ".1"),
    "uuid": ("00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000A"),
}


def with_pointers(document: dict[str, Any]) -> dict[str, Any]:
    """Return *document* with pointers in place of anchors, which validators don't resolve."""
    resolver = Resolver(document)

    def read(node: Any) -> Any:
        if isinstance(node, list):
            return [read(each) for each in node]
        if not isinstance(node, dict):
            return node
        made = {key: read(value) for key, value in node.items()}
        if goals := resolver.list_referred(node):
            made["$ref"] = f"#{quote(goals[0].pointer)}"
        return made

    found: dict[str, Any] = read(document)
    return found


class Sampler:
    """Makes instances of the component schemas of one document."""

    def __init__(self, document: dict[str, Any], seed: int) -> None:
        self._document = document
        self._random = random.Random(seed)
        self._resolver = Resolver(document)
        self._known: dict[str, Any] = {}

    def instances(self, component: str, count: int) -> Iterator[Any]:
        """Yield *count* instances of *component*, every second one damaged."""
        schema = self._document["components"]["schemas"][component]
        for _ in range(count // 2):
            instance = self.plausible(schema)
            yield instance
            yield self.damaged(instance)

    def plausible(self, schema: Any, depth: int = 0) -> Any:
        """Return an instance that is probably valid."""
        pick = self._random
        if not isinstance(schema, dict):
            return pick.choice(_ODD[:5])
        if schema.get("nullable") is True and pick.random() < 0.2:
            return None
        if "$ref" in schema:
            return self.plausible(self._referred(schema["$ref"]), depth + 1)
        if "allOf" in schema:
            return self._all(schema, depth)
        for keyword in ("oneOf", "anyOf"):
            if keyword in schema:
                return self._one(schema, pick.choice(schema[keyword]), depth)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return pick.choice(schema["enum"])
        kind = schema.get("type", "object" if "properties" in schema else None)
        if isinstance(kind, list):
            kind = pick.choice(kind)
        makers = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._number,
            "number": self._number,
            "boolean": lambda *_: pick.random() < 0.5,
            "null": lambda *_: None,
        }
        return makers[kind](schema, depth) if kind in makers else pick.choice(_ODD)

    def damaged(self, instance: Any) -> Any:
        """Return *instance* with one change."""
        pick = self._random
        changed = copy.deepcopy(instance)
        places = list(_places(changed))
        if not places:
            return pick.choice(_ODD)
        holder, key = pick.choice(places)
        how = pick.random()
        if how < 0.25:
            del holder[key]
        elif how < 0.4 and isinstance(holder, dict):
            holder["unheard_of"] = pick.choice(_ODD)
        elif how < 0.5 and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        else:
            holder[key] = pick.choice(_ODD)
        return changed

    def _referred(self, reference: str) -> Any:
        if reference not in self._known:
            self._known[reference] = self._resolver.resolve(reference)
        return self._known[reference]

    def _all(self, schema: dict[str, Any], depth: int) -> Any:
        made: Any = None
        rest = {key: value for key, value in schema.items() if key not in ("allOf", "nullable")}
        for each in (*schema["allOf"], *([rest] if rest.keys() - {"description"} else [])):
            part = self.plausible(each, depth)
            made = {**made, **part} if isinstance(made, dict) and isinstance(part, dict) else part
        return made

    def _one(self, schema: dict[str, Any], member: Any, depth: int) -> Any:
        rest = {k: v for k, v in schema.items() if k not in ("oneOf", "anyOf", "discriminator")}
        made = self.plausible(member, depth)
        if rest.get("properties") and isinstance(made, dict):
            base = self.plausible(rest, depth)
            return {**base, **made} if isinstance(base, dict) else made
        return made

    def _object(self, schema: dict[str, Any], depth: int) -> Any:
        pick = self._random
        required = schema.get("required", [])
        made = {}
        for name, child in schema.get("properties", {}).items():
            if name in required or (depth < _DEPTH and pick.random() < 0.6):
                made[name] = self.plausible(child, depth + 1)
        for name in required:
            made.setdefault(name, pick.choice(_ODD))
        others = schema.get("additionalProperties", True)
        names = self._names(schema)
        for _ in range(pick.choice((0, 0, 1, 2)) if others is not False and depth < _DEPTH else 0):
            made[pick.choice(names)] = self.plausible(others, depth + 1)
        for pattern, child in schema.get("patternProperties", {}).items():
            made["x-" + pattern.strip("^$")[:1] + "a"] = self.plausible(child, depth + 1)
        return made

    def _names(self, schema: dict[str, Any]) -> tuple[str, ...]:
        return ("extra", "other", "Zz") if "propertyNames" not in schema else ("ab", "abc", "A1")

    def _array(self, schema: dict[str, Any], depth: int) -> Any:
        pick = self._random
        first = [self.plausible(each, depth + 1) for each in schema.get("prefixItems", [])]
        low, high = schema.get("minItems", 0), schema.get("maxItems", 3)
        size = 0 if depth >= _DEPTH and not low else pick.randint(low, max(low, min(high, low + 2)))
        items = schema.get("items", True)
        if items is False:
            return first
        return first + [self.plausible(items, depth + 1) for _ in range(size - len(first))]

    def _string(self, schema: dict[str, Any], _depth: int) -> Any:
        pick = self._random
        known = schema.get("x-extensible-enum")
        if known:
            return pick.choice([*known, "Unheard"])
        if schema.get("format") in _FORMATS:
            return pick.choice(_FORMATS[schema["format"]])
        examples = schema.get("examples")
        if examples and pick.random() < 0.7:
            return pick.choice(examples)
        low, high = schema.get("minLength", 0), schema.get("maxLength", 12)
        return "".join(pick.choice("ab1é😀 ") for _ in range(pick.randint(low, high)))

    def _number(self, schema: dict[str, Any], _depth: int) -> Any:
        pick = self._random
        low, high = schema.get("minimum", -5), schema.get("maximum", 12)
        unit = schema.get("multipleOf", 1)
        made = pick.choice((low, high, pick.randint(int(low), int(high)))) // unit * unit
        if schema.get("type") == "integer":
            return pick.choice((int(made), float(int(made))))
        return pick.choice((made, float(made), made + unit))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield value, key
            yield from _places(child)
    elif isinstance(value, list):
        for at, child in enumerate(value):
            yield value, at
            yield from _places(child)


def reading(document: dict[str, Any], request_only: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the component schemas of *document* as models are documented to read them.

    The differences: a union with a tag also accepts unknown tags, unless it is only used in
    requests; `oneOf` is read as `anyOf`; formats other than date-time, date, decimal and uuid are
    annotations; 3.0 is read as 3.1.
    """
    schemas = document["components"]["schemas"]
    old = document["openapi"].startswith("3.0")
    return {
        name: _read(schema, schemas, old, name in request_only) for name, schema in schemas.items()
    }


def _read(schema: Any, schemas: dict[str, Any], old: bool, strict: bool) -> Any:
    if isinstance(schema, list):
        return [_read(each, schemas, old, strict) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {
        key: value
        if key in ("enum", "const", "default", "examples", "required", "dependentRequired")
        else {name: _read(child, schemas, old, strict) for name, child in value.items()}
        if key in ("properties", "patternProperties")
        else _read(value, schemas, old, strict)
        for key, value in schema.items()
    }
    if made.get("format") not in _FORMATS:
        made.pop("format", None)
    union = next((key for key in ("oneOf", "anyOf") if key in schema), None)
    # members that only contain `required` are no types
    if union and any(each.keys() - {"required"} for each in schema[union]):
        members = [each for member in schema[union] for each in _flatten_union(member, schemas)]
        made.pop(union)
        made["anyOf"] = _read(members, schemas, old, strict)
        if not strict:
            made["anyOf"] = [*made["anyOf"], *_other_tags({**schema, union: members}, schemas)]
    return _read_old(made) if old else made


def _read_old(made: dict[str, Any]) -> dict[str, Any]:
    for bound in ("Minimum", "Maximum"):
        if made.get(f"exclusive{bound}") is True:
            made[f"exclusive{bound}"] = made.pop(bound.lower())
        elif made.get(f"exclusive{bound}") is False:
            del made[f"exclusive{bound}"]
    return {"anyOf": [made, {"type": "null"}]} if made.pop("nullable", False) else made


def _other_tags(schema: dict[str, Any], schemas: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the schema of an unknown member if the union has a tag."""
    members = [each for each in schema.get("oneOf") or schema["anyOf"] if each != {"type": "null"}]
    resolved = [
        schemas[each["$ref"].rsplit("/", 1)[1]] if "$ref" in each else each for each in members
    ]
    if len(members) < 2 or not all("properties" in each for each in resolved):
        return
    said = schema.get("discriminator", {}).get("propertyName")
    for tag in [said] if said else resolved[0]["properties"]:
        found = [_values(each["properties"].get(tag), schemas) for each in resolved]
        if all(found) and all(tag in each.get("required", []) for each in resolved):
            known = [value for values in found for value in values]
            if len(set(known)) == len(known):
                yield {
                    "type": "object",
                    "required": [tag],
                    "properties": {tag: {"type": "string", "not": {"enum": known}}},
                }
                return


def _flatten_union(member: dict[str, Any], schemas: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the members of the union that *member* refers to, or *member* itself."""
    named = schemas.get(member.get("$ref", "").rsplit("/", 1)[-1], {})
    return named["oneOf"] if "discriminator" in named else [member]


def _values(schema: Any, schemas: dict[str, Any]) -> list[str]:
    if not isinstance(schema, dict):
        return []
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    return values if all(isinstance(value, str) for value in values) else []


class Judge:
    """Validates instances of the components in *schemas*."""

    def __init__(self, schemas: dict[str, Any]) -> None:
        document = {"$id": "urn:document", "components": {"schemas": schemas}}
        self._registry = jsonschema_rs.Registry([("urn:document", document)])

    def validator(self, component: str) -> Any:
        name = component.replace("~", "~0").replace("/", "~1")
        return jsonschema_rs.Draft202012Validator(
            {"$ref": f"urn:document#/components/schemas/{name}"},
            validate_formats=True,
            registry=self._registry,
        )
