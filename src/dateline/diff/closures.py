"""Find the properties that objects of a schema can't have, or have only conditionally."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dateline.diff.defaults import takes_anything
from dateline.diff.overlaps import find_overlapping
from dateline.diff.views import (
    SchemaView,
    is_assertion,
    list_closing,
    mentions,
    refuses,
)
from dateline.regex.engines import matches_portably
from dateline.schema.references import Located

# How far below a schema conditions on a property are searched.
_DEPTH: Final = 6
# Keywords of `propertyNames` that are evaluated; any other may refuse a name.
_OF_NAMES: Final = frozenset({"minLength", "maxLength", "pattern"})
# Keywords that alone restrict no value in any dialect.
_IDLE: Final = frozenset({"nullable"})
# Keywords that depend on properties without naming them.
_COUNTING: Final = frozenset({"minProperties", "maxProperties", "propertyNames"})


def forbids(view: SchemaView, name: str, count: int, depth: int = _DEPTH) -> bool:
    """Return whether an object of a schema may be invalid because it gets the property *name*.

    *count* is the number of properties that the object has then. The schema of the property's value
    is ignored, unless it is `false`.
    """
    if depth == 0 or refuses(view, name) or _may_refuse_name(view, name):
        return True
    sizes = [fact.value for fact in view.facts.get("maxProperties", ())]
    if any(isinstance(size, int | float) and size < count for size in sizes):
        return True
    if view.values is not None and not any(
        isinstance(view.values[key].value, dict) and name in view.values[key].value
        for key in view.allowed
    ):
        return True
    if any(node is False for node, _ in list_matching(view, name)):
        return True
    for fact in view.facts.get("dependentRequired", ()):
        needed = fact.value.get(name, ()) if isinstance(fact.value, dict) else ()
        if not view.required.keys() >= set(needed):
            return True
    if any(_depends_on(each, name, depth) for each in _read(view, _conditions(view))):
        return True
    depending = view.maps.get("dependentSchemas", {})
    if not all(takes_anything(node) for node, _ in depending.get(name, ())):
        return True
    below = [*depending.values(), *([node] for node in _alternatives(view))]
    members = [view.schemas.read(located) for located in below]
    for union in view.unions:
        views = [member.view for member in union.members]
        members += [member for member in views if _takes_objects(member)]
        shared = find_overlapping(union)
        if any(
            member.node.pointer in shared and name in each.required
            for member, each in zip(union.members, views, strict=True)
        ):
            return True  # with the property a value may be valid for two members of a `oneOf`
    return any(forbids(member, name, count, depth - 1) for member in members)


def list_names(view: SchemaView, depth: int = _DEPTH) -> set[str]:
    """Return the properties that a schema names, including the members of its unions."""
    found = set(view.properties)
    if depth:
        for union in view.unions:
            for member in union.members:
                found |= list_names(member.view, depth - 1)
    return found


def list_matching(view: SchemaView, name: str) -> list[Located]:
    """Return what `patternProperties` says about the property *name*."""
    return [
        node
        for pattern, located in view.maps.get("patternProperties", {}).items()
        if matches_portably(pattern, name, unknown=False)
        for node in located
    ]


def list_unnamed(view: SchemaView, name: str) -> list[Located]:
    """Return what *view* says about the field *name* as one that it does not name.

    Empty if it allows no such fields, or takes any value there.
    """
    return [
        part.at(keyword)
        for part in view.parts
        for keyword in ("additionalProperties", "unevaluatedProperties")
        if isinstance(part.get(keyword), dict)
        and part.node[keyword].keys() - _IDLE
        and part not in list_closing(view.parts, keyword)
        and not mentions(part.node, name)
    ]


def _takes_objects(view: SchemaView) -> bool:
    return not view.never and (view.types is None or "object" in view.types)


def _conditions(view: SchemaView) -> Iterator[Located]:
    for keyword in ("not", "if"):
        yield from view.below.get(keyword, ())


def _alternatives(view: SchemaView) -> Iterator[Located]:
    for keyword in ("then", "else"):
        yield from view.below.get(keyword, ())


def _read(view: SchemaView, located: Iterable[Located]) -> list[SchemaView]:
    return [view.schemas.read([each]) for each in located]


def _may_refuse_name(view: SchemaView, name: str) -> bool:
    """Return whether `propertyNames` may refuse *name*."""
    if "propertyNames" not in view.below:
        return False
    names = view.under("propertyNames")
    if names.never or (names.types is not None and "string" not in names.types):
        return True
    if names.values is not None and all(names.values[key].value != name for key in names.allowed):
        return True
    asserted = {keyword for keyword in names.facts if is_assertion(keyword)}
    if names.unions or names.below or not asserted <= _OF_NAMES:
        return True
    facts = {key: [fact.value for fact in names.facts.get(key, ())] for key in _OF_NAMES}
    return (
        any(len(name) < low for low in facts["minLength"])
        or any(len(name) > high for high in facts["maxLength"])
        or any(not matches_portably(pattern, name, unknown=False) for pattern in facts["pattern"])
    )


def _depends_on(view: SchemaView, name: str, depth: int) -> bool:
    """Return whether validity for a schema depends on the presence of the property *name*."""
    if depth == 0:
        return True
    if name in view.required or name in view.properties or view.values is not None:
        return True
    if not _COUNTING.isdisjoint(view.facts.keys() | view.below.keys()):
        return True
    if list_matching(view, name) or refuses(view, name):
        return True
    if view.below.keys() & {"additionalProperties", "unevaluatedProperties"}:
        return True
    if any(name in fact.value for fact in view.facts.get("dependentRequired", ())):
        return True
    depending = view.maps.get("dependentSchemas", {})
    below = [
        *_conditions(view),
        *_alternatives(view),
        *(n for each in depending.values() for n in each),
    ]
    below += [member.node for union in view.unions for member in union.members]
    return name in depending or any(
        _depends_on(each, name, depth - 1) for each in _read(view, below)
    )
