"""The schemas that a discriminator chooses from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from dateline.model import WAS
from dateline.schema.dialect import UNIONS
from dateline.schema.memo import closure
from dateline.schema.references import REFERENCES, Resolver


def subtypes(schemas: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Return the schemas that extend each discriminated one, at any distance.

    A discriminator without a union of references chooses from the schemas that extend its own
    through `allOf`; a tag without a mapping is the name of one (OpenAPI 3.1.1 section 4.8.25). A
    schema inherits the discriminator of the one it extends. Extensions in older versions (`x-was`)
    count as well. A component that is only a reference is an alias: schemas that extend it extend
    its target.
    """
    extending: dict[str, set[str]] = {}
    aliases: set[str] = set()
    roots: list[str] = []
    resolver = Resolver({"components": {"schemas": schemas}})
    for name, schema in schemas.items():
        for node in _same_value(schema):
            known = [node[key] for key in REFERENCES if resolver.locate_by(key, node.get(key))]
            for goal in (resolver.variant_name({"$ref": reference}) for reference in known):
                if goal is not None:
                    extending.setdefault(goal, set()).add(name)
            if isinstance(node.get("discriminator"), dict | str) and not lists_variants(node):
                roots.append(name)
        if isinstance(schema, dict) and "$ref" in schema and schema.keys() <= _ALIAS:
            aliases.add(name)
    if not roots:
        return {}

    def extended_by(name: str) -> Iterable[str]:
        return extending.get(name, ())

    below = {name: closure([name], extended_by).keys() for name in closure(roots, extended_by)}
    return {
        name: frozenset(found - aliases - {name})
        for name, found in below.items()
        if found - aliases - {name}
    }


def discriminator_of(
    name: str, schemas: Mapping[str, Any], below: Mapping[str, frozenset[str]]
) -> dict[str, Any] | None:
    """Return the discriminator that chooses from *below*, the `subtypes`, where *name* is used."""
    above = sorted(root for root, found in below.items() if name in found)
    for owner in (name, *above):
        for node in _same_value(schemas.get(owner)):
            if isinstance(node.get("discriminator"), dict):
                found: dict[str, Any] = node["discriminator"]
                return found
    return None


_ALIAS: Final = frozenset({"$ref", "title", "summary", "description", "deprecated", "$comment"})


def lists_variants(node: dict[str, Any]) -> bool:
    """Return whether a schema lists members that the tags of its discriminator can name."""
    listed = [node[key] for key in UNIONS if isinstance(node.get(key), list)]
    return any(
        "$ref" in part for members in listed for each in members for part in _same_value(each)
    )


def _same_value(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield *schema* and its parts for the same value, in any version, without references."""
    pending = [schema]
    while pending:
        node = pending.pop()
        if not isinstance(node, dict):
            continue
        yield node
        bases = node.get("allOf")
        pending += bases if isinstance(bases, list) else [bases]
        history = node.get(WAS)
        for entry in history.values() if isinstance(history, dict) else ():
            pending += (entry, entry.get("set")) if isinstance(entry, dict) else ()


def other_tags(before: list[str], after: list[str]) -> dict[str, str] | None:
    """Return which tags of a schema become which others, or None if that is unclear."""
    gone = [tag for tag in before if tag not in after]
    came = [tag for tag in after if tag not in before] or after
    return None if gone and len(came) != 1 else dict.fromkeys(gone, came[0])
