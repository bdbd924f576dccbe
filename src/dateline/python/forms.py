"""Bodies that are forms: which of their properties are files, and how each is written.

Sources: OpenAPI Specification 3.0.4 section 4.7.15 and 3.1.1 section 4.8.15 (Encoding Object).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from dateline.openapi import essence, is_json, resolve, value_schema
from dateline.schema.parts import PartReader, Parts

MULTIPART: Final = "multipart/form-data"

FILE: Final = "file of a form"
"""The format of a property that is a file; no document can say it, for it is no word."""

OCTETS: Final = "application/octet-stream"

_STYLE: Final = ("style", "explode", "allowReserved")
_NOTES: Final = ("title", "description", "deprecated")
_COUNTS: Final = ("minItems", "maxItems")
_TEXT: Final = re.compile(r"text/|[^/]*/(.*\+)?(json|xml|x-www-form-urlencoded)$|\*/\*$")


class FormPart(NamedTuple):
    """How a property is written in a form.

    ``style`` has the keys of a parameter in a query, if it is written like one. Otherwise it is
    of one of the media types in ``content_type``, which is empty where the value decides.
    ``headers`` are those of the part with one possible value, ``required`` names the others that
    it must have.
    """

    style: Mapping[str, Any] | None = None
    content_type: str = ""
    headers: Mapping[str, str] = {}
    required: tuple[str, ...] = ()


def is_multipart(media_type: str) -> bool:
    """Return whether a body of *media_type* is a multipart form."""
    return essence(media_type) == MULTIPART


class FormReader:
    """Reads the forms of one document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._reader = PartReader(document)

    def mark_files(self, schema: Any, encoding: Mapping[str, Any]) -> Any:
        """Return *schema* with the format `FILE` for properties that are files.

        References are replaced by their targets if these have files; without any files, it is
        *schema* itself.
        """
        return self._mark(schema, encoding, ())

    def list_parts(
        self, media_type: str, schema: Any, encoding: Mapping[str, Any]
    ) -> dict[str, FormPart]:
        """Return how the properties of *schema* are written, if their values don't determine it."""
        found: dict[str, FormPart] = {}
        for name, child in dict(self._list_properties(schema)).items():
            part = self._read_part(child, encoding.get(name, {}))
            if not is_multipart(media_type):
                # JSON is the only type that a pair of a query can have
                style = part.style or ({"style": "content"} if is_json(part.content_type) else None)
                part = FormPart(style=style)
            if part != FormPart():
                found[name] = part
        return found

    # Properties.

    def _list_properties(self, schema: Any) -> Iterator[tuple[str, Any]]:
        for part in self._reader.parts_of(schema):
            yield from part.get("properties", {}).items()
            for keyword in ("oneOf", "anyOf"):
                for member in part.get(keyword) or ():
                    yield from self._list_properties(member)

    def _read_part(self, schema: Any, encoding: Mapping[str, Any]) -> FormPart:
        if any(key in encoding for key in _STYLE):
            return FormPart(style={key: encoding[key] for key in _STYLE if key in encoding})
        parts = self._parts_of_item(schema)
        content_type = ", ".join(_list_types(parts, encoding))
        if not content_type and any("contentEncoding" in part.node for part in parts):
            content_type = OCTETS
        fixed: dict[str, str] = {}
        required: list[str] = []
        for name, node in encoding.get("headers", {}).items():
            header = resolve(self._document, node)
            value = self._find_value(value_schema(header, {}))
            if name.lower() == "content-type":
                continue
            if value is not None:
                fixed[name] = value
            elif header.get("required") is True:
                required.append(name)
        return FormPart(content_type=content_type, headers=fixed, required=tuple(required))

    def _find_value(self, schema: Any) -> str | None:
        """Return the one text that *schema* allows, or has as a default."""
        for part in self._reader.parts_of(schema):
            listed = part.get("enum") or ()
            found = [part.get("const"), *(listed if len(listed) == 1 else ()), part.get("default")]
            for value in found:
                if isinstance(value, str):
                    return value
        return None

    def _parts_of_item(self, schema: Any) -> Parts:
        """Return the parts of *schema*, or those of its items if each is a part of the form."""
        parts = self._reader.parts_of(schema)
        items = next((part.get("items") for part in parts if part.get("items") is not None), None)
        return parts if items is None else self._reader.parts_of(items)

    # Files.

    def _mark(self, schema: Any, encoding: Mapping[str, Any], within: tuple[str, ...]) -> Any:
        if not isinstance(schema, dict):
            return schema
        result = dict(schema)
        properties = schema.get("properties", {})
        marked = {
            name: self._mark_property(child, encoding.get(name, {}))
            for name, child in properties.items()
        }
        if any(marked[name] is not child for name, child in properties.items()):
            result["properties"] = marked
        for keyword in ("allOf", "oneOf", "anyOf"):
            members = schema.get(keyword)
            if isinstance(members, list):
                changed = [self._mark(each, encoding, within) for each in members]
                if any(one is not other for one, other in zip(changed, members, strict=True)):
                    result[keyword] = changed
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference not in within:
            goal = self._reader.resolver.resolve(reference)
            marked = self._mark(goal, encoding, (*within, reference))
            if marked is not goal:
                del result["$ref"]
                if not result:
                    return marked
                result["allOf"] = [*result.get("allOf", ()), marked]
        same = result.keys() == schema.keys() and all(result[key] is schema[key] for key in result)
        return schema if same else result

    def _mark_property(self, schema: Any, encoding: Mapping[str, Any]) -> Any:
        parts = self._reader.parts_of(schema)
        notes = {key: schema[key] for key in _NOTES if isinstance(schema, dict) and key in schema}
        if _is_file(parts, encoding):
            return {**notes, "type": "string", "format": FILE}
        for part in parts:
            items = part.get("items")
            if items is not None and (marked := self._mark_property(items, encoding)) is not items:
                bounds = {key: part.node[key] for key in _COUNTS if key in part.node}
                return {**notes, "type": "array", "items": marked, **bounds}
        return schema


def _list_types(parts: Parts, encoding: Mapping[str, Any]) -> list[str]:
    """Return the media types in which a property may be written, if they are declared."""
    declared = encoding.get("contentType")
    if not isinstance(declared, str):
        declared = next((part.get("contentMediaType", "") for part in parts), "")
    return [each.strip() for each in str(declared).split(",") if each.strip()]


def _is_file(parts: Parts, encoding: Mapping[str, Any]) -> bool:
    """Return whether a property is bytes, and not text or JSON."""
    if any(part.get("format") == "binary" for part in parts):
        return True
    declared = _list_types(parts, encoding)
    is_encoded = any("contentEncoding" in part.node for part in parts)
    if not declared or is_encoded or any(key in encoding for key in _STYLE):
        return False
    listed = [part.get("type", []) for part in parts]
    types = {name for each in listed for name in (each if isinstance(each, list) else [each])}
    types.discard("null")
    if types <= {"string"}:
        return not any(_TEXT.match(essence(each)) for each in declared)
    return types == {"object"} and not any(map(is_json, declared))
