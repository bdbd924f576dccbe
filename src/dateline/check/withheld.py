"""Which changes a version withholds from older ones, although all versions can have them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from dateline.check.merge import ChangeGroup, find_switch
from dateline.model import Change, Kind, Verdict

_REPLACED = (Kind.KEYWORD_ADDED, Kind.KEYWORD_CHANGED, Kind.KEYWORD_REMOVED)

_HELD_BACK = (
    "Additive changes go to all versions. Drop its `x-added`, or the `x-was` that withholds it."
)

_TAKEN_OVER = "The version is `adopted`: it was published elsewhere, so that this breaks no rule."


def _find_whole(change: Change) -> str | None:
    """Return the pointer of what is new or replaced as a whole, so that nothing in it is alone.

    A response or media type is compared with the range that covered it, and what replaces a
    reference with its target.
    """
    if change.kind in (Kind.RESPONSE_ADDED, Kind.MEDIA_TYPE_ADDED):
        return change.after_pointer
    if change.keyword == "$ref" and change.kind in _REPLACED:
        return (change.after_pointer or change.holder_pointer or "").removesuffix("/$ref")
    # without a reference on either side any longer, only the places show that there was one
    was, now = change.before_pointer or "/", change.holder_pointer or "/components"
    is_replaced = was.startswith("/components/") and not now.startswith("/components")
    return now if is_replaced and change.after_pointer is None else None


def find_held_back(groups: Sequence[ChangeGroup]) -> Iterator[ChangeGroup]:
    """Yield what needs no version or is never allowed, except within what is new as a whole."""
    gated = [group.change for group in groups if group.judgement.verdict is Verdict.GATED]
    whole = tuple(f"{pointer}/" for change in gated if (pointer := _find_whole(change)))
    # a reference that replaced a schema adds and removes at once
    replaced = [change.before_pointer or "" for change in gated]
    # a field that was allowed without being declared may be narrowed by its declaration
    places = {change.after_pointer or change.holder_pointer for change in gated}
    narrowed = {holder for place in places for holder in _list_holders(place)}
    for group in groups:
        change = group.change
        at = change.after_pointer or ""
        is_apart = not at.startswith(whole)
        if change.kind is Kind.FIELD_ADDED:
            is_apart = is_apart and at not in narrowed
        if change.keyword == "$ref" and change.before_pointer:
            is_apart = not any(one.startswith(f"{change.before_pointer}/") for one in replaced)
        if is_apart and group.judgement.verdict in (Verdict.ADDITIVE, Verdict.NEVER):
            yield group


def _list_holders(pointer: str | None) -> Iterator[str]:
    """Yield the pointers of all that has what *pointer* names within it."""
    while pointer:
        pointer = pointer.rpartition("/")[0]
        yield pointer


def is_withheld(group: ChangeGroup, withheld: Collection[str]) -> bool:
    """Return whether *group* is one of the differences between two published versions.

    What is added to a component is not withheld from versions that have another one instead.
    """
    is_additive = group.judgement.verdict is Verdict.ADDITIVE
    return group.key in withheld or (is_additive and find_switch(group.change) in withheld)


def explain_held_back(group: ChangeGroup, *, is_adopted: bool) -> dict[str, Any]:
    """Return what a finding about a change that a version withholds says besides the change."""
    if is_adopted:
        return {"help": _TAKEN_OVER, "verdict": Verdict.INFORMATION}
    return {"help": _HELD_BACK} if group.judgement.verdict is Verdict.ADDITIVE else {}
