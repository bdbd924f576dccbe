"""Names: their grammar, reserved words, and names that collide in generated code."""

from __future__ import annotations

import pytest
from support.checked import check_fragment, check_schema
from support.tables import cases


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
components:
  schemas:
    foo_bar: {}
    foo-bar: {}
    "1abc": {}
    "---": {}
    Loan2: {}
""",
            [
                "3:5: component-name-style: 'foo_bar' as a name of a schema; use a capital "
                "letter, then letters and digits, 64 at most",
                "4:5: component-name-style: 'foo-bar' as a name of a schema; use a capital "
                "letter, then letters and digits, 64 at most",
                "4:5: name-collision: 'foo-bar' and 'foo_bar' are schemas with the same name in "
                "code; rename one",
                "5:5: component-name-style: '1abc' as a name of a schema; use a capital "
                "letter, then letters and digits, 64 at most",
                "6:5: component-name-style: '---' as a name of a schema; use a capital "
                "letter, then letters and digits, 64 at most",
            ],
            id="schemas",
        ),
        pytest.param(
            """
components:
  parameters:
    X-Trace: { name: X-Trace, in: header, schema: {} }
    "9lives": { name: a, in: query, schema: {} }
  responses:
    NotFound: { description: none }
    not.found: { description: none }
""",
            [
                "4:5: component-name-style: '9lives' as a name of a parameter; use a letter, "
                "then letters, digits, hyphens and `_`, 64 at most",
                "7:5: component-name-style: 'not.found' as a name of a response; use a "
                "letter, then letters, digits, hyphens and `_`, 64 at most",
                "7:5: name-collision: 'not.found' and 'NotFound' are responses with the same "
                "name in code; rename one",
            ],
            id="other sections",
        ),
        pytest.param(
            """
components:
  schemas:
    "": {}
    "a b": {}
    ../../evil/Foo: {}
    /abs/x.Foo: {}
    ..Evil: {}
    "Foo\\nimport os": {}
    Ж: {}
    "{{ 7*7 }}": {}
""",
            [
                "3:5: component-name: '' is not a name of a schema; use letters, digits, "
                "hyphens and `_`",
                "4:5: component-name: 'a b' is not a name of a schema; use letters, digits, "
                "hyphens and `_`",
                "5:5: component-name: '../../evil/Foo' is not a name of a schema; use letters, "
                "digits, hyphens and `_`",
                "6:5: component-name: '/abs/x.Foo' is not a name of a schema; use letters, "
                "digits, hyphens and `_`",
                "7:5: component-name: '..Evil' is not a name of a schema; use letters, digits, "
                "hyphens and `_`",
                "8:5: component-name: 'Foo\\nimport os' is not a name of a schema; use letters, "
                "digits, hyphens and `_`",
                "9:5: component-name: 'Ж' is not a name of a schema; use letters, digits, "
                "hyphens and `_`",
                "10:5: component-name: '{{ 7*7 }}' is not a name of a schema; use letters, "
                "digits, hyphens and `_`",
            ],
            id="unsupported by any tool",
        ),
        pytest.param(
            "components: { schemas: { "
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA: {} } }",
            [
                "1:26: component-name-style: "
                "'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA…' as a name of "
                "a schema; use a capital letter, then letters and digits, 64 at most"
            ],
            id="too long",
        ),
        pytest.param(
            """
components:
  schemas:
    BaseModel: {}
    "None": {}
    UUID: {}
    Literal: {}
    Tag: {}
""",
            [
                "3:5: reserved-name: 'BaseModel' is reserved by the generated code; rename it",
                "4:5: reserved-name: 'None' is reserved by the generated code; rename it",
                "5:5: reserved-name: 'UUID' is reserved by the generated code; rename it",
                "6:5: reserved-name: 'Literal' is reserved by the generated code; rename it",
            ],
            id="reserved",
        ),
        pytest.param(
            """
components:
  schemas:
    Rail: { oneOf: [{ type: string }, { type: integer }] }
    UnknownRail: {}
    UnknownLoan: {}
""",
            [
                "4:5: reserved-name: 'UnknownRail' is what the unknown members of Rail are "
                "called; rename it"
            ],
            id="the name of unknown members",
        ),
        pytest.param(
            "components: { schemas: { FooBar: {}, FOOBar: {}, Foobar: {} } }",
            [
                "1:38: name-collision: 'FOOBar' and 'FooBar' are schemas with the same name in "
                "code; rename one"
            ],
            id="too similar",
        ),
        pytest.param(
            """
components:
  schemas:
    LoanItem: { type: string }
    LoanPart: { type: string }
    Loan:
      type: object
      properties:
        item: { type: object, properties: { title: { type: string } } }
        part: { $ref: '#/components/schemas/LoanPart' }
        parts: { type: array, items: { type: string, enum: [a] } }
""",
            [
                "8:9: name-collision: the type written here would be called LoanItem, as a "
                "component is; refer to it, or rename one"
            ],
            id="an inline type and a component",
        ),
    ],
)
def test_component_names_are_usable_in_code(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { class: {}, from: {}, async: {}, match: {}, type: {} } }",
            [],
            id="keywords of Python",
        ),
        pytest.param(
            "{ type: object, properties: { str: {}, list: {}, date: {}, model_config: {}, "
            "json: {}, schema: {} } }",
            [],
            id="builtins of Python",
        ),
        pytest.param(
            "{ type: object, properties: { fooBar: {}, FooBar: {}, foo-bar: {}, 'a b': {} } }",
            [
                "4:37: property-name: 'fooBar' as a name of a property; use a lower-case "
                "letter, then such letters, digits and `_`, 64 at most",
                "4:49: name-collision: 'FooBar' and 'fooBar' are properties with the same name "
                "in code; rename one",
                "4:49: property-name: 'FooBar' as a name of a property; use a lower-case "
                "letter, then such letters, digits and `_`, 64 at most",
                "4:61: name-collision: 'foo-bar' and 'fooBar' are properties with the same name "
                "in code; rename one",
                "4:61: property-name: 'foo-bar' as a name of a property; use a lower-case "
                "letter, then such letters, digits and `_`, 64 at most",
                "4:74: property-name: 'a b' as a name of a property; use a lower-case "
                "letter, then such letters, digits and `_`, 64 at most",
            ],
            id="other spellings",
        ),
        pytest.param(
            "{ type: object, properties: { _: {}, __: {}, __init__: {}, _private: {} } }",
            [
                "4:37: property-name: '_' as a name of a property; use a lower-case letter, "
                "then such letters, digits and `_`, 64 at most",
                "4:44: property-name: '__' as a name of a property; use a lower-case letter, "
                "then such letters, digits and `_`, 64 at most",
                "4:52: property-name: '__init__' as a name of a property; use a lower-case "
                "letter, then such letters, digits and `_`, 64 at most",
                "4:66: property-name: '_private' as a name of a property; use a lower-case "
                "letter, then such letters, digits and `_`, 64 at most",
            ],
            id="leading underscores",
        ),
        pytest.param(
            "{ type: object, properties: { '': {}, '1': {}, $ref: {}, '@id': {}, 😀: {} } }",
            [
                "4:37: unsafe-name: a blank name; write one",
                "4:45: property-name: '1' as a name of a property; use a lower-case letter, "
                "then such letters, digits and `_`, 64 at most",
                "4:54: property-name: '$ref' as a name of a property; use a lower-case "
                "letter, then such letters, digits and `_`, 64 at most",
                "4:64: property-name: '@id' as a name of a property; use a lower-case "
                "letter, then such letters, digits and `_`, 64 at most",
                "4:75: property-name: '😀' as a name of a property; use a lower-case letter, "
                "then such letters, digits and `_`, 64 at most",
            ],
            id="no letters",
        ),
        pytest.param(
            "{ type: object, properties: { ａ: {}, ﬁ: {}, K: {} } }",
            [
                "4:37: property-name: 'ａ' as a name of a property; use a lower-case letter, "
                "then such letters, digits and `_`, 64 at most",
                "4:44: property-name: 'ﬁ' as a name of a property; use a lower-case letter, "
                "then such letters, digits and `_`, 64 at most",
                "4:51: property-name: 'K' as a name of a property; use a lower-case letter, "
                "then such letters, digits and `_`, 64 at most",
            ],
            id="other alphabets",
        ),
        pytest.param(
            '{ type: object, properties: { \'a", default=code) #\': {}, "a\\nb": {}, '
            "'a\\b': {}, '{{ x }}': {} } }",
            [
                "4:37: unsafe-name: 'a\", default=code) #' contains a quote, a backslash or a "
                "control character; rename it",
                "4:64: unsafe-name: 'a\\nb' contains a quote, a backslash or a control "
                "character; rename it",
                "4:76: unsafe-name: 'a\\\\b' contains a quote, a backslash or a control "
                "character; rename it",
                "4:87: property-name: '{{ x }}' as a name of a property; use a lower-case "
                "letter, then such letters, digits and `_`, 64 at most",
            ],
            id="code",
        ),
        pytest.param(
            "{ type: object, properties: { "
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: {} } }",
            [
                "4:37: property-name: "
                "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…' as a name of "
                "a property; use a lower-case letter, then such letters, digits and `_`, 64 "
                "at most"
            ],
            id="too long",
        ),
        pytest.param(
            "{ type: object, properties: { foo_bar: {}, foo__bar: {}, foobar: {} } }",
            [
                "4:50: name-collision: 'foo__bar' and 'foo_bar' are properties with the same "
                "name in code; rename one"
            ],
            id="too similar",
        ),
        pytest.param(
            "{ type: object, properties: { x-added: {} } }",
            [
                "4:37: misplaced-annotation: `x-added` is among the properties; put it "
                "on one of them"
            ],
            id="one of our keys",
        ),
    ],
)
def test_properties_are_in_snake_case(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: string, enum: [a-b, a_b, A B] }",
            [
                "4:35: name-collision: 'a_b' and 'a-b' are values with the same name in code; "
                "rename one",
                "4:40: name-collision: 'A B' and 'a-b' are values with the same name in code; "
                "rename one",
            ],
            id="an enum",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: Open }, { const: open }] }",
            [
                "4:48: name-collision: 'open' and 'Open' are values with the same name in code; "
                "rename one"
            ],
            id="an annotated enumeration",
        ),
        pytest.param(
            "{ type: string, enum: ['<', '<=', '>', ''] }", [], id="operators have no names"
        ),
    ],
)
def test_values_differ_in_more_than_spelling(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
paths:
  /a: { get: { operationId: "f(); import os", responses: { '200': { description: a } } } }
  /b: { get: { operationId: loans.list, responses: { '200': { description: a } } } }
  /c: { get: { operationId: import, responses: { '200': { description: a } } } }
  /d: { get: { operationId: "a\\nb", responses: { '200': { description: a } } } }
  /e: { get: { operationId: '', responses: { '200': { description: a } } } }
  /f: { get: { responses: { '200': { description: a } } } }
""",
            [
                "2:29: operation-name: 'f(); import os' as an operationId; use a letter, "
                "then letters and digits, 64 at most",
                "3:29: operation-name: 'loans.list' as an operationId; use a letter, then "
                "letters and digits, 64 at most",
                "4:29: operation-name: 'import' is a Python keyword, so no handler can have this "
                "name; rename it",
                "5:29: unsafe-name: 'a\\nb' contains a quote, a backslash or a control "
                "character; rename it",
                "6:29: unsafe-name: a blank name; write one",
                "7:9: operation-unnamed: an operation needs `operationId`, by which its "
                "handler is called; write it",
            ],
            id="grammar",
        ),
        pytest.param(
            """
paths:
  /a: { get: { operationId: listLoans, responses: { '200': { description: a } } } }
  /b:
    get: { operationId: listLoans, responses: { '200': { description: a } } }
    post: { operationId: list_loans, responses: { '200': { description: a } } }
""",
            [
                "4:25: operation-id-twice: 'listLoans' is the operationId of GET /a already; "
                "rename one",
                "5:13: name-collision: 'list_loans' and 'listLoans' are operations with the same "
                "name in code; rename one",
            ],
            id="twice",
        ),
        pytest.param(
            """
webhooks:
  loanEnded: { post: { responses: { '200': { description: a } } } }
""",
            [],
            id="webhooks need none",
        ),
    ],
)
def test_operation_names_are_usable_in_code(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
components:
  parameters:
    A: { name: "X-A\\r\\nX-B", in: header, schema: {} }
    B: { name: X B, in: header, schema: {} }
    C: { name: '', in: header, schema: {} }
    D: { name: 'X-"A"', in: header, schema: {} }
    E: { name: X-Trace_1, in: header, schema: {} }
    F: { name: 'a=b', in: cookie, schema: {} }
""",
            [
                "3:16: header-name: 'X-A\\r\\nX-B' is not a header name; use letters, digits "
                "and hyphens (RFC 9110 section 5.6.2)",
                "4:16: header-name: 'X B' is not a header name; use letters, digits and "
                "hyphens (RFC 9110 section 5.6.2)",
                "5:16: header-name: '' is not a header name; use letters, digits and hyphens "
                "(RFC 9110 section 5.6.2)",
                "6:16: header-name: 'X-\"A\"' is not a header name; use letters, digits and "
                "hyphens (RFC 9110 section 5.6.2)",
                "8:16: header-name: 'a=b' is not a header name; use letters, digits and "
                "hyphens (RFC 9110 section 5.6.2)",
            ],
            id="header parameters",
        ),
        pytest.param(
            """
components:
  parameters:
    A: { name: "a\\r\\nb", in: query, schema: {} }
    B: { name: a b, in: query, schema: {} }
    C: { name: '', in: query, schema: {} }
    D: { name: 'a"', in: query, schema: {} }
    E: { name: 'page[size]', in: query, schema: {} }
    F: { name: '$filter', in: query, schema: {} }
""",
            [
                "3:16: unsafe-name: 'a\\r\\nb' contains a quote, a backslash or a control "
                "character; rename it",
                "4:16: unsafe-name: 'a b' contains a space; rename it",
                "5:16: unsafe-name: a blank name; write one",
                "6:16: unsafe-name: 'a\"' contains a quote, a backslash or a control "
                "character; rename it",
                "8:16: parameter-name: '$filter' as a name of a parameter; use a letter, "
                "then letters, digits and `_`",
            ],
            id="query parameters",
        ),
        pytest.param(
            """
components:
  responses:
    Ok:
      description: ok
      headers:
        X-Trace: { schema: {} }
        x-trace: { schema: {} }
        "X Trace": { schema: {} }
""",
            [
                "7:9: header-twice: 'x-trace' is the header 'X-Trace': case does not count; "
                "leave one out",
                "8:9: header-name: 'X Trace' is not a header name; use letters, digits and "
                "hyphens (RFC 9110 section 5.6.2)",
            ],
            id="response headers",
        ),
    ],
)
def test_parameter_and_header_names_can_be_sent(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
components:
  responses:
    Ok:
      description: ok
      content:
        application/json: {}
        application/json; charset=utf-8: {}
        'text/plain; charset="utf-8"': {}
        text/*: {}
        json: {}
        application/: {}
        "text/plain\\r\\nX: y": {}
        application/json;simple: {}
""",
            [
                "10:9: media-type: 'json' is not a media type; write one such as application/json",
                "11:9: media-type: 'application/' is not a media type; write one such as "
                "application/json",
                "12:9: unsafe-name: 'text/plain\\r\\nX: y' contains a quote, a backslash or a "
                "control character; rename it",
                "13:9: media-type: 'application/json;simple' is not a media type; write one "
                "such as application/json",
            ],
            id="media types",
        ),
        pytest.param(
            """
paths:
  /loans:
    get:
      operationId: listLoans
      responses:
        '200': { description: a }
        4XX: { description: a }
        default: { description: a }
        x-note: nothing
        2xx: { description: a }
        '600': { description: a }
        OK: { description: a }
""",
            [
                "10:9: status-code: '2xx' is not a status code; write '200', '4XX' or 'default'",
                "11:9: status-code: '600' is not a status code; write '200', '4XX' or 'default'",
                "12:9: status-code: 'OK' is not a status code; write '200', '4XX' or 'default'",
            ],
            id="statuses",
        ),
        pytest.param(
            "tags: [{ name: Loans }, { name: Loans }, { name: loans }, { name: Terms And "
            "Conditions }]",
            [
                "1:25: tag-twice: the tag 'Loans' is in the list already; leave one out",
                "1:42: name-collision: 'loans' and 'Loans' are tags with the same name in code; "
                "rename one",
            ],
            id="tags",
        ),
    ],
)
def test_media_types_and_statuses_follow_their_grammar(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said
