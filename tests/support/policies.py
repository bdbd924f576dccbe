"""A small API with an editable policy, generated and committed."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest

from support.commands import dateline
from support.repositories import slim
from support.sources import folder

TABLE: Final = """\
header: X-API-Version
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: Initial version. }
  - { date: next, title: What comes next., draft: true }
environments: { production: { servers: [{ url: https://api.library.example }] } }
ignores-header: [Prices]
policy: { preset: dated-contract, rules: { value-added: never }, notice-days: 90 }
require-why: true
python: { package: library }
"""


API: Final = """\
openapi: 3.1.0
info: { title: Library, version: canonical }
tags: [{ name: Loans }, { name: Prices }, { name: Fines }]
paths:
  /loans:
    get:
      operationId: listLoans
      tags: [Loans]
      parameters: [{ $ref: '#/components/parameters/Version' }]
      responses:
        '200':
          description: loans
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
  /fines:
    get:
      operationId: listFines
      tags: [Fines]
      parameters: [{ $ref: '#/components/parameters/Version' }]
      responses: { '204': { description: fines } }
  /prices:
    get: { operationId: listPrices, tags: [Prices], responses: { '204': { description: prices } } }
components:
  parameters:
    Version: { name: X-API-Version, in: header, schema: { type: string } }
  schemas:
    Loan:
      type: object
      properties: { id: { type: string }, state: { type: string, enum: [active, returned] } }
"""


FINES: Final = API[API.index("  /fines:") : API.index("  /prices:")]


POLICY: Final = "policy: { preset: dated-contract, rules: { value-added: never }, notice-days: 90 }"


WAIVED: Final = ("--reason", "Agreed.", "--expires", "2999-01-01")


Edits = tuple[tuple[str, str], ...]


def git(*arguments: str, check: bool = True) -> None:
    names = ("-c", "user.name=n", "-c", "user.email=n@library.example")
    subprocess.run(["git", *names, *arguments], check=check, capture_output=True)


@cache
def _generate(table: str, api: str) -> TemporaryDirectory[str]:
    """Return a folder with a generated project, made once per process."""
    made = TemporaryDirectory()
    folder(Path(made.name), {"versions.yaml": table, "api.yaml": api})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made.name)
        outcome = dateline("generate")
        assert outcome.status == 0, outcome.err
    return made


def copy_generated(root: Path, table: str = TABLE, api: str = API) -> None:
    """Copy a generated project to *root*, without a repository."""
    shutil.copytree(_generate(table, api).name, root, dirs_exist_ok=True)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a generated project without a repository."""
    copy_generated(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@cache
def _commit() -> TemporaryDirectory[str]:
    """Return a folder with a generated project in git, made once per process."""
    made = TemporaryDirectory()
    copy_generated(Path(made.name))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made.name)
        git("init", "-q", "-b", "main")
        git("add", "-A")
        git("commit", "-q", "-m", "one")
        slim()
    return made


def copy_committed(root: Path) -> None:
    """Copy a generated and committed project to *root*."""
    shutil.copytree(_commit().name, root, symlinks=True, dirs_exist_ok=True)


@pytest.fixture
def committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a generated project, committed."""
    copy_committed(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def edit(root: Path, *edits: tuple[str, str]) -> None:
    for path in sorted((root / "schemas").glob("*.yaml")):
        text = path.read_text()
        for old, new in edits:
            text = text.replace(old, new)
        path.write_text(text)


def list_unwaived(*arguments: str) -> list[tuple[str, str, str]]:
    """Return rule, verdict and message of each change that isn't waived."""
    report = json.loads(dateline("check", "--format", "json", *arguments).out)
    changes: list[dict[str, Any]] = report["changes"]
    return sorted(
        (one["rule"], one["verdict"], one["message"]) for one in changes if one["waived"] is None
    )
