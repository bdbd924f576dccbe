"""The converters that a server needs from its owner: a method for each direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from dateline.canonical.contract_data import ContractData
from dateline.model import Api, Problem, SourceError
from dateline.python.code import Either, Node, either, lay_out
from dateline.python.names import class_name, snake
from dateline.schema.types import ANNOTATIONS
from dateline.server.converted import ANY, ConvertedTypes, qualify

WAYS: Final = ("down", "up")

# The words for the steps of a place.
_SPOKEN: Final = {"[]": " item ", "{}": " value ", "@": " before ", "#": " again "}


@dataclass(frozen=True, kw_only=True)
class Converter:
    """A method that converts a value from one era to another, in one direction.

    ``name`` is its name in the contract data, ``place`` the place of the value. ``takes`` and
    ``gives`` are types of JSON values. With ``needs_version``, it serves all versions, and so needs
    that of the caller. One that is not required is needed by no request or response, but only when
    a component unused in that direction is converted to another version.
    """

    name: str
    way: str
    method: str
    takes: Node
    gives: Node
    description: str
    place: str = ""
    before: str = ""
    needs_version: bool = False
    is_required: bool = True
    is_named: bool = False

    @property
    def signature(self) -> str:
        """Its signature, on one line."""
        more = ", context: ConversionContext" if self.needs_version else ""
        takes, gives = (str(lay_out(each, 0, -10_000)) for each in (self.takes, self.gives))
        return f"{self.method}(value: {takes}{more}) -> {gives}"


def list_converters(
    api: Api, contracts: ContractData, components: ContractData, types: ConvertedTypes
) -> list[Converter]:
    """Return the converters in *contracts*, which are required, and those for *components* only.

    Their types are added to *types*. If two methods would have one name, those of adopted
    definitions are numbered; for authored ones, SourceError is raised.
    """
    found: dict[tuple[str, str], Converter] = {}
    for data, is_required in ((contracts.data, True), (components.data, False)):
        for name, described in data["converters"].items():
            for way in WAYS:
                if described[way] and (name, way) not in found:
                    converter = _converter(types, name, way, described)
                    found[name, way] = replace(converter, is_required=is_required)
    converters = [*found.values()]
    if api.table.adopted:
        counts = Counter[str]()
        return [_number(each, counts) for each in converters]
    places = {**components.places, **contracts.places}
    problems = [
        Problem(place=api.locate(places.get(name, start)), id="converter-name-taken", message=why)
        for name, start, why in _find_name_clashes(converters)
    ]
    if problems:
        raise SourceError(problems)
    return converters


def _find_name_clashes(
    converters: Sequence[Converter],
) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield each converter whose name is taken, where to report it without a place, and why."""
    # the methods of both directions share a name
    twice = {each.name for each in converters if each.is_named and "#" in each.name}
    for name in sorted(twice):
        called = name.partition("#")[0]
        yield (
            name,
            (),
            f"another converter is called {called!r}, for values that differ otherwise; give this "
            "one a name of its own",
        )
    first: dict[str, str] = {}
    for each in converters:
        if each.method in first:
            yield (
                each.name,
                ("components",),
                f"the converters of {first[each.method]} and {each.name} would both be called "
                f"{each.method}: rename a component or a field",
            )
        first[each.method] = each.name


def name_methods(converters: Iterable[Converter]) -> dict[str, dict[str, str]]:
    """Return the methods of *converters* by direction and by their names in the contract data."""
    methods: dict[str, dict[str, str]] = {way: {} for way in WAYS}
    for each in converters:
        methods[each.way][each.name] = each.method
    return methods


def _number(converter: Converter, counts: Counter[str]) -> Converter:
    """Return *converter* with a number after its method, unless it is the first of its name."""
    counts[converter.method] += 1
    count = counts[converter.method]
    return converter if count == 1 else replace(converter, method=f"{converter.method}_{count}")


def _converter(types: ConvertedTypes, name: str, way: str, described: dict[str, Any]) -> Converter:
    phrase = name
    for sign, word in _SPOKEN.items():
        phrase = phrase.replace(sign, word)
    method = f"{'older' if way == 'down' else 'newer'}_{snake(phrase)}"
    if "reason" in described:
        return _dated_converter(types, name, way, (method, class_name(phrase)), described)
    newer, older = (_schema(described["kind"], described[era]) for era in ("newer", "older"))
    schemas = {"newer": newer, "older": older}
    takes, gives = ("newer", "older") if way == "down" else ("older", "newer")
    given, gives_type = (
        _type(types, phrase, way, described, era, schemas[era]) for era in (takes, gives)
    )
    if "replaced" in described:
        called = f"{class_name(phrase)}{gives.capitalize()}Fields"
        gives_type = types.narrow_fields(gives_type, described["replaced"][gives], called)
    when = f"as it was before {described['before']}"
    if way == "up":
        when = f"as it is from {described['before']} on"
    what = f"`{described['place']}` {when}{_difference(schemas[gives], schemas[takes])}"
    if "replaced" in described:
        fields, others = (_join(described["replaced"][era]) for era in (gives, takes))
        what = f"{fields} of `{described['place']}`, {when}, in place of {others}"
    return Converter(
        name=name,
        way=way,
        method=method,
        takes=qualify(given),
        gives=qualify(gives_type),
        description=f"Return {what}.",
        place=described["place"],
        before=described["before"],
        is_named=described.get("named", False),
    )


def _join(fields: list[str]) -> str:
    *others, last = (f"`{field}`" for field in fields)
    return f"{', '.join(others)} and {last}" if others else last


def _dated_converter(
    types: ConvertedTypes, name: str, way: str, called: tuple[str, str], described: dict[str, Any]
) -> Converter:
    """Return a converter for a value that can't be served without one."""
    method, phrase = called
    find_type = types.type_received if way == "down" else types.type_sent
    newest = find_type(described["newer"], f"{phrase}Newest")
    older = newest if "text" in described else ANY
    takes, gives = (newest, older) if way == "down" else (older, newest)
    done = "as callers of `context.version` are shown it"
    if way == "up":
        done = "as it is now, for what callers of `context.version` have sent"
    return Converter(
        name=name,
        way=way,
        method=method,
        takes=qualify(takes),
        gives=qualify(gives),
        description=f"Return `{described['place']}` {done}: {described['reason']}.",
        place=described["place"],
        needs_version=True,
    )


def _schema(kind: str, node: Any) -> Any:
    """Return the schema of the values of *node*; None if there is not exactly one."""
    if kind == "schema":
        return node
    return node.get("schema") if kind in ("header", "media-type", "parameter") else None


def _type(
    types: ConvertedTypes, phrase: str, way: str, described: dict[str, Any], era: str, schema: Any
) -> Node:
    """Return the type of the JSON values of *schema*, those of *described* in an era."""
    if schema is None:
        return ANY
    called = class_name(phrase) + era.capitalize()
    if way == "down":
        node = types.type_received(schema, called)
    else:
        node = types.type_sent(
            schema, called, described.get("lacked", ()) if era == "newer" else ()
        )
    if described["passes_null"] and isinstance(node, Either):
        return either([each for each in node.members if each != "None"])
    return node


def _difference(result: Any, given: Any) -> str:
    """Return a short description of how two schemas differ; empty if they don't."""
    if _words(result) != _words(given):
        return f": {_words(result)}, not {_words(given)}"
    if not isinstance(result, dict) or not isinstance(given, dict):
        return ""
    differing = (key for key in {**result, **given} if result.get(key) != given.get(key))
    keys = [f"`{key}`" for key in differing if key not in ANNOTATIONS and key[:2] != "x-"]
    return f", which differs in {' and '.join(keys)}" if keys else ""


def _words(schema: Any) -> str:
    """Return a short description of the type of the values of *schema*, without null."""
    described = schema if isinstance(schema, dict) else {}
    if "$ref" in described:
        return f"`{str(described['$ref']).rpartition('/')[2]}`"
    types = described.get("type", "any value")
    names = [each for each in types if each != "null"] if isinstance(types, list) else [types]
    listed = " or ".join(map(str, names))
    return f"{listed} ({described['format']})" if "format" in described else listed
