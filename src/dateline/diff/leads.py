"""A path item in, all that its operations lead to out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from dateline.diff.documents import DocumentIndex, NodeText, Texts
from dateline.diff.graph import CARRIERS
from dateline.diff.messages import Thing, by_media_type, parts_of
from dateline.diff.parameters import Parameters, listed
from dateline.openapi import METHODS
from dateline.schema.parts import Part
from dateline.schema.references import Located


class Lead(NamedTuple):
    """A part of an operation that refers to something; it stands in what ``asks`` or answers."""

    asks: bool
    kind: str
    node: Located
    text: NodeText
    carrier: int


class Led(NamedTuple):
    """An operation and all of its parts that refer to something."""

    method: str
    operation: Thing
    leads: list[Lead]


class Leads:
    """What operations lead to, each path item read once for all documents that share it."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        # beside each its node: an id is unique only while its object lives
        self._known: dict[tuple[Any, ...], tuple[Part, list[Led]]] = {}

    def of(self, document: DocumentIndex, item: Part) -> list[Led]:
        """Return the operations of a path item of *document*."""
        # which parameters an operation has depends on what its references lead to
        key = (id(item.node), item.pointer, document.parameters)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = item, list(self._operations(document, Thing((item,))))
        return known[1]

    def _operations(self, document: DocumentIndex, item: Thing) -> Iterator[Led]:
        for method in METHODS:
            found = item.get(method)
            if found is not None:
                operation = Thing(parts_of(document, found))
                parameters = listed(document, item, operation)
                yield Led(method, operation, list(self._leads(parameters, operation)))

    def _leads(self, parameters: Parameters, operation: Thing) -> Iterator[Lead]:
        for (place, _), one in parameters.items():
            yield from self._below("parameter", one.node, CARRIERS.get(place, 0), asks=True)
        body = operation.get("requestBody")
        if body:
            yield from self._below("request-body", body, CARRIERS["body"], asks=True)
        for status, response in operation.entries("responses").items():
            if not status.startswith("x-"):
                yield from self._below("response", response, 0, asks=False)

    def _below(self, kind: str, node: Located, carrier: int, *, asks: bool) -> Iterator[Lead]:
        """Yield the schemas in a message's part; the part itself where more is to be compared.

        How a parameter is written decides what its schema takes: it is compared as a whole.
        """
        text = self._texts.of(node.value)
        if not text.refers:
            return
        whole = {"$ref", "links", "encoding"}
        is_whole = kind in ("schema", "parameter") or not isinstance(node.value, dict)
        if is_whole or whole & node.value.keys():
            yield Lead(asks, kind, node, text, carrier)
            return
        thing = Thing((Part(*node),))
        schema = thing.get("schema")
        if schema:
            yield from self._below("schema", schema, carrier, asks=asks)
        carried = carrier if kind == "header" else CARRIERS["body"]
        for media_type in by_media_type(thing).values():
            yield from self._below("media-type", media_type, carried, asks=asks)
        for header in thing.entries("headers").values():
            yield from self._below("header", header, CARRIERS["header"], asks=asks)
