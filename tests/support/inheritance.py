"""Find the schemas that extend discriminated ones, and add such schemas to random documents."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final, NamedTuple

Schema = dict[str, Any]
Document = dict[str, Any]

PARENT: Final = "#/components/schemas/Noun"


class Heirs(NamedTuple):
    """The heirs of each discriminated component, including itself.

    ``variants`` maps a component's reference to its discriminator and the references of its heirs;
    ``extending`` contains the ids of the nodes in which a reference extends its target.
    """

    variants: dict[str, tuple[Schema, list[str]]]
    extending: frozenset[int]


def find_heirs(document: Document) -> Heirs:
    """Return the heirs of every discriminated component of *document*."""
    schemas = document.get("components", {}).get("schemas", {})
    chains = {f"#/components/schemas/{name}": list(_chain(node)) for name, node in schemas.items()}
    bases = {
        name: [node["$ref"] for node in chain if "$ref" in node] for name, chain in chains.items()
    }
    found: dict[str, tuple[Schema, list[str]]] = {}
    for name in chains:
        reported = _discriminator(name, chains, bases, frozenset())
        extending = sorted(each for each in chains if each != name and _extends(each, name, bases))
        if reported is not None and extending:
            found[name] = reported, [name, *extending]
    return Heirs(found, frozenset(id(node) for chain in chains.values() for node in chain))


def _chain(node: Any) -> Iterator[Schema]:
    if isinstance(node, dict):
        yield node
        for part in node.get("allOf", []):
            yield from _chain(part)


def _discriminator(
    name: str, chains: dict[str, list[Schema]], bases: dict[str, list[str]], met: frozenset[str]
) -> Schema | None:
    if name in met:
        return None
    for node in chains.get(name, []):
        if "discriminator" in node and not {"oneOf", "anyOf"} & node.keys():
            reported: Schema = node["discriminator"]
            return reported
    above = (_discriminator(base, chains, bases, met | {name}) for base in bases.get(name, []))
    return next((reported for reported in above if reported is not None), None)


def _extends(name: str, goal: str, bases: dict[str, list[str]]) -> bool:
    pending, met = [name], set()
    while pending:
        here = pending.pop()
        if here not in met:
            met.add(here)
            pending += bases.get(here, [])
    return goal in met


def inherit(random: Random, document: Document) -> None:
    """Add a discriminated `Noun` that `Book` and `Map` extend, and references to it."""
    schemas = document["components"]["schemas"]
    parent: Schema = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"type": "string"}, "note": {"type": "string"}},
        "discriminator": {"propertyName": "kind"},
    }
    children = ["Book", "Map"]
    if random.random() < 0.5:
        children.append("Atlas")
        schemas["Atlas"] = {"type": "object", "properties": {"scale": {"type": "integer"}}}
    for name in children:
        schemas[name].get("properties", {}).pop("kind", None)
        base = "#/components/schemas/Map" if name == "Atlas" else PARENT
        schemas[name] = {"allOf": [{"$ref": base}, schemas[name]]}
    if random.random() < 0.4:
        parent["discriminator"]["mapping"] = {
            name.lower(): f"#/components/schemas/{name}"
            for name in random.sample(children, random.randint(1, len(children)))
        }
    places = [node for node in _objects(document) if node is not parent]
    for node in random.sample(places, min(len(places), 2)):
        use = {"$ref": PARENT}
        name = random.choice(("noun", "nouns"))
        node["properties"][name] = use if name == "noun" else {"type": "array", "items": use}
    schemas["Noun"] = parent


def _objects(node: Any) -> list[Schema]:
    """Return the objects with properties below *node*, except in the children."""
    if isinstance(node, list):
        return [found for each in node for found in _objects(each)]
    if not isinstance(node, dict):
        return []
    found = [node] if isinstance(node.get("properties"), dict) and "type" in node else []
    skipped = {"Book", "Map", "Atlas"}
    return found + [
        each for key, below in node.items() if key not in skipped for each in _objects(below)
    ]


def change_family(random: Random, document: Document) -> str:
    """Add or remove a schema that extends `Noun`, or swap tags; return what was done."""
    schemas = document["components"]["schemas"]
    done = random.choice(("child added", "grandchild added", "child gone", "tags exchanged"))
    names = sorted(name for name in ("Book", "Map", "Atlas") if name in schemas)
    if done == "child gone" and names:
        name = random.choice(names)
        schemas[name] = schemas[name]["allOf"][1]
        return done
    if done == "tags exchanged" and len(names) > 1 and "Noun" in schemas:
        mapping = schemas["Noun"]["discriminator"].setdefault("mapping", {})
        first, second = random.sample(names, 2)
        mapping[first] = f"#/components/schemas/{second}"
        mapping[second] = f"#/components/schemas/{first}"
        return done
    base = random.choice(names) if done == "grandchild added" and names else "Noun"
    if base not in schemas:
        return ""
    own = {"type": "object", "properties": {"pages": {"type": "integer"}}}
    schemas["Poem"] = {"allOf": [{"$ref": f"#/components/schemas/{base}"}, own]}
    return "child added"
