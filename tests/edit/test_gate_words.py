"""Parts that gating restores keep the description that each version had."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import dateline
from support.sources import LIBRARY, LOANS, folder

NOTE = """\
        note:
          type: object
          description: What was noted.
          x-was: { 2025-06-01: { description: A remark. }, 2024-09-01: { description: null } }
          properties:
            by:
              type: string
              description: A librarian.
              x-was: { 2024-09-01: { description: A clerk., x-team: desk } }
"""
FULL = """\
        - name: full
          in: query
          description: Whether to show all.
          x-was: { 2025-06-01: { description: All or not. } }
          schema: { type: boolean }
"""
PARAMETERS = (
    "      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]\n",
    "      parameters:\n"
    "        - { name: id, in: path, required: true, schema: { type: string } }\n",
)
MARK = """\
    Mark:
      type: object
      description: A mark in a book.
      x-was: { 2024-09-01: { description: A page. } }
      properties: { page: { type: integer } }
"""
MARKED = "        mark: { $ref: '#/components/schemas/Mark' }\n"


def library(note: str, full: str, mark: str, marked: str) -> str:
    text = LOANS.replace(PARAMETERS[0], PARAMETERS[1] + full, 1)
    text = text.replace("        note: { type: string }\n", note + marked)
    return text.replace("    LoanState:\n", mark + "    LoanState:\n")


def render_frozen(root: Path) -> dict[str, str]:
    """Return the documents of all cut versions except the newest."""
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted(root.glob("generated/spec/*/20*.yaml"))
    }


def test_restored_part_has_the_description_of_each_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A field with fields of its own, a parameter, and a component with the field that uses it."""
    monkeypatch.chdir(tmp_path)
    folder(tmp_path, {**LIBRARY, "loans.yaml": library(NOTE, FULL, MARK, MARKED)})
    assert dateline("generate").status == 0
    before = render_frozen(tmp_path)
    folder(tmp_path, {**LIBRARY, "loans.yaml": library("", "", "", "")})
    gated = dateline("gate")
    assert (gated.status, gated.err) == (0, "")
    assert dateline("generate").status == 0
    assert render_frozen(tmp_path) == before
