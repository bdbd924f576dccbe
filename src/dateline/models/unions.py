"""Name the members of a union, and find the tag that distinguishes them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from dateline.models.constructs import groups, json_types, possible_values
from dateline.models.flat import Flat, Union
from dateline.models.reading import Flattener
from dateline.python import names
from dateline.python.code import Node
from dateline.python.types import Type
from dateline.schema.types import EVERY_TYPE, type_of


@dataclass(frozen=True)
class Tags:
    """The texts of a tag that name one member, and whether the member must have the tag.

    With ``listed``, the member has no other tags: its schema lists them.
    """

    values: list[str]
    required: bool
    listed: bool


def find_tags(reader: Flattener, member: Flat, tag: str, mapping: dict[str, str]) -> Tags | None:
    """Return the tags that name *member*, or None if its *tag* is not text.

    The member's own tag property takes precedence over *mapping*, that over its name.
    """
    goal = reader.resolve(member)
    if goal.unions and not goal.constrained and not groups(goal):
        return _tags_of_union(reader, goal, tag)
    if json_types(goal) != ("object",):
        return None
    schema = (goal.keywords.get("properties") or {}).get(tag)
    required = tag in (goal.keywords.get("required") or [])
    if schema is None and not required:
        return None
    listed = reader.resolve(reader.flatten(schema))
    if listed.values is not None:
        values = possible_values(listed)
        return (
            Tags(values, required, listed=True)
            if all(isinstance(each, str) for each in values)
            else None
        )
    if member.reference is None:
        return None
    mapped = [key for key, name in mapping.items() if name == member.reference]
    return Tags(mapped or [member.reference], required, listed=False)


def _tags_of_union(reader: Flattener, goal: Flat, tag: str) -> Tags | None:
    union = goal.unions[0]
    found = [
        find_tags(reader, reader.flatten(schema), tag, union.mapping) for schema in union.members
    ]
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return None
    values = [value for each in known for value in each.values]
    return Tags(
        values,
        required=all(each.required for each in known),
        listed=all(each.listed for each in known),
    )


@dataclass
class TaggedMembers:
    """The types of the members of a union, by the tags of their values.

    Values of those ``untagged`` may lack the tag; the ``default`` is for all that have no known
    one. If it ``is_hint``, values of a member may have other tags, too.
    """

    by_tag: dict[str, list[Node]] = field(default_factory=dict)
    untagged: list[Node] = field(default_factory=list)
    default: Node | None = None
    is_hint: bool = False

    @property
    def is_ambiguous(self) -> bool:
        """Whether a value may belong to several members."""
        is_shared = any(len(each) > 1 for each in self.by_tag.values())
        return self.is_hint or len(self.untagged) > 1 or is_shared


def read_tagged(
    reader: Flattener, union: Union, members: list[tuple[Flat, Type]], tag: str
) -> TaggedMembers | None:
    """Return the types of the *members* of *union*; None if the *tag* of one is not text."""
    tagged = TaggedMembers()
    for member, type_ in members:
        found = find_tags(reader, member, tag, union.mapping)
        narrowed = type_.narrowed
        if union.default is not None and member.reference == union.default:
            tagged.default = narrowed
            # data of another member may satisfy the default, too
            found = replace(found or Tags([], required=False, listed=False), listed=False)
        if found is None:
            return None
        for each in found.values:
            tagged.by_tag.setdefault(each, []).append(narrowed)
        tagged.is_hint = tagged.is_hint or not found.listed
        if not found.required and narrowed is not tagged.default:
            tagged.untagged.append(narrowed)
    return tagged


def find_tag(reader: Flattener, members: list[Flat]) -> str | None:
    """Return the first property whose listed texts distinguish all *members*, if there is one."""
    first: dict[str, Any] = reader.resolve(members[0]).keywords.get("properties") or {}
    for tag in first:
        found = [_list_texts(reader, member, tag) for member in members]
        values = [value for each in found for value in each]
        if all(found) and len(set(values)) == len(values):
            return tag
    return None


def _list_texts(reader: Flattener, member: Flat, tag: str) -> list[str]:
    """Return the texts that a required property *tag* of *member* lists."""
    goal = reader.resolve(member)
    schema = (goal.keywords.get("properties") or {}).get(tag)
    if goal.unions or schema is None or reader.resolve(reader.flatten(schema)).values is None:
        return []
    found = find_tags(reader, member, tag, {})
    return found.values if found is not None and found.required else []


def is_untyped(reader: Flattener, member: Flat) -> bool:
    """Return whether *member* says nothing about values other than objects."""
    goal = reader.resolve(member)
    if goal.types is not None or goal.values is not None or goal.never:
        return False
    if not goal.unions or groups(goal):
        return True
    return any(is_untyped(reader, reader.flatten(each)) for each in goal.unions[0].members)


def may_overlap(reader: Flattener, members: list[Flat]) -> bool:
    """Return whether a value might be valid for two *members*, by types and listed values."""
    types: set[str] = set()
    values: dict[str, set[str]] = {}
    for member in members:
        goal = reader.resolve(member)
        own = set(EVERY_TYPE if goal.unions or goal.types is None else goal.types)
        if goal.values is not None:
            own = {type_of(each) for each in goal.values}
        if own & {"integer", "number"}:
            own |= {"integer", "number"}
        if own & types:
            return True
        if goal.values is None:
            if own & values.keys():
                return True
            types |= own
        else:
            listed = {json.dumps(each) for each in goal.values}
            if any(listed & values.get(each, set()) for each in own):
                return True
            for each in own:
                values[each] = values.get(each, set()) | listed
    return False


def name_variants(members: list[Flat]) -> list[str]:
    """Return the name of each inline member of a union.

    By its title, by the value of its tag, by the first field that only it has, by its type, or by
    all its fields: the first of these that no member before it has.
    """
    fields = [list(member.keywords.get("properties") or {}) for member in members]
    taken: set[str] = set()
    labels = []
    for at, member in enumerate(members):
        others = {name for there, each in enumerate(fields) if there != at for name in each}
        own = [name for name in fields[at] if name not in others]
        ways = [
            member.annotations.get("title"),
            _only_value(member),
            f"with {own[0]}" if own else None,
            "known" if member.values is not None else None,
            None if fields[at] else (member.types or ["other"])[0],
            "plain",
            "with " + " ".join(fields[at]),
        ]
        called = [names.pascal(way) for way in ways if isinstance(way, str) and way]
        part = next((each for each in called if each not in taken), called[-1])
        if member.reference is None:
            taken.add(part)
        labels.append(part)
    return labels


def _only_value(member: Flat) -> str | None:
    """Return the value of the first property that has just one."""
    for schema in (member.keywords.get("properties") or {}).values():
        if isinstance(schema, dict):
            values = [schema["const"]] if "const" in schema else schema.get("enum")
            if isinstance(values, list) and len(values) == 1 and isinstance(values[0], str):
                return values[0]
    return None
