"""Findings in, text for a terminal out: one block for each cause, the summary last."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Final

from dateline.model import Finding, Policy, Verdict
from dateline.report.context import Context
from dateline.report.excerpt import Excerpts
from dateline.report.summary import Level, level, sentence
from dateline.report.wording import facts, paragraphs, plain, whereabouts

_INDENT: Final = " " * 4

# So many equal edits are shown one by one; of more, so many places.
_FEW: Final = 3

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
    if context.command == "check" and (way := waiving(shown)):
        last = f"to let one pass: {way}\n{last}"
    if context.baseline:
        last = f"compared with {plain(context.baseline)}\n{last}"
    blocks = ["\n".join(lines) + "\n" for lines in _blocks(shown, context, excerpts)]
    return "\n".join([*blocks, last]) + "\n"


def waiving(findings: Sequence[Finding]) -> str:
    """Return the command that waives the first of *findings* that can be; empty if none can."""
    for finding in findings:
        pointer = finding.after_pointer or finding.before_pointer
        if level(finding) is Level.ERROR and finding.policy is not Policy.WAIVERS and pointer:
            at = whereabouts(finding)
            same = [one for one in findings if one.rule == finding.rule and whereabouts(one) == at]
            place = quote(plain(pointer) if len(same) > 1 else at)
            return f"dateline waive {plain(finding.rule)} {place} --reason TEXT --expires DATE"
    return ""


def _blocks(
    findings: Sequence[Finding], context: Context, excerpts: Excerpts
) -> Iterator[list[str]]:
    """Yield the lines of findings that stand together.

    What breaks no rule is told with its law once, and on one line each after that: whoever
    adopts an API has many of these, and can't mend them.
    """
    told: set[str] = set()
    short: list[str] = []
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        alike.setdefault(_edit(finding), []).append(finding)
    for finding in findings:
        same = alike[_edit(finding)]
        many = len(same) > _FEW and finding.verdict is not Verdict.INFORMATION
        if many and finding is not same[0]:
            continue
        lines = many_alike(same, context) if many else block(finding, context, excerpts)
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


def _edit(finding: Finding) -> tuple[str, ...]:
    """Return what findings have in common that tell of one edit made in many places."""
    owner, _, fact = finding.message.partition(": ")
    law = (finding.rule, str(finding.verdict), str(finding.policy), str(finding.waived))
    return (*law, fact or owner, finding.help, *finding.versions, "", *finding.environments)


def many_alike(findings: Sequence[Finding], context: Context) -> Iterator[str]:
    """Yield the lines of many findings that differ in their places only."""
    first = findings[0]
    fact = first.message.partition(": ")[2] or first.message
    paint = _painted if context.colour else _unpainted
    verdict = paint(str(first.verdict), _COLOURS[first.verdict])
    rule = paint(f"[{plain(first.rule)}]", _FAINT)
    yield f"{verdict} {rule} {plain(fact)} ({len(findings):,} times)"
    for finding in findings[:_FEW]:
        where = whereabouts(finding)
        owner = finding.message.partition(": ")[0]
        yield (
            f"{_INDENT}{paint(where, _BOLD)}: {plain(owner)}"
            if where
            else (f"{_INDENT}{plain(owner)}")
        )
    yield f"{_INDENT}and {len(findings) - _FEW:,} more; `--format json` lists all"
    for told in facts(first):
        if told.name in ("versions", "waived"):
            yield f"{_INDENT}{told.name}: {told.text}"
    for paragraph in paragraphs(first.help):
        yield from _wrapped(plain(paragraph), context.width)


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
