"""Find schemas for which no value is valid."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Final

from dateline.openapi import is_old, walk
from dateline.schema.access import ACCESS
from dateline.schema.dialect import NOTES
from dateline.schema.memo import closure
from dateline.schema.references import Located, Resolver
from dateline.schema.types import UNIONS, declared_types, type_of
from dateline.schema.values import list_items

# keywords that say nothing about values
_WORDS: Final = NOTES | {"default", "deprecated", "xml", *ACCESS}


class Emptiness:
    """The schemas of one document for which no value is valid, as far as a quick check shows.

    Two equal members of a `oneOf` together refuse what each of them allows; listed values may be
    of another type, a lower bound above the upper one, and a value without an end. *refuses* may
    know other schemas whose own keywords leave no value.
    """

    def __init__(
        self, document: dict[str, Any], refuses: Callable[[dict[str, Any]], bool] | None = None
    ) -> None:
        self._refuses = refuses
        self._document = document
        self._resolver = Resolver(document)
        self._is_old = is_old(document)
        self._known: dict[str, bool] = {}
        """Whether a reference leads to a schema for which no value is valid."""

    def is_empty(self, schema: Any) -> bool:
        """Return whether no value is valid for *schema*, which is part of the document."""
        self._follow(_list_references(schema))
        return self._is_empty(schema)

    @cached_property
    def is_possible(self) -> bool:
        """Whether some schema alone may be the reason for one, in whatever versions it is.

        That is where members of a `oneOf` are equal, keywords contradict each other, or a value
        must contain another one of its kind.
        """
        schemas = [node for _, kind, node in walk("document", self._document) if kind == "schema"]
        if any(
            self._contradicts_itself(each)
            or self._has_twins(each)
            or any(needed is False for needed in _list_needed(each))
            for each in schemas
        ):
            return True
        found = {node["$ref"] for node in schemas if isinstance(node.get("$ref"), str)}
        self._follow(sorted(found))
        return any(self._known.values())

    def _has_twins(self, schema: dict[str, Any]) -> bool:
        members = [self._write(member) for member in list_items(schema, "oneOf")]
        return len({*members}) < len(members)

    def _follow(self, references: Iterable[str]) -> None:
        """Find out where *references* lead, and all others that decide on these."""
        goals: dict[str, Located | None] = {}

        def list_next(reference: str) -> list[str]:
            goals[reference] = goal = self._resolver.locate(reference)
            found = [] if goal is None else _list_references(goal.value)
            return [each for each in found if each not in self._known]

        pending = [*closure([each for each in references if each not in self._known], list_next)]
        # a schema that needs a value of its own has none
        self._known |= dict.fromkeys(pending, True)
        while pending:
            for reference in pending:
                goal = goals[reference]
                self._known[reference] = goal is None or self._is_empty(goal.value)
            # a schema with a value keeps it, whatever else turns out to have one
            left = [reference for reference in pending if self._known[reference]]
            pending = left if len(left) < len(pending) else []

    def _is_empty(self, schema: Any) -> bool:
        if not isinstance(schema, dict):
            return schema is False
        if self._is_old and (schema.get("nullable") is True or None in list_items(schema, "enum")):
            return False  # null is valid
        if self._contradicts_itself(schema):
            return True
        needed = [*list_items(schema, "allOf"), *_list_needed(schema)]
        if self._known.get(str(schema.get("$ref"))) or any(map(self._is_empty, needed)):
            return True
        unions = [members for key in UNIONS if (members := list_items(schema, key))]
        return any(all(map(self._is_empty, members)) for members in unions) or self._are_twins(
            list_items(schema, "oneOf")
        )

    def _contradicts_itself(self, schema: dict[str, Any]) -> bool:
        return _contradicts_itself(schema) or (self._refuses is not None and self._refuses(schema))

    def _are_twins(self, members: list[Any]) -> bool:
        """Return whether each of *members* equals another one."""
        written = [self._write(member) for member in members]
        return bool(written) and all(written.count(one) > 1 for one in written)

    def _write(self, schema: Any) -> str:
        followed = {id(schema)}
        while isinstance(schema, dict) and {*filter(_is_meant, schema)} == {"$ref"}:
            goal = self._resolver.locate(str(schema["$ref"]))
            if goal is None or id(goal.value) in followed:
                break
            schema = goal.value
            followed.add(id(schema))
        return json.dumps(_without_words(schema), sort_keys=True, default=str)


_BOUNDS: Final = (
    ("minimum", "maximum", frozenset({"integer", "number"})),
    ("minLength", "maxLength", frozenset({"string"})),
    ("minItems", "maxItems", frozenset({"array"})),
    ("minProperties", "maxProperties", frozenset({"object"})),
)

_NARROWING: Final = frozenset({"enum", "const", *(least for least, _, _ in _BOUNDS)})
"""The keywords without which nothing but the type limits values."""


def _contradicts_itself(schema: dict[str, Any]) -> bool:
    """Return whether keywords of *schema* itself leave no value."""
    if _NARROWING.isdisjoint(schema):
        return False
    written = schema.get("type", "")
    names = written if isinstance(written, list) else [written]
    if not all(isinstance(name, str) for name in names):
        return False  # it has no meaning
    types = declared_types(schema)
    listed = schema.get("enum")
    if isinstance(listed, list) and not any(type_of(value) in types for value in listed):
        return True
    if "const" in schema and type_of(schema["const"]) not in types:
        return True
    return any(
        types <= bounded
        and isinstance(low := schema.get(least), int | float)
        and isinstance(high := schema.get(most), int | float)
        and low > high
        for least, most, bounded in _BOUNDS
    )


def _without_words(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_words(below) for below in schema]
    if not isinstance(schema, dict):
        return schema
    # a property may be called `title`
    return {
        key: {name: _without_words(child) for name, child in below.items()}
        if key == "properties" and isinstance(below, dict)
        else _without_words(below)
        for key, below in schema.items()
        if _is_meant(key)
    }


def _is_meant(key: str) -> bool:
    return key not in _WORDS and not key.startswith("x-")


def _list_references(schema: Any) -> list[str]:
    """Return the references that decide whether *schema* has a value."""
    found = []
    pending = [schema]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            found += [one["$ref"]] if isinstance(one.get("$ref"), str) else []
            pending += _list_needed(one)
            for key in ("allOf", *UNIONS):
                pending += list_items(one, key)
    return found


def _list_needed(schema: dict[str, Any]) -> list[Any]:
    """Return the schemas that every value of *schema* must contain a value of."""
    kinds = schema.get("type")
    if kinds == "object" and isinstance(schema.get("properties"), dict):
        fields = schema["properties"]
        return [fields[name] for name in list_items(schema, "required") if name in fields]
    if kinds == "array" and schema.get("minItems", 0):
        return [schema["items"]] if "items" in schema else []
    return []
