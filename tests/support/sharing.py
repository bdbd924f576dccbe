"""A repository with two APIs that refer to files in a shared folder."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from support.commands import dateline
from support.repositories import commit, git, slim

MONEY: Final = """\
Money:
  type: object
  required: [amount, currency]
  properties:
    amount: { type: string }
    currency: { $ref: 'sub/currency.yaml' }
    note: { type: string }
"""
MONEY_FILE: Final = "common/money.yaml"

_TABLE: Final = """\
shared: [../../../common]
versions:
  - { date: 2026-01-01, title: First. }
environments: { production: { servers: [{ url: https://api.example.com }] } }
"""

_API: Final = """\
openapi: 3.1.0
info: {{ title: {title}, version: '1' }}
paths:
  /{name}:
    get:
      operationId: get{title}
      parameters:
        - {{ name: X-API-Version, in: header, schema: {{ type: string }} }}
      responses:
        '200':
          description: It.
          content:
            application/json:
              schema:
                type: object
                properties: {{ price: {{ $ref: '../../../common/money.yaml#/Money' }} }}
"""

NAMES: Final = ("cards", "loans")
FILES: Final = {
    "dateline.toml": 'projects = ["apis/*"]\n',
    MONEY_FILE: MONEY,
    "common/sub/currency.yaml": "type: string\nenum: [EUR, USD]\n",
    # nothing refers to this file, so it concerns no API
    "common/notes.yaml": "key: [",
    "common/other/x.json": "{",
    **{f"apis/{name}/schemas/versions.yaml": _TABLE for name in NAMES},
    **{
        f"apis/{name}/schemas/api.yaml": _API.format(name=name, title=name.title())
        for name in NAMES
    },
}


def workspace(root: Path) -> Path:
    """Make *root* a repository in which both APIs are published."""
    return shutil.copytree(_publish().name, root, symlinks=True, dirs_exist_ok=True)


@cache
def _publish() -> TemporaryDirectory[str]:
    made = TemporaryDirectory()
    for name, text in FILES.items():
        path = Path(made.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made.name)
        git("init", "--quiet", "--initial-branch", "main")
        assert dateline("generate", "--quiet").status == 0
        commit()
        slim()
    return made


def edit(name: str, old: str, new: str) -> None:
    """Replace *old*, which occurs once, in the file *name* of the working folder."""
    path = Path(name)
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, name
    path.write_text(text.replace(old, new), encoding="utf-8")
