"""Refuse third-party documents whose schemas are in an unsupported dialect.

Schemas are read as JSON Schema 2020-12, whatever dialect `$schema` or `jsonSchemaDialect` names.
For the earlier drafts that is correct unless they use keywords that mean something else there, or
nothing.

Sources: JSON Schema 2020-12, core, section 8.1.1 (`$schema`); OpenAPI Specification 3.1.1, section
4.8.24.5 (`jsonSchemaDialect`); release notes of the drafts at https://json-schema.org/draft.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from dateline.model import Trail
from dateline.openapi import children, is_old, walk
from dateline.schema.dialect import NOTES

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_OPENAPI: Final = re.compile(r"https://spec\.openapis\.org/oas/3\.[12]/dialect/[\w-]+")

# The keywords that 2020-12 interprets differently from each earlier draft.
_OF_2019: Final = frozenset(
    {
        *("additionalItems", "$recursiveRef", "$recursiveAnchor", "prefixItems"),
        *("$dynamicRef", "$dynamicAnchor"),
    }
)
_OF_7: Final = _OF_2019 | {
    *("dependencies", "dependentRequired", "dependentSchemas", "minContains", "maxContains"),
    *("unevaluatedItems", "unevaluatedProperties", "$anchor", "contentSchema"),
}
_OF_6: Final = _OF_7 | {"if", "then", "else", "contentEncoding", "contentMediaType"}
_OF_4: Final = _OF_6 | {"const", "contains", "propertyNames", "id"}
_DRAFTS: Final = {
    "draft/2019-09": _OF_2019,
    "draft-07": _OF_7,
    "draft-06": _OF_6,
    "draft-04": _OF_4,
}
_DRAFT: Final = re.compile(r"https?://json-schema\.org/(draft(?:/\d{4}-\d\d|-\d\d))/schema#?")
_KEYWORDS: Final = (b"$schema", b"jsonSchemaDialect")
# An ASCII character as an escape, which may hide one of the keywords.
_ESCAPED: Final = re.compile(rb"\\(?:u00|U000000|x)[2-7]")

_IN_REFERENCES: Final = NOTES | {"$ref", "$schema", "$id", "$defs", "definitions", "deprecated"}
"""Keywords allowed beside a reference, which hides all others up to draft 7."""


def is_read(dialect: Any) -> bool:
    """Return whether schemas of *dialect* are read correctly, whatever they contain."""
    return isinstance(dialect, str) and (
        dialect.removesuffix("#") == DIALECT or _OPENAPI.fullmatch(dialect) is not None
    )


def may_have_dialects(data: bytes) -> bool:
    """Return whether the document written as *data* may name a dialect."""
    return any(key in data for key in _KEYWORDS) or _ESCAPED.search(data) is not None


def find_foreign_dialects(document: dict[str, Any]) -> Iterator[tuple[Trail, str]]:
    """Yield each place where *document* names a dialect that can't be read, and why."""
    if is_old(document):
        return  # OpenAPI 3.0 has no such keywords
    for path, kind, node in walk("document", document):
        key = {"document": "jsonSchemaDialect", "schema": "$schema"}.get(kind)
        if key is None or not isinstance(node, dict) or key not in node or is_read(node[key]):
            continue
        named = node[key]
        found = _DRAFT.fullmatch(named) if isinstance(named, str) else None
        if found is None or found[1] not in _DRAFTS:
            message = f"schemas are read as {DIALECT}, not as {named!a}; leave `{key}` out"
            yield (*path, key), message
            continue
        draft = found[1]
        for below, keyword in _find_otherwise(kind, node, draft):
            message = (
                f"`{keyword}` is read as in {DIALECT}, and {draft} has another meaning for it, or "
                f"none; write it with keywords of 2020-12, and leave `{key}` out"
            )
            yield (*path, *below), message


def _find_otherwise(kind: str, node: dict[str, Any], draft: str) -> Iterator[tuple[Trail, str]]:
    """Yield each keyword of the schemas in *node*, of *draft*, with another meaning in 2020-12."""
    pending: list[tuple[Trail, str, Any, bool]] = [((), kind, node, True)]
    while pending:
        path, kind, node, is_root = pending.pop()
        if not isinstance(node, dict) or (kind == "schema" and "$schema" in node and not is_root):
            continue  # a dialect of its own
        if kind == "schema":
            yield from (((*path, key), key) for key in node if _is_otherwise(node, key, draft))
        pending += [
            ((*path, *below), each, child, False) for below, each, child in children(kind, node)
        ]


def _is_otherwise(node: dict[str, Any], key: str, draft: str) -> bool:
    if key == "items":
        return isinstance(node[key], list)
    if key in ("exclusiveMinimum", "exclusiveMaximum"):
        return isinstance(node[key], bool) or draft == "draft-04"
    if key == "$id":
        return draft == "draft-04" or (draft != "draft/2019-09" and "#" in str(node[key])[:-1])
    if key == "$ref":
        return draft != "draft/2019-09" and any(
            other not in _IN_REFERENCES and not other.startswith("x-") for other in node
        )
    return key in _DRAFTS[draft]
