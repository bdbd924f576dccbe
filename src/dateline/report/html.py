"""Findings in, one HTML page out that asks for nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement, tostring

from dateline.model import Finding
from dateline.report.context import Context
from dateline.report.excerpt import Excerpts
from dateline.report.summary import Level, Section, sections, sentence
from dateline.report.wording import (
    MOST_OPERATIONS,
    facts,
    paragraphs,
    plain,
    spans,
    whereabouts,
)

# The text on each colour, in light and in dark, has a contrast of at least 4.5 to 1 (WCAG 1.4.3).
_STYLE: Final = """
:root { color-scheme: light dark; --ground: #fff; --panel: #f5f6f8; --line: #d3d7de;
  --ink: #1c1f24; --soft: #545b66; --link: #0b57c2; --on: #fff;
  --never: #a3001c; --gated: #9a3b00; --additive: #17692c; --information: #1b5780; }
@media (prefers-color-scheme: dark) { :root { --ground: #14161a; --panel: #1d2026;
  --line: #3a3f49; --ink: #e7e9ec; --soft: #a8afba; --link: #86b6ff; --on: #14161a;
  --never: #ff9099; --gated: #ffb27a; --additive: #83d69a; --information: #8fcaf2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
h2 code { font-size: 1.1rem; }
h3 { font-size: 1rem; margin: 0 0 .25rem; }
p { margin: .25rem 0; }
a { color: var(--link); }
code, pre { font: .875rem/1.45 ui-monospace, monospace; unicode-bidi: isolate; }
pre { margin: .5rem 0; padding: .5rem .75rem; background: var(--ground); overflow-x: auto;
  border: 1px solid var(--line); border-radius: .25rem; overflow-wrap: normal; }
table { border-collapse: collapse; margin: 1rem 0; width: 100%; }
caption { text-align: left; color: var(--soft); padding-bottom: .25rem; }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; font-weight: normal; }
thead th { color: var(--soft); }
.number { text-align: right; }
.number, .verdict { white-space: nowrap; width: 1%; }
article { background: var(--panel); border: 1px solid var(--line); border-radius: .375rem;
  padding: .75rem 1rem; margin: .75rem 0; }
.summary { font-size: 1.15rem; margin: .5rem 0; }
.soft, dt, summary { color: var(--soft); }
.badge { display: inline-block; padding: 0 .5rem; border-radius: .25rem; color: var(--on);
  font-size: .875rem; line-height: 1.6; }
.never { background: var(--never); } .gated { background: var(--gated); }
.additive { background: var(--additive); } .information { background: var(--information); }
dl { display: grid; grid-template-columns: minmax(6.5rem, max-content) 1fr;
  gap: .1rem .75rem; margin: .5rem 0 0; }
dd { margin: 0; }
details { margin-top: .25rem; }
summary { cursor: pointer; }
@media (max-width: 30rem) { dl { display: block; } dd { margin: 0 0 .35rem; }
  article { padding: .6rem .7rem; } }
@media print { article { break-inside: avoid; } }
"""

_NOTHING_FROM_ELSEWHERE: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

# Elements that text runs around; the others end their line.
_INLINE: Final = frozenset(["a", "code", "span"])

_MOST_LISTED: Final = 100
_WIDTH: Final = 160


def write(findings: Sequence[Finding], context: Context) -> str:
    """Return the page. Text goes into it as the text of elements only, which escapes all of it."""
    said = sentence(findings, context)
    grouped = sections(findings)
    page = Element("html", lang="en")
    _head(page, f"dateline {context.command}: {said}")
    body = SubElement(page, "body")
    header = SubElement(body, "header")
    _add(header, "h1", f"dateline {context.command}")
    _add(header, "p", said, "summary")
    compared = _add(header, "p", "", "soft")
    if context.baseline:
        compared.text = "Compared with "
        _add(compared, "code", plain(context.baseline)).tail = ", "
    _tail(compared, f"dateline {plain(context.version)}")
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
    # without it browsers ask the host for one
    SubElement(head, "link", rel="icon", href="data:,")
    _add(head, "title", title)
    _add(head, "style", _STYLE)


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
        _add(link, "code", plain(section.rule))


def _section(main: Element, section: Section, name: str, excerpts: Excerpts) -> None:
    part = SubElement(main, "section", {"aria-labelledby": name})
    title = SubElement(part, "h2", id=name)
    _verdict(title, section)
    _tail(title, " ")
    _add(title, "code", plain(section.rule)).tail = f" ({len(section.findings):,})"
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
    _add(article, "h3", plain(finding.message))
    where = whereabouts(finding)
    if where:
        _add(_add(article, "p", "", "soft"), "code", where)
    excerpt = excerpts.at(finding.after_source)
    if excerpt:
        block = _add(article, "pre", excerpt[0] + "\n")
        # scrolled by keyboard, too
        block.attrib.update({"tabindex": "0", "role": "group", "aria-label": "source"})
        _add(block, "span", excerpt[1]).set("aria-hidden", "true")
    about = list(facts(finding))
    if about:
        terms = SubElement(article, "dl")
        for fact in about:
            _add(terms, "dt", fact.name)
            _add(terms, "dd", fact.text)
    _details(article, finding)


def _details(article: Element, finding: Finding) -> None:
    """Add what is folded away: pointers, values, and the operations that were not named yet."""
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
            _add(SubElement(terms, "dd"), "code", plain(text))
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
    for paragraph in paragraphs(text):
        line = _add(parent, "p", "")
        for span in spans(paragraph):
            if span.code:
                _add(line, "code", span.text)
            else:
                _tail(line, span.text)


def _add(parent: Element, tag: str, text: str, kind: str = "") -> Element:
    element = SubElement(parent, tag, {"class": kind} if kind else {})
    element.text = text
    return element


def _tail(parent: Element, text: str) -> None:
    """Add *text* behind all that *parent* holds."""
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text
