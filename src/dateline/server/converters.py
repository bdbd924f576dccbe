"""The converters that a server needs from its owner: a method for each way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Final

from dateline.model import Api, Problem, SourceError
from dateline.python.code import Node, either, subscript
from dateline.python.names import snake
from dateline.schema.parts import PartReader
from dateline.schema.references import Located
from dateline.schema.types import ANNOTATIONS, IMPLIED, choices, type_of
from dateline.server.canonical import Forms

_TYPES: Final[dict[str, Node]] = {
    "array": subscript("list", "t.JsonValue"),
    "boolean": "bool",
    "integer": "int",
    "null": "None",
    "number": "float",
    "object": subscript("dict", "str", "t.JsonValue"),
    "string": "str",
}

WAYS: Final = ("down", "up")

_ANY: Final = "t.JsonValue"

# The words for the steps of a place.
_SPOKEN: Final = {"[]": " item ", "{}": " value ", "@": " before ", "#": " again "}


@dataclass(frozen=True, kw_only=True)
class Converter:
    """A method that takes a value from one era to another, on one way.

    ``name`` is what the contract data call it. ``takes`` and ``gives`` are types of JSON values.
    With ``takes_version``, it takes the version of the caller, too, and serves all versions. One
    that is not required is needed by no request or response: only where a component that none has
    in that direction is taken to another version.
    """

    name: str
    way: str
    method: str
    takes: Node
    gives: Node
    description: str
    takes_version: bool = False
    is_required: bool = True


def list_converters(
    api: Api, data: dict[str, Any], components: dict[str, Any], forms: Forms
) -> list[Converter]:
    """Return the converters that *data* list, which are required, and those for *components* only.

    If two methods would have one name, those of adopted definitions are numbered; for authored
    ones, SourceError is raised.
    """
    reader = PartReader(forms.contract.document)
    made = [
        _converter(reader, name, way, said)
        for name, said in data["converters"].items()
        for way in WAYS
        if said[way]
    ]
    required = {(each.name, each.way) for each in made}
    made += [
        replace(_converter(reader, name, way, said), is_required=False)
        for name, said in components["converters"].items()
        for way in WAYS
        if said[way] and (name, way) not in required
    ]
    if api.table.adopted:
        counts = Counter[str]()
        return [_number(each, counts) for each in made]
    first: dict[str, str] = {}
    problems: list[Problem] = []
    for each in made:
        if each.method in first:
            problems.append(
                Problem(
                    place=api.locate(("components",)),
                    id="converter-name-taken",
                    message=f"the converters of {first[each.method]} and {each.name} would both "
                    f"be called {each.method}: rename a component or a field",
                )
            )
        first[each.method] = each.name
    if problems:
        raise SourceError(problems)
    return made


def _number(converter: Converter, counts: Counter[str]) -> Converter:
    """Return *converter* with a number after its method, unless it is the first of its name."""
    counts[converter.method] += 1
    count = counts[converter.method]
    return converter if count == 1 else replace(converter, method=f"{converter.method}_{count}")


def _converter(reader: PartReader, name: str, way: str, said: dict[str, Any]) -> Converter:
    spoken = name
    for sign, word in _SPOKEN.items():
        spoken = spoken.replace(sign, word)
    method = f"{'older' if way == 'down' else 'newer'}_{snake(spoken)}"
    if "reason" in said:
        return _dated_converter(reader, name, way, method, said)
    newer, older = (_schema(said["kind"], said[era]) for era in ("newer", "older"))
    types = [_type(reader, schema, said["passes_null"]) for schema in (newer, older)]
    told = f"as it was before {said['before']}"
    schemas = older, newer
    if way == "up":
        told = f"as it is from {said['before']} on"
        schemas, types = schemas[::-1], types[::-1]
    return Converter(
        name=name,
        way=way,
        method=method,
        takes=types[0],
        gives=types[1],
        description=f"Return `{said['place']}` {told}{_difference(*schemas)}.",
    )


def _dated_converter(
    reader: PartReader, name: str, way: str, method: str, said: dict[str, Any]
) -> Converter:
    """Return a converter for a value that can't be served without one."""
    newest = _type(reader, said["newer"], passes_null=False)
    takes, gives = (newest, _ANY) if way == "down" else (_ANY, newest)
    done = "as callers of *version* are shown it"
    if way == "up":
        done = "as it is now, for what callers of *version* have sent"
    return Converter(
        name=name,
        way=way,
        method=method,
        takes=takes,
        gives=gives,
        description=f"Return `{said['place']}` {done}: {said['reason']}.",
        takes_version=True,
    )


def _schema(kind: str, node: Any) -> Any:
    """Return the schema of the values of *node*; None if there is not exactly one."""
    if kind == "schema":
        return node
    return node.get("schema") if kind in ("header", "media-type", "parameter") else None


def _type(reader: PartReader, schema: Any, passes_null: bool) -> Node:
    """Return the type of the JSON values of *schema*, as far as its keywords decide it."""
    parts = reader.parts([Located(schema, "")]) if schema is not None else ()
    listed = [part.get("type") for part in parts if "type" in part.node]
    types = [[each] if isinstance(each, str) else each for each in listed]
    types += [[*map(type_of, values)] for part in parts if (values := choices(part.node))]
    if not types:
        keywords = {key for part in parts for key in part.node if key not in part.skip}
        types = [[name for name, own in IMPLIED.items() if own & keywords]]
        types = types if len(types[0]) == 1 else [[]]
    found = [each for each in dict.fromkeys(types[0]) if all(each in other for other in types)]
    is_nullable = "null" in found or any(part.null for part in parts)
    found = [each for each in found if each != "null"]
    if not found and not is_nullable:
        return _ANY
    null = ["null"] if is_nullable and (not passes_null or not found) else []
    return either([_TYPES[each] for each in (*found, *null)])


def _difference(made: Any, given: Any) -> str:
    """Return in a few words how a schema differs from another; empty if it does not."""
    if _words(made) != _words(given):
        return f": {_words(made)}, not {_words(given)}"
    if not isinstance(made, dict) or not isinstance(given, dict):
        return ""
    differing = (key for key in {**made, **given} if made.get(key) != given.get(key))
    keys = [f"`{key}`" for key in differing if key not in ANNOTATIONS and key[:2] != "x-"]
    return f", which differs in {' and '.join(keys)}" if keys else ""


def _words(schema: Any) -> str:
    """Return in a few words the type of the values of *schema*, without null."""
    said = schema if isinstance(schema, dict) else {}
    if "$ref" in said:
        return f"`{str(said['$ref']).rpartition('/')[2]}`"
    types = said.get("type", "any value")
    names = [each for each in types if each != "null"] if isinstance(types, list) else [types]
    told = " or ".join(map(str, names))
    return f"{told} ({said['format']})" if "format" in said else told
