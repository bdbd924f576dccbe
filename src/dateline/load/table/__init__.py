"""Read `versions.yaml` as the version table, and report its problems with their places."""

from __future__ import annotations

from dateline.load.table.announcements import read_announcements
from dateline.load.table.contents import HEADER_NAME, canonical_date, check_version
from dateline.load.table.environments import read_environments
from dateline.load.table.keys import DEFAULT_HEADER, DEFAULT_PACKAGE, KEYS
from dateline.load.table.reading import Row, TableReading
from dateline.load.table.versions import (
    read_annotation,
    read_default,
    read_retired,
    read_versions,
)
from dateline.model import NOTICE_DAYS, PLACES, Map, Place, Problem, Table


def read_table(document: Map, problems: list[Problem]) -> Table | None:
    """Return the version table that *document*, the content of ``versions.yaml``, describes.

    Every problem found is appended to *problems*; the result is None if there is one.
    """
    reading = TableReading(document)
    table = _read_table(reading, reading.row(document, "the version table"))
    problems += reading.problems
    return None if reading.problems else table


def read_policy_rules(document: Map, problems: list[Problem]) -> tuple[str, dict[str, str], int]:
    """Return the preset, the verdicts by rule id and the days of notice of *document*.

    *document* is the value of `policy`. Every problem found is appended to *problems*.
    """
    reading = TableReading()
    row = reading.row(document, "policy")
    problems += reading.problems
    return row["preset"], row["rules"], row["notice-days"]


def _read_table(reading: TableReading, row: Row) -> Table:
    versions = tuple(read_versions(reading, row))
    policy = row["policy"]
    is_name = isinstance(policy, str)
    place = _find_place(reading, row)
    return Table(
        header=row[place] if place != "path" else "",
        place_of_version=place,
        form=row["form"],
        nearest=row["unknown"] == "nearest",
        default=read_default(reading, row, versions),
        annotation=read_annotation(reading, row, versions),
        versions=versions,
        environments=tuple(read_environments(reading, row)),
        announcements=tuple(read_announcements(reading, row["announcements"])),
        retired=tuple(read_retired(reading, row, versions)),
        ignoring_tags=tuple(tag for tag in row["ignores-header"] if tag is not None),
        policy=policy if is_name else policy["preset"],
        overrides={} if is_name else policy["rules"],
        notice_days=NOTICE_DAYS if is_name else policy["notice-days"],
        approvals=() if is_name else tuple(name for name in policy["approvals"] if name),
        require_why=row["require-why"],
        site=row["site"] is not False,
        documents="" if isinstance(row["site"], bool) else row["site"]["documents"],
        shared=tuple(name for name in row["shared"] if name),
        package=row["python"]["package"] if row["python"] else DEFAULT_PACKAGE,
        adopted=row["lint"] == "adopted",
        oddities=row["oddities"] == "kept",
        places=_places(row.node),
    )


def _find_place(reading: TableReading, row: Row) -> str:
    """Return where requests name a version, one of ``PLACES``."""
    keys = [key for key in PLACES if key in row.node and row[key]]
    if len(keys) > 1:
        message = f"`{keys[0]}` is the place of the version; keep one of {' and '.join(keys)}"
        reading.note(row.node.place(keys[1]), "version-place", message)
    return keys[0] if keys else "header"


def _places(node: Map) -> dict[str, Place]:
    """Return the places of the keys of the file, and of the rules of its policy."""
    policy = node.get("policy")
    rules = policy.get("rules") if isinstance(policy, Map) else None
    return {
        **({rule: rules.place(rule) for rule in rules} if isinstance(rules, Map) else {}),
        **{key: node.place(key) for key in node},
    }


__all__ = [
    "DEFAULT_HEADER",
    "DEFAULT_PACKAGE",
    "HEADER_NAME",
    "KEYS",
    "canonical_date",
    "check_version",
    "read_policy_rules",
    "read_table",
]
