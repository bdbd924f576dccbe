"""What can't be served is refused when it is cut, in adopted definitions, too."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support.commands import dateline


def write(name: str, *required: str) -> None:
    fields = {"id": {"type": "string"}} | {each: {"type": "integer"} for each in required}
    schema = {"type": "object", "required": [*fields], "properties": fields}
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    post = {"requestBody": body, "responses": {"204": {"description": "Done"}}}
    info = {"title": "Library", "version": "1"}
    paths = {"/loans": {"post": post}}
    Path(name).write_text(json.dumps({"openapi": "3.1.0", "info": info, "paths": paths}))


def commit() -> None:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.com"]
    for words in ("init -q", "add .", "commit -q -m one"):
        subprocess.run(["git", *identity, *words.split()], check=True)


def test_draft_that_a_check_refuses_is_not_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("older.json")
    write("newer.json", "pages")
    assert dateline("adopt", "2024-01-15=older.json").status == 0
    assert dateline("generate").status == 0
    commit()
    assert dateline("adopt", "next=newer.json").status == 0
    commit()
    assert dateline("check").status == 1
    refused = dateline("cut", "2025-06-01", "--title", "Pages are required.")
    assert refused.status == 1
    assert "[request-without-way-up]" in refused.out + refused.err
    assert "next" in Path("schemas/versions.yaml").read_text()
