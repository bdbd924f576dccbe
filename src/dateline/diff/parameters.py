"""List the parameters of an operation, including those of its path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dateline.diff.documents import DocumentIndex
from dateline.diff.graph import CARRIERS, NodePair
from dateline.diff.messages import MessageComparison, Thing
from dateline.model import Kind
from dateline.oddities import list_used
from dateline.openapi import parts
from dateline.schema.references import Located


class ListedParameter(NamedTuple):
    """The place of a parameter in its list, the parameter, and its name."""

    node: Located
    thing: Thing
    name: str

    def find_component(self, other: ListedParameter) -> str:
        """Return the pointer of the component that both refer to, if it is the same."""
        pointer = self.thing.pointer
        return pointer if self.node.pointer != pointer == other.thing.pointer else ""


Parameters = dict[tuple[str, str], ListedParameter]


def list_parameters(document: DocumentIndex, item: Thing, operation: Thing) -> Parameters:
    """Return the parameters of an operation and of its path by (in, name)."""
    found: Parameters = {}
    for holder in (item, operation):
        listed = [(node, Thing.at(document, node)) for node in holder.items("parameters")]
        names = [_read_name(one) for _, one in listed]
        keys = [parameter_key(*name) for name in names]
        for (node, thing), name, key in zip(listed, names, keys, strict=True):
            # two headers that differ in case are two, though no document may have them
            exact = name if keys.count(key) > 1 else key
            found[exact] = ListedParameter(node, thing, name[1])
    return found


def find_renamed(
    before: Parameters, after: Parameters, renames: Mapping[str, str]
) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the new keys of parameters that were renamed: *renames* are old names by pointer."""
    found = {}
    for key, one in after.items():
        for pointer in (one.node.pointer, one.thing.pointer):
            old = parameter_key(key[0], renames.get(pointer, ""))
            if key not in before and old in before:
                found[old] = key
    return found


def find_shared(
    parameter: ListedParameter, document: DocumentIndex, others: Parameters, other: DocumentIndex
) -> str:
    """Return the pointer of the component that *parameter* refers to, if one of *others* does, too.

    Components with generated names are identified by their addresses.
    """
    pointer = parameter.thing.pointer
    if pointer == parameter.node.pointer:
        return ""
    address = document.made.get(pointer, pointer)
    goals = {each.thing.pointer for each in others.values()}
    return pointer if address in {other.made.get(goal, goal) for goal in goals} else ""


def _read_name(parameter: Thing) -> tuple[str, str]:
    # published documents may have null there
    return str(parameter.value("in") or ""), str(parameter.value("name") or "")


def compare_keys_of_unused(
    messages: MessageComparison, pair: NodePair, before: Located, after: Located
) -> None:
    """Compare `in` and the name of two components: operations that refer to them report theirs."""
    sides = ((messages.before, before), (messages.after, after))
    names = [_read_name(Thing.at(document, node)) for document, node in sides]
    if parameter_key(*names[0]) == parameter_key(*names[1]):
        return
    if all(parts(node.pointer)[1:3] in list_used(document.root) for document, node in sides):
        return
    (place, old), (new_place, new) = names
    carriers = CARRIERS.get(place, 0), CARRIERS.get(new_place, 0)
    if place == new_place and messages.schemas.renames.get(after.pointer) == old:
        nodes = Located(old, before.pointer), Located(new, after.pointer)
        pair.add(Kind.PARAMETER_RENAMED, "", *nodes, field=new, carrier=carriers[0])
    else:
        messages.compare_named(pair, "parameter", old, before, None, carriers[0])
        messages.compare_named(pair, "parameter", new, None, after, carriers[1])


def parameter_key(place: str, name: str) -> tuple[str, str]:
    # header names have no case (RFC 9110, section 5.1)
    return place, name.lower() if place == "header" else name
