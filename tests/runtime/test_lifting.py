"""What handlers get for requests of each version."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.narrowed import generate_law
from support.seeds import seeds
from support.sources import API, VERSIONS, loaded

from dateline.contracts import contract_data
from dateline.load import load
from dateline_runtime.lifting import (
    Lifting,
    MissingConverterError,
    UnfitError,
    identity,
    liftings,
)
from dateline_runtime.narrowing import narrowings

SCHEMAS = Path(__file__).parents[2] / "schemas"

THINGS = """\
paths:
  /things:
    post:
      operationId: addThing
      tags: [Loans]
      parameters:
        - { name: sort, in: query, schema: { type: string }, x-added: next }
        - name: page_size
          in: query
          schema: { type: integer }
          x-was: { 2024-09-01: { name: size, schema: { type: string } } }
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
      responses:
        '200':
          description: a thing
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
components:
  schemas:
    Thing:
      type: object
      required: [item]
      properties:
        total: { type: integer, x-was: { 2025-06-01: { name: sum } } }
        old: { type: string, x-removed: 2025-06-01 }
        new: { type: string, default: unknown, x-added: 2025-06-01 }
        due: { type: string, format: date-time, x-was: { 2024-09-01: { format: date } } }
        state:
          type: string
          oneOf: [{ const: "on" }, { const: half, x-added: next, x-shown-as: "on" }]
        item:
          oneOf:
            - $ref: '#/components/schemas/Book'
            - $ref: '#/components/schemas/Film'
              x-added: next
              x-shown-as: { kind: Book, title: film }
          discriminator: { propertyName: kind }
    Book:
      type: object
      required: [kind, title]
      properties:
        kind: { const: Book, type: string }
        title: { type: string, x-was: { 2024-09-01: { name: called } } }
    Film: { type: object, required: [kind], properties: { kind: { const: Film, type: string } } }
"""

UP: dict[str, Callable[[Any], Any]] = {
    "Thing.due": lambda due: f"{due}T00:00:00Z",
    "addThing.page_size": int,
}


@functools.cache
def contracts() -> dict[str, Any]:
    files = {"versions.yaml": VERSIONS, "api.yaml": API, "things.yaml": THINGS}
    with tempfile.TemporaryDirectory() as folder:
        return contract_data(loaded(Path(folder), files)).data


def at(version: str) -> Lifting:
    return liftings(contracts(), "production", UP, (version,))[version]


OLD = {
    "sum": 3,
    "old": "x",
    "due": "2024-05-06",
    "state": "on",
    "item": {"kind": "Book", "called": "Emma"},
    "other": 1,
}
LIFTED = {
    "total": 3,
    "old": "x",
    "due": "2024-05-06T00:00:00Z",
    "state": "on",
    "item": {"kind": "Book", "title": "Emma"},
    "other": 1,
}


def test_request_gets_the_canonical_names_and_types() -> None:
    assert at("2024-01-15").body("addThing", "application/json")(OLD) == LIFTED


def test_removed_fields_stay_and_no_default_is_invented() -> None:
    lifted = at("2024-01-15").body("addThing", "application/json")(OLD)
    assert lifted["old"] == "x"
    assert "new" not in lifted


def test_fields_that_the_callers_version_lacks_are_dropped() -> None:
    lift = at("2024-01-15").body("addThing", "application/json")
    assert lift({**OLD, "total": "a text", "new": 5}) == LIFTED
    newer = at("2025-06-01").body("addThing", "application/json")
    assert newer({"total": 3, "old": 5, "new": "x", "item": LIFTED["item"]}) == {
        "total": 3,
        "new": "x",
        "item": LIFTED["item"],
    }


def test_canonical_request_is_returned_unchanged() -> None:
    request = {"total": 3, "state": "half", "item": {"kind": "Film"}}
    assert at("next").body("addThing", "application/json")(request) is request


def test_lifted_value_is_narrowed_to_what_was_sent() -> None:
    down = {"Thing.due": lambda due: due[:10]}
    narrowing = narrowings(contracts(), "production", down, ("2024-01-15",))["2024-01-15"]
    assert narrowing.body("addThing", 200, "application/json")(LIFTED) == OLD


@pytest.mark.parametrize(
    ("version", "sent", "lifted"),
    [
        ("2024-01-15", {"size": "10", "sort": "id"}, {"page_size": 10}),
        ("2024-01-15", {"page_size": 10, "q": "x"}, {"q": "x"}),
        ("2024-09-01", {"page_size": 10, "sort": "id"}, {"page_size": 10}),
        ("next", {"page_size": 10, "sort": "id"}, {"page_size": 10, "sort": "id"}),
    ],
)
def test_parameters_use_the_names_of_the_callers_version(
    version: str, sent: dict[str, Any], lifted: dict[str, Any]
) -> None:
    assert at(version).parameters("addThing", "query")(sent) == lifted


def test_parameters_without_differences_are_unchanged() -> None:
    assert at("2024-01-15").parameters("addThing", "header") is identity
    assert at("2024-01-15").parameters("getThing", "query") is identity


def test_missing_converter_is_reported_at_start() -> None:
    with pytest.raises(MissingConverterError) as missing:
        liftings(contracts(), "production", {}, ("2024-01-15",))["2024-01-15"]
    assert str(missing.value) == "no converter up for Thing.due, addThing.page_size"


def test_invalid_value_is_refused_with_its_place() -> None:
    lift = at("2024-01-15").body("addThing", "application/json")
    with pytest.raises(UnfitError) as refused:
        lift({"item": "Emma"})
    assert str(refused.value) == "/item: a string where an object belongs"


def test_requests_without_gates_are_unchanged_at_every_version() -> None:
    found = liftings(contract_data(load(SCHEMAS)).data, "production", {})
    media_type = "application/json; charset=utf-8"
    assert {each.body("updateCustomer", media_type) for each in found.values()} == {identity}
    assert len({id(each) for each in found.values()}) == 1


@pytest.mark.parametrize("seed", seeds(8))
def test_every_valid_request_of_a_version_is_canonical_after_lifting(seed: int) -> None:
    assert list(generate_law(seed).lift_breaches(15)) == []
