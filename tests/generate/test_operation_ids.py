"""Operations of published documents have Python names, whatever their ids are."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any, Final

import pytest
from support.commands import dateline

# The beginning of an id, or a complete one.
IDS: Final = (
    *("7", "1x", "2/b", "9.9", "200", "é", "日本", "_x", "__init__", "a b", "class", "None", "str"),
)


def document(newest: bool) -> dict[str, Any]:
    """Return the document of a version; all bodies differ between two versions."""

    def described(kind: str) -> dict[str, Any]:
        below = {"type": "object", "properties": {"1": {"type": kind}}, "required": ["1"]}
        value = {"type": "object", "properties": {"a": below, "2b": {"enum": ["1", "x"]}}}
        return {"description": "d", "content": {"application/json": {"schema": value}}}

    text, number = ("string", "integer") if newest else ("integer", "string")
    single = {"description": "d", "content": {"application/json": {"schema": {"type": number}}}}
    query = {"name": "3", "in": "query", "schema": {"type": "string", "enum": ["a", "1"]}}
    paths = {
        f"/{index}": {
            "post": {
                "operationId": called,
                "parameters": [query],
                "requestBody": described(text),
                "responses": {
                    "200": described(number),
                    "201": described(text) if newest else single,
                    "4XX": described("string"),
                },
            }
        }
        for index, called in enumerate(IDS)
    }
    return {"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "paths": paths}


def test_python_of_all_operation_ids_is_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, newest in (("old", False), ("new", True)):
        Path(f"{name}.json").write_text(json.dumps(document(newest)), encoding="utf-8")
    adopted = dateline("adopt", "2024-01-01=old.json", "2025-01-01=new.json")
    assert (adopted.status, dateline("generate").status) == (0, 0)
    files = [*Path("generated").rglob("*.py")]
    assert {"converted.py", "handlers.py"} <= {path.name for path in files}
    for path in files:
        read = ast.parse(path.read_text("utf-8"), str(path))
        classes = [node.name for node in ast.walk(read) if isinstance(node, ast.ClassDef)]
        assert len({*classes}) == len(classes)
