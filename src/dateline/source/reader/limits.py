"""The limits of sources, and the messages for exceeding them."""

from __future__ import annotations

from typing import Final, NamedTuple


class Limits(NamedTuple):
    """The limits of a source: bytes, keys and values, levels, bytes in one text."""

    size: int
    nodes: int
    depth: int
    text: int


# Of 26 published documents from seven providers the deepest has 25 levels. The code behind the
# reader may walk a document recursively: our own rooms need up to four stack frames for a level
# and would fail at 247, openapi-spec-validator needs twelve and fails at 85.
_DEPTH: Final = 64

AUTHORED: Final = Limits(size=4 << 20, nodes=200_000, depth=_DEPTH, text=16 << 10)
ADOPTED: Final = Limits(size=64 << 20, nodes=5_000_000, depth=_DEPTH, text=64 << 20)


def too_deep(limits: Limits) -> tuple[str, str]:
    """Return id and message for the first mapping or list below the maximum depth."""
    message = f"more than {limits.depth} mappings and lists are within each other; use $ref"
    return "too-deep", message


def too_many(limits: Limits) -> tuple[str, str]:
    """Return id and message for a file with more keys and values than allowed."""
    message = f"the file has more than {limits.nodes:,} keys and values; split it by resource"
    return "too-large", message
