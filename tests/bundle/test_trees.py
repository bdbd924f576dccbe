"""Which files a document on disk may refer to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.tables import cases

from dateline.bundle import Readings, open_document
from dateline.model import SourceError
from dateline.paths import name_path

RESPONSE = {"description": "fine"}
HEAD = {"openapi": "3.1.0", "info": {"title": "A", "version": "1"}}

# Of api/v1/openapi.json: which folder is a repository, where the command runs, what it refers to,
# and what messages call that; {} is the folder of all.
READ = {
    "in the repository": (".", "api/v1", "../common/fine.json", "api/common/fine.json"),
    "at the top of the repository": (".", "api/v1", "../../fine.json", "fine.json"),
    "from elsewhere": ("api", "..", "../common/fine.json", "common/fine.json"),
    "in the current folder": (None, "api", "../common/fine.json", "common/fine.json"),
    "at the top of the current folder": (None, ".", "../../fine.json", "fine.json"),
    "below the document": (None, "elsewhere", "parts/fine.json", "{}/api/v1/parts/fine.json"),
}
REFUSED = {
    "beyond the repository": ("api", ".", "../../fine.json"),
    "beyond the current folder": (None, "api", "../../fine.json"),
    "beside the document": (None, "elsewhere", "../common/fine.json"),
    "by a link that leads out of the repository": ("api", ".", "linked.json"),
}


def place_files(root: Path, repository: str | None, reference: str) -> Path:
    """Return the path of a document with *reference*, among the files of the tables."""
    got = {"get": {"responses": {"200": {"$ref": reference}}}}
    document = root / "api" / "v1" / "openapi.json"
    for path in ("api/v1/parts", "api/common", "elsewhere", "."):
        (root / path).mkdir(parents=True, exist_ok=True)
        (root / path / "fine.json").write_text(json.dumps(RESPONSE))
    document.write_text(json.dumps({**HEAD, "paths": {"/a": got}}, indent=1))
    (document.parent / "linked.json").symlink_to(root / "fine.json")
    if repository is not None:
        (root / repository / ".git").mkdir()
    return document


def read_response(path: Path) -> tuple[object, str]:
    """Return the response of the document at *path*, and the name of the file that has it."""
    document = open_document(path, name_path(path), Readings())
    got = document.content["paths"]["/a"]["get"]["responses"]["200"]["$ref"]
    name = got.removeprefix("#/components/responses/")
    return document.content["components"]["responses"][name], document.place(got[1:]).file


@cases("name", READ)
def test_document_refers_to_files_of_its_repository_or_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    repository, start, reference, called = READ[name]
    path = place_files(tmp_path, repository, reference)
    monkeypatch.chdir(tmp_path / start)
    assert read_response(path) == (RESPONSE, called.format(tmp_path))


@cases("name", REFUSED)
def test_files_out_of_both_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    repository, start, reference = REFUSED[name]
    path = place_files(tmp_path, repository, reference)
    monkeypatch.chdir(tmp_path / start)
    with pytest.raises(SourceError) as refused:
        read_response(path)
    ids = {problem.id for problem in refused.value.problems}
    assert ids <= {"reference-outside", "reference-unreadable"}


@cases("link", ["folder", "document"])
def test_links_lead_to_the_folder_of_the_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: str
) -> None:
    reference = "../common/fine.json" if link == "folder" else "../api/common/fine.json"
    path = place_files(tmp_path / "there", None, reference)
    here = tmp_path / "here"
    here.mkdir()
    if link == "folder":
        (tmp_path / "there" / "api" / ".git").mkdir()
        (here / "v1").symlink_to(path.parent)
        path = here / "v1" / path.name
    else:
        (here / "latest.json").symlink_to(path)
        (tmp_path / "api").symlink_to(tmp_path / "there" / "api")
        path = here / "latest.json"
        (tmp_path / ".git").mkdir()
    monkeypatch.chdir(here)
    assert read_response(path)[0] == RESPONSE


ID = "https://library.example/schemas/loan.json"
WANTED = {"type": "string", "maxLength": 5}
OTHER = {"type": "string", "maxLength": 6}
# The reference in loan.json, a schema; what else it has, beside `$id`; and other files.
IDENTIFIED: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "relative, of a schema below": (
        "state",
        {"$id": ID, "$defs": {"a": {"$id": "state", **WANTED}}},
        {},
    ),
    "with the name of a file": (
        "state.json",
        {"$id": ID, "$defs": {"a": {"$id": "state.json", **WANTED}}},
        {"state.json": OTHER},
    ),
    "absolute": (
        "https://library.example/state",
        {"$id": ID, "$defs": {"a": {"$id": "/state", **WANTED}}},
        {},
    ),
    "with a fragment": (
        "state#/$defs/b",
        {"$id": ID, "$defs": {"a": {"$id": "state", "$defs": {"b": WANTED}}}},
        {},
    ),
    "with an anchor": (
        "state#b",
        {"$id": ID, "$defs": {"a": {"$id": "state", "$defs": {"b": {"$anchor": "b", **WANTED}}}}},
        {},
    ),
    "of the file": (f"{ID}#/$defs/a", {"$id": ID, "$defs": {"a": WANTED}}, {}),
    "a fragment": ("#/$defs/a", {"$id": ID, "$defs": {"a": WANTED}}, {}),
    "of a file beside it": ("state.json", {"$id": ID}, {"state.json": WANTED}),
    "of a file in a folder": (
        "state.json",
        {"$id": "parts/loan.json"},
        {"state.json": OTHER, "parts/state.json": WANTED},
    ),
    "of a file that the address does not lead to": (
        "state.json",
        {"$id": "parts/loan.json"},
        {"state.json": WANTED},
    ),
}


@cases("name", IDENTIFIED)
def test_schema_in_another_file_has_an_address(tmp_path: Path, name: str) -> None:
    reference, loan, files = IDENTIFIED[name]
    content = {"application/json": {"schema": {"$ref": "loan.json"}}}
    responses = {"200": {**RESPONSE, "content": content}}
    document = {**HEAD, "paths": {"/a": {"get": {"responses": responses}}}}
    loan = {**loan, "properties": {"state": {"$ref": reference}}}
    for path, value in {"openapi.json": document, "loan.json": loan, **files}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(json.dumps(value))
    read = open_document(tmp_path / "openapi.json", "openapi.json", Readings()).content
    schemas = read["components"]["schemas"]
    goal = schemas["loan"]["properties"]["state"]["$ref"]
    found = schemas[goal.removeprefix("#/components/schemas/")]
    assert {key: found[key] for key in WANTED} == WANTED
