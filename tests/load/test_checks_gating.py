"""Our own keys: where they may stand, what they name, and that they change something."""

from __future__ import annotations

import pytest
from support.checked import TABLE, checked, schema


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2024-9-1 } } }",
            [
                "4:67: date: '2024-9-1' is not a canonical YYYY-MM-DD date; write 2024-09-01",
            ],
            id="not padded",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: '20240901' } } }",
            [
                "4:67: date: '20240901' is not a canonical YYYY-MM-DD date; write 2024-09-01",
            ],
            id="without hyphens",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2024-02-30 } } }",
            [
                "4:67: date: '2024-02-30' is not a day of the calendar; write one, or `next`",
            ],
            id="no day of the calendar",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-removed: soon } } }",
            [
                "4:69: date: 'soon' is not a canonical YYYY-MM-DD date; write one, or `next`",
            ],
            id="no date at all",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2024-09-02 } } }",
            [
                "4:67: unknown-version: no version 2024-09-02 in the table; did you mean "
                "'2024-09-01'?",
            ],
            id="not in the table",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2024 } } }",
            [
                "4:67: wrong-type: the number 2024 where text belongs",
            ],
            id="a number",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: next } } }",
            [],
            id="next",
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
    assert schema(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2024-01-15 } } }",
            [
                "4:67: gate-without-effect: 2024-01-15 is the first version, so every "
                "version has it; leave it out",
            ],
            id="added at the first version",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-removed: 2024-01-15 } } }",
            [
                "4:69: never-there: 2024-01-15 is the first version, so none has it; leave "
                "the node out",
            ],
            id="removed at the first version",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2025-06-01, "
            "x-removed: 2024-09-01 } } }",
            [
                "4:90: never-there: added at 2025-06-01, so no version has it; remove it later, "
                "or leave the node out",
            ],
            id="removed before it is added",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2025-06-01, "
            "x-removed: 2025-06-01 } } }",
            [
                "4:90: never-there: added at 2025-06-01, so no version has it; remove it later, "
                "or leave the node out",
            ],
            id="removed when it is added",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { 2024-01-15: { "
            "format: date } } } } }",
            [
                "4:67: gate-without-effect: 2024-01-15 is the first version, so there is "
                "nothing before it; leave it out",
            ],
            id="a history before the first version",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: 2025-06-01, "
            "x-was: { 2024-09-01: { format: date } } } } }",
            [
                "4:88: gate-without-effect: 2024-09-01 is when it is added, so there is "
                "nothing before it; leave it out",
            ],
            id="a history before it is added",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: {} } } }",
            [
                "4:58: gate-without-effect: no date is listed; write {DATE: {keyword: "
                "value}}, or leave it out",
            ],
            id="an empty history",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: {} } } } }",
            [
                "4:67: history-without-effect: no keyword is listed; write what it was, or "
                "leave the date out",
            ],
            id="an empty entry",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { set: {}, "
            "unset: [] } } } } }",
            [
                "4:67: history-without-effect: no keyword is listed; write what it was, or "
                "leave the date out",
            ],
            id="an empty long entry",
        ),
    ],
)
def test_a_gate_has_an_effect(text: str, said: list[str]) -> None:
    assert schema(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-environments: [sandbx] } } }",
            [
                "4:75: unknown-environment: there is no environment 'sandbx'; did you mean "
                "'sandbox'?",
            ],
            id="unknown",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-environments: [] } } }",
            [
                "4:74: empty-list: no environment is listed, so it is nowhere; name one",
            ],
            id="none",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-environments: [sandbox, "
            "sandbox] } } }",
            [
                "4:84: item-twice: 'sandbox' stands in the list already; leave one out",
            ],
            id="twice",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-environments: sandbox } } }",
            [
                "4:74: wrong-type: 'sandbox' where a list of texts belongs",
            ],
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
    assert schema(text) == said


@pytest.mark.parametrize(
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
                "1:1: misplaced-annotation: `x-added` can't stand on the document, which "
                "every version has; put it on a part of it",
                "2:39: misplaced-annotation: `x-removed` can't stand on `info`, which every "
                "version has; put it on a part of it",
                "3:15: misplaced-annotation: `x-environments` can't stand on `components`, "
                "which every version has; put it on a part of it",
                "5:3: misplaced-annotation: `x-added` can't stand on `paths`, which every "
                "version has; put it on a part of it",
                "7:20: misplaced-annotation: `x-was` can't stand on `responses`; put it on a "
                "part of it",
            ],
            id="on what every version has",
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
                "3:49: misplaced-annotation: `x-added` can't stand on the `items` of a "
                "schema, which has to be there; put `x-was` on what holds it",
                "4:65: misplaced-annotation: `x-removed` can't stand on the "
                "`additionalProperties` of a schema, which has to be there; put `x-was` on "
                "what holds it",
                "6:60: misplaced-annotation: `x-environments` can't stand on the `schema` of "
                "a parameter, which has to be there; put `x-was` on what holds it",
            ],
            id="on what has to be there",
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
            id="on what may come and go",
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
                "3:44: annotation-in-data: `x-added` inside a value, where nothing reads it; "
                "leave it out",
                "3:75: annotation-in-data: `x-was` inside a value, where nothing reads it; "
                "leave it out",
                "5:59: annotation-in-data: `x-why` inside a value, where nothing reads it; "
                "leave it out",
            ],
            id="inside data",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: string, x-was: { next: { x-added: "
            "next, x-aded: next } } } } }",
            [
                "1:65: misplaced-annotation: `x-added` can't stand inside `x-was`; put it on "
                "the node itself",
                "1:80: unknown-annotation: 'x-aded'; did you mean 'x-added'?",
            ],
            id="inside a history",
        ),
    ],
)
def test_keys_stand_where_they_mean_something(text: str, said: list[str]) -> None:
    assert checked(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-why: it is new } } }",
            [
                "4:58: misplaced-annotation: `x-why` is the reason for a gate, but none "
                "stands here; add x-added, x-removed or x-was",
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
            [
                "4:80: several-lines: 'it is\\nnew' has several lines; write one sentence",
            ],
            id="several lines",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: next, x-why: ' ' } } }",
            [
                "4:80: blank-text: the reason is blank; say it in a sentence",
            ],
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
                "4:93: reason-without-gate: no gate of 2024-09-01 stands here; known: next",
            ],
            id="for a date without a gate",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: next, x-why: {} } } }",
            [
                "4:73: reason-without-gate: no date is listed; write {DATE: TEXT}, or leave it out",
            ],
            id="for no date",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: next, x-why: [new] } } }",
            [
                "4:80: wrong-type: a list where text or a mapping {DATE: text} belongs",
            ],
            id="no text",
        ),
    ],
)
def test_a_reason_stands_beside_a_gate(text: str, said: list[str]) -> None:
    assert schema(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "{ type: integer, x-extensible-enum: ['1'] }",
            [
                "4:24: misplaced-annotation: `x-extensible-enum` stands on a schema with "
                "`type: string` only; give it that type",
            ],
            id="of a number",
        ),
        pytest.param(
            "{ x-extensible-enum: [a] }",
            [
                "4:9: misplaced-annotation: `x-extensible-enum` stands on a schema with "
                "`type: string` only; give it that type",
            ],
            id="without a type",
        ),
        pytest.param(
            "{ type: string, enum: [a], x-extensible-enum: [a] }",
            [
                "4:34: misplaced-annotation: `x-extensible-enum` beside a closed list of "
                "values contradicts it; leave one of the two out",
            ],
            id="beside an enum",
        ),
        pytest.param(
            "{ type: object, properties: { a: { $ref: '#/components/schemas/Loan', "
            "x-extensible-enum: [a] } } }",
            [
                "4:77: misplaced-annotation: `x-extensible-enum` stands on a schema with "
                "`type: string` only; write it there",
            ],
            id="beside a reference",
        ),
        pytest.param(
            "{ type: string, x-extensible-enum: [a, a, '', \"b\\n\"] }",
            [
                "4:46: item-twice: 'a' stands in the list already; leave one out",
                "4:49: blank-text: the value is blank; write one",
                "4:53: control-character: 'b\\n' holds a control character; leave it out",
            ],
            id="on a parameter",
        ),
        pytest.param(
            "{ type: string, x-extensible-enum: [] }",
            [
                "4:42: empty-list: no value is listed; list those known today",
            ],
            id="none",
        ),
        pytest.param(
            "{ type: string, x-extensible-enum: [a, 1] }",
            [
                "4:46: wrong-type: the number 1 in a list of texts",
            ],
            id="a number",
        ),
        pytest.param(
            "{ type: [string, 'null'], x-extensible-enum: [a, b] }",
            [],
            id="or null",
        ),
    ],
)
def test_open_ended_values_are_texts(text: str, said: list[str]) -> None:
    assert schema(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "components: { parameters: { A: { name: a, in: query, x-extensible-enum: [a], "
            "schema: { type: string } } } }",
            [
                "1:54: misplaced-annotation: `x-extensible-enum` stands on a schema with "
                "`type: string` only; write it there",
            ],
            id="on a parameter",
        ),
    ],
)
def test_open_ended_values_stand_on_schemas(text: str, said: list[str]) -> None:
    assert checked(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: held, x-added: next, "
            "x-shown-as: open }] }",
            [],
            id="a value of the enumeration",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: held, x-added: next, "
            "x-shown-as: opne }] }",
            [
                "4:90: shown-as-invalid: 'opne' is no value of the versions before next; did "
                "you mean 'open'?",
            ],
            id="no value of it",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: held, x-added: next, "
            "x-shown-as: held }] }",
            [
                "4:90: shown-as-invalid: 'held' is no value of the versions before next; "
                "known: open",
            ],
            id="itself",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: a, x-added: next }, { "
            "const: b, x-added: 2025-06-01, x-shown-as: a }] }",
            [
                "4:122: shown-as-invalid: 'a' is no value of the versions before 2025-06-01; "
                "known: open",
            ],
            id="one that came no earlier",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: gone, x-removed: next, x-shown-as: new }, "
            "{ const: new, x-added: next, x-shown-as: gone }] }",
            [],
            id="a value in the place of one that went",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: gone, x-removed: 2025-06-01, "
            "x-shown-as: new }, { const: new, x-added: next }, { const: old, x-removed: "
            "2024-09-01, x-shown-as: gone }] }",
            [
                "4:98: shown-as-invalid: 'new' is no value of the versions 2025-06-01; known: open",
            ],
            id="one that is not there when it went",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: a, x-added: 2025-06-01, "
            "x-shown-as: open }, { const: b, x-added: next, x-shown-as: a }] }",
            [],
            id="a value that is itself shown as another",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: a, x-added: next, "
            "x-shown-as: b }, { const: b, x-added: next, x-shown-as: a }] }",
            [
                "4:87: shown-as-invalid: 'b' is no value of the versions before next; known: open",
                "4:131: shown-as-invalid: 'a' is no value of the versions before next; known: open",
            ],
            id="values shown as each other",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: a, x-added: 2024-09-01 }, "
            "{ const: b, x-added: next, x-shown-as: { 2024-09-01: open, next: a } }] }",
            [],
            id="values by date",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: a, x-added: 2025-06-01 }, "
            "{ const: b, x-added: 2025-06-01, x-shown-as: { 2024-09-01: open, 2025-06-01: a, "
            "next: a } }] }",
            [
                "4:160: shown-as-invalid: 'a' is no value of the versions before 2025-06-01; "
                "known: open",
                "4:163: gate-without-effect: no version without the member is shown what is said "
                "for next; leave it out",
            ],
            id="a value that is not there at its date, and a date too many",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: b, x-added: next, x-shown-as: { "
            "2024-09-02: open } }] }",
            [
                "4:89: unknown-version: no version 2024-09-02 in the table; did you mean "
                "'2024-09-01'?",
            ],
            id="an unknown date",
        ),
        pytest.param(
            "{ type: object, oneOf: [{ const: {} }, { const: { a: 1 }, x-added: next, "
            "x-shown-as: {} }] }",
            [],
            id="a mapping that lists no dates",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: held, x-shown-as: open }] }",
            [
                "4:63: misplaced-annotation: `x-shown-as` says what callers get instead, but "
                "there is no `x-added` or `x-removed`; add one",
            ],
            id="without a date",
        ),
        pytest.param(
            "{ type: string, x-added: next, x-shown-as: open }",
            [
                "4:38: misplaced-annotation: `x-shown-as` stands on a value of an "
                "enumeration or a member of a union only; leave it out here",
            ],
            id="not on a member",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: next, x-shown-as: "
            "open } } }",
            [
                "4:73: misplaced-annotation: `x-shown-as` stands on a value of an "
                "enumeration or a member of a union only; leave it out here",
            ],
            id="on a property",
        ),
        pytest.param(
            "{ oneOf: [{ type: string, x-added: next, x-shown-as: open }] }",
            [
                "4:48: shown-as-invalid: the union has no member before next; gate what "
                "holds it instead",
            ],
            id="nothing was there",
        ),
    ],
)
def test_what_is_shown_to_older_callers_was_there_before(text: str, said: list[str]) -> None:
    assert schema(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            """
components:
  schemas:
    Item:
      oneOf:
        - $ref: '#/components/schemas/Book'
        - { $ref: '#/components/schemas/Film', x-added: 2024-09-01 }
        - { $ref: '#/components/schemas/Tape', x-added: 2024-09-01,
              x-shown-as: { kind: Film } }
        - { $ref: '#/components/schemas/Reel', x-added: 2024-09-01,
              x-shown-as: { kind: Book, title: 7 } }
      discriminator: { propertyName: kind }
    Book: { type: object, required: [kind, title], properties: { kind: { const: Book },
        title: { type: string } } }
    Film: { type: object, required: [kind], properties: { kind: { const: Film } } }
    Tape: { type: object, required: [kind], properties: { kind: { const: Tape } } }
    Reel: { type: object, required: [kind], properties: { kind: { const: Reel } } }
""",
            [
                "8:35: shown-as-invalid: no member of the versions before 2024-09-01: 'Film' "
                "is the tag of no member; known: Book",
                "10:48: shown-as-invalid: no member of the versions before 2024-09-01: the "
                "number 7 where a string belongs",
            ],
            id="members",
        ),
    ],
)
def test_what_is_shown_is_a_member_of_the_older_union(text: str, said: list[str]) -> None:
    assert checked(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { fromat: "
            "date } } } } }",
            [
                "4:75: misspelt-key: 'fromat' is no key of a schema; did you mean 'format'?",
            ],
            id="an unknown keyword",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { in: query "
            "} } } } }",
            [
                "4:75: unknown-key: 'in' is no key of a schema; leave it out, or let it "
                "begin with `x-`",
            ],
            id="a keyword of another kind",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { "
            "maxLength: '3' } } } } }",
            [
                "4:86: wrong-type: '3' where a whole number from 0 belongs",
            ],
            id="a value of the wrong type",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: string } } } }",
            [
                "4:73: wrong-type: 'string' in a mapping {DATE: {keyword: value}}",
            ],
            id="no mapping",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: [next] } } }",
            [
                "4:65: wrong-type: a list where a mapping {DATE: {keyword: value}} belongs",
            ],
            id="no mapping of dates",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { type: "
            "strnig } } } } }",
            [
                "4:81: unknown-type: 'strnig' is no type; did you mean 'string'?",
            ],
            id="a wrong value",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { type: "
            "integer, default: a } } } } }",
            [
                "4:99: default-invalid: 'a' where an integer belongs; mend the value or its schema",
            ],
            id="a default of another type",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, default: a, x-was: { next: "
            "{ type: integer } } } } }",
            [
                "4:79: default-invalid: 'a' where an integer belongs; mend the value or its schema",
            ],
            id="a default that fitted no more",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, default: a, x-was: { next: "
            "{ type: integer, default: 1 } } } } }",
            [],
            id="a default that was there",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: integer, minimum: 3, x-was: { "
            "next: { maximum: 2 } } } } }",
            [
                "4:80: unsatisfiable-bounds: no number is let through from minimum 3 to "
                "maximum 2; move one",
            ],
            id="bounds",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { type: "
            "null, $ref: '#/components/schemas/Lone' } } } } }",
            [
                "4:93: reference-dangling: there is no schemas/Lone; did you mean 'Loan'?",
            ],
            id="a reference that dangles",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: array, items: { type: string }, "
            "x-was: { next: { items: { type: strnig } } } } } }",
            [
                "4:114: unknown-type: 'strnig' is no type; did you mean 'string'?",
            ],
            id="a schema below it",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, default: a, x-was: { next: "
            "{ set: { const: null, fromat: b }, unset: [default, defualt] } } } } }",
            [
                "4:79: misspelt-key: 'defualt' is no key of a schema; did you mean 'default'?",
                "4:101: enum-of-another-type: null is not of the type 'string'; write one that is",
                "4:107: misspelt-key: 'fromat' is no key of a schema; did you mean 'format'?",
            ],
            id="the long form",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { set: 7 }, "
            "2025-06-01: { unset: format }, 2024-09-01: { unset: [7] } } } } }",
            [
                "4:80: wrong-type: the number 7 where a mapping belongs",
                "4:106: wrong-type: 'format' where a list of texts belongs",
                "4:137: wrong-type: the number 7 where a list of texts belongs",
            ],
            id="the long form, wrong types",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-extensible-enum: [a], "
            "x-was: { next: { enum: [a], x-extensible-enum: null } } } } }",
            [],
            id="open values become closed",
        ),
    ],
)
def test_what_was_is_held_to_the_grammar_of_what_is(text: str, said: list[str]) -> None:
    assert schema(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { due: { type: string, format: date, x-was: { "
            "next: { format: date } } } } }",
            [
                "4:89: history-without-effect: `format` is 'date' after next too; leave it out",
            ],
            id="equal to the present",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { format: "
            "date }, 2025-06-01: { format: date } } } } }",
            [
                "4:105: history-without-effect: `format` is 'date' after 2025-06-01 too; "
                "leave it out",
            ],
            id="equal to the next newer",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, format: date, x-was: { "
            "next: { format: date-time }, 2025-06-01: { format: date } } } } }",
            [],
            id="there and back",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: integer, const: 1, x-was: { next: "
            "{ type: boolean, const: true } } } } }",
            [],
            id="true is not 1",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { format: "
            "null } } } } }",
            [
                "4:75: history-without-effect: `format` is not there after next either; "
                "leave it out",
            ],
            id="unset what is not there",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { name: due "
            "} } } } }",
            [
                "4:75: history-without-effect: `name` is 'due' after next too; leave it out",
            ],
            id="the same name",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { name: "
            "end, type: string } } } } }",
            [
                "4:86: history-without-effect: `type` is 'string' after next too; leave it out",
            ],
            id="a keyword beside a rename",
        ),
    ],
)
def test_a_history_changes_something(text: str, said: list[str]) -> None:
    assert schema(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "components: { schemas: { Loan: { type: string, x-was: { next: { name: Lone } } } } }",
            [
                "1:65: misplaced-rename: only properties, headers and parameters have a "
                "name; leave it out",
            ],
            id="a component",
        ),
        pytest.param(
            "components: { schemas: { Loan: { oneOf: [{ type: string, x-was: { next: { "
            "name: a } } }] } } }",
            [
                "1:75: misplaced-rename: only properties, headers and parameters have a "
                "name; leave it out",
            ],
            id="a member",
        ),
        pytest.param(
            """
components:
  parameters:
    Page: { name: page, in: query, schema: {}, x-was: { next: { name: p } } }
  responses:
    Ok: { description: ok, headers: { X-Left: { schema: {},
        x-was: { next: { name: X-Remaining } } } } }
  schemas:
    Loan: { type: object, properties: { due: { type: string,
        x-was: { next: { name: end } } } } }
""",
            [],
            id="a header, a parameter, a property",
        ),
        pytest.param(
            "components: { headers: { Left: { schema: {}, x-was: { next: { name: "
            "X-Remaining } } } } }",
            [
                "1:63: misplaced-rename: only properties, headers and parameters have a "
                "name; leave it out",
            ],
            id="a header component",
        ),
        pytest.param(
            """
components:
  parameters:
    Page: { name: page, in: header, schema: {}, x-was: { next: { name: 'a b' } } }
  responses:
    Ok: { description: ok, headers: { X-Left: { schema: {},
        x-was: { next: { name: "X\\r\\nY" } } } } }
  schemas:
    Loan: { type: object, properties: { due: { type: string,
        x-was: { next: { name: fooBar }, 2025-06-01: { set: { name: "a'" } } } } } }
""",
            [
                "3:72: header-name: 'a b' is not a header name; use letters, digits and "
                "hyphens (RFC 9110 section 5.6.2)",
                "6:32: header-name: 'X\\r\\nY' is not a header name; use letters, digits and "
                "hyphens (RFC 9110 section 5.6.2)",
                "9:32: property-name: 'fooBar' as a name of a property; use a lower-case "
                "letter, then such letters, digits and `_`, 64 at most",
                '9:69: unsafe-name: "a\'" holds a quote, a backslash or a control character; '
                "rename it",
            ],
            id="to no name",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: object, properties: { due: { type: "
            "string, x-was: { next: { name: null } } } } } } }",
            [
                "1:92: misplaced-rename: a name can't be unset; write the old one, or leave it out",
            ],
            id="a name unset",
        ),
        pytest.param(
            "paths: { /a: { get: { operationId: getA, responses: { '200': { description: a "
            "} }, x-was: { next: { name: b } } } } }",
            [
                "1:101: unknown-key: 'name' is no key of an operation; leave it out, or let "
                "it begin with `x-`",
            ],
            id="an operation",
        ),
    ],
)
def test_only_what_has_a_name_is_renamed(text: str, said: list[str]) -> None:
    assert checked(text) == said


PATH = """\
components:
  parameters:
    Id: {{ name: id, in: path, required: true, schema: {{ type: string }}{shared} }}
paths:
  /loans/{{id}}/{{page}}:
    get:
      operationId: getLoan
      parameters:
        - {{ $ref: '#/components/parameters/Id' }}
        - {{ name: page, in: path, required: true, schema: {{ type: string }}{own} }}
      responses: {{ '204': {{ description: none }} }}
"""
IN_THE_PATH = (
    "path-parameter-changed: a path is the same in every version, and with it the parameters that "
    "it names; leave `{}` out, and keep what it was"
)


@pytest.mark.parametrize(
    ("own", "shared", "said"),
    [
        (", x-was: { next: { name: part } }", "", ["10:94: " + IN_THE_PATH.format("name")]),
        (", x-was: { next: { set: { in: query } } }", "", ["10:101: " + IN_THE_PATH.format("in")]),
        ("", ", x-was: { next: { name: key } }", ["3:90: " + IN_THE_PATH.format("name")]),
        ("", ", x-was: { next: { description: An id. } }", []),
        *(
            (
                f", {key}",
                "",
                [
                    f"10:77: misplaced-annotation: `{key.split(':')[0]}` can't stand on a path "
                    "parameter, which the path always has; put it on the path"
                ],
            )
            for key in ("x-added: next", "x-removed: next", "x-environments: [sandbox]")
        ),
    ],
)
def test_the_parameters_in_a_path_are_the_same_in_every_version(
    own: str, shared: str, said: list[str]
) -> None:
    assert checked(PATH.format(own=own, shared=shared)) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            """
components:
  schemas:
    Loan:
      type: object
      properties:
        due: { type: string, x-was: { next: { name: end } } }
        end: { type: string }
""",
            [
                "7:9: rename-collision: 'end' is the name of 'due' too in 2024-01-15, "
                "2024-09-01, 2025-06-01; rename one, or let one go before",
            ],
            id="taken all the time",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan:
      type: object
      properties:
        due: { type: string, x-was: { 2025-06-01: { name: end } } }
        end: { type: string, x-added: 2025-06-01 }
""",
            [],
            id="taken over later",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan:
      type: object
      properties:
        due: { type: string, x-added: 2024-09-01, x-was: { 2025-06-01: { name: end } } }
        end: { type: string, x-removed: 2024-09-01 }
""",
            [],
            id="given free before",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan:
      type: object
      properties:
        due: { type: string, x-was: { next: { name: end } } }
        end: { type: string, x-was: { next: { name: due } } }
""",
            [],
            id="swapped",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan:
      type: object
      properties:
        due: { type: string, x-was: { next: { name: end } } }
        back: { type: string, x-was: { 2025-06-01: { name: end } } }
""",
            [
                "7:9: rename-collision: 'end' is the name of 'due' too in 2024-01-15, "
                "2024-09-01; rename one, or let one go before",
            ],
            id="two of one old name",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan:
      type: object
      properties:
        due: { type: string, x-environments: [sandbox], x-was: { next: { name: end } } }
        end: { type: string, x-environments: [production] }
""",
            [
                "7:9: rename-collision: 'end' is the name of 'due' too in what holds for all "
                "environments; rename one, or let one go before",
            ],
            id="in another environment",
        ),
        pytest.param(
            """
paths:
  /a:
    get:
      operationId: getA
      parameters:
        - { name: page, in: query, schema: {}, x-was: { next: { name: p } } }
        - { name: p, in: query, schema: {} }
        - { name: p, in: cookie, schema: {} }
      responses:
        '200':
          description: a
          headers:
            X-Left: { schema: {}, x-was: { next: { name: x-right } } }
            X-Right: { schema: {} }
""",
            [
                "7:11: rename-collision: 'p' is the name of 'page' too in 2024-01-15, "
                "2024-09-01, 2025-06-01; rename one, or let one go before",
                "14:13: rename-collision: 'x-right' is the name of 'X-Left' too in "
                "2024-01-15, 2024-09-01, 2025-06-01; rename one, or let one go before",
            ],
            id="of parameters and headers",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan:
      type: object
      properties:
        due: { type: string, x-environments: [sandbx], x-was: { next: { name: end } } }
        end: { type: string }
""",
            [
                "6:47: unknown-environment: there is no environment 'sandbx'; did you mean "
                "'sandbox'?",
            ],
            id="with an unknown environment",
        ),
    ],
)
def test_an_old_name_is_free(text: str, said: list[str]) -> None:
    assert checked(text) == said


def test_next_has_to_be_in_the_version_table() -> None:
    text = "{ type: object, properties: { due: { type: string, x-added: next } } }"
    assert schema(text, versions=TABLE.versions[:-1]) == [
        "4:67: unknown-version: the version table has no `next`; run `dateline gate`, or add "
        "`- { date: next, title: Being prepared., draft: true }` to the end of its `versions`"
    ]
