"""Equal descriptions of different operations and components make no difference to results."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from support.other_words import adopted_apis, with_words_in_units
from support.sources import API, LIBRARY, folder
from support.tables import cases
from support.thing_sources import ADOPTED, api, things

from dateline.cache import Cache
from dateline.check import Published, check
from dateline.kept_outputs import HiddenWords
from dateline.load import load
from dateline.load.meaning import Unit, replace_in_units
from dateline.model import Api, Definitions
from dateline.render import Rendered, render

Replace = Callable[[str, Unit], str]


def separate(text: str, unit: Unit) -> str:
    """Return a text that no other unit has."""
    return " ".join([text, *unit]) if text and unit else text


def join() -> Replace:
    """Return a function that gives all units the same texts: their first, their second, ..."""
    numbers: dict[Unit, dict[str, int]] = {}

    def replace(text: str, unit: Unit) -> str:
        known = numbers.setdefault(unit, {})
        number = known.setdefault(text, len(known))
        tested = "deprecated " if "deprecated" in text.lower() else ""
        return f"The {tested}text {number}." if text and unit else text

    return replace


def list_apis(root: Path) -> list[Api]:
    return [
        load(folder(root, LIBRARY, "library"), cache=Cache(None)),
        *(load(each.folder, cache=Cache(None)) for each in adopted_apis()),
    ]


def test_outputs_and_findings_belong_to_the_definitions_themselves(tmp_path: Path) -> None:
    for found in list_apis(tmp_path):
        cache, meanings, known = Cache(None), set(), set()
        for replace in (lambda text, _: text, separate, join()):
            each = with_words_in_units(found, replace)
            meanings.add(each.meaning)
            assert isinstance(each.document, Definitions)
            known.add((each.document.comparison, HiddenWords(each).known))
            fresh = dataclasses.replace(each, document=dict(each.document))
            validate = not found.table.adopted
            rendered = render(each, cache=cache, validate=validate)
            assert rendered == render(fresh, validate=validate)
            findings = check(each, Published(label=""), today=date(2026, 7, 1), cache=cache)
            assert findings == check(fresh, Published(label=""), today=date(2026, 7, 1))
        assert len(meanings) == 1
        assert len(known) == len({comparison for comparison, _ in known})


# Parts whose versions are in two units.
MOVED = {
    "parameter of a path and of an operation": """\
paths:
  /things:
    parameters: [{ name: q, in: query, description: FIRST, schema: {}, x-removed: 2025-06-01 }]
    get:
      operationId: getThing
      tags: [Loans]
      parameters: [{ name: q, in: query, description: SECOND, schema: {}, x-added: 2025-06-01 }]
      responses: { '204': { description: nothing } }
components: { schemas: { Other: { description: SECOND } } }
""",
    "reference to items": things("""\
    Thing:
      type: array
      items:
        $ref: '#/components/schemas/New'
        x-was: { 2025-06-01: { $ref: '#/components/schemas/Old' } }
    Old: { type: string, description: FIRST }
    New: { type: string, description: SECOND }
"""),
    "reference to an object": things("""\
    Thing:
      type: object
      properties:
        thing:
          $ref: '#/components/schemas/New'
          x-was: { 2025-06-01: { $ref: '#/components/schemas/Old' } }
    Old: { type: object, description: FIRST, properties: { a: { description: SECOND } } }
    New: { type: object, description: SECOND, properties: { a: { description: FIRST } } }
"""),
    "field of a part": things("""\
    Thing:
      allOf: [{ $ref: '#/components/schemas/Part' }]
      properties: { a: { type: string, description: FIRST } }
    Part:
      type: object
      properties: { a: { type: string, description: SECOND, x-added: 2025-06-01 } }
"""),
    "inline schema": things("""\
    Thing:
      type: object
      properties:
        thing:
          type: object
          description: FIRST
          x-was: { 2025-06-01: { $ref: '#/components/schemas/Old' } }
    Old: { type: object, description: SECOND }
"""),
}


@pytest.mark.parametrize("moved", MOVED)
def test_part_moved_between_units_is_compared(tmp_path: Path, moved: str) -> None:
    cache, rendered = Cache(None), dict[tuple[str, str], Rendered]()
    pairs = [("One", "One"), ("One", "Two")]
    for number, (first, second) in enumerate([*pairs, pairs[0]]):
        text = MOVED[moved].replace("FIRST", first).replace("SECOND", second)
        files = {"versions.yaml": ADOPTED, "api.yaml": API, "things.yaml": text}
        schemas = folder(tmp_path, files, str(number))
        recalled = render(load(schemas, cache=cache), cache=cache)
        if (first, second) not in rendered:
            rendered[first, second] = render(load(schemas))
        assert recalled == rendered[first, second]
    assert len({*rendered.values()}) == len(pairs)


UNITS = """
    Thing: { type: object, description: One, properties: { a: { description: Two } } }
    Other: { type: object, description: Three }
"""


@cases(
    ("before", "after", "is_same"),
    [
        ("Three", "One", True),  # of another component
        ("Three", "Four", True),
        ("Two", "One", False),  # of the same component
        ("Two", "", False),
    ],
)
def test_only_descriptions_within_a_unit_are_compared(
    tmp_path: Path, before: str, after: str, is_same: bool
) -> None:
    found = api(tmp_path, things(UNITS))
    meanings = {
        with_words_in_units(found, lambda text, _: text.replace(before, word)).meaning  # noqa: B023
        for word in (before, after)
    }
    assert (len(meanings) == 1) is is_same


def test_operations_path_items_and_webhooks_are_units() -> None:
    item = {"description": "one", "get": {"description": "one"}, "post": {"description": "one"}}
    units: list[Unit] = []
    document = {
        "tags": [{"name": "a", "description": "one"}],
        "paths": {"/a": {**item, "x-was": {"2024": {"get": {"description": "one"}}}}},
        "webhooks": {"a": item, "b": {"additionalOperations": {"COPY": {"summary": "one"}}}},
        "components": {
            "schemas": {"a": {"description": "one", "x-was": {"2024": {"description": "two"}}}},
            "pathItems": {"a": item},
        },
    }
    replace_in_units(document, lambda _, unit: units.append(unit))
    assert units == [
        (),
        ("paths", "/a"),
        ("paths", "/a", "get"),
        ("paths", "/a", "post"),
        ("paths", "/a", "get"),
        ("webhooks", "a"),
        ("webhooks", "a", "get"),
        ("webhooks", "a", "post"),
        ("webhooks", "b", "additionalOperations", "COPY"),
        *[("components", "schemas", "a")] * 2,
        *[("components", "pathItems", "a")] * 3,
    ]
