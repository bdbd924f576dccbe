"""A library API with a record of its additions."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.additions import CLEAN, PAGES_FIELD, cut_next, publish
from support.commands import dateline
from support.repositories import (
    DAY,
    FILES,
    commit,
    enter_copy,
    git,
    repository,
)


@pytest.fixture(scope="session")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which a version was cut, so that there is a record."""
    root = repository(tmp_path_factory.mktemp("cut"), FILES)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        assert dateline("cut", DAY, "--title", "As before.", "--undisclosed").status == CLEAN
        commit()
        git("repack", "-adq")
    return root


@pytest.fixture(scope="session")
def cut_twice(cut: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose record has a closed period, with an additional field."""
    with pytest.MonkeyPatch.context() as patch:
        root = enter_copy(cut, tmp_path_factory.mktemp("twice"), patch)
        publish(PAGES_FIELD)
        cut_next()
        commit()
    return root


@pytest.fixture
def closed(cut_twice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project whose record has a closed period in the current folder."""
    return enter_copy(cut_twice, tmp_path, monkeypatch)


@pytest.fixture
def project(cut: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project with a record in the current folder."""
    return enter_copy(cut, tmp_path, monkeypatch)
