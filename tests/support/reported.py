"""Findings for the tests of reports: every verdict and policy, some with hostile text."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dateline.model import Direction, Finding, Place, Policy, Verdict
from dateline.report import Context

SOURCES: Final = {
    "schemas/rails.yaml": (
        "components:\n"
        "  schemas:\n"
        "    Rail:\n"
        "      oneOf:\n"
        "        - $ref: '#/components/schemas/Iban'\n"
        "        - $ref: '#/components/schemas/FedNow'\n"
    )
}

CONTEXT: Final = Context(version="0.1.0", baseline="git main (3f2a9c1)", source=SOURCES.get)

_VERSIONS: Final = ("2025-03-13", "2025-10-01", "2026-07-01")
_VARIANT: Final = "A closed union gains no variant. Give it `x-added: next`."

VARIANT: Final = Finding(
    rule="variant-added",
    verdict=Verdict.GATED,
    policy=Policy.FROZEN,
    message="Rail: response variant FedNow added",
    help=_VARIANT,
    fingerprint="1a",
    direction=Direction.RESPONSE,
    after_pointer="/components/schemas/Rail/oneOf/1",
    schema="Rail",
    operations=("GET /a", "GET /b/{id}", "POST /a", "POST /b", "PUT /c"),
    versions=_VERSIONS,
    environments=("production", "sandbox"),
    after={"$ref": "#/components/schemas/FedNow"},
    before_source=Place("generated/spec/production/2025-03-13.json", 1204, 11),
    after_source=Place("schemas/rails.yaml", 6, 9),
)

REMOVED: Final = Finding(
    rule="operation-removed",
    verdict=Verdict.NEVER,
    policy=Policy.FROZEN,
    message="GET /loans/{id} removed",
    help="Routes do not change between versions. Put it back.",
    fingerprint="2b",
    direction=Direction.BOTH,
    before_pointer="/paths/~1loans~1{id}/get",
    operations=("GET /loans/{id}",),
    versions=("2025-03-13",),
    environments=("",),
    before={"operationId": "getLoan"},
    before_source=Place("generated/spec/production/2025-03-13.json", 88, 7),
)

HELD_BACK: Final = Finding(
    rule="field-added",
    verdict=Verdict.ADDITIVE,
    policy=Policy.MINTED,
    message="Loan.shelf: optional response field only from next on",
    help="Additive changes go to all versions.\n\nDrop its `x-added`.",
    fingerprint="3c",
    direction=Direction.MODEL,
    schema="Loan",
    field="shelf",
    versions=("next",),
    after_source=Place("schemas/loans.yaml", 3, 9),
)

REMARK: Final = Finding(
    rule="body-without-content",
    verdict=Verdict.INFORMATION,
    policy=Policy.SERVABLE,
    message="DELETE /loans/{id}: the 204 response declares a body",
    help="A 204 response has no content (RFC 9110 section 15.3.5).",
    fingerprint="4d",
)

WAIVED: Final = Finding(
    rule="default-changed",
    verdict=Verdict.GATED,
    policy=Policy.FROZEN,
    message="Loan.state: default 'active' -> 'returned'",
    help="A default stays as it is.",
    fingerprint="5e",
    direction=Direction.REQUEST,
    before_pointer="/components/schemas/Loan/properties/state/default",
    after_pointer="/components/schemas/Loan/properties/state/default",
    schema="Loan",
    field="state",
    before="active",
    after="returned",
    waived="agreed with all three callers",
)

EXPIRED: Final = Finding(
    rule="waiver-expired",
    verdict=Verdict.GATED,
    policy=Policy.WAIVERS,
    message="the waiver for Loan.note expired on 2026-06-30",
    help="",
    fingerprint="6f",
    after_source=Place("schemas/waivers.yaml", 2, 5),
)

MOVED: Final = Finding(
    rule="default-moved",
    verdict=Verdict.NEVER,
    policy=Policy.TABLE,
    message="the default moves from 2025-03-13 to 2026-07-01 unannounced",
    help="The default stays where it is. Announce the move.",
    fingerprint="7a",
    after_source=Place("schemas/versions.yaml", 1, 1),
)

COMPARED: Final = Finding(
    rule="field-added",
    verdict=Verdict.ADDITIVE,
    policy=Policy.COMPARISON,
    message="Loan.note: optional response field added",
    help="Additive changes go to all versions.",
    fingerprint="8b",
    direction=Direction.RESPONSE,
    after_pointer="/components/schemas/Loan/properties/note",
    schema="Loan",
    field="note",
    after={"type": "string"},
)

SAMPLE: Final = [VARIANT, REMOVED, HELD_BACK, REMARK, WAIVED, EXPIRED, MOVED, COMPARED]
"""Every verdict and every policy; with and without places, pointers, help and waivers."""


def many(count: int) -> list[Finding]:
    """Return *count* distinct findings."""
    return [
        replace(
            SAMPLE[number % len(SAMPLE)],
            message=f"change {number} happened",
            fingerprint=f"{number:08x}",
        )
        for number in range(count)
    ]


def filled(text: str) -> tuple[list[Finding], Context]:
    """Return findings and a context with *text* in every place that can contain text."""
    everywhere = Finding(
        rule=text,
        verdict=Verdict.GATED,
        policy=Policy.FROZEN,
        message=text,
        help=f"{text}\n\nWrite `{text}` instead, or {text}",
        fingerprint=f"1{text}",
        direction=Direction.RESPONSE,
        before_pointer=f"/{text}",
        after_pointer=f"/{text}",
        schema=text,
        field=text,
        operations=(text, text, text, text, text),
        versions=(text, text),
        environments=(text,),
        before={text: [text, {text: text}]},
        after=text,
        before_source=Place(text, 1, 1),
        after_source=Place(text, 2, 3),
    )
    pointed = replace(everywhere, fingerprint="2", before_source=None, after_source=None)
    bare = replace(
        pointed,
        fingerprint="3",
        verdict=Verdict.INFORMATION,
        before_pointer=None,
        after_pointer=None,
        help=f"another help: {text}",
    )
    let_pass = replace(everywhere, fingerprint="4", waived=text)
    context = Context(
        version=text,
        baseline=text,
        show_waived=True,
        fallback=text,
        projects={text: text},
        source=lambda file: f"first\n{text.replace(chr(10), ' ')}\n" if file == text else None,
    )
    return [everywhere, pointed, bare, let_pass], context


HOSTILE: Final = {
    "quotes": 'x"""\'\'\'\ncode\n"""\\',
    "command on a line of its own": "x\n::set-output name=a::b",
    "command at the start": "::set-output name=a::b",
    "command behind blanks": "word   ::add-mask::b",
    "command behind a long word": "w" * 96 + "::add-mask::b",
    "command in the old form": "see ##[set-output name=a]b",
    "command of Azure": "see ##vso[task.setvariable variable=a]b",
    "command of TeamCity": "##teamcity[buildStop comment='b']",
    "end of a command": "100%0A::error::b, file=c,line=1",
    "carriage return": "safe\r::error::b",
    "NUL and BEL": "a\0b\x07c\x7fd",
    "escape sequences": "\x1b[2J\x1b]0;title\x07\x9b31m",
    "line separators": "a\u2028::error::b\u2029c\x85d\x0be\x0cf",
    "bidi controls": "\u202eabc\u2066def\u200f",
    "half a surrogate pair": "a\ud800b\udfffc",
    "no characters": "a\ufffeb\uffffc\U0001ffff",
    "end of CDATA": "a ]]> b <![CDATA[ c",
    "end of a comment": "a --> b <!-- c",
    "script": "<script>alert(1)</script>",
    "handler": "<img src=x onerror=alert(1)>\"'><svg/onload=alert(1)>",
    "end of elements": "</details></code></style></pre></title></html>",
    "entities": "&lt;b&gt; &#60;i> &amp; &bogus; &#8203;",
    "XML entities": "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>&b;",
    "link": "[click](javascript:alert(1)) ![image](https://evil.example/a.png)",
    "link of SARIF": "see [this place](0) or [that](https://evil.example) \\[x\\](y)",
    "placeholders": "{0} {{1}} %s ${x} {{ 7*7 }} {% raw %} $a$ $$b$$",
    "mentions": "@octocat @org/team a@b.example",
    "references": "#1 GH-2 org/repo#3 !4 org/repo@deadbeefdeadbeef",
    "autolinks": "https://evil.example HTTP://evil.example www.evil.example WWW.evil.example",
    "pipes": "a | b || c |\n|---|\n| d",
    "one backtick": "a ` b",
    "backticks": "```` a ``` b `` c ` d",
    "only backticks": "`````",
    "headings": "# a\n## b\nc\n===\nd\n---",
    "heading line": "=====",
    "lists": "- a",
    "numbered list": "1. a",
    "other lists": "+ a\n* b\n> c\n2) d",
    "emphasis": "*a* **b** _c_ ~~d~~ a_b_c",
    "code block": "    code\n```\nmore\n```\n~~~",
    "task and footnote": "[ ] a [^1]\n[^1]: b\n[c]: https://evil.example",
    "quick action": "/close",
    "trailing backslash": "a \\",
    "blanks": "   ",
    "nothing": "",
    "non-ASCII": "Ünïcödé 日本語 עברית 😀",
    "10,000 newlines": "\n" * 10_000,
    "100,000 characters": "x" * 100_000,
    "100,000 words": "x " * 50_000,
    "100,000 marks": "<`|" * 33_334,
}
"""What may stand in a text and must do nothing, by what it tries."""


INNER = replace(CONTEXT, fallback="services/api/schemas/versions.yaml")
"""The project is in a folder of its repository."""
