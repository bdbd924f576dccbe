"""List the converters that the definitions demand: places, arguments and results."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from dateline.cache import Cache, Recollection
from dateline.gates import gate_dates
from dateline.model import Api, Finding, Place, Policy, SourceError, Trail
from dateline.openapi import find_media_type, walk

if TYPE_CHECKING:
    from dateline.server.converters import Converter

_RULE: Final = "converter-demanded"

_BY_PLACE: Final = attrgetter("source", "name")


@dataclass(frozen=True, kw_only=True)
class DemandedConverter:
    """A converter that the owner of the definitions must write, for the way down, up, or both.

    ``name`` is its name in contract data. Values differ before and from the version ``before`` on;
    it is empty for a converter that serves all versions. ``signatures`` are those of the methods,
    and ``method`` is their common name behind `older_` and `newer_`. ``path`` leads to the node in
    the definitions that demands it, if that is known.
    """

    name: str
    before: str
    source: Place
    signatures: tuple[str, ...]
    method: str = ""
    path: Trail = ()

    def describe(self) -> dict[str, Any]:
        """Return it as the schemas of `answers` describe it."""
        return {
            "name": self.name,
            "media_type": find_media_type(self.path) or None,
            "before": self.before or None,
            "signatures": list(self.signatures),
            "source": self.source._asdict(),
        }

    def format_lines(self) -> Iterator[str]:
        """Yield it as lines for people."""
        yield f"{self.source}: {format_demand(self.describe())}"
        yield from (f"  {signature}" for signature in self.signatures)


def format_demand(described: Mapping[str, Any]) -> str:
    """Return the name of a converter as `describe` gives it, with its media type and version."""
    media_type = f" ({described['media_type']})" if described["media_type"] else ""
    before = f" before {described['before']}" if described["before"] else ""
    return f"{described['name']}{media_type}{before}"


def list_demands(api: Api) -> list[DemandedConverter]:
    """Return the converters that the server of *api* needs, by place.

    Raises SourceError for authored definitions that can't be served.
    """
    # slow to import, and not needed if nothing has a history
    if not any(_list_histories(api)):
        return []
    from dateline.canonical import prepare_serving
    from dateline.contracts import all_contract_data
    from dateline.project import Projector
    from dateline.server.canonical import read_forms
    from dateline.server.converted import ConvertedTypes
    from dateline.server.converters import list_converters

    serving = prepare_serving(api)
    own, components = all_contract_data(serving, Projector(serving))
    found: dict[str, list[Converter]] = {}
    types = ConvertedTypes(read_forms(serving))
    for each in list_converters(serving, own, components, types):
        found.setdefault(each.name, []).append(each)
    places = {**components.places, **own.places}
    demands = [
        DemandedConverter(
            name=name,
            before=methods[0].before,
            source=serving.locate(places.get(name, ())),
            signatures=tuple(
                each.signature
                for each in methods
                # only values of components need converters the other way
                if each.is_required or not any(one.is_required for one in methods)
            ),
            method=methods[0].method.partition("_")[2],
            path=places.get(name, ()),
        )
        for name, methods in found.items()
    ]
    return sorted(demands, key=_BY_PLACE)


def list_pending(api: Api, cache: Cache | None = None) -> list[DemandedConverter]:
    """Return the converters that the drafts of *api* demand; none if it can't be served.

    Converters that serve all versions are included. The *cache* may have the result for the same
    definitions.
    """
    drafts = {*api.table.drafts}
    if not drafts or drafts.isdisjoint(_list_histories(api)):
        return []

    def compute() -> list[dict[str, Any]]:
        # edits of words move positions, but not paths
        found = _of_versions(list_served(api), drafts)
        return [{**each.describe(), "source": each.path} for each in found]

    rows = Recollection(cache, api.meaning).recall("demands", compute, repr(api.visible))
    return sorted((_read_row(api, row) for row in rows), key=_BY_PLACE)


def list_new(before: Api | None, after: Api) -> list[DemandedConverter]:
    """Return the converters that drafts of *after* demand, without those of *before*, if given."""
    demands = list_pending(after)
    known = {
        (each.name, each.signatures)
        for each in (list_pending(before) if demands and before is not None else ())
    }
    return [each for each in demands if (each.name, each.signatures) not in known]


def list_of_version(api: Api, date: str) -> list[DemandedConverter]:
    """Return the converters that the version *date* of *api* demands."""
    return _of_versions(list_served(api), {date})


def find_pending(api: Api, cache: Cache | None = None) -> Iterator[Finding]:
    """Yield, as information, a finding for each converter that the drafts of *api* demand."""
    demands = list_pending(api, cache)
    if not demands:
        return
    from dateline.check.findings import create_finding

    for each in demands:
        yield create_finding(
            _RULE,
            Policy.SERVABLE,
            f"{format_demand(each.describe())}: write {' and '.join(each.signatures)}",
            key=(each.name, *each.signatures),
            after_source=each.source,
            versions=(each.before,) if each.before else (),
        )


def list_served(api: Api) -> list[DemandedConverter]:
    """Return what `list_demands` returns, or nothing for definitions that can't be served."""
    try:
        return list_demands(api)
    except SourceError:
        return []


def _of_versions(
    demands: Sequence[DemandedConverter], versions: Collection[str]
) -> list[DemandedConverter]:
    return [each for each in demands if each.before in versions or not each.before]


def _list_histories(api: Api) -> set[str]:
    """Return the dates at which a node changes."""
    return {date for _, _, node in walk("document", api.document) for date in gate_dates(node)}


def _read_row(api: Api, row: dict[str, Any]) -> DemandedConverter:
    path = tuple(row["source"])
    return DemandedConverter(
        name=row["name"],
        before=row["before"] or "",
        source=api.locate(path),
        signatures=tuple(row["signatures"]),
        path=path,
    )
