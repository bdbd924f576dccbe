"""Definitions in, what deserves a look in them out: renames, and parts restated as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from dateline.adopt.runs import ABSENT, NAMED_BY_KEY
from dateline.gates import changes
from dateline.model import WAS, Place
from dateline.openapi import Shape, children, slot, walk

Path = tuple[str | int, ...]

GONE: Final = "a part went that can't be gated by itself"
TURNED: Final = "true, false or an empty list or mapping stood in place of parts"
OTHER: Final = "gates can't tell the parts of one from those of the other"

_RENAMED: Final = frozenset({kind for kind, _ in NAMED_BY_KEY} | {"parameter"})


class Told(NamedTuple):
    """Something to look at: how often it is there, and where first."""

    what: str
    times: int
    place: Place


def renamed(document: dict[str, Any], locate: Callable[[Path], Place]) -> list[Told]:
    """Return what `x-was` says was renamed, as `older -> newer`, in the order of *document*."""
    found = (
        (f"{older} -> {newer}", path[:-2])
        for path, kind, keyword, newer, older in _entries(document)
        if keyword == "name" and kind in _RENAMED
    )
    return _counted(found, locate)


def restated(document: dict[str, Any], locate: Callable[[Path], Place]) -> list[Told]:
    """Return why `x-was` repeats parts that have no gates of their own."""
    found = (
        (_reason(newer, older), path)
        for path, kind, keyword, newer, older in _entries(document)
        if slot(kind, keyword).shape is not Shape.DATA and older is not ABSENT
    )
    return _counted(found, locate)


def _counted(found: Iterator[tuple[str, Path]], locate: Callable[[Path], Place]) -> list[Told]:
    counts: Counter[str] = Counter()
    first: dict[str, Path] = {}
    for what, path in found:
        counts[what] += 1
        first.setdefault(what, path)
    return [Told(what, counts[what], locate(path)) for what, path in first.items()]


def _reason(newer: Any, older: Any) -> str:
    if newer is ABSENT:
        return GONE
    return TURNED if any(value in (True, False, [], {}) for value in (newer, older)) else OTHER


def _entries(document: dict[str, Any]) -> Iterator[tuple[Path, str, str, Any, Any]]:
    """Yield (path, kind, keyword, newer value, older value) for all that any `x-was` says."""
    for path, kind, node in _everything("document", document, ()):
        now = dict(node)
        if path[-2:-1] == ("properties",) or path[-2:-1] == ("headers",):
            now["name"] = path[-1]
        for date in sorted(node.get(WAS, ()), reverse=True):
            setting, unset = changes(node[WAS][date])
            for keyword, older in (*setting.items(), *dict.fromkeys(unset, ABSENT).items()):
                yield (*path, WAS, date), kind, keyword, now.get(keyword, ABSENT), older
                now[keyword] = older


def _everything(kind: str, node: Any, around: Path) -> Iterator[tuple[Path, str, dict[str, Any]]]:
    """Yield (path, kind, object) as `walk` does, those in histories included."""
    for path, below, found in walk(kind, node, around):
        yield path, below, found
        for date, entry in found.get(WAS, {}).items():
            setting = changes(entry)[0]
            inside = (*path, WAS, date, *(("set",) if setting is entry.get("set") else ()))
            for step, inner, child in children(below, setting):
                yield from _everything(inner, child, (*inside, *step))
