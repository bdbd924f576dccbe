"""Reports of findings, in any of the formats: each is a module in the folder `formats`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

from dateline.model import Finding
from dateline.report.context import Context
from dateline.report.problems import list_invalid, list_problems

__all__ = [
    "FORMATS",
    "Context",
    "describe_format",
    "list_problems",
    "report",
    "schema",
    "step_summary",
]

FORMATS: Final = tuple(
    sorted(module.name for module in iter_modules([str(Path(__file__).with_name("formats"))]))
)
"""The names of the formats."""


def report(findings: Sequence[Finding], format: str, *, context: Context) -> str:
    """Return the report of *findings*, which are sorted, in the *format* of that name.

    The same findings and context give the same text, which ends in a newline. Nothing in it is
    obeyed by a terminal, browser or CI server, whatever the findings quote. A format with a
    limit says how many findings it leaves out. The problems of *context* come first, as findings
    whose verdict is ``invalid``. Raises KeyError for a name not in `FORMATS`.
    """
    if format not in FORMATS:
        raise KeyError(format)
    # a run pays for the imports of the formats that it writes
    everything = [*list_invalid(context.problems), *findings]
    text: str = import_module(f"{__name__}.formats.{format}").write(everything, context)
    return text


def describe_format(format: str) -> str:
    """Return in one line what the *format* of that name is for."""
    return (import_module(f"{__name__}.formats.{format}").__doc__ or "").partition("\n")[0]


def step_summary(findings: Sequence[Finding], context: Context) -> str:
    """Return the Markdown to append to the file that `GITHUB_STEP_SUMMARY` names.

    It belongs to the format ``github``, whose annotations are ten at most.
    """
    from dateline.report.formats import markdown

    return markdown.step_summary([*list_invalid(context.problems), *findings], context)


def schema() -> str:
    """Return the JSON Schema (2020-12) of the format ``json``."""
    return Path(__file__).with_name("report.schema.json").read_text(encoding="utf-8")
