"""Changed descriptions are kept beside the definitions, dropped, or written as gates."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.adopted_apis import read_back, store
from support.random_chains import DATES
from support.tables import cases

from dateline.adopt import Words, adopt
from dateline.changes.additions import continue_record, drop_periods
from dateline.changes.record import read_record
from dateline.load import load
from dateline.model import SourceError
from dateline.project import Projector

NEWER: dict[str, Any] = yaml.safe_load("""
openapi: 3.0.3
info: { title: Library, version: '1', description: Lends books. }
tags: [{ name: Loans, description: What is lent. }]
paths:
  /loans:
    get:
      tags: [Loans]
      summary: All the loans
      parameters:
        - { name: page, in: query, description: Which page., schema: { type: integer } }
        - { name: size, in: query, schema: { type: integer, example: 7 } }
      responses:
        '200':
          description: The loans.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Loan' }
              examples: { one: { value: { description: a } } }
components:
  schemas:
    Loan:
      type: object
      externalDocs: { url: 'https://library.example/loans' }
      properties:
        description: { type: string, description: What the desk noted. }
        due: { type: string, description: When it ends., maxLength: 10 }
""")


def older() -> dict[str, Any]:
    """Return another document, in which descriptions, a bound and a field differ."""
    document = deepcopy(NEWER)
    get = document["paths"]["/loans"]["get"]
    loan = document["components"]["schemas"]["Loan"]
    document["info"]["description"] = "Lends."
    document["tags"][0]["description"] = "Loans."
    get["summary"] = "Loans"
    get["description"] = "Only older callers read this."
    get["parameters"] = [get["parameters"][1], get["parameters"][0]]
    get["parameters"][1]["description"] = "A page."
    del get["parameters"][0]["schema"]["example"]
    get["responses"]["200"]["description"] = "Loans."
    get["responses"]["200"]["content"]["application/json"]["example"] = {}
    del loan["externalDocs"]
    loan["properties"]["due"] |= {"maxLength": 8, "description": "An end."}
    loan["properties"]["fine"] = {"type": "integer", "description": "In cents."}
    return document


def test_descriptions_of_the_newest_version_apply_to_all(tmp_path: Path) -> None:
    arguments = store(tmp_path, [older(), NEWER])
    adoption = adopt(arguments, tmp_path / "schemas", words=Words.NEWEST)
    assert [words for *_, words in adoption.documents] == [
        "equal, but for documentation that changed",
        "equal",
    ]
    expected = deepcopy(NEWER)
    parameters = expected["paths"]["/loans"]["get"]["parameters"]
    parameters.reverse()
    properties = expected["components"]["schemas"]["Loan"]["properties"]
    properties["due"]["maxLength"] = 8
    properties["fine"] = {"type": "integer", "description": "In cents."}
    assert read_back(tmp_path / "schemas") == [expected, NEWER]


@pytest.mark.parametrize("words", [Words.KEPT, Words.GATED])
def test_documents_round_trip_with_their_descriptions(tmp_path: Path, words: Words) -> None:
    adoption = adopt(store(tmp_path, [older(), NEWER]), tmp_path / "schemas", words=words)
    assert [words for *_, words in adoption.documents] == ["equal", "equal"]
    assert read_back(tmp_path / "schemas") == [older(), NEWER]


def test_kept_descriptions_have_no_gates(tmp_path: Path) -> None:
    reworded = deepcopy(NEWER)
    parameters = reworded["paths"]["/loans"]["get"]["parameters"]
    parameters[0]["description"] = "A page."
    del parameters[1]["schema"]["example"]
    parameters[1]["example"] = 100.0
    reworded["components"]["schemas"]["Loan"]["properties"]["description"] = {"type": "string"}
    adoption = adopt(store(tmp_path, [reworded, NEWER]), tmp_path / "schemas")
    assert (sum(adoption.gates.values()), adoption.words) == (0, 4)
    assert read_back(tmp_path / "schemas") == [reworded, NEWER]
    kept = json.loads((tmp_path / f"schemas/_additions/words/{DATES[0]}.json").read_bytes())
    page = {"name": "page", "in": "query"}
    assert kept["words"][0] == {
        "at": ["paths", "/loans", "get", "parameters", page, "description"],
        "was": "A page.",
    }


def test_kept_descriptions_survive_a_cut_and_are_removed_with_their_version(tmp_path: Path) -> None:
    schemas = tmp_path / "schemas"
    adopt(store(tmp_path, [older(), NEWER]), schemas)
    api = load(schemas)
    record = read_record(schemas, api.table)
    later = continue_record(api, Projector(api), record, api.table.latest)
    assert record is not None
    assert later.words == record.words
    assert drop_periods(later, (api.table.latest,)).words == {}


@cases("content", ["{}", '{"words": 7}', '{"words": [{"at": []}]}', "["])
def test_damaged_descriptions_are_reported(tmp_path: Path, content: str) -> None:
    schemas = tmp_path / "schemas"
    adopt(store(tmp_path, [older(), NEWER]), schemas)
    (schemas / f"_additions/words/{DATES[0]}.json").write_text(content)
    with pytest.raises(SourceError, match="record-damaged"):
        read_record(schemas, load(schemas).table)


def test_documents_that_differ_only_in_descriptions_need_no_gate(tmp_path: Path) -> None:
    reworded = deepcopy(NEWER)
    reworded["info"]["description"] = "Lends."
    reworded["components"]["schemas"]["Loan"]["properties"]["due"]["description"] = "An end."
    arguments = store(tmp_path, [reworded, NEWER])
    adoption = adopt(arguments, tmp_path / "schemas", words=Words.NEWEST)
    assert sum(adoption.gates.values()) == 0
    assert read_back(tmp_path / "schemas") == [NEWER, NEWER]
