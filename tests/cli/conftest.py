"""The library project with its outputs, generated once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support.commands import dateline
from support.sources import LIBRARY, folder


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library project with its outputs, to be copied and not modified."""
    made = tmp_path_factory.mktemp("library")
    folder(made, LIBRARY)
    before = Path.cwd()
    os.chdir(made)
    try:
        assert dateline("generate").status == 0
    finally:
        os.chdir(before)
    return made


@pytest.fixture
def built(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The library project with its outputs, as the current folder."""
    made = tmp_path / "generated-library"
    shutil.copytree(library, made)
    monkeypatch.chdir(made)
    return made
