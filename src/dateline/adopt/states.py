"""The states of one place across versions, and the gates that express them on a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from dateline.edit.history import ABSENT, create_entry
from dateline.gates import changes, drop_keys, order
from dateline.model import ADDED, REMOVED, WAS, Day

States = dict[int, Any]
"""What each version has, by its number in the table, the newest version first."""


NAMED_BY_KEY: Final = frozenset({("schema", "properties"), ("header", "headers")})
"""Members whose name is their key: (kind, the keyword that holds them)."""


class Run(NamedTuple):
    """Neighbouring versions, the newest first, and the one value that is written for them."""

    versions: list[int]
    value: Any


def split_states(states: States, alike: Callable[[Any, Any], bool]) -> Iterator[States]:
    """Yield *states* in stretches of neighbours that are *alike*, the newest first."""
    stretch: States = {}
    last: Any = None
    for version, value in states.items():
        if stretch and not alike(last, value):
            yield stretch
            stretch = {}
        stretch[version] = last = value
    if stretch:
        yield stretch


def find_runs(states: States) -> list[Run]:
    """Return *states* as runs of versions that have the same object, the newest first."""
    return [
        Run(list(stretch), next(iter(stretch.values())))
        for stretch in split_states(states, lambda newer, older: newer is older)
    ]


def add_presence(
    node: dict[str, Any], shown: list[int], versions: list[int], dates: tuple[Day, ...]
) -> dict[str, Any]:
    """Return *node* with gates that show it in those of *versions* that are *shown*.

    Both list the newest version first. If it was added more than once, its `x-was` has the other
    times.
    """
    stays: list[dict[str, Any]] = []
    begins: list[Day] = []
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
        gated = add_history(
            gated, since, {key: stay[key] for key in stay if stay[key] != newer_stay[key]}
        )
    return gated


def add_history(node: dict[str, Any], date: Day, setting: dict[str, Any]) -> dict[str, Any]:
    """Return *node* with an `x-was` for the values of keywords before *date*.

    `ABSENT` as the value of a keyword says that there was none.
    """
    history = dict(node.get(WAS, {}))
    known, unset = changes(history.get(date, {}))
    history[date] = create_entry({**setting, **known, **dict.fromkeys(unset, ABSENT)})
    rest = {key: value for key, value in node.items() if key != WAS}
    return {**rest, WAS: {each: history[each] for each in sorted(history, key=order)}}


def forget_presence(node: dict[str, Any]) -> dict[str, Any]:
    """Return *node* without gates that say when it is shown, also in its `x-was`."""
    kept = drop_keys(node, ADDED, REMOVED, WAS)
    for date, entry in node.get(WAS, {}).items():
        setting, unset = changes(entry)
        left = drop_keys({**setting, **dict.fromkeys(unset, ABSENT)}, ADDED, REMOVED)
        kept = add_history(kept, date, left) if left else kept
    return kept
