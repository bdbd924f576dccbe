"""Sample the responses of a document, and find those for which no value is found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

from dateline.openapi import (
    chain,
    method_name,
    operations,
    path_items,
    preferred_media_type,
    resolve,
)
from dateline.sample import Sampler, UnsatisfiedError
from dateline.schema.access import WRITE_ONLY, Hidden, OneWay
from dateline.schema.emptiness import Emptiness
from dateline.schema.references import Resolver
from dateline_runtime.statuses import BODILESS, choose_successes

_TOGETHER: Final = frozenset(
    {"format", "minLength", "maxLength", "enum", "const", "multipleOf"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
)
"""Keywords of which two may leave no value that is found."""

_ALONE: Final = frozenset(
    {"pattern", "not", "if", "contains", "propertyNames", "minProperties", "maxProperties"}
    | {"dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems"}
)
"""Keywords of which one may leave no value that is found."""

_REFERRING: Final = frozenset({"$ref", "allOf"})
_LIKELY: Final = _TOGETHER | _ALONE | {"minItems", "required", "allOf", "oneOf"}
_SIZES: Final = {"minItems": 100, "minLength": 10_000}
"""How many items and characters a sample may have in any case."""

_MOST_FIELDS: Final = 100

_MOST_PARTS: Final = 20


class AnswerSampler:
    """Samples values that servers send, for the schemas of a document."""

    def __init__(self, document: dict[str, Any], seed: int = 0) -> None:
        self._direction = OneWay(document, WRITE_ONLY, Hidden.ABSENT)
        self.document = self._direction.document(document)
        self._seed = seed

    @cached_property
    def sampler(self) -> Sampler:
        """Creates the values; the schemas of a large document take long to read."""
        return Sampler(self.document, self._seed)

    def read_schema(self, holder: dict[str, Any]) -> Any:
        """Return the schema that *holder* has, with its examples (OpenAPI 3.1.1, 4.8.14)."""
        examples = [holder["example"]] if "example" in holder else []
        for each in holder.get("examples", {}).values():
            found = chain(self.document, each)
            examples += [found[-1]["value"]] if found and "value" in found[-1] else []
        schema = self._direction.of(holder.get("schema", {}))
        return {"allOf": [schema], "examples": examples} if examples else schema


def list_unanswered(document: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield each operation of *document* whose success has no body that a mock could send.

    That is its path, its method, and the reason. What is found is tried: values may be among the
    examples.
    """
    unsampled = Unsampled(document)
    emptiness = Emptiness(document, unsampled.has)
    for path, written in path_items(document):
        for method, operation in operations(resolve(document, written)):
            holder = _find_answer(document, operation)
            if not emptiness.is_empty(holder.get("schema")):
                continue
            try:
                unsampled.answers.sampler.value(unsampled.answers.read_schema(holder), method)
            except UnsatisfiedError as error:
                yield path, method_name(method), error.reason


def _find_answer(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    """Return what *operation* says about the body of its first successful response."""
    responses = operation.get("responses") or {}
    status = next(iter(choose_successes(responses)), None)
    response = responses[status] if status and status not in BODILESS else None
    content = resolve(document, response).get("content") if response else None
    found = content[preferred_media_type(content)] if content else {}
    return found if isinstance(found, dict) else {}


class Unsampled:
    """The schemas of a document for which no value is found, because of their own keywords."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._resolver = Resolver(document)
        self._known: dict[str, bool] = {}

    @cached_property
    def answers(self) -> AnswerSampler:
        """Samples the answers of the document."""
        return AnswerSampler(self._document)

    @cached_property
    def _sampler(self) -> Sampler:
        is_same = self.answers.document is self._document
        return self.answers.sampler if is_same else Sampler(self._document)

    @cached_property
    def _small_sampler(self) -> Sampler:
        return Sampler({"openapi": self._document.get("openapi", "")})

    def has(self, schema: dict[str, Any]) -> bool:
        """Return whether no value is found for *schema*, which is tried if that is likely."""
        if not _LIKELY & schema.keys():
            return False
        parts = self._list_parts(schema)
        if not _is_demanding(parts):
            return False
        key = json.dumps(parts, sort_keys=True, default=str)
        if key not in self._known:
            sampler = self._sampler if '"$ref"' in key else self._small_sampler
            try:
                sampler.value({"allOf": parts}, "value")
            except UnsatisfiedError:
                self._known[key] = True
            else:
                self._known[key] = False
        return self._known[key]

    def _list_parts(self, schema: dict[str, Any]) -> list[dict[str, Any]]:
        """Return *schema* and those that apply with it in any case, without their references."""
        parts: list[dict[str, Any]] = []
        pending: list[Any] = [schema]
        followed: set[str] = set()
        while pending and len(parts) < _MOST_PARTS:
            part = pending.pop()
            if not isinstance(part, dict):
                continue
            reference = part.get("$ref")
            if isinstance(reference, str) and reference not in followed:
                followed.add(reference)
                goal = self._resolver.locate(reference)
                pending += [goal.value] if goal else []
            listed = part.get("allOf")
            pending += listed if isinstance(listed, list) else []
            parts.append({key: part[key] for key in part if key not in _REFERRING})
        return parts


def _is_demanding(parts: list[dict[str, Any]]) -> bool:
    """Return whether keywords of *parts*, which apply to one value, may be too much together."""
    keywords = {key for part in parts for key in part}
    types = {json.dumps(part["type"], default=str) for part in parts if "type" in part}
    if keywords & _ALONE or len(keywords & _TOGETHER) > 1 or len(types) > 1:
        return True
    if "minItems" in keywords and "uniqueItems" in keywords:
        return True
    if any(_may_overlap(part) for part in parts if "oneOf" in part):
        return True
    if any(_is_above(part.get(key), most) for key, most in _SIZES.items() for part in parts):
        return True
    required = {name for part in parts for name in _list_names(part.get("required"))}
    return len(required) > _MOST_FIELDS or any(
        isinstance(part.get("additionalProperties"), dict | bool)
        and part.get("additionalProperties") is not True
        and not required <= {*_list_names(part.get("properties"))}
        for part in parts
    )


def _may_overlap(schema: dict[str, Any]) -> bool:
    """Return whether values may fit two members of the `oneOf` of *schema*, at first sight."""
    members = schema["oneOf"] if isinstance(schema["oneOf"], list) else []
    types = [json.dumps(each.get("type", "")) for each in members if isinstance(each, dict)]
    is_apart = '""' not in types and len({*types}) == len(types)
    return len(members) > 1 and "discriminator" not in schema and not is_apart


def _is_above(value: Any, bound: int) -> bool:
    return isinstance(value, int | float) and value > bound


def _list_names(value: Any) -> list[str]:
    names = value if isinstance(value, list | dict) else []
    return [name for name in names if isinstance(name, str)]
