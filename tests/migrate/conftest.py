"""The project whose callers are migrated."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import dateline
from support.migrating import SOURCES
from support.sources import folder


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with its outputs."""
    root = tmp_path_factory.mktemp("library")
    folder(root, SOURCES)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        outcome = dateline("generate")
        assert outcome.status == 0, outcome.err
    return root
