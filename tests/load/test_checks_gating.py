"""The six keys of dateline: where they are allowed, what they name, and their effect."""

from __future__ import annotations

import pytest
from support.checked import TABLE, check_fragment, check_schema
from support.tables import cases


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2024-9-1 } } }",
            ["4:67: date: '2024-9-1' is not a canonical YYYY-MM-DD date; write 2024-09-01"],
            id="not padded",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: '20240901' } } }",
            ["4:67: date: '20240901' is not a canonical YYYY-MM-DD date; write 2024-09-01"],
            id="without hyphens",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2024-02-30 } } }",
            ["4:67: date: '2024-02-30' is not an existing date; write one, or `next`"],
            id="not a day of the calendar",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-removed: soon } } }",
            ["4:69: date: 'soon' is not a canonical YYYY-MM-DD date; write one, or `next`"],
            id="not a date",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2024-09-02 } } }",
            [
                "4:67: unknown-version: no version 2024-09-02 in the table; did you mean "
                "'2024-09-01'?"
            ],
            id="not in the table",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2024, x-why: W. } } }",
            [
                "4:67: wrong-type: the number 2024 where a version, written as in versions.yaml, "
                "belongs"
            ],
            id="a number",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: next } } }", [], id="next"
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2024-09-01, "
            "x-removed: 2025-06-01 } } }",
            [],
            id="a date of the table",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { 2024-9-1: { "
            "format: date }, 2025-06-02: { format: date } } } } }",
            [
                "4:67: date: '2024-9-1' is not a canonical YYYY-MM-DD date; write 2024-09-01",
                "4:95: unknown-version: no version 2025-06-02 in the table; did you mean "
                "'2025-06-01'?",
            ],
            id="in a history",
        ),
    ],
)
def test_dates_are_canonical_and_in_the_version_table(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2024-01-15 } } }",
            [
                "4:67: gate-without-effect: 2024-01-15 is the first version, so every "
                "version has it; leave it out"
            ],
            id="added at the first version",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-removed: 2024-01-15 } } }",
            [
                "4:69: never-there: 2024-01-15 is the first version, so none has it; leave "
                "the node out"
            ],
            id="removed at the first version",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2025-06-01, "
            "x-removed: 2024-09-01 } } }",
            [
                "4:90: never-there: added at 2025-06-01, so no version has it; remove it later, "
                "or leave the node out"
            ],
            id="removed before it is added",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2025-06-01, "
            "x-removed: 2025-06-01 } } }",
            [
                "4:90: never-there: added at 2025-06-01, so no version has it; remove it later, "
                "or leave the node out"
            ],
            id="removed when it is added",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { 2024-01-15: { "
            "format: date } } } } }",
            [
                "4:67: gate-without-effect: 2024-01-15 is the first version, so there is "
                "nothing before it; leave it out"
            ],
            id="a history before the first version",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2025-06-01, "
            "x-was: { 2024-09-01: { format: date } } } } }",
            [
                "4:88: gate-without-effect: 2024-09-01 is when it is added, so there is "
                "nothing before it; leave it out"
            ],
            id="a history before it is added",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: {} } } }",
            [
                "4:58: gate-without-effect: no date is listed; write {DATE: {keyword: "
                "value}}, or leave it out"
            ],
            id="an empty history",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: {} } } } }",
            [
                "4:67: history-without-effect: no keyword is listed; write what it was, or "
                "leave the date out"
            ],
            id="an empty entry",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { set: {}, "
            "unset: [] } } } } }",
            [
                "4:67: history-without-effect: no keyword is listed; write what it was, or "
                "leave the date out"
            ],
            id="an empty long entry",
        ),
    ],
)
def test_gate_has_an_effect(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-environments: [sandbx] } } }",
            [
                "4:75: unknown-environment: there is no environment 'sandbx'; did you mean "
                "'sandbox'?"
            ],
            id="unknown",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-environments: [] } } }",
            ["4:74: empty-list: no environment is listed, so it is nowhere; name one"],
            id="none",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-environments: [sandbox, "
            "sandbox] } } }",
            ["4:84: item-twice: 'sandbox' is in the list already; leave one out"],
            id="twice",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-environments: sandbox } } }",
            ["4:74: wrong-type: 'sandbox' where a list of texts belongs"],
            id="text",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-environments: [sandbox] } } }",
            [],
            id="known",
        ),
    ],
)
def test_environments_are_those_of_the_table(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
x-added: next
info: { title: Library, version: '1', x-removed: next }
components: { x-environments: [sandbox] }
paths:
  x-added: next
  /a: { get: { operationId: getA,
      responses: { x-was: { next: { default: { description: b } } },
          '200': { description: a } } } }
""",
            [
                "1:1: misplaced-annotation: `x-added` is not allowed on the document, which "
                "every version has; put it on a part of it",
                "2:39: misplaced-annotation: `x-removed` is not allowed on `info`, which every "
                "version has; leave it out",
                "3:15: misplaced-annotation: `x-environments` is not allowed on `components`, "
                "which every version has; put it on a part of it",
                "5:3: misplaced-annotation: `x-added` is not allowed on `paths`, which every "
                "version has; put it on a path",
                "7:20: misplaced-annotation: `x-was` is not allowed on `responses`; put it on a "
                "response",
            ],
            id="on a part that every version has",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan: { type: array, items: { type: string, x-added: next } }
    Book: { type: object, additionalProperties: { type: string, x-removed: next } }
  parameters:
    Page: { name: page, in: query, schema: { type: string, x-environments: [sandbox] } }
""",
            [
                "3:49: misplaced-annotation: `x-added` is not allowed on the `items` of a "
                "schema, which has to be there; put `x-was` on what contains it",
                "4:65: misplaced-annotation: `x-removed` is not allowed on the "
                "`additionalProperties` of a schema, which has to be there; put `x-was` on "
                "what contains it",
                "6:60: misplaced-annotation: `x-environments` is not allowed on the `schema` of "
                "a parameter, which has to be there; put `x-was` on what contains it",
            ],
            id="on a required part",
        ),
        pytest.param(
            """
tags: [{ name: Loans, x-environments: [sandbox] }]
paths:
  /a:
    x-environments: [sandbox]
    get:
      x-added: next
      operationId: getA
      parameters: [{ name: page, in: query, x-added: next, schema: { type: string } }]
      requestBody: { x-added: next, content: { application/json: { x-added: next } } }
      responses:
        '200': { description: a, headers: { X-Left: { x-added: next, schema: {} } } }
        '404': { x-added: next, description: none }
components:
  schemas:
    Loan: { x-added: next, allOf: [{ type: object, x-added: next }] }
  securitySchemes: { Key: { x-added: next, type: apiKey, name: X-API-Key, in: header } }
""",
            [],
            id="on an optional part",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan: { type: object, example: { a: [{ x-added: next }] }, default: { x-was: 1 } }
  parameters:
    Page: { name: page, in: query, schema: {}, example: { x-why: a } }
""",
            [
                "3:44: annotation-in-data: `x-added` has no effect inside a value; leave it out",
                "3:75: annotation-in-data: `x-was` has no effect inside a value; leave it out",
                "5:59: annotation-in-data: `x-why` has no effect inside a value; leave it out",
            ],
            id="inside data",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: string, x-was: { next: { x-added: "
            "next, x-aded: next } } } } }",
            [
                "1:65: misplaced-annotation: `x-added` is not allowed inside `x-was`; put it on "
                "the node itself",
                "1:80: unknown-annotation: 'x-aded'; did you mean 'x-added'?",
            ],
            id="inside a history",
        ),
    ],
)
def test_keys_are_refused_where_they_have_no_meaning(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-why: it is new } } }",
            [
                "4:58: misplaced-annotation: `x-why` is the reason for a gate, but there is "
                "none here; add x-added, x-removed or x-was"
            ],
            id="alone",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { format: "
            "date } }, x-why: it is new } } }",
            [],
            id="beside x-was",
        ),
        pytest.param(
            '{ type: object, properties: { due: { type: string, x-added: next, x-why: "it '
            'is\\nnew" } } }',
            ["4:80: several-lines: 'it is\\nnew' has several lines; write one sentence"],
            id="several lines",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: next, x-why: ' ' } } }",
            ["4:80: blank-text: the reason is blank; say it in a sentence"],
            id="blank",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { 2024-09-01: { format: "
            "date }, next: { name: day } }, x-why: { 2024-09-01: it is new, next: a word } } } }",
            [],
            id="for each date",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: next, x-why: { next: ' ', "
            "2024-09-01: a word } } } }",
            [
                "4:88: blank-text: the reason is blank; say it in a sentence",
                "4:93: reason-without-gate: there is no gate of 2024-09-01 here; known: next",
            ],
            id="for a date without a gate",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: next, x-why: {} } } }",
            ["4:73: reason-without-gate: no date is listed; write {DATE: TEXT}, or leave it out"],
            id="for no date",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: next, x-why: [new] } } }",
            ["4:80: wrong-type: a list where text or a mapping {DATE: text} belongs"],
            id="no text",
        ),
    ],
)
def test_reason_needs_a_gate(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


def test_next_must_be_in_the_version_table() -> None:
    text = "{ type: object, properties: { due: { type: string, x-added: next } } }"
    assert check_schema(text, versions=TABLE.versions[:-1]) == [
        "4:67: unknown-version: the version table has no `next`; run `dateline gate`, or add "
        "`- { date: next, title: Being prepared., draft: true }` to the end of its `versions`"
    ]
