"""The project of the docs page about converters: its definitions and its converters."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from dateline.model import Api
from support.sources import API, loaded

PAGE: Final = Path(__file__).parents[2] / "docs" / "converters.md"
OLD, NEW = "2025-01-15", "2025-09-01"

_VERSIONS: Final = """\
header: X-API-Version
default: 2025-01-15
versions:
  - { date: 2025-01-15, title: The first version. }
  - { date: 2025-09-01, title: The second version. }
environments:
  production: { servers: [{ url: https://api.example.com/v1 }] }
"""

NEWEST: Final[dict[str, Any]] = {
    "people": [
        {"id": "1", "first_name": "Jane", "last_name": "Austen"},
        {"id": "2", "first_name": "Emma", "last_name": "Woodhouse"},
    ],
    "address": {"street": "College 8"},
    "fee": {"currency": "EUR", "cents": 1250},
    "pet": {"kind": "cat", "age": 3},
    "card": {"owner": {"id": "7", "label": "Emma"}},
}
OLDER: Final[dict[str, Any]] = {
    "people": [{"id": "1", "name": "Jane Austen"}, {"id": "2", "name": "Emma Woodhouse"}],
    "address": {"road": "College", "number": "8"},
    "fee": {"currency": "EUR", "price": "12.50"},
    "pet": {"animal": {"kind": "cat", "age": 3}},
    "card": {"owner_id": "7"},
}


def read_blocks() -> dict[str, str]:
    """Return the files shown on the page by name."""
    blocks = re.findall(r"^```\w+\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    named = ((re.match(r"# ([\w/]+\.\w+)\n", block), block) for block in blocks)
    return {found[1]: block for found, block in named if found is not None}


def load_project(folder: Path) -> Api:
    """Return the definitions of the page, with an added event."""
    people = read_blocks()["schemas/people.yaml"]
    people = re.sub(r" +parameters: \[\{ \$ref: .*\n", "", people)
    webhook = (
        "webhooks: { household.stored: { post: { operationId: householdStored, requestBody: "
        "{ content: { application/json: { schema: { $ref: '#/components/schemas/Household' } } } }"
        ", responses: { '204': { description: received } } } } }\n"
    )
    files = {"api.yaml": API, "people.yaml": people, "events.yaml": webhook}
    return loaded(folder, {"versions.yaml": _VERSIONS, **files})


def read_converters(package: str) -> type[Any]:
    """Return the converter class of the page, written against the generated *package*."""
    source = read_blocks()["converters.py"].replace("from library.", f"from {package}.")
    made: dict[str, Any] = {}
    exec(compile(source, "converters.py", "exec"), made)
    found: type[Any] = made["Converters"]
    return found
