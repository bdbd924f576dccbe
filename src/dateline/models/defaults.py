"""Write the default of a field as an expression."""

from __future__ import annotations

from typing import Any

from dateline.models.constructs import (
    Construct,
    construct_of,
    has_fields,
    has_type,
    json_types,
    known_values,
    possible_values,
)
from dateline.models.flat import Flat
from dateline.models.reading import Flattener
from dateline.python import names
from dateline.python.code import DefinitionName, Node, Text, call, value
from dateline.python.types import Type


def write_default(reader: Flattener, flat: Flat, type_: Type, default: Any) -> Node | None:
    """Return *default* as an expression of *type_*, if it can be written as one."""
    if default is None:
        return "None" if type_.nullable else None
    goal = reader.resolve(flat)
    if goal.values is not None:
        possible = possible_values(goal)
        if not any(type(item) is type(default) and item == default for item in possible):
            return None
        if construct_of(goal) is Construct.ENUM and isinstance(type_.node, DefinitionName):
            return DefinitionName(type_.node.name, "." + names.member_name(default))
        return value(default)
    types = json_types(goal)
    if goal.unions or types is None or len(types) != 1 or not has_type(default, types):
        return None
    kind = types[0]
    if kind == "string":
        if goal.formats:
            return None
        is_known = not known_values(goal) or default in known_values(goal)
        return Text(default) if is_known else call("t.Unrecognized", Text(default))
    if kind == "array":
        return value(default) if default == [] else None
    if kind == "object":
        return value(default) if default == {} and not has_fields(goal) else None
    return value(int(default) if kind == "integer" else default)
