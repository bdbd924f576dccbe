"""Check schemas for contradictions, and for members that cannot be distinguished."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil, floor
from typing import Any, Final

from dateline.load.checks.schema_parts import (
    admitted_types,
    collect_properties,
    collect_required,
    list_parts,
)
from dateline.load.checks.scope import LinkedTrail, Scope, Site, Violation, on
from dateline.oddities import SAME, read_choice
from dateline.openapi import OBJECTS
from dateline.regex.dialect import find_flaw
from dateline.schema.types import (
    EVERY_TYPE,
    TYPES,
    UNIONS,
    declared_types,
    is_enumeration,
    type_of,
)
from dateline.schema.values import find_repeated
from dateline.wording import did_you_mean, find_nearest, join_quoted, quote, say_repeated, suggest

MOST_PROPERTIES: Final = 500
"""The maximum number of properties of a schema."""

FORMATS: Final = frozenset(
    # JSON Schema 2020-12, validation, section 7.3
    {
        "date-time",
        "date",
        "time",
        "date-time-local",
        "time-local",
        "duration",
        "email",
        "idn-email",
        "hostname",
        "idn-hostname",
    }
    | {"ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template"}
    | {"json-pointer", "relative-json-pointer", "regex"}
    # the OpenAPI format registry
    | {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "double-int"}
    | {"float", "double", "decimal", "decimal128", "byte", "binary", "base64url", "char"}
    | {"password", "html", "commonmark", "media-range", "http-date", "unixtime"}
    | {"sf-binary", "sf-boolean", "sf-decimal", "sf-integer", "sf-string", "sf-token"}
)
"""The formats that authored sources may name."""

_FORMAT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")

_BOUNDS: Final = {
    "minLength": "maxLength",
    "minItems": "maxItems",
    "minProperties": "maxProperties",
}

# The slots of schemas that only refine what the surrounding schema demands of the same value.
_REFINING: Final = frozenset({"allOf", "oneOf", "anyOf", "not", "if", "then", "else"})

_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@on("schema.type", finds=("unknown-type", "key-of-another-openapi"))
def type_names(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    written = site.node[key]
    if isinstance(written, str):
        if written == "null" and not scope.modern:
            message = "the type 'null' is new in OpenAPI 3.1; write `nullable: true`"
            yield Violation(site.at(key), "key-of-another-openapi", message, value=True)
        elif written not in EVERY_TYPE:
            message = f"{quote(written)} is not a type{did_you_mean(written, TYPES)}"
            yield Violation(site.at(key), "unknown-type", message, value=True)
        return
    if not scope.modern:
        message = "a list of types is new in OpenAPI 3.1; write one type, or `openapi: 3.1.0`"
        yield Violation(site.at(key), "key-of-another-openapi", message, value=True)
    for index, name in enumerate(written):
        if name not in EVERY_TYPE:
            message = f"{quote(name)} is not a type{did_you_mean(name, TYPES)}"
            yield Violation(site.at(key, index), "unknown-type", message)


@on("schema.type", finds=("array-without-items",))
def items(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    written = site.node[key]
    names = [written] if isinstance(written, str) else written
    if "array" in names and not site.node.keys() & {"items", "prefixItems"}:
        message = "an array needs `items`, which say what it contains; write them"
        yield Violation(site.at(key), "array-without-items", message, value=True)


@on("schema.format", finds=("unknown-format",))
def formats(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    name = site.node[key]
    if name not in FORMATS and _FORMAT.fullmatch(name):
        way_out = suggest(name, sorted(FORMATS)) or "; say it in `description` or `pattern`"
        message = f"{quote(name)} is not in OpenAPI's registry of formats{way_out}"
        yield Violation(site.at(key), "unknown-format", message, value=True)


@on("schema.format", finds=("format-name",))
def format_name(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    if _FORMAT.fullmatch(site.node[key]) is None:
        message = (
            f"{quote(site.node[key])} is not a name of a format; use letters, digits and hyphens"
        )
        yield Violation(site.at(key), "format-name", message, value=True)


@on(
    "schema.pattern",
    finds=("pattern-invalid", "pattern-dialect", "pattern-explodes", "pattern-loose"),
)
def pattern(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    unfit = find_flaw(site.node[key])
    if unfit is not None:
        message = f"{quote(site.node[key])}: {unfit.message}"
        yield Violation(site.at(key), unfit.id, message, value=True)


@on("schema.enum", *(f"schema.{key}" for key in UNIONS), finds=("enum-value-twice",))
def enum_values_differ(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for index, value in find_repeated(value for _, value in _choices(site, key)):
        yield Violation(site.at(key, index), "enum-value-twice", say_repeated(value))


@on("schema.enum", *(f"schema.{key}" for key in UNIONS), finds=("enum-types-mixed",))
def enum_of_one_type(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    values = _choices(site, key)
    allowed = declared_types(scope.dialect.keywords(site.node))
    if any(type_of(value) not in allowed for _, value in values):
        return
    first: tuple[str, Any] | None = None
    for index, value in values:
        kind = type_of(value).replace("integer", "number")
        if kind == "null":
            continue
        if first is None:
            first = kind, value
        elif kind != first[0]:
            message = (
                f"{quote(value)} beside {quote(first[1])}: values of two types; "
                "write them as one type"
            )
            yield Violation(site.at(key, index), "enum-types-mixed", message)
            return


@on("schema.enum", *(f"schema.{key}" for key in UNIONS), finds=("control-character",))
def enum_of_printable_text(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for index, value in _choices(site, key):
        if isinstance(value, str) and _CONTROL.search(value):
            message = f"{quote(value)} contains a control character; leave it out"
            yield Violation(site.at(key, index), "control-character", message)


@on(
    "schema.enum",
    "schema.const",
    *(f"schema.{key}" for key in UNIONS),
    finds=("enum-of-another-type",),
)
def enum_of_the_type(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    allowed = declared_types(scope.dialect.keywords(site.node))
    for trail, value in _list_choices(site, key):
        if type_of(value) not in allowed:
            message = (
                f"{quote(value)} is not of the type {_quote_types(site.node)}; write one that is"
            )
            yield Violation(trail, "enum-of-another-type", message, value=key == "const")


@on(
    "schema.enum",
    "schema.const",
    *(f"schema.{key}" for key in UNIONS),
    finds=("enum-misread",),
)
def enum_says_what_it_means(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    # authored sources have no such value at all
    for trail, value in () if scope.authored else _list_choices(site, key):
        if (meant := read_choice(value, site.node.get("type"))) is not SAME:
            message = (
                f"{quote(value)} beside the type {_quote_types(site.node)} means "
                f"{quote(meant)}; write that"
            )
            yield Violation(trail, "enum-misread", message, value=key == "const")


def _list_choices(site: Site, key: str) -> list[tuple[LinkedTrail, Any]]:
    """Return the values under *key*, which may be `const`, and their places."""
    if key == "const":
        return [(site.at(key), site.node[key])]
    return [(site.at(key, index), value) for index, value in _choices(site, key)]


def _choices(site: Site, key: str) -> list[tuple[int, Any]]:
    """Return the values under *key*: those of an enum, or of an annotated enumeration."""
    if key == "enum":
        return list(enumerate(site.node[key]))
    # a schema may have a union of another kind beside it
    if not is_enumeration({key: site.node[key]}):
        return []
    return [(index, member["const"]) for index, member in enumerate(site.node[key])]


def _quote_types(schema: dict[str, Any]) -> str:
    written = schema.get("type")
    return repr(written) if isinstance(written, str) else " or ".join(map(repr, written or ()))


@on(*(f"schema.{low}" for low in _BOUNDS), finds=("unsatisfiable-bounds",))
def counts_in_order(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    above = _BOUNDS[key]
    low, high = site.node[key], site.node.get(above)
    if high is not None and low > high:
        message = f"{key} {low} is above {above} {high}, so no value is valid; swap them"
        yield Violation(site.at(key), "unsatisfiable-bounds", message, value=True)


@on("schema.minimum", "schema.exclusiveMinimum", finds=("unsatisfiable-bounds",))
def bounds_in_order(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    node = scope.dialect.keywords(site.node)
    low = site.node[key]
    if isinstance(low, bool):
        return
    low_out = "exclusiveMinimum" in node
    whole = declared_types(node) & {"integer", "number"} == {"integer"}
    for above in ("maximum", "exclusiveMaximum"):
        high = node.get(above)
        if high is None or isinstance(high, bool):
            continue
        high_out = above == "exclusiveMaximum"
        first = floor(low) + 1 if low_out else ceil(low)
        last = ceil(high) - 1 if high_out else floor(high)
        nothing = low > high or (low == high and (low_out or high_out))
        if nothing or (whole and first > last):
            missed = "number" if nothing else "integer"
            message = f"no {missed} is allowed from {key} {low} to {above} {high}; move one"
            yield Violation(site.at(key), "unsatisfiable-bounds", message, value=True)


@on("schema.multipleOf", finds=("unsatisfiable-bounds",))
def multiple_above_zero(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    if site.node[key] <= 0:
        message = f"{quote(site.node[key])} where a number above 0 belongs"
        yield Violation(site.at(key), "unsatisfiable-bounds", message, value=True)


@on("schema.readOnly", finds=("never-sent",))
def sent_in_a_direction(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    if site.node[key] and site.node.get("writeOnly"):
        message = "`readOnly` and `writeOnly` together: it is never sent; leave one out"
        yield Violation(site.at(key), "never-sent", message)


@on("schema.properties", finds=("too-many-properties",))
def number_of_properties(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    if len(site.node[key]) > MOST_PROPERTIES:
        message = (
            f"{len(site.node[key]):,} properties; {MOST_PROPERTIES} are allowed, "
            "group them in objects or let the keys be data with `additionalProperties`"
        )
        yield Violation(site.at(key), "too-many-properties", message)


def _misspells_properties(node: dict[str, Any]) -> bool:
    """Return whether a key of *node* is a misspelt `properties`, which alone is reported."""
    keys = OBJECTS["schema"].keys()
    return "properties" not in node and any(
        each not in keys and not each.startswith("x-") and find_nearest(each, keys) == "properties"
        for each in node
    )


@on("schema.required", finds=("required-unknown",))
def required_names_properties(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """Required names are properties of the schema, of its allOf members or of what it refines."""
    unknown = [name for name in site.node[key] if name not in site.node.get("properties", {})]
    if not unknown or _misspells_properties(site.node):
        return
    known = collect_properties(scope, site.node)
    around: Site | None = site
    while around is not None and around.slot in _REFINING:
        around = around.parent
        known |= collect_properties(scope, around and around.node)
    closed = site.node.get("additionalProperties") is False
    for name in unknown:
        if name not in known:
            message = f"{quote(name)} is required but is not a property"
            message += ", so no value is valid" if closed else ""
            trail = site.at(key, site.node[key].index(name))
            message += did_you_mean(name, known) or "; describe it, or leave it out"
            yield Violation(trail, "required-unknown", message)


@on("schema.allOf", finds=("contradiction",))
def bases_agree(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    possible = declared_types(site.node)
    for index, base in enumerate(site.node[key]):
        narrowed = possible
        for part in list_parts(scope, base):
            narrowed &= declared_types(part)
        if possible and not narrowed:
            so_far = join_quoted(name for name in TYPES if name in possible)
            message = f"this is never {so_far}, but what precedes it is; make them agree"
            yield Violation(site.at(key, index), "contradiction", message)
            return
        possible = narrowed


@on("schema.allOf", finds=("closed-base",))
def closed_bases_know_what_is_required(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    demanded = collect_required(scope, site.node)
    for part in list_parts(scope, site.node):
        own = part.get("properties", {})
        missing = [name for name in demanded if name not in own]
        if missing and part.get("additionalProperties") is False:
            message = (
                f"{quote(missing[0])} is required, but one of the schemas here lets no other "
                f"properties than its own; take its `additionalProperties: false` out"
            )
            yield Violation(site.at(key), "closed-base", message)
            return


@on(*(f"schema.{key}" for key in UNIONS), finds=("undiscriminated-union",))
def members_distinguishable(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """Without a discriminator, the JSON type of a value determines the member."""
    if "discriminator" in site.node or is_enumeration({key: site.node[key]}):
        return
    taken: dict[str, int] = {}
    for index, member in enumerate(site.node[key]):
        mine = admitted_types(scope, member)
        both = next((name for name in TYPES if name in mine and name in taken), None)
        if both is not None:
            message = (
                f"members {taken[both] + 1} and {index + 1} can both be of type {both!r}: "
                "a union needs a `discriminator`"
            )
            yield Violation(site.at(key), "undiscriminated-union", message)
            return
        taken |= dict.fromkeys(mine, index)


@on(*(f"schema.{key}" for key in UNIONS), finds=("member-twice",))
def members_differ(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    members = site.node[key]
    references = [member.get("$ref") if isinstance(member, dict) else None for member in members]
    for index, reference in find_repeated(references):
        if reference is not None:
            yield Violation(site.at(key, index), "member-twice", say_repeated(reference))
