"""Find the version that defines each component.

A component whose closure is equal in two versions, itself and all it refers to, is defined in
the earliest of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from dateline.model import Contract
from dateline.schema.memo import Memo
from dateline.schema.usage import list_references, schemas

_K = TypeVar("_K")


def find_homes(
    contracts: Sequence[Contract], strict: dict[str, frozenset[str]]
) -> dict[str, dict[str, str]]:
    """Return for each version, for each component it has, the version that defines it.

    *strict* are the components that only requests hold.
    """
    numbers: dict[Any, int] = {}

    def number(what: Any) -> int:
        return numbers.setdefault(what, len(numbers))

    # equal schemas get equal numbers
    read = Memo(
        lambda schema: (number(json.dumps(schema)), [*dict.fromkeys(list_references(schema))])
    )
    meaning: dict[tuple[str, str], int] = {}
    reach: dict[tuple[str, str], tuple[str, ...]] = {}
    for contract in contracts:
        for name, schema in schemas(contract).items():
            key = (contract.version, name)
            own, found = read(schema)
            meaning[key] = number((name, own, name in strict[contract.version]))
            reach[key] = tuple(each for each in found if each in schemas(contract))
    if len(contracts) > 1:
        meaning = _refine(meaning, reach)
    first: dict[int, str] = {}
    made: dict[str, dict[str, str]] = {contract.version: {} for contract in contracts}
    for (version, name), own in meaning.items():
        made[version][name] = first.setdefault(own, version)
    return made


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
