"""Servers of large real documents, if a folder with them exists (DATELINE_DATA)."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.generated_server import Generated
from support.mock_answers import judge_gets

from dateline.adopt import adopt
from dateline.load import load

_DATA = os.environ.get("DATELINE_DATA")
_HEADS = sorted(Path(_DATA).glob("*/head.*.gz")) if _DATA else []
_CHAINS = [sorted(path.parent.glob("*.gz")) for path in _HEADS]
_CHAINS += [sorted(path.glob("*.gz")) for path in Path(_DATA).glob("chain-*")] if _DATA else []

# Has a handler for everything, and no converters.
_USE = """
import sys
from importlib import import_module

class Handlers:
    def __getattr__(self, name):
        return self
    def __call__(self, *given, **said):
        raise NotImplementedError

server = import_module(f"{sys.argv[1]}.server")
routes = import_module(f"{sys.argv[1]}.server.routes")
said = {"authenticate": print} if any(each.security for each in routes.OPERATIONS) else {}
server.create_app(Handlers(), environment="production", **said)
"""


@pytest.mark.skipif(not _HEADS, reason="DATELINE_DATA names no folder with documents")
@pytest.mark.parametrize("path", _HEADS, ids=[path.parent.name for path in _HEADS])
def test_every_real_document_generates_a_server(path: Path, tmp_path: Path) -> None:
    document = tmp_path / path.stem
    document.write_bytes(gzip.decompress(path.read_bytes()))
    adopt((f"2024-01-01={document}",), tmp_path / "schemas")
    package = Generated(tmp_path, load(tmp_path / "schemas"))
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", _USE, package.name],
        cwd=package.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(not _CHAINS, reason="DATELINE_DATA names no folder with documents")
@pytest.mark.parametrize("paths", _CHAINS, ids=[paths[0].parent.name for paths in _CHAINS])
def test_every_get_of_a_mock_is_answered_as_its_version_declares(
    paths: list[Path], tmp_path: Path
) -> None:
    documents = []
    for number, path in enumerate(paths):
        document = tmp_path / path.stem
        document.write_bytes(gzip.decompress(path.read_bytes()))
        documents.append(f"20{number + 10}-01-01={document}")
    adopt(tuple(documents), tmp_path / "schemas", accept=lambda _: True)
    statuses, wrong = judge_gets(tmp_path / "schemas")
    assert wrong == []
    assert statuses[200] > 10 * statuses[501]
