"""Open-ended values, and the substitutes that older callers are shown for new ones."""

from __future__ import annotations

import itertools

import pytest
from support.checked import check_fragment, check_schema
from support.tables import cases


@cases(
    ("text", "said"),
    [
        pytest.param(
            "{ type: integer, x-extensible-enum: ['1'] }",
            [
                "4:24: misplaced-annotation: `x-extensible-enum` is allowed only on a schema "
                "with `type: string`; give it that type"
            ],
            id="of a number",
        ),
        pytest.param(
            "{ x-extensible-enum: [a] }",
            [
                "4:9: misplaced-annotation: `x-extensible-enum` is allowed only on a schema "
                "with `type: string`; give it that type"
            ],
            id="without a type",
        ),
        pytest.param(
            "{ type: string, enum: [a], x-extensible-enum: [a] }",
            [
                "4:34: misplaced-annotation: `x-extensible-enum` beside a closed list of "
                "values contradicts it; leave one of the two out"
            ],
            id="beside an enum",
        ),
        pytest.param(
            "{ type: object, properties: { a: { $ref: '#/components/schemas/Loan', "
            "x-extensible-enum: [a] } } }",
            [
                "4:77: misplaced-annotation: `x-extensible-enum` is allowed only on a schema "
                "with `type: string`; write it there"
            ],
            id="beside a reference",
        ),
        pytest.param(
            "{ type: string, x-extensible-enum: [a, a, '', \"b\\n\"] }",
            [
                "4:46: item-twice: 'a' is in the list already; leave one out",
                "4:49: blank-text: the value is blank; write one",
                "4:53: control-character: 'b\\n' contains a control character; leave it out",
            ],
            id="on a parameter",
        ),
        pytest.param(
            "{ type: string, x-extensible-enum: [] }",
            ["4:42: empty-list: no value is listed; list those known today"],
            id="none",
        ),
        pytest.param(
            "{ type: string, x-extensible-enum: [a, 1] }",
            ["4:46: wrong-type: the number 1 in a list of texts"],
            id="a number",
        ),
        pytest.param("{ type: [string, 'null'], x-extensible-enum: [a, b] }", [], id="or null"),
    ],
)
def test_open_ended_values_are_strings(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "components: { parameters: { A: { name: a, in: query, x-extensible-enum: [a], "
            "schema: { type: string } } } }",
            [
                "1:54: misplaced-annotation: `x-extensible-enum` is allowed only on a schema "
                "with `type: string`; write it there"
            ],
            id="on a parameter",
        )
    ],
)
def test_open_ended_values_belong_to_schemas(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
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
                "4:90: shown-as-invalid: 'opne' is not a value of the versions before next; did "
                "you mean 'open'?"
            ],
            id="not a value of it",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: held, x-added: next, "
            "x-shown-as: held }] }",
            [
                "4:90: shown-as-invalid: 'held' is not a value of the versions before next; "
                "known: open"
            ],
            id="itself",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: a, x-added: next }, { "
            "const: b, x-added: 2025-06-01, x-shown-as: a }] }",
            [
                "4:122: shown-as-invalid: 'a' is not a value of the versions before 2025-06-01; "
                "known: open"
            ],
            id="one that is not older",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: gone, x-removed: next, x-shown-as: new }, "
            "{ const: new, x-added: next, x-shown-as: gone }] }",
            [],
            id="a value in place of a removed one",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: gone, x-removed: 2025-06-01, "
            "x-shown-as: new }, { const: new, x-added: next }, { const: old, x-removed: "
            "2024-09-01, x-shown-as: gone }] }",
            [
                "4:98: shown-as-invalid: 'new' is not a value of the versions 2025-06-01; known: "
                "open"
            ],
            id="one that was not there at the removal",
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
                "4:87: shown-as-invalid: 'b' is not a value of the versions before next; known: "
                "open",
                "4:131: shown-as-invalid: 'a' is not a value of the versions before next; known: "
                "open",
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
                "4:160: shown-as-invalid: 'a' is not a value of the versions before 2025-06-01; "
                "known: open",
                "4:163: gate-without-effect: no version without the member is shown the value "
                "for next; leave it out",
            ],
            id="a value that is missing at its date, and a superfluous date",
        ),
        pytest.param(
            "{ type: string, oneOf: [{ const: open }, { const: b, x-added: next, x-shown-as: { "
            "2024-09-02: open } }] }",
            [
                "4:89: unknown-version: no version 2024-09-02 in the table; did you mean "
                "'2024-09-01'?"
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
                "4:63: misplaced-annotation: `x-shown-as` is what callers get instead, but "
                "there is no `x-added` or `x-removed`; add one"
            ],
            id="without a date",
        ),
        pytest.param(
            "{ type: string, x-added: next, x-shown-as: open }",
            [
                "4:38: misplaced-annotation: `x-shown-as` is allowed only on a value of an "
                "enumeration or a member of a union; leave it out here"
            ],
            id="not on a member",
        ),
        pytest.param(
            "{ type: object, properties: { due: { type: string, x-added: next, x-shown-as: "
            "open } } }",
            [
                "4:73: misplaced-annotation: `x-shown-as` is allowed only on a value of an "
                "enumeration or a member of a union; leave it out here"
            ],
            id="on a property",
        ),
        pytest.param(
            "{ oneOf: [{ type: string, x-added: next, x-shown-as: open }] }",
            [
                "4:48: shown-as-invalid: the union has no member before next; gate what "
                "contains it instead"
            ],
            id="nothing existed before",
        ),
    ],
)
def test_substitute_existed_before(text: str, said: list[str]) -> None:
    assert check_schema(text) == said


_PLACES_OF_SUBSTITUTES = {
    "a value of an enumeration": (
        """
components:
  schemas:
    Loan:
      oneOf:
        - { const: A }
        - { const: B }
        - { const: C, x-added: next, x-shown-as: VALUES }
""",
        ("A", "B"),
    ),
    "a member of a union": (
        """
components:
  schemas:
    Loan:
      oneOf:
        - { type: boolean }
        - { type: string, x-added: next, x-shown-as: VALUES }
""",
        ("true", "false"),
    ),
    "what extends a discriminated schema": (
        """
components:
  schemas:
    Loan:
      type: object
      required: [kind]
      properties: { kind: { type: string } }
      discriminator: { propertyName: kind }
    A: { allOf: [{ $ref: '#/components/schemas/Loan' }] }
    B: { allOf: [{ $ref: '#/components/schemas/Loan' }] }
    C: { allOf: [{ $ref: '#/components/schemas/Loan' }], x-added: next, x-shown-as: VALUES }
""",
        ("{ kind: A }", "{ kind: B }"),
    ),
}


@cases("place", _PLACES_OF_SUBSTITUTES)
@cases("numbers", [*itertools.product((0, 1), repeat=3)])
def test_equal_substitutes_by_date_have_separate_effects(
    place: str, numbers: tuple[int, ...]
) -> None:
    text, values = _PLACES_OF_SUBSTITUTES[place]
    dated = zip(("2024-09-01", "2025-06-01", "next"), numbers, strict=True)
    by_date = ", ".join(f"{date}: {values[number]}" for date, number in dated)
    assert check_fragment(text.replace("VALUES", f"{{ {by_date} }}")) == []


@cases("first", ["a", "b"])
def test_substitutes_of_a_substitute_differ_by_version(first: str) -> None:
    text = (
        "{ type: string, oneOf: [{ const: a }, { const: b, x-removed: 2025-06-01 }, "
        f"{{ const: c, x-added: next, x-shown-as: {{ 2025-06-01: {first}, next: b }} }}, "
        "{ const: d, x-added: next, x-shown-as: c }] }"
    )
    [said] = check_schema(text)
    assert "'b' is not a value of the versions before next; known: a" in said


@cases(
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
        )
    ],
)
def test_substitute_is_a_member_of_the_older_union(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said
