"""Flatten schemas: follow references and merge `allOf` into the keywords that apply to a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from dateline.models.flat import Flat, Union, are_texts, list_parts
from dateline.python.forms import FILE
from dateline.schema.constraints import with_format_constraints
from dateline.schema.dialect import OR_NULL, Dialect
from dateline.schema.references import Resolver
from dateline.schema.types import ANNOTATIONS, UNIONS
from dateline.schema.values import text

# The order of types in unions.
_TYPES: Final = ("boolean", "object", "array", "number", "integer", "string")

FORMATS: Final = ("date-time", "date", "uuid", "decimal", FILE)
"""The formats of texts that the models check, and that of files in forms."""

# Keywords that the models don't enforce; each is noted.
UNMODELLED: Final = (
    *("not", "if", "then", "else", "contains", "minContains", "maxContains"),
    *("dependentSchemas", "unevaluatedItems", "$dynamicRef", "$anchor", "$dynamicAnchor"),
)


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


def _are_schemas(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_schema, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


# Keywords that may evaluate fields where the models do not look.
_EVALUATING: Final = frozenset(
    {"if", "then", "else", "dependentSchemas", "$ref", "$dynamicRef", "unevaluatedProperties"}
)

_CLOSING: Final = ("additionalProperties", "unevaluatedProperties")

# Keywords that concern fields by other means than their names.
_OTHERS: Final = frozenset({*_CLOSING, "patternProperties"})

# The supported values of modelled keywords; other values are noted, like unsupported keywords.
_KEYWORDS: Final[dict[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(
        ("properties", "patternProperties"),
        lambda value: isinstance(value, dict) and all(map(_is_schema, value.values())),
    ),
    **dict.fromkeys(("additionalProperties", "propertyNames", "items"), _is_schema),
    **dict.fromkeys(("minProperties", "maxProperties", "minItems", "maxItems"), _is_count),
    **dict.fromkeys(("minLength", "maxLength"), _is_count),
    **dict.fromkeys(("minimum", "maximum"), _is_number),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(("required", "x-extensible-enum"), are_texts),
    "dependentRequired": lambda value: (
        isinstance(value, dict) and all(map(are_texts, value.values()))
    ),
    "prefixItems": _are_schemas,
    "uniqueItems": lambda value: isinstance(value, bool),
    "pattern": lambda value: isinstance(value, str),
    "multipleOf": lambda value: _is_number(value) and value > 0,
    # as long as it only closes an object
    "unevaluatedProperties": lambda value: value is False,
}


_ORDER: Final = {key: number for number, key in enumerate(_KEYWORDS)}


class Flattener:
    """Reads the schemas of one document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._dialect = Dialect(document)
        self.is_old = self._dialect.is_old
        self.components = self._dialect.resolver.section("schemas")
        self._flat: dict[str, Flat] = {}
        self._pending: set[str] = set()

    def admits_null(self, schema: Any) -> bool:
        """Return whether null may be valid for *schema*."""
        return self._dialect.admits_null(schema)

    def component(self, name: str) -> Flat:
        """Return the component *name*, flattened; a reference to another one is not followed."""
        if name in self._flat:
            return self._flat[name]
        if name in self._pending:
            # its own base, or that of its base: what is known so far means nothing
            return Flat()
        self._pending.add(name)
        self._flat[name] = self.flatten(self.components[name], (name,))
        self._pending.discard(name)
        return self._flat[name]

    def resolve(self, flat: Flat) -> Flat:
        """Return the content of *flat*: references to components are followed."""
        seen: set[str] = set()
        nullable = flat.nullable
        while flat.reference is not None and flat.reference not in seen:
            seen.add(flat.reference)
            flat = self.component(flat.reference)
            nullable = nullable or flat.nullable
        return flat

    def flatten(self, schema: Any, seen: tuple[str, ...] = ()) -> Flat:
        """Return *schema* without `$ref` and `allOf`; *seen* are the components on the way."""
        if schema is False:
            return Flat(never=True)
        if not isinstance(schema, dict):
            return Flat()
        schema = with_format_constraints(self._dialect.keywords(schema))
        return _open_unevaluated(self._flatten_parts(schema, seen))

    def _flatten_parts(self, schema: dict[str, Any], seen: tuple[str, ...]) -> Flat:
        own = self._read_own(schema)
        parts = [
            part
            for part in (self._read_reference(schema, seen), *self._list_bases(schema, seen))
            if part is not None
        ]
        if not parts:
            return own
        saying = [part for part in parts if not part.is_silent]
        if len(saying) == 1 < len(parts):
            # as a reference with a description beside it, which OpenAPI 3.0 does not allow
            own.annotations = {**_list_inherited(parts), **own.annotations}
            parts = saying
        if len(parts) == 1 and not self.narrows(own, parts[0]):
            refuses_null = own.types is not None and not own.nullable
            if not (refuses_null and self.resolve(parts[0]).nullable):
                return _annotate(parts[0], own)
        # it sees the fields of all parts, and so comes after them
        closing = {
            key: own.keywords.pop(key) for key in ("unevaluatedProperties",) if key in own.keywords
        }
        merged = own
        for part in parts:
            merged = self._merge(merged, self._inline(part, seen))
        merged.keywords |= closing
        merged.annotations = {**merged.annotations, **_list_inherited(parts), **own.annotations}
        if own.or_null:
            merged.or_null = merged.nullable = True
        return merged

    def narrows(self, base: Flat, member: Flat) -> bool:
        """Return whether *base* says anything that *member* does not say anyway."""
        known = {*self.resolve(member).formats}
        says_more = base.keywords or base.patterns or base.multiples or base.values is not None
        if says_more or base.unions or base.never or base.left:
            return True
        if not {*base.formats} <= known:
            return True
        return base.types is not None and not self._is_within(member, {*base.types})

    def _is_within(self, member: Flat, types: set[str], seen: tuple[str, ...] = ()) -> bool:
        """Return whether every value of *member* except null has one of *types*."""
        if member.reference is not None:
            if member.reference in seen:
                return True
            seen = (*seen, member.reference)
        goal = self.resolve(member)
        if goal.types is not None:
            return bool(goal.types) and {*goal.types} <= types
        return any(
            all(self._is_within(self.flatten(each), types, seen) for each in union.members)
            for union in goal.unions
        )

    def merge_base(self, member: Flat, base: Flat) -> Flat:
        """Return what *member* of a union and the schema around the union say together."""
        merged = self._merge(self._inline(member, ()), base)
        merged.annotations = {**member.annotations, **merged.annotations}
        if member.reference is not None:
            merged.annotations.setdefault("title", member.reference)
        return _open_unevaluated(merged)

    def _read_reference(self, schema: dict[str, Any], seen: tuple[str, ...]) -> Flat | None:
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return None
        name = self._dialect.resolver.schema_name(schema)
        if name is not None:
            return Flat(reference=name)
        node = self._dialect.resolver.resolve(reference)
        if node is None or reference in seen:
            return Flat(left=["$ref"])
        return self.flatten(node, (*seen, reference))

    def _list_bases(self, schema: dict[str, Any], seen: tuple[str, ...]) -> Iterable[Flat]:
        bases = schema.get("allOf", [])
        return [self.flatten(base, seen) for base in bases] if _are_schemas(bases) else []

    def _inline(self, part: Flat, seen: tuple[str, ...]) -> Flat:
        """Return the keywords of a base; a base that leads back to itself adds nothing."""
        if part.reference is None:
            return part
        if part.reference in seen:
            return Flat(left=["allOf"])
        seen = (*seen, part.reference)
        goal = self._inline(self.flatten(self.components[part.reference], seen), seen)
        return replace(goal, nullable=True, or_null=True) if part.or_null else goal

    def _read_own(self, schema: dict[str, Any]) -> Flat:
        flat = Flat()
        for key, value in schema.items():
            if key in ANNOTATIONS:
                flat.annotations[key] = value
            elif key in UNMODELLED:
                flat.left.append(key)
        self._read_types(schema, flat)
        named = [key for key in schema if key in _KEYWORDS]
        for key in sorted(named, key=_ORDER.__getitem__) if len(named) > 1 else named:
            if _KEYWORDS[key](schema[key]):
                flat.keywords[key] = schema[key]
            else:
                flat.left.append(key)
        if "pattern" in flat.keywords:
            flat.patterns = [flat.keywords.pop("pattern")]
        if "format" in schema:
            flat.formats = [each for each in FORMATS if each == schema["format"]]
        if "multipleOf" in flat.keywords:
            flat.multiples = [flat.keywords.pop("multipleOf")]
        for keyword in UNIONS:
            if schema.get(keyword) and _are_schemas(schema[keyword]):
                flat.unions.append(_read_union(keyword, schema, self._dialect.resolver))
            elif keyword in schema:
                flat.left.append(keyword)
        if OR_NULL in schema:
            flat.nullable = flat.or_null = True
        return flat

    def _read_types(self, schema: dict[str, Any], flat: Flat) -> None:
        own = schema.get("type")
        types = [own] if isinstance(own, str) else own if isinstance(own, list) else None
        if types is not None:
            flat.types = tuple(name for name in _TYPES if name in types)
            flat.nullable = flat.nullable or "null" in types
            if not flat.types and not flat.nullable:
                flat.types = None
        values = schema.get("enum")
        if isinstance(values, list):
            flat.values = list(values)
        if "const" in schema:
            const = schema["const"]
            flat.values = (
                [const] if flat.values is None else _intersect_values(flat.values, [const])
            )
        if flat.values is not None:
            has_null = any(item is None for item in flat.values)
            flat.values = [item for item in flat.values if item is not None]
            flat.nullable = has_null and (types is None or "null" in types)

    def _merge(self, one: Flat, other: Flat) -> Flat:
        """Return what both say (JSON Schema, core section 10.2.1.1)."""
        merged = Flat(
            never=one.never or other.never,
            patterns=_unite(one.patterns, other.patterns),
            formats=_unite(one.formats, other.formats),
            multiples=_unite(one.multiples, other.multiples),
            unions=[*one.unions, *other.unions],
            left=_unite(one.left, other.left),
        )
        merged.types = _intersect_types(one.types, other.types)
        merged.nullable = _intersect_nullable(one, other)
        merged.nullable = merged.nullable and not merged.never
        choices = [flat for flat in (one, other) if flat.unions]
        merged.or_null = bool(merged.nullable and choices) and all(flat.or_null for flat in choices)
        merged.never = merged.never or (merged.types == () and not merged.nullable)
        if one.values is None or other.values is None:
            merged.values = one.values if other.values is None else other.values
        else:
            merged.values = _intersect_values(one.values, other.values)
        merged.left += [key for key in _find_misread(one, other) if key not in merged.left]
        merged.keywords = dict(_with_items(one.keywords, other.keywords))
        for key, value in _with_items(other.keywords, one.keywords).items():
            merged.keywords[key] = (
                _MERGERS[key](merged.keywords[key], value) if key in merged.keywords else value
            )
        return merged


def _read_union(keyword: str, schema: dict[str, Any], resolver: Resolver) -> Union:
    discriminator = schema.get("discriminator")
    tag = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
    if not isinstance(discriminator, dict) or not isinstance(tag, str):
        return Union(keyword, schema[keyword])
    mapping = discriminator.get("mapping")
    entries = mapping.items() if isinstance(mapping, dict) else ()
    return Union(
        keyword,
        schema[keyword],
        tag,
        {key: name for key, named in entries if (name := resolver.mapped_name(named))},
        resolver.mapped_name(discriminator.get("defaultMapping")),
    )


def _open_unevaluated(flat: Flat) -> Flat:
    """Return *flat*, open if unmodelled keywords may evaluate its fields.

    Source: JSON Schema 2020-12, core, section 11.3.
    """
    unions = [union for union in flat.unions if not union.only_requires]
    is_evaluated_elsewhere = (
        not _EVALUATING.isdisjoint(flat.left)
        or len(unions) > 1
        or any(union.keyword == "anyOf" for union in unions)
    )
    if flat.keywords.get("unevaluatedProperties") is False and is_evaluated_elsewhere:
        kept = {key: flat.keywords[key] for key in flat.keywords if key != "unevaluatedProperties"}
        return replace(flat, keywords=kept, left=_unite(flat.left, ["unevaluatedProperties"]))
    return flat


def _annotate(part: Flat, own: Flat) -> Flat:
    """Return *part* with the annotations of the schema that refers to it."""
    return Flat(
        **{
            **part.__dict__,
            "annotations": {**part.annotations, **own.annotations},
            "nullable": part.nullable or own.or_null or None,
            "or_null": part.or_null or own.or_null,
        }
    )


def _list_inherited(parts: list[Flat]) -> dict[str, Any]:
    """Return the annotations that apply to a whole: those of inline bases."""
    inherited: dict[str, Any] = {}
    for part in parts:
        if part.reference is None:
            inherited |= part.annotations
    return inherited


def _intersect_values(one: list[Any], other: list[Any]) -> list[Any]:
    known = set(map(text, other))
    return [value for value in one if text(value) in known]


def _unite(one: list[Any], other: list[Any]) -> list[Any]:
    return [*one, *(item for item in other if item not in one)]


def _intersect_types(
    one: tuple[str, ...] | None, other: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    if one is None or other is None:
        return other if one is None else one
    common = {name for name in one if name in other}
    for here, there in ((one, other), (other, one)):
        if "integer" in here and "number" in there:
            common.add("integer")
    return tuple(name for name in _TYPES if name in common)


def _intersect_nullable(one: Flat, other: Flat) -> bool | None:
    restricting = [
        flat
        for flat in (one, other)
        if flat.types is not None or flat.nullable is not None or flat.values is not None
    ]
    return all(flat.nullable for flat in restricting) if restricting else None


def _merge_schemas(one: Any, other: Any) -> Any:
    parts = _unite(list_parts(one), list_parts(other))
    return parts[0] if len(parts) == 1 else {"allOf": parts}


def _merge_closed(one: Any, other: Any) -> Any:
    if one is False or other is False:
        return False
    if one is True or other is True:
        return other if one is True else one
    return _merge_schemas(one, other)


def _find_misread(one: Flat, other: Flat) -> Iterator[str]:
    """Yield the keywords of each that concern fields which only the other one has.

    The merged schema leaves these fields as the other one describes them.
    """
    for own, beside in ((one.keywords, other.keywords), (other.keywords, one.keywords)):
        fields = {*beside.get("properties", ()), *beside.get("required", ())}
        if fields - {*own.get("properties", ())} or _OTHERS & beside.keys():
            yield from (key for key in _CLOSING if own.get(key, True) not in (True, {}))


def _with_items(own: dict[str, Any], beside: dict[str, Any]) -> dict[str, Any]:
    """Return *own* with an item of `prefixItems` for each that *beside* has."""
    size = max(len(each.get("prefixItems", ())) for each in (own, beside))
    first = own.get("prefixItems", [])
    if not size or ("items" not in own and not first):
        return own
    rest = [own.get("items", True)] * (size - len(first))
    return {**own, "prefixItems": [*first, *rest]}


def _merge_maps(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    merged = dict(one)
    for name, schema in other.items():
        merged[name] = _merge_schemas(merged[name], schema) if name in merged else schema
    return merged


_MERGERS: Final[dict[str, Any]] = {
    **dict.fromkeys(("properties", "patternProperties"), _merge_maps),
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties"), _merge_closed),
    **dict.fromkeys(("items", "propertyNames"), _merge_schemas),
    **dict.fromkeys(("required", "x-extensible-enum"), _unite),
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
    "uniqueItems": lambda one, other: one or other,
    "prefixItems": lambda one, other: list(map(_merge_schemas, one, other)),
    "dependentRequired": lambda one, other: {
        name: _unite(one.get(name, []), other.get(name, [])) for name in {**one, **other}
    },
}
