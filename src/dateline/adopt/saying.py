"""What was adopted in, what to tell people about it out, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dateline.adopt import Adoption

_MOST_RENAMES: Final = 20


def lines(adoption: Adoption) -> Iterator[str]:
    """Yield what came of each document, how much was gated and how, and what else to know."""
    for date, name, words in adoption.documents:
        yield f"{date} {name}: {words}"
    told = ", ".join(f"{count} {key}" for key, count in adoption.gates.items())
    yield f"{sum(adoption.gates.values())} gates: {told}"
    if adoption.renamed:
        yield f"{len(adoption.renamed)} of them renames, which deserve a look:"
        for older, newer in adoption.renamed[:_MOST_RENAMES]:
            yield f"  {older} -> {newer}"
        if len(adoption.renamed) > _MOST_RENAMES:
            yield f"  and {len(adoption.renamed) - _MOST_RENAMES} more"
    restated = sum(adoption.fallbacks.values())
    yield f"{restated or 'no'} x-was restates parts as a whole" + (":" if restated else "")
    for reason, count in adoption.fallbacks.items():
        yield f"  {count} where {reason}"
    refused = sum(rule.count for rule in adoption.house_rules)
    if refused:
        newest = adoption.documents[-1][1]
        yield f"{refused} things of {newest} would be refused in authored definitions, not here:"
        for rule in adoption.house_rules:
            yield f"  {rule.count} {rule.id}, first at {rule.place}"
