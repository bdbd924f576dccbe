"""Component sections that no version has after a retirement, in several files."""

from __future__ import annotations

import json
from datetime import date
from itertools import product
from pathlib import Path
from typing import Final

import pytest
from support.sources import VERSIONS, folder
from support.tables import cases

from dateline.edit.retire import retire
from dateline.load import load
from dateline.project import Projector

FIRST, LATEST, TODAY = "2024-01-15", "2025-06-01", date(2026, 1, 1)

TABLE: Final = VERSIONS.replace(f"default: {FIRST}", f"default: {LATEST}") + (
    "announcements:\n"
    "  - { ends: 2024-01-15, from: 2025-12-01, announced: 2025-06-01 }\n"
    "  - { default: 2025-06-01, from: 2025-11-01, announced: 2025-05-01 }\n"
)

API: Final = """\
openapi: 3.1.0
info: { title: Library, version: canonical }
paths:
  /loans:
    get:
      operationId: listLoans
      responses:
        '200': { description: loans }
"""

ONLY_OLD: Final = {
    "schemas": "{ type: object, x-removed: 2024-09-01 }",
    "headers": "{ schema: { type: string }, x-removed: 2024-09-01 }",
    "parameters": "{ name: a, in: query, schema: { type: string }, x-removed: 2024-09-01 }",
}
NEWER: Final = "  responses:\n    Late: { description: late }\n"


def documents(schemas: Path) -> dict[str, str]:
    """Return the text of the document of each version except the first."""
    api = load(schemas)
    contract = Projector(api).contract
    return {
        day: json.dumps(contract(day, api.table.environments[0].name).document)
        for day in api.table.dates
        if day != FIRST
    }


@cases(
    ("section", "files", "other"),
    [
        *((section, "a", "") for section in ONLY_OLD),
        *product(["schemas"], ["a", "ab", "abc"], ["", "a", "b", "z"]),
    ],
)
def test_empty_sections_are_removed_from_all_files(
    section: str, files: str, other: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The rest of the files stays, and so do the documents, byte for byte."""
    old = f"components:\n  {section}:\n    Old%s: {ONLY_OLD[section]}\n"
    texts = {f"{file}.yaml": old % file for file in files}
    left = dict.fromkeys(texts, "{}\n")
    if other:
        name = f"{other}.yaml"
        texts[name] = texts.get(name, "components:\n") + NEWER
        left[name] = f"components:\n{NEWER}"
    schemas = folder(
        tmp_path_factory.mktemp("project"), {"versions.yaml": TABLE, "api.yaml": API, **texts}
    )
    before = documents(schemas)
    for one in retire(schemas, FIRST, TODAY).replacements:
        (schemas / one.name).write_bytes(one.after or b"")
    assert documents(schemas) == before
    assert {name: (schemas / name).read_text() for name in texts} == left
