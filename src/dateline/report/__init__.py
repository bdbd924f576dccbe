"""Findings in, the text of a report out, in any of the formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from dateline.model import Finding
from dateline.report.context import Context

__all__ = ["FORMATS", "Context", "Format", "report", "schema", "step_summary"]


class Format(NamedTuple):
    """A kind of report: what writes it, the suffix of its files, its meaning in one line."""

    write: Callable[[Sequence[Finding], Context], str]
    suffix: str
    meaning: str


def _format(name: str, suffix: str, meaning: str) -> Format:
    def write(findings: Sequence[Finding], context: Context) -> str:
        # a run pays for the imports of the formats that it writes
        text: str = import_module(f"{__name__}.{name}").write(findings, context)
        return text

    return Format(write, suffix, meaning)


FORMATS: Final[dict[str, Format]] = {
    "text": _format("text", ".txt", "for people at a terminal"),
    "json": _format("json", ".json", "for programs; `dateline schema report` prints its schema"),
    "sarif": _format("sarif", ".sarif", "SARIF 2.1.0, for code scanning and editors"),
    "junit": _format("junit", ".xml", "JUnit XML, for the test reports of CI servers"),
    "github": _format("github", ".txt", "annotations in a run of GitHub Actions"),
    "gitlab": _format("gitlab", ".json", "a code quality report of GitLab"),
    "markdown": _format("markdown", ".md", "a comment on a pull request"),
    "html": _format("html", ".html", "one page for a browser"),
}
"""The formats by name."""


def report(findings: Sequence[Finding], format: str, *, context: Context) -> str:
    """Return the report of *findings*, which are sorted, in the *format* of that name.

    The same findings and context give the same text, which ends in a newline. Nothing in it is
    obeyed by a terminal, browser or CI server, whatever the findings quote. A format with a
    limit says how many findings it leaves out. Raises KeyError for a name not in `FORMATS`.
    """
    return FORMATS[format].write(findings, context)


def step_summary(findings: Sequence[Finding], context: Context) -> str:
    """Return the Markdown to append to the file that `GITHUB_STEP_SUMMARY` names.

    It belongs to the format ``github``, whose annotations are ten at most.
    """
    from dateline.report import markdown

    return markdown.step_summary(findings, context)


def schema() -> str:
    """Return the JSON Schema (2020-12) of the format ``json``."""
    return Path(__file__).with_name("report.schema.json").read_text(encoding="utf-8")
