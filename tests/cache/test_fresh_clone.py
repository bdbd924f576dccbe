"""In a new clone, outputs are compared with what the definitions generate, as anywhere else."""

from __future__ import annotations

import shutil
from pathlib import Path

from support.sources import LIBRARY, folder

from dateline.cache import FILE
from dateline.fresh import name_home
from dateline.generate import Workspace, generate, list_stale


def test_outputs_are_stale_in_a_new_clone_if_they_are_elsewhere(tmp_path: Path) -> None:
    workspace = Workspace(schemas=folder(tmp_path, LIBRARY), output=tmp_path / "generated")
    generate(workspace)
    assert Path(name_home(workspace.output), FILE).is_file()
    edited = next(workspace.output.glob("python/*/server/routes.py"))
    for content in (edited.read_bytes(), b"edited"):
        edited.write_bytes(content)
        known = list_stale(workspace)
        shutil.rmtree(name_home(workspace.output))
        assert list_stale(workspace) == known
        # what was read is cached for the next run
        assert list_stale(workspace) == known
    assert [str(each).partition(":")[2] for each in known] == [" edited"]
