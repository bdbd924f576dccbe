"""Format the summary of an adoption, line by line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from dateline.adopt import Adoption, Remark
from dateline.schema.dialect import BEYOND_LETTER


def format_adoption(adoption: Adoption) -> Iterator[str]:
    """Yield the result for each document, the gates by key, and what to review."""
    for date, name, words in adoption.documents:
        yield f"{date} {name}: {words}"
    counts = ", ".join(f"{count} {key}" for key, count in adoption.gates.items())
    yield f"{sum(adoption.gates.values())} gates: {counts}"
    if adoption.words:
        texts = "1 text" if adoption.words == 1 else f"{adoption.words:,} texts"
        yield f"{texts} of older documents kept beside the definitions, without gates"
    if adoption.renamed:
        yield f"{_total(adoption.renamed)} of them renames:"
        for rename in adoption.renamed:
            yield f"  {rename.place}: {rename.what}{_more(rename)}"
    if adoption.proposals:
        yield (
            f"{len(adoption.proposals)} things may have been renamed; each was written as one "
            "removed and another one added. To make them renames, adopt again with:"
        )
        for proposal in adoption.proposals:
            yield f"  --rename {shlex.quote(proposal.option)}"
    yield f"{_total(adoption.restated) or 'no'} x-was restates parts as a whole" + (
        ":" if adoption.restated else ""
    )
    for reason in adoption.restated:
        yield f"  {reason.times} where {reason.what}, first at {reason.place}"
    if adoption.house_rules:
        newest = adoption.documents[-1][1]
        yield (
            f"{_total(adoption.house_rules)} things of {newest} would be refused in authored "
            "definitions, not here:"
        )
        for rule in adoption.house_rules:
            yield f"  {rule.times} {rule.what}, first at {rule.place}"
    if adoption.kept:
        yield "What Swagger 2.0 says, and OpenAPI 3.0 has no words for:"
        for kept in adoption.kept:
            yield f"  {kept.times} {kept.what}, first at {kept.place}"
    if adoption.dangling:
        yield "Discriminators name what only other versions have; see `x-published-dangling`:"
        for each in adoption.dangling:
            yield f"  {each.times} of {each.what}, first at {each.place}"
    if adoption.nulls:
        yield f"{BEYOND_LETTER}:"
        for null in adoption.nulls:
            yield f"  {null.times} schemas of {null.what}, first at {null.place}"


def _total(remarks: tuple[Remark, ...]) -> int:
    return sum(each.times for each in remarks)


def _more(rename: Remark) -> str:
    if rename.times == 1:
        return ""
    places = "place" if rename.times == 2 else "places"
    return f" (and {rename.times - 1} more {places})"
