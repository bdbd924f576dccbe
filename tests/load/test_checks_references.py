"""References: their targets, their siblings, and cycles."""

from __future__ import annotations

import pytest
from support.checked import check_fragment
from support.tables import cases


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
components:
  schemas:
    A: { $ref: ../../outside/secret.yaml }
    B: { $ref: /etc/passwd }
    C: { $ref: 'file:///etc/passwd' }
    D: { $ref: 'http://127.0.0.1:9/x' }
    E: { $ref: //host/x }
    F: { $ref: '' }
    G: { $ref: 'loans.yaml#/components/schemas/Loan' }
""",
            [
                "3:16: reference-outside: '../../outside/secret.yaml' leads out of the "
                "document; refer to #/components/schemas/...",
                "4:16: reference-outside: '/etc/passwd' leads out of the document; refer to "
                "#/components/schemas/...",
                "5:16: reference-outside: 'file:///etc/passwd' leads out of the document; "
                "refer to #/components/schemas/...",
                "6:16: reference-outside: 'http://127.0.0.1:9/x' leads out of the document; "
                "refer to #/components/schemas/...",
                "7:16: reference-outside: '//host/x' leads out of the document; refer to "
                "#/components/schemas/...",
                "8:16: reference-outside: '' leads out of the document; refer to "
                "#/components/schemas/...",
                "9:16: reference-outside: 'loans.yaml#/components/schemas/Loan' leads out of "
                "the document; refer to #/components/schemas/...",
            ],
            id="another file",
        ),
        pytest.param(
            """
components:
  schemas:
    A: { $ref: '#/info/title' }
    B: { $ref: '#' }
    C: { $ref: '#/components/schemas' }
    D: { $ref: '#/components/schemas/A/properties/id' }
    E: { $ref: '#/components/models/Loan' }
    F: { $ref: '#/components/schemas/A~1b' }
    G: { $ref: '#/components/schemas/A%25' }
    H: { $ref: '#anchor' }
""",
            [
                "3:16: reference-form: '#/info/title' is not a component; refer to "
                "#/components/schemas/NAME",
                "4:16: reference-form: '#' is not a component; refer to #/components/schemas/NAME",
                "5:16: reference-form: '#/components/schemas' is not a component; refer to "
                "#/components/schemas/NAME",
                "6:16: reference-form: '#/components/schemas/A/properties/id' is not a "
                "component; refer to #/components/schemas/NAME",
                "7:16: reference-form: '#/components/models/Loan' is not a component; refer to "
                "#/components/schemas/NAME",
                "8:16: reference-form: '#/components/schemas/A~1b' is not a component; refer to "
                "#/components/schemas/NAME",
                "9:16: reference-form: '#/components/schemas/A%25' is not a component; refer to "
                "#/components/schemas/NAME",
                "10:16: reference-form: '#anchor' is not a component; refer to "
                "#/components/schemas/NAME",
            ],
            id="no component",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan: { type: object, properties: { book: { $ref: '#/components/schemas/Bok' } } }
    Book: { type: object }
""",
            ["3:55: reference-dangling: there is no schemas/Bok; did you mean 'Book'?"],
            id="dangling",
        ),
        pytest.param(
            "components: { schemas: { Loan: { $ref: '#/components/schemas/x' } } }",
            ["1:40: reference-dangling: there is no schemas/x; known: Loan"],
            id="no component of this kind",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan: { $ref: '#/components/responses/Gone' }
  responses:
    Gone: { description: gone }
    Back: { $ref: '#/components/schemas/Loan' }
paths:
  /loans:
    get:
      operationId: listLoans
      parameters: [{ $ref: '#/components/headers/Trace' }]
      responses: { '200': { $ref: '#/components/responses/Gome' } }
""",
            [
                "3:19: reference-kind: '#/components/responses/Gone' is a response where a "
                "schema belongs; refer to #/components/schemas/...",
                "6:19: reference-kind: '#/components/schemas/Loan' is a schema where a "
                "response belongs; refer to #/components/responses/...",
                "11:28: reference-kind: '#/components/headers/Trace' is a header where a "
                "parameter belongs; refer to #/components/parameters/...",
                "12:35: reference-dangling: there is no responses/Gome; did you mean 'Gone'?",
            ],
            id="another kind",
        ),
        pytest.param(
            """
components:
  schemas: { A: { type: string }, B: { $ref: '#/components/schemas/A' } }
  responses: { A: { description: a }, B: { $ref: '#/components/responses/A' } }
  parameters: { A: { name: a, in: query, schema: {} },
      B: { $ref: '#/components/parameters/A' } }
  examples: { A: { value: 1 }, B: { $ref: '#/components/examples/A' } }
  requestBodies: { A: { content: {} }, B: { $ref: '#/components/requestBodies/A' } }
  headers: { A: { schema: {} }, B: { $ref: '#/components/headers/A' } }
  links: { A: { description: a }, B: { $ref: '#/components/links/A' } }
  callbacks: { A: {}, B: { $ref: '#/components/callbacks/A' } }
  pathItems: { A: {}, B: { $ref: '#/components/pathItems/A' } }
""",
            [],
            id="of every kind",
        ),
        pytest.param(
            """
components:
  links:
    A: { operationRef: 'https://other.example/api#/paths/~1a/get' }
    B: { operationId: getLone }
    C: { operationId: getLoan }
    D: { operationRef: '#/paths/~1l%6Fan/get' }
    E: { operationRef: '#/paths/~1loan/put' }
    F: { operationRef: '#/paths/~1item/get' }
  pathItems: { Item: { get: { operationId: getItem, responses: { '200': { description: a } } } } }
paths:
  /item: { $ref: '#/components/pathItems/Item' }
  /loan: { get: { operationId: getLoan, responses: { '200': { description: a } } } }
""",
            [
                "3:24: reference-outside: 'https://other.example/api#/paths/~1a/get' leads "
                "out of the document; write `operationId`",
                "4:23: unknown-operation: there is no operation 'getLone'; did you mean 'getLoan'?",
                "7:24: unknown-operation: there is no operation at '#/paths/~1loan/put'; write "
                "`operationId`",
            ],
            id="linked operations",
        ),
    ],
)
def test_reference_targets_a_component_of_the_document(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
components:
  schemas:
    Book: { type: object }
    Loan:
      type: object
      properties:
        book: { $ref: '#/components/schemas/Book', description: it, deprecated: true,
            x-added: next, x-why: it is new, x-note: 1 }
""",
            [],
            id="allowed siblings in a schema",
        ),
        pytest.param(
            """
components:
  schemas:
    Kind: { type: string }
    Loan: { $ref: '#/components/schemas/Kind', default: a, maxLength: 3, title: A,
        nullable: true }
""",
            [
                "4:48: reference-sibling: `default` beside `$ref`; only `description`, "
                "`deprecated` and our keys are allowed there, move it to the schema referred to",
                "4:60: reference-sibling: `maxLength` beside `$ref`; only `description`, "
                "`deprecated` and our keys are allowed there, move it to the schema referred to",
                "4:74: reference-sibling: `title` beside `$ref`; only `description`, "
                "`deprecated` and our keys are allowed there, move it to the schema referred to",
                "5:9: reference-sibling: `nullable` beside `$ref`; only `description`, "
                "`deprecated` and our keys are allowed there, move it to the schema referred to",
            ],
            id="forbidden siblings in a schema",
        ),
        pytest.param(
            """
components:
  responses:
    Gone: { description: gone }
    Lost: { $ref: '#/components/responses/Gone', description: lost, headers: {} }
""",
            [
                "4:69: reference-sibling: `headers` beside `$ref` has no effect; move it "
                "to what is referred to"
            ],
            id="outside of schemas",
        ),
        pytest.param(
            """
openapi: 3.0.3
components:
  responses:
    Gone: { description: gone }
    Lost: { $ref: '#/components/responses/Gone', description: lost }
""",
            [
                "5:50: reference-sibling: `description` beside `$ref` has no effect; move it "
                "to what is referred to"
            ],
            id="outside of schemas in 3.0",
        ),
        pytest.param(
            """
components:
  responses:
    Gone: { description: gone }
    Lost: { $ref: '#/components/responses/Gone', x-added: next, x-aded: next }
""",
            [
                "4:50: misplaced-annotation: `x-added` is not allowed beside `$ref` here; "
                "annotate the component, or write it in place",
                "4:65: reference-sibling: `x-aded` beside `$ref` has no effect; move it "
                "to what is referred to",
            ],
            id="dateline's keys outside of schemas",
        ),
        pytest.param(
            """
components: { pathItems: { A: {} } }
paths: { /a: { $ref: '#/components/pathItems/A', summary: a } }
""",
            [
                "2:50: reference-sibling: `summary` beside `$ref` is read differently by "
                "every tool; write one of them"
            ],
            id="a path item",
        ),
    ],
)
def test_reference_siblings_are_refused(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "components: { schemas: { A: { $ref: '#/components/schemas/A' } } }",
            [
                "1:26: reference-cycle: A -> A is a circle of references without a value in "
                "it; make one of them a property or an item"
            ],
            id="itself",
        ),
        pytest.param(
            """
components:
  schemas:
    A: { $ref: '#/components/schemas/B' }
    B: { $ref: '#/components/schemas/A' }
""",
            [
                "4:5: reference-cycle: A -> B -> A is a circle of references without a value "
                "in it; make one of them a property or an item"
            ],
            id="each other",
        ),
        pytest.param(
            """
components:
  schemas:
    A: { allOf: [{ $ref: '#/components/schemas/B' }] }
    B: { allOf: [{ type: object }, { allOf: [{ $ref: '#/components/schemas/C' }] }] }
    C: { allOf: [{ $ref: '#/components/schemas/A' }] }
""",
            [
                "5:18: reference-cycle: A -> B -> C -> A is a circle of references without a "
                "value in it; make one of them a property or an item"
            ],
            id="through allOf",
        ),
        pytest.param(
            """
components:
  schemas:
    A: { oneOf: [{ type: string }, { anyOf: [{ type: integer },
        { $ref: '#/components/schemas/A' }] }] }
""",
            [
                "3:10: undiscriminated-union: members 1 and 2 can both be of type 'string': "
                "a union needs a `discriminator`",
                "3:38: undiscriminated-union: members 1 and 2 can both be of type 'integer': "
                "a union needs a `discriminator`",
                "4:9: reference-cycle: A -> A is a circle of references without a value in "
                "it; make one of them a property or an item",
            ],
            id="through a union",
        ),
        pytest.param(
            """
components:
  responses: { A: { $ref: '#/components/responses/B' },
      B: { $ref: '#/components/responses/A' } }
""",
            [
                "3:7: reference-cycle: A -> B -> A is a circle of references without a value "
                "in it; make one of them a property or an item"
            ],
            id="of other kinds",
        ),
        pytest.param(
            """
components:
  schemas:
    A:
      type: object
      properties:
        a: { $ref: '#/components/schemas/A' }
        all: { type: array, items: { $ref: '#/components/schemas/A' } }
      additionalProperties: { allOf: [{ $ref: '#/components/schemas/A' }] }
""",
            [],
            id="a cycle through a property, an item or a value is valid",
        ),
        pytest.param(
            """
components:
  schemas:
    A: { allOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }] }
    B: { allOf: [{ $ref: '#/components/schemas/C' }] }
    C: { type: object }
""",
            [],
            id="the same base twice is no cycle",
        ),
    ],
)
def test_reference_cycle_without_a_value_is_refused(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said
