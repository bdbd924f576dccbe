"""Findings in, text for a terminal out: one block for each cause, the summary last."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from dateline.model import Finding, Verdict
from dateline.report.context import Context
from dateline.report.excerpt import Excerpts
from dateline.report.summary import Level, level, sentence
from dateline.report.wording import facts, paragraphs, plain, whereabouts

_INDENT: Final = " " * 4

# Select Graphic Rendition (ECMA-48 section 8.3.117).
_BOLD, _FAINT = "1", "2"
_COLOURS: Final = {
    Verdict.NEVER: "1;31",
    Verdict.GATED: "31",
    Verdict.ADDITIVE: "32",
    Verdict.INFORMATION: "36",
}


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return the report of *findings*; waived ones are only counted unless they are asked for."""
    excerpts = Excerpts(context.source, context.width)
    shown = [
        finding for finding in findings if context.show_waived or level(finding) is not Level.WAIVED
    ]
    last = sentence(findings, context)
    if context.baseline:
        last = f"compared with {plain(context.baseline)}\n{last}"
    blocks = ["\n".join(lines) + "\n" for lines in _blocks(shown, context, excerpts)]
    return "\n".join([*blocks, last]) + "\n"


def _blocks(
    findings: Sequence[Finding], context: Context, excerpts: Excerpts
) -> Iterator[list[str]]:
    """Yield the lines of findings that stand together.

    What breaks no rule is told with its law once, and on one line each after that: whoever
    adopts an API has many of these, and can't mend them.
    """
    told: set[str] = set()
    short: list[str] = []
    for finding in findings:
        lines = block(finding, context, excerpts)
        if finding.verdict is Verdict.INFORMATION and finding.rule in told:
            short.append(next(lines))
            continue
        if short:
            yield short
            short = []
        told.add(finding.rule)
        yield list(lines)
    if short:
        yield short


def block(finding: Finding, context: Context, excerpts: Excerpts) -> Iterator[str]:
    """Yield the lines of one finding."""
    paint = _painted if context.colour else _unpainted
    where = whereabouts(finding)
    head = f"{paint(where, _BOLD)}: " if where else ""
    verdict = paint(str(finding.verdict), _COLOURS[finding.verdict])
    rule = paint(f"[{plain(finding.rule)}]", _FAINT)
    yield f"{head}{verdict} {rule} {plain(finding.message)}"
    for line in excerpts.at(finding.after_source):
        yield f"{_INDENT}{paint(line, _FAINT)}"
    for fact in facts(finding):
        yield f"{_INDENT}{fact.name}: {fact.text}"
    for paragraph in paragraphs(finding.help):
        yield from _wrapped(plain(paragraph), context.width)


def _wrapped(text: str, width: int) -> list[str]:
    # words stay whole, so that paths can be copied and no line begins within a word
    return textwrap.wrap(
        text,
        max(width, 40),
        initial_indent=_INDENT,
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _painted(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m"


def _unpainted(text: str, _: str) -> str:
    return text
