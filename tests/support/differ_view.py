"""Evaluate instances against the differ's view of a schema, as a validator would."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import jsonschema_rs

from dateline.diff import DiffReadings
from dateline.diff.views import SchemaView, mentions
from dateline.schema.constraints import with_format_constraints, with_format_patterns
from dateline.schema.dialect import Dialect
from dateline.schema.parts import NEVER, Part, Parts
from dateline.schema.references import Located
from dateline.schema.types import type_of
from dateline.schema.values import text

# Keywords that the differ compares as a whole, without interpreting them.
_OPAQUE = ("not", "if", "then", "else", "contains", "minContains", "maxContains")
_CLOSING = ("unevaluatedItems", "unevaluatedProperties")
_ROOT = "urn:document"


class DifferView:
    """The differ's views of the component schemas of one document, with a check of values."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._schemas = DiffReadings().of(document)
        self._dialect = Dialect(document)
        modern = self._dialect.modernize("document", document)
        self._registry = jsonschema_rs.Registry([(_ROOT, modern)])

    def accepts(self, component: str, value: Any) -> bool:
        """Return whether *value* satisfies the differ's view of *component*."""
        pointer = "/components/schemas/" + component.replace("~", "~0").replace("/", "~1")
        node = self._document["components"]["schemas"][component]
        return self._below([Located(node, pointer)], value)

    def _below(self, located: Iterable[Located], value: Any) -> bool:
        return self._fits(self._schemas.reader.parts(located), value)

    def _fits(self, parts: Parts, value: Any) -> bool:
        view = self._schemas.view(parts)
        nulls = [part.null for part in parts if part.null]
        if value is None and nulls and len(nulls) == len(_saying(parts)):
            return True
        if view.never:
            return False
        if not _has_type(view, value) or not _is_listed(view, value):
            return False
        if not all(self._one_of(view, at, value) for at in range(len(view.unions))):
            return False
        return (
            _satisfies_bounds(view, value)
            and self._object(view, value)
            and self._array(view, value)
            # a part that allows null allows it whatever other keywords say
            and all(
                self._opaque(part, value) for part in parts if value is not None or not part.null
            )
        )

    def _one_of(self, view: SchemaView, at: int, value: Any) -> bool:
        union = view.unions[at]
        if value is None and union.null:
            return True
        fitting = sum(self._fits(member.parts, value) for member in union.members)
        return fitting == 1 if union.keyword == "oneOf" else fitting > 0

    def _object(self, view: SchemaView, value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        if not view.required.keys() <= value.keys():
            return False
        return all(
            self._below(found, child)
            for name, child in value.items()
            if (found := [*view.properties.get(name, ()), *_others(view, name)])
        ) and all(
            self._below(rules, name) for name in value if (rules := view.below.get("propertyNames"))
        )

    def _array(self, view: SchemaView, value: Any) -> bool:
        if not isinstance(value, list):
            return True
        for index, item in enumerate(value):
            found = view.maps.get("prefixItems", {}).get(str(index), [])
            found = found + [
                Located(part.node["items"], f"{part.pointer}/items")
                for part in view.parts
                if "items" in part.node and index >= len(part.node.get("prefixItems", ()))
            ]
            if found and not self._below(found, item):
                return False
        return not _is_unique(view) or len({text(item) for item in value}) == len(value)

    def _opaque(self, part: Part, value: Any) -> bool:
        kept = {key: part.node[key] for key in _OPAQUE if key in part.node}
        if any(key in part.node for key in _CLOSING):
            kept = part.node
        if isinstance(value, dict):
            for name, schema in part.node.get("dependentSchemas", {}).items():
                at = f"{part.pointer}/dependentSchemas/{name}"
                if name in value and not self._below([Located(schema, at)], value):
                    return False
        return not kept or self._judge(kept, value)

    def _judge(self, schema: dict[str, Any], value: Any) -> bool:
        modern = self._dialect.modernize("schema", schema)
        rooted = json.loads(json.dumps(modern).replace('"$ref": "#', f'"$ref": "{_ROOT}#'))
        validator = jsonschema_rs.Draft202012Validator(
            rooted, validate_formats=True, registry=self._registry
        )
        return validator.is_valid(value)


def _saying(parts: Parts) -> list[Part]:
    return [part for part in parts if part.node.keys() - part.skip]


def _has_type(view: SchemaView, value: Any) -> bool:
    return view.types is None or type_of(value) in view.types


def _is_listed(view: SchemaView, value: Any) -> bool:
    return view.values is None or text(value) in view.values


def _others(view: SchemaView, name: str) -> Iterator[Located]:
    """Yield what `patternProperties` and `additionalProperties` say about the field *name*."""
    for pattern, found in view.maps.get("patternProperties", {}).items():
        if re.search(pattern, name):
            yield from found
    if name in view.properties:
        return  # the view includes what other parts say about unnamed fields
    for part in view.parts:
        said = part.node.get("additionalProperties")
        if isinstance(said, dict | bool) and not mentions(part.node, name):
            yield Located(
                said if said is not False else NEVER, f"{part.pointer}/additionalProperties"
            )


def _is_unique(view: SchemaView) -> bool:
    return any(fact.value is True for fact in view.facts.get("uniqueItems", ()))


def _satisfies_bounds(view: SchemaView, value: Any) -> bool:
    """Return whether *value* satisfies the keywords that contain no schemas."""
    facts = [{key: fact.value} for key in _ASSERTED for fact in view.facts.get(key, ())]
    types = sorted(view.types) if view.types is not None else None
    facts += [
        with_format_patterns(
            with_format_constraints({"format": fact.value} | ({"type": types} if types else {}))
        )
        for fact in view.facts.get("format", ())
        if types is None or type_of(value) in types
    ]
    schema = {"allOf": [True, *facts]}
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid(value)


_ASSERTED = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern", "minItems", "maxItems", "minProperties"),
    *("maxProperties", "dependentRequired"),
)
