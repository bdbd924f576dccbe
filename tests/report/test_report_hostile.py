"""Quoted text in findings has no effect in a terminal, a log or a browser."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from support.reported import CONTEXT, HOSTILE, SAMPLE, VARIANT, WAIVED, filled, many
from support.tables import cases

from dateline.model import Finding
from dateline.report import FORMATS, Context, report, step_summary

# GitHub, Azure and TeamCity execute these anywhere in a line.
_ANYWHERE = re.compile(r"##[a-z]*\[", re.IGNORECASE)


def list_interpreted(written: str) -> list[str]:
    """Return the parts of *written* that a terminal or CI server would interpret."""
    strange = {character for character in written if not character.isprintable()} - {"\n"}
    commands = [line for line in written.splitlines() if line.lstrip().startswith("::")]
    return [*map(ascii, sorted(strange)), *commands, *_ANYWHERE.findall(written)]


@cases("format", [name for name in FORMATS if name != "github"])
@cases("name", HOSTILE)
def test_nothing_in_a_report_is_interpreted(name: str, format: str) -> None:
    findings, context = filled(HOSTILE[name])
    written = report(findings, format, context=context)
    assert list_interpreted(written) == []
    written.encode()


@cases("name", HOSTILE)
def test_nothing_in_a_step_summary_is_interpreted(name: str) -> None:
    written = step_summary(*filled(HOSTILE[name]))
    assert list_interpreted(written) == []
    written.encode()


def test_commands_would_be_detected() -> None:
    assert list_interpreted("a\n  ::error::b\n\x1b[2J ##[group]c ##vso[d] \u202e\ud800") == [
        *("'\\x1b'", "'\\u202e'", "'\\ud800'"),
        "  ::error::b",
        *("##[", "##vso["),
    ]


# --- HTML


class _Page(HTMLParser):
    """The tags of a page with their attributes, and the text that is shown."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(written)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def page(findings: list[Finding], context: Context = CONTEXT) -> _Page:
    read = _Page(report(findings, "html", context=context))
    assert read.open == []
    return read


@cases("name", HOSTILE)
def test_hostile_texts_are_text_in_a_page(name: str) -> None:
    if not HOSTILE[name].strip():
        return
    findings, context = filled(HOSTILE[name])
    harmless, usual = filled("harmless")

    def structure(read: _Page) -> list[tuple[str, dict[str, str | None]]]:
        # help may contain code, so code elements are allowed; empty pieces of text are skipped
        return [tag for tag in read.tags if tag != ("code", {})]

    assert structure(page(findings, context)) == structure(page(harmless, usual))


def test_text_is_shown_in_a_page_as_written() -> None:
    message = "<b>a</b> &amp; \"c\" 'd' `e` ]]> --> {0} %s é 😀"
    assert message in page([replace(VARIANT, message=message)]).text


def test_page_has_all_details_of_a_finding() -> None:
    read = page([VARIANT, WAIVED])
    assert [line for line in "".join(read.text).split("\n") if line] == [
        "dateline check: 1 gated; 1 waived",
        "dateline check",
        "1 gated; 1 waived",
        "Compared with git main (3f2a9c1), dateline 0.1.0",
        *("Findings by rule", "Findings", "Verdict", "Rule"),
        *("1", "gated", "variant-added"),
        *("1", "gated waived", "default-changed"),
        "gated variant-added (1)",
        "A closed union gains no variant. Give it x-added: next.",
        "Rail: response variant FedNow added",
        "schemas/rails.yaml:6:9",
        "6 |         - $ref: '#/components/schemas/FedNow'",
        "  |         ^",
        *("versions", "2025-03-13, 2025-10-01, 2026-07-01 (production, sandbox)"),
        *("operations", "GET /a, GET /b/{id}, POST /a and 2 more"),
        *("before", "generated/spec/production/2025-03-13.json:1204:11"),
        "Details",
        *("after (pointer)", "/components/schemas/Rail/oneOf/1"),
        *("after (value)", '{"$ref": "#/components/schemas/FedNow"}'),
        *("operations", "GET /a", "GET /b/{id}", "POST /a", "POST /b", "PUT /c"),
        "gated waived default-changed (1)",
        "A default stays as it is.",
        "Loan.state: default 'active' -> 'returned'",
        "#/components/schemas/Loan/properties/state/default",
        *("waived", "agreed with all three callers"),
        "Details",
        *("before (pointer)", "/components/schemas/Loan/properties/state/default"),
        *("before (value)", '"active"'),
        *("after (pointer)", "/components/schemas/Loan/properties/state/default"),
        *("after (value)", '"returned"'),
    ]
    assert ("span", {"class": "badge gated"}) in read.tags


@pytest.mark.parametrize("count", [0, 1, 11, 2_000])
def test_page_requests_nothing_and_runs_nothing(count: int) -> None:
    read = page(many(count))
    used = {tag for tag, _ in read.tags}
    assert used & {"script", "img", "iframe", "object", "embed", "form", "base", "svg"} == set()
    assert [attributes for tag, attributes in read.tags if tag == "link"] == [
        {"rel": "icon", "href": "data:,"}
    ]
    addresses = [
        value
        for _, attributes in read.tags
        for name, value in attributes.items()
        if name in ("href", "src", "action", "style") or name.startswith("on")
    ]
    assert {address for address in addresses if not re.fullmatch(r"#rule-\d+", address or "")} == {
        "data:,"
    }
    style = report([], "html", context=CONTEXT).partition("<style>")[2].partition("</style>")[0]
    assert re.findall(r"url\(|@import|@font-face", style) == []
    policy = {
        attributes.get("http-equiv"): attributes.get("content")
        for tag, attributes in read.tags
        if tag == "meta"
    }["Content-Security-Policy"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_page_is_accessible() -> None:
    read = page(SAMPLE)
    assert read.tags[0] == ("html", {"lang": "en"})
    assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in (
        read.tags
    )
    assert [tag for tag, _ in read.tags].count("main") == 1
    headings = [tag for tag, _ in read.tags if re.fullmatch("h[1-6]", tag)]
    assert headings[:3] == ["h1", "h2", "h3"]
    assert set(headings) == {"h1", "h2", "h3"}
    heads = [attributes.get("scope") for tag, attributes in read.tags if tag == "th"]
    assert set(heads) == {"col", "row"}
    targets = {attributes["id"] for _, attributes in read.tags if "id" in attributes}
    links = {
        (attributes["href"] or "").removeprefix("#") for tag, attributes in read.tags if tag == "a"
    }
    named = {
        attributes["aria-labelledby"]
        for _, attributes in read.tags
        if "aria-labelledby" in attributes
    }
    assert targets == links == named


def test_page_counts_operations_only_past_a_hundred() -> None:
    names = tuple(f"GET /{number}" for number in range(1_003))
    text = page([replace(VARIANT, operations=names)]).text
    assert [name for name in text if name.startswith("GET /")] == [
        "GET /0, GET /1, GET /2 and 1,000 more",
        *names[:100],
    ]
    assert "and 903 more" in text


_COLOURS = re.compile(r"--(\w+): (#[0-9a-f]+)")


def _luminance(colour: str) -> float:
    digits = colour.removeprefix("#")
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    parts = [int(digits[index : index + 2], 16) / 255 for index in (0, 2, 4)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _contrast(one: str, other: str) -> float:
    """Return the contrast of two colours (WCAG 2.2, contrast ratio)."""
    lighter, darker = sorted([_luminance(one), _luminance(other)], reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_of_a_page_has_enough_contrast(scheme: str) -> None:
    style = report([], "html", context=CONTEXT)
    light, _, dark = style.partition("prefers-color-scheme: dark")
    colours = dict(_COLOURS.findall(light if scheme == "light" else dark))
    pairs = [
        (text, ground) for text in ("ink", "soft", "link") for ground in ("ground", "panel")
    ] + [("on", verdict) for verdict in ("never", "gated", "additive", "information")]
    faint = [
        (text, ground) for text, ground in pairs if _contrast(colours[text], colours[ground]) < 4.5
    ]
    assert faint == []
