"""One page for a browser, with nothing loaded from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement, tostring

from dateline.model import Finding
from dateline.report.context import Context
from dateline.report.escaping import escape_line
from dateline.report.excerpt import Excerpts
from dateline.report.summary import Level, Section, group_by_rule, summarize
from dateline.report.wording import (
    MOST_OPERATIONS,
    format_place,
    list_facts,
    split_paragraphs,
    split_spans,
)

_NOTHING_FROM_ELSEWHERE: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

# Elements that text flows around; the others end their line.
_INLINE: Final = frozenset(["a", "code", "span"])

_MOST_LISTED: Final = 100
_WIDTH: Final = 160


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return the page. Text is only added as the text of elements, which escapes all of it."""
    summary = summarize(findings, context)
    grouped = group_by_rule(findings)
    page = Element("html", lang="en")
    _head(page, f"dateline {context.command}: {summary}")
    body = SubElement(page, "body")
    header = SubElement(body, "header")
    _add(header, "h1", f"dateline {context.command}")
    _add(header, "p", summary, "summary")
    compared = _add(header, "p", "", "soft")
    if context.baseline:
        compared.text = "Compared with "
        _add(compared, "code", escape_line(context.baseline)).tail = ", "
    _tail(compared, f"dateline {escape_line(context.version)}")
    main = SubElement(body, "main")
    if grouped:
        _table(main, grouped)
    excerpts = Excerpts(context.source, _WIDTH)
    for number, section in enumerate(grouped, 1):
        _section(main, section, f"rule-{number}", excerpts)
    for element in page.iter():
        if element.tag not in _INLINE:
            element.tail = "\n"
    return "<!DOCTYPE html>\n" + tostring(page, encoding="unicode", method="html")


def _head(page: Element, title: str) -> None:
    head = SubElement(page, "head")
    SubElement(head, "meta", charset="utf-8")
    policy = {"http-equiv": "Content-Security-Policy", "content": _NOTHING_FROM_ELSEWHERE}
    SubElement(head, "meta", policy)
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    # without it browsers request one from the host
    SubElement(head, "link", rel="icon", href="data:,")
    _add(head, "title", title)
    style = Path(__file__).with_name("html.css").read_text(encoding="utf-8")
    _add(head, "style", style)


def _table(main: Element, grouped: Sequence[Section]) -> None:
    table = SubElement(main, "table")
    _add(table, "caption", "Findings by rule")
    titles = SubElement(SubElement(table, "thead"), "tr")
    for title, kind in (("Findings", "number"), ("Verdict", ""), ("Rule", "")):
        _add(titles, "th", title, kind).set("scope", "col")
    rows = SubElement(table, "tbody")
    for number, section in enumerate(grouped, 1):
        line = SubElement(rows, "tr")
        _add(line, "td", f"{len(section.findings):,}", "number")
        _verdict(_add(line, "td", "", "verdict"), section)
        rule = _add(line, "th", "")
        rule.set("scope", "row")
        link = SubElement(rule, "a", href=f"#rule-{number}")
        _add(link, "code", escape_line(section.rule))


def _section(main: Element, section: Section, name: str, excerpts: Excerpts) -> None:
    part = SubElement(main, "section", {"aria-labelledby": name})
    title = SubElement(part, "h2", id=name)
    _verdict(title, section)
    _tail(title, " ")
    _add(title, "code", escape_line(section.rule)).tail = f" ({len(section.findings):,})"
    if section.shared_help is not None:
        _help(part, section.shared_help)
    for finding in section.findings:
        article = SubElement(part, "article")
        _finding(article, finding, excerpts)
        if section.shared_help is None:
            _help(article, finding.help)


def _verdict(parent: Element, section: Section) -> None:
    _add(parent, "span", str(section.verdict), f"badge {section.verdict}")
    if section.level is Level.WAIVED:
        _tail(parent, " waived")


def _finding(article: Element, finding: Finding, excerpts: Excerpts) -> None:
    _add(article, "h3", escape_line(finding.message))
    where = format_place(finding)
    if where:
        _add(_add(article, "p", "", "soft"), "code", where)
    excerpt = excerpts.at(finding.after_source)
    if excerpt:
        block = _add(article, "pre", excerpt[0] + "\n")
        # scrollable by keyboard, too
        block.attrib.update({"tabindex": "0", "role": "group", "aria-label": "source"})
        _add(block, "span", excerpt[1]).set("aria-hidden", "true")
    about = list(list_facts(finding))
    if about:
        terms = SubElement(article, "dl")
        for fact in about:
            _add(terms, "dt", fact.name)
            _add(terms, "dd", fact.text)
    _details(article, finding)


def _details(article: Element, finding: Finding) -> None:
    """Add the collapsed part: pointers, values, and the operations that were not named yet."""
    operations = finding.operations if len(finding.operations) > MOST_OPERATIONS else ()
    shown = {
        "before (pointer)": [finding.before_pointer],
        "before (value)": [_value(finding.before)],
        "after (pointer)": [finding.after_pointer],
        "after (value)": [_value(finding.after)],
        "operations": operations[:_MOST_LISTED],
    }
    terms = Element("dl")
    for name, texts in shown.items():
        known = [text for text in texts if text is not None]
        if known:
            _add(terms, "dt", name)
        for text in known:
            _add(SubElement(terms, "dd"), "code", escape_line(text))
    left = len(operations) - _MOST_LISTED
    if left > 0:
        _add(terms, "dd", f"and {left:,} more")
    if len(terms):
        details = SubElement(article, "details")
        _add(details, "summary", "Details")
        details.append(terms)


def _value(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


def _help(parent: Element, text: str) -> None:
    for paragraph in split_paragraphs(text):
        line = _add(parent, "p", "")
        for span in split_spans(paragraph):
            if span.code:
                _add(line, "code", span.text)
            else:
                _tail(line, span.text)


def _add(parent: Element, tag: str, text: str, kind: str = "") -> Element:
    element = SubElement(parent, tag, {"class": kind} if kind else {})
    element.text = text
    return element


def _tail(parent: Element, text: str) -> None:
    """Append *text* to the content of *parent*."""
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text
