"""Find what to review in merged definitions: likely renames, and parts restated as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from dateline.adopt.states import NAMED_BY_KEY
from dateline.edit.history import ABSENT
from dateline.gates import changes, is_long, order
from dateline.model import ADDED, REMOVED, WAS, Place, Trail
from dateline.openapi import Arrangement, children, slot, walk

GONE: Final = "a part was removed that can't be gated by itself"
TURNED: Final = "true, false or an empty list or mapping were in place of parts"
OTHER: Final = "gates can't distinguish the parts of one from those of the other"

_RENAMED: Final = frozenset({kind for kind, _ in NAMED_BY_KEY} | {"parameter"})


class Remark(NamedTuple):
    """Something to review: how often it occurs, and where first."""

    what: str
    times: int
    place: Place


def count_remarks(found: Iterable[tuple[str, Place]]) -> list[Remark]:
    """Return one remark for each thing in *found*, in the order of their first places."""
    times: Counter[str] = Counter()
    first: dict[str, Place] = {}
    for what, place in found:
        times[what] += 1
        first.setdefault(what, place)
    return [Remark(what, times[what], place) for what, place in first.items()]


class DefinitionRemarks:
    """Reads merged definitions once: how many gates they have, and what to review."""

    def __init__(self, document: dict[str, Any], locate: Callable[[Trail], Place]) -> None:
        self._locate = locate
        self._objects = list(_walk_histories("document", document, ()))
        self._entries = list(self._history_entries())

    def gates(self) -> dict[str, int]:
        """Return the number of gates by key."""
        nodes = [node for _, _, node in self._objects]
        # an `x-was` may say when else something was there
        nodes += [changes(entry)[0] for node in nodes for entry in node.get(WAS, {}).values()]
        counts = {key: sum(key in node for node in nodes) for key in (ADDED, REMOVED)}
        return {**counts, WAS: sum(len(node.get(WAS, ())) for node in nodes)}

    def renames(self) -> list[Remark]:
        """Return the renames that `x-was` records, as `older -> newer`."""
        return count_remarks(
            (f"{older} -> {newer}", self._locate(path[:-2]))
            for path, kind, keyword, newer, older in self._entries
            if keyword == "name" and kind in _RENAMED
        )

    def list_restated(self) -> list[Remark]:
        """Return why `x-was` repeats parts that have no gates of their own."""
        return count_remarks(
            (_find_reason(newer, older), self._locate(path))
            for path, kind, keyword, newer, older in self._entries
            if slot(kind, keyword).arrangement is not Arrangement.DATA and older is not ABSENT
        )

    def _history_entries(self) -> Iterator[tuple[Trail, str, str, Any, Any]]:
        """Yield (path, kind, keyword, newer value, older value) for every entry of any `x-was`."""
        for path, kind, node in self._objects:
            now = dict(node)
            if path[-2:-1] in (("properties",), ("headers",)):
                now["name"] = path[-1]
            for date in sorted(node.get(WAS, ()), key=order, reverse=True):
                setting, unset = changes(node[WAS][date])
                for keyword, older in (*setting.items(), *dict.fromkeys(unset, ABSENT).items()):
                    yield (*path, WAS, date), kind, keyword, now.get(keyword, ABSENT), older
                    now[keyword] = older


def _find_reason(newer: Any, older: Any) -> str:
    if newer is ABSENT:
        return GONE
    return TURNED if any(value in (True, False, [], {}) for value in (newer, older)) else OTHER


def _walk_histories(
    kind: str, node: Any, around: Trail
) -> Iterator[tuple[Trail, str, dict[str, Any]]]:
    """Yield (path, kind, object) as `walk` does, including those in histories."""
    for path, below, found in walk(kind, node, around):
        yield path, below, found
        for date, entry in found.get(WAS, {}).items():
            setting = changes(entry)[0]
            inside = (*path, WAS, date, *(("set",) if is_long(entry) and "set" in entry else ()))
            for step, inner, child in children(below, setting):
                yield from _walk_histories(inner, child, (*inside, *step))
