"""Reduce schemas to their constraints: JSON Schema 2020-12, without annotations."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

from dateline.openapi import OBJECTS, Arrangement, children, replace_children, slot, target
from dateline.regex.tree import RegexDepthError, RegexError, parse
from dateline.schema.dialect import Dialect, fold_null
from dateline.schema.references import ANCHORS, REFERENCES, component, escape
from dateline.schema.types import ANNOTATIONS, EVERY_TYPE, declared_types

_LEFT_OUT: Final = (ANNOTATIONS - {"format", "$defs", "definitions"}) | {*ANCHORS}

# The formats of the OpenAPI format registry that bound an integer.
_BOUNDS: Final = {
    f"{sign}int{bits}": (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for bits in (8, 16, 32, 64)
    for sign in ("", "u")
}

_DATE: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME: Final = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})"
# RFC 3339, section 5.6. The validators in Rust read `*` and the like as digits.
_DIGITS: Final = {
    "date": f"^{_DATE}$",
    "time": f"^{_TIME}$",
    "date-time": f"^{_DATE}[Tt]{_TIME}$",
}
DECIMAL: Final = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$"
"""What texts of the format `decimal` match: fixed-point numbers (XML Schema, 2, section 3.3.3).

OpenAPI's registry of formats calls them fixed-point and gives no grammar.
"""

_PLAIN: Final = re.compile(r"[A-Za-z0-9._~%!$&'()*+,;=:@?/#-]*")
"""References that need no escapes."""

FindPattern = Callable[[str], str | None]

_NUMBERS: Final = {"integer", "number", "null"}


_NAMED: Final = "#/components/schemas/"


class Constraints:
    """The constraints of the schemas of one document; the same object for the same schema.

    A reference to anything but a component becomes one to a component that is named by the pointer.
    *find_pattern* returns what is written for a regular expression; nothing is where it is None.
    """

    def __init__(self, document: dict[str, Any], find_pattern: FindPattern = str) -> None:
        self._dialect = Dialect(document)
        self._find_pattern = find_pattern
        # each with its node: an id is unique only while its object lives
        self._known: dict[int, tuple[Any, Any]] = {}

    def of(self, node: Any) -> Any:
        """Return the constraints of the schema *node* as a schema."""
        if not isinstance(node, dict):
            # anything but a schema has no constraints
            return node if isinstance(node, bool) else True
        if id(node) not in self._known:
            self._known[id(node)] = node, self._read(node)
        return self._known[id(node)][1]

    def _read(self, node: dict[str, Any]) -> dict[str, Any]:
        own = {
            key: value
            for key, value in self._dialect.keywords(node).items()
            if key not in _LEFT_OUT and not key.startswith("x-")
        }
        read = replace_children("schema", own, lambda _, child: self.of(child))
        for keyword in REFERENCES:
            if isinstance(reference := read.pop(keyword, None), str):
                _refer(read, self._direct(keyword, reference))
        if isinstance(read.get("required"), list):
            # validators report a field that is required twice in different ways
            read["required"] = list(dict.fromkeys(read["required"]))
        read = replace_patterns(drop_meaningless(read), self._find_pattern)
        return fold_null(with_format_patterns(with_format_constraints(read)))

    def _direct(self, keyword: str, reference: str) -> str:
        """Return *reference* as one to a component; nothing if its target is ambiguous."""
        if target(reference) is not None:
            return reference
        goal = self._dialect.resolver.locate_by(keyword, reference)
        if goal is None:
            return reference if keyword == "$ref" else ""
        named = component(goal.pointer) is not None
        return f"#{goal.pointer}" if named else _NAMED + quote(escape(goal.pointer))


def _refer(schema: dict[str, Any], reference: str) -> None:
    """Add *reference*, unless it is empty, to the references of *schema*."""
    if not reference:
        return
    written = escape_reference(reference)
    if "$ref" in schema:
        schema["allOf"] = [*schema.get("allOf", ()), {"$ref": written}]
    else:
        schema["$ref"] = written


def escape_reference(reference: str) -> str:
    """Return *reference* as a URI (RFC 3986): component names may have any letters."""
    return reference if _PLAIN.fullmatch(reference) else quote(reference, safe="#/~%!$&'()*+,;=:@?")


_EXCLUSIVE: Final = ("exclusiveMinimum", "exclusiveMaximum")
_MEANINGFUL: Final = frozenset(
    key
    for key, known in OBJECTS["schema"].items()
    if known.slot.kind != "schema" and key not in {"type", "pattern", "multipleOf", *_EXCLUSIVE}
)
"""Keywords that mean something whatever their value is."""


def drop_meaningless(schema: dict[str, Any]) -> dict[str, Any]:
    """Return *schema* without keywords whose values mean nothing, such as an unknown type.

    Only adopted documents have such values; validators would refuse to read them.
    """
    kept = {
        key: value
        for key, value in schema.items()
        if key in _MEANINGFUL or _has_meaning(key, value)
    }
    if isinstance(kept.get("type"), list):
        kept["type"] = [name for name in kept["type"] if name in EVERY_TYPE]
    return kept


def replace_patterns(schema: dict[str, Any], find_pattern: FindPattern) -> dict[str, Any]:
    """Return *schema* with its regular expressions as *find_pattern* writes them.

    Where it returns None, any text is valid, and any property may have the name.
    """
    result = schema
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and (found := find_pattern(pattern)) != pattern:
        rest = {key: value for key, value in schema.items() if key != "pattern"}
        result = rest if found is None else {**rest, "pattern": found}
    named = schema.get("patternProperties")
    if isinstance(named, dict):
        written = {each: find_pattern(each) if _has_tree(each) else None for each in named}
        if any(each != name for name, each in written.items()):
            kept: dict[str, Any] = {}
            for name, each in written.items():
                if each in kept:  # they were two spellings of one expression
                    kept[each] = {"allOf": [kept[each], named[name]]}
                elif each is not None:
                    kept[each] = named[name]
            others = {"": True} if None in written.values() else {}
            result = {**result, "patternProperties": {**others, **kept}}
    return result


def _has_meaning(keyword: str, value: Any) -> bool:
    if keyword == "type":
        names = value if isinstance(value, list) else [value]
        return any(name in EVERY_TYPE for name in names)
    if keyword == "pattern":
        return _has_tree(value)
    if keyword in _EXCLUSIVE:
        return not isinstance(value, bool)  # it is one only in OpenAPI 3.0
    if keyword == "multipleOf":
        return isinstance(value, int | float) and value > 0
    arrangement, kind = slot("schema", keyword)
    if kind != "schema":
        return True
    return isinstance(value, dict | bool) if arrangement is Arrangement.ONE else value != []


def _has_tree(pattern: str) -> bool:
    try:
        parse(pattern)
    except RegexDepthError:
        return True
    except RegexError:
        return False
    return True


def with_format_constraints(schema: dict[str, Any]) -> dict[str, Any]:
    """Return *schema*, whose keywords are read, with the constraints of its format spelled out."""
    if "format" not in schema:
        return schema
    if schema.get("format") == "decimal" and "string" in declared_types(schema):
        return _add_pattern(schema, DECIMAL)
    least, most = _BOUNDS.get(str(schema.get("format")), (None, None))
    if least is None or most is None or not declared_types(schema) <= _NUMBERS:
        return schema
    bounds = {
        "minimum": max(schema.get("minimum", least), least),
        "maximum": min(schema.get("maximum", most), most),
    }
    return {**schema, **bounds}


def with_format_patterns(schema: dict[str, Any]) -> dict[str, Any]:
    """Return *schema* with the digits of its format, where validators take other characters."""
    pattern = _DIGITS.get(str(schema.get("format")))
    return schema if pattern is None else _add_pattern(schema, pattern)


def _add_pattern(schema: dict[str, Any], pattern: str) -> dict[str, Any]:
    if "pattern" not in schema:
        return {**schema, "pattern": pattern}
    return {**schema, "allOf": [*schema.get("allOf", ()), {"pattern": pattern}]}


def references(schema: Any) -> set[str]:
    """Return the components that *schema* and everything below it refers to."""
    if not isinstance(schema, dict):
        return set()
    goal = target(schema["$ref"]) if isinstance(schema.get("$ref"), str) else None
    found = {goal[1]} if goal is not None and goal[0] == "schemas" else set()
    below = (child for _, kind, child in children("schema", schema) if kind == "schema")
    return found.union(*map(references, below))
