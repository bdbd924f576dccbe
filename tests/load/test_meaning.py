"""Cached results of definitions are reused for others with the same meaning, and only for those."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support import gated_apis
from support.seeds import seeds
from support.sources import LIBRARY, folder
from support.tables import cases

from dateline.cache import Cache
from dateline.check import Published, check
from dateline.load import load
from dateline.load.meaning import Meaning, join_meanings
from dateline.model import SourceError
from dateline.openapi import walk

BOOK = {"type": "object", "properties": {"description": {"type": "string"}}}


def mean(*schemas: dict[str, Any]) -> bytes:
    return mean_documents(*({"components": {"schemas": {"Loan": each}}} for each in schemas))


def mean_documents(*documents: dict[str, Any]) -> bytes:
    return join_meanings((str(at), Meaning.of(each)) for at, each in enumerate(documents))


@cases(
    ("before", "after"),
    [
        ({"description": "one"}, {"description": "two"}),
        ({"allOf": [{"description": "one"}, {}]}, {"allOf": [{"description": "two"}, {}]}),
        ({"x-was": {"2024": {"description": "one"}}}, {"x-was": {"2024": {"description": "two"}}}),
        (
            {"description": "same", "items": {"description": "same"}},
            {"description": "s", "items": {"description": "s"}},
        ),
    ],
)
def test_descriptions_have_no_meaning(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert mean(BOOK, before) == mean(BOOK, after)


@pytest.mark.parametrize("key", ["description", "summary"])
def test_descriptions_of_operations_have_no_meaning(key: str) -> None:
    one, two = ({"paths": {"/loans": {"get": {key: word}, key: word}}} for word in "ab")
    assert mean_documents(one) == mean_documents(two)


@cases(
    ("before", "after"),
    [
        ({"description": "one"}, {}),
        ({"description": "one"}, {"description": ""}),
        ({"description": "one"}, {"description": 1}),
        ({"description": "one"}, {"summary": "one"}),
        ({"title": "one"}, {"title": "two"}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, {"a": True}),
        # descriptions that become equal can make their holders equal
        (
            {"allOf": [{"description": "one"}, {"description": "two"}]},
            {"allOf": [{"description": "one"}] * 2},
        ),
        (
            {"description": "a", "x-was": {"1": {"description": "b"}}},
            {"description": "a", "x-was": {"1": {"description": "a"}}},
        ),
        # data, names chosen by the author, and unknown keys
        *(
            ({key: {"description": "one"}}, {key: {"description": "two"}})
            for key in ("const", "default", "example", "examples", "mapping", "x-own", "owner")
        ),
        ({"enum": [{"description": "one"}]}, {"enum": [{"description": "two"}]}),
        ({"properties": {"description": "one"}}, {"properties": {"description": "two"}}),
        ({"summary": "one"}, {"summary": "two"}),
    ],
)
def test_everything_else_has_a_meaning(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert mean(BOOK, before) != mean(BOOK, after)


@cases(
    "document",
    [
        {"servers": [{"url": "/", "description": "one"}]},
        {"servers": [{"url": "/", "variables": {"a": {"default": "", "description": "one"}}}]},
        {"paths": {"/loans": {"servers": [{"url": "/", "description": "one"}]}}},
        {"description": "one"},
        {"Loan": {"description": "one"}},
    ],
)
def test_names_of_servers_and_unknown_sections_have_a_meaning(document: dict[str, Any]) -> None:
    other = json.loads(json.dumps(document).replace('"one"', '"two"'))
    assert mean_documents(document) != mean_documents(other)


def test_descriptions_are_compared_across_files() -> None:
    one, two = {"description": "one"}, {"description": "two"}
    assert mean(one, two) == mean(two, one) != mean(one, one) == mean(two, two)


def load_twice(home: Path, edit: tuple[str, str]) -> tuple[str, str]:
    """Return the result of `load` for an edited folder with a full cache, and without one."""
    found = folder(home, LIBRARY, "schemas")
    cache = Cache(None)
    load(found, cache=cache)
    path = next(path for path in sorted(found.glob("*.yaml")) if edit[0] in path.read_text())
    path.write_text(path.read_text().replace(*edit, 1))
    said = []
    for known in (cache, None):
        try:
            said.append(repr(load(found, cache=known).document))
        except SourceError as error:
            said.append(str(error))
    return said[0], said[1]


@cases(
    "edit",
    [
        ("description:", "descriptoin:"),
        ("type: string", "type: strnig"),
        ("$ref: '#/components/schemas/", "$ref: '#/components/schemas/No"),
        ("operationId: ", "operationId: other"),
    ],
)
def test_edited_definitions_are_checked_whatever_was_cached(
    tmp_path: Path, edit: tuple[str, str]
) -> None:
    kept, read = load_twice(tmp_path, edit)
    assert kept == read


# Descriptions that a check might misinterpret if it looked at them.
WORDS_OF_AUTHORS = (
    *("A loan", "A loan.", " ", "\t", "two\nlines", "#/components/schemas/B", "deprecated"),
    *("x-added: next", "`", "null", "0", "é😀", "x" * 500, "next", "TODO"),
)


def add_descriptions(node: Any, pick: Random) -> Any:
    """Return *node* with descriptions on about every second object that may have them."""
    found: Any = json.loads(json.dumps(node))
    for path, kind, each in walk("document", found):
        if kind not in ("schema", "operation", "parameter", "header", "response", "media-type"):
            continue
        if kind != "media-type" and "$ref" not in each and len(path) % 2:
            each["description"] = pick.choice(WORDS_OF_AUTHORS)
        if kind == "operation":
            each["summary"] = pick.choice(WORDS_OF_AUTHORS)
    return found


def judge(home: Path, cache: Cache | None) -> list[str]:
    """Return the problems of the definitions in *home*, or else the findings of `check`."""
    try:
        api = load(home, cache=cache)
    except SourceError as error:
        return list(map(repr, error.problems))
    found = check(api, Published(label="nothing"), today=date(2026, 9, 1), cache=cache)
    return list(map(repr, found))


@pytest.mark.parametrize("seed", seeds(4))
def test_random_descriptions_do_not_change_cached_results(tmp_path: Path, seed: int) -> None:
    pick = Random(seed)
    files = gated_apis.sources(seed)
    table = files["versions.yaml"] + ("lint: adopted\n" if seed % 2 else "")
    document = without_substitutes(json.loads(files["api.yaml"]), pick)
    cache = Cache(None)
    for _ in range(3):
        texts = {
            "versions.yaml": table,
            "api.yaml": json.dumps(add_descriptions(document, pick), indent=1, ensure_ascii=False),
        }
        home = folder(tmp_path, texts)
        assert judge(home, cache) == judge(home, None)


NOTE = "note: { type: string }"
HELD_BACK = (NOTE, "note: { type: string, x-added: 2025-06-01 }")
WITHOUT_CHANGE = (
    "title: Audio books }",
    "title: Audio books }\n  - { date: 2025-01-01, title: Same }",
)


def test_held_back_changes_are_found_whatever_was_cached(tmp_path: Path) -> None:
    """Edits alternate with edits of a description, with another policy, and back again."""
    rules = "policy: { preset: dated-contract, rules: { response-field-added: gated } }"
    cache = Cache(None)
    outcomes = []
    for edits in (
        [],
        [HELD_BACK],
        [],
        [WITHOUT_CHANGE],
        [HELD_BACK, ("policy: dated-contract", rules)],
        [],
    ):
        for word in ("a loan", "what was lent"):
            files = dict(LIBRARY)
            for before, after in [*edits, ("a loan", word)]:
                files = {name: text.replace(before, after) for name, text in files.items()}
            home = folder(tmp_path, files)
            found = judge(home, cache)
            assert found == judge(home, None)
            outcomes.append(sum("MINTED" in each or "without-change" in each for each in found))
    assert outcomes == [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0]


def without_substitutes(document: Any, pick: Random) -> Any:
    """Return *document* without some substitutes, so that a part of it can't be served."""
    for _, kind, node in walk("document", document):
        if kind == "schema" and "x-shown-as" in node and pick.random() < 0.3:
            del node["x-shown-as"]
    return document
