"""What requests have to be at each version, as far as a server has to know.

Plain JSON values, which stand beside the contract data::

    {"header": NAME, "default": DATE, "supported": [DATE, ...], "ends": {DATE: END},
     "requests": {ID: [{"since": DATE, "environments": [...], "request": REQUEST}]},
     "statuses": {ID: [{"since": DATE, "environments": [...], "statuses": [STATUS, ...]}]},
     "schemas": {NAME: [{"since": DATE, "environments": [...], "schema": SCHEMA}]}}

Entries are read like those of contract data. The statuses are those of the responses, as the
document of the version has them. A request has its ``security`` where that is not the newest
version's. A request is null where the operation is not there, and a schema true where the
component is not: in adopted definitions, references may lead nowhere. Schemas are JSON Schema
2020-12, whatever the definitions are written in, without annotations; only those are listed that
requests or contract data refer to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from dateline.canonical import Row, entries
from dateline.model import EVERYWHERE, Api
from dateline.openapi import METHODS, chain, operation_names
from dateline.project import Projector
from dateline.schema.access import READ_ONLY, WRITE_ONLY, Hidden, OneWay
from dateline.schema.constraints import Constraints, references
from dateline.schema.memo import closure
from dateline.server.operations import defaults, unread

_STYLES: Final = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}

_HIDDEN: Final = (READ_ONLY, WRITE_ONLY)


def describe_requests(
    api: Api, components: Iterable[str] = (), projector: Projector | None = None
) -> dict[str, Any]:
    """Return what a server has to know of the requests of *api*, and of its versions.

    The schemas include *components*. *projector* is that of *api*, where one is at hand.
    """
    table = api.table
    return {
        "header": table.header,
        "default": table.default,
        "supported": [version.date for version in table.supported],
        "ends": dict(_ends(api)),
        **_Requests(api, projector or Projector(api)).data(components),
    }


def _ends(api: Api) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the announced end of each version, and the next one that stays."""
    dates = [version.date for version in api.table.supported]
    for version, announced in api.table.ends.items():
        if version not in dates:
            continue
        end = {"sunset": announced.day, "deprecated": announced.announced}
        newer = dates[dates.index(version) + 1 :]
        for successor in [date for date in newer if date not in api.table.ends][:1]:
            end["successor"] = f"/spec/{successor}"
        yield version, end


class _Requests:
    """The requests of one API, read from what it publishes."""

    def __init__(self, api: Api, projector: Projector) -> None:
        self._api = api
        self._constraints = Constraints(api.document)
        names = [each.name for each in api.table.environments] or [EVERYWHERE]
        self._documents = {
            name: [projector.contract(date, name).document for date in api.table.dates]
            for name in names
        }
        self._unread = unread(api)
        self._directions = {
            id(document): [OneWay(document, hidden, Hidden.ANY) for hidden in _HIDDEN]
            for found in self._documents.values()
            for document in found
        }

    def data(self, components: Iterable[str]) -> dict[str, Any]:
        rows = dict(self._rows(self._request))
        statuses = dict(self._rows(self._statuses))
        schemas = self._schemas(rows, components)
        return {
            "requests": {name: self._entries(rows[name], "request") for name in sorted(rows)},
            "statuses": {name: self._entries(statuses[name], "statuses") for name in sorted(rows)},
            "schemas": {name: self._entries(schemas[name], "schema") for name in sorted(schemas)},
        }

    def _entries(self, row: Row, key: str) -> list[dict[str, Any]]:
        return list(entries(row, self._api.table.dates, key))

    def _rows(self, read: Callable[[dict[str, Any], str, str], Any]) -> Iterator[tuple[str, Row]]:
        """Yield each operation with what *read* returns of it in each document."""
        document = self._api.document
        names = operation_names(document)
        for template, item in document.get("paths", {}).items():
            resolved = _resolve(document, item)
            for method in METHODS:
                if method in resolved:
                    yield (
                        names[template, method],
                        {
                            environment: [read(each, template, method) for each in found]
                            for environment, found in self._documents.items()
                        },
                    )

    def _request(self, document: dict[str, Any], template: str, method: str) -> Any:
        item = _resolve(document, document.get("paths", {}).get(template))
        operation = item.get(method)
        if operation is None:
            return None
        listed: dict[tuple[str, str], Any] = {}
        for node in (*item.get("parameters", ()), *operation.get("parameters", ())):
            if parameter := _resolve(document, node):
                listed[parameter["in"], parameter["name"]] = parameter
        security = operation.get("security", document.get("security", []))
        differs = security != self._newest_security(template, method)
        return {
            **({"security": [list(each) for each in security]} if differs else {}),
            "parameters": [
                self._parameter(parameter)
                for (place, name), parameter in listed.items()
                if not (place == "header" and name.lower() in self._unread)
            ],
            "body": self._body(document, operation),
        }

    def _statuses(self, document: dict[str, Any], template: str, method: str) -> list[str]:
        item = _resolve(document, document.get("paths", {}).get(template))
        responses = item.get(method, {}).get("responses", {})
        return [status for status in responses if not status.startswith("x-")]

    def _newest_security(self, template: str, method: str) -> Any:
        """Return what the newest version demands, which the table of the operations says."""
        document = self._api.document
        operation = _resolve(document, document["paths"][template])[method]
        return operation.get("security", document.get("security", []))

    def _parameter(self, parameter: dict[str, Any]) -> dict[str, Any]:
        style = parameter.get("style", _STYLES[parameter["in"]])
        schema = parameter.get("schema", {})
        known = [*defaults(schema)]
        return {
            "name": parameter["name"],
            "in": parameter["in"],
            "required": parameter.get("required", False),
            "style": "content" if "content" in parameter else style,
            "explode": parameter.get("explode", style == "form"),
            **({"default": known[-1]} if known else {}),
            "schema": self._constraints.of(schema),
        }

    def _body(self, document: dict[str, Any], operation: dict[str, Any]) -> Any:
        if "requestBody" not in operation:
            return None
        body = _resolve(document, operation["requestBody"])
        return {
            "required": body.get("required", False),
            "content": {
                media_type: self._constraints.of(
                    self._directions[id(document)][0].of(each.get("schema", {}))
                )
                for media_type, each in body.get("content", {}).items()
            },
        }

    def _schemas(self, rows: dict[str, Row], components: Iterable[str]) -> dict[str, Row]:
        """Return *components* and those of requests, directly or through others.

        What responses are held to demands nothing that only requests have; of requests, the types
        of handlers demand it again.
        """
        shown = self._follow(components, {}, both=True)
        wanted = {
            name
            for row in rows.values()
            for found in row.values()
            for request in found
            if request is not None
            for schema in _schemas_of(request)
            for name in references(schema)
        }
        return self._follow(wanted, shown, both=False)

    def _follow(self, names: Iterable[str], known: dict[str, Row], *, both: bool) -> dict[str, Row]:
        """Return the components *known*, those of *names*, and what these refer to."""
        rows = dict(known)

        def references_of(name: str) -> list[str]:
            if name in known:
                return []
            rows[name] = {
                environment: [self._component(each, name, both=both) for each in found]
                for environment, found in self._documents.items()
            }
            schemas = [schema for found in rows[name].values() for schema in found]
            return sorted(set[str]().union(*map(references, schemas)))

        closure(sorted(names), references_of)
        return rows

    def _component(self, document: dict[str, Any], name: str, *, both: bool) -> Any:
        schema = document.get("components", {}).get("schemas", {}).get(name, True)
        for direction in self._directions[id(document)][: 2 if both else 1]:
            schema = direction.of(schema)
        return self._constraints.of(schema)


def _resolve(document: dict[str, Any], node: Any) -> dict[str, Any]:
    """Return what *node* stands for, through references to components; empty for nothing."""
    found = chain(document, node)
    return found[-1] if found else {}


def _schemas_of(request: dict[str, Any]) -> Iterator[Any]:
    for parameter in request["parameters"]:
        yield parameter["schema"]
    if request["body"] is not None:
        yield from request["body"]["content"].values()
