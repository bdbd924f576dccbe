"""Contract data describe the differences between versions, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from support.sources import API, LIBRARY, loaded
from support.tables import cases
from support.thing_sources import ADOPTED, GATED, SCHEMAS, api, down, taking, things, up

from dateline.canonical import canonical_document
from dateline.contracts import contract_data
from dateline.load import load
from dateline.model import SourceError

# Validators in Rust accept other digit characters (RFC 3339, section 5.6).
DATE: Final = {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
DATE_TIME: Final = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})$",
}


def test_contract_data_of_the_library_contain_only_differences(tmp_path: Path) -> None:
    loan = {"left_out": ["writer"], "names": {"author_name": "writer"}}
    fields = {"item": "Item", "state": "LoanState"}
    staying = {"required": ["item", "state"]}
    audio_book = {"absent": True, "shown_as": {"kind": "Book", "title": "audio book"}}
    paused = {"value": "paused", "shown_as": "active"}
    due = {"convert": ["Loan.due"], "fits": DATE}
    assert contract_data(loaded(tmp_path, LIBRARY)).data == {
        "versions": ["2024-01-15", "2024-09-01", "2025-06-01", "next"],
        "environments": ["production", "sandbox"],
        "converters": {
            "Loan.due": {
                "place": "Loan.due",
                "before": "2024-09-01",
                "kind": "schema",
                "passes_null": False,
                "newer": {"type": "string", "format": "date-time"},
                "older": {"type": "string", "format": "date"},
                "down": True,
                "up": False,
            }
        },
        "down": {
            "operations": {"getLoan": {"200": {"content": {"application/json": "Loan"}}}},
            "shapes": {
                "Item": [
                    {
                        "since": "2024-01-15",
                        "shape": {
                            "tag": "kind",
                            "members": {"AudioBook": audio_book, "Book": None},
                        },
                    },
                    {"since": "2024-09-01", "shape": None},
                ],
                "Loan": [
                    {
                        "since": "2024-01-15",
                        "shape": {**loan, "fields": {"due": due, **fields}, **staying},
                    },
                    {"since": "2024-09-01", "shape": {**loan, "fields": fields, **staying}},
                    {
                        "since": "2025-06-01",
                        "shape": {"left_out": ["fine_cents"], "fields": fields, **staying},
                    },
                ],
                "LoanState": [
                    {"since": "2024-01-15", "shape": {"values": [paused]}},
                    {"since": "next", "shape": None},
                ],
            },
        },
        "up": {"operations": {}, "shapes": {}},
    }


def test_exactly_the_responses_with_an_autoramp_are_listed() -> None:
    found = contract_data(load(SCHEMAS)).data
    media_type = "application/json; charset=utf-8"
    operations = found["down"]["operations"]
    assert {
        name: answers["200"]["content"][media_type] for name, answers in operations.items()
    } == {
        "createAutoramp": "Autoramp",
        "createAutorampQuote": "Autoramp",
        "getAutoramp": "Autoramp",
        "getAutorampByExternalId": "Autoramp",
        "listAutoramps": "AutorampList",
        "updateAutoramp": "Autoramp",
    }
    assert found["up"] == {"operations": {}, "shapes": {}}
    assert found["converters"] == {}


def test_response_without_differences_is_listed_beside_one_with_some() -> None:
    answers = contract_data(load(SCHEMAS)).data["down"]["operations"]["getAutoramp"]
    media_type = "application/json; charset=utf-8"
    assert {status: each["content"] for status, each in answers.items()} == {
        "200": {media_type: "Autoramp"},
        "400": {media_type: None},
        "401": {media_type: None},
        "413": {media_type: None},
        "500": {media_type: None},
    }


def test_api_without_gates_has_no_shapes(tmp_path: Path) -> None:
    found = contract_data(
        api(tmp_path, things("    Thing: { type: object, properties: { a: {} } }"))
    ).data
    nothing: dict[str, Any] = {"operations": {}, "shapes": {}}
    assert (found["down"], found["up"], found["converters"]) == (nothing, nothing, {})


def test_contract_data_are_sorted_and_deterministic(tmp_path: Path) -> None:
    one = contract_data(loaded(tmp_path / "one", LIBRARY)).data
    other = contract_data(loaded(tmp_path / "other", dict(reversed(LIBRARY.items())))).data
    assert json.dumps(one) == json.dumps(other)
    assert list(one["down"]["shapes"]) == sorted(one["down"]["shapes"])


def test_environments_are_separate_if_they_differ(tmp_path: Path) -> None:
    found = api(
        tmp_path,
        things(
            """\
    Thing:
      type: object
      properties:
        test_only: { type: string, x-environments: [sandbox] }
        since: { type: string, x-added: 2024-09-01 }"""
        ),
    )
    assert contract_data(found).data["down"]["shapes"]["Thing"] == [
        {
            "since": "2024-01-15",
            "environments": ["production"],
            "shape": {"left_out": ["since", "test_only"]},
        },
        {"since": "2024-01-15", "environments": ["sandbox"], "shape": {"left_out": ["since"]}},
        {
            "since": "2024-09-01",
            "environments": ["production"],
            "shape": {"left_out": ["test_only"]},
        },
        {"since": "2024-09-01", "environments": ["sandbox"], "shape": None},
    ]


@cases(
    ("around", "shape"),
    [
        ("type: array, items: { $ref: '#/components/schemas/Thing' }", {"items": "Thing"}),
        (
            "type: object, additionalProperties: { $ref: '#/components/schemas/Thing' }",
            {"extras": "Thing", "declared": []},
        ),
        (
            "type: object, properties: { thing: { $ref: '#/components/schemas/Thing' } }",
            {"fields": {"thing": "Thing"}},
        ),
        (
            "type: object, required: [thing], "
            "properties: { thing: { $ref: '#/components/schemas/Thing' } }",
            {"fields": {"thing": "Thing"}, "required": ["thing"]},
        ),
        (
            "oneOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }]",
            {"types": {"object": "Thing", "null": None}},
        ),
        (
            "oneOf: [{ type: string }, { type: array, items: "
            "{ $ref: '#/components/schemas/Thing' } }]",
            {"types": {"string": None, "array": {"items": "Thing"}}},
        ),
        (
            "type: array, minItems: 2, uniqueItems: true, "
            "items: { $ref: '#/components/schemas/Thing' }",
            {"items": "Thing", "least": 2, "unique": True},
        ),
        (
            "allOf: [{ $ref: '#/components/schemas/Thing' }, "
            "{ type: object, properties: { more: { type: string } } }]",
            {"left_out": ["new"]},
        ),
    ],
)
def test_gated_node_is_reached_wherever_it_occurs(
    tmp_path: Path, around: str, shape: dict[str, Any]
) -> None:
    found = down(api(tmp_path, things(f"    Thing: {{ {GATED} }}", around)))
    assert found["getThing/200/application/json"] == {
        "2024-01-15": shape,
        **({"next": None} if "left_out" in shape else {}),
    }


def test_all_of_with_one_base_is_the_base(tmp_path: Path) -> None:
    around = "allOf: [{ $ref: '#/components/schemas/Thing' }], description: A thing."
    found = contract_data(api(tmp_path, things(f"    Thing: {{ {GATED} }}", around))).data["down"]
    assert found["operations"]["getThing"]["200"]["content"] == {"application/json": "Thing"}


def test_recursive_schema_is_referred_to(tmp_path: Path) -> None:
    text = """\
    Thing:
      type: object
      properties:
        new: { type: string, x-added: next }
        parts: { type: array, items: { $ref: '#/components/schemas/Thing' } }"""
    assert down(api(tmp_path, things(text)))["Thing"] == {
        "2024-01-15": {"left_out": ["new"], "fields": {"parts": {"items": "Thing"}}},
        "next": {"fields": {"parts": {"items": "Thing"}}},
    }


def test_fields_of_a_gated_all_of_member_are_left_out_before(tmp_path: Path) -> None:
    text = """\
    Thing:
      allOf:
        - { type: object, properties: { both: { type: string } } }
        - type: object
          properties: { both: { maxLength: 9 }, more: { type: string } }
          x-added: 2025-06-01"""
    assert down(api(tmp_path, things(text)))["Thing"] == {
        "2024-01-15": {"left_out": ["more"]},
        "2025-06-01": None,
    }


def test_name_of_a_field_at_another_version_is_left_out(tmp_path: Path) -> None:
    text = """\
    Thing:
      type: object
      properties:
        total: { type: integer, x-was: { 2025-06-01: { name: sum }, 2024-09-01: { name: amount } } }
        sum: { type: string, x-added: next }"""
    assert down(api(tmp_path, things(text)))["Thing"] == {
        "2024-01-15": {"left_out": ["amount", "sum"], "names": {"total": "amount"}},
        "2024-09-01": {"left_out": ["sum"], "names": {"total": "sum"}},
        "2025-06-01": {"left_out": ["sum"]},
        "next": None,
    }


def test_requests_use_the_names_of_the_callers_version(tmp_path: Path) -> None:
    text = """\
    Thing:
      type: object
      properties:
        total: { type: integer, x-was: { 2025-06-01: { name: sum } } }
        old: { type: string, x-removed: next }
        due: { type: string, format: date-time, x-was: { 2024-09-01: { format: date } } }"""
    found = api(tmp_path, taking(text))
    assert up(found)["Thing"] == {
        "2024-01-15": {
            "left_out": ["total"],
            "names": {"sum": "total"},
            "fields": {"due": {"convert": ["Thing.due"]}},
        },
        "2024-09-01": {"left_out": ["total"], "names": {"sum": "total"}},
        "2025-06-01": None,
        "next": {"left_out": ["old"]},
    }
    converters = contract_data(found).data["converters"]
    assert {name: (each["down"], each["up"]) for name, each in converters.items()} == {
        "Thing.due": (False, True)
    }


def test_parameters_and_headers_are_converted_like_fields(tmp_path: Path) -> None:
    text = """\
paths:
  /things:
    get:
      operationId: listThings
      tags: [Loans]
      parameters:
        - { name: sort, in: query, schema: { type: string }, x-added: next }
        - name: page_size
          in: query
          schema: { type: integer }
          x-was: { 2024-09-01: { name: size } }
      responses:
        '200':
          description: things
          headers:
            X-Left: { schema: { type: integer }, x-was: { 2025-06-01: { name: X-Remaining } } }
            X-New: { schema: { type: integer }, x-added: next }
"""
    found = contract_data(api(tmp_path, text)).data
    assert found["down"]["operations"] == {
        "listThings": {"200": {"content": {}, "headers": "listThings/200/headers"}}
    }
    assert found["up"]["operations"] == {
        "listThings": {"content": {}, "parameters": {"query": "listThings/query"}}
    }
    assert down(api(tmp_path / "again", text))["listThings/200/headers"] == {
        "2024-01-15": {"left_out": ["X-New", "X-Remaining"], "names": {"X-Left": "X-Remaining"}},
        "2025-06-01": {"left_out": ["X-New"]},
        "next": None,
    }
    assert up(api(tmp_path / "too", text))["listThings/query"] == {
        "2024-01-15": {"left_out": ["page_size", "sort"], "names": {"size": "page_size"}},
        "2024-09-01": {"left_out": ["sort"]},
        "next": None,
    }


# Converters


@cases(
    ("now", "was", "ways"),
    [
        ("type: string, format: date-time", "format: date", (True, True)),
        ("type: string, format: uuid", "format: null", (False, True)),
        ("type: string", "format: date", (True, False)),
        ("type: integer", "type: string", (True, True)),
        ("type: integer", "type: number", (False, True)),
        ("type: [string, 'null']", "type: string", (True, False)),
        ("type: string, maxLength: 9", "maxLength: 4", (True, False)),
        ("type: string, maxLength: 4", "maxLength: 9", (False, True)),
        ("type: integer, minimum: 1", "minimum: 0", (False, True)),
        ("type: string, pattern: '^[a-z]+$'", "pattern: '^[0-9]+$'", (True, True)),
        ("type: string, enum: [a, b]", "enum: [a, b, c]", (False, True)),
        ("type: string, enum: [a, b, c]", "enum: [a, b]", (True, False)),
        ("type: string, enum: [a, bc]", "enum: null, maxLength: 2", (False, True)),
        ("type: string, enum: [a, bc]", "enum: null, maxLength: 1", (True, True)),
        ("type: string, enum: [a, bc]", "enum: null, minLength: 1", (False, True)),
        *(
            (f"anyOf: [{member}, {{ enum: [''] }}]", f"anyOf: null, {was}", ways)
            for member, was, ways in (
                ("{ type: object }", "type: object", (True, False)),
                ("{ type: object }", "type: object, maxProperties: 2", (True, False)),
                ("{ type: object, maxProperties: 2 }", "type: object", (True, True)),
                # the member doesn't exist yet
                ("{ type: object, x-added: next }", "type: object", (True, True)),
            )
        ),
        *(
            (f"type: object, additionalProperties: {now}, properties: {fields}", was, ways)
            for now, fields, was, ways in (
                ("false", "{ a: { type: string } }", "properties: {}", (True, False)),
                ("true", "{ a: { type: string } }", "properties: {}", (True, True)),
                ("false", "{ a: {} }", "properties: { b: {} }", (True, True)),
            )
        ),
        ("type: array, items: { type: string }", "items: { type: integer }", (True, True)),
        ("$ref: '#/components/schemas/One'", "$ref: '#/components/schemas/Other'", (True, True)),
        ("type: string, description: new", "description: old", None),
        ("type: string, x-extensible-enum: [a, b]", "x-extensible-enum: [a]", None),
        ("type: string, default: a", "default: b", None),
    ],
)
def test_converter_is_needed_if_a_value_may_not_fit_the_older_schema(
    tmp_path: Path, now: str, was: str, ways: tuple[bool, bool] | None
) -> None:
    text = f"""\
    Thing:
      type: object
      properties:
        due: {{ {now}, x-was: {{ 2025-06-01: {{ {was} }} }} }}
    One: {{ type: string }}
    Other: {{ type: integer }}"""
    given = contract_data(api(tmp_path / "given", things(text))).data["converters"]
    taken = contract_data(api(tmp_path / "taken", taking(text))).data["converters"]
    found = (
        any(each["down"] for each in given.values()),
        any(each["up"] for each in taken.values()),
    )
    assert found == (ways or (False, False))
    assert {*given, *taken} == ({"Thing.due"} if ways else set())


def test_oldest_converter_of_a_place_keeps_its_name(tmp_path: Path) -> None:
    text = """\
    Thing:
      type: object
      properties:
        due:
          type: integer
          x-was:
            2025-06-01: { type: string, format: date-time }
            2024-09-01: { format: date }"""
    found = api(tmp_path, things(text))
    both, newer = ["Thing.due@2025-06-01", "Thing.due"], ["Thing.due@2025-06-01"]
    assert down(found)["Thing"] == {
        "2024-01-15": {"fields": {"due": {"convert": both, "fits": DATE}}},
        "2024-09-01": {"fields": {"due": {"convert": newer, "fits": DATE_TIME}}},
        "2025-06-01": None,
    }
    assert {
        name: each["before"] for name, each in contract_data(found).data["converters"].items()
    } == {
        "Thing.due": "2024-09-01",
        "Thing.due@2025-06-01": "2025-06-01",
    }


@pytest.mark.parametrize(
    ("schemas", "thing", "name"),
    [
        ("    Thing: { DUE }", "$ref: '#/components/schemas/Thing'", "Thing"),
        (
            "    Thing: { type: object, properties: { lines: { type: array, items: "
            "{ type: object, properties: { due: { DUE } } } } } }",
            "$ref: '#/components/schemas/Thing'",
            "Thing.lines[].due",
        ),
        (
            "    Thing: { type: object, additionalProperties: { DUE } }",
            "$ref: '#/components/schemas/Thing'",
            "Thing{}",
        ),
        ("    Thing: { type: string }", "DUE", "getThing.200"),
        (
            "    Thing: { type: string }",
            "type: object, properties: { due: { DUE } }",
            "getThing.200.due",
        ),
    ],
)
def test_converter_is_named_by_component_and_field(
    tmp_path: Path, schemas: str, thing: str, name: str
) -> None:
    due = "type: string, format: date-time, x-was: { 2025-06-01: { format: date } }"
    text = things(schemas.replace("DUE", due), thing.replace("DUE", due))
    assert list(contract_data(api(tmp_path, text)).data["converters"]) == [name]


def test_null_allowed_on_both_sides_needs_no_converter(tmp_path: Path) -> None:
    text = """\
    Thing:
      type: object
      properties:
        a: { type: [integer, 'null'], x-was: { 2025-06-01: { type: [string, 'null'] } } }
        b: { type: integer, x-was: { 2025-06-01: { type: [string, 'null'] } } }"""
    found = contract_data(api(tmp_path, things(text))).data["converters"]
    assert {name: each["passes_null"] for name, each in found.items()} == {
        "Thing.a": True,
        "Thing.b": False,
    }


def test_body_may_have_had_an_unrelated_schema(tmp_path: Path) -> None:
    text = things("    Thing: { type: string }\n    Older: { type: integer }").replace(
        "{ schema: {", "{ x-was: { 2025-06-01: { schema: { type: integer } } }, schema: {"
    )
    found = api(tmp_path, text)
    assert down(found) == {
        "getThing/200/application/json": {
            "2024-01-15": {"convert": ["getThing.200"], "fits": {"type": "integer"}},
            "2025-06-01": None,
        }
    }


def test_parameter_that_moved_to_another_place_is_refused(tmp_path: Path) -> None:
    text = """\
paths:
  /things:
    get:
      operationId: listThings
      tags: [Loans]
      parameters:
        - { name: size, in: query, schema: { type: integer }, x-was: { next: { in: header } } }
      responses: { '204': { description: none } }
"""
    [(name, unserved)] = contract_data(api(tmp_path, text, ADOPTED)).unserved.items()
    assert (name, unserved.reason, {each.version for each in unserved.where}) == (
        "listThings",
        "its history moves a parameter from one part of the request to another, so no request of "
        "an older version could be read",
        {"2024-01-15", "2024-09-01", "2025-06-01"},
    )
    with pytest.raises(SourceError) as refused:
        contract_data(api(tmp_path, text))
    assert str(refused.value) == (
        "schemas/things.yaml:7:11: gate-out-of-reach: `x-was` moves a parameter from one part of "
        "the request to another, so no request of an older version could be read; write two, "
        "one with `x-removed` and one with `x-added`"
    )


def test_null_of_openapi_3_0_is_accepted(tmp_path: Path) -> None:
    text = things(
        f"    Thing: {{ {GATED} }}",
        "type: object, properties: { thing: { nullable: true, "
        "allOf: [{ $ref: '#/components/schemas/Thing' }] } }",
    )
    files = {
        "versions.yaml": ADOPTED,
        "api.yaml": API.replace("3.1.0", "3.0.3"),
        "things.yaml": text,
    }
    found = down(loaded(tmp_path, files))
    assert found["getThing/200/application/json"]["2024-01-15"] == {
        "fields": {"thing": {"types": {"object": "Thing", "null": None}}}
    }


# The canonical document


def test_canonical_document_contains_everything_that_any_version_shows(tmp_path: Path) -> None:
    schemas = canonical_document(loaded(tmp_path, LIBRARY))["components"]["schemas"]
    assert schemas["LoanState"] == {"type": "string", "enum": ["active", "paused", "returned"]}
    assert schemas["Loan"]["required"] == ["id", "item", "author_name", "state"]
    assert list(schemas["Loan"]["properties"]) == [
        *("id", "item", "author_name", "fine_cents", "due", "note", "channel", "state")
    ]
    assert schemas["Loan"]["properties"]["due"] == {"type": "string", "format": "date-time"}


def test_canonical_requests_require_nothing_that_some_callers_can_not_send(tmp_path: Path) -> None:
    text = """\
    Thing:
      type: object
      required: [a, b, c]
      properties:
        a: { type: string, x-was: { 2025-06-01: { name: z } } }
        b: { type: string, x-removed: next }
        c: { type: string, default: x, x-added: next }"""
    found = api(tmp_path, taking(text))
    assert canonical_document(found, sent=True)["components"]["schemas"]["Thing"]["required"] == [
        "a"
    ]
    assert canonical_document(found)["components"]["schemas"]["Thing"]["required"] == [
        "a",
        "b",
        "c",
    ]
