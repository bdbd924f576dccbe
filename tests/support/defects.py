"""A clean document, and documents that differ from it in one defect each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CLEAN: Final = """\
openapi: 3.1.0
info: { title: Library, version: canonical }
tags: [{ name: Loans }]
security: [{ Key: [] }]
paths:
  /loans:
    get:
      operationId: listLoans
      tags: [Loans]
      parameters:
        - name: page_size
          in: query
          schema: { type: integer, minimum: 1, maximum: 100, default: 10 }
        - { name: X-Trace, in: header, schema: { type: string } }
      responses:
        '200':
          description: the loans
          content:
            application/json:
              schema:
                type: array
                items: { $ref: '#/components/schemas/Loan' }
        default:
          $ref: '#/components/responses/Failed'
  /loans/{id}:
    get:
      operationId: getLoan
      tags: [Loans]
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
      responses:
        '200':
          description: the loan
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Loan' }
              example: { id: a, item: { kind: Book, title: b }, state: active }
components:
  securitySchemes:
    Key: { type: apiKey, name: X-API-Key, in: header }
  responses:
    Failed:
      description: what went wrong
      content:
        text/plain: { schema: { type: string } }
  schemas:
    Loan:
      type: object
      required: [id, item, state]
      properties:
        id: { type: string, pattern: '^[a-z]+$', maxLength: 36 }
        item: { $ref: '#/components/schemas/Item' }
        state: { type: string, enum: [active, returned] }
        due: { type: [string, 'null'], format: date }
    Item:
      oneOf:
        - $ref: '#/components/schemas/Book'
        - $ref: '#/components/schemas/Film'
      discriminator: { propertyName: kind, mapping: { Film: '#/components/schemas/Film' } }
    Titled:
      type: object
      required: [title]
      properties: { title: { type: string } }
    Book:
      type: object
      required: [kind]
      properties: { kind: { const: Book } }
      allOf: [{ $ref: '#/components/schemas/Titled' }]
    Film:
      type: object
      required: [kind, minutes]
      properties: { kind: { const: Film }, minutes: { type: integer, minimum: 1 } }
"""


@dataclass(frozen=True)
class Defect:
    """One edit that breaks ``CLEAN``, and the lines that must be reported."""

    name: str
    before: str
    after: str
    said: tuple[str, ...]

    @property
    def text(self) -> str:
        """The document with the defect."""
        assert CLEAN.count(self.before) == 1, self.name
        return CLEAN.replace(self.before, self.after)


DEFECTS: Final = (
    Defect(
        "example of the wrong type",
        "example: { id: a, item:",
        "example: { id: 7, item:",
        (
            "37:30: example-invalid: the number 7 where a string belongs; correct the value or "
            "its schema",
        ),
    ),
    Defect(
        "required names an unknown property",
        "required: [id, item, state]",
        "required: [id, item, sate]",
        (
            "37:24: example-invalid: 'sate' is missing; correct the value or its schema",
            "49:28: required-unknown: 'sate' is required but is not a property; did you mean "
            "'state'?",
        ),
    ),
    Defect(
        "dangling discriminator mapping",
        "mapping: { Film: '#/components/schemas/Film' }",
        "mapping: { Film: '#/components/schemas/Movie' }",
        (
            "59:61: mapping-dangling: '#/components/schemas/Movie' is not a schema of this "
            "document; known: Loan, Item, Titled, Book, Film",
        ),
    ),
    Defect(
        "undefined security scheme",
        "security: [{ Key: [] }]",
        "security: [{ Kee: [] }]",
        (
            "4:14: undefined-security-scheme: there is no security scheme 'Kee'; did you "
            "mean 'Key'?",
        ),
    ),
    Defect(
        "undeclared tag",
        "operationId: getLoan\n      tags: [Loans]",
        "operationId: getLoan\n      tags: [Lones]",
        (
            "28:14: undeclared-tag: 'Lones' is not among the `tags` of the document; did "
            "you mean 'Loans'?",
        ),
    ),
    Defect(
        "misspelt keyword",
        "maxLength: 36",
        "maxLenght: 36",
        ("51:50: misspelt-key: 'maxLenght' is not a key of a schema; did you mean 'maxLength'?",),
    ),
    Defect(
        "absent discriminator property",
        "propertyName: kind,",
        "propertyName: type,",
        (
            "37:39: example-invalid: 'type' is missing; it tells the members apart",
            "59:38: discriminator-property: Book and Film have no property 'type'; "
            "known: kind, title, minutes",
        ),
    ),
    Defect(
        "enum of another type",
        "enum: [active, returned]",
        "enum: [active, 7]",
        (
            "53:47: enum-of-another-type: the number 7 is not of the type 'string'; "
            "write one that is",
        ),
    ),
    Defect(
        "equivalent paths",
        "  /loans/{id}:\n    get:",
        "  /loans/{loan}: {}\n  /loans/{id}:\n    get:",
        (
            "26:3: path-twice: '/loans/{id}' is the path '/loans/{loan}' with other "
            "names; put their operations together",
        ),
    ),
    Defect(
        "duplicate enum value",
        "enum: [active, returned]",
        "enum: [active, returned, active]",
        ("53:57: enum-value-twice: 'active' is in the list already; leave one out",),
    ),
    Defect(
        "array without items",
        "type: array\n                items: { $ref: '#/components/schemas/Loan' }",
        "type: array",
        (
            "21:23: array-without-items: an array needs `items`, which say what it "
            "contains; write them",
        ),
    ),
    Defect(
        "nullable in 3.1",
        "due: { type: [string, 'null'], format: date }",
        "due: { type: string, nullable: true, format: date }",
        ("54:30: key-of-another-openapi: OpenAPI 3.1 has no `nullable`; add 'null' to `type`",),
    ),
    Defect(
        "another version of OpenAPI",
        "openapi: 3.1.0",
        "openapi: 9.9.9",
        ("1:10: openapi-version: '9.9.9' is not OpenAPI 3.0, 3.1 or 3.2; write 3.1.0",),
    ),
    Defect(
        "no version of the API",
        "info: { title: Library, version: canonical }",
        "info: { title: Library }",
        ("2:1: missing-key: `info` needs `version`; write it",),
    ),
    Defect(
        "response without description",
        "description: the loans\n          ",
        "",
        ("16:9: missing-key: a response needs `description`; write it",),
    ),
    Defect(
        "misspelt key of an operation",
        "operationId: listLoans\n",
        "operationId: listLoans\n      sumary: all of them\n",
        ("9:7: misspelt-key: 'sumary' is not a key of an operation; did you mean 'summary'?",),
    ),
    Defect(
        "parameter in no place",
        "name: page_size\n          in: query",
        "name: page_size\n          in: body",
        (
            "12:15: parameter-location: 'body' is no place of a parameter; known: path, "
            "query, header, cookie",
        ),
    ),
    Defect(
        "parameter without a schema",
        "{ name: X-Trace, in: header, schema: { type: string } }",
        "{ name: X-Trace, in: header }",
        ("14:11: missing-key: a parameter needs `schema` or `content`; write one of them",),
    ),
    Defect(
        "path parameter undeclared",
        "      parameters:\n        - { name: id, in: path, required: true, schema: "
        "{ type: string } }\n",
        "",
        (
            "26:5: path-parameter-undeclared: {id} of the path is not a parameter of this "
            "operation; declare it with `in: path`",
        ),
    ),
    Defect(
        "path parameter optional",
        "in: path, required: true, schema",
        "in: path, schema",
        (
            "30:11: path-parameter-optional: a path parameter is always there; write "
            "`required: true`",
        ),
    ),
    Defect(
        "parameter twice",
        "        - { name: X-Trace, in: header, schema: { type: string } }\n",
        "        - { name: X-Trace, in: header, schema: { type: string } }\n        "
        "- { name: X-Trace, in: header, schema: { type: string } }\n",
        (
            "15:11: parameter-twice: there is a header parameter 'X-Trace' in the list "
            "already; leave one out",
        ),
    ),
    Defect(
        "operationId twice",
        "operationId: getLoan",
        "operationId: listLoans",
        (
            "27:20: operation-id-twice: 'listLoans' is the operationId of GET /loans "
            "already; rename one",
        ),
    ),
    Defect(
        "no path",
        "  /loans:\n    get:",
        "  loans:\n    get:",
        (
            "6:3: path-grammar: 'loans' is not a path; write segments of letters, digits, "
            "hyphens and {parameters}, each after a `/`",
        ),
    ),
    Defect(
        "no status",
        "'200':\n          description: the loans",
        "OK:\n          description: the loans",
        ("16:9: status-code: 'OK' is not a status code; write '200', '4XX' or 'default'",),
    ),
    Defect(
        "dangling reference",
        "default:\n          $ref: '#/components/responses/Failed'",
        "default:\n          $ref: '#/components/responses/Fialed'",
        ("24:17: reference-dangling: there is no responses/Fialed; did you mean 'Failed'?",),
    ),
    Defect(
        "circle of bases",
        "properties: { title: { type: string } }\n",
        "properties: { title: { type: string } }\n      allOf: [{ $ref: "
        "'#/components/schemas/Book' }]\n",
        (
            "64:15: reference-cycle: Book -> Titled -> Book is a circle of references "
            "without a value in it; make one of them a property or an item",
        ),
    ),
    Defect(
        "no type",
        "minutes: { type: integer,",
        "minutes: { type: int,",
        ("72:61: unknown-type: 'int' is not a type; did you mean 'integer'?",),
    ),
    Defect(
        "invalid pattern",
        "pattern: '^[a-z]+$'",
        "pattern: '^[a-z+$'",
        (
            "51:38: pattern-invalid: '^[a-z+$': a `[` that is not closed; write `\\[` "
            "for the character",
        ),
    ),
    Defect(
        "default of another type",
        "default: 10",
        "default: ten",
        (
            "13:71: default-invalid: 'ten' where an integer belongs; correct the value or its "
            "schema",
        ),
    ),
    Defect(
        "negative length",
        "maxLength: 36",
        "maxLength: -1",
        (
            "37:30: example-invalid: 'a' is longer than -1 characters; correct the value or its "
            "schema",
            "51:61: wrong-type: the number -1 where a whole number from 0 belongs",
        ),
    ),
    Defect(
        "required is no list",
        "required: [title]",
        "required: title",
        ("62:17: wrong-type: 'title' where a list of texts belongs",),
    ),
    Defect(
        "security scheme without its header",
        "{ type: apiKey, name: X-API-Key, in: header }",
        "{ type: apiKey, in: header }",
        ("40:5: missing-key: a security scheme of type 'apiKey' needs `name`; write it",),
    ),
    Defect(
        "bounds the wrong way round",
        "minimum: 1, maximum: 100",
        "minimum: 100, maximum: 1",
        (
            "13:45: unsatisfiable-bounds: no number is allowed from minimum 100 to "
            "maximum 1; move one",
            "13:71: default-invalid: 10 is below the minimum, 100; correct the value or its schema",
        ),
    ),
    Defect(
        "reference of the wrong kind",
        "item: { $ref: '#/components/schemas/Item' }",
        "item: { $ref: '#/components/responses/Failed' }",
        (
            "52:23: reference-kind: '#/components/responses/Failed' is a response where "
            "a schema belongs; refer to #/components/schemas/...",
        ),
    ),
    Defect(
        "bases that contradict each other",
        "allOf: [{ $ref: '#/components/schemas/Titled' }]",
        "allOf: [{ type: string }]",
        (
            "37:39: example-invalid: a mapping where a string belongs; correct the value or its "
            "schema",
            "68:15: contradiction: this is never 'object', but what precedes it is; make them "
            "agree",
        ),
    ),
    Defect(
        "two members of one tag",
        "mapping: { Film: '#/components/schemas/Film' }",
        "mapping: { Film: '#/components/schemas/Book' }",
        (
            "57:11: discriminator-tag: the tag of Book is 'Film', but its property allows "
            "'Book'; make them agree",
            "58:11: discriminator-tag-twice: 'Film' is the tag of Book already; give Film another",
        ),
    ),
    Defect(
        "union without a discriminator",
        "      discriminator: { propertyName: kind, mapping: { Film: "
        "'#/components/schemas/Film' } }\n",
        "",
        (
            "56:7: undiscriminated-union: members 1 and 2 can both be of type 'object': "
            "a union needs a `discriminator`",
        ),
    ),
    Defect(
        "unknown format",
        "format: date }",
        "format: datum }",
        (
            "54:48: unknown-format: 'datum' is not in OpenAPI's registry of formats; did "
            "you mean 'date'?",
        ),
    ),
)
