"""The structure of a document: types, unknown and missing keys, and keys of OpenAPI versions."""

from __future__ import annotations

import pytest
from support.checked import check_document, check_fragment, check_schema
from support.tables import cases


@cases(
    ("text", "said"),
    [
        pytest.param(
            "components: { schemas: { Loan: { type: string, maxLenght: 3 } } }",
            ["1:48: misspelt-key: 'maxLenght' is not a key of a schema; did you mean 'maxLength'?"],
            id="misspelt keyword",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: string, max_length: 3 } } }",
            [
                "1:48: misspelt-key: 'max_length' is not a key of a schema; did you mean "
                "'maxLength'?"
            ],
            id="another spelling of case",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: object, requried: [a] } } }",
            ["1:48: misspelt-key: 'requried' is not a key of a schema; did you mean 'required'?"],
            id="misspelt required",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: string, colour: red } } }",
            [
                "1:48: unknown-key: 'colour' is not a key of a schema; leave it out, or let it "
                "begin with `x-`"
            ],
            id="unknown and unlike any key",
        ),
        pytest.param(
            """
paths:
  /loans:
    get:
      operationId: listLoans
      sumary: all of them
      body: {}
      responses: { '200': { description: all } }
""",
            [
                "5:7: misspelt-key: 'sumary' is not a key of an operation; did you mean 'summary'?",
                "6:7: unknown-key: 'body' is not a key of an operation; leave it out, or let it "
                "begin with `x-`",
            ],
            id="unknown in an operation",
        ),
        pytest.param(
            "definitions: {}",
            [
                "1:1: unknown-key: 'definitions' is not a key of the document; leave it out, or "
                "let it begin with `x-`"
            ],
            id="unknown beside the sections",
        ),
        pytest.param(
            """
x-owner: { team: loans }
components: { schemas: { Loan: { type: string, x-internal-id: 7 } } }
""",
            [],
            id="foreign keys are allowed",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: object, example: { colour: red, $ref: "
            "7 } } } }",
            [],
            id="keys inside data are allowed",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan:
      type: string
      x-enum-varnames: [A]
      x-python-type: os.system
      customTypePath: os.system
      customBasePath: os
      default_factory: list
""",
            [
                "5:7: key-names-code: 'x-enum-varnames' refers to code; definitions only "
                "describe messages, leave it out",
                "6:7: key-names-code: 'x-python-type' refers to code; definitions only describe "
                "messages, leave it out",
                "7:7: key-names-code: 'customTypePath' refers to code; definitions only describe "
                "messages, leave it out",
                "8:7: key-names-code: 'customBasePath' refers to code; definitions only describe "
                "messages, leave it out",
                "9:7: key-names-code: 'default_factory' refers to code; definitions only "
                "describe messages, leave it out",
            ],
            id="names code",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan:
      type: string
      x-aded: next
      x-removed-in: next
      x-env: [sandbox]
      x-extensible-enums: [a]
      x-was-called: { next: { title: A } }
""",
            [
                "5:7: unknown-annotation: 'x-aded'; did you mean 'x-added'?",
                "6:7: unknown-annotation: 'x-removed-in'; did you mean 'x-removed'?",
                "7:7: unknown-annotation: 'x-env'; did you mean 'x-environments'?",
                "8:7: unknown-annotation: 'x-extensible-enums'; did you mean 'x-extensible-enum'?",
                "9:7: unknown-annotation: 'x-was-called'; did you mean 'x-was'?",
            ],
            id="similar to one of dateline's keys",
        ),
    ],
)
def test_key_belongs_to_its_object(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "components: { schemas: { Loan: { type: object, required: id } } }",
            ["1:58: wrong-type: 'id' where a list of texts belongs"],
            id="text where a list belongs",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: object, properties: [id] } } }",
            ["1:60: wrong-type: a list where a mapping belongs"],
            id="a list where a mapping belongs",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: string, description: 7 } } }",
            ["1:61: wrong-type: the number 7 where text belongs"],
            id="a number where text belongs",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: string, description: [a, b] } } }",
            ["1:61: wrong-type: a list where text belongs"],
            id="a list where text belongs",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: string, title: { a: b } } } }",
            ["1:55: wrong-type: a mapping where text belongs"],
            id="a mapping where text belongs",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: integer, minimum: '__import__(1)', "
            "multipleOf: two } } }",
            [
                "1:58: wrong-type: '__import__(1)' where a number belongs",
                "1:87: wrong-type: 'two' where a number belongs",
            ],
            id="code where a number belongs",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: string, deprecated: 'true' } } }",
            ["1:60: wrong-type: 'true' where true or false belongs"],
            id="text where true or false belongs",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: array, items: {}, minItems: 1.5 } } }",
            ["1:68: wrong-type: the number 1.5 where a whole number from 0 belongs"],
            id="a fraction where a count belongs",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: string, maxLength: -1 } } }",
            ["1:59: wrong-type: the number -1 where a whole number from 0 belongs"],
            id="a count below zero",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: integer, maximum: true } } }",
            ["1:58: wrong-type: true where a number belongs"],
            id="true where a number belongs",
        ),
        pytest.param(
            "info: { title: Library, version: 1.10 }",
            ["1:34: wrong-type: the number 1.1 where text belongs"],
            id="a version that is a number",
        ),
        pytest.param(
            "components: { schemas: { Loan: string } }",
            ["1:32: wrong-type: 'string' where a schema (a mapping) belongs"],
            id="text where a schema belongs",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: object, required: [7], properties: {} } } }",
            ["1:59: wrong-type: the number 7 in a list of texts"],
            id="an item of the wrong type",
        ),
        pytest.param(
            "components: { schemas: { Loan: null } }",
            ["1:32: wrong-type: null where a schema (a mapping) belongs"],
            id="a null",
        ),
        pytest.param(
            "paths: { /loans: { get: [] } }",
            ["1:25: wrong-type: a list where a mapping belongs"],
            id="a list where an operation belongs",
        ),
        pytest.param(
            """
paths:
  /loans:
    get:
      operationId: listLoans
      parameters: [page]
      responses: { '200': { description: all } }
""",
            ["5:20: wrong-type: 'page' where a mapping belongs"],
            id="text in a list of objects",
        ),
        pytest.param(
            "components: { schemas: { Loan: { $ref: 7 } } }",
            ["1:40: wrong-type: the number 7 where text belongs"],
            id="a reference that is a number",
        ),
        pytest.param(
            "components: { responses: { Loan: { $ref: 7 } } }",
            ["1:42: wrong-type: the number 7 where text belongs"],
            id="a reference that is a number, elsewhere",
        ),
        pytest.param(
            """
security: [{ Key: [] }, Key]
components: { securitySchemes: { Key: { type: apiKey, name: X-API-Key, in: header } } }
""",
            ["1:25: wrong-type: 'Key' in a list of mappings"],
            id="text in a list of mappings",
        ),
        pytest.param(
            """
components:
  schemas:
    Loan: { type: object, required: id, properties: { id: { type: strnig } } }
    Book: { $ref: '#/components/schemas/Bok' }
""",
            [
                "3:37: wrong-type: 'id' where a list of texts belongs",
                "3:67: unknown-type: 'strnig' is not a type; did you mean 'string'?",
                "4:19: reference-dangling: there is no schemas/Bok; did you mean 'Book'?",
            ],
            id="the rest is still checked",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: array, items: true } } }",
            [],
            id="a schema that is true is any value",
        ),
    ],
)
def test_value_has_the_type_of_its_key(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{}",
            [
                "1:1: missing-key: the document needs `info`; write it",
                "1:1: missing-key: the document needs `openapi`; write it",
                "1:1: missing-key: the document needs `paths`; write it",
            ],
            id="empty",
        ),
        pytest.param(
            """
openapi: 9.9.9
info: { title: Library, version: '1' }
paths: {}
""",
            ["1:10: openapi-version: '9.9.9' is not OpenAPI 3.0, 3.1 or 3.2; write 3.1.0"],
            id="another version",
        ),
        pytest.param(
            """
openapi: '2.0'
info: { title: Library, version: '1' }
paths: {}
""",
            ["1:10: openapi-version: '2.0' is not OpenAPI 3.0, 3.1 or 3.2; write 3.1.0"],
            id="an older one",
        ),
        pytest.param(
            "openapi: 3.1.0",
            [
                "1:1: missing-key: the document needs `info`; write it",
                "1:1: missing-key: the document needs `paths`; write it",
            ],
            id="neither paths nor info",
        ),
        pytest.param(
            """
openapi: 3.0.3
info: { title: Library, version: '1' }
paths: {}
""",
            [],
            id="3.0 is accepted",
        ),
        pytest.param(
            """
openapi: 3.1.0
info: { license: {} }
servers: [{}]
tags: [{}]
externalDocs: {}
paths:
  /loans:
    get:
      operationId: listLoans
      parameters: [{}]
      requestBody: {}
      responses: { '200': {} }
    put: { operationId: putLoans }
components:
  schemas: { Loan: { type: object, discriminator: {} } }
  securitySchemes: { Key: {} }
""",
            [
                "2:1: missing-key: `info` needs `title`; write it",
                "2:1: missing-key: `info` needs `version`; write it",
                "2:9: missing-key: a license needs `name`; write it",
                "3:11: missing-key: a server needs `url`; write it",
                "4:8: missing-key: a tag needs `name`; write it",
                "5:1: missing-key: `externalDocs` needs `url`; write it",
                "10:20: missing-key: a parameter needs `in`; write it",
                "10:20: missing-key: a parameter needs `name`; write it",
                "10:20: missing-key: a parameter needs `schema` or `content`; write one of them",
                "11:7: missing-key: a request body needs `content`; write it",
                "12:20: missing-key: a response needs `description`; write it",
                "13:5: missing-key: an operation needs `responses`; write it",
                "15:36: missing-key: a discriminator needs `propertyName`; write it",
                "16:22: missing-key: a security scheme needs `type`; write it",
            ],
            id="parts of everything",
        ),
    ],
)
def test_document_has_the_keys_that_openapi_requires(text: str, said: list[str]) -> None:
    assert check_document(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "components: { schemas: { Loan: { type: string, nullable: true } } }",
            ["1:48: key-of-another-openapi: OpenAPI 3.1 has no `nullable`; add 'null' to `type`"],
            id="nullable in 3.1",
        ),
        pytest.param(
            """
openapi: 3.0.3
components: { schemas: { Loan: { type: string, nullable: true } } }
""",
            [],
            id="nullable in 3.0",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: integer, minimum: 1, exclusiveMinimum: "
            "true } } }",
            [
                "1:79: key-of-another-openapi: `exclusiveMinimum: true` exists only in OpenAPI "
                "3.0; write the bound here itself"
            ],
            id="a flag as exclusive bound in 3.1",
        ),
        pytest.param(
            """
openapi: 3.0.3
components: { schemas: { Loan: { type: integer, minimum: 1, exclusiveMinimum: true } } }
""",
            [],
            id="a flag as exclusive bound in 3.0",
        ),
        pytest.param(
            "components: { schemas: { Loan: { type: integer, exclusiveMaximum: 7 } } }",
            [],
            id="a number as exclusive bound in 3.1",
        ),
        pytest.param(
            """
openapi: 3.0.3
components: { schemas: { Loan: { type: integer, exclusiveMaximum: 7 } } }
""",
            [
                "2:67: key-of-another-openapi: a number is new in OpenAPI 3.1; write "
                "`maximum` and beside it `exclusiveMaximum: true`"
            ],
            id="a number as exclusive bound in 3.0",
        ),
        pytest.param(
            """
openapi: 3.0.3
webhooks: {}
components:
  schemas:
    Loan: { type: [string, 'null'] }
    Kind: { const: Book }
    Nothing: { type: 'null' }
""",
            [
                "2:1: key-of-another-openapi: `webhooks` is new in OpenAPI 3.1; write "
                "`openapi: 3.1.0`, or leave it out",
                "5:19: key-of-another-openapi: a list of types is new in OpenAPI 3.1; write "
                "one type, or `openapi: 3.1.0`",
                "6:13: key-of-another-openapi: `const` is new in OpenAPI 3.1; write "
                "`openapi: 3.1.0`, or leave it out",
                "7:22: key-of-another-openapi: the type 'null' is new in OpenAPI 3.1; write "
                "`nullable: true`",
            ],
            id="new in 3.1",
        ),
        pytest.param(
            "jsonSchemaDialect: https://json-schema.org/draft-07/schema",
            [
                "1:20: unsupported-dialect: schemas are read as "
                "https://json-schema.org/draft/2020-12/schema, not as "
                "'https://json-schema.org/draft-07/schema'; leave this key out"
            ],
            id="a dialect",
        ),
        pytest.param(
            "jsonSchemaDialect: https://json-schema.org/draft/2020-12/schema", [], id="the dialect"
        ),
    ],
)
def test_each_version_of_openapi_has_its_own_keywords(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: string, if: { minLength: 2 }, then: { maxLength: 3 }, not: { const: a } }",
            [
                "4:23: unsupported-keyword: `if` can't be enforced by generated code; use other "
                "keywords",
                "4:45: unsupported-keyword: `then` can't be enforced by generated code; use "
                "other keywords",
                "4:69: unsupported-keyword: `not` can't be enforced by generated code; use other "
                "keywords",
            ],
            id="conditions",
        ),
        pytest.param(
            "{ type: array, prefixItems: [{ type: string }], items: { type: string } }",
            [
                "4:22: unsupported-keyword: `prefixItems` can't be enforced by generated code; "
                "use other keywords"
            ],
            id="tuples",
        ),
        pytest.param(
            "{ type: object, patternProperties: { '^a': { type: string } }, "
            "unevaluatedProperties: false }",
            [
                "4:23: unsupported-keyword: `patternProperties` can't be enforced by generated "
                "code; use other keywords",
                "4:70: unsupported-keyword: `unevaluatedProperties` can't be enforced by "
                "generated code; use other keywords",
            ],
            id="patterns of names",
        ),
        pytest.param(
            "{ type: object, dependentRequired: { a: [b] }, dependentSchemas: { a: {} }, "
            "propertyNames: {} }",
            [
                "4:23: unsupported-keyword: `dependentRequired` can't be enforced by generated "
                "code; use other keywords",
                "4:54: unsupported-keyword: `dependentSchemas` can't be enforced by generated "
                "code; use other keywords",
                "4:83: unsupported-keyword: `propertyNames` can't be enforced by generated code; "
                "use other keywords",
            ],
            id="dependencies",
        ),
        pytest.param(
            "{ type: array, items: {}, contains: {}, minContains: 1, maxContains: 2, "
            "unevaluatedItems: false }",
            [
                "4:33: unsupported-keyword: `contains` can't be enforced by generated code; use "
                "other keywords",
                "4:47: unsupported-keyword: `minContains` can't be enforced by generated code; "
                "use other keywords",
                "4:63: unsupported-keyword: `maxContains` can't be enforced by generated code; "
                "use other keywords",
                "4:79: unsupported-keyword: `unevaluatedItems` can't be enforced by generated "
                "code; use other keywords",
            ],
            id="counting",
        ),
        pytest.param(
            "{ type: object, $defs: { A: {} }, definitions: { A: {} } }",
            [
                "4:23: unsupported-keyword: `$defs` can't be enforced by generated code; use "
                "other keywords",
                "4:41: unsupported-keyword: `definitions` can't be enforced by generated code; "
                "use other keywords",
            ],
            id="definitions inside",
        ),
        pytest.param(
            "{ type: object, $id: 'https://x.example/a', $anchor: a, $schema: "
            "'https://x.example/b' }",
            [
                "4:23: forbidden-keyword: `$id` is not supported; schemas are identified by "
                "their place, leave it out",
                "4:51: forbidden-keyword: `$anchor` is not supported; schemas are identified by "
                "their place, leave it out",
                "4:63: forbidden-keyword: `$schema` is not supported; schemas are identified by "
                "their place, leave it out",
            ],
            id="another address",
        ),
        pytest.param(
            "{ type: object, $dynamicRef: '#a', $dynamicAnchor: a, $vocabulary: {} }",
            [
                "4:23: forbidden-keyword: `$dynamicRef` is not supported; schemas are identified "
                "by their place, leave it out",
                "4:42: forbidden-keyword: `$dynamicAnchor` is not supported; schemas are "
                "identified by their place, leave it out",
                "4:61: forbidden-keyword: `$vocabulary` is not supported; schemas are identified "
                "by their place, leave it out",
            ],
            id="dynamic references",
        ),
        pytest.param("{ type: object, $comment: for authors }", [], id="a comment"),
    ],
)
def test_keywords_without_an_equivalent_in_models_are_refused(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
info: { title: "Library\\nand more", version: "1\\r\\n2", contact: { name: "a\\nb" } }
tags: [{ name: "Loans\\nBooks" }]
""",
            [
                "1:16: several-lines: 'Library\\nand more' has several lines; write one",
                "1:46: several-lines: '1\\r\\n2' has several lines; write one",
                "1:73: several-lines: 'a\\nb' has several lines; write one",
                "2:16: several-lines: 'Loans\\nBooks' has several lines; write one",
            ],
            id="several lines",
        ),
        pytest.param(
            "info: { title: ' ', version: '' }",
            [
                "1:16: blank-text: the text is blank; write one line",
                "1:30: blank-text: the text is blank; write one line",
            ],
            id="blank",
        ),
        pytest.param(
            "info: { title: Library, version: '1', description: \"a\\nb\" }",
            [],
            id="prose may have several lines",
        ),
        pytest.param(
            "info: { title: Library, version: '1', termsOfService: 'javascript:alert(1)', "
            "contact: { url: 'data:text/html,x' } }",
            [
                "1:55: address: 'javascript:alert(1)' is not a web address; begin it with https://",
                "1:94: address: 'data:text/html,x' is not a web address; begin it with https://",
            ],
            id="code in a link",
        ),
        pytest.param(
            "info: { title: Library, version: '1', termsOfService: /terms, contact: { url: "
            "'https://library.example' } }",
            [],
            id="a link",
        ),
    ],
)
def test_titles_and_versions_have_one_line(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


def test_structure_of_maximum_depth_is_checked() -> None:
    text = "{ type: array, items: " * 55 + "{ maxLength: -1 }" + " }" * 55
    assert [line.partition(" ")[2] for line in check_schema(text, adopted=True)] == [
        "wrong-type: the number -1 where a whole number from 0 belongs"
    ]
