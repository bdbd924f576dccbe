"""Schemas that were replaced by ones with more fields are read without these."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from support.adopted_apis import adopt_all
from support.narrowed import Law
from support.tables import cases

from dateline.load import load

Json = dict[str, Any]

TEXT: Final[Json] = {"type": "string"}


def refer(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def closed(*names: str, **more: Json) -> Json:
    return {**fields(*names, **more), "additionalProperties": False}


def fields(*names: str, **more: Json) -> Json:
    """Return an object with the text fields *names*, of which the first is required."""
    properties = {**dict.fromkeys(names, TEXT), **more}
    return {"type": "object", "required": [*names[:1]], "properties": properties}


def listed(schema: Json) -> Json:
    return {"type": "array", "items": schema}


def mapped(schema: Json) -> Json:
    return {"type": "object", "additionalProperties": schema}


def variant(name: str) -> Json:
    """Return a union of only one variant, whose tag is not its name."""
    mapping = {"card": f"#/components/schemas/{name}"}
    return {
        "oneOf": [refer(name)],
        "discriminator": {"propertyName": "kind", "mapping": mapping},
    }


LOAN, DETAIL = refer("Loan"), refer("LoanDetail")
NEW: Final[Json] = {"type": "object", "properties": {"new_below": TEXT}}
SCHEMAS: Final[dict[str, Json]] = {
    "Loan": fields("id", "due"),
    "LoanDetail": fields("id", "due", "new_book", new_object=NEW),
    "Alias": DETAIL,
    "Demanding": {**fields("id", "due", "new_book"), "required": ["id", "new_book"]},
    "Shorter": fields("id"),
    "Reworded": {**fields("id", new_book=TEXT, due={**TEXT, "title": "Due"}), "title": "Loan"},
    "Closed": closed("id", "due"),
    "ClosedDetail": closed("id", "due", "new_book"),
    "Number": fields("id", "new_book", due={"type": "integer"}),
    "Optional": {**fields("id", "due", "new_book"), "required": []},
    "Bounded": {**fields("id", "due", "new_book"), "minProperties": 2},
    "Few": {**fields("id", "due"), "minProperties": 2},
    "Named": {**fields("id", "due"), "required": ["id", "new_book"]},
    "Default": {**fields("id", "due", "new_book"), "default": {"id": "1"}},
    "OneOf": {**fields("id", "due"), "oneOf": [fields("new_book"), fields("new_page")]},
    "Tree": fields("id", below=refer("Tree"), more=listed(refer("Tree"))),
    "TreeDetail": fields(
        "id", "new_book", below=refer("TreeDetail"), more=listed(refer("TreeDetail"))
    ),
    "Page": fields("cursor", data=listed(LOAN), by_id=mapped(LOAN), first=LOAN),
    "PageDetail": fields(
        "cursor", "new_total", data=listed(DETAIL), by_id=mapped(DETAIL), first={"allOf": [DETAIL]}
    ),
    "Tagged": {**fields("kind", "id"), "discriminator": {"propertyName": "kind"}},
    "TaggedDetail": {
        **fields("kind", "id", "new_book"),
        "discriminator": {"propertyName": "kind"},
    },
    "Card": fields("kind", "id"),
    "CardDetail": fields("kind", "id", "new_book"),
    "Map": {**fields("id"), "additionalProperties": TEXT},
    "MapDetail": {**fields("id", "new_book"), "additionalProperties": TEXT},
    "Writing": fields("id", "new_book", due={**TEXT, "writeOnly": True}),
    "Due": {"type": "object", "properties": {"due": TEXT}},
    "DueDetail": fields("due", "new_book"),
}

# Schemas and those that replaced them.
REDUCED: Final[dict[str, tuple[Json, Json]]] = {
    "reference": (LOAN, DETAIL),
    "alias": (LOAN, refer("Alias")),
    "inline to reference": (fields("id", "due"), DETAIL),
    "reference to inline": (LOAN, fields("id", "due", "new_book")),
    "reworded": (LOAN, refer("Reworded")),
    "list": (listed(LOAN), listed(DETAIL)),
    "map": (mapped(LOAN), mapped(DETAIL)),
    "map of lists": (mapped(listed(LOAN)), mapped(listed(DETAIL))),
    "field": (fields("at", loan=LOAN), fields("at", loan=DETAIL)),
    "all of": (LOAN, {"allOf": [LOAN, fields(new_book=TEXT)]}),
    "all of in a list": (listed(LOAN), listed({"allOf": [LOAN, fields(new_book=TEXT)]})),
    "all of both": (
        {"allOf": [LOAN, fields(at=TEXT)]},
        {"allOf": [DETAIL, fields(at=TEXT, new_page=TEXT)]},
    ),
    "inline to all of": (fields("id", "due"), {"allOf": [refer("Due"), fields("id", "new_book")]}),
    "all of to inline": (
        {"allOf": [refer("Due"), fields("id")]},
        fields("id", "due", "new_book"),
    ),
    "field moved to a base": (
        fields("id", "due"),
        {**fields("id", "new_book"), "allOf": [refer("Due")]},
    ),
    "field moved from a base": (
        {**fields("id"), "allOf": [refer("Due")]},
        fields("id", "due", "new_book"),
    ),
    "field moved between members": (
        {"allOf": [refer("Due"), fields("id")]},
        {"allOf": [fields("id", "due"), fields("id", "new_book")]},
    ),
    "member to only member": (
        {**fields("id"), "allOf": [refer("Due")]},
        {"oneOf": [DETAIL]},
    ),
    "only member of a union": (fields("id", "due"), {"anyOf": [DETAIL]}),
    "reference in place of a union": ({"oneOf": [LOAN]}, DETAIL),
    "nullable": ({"allOf": [LOAN], "nullable": True}, {"allOf": [DETAIL], "nullable": True}),
    "base": (
        {"allOf": [LOAN, fields(at=TEXT)]},
        {"allOf": [DETAIL, fields(at=TEXT)]},
    ),
    "text or object": ({"anyOf": [TEXT, LOAN]}, {"anyOf": [TEXT, DETAIL]}),
    "only variant": (variant("Card"), variant("CardDetail")),
    "closed": (refer("Closed"), refer("ClosedDetail")),
    "nested": (refer("Page"), refer("PageDetail")),
    "recursive": (refer("Tree"), refer("TreeDetail")),
    "recursive in a list": (listed(refer("Tree")), listed(refer("TreeDetail"))),
}

# The same for schemas that need converters, and where: in requests, responses, or both.
CONVERTED: Final[dict[str, tuple[Json, Json, str]]] = {
    "a new field is required": (LOAN, refer("Demanding"), "up"),
    "a field is missing": (LOAN, refer("Shorter"), "down up"),
    "a field has another type": (LOAN, refer("Number"), "down up"),
    "a field is optional": (LOAN, refer("Optional"), "down"),
    "a field is for requests": (LOAN, refer("Writing"), "down up"),
    "the older one is closed": (refer("Closed"), DETAIL, "down"),
    "the newer one is closed": (LOAN, refer("ClosedDetail"), "up"),
    "the closed one is extended": (
        refer("Closed"),
        {"allOf": [refer("Closed"), fields(new_book=TEXT)]},
        "down up",
    ),
    "the older one has a bound": (refer("Few"), DETAIL, "down up"),
    "the newer one has a bound": (LOAN, refer("Bounded"), "down up"),
    "the older one requires the field": (refer("Named"), refer("Demanding"), "down up"),
    "a default": (LOAN, refer("Default"), "down up"),
    "a union": (LOAN, refer("OneOf"), "down up"),
    "two members of a union": (LOAN, {"anyOf": [DETAIL, refer("Page")]}, "down up"),
    "a moved field is required": (
        fields("id", "due"),
        {**fields("id"), "allOf": [refer("DueDetail")]},
        "up",
    ),
    "a moved field has another type": (
        fields("id", due={"type": "integer"}),
        {**fields("id"), "allOf": [refer("Due")]},
        "down up",
    ),
    "a field is lost with a base": (
        {"allOf": [refer("Due"), fields("id")]},
        fields("id", "new_book"),
        "down up",
    ),
    "tags": (refer("Tagged"), refer("TaggedDetail"), "down up"),
    "other fields": (refer("Map"), refer("MapDetail"), "down up"),
}


def documents(table: dict[str, tuple[Any, ...]], count: int = 2) -> list[Json]:
    """Return *count* documents with one operation for each row of *table*, oldest first."""
    return [
        {
            "openapi": "3.0.3",
            "info": {"title": "Loans", "version": "1"},
            "paths": {
                f"/{index}": {"post": operation(name.replace(" ", "_"), row[at])}
                for index, (name, row) in enumerate(table.items())
            },
            "components": {"schemas": SCHEMAS},
        }
        for at in range(count)
    ]


def operation(name: str, schema: Json) -> Json:
    content = {"content": {"application/json": {"schema": schema}}}
    return {
        "operationId": name,
        "requestBody": content,
        "responses": {"200": {"description": "done", **content}},
    }


def adopted(folder: Path, table: dict[str, tuple[Any, ...]], count: int = 2) -> Law:
    adopt_all(folder, json.loads(json.dumps(documents(table, count))))
    return Law(load(folder / "schemas"))


@pytest.fixture(scope="module")
def reduced(tmp_path_factory: pytest.TempPathFactory) -> Law:
    return adopted(tmp_path_factory.mktemp("reduced"), REDUCED)


def test_what_reduced_schemas_hold_fits_and_needs_no_converters(reduced: Law) -> None:
    assert reduced.contracts["converters"] == {}
    assert [*reduced.breaches(300), *reduced.lift_breaches(150)] == []


def test_callers_of_reduced_schemas_see_nothing_newer(reduced: Law) -> None:
    oldest = min(version for version, _ in reduced.shown)
    seen = set()
    for body, value in reduced.values(300, 2):
        if "new_" in json.dumps(value):
            seen.add(body.operation)
            narrowed = reduced.narrow(oldest, "production", body)(value)
            assert list(_list_new(narrowed)) == [], body.operation
            assert body.operation != "only_variant" or narrowed["kind"] == value["kind"]
    assert seen == {name.replace(" ", "_") for name in REDUCED}


# Schemas of three versions, and whether they need converters.
LATER: Final[dict[str, tuple[Json, Json, Json, bool]]] = {
    "a field is new later": (
        fields("id", "due"),
        {**fields("id"), "allOf": [refer("Due")]},
        {**fields("id", "new_book"), "allOf": [refer("Due")]},
        False,
    ),
    "a field is new before": (
        fields("id"),
        fields("id", "due"),
        {**fields("id"), "allOf": [refer("DueDetail")]},
        True,
    ),
    "a field is new between": (
        {"allOf": [refer("Due"), fields("id")]},
        fields("id", "due"),
        {"allOf": [refer("Due"), fields("id", "new_book")]},
        False,
    ),
    "a field is gone later": (
        fields("id", "due"),
        {**fields("id", "new_book"), "allOf": [refer("Due")]},
        {**fields("id"), "allOf": [refer("Due")]},
        True,
    ),
}


def test_fields_of_one_era_may_be_newer_than_it(tmp_path: Path) -> None:
    law = adopted(tmp_path, LATER, 3)
    converted = {place.partition(".")[0] for place in law.contracts["converters"]}
    assert converted == {name.replace(" ", "_") for name, row in LATER.items() if row[3]}
    values = [each for each in law.values(60, 1) if each[0].operation not in converted]
    assert {*law.find_breaches(values)} == set()


def _list_new(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (name for name in value if name.startswith("new_"))
        value = [*value.values()]
    for each in value if isinstance(value, list) else ():
        yield from _list_new(each)


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Law:
    return adopted(tmp_path_factory.mktemp("converted"), CONVERTED)


@cases("name", CONVERTED)
def test_other_schemas_need_converters(converted: Law, name: str) -> None:
    known = converted.contracts["converters"]
    own = name.replace(" ", "_")
    mine = [each for place, each in known.items() if place.startswith(f"{own}.")]
    found = {way for each in mine for way in ("down", "up") if each[way]}
    assert " ".join(sorted(found)) == CONVERTED[name][2]
