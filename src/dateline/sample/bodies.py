"""Write values as bodies that are not JSON: forms, XML and YAML.

Sources: OpenAPI 3.1.1, sections 4.8.15 (Encoding Object) and 4.8.26 (XML Object).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from dateline.openapi import essence, is_json, resolve
from dateline.sample.notations import write_query
from dateline.schema.parts import PartReader

_BOUNDARY: Final = "dateline"
# The style of a pair; without it, a property has its media type or the default style.
_STYLE: Final = ("style", "explode", "allowReserved")
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class BodyWriter:
    """Writes values of the schemas of one document as text."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._reader = PartReader(document)

    def write(self, media_type: str, media: Mapping[str, Any], value: Any) -> str | None:
        """Return *value*, one of the schema of *media*, as text; None for an unknown format.

        A value that is a text is the body itself.
        """
        name = essence(media_type)
        if isinstance(value, str):
            return value
        if name.endswith("yaml"):
            return json.dumps(value, ensure_ascii=False)
        if is_xml(media_type):
            schema = media.get("schema", {})
            called = self._reader.resolver.schema_name(schema) or "body"
            return "".join(self._write_element(called, schema, value))
        if not isinstance(value, dict):
            return None
        encoding = media.get("encoding", {})
        if name == "application/x-www-form-urlencoded":
            return "&".join(_write_pairs(value, encoding))
        if name == "multipart/form-data":
            return "".join([*_write_parts(value), f"--{_BOUNDARY}--\r\n"])
        return None

    def _write_element(self, called: str, schema: Any, value: Any) -> Iterator[str]:
        """Yield the pieces of the element of *value*, which is *called* so unless it says more."""
        described = self._describe(schema)
        name, declared = _name_element(called, described)
        if isinstance(value, list):
            if described.get("wrapped"):
                yield f"<{name}{declared}>"
            items = self._find(schema, "items")
            for each in value:
                yield from self._write_element(called, items, each)
            if described.get("wrapped"):
                yield f"</{name}>"
            return
        fields = value if isinstance(value, dict) else {}
        children: list[str] = []
        yield f"<{name}{declared}"
        for key, each in fields.items():
            child = self._find(schema, "properties").get(key, {})
            if each is None or _NAME.fullmatch(key) is None:
                continue
            if self._describe(child).get("attribute"):
                attribute, declared = _name_element(key, self._describe(child))
                yield f" {attribute}={quoteattr(_text(each))}{declared}"
            else:
                children += self._write_element(key, child, each)
        yield ">"
        yield from children if isinstance(value, dict) else [escape(_text(value))]
        yield f"</{name}>"

    def _describe(self, schema: Any) -> dict[str, Any]:
        return self._find(schema, "xml")

    def _find(self, schema: Any, keyword: str) -> dict[str, Any]:
        """Return what all parts of *schema* say by *keyword*, whose values are objects."""
        found: dict[str, Any] = {}
        for part in self._reader.parts_of(schema):
            each = part.get(keyword)
            found |= each if isinstance(each, dict) else {}
            for union in ("oneOf", "anyOf"):
                for member in part.get(union) or ():
                    found = {**self._find(member, keyword), **found}
        return found


def find_texts(document: dict[str, Any], media: Mapping[str, Any]) -> list[str]:
    """Return the examples of *media* that are texts."""
    examples = [resolve(document, each).get("value") for each in media.get("examples", {}).values()]
    return [each for each in (media.get("example"), *examples) if isinstance(each, str)]


def is_xml(media_type: str) -> bool:
    """Return whether a body of *media_type* is XML."""
    return essence(media_type).endswith(("/xml", "+xml"))


def is_well_formed(text: str) -> bool:
    """Return whether *text* is an XML document."""
    try:
        expat.ParserCreate().Parse(text.encode(), True)
    except (expat.ExpatError, ValueError):
        return False
    return True


def _name_element(called: str, described: Mapping[str, Any]) -> tuple[str, str]:
    """Return the qualified name of an element or attribute, and what declares its namespace."""
    name, prefix = described.get("name", called), described.get("prefix")
    namespace = described.get("namespace")
    declared = f" xmlns{f':{prefix}' if prefix else ''}={quoteattr(namespace)}" if namespace else ""
    return (f"{prefix}:{name}" if prefix else name), declared


def _write_pairs(value: Mapping[str, Any], encoding: Mapping[str, Any]) -> Iterator[str]:
    for name, each in value.items():
        if each is None:
            continue
        said = encoding.get(name, {})
        style = {key: said[key] for key in _STYLE if key in said}
        if not style and is_json(said.get("contentType", "")):
            style = {"content": {}}
        yield from write_query({**style, "name": name, "in": "query"}, each)


def _write_parts(value: Mapping[str, Any]) -> Iterator[str]:
    for name, each in value.items():
        for part in each if isinstance(each, list) else [each]:
            if part is None:
                continue
            quoted = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
            yield f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{quoted}"\r\n'
            if isinstance(part, dict | list):
                yield "Content-Type: application/json\r\n"
            yield f"\r\n{_text(part)}\r\n"


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _NO_XML.sub("", text)
