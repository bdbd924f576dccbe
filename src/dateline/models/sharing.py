"""Find the module that defines each component.

A component whose closure is equal in two versions, itself and everything it refers to, is defined
once. A module contains what the same versions have, so that importing one version loads nothing
that only others need. All targets of a component are in every version that has the component.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from dateline.model import Contract
from dateline.python.names import CANONICAL, SERVER, join_turns, list_turns
from dateline.python.types import Inline
from dateline.schema.memo import Memo
from dateline.schema.references import Resolver
from dateline.schema.usage import find_name, list_references, schemas
from dateline.schema.values import write_compactly

_K = TypeVar("_K")


def find_homes(
    contracts: Sequence[Contract],
    strict: dict[str, frozenset[str]],
    inlines: Mapping[str, Sequence[Inline]] | None = None,
) -> dict[str, dict[str, str]]:
    """Return for each version and component the module that defines it.

    A module is named by its path in the package. *strict* are the components that only requests
    contain. The *inlines* of a version are identified by their keys.
    """
    numbers: dict[Any, int] = {}

    def number(what: Any) -> int:
        return numbers.setdefault(what, len(numbers))

    # equal schemas get equal numbers
    read = Memo(
        lambda schema: (number(write_compactly(schema)), [*dict.fromkeys(list_references(schema))])
    )
    meaning: dict[tuple[str, str], int] = {}
    reach: dict[tuple[str, str], tuple[str, ...]] = {}
    for contract in contracts:
        resolver = Resolver(contract.document)
        known = schemas(contract)
        inlined = {each.key: each.schema for each in (inlines or {}).get(contract.version, ())}
        for name, schema in {**known, **inlined}.items():
            key = (contract.version, name)
            own, found = read(schema)
            meaning[key] = number((name, own, name in strict[contract.version]))
            goals = (find_name(each, resolver) for each in found)
            reach[key] = tuple(name for name in goals if name in known)
    if len(contracts) > 1:
        meaning = _refine(meaning, reach)
    having: dict[int, list[str]] = {}
    for (version, _), own in meaning.items():
        having.setdefault(own, []).append(version)
    versions = [each.version for each in contracts if each.version != CANONICAL]
    modules = {own: _name_module(found, versions) for own, found in having.items()}
    homes: dict[str, dict[str, str]] = {contract.version: {} for contract in contracts}
    for (version, name), own in meaning.items():
        homes[version][name] = modules[own]
    return homes


def _name_module(having: Sequence[str], versions: Sequence[str]) -> str:
    """Return the module of the components that *having*, some of *versions*, have in common.

    Servers share what any version has, and have a module for the rest.
    """
    turns = list_turns(having, versions)
    return f"models.{join_turns(turns)}" if turns else SERVER


def _refine(meaning: dict[_K, int], reach: dict[_K, tuple[str, ...]]) -> dict[_K, int]:
    """Split the classes of equal schemas by what they refer to, until nothing changes."""
    count = len(set(meaning.values()))
    while True:
        numbers: dict[Any, int] = {}
        refined = {
            key: numbers.setdefault(
                (own, tuple(meaning[key[0], name] for name in reach[key])),  # type: ignore[index]
                len(numbers),
            )
            for key, own in meaning.items()
        }
        if len(numbers) == count:
            return refined
        count, meaning = len(numbers), refined
