"""Schemas: contradictions, and what no value can satisfy."""

from __future__ import annotations

import pytest
from support.checked import check_fragment, check_schema
from support.tables import cases


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: strnig }",
            ["4:15: unknown-type: 'strnig' is not a type; did you mean 'string'?"],
            id="misspelt",
        ),
        pytest.param(
            "{ type: float }",
            [
                "4:15: unknown-type: 'float' is not a type; known: string, number, integer, "
                "boolean, object, array, null"
            ],
            id="a Python type",
        ),
        pytest.param(
            "{ type: [] }",
            ["4:15: empty-list: no type is listed, so no value is valid; name one"],
            id="none",
        ),
        pytest.param(
            "{ type: [string, string] }",
            ["4:24: item-twice: 'string' is in the list already; leave one out"],
            id="twice",
        ),
        pytest.param(
            "{ type: [string, nil] }",
            [
                "4:24: unknown-type: 'nil' is not a type; known: string, number, integer, "
                "boolean, object, array, null"
            ],
            id="unknown in a list",
        ),
        pytest.param("{ type: [string, 'null'] }", [], id="a list"),
    ],
)
def test_types_are_known(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: array }",
            [
                "4:15: array-without-items: an array needs `items`, which say what it contains; "
                "write them"
            ],
            id="without items",
        ),
        pytest.param(
            "{ type: [array, 'null'] }",
            [
                "4:15: array-without-items: an array needs `items`, which say what it contains; "
                "write them"
            ],
            id="in a list of types",
        ),
        pytest.param("{ type: array, items: { type: string } }", [], id="with items"),
    ],
)
def test_array_declares_its_items(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: string, format: datetime }",
            [
                "4:31: unknown-format: 'datetime' is not in OpenAPI's registry of formats; did "
                "you mean 'date-time'?"
            ],
            id="misspelt",
        ),
        pytest.param(
            "{ type: string, format: zip-code-of-mars }",
            [
                "4:31: unknown-format: 'zip-code-of-mars' is not in OpenAPI's registry "
                "of formats; say it in `description` or `pattern`"
            ],
            id="a custom one",
        ),
        pytest.param(
            '{ type: string, format: "date\\nimport os" }',
            [
                "4:31: format-name: 'date\\nimport os' is not a name of a format; use letters, "
                "digits and hyphens"
            ],
            id="code",
        ),
        pytest.param(
            "{ type: string, format: '' }",
            ["4:31: format-name: '' is not a name of a format; use letters, digits and hyphens"],
            id="blank",
        ),
        pytest.param("{ type: integer, format: uint32 }", [], id="known"),
    ],
)
def test_formats_are_known(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: string, enum: [] }",
            ["4:29: empty-list: no value is listed, so no value is valid; list the values"],
            id="none",
        ),
        pytest.param(
            "{ type: string, enum: [a, b, a] }",
            ["4:36: enum-value-twice: 'a' is in the list already; leave one out"],
            id="twice",
        ),
        pytest.param(
            "{ enum: [1, '1', true, 1.5, null] }",
            [
                "4:19: enum-types-mixed: '1' beside the number 1: values of two types; write "
                "them as one type"
            ],
            id="mixed",
        ),
        pytest.param("{ type: [string, 'null'], enum: [a, null] }", [], id="with null"),
        pytest.param(
            "{ type: string, enum: [a, null] }",
            ["4:33: enum-of-another-type: null is not of the type 'string'; write one that is"],
            id="null that the type lacks",
        ),
        pytest.param(
            "{ type: integer, enum: [1, two] }",
            ["4:34: enum-of-another-type: 'two' is not of the type 'integer'; write one that is"],
            id="of another type",
        ),
        pytest.param(
            "{ type: integer, const: two }",
            ["4:31: enum-of-another-type: 'two' is not of the type 'integer'; write one that is"],
            id="a constant of another type",
        ),
        pytest.param(
            "{ type: integer, enum: [1, true] }",
            ["4:34: enum-of-another-type: true is not of the type 'integer'; write one that is"],
            id="true is not 1",
        ),
        pytest.param(
            "{ type: integer, enum: [1, 1.0] }",
            ["4:34: enum-value-twice: the number 1.0 is in the list already; leave one out"],
            id="1.0 is 1",
        ),
        pytest.param(
            "{ enum: [{ a: [1, x] }, { a: [1.0, x] }, { a: [2, x] }] }",
            ["4:31: enum-value-twice: a mapping is in the list already; leave one out"],
            id="1.0 is 1 inside, too",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: a }, { const: a }] }",
            ["4:45: enum-value-twice: 'a' is in the list already; leave one out"],
            id="an annotated one, twice",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: a }, { const: 1 }] }",
            [
                "4:45: enum-of-another-type: the number 1 is not of the type 'string'; write "
                "one that is"
            ],
            id="an annotated one, of another type",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: a }, { const: b }], anyOf: [{ minLength: 1 }] }",
            [],
            id="an annotated one beside another union",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ maxLength: 1 }], anyOf: [{ const: a }, { const: 1 }] }",
            [
                "4:72: enum-of-another-type: the number 1 is not of the type 'string'; write "
                "one that is"
            ],
            id="an annotated one behind another union",
        ),
        pytest.param(
            '{ type: string, enum: ["a\\nimport os", "b\\r", "c\\td"] }',
            [
                "4:30: control-character: 'a\\nimport os' contains a control character; leave it "
                "out",
                "4:46: control-character: 'b\\r' contains a control character; leave it out",
                "4:53: control-character: 'c\\td' contains a control character; leave it out",
            ],
            id="control characters",
        ),
        pytest.param(
            "{ type: string, enum: ['a\"\"\"', \"b'\", 'c\\', 'd {{ e }}'] }",
            [],
            id="text of any kind",
        ),
    ],
)
def test_values_of_an_enumeration_are_consistent(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: integer, minimum: 3, maximum: 2 }",
            [
                "4:33: unsatisfiable-bounds: no number is allowed from minimum 3 to "
                "maximum 2; move one"
            ],
            id="numbers",
        ),
        pytest.param("{ type: integer, minimum: 3, maximum: 3 }", [], id="equal ones"),
        pytest.param(
            "{ type: integer, exclusiveMinimum: 3, maximum: 3 }",
            [
                "4:42: unsatisfiable-bounds: no number is allowed from exclusiveMinimum "
                "3 to maximum 3; move one"
            ],
            id="exclusive ones",
        ),
        pytest.param(
            "{ type: number, exclusiveMinimum: 3, exclusiveMaximum: 3 }",
            [
                "4:41: unsatisfiable-bounds: no number is allowed from exclusiveMinimum "
                "3 to exclusiveMaximum 3; move one"
            ],
            id="both exclusive",
        ),
        pytest.param(
            "{ type: number, exclusiveMinimum: 3, exclusiveMaximum: 4 }",
            [],
            id="exclusive ones with a gap",
        ),
        pytest.param(
            "{ type: integer, exclusiveMinimum: 3, exclusiveMaximum: 5 }",
            [],
            id="an integer between",
        ),
        pytest.param(
            "{ type: integer, exclusiveMinimum: 3, exclusiveMaximum: 4 }",
            [
                "4:42: unsatisfiable-bounds: no integer is allowed from exclusiveMinimum "
                "3 to exclusiveMaximum 4; move one"
            ],
            id="no integer between",
        ),
        pytest.param(
            "{ type: [integer, 'null'], minimum: 3.2, maximum: 3.8 }",
            [
                "4:43: unsatisfiable-bounds: no integer is allowed from minimum 3.2 to "
                "maximum 3.8; move one"
            ],
            id="no integer between fractions",
        ),
        pytest.param(
            "{ type: string, minLength: 3, maxLength: 2 }",
            [
                "4:34: unsatisfiable-bounds: minLength 3 is above maxLength 2, so no value is "
                "valid; swap them"
            ],
            id="lengths",
        ),
        pytest.param(
            "{ type: array, items: {}, minItems: 3, maxItems: 2 }",
            [
                "4:43: unsatisfiable-bounds: minItems 3 is above maxItems 2, so no value is "
                "valid; swap them"
            ],
            id="items",
        ),
        pytest.param(
            "{ type: object, minProperties: 3, maxProperties: 2 }",
            [
                "4:38: unsatisfiable-bounds: minProperties 3 is above maxProperties 2, so no "
                "value is valid; swap them"
            ],
            id="properties",
        ),
        pytest.param(
            "{ type: integer, multipleOf: 0 }",
            ["4:36: unsatisfiable-bounds: the number 0 where a number above 0 belongs"],
            id="multiples of zero",
        ),
    ],
)
def test_bounds_allow_a_value(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, required: [id, nmae], properties: { id: {}, name: {} } }",
            [
                "4:38: required-unknown: 'nmae' is required but is not a property; did you mean "
                "'name'?"
            ],
            id="unknown",
        ),
        pytest.param(
            "{ type: object, required: [id] }",
            [
                "4:34: required-unknown: 'id' is required but is not a property; describe it, "
                "or leave it out"
            ],
            id="without any properties",
        ),
        pytest.param(
            "{ type: object, required: [id], properties: {}, additionalProperties: false }",
            [
                "4:34: required-unknown: 'id' is required but is not a property, so no value is "
                "valid; describe it, or leave it out"
            ],
            id="no other property is allowed",
        ),
        pytest.param(
            "{ type: object, required: [id, id], properties: { id: {} } }",
            ["4:38: item-twice: 'id' is in the list already; leave one out"],
            id="twice",
        ),
        pytest.param(
            "{ type: object, properties: { a: {}, b: {} }, required: [a], x-note: 1 }",
            [],
            id="one of several alternatives",
        ),
    ],
)
def test_required_names_are_properties(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
components:
  schemas:
    Base: { type: object, properties: { id: {} } }
    Loan: { required: [id, due], allOf: [{ $ref: '#/components/schemas/Base' },
        { properties: { due: {} } }] }
""",
            [],
            id="a base has it",
        ),
        pytest.param(
            """
components:
  schemas:
    Base: { type: object, properties: { id: {} } }
    Loan: { allOf: [{ $ref: '#/components/schemas/Base' }, { type: object, required: [id,
        dew], properties: { due: {} } }] }
""",
            ["5:9: required-unknown: 'dew' is required but is not a property; did you mean 'due'?"],
            id="a sibling has it",
        ),
        pytest.param(
            """
components:
  schemas:
    Root: { type: object, properties: { id: {} } }
    Base: { allOf: [{ $ref: '#/components/schemas/Root' }] }
    Loan: { allOf: [{ allOf: [{ $ref: '#/components/schemas/Base' }] },
        { required: [id] }] }
""",
            [],
            id="a base of a base has it",
        ),
        pytest.param(
            """
components:
  schemas:
    Base: { type: object, required: [due], properties: { id: {} } }
    Loan: { allOf: [{ $ref: '#/components/schemas/Base' }, { properties: { due: {} } }] }
""",
            ["3:38: required-unknown: 'due' is required but is not a property; known: id"],
            id="only an extension of the base has it",
        ),
        pytest.param(
            """
components:
  schemas:
    Base: { type: object, additionalProperties: false, properties: { id: {} } }
    Loan: { allOf: [{ $ref: '#/components/schemas/Base' }, { required: [due],
        properties: { due: {} } }] }
""",
            [
                "4:13: closed-base: 'due' is required, but one of the schemas here lets no "
                "other properties than its own; take its `additionalProperties: "
                "false` out"
            ],
            id="a closed base",
        ),
    ],
)
def test_required_considers_related_parts(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "components: { schemas: { Loan: { allOf: [{ type: string }, { type: integer }] } } }",
            [
                "1:60: contradiction: this is never 'string', but what precedes it is; make them "
                "agree"
            ],
            id="text and number",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: object, allOf: [{ type: array, items: "
            "{} }] } } }",
            [
                "1:56: contradiction: this is never 'object', but what precedes it is; make them "
                "agree"
            ],
            id="the schema itself",
        ),
        pytest.param(
            """
components:
  schemas:
    Base: { allOf: [{ type: object }] }
    Loan: { allOf: [{ $ref: '#/components/schemas/Base' }, { type: [string, 'null'] }] }
""",
            [
                "4:60: contradiction: this is never 'object', but what precedes it is; make them "
                "agree"
            ],
            id="further down",
        ),
        pytest.param(
            "components: { schemas: { Loan: { allOf: [{ type: number }, { type: integer }] } } }",
            [],
            id="a number may be an integer",
        ),
        pytest.param(
            "components: { schemas: { Loan: { allOf: [] } } }",
            ["1:41: empty-list: no schema is listed; list some"],
            id="no base",
        ),
    ],
)
def test_bases_are_consistent(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: string, readOnly: true, writeOnly: true }",
            [
                "4:23: never-sent: `readOnly` and `writeOnly` together: it is never sent; "
                "leave one out"
            ],
            id="never sent",
        ),
        pytest.param(
            "{ type: object, required: [id], properties: { id: { type: string, readOnly: "
            "true } } }",
            [],
            id="required but only read",
        ),
    ],
)
def test_other_contradictions_of_a_schema(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: string, pattern: '[unclosed' }",
            [
                "4:32: pattern-invalid: '[unclosed': a `[` that is not closed; write `\\[` "
                "for the character"
            ],
            id="unbalanced",
        ),
        pytest.param(
            "{ type: string, pattern: 'a\\' }",
            [
                "4:32: pattern-invalid: 'a\\\\': a backslash at the end; write `\\\\` for "
                "the character"
            ],
            id="a backslash at the end",
        ),
        pytest.param(
            "{ type: string, pattern: '^(?=a)' }",
            [
                "4:32: pattern-dialect: '^(?=a)': '(?=' is not read alike everywhere; only "
                "(...) and (?:...) are"
            ],
            id="a lookahead",
        ),
        pytest.param(
            "{ type: string, pattern: '^(a+)+$' }",
            [
                "4:32: pattern-explodes: '^(a+)+$': '(a+)+' can read one text in many ways, "
                "and may take forever to; let what is repeated begin with something that it "
                "can't end with"
            ],
            id="exponential time",
        ),
        pytest.param(
            "{ type: string, pattern: '^\\-' }",
            [
                "4:32: pattern-loose: '^\\\\-': '\\-' needs no backslash; write `-`, which "
                "every engine reads"
            ],
            id="needless backslashes",
        ),
        pytest.param('{ type: string, pattern: \'^["a-z]+"""$\' }', [], id="quotes"),
    ],
)
def test_patterns_are_portable(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


def test_schema_has_at_most_500_properties() -> None:
    properties = ", ".join(f"p{n}: {{}}" for n in range(501))
    assert check_schema(f"{{ type: object, properties: {{ {properties} }} }}") == [
        "4:23: too-many-properties: 501 properties; 500 are allowed, group them in objects or "
        "let the keys be data with `additionalProperties`"
    ]


def test_long_chain_of_bases_is_supported() -> None:
    chain = [
        f"    C{n}: {{ allOf: [{{ $ref: '#/components/schemas/C{n + 1}' }}] }}" for n in range(400)
    ]
    text = "\n".join(["components:", "  schemas:", *chain, "    C400: { type: object }"])
    assert check_fragment(text) == []
