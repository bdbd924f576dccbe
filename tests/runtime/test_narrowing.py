"""Narrow canonical values to what callers of each version are shown."""

from __future__ import annotations

import copy
import functools
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import gated_apis
from support.narrowed import Law, drop_each_gate, find_detours, generate_law
from support.sampling import Sampler
from support.seeds import seeds
from support.sources import API, LIBRARY, VERSIONS, loaded
from support.tables import cases

from dateline.contracts import contract_data
from dateline.load import load
from dateline.model import Api
from dateline_runtime.narrowing import (
    MissingConverterError,
    Narrowing,
    UnfitError,
    identity,
    narrowings,
)

SCHEMAS = Path(__file__).parents[2] / "schemas"
SEEDS = seeds(8)
"""Of the generated APIs. What they have together is every kind of gate in every nesting."""

Json = Any


@functools.cache
def library() -> Law:
    with tempfile.TemporaryDirectory() as folder:
        return Law(loaded(Path(folder), LIBRARY))


@functools.cache
def payment() -> Law:
    return Law(load(SCHEMAS))


LOAN = {
    "id": "00000000-0000-4000-8000-00000000000a",
    "item": {"kind": "AudioBook", "title": "Emma", "minutes": 900},
    "author_name": "Austen",
    "fine_cents": 30,
    "due": "2024-05-06T07:08:09Z",
    "note": None,
    "state": "paused",
}

CONVERTERS: dict[str, Callable[[Json], Json]] = {"Loan.due": lambda due: due[:10]}


def loan_at(version: str) -> Callable[[Json], Json]:
    narrowing = narrowings(library().contracts, "production", CONVERTERS, (version,))[version]
    return narrowing.body("getLoan", 200, "application/json")


def things(
    folder: Path, schema: str, components: str = "", versions: str = VERSIONS
) -> Callable[[str], Any]:
    """Return functions that narrow a body of *schema* by version, in production."""
    text = f"""\
paths:
  /things:
    get:
      operationId: getThing
      tags: [Loans]
      responses:
        '200':
          description: a thing
          content: {{ application/json: {{ schema: {{ {schema} }} }} }}
components:
  schemas:
    Thing: {{ type: string }}
{components}"""
    found = contract_data(
        loaded(folder, {"versions.yaml": versions, "api.yaml": API, "things.yaml": text})
    ).data
    return lambda version: narrowings(found, "production", {}, (version,))[version].body(
        "getThing", 200, "application/json"
    )


# Examples


@pytest.mark.parametrize(
    ("version", "shown"),
    [
        (
            "2024-01-15",
            {
                "id": LOAN["id"],
                "item": {"kind": "Book", "title": "audio book"},
                "writer": "Austen",
                "fine_cents": 30,
                "due": "2024-05-06",
                "note": None,
                "state": "active",
            },
        ),
        (
            "2024-09-01",
            {
                "id": LOAN["id"],
                "item": LOAN["item"],
                "writer": "Austen",
                "fine_cents": 30,
                "due": LOAN["due"],
                "note": None,
                "state": "active",
            },
        ),
        (
            "2025-06-01",
            {
                "id": LOAN["id"],
                "item": LOAN["item"],
                "author_name": "Austen",
                "due": LOAN["due"],
                "note": None,
                "state": "active",
            },
        ),
        ("next", {key: value for key, value in LOAN.items() if key != "fine_cents"}),
    ],
)
def test_each_version_shows_its_own_form_of_a_loan(version: str, shown: Json) -> None:
    assert loan_at(version)(LOAN) == shown


def test_old_callers_never_see_fednow() -> None:
    rails = [{"type": "Iban", "iban": "x"}, {"type": "FedNow"}, {"type": "Swift"}]
    page = {"items": [{"id": "a", "deposit_rails": rails}, {"id": "b", "deposit_rails": []}]}
    before = copy.deepcopy(page)
    narrow = payment().down["production"]["2025-03-13"].body
    shown = narrow("listAutoramps", 200, "application/json; charset=utf-8")(page)
    assert shown == {
        "items": [{"id": "a", "deposit_rails": [rails[0], rails[2]]}, page["items"][1]]
    }
    assert page == before
    assert shown["items"][1] is page["items"][1]


def test_renamed_field_keeps_its_position() -> None:
    assert list(loan_at("2024-01-15")(LOAN)) == [
        *("id", "item", "writer", "fine_cents", "due", "note", "state")
    ]


def test_extra_field_with_an_older_name_is_dropped() -> None:
    narrow = loan_at("2024-09-01")
    loan = {key: value for key, value in LOAN.items() if key != "fine_cents"}
    assert narrow({**loan, "writer": 5})["writer"] == "Austen"
    assert loan_at("2025-06-01")({**loan, "writer": 5})["writer"] == 5


def test_gated_value_is_left_out_where_possible(tmp_path: Path) -> None:
    state = (
        "type: string, oneOf: [{ const: full }, { const: half, x-added: next, x-shown-as: full }]"
    )
    narrow = things(
        tmp_path,
        f"type: object, required: [must, some], properties: {{ must: {{ {state} }}, "
        f"may: {{ {state} }}, many: {{ type: array, items: {{ {state} }} }}, "
        f"some: {{ type: array, minItems: 1, items: {{ {state} }} }}, "
        f"by_name: {{ type: object, additionalProperties: {{ {state} }} }} }}",
    )
    value = {
        "must": "half",
        "may": "half",
        "many": ["half", "full"],
        "some": ["half", "full"],
        "by_name": {"a": "half", "b": "full"},
    }
    assert narrow("2025-06-01")(value) == {
        "must": "full",
        "many": ["full"],
        # a list with minItems can't be shortened
        "some": ["full", "full"],
        "by_name": {"b": "full"},
    }
    assert narrow("next")(value) is value


def test_removed_value_is_shown_as_another(tmp_path: Path) -> None:
    state = (
        "type: string, oneOf: [{ const: back, x-removed: next, x-shown-as: returned }, "
        "{ const: returned, x-added: next, x-shown-as: back }]"
    )
    narrow = things(
        tmp_path, f"type: object, required: [state], properties: {{ state: {{ {state} }} }}"
    )
    for value in ("back", "returned"):
        assert narrow("2025-06-01")({"state": value}) == {"state": "back"}
        assert narrow("next")({"state": value}) == {"state": "returned"}


def test_substitutes_are_chosen_by_date_and_followed(tmp_path: Path) -> None:
    listed = (
        "type: string, oneOf: [{ const: a }, { const: b, x-added: 2024-09-01, x-shown-as: a }, "
        "{ const: c, x-added: 2025-06-01, x-shown-as: b, x-was: { next: { const: see } } }, "
        "{ const: d, x-added: next, x-shown-as: c }, "
        "{ const: e, x-added: next, x-shown-as: { 2024-09-01: a, 2025-06-01: b, next: c } }]"
    )
    narrow = things(
        tmp_path, f"type: object, required: [state], properties: {{ state: {{ {listed} }} }}"
    )
    shown = {
        version: [narrow(version)({"state": value})["state"] for value in "abcde"]
        for version in ("2024-01-15", "2024-09-01", "2025-06-01", "next")
    }
    assert shown == {
        "2024-01-15": ["a", "a", "a", "a", "a"],
        "2024-09-01": ["a", "b", "b", "b", "b"],
        "2025-06-01": ["a", "b", "see", "see", "see"],
        "next": ["a", "b", "c", "d", "e"],
    }


def test_substitute_of_a_variant_may_have_a_substitute(tmp_path: Path) -> None:
    narrow = things(
        tmp_path,
        "type: object, required: [item], properties: { item: { oneOf: ["
        "{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B', x-added: "
        "2025-06-01, x-shown-as: { kind: A } }, { $ref: '#/components/schemas/C', x-added: next, "
        "x-shown-as: { 2025-06-01: { kind: A }, next: { kind: B } } }, "
        "{ $ref: '#/components/schemas/D', x-added: next, x-shown-as: { kind: B } }"
        "], discriminator: { propertyName: kind } } }",
        "".join(
            f"    {name}: {{ type: object, required: [kind], properties: {{ kind: "
            f"{{ const: {name}, type: string }} }} }}\n"
            for name in "ABCD"
        ),
    )
    shown = {
        version: "".join(
            narrow(version)({"item": {"kind": kind}})["item"]["kind"] for kind in "ABCD"
        )
        for version in ("2024-01-15", "2025-06-01", "next")
    }
    assert shown == {"2024-01-15": "AAAA", "2025-06-01": "ABBB", "next": "ABCD"}


def test_value_without_differences_is_passed_on_unchanged(tmp_path: Path) -> None:
    narrow = things(
        tmp_path,
        "type: object, properties: { new: { type: string, x-added: next }, parts: { type: array, "
        "items: { $ref: '#/components/schemas/Part' } } }",
        "    Part: { type: object, properties: { a: { type: string, x-added: 2024-09-01 } } }\n",
    )
    for parts in ("a text", ["a text"], [{"a": "x"}], None):
        assert narrow("2025-06-01")({"new": "x", "parts": parts}) == {"parts": parts}
    with pytest.raises(UnfitError):
        narrow("2024-01-15")({"parts": "a text"})


def test_list_with_too_few_items_is_left_out_with_its_parent(tmp_path: Path) -> None:
    rail = "type: string, oneOf: [{ const: old }, { const: new, x-added: next }]"
    narrow = things(
        tmp_path,
        "type: array, items: { type: object, required: [rails], properties: { rails: "
        f"{{ type: array, minItems: 1, items: {{ {rail} }} }} }} }}",
    )("2024-01-15")
    assert narrow([{"rails": ["new"]}, {"rails": ["new", "old"]}]) == [{"rails": ["old"]}]


def test_items_that_become_equal_are_shown_once_if_unique(tmp_path: Path) -> None:
    narrow = things(
        tmp_path,
        "type: array, uniqueItems: true, items: { type: object, properties: { a: { type: "
        "integer }, new: { type: integer, x-added: next } } }",
    )("2024-01-15")
    values = [{"a": 1, "new": 1}, {"a": 2}, {"a": 1, "new": 2}]
    assert narrow(values) == [{"a": 1}, {"a": 2}]


def test_substitute_is_narrowed_as_well(tmp_path: Path) -> None:
    narrow = things(
        tmp_path,
        "type: object, required: [item], properties: { item: { oneOf: ["
        "{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B', x-added: next, "
        "x-shown-as: { kind: A, title: none } }], discriminator: { propertyName: kind } } }",
        """\
    A:
      type: object
      required: [kind, title]
      properties:
        kind: { const: A, type: string }
        title: { type: string, x-was: { 2025-06-01: { name: called } } }
    B: { type: object, required: [kind], properties: { kind: { const: B, type: string } } }
""",
    )
    value = {"item": {"kind": "B"}}
    assert narrow("2024-01-15")(value) == {"item": {"kind": "A", "called": "none"}}
    assert narrow("2025-06-01")(value) == {"item": {"kind": "A", "title": "none"}}


def test_two_fields_may_swap_names(tmp_path: Path) -> None:
    narrow = things(
        tmp_path,
        "type: object, properties: { amount: { type: integer, x-was: { next: { name: value } } }, "
        "value: { type: integer, x-added: next } }",
    )("2024-01-15")
    assert narrow({"value": 1, "amount": 2}) == {"value": 2}
    assert narrow({"amount": 2, "value": 1}) == {"value": 2}


def test_null_is_not_treated_as_absent(tmp_path: Path) -> None:
    narrow = things(
        tmp_path,
        "type: object, properties: { a: { type: [string, 'null'], x-was: { next: { name: b } } }, "
        "c: { type: [string, 'null'], x-added: next } }",
    )("2024-01-15")
    assert narrow({"a": None, "c": None}) == {"b": None}


def test_headers_are_left_out_and_renamed_like_fields(tmp_path: Path) -> None:
    text = """\
paths:
  /things:
    get:
      operationId: getThing
      tags: [Loans]
      responses:
        '200':
          description: a thing
          headers:
            X-Left: { schema: { type: integer }, x-was: { 2025-06-01: { name: X-Remaining } } }
            X-New: { schema: { type: integer }, x-added: next }
"""
    files = {"versions.yaml": VERSIONS, "api.yaml": API, "things.yaml": text}
    found = narrowings(contract_data(loaded(tmp_path, files)).data, "production", {})
    headers = {"X-Left": 3, "X-New": 1, "Vary": "x"}
    shown = {version: each.headers("getThing", 200)(headers) for version, each in found.items()}
    assert shown == {
        "2024-01-15": {"X-Remaining": 3, "Vary": "x"},
        "2024-09-01": {"X-Remaining": 3, "Vary": "x"},
        "2025-06-01": {"X-Left": 3, "Vary": "x"},
        "next": headers,
    }


def test_environment_shows_its_own_fields(tmp_path: Path) -> None:
    schema = "type: object, properties: { test: { type: string, x-environments: [sandbox] } }"
    text = f"""\
paths:
  /things:
    get:
      operationId: getThing
      tags: [Loans]
      responses:
        '200':
          description: a thing
          content: {{ application/json: {{ schema: {{ {schema} }} }} }}
"""
    files = {"versions.yaml": VERSIONS, "api.yaml": API, "things.yaml": text}
    found = contract_data(loaded(tmp_path, files)).data
    shown = {
        environment: narrowings(found, environment, {}, ("next",))["next"].body(
            "getThing", 200, "application/json"
        )({"test": "x"})
        for environment in ("production", "sandbox")
    }
    assert shown == {"production": {}, "sandbox": {"test": "x"}}


# The law


@pytest.mark.parametrize("seed", seeds(4))
def test_narrowed_values_of_the_library_satisfy_its_documents(seed: int) -> None:
    assert list(library().breaches(150, seed)) == []


def test_narrowed_values_of_the_payment_api_satisfy_its_documents() -> None:
    assert list(payment().breaches(500)) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_every_gate_in_every_nesting_satisfies_the_documents(seed: int) -> None:
    assert list(generate_law(seed).breaches(100)) == []


@pytest.mark.parametrize("seed", SEEDS[::4])
def test_narrowing_by_way_of_a_newer_version_is_the_same(tmp_path: Path, seed: int) -> None:
    law = generate_law(seed, removing=False)
    assert list(find_detours(law, gated_apis.table(), tmp_path, 25)) == []


def test_narrowing_an_autoramp_by_way_of_a_newer_version_is_the_same(tmp_path: Path) -> None:
    table = (SCHEMAS / "versions.yaml").read_text("utf-8")
    assert list(find_detours(payment(), table, tmp_path, 200)) == []


def test_published_and_served_contracts_agree() -> None:
    output = SCHEMAS.parent / "generated"
    for (version, environment), shown in payment().shown.items():
        published = output / "spec" / environment / f"{version}.json"
        assert shown.document == json.loads(published.read_bytes())
    served = json.loads((output / "python/paynet/server/contracts.json").read_bytes())
    assert served == {**served, **payment().contracts}


def test_value_without_gates_is_shown_itself() -> None:
    law = payment()
    operations = {body.operation for body in law.canonical.bodies if body.status}
    shown = {version: law.unchanged(version, "sandbox") for version, _ in law.shown}
    with_rails = {name for name in operations if "utoramp" in name and "Transaction" not in name}
    assert "getAutoramp" in with_rails
    assert set(shown["2026-07-01"]) == operations
    assert operations - set(shown["2025-03-13"]) == {
        *("createAutoramp", "createAutorampQuote", "getAutoramp", "getAutorampByExternalId"),
        *("listAutoramps", "updateAutoramp"),
    }


def test_versions_with_equal_contracts_share_one_conversion() -> None:
    found = payment().down["production"]
    assert found["2026-07-01"] is found["2026-08-01"]
    assert found["2025-03-13"] is not found["2026-07-01"]


def test_shared_parts_of_versions_are_compiled_once(tmp_path: Path) -> None:
    text = """\
paths:
  /things:
    get:
      operationId: getThing
      tags: [Loans]
      responses:
        '200':
          description: a thing
          content: { application/json: { schema: { $ref: '#/components/schemas/A' } } }
        '201':
          description: a thing
          content: { application/json: { schema: { $ref: '#/components/schemas/B' } } }
components:
  schemas:
    A: { type: object, properties: { a: { type: string, x-added: next } } }
    B: { type: object, properties: { b: { type: string, x-added: 2025-06-01 } } }
"""
    files = {"versions.yaml": VERSIONS, "api.yaml": API, "things.yaml": text}
    found = narrowings(contract_data(loaded(tmp_path, files)).data, "production", {})
    older = found["2024-09-01"]
    newer = found["2025-06-01"]
    media_type = "application/json"
    assert older.body("getThing", 200, media_type) is newer.body("getThing", 200, media_type)
    assert newer.body("getThing", 201, media_type) is identity


# Negative controls


def list_unnoticed(law: Law, count: int) -> list[str]:
    """Return the gates whose removal from the data of *law* breaks nothing."""
    values = list(law.values(count, 1))
    found = [
        gate
        for gate, contracts in drop_each_gate(law.contracts, "down")
        if next(law.having(contracts).find_breaches(values), None) is None
    ]
    assert values == list(law.values(count, 1))
    return found


def test_removed_gate_is_noticed() -> None:
    # at these two versions, every item is shown unchanged
    assert list_unnoticed(library(), 300) == [
        "/Loan/1/shape/fields/item",
        "/Loan/2/shape/fields/item",
    ]
    assert list_unnoticed(payment(), 1500) == []


@pytest.mark.parametrize("seed", [3])
def test_removed_gate_that_any_value_shows_is_noticed(seed: int) -> None:
    law = generate_law(seed)
    values = list(law.values(150, 1))

    def shown(law: Law) -> list[Json]:
        return [
            _outcome(law.narrow(version, environment, body), value)
            for (version, environment), places in law.shown.items()
            for body, value in values
            if places.found(body)
        ]

    before = shown(law)
    reported = [
        (gate, next(other.find_breaches(values), None) is not None)
        for gate, other in (
            (gate, law.having(contracts))
            for gate, contracts in list(drop_each_gate(law.contracts, "down"))[:: 2 * seed]
        )
        if shown(other) != before
    ]
    assert values == list(law.values(150, 1))
    assert len(reported) > 10
    assert [gate for gate, is_noticed in reported if not is_noticed] == []


def _outcome(narrow: Callable[[Json], Json], value: Json) -> Json:
    try:
        return narrow(value)
    except UnfitError as error:
        return str(error)


# Arguments


@pytest.mark.parametrize("version", ["2024-01-15"])
def test_missing_converter_is_reported_at_start(version: str) -> None:
    with pytest.raises(MissingConverterError) as missing:
        narrowings(library().contracts, "production", {}, (version,))[version]
    assert str(missing.value) == "no converter down for Loan.due"
    assert missing.value.names == ("Loan.due",)


def test_converter_that_no_requested_version_needs_is_not_required() -> None:
    assert isinstance(
        narrowings(library().contracts, "production", {}, ("next",))["next"], Narrowing
    )
    with pytest.raises(MissingConverterError):
        narrowings(library().contracts, "production", {})


@pytest.mark.parametrize(
    ("version", "environment", "message"),
    [
        ("2024-01-16", "production", "unknown version '2024-01-16'"),
        ("2024-01-15", "staging", "unknown environment 'staging'"),
    ],
)
def test_version_and_environment_must_be_known(
    version: str, environment: str, message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        narrowings(library().contracts, environment, CONVERTERS, (version,))[version]


def test_schemas_that_distinguish_members_need_a_judge(tmp_path: Path) -> None:
    members = "{ type: object, properties: { a: {}, new: { x-added: next } } }, { type: object }"
    adopted = VERSIONS.replace("policy:", "lint: adopted\npolicy:")
    at = things(tmp_path, f"anyOf: [{members}]", versions=adopted)
    assert at("next") is identity
    with pytest.raises(ValueError, match="can't be distinguished without a judge of schemas"):
        at("2024-01-15")


def test_parameters_of_a_media_type_are_ignored() -> None:
    narrowing = payment().down["production"]["2025-03-13"]
    known = narrowing.body("getAutoramp", 200, "application/json; charset=utf-8")
    assert known is not identity
    assert narrowing.body("getAutoramp", 200, "Application/JSON") is known


@pytest.mark.parametrize(
    ("status", "media_type", "message"),
    [
        (201, "application/json", "the status 201 is not declared by getAutoramp"),
        (200, "text/plain", "the media type text/plain is not declared by the definitions"),
    ],
)
def test_undefined_response_is_never_sent(status: int, media_type: str, message: str) -> None:
    with pytest.raises(UnfitError, match=message):
        payment().down["production"]["2025-03-13"].body("getAutoramp", status, media_type)


# Invalid values


@cases(
    ("value", "message"),
    [
        (None, "the value itself: null where an object belongs"),
        ([LOAN], "the value itself: a list where an object belongs"),
        ({"item": "Emma"}, "/item: a string where an object belongs"),
        ({"item": {"kind": "Film"}}, "/item: its 'kind' names no member of the union"),
        ({"item": {"kind": ["Book"]}}, "/item: its 'kind' names no member of the union"),
        ({"item": {}}, "/item: its 'kind' names no member of the union"),
        ({"due": 3}, "/due: the converter Loan.due failed"),
        ({"item": object()}, "/item: something other than a JSON value where an object belongs"),
    ],
)
def test_invalid_value_is_refused_with_its_place(value: Json, message: str) -> None:
    with pytest.raises(UnfitError) as refused:
        loan_at("2024-01-15")(value)
    assert str(refused.value) == message


def test_place_includes_list_indices_and_difficult_names(tmp_path: Path) -> None:
    narrow = things(
        tmp_path,
        "type: object, additionalProperties: { type: array, items: { type: object, properties: "
        "{ new: { type: string, x-added: next } } } }",
    )("2024-01-15")
    with pytest.raises(UnfitError) as refused:
        narrow({"fine": [], "a/b~c": [{}, {"new": "x"}, 3]})
    assert refused.value.place == "/a~1b~0c/2"
    assert refused.value.reason == "a number where an object belongs"


def test_message_does_not_quote_the_value() -> None:
    with pytest.raises(UnfitError) as refused:
        loan_at("2024-01-15")({"item": {"kind": "secret"}, "due": "secret"})
    assert "secret" not in str(refused.value)


def test_error_of_a_converter_is_the_cause() -> None:
    with pytest.raises(UnfitError) as refused:
        loan_at("2024-01-15")({"due": None})
    assert isinstance(refused.value.__cause__, TypeError)


def test_cyclic_value_is_refused(tmp_path: Path) -> None:
    narrow = things(
        tmp_path,
        "$ref: '#/components/schemas/Node'",
        """\
    Node:
      type: object
      properties:
        new: { type: string, x-added: next }
        below: { type: array, items: { $ref: '#/components/schemas/Node' } }
""",
    )("2024-01-15")
    assert narrow({"new": "x", "below": [{"new": "y"}]}) == {"below": [{}]}
    circle: dict[str, Json] = {"new": "x"}
    circle["below"] = [circle]
    with pytest.raises(UnfitError, match="nested too deeply"):
        narrow(circle)


@pytest.mark.parametrize("seed", SEEDS[::3])
def test_damaged_value_is_narrowed_or_refused(seed: int) -> None:
    law = generate_law(seed)
    sampler = Sampler(law.canonical.document, seed)
    for body, value in law.values(60, seed):
        damaged = sampler.damaged(sampler.damaged(value))
        before = copy.deepcopy(damaged)
        for (version, environment), shown in law.shown.items():
            if shown.found(body):
                _outcome(law.narrow(version, environment, body), damaged)
        assert damaged == before


@cases("odd", [float("nan"), float("inf"), 10**400, b"x", {1: 2}, (1,), {1}, "\ud800", ..., Api])
def test_any_json_value_is_narrowed_or_refused(odd: Any) -> None:
    law = generate_law(1)
    for body, value in law.values(10, 1):
        for place in (odd, [odd], {"kind": odd}, dict.fromkeys(value or {}, odd)):
            for (version, environment), shown in law.shown.items():
                if shown.found(body):
                    _outcome(law.narrow(version, environment, body), place)
