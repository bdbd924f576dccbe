"""Compare one keyword of two schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from dateline.diff.defaults import takes_anything
from dateline.diff.graph import Kinds, NodePair, align
from dateline.diff.views import (
    APPLICATORS,
    KNOWN,
    OPAQUE,
    SCHEMA_MAPS,
    SchemaView,
    list_within,
    without_implied,
)
from dateline.model import EXTENSIBLE, Kind
from dateline.schema.dialect import NOTES
from dateline.schema.parts import Part
from dateline.schema.references import Located, escape
from dateline.schema.values import text
from dateline.schema.words import drop_words

KEYWORD: Final = Kinds(Kind.KEYWORD_ADDED, Kind.KEYWORD_REMOVED)
NOTE: Final = Kinds.all(Kind.DOCUMENTATION_CHANGED)
EXTENSION: Final = Kinds.all(Kind.EXTENSION_CHANGED)
LINK: Final = Kinds.all(Kind.LINK_CHANGED)
_OTHER: Final = Kinds.all(Kind.OTHER)
TYPE: Final = Kinds(Kind.TYPE_ADDED, Kind.TYPE_REMOVED)
_VALUE: Final = Kinds(Kind.VALUE_ADDED, Kind.VALUE_REMOVED)
_OPEN_VALUE: Final = Kinds(Kind.OPEN_VALUE_ADDED, Kind.OPEN_VALUE_REMOVED)


def kinds_of(keyword: str, known: Iterable[str]) -> Kinds:
    """Return the kinds of changes of *keyword*; only *known* ones have a specific meaning."""
    if keyword in NOTES:
        return NOTE
    if keyword.startswith("x-"):
        return EXTENSION
    return KEYWORD if keyword in known else _OTHER


def compare_whole(
    pair: NodePair,
    kind: str,
    kinds: Kinds,
    keyword: str,
    before: Located | None,
    after: Located | None,
) -> None:
    """Compare two objects of a *kind* that are judged as one, but for words and extensions."""
    if before and after:
        for known, extensions in ((NOTE, False), (EXTENSION, True)):
            sides = (
                text(drop_words(kind, side.value, extensions=extensions))
                for side in (before, after)
            )
            if len({*sides}) == 1:
                kinds = known
                break
    pair.compare(kinds, keyword, before, after)


def compare_required(
    pair: NodePair,
    before: SchemaView,
    after: SchemaView,
    renamed: dict[str, str],
    access: Callable[[list[Located], list[Located]], str],
) -> None:
    """Compare `required` for fields that are on both sides, or on one side only in `required`.

    The addition of a field says that it is required now, and its removal that it was. If neither
    schema allows objects, `required` means nothing.
    """
    if not any(view.types is None or "object" in view.types for view in (before, after)):
        return
    both = [
        (name, renamed.get(name, name))
        for name in before.properties
        if renamed.get(name, name) in after.properties
    ]
    known = {name for names in both for name in names}
    undeclared = [
        (name, name)
        for name in dict.fromkeys((*before.required, *after.required))
        if name not in known
        and not any(name in view.properties and name in view.required for view in (before, after))
    ]
    for old, new in (*both, *undeclared):
        if (old in before.required) == (new in after.required):
            continue
        kept = access(before.properties.get(old, []), after.properties.get(new, []))
        if new in after.required:
            node = Located(None, after.required[new])
            pair.add(Kind.FIELD_REQUIRED, "", _property_place(before, old), node, access=kept)
        else:
            node = Located(None, before.required[old])
            pair.add(Kind.FIELD_OPTIONAL, "", node, _property_place(after, new), access=kept)


def _property_place(view: SchemaView, name: str) -> Located | None:
    return Located(None, view.properties[name][0].pointer) if name in view.properties else None


def compare_types(pair: NodePair, before: SchemaView, after: SchemaView) -> bool:
    """Compare the types; return whether any value can be valid on both sides."""
    ours, theirs = before.types, after.types
    valued = before.values is not None and after.values is not None
    if valued and not (before.declared and after.declared):
        # the values decide, except for those that a type beside them excludes
        shared = (before.values or {}).keys() & (after.values or {}).keys()
        if before.allowed & shared != after.allowed & shared:
            side = after if after.declared else before
            pair.add_one(KEYWORD, "type", _type_fact(side), added=side is after)
        return True
    if ours is None or theirs is None:
        side = before if theirs is None else after
        if (ours is None) != (theirs is None) and side.declared:
            pair.add_one(KEYWORD, "type", _type_fact(side), added=side is after)
        return True
    gone, came = ours - theirs, theirs - ours
    if gone and came:
        pair.add(Kind.KEYWORD_CHANGED, "type", _type_fact(before), _type_fact(after))
        return bool((ours & theirs) - {"null"})
    for name in without_implied(gone):
        _add_type(pair, name, before, after, added=False)
    for name in without_implied(came):
        _add_type(pair, name, after, before, added=True)
    return True


def compare_null(pair: NodePair, before: SchemaView, after: SchemaView) -> None:
    """Report whether null is allowed despite keywords such as `not` that are on both sides.

    If `nullable`, or a null in `enum`, is added or removed beside them, the types may still list
    null.
    """
    if any(view.types is not None and "null" not in view.types for view in (before, after)):
        return
    both = before.null_passes.keys() & after.null_passes.keys()
    for view, other, added in ((before, after, False), (after, before, True)):
        if any(view.null_passes[keyword] and not other.null_passes[keyword] for keyword in both):
            _add_type(pair, "null", view, other, added=added)


def _add_type(
    pair: NodePair, name: str, view: SchemaView, other: SchemaView, *, added: bool
) -> None:
    """Report a type that *view* has and *other* has not."""
    at = view.null_at if name == "null" and view.null_at else view.types_at
    pair.add_one(TYPE, "type", Located(name, at), added=added, holder=other.types_at or None)


def _type_fact(view: SchemaView) -> Located:
    names = without_implied(view.types or ())
    return Located(names[0] if len(names) == 1 else names, view.types_at)


def compare_values(pair: NodePair, before: SchemaView, after: SchemaView) -> None:
    """Compare the values of `enum` or `const`."""
    ours, theirs = before.values, after.values
    if ours is None or theirs is None:
        for view, other in ((before, after), (after, before)):
            if view.values is not None and not (view.exhaustive and other.types is not None):
                values = [fact.value for fact in view.values.values()]
                keyword, place = view.values_at
                value = values[0] if keyword == "const" and len(values) == 1 else values
                pair.add_one(KEYWORD, keyword, Located(value, place), added=view is after)
        return
    if len(ours) == len(theirs) == 1:
        (old, first), (new, second) = *ours.items(), *theirs.items()
        if old != new:
            pair.add(Kind.KEYWORD_CHANGED, "const", first, second)
        return
    sides = _values_beside_types(before, after), _values_beside_types(after, before)
    at = before.values_at.pointer, after.values_at.pointer
    _compare_sets(pair, _VALUE, "enum", *sides, at)


def _values_beside_types(view: SchemaView, other: SchemaView) -> dict[str, Located]:
    """Return the values, without a null that was added or removed with a type."""
    values = view.values or {}
    changed = (view.types or set()) ^ (other.types or set())
    if view.declared and other.declared and "null" in changed:
        return {key: fact for key, fact in values.items() if key != "null"}
    return values


def compare_open_values(pair: NodePair, before: SchemaView, after: SchemaView) -> None:
    """Compare the values of `x-extensible-enum`."""
    ours, theirs = before.open_values, after.open_values
    at = before.open_values_at, after.open_values_at
    if ours is not None and theirs is not None:
        _compare_sets(pair, _OPEN_VALUE, EXTENSIBLE, ours, theirs, at)
        return
    first, second = (
        None if values is None else Located([fact.value for fact in values.values()], pointer)
        for values, pointer in zip((ours, theirs), at, strict=True)
    )
    if first or second:
        pair.add(KEYWORD, EXTENSIBLE, first, second)


def _compare_sets(
    pair: NodePair,
    kinds: Kinds,
    keyword: str,
    before: dict[str, Located],
    after: dict[str, Located],
    holders: tuple[str, str],
) -> None:
    """Report the values that only one of two sets has."""
    for key, fact in before.items():
        if key not in after:
            pair.add(kinds, keyword, fact, holder=holders[1])
    for key, fact in after.items():
        if key not in before:
            pair.add(kinds, keyword, None, fact, holder=holders[0])


def compare_value_notes(pair: NodePair, before: SchemaView, after: SchemaView) -> None:
    """Compare the annotations of the values that are on both sides."""
    if not before.value_notes and not after.value_notes:
        return
    ours = {str(fact.value) for fact in (before.values or {}).values()}
    theirs = {str(fact.value) for fact in (after.values or {}).values()}
    for (value, keyword), first, second in align(before.value_notes, after.value_notes):
        if (value in ours) == (value in theirs):
            pair.compare(kinds_of(keyword, KNOWN), keyword, first, second)


# The meaning of a keyword depends on these if they are directly beside it, and on nothing in
# another member of an `allOf` (JSON Schema 2020-12, core, sections 10.2.2 and 10.3); the meaning of
# the unevaluated ones depends on what is below them, too (section 11).
_BRANCHES: Final = ("anyOf", "oneOf", "if", "then", "else")
_BESIDE: Final = {
    "additionalProperties": ("patternProperties",),
    "items": ("prefixItems",),
    "contains": ("minContains", "maxContains", "unevaluatedItems"),
    "if": ("then", "else", "unevaluatedProperties", "unevaluatedItems"),
    "unevaluatedProperties": (
        *("properties", "patternProperties", "additionalProperties", "unevaluatedProperties"),
        *("dependentSchemas", *_BRANCHES),
    ),
    "unevaluatedItems": ("items", "unevaluatedItems", "prefixItems", "contains", *_BRANCHES),
}

_DEEP: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_SILENT: Final = " takes anything"
# What is evaluated beside nothing else is the same with either.
_REST: Final = {"additionalProperties": "unevaluatedProperties", "items": "unevaluatedItems"}
# Keywords that allow less alone, and more beside an unevaluated one that refuses what is left.
_EVALUATING: Final = frozenset({*_DEEP, "contains", "dependentSchemas", "if", "then", "else"})


def compare_neighbours(pair: NodePair, before: SchemaView, after: SchemaView) -> None:
    """Report that a keyword has different neighbours now, though all of them still exist.

    That includes two that exchanged their neighbours: `if` and `then` in members of an `allOf`.
    """
    alone = len(before.parts) == len(after.parts) == 1
    for keyword in _BESIDE:
        if alone and keyword not in _DEEP:
            continue
        ours, theirs = _with(before, keyword), _with(after, keyword)
        if not (ours and theirs):
            continue
        common = _list_common(before, after, keyword)
        groups = _group(before, ours, keyword, common), _group(after, theirs, keyword, common)
        # what is exchanged below others is compared with what has the same neighbours; of several
        # counts, only the strictest are compared
        is_counted = keyword == "contains" and min(len(ours), len(theirs)) > 1
        is_exchanged = keyword in OPAQUE and _are_exchanged(
            _list_values(before, ours, keyword, common),
            _list_values(after, theirs, keyword, common),
            sides=(0,) if is_counted else (0, 1),
        )
        if groups[0] != groups[1] or is_exchanged:
            pair.add(Kind.KEYWORD_CHANGED, keyword, ours[0].at(keyword), theirs[0].at(keyword))


def divide_below(
    keyword: str,
    before: tuple[SchemaView, list[Located]],
    after: tuple[SchemaView, list[Located]],
) -> list[tuple[list[Located], list[Located]]]:
    """Return the schemas of *keyword* in two views, divided by the neighbours of *keyword*.

    With other neighbours, it concerns other fields or items, so the schemas must be compared
    separately. If the neighbours differ between the views, `compare_neighbours` reports it.
    """
    if keyword in _BESIDE and min(len(located) for _, located in (before, after)) > 1:
        common = _list_common(before[0], after[0], keyword)
        ours, theirs = (_divide(*side, keyword, common) for side in (before, after))
        if ours.keys() == theirs.keys():
            return [(located, theirs[names]) for names, located in ours.items()]
    return [(before[1], after[1])]


def _divide(
    view: SchemaView, located: list[Located], keyword: str, common: set[str]
) -> dict[frozenset[str], list[Located]]:
    found: dict[frozenset[str], list[Located]] = {}
    places = {each.pointer for each in located}
    for part in view.parts:
        at = part.at(keyword) if keyword in part.node else None
        if at and at.pointer in places:
            [names] = _group(view, [part], keyword, common)
            found.setdefault(names, []).append(at)
    return found


def _list_common(before: SchemaView, after: SchemaView, keyword: str) -> set[str]:
    """Return the neighbours of *keyword* that decide whether it has the same meaning in both.

    Additions and removals are differences by themselves, unless they mean nothing alone, or the
    opposite of what they mean alone.
    """
    first, second = (_list_names(view, view.parts, keyword) for view in (before, after))
    return (first & second) | {name for name in first ^ second if _evaluates(name)}


def _with(view: SchemaView, keyword: str) -> list[Part]:
    """Return the parts in which *keyword* has a meaning."""
    return [
        part
        for part in view.parts
        if keyword in part.node
        and keyword not in part.skip
        and not (keyword in APPLICATORS and takes_anything(part.node[keyword]))
    ]


def _group(
    view: SchemaView, parts: Iterable[Part], keyword: str, common: set[str]
) -> set[frozenset[str]]:
    """Return which of the *common* names each of *parts* knows."""
    return {
        frozenset(
            _list_names(view, list_within(view, part) if keyword in _DEEP else [part], keyword)
            & common
        )
        for part in parts
    }


def _list_values(
    view: SchemaView, parts: Iterable[Part], keyword: str, common: set[str]
) -> set[tuple[str, str]]:
    """Return what *keyword* says in each of *parts*, and what the neighbours do that it knows."""
    return {
        (
            _write(part.node[keyword]),
            text(
                [
                    sorted(*_group(view, [part], keyword, common)),
                    {key: _write(part.node[key]) for key in _BESIDE[keyword] if key in part.node},
                ]
            ),
        )
        for part in parts
    }


def _write(value: Any) -> str:
    """Return a schema or a number as text without the words that only explain it."""
    return text(drop_words("schema", value, extensions=False))


def _are_exchanged(
    before: set[tuple[str, str]], after: set[tuple[str, str]], sides: tuple[int, ...]
) -> bool:
    """Return whether the same values or neighbours, those of *sides*, are combined otherwise."""
    return before != after and all(
        {each[side] for each in before} == {each[side] for each in after} for side in sides
    )


def _list_names(view: SchemaView, parts: Iterable[Part], keyword: str) -> set[str]:
    """Return what *keyword* depends on in *parts* and in their branches."""
    parts = list(parts)
    found = _names(parts, _BESIDE[keyword])
    if keyword not in _DEEP:
        return found
    rest = [key for part in parts for key in part.node if _REST.get(key, key) == keyword]
    if len(rest) < 2:
        found.discard(keyword)  # it evaluates nothing for itself
    return found.union(_list_evaluating(view, parts, keyword, "", ()))


def _evaluates(name: str) -> bool:
    """Return whether *name* lets an unevaluated keyword refuse less; those in branches all do."""
    keyword = name.removesuffix(_SILENT).partition("/")[0]
    return not keyword or name.endswith(_SILENT) or keyword in _EVALUATING


def _list_evaluating(
    view: SchemaView, parts: Iterable[Part], keyword: str, at: str, met: tuple[int, ...]
) -> Iterator[str]:
    """Yield what branches of *parts* evaluate.

    A comparison of the branches alone finds no difference in these, or the opposite one.
    """
    for part in parts:
        if id(part.node) in met:
            continue
        for step, located in _list_branches(part):
            below = view.schemas.reader.parts([located])
            place = f"{at}/{step}"
            for name in _names(below, _BESIDE[keyword]):
                if _evaluates(name):
                    yield f"{place}/{name}"
            yield from _list_evaluating(view, below, keyword, place, (*met, id(part.node)))


def _list_branches(part: Part) -> Iterator[tuple[str, Located]]:
    """Yield the schemas that may apply to a value in addition to *part*, and their paths."""
    for keyword in (*_BRANCHES, "dependentSchemas"):
        if keyword in part.skip or keyword not in part.node:
            continue
        node, pointer = part.at(keyword)
        called = "anyOf" if keyword == "oneOf" else keyword
        if keyword in ("if", "then", "else"):
            yield called, Located(node, pointer)
        elif isinstance(node, dict | list):
            for name, child in node.items() if isinstance(node, dict) else enumerate(node):
                yield f"{called}/{name}", Located(child, f"{pointer}/{escape(str(name))}")


def _names(parts: Iterable[Part], keywords: Iterable[str]) -> set[str]:
    """Return the *keywords* in *parts*, and for properties, patterns and items their names.

    `anyOf` and `oneOf` are one name, as are `items` and `unevaluatedItems`.
    """
    found: set[str] = set()
    for part in parts:
        for keyword in keywords:
            value = part.node.get(keyword)
            if value is None or keyword in part.skip:
                continue
            if keyword in ("properties", *SCHEMA_MAPS) and isinstance(value, dict | list):
                entries = sorted(value) if isinstance(value, dict) else range(len(value))
                found.update(f"{keyword}/{entry}" for entry in entries)
            elif keyword in APPLICATORS and takes_anything(value):
                found.add(_REST.get(keyword, keyword) + _SILENT)
            else:
                found.add("anyOf" if keyword == "oneOf" else _REST.get(keyword, keyword))
    return found
