"""The keys of a node that determine its form in each version."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

from dateline.gates import changes, order
from dateline.model import ADDED, CONVERTER, IN_PLACE_OF, REMOVED, WAS, DatelineError, Map, Seq


class Absent(Enum):
    """Stands for the value of a missing keyword."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

PARTIAL: Final = frozenset({"properties", "required"})
"""The keywords of which a date with `in-place-of` has only a part."""


class HistoryError(DatelineError):
    """Two dates of `x-was` can't be written as one."""

    exit_code = 2


NAME: Final = "name"
"""The keyword of `x-was` for a former name."""


def plain(node: Any) -> Any:
    """Return a copy of *node* without places in sources."""
    if isinstance(node, dict | Map):
        return {key: plain(value) for key, value in node.items()}
    if isinstance(node, list | Seq):
        return [plain(item) for item in node]
    return node


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON: `1` is not `true`, keys have no order."""
    if one is ABSENT or other is ABSENT:
        return one is other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def values(own: Any, was: Mapping[str, Any], keyword: str, dates: Sequence[str]) -> dict[str, Any]:
    """Return the value of *keyword* in each version; *own* is the newest one.

    ABSENT if it is missing.
    """
    found = {}
    for date in reversed(dates):
        found[date] = own
        if date in was:
            setting, unset = changes(was[date])
            own = ABSENT if keyword in unset else setting.get(keyword, own)
    return {date: found[date] for date in dates}


def rewrite_history(
    was: Mapping[str, Any], keyword: str, wanted: Mapping[str, Any], dates: Sequence[str]
) -> dict[str, Any]:
    """Return `x-was` such that *keyword* has its *wanted* value in each version.

    The last version's value is that of the node itself. Other keywords in *was* are unchanged.
    """
    entries: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for date, entry in was.items():
        older, gone = changes(entry)
        kept = {key: value for key, value in older.items() if key != keyword}
        entries[date] = kept, [key for key in gone if key != keyword]
    for date, newer in zip(reversed(dates[:-1]), reversed(dates[1:]), strict=True):
        if not same(wanted[date], wanted[newer]):
            setting, unset = entries.setdefault(newer, ({}, []))
            if wanted[date] is ABSENT:
                unset.append(keyword)
            else:
                setting[keyword] = plain(wanted[date])
    return {
        date: {**list_marks(was.get(date, {})), **_keep_form(*entries[date], was.get(date))}
        for date in sorted(entries, key=order)
        if any(entries[date])
    }


def merge_entries(newer: dict[str, Any], older: dict[str, Any]) -> dict[str, Any]:
    """Return one date of `x-was` that does what *newer* and, before it, *older* do.

    Raises HistoryError if one has `in-place-of` and the other changes properties, too.
    """
    after, unset_after = changes(newer)
    before, unset_before = changes(older)
    partial = PARTIAL & {*after, *unset_after}, PARTIAL & {*before, *unset_before}
    if all(partial) and (IN_PLACE_OF in newer or IN_PLACE_OF in older):
        raise HistoryError(
            f"`{WAS}` with `{IN_PLACE_OF}` and another change of properties become one date: write "
            "what the object was before both"
        )
    kept = {key: value for key, value in after.items() if key not in unset_before}
    unset = dict.fromkeys(key for key in (*unset_after, *unset_before) if key not in before)
    marks = {**list_marks(older), **list_marks(newer)}
    return {**marks, **create_entry({**plain({**kept, **before}), **dict.fromkeys(unset, ABSENT)})}


def list_marks(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a date of `x-was` besides keywords."""
    return {key: plain(entry[key]) for key in (IN_PLACE_OF, CONVERTER) if key in entry}


def _keep_form(setting: dict[str, Any], unset: list[str], written: Any) -> dict[str, Any]:
    """Return one date of `x-was` as it is *written*, if it does the same."""
    if written is not None and changes(written) == (setting, tuple(unset)):
        return dict(plain(written))
    return create_entry({**setting, **dict.fromkeys(unset, ABSENT)})


def create_entry(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return one date of `x-was` that sets *keywords*, and unsets those that are ABSENT.

    It has the short form, unless that is ambiguous.
    """
    setting = {key: value for key, value in keywords.items() if value is not ABSENT}
    if None in setting.values() or keywords.keys() <= {"set", "unset"}:
        parts = {"set": setting, "unset": [key for key in keywords if key not in setting]}
        return {key: value for key, value in parts.items() if value}
    return {key: setting.get(key) for key in keywords}


def aliases(children: Mapping[str, Any]) -> dict[str, str]:
    """Return the name of each child by every name that it ever had; current names come first."""
    known = {name: name for name in children}
    for name, node in children.items():
        was = node.get(WAS, {}) if isinstance(node, dict) else {}
        for entry in was.values():
            known.setdefault(changes(entry)[0].get(NAME, name), name)
    return known


def find_gates(
    node: Mapping[str, Any], shown: Mapping[str, bool | None], dates: Sequence[str]
) -> dict[str, str] | None:
    """Return `x-added` and `x-removed` such that *node* is visible exactly where *shown*.

    None for a version means that either is fine. Keys that *node* has keep their positions. Returns
    None if no two dates can express it.
    """
    there = [index for index, date in enumerate(dates) if shown[date]]
    if not there:
        return None
    first, last = there[0], there[-1]
    gone = [index for index, date in enumerate(dates) if shown[date] is False]
    if any(first < index < last for index in gone):
        return None
    before = max((index for index in gone if index < first), default=-1)
    behind = min((index for index in gone if index > last), default=len(dates))
    found = {}
    if before >= 0:
        own = _index(node.get(ADDED), dates)
        found[ADDED] = dates[own if own is not None and before < own <= first else before + 1]
    if behind < len(dates):
        own = _index(node.get(REMOVED), dates)
        found[REMOVED] = dates[own if own is not None and last < own <= behind else last + 1]
    return found


def _index(date: str | None, dates: Sequence[str]) -> int | None:
    return dates.index(date) if date in dates else None
