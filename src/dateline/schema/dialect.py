"""The dialects of schemas: OpenAPI 3.0 read as JSON Schema 2020-12.

Sources: OpenAPI Specification 3.0.4 sections 4.7.23 (Reference Object) and 4.7.24 (Schema Object).

`nullable: true` and a null listed in `enum` allow null whatever is beside them. This is what
authors mean and providers send; read literally, section 4.7.24 requires a `type` in the same Schema
Object, a null in `enum`, null in every member of `allOf`, and in exactly one member of `oneOf`.
`departs_from_letter` returns whether the two differ.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from dateline.model import Trail, copy_items
from dateline.openapi import ConvertedDocument, find_replaced, walk
from dateline.openapi import is_old as is_old
from dateline.schema.memo import Memo, each_once
from dateline.schema.references import Resolver
from dateline.schema.values import list_items

OR_NULL: Final = "$null"
"""A keyword that only schemas read from OpenAPI 3.0 have: null is valid, whatever else they say.

Its value is the name of the keyword that allows null in the source.
"""

NOTES: Final = frozenset(
    {"title", "description", "$comment", "example", "examples", "externalDocs", "summary"}
)
"""Keywords that only document a schema."""

_BESIDE: Final = NOTES | {"$ref", OR_NULL}
"""The keys that count beside a reference, which hides all others (section 4.7.23)."""

_EXCLUSIVE: Final = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))

_APPLIED: Final = frozenset({"$ref", "allOf", "oneOf", "not", "const", "if", "$dynamicRef"})
"""Keywords that refuse null and can't be extended by it."""

_REFUSING: Final = _APPLIED | {"type", "enum", "anyOf"}

_ANNOTATIONS: Final = NOTES | {"default", "deprecated", "readOnly", "writeOnly"}

_READ_OTHERWISE: Final = frozenset(
    {"nullable", "enum", "$ref", "exclusiveMinimum", "exclusiveMaximum"}
)
"""Keywords without which a schema alone means the same in 3.0 and in 2020-12."""

_READ_WITH_MEMBERS: Final = _READ_OTHERWISE | {"oneOf"}
"""The same for a schema with its members."""

UNIONS: Final = ("oneOf", "anyOf")
"""The keywords of unions."""

# How deep references are followed in search of null: a longer chain is a circle.
_FAR: Final = 20

Schema = dict[str, Any]


def find_version(document: dict[str, Any]) -> str:
    """Return the version of the specification that *document* declares."""
    written = document.written if isinstance(document, ConvertedDocument) else ""
    return written or str(document.get("openapi", ""))


def read_keywords(schema: Schema) -> Schema:
    """Return the keywords of *schema*, written in OpenAPI 3.0, with their meaning in 2020-12.

    Pointers stay valid: only exclusive bounds move, and null is marked by `OR_NULL`. Schemas below
    are not read. A schema that means the same in both is returned unchanged.
    """
    if _READ_OTHERWISE.isdisjoint(schema):
        return schema
    null = _null_keyword(schema)
    result = schema
    if "$ref" in schema:
        if len(schema) == 1:
            return schema
        kept = [key for key in schema if key in _BESIDE or key.startswith("x-")]
        if len(kept) < len(schema):
            result = copy_items(schema, [(key, schema[key]) for key in kept])
    else:
        for bound, flag in _EXCLUSIVE:
            if isinstance(result.get(flag), bool):
                result = _with_bound(result, bound, flag)
        if isinstance(result.get("nullable"), bool):
            result = copy_items(result, [item for item in result.items() if item[0] != "nullable"])
    if null and not _REFUSING.isdisjoint(result):
        result = (
            copy_items(result, [*result.items(), (OR_NULL, null)])
            if OR_NULL not in result
            else result
        )
    return result


def _null_keyword(schema: Schema) -> str:
    """Return the keyword of *schema* that allows null; empty if there is none."""
    if schema.get("nullable") is True:
        return "nullable"
    listed = schema.get("enum")
    # without anything beside it, an enumeration itself lists null
    is_said = isinstance(listed, list) and None in listed and len(_REFUSING & schema.keys()) > 1
    return "enum" if is_said and "$ref" not in schema else ""


def _with_bound(schema: Schema, bound: str, flag: str) -> Schema:
    """Return *schema* with the bound that its boolean *flag* makes exclusive, or not."""
    if schema[flag] and bound in schema:
        items = [(flag if key == bound else key, schema[key]) for key in schema if key != flag]
    else:
        items = [(key, value) for key, value in schema.items() if key != flag]
    return copy_items(schema, items)


def fold_null(schema: Schema) -> Schema:
    """Return *schema*, the result of `read_keywords`, in keywords of JSON Schema only."""
    if OR_NULL not in schema:
        return schema
    items = [(key, value) for key, value in schema.items() if key != OR_NULL]
    if _APPLIED.isdisjoint(schema):
        return copy_items(schema, [(key, _with_null(key, value)) for key, value in items])
    # annotations describe a value whether it is null or not
    within = {key: value for key, value in items if not is_annotation(key)}
    outside = [(key, value) for key, value in items if is_annotation(key)]
    return copy_items(schema, [*outside, ("anyOf", [within, {"type": "null"}])])


def is_annotation(keyword: str) -> bool:
    """Return whether *keyword* makes no value valid or invalid."""
    return keyword in _ANNOTATIONS or keyword.startswith("x-")


def _with_null(key: str, value: Any) -> Any:
    null = {"type": "null", "enum": None, "anyOf": {"type": "null"}}
    listed = [value] if key == "type" and isinstance(value, str) else value
    if key not in null or not isinstance(listed, list) or null[key] in listed:
        return value
    return [*listed, null[key]]


def unite_spellings(schema: Schema) -> Schema:
    """Return *schema* of OpenAPI 3.1 with the spellings of 3.0 for what the two write differently.

    Source: OpenAPI Specification 3.1.1 sections 4.8.14.2 and 4.8.24.1, on binary data and on
    examples.
    """
    result = dict(schema)
    examples = schema.get("examples")
    if isinstance(examples, list) and len(examples) == 1 and "example" not in schema:
        result["example"] = result.pop("examples")[0]
    if schema.get("contentEncoding") == "base64" and "format" not in schema:
        del result["contentEncoding"]
        result["format"] = "byte"
    elif (
        schema.get("contentMediaType") == "application/octet-stream"
        and schema.get("type") == "string"
        and schema.keys().isdisjoint({"contentEncoding", "format"})
    ):
        del result["contentMediaType"]
        result |= {"type": "string", "format": "binary"}
    return schema if result == schema else copy_items(schema, list(result.items()))


def _all_keywords(schema: Schema, resolver: Resolver) -> Schema:
    """Return *schema* as `read_keywords` does, with unions marked whose members allow null."""
    result = read_keywords(schema)
    if OR_NULL not in result and _is_null_union(schema, resolver):
        result = copy_items(result, [*result.items(), (OR_NULL, "oneOf")])
    return result


def _admits_null(
    schema: Any, resolver: Resolver, read: Callable[[Schema], Schema], depth: int
) -> bool:
    """Return whether null may be valid for *schema*, as `Dialect.admits_null` does.

    *read* returns a schema with its keywords read; references are followed *depth* deep.
    """
    if not isinstance(schema, dict):
        return schema is True
    schema = read(schema)
    if OR_NULL in schema:
        return True
    types = schema.get("type", "null")
    values = schema["enum"] if isinstance(schema.get("enum"), list) else [None]
    if "null" not in types or None not in values or schema.get("const") is not None:
        return False
    if not depth:
        return False

    def admits(member: Any) -> bool:
        return _admits_null(member, resolver, read, depth - 1)

    if not all(admits(goal.value) for goal in resolver.list_referred(schema)):
        return False
    if isinstance(schema.get("$ref"), str) and resolver.locate(schema["$ref"]) is None:
        return False
    if not all(map(admits, list_items(schema, "allOf"))):
        return False
    unions = [list_items(schema, keyword) for keyword in UNIONS]
    return all(not members or any(map(admits, members)) for members in unions)


def _is_null_union(schema: Schema, resolver: Resolver) -> bool:
    """Return whether *schema*, of OpenAPI 3.0, is a `oneOf` of which several members allow null.

    Then null is valid, though it is valid for more than one member, if one of them says so: a
    member without `type` is not meant to allow null.
    """
    members = list_items(schema, "oneOf")
    if len(members) < 2 or _REFUSING & schema.keys() != {"oneOf"}:
        return False
    admitting = [one for one in members if _admits_null(one, resolver, read_keywords, _FAR)]
    return len(admitting) > 1 and _names_null(admitting, resolver)


def _names_null(members: list[Any], resolver: Resolver) -> bool:
    """Return whether a keyword allows null in one of *members*, or in a part or member of it."""

    def list_below(schema: Schema) -> list[Any]:
        keywords = read_keywords(schema)
        goals = [goal.value for goal in resolver.list_referred(keywords)]
        return goals + [each for key in ("allOf", *UNIONS) for each in list_items(keywords, key)]

    read = map(read_keywords, each_once(members, list_below))
    return any(OR_NULL in each or None in list_items(each, "enum") for each in read)


def departs_from_letter(schema: Schema, resolver: Resolver) -> bool:
    """Return whether OpenAPI 3.0.4, read literally, may refuse a null that *schema* allows."""
    null = _null_keyword(schema)
    if _is_null_union(schema, resolver):
        return True
    if not null or _REFUSING.isdisjoint(schema):
        return False
    is_typed = "type" not in schema or null == "nullable"
    is_listed = None in schema.get("enum", [None])
    return not (is_typed and is_listed and (_REFUSING & schema.keys()) <= {"type", "enum"})


BEYOND_LETTER: Final = (
    "null fits where OpenAPI 3.0.4 (section 4.7.24) may refuse it if read literally: `nullable` "
    "and a null in `enum` count whatever is beside them"
)


def departures(document: dict[str, Any]) -> list[Trail]:
    """Return the paths of the schemas of *document* for which `departs_from_letter` is true."""
    if not is_old(document):
        return []
    resolver = Resolver(document)
    return [
        path
        for path, kind, node in walk("document", document)
        if kind == "schema" and departs_from_letter(node, resolver)
    ]


class Dialect:
    """The dialect of the schemas of one document, and their meaning in JSON Schema 2020-12.

    Objects shared in the source are shared in the result, and each object is read once.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.is_old = is_old(document)
        self.resolver = Resolver(document)
        all_keywords = partial(_all_keywords, resolver=self.resolver)
        self._keywords = Memo(all_keywords)
        self._compared = _Translator(unite_spellings)
        self._read = _Translator(read_keywords)
        self._modernized = _Translator(all_keywords, fold_null)

    def keywords(self, schema: Schema) -> Schema:
        """Return *schema*, not those below, with its keywords read and null marked by `OR_NULL`."""
        # most schemas mean the same in both, which is found out faster than it is looked up
        if not self.is_old or _READ_WITH_MEMBERS.isdisjoint(schema):
            return schema
        return self._keywords(schema)

    def admits_null(self, schema: Any) -> bool:
        """Return whether null may be valid for *schema*, read or not, by a quick check.

        Only types, values, unions and references are considered. Any member of a `oneOf` may allow
        null.
        """
        read = read_keywords if self.is_old else lambda schema: schema
        return _admits_null(schema, self.resolver, read, _FAR)

    def read(self, kind: str, node: Any) -> Any:
        """Return *node*, an object of *kind*, with all schemas read as `read_keywords` does.

        The result of `is_null_union` depends on other nodes, and is not marked.
        """
        return self._read.read(kind, node) if self.is_old else node

    def align(self, kind: str, node: Any) -> Any:
        """Return *node* in a form that can be compared with one of the other dialect.

        What 3.1 spells differently with the same meaning is written as in 3.0.
        """
        return self.read(kind, node) if self.is_old else self._compared.read(kind, node)

    def modernize(self, kind: str, node: Any) -> Any:
        """Return *node*, an object of *kind*, with all schemas in keywords of 2020-12 only."""
        return self._modernized.read(kind, node) if self.is_old else node


class _Translator:
    """Applies *start* to each schema of a document, and *finish* once those below are done."""

    def __init__(
        self,
        start: Callable[[Schema], Schema],
        finish: Callable[[Schema], Schema] = lambda schema: schema,
    ) -> None:
        self._start = start
        self._finish = finish
        self._known = Memo(_Translator._translate, owner=self)

    def read(self, kind: str, node: Any) -> Any:
        return self._known(node, kind) if isinstance(node, dict) else node

    def _translate(self, node: dict[str, Any], kind: str) -> dict[str, Any]:
        result = self._start(node) if kind == "schema" else node
        read = find_replaced(
            kind, result, lambda _, below, child: self.read(below, child), is_published=True
        )
        if read:
            result = copy_items(
                result, [(key, read.get(key, value)) for key, value in result.items()]
            )
        return self._finish(result) if kind == "schema" else result
