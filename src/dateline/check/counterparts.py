"""Compare what other versions have in place of a field or member with what was published.

A document doesn't show under which name callers of an older version get a field, nor which value
they get for a member that their version lacks. The record of what was published lists both as
*counterparts*: by document, pointer in it, and date of the other version.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dateline.cache import Cache, Recollection
from dateline.check.baseline import Published
from dateline.check.findings import create_finding
from dateline.gates import Timeline, order
from dateline.load.foreign import wrong_types_refused
from dateline.model import GATES, Api, Change, Combination, Finding, Kind, Policy, Trail
from dateline.openapi import follow, parts, pointer, walk
from dateline.project import Projector
from dateline.project.origins import ContractPaths
from dateline.schema.types import UNIONS
from dateline.schema.values import text
from dateline.wording import quote

if TYPE_CHECKING:
    from dateline.diff import DiffReadings

CounterpartRows = Mapping[str, Mapping[str, Any]]
"""The counterparts of one document: by pointer in it, and date of the other version."""

_KEY: Final = "x-dateline-counterparts"
"""Holds them where two documents are compared together with them."""

# What the other version has: another name of the same thing; a value that it shows, or another
# member of the same union, in place of a member.
_NAME: Final = "name"
_OF_MEMBERS: Final = ("shown-as", "was")


class _CounterpartRow(NamedTuple):
    """What the version *date* has in place of something in the document of *version*.

    That is the thing at the pointer *at*, or a member of the union or enum there. Where *what* is
    empty, the row says nothing but that the document has something with a history.
    """

    environment: str
    version: str
    at: str
    what: str
    member: str
    date: str
    value: Any
    path: Sequence[str | int]


class _Counterpart(NamedTuple):
    """Where a counterpart is in one document, which one it is, and for which version it counts."""

    at: str
    what: str
    member: str
    date: str


def list_counterparts(api: Api, cache: Cache | None = None) -> dict[str, CounterpartRows]:
    """Return the counterparts between versions that are cut, by `ENVIRONMENT/VERSION`."""
    return _group(_list_rows(api, _list_cut(api), cache))


def check_counterparts(
    api: Api,
    published: Published,
    projector: Projector,
    unchanged: Collection[Combination] = (),
    cache: Cache | None = None,
) -> Iterator[Finding]:
    """Yield each thing in place of which published versions have another one now, or none.

    Nothing is known of it without a record of what was published. Published documents that are
    *unchanged* differ in words alone.
    """
    record = published.policy
    if record is None or record.counterparts is None:
        return
    versions = sorted(record.versions or (), key=order)
    known = [version for version in versions if version in _list_cut(api)]
    rows = _list_rows(api, known, cache)
    now = _group(rows)
    paths = {row[:6]: tuple(row.path) for row in rows}
    concerned = []
    # a document without any row now may have had some
    for environment, version in product(api.table.environment_names, known):
        shown, name = Combination(version, environment), f"{environment}/{version}"
        sides = _restrict(record.counterparts.get(name, {}), known), now.get(name, {})
        is_same = sides[0] == sides[1]
        if shown not in published.documents or (is_same and (not sides[0] or shown in unchanged)):
            continue
        concerned.append((shown, sides))
    if not concerned:
        return
    # slow to import, and not needed if nothing has changed
    from dateline.diff import DiffReadings

    readings, listing = DiffReadings(), _CounterpartList(api, known)
    found: dict[tuple[Any, ...], tuple[dict[str, Any], list[str]]] = {}
    for shown, (recorded, newest) in concerned:
        version, environment = shown
        # what was in no newer document then may be in one now
        own = list(listing.rows_in(shown))
        paths |= {row[:6]: tuple(row.path) for row in own}
        sides = recorded, _group(own).get(f"{environment}/{version}", {})
        is_next_ended = _find_next(version, versions) != _find_next(version, known)
        for change in _list_changes(published, projector, shown, sides, readings):
            for key, was, is_now in _compare(change, *sides):
                if not was and (
                    is_next_ended or key[1:] not in _list_values(newest.get(key.at, {}))
                ):
                    continue  # another version was perhaps the newest with the thing
                keys = (key, key._replace(what="", date=version))
                listed = (paths.get((environment, version, *each)) for each in keys)
                path = next(filter(None, listed), None) or projector.origin(key.at, *shown)
                details, dates = found.setdefault(
                    (key.what, key.member, path),
                    (_describe(api, change, key, path, (was, is_now)), []),
                )
                dates.append(key.date)
    for details, dates in found.values():
        yield create_finding(
            policy=Policy.FROZEN, versions=tuple(sorted(set(dates), key=order)), **details
        )


def _list_changes(
    published: Published,
    projector: Projector,
    shown: Combination,
    sides: tuple[CounterpartRows, CounterpartRows],
    readings: DiffReadings,
) -> Iterator[Change]:
    """Yield where counterparts differ between a published document and what it has become."""
    from dateline.diff import diff
    from dateline.diff.published import read_meanings

    document = published.documents[shown]
    with wrong_types_refused(document):
        both = read_meanings(
            document.content,
            projector.contract(*shown).document,
            readings,
            are_published=(not document.is_meant, False),
        )
        noted = [_annotate(one, rows) for one, rows in zip(both, sides, strict=True)]
        pending = diff(noted[0], noted[1], None, readings, words=False)
    while pending:
        change = pending.pop()
        pending += change.within
        if change.kind is Kind.EXTENSION_CHANGED and change.keyword == _KEY:
            yield change


def _compare(
    change: Change, before: CounterpartRows, after: CounterpartRows
) -> Iterator[tuple[_Counterpart, list[Any], list[Any]]]:
    """Yield each counterpart that differs at *change*, and its value on both sides."""
    pointers = change.before_pointer, change.after_pointer
    at = [(one or "").removesuffix(f"/{_KEY}") for one in pointers]
    was, now = (
        _list_values(rows.get(place, {})) for rows, place in zip((before, after), at, strict=True)
    )
    for key in sorted({*was, *now}, key=lambda one: (order(one[2]), one)):
        values = [{text(value): value for value in side.get(key, ())} for side in (was, now)]
        if values[0] != values[1]:
            gone, came = (
                [value for each, value in mine.items() if each not in other]
                for mine, other in (values, reversed(values))
            )
            yield _Counterpart(at[1] or at[0], *key), gone[:1], came[:1]


def _list_values(row: Mapping[str, Any]) -> dict[tuple[str, str, str], list[Any]]:
    """Return what *row* has by kind, member and date; members without a name are one."""
    found: dict[tuple[str, str, str], list[Any]] = {}
    for date, entry in row.items():
        if _NAME in entry:
            found[_NAME, "", date] = [entry[_NAME]]
        for what in _OF_MEMBERS:
            for member, value in entry.get(what, ()):
                found.setdefault((what, member, date), []).append(value)
    return found


def _describe(
    api: Api,
    change: Change,
    key: _Counterpart,
    path: Trail,
    values: Sequence[Sequence[Any]],
) -> dict[str, Any]:
    """Return what a finding says, but for its versions."""
    is_name = key.what == _NAME
    absent = "no other name" if is_name else "left out"
    was, now = (_describe_value(value, absent) for value in values)
    names = [key.member] if key.member else filter(None, (change.schema, change.field))
    called = ".".join(map(_last, names)) or _last(key.at)
    if is_name:
        rule, fact = "older-name-changed", "has another name in an older version"
    else:
        rule, fact = "shown-as-changed", "is shown to older callers as another value"
    return {
        "rule": rule,
        "message": f"{called} {fact} ({was} -> {now})",
        "key": (*path, was, now),
        "after_pointer": pointer(path),
        "schema": change.schema,
        "field": change.field,
        "before": next(iter(values[0]), None),
        "after": next(iter(values[1]), None),
        "after_source": api.locate(path),
    }


def _describe_value(value: Sequence[Any], absent: str) -> str:
    if not value:
        return absent
    return text(value[0]) if isinstance(value[0], dict | list) else quote(value[0])


def _last(name: str) -> str:
    return parts(f"/{name.rpartition('/')[2]}")[0].rpartition("/")[2]


# Counterparts of documents


def _annotate(document: dict[str, Any], rows: CounterpartRows) -> dict[str, Any]:
    """Return a copy of *document* with the counterparts that *rows* has."""
    for at, row in rows.items():
        document = _put(document, follow(document, at), row)
    return document


def _put(node: Any, path: Sequence[str | int], row: Mapping[str, Any]) -> Any:
    if path:
        step, *below = path
        if isinstance(node, list) and isinstance(step, int) and step < len(node):
            return [*node[:step], _put(node[step], below, row), *node[step + 1 :]]
        if isinstance(node, dict) and step in node:
            return {**node, step: _put(node[step], below, row)}
        return node
    if not isinstance(node, dict):
        return node
    # in OpenAPI 3.0, what is beside a reference says nothing
    return {**({"allOf": [node]} if "$ref" in node else node), _KEY: row}


def _restrict(rows: CounterpartRows, known: Collection[str]) -> CounterpartRows:
    """Return *rows* without what they have of versions that are not *known*."""
    kept = {
        at: {date: entry for date, entry in row.items() if date in known}
        for at, row in rows.items()
    }
    return {at: row for at, row in kept.items() if row}


def _find_next(version: str, versions: Sequence[str]) -> str | None:
    return next((one for one in versions if order(one) > order(version)), None)


# Counterparts of the definitions


def _list_cut(api: Api) -> list[str]:
    return [version.date for version in api.table.supported if not version.moving]


def _group(rows: Sequence[_CounterpartRow]) -> dict[str, CounterpartRows]:
    """Return *rows* as the record has them: by document, pointer and date."""
    found: dict[str, Any] = {}
    for row in rows:
        if not row.what:
            continue
        document = found.setdefault(f"{row.environment}/{row.version}", {})
        entry = document.setdefault(row.at, {}).setdefault(row.date, {})
        if row.what == _NAME:
            entry[_NAME] = row.value
        else:
            entry.setdefault(row.what, []).append([row.member, row.value])
    for document in found.values():
        for dates in document.values():
            for entry in dates.values():
                for what in entry.keys() & {*_OF_MEMBERS}:
                    entry[what].sort(key=lambda pair: (text(pair[1]), pair[0]))
    return found


def _list_rows(api: Api, known: Sequence[str], cache: Cache | None) -> list[_CounterpartRow]:
    """Return the counterparts between the *known* versions.

    Each is in the document of the newest of them that has the thing.
    """

    def compute() -> list[_CounterpartRow]:
        return list(_CounterpartList(api, known).rows())

    rows = Recollection(cache, api.meaning).recall("counterparts", compute, *known)
    return [_CounterpartRow(*row) for row in rows]


class _CounterpartList:
    """Lists what versions have in place of what others have."""

    def __init__(self, api: Api, known: Sequence[str]) -> None:
        self._api = api
        self._timeline = Timeline(api.table)
        self._paths = ContractPaths(api, self._timeline)
        self._newest_first = sorted(known, key=order, reverse=True)
        self._numbers = {one: at for at, one in enumerate(self._timeline.combinations)}

    def rows(self) -> Iterator[_CounterpartRow]:
        """Yield all counterparts, in the order of the definitions."""
        for path, kind, node in self._walk():
            for environment in self._api.table.environment_names:
                yield from self._list_rows(path, kind, node, environment, self._newest_first)

    def rows_in(self, shown: Combination) -> Iterator[_CounterpartRow]:
        """Yield those of everything in one document, even if a newer one has it, too."""
        for path, kind, node in self._walk():
            yield from self._list_rows(path, kind, node, shown.environment, [shown.version])

    def _walk(self) -> Iterator[tuple[Trail, str, dict[str, Any]]]:
        for path, kind, node in walk("document", self._api.document):
            if kind in ("schema", "parameter", "header") and not GATES.isdisjoint(node):
                yield path, kind, node

    def _list_rows(
        self,
        path: Trail,
        kind: str,
        node: dict[str, Any],
        environment: str,
        versions: Sequence[str],
    ) -> Iterator[_CounterpartRow]:
        numbers = {
            date: self._numbers[Combination(date, environment)] for date in self._newest_first
        }
        places = ((date, self._paths.find(path, numbers[date])) for date in versions)
        version, steps = next(((date, one) for date, one in places if one), ("", ()))
        if not version:
            return
        is_member = kind == "schema" and path[-2] in UNIONS and isinstance(path[-1], int)
        now = numbers[version]
        if is_member:
            steps, member = steps[:-2], self._find_name(path, kind, node, now)
        else:
            member = ""
        row = _CounterpartRow(environment, version, pointer(steps), "", member, version, None, path)
        yield row
        for date, then in sorted(numbers.items(), key=lambda one: order(one[0])):
            if not self._paths.find(path[:-2], then):
                continue  # this version has nothing that could contain it
            if not self._timeline.of(node) >> then & 1:
                for value in self._timeline.substitute(node, then):
                    yield row._replace(what="shown-as", date=date, value=value)
            elif (name := self._find_name(path, kind, node, then)) != self._find_name(
                path, kind, node, now
            ):
                yield row._replace(what="was" if is_member else _NAME, date=date, value=name)

    def _find_name(self, path: Trail, kind: str, node: dict[str, Any], at: int) -> str:
        """Return what *node* is called at a combination: by its key, `name`, value or reference."""
        era = self._timeline.era(kind, node, at)
        if kind == "parameter":
            return str(era.get("name", ""))
        if isinstance(path[-1], int):
            label = era.get("$ref", era.get("const", ""))
            return label if isinstance(label, str) else text(label)
        if path[0] == "components" and len(path) == 3:
            return str(path[-1])
        return self._timeline.name(kind, str(path[-1]), node, at)
