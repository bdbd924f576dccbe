"""The version selector, its default and the titles of versions are detected in documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from support.adopted_apis import store
from support.random_chains import DATES, plain
from support.tables import cases

from dateline.adopt import adopt
from dateline.adopt.summary import format_adoption
from dateline.load import load
from dateline.placement import show_version
from dateline.project import Projector

OLDEST, NEWEST = DATES[:2]


def documents(*headers: dict[str, Any], lacking: int = 0, **info: Any) -> list[dict[str, Any]]:
    """Return two documents whose ten operations declare *headers*, except *lacking* of them."""
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


def adopt_table(folder: Path, found: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    adopt(store(folder, found), folder / "schemas", **options)
    table: dict[str, Any] = yaml.load(
        (folder / "schemas" / "versions.yaml").read_text(), yaml.BaseLoader
    )
    return table


@cases(
    ("found", "expected"),
    [
        pytest.param(documents(), ("X-API-Version", OLDEST), id="no header"),
        pytest.param(
            documents(header("revision")), ("revision", OLDEST), id="an API revision header"
        ),
        pytest.param(
            documents(header("Library-Version", default=NEWEST)),
            ("Library-Version", NEWEST),
            id="a default that is a version",
        ),
        pytest.param(
            documents(header("Library-Version", default="1970-01-01")),
            ("Library-Version", OLDEST),
            id="a default that is no version",
        ),
        pytest.param(
            documents(header("As-Of", example=NEWEST)), ("As-Of", OLDEST), id="a constant date"
        ),
        pytest.param(
            documents(header("revision"), lacking=1), ("revision", OLDEST), id="on most operations"
        ),
        pytest.param(
            documents(header("revision"), lacking=2),
            ("X-API-Version", OLDEST),
            id="on a few operations",
        ),
        pytest.param(
            documents(header("revision"), header("X-Version")),
            ("X-API-Version", OLDEST),
            id="two such headers",
        ),
        pytest.param(
            documents(header("X-Request-Id")), ("X-API-Version", OLDEST), id="another header"
        ),
    ],
)
def test_version_header_is_detected(
    tmp_path: Path, found: list[dict[str, Any]], expected: tuple[str, str]
) -> None:
    table = adopt_table(tmp_path, found)
    assert (table["header"], table["default"]) == expected


def test_detected_header_is_shown(tmp_path: Path) -> None:
    found = store(tmp_path, documents(header("X-Api-Version")))
    line = (
        "callers name their version in the header X-Api-Version, judging by the documents "
        "(`--header` names another header)"
    )
    assert line in format_adoption(adopt(found, tmp_path / "detected"))
    assert line not in format_adoption(adopt(found, tmp_path / "given", header="X-Api-Version"))


def test_given_selector_is_not_detected(tmp_path: Path) -> None:
    found = documents(header("revision", default=NEWEST))
    table = adopt_table(tmp_path, found, header="X-Version", default=OLDEST)
    assert (table["header"], table["default"]) == ("X-Version", OLDEST)


@cases(
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
    table = adopt_table(tmp_path, documents(**info))
    assert table["versions"][-1] == {"date": NEWEST, "title": title}


def publish(date: str, **said: Any) -> dict[str, Any]:
    """Return a document of the version *date* with an operation; *said* is its description."""
    content = {said.get("media", "application/json"): {"schema": {"type": "object"}}}
    operation = {
        "parameters": said.get("parameters", []),
        "responses": {"200": {"description": "loans", "content": content}},
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": f"Library of {date}", "version": "7"},
        "servers": [{"url": each} for each in said.get("servers", ["https://a.example/api"])],
        "paths": {"/loans": {"get": operation}},
    }


def query(name: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": {"type": "string", **schema}}


PLACES: list[tuple[str, Any, tuple[str, str]]] = [
    ("a segment", lambda day: {"servers": [f"https://a.example/v/{day}"]}, ("path", "true")),
    (
        "a segment of two servers",
        lambda day: {"servers": [f"https://a.example/{day}", f"https://b.example/api/{day}"]},
        ("path", "true"),
    ),
    (
        "a segment of one of two servers",
        lambda day: {"servers": [f"https://a.example/{day}", "https://b.example/api"]},
        ("header", "X-API-Version"),
    ),
    ("a query", lambda _: {"parameters": [query("api-version")]}, ("query", "api-version")),
    ("a date in a query", lambda day: {"parameters": [query("as", enum=[day])]}, ("query", "as")),
    ("a filter", lambda _: {"parameters": [query("as")]}, ("header", "X-API-Version")),
    (
        "a media type",
        lambda day: {"media": f"application/json; of={day}"},
        ("media-type", "of"),
    ),
    (
        "a media type of one version",
        lambda _: {"media": f"application/json; of={NEWEST}"},
        ("header", "X-API-Version"),
    ),
    (
        "a query and a segment",
        lambda day: {"parameters": [query("version")], "servers": [f"https://a.example/{day}"]},
        ("header", "X-API-Version"),
    ),
]


@cases(("said", "expected"), [each[1:] for each in PLACES])
def test_place_of_the_version_is_detected(
    tmp_path: Path, said: Any, expected: tuple[str, str]
) -> None:
    found = [publish(day, **said(day)) for day in (OLDEST, NEWEST)]
    table = adopt_table(tmp_path, found)
    assert (
        next((key, table[key]) for key in ("header", "query", "path", "media-type") if key in table)
        == expected
    )
    api = load(tmp_path / "schemas")
    projector = Projector(api)
    for day, document in zip((OLDEST, NEWEST), found, strict=True):
        contract = projector.contract(day, "production")
        shown = show_version(contract.document, api.table.selector, day)
        assert plain(shown) == document
