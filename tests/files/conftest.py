"""Output folders, empty and written."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.written_trees import OLD, artifacts

from dateline.files import switching, write


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An output folder that doesn't exist yet, in the current directory."""
    monkeypatch.chdir(tmp_path)
    return Path("generated")


@pytest.fixture(params=["exchange", "two renames"])
def written(folder: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An output folder with OLD, switched in one of the two ways."""
    if request.param == "two renames":
        monkeypatch.setattr(switching, "EXCHANGES", {})
    write(artifacts(OLD), folder)
    return folder
