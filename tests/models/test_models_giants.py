"""Models of large real documents, if a folder with them exists (DATELINE_DATA)."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.modelling import Package

_DATA = os.environ.get("DATELINE_DATA")
_HEADS = sorted(Path(_DATA).glob("*/head.*")) if _DATA else []

# Uses a type of every fiftieth name: building its schema also builds those that it refers to.
_USE = """
import sys
from importlib import import_module
from pydantic import TypeAdapter
module = import_module(sys.argv[1])
for name in module.__all__[1::50]:
    TypeAdapter(getattr(module, name)).json_schema()
print(len(module.__all__))
"""


def _document(path: Path) -> dict[str, Any]:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if ".json" in path.suffixes:
        made = json.loads(content)
    else:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        made = json.loads(json.dumps(yaml.load(content, Loader=loader), default=str))
    assert isinstance(made, dict)
    return made


@pytest.mark.skipif(not _HEADS, reason="DATELINE_DATA names no folder with documents")
@pytest.mark.parametrize("path", _HEADS, ids=[path.parent.name for path in _HEADS])
def test_models_of_every_real_document_can_be_imported(path: Path, tmp_path: Path) -> None:
    made = _document(path)
    package = Package(tmp_path, {"2024-01-01": made})
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", _USE, f"{package.name}.v2024_01_01"],
        cwd=package.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""
    assert int(ran.stdout) > len(made["components"]["schemas"])
