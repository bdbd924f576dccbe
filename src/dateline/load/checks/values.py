"""Find out why a value is not an instance of its schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Final, NamedTuple

from dateline.gates import changes
from dateline.load.checks.schema_parts import (
    admits_null,
    collect_properties,
    read_beside,
    resolve_schema,
)
from dateline.load.checks.scope import LinkedTrail, Scope, Site, Violation, extend, on
from dateline.load.table import canonical_date
from dateline.model import ADDED, ENVIRONMENTS, REMOVED, WAS, Trail
from dateline.regex.engines import matches_portably
from dateline.schema.constraints import DECIMAL
from dateline.schema.types import UNIONS, choices, declared_types, is_enumeration, type_of
from dateline.schema.values import find_repeated, text
from dateline.wording import did_you_mean, name_kind, quote, quote_all

# Deeper values are not inspected: no example needs it, and the recursion ends.
_DEEPEST: Final = 48

# The values around a value, and that itself, each with a schema that is applied to it, by identity.
_Within = frozenset[tuple[int, int]]

_NUMBERS: Final = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}

_DECIMAL: Final = re.compile(DECIMAL)
_UUID: Final = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
# RFC 3339 section 5.6
_DATE_TIME: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?"
    r"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
)
_JSON: Final = re.compile(r"application/(.+\+)?json\s*(;.*)?|\*/\*|application/\*", re.IGNORECASE)


class Fault(NamedTuple):
    """What is wrong, and where below the value."""

    path: Trail
    message: str


def find_fault(scope: Scope, value: Any, schema: Any) -> Fault | None:
    """Return the first reason why *value* is not an instance of *schema*, or None.

    The schema is the canonical one, of all versions: a property that only some versions have is
    optional, and so is one that is only sent or only received.
    """
    return next(_faults(scope, value, schema, frozenset()), None)


def _faults(scope: Scope, value: Any, schema: Any, within: _Within) -> Iterator[Fault]:
    if schema is False:
        yield Fault((), f"{quote(value)} where nothing is allowed")
    node = resolve_schema(scope, schema)
    if value is None and admits_null(scope, schema):
        return
    here = (id(value), id(node))
    # a schema that contains itself at the same value says nothing more about it
    if len(within) > _DEEPEST or here in within:
        return
    within |= {here}
    if beside := read_beside(scope, schema):
        yield from _faults(scope, value, beside, within)
    if not node:
        return
    kind = type_of(value)
    if kind not in declared_types(node):
        yield Fault((), f"{quote(value)} where {_name_types(node)} belongs")
        return
    values = _choices(scope, node)
    if values is not None and text(value) not in map(text, values):
        yield Fault((), f"{quote(value)} is not one of the values{_nearest(value, values)}")
        return
    for base in node.get("allOf", ()):
        yield from _faults(scope, value, base, within)
    yield from _union_faults(scope, value, node, within)
    if kind in _BY_TYPE:
        yield from _BY_TYPE[kind](scope, value, node, within)


def _choices(scope: Scope, node: dict[str, Any]) -> list[Any] | None:
    values = choices(node)
    if values is None or not scope.is_past:
        return values
    members = [member for key in UNIONS for member in node.get(key, ())]
    eras = [entry for member in members for entry in member.get(WAS, {}).values()]
    return [
        *values,
        *(replaced["const"] for replaced, _ in map(changes, eras) if "const" in replaced),
    ]


def _name_types(schema: dict[str, Any]) -> str:
    written = schema["type"]
    return " or ".join(map(name_kind, [written] if isinstance(written, str) else written))


def _nearest(value: Any, values: list[Any]) -> str:
    if isinstance(value, str):
        return did_you_mean(value, [choice for choice in values if isinstance(choice, str)])
    return f"; known: {quote_all(values)}"


def _union_faults(
    scope: Scope, value: Any, node: dict[str, Any], within: _Within
) -> Iterator[Fault]:
    first = next((key for key in UNIONS if node.get(key)), "")
    for key in UNIONS:
        # the values of an enumeration were compared
        if not node.get(key) or (key == first and is_enumeration(node)):
            continue
        members = node[key]
        if "discriminator" in node and isinstance(value, dict):
            yield from _tagged_faults(scope, value, node, members, within)
            continue
        results = [next(_faults(scope, value, member, within), None) for member in members]
        fitting = sum(result is None for result in results)
        if not fitting:
            deepest = max(filter(None, results), key=lambda result: len(result.path))
            nearest = f"; the nearest: {deepest.message}" if len(members) > 1 else ""
            yield Fault((), f"{quote(value)} is not a member of the union{nearest}")
        elif fitting > 1 and key == "oneOf":
            yield Fault((), f"{quote(value)} is more than one member of the union")


def _tagged_faults(
    scope: Scope, value: dict[str, Any], node: dict[str, Any], members: list[Any], within: _Within
) -> Iterator[Fault]:
    """Validate only the member that the value's tag selects."""
    name = node["discriminator"].get("propertyName")
    tag = value.get(name)
    if not isinstance(tag, str):
        yield Fault((), f"{quote(name)} is missing; it tells the members apart")
        return
    named = node["discriminator"].get("mapping", {}).get(tag, tag)
    goal = scope.references.find_mapped(named)
    for member in members:
        if goal is not None and scope.references.find_variant(member) == goal:
            yield from _faults(scope, value, member, within)
            return
    names = (scope.references.variant_name(member) for member in members)
    tags = list(node["discriminator"].get("mapping", {})) or [name for name in names if name]
    yield Fault((name,), f"{quote(tag)} is the tag of no member{did_you_mean(tag, tags)}")


def _number_faults(_: Scope, value: Any, node: dict[str, Any], __: _Within) -> Iterator[Fault]:
    low, high = node.get("minimum"), node.get("maximum")
    low_out, high_out = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    if low is not None and value < low:
        yield Fault((), f"{value} is below the minimum, {low}")
    if high is not None and value > high:
        yield Fault((), f"{value} is above the maximum, {high}")
    if low_out is not None and not isinstance(low_out, bool) and value <= low_out:
        yield Fault((), f"{value} is not above {low_out}")
    if high_out is not None and not isinstance(high_out, bool) and value >= high_out:
        yield Fault((), f"{value} is not below {high_out}")
    step = node.get("multipleOf")
    # as written in decimal, not as the nearest binary fraction
    if step and Fraction(str(value)) % Fraction(str(step)):
        yield Fault((), f"{value} is not a multiple of {step}")
    least, most = _NUMBERS.get(node.get("format", ""), (value, value))
    if not least <= value <= most:
        yield Fault((), f"{value} is outside of {node['format']}")


def _text_faults(_: Scope, value: str, node: dict[str, Any], __: _Within) -> Iterator[Fault]:
    least, most = node.get("minLength", 0), node.get("maxLength")
    if len(value) < least:
        yield Fault((), f"{quote(value)} is shorter than {least} characters")
    if most is not None and len(value) > most:
        yield Fault((), f"{quote(value)} is longer than {most} characters")
    if "pattern" in node and not matches_portably(node["pattern"], value, unknown=True):
        yield Fault((), f"{quote(value)} does not match {quote(node['pattern'])}")
    form = _FORMATS.get(node.get("format", ""))
    if form is not None and not form(value):
        yield Fault((), f"{quote(value)} is no {node['format']}")


def _list_faults(
    scope: Scope, value: list[Any], node: dict[str, Any], within: _Within
) -> Iterator[Fault]:
    least, most = node.get("minItems", 0), node.get("maxItems")
    if len(value) < least:
        yield Fault((), f"a list of {len(value)} where {least} items or more belong")
    if most is not None and len(value) > most:
        yield Fault((), f"a list of {len(value)} where {most} items or fewer belong")
    if node.get("uniqueItems"):
        for index, item in find_repeated(value):
            yield Fault((index,), f"{quote(item)} is in the list already")
    if "items" in node:
        for index, item in enumerate(value):
            for below in _faults(scope, item, node["items"], within):
                yield Fault((index, *below.path), below.message)


def _object_faults(
    scope: Scope, value: dict[str, Any], node: dict[str, Any], within: _Within
) -> Iterator[Fault]:
    known = node.get("properties", {})
    for name in node.get("required", ()):
        if name not in value and not _may_lack(scope, collect_properties(scope, node).get(name)):
            yield Fault((), f"{quote(name)} is missing")
    least, most = node.get("minProperties", 0), node.get("maxProperties")
    if len(value) < least:
        yield Fault((), f"{len(value)} properties where {least} or more belong")
    if most is not None and len(value) > most:
        yield Fault((), f"{len(value)} properties where {most} or fewer belong")
    others = node.get("additionalProperties", True)
    for name, item in value.items():
        if name not in known and others is False:
            yield Fault((name,), f"{quote(name)} is not a property{did_you_mean(name, known)}")
            continue
        for below in _faults(scope, item, known.get(name, others), within):
            yield Fault((name, *below.path), below.message)


def _may_lack(scope: Scope, schema: Any) -> bool:
    """Return whether some version or direction lacks a required property."""
    gated = isinstance(schema, dict) and not schema.keys().isdisjoint(
        (ADDED, REMOVED, ENVIRONMENTS)
    )
    node = resolve_schema(scope, schema)
    return gated or node.get("readOnly") is True or node.get("writeOnly") is True


def _is_date_time(text: str) -> bool:
    match = _DATE_TIME.fullmatch(text)
    return match is not None and canonical_date(match[1])


_FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    "date": canonical_date,
    "date-time": _is_date_time,
    "decimal": lambda text: _DECIMAL.fullmatch(text) is not None,
    "uuid": lambda text: _UUID.fullmatch(text) is not None,
}

_BY_TYPE: Final[dict[str, Callable[[Scope, Any, dict[str, Any], _Within], Iterator[Fault]]]] = {
    "integer": _number_faults,
    "number": _number_faults,
    "string": _text_faults,
    "array": _list_faults,
    "object": _object_faults,
}


# Where values are written


@on("schema.default", finds=("default-invalid",))
def default(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    yield from _unfit(scope, site.node[key], site.node, site.at(key), "default-invalid")


@on("schema.example", finds=("example-invalid",))
def example(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    yield from _unfit(scope, site.node[key], site.node, site.at(key), "example-invalid")


@on("schema.examples", finds=("example-invalid",))
def examples(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    for index, value in enumerate(site.node[key]):
        yield from _unfit(scope, value, site.node, site.at(key, index), "example-invalid")


@on(
    *(f"{kind}.{key}" for kind in ("parameter", "header") for key in ("example", "examples")),
    finds=("example-invalid",),
)
def parameter_examples(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    if "schema" in site.node:
        yield from _examples(scope, site, key)


@on("media-type.example", "media-type.examples", finds=("example-invalid",))
def body_examples(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    # in other notations than JSON, an example is given as text
    assert site.trail is not None
    if "schema" in site.node and _JSON.fullmatch(str(site.trail[1])):
        yield from _examples(scope, site, key)


def _examples(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    schema = site.node["schema"]
    if key == "example":
        yield from _unfit(scope, site.node[key], schema, site.at(key), "example-invalid")
        return
    for name, written in site.node[key].items():
        shared = scope.resolve("example", written)
        for member in ("value", "dataValue") if isinstance(shared, dict) else ():
            if member in shared:
                trail = site.at(key, name, member) if shared is written else site.at(key, name)
                yield from _unfit(scope, shared[member], schema, trail, "example-invalid")


def _unfit(
    scope: Scope, value: Any, schema: Any, trail: LinkedTrail, id: str
) -> Iterator[Violation]:
    wrong = find_fault(scope, value, schema)
    if wrong is not None:
        trail = extend(trail, *wrong.path)
        way_out = "" if ";" in wrong.message else "; correct the value or its schema"
        yield Violation(trail, id, wrong.message + way_out, value=True)
