"""Check the version header against the published policy."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from dateline.check.baseline import Published
from dateline.check.findings import create_finding
from dateline.check.policy import PolicyRecord
from dateline.model import EVERYWHERE, Api, Combination, Finding, Policy, Table
from dateline.openapi import (
    method_name,
    operation_steps,
    operations,
    path_items,
    pointer,
    resolve,
)
from dateline.project import Projector
from dateline.versions import drops_suffix

_IGNORING: Final = "/ignores-header"

_OperationTags = dict[tuple[str, ...], tuple[str, ...]]


def check_header(
    api: Api, projector: Projector, published: Published, unchanged: Collection[Combination] = ()
) -> Iterator[Finding]:
    """Yield changes of the version header, and of the operations that ignore it.

    Both need a record of the published policy. The tags of *unchanged* documents are not compared.
    """
    record = published.policy
    if record is None:
        return
    yield from _check_choice(record, api.table)
    was, now = set(record.ignoring_tags), set(api.table.ignoring_tags)
    changed: dict[tuple[str, bool], dict[str, Combination]] = {}
    for combination, document in published.documents.items():
        shown = _find_combination(combination, api)
        if shown is None or (was == now and combination in unchanged):
            continue
        before = _tags(document.content)
        after = _tags(projector.contract(*shown).document)
        for operation in before.keys() & after.keys():
            ignored = not was.isdisjoint(before[operation])
            ignores = not now.isdisjoint(after[operation])
            if ignored != ignores:
                by_table = ignores == (not now.isdisjoint(before[operation]))
                at = _IGNORING if by_table else pointer(("paths", *operation, "tags"))
                name = f"{method_name(operation[-1])} {operation[0]}"
                changed.setdefault((at, ignores), {}).setdefault(name, shown)
    for (at, ignores), found in sorted(changed.items()):
        first = next(iter(found.values()))
        in_table = at == _IGNORING
        place = api.table.place("ignores-header") if in_table else projector.place(at, *first)
        names = sorted(found)
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        does = "ignores" if ignores else "uses"
        yield create_finding(
            "ignored-header-changed",
            Policy.FROZEN,
            f"{names[0]}{more}: {does} the {api.table.choice} now",
            key=(at, ignores, *names),
            after_pointer=at,
            operations=tuple(names),
            before=sorted(was) if in_table else None,
            after=sorted(now) if in_table else None,
            after_source=place,
        )


def _check_choice(record: PolicyRecord, table: Table) -> Iterator[Finding]:
    """Yield changes of how requests name their version, and of how unknown ones are treated."""
    place = table.place(table.place_of_version)
    if _fold_name(record.header) != _fold_name(table.selector):
        yield create_finding(
            "version-header-changed",
            Policy.FROZEN,
            f"the version header is renamed ({record.header} -> {table.selector})",
            key=(record.header, table.selector),
            after_pointer="/header",
            before=record.header,
            after=table.selector,
            after_source=place,
        )
    if record.nearest and not table.nearest:
        yield create_finding(
            "version-header-changed",
            Policy.FROZEN,
            "an unknown version is refused (unknown: nearest -> refused)",
            key=("nearest", "refused"),
            after_pointer="/unknown",
            before="nearest",
            after="refused",
            after_source=table.places.get("unknown", place),
        )
    elif record.nearest and record.form and drops_suffix(table.form, record.form):
        yield create_finding(
            "version-header-changed",
            Policy.FROZEN,
            f"an unknown version with a suffix is refused (form: {record.form} -> {table.form})",
            key=("form", record.form, table.form),
            after_pointer="/form",
            before=record.form,
            after=table.form,
            after_source=table.places.get("form", place),
        )


def _fold_name(selector: str) -> str:
    """Return *selector* with the case of its name ignored where requests may ignore it.

    Names of headers and of media type parameters are case-insensitive (RFC 9110, sections 5.1 and
    5.6.6); those of query parameters are not.
    """
    return selector if selector.startswith("query ") else selector.casefold()


def _find_combination(combination: Combination, api: Api) -> Combination | None:
    """Return the combination of the definitions that *combination* was published from."""
    if combination.environment != EVERYWHERE:
        return combination if combination in api.combinations else None
    name = api.table.environments[0].name
    shown = Combination(combination.version, name)
    return shown if shown in api.combinations else None


def _tags(document: dict[str, Any]) -> _OperationTags:
    """Return the tags of each operation, by path and method."""
    return {
        (path, *operation_steps(method)): tuple(operation.get("tags", ()))
        for path, item in path_items(document)
        for method, operation in operations(resolve(document, item))
    }
