"""Find the keywords that a value may violate once it was converted to an older version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from dateline.contracts.flat import SCALAR, FlatSchema, GatedMember, View
from dateline.contracts.histories import Way
from dateline.contracts.nodes import Node
from dateline.contracts.relations import Conversion, Effect, fits_all
from dateline.contracts.withheld import list_alternatives, list_losses
from dateline.schema.values import text
from dateline_runtime.shapes import list_parts


def list_broken(view: View, flat: FlatSchema, inner: Node) -> tuple[str, ...]:
    """Return the keywords of *flat* that a value may violate once it went through *inner*."""
    if flat.unions:
        # members are read together with the keywords beside the union, their substitutes alone
        around = ["properties"] * (flat.objects > sum(each.is_object for each in flat.unions))
        around += [key for key, _ in flat.relating]
        parts = [each for each in list_parts(inner) if not isinstance(each, str)]
        broken = around if any("shown_as" in each for each in parts) else []
        if view.way is Way.UP:
            # responses that fit no member, or several, are known from the schema that they must fit
            broken = [*broken, *_list_violated_unions(view, flat, inner)]
        return tuple(dict.fromkeys(broken))
    nodes = {"".join(flat.types) if len(flat.types) == 1 else "": inner}
    if isinstance(inner, dict) and "types" in inner:
        nodes = inner["types"]
    broken = [
        key
        for kind, node in nodes.items()
        if node is not None
        for key in _list_violated(view, flat, kind, node)
    ]
    return tuple(dict.fromkeys(broken))


def _list_violated_unions(view: View, flat: FlatSchema, node: Node) -> Iterator[str]:
    """Yield the keywords of unions of conditions that objects may violate after *node*."""
    if not isinstance(node, dict):
        return
    found = _describe_conversion(view, flat, "object", node)
    for union in flat.unions:
        keyword = "oneOf" if union.is_one else "anyOf"
        schemas = [each.schema for each in union.members]
        is_known = all(isinstance(each, dict) and each.keys() <= _CONDITIONS for each in schemas)
        if is_known and Effect.BREAKS in found.find_effect(keyword, schemas):
            yield keyword
    for below in list_alternatives(node):
        yield from _list_violated_unions(view, flat, below)


# Keywords of members that only say which fields an object has.
_CONDITIONS: Final = frozenset({"required", "not", "type", "title", "description"})


def _list_violated(view: View, flat: FlatSchema, kind: str, node: Node) -> Iterator[str]:
    """Yield the keywords of *flat* that values of the type *kind* may violate after *node*."""
    found = _describe_conversion(view, flat, kind, node)
    for key, value in flat.relating:
        # the names and items that keywords know are those of the version
        is_known = key == "unevaluatedItems" and flat.items
        if is_known or (key == "unevaluatedProperties" and not found.chosen):
            continue
        if Effect.BREAKS in found.find_effect(key, value):
            yield key
    if found.renamed and flat.closed and flat.objects > 1:
        yield "additionalProperties"
    if not flat.demanded.isdisjoint({*found.gone, *found.renamed}):
        yield "required"
    for each in node.get("values", ()) if isinstance(node, dict) else ():
        made = [each[key] for key in ("is", "shown_as") if key in each]
        if not all(fits_all(value, flat.scalars) for value in made):
            yield next(iter(sorted(SCALAR.intersection(*flat.scalars))), "enum")
        if not all(_is_listed(view, value, flat.values) for value in made):
            yield "oneOf"


def _is_listed(view: View, value: Any, enumerations: list[tuple[GatedMember, ...]]) -> bool:
    """Return whether the version lists *value* in all *enumerations*."""
    return all(
        any(each.shown and text(view.constant(each.schema)) == text(value) for each in members)
        for members in enumerations
    )


def _describe_conversion(view: View, flat: FlatSchema, kind: str, node: Node) -> Conversion:
    """Return what happens to values of the type *kind* of *flat* that go through *node*."""
    is_chosen = flat.chosen or any(key in ("if", "dependentSchemas") for key, _ in flat.relating)
    if not isinstance(node, dict):
        return Conversion(kind, others=True, fewer=True, chosen=True)
    if kind != "object":
        is_fixed = "items" in node and "unique" not in node
        fewer = not is_fixed or any(list_losses(node["items"], keep="least" in node))
        fewer = fewer and view.way is Way.DOWN
        return Conversion(kind, others=True, fewer=fewer, chosen=True)
    fields = node.get("fields", {})
    if view.way is Way.UP:
        # what callers know is never left out; the names are theirs
        names = node.get("names", {})
        return Conversion(
            kind,
            added=frozenset(names.get(name, name) for name in node.get("defaults", ())),
            renamed=names,
            altered=frozenset({*fields, *(names.get(name, name) for name in fields)}),
            others="extras" in node,
            chosen=is_chosen,
        )
    optional = [name for name in fields if name not in node.get("required", ())]
    lost = {name for name in optional if any(list_losses(fields[name], keep=False))}
    return Conversion(
        kind,
        gone=frozenset({*node.get("left_out", ()), *lost}),
        added=frozenset(node.get("defaults", ())),
        renamed=node.get("names", {}),
        altered=frozenset(fields),
        others="extras" in node,
        fewer=any(list_losses(node.get("extras"), keep="least" in node)),
        chosen=is_chosen,
    )
