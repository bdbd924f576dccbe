"""Values in a document are valid instances of their schemas."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.checked import check_fragment, check_schema
from support.sources import API, VERSIONS, problems
from support.tables import cases


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: integer, default: abc }",
            [
                "4:33: default-invalid: 'abc' where an integer belongs; correct the value or its "
                "schema"
            ],
            id="of another type",
        ),
        pytest.param(
            "{ type: string, enum: [u, v], default: w }",
            ["4:46: default-invalid: 'w' is not one of the values; known: u, v"],
            id="not in the enum",
        ),
        pytest.param(
            "{ type: string, enum: [open, closed], default: opne }",
            ["4:54: default-invalid: 'opne' is not one of the values; did you mean 'open'?"],
            id="misspelt",
        ),
        pytest.param(
            "{ type: integer, default: true }",
            [
                "4:33: default-invalid: true where an integer belongs; correct the value or its "
                "schema"
            ],
            id="true is not a number",
        ),
        pytest.param("{ type: integer, default: 1.0 }", [], id="1.0 is an integer"),
        pytest.param("{ type: number, default: 1 }", [], id="an integer is a number"),
        pytest.param(
            "{ type: string, default: null }",
            ["4:32: default-invalid: null where a string belongs; correct the value or its schema"],
            id="null",
        ),
        pytest.param(
            "{ type: [string, 'null'], default: null }", [], id="null that the type allows"
        ),
        pytest.param(
            "{ type: integer, minimum: 3, default: 2 }",
            ["4:45: default-invalid: 2 is below the minimum, 3; correct the value or its schema"],
            id="too small",
        ),
        pytest.param(
            "{ type: integer, exclusiveMaximum: 3, default: 3 }",
            ["4:54: default-invalid: 3 is not below 3; correct the value or its schema"],
            id="too large",
        ),
        pytest.param(
            "{ type: number, multipleOf: 0.1, default: 0.35 }",
            [
                "4:49: default-invalid: 0.35 is not a multiple of 0.1; correct the value or its "
                "schema"
            ],
            id="no multiple",
        ),
        pytest.param(
            "{ type: number, multipleOf: 0.1, default: 0.3 }", [], id="a multiple, in decimals"
        ),
        pytest.param(
            "{ type: integer, format: uint32, default: -1 }",
            ["4:49: default-invalid: -1 is outside of uint32; correct the value or its schema"],
            id="out of its format",
        ),
        pytest.param(
            "{ type: string, maxLength: 2, default: abc }",
            [
                "4:46: default-invalid: 'abc' is longer than 2 characters; correct the value or "
                "its schema"
            ],
            id="too long",
        ),
        pytest.param(
            "{ type: string, maxLength: 2, default: 😀😀 }", [], id="length counts characters"
        ),
        pytest.param(
            "{ type: string, minLength: 2, default: a }",
            [
                "4:46: default-invalid: 'a' is shorter than 2 characters; correct the value or "
                "its schema"
            ],
            id="too short",
        ),
        pytest.param(
            "{ type: string, pattern: '^a+$', default: ab }",
            ["4:49: default-invalid: 'ab' does not match '^a+$'; correct the value or its schema"],
            id="no match",
        ),
        pytest.param(
            "{ type: string, pattern: '^a$', default: \"a\\n\" }",
            ["4:48: default-invalid: 'a\\n' does not match '^a$'; correct the value or its schema"],
            id="`$` matches only at the end",
        ),
        pytest.param(
            "{ type: string, pattern: '^\\d$', default: ٣ }",
            [
                "4:49: default-invalid: '٣' does not match '^\\\\d$'; correct the value or its "
                "schema"
            ],
            id="only ASCII digits are digits",
        ),
        pytest.param(
            "{ type: string, format: date, default: 2026-02-30 }",
            ["4:46: default-invalid: '2026-02-30' is no date; correct the value or its schema"],
            id="no date",
        ),
        pytest.param("{ type: string, format: date, default: 2026-02-28 }", [], id="a date"),
        pytest.param(
            "{ type: string, format: date-time, default: '2026-02-28T12:00:00' }",
            [
                "4:51: default-invalid: '2026-02-28T12:00:00' is no date-time; correct the value "
                "or its schema"
            ],
            id="no time",
        ),
        pytest.param(
            "{ type: string, format: date-time, default: '2026-02-28T12:00:00.5Z' }",
            [],
            id="a time",
        ),
        pytest.param(
            "{ type: string, format: uuid, default: '{7b0c9d0c-0000-4000-8000-000000000000}' }",
            [
                "4:46: default-invalid: '{7b0c9d0c-0000-4000-8000-000000000000}' is no uuid; "
                "correct the value or its schema"
            ],
            id="no uuid",
        ),
        pytest.param(
            "{ type: array, items: {}, maxItems: 1, default: [1, 2] }",
            [
                "4:55: default-invalid: a list of 2 where 1 items or fewer belong; correct the "
                "value or its schema"
            ],
            id="too many items",
        ),
        pytest.param(
            "{ type: array, items: {}, minItems: 1, default: [] }",
            [
                "4:55: default-invalid: a list of 0 where 1 items or more belong; correct the "
                "value or its schema"
            ],
            id="too few items",
        ),
        pytest.param(
            "{ type: array, items: {}, uniqueItems: true, default: [1, true, 1.0] }",
            [
                "4:71: default-invalid: the number 1.0 is in the list already; correct the value "
                "or its schema"
            ],
            id="an item twice",
        ),
        pytest.param(
            "{ type: array, items: { type: string }, default: [a, 7] }",
            [
                "4:60: default-invalid: the number 7 where a string belongs; correct the value "
                "or its schema"
            ],
            id="an item of another type",
        ),
        pytest.param(
            "{ type: object, properties: { id: { type: string } }, default: { id: 7 } }",
            [
                "4:76: default-invalid: the number 7 where a string belongs; correct the value "
                "or its schema"
            ],
            id="a property of another type",
        ),
        pytest.param(
            "{ type: object, required: [id], properties: { id: { type: string } }, default: {} }",
            ["4:86: default-invalid: 'id' is missing; correct the value or its schema"],
            id="a property missing",
        ),
        pytest.param(
            "{ type: object, properties: { id: {} }, additionalProperties: false, default: "
            "{ di: 7 } }",
            ["4:91: default-invalid: 'di' is not a property; known: id"],
            id="an unknown property",
        ),
        pytest.param(
            "{ type: object, additionalProperties: { type: integer }, default: { a: x } }",
            [
                "4:78: default-invalid: 'x' where an integer belongs; correct the value or its "
                "schema"
            ],
            id="a value of another type",
        ),
        pytest.param(
            "{ type: string, x-extensible-enum: [a], default: b }", [], id="an open value"
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: closed }], default: shut }",
            ["4:77: default-invalid: 'shut' is not one of the values; known: open, closed"],
            id="an annotated enumeration",
        ),
    ],
)
def test_default_is_an_instance_of_its_schema(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
openapi: 3.0.3
components: { schemas: { Loan: { type: string, nullable: true, default: null } } }
""",
            [],
            id="with it",
        ),
        pytest.param(
            """
openapi: 3.0.3
components: { schemas: { Loan: { type: string, default: null } } }
""",
            ["2:57: default-invalid: null where a string belongs; correct the value or its schema"],
            id="without it",
        ),
    ],
)
def test_nullable_allows_null_in_3_0(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
components:
  schemas:
    Loan:
      type: object
      required: [id]
      properties: { id: { type: string, example: 7 }, due: { type: string, examples: [a,
          7] } }
      examples: [{ id: a }, { due: b }, 7]
""",
            [
                "6:50: example-invalid: the number 7 where a string belongs; correct the value "
                "or its schema",
                "7:11: example-invalid: the number 7 where a string belongs; correct the value "
                "or its schema",
                "8:29: example-invalid: 'id' is missing; correct the value or its schema",
                "8:41: example-invalid: the number 7 where an object belongs; correct the value "
                "or its schema",
            ],
            id="of a schema",
        ),
        pytest.param(
            """
components:
  parameters:
    Page: { name: page, in: query, schema: { type: integer }, example: '10' }
    Size: { name: size, in: query, schema: { type: integer },
        examples: { some: { value: '10' }, more: { value: 10 } } }
  headers:
    Left: { schema: { type: integer }, example: few }
""",
            [
                "3:72: example-invalid: '10' where an integer belongs; correct the value or its "
                "schema",
                "5:36: example-invalid: '10' where an integer belongs; correct the value or its "
                "schema",
                "7:49: example-invalid: 'few' where an integer belongs; correct the value or its "
                "schema",
            ],
            id="of parameters and headers",
        ),
        pytest.param(
            """
components:
  examples:
    One: { value: { id: 7 } }
    Two: { externalValue: 'https://library.example/two.json' }
  responses:
    Ok:
      description: a loan
      content:
        application/json:
          schema: { $ref: '#/components/schemas/Loan' }
          examples: { one: { $ref: '#/components/examples/One' },
              two: { $ref: '#/components/examples/Two' }, three: { value: { id: 8 } } }
        application/problem+json; charset=utf-8:
          schema: { $ref: '#/components/schemas/Loan' }
          example: [7]
        application/xml:
          schema: { $ref: '#/components/schemas/Loan' }
          example: <loan/>
  schemas:
    Loan: { type: object, properties: { id: { type: string } } }
""",
            [
                "11:23: example-invalid: the number 7 where a string belongs; correct the value "
                "or its schema",
                "12:81: example-invalid: the number 8 where a string belongs; correct the value "
                "or its schema",
                "15:20: example-invalid: a list where an object belongs; correct the value or "
                "its schema",
            ],
            id="of bodies",
        ),
    ],
)
def test_examples_are_instances_everywhere(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
components:
  schemas:
    Loan:
      type: object
      required: [id, fine, shelf, key]
      additionalProperties: false
      properties:
        id: { type: string }
        fine: { type: integer, x-removed: next }
        shelf: { type: string, x-added: next }
        key: { type: string, readOnly: true }
      examples: [{ id: a }, { id: a, fine: 7, shelf: b, key: c }, { fine: 7 }]
""",
            ["12:67: example-invalid: 'id' is missing; correct the value or its schema"],
            id="gated and read-only properties",
        ),
        pytest.param(
            """
components:
  schemas:
    Base: { type: object, required: [id], properties: { id: { type: string,
        readOnly: true } } }
    Loan: { allOf: [{ $ref: '#/components/schemas/Base' },
        { properties: { due: { type: string } } }], examples: [{}, { due: 7 }] }
""",
            [
                "6:75: example-invalid: the number 7 where a string belongs; correct the value "
                "or its schema"
            ],
            id="a base of it",
        ),
    ],
)
def test_examples_may_show_any_version_and_direction(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
components:
  schemas:
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }, { $ref: '#/components/schemas/Film' }]
      discriminator: { propertyName: kind, mapping: { book: Book,
          film: '#/components/schemas/Film' } }
      examples:
        - { kind: book, title: a }
        - { kind: film, title: a }
        - { kind: flim }
        - { title: a }
        - 7
    Book: { type: object, required: [kind, title], properties: { kind: { const: book },
        title: { type: string } } }
    Film: { type: object, required: [kind, minutes], properties: { kind: { const: film },
        minutes: { type: integer } } }
""",
            [
                "9:11: example-invalid: 'minutes' is missing; correct the value or its schema",
                "10:19: example-invalid: 'flim' is the tag of no member; did you mean 'film'?",
                "11:11: example-invalid: 'kind' is missing; it tells the members apart",
                "12:11: example-invalid: the number 7 is not a member of the union; the "
                "nearest: the number 7 where an object belongs",
            ],
            id="by its tag",
        ),
        pytest.param(
            """
components:
  schemas:
    Value: { oneOf: [{ type: string, maxLength: 1 }, { type: integer }], examples: [a, 7,
        ab, true] }
    Other: { anyOf: [{ type: string }, { type: 'null' }], examples: [a, null, []] }
""",
            [
                "4:9: example-invalid: 'ab' is not a member of the union; the nearest: 'ab' is "
                "longer than 1 characters",
                "4:13: example-invalid: true is not a member of the union; the nearest: true "
                "where a string belongs",
                "5:79: example-invalid: a list is not a member of the union; the nearest: a "
                "list where a string belongs",
            ],
            id="by its type",
        ),
    ],
)
def test_union_member_is_chosen_as_a_reader_would(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


SELVES = {
    "a union of itself": "S0: { oneOf: [{ $ref: '#/components/schemas/S0' }, %s] }",
    "through `allOf`": "S0: { anyOf: [%s, { $ref: '#/components/schemas/S1' }, %s, %s] }\n"
    "    S1: { allOf: [{ $ref: '#/components/schemas/S0' }] }",
    "of each other": "S0: { anyOf: [{ $ref: '#/components/schemas/S1' }, %s, %s] }\n"
    "    S1: { anyOf: [{ $ref: '#/components/schemas/S0' }, %s, %s] }",
}


@cases("key", ["default: 7", "example: 7", "x-added: 2024-09-01, x-shown-as: 7"])
@cases("written", SELVES)
def test_cycle_of_unions_is_reported_whatever_the_values(
    tmp_path: Path, written: str, key: str
) -> None:
    text = SELVES[written].replace("%s", "{ $ref: '#/components/schemas/S0' }")
    loan = f"{{ oneOf: [{{ $ref: '#/components/schemas/S0' }}, {{ type: string, {key} }}] }}"
    files = {
        "versions.yaml": f"{VERSIONS}lint: adopted\n",
        "api.yaml": API,
        "loans.yaml": f"paths: {{}}\ncomponents:\n  schemas:\n    Loan: {loan}\n    {text}\n",
    }
    kinds = {each.split(": ")[1] for each in problems(tmp_path, files)}
    assert kinds - {"shown-as-invalid"} == {"reference-cycle"}


def test_values_of_any_depth_are_checked() -> None:
    deep = "[" * 55 + "7" + "]" * 55
    assert check_schema(f"{{ type: array, items: {{}}, example: {deep} }}", adopted=True) == []
    looped = """
components:
  schemas:
    Deep: { type: array, items: { $ref: '#/components/schemas/Deep' }, default: %s }
"""
    assert check_fragment(looped % deep, adopted=True) == []


@cases(
    ("beside", "is_fit"),
    [("required: [zip]", False), ("maxProperties: 1", False), ("minProperties: 1", True)],
)
def test_siblings_of_a_reference_apply_to_substitutes(
    beside: str, is_fit: bool, tmp_path: Path
) -> None:
    schemas = f"""\
    Old: {{ type: object, required: [kind, name], properties: {{ kind: {{ const: Old }} }} }}
    New: {{ type: object, required: [kind], properties: {{ kind: {{ const: New }} }} }}
    Pet:
      oneOf:
        - {{ $ref: '#/components/schemas/Old', {beside} }}
        - $ref: '#/components/schemas/New'
          x-added: 2024-09-01
          x-shown-as: {{ kind: Old, name: a }}
"""
    found = problems(
        tmp_path,
        {
            "versions.yaml": VERSIONS + "lint: adopted\n",
            "api.yaml": API,
            "pets.yaml": f"components:\n  schemas:\n{schemas}",
        },
    )
    assert any("shown-as-invalid" in each for each in found) is not is_fit
