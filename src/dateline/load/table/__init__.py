"""Read `versions.yaml` as the version table; its defects become problems with places."""

from __future__ import annotations

from dateline.load.table import valid
from dateline.load.table.announcements import read_announcements
from dateline.load.table.environments import read_environments
from dateline.load.table.policy import read_policy
from dateline.load.table.reading import TableReading
from dateline.load.table.valid import canonical_date, version_date
from dateline.load.table.versions import read_annotation, read_default, read_versions
from dateline.load.table.vocabulary import (
    DEFAULT_HEADER,
    DEFAULT_PACKAGE,
    ENVIRONMENT_NAME,
    HEADER_NAME,
    KEYS,
    PACKAGE_NAME,
    RULE_ID,
    SERVER_URL,
    VERDICTS,
)
from dateline.model import Map, Place, Problem, Table


def read_table(document: Map, problems: list[Problem]) -> Table | None:
    """Return the version table that *document*, the content of ``versions.yaml``, describes.

    Every problem found is appended to *problems*; None is returned when there is one.
    """
    reading = TableReading()
    table = _table(reading, document)
    problems += reading.problems
    return None if reading.problems else table


def read_policy_rules(document: Map, problems: list[Problem]) -> tuple[str, dict[str, str], int]:
    """Return the preset, the verdicts by rule id and the days of notice that *document* has.

    *document* is what `policy` holds. Every problem found is appended to *problems*.
    """
    reading = TableReading()
    node = Map(policy=document)
    node.file, node.mark, node.marks = document.file, document.mark, [document.mark] * 2
    policy = read_policy(reading, node)
    problems += reading.problems
    return policy


def _table(reading: TableReading, node: Map) -> Table:
    reading.known_keys(node, "the version table")
    lint = reading.value(node, "lint", valid.one_of("authored", "adopted"), "authored")
    adopted = lint == "adopted"
    versions = tuple(read_versions(reading, node))
    preset, rules, notice = read_policy(reading, node)
    return Table(
        header=reading.value(node, "header", valid.header, DEFAULT_HEADER),
        default=read_default(reading, node, versions),
        annotation=read_annotation(reading, node, versions),
        versions=versions,
        environments=tuple(read_environments(reading, node, adopted)),
        announcements=tuple(read_announcements(reading, node)),
        ignoring_tags=tuple(reading.items(node, "ignores-header", valid.line)),
        policy=preset,
        overrides=rules,
        notice_days=notice,
        require_why=reading.value(node, "require-why", valid.flag, False),
        package=_package(reading, node),
        adopted=adopted,
        places=_places(node),
    )


def _package(reading: TableReading, node: Map) -> str:
    python = reading.value(node, "python", valid.mapping, Map())
    if not python:
        return DEFAULT_PACKAGE
    reading.known_keys(python, "python")
    package: str = reading.value(python, "package", valid.package, DEFAULT_PACKAGE)
    return package


def _places(node: Map) -> dict[str, Place]:
    """Return where the keys of the file are written, and the rules of its policy."""
    policy = node.get("policy")
    rules = policy.get("rules") if isinstance(policy, Map) else None
    return {
        **({rule: rules.place(rule) for rule in rules} if isinstance(rules, Map) else {}),
        **{key: node.place(key) for key in node},
    }


__all__ = [
    "DEFAULT_HEADER",
    "DEFAULT_PACKAGE",
    "ENVIRONMENT_NAME",
    "HEADER_NAME",
    "KEYS",
    "PACKAGE_NAME",
    "RULE_ID",
    "SERVER_URL",
    "VERDICTS",
    "canonical_date",
    "read_policy_rules",
    "read_table",
    "version_date",
]
