"""Constraints of the definitions' schemas: on canonical values, or on those of one version."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from dateline.canonical import canonical
from dateline.diff import DiffReadings
from dateline.diff.overlaps import are_apart
from dateline.gates import Timeline
from dateline.model import Api
from dateline.openapi import replace_children
from dateline.project import Projector
from dateline.regex.supported import find_supported
from dateline.schema.access import ACCESS, AccessUse, Hidden, OneWay
from dateline.schema.constraints import Constraints, references
from dateline.schema.memo import closure
from dateline.schema.references import Located, Resolver

_SENT: Final = "urn:sent"


class PublishedSchemas:
    """The schemas of one API in JSON Schema; references lead to components of the same version."""

    def __init__(self, api: Api, timeline: Timeline, projector: Projector) -> None:
        self._api = api
        self._projector = projector
        self._combinations = timeline.combinations
        self._constraints = Constraints(api.document, find_supported)
        self._documents: dict[int | None, dict[str, Any]] = {None: api.document}
        self._resolver = Resolver(api.document)
        self._use = AccessUse()
        self._directed: dict[tuple[int | None, str], OneWay] = {}
        self._readings = DiffReadings()
        self._sent: dict[str, tuple[set[str], Any]] = {}

    def canonical(self, schema: Any, *hidden: str) -> Any:
        """Return the constraints on canonical values of *schema*.

        Of properties that are one of *hidden*, there are none; by default, of all that messages of
        one direction lack.
        """
        result = canonical("schema", schema, adopted=self._api.table.adopted)
        return self._constraints.of(self._direct(result, None, *hidden))

    def describe_sent(self, *schemas: Any) -> Any:
        """Return the constraints on canonical values of *schemas* sent by callers of any version.

        The result refers only to its own definitions, because components may have other forms
        elsewhere.
        """
        found = [self._read_sent(schema) for schema in schemas]
        names = closure(
            set[str]().union(*map(references, found)), lambda name: self._sent_component(name)[0]
        )
        if not names:
            return together(found)
        return {
            "$id": _SENT,
            "allOf": [_relocate("schema", each) for each in found],
            "$defs": {name: self._sent_component(name)[1] for name in sorted(names)},
        }

    def _read_sent(self, schema: Any) -> Any:
        adopted, resolve = self._api.table.adopted, self._resolver.resolve
        found = canonical("schema", schema, sent=True, adopted=adopted, resolve=resolve)
        return self._constraints.of(self._direct(found, None))

    def _sent_component(self, name: str) -> tuple[set[str], Any]:
        """Return the component *name* as it is sent, which is added to the definitions."""
        if name not in self._sent:
            components = self._api.document.get("components", {}).get("schemas", {})
            found = self._read_sent(components.get(name, True))
            self._sent[name] = references(found), _relocate("schema", found)
        return self._sent[name]

    def at(self, schema: Any, at: int, *hidden: str) -> Any:
        """Return the constraints on values of *schema* at the combination *at*; see `canonical`."""
        return self._constraints.of(self._direct(self._node(schema, at), at, *hidden))

    def _document(self, at: int | None) -> dict[str, Any]:
        """Return the document of the combination *at*, the definitions if None."""
        if at is not None and at not in self._documents:
            self._documents[at] = self._projector.contract(*self._combinations[at]).document
        return self._documents[at]

    def _node(self, schema: Any, at: int) -> Any:
        """Return *schema* as it is published at the combination *at*."""
        return self._projector.node("schema", schema, self._combinations[at])

    def _direct(self, schema: Any, at: int | None, *hidden: str) -> Any:
        """Return *schema* without the properties that are one of *hidden*, by default any."""
        for each in hidden or ACCESS:
            if (at, each) not in self._directed:
                found = OneWay(self._document(at), each, Hidden.ANY, self._use)
                self._directed[at, each] = found
            schema = self._directed[at, each].of(schema)
        return schema

    def apart(self, one: Any, other: Any, at: int | None) -> bool:
        """Return whether no value can be valid for both schemas.

        They are compared as they are at the combination *at*; None means canonical values.
        """
        schemas = self._readings.of(self._document(at))
        first, second = (schemas.read([Located(self._read(each, at), "")]) for each in (one, other))
        return are_apart(first, second)

    def _read(self, schema: Any, at: int | None) -> Any:
        if at is None:
            return canonical("schema", schema, adopted=self._api.table.adopted)
        return self._node(schema, at)


def together(schemas: Iterable[Any]) -> Any:
    """Return a schema of the values that are valid for all of *schemas*."""
    schemas = list(schemas)
    return schemas[0] if len(schemas) == 1 else {"allOf": schemas}


def _relocate(kind: str, node: Any) -> Any:
    """Return *node* with its references to components leading into its own definitions."""
    if not isinstance(node, dict):
        return node
    found = replace_children(kind, node, _relocate)
    if kind == "schema" and isinstance(found.get("$ref"), str):
        found["$ref"] = found["$ref"].replace("#/components/schemas", f"{_SENT}#/$defs", 1)
    return found
