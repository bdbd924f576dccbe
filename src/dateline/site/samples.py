"""Samples of requests and responses: those of the API's authors, or else made from schemas."""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

from dateline.model import Table
from dateline.openapi import (
    QUERYSTRING,
    essence,
    is_json,
    pointer,
    resolve,
    security_schemes,
    value_schema,
)
from dateline.python.forms import FormReader
from dateline.sample import Sampler, UnsatisfiedError
from dateline.sample.document import UnreadableError
from dateline.sample.notations import write_parameter, write_query
from dateline.schema.access import READ_ONLY, WRITE_ONLY, AccessUse, Hidden, OneWay
from dateline.schema.references import Resolver
from dateline.schema.types import declared_types
from dateline.site.pairs import URL_ENCODED, write_pairs

_ROOM: Final = 12.0
"""About how many objects and lists a sample has: enough to show what there is."""

_ANYWHERE: Final = "https://api.example.com"

_CREDENTIALS: Final = {"bearer": "Bearer YOUR_TOKEN", "basic": "Basic YOUR_CREDENTIALS"}


@dataclass(frozen=True, kw_only=True)
class Request:
    """A valid request of a version: its head, and its body as text, if any."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: str | None

    @property
    def curl(self) -> str:
        """The command that sends it."""
        words = [f"curl {shlex.quote(self.url)}"]
        if self.method != "GET" or self.body is not None:
            words[0] = f"curl -X {self.method} {shlex.quote(self.url)}"
        words += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in self.headers]
        if self.body is not None:
            is_form = essence(dict(self.headers).get("Content-Type", "")) == URL_ENCODED
            # curl joins what it is given several times
            parts = self.body.split("&") if is_form else [self.body]
            words += [f"--data {shlex.quote(each)}" for each in parts]
        return " \\\n  ".join(words)

    @property
    def http(self) -> str:
        """The message as HTTP/1.1 writes it (RFC 9112)."""
        host, _, path = self.url.partition("://")[2].partition("/")
        lines = [f"{self.method} /{path} HTTP/1.1", f"Host: {host}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        return "\n".join(lines) + ("" if self.body is None else f"\n\n{self.body}")

    def typescript(self, answer: Sequence[str]) -> str:
        """Return a function that sends it; *answer* are the keys of its response in those types."""
        headers = dict(self.headers)
        fields = [f"method: {json.dumps(self.method)}", f"headers: {json.dumps(headers, indent=2)}"]
        if self.body is not None:
            is_value = is_json(headers.get("Content-Type", ""))
            text = json.dumps(json.loads(self.body) if is_value else self.body, indent=2)
            fields.append(f"body: JSON.stringify({text})" if is_value else f"body: {text}")
        options = textwrap.indent(",\n".join(fields) + ",", " " * 4)
        keys = "".join(f"[{json.dumps(key)}]" for key in answer)
        return (
            'import type { paths } from "./api.js";\n\n'
            f"type Answer = paths{keys};\n\n"
            "export async function call(): Promise<Answer> {\n"
            f"  const response = await fetch({json.dumps(self.url)}, {{\n{options}\n  }});\n"
            "  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);\n"
            "  return (await response.json()) as Answer;\n"
            "}"
        )


def write_types_command(address: str, version: str) -> str:
    """Return the command that generates the types of *version* in TypeScript.

    *address* is that of the documents; without one, the document is a file in the folder.
    """
    document = address.replace("{version}", version) or f"{version}.json"
    return f"npx openapi-typescript {shlex.quote(document)} -o api.d.ts"


class Known(Protocol):
    """Returns the sample of a component if there is one."""

    def __call__(self, name: str, *, sent: bool) -> str | None: ...


def _write(value: Any) -> str:
    # samples are a third of a site, and their indentation is a tenth of that: a tab is one byte
    return json.dumps(value, indent="\t", ensure_ascii=False)


class Samples:
    """Samples for the operations of one version; *document* is the published one.

    *known* returns the sample of a component from another version, or None.
    """

    def __init__(self, document: dict[str, Any], table: Table, version: str, known: Known) -> None:
        self._document = document
        self._known = known
        self._components: dict[tuple[str, bool], str] = {}
        self._parameters: dict[tuple[str, int], tuple[Any, Any]] = {}
        self._table = table
        self._version = version
        self._resolver = Resolver(document)

    def body(self, media_type: str, media: Mapping[str, Any], name: str, *, sent: bool) -> str:
        """Return a body of *media_type* as text; empty if none can be made.

        *name* selects which one is made; *sent* is whether callers send it.
        """
        written = self._find_example(media)
        if written is not None:
            is_text = isinstance(written[0], str) and not is_json(media_type)
            return str(written[0]) if is_text else _write(written[0])
        schema = media.get("schema")
        if schema is not None and essence(media_type) == URL_ENCODED:
            return self._write_form(schema, media)
        if schema is None or not is_json(media_type):
            return ""
        called = self._resolver.schema_name(schema)
        if called is not None:
            return self.component(called, sent=sent)
        items = schema.get("items") if isinstance(schema, dict) else None
        if (called := self._resolver.schema_name(items)) and "minItems" not in schema:
            return _write([json.loads(self.component(called, sent=sent) or "null")])
        return self._sample(schema, name, sent=sent)

    def _write_form(self, schema: Any, media: Mapping[str, Any]) -> str:
        value = self.parameter({"name": "body", "schema": schema})
        parts = self._forms.list_parts(URL_ENCODED, schema, media.get("encoding", {}))
        return "&".join(write_pairs(value, parts)) if isinstance(value, dict) else ""

    @cached_property
    def _forms(self) -> FormReader:
        return FormReader(self._document)

    def component(self, name: str, *, sent: bool) -> str:
        """Return a value of the component *name* as text; empty if none can be made."""
        schema = {"$ref": "#" + pointer(("components", "schemas", name))}
        # if both would be equal, one object is used
        sent = sent and self._has_own_request(schema)
        key = name, sent
        if key not in self._components:
            known = self._known(name, sent=sent)
            self._components[key] = (
                self._sample(schema, name, sent=sent) if known is None else known
            )
        return self._components[key]

    def _sample(self, schema: Any, name: str, *, sent: bool) -> str:
        sampler = self._sampler(schema, sent=sent)
        try:
            return _write(sampler.value(schema, name, _ROOM))
        except UnsatisfiedError:
            return ""

    def request(
        self,
        method: str,
        path: str,
        operation: Mapping[str, Any],
        body: tuple[str, str] | None,
        address: str,
    ) -> Request:
        """Return a request to *address*; *body* is its media type and its text.

        It may be pasted into a terminal, so JSON in it is indented with spaces.
        """
        query: list[str] = []
        headers: list[tuple[str, str]] = []
        cookies: list[tuple[str, str]] = []
        chosen = self._table.place_of_version, self._table.header
        for parameter in operation["parameters"]:
            place, name = parameter.get("in"), str(parameter.get("name"))
            if place != "path" and (not parameter.get("required") or (place, name) == chosen):
                continue
            value = self.parameter(parameter)
            if place in ("query", QUERYSTRING):
                query += write_query(parameter, value)
                continue
            written = write_parameter(parameter, value)
            if place == "path":
                path = path.replace(f"{{{name}}}", written[0][1])
            elif place == "header":
                headers += written
            elif place == "cookie":
                cookies += written
        headers = [
            *self._choose_version(query),
            *self._credentials(operation, query, cookies),
            *headers,
        ]
        if cookies:
            headers.append(("Cookie", "; ".join(map("=".join, cookies))))
        if body is not None:
            headers.append(("Content-Type", body[0]))
        base = address if "://" in address else _ANYWHERE + address
        url = base + path
        if query:
            # the path of an operation may have a query
            url += f"{'&' if '?' in path else '?'}{'&'.join(query)}"
        return Request(
            method=method,
            url=url,
            headers=tuple(dict(headers).items()),
            body=body and (body[1].expandtabs(2) if is_json(body[0]) else body[1]),
        )

    def _choose_version(self, query: list[str]) -> Iterator[tuple[str, str]]:
        """Yield the header that names the version; a parameter is added to *query*."""
        place = self._table.place_of_version
        if place == "header":
            yield self._table.header, self._version
        elif place == "query":
            query += write_query({"name": self._table.header, "in": "query"}, self._version)
        elif place == "media-type":
            yield "Accept", f"application/json; {self._table.header}={self._version}"

    def _credentials(
        self,
        operation: Mapping[str, Any],
        query: list[str],
        cookies: list[tuple[str, str]],
    ) -> Iterator[tuple[str, str]]:
        """Yield the headers of the first way to authenticate.

        Parameters are added to *query*, and cookies to *cookies*.
        """
        ways = operation.get("security", self._document.get("security")) or [{}]
        schemes = security_schemes(self._document)
        for name in ways[0]:
            scheme = schemes.get(name, {})
            if scheme.get("type") == "apiKey" and scheme.get("in") == "header":
                yield str(scheme.get("name")), "YOUR_KEY"
            elif scheme.get("type") == "apiKey" and scheme.get("in") == "query":
                query += write_query({"name": scheme.get("name"), "in": "query"}, "YOUR_KEY")
            elif scheme.get("type") == "apiKey":
                cookies.append((str(scheme.get("name")), "YOUR_KEY"))
            elif scheme.get("type") != "mutualTLS":
                kind = str(scheme.get("scheme", "bearer")).lower()
                yield "Authorization", _CREDENTIALS.get(kind, f"{kind.title()} YOUR_TOKEN")

    def parameter(self, parameter: Mapping[str, Any]) -> Any:
        """Return a value of *parameter* other than null, preferably that of its authors."""
        media: Mapping[str, Any] = next(iter(parameter.get("content", {}).values()), {})
        written = self._find_example({**media, **parameter})
        if written is None or written[0] is None:
            return self._make_parameter(parameter)
        return written[0]

    def argument(self, parameter: Mapping[str, Any]) -> Any:
        """Return a value of *parameter* for programs: that of its authors only if it is valid."""
        value, made = self.parameter(parameter), self._make_parameter(parameter)
        if value is made:
            return made
        try:
            is_valid = self._responses.fits(value_schema(dict(parameter), {}), value)
        except UnreadableError:
            is_valid = False
        return value if is_valid else made

    def _make_parameter(self, parameter: Mapping[str, Any]) -> Any:
        name, schema = str(parameter.get("name")), value_schema(dict(parameter), {})
        # each with its schema: an id is unique only while its object lives
        key = name, id(schema)
        if key not in self._parameters:
            try:
                # only objects have properties that requests lack
                goal = resolve(self._document, schema)
                sent = not declared_types(goal).isdisjoint({"object", "array"})
                value = self._sampler(schema, sent=sent).value(schema, name, 1.0)
            except UnsatisfiedError:
                value = None
            # null has no text
            value = name.upper() if value is None else value
            self._parameters[key] = schema, value
        return self._parameters[key][1]

    def _find_example(self, node: Mapping[str, Any]) -> tuple[Any] | None:
        """Return the first example of the API's authors, or None."""
        if "example" in node:
            return (node["example"],)
        for each in node.get("examples", {}).values():
            example = resolve(self._document, each)
            if "value" in example:
                return (example["value"],)
        return None

    def _sampler(self, schema: Any, *, sent: bool) -> Sampler:
        return self._requests if sent and self._has_own_request(schema) else self._responses

    def _has_own_request(self, schema: Any) -> bool:
        """Return whether *schema* may be different for requests and responses."""
        return any(each.may_concern(schema) for each in self._ways)

    @cached_property
    def _ways(self) -> tuple[OneWay, OneWay]:
        """The document as it applies to requests and to responses."""
        use = AccessUse()
        return (
            OneWay(self._document, READ_ONLY, Hidden.ABSENT, use),
            OneWay(self._document, WRITE_ONLY, Hidden.ABSENT, use),
        )

    @cached_property
    def _requests(self) -> Sampler:
        return Sampler(self._ways[0].document(self._document))

    @cached_property
    def _responses(self) -> Sampler:
        return Sampler(self._ways[1].document(self._document))
