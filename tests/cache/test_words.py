"""What is kept by the meaning of definitions does not depend on what their words say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from support.random_chains import DATES, chains
from support.sources import folder
from support.thing_sources import SCHEMAS, api, things

from dateline.adopt import adopt
from dateline.changes.fragments import MessageValues
from dateline.contracts import all_contract_data, contract_data
from dateline.load import load
from dateline.load.meaning import Meaning, join_meanings
from dateline.model import Api
from dateline.project import Projector
from dateline.schema.references import escape
from dateline.server.messages import describe_components, describe_messages

RANDOM_APIS = 6


# Below these, and below extensions, keys have names of the author's own; servers are known by
# what is said of them.
DATA = {"servers", "const", "default", "enum", "example", "examples", "links", "mapping", "scopes"}


def with_other_words(node: Any) -> Any:
    """Return *node* with another text in place of each of its words, equal ones for equal ones."""
    if isinstance(node, list):
        return [*map(with_other_words, node)]
    if not isinstance(node, dict):
        return node
    return {key: change_words(key, value) for key, value in node.items()}


def change_words(key: str, value: Any) -> Any:
    if key in DATA or (key.startswith("x-") and key != "x-was"):
        return value
    if key in ("description", "summary") and isinstance(value, str):
        return value and f"`{value[::-1]}`: otherwise, in {len(value)} letters"
    return with_other_words(value)


def describe(found: Api) -> str:
    projector = Projector(found)
    operations, components = all_contract_data(found, projector)
    return json.dumps(
        [
            operations.data,
            components.data,
            describe_messages(found, operations, projector),
            describe_components(found, components, projector),
        ]
    )


def adopted_apis(root: Path) -> Iterator[Api]:
    """Yield chains of random documents as they are adopted: with histories, and all they say."""
    for number, documents in enumerate(chains(5, RANDOM_APIS)):
        given = folder(
            root,
            {f"{day}.json": json.dumps(each) for day, each in zip(DATES, documents, strict=True)},
            f"{number}-published",
        )
        schemas = root / f"{number}-adopted"
        adopt(tuple(f"{day}={given / day}.json" for day in DATES), schemas)
        yield load(schemas)


def test_contract_data_of_the_payment_api_do_not_depend_on_words() -> None:
    require_independence(load(SCHEMAS))


def test_contract_data_do_not_depend_on_words(tmp_path: Path) -> None:
    for each in adopted_apis(tmp_path):
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


def test_values_on_change_pages_do_not_depend_on_words(tmp_path: Path) -> None:
    for found in (load(SCHEMAS), *adopted_apis(tmp_path)):
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


def test_converters_take_values_and_no_words(tmp_path: Path) -> None:
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
