"""Find out which keywords of a schema a converted value may violate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Flag
from fractions import Fraction
from typing import Any, Final

from dateline.regex.engines import matches_portably
from dateline.schema.types import ANNOTATIONS, IMPLIED, choices, type_of
from dateline.schema.values import text


class Effect(Flag):
    """What a conversion may do to values of a schema: make valid ones invalid, and the reverse."""

    NONE = 0
    BREAKS = 1
    MENDS = 2
    BOTH = 3


@dataclass(frozen=True)
class Conversion:
    """What may happen to values of the type *kind* when they are converted.

    Objects lose the fields *gone*, get those *added*, and those *renamed* have new names; *altered*
    fields have other values. With *others*, this may be so for fields without a schema and for
    items, and with *fewer*, there may be fewer of these. With *chosen*, which keywords apply to a
    field depends on the value. A *kind* other than object and array is any.
    """

    kind: str
    gone: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)
    altered: frozenset[str] = frozenset()
    others: bool = False
    fewer: bool = False
    chosen: bool = False

    def lose(self, names: Iterable[str]) -> bool:
        """Return whether one of *names* may not be there any more."""
        return any(name in self.gone or name in self.renamed or self.fewer for name in names)

    def gain(self, names: Iterable[str]) -> bool:
        """Return whether one of *names* may be new."""
        return not self.added.union(self.renamed.values()).isdisjoint(names)

    def read(self, name: str, schema: Any) -> Effect:
        """Return the effect on objects whose field *name* is restricted by *schema*."""
        if schema is True or (isinstance(schema, dict) and schema.keys() <= _ANNOTATIONS):
            return Effect.NONE
        if self.gain([name]):
            return Effect.BOTH
        # other values of a field have the same type, but a field that is absent has none
        is_other = (name in self.altered or self.others) and not _says_nothing(schema)
        return Effect.BOTH if is_other else _effect(False, self.lose([name]))

    def find_effect(self, keyword: str, value: Any) -> Effect:
        """Return the effect on values that *keyword* with *value* restricts."""
        if keyword in _SAYS_NOTHING or keyword.startswith("x-"):
            return Effect.NONE
        is_container = self.kind in ("object", "array")
        if is_container and any(keyword in IMPLIED[kind] for kind in IMPLIED.keys() - {self.kind}):
            return Effect.NONE
        return _EFFECTS[keyword](self, value) if keyword in _EFFECTS else Effect.BOTH

    def of(self, *schemas: Any) -> Effect:
        """Return the effect on values that must be valid for one or more of *schemas*."""
        found = Effect.NONE
        for schema in schemas:
            for keyword, value in schema.items() if isinstance(schema, dict) else ():
                found |= self.find_effect(keyword, value)
        return found


def fits_all(value: Any, schemas: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether *value* is surely valid for the keywords of texts and numbers in *schemas*."""
    return all(_fits(value, schema) for schema in schemas)


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    listed = choices(dict(schema))
    if listed is not None and text(value) not in map(text, listed):
        return False
    if isinstance(value, str):
        is_fit = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        is_fit = is_fit and "format" not in schema
        return bool(
            is_fit
            and (
                "pattern" not in schema or matches_portably(schema["pattern"], value, unknown=False)
            )
        )
    if type_of(value) in ("integer", "number"):
        step = schema.get("multipleOf")
        return (
            schema.get("minimum", value) <= value <= schema.get("maximum", value)
            and not ("exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"])
            and not ("exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"])
            and not (step and Fraction(str(value)) % Fraction(str(step)))
        )
    return True


_ANNOTATIONS: Final = ANNOTATIONS - {"format", "contentSchema"}
_SAYS_NOTHING: Final = _ANNOTATIONS | {"type"}


def _says_nothing(schema: Any) -> bool:
    return schema is True or (isinstance(schema, dict) and schema.keys() <= _SAYS_NOTHING)


def _effect(breaks: bool, mends: bool) -> Effect:
    return (Effect.BREAKS if breaks else Effect.NONE) | (Effect.MENDS if mends else Effect.NONE)


def _affect_properties(found: Conversion, properties: dict[str, Any]) -> Effect:
    effect = Effect.NONE
    for name, schema in properties.items():
        effect |= found.read(name, schema)
    return effect


def _affect_patterns(found: Conversion, patterns: dict[str, Any]) -> Effect:
    effect = Effect.NONE
    names = {*found.gone, *found.added, *found.altered, *found.renamed, *found.renamed.values()}
    for pattern, schema in patterns.items():
        for name in sorted(names):
            if matches_portably(pattern, name, unknown=True):
                effect |= found.read(name, schema)
        effect |= Effect.BOTH if found.others and not _says_nothing(schema) else Effect.NONE
    return effect


def _affect_other_properties(found: Conversion, schema: Any) -> Effect:
    if _says_nothing(schema):
        return Effect.NONE
    # which fields are undeclared may depend on the value; without that, these are as they were
    is_other = found.chosen or found.added or found.renamed or found.others
    if is_other or schema is not False:
        return Effect.BOTH
    return Effect.MENDS


def _affect_dependent_required(found: Conversion, needs: dict[str, list[str]]) -> Effect:
    needed = {name for names in needs.values() for name in names}
    return _effect(found.lose(needed) or found.gain(needs), found.lose(needs) or found.gain(needed))


def _affect_dependent_schemas(found: Conversion, schemas: dict[str, Any]) -> Effect:
    return _effect(found.gain(schemas), found.lose(schemas)) | found.of(*schemas.values())


def _affect_not(found: Conversion, schema: Any) -> Effect:
    effect = found.of(schema)
    return _effect(Effect.MENDS in effect, Effect.BREAKS in effect)


def _affect_one(found: Conversion, schemas: Any) -> Effect:
    listed = schemas if isinstance(schemas, list) else [schemas]
    return Effect.BOTH if found.of(*listed) else Effect.NONE


_EFFECTS: Final[dict[str, Callable[[Conversion, Any], Effect]]] = {
    "required": lambda found, names: _effect(found.lose(names), found.gain(names)),
    "properties": _affect_properties,
    "patternProperties": _affect_patterns,
    "dependentRequired": _affect_dependent_required,
    "dependentSchemas": _affect_dependent_schemas,
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties"), _affect_other_properties),
    "minProperties": lambda found, _: _effect(bool(found.gone) or found.fewer, bool(found.added)),
    "maxProperties": lambda found, _: _effect(bool(found.added), bool(found.gone) or found.fewer),
    "propertyNames": lambda found, _: _effect(
        bool(found.renamed or found.added), bool(found.gone or found.renamed) or found.fewer
    ),
    **dict.fromkeys(("allOf", "anyOf"), lambda found, schemas: found.of(*schemas)),
    **dict.fromkeys(("then", "else"), lambda found, schema: found.of(schema)),
    **dict.fromkeys(("oneOf", "if"), _affect_one),
    "not": _affect_not,
    # which schema applies is unknown, and no server validates it
    "$dynamicRef": lambda *_: Effect.NONE,
    "minItems": lambda found, _: _effect(found.fewer, False),
    "maxItems": lambda found, _: _effect(False, found.fewer),
}
