"""Read the keywords of all parts of a schema together, however they are spelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol
from weakref import proxy

from dateline.diff.documents import DocumentIndex
from dateline.model import EXTENSIBLE
from dateline.openapi import OBJECTS
from dateline.regex.engines import matches_portably
from dateline.schema.dialect import NOTES, OR_NULL
from dateline.schema.parts import NEVER, VALUE, Part, PartReader, Parts, value_of
from dateline.schema.references import Located, Resolver, escape
from dateline.schema.types import type_of
from dateline.schema.values import text

ENUM_NOTES: Final = "x-enum-descriptions"

APPLICATORS: Final = (
    *("items", "additionalProperties", "propertyNames", "contentSchema"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
"""Keywords with one schema, where less in it means less. True and `{}` mean nothing there."""

OPAQUE: Final = ("not", "if", "then", "else", "contains")
"""Keywords with one schema, where less in it can mean more."""

SCHEMA_MAPS: Final = ("patternProperties", "dependentSchemas", "prefixItems")
DEFINITIONS: Final = ("$defs", "definitions")

_REFUSING: Final = (NEVER, {"not": True})

# Of several bounds, only the tightest has an effect.
_TIGHTEST: Final[dict[str, Callable[[Iterable[Any]], Any]]] = {
    **dict.fromkeys(
        ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"),
        min,
    ),
    **dict.fromkeys(
        ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"),
        max,
    ),
}
_NULL_REFUSING: Final = frozenset({"$ref", "$dynamicRef", "not", "if"})

KNOWN: Final = frozenset(OBJECTS["schema"])


class SchemaReader(Protocol):
    """All schemas of a document; `dateline.diff.schemas` reads them."""

    document: DocumentIndex
    reader: PartReader

    def read(self, located: Iterable[Located]) -> SchemaView:
        """Return the joint meaning of the schemas *located*."""

    def view(self, parts: Parts) -> SchemaView:
        """Return the joint meaning of *parts*."""

    def join_members(self, union: Variants) -> SchemaView | None:
        """Return *union* and its siblings as one schema of several types, if possible."""


class Variant(NamedTuple):
    """One member of a union, and the component that it refers to, if it does."""

    node: Located
    parts: Parts
    target: str
    name: str | None
    schemas: SchemaReader

    @property
    def view(self) -> SchemaView:
        """Its meaning."""
        return self.schemas.view(self.parts)


class Variants(NamedTuple):
    """A `oneOf` or `anyOf` of more than one member.

    Or, with the keyword `discriminator`, the schemas that extend a discriminated one: variants of
    it wherever it is used. ``part`` declares it, among the parts ``beside``. ``null`` is the
    pointer of what allows null beside the members, if any; ``own`` is the variant that is used here
    itself, ``tagged`` the places of all variants that the same discriminator distinguishes.
    """

    keyword: str
    pointer: str
    members: tuple[Variant, ...]
    discriminator: Located | None
    null: str
    part: Part
    beside: Parts
    schemas: SchemaReader
    own: Variant | None = None
    tagged: frozenset[str] = frozenset()

    @property
    def targets(self) -> frozenset[str]:
        """The places of the schemas whose tags are compared, here or elsewhere."""
        return self.tagged.union(member.target for member in self.members)

    @property
    def tags(self) -> dict[str, str]:
        """The component or place that each tag of the discriminator's mapping leads to."""
        found = self.discriminator
        return read_mapping(self.schemas.document, found.value) if found else {}

    @property
    def default(self) -> str | None:
        """The component or place for values without a mapped tag, or None."""
        named = self.discriminator.value.get("defaultMapping") if self.discriminator else None
        return None if named is None else self.schemas.document.find_mapped(named) or str(named)

    @property
    def rest(self) -> Parts:
        """The parts beside it, and the other keywords of its own part."""
        skipped = {self.keyword, "discriminator"}
        return tuple(
            part._replace(skip=part.skip | skipped) if part is self.part else part
            for part in self.beside
        )

    @property
    def whole_members(self) -> list[SchemaView]:
        """Each member together with what is beside the union."""
        above = (*self.part.above, self.part.node)
        rest, own = self.rest, {id(part.node) for part in self.beside}
        return [
            self.schemas.view(
                rest
                + tuple(
                    part._replace(above=above + part.above, null=part.null or self.null)
                    for part in member.parts
                    # a union that is a member of itself adds nothing there
                    if id(part.node) not in own
                )
            )
            for member in self.members
        ]


class SchemaView:
    """The meaning of a schema, each fact with the pointer to its declaration."""

    def __init__(self, parts: Parts, schemas: SchemaReader) -> None:
        self.parts = parts
        self.schemas: SchemaReader = proxy(schemas)
        """All schemas of the document; a view alone does not keep them alive."""
        self.pointer = parts[0].pointer if parts else ""
        self.types: set[str] | None = None
        self.types_at = ""
        self.declared = False
        # keywords that may refuse null and can't be analysed: whether null is allowed all the same
        self.null_passes: dict[str, bool] = {}
        self.null_at = ""
        self.nulls: list[Located] = []
        """The members of unions that allow null alone, which have annotations of their own."""
        self.values: dict[str, Located] | None = None
        self.values_at = Located("enum", "")
        self.value_notes: dict[tuple[str, str], Located] = {}
        self.open_values: dict[str, Located] | None = None
        self.open_values_at = ""
        self.properties: dict[str, list[Located]] = {}
        self.required: dict[str, str] = {}
        self.unions: list[Variants] = []
        self.variants: Variants | None = None
        self.below: dict[str, list[Located]] = {}
        self.maps: dict[str, dict[str, list[Located]]] = {}
        self.facts: dict[str, list[Located]] = {}
        self.outlines: dict[int, Any] = {}
        """Its outlines down to some depths, cached for comparisons with many others."""

    @property
    def never(self) -> bool:
        """Whether no value is valid: `false`."""
        return any(part.node is NEVER for part in self.parts)

    @property
    def allowed(self) -> set[str]:
        """The keys of the values that the types allow."""
        return {
            key
            for key, node in (self.values or {}).items()
            if type_of(node.value) in (self.types or ())
        }

    @property
    def exhaustive(self) -> bool:
        """Whether the values are all that the types have: a boolean is true or false."""
        finite = {"boolean": {"true", "false"}, "null": {"null"}}
        types = self.types or set()
        return types <= finite.keys() and self.allowed == {
            value for name in types for value in finite[name]
        }

    def property(self, name: str) -> SchemaView:
        """Return the schemas of the property *name*."""
        return self.schemas.read(self.properties[name])

    def under(self, keyword: str) -> SchemaView:
        """Return the schemas of *keyword*, which holds one schema."""
        return self.schemas.read(self.below[keyword])

    @cached_property
    def constants(self) -> dict[str, str]:
        """The properties with a single value, and its text."""
        found = {}
        for name, located in self.properties.items():
            # for most properties their own keys show that they are not constant
            if any(
                isinstance(node, dict) and node.keys() & {"const", "enum", "$ref", "allOf"}
                for node, _ in located
            ):
                values = self.property(name).values
                if values is not None and len(values) == 1:
                    found[name] = next(iter(values))
        return found


def read_mapping(document: Resolver, discriminator: dict[str, Any]) -> dict[str, str]:
    """Return the target of each tag of a discriminator: a pointer, or the text as written."""
    tags = discriminator.get("mapping")
    entries = tags.items() if isinstance(tags, dict) else ()
    return {str(tag): document.find_mapped(named) or str(named) for tag, named in entries}


def without_implied(types: Iterable[str]) -> list[str]:
    """Return *types*, sorted, without `integer` if `number` is one of them."""
    names = set(types)
    return sorted(names - {"integer"} if "number" in names else names)


def is_assertion(keyword: str) -> bool:
    """Return whether *keyword* may be more than an annotation for people or other tools."""
    return keyword not in NOTES and not keyword.startswith("x-")


def read_keyword(view: SchemaView, part: Part, keyword: str, fact: Located) -> None:
    """Read *keyword* of *part* into *view*, as a plain fact if its value has no meaning."""
    expected, read = _READERS.get(keyword, _PLAIN)
    (read if isinstance(fact.value, expected) else _read_plain)(view, part, keyword, fact)


def _read_plain(view: SchemaView, _part: Part, keyword: str, fact: Located) -> None:
    facts = view.facts.setdefault(keyword, [])
    if all(text(known.value) != text(fact.value) for known in facts):
        facts.append(fact)


def enumerate_values(
    view: SchemaView, members: list[Located], null: str, declared: Located
) -> None:
    """Read a union of values, each with its annotations, as an enumeration."""
    values: dict[str, Located] = {}
    for node, pointer in members:
        value = value_of(node)
        values.setdefault(text(value), Located(value, pointer))
        for key in node.keys() - VALUE:
            view.value_notes[str(value), key] = Located(node[key], f"{pointer}/{escape(key)}")
    if null:
        values.setdefault("null", Located(None, null))
    _narrow(view, values, declared)


def _narrow(view: SchemaView, values: dict[str, Located], declared: Located) -> None:
    """Allow only *values*; of several enumerations only the shared values are left."""
    if view.values is None:
        view.values, view.values_at = values, declared
    else:
        view.values = {key: fact for key, fact in view.values.items() if key in values}


def _read_type(view: SchemaView, part: Part, keyword: str, fact: Located) -> None:
    names = fact.value if isinstance(fact.value, list) else [fact.value]
    if not all(isinstance(name, str) for name in names):
        _read_plain(view, part, keyword, fact)
        return
    types = set(names)
    if "number" in types:
        types.add("integer")
    if part.null:
        types.add("null")
        view.null_at = part.null
    if view.types is None:
        view.types, view.types_at, view.declared = types, fact.pointer, True
    else:
        view.types &= types


def _read_values(view: SchemaView, part: Part, keyword: str, fact: Located) -> None:
    values = {text(fact.value): fact} if keyword == "const" else _by_text(fact)
    if part.null:
        # in 3.0 documents null is seldom repeated among the values
        values.setdefault("null", Located(None, part.null))
    _narrow(view, values, Located(keyword, fact.pointer))


def _by_text(fact: Located) -> dict[str, Located]:
    """Return the values of a list by their text, the first of equal ones."""
    found: dict[str, Located] = {}
    for index, value in enumerate(fact.value):
        found.setdefault(text(value), Located(value, f"{fact.pointer}/{index}"))
    return found


def _read_bound(view: SchemaView, part: Part, keyword: str, fact: Located) -> None:
    value = fact.value
    if isinstance(value, bool):
        _read_plain(view, part, keyword, fact)
        return
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 5.0 is the same bound as 5
    facts = view.facts.setdefault(keyword, [])
    facts.append(Located(value, fact.pointer))
    numbers = [known for known in facts if isinstance(known.value, int | float)]
    tightest = _TIGHTEST[keyword](known.value for known in numbers)
    facts[:] = [next(known for known in numbers if known.value == tightest)]


def list_needs(value: Any) -> dict[str, list[str]] | None:
    """Return what properties require besides themselves, in order; None if malformed."""
    if not isinstance(value, dict) or not all(
        isinstance(one, list) and {*map(type, one)} <= {str} for one in value.values()
    ):
        return None
    return {name: sorted({*one} - {name}) for name, one in value.items() if {*one} - {name}}


def _read_needs(view: SchemaView, part: Part, keyword: str, fact: Located) -> None:
    facts = view.facts.setdefault(keyword, [fact])
    joined, needs = list_needs(facts[0].value), list_needs(fact.value)
    if joined is None or needs is None:
        _read_plain(view, part, keyword, fact)
        return
    for name, others in needs.items():
        joined[name] = sorted({*joined.get(name, ()), *others})
    facts[0] = Located(joined, facts[0].pointer)


def _read_properties(view: SchemaView, _part: Part, _keyword: str, fact: Located) -> None:
    for name, child in fact.value.items():
        located = Located(child, f"{fact.pointer}/{escape(name)}")
        view.properties.setdefault(name, []).append(located)


def _read_required(view: SchemaView, _part: Part, _keyword: str, fact: Located) -> None:
    for index, name in enumerate(fact.value):
        view.required.setdefault(name, f"{fact.pointer}/{index}")


def _read_schema(view: SchemaView, _part: Part, keyword: str, fact: Located) -> None:
    view.below.setdefault(keyword, []).append(fact)


def _read_schemas(view: SchemaView, _part: Part, keyword: str, fact: Located) -> None:
    known = view.maps.setdefault(keyword, {})
    entries = fact.value.items() if isinstance(fact.value, dict) else enumerate(fact.value)
    for name, child in entries:
        located = Located(child, f"{fact.pointer}/{escape(str(name))}")
        known.setdefault(str(name), []).append(located)


def _read_examples(view: SchemaView, part: Part, keyword: str, fact: Located) -> None:
    # published automatically beside an open-ended set: they mean nothing of their own
    listed = part.node.get(EXTENSIBLE)
    if not isinstance(listed, list) or sorted(map(text, listed)) != sorted(map(text, fact.value)):
        _read_plain(view, part, keyword, fact)


def _read_open_values(view: SchemaView, _part: Part, _keyword: str, fact: Located) -> None:
    view.open_values_at = view.open_values_at or fact.pointer
    known = view.open_values or {}
    view.open_values = known | _by_text(fact) | known


def _read_enum_notes(view: SchemaView, _part: Part, _keyword: str, fact: Located) -> None:
    for value, note in fact.value.items():
        noted = Located(note, f"{fact.pointer}/{escape(value)}")
        view.value_notes.setdefault((value, "description"), noted)


_Reader = Callable[[SchemaView, Part, str, Located], None]

# For each keyword, the type of value with which it has a meaning, and its reader.
_READERS: Final[dict[str, tuple[Any, _Reader]]] = {
    "type": (object, _read_type),
    OR_NULL: (object, lambda *_: None),  # read with the part
    "enum": (list, _read_values),
    "const": (object, _read_values),
    "properties": (dict, _read_properties),
    "required": (list, _read_required),
    "dependentRequired": (dict, _read_needs),
    "examples": (list, _read_examples),
    EXTENSIBLE: (list, _read_open_values),
    ENUM_NOTES: (dict, _read_enum_notes),
    **dict.fromkeys(_TIGHTEST, ((int, float), _read_bound)),
    **dict.fromkeys((*APPLICATORS, *OPAQUE), ((dict, bool), _read_schema)),
    **dict.fromkeys((*SCHEMA_MAPS, *DEFINITIONS), ((dict, list), _read_schemas)),
}
_PLAIN: Final[tuple[Any, _Reader]] = (object, _read_plain)


def complete_types(view: SchemaView) -> None:
    """Complete the types of *view* by null and the values."""
    for part in view.parts:
        for keyword in _NULL_REFUSING & part.node.keys() - part.skip:
            constraint = f"{keyword} {text(part.node[keyword])}"
            view.null_passes[constraint] = bool(part.null) and view.null_passes.get(
                constraint, True
            )
        view.null_at = view.null_at or part.null
    if view.values is None:
        return
    if view.types is None:
        view.types = {type_of(fact.value) for fact in view.values.values()}
        view.types_at = view.values_at.pointer


def apply_to_others(view: SchemaView, part: Part) -> None:
    """Add what *part* says about other fields to the fields that other parts name.

    `additionalProperties` knows only the fields that are named directly beside it (JSON Schema
    2020-12, core, section 10.3.2.3).
    """
    schema = part.node.get("additionalProperties")
    if schema is not False and not isinstance(schema, dict):
        return
    for name, located in view.properties.items():
        if not mentions(part.node, name):
            located.append(part.at("additionalProperties"))


def mentions(node: dict[str, Any], name: str) -> bool:
    """Return whether *node* itself names a property, or matches it by a pattern."""
    own, patterns = node.get("properties"), node.get("patternProperties")
    if isinstance(own, dict) and name in own:
        return True
    return isinstance(patterns, dict) and any(
        matches_portably(pattern, name, unknown=False) for pattern in patterns
    )


def list_closing(parts: Parts, keyword: str) -> list[Part]:
    """Return the *parts* in which *keyword* refuses all properties that it applies to."""
    return [part for part in parts if part.get(keyword) is False or part.get(keyword) in _REFUSING]


def refuses(view: SchemaView, name: str) -> bool:
    """Return whether an object of this schema can't have the property *name*.

    `additionalProperties` knows what is directly beside it (JSON Schema 2020-12, core, section
    10.3.2.3), `unevaluatedProperties` everything that the schema names (section 11.3).
    """
    if name in view.properties:
        return any(node is False or node in _REFUSING for node, _ in view.properties[name])
    if any(
        not mentions(part.node, name) for part in list_closing(view.parts, "additionalProperties")
    ):
        return True
    return any(
        not any(
            mentions(part.node, name) or part.node.get("additionalProperties", False) is not False
            for part in list_within(view, closed)
        )
        for closed in list_closing(view.parts, "unevaluatedProperties")
    )


def list_within(view: SchemaView, part: Part) -> list[Part]:
    """Return *part* and all parts below it, which its unevaluated keywords know.

    Source: JSON Schema 2020-12, core, section 11.
    """
    # a part that several refer to is listed once, with what is above it in one of them
    below = view.schemas.reader.parts([Located(part.node, part.pointer)])
    known = {id(one.node) for one in below}
    return [one for one in view.parts if one is part or id(one.node) in known]
