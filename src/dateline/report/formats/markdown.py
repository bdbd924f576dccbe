"""A comment on a pull request, within the size that GitHub accepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from dateline.model import Finding
from dateline.report.context import Context
from dateline.report.escaping import SEPARATOR, escape_line, escape_markdown, quote_markdown
from dateline.report.summary import Level, Section, group_by_rule, summarize
from dateline.report.wording import format_place, list_facts, split_paragraphs, split_spans

COMMENT: Final = 65_535
"""GitHub refuses a comment of more characters; counted in bytes here, which are never fewer."""

STEP_SUMMARY: Final = 1_000_000
"""GitHub drops a step summary of more than 1 MiB."""

# Room for the end of the report: it says how much was left out.
_RESERVE: Final = 500
_MOST_ROWS: Final = 50


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return a comment on *findings*: the gravest first, and how many didn't fit."""
    return _write_within(findings, context, COMMENT)


def step_summary(findings: Sequence[Finding], context: Context) -> str:
    """Return the content for `GITHUB_STEP_SUMMARY`: the same with room for more."""
    return _write_within(findings, context, STEP_SUMMARY)


def _write_within(findings: Sequence[Finding], context: Context, limit: int) -> str:
    grouped = group_by_rule(findings)
    parts = list(_head(grouped, summarize(findings, context), context))
    room = limit - _RESERVE - sum(map(_size, parts))
    left = 0
    for section in grouped:
        opening, closing = _open_section(section), "\n</details>\n\n"
        room -= _size(opening) + _size(closing)
        if room < 0:
            left += len(section.findings)
            continue
        parts.append(opening)
        for finding in section.findings:
            item = _format_item(finding, section)
            if _size(item) > room:
                # smaller ones after it are left out as well, so that those shown are the first
                room = 0
                left += 1
                continue
            room -= _size(item)
            parts.append(item)
        parts.append(closing)
    if left:
        shown = len(findings) - left
        parts.append(
            f"**{left:,} of {len(findings):,} findings are not shown here**: {shown:,} fill what "
            "GitHub takes. The other formats show all.\n"
        )
    return "".join(parts).rstrip("\n") + "\n"


def _size(text: str) -> int:
    return len(text.encode())


def _head(grouped: Sequence[Section], summary: str, context: Context) -> Iterator[str]:
    # the comment lets a bot find its earlier comment
    yield f"<!-- dateline {context.command} -->\n"
    yield f"### dateline {context.command}: {summary}\n\n"
    if context.baseline:
        yield f"Compared with {quote_markdown(context.baseline)}.\n\n"
    if grouped:
        yield "| findings | verdict | rule |\n|---:|---|---|\n"
        for section in grouped[:_MOST_ROWS]:
            rule = quote_markdown(section.rule, 100).replace("|", r"\|")
            yield f"| {len(section.findings):,} | {_format_verdict(section)} | {rule} |\n"
        rest = grouped[_MOST_ROWS:]
        if rest:
            more = sum(len(section.findings) for section in rest)
            yield f"| {more:,} | | {len(rest):,} more rules |\n"
        yield "\n"


def _format_verdict(section: Section) -> str:
    waived = section.level is Level.WAIVED
    return f"{section.verdict}, waived" if waived else str(section.verdict)


def _open_section(section: Section) -> str:
    state = " open" if section.level is Level.ERROR else ""
    rule = escape(escape_line(section.rule, 100))
    count = f"{len(section.findings):,}"
    summary = f"<b>{_format_verdict(section)}</b> <code>{rule}</code>: {count}"
    opening = f"<details{state}><summary>{summary}</summary>\n\n"
    if section.shared_help:
        opening += "".join(f"{part}\n\n" for part in _help(section.shared_help))
    return opening


def _format_item(finding: Finding, section: Section) -> str:
    where = format_place(finding)
    line = (
        f"{quote_markdown(where)} {escape_markdown(finding.message)}"
        if where
        else escape_markdown(finding.message)
    )
    about = " · ".join(f"{fact.name}: {escape_markdown(fact.text)}" for fact in list_facts(finding))
    lines = [line, about]
    if section.shared_help is None:
        lines += _help(finding.help)
    return "- " + "<br>\n  ".join(_prefix_line(line) for line in lines if line) + "\n"


def _help(text: str) -> list[str]:
    return [
        _prefix_line(
            "".join(
                quote_markdown(span.text) if span.code else escape_markdown(span.text)
                for span in split_spans(paragraph)
            )
        )
        for paragraph in split_paragraphs(text)
    ]


def _prefix_line(line: str) -> str:
    """Return *line*, behind a zero-width space if it would begin a list, a heading or a command."""
    return line if line[0].isalpha() or line[0] in "`\\&" else SEPARATOR + line
