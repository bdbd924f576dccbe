"""A repository with a base branch and a change, cloned as CI clones it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.checkouts import Checkout, clone, make_monorepo
from support.comment_hosts import CommentHost, served_comments
from support.launched import launch_folder


@pytest.fixture(scope="session")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A monorepo with a published API on `main`, and a branch for each of two changes."""
    root = tmp_path_factory.mktemp("origin")
    make_monorepo(root)
    return root


@pytest.fixture
def breaking(origin: Path, tmp_path: Path) -> Checkout:
    """A shallow clone of the change that breaks a rule."""
    return clone(origin, "breaking", tmp_path / "breaking")


@pytest.fixture
def clean(origin: Path, tmp_path: Path) -> Checkout:
    """A shallow clone of the change that breaks none."""
    return clone(origin, "clean", tmp_path / "clean")


@pytest.fixture
def comments() -> Iterator[CommentHost]:
    """The host of the pull request."""
    with served_comments() as host:
        yield host


@pytest.fixture(autouse=True)
def _scripts_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put `dateline` on the path, as the step that installs it does."""
    folders = [launch_folder(), Path(sys.executable).parent, os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, folders)))
