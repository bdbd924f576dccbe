"""The data of the pages of one version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

from dateline.addresses import find_own_address, read_address
from dateline.canonical.ranges import name_range
from dateline.openapi import is_json, method_name, operations, resolve, security_schemes
from dateline.placement import show_version
from dateline.schema.parts import PartReader
from dateline.schema.references import Located, escape
from dateline.site.calls import PythonCalls, PythonClients
from dateline.site.comparing import MessagePart
from dateline.site.contents import (
    OperationPlace,
    follow_object,
    list_operations,
    list_schemas,
)
from dateline.site.history import name_component
from dateline.site.marks import Marks
from dateline.site.samples import Request, Samples, write_types_command
from dateline.site.sharing import SharedNodes
from dateline.site.trees import TreeRow, Trees

_WITH_BODIES: Final = ("POST", "PUT", "PATCH", "DELETE")
"""The methods besides GET that `fetch` sends and for which openapi-typescript makes types."""


ERRORS: Final = ("4", "5", "d")
"""How the statuses of errors begin; `default` counts as one."""


class VersionPages:
    """The parts of the pages of one version, each computed once.

    What the *previous* version has as well is taken from there.
    """

    def __init__(
        self,
        clients: PythonClients,
        date: str,
        marks: dict[str, Marks],
        schema_pages: Mapping[str, str],
        previous: VersionPages | None,
    ) -> None:
        table = clients.table
        self.document = document = clients.documents[date]
        self.marks = marks
        self.operations = {
            each.name: each
            for section in ("paths", "webhooks")
            for each in list_operations(document, section)
        }
        self.schemas = list_schemas(document)
        self._previous = previous
        self._shared: SharedNodes | None = None
        if previous is not None:
            self._shared = SharedNodes(previous.document, document, (previous.marks, marks))
        self._parts = PartReader(document)
        self._resolver = self._parts.resolver
        self._trees = Trees(document, marks, schema_pages, self._find_tree)
        self._table = table
        self._environments = environments = clients.environments[date]
        first = environments[table.environments[0].name]
        self._published = show_version(first, table.selector, date)
        self._choosing = table.place_of_version, table.header
        self._date = date
        self._address = table.documents
        self._samples = Samples(document, table, date, self._find_sample)
        self._calls: PythonCalls | None = None
        if any(each.date == date for each in table.supported):
            self._calls = PythonCalls(clients, date, self._samples.argument)
        self._sections: dict[str, list[MessagePart]] = {}

    def component(self, name: str) -> TreeRow | None:
        """Return the tree of the component *name*; None if this version has none."""
        return self._trees.component(name) if name in self.schemas else None

    def sample(self, name: str, *, sent: bool = False) -> str:
        """Return a value of the component *name* as text; empty if none can be made.

        *sent* is whether callers send it.
        """
        return self._samples.component(name, sent=sent)

    def _find_tree(self, name: str) -> TreeRow | None:
        """Return the tree of a component that the previous version has, too."""
        twin = self._find_twin("schemas", name)
        return twin.component(name) if twin else None

    def _find_sample(self, name: str, *, sent: bool) -> str | None:
        twin = self._find_twin("schemas", name)
        return twin.sample(name, sent=sent) if twin else None

    def _find_twin(self, section: str, name: str) -> VersionPages | None:
        """Return the previous version if the component, or the path, is the same there."""
        is_same = self._shared is not None and self._shared.has(section, name)
        return self._previous if is_same else None

    def list_marks(self, operation: OperationPlace) -> Marks:
        """Return the marks of *operation*, and of its path."""
        around = self.marks.get(operation.around, ())
        return (*around, *self.marks.get(operation.pointer, ()))

    @cached_property
    def schemes(self) -> dict[str, dict[str, Any]]:
        """The security schemes by name."""
        return security_schemes(self.document)

    @property
    def addresses(self) -> dict[str, list[str]]:
        """The addresses of the API's servers, by environment."""
        found = {name: each.get("servers") or [] for name, each in self._environments.items()}
        return {name: [str(each.get("url")) for each in listed] for name, listed in found.items()}

    @cached_property
    def errors(self) -> list[tuple[str, str]]:
        """The statuses of errors that operations declare, each with its usual description."""
        found: dict[str, str] = {}
        for operation in self.operations.values():
            for status, response in operation.responses:
                if status[:1] in ERRORS and not operation.is_webhook:
                    found.setdefault(status, str(response.value.get("description") or ""))
        return sorted(found.items())

    @cached_property
    def users(self) -> dict[str, list[OperationPlace]]:
        """The operations that show a schema on their own page, by its name."""
        found: dict[str, list[OperationPlace]] = {}
        for operation in self.operations.values():
            for name in sorted(self._name_schemas(operation)):
                found.setdefault(name, []).append(operation)
        return found

    @cached_property
    def containers(self) -> dict[str, list[str]]:
        """The schemas whose own page shows or links to a schema, by its name."""
        found: dict[str, list[str]] = {}
        for container in sorted(self.schemas):
            for name in {*_components(self._trees.component(container))} - {container}:
                found.setdefault(name, []).append(container)
        return found

    def _name_schemas(self, operation: OperationPlace) -> set[str]:
        """Return the names of the schemas that the page of *operation* shows or links to."""
        contents = (each for section in self.sections(operation) for each in section.contents)
        return {name for _, tree, _ in contents for name in _components(tree)}

    def list_shown(self, operation: OperationPlace) -> tuple[set[str], set[str]]:
        """Return the pointers of the definitions that the page of *operation* lays out, and names.

        The schemas that it lays out are the bodies of messages, or their items.
        """
        parts = [follow_object(self._resolver, each) for each in operation.parameters]
        parts += [response for _, response in operation.responses]
        parts += [operation.body] if operation.body else []
        laid_out = {each.pointer for each in parts} | {operation.around, operation.pointer}
        for section in self.sections(operation):
            for _, tree, _ in section.contents:
                rows = [each for each in (tree, *tree.rows) if each.whole is not None]
                laid_out |= {name_component(each.component) for each in rows if each.component}
        return laid_out, {*map(name_component, self._name_schemas(operation))}

    def security(self, operation: OperationPlace) -> list[list[str]]:
        """Return the ways to authenticate, each as the names of the schemes that it needs."""
        default = () if operation.is_webhook else self.document.get("security", ())
        ways = operation.node.get("security", default)
        return [list(way) for way in ways]

    def request(self, operation: OperationPlace) -> Request:
        """Return a request of *operation*."""
        body = self._find_body(operation)
        address = self._find_address(operation)
        node, path = operation.node, operation.path
        return self._samples.request(operation.method, path, node, body, address)

    def _find_address(self, operation: OperationPlace) -> str:
        """Return the address of *operation* in the first environment that has it."""
        documents = [self._environments[name] for name in self._table.environment_names]
        document = next((each for each in documents if _find(each, operation)), documents[0])
        item, node = _find(document, operation) or ({}, {})
        own = find_own_address(document, item, node)
        address = read_address(document.get("servers")) if own is None else own
        return f"{address}/{self._date}" if self._table.place_of_version == "path" else address

    def list_names(self, operation: OperationPlace) -> list[str]:
        """Return what code calls *operation*: its id, and the method of the Python client."""
        names = [str(operation.node.get("operationId") or "")]
        names += [self._calls.name(operation.method, operation.path)] if self._calls else []
        return [each for each in names if each]

    def call(self, operation: OperationPlace) -> str:
        """Return a call of *operation* in Python; empty for a draft, which has no client."""
        body = self._find_body(operation)
        if self._calls is None:
            return ""
        parameters = operation.node["parameters"]
        return self._calls.write(operation.method, operation.path, body and body[1], parameters)

    @cached_property
    def typescript(self) -> tuple[str, str] | None:
        """The command that generates types, and a call with them; None if there are none.

        Of the operations of the first environment with a JSON response, it is the first GET without
        required parameters, else the first one.
        """
        called = [each for each in list_operations(self._published) if _find_answer(each)]
        if self._calls is None or not called:
            return None
        # the first one of those that are equal
        operation = max(called, key=lambda each: each.method == "GET" and self._is_plain(each))
        request = self.request(self.operations[operation.name])
        command = write_types_command(self._address, self._date)
        return command, request.typescript(_find_answer(operation))

    def _is_plain(self, operation: OperationPlace) -> bool:
        """Return whether a request needs no parameter except the one that names the version."""
        parameters = operation.node["parameters"]
        needed = {(each.get("in"), each.get("name")) for each in parameters if each.get("required")}
        return needed <= {self._choosing}

    def _find_body(self, operation: OperationPlace) -> tuple[str, str] | None:
        """Return the media type of the request's body, and a sample."""
        body = None
        for section in self.sections(operation):
            if section.kind == "request" and section.contents:
                _, _, sample = section.contents[0]
                content = operation.body.value["content"] if operation.body else {}
                media_type = next(iter(name_range(self._parts, content)))
                body = (media_type, sample) if sample else None
        return body

    def sections(self, operation: OperationPlace) -> list[MessagePart]:
        """Return the request and responses of *operation*: parameters, the body, each response."""
        name = operation.name
        if name not in self._sections:
            twin = self._find_twin(operation.section, operation.path)
            self._sections[name] = (
                twin.sections(twin.operations[name])
                if twin
                else list(self._list_sections(operation))
            )
        return self._sections[name]

    def _list_sections(self, operation: OperationPlace) -> Iterator[MessagePart]:
        rows = tuple(self._trees.parameter(each) for each in operation.parameters)
        if rows:
            yield MessagePart(kind="parameters", name="Parameters", rows=rows)
        if operation.body is not None:
            node = operation.body.value
            sample = f"{operation.name} request"
            contents = self._contents(
                operation.body, "request", sample, is_sent=not operation.is_webhook
            )
            yield MessagePart(
                kind="request",
                name="Request body",
                description=str(node.get("description") or ""),
                contents=tuple(contents),
                is_required=node.get("required") is True,
            )
        # successes come first
        shown: set[str | None] = set()
        for status, response in sorted(operation.responses, key=itemgetter(0)):
            node, anchor = response.value, f"response-{status}"
            at = f"{response.pointer}/headers"
            rows = tuple(
                self._trees.header(name, Located(each, f"{at}/{escape(name)}"), anchor)
                for name, each in node.get("headers", {}).items()
            )
            contents = self._contents(
                response, anchor, f"{operation.name} {status}", is_sent=operation.is_webhook
            )
            if status[:1] in ERRORS:
                contents = _shorten_errors(contents, node.get("content", {}), shown)
            yield MessagePart(
                kind="response",
                name=status,
                description=str(node.get("description") or ""),
                rows=rows,
                contents=tuple(contents),
            )

    def _contents(
        self, located: Located, anchor: str, name: str, *, is_sent: bool
    ) -> Iterator[tuple[str, TreeRow, str]]:
        """Yield each media type of a body, the tree of its schema, and the sample *name*."""
        content = located.value.get("content", {})
        served = name_range(self._parts, content, only_json=True)
        for number, ((media_type, media), as_served) in enumerate(
            zip(content.items(), served, strict=True)
        ):
            at = f"{located.pointer}/content/{escape(media_type)}"
            key = "schema" if "schema" in media else "itemSchema"
            schema = Located(media.get(key, {}), f"{at}/{key}")
            tree = self._trees.body(schema, f"{anchor}-{number}" if number else anchor)
            yield media_type, tree, self._samples.body(as_served, media, name, sent=is_sent)


def _shorten_errors(
    contents: Iterable[tuple[str, TreeRow, str]],
    content: Mapping[str, Any],
    shown: set[str | None],
) -> Iterator[tuple[str, TreeRow, str]]:
    """Yield the *contents* of an error without what another page or error of the operation has.

    The page of a component has the sample that is made for it; each is laid out for one error.
    *shown* are those that were.
    """
    for media_type, tree, sample in contents:
        if tree.component is not None and not {"example", "examples"} & content[media_type].keys():
            sample = ""
        is_known = tree.component is not None and tree.component in shown
        shown.add(tree.component)
        yield media_type, replace(tree, whole=None) if is_known else tree, sample


def _find(
    document: dict[str, Any], operation: OperationPlace
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return the path item and the node of *operation* in *document*, or None."""
    item = resolve(document, document.get("paths", {}).get(operation.path))
    nodes = {method_name(method): node for method, node in operations(item)}
    return (item, nodes[operation.method]) if operation.method in nodes else None


def _find_answer(operation: OperationPlace) -> list[str]:
    """Return the keys that lead to the type of a JSON response; empty if there is none."""
    if operation.method in _WITH_BODIES or (operation.method == "GET" and operation.body is None):
        for status, response in operation.responses:
            for media_type in response.value.get("content", ()):
                if status.startswith("2") and is_json(media_type):
                    at = [operation.path, operation.method.lower(), "responses", status]
                    return [*at, "content", media_type]
    return []


def _components(row: TreeRow) -> Iterator[str]:
    """Yield the components that a page names with *row*."""
    if row.component:
        yield row.component
    for each in (*row.rows, *(row.whole.rows if row.whole else ())):
        yield from _components(each)
