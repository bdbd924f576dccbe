"""For people at a terminal: one entry for each cause, the summary last."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Final

from dateline.model import Finding, Place, Policy, Verdict
from dateline.report.context import Context
from dateline.report.escaping import escape_line
from dateline.report.excerpt import Excerpts
from dateline.report.summary import Level, level_of, summarize
from dateline.report.wording import format_place, list_facts, place_of, split_paragraphs

_INDENT: Final = " " * 4

# The number of equal edits that are shown one by one; of more, the number of places.
_FEW: Final = 3

# The number of pieces of information of one rule that are listed; the others are counted.
_LISTED: Final = 10

_ALL: Final = "`--format json` lists all"

# Select Graphic Rendition (ECMA-48 section 8.3.117).
_BOLD, _FAINT = "1", "2"
_COLOURS: Final = {
    Verdict.INVALID: "1;31",
    Verdict.NEVER: "1;31",
    Verdict.GATED: "31",
    Verdict.ADDITIVE: "32",
    Verdict.INFORMATION: "36",
}


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return the report of *findings*; waived ones are only counted unless requested."""
    excerpts = Excerpts(context.source, context.width)
    shown = [
        finding
        for finding in findings
        if context.show_waived or level_of(finding) is not Level.WAIVED
    ]
    blocks = ["\n".join(lines) + "\n" for lines in _list_entries(shown, context, excerpts)]
    if context.quiet:
        return "\n".join(blocks)
    last = summarize(findings, context)
    if context.command == "check" and (way := find_waive_command(findings, context)):
        last = f"to let one pass: {way}\n{last}"
    if context.baseline:
        last = f"compared with {escape_line(context.baseline)}\n{last}"
    return "\n".join([*blocks, last]) + "\n"


def find_waive_command(findings: Sequence[Finding], context: Context) -> str:
    """Return the command that waives the first of *findings* that can be; empty if none can."""
    for finding in findings:
        pointer = finding.after_pointer or finding.before_pointer
        if level_of(finding) is Level.ERROR and finding.policy is not Policy.WAIVERS and pointer:
            at = format_place(finding)
            same = [one for one in findings if one.rule == finding.rule and format_place(one) == at]
            place = quote(escape_line(pointer) if len(same) > 1 else at)
            against = context.against
            options = "" if against is None else f" --against {quote(escape_line(against))}"
            if project := find_project(finding, context):
                options = f" -p {quote(escape_line(project))}{options}"
            command = f"dateline waive {escape_line(finding.rule)} {place}{options}"
            return f"{command} --reason TEXT --expires DATE"
    return ""


def find_project(finding: Finding, context: Context) -> str:
    """Return the name of the project of *finding*, if there are several."""
    file = (place_of(finding) or Place("", 1, 1)).file
    found = [folder for folder in context.projects if file.startswith(f"{folder}/")]
    return context.projects[max(found, key=len)] if found else ""


def _list_entries(
    findings: Sequence[Finding], context: Context, excerpts: Excerpts
) -> Iterator[list[str]]:
    """Yield the lines of each entry: a finding, or many similar ones; information last."""
    alike: dict[tuple[str, ...], list[Finding]] = {}
    information: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.verdict is Verdict.INFORMATION:
            information.setdefault(finding.rule, []).append(finding)
        else:
            alike.setdefault(_identify_edit(finding), []).append(finding)
    for same in alike.values():
        if len(same) > _FEW:
            yield list(list_alike(same, context))
        else:
            yield from (list(list_lines(finding, context, excerpts)) for finding in same)
    for first, *others in information.values():
        yield list(list_lines(first, context, excerpts))
        if others:
            yield list(list_briefly(others, context, excerpts))


def list_briefly(
    findings: Sequence[Finding], context: Context, excerpts: Excerpts
) -> Iterator[str]:
    """Yield one line for each of some *findings*, and how many others there are.

    An adopted API has a lot of information that nobody can fix.
    """
    for finding in findings[: _LISTED - 1]:
        yield next(list_lines(finding, context, excerpts))
    if more := len(findings[_LISTED - 1 :]):
        rule = escape_line(findings[0].rule)
        yield f"and {more:,} more [{rule}]; {_ALL}"


def _identify_edit(finding: Finding) -> tuple[str, ...]:
    """Return what findings from one edit in many places have in common."""
    owner, _, fact = finding.message.partition(": ")
    rule = (finding.rule, str(finding.verdict), str(finding.policy), str(finding.waived))
    return (*rule, fact or owner, finding.help, *finding.versions, "", *finding.environments)


def list_alike(findings: Sequence[Finding], context: Context) -> Iterator[str]:
    """Yield the lines of many findings that only differ in their places."""
    first = findings[0]
    fact = first.message.partition(": ")[2] or first.message
    yield f"{_format_verdict(first, context)} {escape_line(fact)} ({len(findings):,} times)"
    for finding in findings[:_FEW]:
        owner = escape_line(finding.message.partition(": ")[0])
        yield f"{_INDENT}{_start_line(finding, context)}{owner}"
    yield f"{_INDENT}and {len(findings) - _FEW:,} more; {_ALL}"
    yield from _list_details(first, context, ("versions", "waived"))


def list_lines(finding: Finding, context: Context, excerpts: Excerpts) -> Iterator[str]:
    """Yield the lines of one finding."""
    message = escape_line(finding.message)
    yield f"{_start_line(finding, context)}{_format_verdict(finding, context)} {message}"
    for line in excerpts.at(finding.after_source):
        yield f"{_INDENT}{_paint(line, _FAINT, context)}"
    yield from _list_details(finding, context)


def _start_line(finding: Finding, context: Context) -> str:
    where = format_place(finding)
    return f"{_paint(where, _BOLD, context)}: " if where else ""


def _format_verdict(finding: Finding, context: Context) -> str:
    verdict = _paint(str(finding.verdict), _COLOURS[finding.verdict], context)
    return f"{verdict} {_paint(f'[{escape_line(finding.rule)}]', _FAINT, context)}"


def _list_details(finding: Finding, context: Context, names: Sequence[str] = ()) -> Iterator[str]:
    """Yield the facts of *finding*, those of *names* or all, and its help."""
    for fact in list_facts(finding):
        if not names or fact.name in names:
            yield f"{_INDENT}{fact.name}: {fact.text}"
    for paragraph in split_paragraphs(finding.help):
        # words stay whole, so that paths can be copied and no line begins within a word
        yield from textwrap.wrap(
            escape_line(paragraph),
            max(context.width, 40),
            initial_indent=_INDENT,
            subsequent_indent=_INDENT,
            break_long_words=False,
            break_on_hyphens=False,
        )


def _paint(text: str, code: str, context: Context) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if context.colour else text
