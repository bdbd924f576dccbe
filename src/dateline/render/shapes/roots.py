"""The operations in, the values that each of them takes and gives out: where shapes begin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from dateline.model import Api
from dateline.openapi import COMPONENTS, METHODS, target
from dateline.render.shapes.demanded import Demand
from dateline.render.shapes.flat import Declared, Flat, View
from dateline.render.shapes.histories import Way, operation_names
from dateline.render.shapes.nodes import UNTOLD, Builder, Node

_SECTIONS: Final = {kind: section for section, kind in COMPONENTS.items()}
_ABSENT: Final = {"absent": True}

Sited = tuple[str, Any]
"""A kind and a node of that kind."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Root:
    """One value of an operation: its name, where it belongs in the data, and how it is made.

    ``nodes`` are all that it depends on beside the components of schemas. ``skeleton`` lists
    every body of the operation, so that one that is not defined is told from one that is equal
    in all versions.
    """

    name: str
    path: tuple[str, ...]
    nodes: list[Sited]
    build: Callable[[Builder], Node]
    skeleton: dict[str, Any]


def roots(api: Api, way: Way) -> list[Root]:
    """Return what the operations give (down) or take (up), in the order of the definitions."""
    return list(_Roots(api, way).roots())


def put(operations: dict[str, Any], root: Root, shape: str | None) -> None:
    """Enter *shape* at the path of *root*."""
    operation, *steps, last = root.path
    operations = operations.setdefault(operation, deepcopy(root.skeleton))
    for step in steps:
        operations = operations.setdefault(step, {})
    operations[last] = shape


class _Roots:
    def __init__(self, api: Api, way: Way) -> None:
        self._document = api.document
        self._way = way

    def roots(self) -> Iterator[Root]:
        names = operation_names(self._document)
        for template, item in self._document.get("paths", {}).items():
            resolved = self._resolved("path-item", item)
            for method in METHODS:
                if method not in resolved:
                    continue
                name = names[template, method]
                operation = resolved[method]
                sites = [
                    ("path-item", item),
                    ("path-item", resolved),
                    ("operation", operation),
                ]
                if self._way is Way.DOWN:
                    yield from self._given(_Holder(name, sites, self._answers(operation)))
                else:
                    yield from self._taken(_Holder(name, sites, {"content": {}}), resolved)

    def _answers(self, operation: dict[str, Any]) -> dict[str, Any]:
        return {
            status: {"content": dict.fromkeys(response.get("content", {}))}
            for status, node in operation.get("responses", {}).items()
            if not status.startswith("x-") and (response := self._resolved("response", node))
        }

    def _given(self, holder: _Holder) -> Iterator[Root]:
        for status in holder.skeleton:
            node = holder.operation["responses"][status]
            response = self._resolved("response", node)
            sites = [*holder.sites, ("response", node), ("response", response)]
            for media_type in response.get("content", {}):
                yield self._content(holder, (status, "content", media_type), sites)
            if response.get("headers"):
                yield self._headers(holder, status, sites)

    def _taken(self, holder: _Holder, item: dict[str, Any]) -> Iterator[Root]:
        if "requestBody" in holder.operation:
            node = holder.operation["requestBody"]
            body = self._resolved("request-body", node)
            sites = [*holder.sites, ("request-body", node), ("request-body", body)]
            holder.skeleton["content"].update(dict.fromkeys(body.get("content", {})))
            for media_type in body.get("content", {}):
                yield self._content(holder, ("content", media_type), sites)
        listed: dict[tuple[str, str], list[Any]] = {}
        for node in (*item.get("parameters", ()), *holder.operation.get("parameters", ())):
            if parameter := self._resolved("parameter", node):
                listed[parameter["in"], parameter["name"]] = [node, parameter]
        for place in sorted({place for place, _ in listed}):
            nodes = [found for (where, _), found in listed.items() if where == place]
            yield self._parameters(holder, place, nodes)

    def _content(self, holder: _Holder, path: tuple[str, ...], sites: list[Sited]) -> Root:
        kind, message = sites[-1]
        media_type = path[-1]

        def build(builder: Builder) -> Node:
            view = builder.view
            if not _shows(view, holder.sites):
                return None
            holding = _holding(view.era("operation", holder.operation), path)
            held, was = (
                each.get("content", {}).get(media_type)
                for each in (message, view.era(kind, message))
            )
            if holding is None or was is None or not _shows(view, [*sites, ("media-type", was)]):
                return dict(_ABSENT)
            if (holding, was) != (_holding(holder.operation, path), held):
                return demanded(builder, held)
            inner = view.read("media-type", held)
            node = builder.node(inner.now.get("schema"))
            return builder.converted(inner.converters, node, inner.shown.get("schema", True))

        def demanded(builder: Builder, held: dict[str, Any]) -> Node:
            published = builder.view.published

            def older(at: int) -> Any:
                operation = published.node("operation", holder.operation, at)
                then = self._resolved(kind, _holding(operation, path) or {})
                content = published.node(kind, then, at).get("content", {})
                return published.demanded(content.get(media_type, {}).get("schema", True))

            def make() -> Demand:
                newer = published.canonical(held.get("schema", True))
                return Demand(holder=held, newer=newer, older=older)

            why = builder.demands.note((held,), ["what stands around it"], make)
            return {UNTOLD: [dict(_ABSENT)], "why": why}

        return Root(
            name="/".join((holder.name, *path)).replace("/content/", "/", 1),
            path=(holder.name, *path),
            nodes=sites,
            build=build,
            skeleton=holder.skeleton,
        )

    def _parameters(self, holder: _Holder, place: str, nodes: list[list[Any]]) -> Root:
        def build(builder: Builder) -> Node:
            view = builder.view
            if not _shows(view, holder.sites):
                return None
            then = view.era("operation", holder.operation).get("parameters")
            if then != holder.operation.get("parameters"):
                return demanded(builder)
            flat = Flat(types=frozenset({"object"}))
            for node, parameter in nodes:
                reading = view.read("parameter", parameter)
                if reading.now.get("in") != place:
                    builder.moved(parameter)
                shown = view.shows(node) and view.shows(parameter)
                names = (parameter["name"], reading.now["name"])
                flat.fields[parameter["name"]] = [
                    Declared(
                        _schema(reading.now),
                        shown,
                        names,
                        reading.converters,
                        _schema(reading.shown),
                    )
                ]
                if parameter.get("required"):
                    flat.required.add(parameter["name"])
            return builder.object(flat)

        def demanded(builder: Builder) -> Node:
            published = builder.view.published

            def make() -> Demand:
                properties = {each["name"]: published.canonical(_schema(each)) for _, each in nodes}
                required = [each["name"] for _, each in nodes if each.get("required")]
                newer = {"type": "object", "properties": properties, "required": required}
                return Demand(holder=holder.operation, newer=newer, older=lambda _: True)

            key = (holder.operation, *(node for node, _ in nodes))
            why = builder.demands.note(key, [f"what its parameters in {place} are"], make)
            return {UNTOLD: [dict(_ABSENT)], "why": why}

        return Root(
            name=f"{holder.name}/{place}",
            path=(holder.name, "parameters", place),
            nodes=[*holder.sites, *(("parameter", each) for found in nodes for each in found)],
            build=build,
            skeleton=holder.skeleton,
        )

    def _headers(self, holder: _Holder, status: str, sites: list[Sited]) -> Root:
        response = sites[-1][1]

        def build(builder: Builder) -> Node:
            view = builder.view
            if not all(view.shows(node) for _, node in sites):
                return None
            now = view.read("response", response).now
            flat = Flat(types=frozenset({"object"}))
            for name, node in now.get("headers", {}).items():
                header = self._resolved("header", node)
                reading = view.read("header", header)
                shown = view.shows(node) and view.shows(header)
                names = view.names("header", name, node)
                flat.fields[name] = [
                    Declared(
                        _schema(reading.now),
                        shown,
                        names,
                        reading.converters,
                        _schema(reading.shown),
                    )
                ]
                if header.get("required"):
                    flat.required.add(name)
            return builder.object(flat)

        headers = [
            ("header", each)
            for node in response["headers"].values()
            for each in (node, self._resolved("header", node))
        ]
        return Root(
            name=f"{holder.name}/{status}/headers",
            path=(holder.name, status, "headers"),
            nodes=[*sites, *headers],
            build=build,
            skeleton=holder.skeleton,
        )

    def _resolved(self, kind: str, node: Any) -> dict[str, Any]:
        """Return what *node* stands for, through references; empty where one leads nowhere."""
        components = self._document.get("components", {}).get(_SECTIONS[kind], {})
        for _ in range(len(components) + 1):
            reference = node.get("$ref") if isinstance(node, dict) else None
            goal = target(reference) if isinstance(reference, str) else None
            if goal is None:
                break
            node = components.get(goal[1])
        return node if isinstance(node, dict) else {}


@dataclass(frozen=True)
class _Holder:
    """An operation: what it is called, itself with what holds it, and all its bodies."""

    name: str
    sites: list[Sited]
    skeleton: dict[str, Any]

    @property
    def operation(self) -> dict[str, Any]:
        operation: dict[str, Any] = self.sites[-1][1]
        return operation


def _holding(operation: dict[str, Any], path: tuple[str, ...]) -> Any:
    """Return the node of *operation* that holds the content at *path*: a response, or the body."""
    if path[0] == "content":
        return operation.get("requestBody")
    return operation.get("responses", {}).get(path[0])


def _shows(view: View, sites: list[Sited]) -> bool:
    return all(view.shows(node) for _, node in sites)


def _schema(node: dict[str, Any]) -> Any:
    """Return the schema of a parameter or header, which may stand below a media type."""
    if "schema" in node:
        return node["schema"]
    return next((each.get("schema") for each in node.get("content", {}).values()), None)
