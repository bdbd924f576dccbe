"""Results cached by the meaning of definitions do not depend on descriptions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from support.other_words import adopted_apis, with_other_words
from support.thing_sources import SCHEMAS, api, things

from dateline.changes.fragments import MessageValues
from dateline.contracts import all_contract_data, contract_data
from dateline.load import load
from dateline.load.meaning import Meaning, join_meanings
from dateline.model import Api
from dateline.project import Projector
from dateline.schema.references import escape
from dateline.server.messages import Messages, describe_components, describe_messages


def describe(found: Api) -> str:
    projector = Projector(found)
    operations, components = all_contract_data(found, projector)
    described = Messages(found, projector, operations.unserved)
    return json.dumps(
        [
            operations.data,
            components.data,
            describe_messages(found, operations, described),
            describe_components(components, described),
        ]
    )


def test_contract_data_of_the_payment_api_do_not_depend_on_descriptions() -> None:
    require_independence(load(SCHEMAS))


def test_contract_data_do_not_depend_on_descriptions() -> None:
    for each in adopted_apis():
        require_independence(each)


def make_values(found: Api) -> list[Any]:
    """Return a value of each component and field, as change pages show them."""
    made = []
    for version in found.table.dates:
        document = Projector(found).contract(version, "production").document
        values = MessageValues(document)
        for name, schema in document.get("components", {}).get("schemas", {}).items():
            at = f"/components/schemas/{escape(name)}"
            below = schema.get("properties", {}) if isinstance(schema, dict) else {}
            fields = [f"{at}/properties/{escape(field)}" for field in below]
            made += [values.make_value(pointer, None) for pointer in (at, *fields)]
    return made


def test_values_on_change_pages_do_not_depend_on_descriptions() -> None:
    for found in (load(SCHEMAS), *adopted_apis()):
        other = replace(found, document=with_other_words(found.document))
        values = make_values(found)
        assert len([each for each in values if each is not None]) > 3
        assert make_values(other) == values


def require_independence(found: Api) -> None:
    other = replace(found, document=with_other_words(found.document))
    both = [json.loads(json.dumps(each.document)) for each in (found, other)]
    meanings = [join_meanings([("api", Meaning.of(each))]) for each in both]
    assert both[0] != both[1]
    assert meanings[0] == meanings[1]
    assert describe(other) == describe(found)


def test_converters_take_values_and_no_descriptions(tmp_path: Path) -> None:
    due = """
    Thing:
      type: object
      properties:
        due:
          description: When, and where
          type: object
          properties: { description: { description: Where, type: string } }
          x-was: { 2024-09-01: { type: string, description: Only when, properties: null } }
"""
    found = api(tmp_path, things(due))
    require_independence(found)
    (converter,) = contract_data(found).data["converters"].values()
    properties = {"description": {"type": "string"}}
    assert (converter["newer"], converter["older"]) == (
        {"type": "object", "properties": properties},
        {"type": "string"},
    )
