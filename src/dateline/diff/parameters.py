"""List the parameters of an operation, including those of its path."""

from __future__ import annotations

from typing import NamedTuple

from dateline.diff.documents import DocumentIndex
from dateline.diff.messages import Thing
from dateline.schema.references import Located


class ListedParameter(NamedTuple):
    """The place of a parameter in its list, the parameter, and its name."""

    node: Located
    thing: Thing
    name: str


Parameters = dict[tuple[str, str], ListedParameter]


def list_parameters(document: DocumentIndex, item: Thing, operation: Thing) -> Parameters:
    """Return the parameters of an operation and of its path by (in, name)."""
    found: Parameters = {}
    for holder in (item, operation):
        listed = [(node, Thing.at(document, node)) for node in holder.items("parameters")]
        # published documents may have null there
        names = [(str(one.value("in") or ""), str(one.value("name") or "")) for _, one in listed]
        keys = [parameter_key(*name) for name in names]
        for (node, thing), name, key in zip(listed, names, keys, strict=True):
            # two headers that differ in case are two, though no document may have them
            exact = name if keys.count(key) > 1 else key
            found[exact] = ListedParameter(node, thing, name[1])
    return found


def parameter_key(place: str, name: str) -> tuple[str, str]:
    # header names have no case (RFC 9110, section 5.1)
    return place, name.lower() if place == "header" else name
