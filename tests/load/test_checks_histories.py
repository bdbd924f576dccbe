"""What `x-was` may contain, and the old names that it sets."""

from __future__ import annotations

import pytest
from support.checked import check_fragment, check_schema
from support.tables import cases


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { fromat: "
            "date } } } } }",
            ["4:75: misspelt-key: 'fromat' is not a key of a schema; did you mean 'format'?"],
            id="an unknown keyword",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string } }, x-was: { next: { properties: "
            "{ day: { type: string } }, in_place_of: [due], convertor: due } } }",
            [
                "4:118: misspelt-key: 'in_place_of' is not a key of a schema; did you mean "
                "'in-place-of'?",
                "4:138: misspelt-key: 'convertor' is not a key of a schema; did you mean "
                "'converter'?",
            ],
            id="a key beside the keywords",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { in: query "
            "} } } } }",
            [
                "4:75: unknown-key: 'in' is not a key of a schema; leave it out, or let it "
                "begin with `x-`"
            ],
            id="a keyword of another kind",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { "
            "maxLength: '3' } } } } }",
            ["4:86: wrong-type: '3' where a whole number from 0 belongs; write 3 without quotes"],
            id="a value of the wrong type",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: string } } } }",
            ["4:73: wrong-type: 'string' in a mapping {DATE: {keyword: value}}"],
            id="not a mapping",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: [next] } } }",
            ["4:65: wrong-type: a list where a mapping {DATE: {keyword: value}} belongs"],
            id="not a mapping of dates",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { type: "
            "strnig } } } } }",
            ["4:81: unknown-type: 'strnig' is not a type; did you mean 'string'?"],
            id="a wrong value",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { type: "
            "integer, default: a } } } } }",
            [
                "4:99: default-invalid: 'a' where an integer belongs; correct the value or its "
                "schema"
            ],
            id="a default of another type",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, default: a, x-was: { next: "
            "{ type: integer } } } } }",
            [
                "4:79: default-invalid: 'a' where an integer belongs; correct the value or its "
                "schema"
            ],
            id="a default that is no longer valid",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, default: a, x-was: { next: "
            "{ type: integer, default: 1 } } } } }",
            [],
            id="a default that was valid",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: integer, minimum: 3, x-was: { "
            "next: { maximum: 2 } } } } }",
            [
                "4:80: unsatisfiable-bounds: no number is allowed from minimum 3 to "
                "maximum 2; move one"
            ],
            id="bounds",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { type: "
            "null, $ref: '#/components/schemas/Lone' } } } } }",
            ["4:93: reference-dangling: there is no schemas/Lone; did you mean 'Loan'?"],
            id="a reference that dangles",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: array, items: { type: string }, "
            "x-was: { next: { items: { type: strnig } } } } } }",
            ["4:114: unknown-type: 'strnig' is not a type; did you mean 'string'?"],
            id="a schema below it",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, default: a, x-was: { next: "
            "{ set: { const: null, fromat: b }, unset: [default, defualt] } } } } }",
            [
                "4:79: misspelt-key: 'defualt' is not a key of a schema; did you mean 'default'?",
                "4:101: enum-of-another-type: null is not of the type 'string'; write one that is",
                "4:107: misspelt-key: 'fromat' is not a key of a schema; did you mean 'format'?",
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
def test_history_follows_the_grammar_of_its_object(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: object, properties: { due: { type: string, format: date, x-was: { "
            "next: { format: date } } } } }",
            ["4:89: history-without-effect: `format` is 'date' after next too; leave it out"],
            id="equal to the present",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { format: "
            "date }, 2025-06-01: { format: date } } } } }",
            [
                "4:105: history-without-effect: `format` is 'date' after 2025-06-01 too; "
                "leave it out"
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
            ["4:75: history-without-effect: `format` is not there after next either; leave it out"],
            id="unset a missing keyword",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { name: due "
            "} } } } }",
            ["4:75: history-without-effect: `name` is 'due' after next too; leave it out"],
            id="the same name",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-was: { next: { name: "
            "end, type: string } } } } }",
            ["4:86: history-without-effect: `type` is 'string' after next too; leave it out"],
            id="a keyword beside a rename",
        ),
    ],
)
def test_history_changes_something(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "components: { schemas: { Loan: { type: string, x-was: { next: { name: Lone } } } } }",
            [
                "1:65: misplaced-rename: only properties, headers and parameters have a "
                "name; leave it out"
            ],
            id="a component",
        ),
        pytest.param(
            "components: { schemas: { Loan: { oneOf: [{ type: string, x-was: { next: { "
            "name: a } } }] } } }",
            [
                "1:75: misplaced-rename: only properties, headers and parameters have a "
                "name; leave it out"
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
                "name; leave it out"
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
                '9:69: unsafe-name: "a\'" contains a quote, a backslash or a control character; '
                "rename it",
            ],
            id="to an empty name",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: object, properties: { due: { type: "
            "string, x-was: { next: { name: null } } } } } } }",
            ["1:92: misplaced-rename: a name can't be unset; write the old one, or leave it out"],
            id="a name unset",
        ),
        pytest.param(
            "paths: { /a: { get: { operationId: getA, responses: { '200': { description: a "
            "} }, x-was: { next: { name: b } } } } }",
            [
                "1:101: unknown-key: 'name' is not a key of an operation; leave it out, or let "
                "it begin with `x-`"
            ],
            id="an operation",
        ),
    ],
)
def test_only_named_objects_can_be_renamed(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


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


@cases(
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
                    f"10:77: misplaced-annotation: `{key.split(':')[0]}` is not allowed on a path "
                    "parameter, which the path always has; put it on the path"
                ],
            )
            for key in ("x-added: next", "x-removed: next", "x-environments: [sandbox]")
        ),
    ],
)
def test_path_parameters_are_the_same_in_every_version(
    own: str, shared: str, said: list[str]
) -> None:
    assert check_fragment(PATH.format(own=own, shared=shared)) == said


@cases(
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
                "2024-09-01, 2025-06-01; rename one, or remove one before that"
            ],
            id="taken in all versions",
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
            id="free since an earlier version",
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
                "2024-09-01; rename one, or remove one before that"
            ],
            id="two with one old name",
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
                "7:9: rename-collision: 'end' is the name of 'due' too in what applies to all "
                "environments; rename one, or remove one before that"
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
                "2024-09-01, 2025-06-01; rename one, or remove one before that",
                "14:13: rename-collision: 'x-right' is the name of 'X-Left' too in "
                "2024-01-15, 2024-09-01, 2025-06-01; rename one, or remove one before that",
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
                "'sandbox'?"
            ],
            id="with an unknown environment",
        ),
    ],
)
def test_old_name_must_be_free(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said
