"""Which properties the objects of a schema can't have, or have on conditions only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dateline.diff.overlaps import overlapping
from dateline.diff.schemas import Schemas
from dateline.diff.unions import UnionSide
from dateline.diff.views import SchemaView, matches, refuses
from dateline.schema.dialect import NOTES
from dateline.schema.references import Located

# How far below a schema conditions on a property are looked for.
_DEPTH: Final = 6
# Keywords of `propertyNames` that are evaluated; any other may refuse a name.
_OF_NAMES: Final = frozenset({"minLength", "maxLength", "pattern"})
# Keywords that ask about properties without naming them.
_COUNTING: Final = frozenset({"minProperties", "maxProperties", "propertyNames", "const", "enum"})


def forbids(schemas: Schemas, view: SchemaView, name: str, count: int, depth: int = _DEPTH) -> bool:
    """Tell whether an object of a schema may be refused because it gets the property *name*.

    *count* is the number of properties that the object then may have. What the schema says of
    the property's value is not looked at, unless that is `false`.
    """
    if depth == 0 or refuses(view, name) or _misnames(schemas, view, name):
        return True
    sizes = [fact.value for fact in view.facts.get("maxProperties", ())]
    if any(isinstance(size, int | float) and size < count for size in sizes):
        return True
    if view.values is not None and not any(
        isinstance(view.values[key].value, dict) and name in view.values[key].value
        for key in view.allowed
    ):
        return True
    if any(node is False for node, _ in matching(view, name)):
        return True
    for fact in view.facts.get("dependentRequired", ()):
        needed = fact.value.get(name, ()) if isinstance(fact.value, dict) else ()
        if not view.required.keys() >= set(needed):
            return True
    if any(_asks(schemas, node, name, depth) for node in _conditions(view)):
        return True
    depending = view.maps.get("dependentSchemas", {})
    if any(node not in (True, {}) for node, _ in depending.get(name, ())):
        return True
    below = [*depending.values(), *([node] for node in _alternatives(view))]
    members = [schemas.view(schemas.parts(located)) for located in below]
    for union in view.unions:
        views = [schemas.view(member.parts) for member in union.members]
        members += [member for member in views if _takes_objects(member)]
        shared = overlapping(view, UnionSide(schemas, union))
        if any(
            member.node.pointer in shared and name in each.required
            for member, each in zip(union.members, views, strict=True)
        ):
            return True  # with the property a value may fit two members of a `oneOf`
    return any(forbids(schemas, member, name, count, depth - 1) for member in members)


def named(schemas: Schemas, view: SchemaView, depth: int = _DEPTH) -> set[str]:
    """Return the properties that a schema names, in the members of its unions as well."""
    found = set(view.properties)
    if depth:
        for union in view.unions:
            for member in union.members:
                found |= named(schemas, schemas.view(member.parts), depth - 1)
    return found


def matching(view: SchemaView, name: str) -> list[Located]:
    """Return what `patternProperties` say of the property *name*."""
    return [
        node
        for pattern, located in view.maps.get("patternProperties", {}).items()
        if matches(pattern, name)
        for node in located
    ]


def _takes_objects(view: SchemaView) -> bool:
    return not view.never and (view.types is None or "object" in view.types)


def _conditions(view: SchemaView) -> Iterator[Located]:
    for keyword in ("not", "if"):
        yield from view.below.get(keyword, ())


def _alternatives(view: SchemaView) -> Iterator[Located]:
    for keyword in ("then", "else"):
        yield from view.below.get(keyword, ())


def _misnames(schemas: Schemas, view: SchemaView, name: str) -> bool:
    """Tell whether `propertyNames` does not let *name* pass for certain."""
    if "propertyNames" not in view.below:
        return False
    names = schemas.view(schemas.parts(view.below["propertyNames"]))
    if names.never or (names.types is not None and "string" not in names.types):
        return True
    if names.values is not None and all(names.values[key].value != name for key in names.allowed):
        return True
    said = {key for key in names.facts if key not in NOTES and not key.startswith("x-")}
    if names.unions or names.below or not said <= _OF_NAMES:
        return True
    facts = {key: [fact.value for fact in names.facts.get(key, ())] for key in _OF_NAMES}
    return (
        any(len(name) < low for low in facts["minLength"])
        or any(len(name) > high for high in facts["maxLength"])
        or any(not matches(pattern, name) for pattern in facts["pattern"])
    )


def _asks(schemas: Schemas, located: Located, name: str, depth: int) -> bool:
    """Tell whether what fits a schema depends on whether the property *name* is there."""
    if depth == 0:
        return True
    view = schemas.view(schemas.parts([located]))
    if name in view.required or name in view.properties or view.values is not None:
        return True
    if not _COUNTING.isdisjoint(view.facts.keys() | view.below.keys()):
        return True
    if matching(view, name) or refuses(view, name):
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
    return name in depending or any(_asks(schemas, node, name, depth - 1) for node in below)
