"""Read the operations of one version, as its callers see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from dateline.addresses import find_own_address
from dateline.canonical.ranges import name_range
from dateline.model import Table, Trail
from dateline.openapi import (
    QUERYSTRING,
    chain,
    find_framing,
    is_form,
    is_json,
    is_sequential,
    method_name,
    operation_names,
    operations,
    path_items,
    preferred_media_type,
    resolve,
    security_schemes,
    value_schema,
)
from dateline.python.called import Argument, Called, CalledBody, StreamedBody
from dateline.python.forms import FormPart, FormReader, is_multipart
from dateline.python.names import apart, argument_name, pascal
from dateline.python.parts import (
    IGNORED_HEADERS,
    Sites,
    find_component,
    is_sendable,
    list_parameters,
    list_responses,
    name_argument,
)
from dateline.python.types import place_inline
from dateline.schema.access import READ_ONLY, WRITE_ONLY, AccessUse, Hidden, OneWay
from dateline.schema.continuity import Continuity
from dateline.schema.limits import describe_limits, merge_keywords
from dateline.schema.parts import PartReader
from dateline.schema.sequences import item_schema
from dateline_runtime.statuses import BODILESS, choose_successes

_SETTINGS: Final = (
    *("environment", "base_url", "timeout", "max_retries", "backoff", "headers", "http_client"),
    *("transport", "self", "service", "credentials", "follow_redirects"),
    "max_response_bytes",
)
"""The arguments of a client that are no credentials."""

PLACES: Final = ("path", "query", QUERYSTRING, "header", "cookie")

_IDEMPOTENCY: Final = frozenset({"idempotency-key", "x-idempotency-key"})
"""The names of headers that make it safe to repeat a request (The Idempotency-Key header, an
Internet draft of the working group HTTPAPI)."""

# Names that annotations in clients use, and attributes of clients: a method would hide them.
_TAKEN: Final = frozenset(
    {"bool", "bytes", "close", "date", "datetime", "dict", "float", "int", "list", "str", "t"}
    | {"tuple", "with_options"}
)


def read_operations(
    table: Table, document: dict[str, Any], environments: Mapping[str, dict[str, Any]]
) -> list[Called]:
    """Return the operations of *document*, that of a version in all environments together.

    *environments* has those of each.
    """
    return CalledReader(table).read(document, environments)


class CalledReader:
    """Reads the operations of versions, one after the other.

    Those that are as in the version before, with all that they refer to, are the same objects.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._continuity = Continuity()
        self._use = AccessUse()
        self._before: _Reader | None = None
        self._read: dict[tuple[str, str], Called] = {}

    def read(
        self, document: dict[str, Any], environments: Mapping[str, dict[str, Any]]
    ) -> list[Called]:
        """Return the operations of *document*, as `read_operations` does."""
        paths = self._continuity.follow(document)
        reader = _Reader(self._table, document, environments, self._use)
        kept = set(self._list_kept(reader, paths))
        self._read = {
            site.at: self._read[site.at] if site.at in kept else reader.read(site)
            for site in reader.sites
            if is_sendable(site.path)
        }
        self._before = reader
        return [*self._read.values()]

    def _list_kept(self, reader: _Reader, paths: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield the path and method of the operations at *paths* that are as in the last version.

        Everything that they refer to is.
        """
        before = self._before
        if before is None or not reader.has_context_of(before):
            return
        names = {site.at: (site.name, site.called) for site in before.sites}
        paths = {path for path in paths if reader.is_everywhere_as_in(before, path)}
        for site in reader.sites:
            if site.path in paths and names[site.at] == (site.name, site.called):
                yield site.at


def name_credentials(document: dict[str, Any]) -> dict[str, str]:
    """Return the argument of clients for each security scheme, by the scheme's name.

    A scheme of the connection itself has none.
    """
    defined = security_schemes(document)
    demanded = [document.get("security", [])]
    for _, item in path_items(document):
        nodes = [each for each in item.values() if isinstance(each, dict)]
        demanded += [each["security"] for each in nodes if isinstance(each.get("security"), list)]
    used = {name for each in demanded for alternative in each for name in alternative}
    taken = set(_SETTINGS)
    names: dict[str, str] = {}
    for name in (*defined, *sorted(used - {*defined})):
        if defined.get(name, {}).get("type") == "mutualTLS":
            names[name] = ""
            continue
        keyword = argument_name(name)
        while keyword in taken:
            keyword += "_"
        taken.add(keyword)
        names[name] = keyword
    return names


def _find_style(parameter: dict[str, Any]) -> str:
    content = parameter.get("content")
    if content is None:
        return str(parameter.get("style", ""))
    return "form" if parameter["in"] == QUERYSTRING and any(map(is_form, content)) else "content"


class _CalledPlace(NamedTuple):
    """Where an operation is, its name, and that of its method in clients."""

    path: str
    method: str
    item: dict[str, Any]
    node: dict[str, Any]
    name: str
    called: str

    @property
    def at(self) -> tuple[str, str]:
        return self.path, self.method


class _Reader:
    """Reads the operations of one document."""

    def __init__(
        self,
        table: Table,
        document: dict[str, Any],
        environments: Mapping[str, dict[str, Any]],
        use: AccessUse,
    ) -> None:
        self._table = table
        self._document = document
        self._environments = environments
        self._forms = FormReader(document)
        self._parts = PartReader(document)
        self._sent = OneWay(document, READ_ONLY, Hidden.ABSENT, use)
        self._received = OneWay(document, WRITE_ONLY, Hidden.ABSENT, use)
        secrets = {
            (str(each.get("in")), str(each["name"]).lower())
            for each in security_schemes(document).values()
            if "name" in each
        }
        selector = (table.place_of_version, table.header.lower())
        self._unwritten = {selector, *secrets, *(("header", name) for name in IGNORED_HEADERS)}
        self.sites = [*self._list_sites()]

    def has_context_of(self, other: _Reader) -> bool:
        """Return whether what is around operations is as in the document of *other*."""
        return (
            self._unwritten == other._unwritten
            and self._document.get("security") == other._document.get("security")
            and [*self._environments] == [*other._environments]
            and all(
                document.get("servers") == other._environments[name].get("servers")
                for name, document in self._environments.items()
            )
        )

    def is_everywhere_as_in(self, other: _Reader, path: str) -> bool:
        """Return whether each environment has the same at *path* as that of *other*."""
        for name, document in self._environments.items():
            now, then = (
                each.get("paths", {}).get(path) for each in (document, other._environments[name])
            )
            # what a path item refers to may be another one in each environment
            if now is not then or "$ref" in (now or {}):
                return False
        return True

    def _list_sites(self) -> Iterator[_CalledPlace]:
        names = operation_names(self._document)
        found = [
            (path, method, item, node)
            for path, written in path_items(self._document)
            for item in [resolve(self._document, written)]
            for method, node in operations(item)
        ]
        called = self._name_methods(names, [(path, method) for path, method, _, _ in found])
        for path, method, item, node in found:
            yield _CalledPlace(path, method, item, node, names[path, method], called[path, method])

    def _name_methods(
        self, names: Mapping[Trail, str], sites: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str], str]:
        """Return the name of each method; one that several would have includes the path."""
        called = {at: argument_name(names[at], _TAKEN) for at in sites}
        counts = Counter(called.values())
        keys = {
            f"{method} {path}": argument_name(f"{method} {path}", _TAKEN)
            if counts[called[path, method]] > 1
            else called[path, method]
            for path, method in sites
        }
        found = apart(keys)
        return {(path, method): found[f"{method} {path}"] for path, method in sites}

    def read(self, site: _CalledPlace) -> Called:
        path, method, item, node, name, called = site
        title = pascal(argument_name(name))
        listed = list_parameters(self._document, path, item, node)
        keys = [
            each for place, each in listed if place == "header" and each.lower() in _IDEMPOTENCY
        ]
        body = self._body(name, title, node.get("requestBody"))
        responses = list_responses(self._document, node)
        successes = choose_successes(responses)
        payloads = {
            status: self._response(name, title, status, successes, found)
            for status, found in responses.items()
        }
        header = self._table.header.lower()
        security = node.get("security", self._document.get("security", []))
        where = self._find_environments(path, method)
        return Called(
            id=name,
            method_name=called,
            method=method_name(method),
            path=path,
            summary=node.get("summary", ""),
            description=node.get("description", ""),
            deprecated=node.get("deprecated") is True,
            arguments=tuple(self._arguments(name, title, path, listed, has_body=body is not None)),
            body=body,
            results={status: payloads[status] for status in successes},
            errors={status: each for status, each in payloads.items() if status not in successes},
            stream=self._stream(name, title, responses[successes[0]][-1]) if successes else None,
            security=tuple(tuple(each) for each in security),
            idempotency=keys[0] if keys else "",
            echoes=self._table.place_of_version == "header"
            and all(
                header in {key.lower() for key in responses[status][-1].get("headers", {})}
                for status in successes
            ),
            ignores_version=not set(self._table.ignoring_tags).isdisjoint(node.get("tags", ())),
            servers=self._read_servers(path, method),
            only=where if len(where) < len(self._environments) else (),
        )

    def _find_environments(self, path: str, method: str) -> tuple[str, ...]:
        return tuple(
            name
            for name, document in self._environments.items()
            if method in dict(operations(resolve(document, document.get("paths", {}).get(path))))
        )

    def _read_servers(self, path: str, method: str) -> dict[str, str]:
        by_name: dict[str, str] = {}
        for name, document in self._environments.items():
            item = resolve(document, document.get("paths", {}).get(path))
            node = dict(operations(item)).get(method, {})
            own = find_own_address(document, item, node)
            if own is not None:
                by_name[name] = own
        return by_name

    def _arguments(
        self,
        id: str,
        title: str,
        path: str,
        listed: Mapping[tuple[str, str], Sites],
        *,
        has_body: bool,
    ) -> Iterator[Argument]:
        wanted = [
            (place, name, found)
            for place in PLACES
            for (where, name), found in listed.items()
            if where == place
            and (place, name.lower()) not in self._unwritten
            and not (place == "header" and name.lower() in _IDEMPOTENCY)
        ]
        # positional arguments are in the order of the path
        wanted.sort(
            key=lambda each: path.find(f"{{{each[1]}}}") if each[0] == "path" else len(path)
        )
        # `idempotency_key` may be added to an operation later: no parameter takes its place
        taken = {"self", "idempotency_key", *(["body"] if has_body else [])}
        for place, name, found in wanted:
            keyword, part = name_argument(name), argument_name(name)
            if keyword in taken:
                # the other one may have the same name in another place, and another type
                keyword, part = f"{keyword}_{place}", f"{part}_{place}"
            while keyword in taken:
                keyword += "_"
            taken.add(keyword)
            node = found[-1]
            schema = value_schema(node, {})
            yield Argument(
                keyword=keyword,
                name=name,
                place=place,
                style=_find_style(node),
                explode=node.get("explode"),
                allow_reserved=node.get("allowReserved") is True,
                required=place == "path" or node.get("required") is True,
                description=node.get("description", ""),
                limits=", ".join(describe_limits(merge_keywords(self._parts.parts_of(schema)))),
                deprecated=node.get("deprecated") is True,
                inline=place_inline(
                    ("components.parameters", find_component(found), "Parameter"),
                    (f"{id}, parameter {name}", title, pascal(part)),
                    self._sent.of(schema),
                    sent=True,
                ),
            )

    def _body(self, id: str, title: str, node: Any) -> CalledBody | None:
        found = chain(self._document, node)
        content = name_range(self._parts, found[-1].get("content") or {}) if found else None
        if not content:
            return None
        media_type = preferred_media_type(content)
        if not is_json(media_type):
            media_type = next(filter(is_form, content), media_type)
        required = found[-1].get("required") is True
        if not is_json(media_type) and not is_form(media_type):
            return CalledBody(media_type=media_type, inline=None, required=required)
        schema = content[media_type].get("schema", {})
        shared = ("components.requestBodies", find_component(found), "Body")
        own = (f"{id}, request", title, "Body")
        parts: Mapping[str, FormPart] = {}
        if is_form(media_type):
            encoding = content[media_type].get("encoding") or {}
            parts = self._forms.list_parts(media_type, schema, encoding)
            marked = (
                self._forms.mark_files(schema, encoding) if is_multipart(media_type) else schema
            )
            if marked is not schema:
                own = (own[0], title, "Form")
                if not encoding and [*schema] == ["$ref"] and shared[1] is None:
                    component = find_component(chain(self._document, schema))
                    shared = ("components.schemas", component, "Form")
            schema = marked
        inline = place_inline(shared, own, self._sent.of(schema), sent=True)
        return CalledBody(media_type=media_type, inline=inline, required=required, parts=parts)

    def _response(
        self,
        id: str,
        title: str,
        status: str,
        successes: Sequence[str],
        found: Sites,
    ) -> CalledBody | None:
        content = self._read_content(found[-1])
        if not content or status in BODILESS:
            return None
        media_type = preferred_media_type(content)
        if not is_json(media_type):
            return CalledBody(media_type=media_type, inline=None)
        usual = status == next(iter(successes), None)
        inline = place_inline(
            ("components.responses", find_component(found), "Response"),
            (f"{id}, {status}", title, "Response" if usual else f"Response{pascal(status)}"),
            self._received.of(content[media_type].get("schema", {})),
            sent=False,
        )
        return CalledBody(media_type=media_type, inline=inline)

    def _read_content(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return the media types of a response; `*/*` may be anything that is not JSON."""
        return name_range(self._parts, node.get("content") or {}, only_json=True)

    def _stream(self, id: str, title: str, response: dict[str, Any]) -> StreamedBody | None:
        """Return the body of *response* that is read while it arrives, if there may be one."""
        content = self._read_content(response)
        for media_type, media in content.items():
            kind = find_framing(media_type)
            if kind is None:
                continue
            inline = None
            if kind != "events" and not media.keys().isdisjoint(("itemSchema", "schema")):
                own = (f"{id}, item", title, "Item")
                item = self._received.of(item_schema(self._parts.resolver, media))
                inline = place_inline(("", None, ""), own, item, sent=False)
            only = all(map(is_sequential, content))
            return StreamedBody(kind=kind, media_type=media_type, inline=inline, is_only=only)
        preferred = preferred_media_type(content) if content else "text/plain"
        if is_json(preferred) or preferred.lower().startswith("text/"):
            return None
        return StreamedBody(kind="bytes", media_type=preferred, inline=None, is_only=False)
