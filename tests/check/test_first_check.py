"""Check definitions that were adopted, before anything is generated from them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

import pytest
from support.commands import Outcome, dateline
from support.repositories import commit, git

DOCUMENT: Final[dict[str, Any]] = {
    "openapi": "3.0.0",
    "info": {"title": "Library", "version": "1"},
    "paths": {"/loans": {"get": {"responses": {"204": {"description": "none"}}}}},
}

NOTHING: Final = Outcome(
    0,
    "compared with the documents in generated/spec, where nothing is published\nno findings\n",
    "nothing was compared: run `dateline generate`, and commit generated\n",
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with definitions adopted from one document."""
    monkeypatch.chdir(tmp_path)
    Path("old.json").write_text(json.dumps(DOCUMENT))
    assert dateline("adopt", "2024-01-15=old.json").status == 0
    return tmp_path


def write_back() -> None:
    """Change the status of the only response."""
    (path,) = (one for one in Path("schemas").glob("*.yaml") if "204" in one.read_text())
    path.write_text(path.read_text().replace("204", "202"))


@pytest.mark.usefixtures("project")
def test_adopted_definitions_are_checked_without_a_baseline() -> None:
    assert dateline("check") == NOTHING
    assert dateline("generate").status == 0
    write_back()
    assert dateline("check").status == 1


@pytest.mark.usefixtures("project")
def test_invalid_definitions_are_refused() -> None:
    with Path("schemas/versions.yaml").open("a") as table:
        table.write("unknown: 1\n")
    refused = dateline("check")
    assert (refused.status, refused.out) == (3, "")


@pytest.mark.usefixtures("project")
def test_named_baseline_without_documents_is_refused() -> None:
    Path("empty").mkdir()
    assert dateline("check", "--against", "empty").status == 3


@pytest.mark.usefixtures("project")
def test_authored_definitions_need_published_outputs() -> None:
    table = Path("schemas/versions.yaml")
    table.write_text(table.read_text().replace("lint: adopted\n", ""))
    assert dateline("check").status == 3


@pytest.mark.usefixtures("project")
def test_committed_definitions_need_published_outputs() -> None:
    git("init", "--quiet", "--initial-branch=main")
    assert dateline("check") == NOTHING
    commit()
    refused = dateline("check")
    assert (refused.status, refused.out) == (3, "")
    assert "baseline-empty" in refused.err


@pytest.mark.usefixtures("project")
def test_outputs_deleted_after_a_commit_are_the_baseline() -> None:
    assert dateline("generate").status == 0
    git("init", "--quiet", "--initial-branch=main")
    commit()
    shutil.rmtree("generated")
    shutil.rmtree(".generated.dateline")
    write_back()
    assert dateline("check").status == 1
