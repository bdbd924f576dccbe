"""The first file of handlers runs, and is never overwritten."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import httpx
import pytest
from support.launched import launch_folder
from support.sources import LIBRARY, folder
from support.written_trees import tree

from dateline.edit import NotEmptyError, init, init_server
from dateline.generate import Workspace, generate
from dateline.model import SourceError

ID = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"


def run_server(root: Path, port: int) -> subprocess.Popen[str]:
    """Run the application of `server.py` in *root* as its first lines explain."""
    command = [str(launch_folder() / "python"), "-m", "uvicorn", "server:app", "--port", str(port)]
    return subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True)


def test_new_project_has_runnable_handlers_to_fill_in(tmp_path: Path) -> None:
    init(tmp_path)
    assert init_server(tmp_path) == tmp_path / "server.py"
    generate(Workspace(schemas=tmp_path / "schemas", output=tmp_path / "generated"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with run_server(tmp_path, port) as process:
        try:
            assert process.stderr is not None
            while "Uvicorn running" not in process.stderr.readline():
                assert process.poll() is None
            here = f"http://127.0.0.1:{port}"
            loan = httpx.get(f"{here}/api/loans/{ID}", timeout=30)
            wrong = httpx.get(f"{here}/api/loans/7", timeout=30)
            index = httpx.get(f"{here}/spec/versions", timeout=30)
        finally:
            process.terminate()
            process.communicate(timeout=30)
    assert (loan.status_code, loan.json()) == (501, "getLoan is not written yet")
    assert (wrong.status_code, index.status_code) == (400, 200)


def test_handlers_are_never_overwritten(tmp_path: Path) -> None:
    init(tmp_path)
    mine = tmp_path / "server.py"
    mine.write_text("mine\n")
    before = tree(tmp_path)
    with pytest.raises(NotEmptyError) as refused:
        init_server(tmp_path)
    generate(Workspace(schemas=tmp_path / "schemas", output=tmp_path / "generated"))
    assert (refused.value.exit_code, str(refused.value)) == (
        2,
        f"{mine} exists already, and is yours: it is never overwritten",
    )
    assert {path: text for path, text in tree(tmp_path).items() if path in before} == before


def test_no_handlers_are_written_for_invalid_definitions(tmp_path: Path) -> None:
    folder(tmp_path, {**LIBRARY, "api.yaml": "openapi: 4"})
    with pytest.raises(SourceError):
        init_server(tmp_path)
    assert not (tmp_path / "server.py").exists()
