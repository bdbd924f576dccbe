"""Findings in, workflow commands of GitHub Actions out: the annotations of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dateline.model import Finding
from dateline.report.context import Context
from dateline.report.summary import Level, level, sentence
from dateline.report.wording import facts, paragraphs, path, place, plain

MOST: Final = 10
"""GitHub shows so many annotations of each level for a step, and drops the others in silence."""

_COMMANDS: Final = {Level.ERROR: "error", Level.NOTE: "notice"}

_IN_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return one command for each finding, at most ten of a level, and the summary.

    The tenth says how many more there are. The step summary shows the rest, and the waived.
    """
    lines = [line for kind in _COMMANDS for line in _annotations(kind, findings, context)]
    return "\n".join([*lines, sentence(findings, context)]) + "\n"


def _annotations(kind: Level, findings: Sequence[Finding], context: Context) -> Iterator[str]:
    found = [finding for finding in findings if level(finding) is kind]
    shown = found if len(found) <= MOST else found[: MOST - 1]
    for finding in shown:
        yield _annotation(finding, context)
    left = len(found) - len(shown)
    if left:
        title = f"dateline {context.command}"
        message = f"and {left:,} more; the summary of this run shows them"
        yield _command(_COMMANDS[kind], {"title": title}, message)


def _annotation(finding: Finding, context: Context) -> str:
    stands = place(finding)
    properties = {}
    if stands is not None:
        properties["file"] = plain(path(stands.file, context))
        properties["line"] = str(stands.line)
        properties["col"] = str(stands.column)
    properties["title"] = f"{finding.verdict} [{plain(finding.rule)}]"
    lines = [plain(finding.message)]
    lines += [f"{fact.name}: {fact.text}" for fact in facts(finding)]
    lines += map(plain, paragraphs(finding.help))
    return _command(_COMMANDS[level(finding)], properties, "\n".join(lines))


def _command(name: str, properties: dict[str, str], data: str) -> str:
    given = ",".join(f"{key}={value.translate(_IN_PROPERTY)}" for key, value in properties.items())
    return f"::{name} {given}::{data.translate(_IN_DATA)}"
