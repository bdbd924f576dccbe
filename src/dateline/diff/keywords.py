"""What two schemas say with one keyword in, how that differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from dateline.diff.graph import NodePair
from dateline.diff.views import APPLICATORS, KNOWN, SCHEMA_MAPS, SchemaView, within
from dateline.model import EXTENSIBLE, Kind
from dateline.schema.dialect import NOTES
from dateline.schema.parts import Part
from dateline.schema.references import Located
from dateline.schema.values import text

KEYWORD: Final = (Kind.KEYWORD_ADDED, Kind.KEYWORD_REMOVED, Kind.KEYWORD_CHANGED)
NOTE: Final = (Kind.DOCUMENTATION_CHANGED,) * 3
EXTENSION: Final = (Kind.EXTENSION_CHANGED,) * 3
_OTHER: Final = (Kind.OTHER,) * 3


def kinds_of(keyword: str, known: Iterable[str]) -> tuple[Kind, Kind, Kind]:
    """Return what it is called that *keyword* came, went or changed."""
    if keyword in NOTES:
        return NOTE
    if keyword.startswith("x-"):
        return EXTENSION
    return KEYWORD if keyword in known else _OTHER


def differences(
    pair: NodePair,
    keyword: str,
    before: Iterable[Located | None],
    after: Iterable[Located | None],
    kinds: tuple[Kind, Kind, Kind],
) -> None:
    """Note which of the values of *keyword* came, went or changed; None is no value."""
    ours = {text(node.value): node for node in before if node}
    theirs = {text(node.value): node for node in after if node}
    gone = [fact for key, fact in ours.items() if key not in theirs]
    came = [fact for key, fact in theirs.items() if key not in ours]
    if len(gone) == len(came) == 1:
        changed(pair, kinds[2], keyword, gone[0], came[0])
        return
    for fact in gone:
        one_sided(pair, kinds[1], keyword, fact, added=False)
    for fact in came:
        one_sided(pair, kinds[0], keyword, fact, added=True)


def changed(
    pair: NodePair, kind: Kind, keyword: str, before: Located, after: Located, **told: Any
) -> None:
    """Note what has one value before and another after."""
    pair.add(
        kind,
        keyword,
        before_pointer=before.pointer,
        after_pointer=after.pointer,
        before=before.value,
        after=after.value,
        **told,
    )


def one_sided(
    pair: NodePair, kind: Kind, keyword: str, node: Located, *, added: bool, **told: Any
) -> None:
    """Note what stands on one side only."""
    if added:
        pair.add(kind, keyword, after_pointer=node.pointer, after=node.value, **told)
    else:
        pair.add(kind, keyword, before_pointer=node.pointer, before=node.value, **told)


def keyword_one_sided(pair: NodePair, keyword: str, fact: Located, *, added: bool) -> None:
    kind = Kind.KEYWORD_ADDED if added else Kind.KEYWORD_REMOVED
    one_sided(pair, kind, keyword, fact, added=added)


def compare_required(
    pair: NodePair,
    before: SchemaView,
    after: SchemaView,
    renamed: dict[str, str],
    access: Callable[[list[Located], list[Located]], str],
) -> None:
    """Compare what is required of fields that stand on both sides, or in `required` only."""
    both = [
        (name, renamed.get(name, name))
        for name in before.properties
        if renamed.get(name, name) in after.properties
    ]
    undeclared = [
        (name, name)
        for name in dict.fromkeys((*before.required, *after.required))
        if name not in before.properties and name not in after.properties
    ]
    for old, new in (*both, *undeclared):
        kept = access(before.properties.get(old, []), after.properties.get(new, []))
        if new in after.required and old not in before.required:
            pair.add(
                Kind.FIELD_REQUIRED,
                before_pointer=before.properties[old][0].pointer
                if old in before.properties
                else None,
                after_pointer=after.required[new],
                access=kept,
            )
        elif old in before.required and new not in after.required:
            pair.add(
                Kind.FIELD_OPTIONAL,
                before_pointer=before.required[old],
                after_pointer=_property_pointer(after, new),
                access=kept,
            )


def _property_pointer(view: SchemaView, name: str) -> str | None:
    return view.properties[name][0].pointer if name in view.properties else None


def compare_types(pair: NodePair, before: SchemaView, after: SchemaView) -> bool:
    """Compare the types; tell whether anything can satisfy both sides."""
    ours, theirs = before.types, after.types
    valued = before.values is not None and after.values is not None
    if valued and not (before.declared and after.declared):
        # the values say it all, but for those that a type beside them rules out
        shared = (before.values or {}).keys() & (after.values or {}).keys()
        if before.allowed & shared != after.allowed & shared:
            side = after if after.declared else before
            keyword_one_sided(pair, "type", _type_fact(side), added=side is after)
        return True
    if ours is None or theirs is None:
        if ours is None and theirs is not None and after.declared:
            keyword_one_sided(pair, "type", _type_fact(after), added=True)
        elif theirs is None and ours is not None and before.declared:
            keyword_one_sided(pair, "type", _type_fact(before), added=False)
        return True
    gone, came = ours - theirs, theirs - ours
    if gone and came:
        changed(pair, Kind.KEYWORD_CHANGED, "type", _type_fact(before), _type_fact(after))
        return bool((ours & theirs) - {"null"})
    for name in _told_names(gone):
        _type_change(pair, name, before, after, added=False)
    for name in _told_names(came):
        _type_change(pair, name, after, before, added=True)
    return True


def compare_null(pair: NodePair, before: SchemaView, after: SchemaView) -> None:
    """Note whether null passes keywords such as `not` that stand on both sides.

    Where `nullable`, or a null in `enum`, comes or goes beside them, the types may still say null.
    """
    if any(view.types is not None and "null" not in view.types for view in (before, after)):
        return
    both = before.null_passes.keys() & after.null_passes.keys()
    for view, other, added in ((before, after, False), (after, before, True)):
        if any(view.null_passes[said] and not other.null_passes[said] for said in both):
            _type_change(pair, "null", view, other, added=added)


def _told_names(names: set[str]) -> list[str]:
    """Return what is told of types that came or went together: `number` brings `integer`."""
    return sorted(names - {"integer"} if "number" in names else names)


def _type_change(
    pair: NodePair, name: str, view: SchemaView, other: SchemaView, *, added: bool
) -> None:
    """Note a type that *view* has and *other* has not."""
    kind = Kind.TYPE_ADDED if added else Kind.TYPE_REMOVED
    at = view.null_at if name == "null" and view.null_at else view.types_at
    one_sided(pair, kind, "type", Located(name, at), added=added, holder=other.types_at or None)


def _type_fact(view: SchemaView) -> Located:
    names = view.type_names
    return Located(names[0] if len(names) == 1 else names, view.types_at)


def compare_values(pair: NodePair, before: SchemaView, after: SchemaView) -> None:
    ours, theirs = before.values, after.values
    if ours is None or theirs is None:
        for view, other, added in ((before, after, False), (after, before, True)):
            if view.values is not None and not (view.exhaustive and other.types is not None):
                values = [fact.value for fact in view.values.values()]
                keyword = view.values_at.value
                value = values[0] if keyword == "const" and len(values) == 1 else values
                keyword_one_sided(
                    pair, keyword, Located(value, view.values_at.pointer), added=added
                )
        return
    if len(ours) == len(theirs) == 1:
        (old, first), (new, second) = *ours.items(), *theirs.items()
        if old != new:
            changed(pair, Kind.KEYWORD_CHANGED, "const", first, second)
        return
    _entries(
        pair,
        (Kind.VALUE_REMOVED, Kind.VALUE_ADDED),
        "enum",
        _without_told(before, after),
        _without_told(after, before),
        (before.values_at.pointer, after.values_at.pointer),
    )


def _without_told(view: SchemaView, other: SchemaView) -> dict[str, Located]:
    """Return the values but null where the types have told already that it came or went."""
    values = view.values or {}
    told = (view.types or set()) ^ (other.types or set())
    if view.declared and other.declared and "null" in told:
        return {key: fact for key, fact in values.items() if key != "null"}
    return values


def compare_open_values(pair: NodePair, before: SchemaView, after: SchemaView) -> None:
    ours, theirs = before.open_values, after.open_values
    if ours is None or theirs is None:
        for view, added in ((before, False), (after, True)):
            if view.open_values is not None:
                listed = [fact.value for fact in view.open_values.values()]
                keyword_one_sided(
                    pair, EXTENSIBLE, Located(listed, view.open_values_at), added=added
                )
        return
    _entries(
        pair,
        (Kind.OPEN_VALUE_REMOVED, Kind.OPEN_VALUE_ADDED),
        EXTENSIBLE,
        ours,
        theirs,
        (before.open_values_at, after.open_values_at),
    )


def _entries(
    pair: NodePair,
    kinds: tuple[Kind, Kind],
    keyword: str,
    before: dict[str, Located],
    after: dict[str, Located],
    holders: tuple[str, str],
) -> None:
    """Note the values that stand in one of two sets only."""
    for key, fact in before.items():
        if key not in after:
            one_sided(pair, kinds[0], keyword, fact, added=False, holder=holders[1])
    for key, fact in after.items():
        if key not in before:
            one_sided(pair, kinds[1], keyword, fact, added=True, holder=holders[0])


def compare_value_notes(pair: NodePair, before: SchemaView, after: SchemaView) -> None:
    """Compare what is said of the values that stand on both sides."""
    if not before.value_notes and not after.value_notes:
        return
    ours = {str(fact.value) for fact in (before.values or {}).values()}
    theirs = {str(fact.value) for fact in (after.values or {}).values()}
    for value, keyword in sorted(before.value_notes.keys() | after.value_notes.keys()):
        if (value in ours) == (value in theirs):
            first, second = (side.value_notes.get((value, keyword)) for side in (before, after))
            differences(pair, keyword, [first], [second], kinds_of(keyword, KNOWN))


# What a keyword says depends on these where they stand right beside it, and on nothing that
# another member of an `allOf` says (JSON Schema 2020-12, core, sections 10.2.2 and 10.3); what the
# unevaluated ones say depends on what stands below them, too (section 11).
_BRANCHES: Final = ("anyOf", "oneOf", "if", "then", "else")
_BESIDE: Final = {
    "additionalProperties": ("patternProperties",),
    "items": ("prefixItems",),
    "contains": ("minContains", "maxContains"),
    "if": ("then", "else"),
    "unevaluatedProperties": (
        *("properties", "patternProperties", "additionalProperties", "dependentSchemas"),
        *_BRANCHES,
    ),
    "unevaluatedItems": ("items", "prefixItems", "contains", *_BRANCHES),
}

_DEEP: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_SILENT: Final = " takes anything"


def compare_neighbours(pair: NodePair, before: SchemaView, after: SchemaView) -> None:
    """Note that a keyword stands beside other ones now, though all of them are still there."""
    alone = len(before.parts) == len(after.parts) == 1
    for keyword, beside in _BESIDE.items():
        if alone and keyword not in _DEEP:
            continue
        ours, theirs = _with(before, keyword), _with(after, keyword)
        if not (ours and theirs):
            continue
        first, second = (_names(view.parts, beside) for view in (before, after))
        # what came or went is told by itself, unless it says nothing alone
        common = (first & second) | {name for name in first ^ second if name.endswith(_SILENT)}
        if _grouped(before, ours, keyword, common) != _grouped(after, theirs, keyword, common):
            nodes = (
                Located(part.node[keyword], f"{part.pointer}/{keyword}")
                for part in (ours[0], theirs[0])
            )
            changed(pair, Kind.KEYWORD_CHANGED, keyword, *nodes)


def _with(view: SchemaView, keyword: str) -> list[Part]:
    """Return the parts in which *keyword* says something."""
    silent: tuple[Any, ...] = (True, {}) if keyword in APPLICATORS else ()
    return [
        part
        for part in view.parts
        if keyword in part.node and keyword not in part.skip and part.node[keyword] not in silent
    ]


def _grouped(
    view: SchemaView, parts: Iterable[Part], keyword: str, common: set[str]
) -> set[frozenset[str]]:
    """Return which of the *common* names each of *parts* knows."""
    return {
        frozenset(
            _names(within(view, part) if keyword in _DEEP else [part], _BESIDE[keyword]) & common
        )
        for part in parts
    }


def _names(parts: Iterable[Part], keywords: Iterable[str]) -> set[str]:
    """Return which of *keywords* stand in *parts*; of properties, patterns and items, which ones.

    `anyOf` and `oneOf` are one name.
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
            elif keyword in APPLICATORS and value in (True, {}):
                found.add(keyword + _SILENT)
            else:
                found.add("anyOf" if keyword == "oneOf" else keyword)
    return found
