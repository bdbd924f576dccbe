"""Describe the constraints of requests and results for a server.

Plain JSON values, beside the contract data::

    {"header": NAME, "default": DATE, "supported": [DATE, ...], "ends": {DATE: END},
     "requests": {ID: [{"since": DATE, "environments": [...], "request": REQUEST}]},
     "statuses": {ID: [{"since": DATE, "environments": [...], "statuses": [STATUS, ...]}]},
     "schemas": {NAME: [{"since": DATE, "environments": [...], "schema": SCHEMA}]},
     "shown": {NAME: [{"since": DATE, "environments": [...], "schema": SCHEMA}]},
     "results": {ID: {STATUS: {MEDIA TYPE: SCHEMA}}},
     "event_data": {ID: {STATUS: {MEDIA TYPE: "text" or "fields"}}},
     "ranges": {ID: {STATUS: {RANGE: MEDIA TYPE}}},
     "headers": {ID: {STATUS: {NAME: HEADER}}},
     "notations": {ID: [{"since": DATE, "environments": [...], "notations": NOTATIONS}]},
     "canonical": {NAME: SCHEMA},
     "answered": {"results": {ID: {STATUS: {MEDIA TYPE: SCHEMA}}}, "canonical": {NAME: SCHEMA}}}

Beside them, ``naming`` holds the place, the form and the treatment of unknown versions where these
are not the usual ones.

Entries are read like those of contract data. ``requests`` and ``statuses`` are those of each
version: a request is null where the version lacks the operation. It has its ``security`` where that
is not the newest version's, its ``prefix``, the path of its servers, where these are not those of
the document, or else ``usual``, the path of those of the document where it is not the newest one's,
and ``unserved``, a reason, where no server can read it. ``results`` and ``headers`` are canonical;
of bodies, only JSON is described, and sequences of items, as lists. ``event_data`` says of event
streams what their items are, if not the JSON in the data of events. ``schemas`` and ``canonical``
hold the components that the others, or contract data, refer to, at a version and in canonical form;
one that does not exist is true, as adopted references may lead nowhere. ``schemas`` are those of
requests, and ``shown`` those that are not the same in responses. ``answered`` has those of
``results`` and ``canonical`` that demand less of an application of the newest version alone: it
does not have the fields that only older versions require. ``ranges`` of bodies and responses are
those that the definitions have in place of a media type of the ``content``. ``notations`` are the
styles of headers, by status and name, of operations in which any version has another one than
`simple` without `explode`; those have no entry. Schemas are JSON Schema 2020-12 without
annotations, whatever the definitions are written in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property, partial
from typing import Any

from dateline.canonical import answered_document, canonical_document
from dateline.canonical.contract_data import ContractData, Row, Unserved, entries
from dateline.canonical.ranges import find_ranges
from dateline.model import EVERYWHERE, Api, Combination, Table
from dateline.openapi import (
    essence,
    is_json,
    is_sequential,
    operation_names,
    value_schema,
)
from dateline.project import Projector
from dateline.regex.supported import find_supported
from dateline.schema.access import ACCESS, READ_ONLY, WRITE_ONLY, AccessUse
from dateline.schema.constraints import Constraints, references
from dateline.schema.continuity import Continuity
from dateline.schema.memo import closure
from dateline.schema.sequences import EVENT_STREAM
from dateline.server.document_reader import DocumentReader
from dateline.server.fields import describe_headers, list_notations
from dateline.server.mounting import Key
from dateline.server.operations import PLACES, defaults, unread
from dateline.server.readable import find_style, is_exploded
from dateline.versions import DATE_FORM


def describe_messages(
    api: Api, contracts: ContractData | None = None, described: Messages | None = None
) -> dict[str, Any]:
    """Return what a server must know about the requests, results and versions of *api*.

    The schemas include the components that *contracts* refer to. *described* are the messages of
    *api*, if the caller has them.
    """
    described = described or Messages(api, Projector(api))
    return {
        "header": api.table.header,
        "default": api.table.default,
        "supported": [version.date for version in api.table.supported],
        **({"naming": naming} if (naming := _describe_naming(api.table)) else {}),
        "ends": dict(_describe_ends(api)),
        **(
            {"retired": {one.date: one.ended for one in api.table.retired}}
            if api.table.retired
            else {}
        ),
        **described.requests(contracts.dated if contracts else ()),
        **described.results(contracts.canonical if contracts else ()),
    }


def describe_components(contracts: ContractData, described: Messages) -> dict[str, dict[str, Any]]:
    """Return the ``schemas`` and ``canonical`` that *contracts*, those of components, refer to."""
    return {
        "schemas": described.components(contracts.dated),
        "canonical": described.canonical_components(contracts.canonical),
    }


def _describe_naming(table: Table) -> dict[str, Any]:
    """Return how requests name versions, as far as it differs from the default."""
    return {
        **({"place": table.place_of_version} if table.place_of_version != "header" else {}),
        **({"form": table.form} if table.form != DATE_FORM else {}),
        **({"nearest": True} if table.nearest else {}),
    }


def _describe_ends(api: Api) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the announced end of each version, and the next one that stays."""
    dates = [version.date for version in api.table.supported]
    for version, announced in api.table.ends.items():
        if version not in dates:
            continue
        end: dict[str, Any] = {"sunset": announced.day, "deprecated": announced.announced}
        if announced.brownouts:
            end["brownouts"] = [[*brownout] for brownout in announced.brownouts]
        newer = dates[dates.index(version) + 1 :]
        for successor in [date for date in newer if date not in api.table.ends][:1]:
            end["successor"] = f"/spec/{successor}"
        yield version, end


class Messages:
    """Describes the requests and results of one API; each schema is read once.

    *contracts* are the operations that can't be served somewhere according to the contract data,
    *unserved* the reasons why others have no handler, both by id. *canonical* is the canonical
    document, if the caller has it.
    """

    def __init__(
        self,
        api: Api,
        projector: Projector,
        contracts: Mapping[str, Unserved] = {},
        unserved: Mapping[str, str] = {},
        canonical: dict[str, Any] | None = None,
    ) -> None:
        self._api = api
        self._contracts = contracts
        self._unserved = unserved
        self._names = operation_names(api.document)
        self._unread = unread(api)
        self.unsupported: dict[str, None] = {}
        """the regular expressions that validators can't read"""
        constraints = Constraints(api.document, self._find_pattern)
        read = partial(DocumentReader, constraints=constraints, use=AccessUse())
        self._read = read
        self._dated = {
            name: [
                read(document, combination=Combination(date, name), kept=follow(document))
                for follow in [Continuity().follow]
                for date in api.table.dates
                for document in [projector.contract(date, name).document]
            ]
            for name in api.table.environment_names or [EVERYWHERE]
        }
        self._newest = read(api.document)
        self._canonical = read(canonical or canonical_document(api))

    def _find_pattern(self, pattern: str) -> str | None:
        found = find_supported(pattern)
        if found is None:
            self.unsupported[pattern] = None
        return found

    @cached_property
    def _answered(self) -> DocumentReader:
        return self._read(answered_document(self._api))

    # At each version

    def requests(self, components: Iterable[str]) -> dict[str, Any]:
        """Return the requests, the statuses, and the schemas that they and *components* need."""
        requests = self._operation_rows(self._request)
        statuses = self._operation_rows(
            lambda reader, path, method: [*reader.responses(reader.operation(path, method) or {})]
        )
        notations = self._operation_rows(
            lambda reader, path, method: list_notations(
                reader.responses(reader.operation(path, method) or {}), reader.resolve
            )
        )
        notations = {name: row for name, row in notations.items() if any(map(any, row.values()))}
        names = {*components}
        schemas = self._component_rows(_component_names(requests) | names, READ_ONLY)
        shown = _different(self._component_rows(names, WRITE_ONLY), schemas)
        return {
            "requests": self._entries(requests, "request"),
            "statuses": self._entries(statuses, "statuses"),
            **({"notations": self._entries(notations, "notations")} if notations else {}),
            "schemas": self._entries(schemas, "schema"),
            **({"shown": self._entries(shown, "schema")} if shown else {}),
        }

    def components(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the components of *names* at each version, and what they refer to."""
        return self._entries(self._component_rows(names, *ACCESS), "schema")

    def _entries(self, rows: dict[str, Row], key: str) -> dict[str, list[dict[str, Any]]]:
        dates = self._api.table.dates
        return {name: list(entries(row, dates, key)) for name, row in sorted(rows.items())}

    def _operation_rows(self, read: Callable[[DocumentReader, Any, Any], Any]) -> dict[str, Row]:
        return {
            name: {
                environment: [*self._read_row(found, (str(path), str(method)), read)]
                for environment, found in self._dated.items()
            }
            for (path, method), name in self._names.items()
        }

    def _read_row(
        self,
        found: Iterable[DocumentReader],
        at: Key,
        read: Callable[[DocumentReader, str, str], Any],
    ) -> Iterator[Any]:
        """Yield what *read* finds *at* each document; what is as before is read once."""
        before = value = None
        # what can't be served may differ although the documents don't
        is_served = self._names[at] not in self._contracts
        for reader in found:
            if before is None or not is_served or not reader.is_as_in(before, at):
                value = read(reader, *at)
            yield value
            before = reader

    def _component_rows(self, names: Iterable[str], *hidden: str) -> dict[str, Row]:
        """Return the components of *names*, and what these refer to."""
        rows: dict[str, Row] = {}

        def references_of(name: str) -> list[str]:
            rows[name] = {
                environment: [each.component(name, *hidden) for each in found]
                for environment, found in self._dated.items()
            }
            schemas = [schema for found in rows[name].values() for schema in found]
            return sorted(set[str]().union(*map(references, schemas)))

        closure(sorted(names), references_of)
        return rows

    def _request(self, reader: DocumentReader, path: str, method: str) -> Any:
        operation = reader.operation(path, method)
        if operation is None:
            return None
        # the table of the operations has the requirements of the newest version
        newest = self._newest.security(self._newest.operation(path, method) or {})
        read = [
            parameter
            for (place, name), parameter in reader.parameters(path, operation).items()
            if place in PLACES and (place, name.lower()) not in self._unread
        ]
        name = self._names[path, method]
        unserved = self._unserved.get(name) or reader.explain_unreadable(read)
        found = self._contracts.get(name)
        if found is not None and reader.combination in found.where:
            unserved = found.reason
        other = reader.clashes.get((path, method))
        if other is not None:
            unserved = f"{self._names[other]} has the same address on another host"
        is_lost = found is not None and reader.combination in found.lost
        security = reader.security(operation)
        return {
            **self._describe_prefix(reader, reader.prefixes[path, method]),
            **({"unserved": unserved} if unserved else {}),
            # an application that reads the request itself can't serve it either
            **({"lost": True} if is_lost or other is not None else {}),
            **({"security": [list(each) for each in security]} if security != newest else {}),
            "parameters": [_parameter(parameter, reader) for parameter in read],
            "body": _body(reader.resolve(operation.get("requestBody")), reader)
            if "requestBody" in operation
            else None,
        }

    def _describe_prefix(self, reader: DocumentReader, own: str | None) -> dict[str, str]:
        """Return where an operation is whose servers have the path *own*, if not as usual."""
        if own is not None:
            return {"prefix": own}
        assert reader.combination is not None
        newest = self._dated[reader.combination.environment][-1]
        return {"usual": reader.usual} if reader.usual != newest.usual else {}

    # Canonical

    def canonical_components(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the canonical components of *names*, and what they refer to."""
        component = cache(lambda name: self._canonical.component(name, WRITE_ONLY))
        reached = closure(sorted(names), lambda name: references(component(name)))
        return {name: component(name) for name in sorted(reached)}

    def results(self, components: Iterable[str]) -> dict[str, Any]:
        """Return the schemas of results, and *components*."""
        bodies = self._bodies(self._canonical)
        headers = partial(
            describe_headers,
            resolve=self._canonical.resolve,
            constrain=lambda schema: self._canonical.constraints(schema, WRITE_ONLY),
        )
        readers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "event_data": self._events,
            "ranges": find_ranges,
            "headers": headers,
        }
        found = {
            key: {name: each for name, each in self._responses(self._canonical, read) if each}
            for key, read in readers.items()
        }
        schemas = [*_list_leaves(bodies)]
        schemas += [each["schema"] for each in _list_leaves(found["headers"])]
        names = {name for schema in schemas for name in references(schema)}
        canonical = self.canonical_components({*components, *names})
        looser = {name: self._answered.component(name, WRITE_ONLY) for name in canonical}
        return {
            "results": bodies,
            **{key: kept for key, kept in found.items() if kept or key == "headers"},
            "canonical": canonical,
            "answered": {
                "results": _different(self._bodies(self._answered), bodies),
                "canonical": _different(looser, canonical),
            },
        }

    def _responses(
        self, reader: DocumentReader, read: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the name of each operation, sorted, and what *read* finds in its responses."""
        for (path, method), name in sorted(self._names.items(), key=lambda each: each[1]):
            responses = reader.responses(reader.operation(str(path), str(method)) or {})
            yield (
                name,
                {status: found for status, each in responses.items() if (found := read(each))},
            )

    def _bodies(self, reader: DocumentReader) -> dict[str, Any]:
        """Return the schemas of the bodies of all responses."""
        return dict(self._responses(reader, partial(self._contents, reader)))

    @staticmethod
    def _contents(reader: DocumentReader, response: dict[str, Any]) -> dict[str, Any]:
        """Return the schema for each media type of a response that is JSON."""
        return {
            media_type: reader.constraints(reader.schema(media_type, media), WRITE_ONLY)
            for media_type, media in response.get("content", {}).items()
            if is_json(media_type) or is_sequential(media_type)
        }

    def _events(self, response: dict[str, Any]) -> dict[str, Any]:
        """Return the form of the items of each event stream of a response, if not JSON."""
        return {
            media_type: data
            for media_type, media in response.get("content", {}).items()
            if essence(media_type) == EVENT_STREAM
            and (data := self._canonical.event_data(media)) != "json"
        }


def _list_leaves(responses: dict[str, dict[str, dict[str, Any]]]) -> Iterator[Any]:
    """Yield what *responses* have by operation, status and media type or name."""
    for statuses in responses.values():
        for found in statuses.values():
            yield from found.values()


def _different(views: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in views.items() if each != known.get(name)}


def _parameter(parameter: dict[str, Any], reader: DocumentReader) -> dict[str, Any]:
    schema = value_schema(parameter, {})
    known = [*defaults(schema)]
    return {
        **{key: parameter[key] for key in ("name", "in")},
        "required": parameter.get("required", False),
        "style": find_style(parameter),
        "explode": is_exploded(parameter),
        **({"may_be_empty": True} if parameter.get("allowEmptyValue") is True else {}),
        **({"default": known[-1]} if known else {}),
        "schema": reader.constraints(schema),
    }


def _body(body: dict[str, Any], reader: DocumentReader) -> dict[str, Any]:
    # as JSON, only what is named so is read
    ranges = {
        f"{key}+json" if is_json(name) else key: name for key, name in find_ranges(body).items()
    }
    return {
        "required": body.get("required", False),
        **({"ranges": ranges} if ranges else {}),
        "content": {
            media_type: reader.constraints(reader.schema(media_type, each), READ_ONLY)
            for media_type, each in body.get("content", {}).items()
        },
    }


def _component_names(requests: dict[str, Row]) -> set[str]:
    """Return the components that *requests* refer to."""
    return {
        name
        for row in requests.values()
        for found in row.values()
        for request in found
        if request is not None
        for schema in _schemas(request)
        for name in references(schema)
    }


def _schemas(request: dict[str, Any]) -> Iterator[Any]:
    for parameter in request["parameters"]:
        yield parameter["schema"]
    if request["body"] is not None:
        yield from request["body"]["content"].values()
