"""The values of requests and responses, where contract data begin: one file for one walk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

from dateline.addresses import are_read_alike
from dateline.contracts.builder import Builder
from dateline.contracts.containment import is_contained
from dateline.contracts.converters import RequiredConverter
from dateline.contracts.flat import Declared, FlatSchema, View
from dateline.contracts.form_parts import are_parts_written_alike
from dateline.contracts.histories import Reading, Way
from dateline.contracts.nodes import Node, list_converters, list_unserved
from dateline.gates import Timeline
from dateline.model import ADDED, REMOVED, WAS, Api
from dateline.openapi import (
    SECTIONS,
    chain,
    children,
    is_form,
    is_json,
    is_sequential,
    operation_names,
    operations,
    path_items,
    value_schema,
    walk,
)
from dateline.schema.references import Resolver, escape
from dateline.schema.sequences import is_list, item_schema

_ABSENT: Final[Node] = {"absent": True}

Sited = tuple[str, Any]
"""A kind and a node of that kind."""

ListedParameter = tuple[Any, dict[str, Any]]
"""A parameter as it is in a list, and what it refers to."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Root:
    """One value of an operation: its name, its place in the data, and how its node is built.

    ``nodes`` is everything that it depends on besides component schemas. ``skeleton`` lists every
    body of the operation, to distinguish an undefined one from one that is equal in all versions.
    ``unserved`` are the combinations in which the value can't be served.
    """

    name: str
    path: tuple[str, ...]
    nodes: list[Sited]
    build: Callable[[Builder], Node]
    skeleton: dict[str, Any]
    unserved: int


def list_roots(api: Api, way: Way, unserved: Mapping[str, Unreachable]) -> list[Root]:
    """Return the values of responses (down) or requests (up), in the order of the definitions.

    Operations have none in the combinations that *unserved* lists as lost.
    """
    return list(_Roots(api, way, unserved).roots())


def list_component_roots(api: Api) -> list[Root]:
    """Return the values of each component of schemas, which the versions without it lack."""
    timeline = Timeline(api.table)
    return [
        _component_root(name, timeline.all & ~api.visible.get(("schemas", name), timeline.all))
        for name in api.document.get("components", {}).get("schemas", {})
    ]


def _component_root(name: str, lacking: int) -> Root:
    reference = {"$ref": f"#/components/schemas/{escape(name)}"}

    def build(builder: Builder) -> Node:
        return _ABSENT if lacking >> builder.view.at & 1 else builder.node(reference)

    return Root(
        name=f"{name}/",
        path=(name,),
        nodes=[("schema", reference)],
        build=build,
        skeleton={},
        unserved=lacking,
    )


class Unreachable(NamedTuple):
    """A node, the reason why its history can't be served, and the combinations.

    ``lost`` are those in which values have no way either: an application may still accept the
    credentials of older versions itself.
    """

    node: Any
    fact: str
    where: int
    lost: int


def find_unreachable(api: Api) -> Iterator[Unreachable]:
    """Yield each node with an `x-was` that no converter could serve, and the reason.

    A converter converts a value: it can't respond with another status or media type, read another
    part of requests, or accept other credentials.
    """
    timeline = Timeline(api.table)
    found = _Roots(api, Way.DOWN, {})
    for path, kind, node in walk("document", api.document):
        if WAS not in node or not {"callbacks", "webhooks"}.isdisjoint(path):
            continue
        now = found.resolve(kind, node)
        facts: list[str] = []
        where = 0
        for mask, era in timeline.eras(kind, node)[1:]:
            then = found.resolve(kind, era) if "$ref" in era else era
            fact = _lost(kind, now, then, found.places, adopted=api.table.adopted)
            if fact is not None:
                facts.append(fact)
                where |= mask
        if facts:
            yield Unreachable(node, facts[0], where, 0 if kind == "security-scheme" else where)


def find_unserved(api: Api, unreachable: Iterable[Unreachable]) -> dict[str, Unreachable]:
    """Return the operations that use one of *unreachable*, by name, with the facts and places."""
    known = {id(each.node): each for each in unreachable}
    found: dict[str, Unreachable] = {}
    for name, nodes in _Roots(api, Way.DOWN, {}).operations() if known else ():
        for one in [known[id(node)] for node in nodes if id(node) in known]:
            before = found.get(name, one)
            where, lost = before.where | one.where, before.lost | one.lost
            found[name] = before._replace(where=where, lost=lost)
    return found


def _lost(
    kind: str,
    now: dict[str, Any],
    then: dict[str, Any],
    places: Callable[[Any], set[str]],
    *,
    adopted: bool,
) -> str | None:
    """Return why no converter could turn *now* into *then*, or None."""
    if kind in ("path-item", "operation") and not adopted:
        moved = places(then.get("parameters")) - places(now.get("parameters"))
        if moved:
            where = min(moved)
            return f"has parameters in {where}, read no more; keep them, with `{REMOVED}`"
    if kind == "path-item":
        known = dict(operations(now))
        methods = [
            method
            for method, operation in operations(then)
            if (not adopted or method in known) and operation != known.get(method)
        ]
        return f"replaces the whole `{methods[0]}`; put it on its parts" if methods else None
    if kind == "operation":
        if gone := now.get("responses", {}).keys() - then.get("responses", {}).keys():
            return f"leaves the response {min(gone)} out; give that one `{ADDED}` instead"
        is_new = "requestBody" in then and "requestBody" not in now and not adopted
        return f"has a body, which is read no more; keep it, with `{REMOVED}`" if is_new else None
    if kind == "response":
        gone = now.get("content", {}).keys() - then.get("content", {}).keys()
        return f"leaves {min(gone)} out, which all are answered in; keep it" if gone else None
    if kind == "request-body":
        if adopted and not now.get("content"):
            return None  # a body that no newer version reads is ignored
        gone = then.get("content", {}).keys() - now.get("content", {}).keys()
        return (
            f"has {min(gone)}, which is read no more; keep it, with `{REMOVED}`" if gone else None
        )
    if kind == "header" and then.get("required") and not now.get("required"):
        return "requires a header that handlers may leave out now; let it be required still"
    if kind == "parameter" and then.get("in") != now.get("in"):
        return (
            "moves a parameter from one part of the request to another, so no request of an older "
            "version could be read; write two, one with `x-removed` and one with `x-added`"
        )
    if kind == "security-scheme" and not are_read_alike(now, then):
        return "moves a credential; declare a second scheme, and name both in `security`"
    return None


def put(shapes: dict[str, Any], root: Root, shape: str | None) -> None:
    """Put the node *shape* at the path of *root*."""
    *steps, last = root.path
    for at, step in enumerate(steps):
        shapes = shapes.setdefault(step, {} if at else deepcopy(root.skeleton))
    shapes[last] = shape


class _Roots:
    def __init__(self, api: Api, way: Way, unserved: Mapping[str, Unreachable]) -> None:
        self._document = api.document
        self._resolver = Resolver(api.document)
        self._way = way
        self._unserved = unserved

    def operations(self) -> Iterator[tuple[str, Iterator[Any]]]:
        """Yield the name of each operation, and the nodes that it consists of."""
        for (path, method), name in operation_names(self._document).items():
            item = self._document["paths"][path]
            resolved = self.resolve("path-item", item)
            operation = resolved[str(method)]
            security = operation.get("security", self._document.get("security", ()))
            yield (
                name,
                self._nodes(
                    [("path-item", item), ("operation", operation)]
                    + [("parameter", each) for each in resolved.get("parameters", ())]
                    + [
                        (
                            "security-scheme",
                            {"$ref": f"#/components/securitySchemes/{escape(scheme)}"},
                        )
                        for together in security
                        for scheme in together
                    ]
                ),
            )

    def _nodes(self, pending: list[Sited]) -> Iterator[Any]:
        """Yield the nodes of *pending*, and all below them and their targets, except schemas."""
        while pending:
            kind, node = pending.pop()
            for each in chain(self._document, node):
                yield each
                pending += [
                    (below, child)
                    for _, below, child in children(kind, each)
                    if kind != "path-item" and below != "schema"
                ]

    def roots(self) -> Iterator[Root]:
        names = operation_names(self._document)
        for template, item in path_items(self._document):
            resolved = self.resolve("path-item", item)
            for method, operation in operations(resolved):
                name = names[template, method]
                unserved = self._unserved[name].lost if name in self._unserved else 0
                sites = [
                    ("path-item", item),
                    ("path-item", resolved),
                    ("operation", operation),
                ]
                if self._way is Way.DOWN:
                    yield from self._response_roots(
                        _Holder(name, sites, self._answers(operation), unserved)
                    )
                else:
                    yield from self._request_roots(
                        _Holder(name, sites, {"content": {}}, unserved), resolved
                    )

    def _answers(self, operation: dict[str, Any]) -> dict[str, Any]:
        return {
            status: {"content": dict.fromkeys(response.get("content", {}))}
            for status, node in operation.get("responses", {}).items()
            if not status.startswith("x-") and (response := self.resolve("response", node))
        }

    def _response_roots(self, holder: _Holder) -> Iterator[Root]:
        for status in holder.skeleton:
            node = holder.operation["responses"][status]
            response = self.resolve("response", node)
            sites = [*holder.sites, ("response", node), ("response", response)]
            for media_type in response.get("content", {}):
                yield self._content(holder, (status, "content", media_type), sites)
            if response.get("headers"):
                yield self._headers(holder, status, sites)

    def _request_roots(self, holder: _Holder, item: dict[str, Any]) -> Iterator[Root]:
        if "requestBody" in holder.operation:
            node = holder.operation["requestBody"]
            body = self.resolve("request-body", node)
            sites = [*holder.sites, ("request-body", node), ("request-body", body)]
            holder.skeleton["content"].update(dict.fromkeys(body.get("content", {})))
            for media_type in body.get("content", {}):
                yield self._content(holder, ("content", media_type), sites)
        listed: dict[tuple[str, str], list[ListedParameter]] = {}
        for node in (*item.get("parameters", ()), *holder.operation.get("parameters", ())):
            if parameter := self.resolve("parameter", node):
                key = parameter["in"], parameter["name"]
                listed.setdefault(key, []).insert(0, (node, parameter))
        for place in sorted({place for place, _ in listed}):
            nodes = [
                # the one that newer versions have comes first
                sorted(found, key=lambda each: any(REMOVED in part for part in each))
                for (where, _), found in listed.items()
                if where == place
            ]
            yield self._parameters(holder, place, nodes)

    def _content(self, holder: _Holder, path: tuple[str, ...], sites: list[Sited]) -> Root:
        return Root(
            name="/".join((holder.name, *path)).replace("/content/", "/", 1),
            path=(holder.name, *path),
            nodes=sites,
            build=partial(self._build_content, holder, path, sites),
            skeleton=holder.skeleton,
            unserved=holder.unserved,
        )

    def _build_content(
        self, holder: _Holder, path: tuple[str, ...], sites: list[Sited], builder: Builder
    ) -> Node:
        """Return the node of the content at *path* of an operation, in one media type."""
        kind, message = sites[-1]
        media_type = path[-1]
        has_schema = is_json(media_type)
        view = builder.view
        if not holder.is_served(view):
            return None
        then = self._then(view, kind, _find_holder(view.era("operation", holder.operation), path))
        now, was = (
            each.get("content", {}).get(media_type) for each in (message, view.era(kind, then))
        )
        if was is None or not _shows(view, [*sites, ("media-type", was)]):
            return _ABSENT
        require = partial(self._require_content, builder, holder, path, kind, now)
        is_same = then is message and was is now
        if not (is_same or (_fits(view, "media-type", now, was) if has_schema else was == now)):
            return require(_ABSENT)
        inner = view.read("media-type", now)
        if is_sequential(media_type):
            return self._items(builder, inner)
        if is_form(media_type) and not are_parts_written_alike(view, now):
            return require(_ABSENT)
        both = (
            builder.convert(
                inner.converters, builder.node(inner.now.get(key)), inner.shown.get(key, True)
            )
            for key in ("schema", "itemSchema")
            if key == "schema" or not has_schema
        )
        root = next((each for each in both if each is not None), None)
        if root is None or has_schema:
            return root
        if is_form(media_type) and view.way is Way.UP and "schema" in inner.now:
            inline = _resolve_shared(builder, root)
            if not isinstance(inline, dict) or [*inline] == ["left_out"]:
                return inline
        # what else is not JSON is passed on unchanged: its parts are unknown
        is_served = not list_converters(root) and not list_unserved(root)
        return require(root if is_served else _ABSENT)

    def _require_content(
        self,
        builder: Builder,
        holder: _Holder,
        path: tuple[str, ...],
        kind: str,
        now: dict[str, Any],
        where: Node,
    ) -> Node:
        """Return a node with a converter for the whole content, which is *now* the newest one."""
        media_type = path[-1]
        if not is_json(media_type):
            is_sequence = is_sequential(media_type)
            whole = True if is_sequence else {"type": "string"}
            required = RequiredConverter(holder=now, newer=lambda: whole, is_text=not is_sequence)
            root = _require(builder, (now,), "what it holds", required, where)
            return {"items": root} if is_sequence else root
        published = builder.view.published
        schema = now.get("schema", True)

        def older(at: int) -> Any:
            view = builder.view.at_combination(at)
            operation = view.era("operation", holder.operation)
            then = view.era(kind, self._then(view, kind, _find_holder(operation, path)))
            content = view.era("media-type", then.get("content", {}).get(media_type, {}))
            return published.at(content.get("schema", True), at)

        required = RequiredConverter(
            holder=now, newer=lambda: published.canonical(schema), older=older, sent=(schema,)
        )
        return _require(builder, (now,), "what is around it", required, where)

    def _items(self, builder: Builder, media: Reading) -> Node:
        """Return the node of the content of a sequential media type, as a list of its items."""
        if is_list(self._resolver, media.now) and not media.converters:
            return builder.node(media.now["schema"])
        node = builder.node(item_schema(self._resolver, media.now))
        shown = item_schema(self._resolver, media.shown)
        items = builder.convert(media.converters, node, shown)
        return None if items is None else {"items": items}

    def _parameters(self, holder: _Holder, place: str, nodes: list[list[ListedParameter]]) -> Root:
        newest = [found[0] for found in nodes]

        def build(builder: Builder) -> Node:
            view = builder.view
            if not holder.is_served(view):
                return None
            was = self._list_parameters(view, holder, place)
            if was is not None and not _are_kept(view, newest, was):
                return require(builder)
            if was is None and any(
                self._then(view, "parameter", node) is not found
                for each in nodes
                for node, found in each
            ):
                return require(builder)
            flat = FlatSchema(types=frozenset({"object"}))
            for found in nodes:
                parameter = found[0][1]
                reading = view.read("parameter", parameter)
                shown = next(
                    (each for node, each in found if view.shows(node) and view.shows(each)), None
                )
                if shown is not None and not _is_valid_as(view, shown, parameter):
                    return require(builder)
                names = (parameter["name"], reading.now["name"])
                _declare(flat, parameter, names, reading, shown=shown is not None)
            return builder.object(flat)

        def require(builder: Builder) -> Node:
            def newer() -> Any:
                schemas = {each["name"]: value_schema(each) for _, each in newest}
                canonical = builder.view.published.canonical
                return {
                    "type": "object",
                    "properties": {name: canonical(schema) for name, schema in schemas.items()},
                    "required": [each["name"] for _, each in newest if each.get("required")],
                }

            key = (holder.operation, *(node for node, _ in newest))
            required = RequiredConverter(holder=holder.operation, newer=newer)
            return _require(builder, key, f"what its parameters in {place} are", required)

        return Root(
            name=f"{holder.name}/{place}",
            path=(holder.name, "parameters", place),
            nodes=[
                *holder.sites,
                *(("parameter", each) for found in nodes for pair in found for each in pair),
            ],
            build=build,
            skeleton=holder.skeleton,
            unserved=holder.unserved,
        )

    def _list_parameters(
        self, view: View, holder: _Holder, place: str
    ) -> dict[str, dict[str, Any]] | None:
        """Return the parameters in *place* by name if the version of *view* lists others."""
        eras = [(view.era(kind, node), node) for kind, node in holder.sites]
        if all(era.get("parameters") == node.get("parameters") for era, node in eras):
            return None
        listed = [each for era, _ in eras for each in era.get("parameters") or ()]
        found = [self._then(view, "parameter", node) for node in listed]
        return {each["name"]: each for each in found if each.get("in") == place}

    def _headers(self, holder: _Holder, status: str, sites: list[Sited]) -> Root:
        response = sites[-1][1]
        headers = {
            name: (node, self.resolve("header", node)) for name, node in response["headers"].items()
        }

        def build(builder: Builder) -> Node:
            view = builder.view
            if not holder.is_served(view) or not _shows(view, sites):
                return None
            node = _find_holder(view.era("operation", holder.operation), (status,))
            then = self._then(view, "response", node)
            was = view.era("response", then).get("headers") or {}
            if not all(
                name in headers
                # one that is written here has its own history
                and (
                    each is headers[name][1]
                    or _fits(view, "header", headers[name][1], self._then(view, "header", each))
                )
                for name, each in was.items()
            ):
                required = RequiredConverter(holder=response, newer=lambda: {"type": "object"})
                return _require(builder, (response, "headers"), "which headers it has", required)
            flat = FlatSchema(types=frozenset({"object"}))
            for name, (node, header) in headers.items():
                reading = view.read("header", header)
                shown = name in was and view.shows(node) and view.shows(header)
                names = view.names("header", name, node)
                _declare(flat, header, names, reading, shown=shown)
            return builder.object(flat)

        return Root(
            name=f"{holder.name}/{status}/headers",
            path=(holder.name, status, "headers"),
            nodes=[*sites, *(("header", each) for found in headers.values() for each in found)],
            build=build,
            skeleton=holder.skeleton,
            unserved=holder.unserved,
        )

    def places(self, parameters: Any) -> set[str]:
        """Return the places of *parameters* in a request."""
        return {self.resolve("parameter", each).get("in", "") for each in parameters or ()}

    def resolve(self, kind: str, node: Any) -> dict[str, Any]:
        """Return the final target of *node*; empty if a reference is dangling."""
        return self._resolve(kind, node, lambda each: each)

    def _then(self, view: View, kind: str, node: Any) -> dict[str, Any]:
        """Return the target of *node* at the version of *view*, as `resolve` does."""
        return self._resolve(kind, node, partial(view.era, kind))

    def _resolve(
        self, kind: str, node: Any, era: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        components = self._resolver.section(SECTIONS.get(kind, ""))
        for _ in range(len(components) + 1):
            reference = era(node).get("$ref") if isinstance(node, dict) else None
            if not isinstance(reference, str):
                break
            node = self._resolver.resolve(reference)
        return node if isinstance(node, dict) else {}


@dataclass(frozen=True)
class _Holder:
    """An operation: its name, itself after the objects around it, and all its bodies.

    ``unserved`` are the combinations in which it can't be served.
    """

    name: str
    sites: list[Sited]
    skeleton: dict[str, Any]
    unserved: int

    def is_served(self, view: View) -> bool:
        """Return whether the operation can be served at the version of *view*."""
        return _shows(view, self.sites) and not self.unserved >> view.at & 1

    @property
    def operation(self) -> dict[str, Any]:
        operation: dict[str, Any] = self.sites[-1][1]
        return operation


def _find_holder(operation: dict[str, Any], path: tuple[str, ...]) -> Any:
    """Return the node of *operation* with the content at *path*: a response, or the body."""
    if path[0] == "content":
        return operation.get("requestBody")
    return operation.get("responses", {}).get(path[0])


def _resolve_shared(builder: Builder, node: Node) -> Node:
    """Return *node*, or the node of the component that it names."""
    seen: set[str] = set()
    while isinstance(node, str) and node not in seen:
        seen.add(node)
        node = builder.component(node)
    return node


def _declare(
    flat: FlatSchema, node: dict[str, Any], names: tuple[str, ...], reading: Reading, *, shown: bool
) -> None:
    """Add the field of *names*, the newest first, for a parameter or header to *flat*."""
    field = Declared(
        value_schema(reading.now), shown, names, reading.converters, value_schema(reading.shown)
    )
    flat.fields[names[0]] = [field]
    if node.get("required"):
        flat.required.add(names[0])


def _require(
    builder: Builder,
    nodes: tuple[Any, ...],
    part: str,
    required: RequiredConverter,
    where: Node = _ABSENT,
) -> Node:
    """Return the node of a value of *nodes*, of which only a converter can serve *part*."""
    why = builder.required_converters.note(nodes, [part], required)
    return {"why": why, "where": [where], "otherwise": None}


def _are_kept(view: View, newest: list[ListedParameter], was: dict[str, dict[str, Any]]) -> bool:
    """Return whether the parameters *was* are valid as the *newest*, whose list replaced theirs."""
    found = {parameter["name"]: parameter for _, parameter in newest}
    return was.keys() == found.keys() and all(
        view.shows(each) and _is_valid_as(view, was[name], each) for name, each in found.items()
    )


def _is_valid_as(view: View, was: dict[str, Any], now: dict[str, Any]) -> bool:
    """Return whether requests with the parameter *was* are valid with *now* in place of it."""
    if was is now:
        return True
    is_lax = bool(now.get("required")) <= bool(was.get("required"))
    return is_lax and WAS not in now and WAS not in was and _fits(view, "parameter", now, was)


def _fits(view: View, kind: str, now: dict[str, Any], was: dict[str, Any]) -> bool:
    """Return whether what is converted as *now* is valid as *was*, which the version has instead.

    On the way up, it is valid as *now* if it is as *was*.
    """
    eras = [view.era(kind, each) for each in (now, was)]
    if kind == "header" and eras[1].get("required") and not eras[0].get("required"):
        return False
    if now == was:
        return True
    published = [
        {**era, "schema": view.describe_shown(era["schema"])} if "schema" in era else era
        for era in (eras if view.way is Way.DOWN else reversed(eras))
    ]
    return is_contained(kind, *view.align(kind, published[0], published[1]))


def _shows(view: View, sites: list[Sited]) -> bool:
    return all(view.shows(node) for _, node in sites)
