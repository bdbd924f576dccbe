"""Check names: their grammar, reserved words, and collisions in generated code.

Names end up in the code, the routes and the headers of every caller. In authored sources they
follow a narrow grammar, so that no tool has to invent others; adopted ones may be anything.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from dateline.load.checks.scope import LinkedTrail, Scope, Site, Violation, on
from dateline.model import KEYS
from dateline.openapi import COMPONENTS, method_name, operation_steps, operations
from dateline.schema.types import is_enumeration, members
from dateline.wording import name_kind, quote, say_repeated, split_camel

# OpenAPI 3.1.1 section 4.8.7, without what a file system reads as another folder
_COMPONENT: Final = re.compile(r"(?!.*\.\.)[A-Za-z0-9_-][A-Za-z0-9._-]*")
_COMPONENT_STYLE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_SCHEMA_STYLE: Final = re.compile(r"[A-Z][A-Za-z0-9]{0,63}")
_PROPERTY_STYLE: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_OPERATION_STYLE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_PARAMETER_STYLE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.\[\]-]{0,63}")
# RFC 9110 section 5.6.2
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}")
_MEDIA_TYPE: Final = re.compile(
    r"""
    (?: \*/\* | [!#$&^_.+0-9A-Za-z-]+ / (?: \* | [!#$&^_.+0-9A-Za-z-]+ ) )
    (?: [ \t]* ; [ \t]* [!#$%&'*+.^_`|~0-9A-Za-z-]+
        = (?: [!#$%&'*+.^_`|~0-9A-Za-z-]+ | "[\x20\x21\x23-\x5b\x5d-\x7e]*" ) )*
    """,
    re.VERBOSE,
)
_STATUS: Final = re.compile(r"[1-5](?:[0-9][0-9]|XX)|default")
# Characters that no name may contain: quotes, backslashes, angle brackets, invisible ones.
_UNSAFE: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\"'`\\<>\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069]"
)
_LONGEST: Final = 256

# The names that the text of generated models uses besides the components.
_RESERVED: Final = frozenset(
    {"Annotated", "Any", "BaseModel", "ConfigDict", "Enum", "Field", "Final", "List", "Literal"}
    | {"RootModel", "StrEnum", "TypeAlias", "TypeAliasType", "UUID", "Union"}
)


def snake(name: str) -> str:
    """Return *name* in the spelling of generated code: lower case, words joined by `_`."""
    plain = unicodedata.normalize("NFKC", name)
    return re.sub(r"[^0-9a-z]+", "_", "_".join(split_camel(plain)).casefold()).strip("_")


def _unsafe(name: str, *, blanks: bool = True) -> str | None:
    """Return what is wrong with a name that would break out of a string, a line or a page."""
    if not name.strip():
        return "a blank name; write one"
    if _UNSAFE.search(name):
        return f"{quote(name)} contains a quote, a backslash or a control character; rename it"
    if not blanks and " " in name:
        return f"{quote(name)} contains a space; rename it"
    if len(name) > _LONGEST:
        return f"{quote(name)} has {len(name):,} characters; {_LONGEST} are allowed, shorten it"
    return None


def _safe(name: str, trail: LinkedTrail, *, value: bool = False) -> Iterator[Violation]:
    message = _unsafe(name)
    if message is not None:
        yield Violation(trail, "unsafe-name", message, value)


def _collisions(names: Iterable[tuple[str, LinkedTrail]], what: str) -> Iterator[Violation]:
    """Yield pairs of names that are spelled alike in generated code."""
    taken: dict[str, str] = {}
    for name, trail in names:
        spelt = "" if _unsafe(name) else snake(name)
        if spelt and taken.setdefault(spelt, name) != name:
            message = (
                f"{quote(name)} and {quote(taken[spelt])} are {what} with the same name in code; "
                "rename one"
            )
            yield Violation(trail, "name-collision", message)


# Components


@on(*(f"components.{section}" for section in COMPONENTS), finds=("component-name",))
def component_names(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for name in site.node[key]:
        if _COMPONENT.fullmatch(name) is None or len(name) > _LONGEST:
            message = (
                f"{quote(name)} is not a name of {name_kind(COMPONENTS[key])}; "
                "use letters, digits, hyphens and `_`"
            )
            yield Violation(site.at(key, name), "component-name", message)


@on(*(f"components.{section}" for section in COMPONENTS), finds=("component-name-style",))
def component_names_style(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    grammar, way_out = _COMPONENT_STYLE, "a letter, then letters, digits, hyphens and `_`"
    if key == "schemas":
        grammar, way_out = _SCHEMA_STYLE, "a capital letter, then letters and digits"
    for name in site.node[key]:
        if _COMPONENT.fullmatch(name) is not None and grammar.fullmatch(name) is None:
            kind = name_kind(COMPONENTS[key])
            message = f"{quote(name)} as a name of {kind}; use {way_out}, 64 at most"
            yield Violation(site.at(key, name), "component-name-style", message)


@on("components.schemas", finds=("reserved-name",))
def schema_names_not_reserved(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for name in site.node[key]:
        union = name.removeprefix("Unknown")
        if name in _RESERVED or keyword.iskeyword(name):
            message = f"{quote(name)} is reserved by the generated code; rename it"
            yield Violation(site.at(key, name), "reserved-name", message)
        elif union != name and members(site.node[key].get(union) or {})[1]:
            message = f"{quote(name)} is what the unknown members of {union} are called; rename it"
            yield Violation(site.at(key, name), "reserved-name", message)


@on("components", finds=("name-collision",))
def components_differ(_: Scope, site: Site, __: str) -> Iterator[Violation]:
    for section, kind in COMPONENTS.items():
        named = ((name, site.at(section, name)) for name in site.node.get(section, {}))
        yield from _collisions(named, f"{kind.replace('-', ' ')}s")


@on("components.schemas", finds=("name-collision",))
def inline_types_differ(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    """An inline type is named after its schema and property; no component may have that name."""
    schemas = site.node[key]
    for parent, schema in schemas.items():
        below = schema.get("properties", {}) if isinstance(schema, dict) else {}
        for name, written in below.items():
            trail = site.at(key, parent, "properties", name)
            called = parent + "".join(word.capitalize() for word in snake(name).split("_"))
            while isinstance(written, dict) and isinstance(written.get("items"), dict):
                written = written["items"]
            if called in schemas and isinstance(written, dict) and _is_inline_type(written):
                message = (
                    f"the type written here would be called {called}, as a component is; "
                    "refer to it, or rename one"
                )
                yield Violation(trail, "name-collision", message)


def _is_inline_type(schema: dict[str, object]) -> bool:
    if "$ref" in schema:
        return False
    return not schema.keys().isdisjoint(("properties", "enum")) or bool(members(schema)[1])


# Properties and values


@on("schema.properties", finds=("unsafe-name",))
def property_names(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for name in site.node[key]:
        if _PROPERTY_STYLE.fullmatch(name) is None:
            yield from _safe(name, site.at(key, name))


@on("schema.properties", finds=("misplaced-annotation", "property-name"))
def property_names_style(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    for name in site.node[key]:
        if _PROPERTY_STYLE.fullmatch(name) is not None or _unsafe(name):
            continue
        # one with a value of an annotation is reported by the check of types
        if name in KEYS and scope.authored:
            message = f"`{name}` is among the properties; put it on one of them"
            yield Violation(site.at(key, name), "misplaced-annotation", message)
        else:
            message = (
                f"{quote(name)} as a name of a property; "
                "use a lower-case letter, then such letters, digits and `_`, 64 at most"
            )
            yield Violation(site.at(key, name), "property-name", message)


@on("schema.properties", finds=("name-collision",))
def properties_differ(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    yield from _collisions(((name, site.at(key, name)) for name in site.node[key]), "properties")


@on("schema.enum", "schema.oneOf", "schema.anyOf", finds=("name-collision",))
def values_differ(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    """Values differ in more than case, accents and punctuation."""
    if key == "enum":
        values = site.node[key]
    elif is_enumeration({key: site.node[key]}):
        values = [member["const"] for member in site.node[key]]
    else:
        return
    texts = [(value, site.at(key, i)) for i, value in enumerate(values) if isinstance(value, str)]
    yield from _collisions(texts, "values")


@on("discriminator.mapping", finds=("unsafe-name",))
def tag_names(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for name in site.node[key]:
        yield from _safe(name, site.at(key, name))


# Operations


@on("operation.operationId", finds=("unsafe-name",))
def operation_id(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    yield from _safe(site.node[key], site.at(key), value=True)


@on("operation.operationId", finds=("operation-name",))
def operation_id_style(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    name = site.node[key]
    if _unsafe(name):
        return
    if _OPERATION_STYLE.fullmatch(name) is None:
        message = (
            f"{quote(name)} as an operationId; use a letter, then letters and digits, 64 at most"
        )
        yield Violation(site.at(key), "operation-name", message, value=True)
    elif keyword.iskeyword(snake(name)):
        message = f"{quote(name)} is a Python keyword, so no handler can have this name; rename it"
        yield Violation(site.at(key), "operation-name", message, value=True)


@on("document.paths", finds=("operation-id-twice",))
def operation_ids_differ(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    seen: dict[str, _NamedOperation] = {}
    for each in _named_operations(scope, site, key):
        first = seen.setdefault(each.name, each)
        # several paths may refer to one path item
        if first.node is not each.node:
            message = f"{quote(each.name)} is the operationId of {first.route} already; rename one"
            yield Violation(each.trail, "operation-id-twice", message, value=True)


@on("document.paths", finds=("name-collision",))
def operation_names_differ(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    named = ((each.name, each.trail) for each in _named_operations(scope, site, key))
    yield from _collisions(named, "operations")


class _NamedOperation(NamedTuple):
    """An operation with its `operationId`, the place of that, and its method and path."""

    name: str
    trail: LinkedTrail
    route: str
    node: dict[str, Any]


def _named_operations(scope: Scope, site: Site, key: str) -> Iterator[_NamedOperation]:
    for path, written in site.node[key].items():
        item = scope.resolve("path-item", written)
        for method, operation in operations(item) if isinstance(item, dict) else ():
            if "operationId" in operation:
                steps = (*operation_steps(method), "operationId") if item is written else ("$ref",)
                trail = site.at(key, path, *steps)
                route = f"{method_name(method)} {path}"
                yield _NamedOperation(operation["operationId"], trail, route, operation)


def _create_header_violation(name: str, trail: LinkedTrail, *, value: bool = False) -> Violation:
    message = (
        f"{quote(name)} is not a header name; use letters, digits and hyphens "
        "(RFC 9110 section 5.6.2)"
    )
    return Violation(trail, "header-name", message, value)


@on("parameter.name", finds=("unsafe-name", "header-name"))
def parameter_name(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    name = site.node[key]
    if site.node.get("in") in ("header", "cookie"):
        if _TOKEN.fullmatch(name) is None:
            yield _create_header_violation(name, site.at(key), value=True)
        return
    flaw = _unsafe(name, blanks=False)
    if flaw is not None:
        yield Violation(site.at(key), "unsafe-name", flaw, value=True)


@on("parameter.name", finds=("parameter-name",))
def parameter_name_style(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    name = site.node[key]
    if site.node.get("in") in ("header", "cookie") or _unsafe(name, blanks=False):
        return
    if _PARAMETER_STYLE.fullmatch(name) is None:
        message = (
            f"{quote(name)} as a name of a parameter; use a letter, then letters, digits and `_`"
        )
        yield Violation(site.at(key), "parameter-name", message, value=True)


@on("response.headers", "encoding.headers", finds=("header-name", "header-twice"))
def header_names(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    seen: dict[str, str] = {}
    for name in site.node[key]:
        if _TOKEN.fullmatch(name) is None:
            yield _create_header_violation(name, site.at(key, name))
        elif seen.setdefault(name.casefold(), name) != name:
            other = seen[name.casefold()]
            message = (
                f"{quote(name)} is the header {quote(other)}: case does not count; leave one out"
            )
            yield Violation(site.at(key, name), "header-twice", message)


@on(
    *(f"{kind}.content" for kind in ("request-body", "response", "parameter", "header")),
    finds=("unsafe-name",),
)
def media_type_names(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for name in site.node[key]:
        if _MEDIA_TYPE.fullmatch(name) is None:
            yield from _safe(name, site.at(key, name))


@on(
    *(f"{kind}.content" for kind in ("request-body", "response", "parameter", "header")),
    finds=("media-type",),
)
def media_types(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for name in site.node[key]:
        if _MEDIA_TYPE.fullmatch(name) is None and not _unsafe(name):
            message = f"{quote(name)} is not a media type; write one such as application/json"
            yield Violation(site.at(key, name), "media-type", message)


@on("responses", finds=("status-code",))
def status_codes(_: Scope, site: Site, __: str) -> Iterator[Violation]:
    for name in site.node:
        if not name.startswith("x-") and _STATUS.fullmatch(name) is None:
            message = f"{quote(name)} is not a status code; write '200', '4XX' or 'default'"
            yield Violation(site.at(name), "status-code", message)


@on("document.tags", finds=("tag-twice",))
def tags_once(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    seen: set[str] = set()
    for index, tag in enumerate(site.node[key]):
        name = tag.get("name")
        if name in seen:
            message = f"the tag {say_repeated(name)}"
            yield Violation(site.at(key, index), "tag-twice", message)
        seen.add(name)


@on("document.tags", finds=("name-collision",))
def tags_differ(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    named = [(tag.get("name", ""), site.at(key, index)) for index, tag in enumerate(site.node[key])]
    yield from _collisions(named, "tags")
