"""What a schema says, keyword by keyword, whichever way it is spelt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from dateline.model import EXTENSIBLE
from dateline.openapi import OBJECTS
from dateline.regex.engines import compile_portable
from dateline.schema.dialect import OR_NULL
from dateline.schema.parts import NEVER, VALUE, Part, Parts, value_of
from dateline.schema.references import Located, escape
from dateline.schema.types import type_of
from dateline.schema.values import text

ENUM_NOTES: Final = "x-enum-descriptions"

APPLICATORS: Final = (
    *("items", "additionalProperties", "propertyNames", "contentSchema"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
"""Keywords that hold one schema, below which less stays less. True and `{}` say nothing there."""

OPAQUE: Final = ("not", "if", "then", "else", "contains")
"""Keywords that hold one schema, below which less can mean more."""

SCHEMA_MAPS: Final = ("patternProperties", "dependentSchemas", "prefixItems")
DEFINITIONS: Final = ("$defs", "definitions")

_REFUSING: Final = (NEVER, {"not": True})

# Keywords that are absent when they say this.
_DEFAULTS: Final[dict[str, Any]] = {
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly", "uniqueItems", "nullable"), False),
    **dict.fromkeys(("minLength", "minItems", "minProperties"), 0),
}
# Of several bounds only the tightest counts.
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


class Variant(NamedTuple):
    """One member of a union, and the component that it refers to, if it does."""

    node: Located
    parts: Parts
    target: str
    name: str | None


class Variants(NamedTuple):
    """A `oneOf` or `anyOf` of more than one member, and the part that declares it.

    Or, with the keyword `discriminator`, the schemas that extend a discriminated one: variants
    of it wherever it stands. ``null`` leads to what lets null pass beside the members, if
    anything does; ``own`` is the variant that stands here itself, ``told`` where all stand that
    the same discriminator tells apart.
    """

    keyword: str
    pointer: str
    members: tuple[Variant, ...]
    discriminator: Located | None
    null: str
    part: Part
    own: Variant | None = None
    told: frozenset[str] = frozenset()

    @property
    def targets(self) -> frozenset[str]:
        """Where the schemas stand whose tags are compared, here or elsewhere."""
        return self.told.union(member.target for member in self.members)


class SchemaView:
    """All that a schema says, each thing with the pointer to what declares it."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.pointer = parts[0].pointer if parts else ""
        self.types: set[str] | None = None
        self.types_at = ""
        self.declared = False
        # keywords that may refuse null and can't be looked into: whether null passes all the same
        self.null_passes: dict[str, bool] = {}
        self.null_at = ""
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

    @property
    def never(self) -> bool:
        """Whether nothing satisfies it: `false`."""
        return any(part.node is NEVER for part in self.parts)

    @property
    def allowed(self) -> set[str]:
        """The keys of the values that the types let pass."""
        return {
            key
            for key, node in (self.values or {}).items()
            if self.types is None or type_of(node.value) in self.types
        }

    @property
    def exhaustive(self) -> bool:
        """Whether the values are all that the types have: a boolean is true or false."""
        finite = {"boolean": {"true", "false"}, "null": {"null"}}
        if self.types is None or not self.types <= finite.keys():
            return False
        return self.allowed == set().union(*(finite[name] for name in self.types))

    @property
    def type_names(self) -> list[str]:
        """The types, sorted; `integer` goes without saying beside `number`."""
        names = self.types or set()
        return sorted(names - {"integer"} if "number" in names else names)

    def rest(self, union: Variants) -> Parts:
        """Return the parts without what *union* says."""
        skipped = {union.keyword, "discriminator"}
        return tuple(
            part._replace(skip=part.skip | skipped) if part is union.part else part
            for part in self.parts
        )

    def member(self, union: Variants, member: Variant) -> Parts:
        """Return what *union* says beside its members, with one of them."""
        above = (*union.part.above, union.part.node)
        own = {id(part.node) for part in self.parts}
        return self.rest(union) + tuple(
            part._replace(above=above + part.above, null=part.null or union.null)
            for part in member.parts
            # a union that is a member of itself says nothing more there
            if id(part.node) not in own
        )


def is_default(keyword: str, value: Any) -> bool:
    """Tell whether *keyword* says what its absence would say, too."""
    default = _DEFAULTS.get(keyword)
    return (
        default is not None
        and isinstance(value, bool) == isinstance(default, bool)
        and bool(value == default)
    )


def plain(view: SchemaView, keyword: str, fact: Located) -> None:
    facts = view.facts.setdefault(keyword, [])
    if all(text(known.value) != text(fact.value) for known in facts):
        facts.append(fact)


def enumerate_values(
    view: SchemaView, members: list[Located], null: str, declared: Located
) -> None:
    """Read a union of values, each with its notes, as an enumeration."""
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


def _type(view: SchemaView, part: Part, fact: Located) -> None:
    names = fact.value if isinstance(fact.value, list) else [fact.value]
    if not all(isinstance(name, str) for name in names):
        plain(view, "type", fact)
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


def _enum(view: SchemaView, part: Part, fact: Located) -> None:
    if not isinstance(fact.value, list):
        plain(view, "enum", fact)
        return
    values: dict[str, Located] = {}
    for index, value in enumerate(fact.value):
        values.setdefault(text(value), Located(value, f"{fact.pointer}/{index}"))
    if part.null:
        # in 3.0 documents null is seldom repeated among the values
        values.setdefault("null", Located(None, part.null))
    _narrow(view, values, Located("enum", fact.pointer))


def _const(view: SchemaView, part: Part, fact: Located) -> None:
    values = {text(fact.value): fact}
    if part.null:
        values.setdefault("null", Located(None, part.null))
    _narrow(view, values, Located("const", fact.pointer))


def _bound(view: SchemaView, _part: Part, fact: Located) -> None:
    keyword = fact.pointer.rsplit("/", 1)[1]
    value = fact.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        plain(view, keyword, fact)
        return
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 5.0 is no other bound than 5
    facts = view.facts.setdefault(keyword, [])
    facts.append(Located(value, fact.pointer))
    numbers = [known for known in facts if isinstance(known.value, int | float)]
    tightest = _TIGHTEST[keyword](known.value for known in numbers)
    facts[:] = [next(known for known in numbers if known.value == tightest)]


def _properties(view: SchemaView, _part: Part, fact: Located) -> None:
    if not isinstance(fact.value, dict):
        plain(view, "properties", fact)
        return
    for name, child in fact.value.items():
        located = Located(child, f"{fact.pointer}/{escape(name)}")
        view.properties.setdefault(name, []).append(located)


def _required(view: SchemaView, _part: Part, fact: Located) -> None:
    if not isinstance(fact.value, list):
        plain(view, "required", fact)
        return
    for index, name in enumerate(fact.value):
        view.required.setdefault(name, f"{fact.pointer}/{index}")


def _one(view: SchemaView, _part: Part, fact: Located) -> None:
    keyword = fact.pointer.rsplit("/", 1)[1]
    if isinstance(fact.value, dict | bool):
        view.below.setdefault(keyword, []).append(fact)
    else:
        plain(view, keyword, fact)


def _many(view: SchemaView, _part: Part, fact: Located) -> None:
    keyword = fact.pointer.rsplit("/", 1)[1]
    entries: Iterable[tuple[Any, Any]]
    if isinstance(fact.value, dict):
        entries = fact.value.items()
    elif isinstance(fact.value, list):
        entries = enumerate(fact.value)
    else:
        plain(view, keyword, fact)
        return
    known = view.maps.setdefault(keyword, {})
    for name, child in entries:
        located = Located(child, f"{fact.pointer}/{escape(str(name))}")
        known.setdefault(str(name), []).append(located)


def _examples(view: SchemaView, part: Part, fact: Located) -> None:
    # published by rule beside an open-ended set: they say nothing of their own
    listed = part.node.get(EXTENSIBLE)
    if not (
        isinstance(listed, list)
        and isinstance(fact.value, list)
        and sorted(map(text, listed)) == sorted(map(text, fact.value))
    ):
        plain(view, "examples", fact)


def _open_values(view: SchemaView, _part: Part, fact: Located) -> None:
    if not isinstance(fact.value, list):
        plain(view, EXTENSIBLE, fact)
        return
    view.open_values_at = view.open_values_at or fact.pointer
    view.open_values = view.open_values or {}
    for index, value in enumerate(fact.value):
        view.open_values.setdefault(text(value), Located(value, f"{fact.pointer}/{index}"))


def _enum_notes(view: SchemaView, _part: Part, fact: Located) -> None:
    if not isinstance(fact.value, dict):
        plain(view, ENUM_NOTES, fact)
        return
    for value, note in fact.value.items():
        noted = Located(note, f"{fact.pointer}/{escape(value)}")
        view.value_notes.setdefault((value, "description"), noted)


READERS: Final[dict[str, Callable[[SchemaView, Part, Located], None]]] = {
    "type": _type,
    OR_NULL: lambda _view, _part, _fact: None,  # said by the part
    "enum": _enum,
    "const": _const,
    "properties": _properties,
    "required": _required,
    "examples": _examples,
    EXTENSIBLE: _open_values,
    ENUM_NOTES: _enum_notes,
    **dict.fromkeys(_TIGHTEST, _bound),
    **dict.fromkeys((*APPLICATORS, *OPAQUE), _one),
    **dict.fromkeys((*SCHEMA_MAPS, *DEFINITIONS), _many),
}


def settle(view: SchemaView) -> None:
    """Let null and the values have their say on the types."""
    for part in view.parts:
        for keyword in _NULL_REFUSING & part.node.keys() - part.skip:
            said = f"{keyword} {text(part.node[keyword])}"
            view.null_passes[said] = bool(part.null) and view.null_passes.get(said, True)
        view.null_at = view.null_at or part.null
    if view.values is None:
        return
    if view.types is None:
        view.types = {type_of(fact.value) for fact in view.values.values()}
        view.types_at = view.values_at.pointer


def reach_others(view: SchemaView, part: Part) -> None:
    """Let what a part says of all other fields hold for the fields that other parts name.

    `additionalProperties` knows only the fields that are named right beside it (JSON Schema
    2020-12, core, section 10.3.2.3).
    """
    schema = part.node.get("additionalProperties")
    if schema is not False and not isinstance(schema, dict):
        return
    for name, located in view.properties.items():
        if not speaks_of(part.node, name):
            located.append(Located(schema, f"{part.pointer}/additionalProperties"))


def speaks_of(node: dict[str, Any], name: str) -> bool:
    """Tell whether *node* itself names a property, or matches it by a pattern."""
    own, patterns = node.get("properties"), node.get("patternProperties")
    if isinstance(own, dict) and name in own:
        return True
    return isinstance(patterns, dict) and any(matches(pattern, name) for pattern in patterns)


def closed_at(view: SchemaView, keyword: str) -> list[Part]:
    """Return the parts in which *keyword* refuses all properties that it is asked about."""
    return [
        part
        for part in view.parts
        if keyword in part.node
        and keyword not in part.skip
        and (part.node[keyword] is False or part.node[keyword] in _REFUSING)
    ]


def refuses(view: SchemaView, name: str) -> bool:
    """Tell whether an object of this schema can't have the property *name*.

    `additionalProperties` knows what stands right beside it (JSON Schema 2020-12, core, section
    10.3.2.3), `unevaluatedProperties` all that the schema names (section 11.3).
    """
    if name in view.properties:
        return any(node is False or node in _REFUSING for node, _ in view.properties[name])
    if any(not speaks_of(part.node, name) for part in closed_at(view, "additionalProperties")):
        return True
    return any(
        not any(
            speaks_of(part.node, name) or part.node.get("additionalProperties", False) is not False
            for part in within(view, closed)
        )
        for closed in closed_at(view, "unevaluatedProperties")
    )


def within(view: SchemaView, part: Part) -> list[Part]:
    """Return *part* and the parts that it leads to: all that its unevaluated keywords know of.

    Source: JSON Schema 2020-12, core, section 11.
    """
    return [
        one for one in view.parts if one is part or any(node is part.node for node in one.above)
    ]


def matches(pattern: str, name: str) -> bool:
    """Return whether *pattern* is found in *name*; False for one that engines differ about."""
    compiled = compile_portable(pattern)
    return compiled is not None and compiled.search(name) is not None
