"""Contract data in a form that takes little memory: compressed text, for one process only."""

from __future__ import annotations

import json
import zlib

from dateline.canonical.contract_data import ContractData, Unserved
from dateline.model import Combination


def compress_data(described: tuple[ContractData, ...]) -> bytes:
    """Return contract data in a compact form."""
    rows = [
        {
            **one._asdict(),
            "canonical": sorted(one.canonical),
            "dated": sorted(one.dated),
            "unserved": {
                name: [each.reason, sorted(each.where), sorted(each.lost)]
                for name, each in one.unserved.items()
            },
        }
        for one in described
    ]
    return zlib.compress(json.dumps(rows).encode(), 1)


def restore_data(compressed: bytes) -> tuple[ContractData, ...]:
    """Return the contract data that `compress_data` was given."""
    return tuple(
        ContractData(
            data=row["data"],
            canonical={*row["canonical"]},
            dated={*row["dated"]},
            unserved={
                name: Unserved(why, _read_places(where), _read_places(lost))
                for name, (why, where, lost) in row["unserved"].items()
            },
            places={name: tuple(path) for name, path in row["places"].items()},
        )
        for row in json.loads(zlib.decompress(compressed))
    )


def _read_places(rows: list[list[str]]) -> frozenset[Combination]:
    return frozenset(Combination(*each) for each in rows)
