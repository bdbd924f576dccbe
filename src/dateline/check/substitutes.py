"""Compare what callers of older versions are shown in place of a member with what was published."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from dateline.cache import Cache, Recollection
from dateline.check.findings import create_finding
from dateline.check.policy import PolicyRecord
from dateline.gates import Timeline
from dateline.model import ADDED, REMOVED, Api, Finding, Policy
from dateline.openapi import pointer, walk
from dateline.schema.types import UNIONS
from dateline.schema.values import text
from dateline.wording import quote


class GatedSchema(NamedTuple):
    """A schema that some cut versions have and others lack, which `x-shown-as` may stand in for.

    ``name`` is the pointer to it, in which a member of a union has its value or reference in place
    of its number. ``shown`` and ``lacking`` are dates of versions, and ``substitutes`` the values
    of those that lack it, by date.
    """

    name: str
    path: tuple[str | int, ...]
    shown: tuple[str, ...]
    lacking: tuple[str, ...]
    substitutes: Mapping[str, Any]


def list_substitutes(api: Api, cache: Cache | None = None) -> dict[str, dict[str, Any]]:
    """Return what versions that are cut show in place of members, by name and by date."""
    return {
        gated.name: dict(gated.substitutes)
        for gated in _list_gated(api, cache)
        if gated.shown and gated.substitutes
    }


def check_substitutes(
    api: Api, record: PolicyRecord | None, cache: Cache | None = None
) -> Iterator[Finding]:
    """Yield each member that published versions show as another value now, or as none.

    Documents don't say what takes the place of a member, so nothing is known of it without the
    *record* of what was published.
    """
    if record is None or record.substitutes is None:
        return
    known = frozenset(record.versions or ())
    found = [gated for gated in _list_gated(api, cache) if not known.isdisjoint(gated.shown)]
    names = {gated.name for gated in found}
    # of members whose place has another name now
    moved: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for name, values in record.substitutes.items():
        if name not in names:
            moved[_last(name)].append(values)
    for gated in found:
        before = record.substitutes.get(gated.name)
        if before is None:
            candidates = moved[_last(gated.name)]
            same = [each for each in candidates if not _differing(gated, each, known)]
            before = [*same, *candidates, {}][0]
        dates = _differing(gated, before, known)
        if dates:
            was, now = (_say(values, dates[0]) for values in (before, gated.substitutes))
            yield create_finding(
                "shown-as-changed",
                Policy.FROZEN,
                f"{_last(gated.name)} is shown to older callers as another value ({was} -> {now})",
                key=(gated.name, was, now),
                after_pointer=pointer(gated.path),
                versions=dates,
                before=before.get(dates[0]),
                after=gated.substitutes.get(dates[0]),
                after_source=api.locate(gated.path),
            )


def _differing(
    gated: GatedSchema, before: Mapping[str, Any], known: frozenset[str]
) -> tuple[str, ...]:
    """Return the *known* versions that lack *gated* and show something else than *before*."""
    return tuple(
        date
        for date in gated.lacking
        if date in known and _write(before, date) != _write(gated.substitutes, date)
    )


def _write(values: Mapping[str, Any], date: str) -> str | None:
    return text(values[date]) if date in values else None


def _say(values: Mapping[str, Any], date: str) -> str:
    if date not in values:
        return "left out"
    value = values[date]
    return text(value) if isinstance(value, dict | list) else quote(value)


def _last(name: str) -> str:
    return name.rpartition("/")[2].rpartition("~1")[2]


def _list_gated(api: Api, cache: Cache | None) -> list[GatedSchema]:
    def compute() -> list[GatedSchema]:
        return list(_find_gated(api))

    rows = Recollection(cache, api.meaning).recall("substitutes", compute)
    return [
        GatedSchema(name, tuple(path), tuple(shown), tuple(lacking), substitutes)
        for name, path, shown, lacking, substitutes in rows
    ]


def _find_gated(api: Api) -> Iterator[GatedSchema]:
    timeline = Timeline(api.table)
    cut = {version.date for version in api.table.supported if not version.moving}
    for path, kind, node in walk("document", api.document):
        if kind != "schema" or (ADDED not in node and REMOVED not in node):
            continue
        mask = timeline.of(node)
        shown: set[str] = set()
        lacking: dict[str, int] = {}
        for at, combination in enumerate(timeline.combinations):
            if combination.version in cut:
                if mask >> at & 1:
                    shown.add(combination.version)
                else:
                    lacking.setdefault(combination.version, at)
        substitutes = {
            date: value
            for date, at in sorted(lacking.items())
            for value in timeline.substitute(node, at)
        }
        yield GatedSchema(
            _name(path, node), path, tuple(sorted(shown)), tuple(sorted(lacking)), substitutes
        )


def _name(path: tuple[str | int, ...], node: Mapping[str, Any]) -> str:
    if path[-2] not in UNIONS:
        return pointer(path)
    label = node.get("$ref", node.get("const", path[-1]))
    return pointer((*path[:-1], label if isinstance(label, str) else text(label)))
