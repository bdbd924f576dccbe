"""Check the keys of objects against the version of OpenAPI and what models support."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dateline.bundle.dialects import DIALECT, is_read
from dateline.load.checks.scope import Scope, Site, Violation, on
from dateline.openapi import OBJECTS, PUBLISHED_VERSIONS
from dateline.wording import quote

_VERSION: Final = re.compile(r"3\.[012]\.(0|[1-9][0-9]*)")

# Keywords of JSON Schema that generated models can't enforce.
_UNSUPPORTED: Final = (
    *("prefixItems", "not", "if", "then", "else", "patternProperties", "unevaluatedProperties"),
    *("unevaluatedItems", "dependentRequired", "dependentSchemas", "contains", "minContains"),
    *("maxContains", "propertyNames", "contentSchema", "$defs", "definitions"),
)
# Keywords that refer to schemas, or name them, by something else than their place.
_NAMING: Final = ("$anchor", "$dynamicAnchor", "$dynamicRef")
# Keywords that give a schema another address or another meaning.
_FORBIDDEN: Final = (*_NAMING, "$id", "$schema", "$vocabulary")

# Titles, versions and names must be one line; all other texts may have several.
_ONE_LINE: Final[dict[str, tuple[str, ...]]] = {
    "info": ("title", "version", "termsOfService"),
    "contact": ("name", "url", "email"),
    "license": ("name", "identifier", "url"),
    "tag": ("name", "parent", "kind"),
    "external-docs": ("url",),
}

_ADDRESSES: Final[dict[str, tuple[str, ...]]] = {
    "info": ("termsOfService",),
    "contact": ("url",),
    "license": ("url",),
    "external-docs": ("url",),
    "security-scheme": ("openIdConnectUrl", "oauth2MetadataUrl"),
    "oauth-flow": ("authorizationUrl", "deviceAuthorizationUrl", "tokenUrl", "refreshUrl"),
}
# RFC 3986 section 3.1: a scheme, or none
_SCHEME: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")

_COUNTS: Final = (
    *("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"),
)


# What 3.0 lacks, except for keywords that are not allowed in any definitions.
_MODERN: Final = {
    kind: tuple(
        key
        for key, known in keys.items()
        if known.since == "3.1" and key not in (*_UNSUPPORTED, *_FORBIDDEN)
    )
    for kind, keys in OBJECTS.items()
}


def _list_places(table: dict[str, tuple[str, ...]]) -> Iterator[str]:
    return (f"{kind}.{key}" for kind, keys in table.items() for key in keys)


@on("document.openapi", finds=("openapi-version",))
def openapi_version(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    version = site.node[key]
    if (_VERSION if scope.authored else PUBLISHED_VERSIONS).fullmatch(version) is None:
        message = f"{quote(version)} is not OpenAPI 3.0, 3.1 or 3.2; write 3.1.0"
        yield Violation(site.at(key), "openapi-version", message, value=True)


@on("document", finds=("missing-key",))
def something_to_serve(scope: Scope, site: Site, _: str) -> Iterator[Violation]:
    if not scope.authored and not site.node.keys() & {"paths", "components", "webhooks"}:
        message = "the document needs `paths`, `components` or `webhooks`; write one of them"
        yield Violation(site.trail, "missing-key", message)


@on("document.jsonSchemaDialect", finds=("unsupported-dialect",))
def dialect(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    if not is_read(site.node[key]):
        message = (
            f"schemas are read as {DIALECT}, not as {quote(site.node[key])}; leave this key out"
        )
        yield Violation(site.at(key), "unsupported-dialect", message, value=True)


@on(*_list_places(_MODERN), finds=("key-of-another-openapi",))
def newer_key(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    if not scope.modern:
        message = f"`{key}` is new in OpenAPI 3.1; write `openapi: 3.1.0`, or leave it out"
        yield Violation(site.at(key), "key-of-another-openapi", message)


@on("schema.nullable", finds=("key-of-another-openapi",))
def nullable(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    # beside a reference, being there is the problem
    if scope.modern and "$ref" not in site.node:
        message = "OpenAPI 3.1 has no `nullable`; add 'null' to `type`"
        yield Violation(site.at(key), "key-of-another-openapi", message)


@on("schema.exclusiveMinimum", "schema.exclusiveMaximum", finds=("key-of-another-openapi",))
def exclusive_bound(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    value = site.node[key]
    bound = "minimum" if key == "exclusiveMinimum" else "maximum"
    if scope.modern and isinstance(value, bool):
        message = f"`{key}: {quote(value)}` exists only in OpenAPI 3.0; write the bound here itself"
    elif not scope.modern and not isinstance(value, bool):
        message = f"a number is new in OpenAPI 3.1; write `{bound}` and beside it `{key}: true`"
    else:
        return
    yield Violation(site.at(key), "key-of-another-openapi", message, value=True)


@on(*(f"schema.{key}" for key in _UNSUPPORTED), finds=("unsupported-keyword",))
def supported_keywords(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    message = f"`{key}` can't be enforced by generated code; use other keywords"
    yield Violation(site.at(key), "unsupported-keyword", message)


@on(*(f"schema.{key}" for key in _FORBIDDEN), finds=("forbidden-keyword",))
def keywords_that_identify(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    if key in _NAMING and not scope.authored:
        return
    message = f"`{key}` is not supported; schemas are identified by their place, leave it out"
    yield Violation(site.at(key), "forbidden-keyword", message)


@on(*_list_places(_ONE_LINE), finds=("several-lines", "blank-text"))
def one_line(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    text = site.node[key]
    if not text.strip():
        yield Violation(site.at(key), "blank-text", "the text is blank; write one line", value=True)
    elif text.splitlines() != [text]:
        message = f"{quote(text)} has several lines; write one"
        yield Violation(site.at(key), "several-lines", message, value=True)


@on(*_list_places(_ADDRESSES), finds=("address",))
def address(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    scheme = _SCHEME.match(site.node[key])
    if scheme is not None and scheme[1].lower() not in ("http", "https", "mailto"):
        message = f"{quote(site.node[key])} is not a web address; begin it with https://"
        yield Violation(site.at(key), "address", message, value=True)


@on(*(f"schema.{key}" for key in _COUNTS), finds=("wrong-type",))
def count(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    if site.node[key] < 0:
        message = f"{quote(site.node[key])} where a whole number from 0 belongs"
        yield Violation(site.at(key), "wrong-type", message, value=True)
