"""Annotations in a run of GitHub Actions, and its step summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dateline.model import Finding
from dateline.report.context import Context
from dateline.report.escaping import escape_line
from dateline.report.summary import Level, level_of, summarize
from dateline.report.wording import list_facts, place_of, split_paragraphs

MOST: Final = 10
"""The number of annotations of each level that GitHub shows for a step; it drops all others."""

_COMMANDS: Final = {Level.ERROR: "error", Level.NOTE: "notice"}

_IN_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return one command for each finding, at most ten of a level, and the summary.

    The tenth says how many more there are. The step summary shows the rest, and the waived.
    """
    lines = [line for kind in _COMMANDS for line in _list_annotations(kind, findings, context)]
    return "\n".join([*lines, summarize(findings, context)]) + "\n"


def _list_annotations(kind: Level, findings: Sequence[Finding], context: Context) -> Iterator[str]:
    found = [finding for finding in findings if level_of(finding) is kind]
    shown = found if len(found) <= MOST else found[: MOST - 1]
    for finding in shown:
        yield _format_annotation(finding)
    left = len(found) - len(shown)
    if left:
        title = f"dateline {context.command}"
        message = f"and {left:,} more; the summary of this run shows them"
        yield _format_command(_COMMANDS[kind], {"title": title}, message)


def _format_annotation(finding: Finding) -> str:
    where = place_of(finding)
    properties = {}
    if where is not None:
        properties["file"] = escape_line(where.file)
        properties["line"] = str(where.line)
        properties["col"] = str(where.column)
    properties["title"] = f"{finding.verdict} [{escape_line(finding.rule)}]"
    lines = [escape_line(finding.message)]
    lines += [f"{fact.name}: {fact.text}" for fact in list_facts(finding)]
    lines += map(escape_line, split_paragraphs(finding.help))
    return _format_command(_COMMANDS[level_of(finding)], properties, "\n".join(lines))


def _format_command(name: str, properties: dict[str, str], data: str) -> str:
    joined = ",".join(f"{key}={value.translate(_IN_PROPERTY)}" for key, value in properties.items())
    return f"::{name} {joined}::{data.translate(_IN_DATA)}"
