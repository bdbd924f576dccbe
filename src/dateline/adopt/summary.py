"""Format the summary of an adoption, line by line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from dateline.adopt import Adoption, Remark
from dateline.adopt.extending import Extension
from dateline.schema.dialect import BEYOND_LETTER
from dateline.wording import phrase_count


def format_adoption(adoption: Adoption) -> Iterator[str]:
    """Yield the result for each document, the gates by key, and what to review."""
    for date, name, words in adoption.documents:
        yield f"{date} {name}: {words}"
    counts = ", ".join(f"{count} {key}" for key, count in adoption.gates.items())
    yield f"{phrase_count(sum(adoption.gates.values()), 'gate', 'gates')}: {counts}"
    if adoption.words:
        texts = phrase_count(adoption.words, "text", "texts")
        yield f"{texts} of older documents kept beside the definitions, without gates"
    yield from _format_renames(adoption)
    if adoption.selector:
        yield (
            f"callers name their version in the {adoption.selector}, judging by the documents "
            "(`--header` names another header)"
        )
    yield f"{_count(adoption.restated) or 'no'} x-was restates parts as a whole" + (
        ":" if adoption.restated else ""
    )
    yield from _list_places(adoption.restated, " where")
    if adoption.house_rules:
        newest = adoption.documents[-1][1]
        yield (
            f"{phrase_count(_count(adoption.house_rules), 'thing', 'things')} of {newest} would be "
            "refused in authored definitions, not here:"
        )
        yield from _list_places(adoption.house_rules)
    if adoption.kept:
        yield "What Swagger 2.0 can express, and OpenAPI 3.0 can't:"
        yield from _list_places(adoption.kept)
    if adoption.dangling:
        yield "Discriminators name what only other versions have; see `x-published-dangling`:"
        yield from _list_places(adoption.dangling, " of")
    if adoption.nulls:
        yield f"{BEYOND_LETTER}:"
        for null in adoption.nulls:
            schemas = phrase_count(null.times, "schema", "schemas")
            yield f"  {schemas} of {null.what}, first at {null.place}"


def format_extension(extension: Extension) -> Iterator[str]:
    """Yield the result for each further document, the gates by key, and what to review."""
    for date, name, words in extension.documents:
        yield f"{date} {name}: {words}"
    yield "gates: " + ", ".join(f"{count:+,} {key}" for key, count in extension.gates.items())
    yield from _format_renames(extension)
    if extension.ungated:
        count = phrase_count(len(extension.ungated), "change goes", "changes go")
        yield f"{count} to all versions, without a gate:"
        for change in extension.ungated:
            yield f"  {change.place}: {change.message}"
    if extension.names:
        called = ", ".join(f"{new} is {old}" for new, old in extension.names)
        yield f"components and path parameters keep their names in the definitions: {called}"
    for each in extension.edited:
        texts = phrase_count(each.times, "text", "texts")
        yield f"{texts} changed here and in {each.what}, first at {each.place}"


def _format_renames(adoption: Adoption | Extension) -> Iterator[str]:
    if adoption.renamed:
        yield f"{_count(adoption.renamed)} of them renames:"
        for rename in adoption.renamed:
            yield f"  {rename.place}: {rename.what}{_format_more(rename)}"
    if adoption.proposals:
        things = phrase_count(len(adoption.proposals), "thing", "things")
        undo = "undo these changes" if isinstance(adoption, Extension) else "delete these files"
        yield (
            f"{things} may have been renamed; each was written as one removed and another one "
            f"added. To make them renames, {undo}, and adopt again with:"
        )
        for proposal in adoption.proposals:
            yield f"  --rename {shlex.quote(proposal.option)}"


def _list_places(remarks: tuple[Remark, ...], joint: str = "") -> Iterator[str]:
    return (f"  {each.times}{joint} {each.what}, first at {each.place}" for each in remarks)


def _count(remarks: tuple[Remark, ...]) -> int:
    return sum(each.times for each in remarks)


def _format_more(rename: Remark) -> str:
    if rename.times == 1:
        return ""
    return f" (and {phrase_count(rename.times - 1, 'more place', 'more places')})"
