"""A folder of fragments becomes one document, or one list of problems."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.sources import API, LIBRARY, LOANS, VERSIONS, folder, loaded, problems
from support.tables import cases

from dateline.load import load
from dateline.model import Place, SourceError


def test_fragments_are_joined_into_one_document(tmp_path: Path) -> None:
    api = loaded(tmp_path, LIBRARY)
    assert list(api.document) == ["openapi", "info", "tags", "paths", "components"]
    assert list(api.document["components"]["schemas"]) == [
        "Loan",
        "LoanState",
        "Item",
        "Book",
        "AudioBook",
    ]


def test_pointer_has_a_place_in_its_file(tmp_path: Path) -> None:
    api = loaded(tmp_path, LIBRARY)
    places = [
        api.locate(("info", "title")),
        api.locate(("components", "schemas", "Loan", "properties", "note")),
    ]
    assert places == [Place("schemas/api.yaml", 2, 9), Place("schemas/loans.yaml", 31, 9)]


def test_name_defined_twice_is_reported_with_both_places(tmp_path: Path) -> None:
    again = "components: { schemas: { Book: { type: object } } }\npaths: { /loans/{id}: {} }\n"
    assert problems(
        tmp_path, {**LIBRARY, "more.yaml": again.replace("/loans/{id}", "'/loans/{id}'")}
    ) == [
        "schemas/more.yaml:1:26: defined-twice: 'Book' of components/schemas is also defined at "
        "schemas/loans.yaml:49:5; keep one of the two",
        "schemas/more.yaml:2:10: defined-twice: '/loans/{id}' of paths is also defined at "
        "schemas/loans.yaml:2:3; keep one of the two",
    ]


def test_problems_of_all_files_are_reported_together(tmp_path: Path) -> None:
    files = {
        "versions.yaml": VERSIONS.replace("2024-09-01", "2024-9-1"),
        "api.yaml": API.replace("title", "titel: a, titel"),
        "loans.yaml": LOANS + "  - no\n",
    }
    found = problems(tmp_path, files)
    assert sorted({problem.split(":")[0] for problem in found}) == [
        "schemas/api.yaml",
        "schemas/loans.yaml",
        "schemas/versions.yaml",
    ]


@cases(
    ("name", "said"),
    [
        ("more.YAML", "'more.YAML' is not read as a source; rename it to more.yaml"),
        ("m\u00f6re.yaml", r"'m\xf6re.yaml' is not read as a source; name it with ASCII letters"),
        ("a\nb.yaml", r"'a\nb.yaml' is not read as a source; name it with ASCII letters"),
        ("-x.yaml", "'-x.yaml' is not read as a source; name it with ASCII letters"),
    ],
)
def test_misnamed_source_is_reported(tmp_path: Path, name: str, said: str) -> None:
    schemas = folder(tmp_path, LIBRARY)
    (schemas / name).parent.mkdir(exist_ok=True)
    (schemas / name).write_text("paths: {}\n")
    with pytest.raises(SourceError) as caught:
        load(schemas)
    assert len(caught.value.problems) == 1
    assert said in str(caught.value)


@cases("name", [".hidden.yaml", "_notes.yaml", "api.yaml~", "README.md", "_old/a.yaml"])
def test_backups_notes_and_hidden_files_are_ignored(tmp_path: Path, name: str) -> None:
    schemas = folder(tmp_path, LIBRARY)
    (schemas / name).parent.mkdir(exist_ok=True)
    (schemas / name).write_text("[ not yaml")
    assert list(load(schemas).document) == ["openapi", "info", "tags", "paths", "components"]


def test_definitions_may_be_json(tmp_path: Path) -> None:
    text = '{"components": {"schemas": {"Branch": {"type": "object"}, "Branch2": {"type": "obj"}}}}'
    assert problems(tmp_path, {**LIBRARY, "branches.json": text}) == [
        "schemas/branches.json:1:79: unknown-type: 'obj' is not a type; did you mean 'object'?"
    ]


def test_folder_without_fragments_is_an_error(tmp_path: Path) -> None:
    assert problems(tmp_path, {"versions.yaml": VERSIONS}) == [
        "schemas/versions.yaml:1:1: no-definitions: no .yaml or .json file with "
        "definitions is in schemas/ beside versions.yaml; add one that begins with `openapi: 3.1.0`"
    ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_named_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    schemas = folder(tmp_path, LIBRARY)
    os.mkfifo(schemas / "pipe.yaml")
    with pytest.raises(SourceError, match="unreadable-file"):
        load(schemas)
