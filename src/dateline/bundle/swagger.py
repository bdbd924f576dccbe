"""Convert Swagger 2.0 to OpenAPI 3.0.4, in one file since the objects contain each other.

The original place of everything is recorded.

Sources: Swagger 2.0 specification (sections by their titles) and OpenAPI Specification 3.0.4. What
3.0 writes in only one way is written so; `Converted.notes` lists what it can't express.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from dateline.bundle.addresses import AddressError, find_path, parse_address
from dateline.bundle.goals import format_local
from dateline.bundle.sources import SourceFile
from dateline.bundle.swagger_files import PassedOver
from dateline.model import EXTENSIBLE, Problem, Trail
from dateline.oddities import list_used
from dateline.openapi import (
    METHODS,
    Arrangement,
    ConvertedDocument,
    MadeName,
    follow,
    pointer,
    slot,
)
from dateline.schema.memo import objects_in
from dateline.schema.references import escape
from dateline.schema.variants import subtypes
from dateline.wording import quote

_OPENAPI: Final = "3.0.4"

_FORMS: Final = ("multipart/form-data", "application/x-www-form-urlencoded")
_ANY_TYPE: Final = "*/*"
"""The media type of messages if neither `consumes` nor `produces` has one."""

# Keys that describe a parameter or header, and not its value.
_OF_PARAMETER: Final = frozenset(
    {"name", "in", "description", "required", "allowEmptyValue", "deprecated", "example", "schema"}
)
_OF_HEADER: Final = frozenset({"description", "required", "deprecated", "example", "schema"})
# Extensions that describe the value, as Schema Objects have them.
_OF_VALUE: Final = frozenset({"x-nullable", "x-ms-enum", EXTENSIBLE})

# What AutoRest and other generators read as the tag of a schema that extends a discriminated one.
_TAG: Final = "x-ms-discriminator-value"

# The styles of 3.0 for lists (Parameter Object, `collectionFormat`).
_STYLES: Final[dict[str, dict[str, Any]]] = {
    "csv": {"style": "form", "explode": False},
    "ssv": {"style": "spaceDelimited", "explode": False},
    "pipes": {"style": "pipeDelimited", "explode": False},
    "multi": {"style": "form", "explode": True},
}
# The other formats have no style: as content, their text has a media type.
_LISTED: Final = {"tsv": "text/tab-separated-values"}

_FLOWS: Final = {
    "implicit": "implicit",
    "password": "password",
    "application": "clientCredentials",
    "accessCode": "authorizationCode",
}

_WORDS: Final = {str: "text", list: "a list", dict: "a mapping", bool: "true or false"}

_HOST: Final = "x-ms-parameterized-host"
"""What Azure writes in place of `host`: a template with parameters (AutoRest, extensions)."""

_MORE_PATHS: Final = "x-ms-paths"
"""What Azure calls the paths that differ from others in constant parameters of their queries."""

# Keys of the root and of an operation that become something else.
_ROOT: Final = frozenset(
    {"swagger", "host", "basePath", "schemes", "consumes", "produces", "definitions"}
    | {"parameters", "responses", "securityDefinitions", "paths", _MORE_PATHS}
)
_OPERATION: Final = frozenset({"consumes", "produces", "schemes", "parameters", "responses"})


class _SwaggerNode(NamedTuple):
    """A node of the source, and its path."""

    node: Any
    path: Trail

    def below(self, step: str | int) -> _SwaggerNode:
        return _SwaggerNode(self.node[step], (*self.path, step))


_MediaTypes = dict[str, Trail]
"""The media types of a message, and where each is listed."""


@dataclass(frozen=True)
class Converted:
    """An OpenAPI 3.0 document that was converted from Swagger 2.0.

    ``origins`` maps the id of an object and a key to the path in the source, if that is not the
    same key of the original object; ``reasons`` to the paths of all else that decides the value.
    """

    document: dict[str, Any]
    origins: dict[tuple[int, str | int], Trail]
    reasons: dict[tuple[int, str | int], tuple[Trail, ...]]
    notes: tuple[Problem, ...]


def convert(
    source: SourceFile, file: str, problems: list[Problem], passed_over: Iterable[PassedOver] = ()
) -> Converted | None:
    """Return *source*, which is Swagger 2.0, as OpenAPI 3.0.

    *file* is its name in its folder. None, after appending to *problems*, if it refers to other
    files, or if a value that determines the meaning of others has the wrong type. The problems in
    *passed_over* count if something uses the entry.
    """
    return _SwaggerConverter(source, file, passed_over).convert(problems)


class _SwaggerConverter:
    """Converts one document.

    A node that several places refer to becomes one object in all of them, so that a comparison of
    documents meets it once.
    """

    def __init__(self, source: SourceFile, file: str, passed_over: Iterable[PassedOver]) -> None:
        self._source = source
        self._file = file
        self._root: dict[str, Any] = source.root
        self._origins: dict[tuple[int, str | int], Trail] = {}
        self._reasons: dict[tuple[int, str | int], tuple[Trail, ...]] = {}
        # an id is unique only while its object lives
        self._made: list[Any] = []
        self._known: dict[tuple[Any, ...], Any] = {}
        self._readdressed: dict[int, Any] = {}
        # schemas outside of `definitions` that something refers to, by their addresses
        self._named: dict[str, str] = {}
        self._schemas: dict[str, Any] = {}
        self._refused: list[Problem] = []
        self._passed_over = [*passed_over]
        self._notes: list[Problem] = []
        self._top = _SwaggerNode(self._root, ())
        self._host = self._find_host()
        self._consumes = self._media_types(self._top, "consumes", {})
        self._produces = self._media_types(self._top, "produces", {})

    def _find_host(self) -> _SwaggerNode | None:
        """Return the host with parameters, if there is one with a template."""
        host = self._root.get(_HOST)
        is_read = isinstance(host, dict) and isinstance(host.get("hostTemplate"), str)
        return self._top.below(_HOST) if is_read else None

    def convert(self, problems: list[Problem]) -> Converted | None:
        document = ConvertedDocument({}, written=str(self._root["swagger"]))
        self._put(document, "openapi", _OPENAPI, ("swagger",))
        for key, value in self._root.items():
            if key == "paths":
                document[key] = self._paths(self._top.below(key))
            elif key not in _ROOT and not (key == _HOST and self._host):
                document[key] = value
        if servers := self._servers(self._top):
            paths = (self._host_path, ("basePath",), ("schemes",))
            path = _first(self._root, str(self._host_path[0]), "basePath", "schemes")
            self._put(document, "servers", servers, path, *paths)
        if components := self._components():
            self._put(document, "components", components, ())
        for key in document:
            document[key] = self._readdress(document[key])
        used = self._list_used(document) if self._passed_over else set()
        for entry, found in self._passed_over:
            for problem in found if entry in used else ():
                # a place is refused for one reason
                if all(problem.place != one.place for one in self._refused):
                    self._refuse(problem)
        problems += self._refused
        if self._refused:
            return None
        return Converted(document, self._origins, self._reasons, tuple(self._notes))

    def _list_used(self, document: dict[str, Any]) -> set[Trail]:
        """Return the entries of sections that something in *document* depends on.

        What refers to a parameter or a response may have it in its own place.
        """
        used: set[Trail] = {
            ("definitions", name) for section, name in list_used(document) if section == "schemas"
        }
        for node in objects_in(self._root):
            reference = node.get("$ref")
            if isinstance(reference, str) and reference.startswith(("#/parameters/", "#/resp")):
                used.add(find_path(self._root, reference[1:])[:2])
        return used

    def _put(self, holder: Any, key: str | int, value: Any, path: Trail, *reasons: Trail) -> None:
        """Set *key* of *holder* to *value*, which is written at *path* of the source.

        It depends on what is at *reasons*, too.
        """
        if isinstance(holder, list):
            holder.append(value)
        else:
            holder[key] = value
        self._origins[id(holder), key] = path
        if reasons:
            self._reasons[id(holder), key] = reasons
        self._made.append(holder)

    def _once(self, make: Callable[..., Any], at: _SwaggerNode, *more: Any) -> Any:
        """Return the result of *make* for *at*: one object for each node.

        A key that the object has in common with the node is written there.
        """
        key = make.__name__, id(at.node), *map(repr, more)
        if key not in self._known:
            made = self._known[key] = make(at, *more)
            for step in made if isinstance(made, dict) else ():
                self._origins.setdefault((id(made), step), (*at.path, step))
        return self._known[key]

    def _readdress(self, node: Any) -> Any:
        """Return *node* with references in extensions and examples to where their targets are now.

        OpenAPI has no references there, but other tools follow them. All others are converted.
        """
        if not isinstance(node, dict | list):
            return node
        if id(node) not in self._readdressed:
            changed: Any = None
            for step, value in node.items() if isinstance(node, dict) else enumerate(node):
                is_address = step == "$ref" and isinstance(value, str)
                below = self._find_moved(value) if is_address else self._readdress(value)
                if below is not value:
                    changed = self._copy(node) if changed is None else changed
                    changed[step] = below
            self._readdressed[id(node)] = node if changed is None else changed
        return self._readdressed[id(node)]

    def _copy(self, node: Any) -> Any:
        copied = dict(node) if isinstance(node, dict) else list(node)
        self._made.append(copied)
        known: tuple[dict[tuple[int, str | int], Any], ...] = self._origins, self._reasons
        for step in node if isinstance(node, dict) else range(len(node)):
            for paths in known:
                if (id(node), step) in paths:
                    paths[id(copied), step] = paths[id(node), step]
        return copied

    def _find_moved(self, reference: str) -> str:
        """Return the address of the component for what *reference* leads to; itself if none is."""
        known = reference.startswith(("#/definitions/", "#/parameters/", "#/responses/"))
        goal = self._resolve(reference, self._top) if known else None
        if goal is None or (goal.path[0] != "definitions" and len(goal.path) > 2):
            return reference
        section = {"definitions": "schemas", "responses": "responses"}.get(str(goal.path[0]))
        if section is None:
            place = self._place(goal)
            section = {"body": "requestBodies", "formData": None}.get(str(place), "parameters")
        return format_local(("components", section, *goal.path[1:])) if section else reference

    # The document

    def _servers(self, at: _SwaggerNode) -> list[Any]:
        """Return the servers of the API (Swagger Object, `host`, `basePath`, `schemes`)."""
        host, base = (
            (self._get(at, key, str) or "").rstrip("/")
            for at, key in (
                (self._host, "hostTemplate") if self._host else (self._top, "host"),
                (self._top, "basePath"),
            )
        )
        is_whole = "://" in host
        if self._host and self._get(self._host, "useSchemePrefix", bool) is False:
            is_whole = True
        if base and not base.startswith("/"):
            base = f"/{base}"
        path = (*at.path, "schemes")
        listed = [scheme for scheme, _ in self._texts(at, "schemes") or ()]
        servers: list[Any] = []
        if host:
            # without a scheme it is that of the document itself
            urls = [f"{scheme}://{host}{base}" for scheme in listed] or [f"//{host}{base}"]
            if is_whole:
                listed, urls = [], [f"{host}{base}"]
            for index, url in enumerate(urls):
                where = (*path, index) if listed else self._host_path
                server = self._make({"url": url}, "url", where)
                self._add_variables(server)
                self._put(servers, index, server, where)
        elif base or listed:
            where = ("basePath",) if base else path
            server = self._make({"url": base or "/"}, "url", where)
            if listed:
                self._put(server, "x-schemes", listed, path)
                self._note(path, "schemes without a `host` are kept as x-schemes")
            self._put(servers, 0, server, where)
        return servers

    @property
    def _host_path(self) -> Trail:
        return (_HOST, "hostTemplate") if self._host else ("host",)

    def _add_variables(self, server: dict[str, Any]) -> None:
        """Add the parameters of the host to *server*, and what else is said about them."""
        if self._host is None:
            return
        variables: dict[str, Any] = {}
        others: list[Any] = []
        listed = self._get(self._host, "parameters", list) or []
        path = (*self._host.path, "parameters")
        for index, node in enumerate(listed):
            at = self._seen_through(_SwaggerNode(node, (*path, index)))
            name = at.node.get("name") if isinstance(at.node, dict) else None
            if isinstance(name, str) and name not in variables and f"{{{name}}}" in server["url"]:
                self._put(variables, name, self._once(self._variable, at), at.path)
            else:
                others.append(node)
        if variables:
            self._put(server, "variables", variables, path)
        if others:
            self._put(server, "x-parameters", others, path)
            self._note(path, "parameters that the host does not have are kept as x-parameters")
        for key, value in self._host.node.items():
            if key not in ("hostTemplate", "useSchemePrefix", "parameters"):
                named = key if key.startswith("x-") else f"x-{key}"
                self._put(server, named, value, (*self._host.path, key))

    def _variable(self, at: _SwaggerNode) -> dict[str, Any]:
        """Return a parameter of the host as a variable of a server, which is always text."""
        usual = {"name": at.node["name"], "in": "path", "required": True, "type": "string"}
        variable: dict[str, Any] = {}
        for key, value in at.node.items():
            if key in ("enum", "default", "description") or key.startswith("x-"):
                self._put(variable, key, value, (*at.path, key))
            elif key not in usual or value != usual[key]:
                self._put(variable, f"x-{key}", value, (*at.path, key))
        return variable

    def _make(self, document: dict[str, Any], key: str, path: Trail) -> dict[str, Any]:
        self._put(document, key, document[key], path)
        return document

    def _components(self) -> dict[str, Any]:
        def add(section: str, name: str, value: Any, key: str) -> None:
            if section not in components:
                self._put(components, section, {}, (key,))
            self._put(components[section], name, value, (key, name))

        components: dict[str, Any] = {}
        for key, section in (
            ("definitions", "schemas"),
            ("responses", "responses"),
            ("parameters", "parameters"),
            ("securityDefinitions", "securitySchemes"),
        ):
            if key in self._root and not self._root[key]:
                self._put(components, section, self._root[key], (key,))
        for name, at in self._entries("definitions"):
            add("schemas", name, self._schema(at), "definitions")
        self._map_tags(components.get("schemas") or {})
        for name, at in self._entries("responses"):
            add("responses", name, self._once(self._response, at, self._produces), "responses")
        for name, at in self._entries("parameters"):
            place = self._place(at)
            if place == "body":
                body = self._once(self._body, self._seen_through(at), self._consumes)
                add("requestBodies", name, body, "parameters")
            elif place != "formData":
                add("parameters", name, self._parameter(at), "parameters")
        for name, at in self._entries("securityDefinitions"):
            add("securitySchemes", name, self._scheme(at), "securityDefinitions")
        for address, schema in self._schemas.items():
            schemas = components["schemas"] = components.get("schemas") or {}
            named = MadeName(self._named[address], address)
            self._put(schemas, named, schema, follow(self._root, address[1:]))
        return components

    def _map_tags(self, schemas: dict[str, Any]) -> None:
        """Write the tags that schemas name for themselves to the discriminators that they extend.

        A schema without one keeps its name as its tag.
        """
        tags = {
            name: schema[_TAG]
            for name, schema in schemas.items()
            if isinstance(schema, dict) and isinstance(schema.get(_TAG), str)
        }
        for root, below in subtypes(schemas).items() if tags else ():
            named = [name for name in tags if name in below]
            # one that is an object is not Swagger 2.0, and stays as it is written
            is_converted = isinstance(self._root["definitions"][root].get("discriminator"), str)
            if not named or not is_converted:
                continue
            mapping: dict[str, Any] = {}
            for name in named:
                address = f"#/components/schemas/{escape(name)}"
                self._put(mapping, tags[name], address, ("definitions", name, _TAG))
            discriminator = schemas[root]["discriminator"]
            self._put(discriminator, "mapping", mapping, ("definitions", named[0], _TAG))

    def _scheme(self, at: _SwaggerNode) -> Any:
        """Return a Security Scheme Object."""
        if not isinstance(at.node, dict):
            return at.node
        kind = at.node.get("type")
        if kind == "basic":
            scheme = {**at.node, "type": "http"}
            self._put(scheme, "scheme", "basic", (*at.path, "type"))
            return scheme
        if kind != "oauth2":
            return at.node
        ours = {"flow", "authorizationUrl", "tokenUrl", "scopes"}
        scheme = {key: value for key, value in at.node.items() if key not in ours}
        flow: dict[str, Any] = {}
        for key in ("authorizationUrl", "tokenUrl"):
            if key in at.node:
                self._put(flow, key, at.node[key], (*at.path, key))
        scopes: dict[str, Any] = {}
        listed = at.node.get("scopes")
        named = {} if isinstance(listed, list) else self._get(at, "scopes", dict) or {}
        for name, value in named.items():
            holder = scopes if isinstance(value, str) or not name.startswith("x-") else flow
            self._put(holder, name, value, (*at.path, "scopes", name))
        self._put(
            flow, "scopes", listed if isinstance(listed, list) else scopes, (*at.path, "scopes")
        )
        flows: dict[str, Any] = {}
        called = at.node.get("flow")
        self._put(flows, _FLOWS.get(str(called), str(called)), flow, (*at.path, "flow"))
        self._put(scheme, "flows", flows, (*at.path, "flow"))
        return scheme

    # Paths and operations

    def _paths(self, at: _SwaggerNode) -> Any:
        if not isinstance(at.node, dict):
            return at.node
        paths = {
            name: value if name.startswith("x-") else self._item(at.below(name))
            for name, value in at.node.items()
        }
        for name, more in self._entries(_MORE_PATHS):
            if name not in paths and not name.startswith("x-"):
                self._put(paths, name, self._item(more), more.path)
        return paths

    def _item(self, at: _SwaggerNode) -> Any:
        if not isinstance(at.node, dict):
            return at.node
        shared = self._read_parameters(at)
        item: dict[str, Any] = {}
        for key, value in at.node.items():
            if key == "parameters" and isinstance(value, list):
                if kept := self._list_parameters(shared):
                    item[key] = kept
            elif key == "$ref" and isinstance(value, str):
                goal = self._seen_through(at)
                if goal.path[:1] == ("paths",):
                    item[key] = value
                else:  # an extension, which remains as it is
                    found = self._item(goal)
                    for name, below in found.items() if isinstance(found, dict) else ():
                        if name not in at.node:
                            self._put(item, name, below, (*goal.path, name))
            elif key in METHODS:
                item[key] = self._operation(at.below(key), shared)
            else:
                item[key] = value
        return item

    def _operation(self, at: _SwaggerNode, shared: list[_SwaggerNode]) -> Any:
        if not isinstance(at.node, dict):
            return at.node
        own = self._read_parameters(at)
        operation = {key: value for key, value in at.node.items() if key not in _OPERATION}
        if "parameters" in at.node and not isinstance(at.node["parameters"], list):
            operation["parameters"] = at.node["parameters"]
        elif kept := self._list_parameters(own):
            operation["parameters"] = kept
        self._message(operation, at, own, shared)
        responses = at.node.get("responses")
        if isinstance(responses, dict):
            produces = self._media_types(at, "produces", self._produces)
            operation["responses"] = {
                status: value
                if status.startswith("x-")
                else self._answer(_SwaggerNode(value, (*at.path, "responses", status)), produces)
                for status, value in responses.items()
            }
        elif "responses" in at.node:
            operation["responses"] = responses
        if "schemes" in at.node:
            path = (*at.path, "schemes")
            if servers := self._servers(at):
                self._put(operation, "servers", servers, path, self._host_path, ("basePath",))
        return operation

    def _read_parameters(self, at: _SwaggerNode) -> list[_SwaggerNode]:
        listed = at.node.get("parameters")
        if not isinstance(listed, list):
            return []
        path = (*at.path, "parameters")
        return [_SwaggerNode(one, (*path, index)) for index, one in enumerate(listed)]

    def _list_parameters(self, listed: list[_SwaggerNode]) -> list[Any]:
        """Return the parameters that are not part of a body."""
        parameters: list[Any] = []
        for at in listed:
            if self._place(at) not in ("body", "formData"):
                self._put(parameters, len(parameters), self._parameter(at), at.path)
        return parameters

    def _place(self, at: _SwaggerNode) -> Any:
        node = self._seen_through(at).node
        return node.get("in") if isinstance(node, dict) else None

    def _message(
        self,
        operation: dict[str, Any],
        at: _SwaggerNode,
        own: list[_SwaggerNode],
        shared: list[_SwaggerNode],
    ) -> None:
        """Give *operation* the body that its parameters describe."""
        consumes = self._media_types(at, "consumes", self._consumes)
        spare: list[_SwaggerNode] = []
        for place in ("body", "formData"):
            mine = [one for one in own if self._place(one) == place]
            names = {str(self._seen_through(one).node.get("name")) for one in mine}
            # only one body is allowed; form fields of other names stay
            left = [
                one
                for one in shared
                if self._place(one) == place
                and not (mine and place == "body")
                and str(self._seen_through(one).node.get("name")) not in names
            ]
            found = [*left, *mine]
            if place == "body":
                found, spare = found[:1], found[1:]
            elif "requestBody" in operation:
                found, spare = [], [*spare, *found]
            if not found:
                continue
            if place == "formData":
                self._put(operation, "requestBody", self._form(found, consumes), found[0].path)
                continue
            reference = self._local(found[0], "parameters")
            body: Any = {"$ref": f"#/components/requestBodies/{reference}"}
            if reference is None or [*consumes] != [*self._consumes]:
                body = self._once(self._body, self._seen_through(found[0]), consumes)
            self._put(operation, "requestBody", body, found[0].path)
        kept: list[Any] = []
        for one in spare:
            self._put(kept, len(kept), self._seen_through(one).node, one.path)
            self._note(one.path, "an operation has one body; the others are kept in x-parameters")
        if kept:
            self._put(operation, "x-parameters", kept, spare[0].path)

    def _local(self, at: _SwaggerNode, section: str) -> str | None:
        """Return the name, as written in addresses, of the component that *at* refers to."""
        reference = at.node.get("$ref") if isinstance(at.node, dict) else None
        if not isinstance(reference, str):
            return None
        head, _, name = reference.rpartition("/")
        return name if head == f"#/{section}" else None

    # Messages

    def _body(self, at: _SwaggerNode, consumes: _MediaTypes) -> dict[str, Any]:
        """Return the Request Body Object of a parameter in the body."""
        dropped = {"name", "in", "schema"}
        body = {key: value for key, value in at.node.items() if key not in dropped}
        schema = {"schema": self._schema(at.below("schema"))} if "schema" in at.node else {}
        content = {name: dict(schema) for name in consumes or (_ANY_TYPE,)}
        self._contents(content, at, consumes)
        self._put(body, "content", content, at.path)
        return body

    def _form(self, fields: list[_SwaggerNode], consumes: _MediaTypes) -> dict[str, Any]:
        """Return the Request Body Object of a form with these *fields*."""
        found = [self._seen_through(at) for at in fields]
        types = [name for name in consumes if name.partition(";")[0].strip().lower() in _FORMS]
        has_file = any(at.node.get("type") == "file" for at in found)
        properties: dict[str, Any] = {}
        encoding: dict[str, Any] = {}
        required: list[Any] = []
        for field, at in zip(fields, found, strict=True):
            name = self._get(at, "name", str)
            if name is None:
                continue
            self._put(properties, name, self._once(self._field, at), field.path)
            if (encoded := self._encoding(at)) is not None:
                self._put(encoding, name, encoded, (*at.path, "collectionFormat"))
            if self._get(at, "required", bool):
                self._put(required, len(required), name, (*at.path, "required"))
        first = fields[0].path
        schema: dict[str, Any] = {"type": "object"}
        self._put(schema, "properties", properties, first)
        if required:
            self._put(schema, "required", required, first)
        content = {}
        for name in types or [_FORMS[0] if has_file else _FORMS[1]]:
            content[name] = {"schema": schema, **({"encoding": encoding} if encoding else {})}
        self._contents(content, fields[0], consumes)
        body: dict[str, Any] = {}
        self._put(body, "content", content, first)
        if required:
            self._put(body, "required", True, (*first, "required"))
        return body

    def _field(self, at: _SwaggerNode) -> dict[str, Any]:
        """Return the Schema Object of a field of a form."""
        outside = {"name", "in", "required", "allowEmptyValue"}
        node = {key: value for key, value in at.node.items() if key not in outside}
        schema: dict[str, Any] = self._value(_SwaggerNode(node, at.path), frozenset())
        if at.node.get("allowEmptyValue") is True and schema != {"type": "string"}:
            # only a schema can say it for a field
            return {"anyOf": [schema, {"type": "string", "enum": [""]}]}
        return schema

    def _encoding(self, at: _SwaggerNode) -> dict[str, Any] | None:
        """Return the encoding of a form field, if it is not the default of 3.0."""
        called = _collection(at.node)
        if called is None or called == "multi":
            return None
        if called in _STYLES:
            return _STYLES[called]
        return {"contentType": self._listed_type(called, at)}

    def _contents(self, content: dict[str, Any], at: _SwaggerNode, listed: _MediaTypes) -> None:
        """Record where each media type of *content*, of a message at *at*, is written."""
        is_own = isinstance(at.node, dict) and "schema" in at.node
        schema = (*at.path, "schema") if is_own else at.path
        for name, media in content.items():
            self._put(content, name, media, listed.get(name, at.path), schema)
            if "schema" in media:
                self._put(media, "schema", media["schema"], schema)

    def _answer(self, at: _SwaggerNode, produces: _MediaTypes) -> Any:
        """Return the response of an operation: a referenced one, or its own."""
        reference = self._local(at, "responses")
        found = self._seen_through(at)
        if reference is not None and ([*produces] == [*self._produces] or found is at):
            return {"$ref": f"#/components/responses/{reference}"}
        return self._once(self._response, found, produces)

    def _response(self, at: _SwaggerNode, produces: _MediaTypes) -> Any:
        """Return a Response Object."""
        if not isinstance(at.node, dict):
            return at.node
        reference = self._local(at, "responses")
        if reference is not None:
            return {"$ref": f"#/components/responses/{reference}"}
        response: dict[str, Any] = {}
        for key, value in at.node.items():
            if key == "headers" and isinstance(value, dict):
                response[key] = {
                    name: self._header(_SwaggerNode(header, (*at.path, key, name)))
                    for name, header in value.items()
                }
            elif key not in ("schema", "examples"):
                response[key] = value
        examples = at.node.get("examples") or {}
        if not isinstance(examples, dict):
            path = (*at.path, "examples")
            self._put(response, "x-examples", examples, path)
            self._note(path, "examples that name no media type are kept in x-examples")
            examples = {}
        content: dict[str, Any]
        if "schema" in at.node:
            schema = self._schema(at.below("schema"))
            content = {name: {"schema": schema} for name in produces or (_ANY_TYPE,)}
        else:
            content = {name: {} for name in examples if not name.startswith("x-")}
        if content:
            self._contents(content, at, produces)
            self._put(response, "content", content, _first(at.node, "schema", "examples", below=at))
        others: dict[str, Any] = {}
        folded = {name.lower().replace(" ", ""): name for name in content}
        for name, example in examples.items():
            path = (*at.path, "examples", name)
            holder = content.get(folded.get(name.lower().replace(" ", ""), ""))
            if holder is not None:
                self._put(holder, "example", example, path)
            else:
                self._put(others, name, example, path)
                self._note(path, "an example of what is not produced is kept in x-examples")
        if others:
            own = response.get("x-examples")
            others |= own if isinstance(own, dict) else {}
            self._put(response, "x-examples", others, (*at.path, "examples"))
        return response

    # Parameters, headers, and what they hold

    def _parameter(self, at: _SwaggerNode) -> Any:
        """Return a Parameter Object, or a reference to one."""
        if not isinstance(at.node, dict):
            return at.node
        reference = at.node.get("$ref")
        if isinstance(reference, str):
            found = self._seen_through(at)
            name = self._local(at, "parameters")
            if name is None and found is not at:
                return self._once(self._plain, found, _OF_PARAMETER)
            return {**at.node, "$ref": f"#/components/parameters/{name}" if name else reference}
        return self._once(self._plain, at, _OF_PARAMETER)

    def _header(self, at: _SwaggerNode) -> Any:
        return self._once(self._plain, at, _OF_HEADER) if isinstance(at.node, dict) else at.node

    def _plain(self, at: _SwaggerNode, outside: frozenset[str]) -> dict[str, Any]:
        """Return a parameter or header, all but what is *outside* of it as its schema."""
        node = at.node
        place = node.get("in") if "name" in outside else "header"
        result = {
            key: value
            for key, value in node.items()
            if key in outside or (key.startswith("x-") and key not in _OF_VALUE)
        }
        if "schema" in node:
            self._put(result, "schema", self._schema(at.below("schema")), (*at.path, "schema"))
            return result
        value = self._value(at, outside)
        called = _collection(node)
        path = (*at.path, *(["collectionFormat"] if "collectionFormat" in node else []))
        # `simple`, the default elsewhere, uses commas
        simple = _STYLES if called is None or place == "query" else {"csv": {}}
        if called is None or called in simple:
            for key, needed in simple.get(called or "", {}).items():
                if key == "explode" or needed != "form":
                    self._put(result, key, needed, path)
            self._put(result, "schema", value, at.path)
            return result
        media = self._make({"schema": value}, "schema", at.path)
        content: dict[str, Any] = {}
        self._put(content, self._listed_type(called, at), media, path)
        self._put(result, "content", content, path)
        return result

    def _listed_type(self, called: str, at: _SwaggerNode) -> str:
        """Return a media type for a list in a format for which 3.0 has no style."""
        note = f"3.0 has no style for a list as {quote(called)}, which is kept as a media type"
        self._note(at.path, note)
        return _LISTED.get(called) or f'text/plain; collectionFormat="{called}"'

    def _value(self, at: _SwaggerNode, outside: frozenset[str]) -> dict[str, Any]:
        """Return the schema of a parameter, a header, a field, or of the items of one."""
        dropped = outside | {"collectionFormat"}
        kept = {
            key: value
            for key, value in at.node.items()
            if key not in dropped and (not key.startswith("x-") or key in _OF_VALUE or not outside)
        }
        if isinstance(kept.get("items"), dict):
            kept["items"] = self._value(at.below("items"), frozenset())
        schema: dict[str, Any] = self._schema(_SwaggerNode(kept, at.path))
        return schema

    # Schemas

    def _schema(self, at: _SwaggerNode) -> Any:
        """Return a Schema Object; the same object if 3.0 says the same with the same keywords."""
        node = at.node
        if not isinstance(node, dict):
            return node
        found: dict[str, Any] = {}
        for key, value in node.items():
            if key == "$ref":
                below = self._address(value, at) if isinstance(value, str) else value
            elif key == "discriminator" and isinstance(value, str):
                below = self._make({"propertyName": value}, "propertyName", (*at.path, key))
            else:
                below = self._below(key, value, at)
            if below is not value:
                found[key] = below
        is_open = _is_open(node)
        if "x-nullable" not in node and not found and not is_open and _is_plain_type(node):
            return node
        result: dict[str, Any] = {}
        for key, value in node.items():
            if key == "x-nullable" and isinstance(value, bool):
                self._put(result, "nullable", value, (*at.path, key))
            elif key == "enum" and is_open:
                self._put(result, EXTENSIBLE, value, (*at.path, key), (*at.path, "x-ms-enum"))
            elif key == "type" and not _is_plain_type(node):
                self._type(result, value, at, found.get("allOf", node.get("allOf")))
            elif key == "$ref" and _needs_all_of(at):
                path, members = (*at.path, key), list[Any]()
                member = self._make({key: found.get(key, value)}, key, path)
                self._put(members, 0, member, path)
                self._put(result, "allOf", members, path)
            else:
                result.setdefault(key, found.get(key, value))
        self._made.append(result)
        return result

    def _below(self, key: str, value: Any, at: _SwaggerNode) -> Any:
        arrangement, kind = slot("schema", key)
        if kind != "schema":
            return value
        if arrangement is Arrangement.ONE:
            return self._schema(at.below(key))
        if not isinstance(value, dict if arrangement is Arrangement.MAP else list):
            return value
        steps: Any = value if arrangement is Arrangement.MAP else range(len(value))
        made = {step: self._schema(at.below(key).below(step)) for step in steps}
        if all(made[step] is value[step] for step in made):
            return value
        return made if arrangement is Arrangement.MAP else [*made.values()]

    def _type(self, result: dict[str, Any], type_: Any, at: _SwaggerNode, all_of: Any) -> None:
        """Convert `type` into *result*: a file, or what other readers of JSON Schema allow."""
        path = (*at.path, "type")
        if type_ == "file":
            self._put(result, "type", "string", path)
            self._put(result, "format", "binary", path)
            return
        types = [one for one in type_ if one not in ("null", None)]
        if len(types) == 1:
            self._put(result, "type", types[0], path)
        elif types:
            union = [{"type": one} for one in types]
            if "anyOf" in at.node:
                others = all_of if isinstance(all_of, list) else []
                self._put(result, "allOf", [*others, {"anyOf": union}], path)
            else:
                self._put(result, "anyOf", union, path)
        if len(types) < len(type_):
            self._put(result, "nullable", True, path)

    # References

    def _address(self, reference: str, at: _SwaggerNode) -> str:
        """Return the address of the schema that *reference* leads to."""
        head, found, rest = reference.partition("#/definitions/")
        if found and not head:
            return f"#/components/schemas/{rest}"
        goal = self._resolve(reference, at)
        if goal is None:
            return reference
        address = f"#{pointer(goal.path)}"
        if address not in self._named:
            name = next(str(step) for step in reversed(goal.path) if isinstance(step, str))
            while name in self._named.values() or name in (self._root.get("definitions") or ()):
                name += "_"
            self._named[address] = name
            self._schemas[address] = None  # until it is created
            self._schemas[address] = self._schema(goal)
        return f"#/components/schemas/{self._named[address]}"

    def _seen_through(self, at: _SwaggerNode) -> _SwaggerNode:
        """Return the final target of *at*; *at* itself if it is dangling."""
        met: set[Trail] = set()
        goal = at
        while isinstance(goal.node, dict) and isinstance(goal.node.get("$ref"), str):
            met.add(goal.path)
            found = self._resolve(goal.node["$ref"], goal)
            if found is None or found.path in met:
                return at
            goal = found
        return goal

    def _resolve(self, reference: str, at: _SwaggerNode) -> _SwaggerNode | None:
        """Return the target of *reference*, or None."""
        try:
            address = parse_address(reference, self._file)
            if address.file != self._file:
                raise AddressError(
                    "reference-remote",
                    "Swagger 2.0 is read from one file; bundle the files, or convert them",
                )
            path = find_path(self._root, address.fragment)
            if address.fragment.startswith("/"):
                path = follow(self._root, address.fragment)
            return _SwaggerNode(self._node(path), path)
        except AddressError as error:
            place = self._source.locate((*at.path, "$ref"), value=True)
            refused = Problem(
                place=place, id=error.kind, message=f"{quote(reference)}: {error.message}"
            )
            if error.kind == "reference-dangling":
                return None
            if at.path[:1] in (("definitions",), ("parameters",), ("responses",)):
                self._passed_over.append((at.path[:2], [refused]))
            else:
                self._refuse(refused)
        except LookupError:
            pass  # it is refused when the document is checked
        return None

    def _node(self, path: Trail) -> Any:
        node: Any = self._root
        for step in path:
            if not isinstance(node, dict) and not isinstance(step, int):
                raise LookupError
            node = node[step]
        return node

    # Values that are read, and not copied unchanged

    def _get(self, at: _SwaggerNode, key: str | int, wanted: type) -> Any:
        """Return the value of *key* in *at*; None, after reporting it, if it is not a *wanted*.

        Null counts as absent, and a quoted flag as a flag, as elsewhere in published documents.
        """
        value = at.node.get(key)
        if key not in at.node or isinstance(value, wanted):
            return value
        if value is None:
            self._note((*at.path, key), "null is read as if nothing was there")
            return None
        if wanted is dict and value == []:
            self._note((*at.path, key), "an empty list is read as an empty mapping")
            return {}
        if wanted is bool and value in ("true", "false"):
            self._note((*at.path, key), f"{quote(value)} is read as {value}")
            return value == "true"
        message = f"{quote(value)} where {_WORDS[wanted]} belongs"
        place = self._source.locate((*at.path, key), value=True)
        self._refuse(Problem(place=place, id="wrong-type", message=message))
        return None

    def _texts(self, at: _SwaggerNode, key: str) -> list[tuple[str, Trail]] | None:
        """Return the texts that *key* of *at* lists, and their paths; None if it is absent.

        It may be a single text without a list.
        """
        path = (*at.path, key)
        if isinstance(at.node.get(key), str):
            return [(at.node[key], path)]
        listed = self._get(at, key, list)
        if listed is None:
            return None
        items = _SwaggerNode(dict(enumerate(listed)), path)
        texts = ((self._get(items, index, str), (*path, index)) for index in items.node)
        return [(text, where) for text, where in texts if text]

    def _media_types(self, at: _SwaggerNode, key: str, inherited: _MediaTypes) -> _MediaTypes:
        """Return the media types that *key* of *at* lists, or the *inherited* ones."""
        listed = self._texts(at, key)
        return inherited if listed is None else dict(listed)

    def _entries(self, section: str) -> Iterator[tuple[str, _SwaggerNode]]:
        """Yield the entries of a *section* of the document."""
        for name, node in (self._get(self._top, section, dict) or {}).items():
            yield name, _SwaggerNode(node, (section, name))

    def _refuse(self, problem: Problem) -> None:
        if problem not in self._refused:
            self._refused.append(problem)

    def _note(self, path: Trail, message: str) -> None:
        note = Problem(place=self._source.locate(path), id="swagger-kept", message=message)
        if note not in self._notes:
            self._notes.append(note)


def _collection(node: dict[str, Any]) -> str | None:
    """Return the format of the list *node*, and of nested ones; None if it is not a list."""
    found = []
    here: Any = node
    while isinstance(here, dict) and here.get("type") == "array":
        found.append(str(here.get("collectionFormat") or "csv"))
        here = here.get("items")
    return " ".join(found) or None


def _is_plain_type(node: dict[str, Any]) -> bool:
    type_ = node.get("type")
    return not (type_ == "file" or isinstance(type_, list))


def _is_open(node: dict[str, Any]) -> bool:
    """Return whether *node* lists texts to which others may be added, as AutoRest reads it."""
    says, listed = node.get("x-ms-enum"), node.get("enum")
    is_said = isinstance(says, dict) and says.get("modelAsString") is True
    if not is_said or node.get("type") != "string" or EXTENSIBLE in node:
        return False
    if not isinstance(listed, list) or not listed:
        return False
    return all(isinstance(one, str) and one and one.isprintable() for one in listed)


def _needs_all_of(at: _SwaggerNode) -> bool:
    """Return whether 3.0 needs an `allOf` around the reference at *at*, beside which are no keys.

    A definition that has one would be a variant of the other.
    """
    is_nullable = at.node.get("x-nullable") is True and "allOf" not in at.node
    return is_nullable and at.path[:-1] != ("definitions",)


def _first(node: dict[str, Any], *keys: str, below: _SwaggerNode | None = None) -> Trail:
    """Return the path of the first of the keys *below* that *node* has."""
    around = below.path if below else ()
    return next(((*around, key) for key in keys if key in node), around)
