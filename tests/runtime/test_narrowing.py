"""What callers of each version are shown of canonical values."""

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
SEEDS = range(24)
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
    """Return what gives the way down of a body of *schema*, by version, in production."""
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


# By example


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
def test_each_version_shows_its_own_shape_of_a_loan(version: str, shown: Json) -> None:
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


def test_a_field_keeps_its_place_when_it_is_renamed() -> None:
    assert list(loan_at("2024-01-15")(LOAN)) == [
        *("id", "item", "writer", "fine_cents", "due", "note", "state")
    ]


def test_what_is_called_like_an_older_field_does_not_pass_for_it() -> None:
    narrow = loan_at("2024-09-01")
    loan = {key: value for key, value in LOAN.items() if key != "fine_cents"}
    assert narrow({**loan, "writer": 5})["writer"] == "Austen"
    assert loan_at("2025-06-01")({**loan, "writer": 5})["writer"] == 5


def test_a_gated_value_is_left_out_where_it_can_be(tmp_path: Path) -> None:
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
        # a list that may not be empty is not made shorter
        "some": ["full", "full"],
        "by_name": {"b": "full"},
    }
    assert narrow("next")(value) is value


def test_a_value_that_went_is_shown_as_another(tmp_path: Path) -> None:
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


def test_a_substitute_is_told_by_date_and_followed(tmp_path: Path) -> None:
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


def test_a_variant_is_shown_as_one_that_is_itself_shown_as_another(tmp_path: Path) -> None:
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


def test_what_does_not_differ_at_a_version_is_passed_on_as_it_is(tmp_path: Path) -> None:
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


def test_a_list_without_enough_items_goes_with_what_requires_it(tmp_path: Path) -> None:
    rail = "type: string, oneOf: [{ const: old }, { const: new, x-added: next }]"
    narrow = things(
        tmp_path,
        "type: array, items: { type: object, required: [rails], properties: { rails: "
        f"{{ type: array, minItems: 1, items: {{ {rail} }} }} }} }}",
    )("2024-01-15")
    assert narrow([{"rails": ["new"]}, {"rails": ["new", "old"]}]) == [{"rails": ["old"]}]


def test_items_that_become_equal_are_shown_once_where_they_have_to_differ(tmp_path: Path) -> None:
    narrow = things(
        tmp_path,
        "type: array, uniqueItems: true, items: { type: object, properties: { a: { type: "
        "integer }, new: { type: integer, x-added: next } } }",
    )("2024-01-15")
    values = [{"a": 1, "new": 1}, {"a": 2}, {"a": 1, "new": 2}]
    assert narrow(values) == [{"a": 1}, {"a": 2}]


def test_a_substitute_is_shown_as_the_version_shows_it(tmp_path: Path) -> None:
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


def test_two_fields_may_have_swapped_names(tmp_path: Path) -> None:
    narrow = things(
        tmp_path,
        "type: object, properties: { amount: { type: integer, x-was: { next: { name: value } } }, "
        "value: { type: integer, x-added: next } }",
    )("2024-01-15")
    assert narrow({"value": 1, "amount": 2}) == {"value": 2}
    assert narrow({"amount": 2, "value": 1}) == {"value": 2}


def test_null_is_a_value_and_not_an_absence(tmp_path: Path) -> None:
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


def test_an_environment_shows_what_is_its_own(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("seed", range(4))
def test_what_the_library_shows_is_what_its_documents_promise(seed: int) -> None:
    assert list(library().breaches(150, seed)) == []


def test_what_the_payment_api_shows_is_what_its_documents_promise() -> None:
    assert list(payment().breaches(500)) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_every_gate_in_every_nesting_shows_what_the_documents_promise(seed: int) -> None:
    assert list(generate_law(seed).breaches(100)) == []


@pytest.mark.parametrize("seed", SEEDS[::2])
def test_a_version_is_shown_the_same_by_way_of_a_newer_one(tmp_path: Path, seed: int) -> None:
    law = generate_law(seed, removing=False)
    assert list(find_detours(law, gated_apis.table(), tmp_path, 25)) == []


def test_an_autoramp_is_shown_the_same_by_way_of_a_newer_version(tmp_path: Path) -> None:
    table = (SCHEMAS / "versions.yaml").read_text("utf-8")
    assert list(find_detours(payment(), table, tmp_path, 200)) == []


def test_values_are_held_to_what_is_published_and_served() -> None:
    output = SCHEMAS.parent / "generated"
    for (version, environment), shown in payment().shown.items():
        published = output / "spec" / environment / f"{version}.json"
        assert shown.document == json.loads(published.read_bytes())
    served = json.loads((output / "python/paynet/server/contracts.json").read_bytes())
    assert served == {**served, **payment().contracts}


def test_where_nothing_is_gated_the_value_itself_is_shown() -> None:
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


def test_versions_that_show_the_same_share_one_way_down() -> None:
    found = payment().down["production"]
    assert found["2026-07-01"] is found["2026-08-01"]
    assert found["2025-03-13"] is not found["2026-07-01"]


def test_what_versions_have_in_common_is_made_once(tmp_path: Path) -> None:
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


def unnoticed(law: Law, count: int) -> list[str]:
    """Return which gates can be taken out of the data of *law* without a breach of it."""
    values = list(law.values(count, 1))
    found = [
        gate
        for gate, contracts in drop_each_gate(law.contracts, "down")
        if next(law.having(contracts).find_breaches(values), None) is None
    ]
    assert values == list(law.values(count, 1))
    return found


def test_a_gate_that_is_taken_out_of_the_data_is_noticed() -> None:
    # at these two versions every item is shown as it is
    assert unnoticed(library(), 300) == ["/Loan/1/shape/fields/item", "/Loan/2/shape/fields/item"]
    assert unnoticed(payment(), 1500) == []


@pytest.mark.parametrize("seed", [3, 4])
def test_a_gate_whose_loss_shows_in_any_value_is_noticed(seed: int) -> None:
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


# What is asked for


@pytest.mark.parametrize("version", ["2024-01-15"])
def test_a_missing_converter_is_named_at_the_start(version: str) -> None:
    with pytest.raises(MissingConverterError) as missing:
        narrowings(library().contracts, "production", {}, (version,))[version]
    assert str(missing.value) == "no converter down for Loan.due"
    assert missing.value.names == ("Loan.due",)


def test_a_converter_that_no_version_asked_for_needs_is_not_missed() -> None:
    assert isinstance(
        narrowings(library().contracts, "production", {}, ("next",))["next"], Narrowing
    )
    with pytest.raises(MissingConverterError):
        narrowings(library().contracts, "production", {})


@pytest.mark.parametrize(
    ("version", "environment", "message"),
    [
        ("2024-01-16", "production", "'2024-01-16' is no version of these contracts"),
        ("2024-01-15", "staging", "'staging' is no environment of these contracts"),
    ],
)
def test_a_version_or_environment_has_to_be_known(
    version: str, environment: str, message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        narrowings(library().contracts, environment, CONVERTERS, (version,))[version]


def test_what_schemas_tell_apart_needs_a_judge(tmp_path: Path) -> None:
    members = "{ type: object, properties: { a: {}, new: { x-added: next } } }, { type: object }"
    adopted = VERSIONS.replace("policy:", "lint: adopted\npolicy:")
    at = things(tmp_path, f"anyOf: [{members}]", versions=adopted)
    assert at("next") is identity
    with pytest.raises(ValueError, match="can't be told apart without a judge of schemas"):
        at("2024-01-15")


def test_a_media_type_is_known_without_its_parameters() -> None:
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
def test_an_answer_that_is_not_defined_is_never_let_through(
    status: int, media_type: str, message: str
) -> None:
    with pytest.raises(UnfitError, match=message):
        payment().down["production"]["2025-03-13"].body("getAutoramp", status, media_type)


# Values that fit nothing


def test_what_a_converter_makes_is_held_to_the_contract_of_the_caller() -> None:
    law = library()
    narrowing = narrowings(
        law.contracts,
        "production",
        {"Loan.due": lambda _: "tomorrow"},
        ("2024-01-15",),
        judge=law.judge("production"),
    )["2024-01-15"]
    with pytest.raises(UnfitError) as refused:
        narrowing.body("getLoan", 200, "application/json")(LOAN)
    said = "what the converter Loan.due makes of it for callers of 2024-01-15 does not fit"
    assert str(refused.value) == f"/due: {said}"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "the value itself: null where an object belongs"),
        ([LOAN], "the value itself: a list where an object belongs"),
        ({"item": "Emma"}, "/item: a text where an object belongs"),
        ({"item": {"kind": "Film"}}, "/item: its 'kind' names no member of the union"),
        ({"item": {"kind": ["Book"]}}, "/item: its 'kind' names no member of the union"),
        ({"item": {}}, "/item: its 'kind' names no member of the union"),
        ({"due": 3}, "/due: the converter Loan.due failed"),
        ({"item": object()}, "/item: something that is no JSON value where an object belongs"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_place(value: Json, message: str) -> None:
    with pytest.raises(UnfitError) as refused:
        loan_at("2024-01-15")(value)
    assert str(refused.value) == message


def test_the_place_leads_through_lists_and_odd_names(tmp_path: Path) -> None:
    narrow = things(
        tmp_path,
        "type: object, additionalProperties: { type: array, items: { type: object, properties: "
        "{ new: { type: string, x-added: next } } } }",
    )("2024-01-15")
    with pytest.raises(UnfitError) as refused:
        narrow({"fine": [], "a/b~c": [{}, {"new": "x"}, 3]})
    assert refused.value.place == "/a~1b~0c/2"
    assert refused.value.reason == "a number where an object belongs"


def test_a_message_repeats_nothing_of_the_value() -> None:
    with pytest.raises(UnfitError) as refused:
        loan_at("2024-01-15")({"item": {"kind": "secret"}, "due": "secret"})
    assert "secret" not in str(refused.value)


def test_an_error_of_a_converter_is_its_cause() -> None:
    with pytest.raises(UnfitError) as refused:
        loan_at("2024-01-15")({"due": None})
    assert isinstance(refused.value.__cause__, TypeError)


def test_a_value_that_leads_back_to_itself_is_refused(tmp_path: Path) -> None:
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
def test_a_damaged_value_is_shown_or_refused(seed: int) -> None:
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
def test_no_json_value_at_all_is_shown_or_refused(odd: Any) -> None:
    law = generate_law(1)
    for body, value in law.values(10, 1):
        for place in (odd, [odd], {"kind": odd}, dict.fromkeys(value or {}, odd)):
            for (version, environment), shown in law.shown.items():
                if shown.found(body):
                    _outcome(law.narrow(version, environment, body), place)
