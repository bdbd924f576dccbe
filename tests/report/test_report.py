"""All reports are complete and deterministic, and have a summary; the text report for people."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.reported import (
    COMPARED,
    CONTEXT,
    HELD_BACK,
    REMARK,
    REMOVED,
    SAMPLE,
    VARIANT,
    WAIVED,
    many,
)
from support.tables import cases

from dateline.model import Finding, Place, Verdict
from dateline.report import FORMATS, Context, describe_format, report, step_summary

REFERENCE = Path(__file__).parents[2] / "docs" / "reports.md"
DIFF = replace(CONTEXT, command="diff")


def text(findings: list[Finding], context: Context = CONTEXT) -> list[str]:
    return report(findings, "text", context=context).split("\n")


@cases("format", FORMATS)
@cases("count", [0, 1, 11, 100])
def test_report_is_deterministic_and_ends_in_one_newline(format: str, count: int) -> None:
    written = report(many(count), format, context=CONTEXT)
    assert written == report(many(count), format, context=CONTEXT)
    assert written.rstrip("\n") + "\n" == written


@cases("format", ["text", "json", "sarif", "junit", "gitlab", "html"])
def test_format_without_a_limit_shows_every_finding(format: str) -> None:
    # of information, text lists the first only
    findings = many(500)
    if format == "text":
        findings = [replace(finding, verdict=Verdict.GATED) for finding in findings]
    shown = report(findings, format, context=replace(CONTEXT, show_waived=True))
    missing = [number for number in range(500) if f"change {number} happened" not in shown]
    assert missing == []


def test_reference_lists_the_formats_with_their_descriptions() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    rows = dict(
        re.findall(r"^\| `(\w+)` \| (.*) \|$", text.partition("## Formats\n")[2], re.MULTILINE)
    )
    assert rows == {name: describe_format(name) for name in FORMATS}


def test_unknown_format_is_refused() -> None:
    with pytest.raises(KeyError):
        report([], "xml", context=CONTEXT)


def test_step_summary_is_a_comment_with_more_room() -> None:
    assert step_summary(SAMPLE, CONTEXT) == report(SAMPLE, "markdown", context=CONTEXT)


@cases(
    ("findings", "context", "summary"),
    [
        ([], CONTEXT, "no findings"),
        ([], DIFF, "no changes"),
        ([WAIVED], CONTEXT, "no findings; 1 waived"),
        ([WAIVED], DIFF, "no changes; 1 waived"),
        ([REMOVED, VARIANT, VARIANT, WAIVED, WAIVED], CONTEXT, "2 gated, 1 never; 2 waived"),
        ([COMPARED, REMARK], DIFF, "1 additive, 1 information"),
        ([VARIANT] * 1_200, DIFF, "1,200 gated"),
    ],
)
def test_last_line_is_a_summary(findings: list[Finding], context: Context, summary: str) -> None:
    assert text(findings, context)[-2:] == [summary, ""]


def test_text_without_findings_names_the_baseline() -> None:
    assert text([]) == ["compared with git main (3f2a9c1)", "no findings", ""]
    assert text([], replace(CONTEXT, baseline="")) == ["no findings", ""]


def test_text_has_one_block_for_each_cause() -> None:
    assert text([VARIANT, REMOVED, HELD_BACK, REMARK, WAIVED]) == [
        "schemas/rails.yaml:6:9: gated [variant-added] Rail: response variant FedNow added",
        "    6 |         - $ref: '#/components/schemas/FedNow'",
        "      |         ^",
        "    versions: 2025-03-13, 2025-10-01, 2026-07-01 (production, sandbox)",
        "    operations: GET /a, GET /b/{id}, POST /a and 2 more",
        "    before: generated/spec/production/2025-03-13.json:1204:11",
        "    A closed union gains no variant. Give it `x-added: next`.",
        "",
        "generated/spec/production/2025-03-13.json:88:7: "
        "never [operation-removed] GET /loans/{id} removed",
        "    versions: 2025-03-13",
        "    operations: GET /loans/{id}",
        "    Routes do not change between versions. Put it back.",
        "",
        "schemas/loans.yaml:3:9: additive [field-added] "
        "Loan.shelf: optional response field only from next on",
        "    policy: minted: fails, since it withholds what all versions can have",
        "    versions: next",
        "    Additive changes go to all versions.",
        "    Drop its `x-added`.",
        "",
        "information [body-without-content] DELETE /loans/{id}: the 204 response declares a body",
        "    A 204 response has no content (RFC 9110 section 15.3.5).",
        "",
        "compared with git main (3f2a9c1)",
        "to let one pass: dateline waive variant-added schemas/rails.yaml:6:9 "
        "--reason TEXT --expires DATE",
        "1 gated, 1 never, 1 additive, 1 information; 1 waived",
        "",
    ]


@pytest.mark.parametrize(("count", "more"), [(3, 0), (10, 0), (11, 1), (1_500, 1_490)])
def test_text_explains_information_once_and_lists_some_of_it(count: int, more: int) -> None:
    remarks = [
        replace(REMARK, message=f"remark {number}", after_source=Place("a.yaml", number, 1))
        for number in range(1, count + 1)
    ]
    whole = text(remarks[:1])[:-3]
    assert text([*remarks[:2], VARIANT, *remarks[2:]]) == [
        *text([VARIANT])[:-4],
        *whole,
        *(
            f"a.yaml:{number}:1: information [{REMARK.rule}] remark {number}"
            for number in range(2, count - more + 1)
        ),
        *([f"and {more:,} more [{REMARK.rule}]; `--format json` lists all"] if more else []),
        "",
        "compared with git main (3f2a9c1)",
        text([VARIANT])[-3],
        f"1 gated, {count:,} information",
        "",
    ]
    assert len(whole) > 2


def test_text_shows_waived_findings_on_request() -> None:
    assert text([WAIVED], replace(CONTEXT, show_waived=True)) == [
        "#/components/schemas/Loan/properties/state/default: gated [default-changed] "
        "Loan.state: default 'active' -> 'returned'",
        "    waived: agreed with all three callers",
        "    A default stays as it is.",
        "",
        "compared with git main (3f2a9c1)",
        "no findings; 1 waived",
        "",
    ]


def test_text_is_coloured_on_request_only() -> None:
    coloured = text([REMARK], replace(CONTEXT, colour=True))
    assert coloured == [
        "\x1b[36minformation\x1b[0m \x1b[2m[body-without-content]\x1b[0m "
        "DELETE /loans/{id}: the 204 response declares a body",
        "    A 204 response has no content (RFC 9110 section 15.3.5).",
        "",
        "compared with git main (3f2a9c1)",
        "1 information",
        "",
    ]
    heads = {
        verdict: text([replace(REMOVED, verdict=verdict)], replace(CONTEXT, colour=True))[0]
        for verdict in Verdict
    }
    where = "\x1b[1mgenerated/spec/production/2025-03-13.json:88:7\x1b[0m: "
    what = "\x1b[0m \x1b[2m[operation-removed]\x1b[0m GET /loans/{id} removed"
    assert heads == {
        Verdict.INFORMATION: f"{where}\x1b[36minformation{what}",
        Verdict.ADDITIVE: f"{where}\x1b[32madditive{what}",
        Verdict.GATED: f"{where}\x1b[31mgated{what}",
        Verdict.NEVER: f"{where}\x1b[1;31mnever{what}",
        Verdict.INVALID: f"{where}\x1b[1;31minvalid{what}",
    }


@cases("format", [name for name in FORMATS if name != "text"])
def test_only_text_depends_on_the_terminal(format: str) -> None:
    long = replace(VARIANT, help="word " * 50)
    wide = replace(
        CONTEXT, source=lambda _: "word " * 400, width=300, colour=True, show_waived=True
    )
    narrow = replace(wide, width=40, colour=False, show_waived=False)
    findings = [long, *SAMPLE]
    assert report(findings, format, context=wide) == report(findings, format, context=narrow)


def test_text_wraps_help_between_words() -> None:
    words = "a-long-path/that/is-copied-from-here/" * 3
    finding = replace(REMARK, help=f"One two three four five six seven eight {words} nine.")
    assert text([finding], replace(CONTEXT, width=40))[1:4] == [
        "    One two three four five six seven",
        "    eight",
        f"    {words}",
    ]


@cases(
    ("line", "column", "width", "shown"),
    [
        ("a: b", 4, 80, ["1 | a: b", "  |    ^"]),
        ("\ta: b", 2, 80, ["1 |   a: b", "  |   ^"]),
        ("日本: b", 5, 80, ["1 | 日本: b", "  |       ^"]),
        ("e\u0301: b", 5, 80, ["1 | e\u0301: b", "  |    ^"]),
        ("a\u202e: b", 5, 80, ["1 | a\\u202e: b", "  |          ^"]),
        ("a: b\r", 9, 80, ["1 | a: b", "  |     ^"]),
        (
            "x" * 40 + "y" * 40,
            41,
            24,
            ["1 | …" + "x" * 10 + "y" * 10 + "…", "  | " + " " * 11 + "^"],
        ),
        ("x" * 40, 1, 24, ["1 | " + "x" * 20 + "…", "  | ^"]),
        ("x" * 40, 40, 24, ["1 | …" + "x" * 11, "  | " + " " * 11 + "^"]),
        ("a: b", 0, 80, ["1 | a: b", "  | ^"]),
    ],
)
def test_text_shows_the_line_with_a_caret_under_its_column(
    line: str, column: int, width: int, shown: list[str]
) -> None:
    finding = replace(REMARK, after_source=Place("a.yaml", 1, column), help="")
    context = replace(CONTEXT, source=lambda _: line, width=width)
    assert text([finding], context)[1:3] == [f"    {part}" for part in shown]


@pytest.mark.parametrize("line", [0, 2, 3, 9])
def test_text_shows_no_line_without_a_place(line: int) -> None:
    finding = replace(REMARK, after_source=Place("a.yaml", line, 1), help="")
    context = replace(CONTEXT, source=lambda _: "one\n  \n")
    assert text([finding], context)[1] == ""


def test_each_source_is_read_once() -> None:
    asked: list[str] = []
    context = replace(CONTEXT, source=asked.append)
    report(many(100), "text", context=context)
    assert sorted(asked) == [
        "schemas/loans.yaml",
        "schemas/rails.yaml",
        "schemas/versions.yaml",
        "schemas/waivers.yaml",
    ]


def test_long_lists_and_texts_are_truncated_visibly() -> None:
    finding = replace(
        REMARK,
        message="m" * 2_000,
        help="",
        operations=tuple(f"GET /{number}" for number in range(1_003)),
        versions=tuple(f"20{number}-01-01" for number in range(10, 32)),
    )
    versions = ", ".join(f"20{number}-01-01" for number in range(10, 20))
    assert text([finding], replace(CONTEXT, baseline="")) == [
        f"information [body-without-content] {'m' * 999}…",
        f"    versions: {versions} and 12 more",
        "    operations: GET /0, GET /1, GET /2 and 1,000 more",
        "",
        "1 information",
        "",
    ]


def test_text_summarizes_many_equal_edits_with_the_first_places() -> None:
    edits = [
        replace(
            VARIANT,
            message=f"GET /loans/{number}: media type application/cbor added",
            fingerprint=str(number),
            after_source=None,
            before_source=None,
            after_pointer=f"/paths/{number}",
            versions=(),
            operations=(),
            help="A body has the same media types as before.",
        )
        for number in range(1, 1_466)
    ]
    text = report([*edits, REMOVED], "text", context=CONTEXT)
    head = (
        f"{VARIANT.verdict} [{VARIANT.rule}] media type application/cbor added (1,465 times)\n"
        "    #/paths/1: GET /loans/1\n"
        "    #/paths/2: GET /loans/2\n"
        "    #/paths/3: GET /loans/3\n"
        "    and 1,462 more; `--format json` lists all\n"
        "    A body has the same media types as before.\n"
    )
    assert text.startswith(head)
    assert text.count("application/cbor") == 1
    few = report([*edits[:3], REMOVED], "text", context=CONTEXT)
    assert few.count("application/cbor added") == 3
    assert report(edits, "json", context=CONTEXT).count('"fingerprint"') == 1_465
