"""The header of the versions, its default and their titles are taken from the documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from support.adopted_apis import store
from support.random_chains import DATES

from dateline.adopt import adopt

OLDEST, NEWEST = DATES[:2]


def documents(*headers: dict[str, Any], lacking: int = 0, **info: Any) -> list[dict[str, Any]]:
    """Return two documents, whose ten operations declare *headers*, but *lacking* of them."""
    operation: dict[str, Any] = {"responses": {"200": {"description": "loans"}}}
    paths = {
        f"/loans/{number}": {
            "get": operation | ({"parameters": list(headers)} if number >= lacking else {})
        }
        for number in range(10)
    }
    parts = {"title": "Library", "version": "7", **info}
    return [{"openapi": "3.0.3", "info": parts, "paths": paths}] * 2


def header(name: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "in": "header", "schema": {"type": "string", **schema}}


def adopted_table(folder: Path, found: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    adopt(store(folder, found), folder / "schemas", **options)
    table: dict[str, Any] = yaml.load(
        (folder / "schemas" / "versions.yaml").read_text(), yaml.BaseLoader
    )
    return table


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(documents(), ("X-API-Version", OLDEST), id="none"),
        pytest.param(documents(header("revision")), ("revision", OLDEST), id="a revision"),
        pytest.param(
            documents(header("Library-Version", default=NEWEST)),
            ("Library-Version", NEWEST),
            id="a default that is a version",
        ),
        pytest.param(
            documents(header("Library-Version", default="1970-01-01")),
            ("Library-Version", OLDEST),
            id="a default that is none",
        ),
        pytest.param(
            documents(header("As-Of", example=NEWEST)), ("As-Of", OLDEST), id="a date as its value"
        ),
        pytest.param(
            documents(header("revision"), lacking=1), ("revision", OLDEST), id="nearly everywhere"
        ),
        pytest.param(
            documents(header("revision"), lacking=2), ("X-API-Version", OLDEST), id="here and there"
        ),
        pytest.param(
            documents(header("revision"), header("X-Version")),
            ("X-API-Version", OLDEST),
            id="two of them",
        ),
        pytest.param(
            documents(header("X-Request-Id")), ("X-API-Version", OLDEST), id="another header"
        ),
    ],
)
def test_the_header_is_found(
    tmp_path: Path, found: list[dict[str, Any]], expected: tuple[str, str]
) -> None:
    table = adopted_table(tmp_path, found)
    assert (table["header"], table["default"]) == expected


def test_what_is_asked_for_is_not_looked_for(tmp_path: Path) -> None:
    found = documents(header("revision", default=NEWEST))
    table = adopted_table(tmp_path, found, header="X-Version", default=OLDEST)
    assert (table["header"], table["default"]) == ("X-Version", OLDEST)


@pytest.mark.parametrize(
    ("info", "title"),
    [
        ({}, "Library 7"),
        ({"version": NEWEST}, f"Library, as of {NEWEST}"),
        ({"version": " "}, f"Library, as of {NEWEST}"),
        ({"title": "Our\nLibrary"}, "Our Library 7"),
        ({"title": ""}, f"As of {NEWEST}"),
    ],
)
def test_titles_are_those_of_the_documents(
    tmp_path: Path, info: dict[str, Any], title: str
) -> None:
    table = adopted_table(tmp_path, documents(**info))
    assert table["versions"][-1] == {"date": NEWEST, "title": title}
