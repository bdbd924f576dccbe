"""Checks of adopted documents ignore style but not safety, and never crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checked import TABLE, check_document, check_fragment
from support.defects import CLEAN, DEFECTS, Defect
from support.tables import cases

from dateline.load.checks import ADOPTABLE, find_problems
from dateline.load.checks.scope import CHECKS
from dateline.load.checks.structure import FINDS
from dateline.model import KEYS, Place, Problem
from dateline.openapi import OBJECTS
from dateline.source.reader import Locator, read

ADOPTED = """
openapi: 3.0.3
tags: [{ name: A }, { name: A }]
paths:
  /loans:
    get:
      operationId: loans/list
      tags: [Undeclared]
      parameters: [{ name: $top, in: query, schema: { type: integer, default: few } }]
      responses: { '200': { description: ok, content: { application/json;simple: {} } } }
    post: { operationId: loans/list, responses: { '200': { description: ok } } }
  /loans/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { responses: { '200': { $ref: '#/components/responses/Ok', description: b } } }
  /loans/{loan}:
    parameters: [{ name: loan, in: path, required: true, schema: { type: string } }]
components:
  responses: { Ok: { description: ok } }
  schemas:
    loan_item.v1:
      type: object
      colour: red
      x-enum-varnames: [A]
      x-removedIn: '7'
      x-env-name: test
      required: [gone]
      properties: { _links: {}, fooBar: {}, foo_bar: {}, +1: {}, '@id': {}, a b: {} }
      example: 7
    BaseModel: { anyOf: [{ type: object }, { type: object }], not: { type: string } }
    Nullable: { $ref: '#/components/schemas/BaseModel', nullable: true, default: 1 }
    Gone: { $ref: '#/components/schemas/Nowhere' }
    Odd: { type: array, minItems: 2, maxItems: 1, format: x-odd }
    Mixed: { type: [string, 'null'], enum: [a, a, 1, true], pattern: '^(a+)+\\-$' }
    Ahead: { type: string, pattern: '^(?=a)' }
    Both: { allOf: [{ type: string }, { type: integer }], readOnly: true, writeOnly: true }
"""

UNSAFE = """
info: { title: "a\\nb", version: '1', termsOfService: 'javascript:alert(1)' }
servers: [{ url: 'javascript:alert(1)' }]
paths:
  /a'b: {}
  /c/../d: {}
components:
  parameters:
    A: { name: 'X A', in: header, schema: {} }
    B: { name: 'a"', in: query, schema: {} }
  schemas:
    ../evil: {}
    A: { type: strnig, maxLength: -1, $id: 'https://x.example' }
    B: { $ref: 'file:///etc/passwd' }
    C: { $ref: '#/components/schemas/C' }
    D: { type: string, pattern: '[a', format: "a\\nb", enum: ["a\\nb"] }
    E: { type: object, properties: { "a'": {} }, maxLenght: 3, x-aded: next }
"""


LACKING = {
    "no version of the API",
    "response without description",
    "parameter without a schema",
    "security scheme without its header",
}
"""Defects in which a key is missing whose absence has one meaning."""


MEANT: Final = {
    "enum of another type": [
        "53:47: enum-misread: the number 7 beside the type 'string' means '7'; write that"
    ]
}
"""What is said of adopted definitions only: `adopt` writes what a value means, not the value."""


def test_style_is_ignored_in_adopted_documents() -> None:
    assert check_fragment(ADOPTED, adopted=True) == []


def test_meaningless_parts_are_refused_in_adopted_documents() -> None:
    assert [line.split(" ")[1] for line in check_fragment(UNSAFE, adopted=True)] == [
        "wrong-type:",
        "forbidden-keyword:",
        "reference-outside:",
        "reference-cycle:",
        "unknown-annotation:",
    ]


def test_oddities_of_adopted_documents_are_refused_in_authored_ones() -> None:
    assert {line.split(" ")[1] for line in check_fragment(UNSAFE)} >= {
        "several-lines:",
        "address:",
        "server-url:",
        "path-grammar:",
        "header-name:",
        "unsafe-name:",
        "component-name:",
        "unknown-type:",
        "pattern-invalid:",
        "format-name:",
        "control-character:",
        "misspelt-key:",
    }


def test_adopted_document_serves_an_operation() -> None:
    info = "openapi: 3.1.0\ninfo: { title: Library, version: '1' }\n"
    assert check_document(info, adopted=True) == [
        "1:1: missing-key: the document needs `paths`, `components` or `webhooks`; "
        "write one of them"
    ]
    assert check_document(info + "webhooks: {}\n", adopted=True) == []


@cases("defect", DEFECTS, ids=lambda defect: defect.name)
def test_adopted_document_has_the_same_problems_except_style(defect: Defect) -> None:
    said = [line for line in defect.said if line.split(" ")[1].rstrip(":") not in ADOPTABLE]
    said = MEANT.get(defect.name, [] if defect.name in LACKING else said)
    assert check_document(defect.text, adopted=True) == said


@cases(
    ("schema", "at", "meant"),
    [
        ("{ type: string, enum: [a, true] }", 34, "true beside the type 'string' means 'true'"),
        ("{ type: string, const: 1 }", 31, "the number 1 beside the type 'string' means '1'"),
        ("{ type: integer, enum: ['1'] }", 32, "'1' beside the type 'integer' means the number 1"),
        ("{ type: boolean, const: 'true' }", 32, "'true' beside the type 'boolean' means true"),
        (
            "{ type: string, oneOf: [{ const: a }, { const: 2, x-added: 2025-06-01 }] }",
            46,
            "the number 2 beside the type 'string' means '2'",
        ),
    ],
)
def test_adopted_definitions_have_the_values_that_enums_mean(
    schema: str, at: int, meant: str
) -> None:
    found = check_fragment(f"components:\n  schemas:\n    A: {schema}\n", adopted=True)
    assert found == [f"3:{at}: enum-misread: {meant}; write that"]


def test_ids_of_style_are_ids_of_checks() -> None:
    known = FINDS.union(*(check.ids for checks in CHECKS.values() for check in checks))
    assert known >= ADOPTABLE


def test_document_in_json_has_places_too(tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    path.write_text(
        '{\n  "openapi": "3.1.0",\n  "info": {"title": "a", "version": 1},\n  "paths": {}\n}\n'
    )
    problems: list[Problem] = []
    document = read(path, "api.json", adopted=False, problems=problems)
    assert document is not None
    assert [*problems, *find_problems(dict(document), TABLE, Locator([document]).locate)] == [
        Problem(
            place=Place("api.json", 3, 37),
            id="wrong-type",
            message="the number 1 where text belongs",
        )
    ]


# Arbitrary documents


def _trails(node: Any, trail: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield trail
    pairs = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, below in pairs:
        yield from _trails(below, (*trail, key))


def _clean(tmp: Path) -> dict[str, Any]:
    (tmp / "clean.yaml").write_text(CLEAN)
    document = read(tmp / "clean.yaml", "clean.yaml", adopted=False, problems=[])
    loaded: dict[str, Any] = json.loads(json.dumps(document))
    return loaded


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return _clean(tmp_path_factory.mktemp("clean"))


_KEYS = sorted({key for keys in OBJECTS.values() for key in keys} | KEYS | {"name", "set", "unset"})
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from(["", "string", "next", "2024-09-01", "#/components/schemas/Loan", "a\nb"]),
    lambda below: (
        st.lists(below, max_size=2)
        | st.dictionaries(st.sampled_from([*_KEYS, "next", "2024-09-01", "a"]), below, max_size=3)
    ),
    max_leaves=6,
)


@given(st.integers(min_value=0), st.sampled_from(_KEYS), _VALUES, st.booleans(), st.booleans())
def test_every_problem_of_an_arbitrary_document_is_one_line(
    clean: dict[str, Any], at: int, key: str, value: Any, replacing: bool, adopted: bool
) -> None:
    document = deepcopy(clean)
    trails = list(_trails(document))
    *around, last = trails[1 + at % (len(trails) - 1)]
    node: Any = document
    for step in around:
        node = node[step]
    if replacing:
        node[last] = value
    elif isinstance(node[last], dict):
        node[last][key] = value
    table = replace(TABLE, adopted=adopted)
    said = list(
        find_problems(document, table, lambda _, value=False: Place("api.yaml", 1, 1 + value))
    )
    assert said == sorted(set(said))
    assert [line for line in map(str, said) if "\n" in line or len(line) > 400] == []
