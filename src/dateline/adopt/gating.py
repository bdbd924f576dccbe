"""A node in, the same with gates for where it is shown, or for what it was, out."""

from __future__ import annotations

from typing import Any

from dateline.adopt.runs import ABSENT
from dateline.gates import changes
from dateline.model import ADDED, REMOVED, WAS, Day
from dateline.openapi import Shape, slot


def present(
    node: dict[str, Any], shown: list[int], versions: list[int], dates: tuple[str, ...]
) -> dict[str, Any]:
    """Return *node* with gates that show it in those of *versions* that are *shown*.

    Both stand newest first. What came more than once says in its `x-was` when it was there.
    """
    stays: list[dict[str, Any]] = []
    begins: list[str] = []
    for newer, version in zip([None, *versions], versions, strict=False):
        if version not in shown:
            continue
        if newer is None or newer not in shown:
            stays.append({ADDED: ABSENT, REMOVED: ABSENT if newer is None else dates[newer]})
            begins.append(dates[version])
        begins[-1] = dates[version]
    for stay, begin in zip(stays, begins, strict=True):
        stay[ADDED] = begin
    if versions[-1] in shown:
        stays[-1][ADDED] = ABSENT
    now, *before = stays
    gated = {**node, **{key: date for key, date in now.items() if date is not ABSENT}}
    for since, stay, newer_stay in zip(begins, before, stays, strict=False):
        gated = restated(
            gated, since, {key: stay[key] for key in stay if stay[key] != newer_stay[key]}
        )
    return gated


def restated(node: dict[str, Any], date: str, setting: dict[str, Any]) -> dict[str, Any]:
    """Return *node* with an `x-was` that says what keywords were before *date*, or were not."""
    history = dict(node.get(WAS, {}))
    known, unset = changes(history.get(date, {}))
    history[date] = _entry({**setting, **known, **dict.fromkeys(unset, ABSENT)})
    rest = {key: value for key, value in node.items() if key != WAS}
    return {**rest, WAS: dict(sorted(history.items()))}


def _entry(setting: dict[str, Any]) -> dict[str, Any]:
    """Return one date of `x-was`, in the long form where the short one would say another thing."""
    short = {key: None if value is ABSENT else value for key, value in setting.items()}
    if None not in setting.values() and not short.keys() <= {"set", "unset"}:
        return short
    kept = {key: value for key, value in setting.items() if value is not ABSENT}
    unset = [key for key in setting if key not in kept]
    return {**({"set": kept} if kept else {}), **({"unset": unset} if unset else {})}


def dated(kind: str, node: Any) -> Any:
    """Return *node* with the dates of all gates in it as days, which are written plain."""
    if not isinstance(node, dict):
        return node
    return {key: _dated_below(kind, key, value) for key, value in node.items()}


def _dated_below(kind: str, key: str, value: Any) -> Any:
    shape, below = slot(kind, key)
    if key in (ADDED, REMOVED) and isinstance(value, str):
        return Day(value)
    if key == WAS:
        return {Day(date): _dated_entry(kind, entry) for date, entry in value.items()}
    if shape is Shape.ONE:
        return dated(below, value)
    if shape is Shape.MAP and isinstance(value, dict):
        return {name: dated(below, child) for name, child in value.items()}
    if shape is Shape.LIST and isinstance(value, list):
        return [dated(below, child) for child in value]
    return value


def _dated_entry(kind: str, entry: dict[str, Any]) -> dict[str, Any]:
    if entry and entry.keys() <= {"set", "unset"}:
        return {key: dated(kind, value) for key, value in entry.items()}
    made: dict[str, Any] = dated(kind, entry)
    return made
