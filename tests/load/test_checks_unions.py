"""Unions and discriminators: their members can be distinguished."""

from __future__ import annotations

import pytest
from support.checked import check_fragment
from support.tables import cases


@cases(
    ("text", "said"),
    [
        pytest.param(
            "components: { schemas: { Loan: { oneOf: [{ type: object }, { type: object }] } } }",
            [
                "1:34: undiscriminated-union: members 1 and 2 can both be of type 'object': "
                "a union needs a `discriminator`"
            ],
            id="two objects",
        ),
        pytest.param(
            "components: { schemas: { Loan: { anyOf: [{ type: string }, { type: number }, "
            "{ type: integer }] } } }",
            [
                "1:34: undiscriminated-union: members 2 and 3 can both be of type 'integer': "
                "a union needs a `discriminator`"
            ],
            id="a number and an integer",
        ),
        pytest.param(
            "components: { schemas: { Loan: { oneOf: [{ type: string }, {}] } } }",
            [
                "1:34: undiscriminated-union: members 1 and 2 can both be of type 'string': "
                "a union needs a `discriminator`"
            ],
            id="an open value",
        ),
        pytest.param(
            "components: { schemas: { Loan: { oneOf: [{ type: string }, { properties: { a: "
            "{} } }] } } }",
            [],
            id="an object by its properties",
        ),
        pytest.param(
            "components: { schemas: { Loan: { oneOf: [{ type: string }, { type: object }, "
            "{ type: array, items: {} }, { type: 'null' }, { const: 1 }] } } }",
            [],
            id="types of JSON",
        ),
        pytest.param(
            """
components:
  schemas:
    Book: { type: object }
    Title: { allOf: [{ type: string }] }
    Loan: { oneOf: [{ $ref: '#/components/schemas/Book' },
        { $ref: '#/components/schemas/Title' }] }
    Both: { oneOf: [{ $ref: '#/components/schemas/Book' }, { type: object }] }
""",
            [
                "7:13: undiscriminated-union: members 1 and 2 can both be of type 'object': "
                "a union needs a `discriminator`"
            ],
            id="through references",
        ),
        pytest.param(
            "components: { schemas: { Loan: { oneOf: [{ oneOf: [{ type: string }, { type: "
            "'null' }] }, { type: 'null' }] } } }",
            [
                "1:34: undiscriminated-union: members 1 and 2 can both be of type 'null': a "
                "union needs a `discriminator`"
            ],
            id="nested unions",
        ),
        pytest.param(
            "components: { schemas: { Loan: { oneOf: [] } } }",
            ["1:41: empty-list: no schema is listed; list some"],
            id="no member",
        ),
        pytest.param(
            "components: { schemas: { Loan: { oneOf: [{ type: object }] } } }", [], id="one member"
        ),
        pytest.param(
            """
components:
  schemas:
    Book: { type: object, required: [kind], properties: { kind: { type: string } } }
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }, { $ref: '#/components/schemas/Book' }]
      discriminator: { propertyName: kind }
""",
            [
                "5:54: member-twice: '#/components/schemas/Book' is in the list already; "
                "leave one out"
            ],
            id="the same twice",
        ),
    ],
)
def test_union_members_can_be_distinguished(text: str, said: list[str]) -> None:
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
      discriminator: { propertyName: kind }
    Book: { type: object, required: [kind], properties: { kind: { const: Book } } }
    Film: { type: object, required: [kind], properties: { kind: { const: Film } } }
""",
            [],
            id="by names",
        ),
        pytest.param(
            """
components:
  schemas:
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }, { $ref: '#/components/schemas/Film' }]
      discriminator: { propertyName: kind, mapping: { Book: '#/components/schemas/Book',
          Film: Film } }
    Book: { type: object, required: [kind], properties: { kind: { const: Book } } }
    Film: { type: object, required: [kind], properties: { kind: { const: Film } } }
""",
            [],
            id="by a mapping",
        ),
        pytest.param(
            """
components:
  schemas:
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }, { $ref: '#/components/schemas/Film' }]
      discriminator: { propertyName: knid }
    Book: { type: object, required: [kind], properties: { kind: { const: Book } } }
    Film: { type: object, required: [kind], properties: { kind: { const: Film } } }
""",
            [
                "5:38: discriminator-property: Book and Film have no property 'knid'; did "
                "you mean 'kind'?"
            ],
            id="a property that no member has",
        ),
        pytest.param(
            """
components:
  schemas:
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }, { $ref: '#/components/schemas/Film' }]
      discriminator: { propertyName: kind, mapping: { Book: '#/components/schemas/Bok',
          Film: Fim } }
    Book: { type: object, required: [kind], properties: { kind: { const: Book } } }
    Film: { type: object, required: [kind], properties: { kind: { const: Film } } }
""",
            [
                "5:61: mapping-dangling: '#/components/schemas/Bok' is not a schema of this "
                "document; did you mean 'Book'?",
                "6:17: mapping-dangling: 'Fim' is not a schema of this document; did you mean "
                "'Film'?",
            ],
            id="a mapping to a missing component",
        ),
        pytest.param(
            """
components:
  schemas:
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }, { $ref: '#/components/schemas/Film' }]
      discriminator: { propertyName: kind, mapping: { Book: 'https://x.example/Book' } }
    Book: { type: object, required: [kind], properties: { kind: { const: Book } } }
    Film: { type: object, required: [kind], properties: { kind: { const: Film } } }
""",
            [
                "5:61: mapping-dangling: 'https://x.example/Book' is not a schema of this "
                "document; known: Item, Book, Film"
            ],
            id="a mapping to another document",
        ),
        pytest.param(
            """
components:
  schemas:
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }]
      discriminator: { propertyName: kind, mapping: { Book: Book, Film: Film } }
    Book: { type: object, required: [kind], properties: { kind: { const: Book } } }
    Film: { type: object }
""",
            ["5:73: mapping-outside-union: 'Film' is not a member of the union; known: Book"],
            id="a mapping to a schema outside of the union",
        ),
        pytest.param(
            """
components:
  schemas:
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }, { $ref: '#/components/schemas/Film' }]
      discriminator: { propertyName: kind, mapping: { book: Book, Film: Film } }
    Book: { type: object, required: [kind], properties: { kind: { const: Book } } }
    Film: { type: object, required: [kind], properties: { kind: { const: Film } } }
""",
            [
                "4:15: discriminator-tag: the tag of Book is 'book', but its property allows "
                "'Book'; make them agree"
            ],
            id="a tag that the property forbids",
        ),
        pytest.param(
            """
components:
  schemas:
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }, { $ref: '#/components/schemas/Film' }]
      discriminator: { propertyName: kind, mapping: { Film: Book } }
    Book: { type: object, required: [kind], properties: { kind: { type: string } } }
    Film: { type: object, required: [kind], properties: { kind: { type: string } } }
""",
            ["4:54: discriminator-tag-twice: 'Film' is the tag of Book already; give Film another"],
            id="one tag for two",
        ),
        pytest.param(
            """
components:
  schemas:
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }]
      discriminator: { propertyName: kind }
    Book: { type: object, properties: { kind: { const: Book } } }
""",
            [
                "5:38: discriminator-property: 'kind' is not required by Book; add it to "
                "`required` there"
            ],
            id="a property that is not required",
        ),
        pytest.param(
            """
components:
  schemas:
    Base: { type: object, required: [kind], properties: { kind: { type: string } } }
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }, { type: 'null' }]
      discriminator: { propertyName: kind }
    Book: { allOf: [{ $ref: '#/components/schemas/Base' }] }
""",
            [],
            id="a property of a base",
        ),
        pytest.param(
            """
components:
  schemas:
    Item:
      oneOf: [{ type: object, required: [kind], properties: { kind: { const: a } } }]
      discriminator: { propertyName: kind }
""",
            [
                "4:15: discriminator-member: an inline member has no name for its tag; make it a "
                "component and refer to it"
            ],
            id="a member without a name",
        ),
        pytest.param(
            """
components:
  schemas:
    Base: { type: object, required: [kind], properties: { kind: {} },
        discriminator: { propertyName: kind } }
    Loose: { type: object, properties: { kind: {} }, discriminator: { propertyName: kind } }
    None1: { type: object, discriminator: { propertyName: kind } }
""",
            [
                "5:85: discriminator-property: 'kind' is not required by this schema; add it "
                "to `required` there",
                "6:59: discriminator-property: this schema has no property 'kind'",
            ],
            id="a schema that others extend",
        ),
        pytest.param(
            """
components:
  schemas:
    Item:
      oneOf: [{ $ref: '#/components/schemas/Book' }, { $ref: '#/components/schemas/Film' }]
      discriminator: { propertyName: kind, mapping: { "a'\\n": Book, Film: Film } }
    Book: { type: object, required: [kind], properties: { kind: { const: Book } } }
    Film: { type: object, required: [kind], properties: { kind: { const: Film } } }
""",
            [
                '4:15: discriminator-tag: the tag of Book is "a\'\\n", but its property '
                "allows 'Book'; make them agree",
                '5:55: unsafe-name: "a\'\\n" contains a quote, a backslash or a control '
                "character; rename it",
            ],
            id="code",
        ),
    ],
)
def test_discriminator_distinguishes_members(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said
