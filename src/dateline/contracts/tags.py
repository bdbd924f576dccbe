"""Find the texts that distinguish the members of a union, at one version."""

from __future__ import annotations

from typing import Any

from dateline.contracts.flat import Declared, FlatUnion, TagMapping, View
from dateline.contracts.histories import Way
from dateline.schema.types import UNIONS


def list_tags(view: View, schema: Any, tag: str, union: FlatUnion) -> list[str]:
    """Return the possible texts of the property *tag* of *schema*; empty if unknown.

    Values of the property come before the mapping of *union*, the mapping before the name.
    """
    flat = view.flat(schema)
    for name, found in flat.fields.items():
        shown = next((each for each in found if each.shown), found[0])
        if tag == _name(view, name, shown) and (listed := _list_texts(view, shown.schema)):
            return listed
    if flat.unions and not flat.fields:
        below = flat.unions[0]
        found_below = [
            list_tags(view, each.schema, tag, below) for each in below.members if view.counts(each)
        ]
        return [tag for each in found_below for tag in each] if all(found_below) else []
    named = view.list_names(schema) if union.tags.property == tag else []
    return [tag for name in named for tag in union.tags.list_tags(name)] or named[:1]


def list_variant_tags(view: View, component: str, tags: TagMapping) -> list[str]:
    """Return the tags of a *component* that extends a discriminated schema.

    The mapping takes precedence over a constant value of the property, that over the name.
    """
    mapped = tags.list_tags(component)
    if mapped:
        return mapped
    flat = view.flat(view.schemas[component])
    for name, found in flat.fields.items():
        for each in found:
            listed = _list_texts(view, each.schema)
            if tags.property == _name(view, name, each) and len(listed) == 1:
                return listed
    return [component]


def _list_texts(view: View, schema: Any) -> list[str]:
    """Return the texts that *schema* lists, including those of members not visible."""
    for _ in range(len(view.schemas) + 1):
        if not isinstance(schema, dict):
            return []
        schema = view.read("schema", schema).now
        name = view.referred(schema)
        if name is None:
            values = view.choices(schema) or []
            return values if all(isinstance(value, str) for value in values) else []
        schema = view.schemas[name]
    return []


def is_default(view: View, schema: Any, tags: TagMapping) -> bool:
    """Return whether *schema* is the default in *tags* for values with an unknown tag."""
    return tags.default is not None and tags.default in view.list_names(schema)


def find_tag(view: View, union: FlatUnion, members: list[Any]) -> str | None:
    """Return the property whose texts distinguish *members* of *union*, if there is one.

    Every value of the members has it, except for values of the default.
    """
    first = view.flat(members[0])
    own = [_name(view, name, found[0]) for name, found in first.fields.items()]
    for tag in [union.tags.property] if union.tags.property else own:
        may_lack = [is_default(view, member, union.tags) for member in members]
        both = [*zip(members, may_lack, strict=True)]
        if not all(lacks or _requires(view, member, tag) for member, lacks in both):
            continue
        listed = [list_tags(view, member, tag, union) for member in members]
        is_complete = all(lacks or found for lacks, found in zip(may_lack, listed, strict=True))
        texts = [text for found in listed for text in found]
        if is_complete and len(set(texts)) == len(texts):
            return tag
    return None


def _requires(view: View, schema: Any, field: str) -> bool:
    """Return whether every value of *schema* has the *field*, by its name at the version."""
    if not isinstance(schema, dict):
        return False
    now = view.read("schema", schema).now
    properties = now.get("properties", {})
    for name in now.get("required", ()):
        child = properties.get(name)
        if view.way is Way.DOWN and name == field:
            return True
        is_shown = view.way is Way.UP and view.shows(child)
        if is_shown and view.names("schema", name, child)[-1] == field:
            return True
    if any(_requires(view, base, field) for base in view.bases(now) if _binds(view, base)):
        return True
    return any(
        all(_requires(view, member, field) for member in now[key] if _binds(view, member))
        for key in UNIONS
        if now.get(key)
    )


def _name(view: View, canonical: str, field: Declared) -> str:
    """Return the name of *field* in values before any converter."""
    return canonical if view.way is Way.DOWN else field.names[-1]


def _binds(view: View, node: Any) -> bool:
    # what is canonical is the same in all versions
    return view.way is Way.DOWN or view.shows(node)
