"""On request, all versions have the documentation of the newest, and no gates for it."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml
from support.adopted_apis import read_back, store

from dateline.adopt import adopt

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
    """Return another document, which differs in words, and in a bound and a field."""
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


def test_words_of_the_newest_version_are_those_of_all(tmp_path: Path) -> None:
    arguments = store(tmp_path, [older(), NEWER])
    adoption = adopt(arguments, tmp_path / "schemas", newest_words=True)
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


def test_words_are_kept_unless_asked(tmp_path: Path) -> None:
    adoption = adopt(store(tmp_path, [older(), NEWER]), tmp_path / "schemas")
    assert [words for *_, words in adoption.documents] == ["equal", "equal"]
    assert read_back(tmp_path / "schemas") == [older(), NEWER]


def test_documents_that_differ_in_words_only_need_no_gate(tmp_path: Path) -> None:
    reworded = deepcopy(NEWER)
    reworded["info"]["description"] = "Lends."
    reworded["components"]["schemas"]["Loan"]["properties"]["due"]["description"] = "An end."
    arguments = store(tmp_path, [reworded, NEWER])
    adoption = adopt(arguments, tmp_path / "schemas", newest_words=True)
    assert sum(adoption.gates.values()) == 0
    assert read_back(tmp_path / "schemas") == [NEWER, NEWER]
