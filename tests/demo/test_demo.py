"""`dateline demo`: what a new user sees in the first minute."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from support.commands import dateline
from support.picture import PICTURE, draw_picture


def test_two_callers_see_two_versions_and_a_breaking_change_is_gated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    outcome = dateline("demo")
    assert (outcome.status, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    both = lines.index(f"{'{':<42}{{")
    assert lines[both : both + 7] == [
        "{                                         {",
        '  "id": "o_81",                             "id": "o_81",',
        '  "drink": "espresso",                      "drink": "espresso",',
        '  "state": "ready",                         "state": "served",',
        '  "guest": "Ada",                           "customer": "Ada",',
        '  "price": 240                              "cents": 240',
        "}                                         }",
    ]
    assert "400 Bad Request" in lines
    assert "2 gated" in lines
    assert lines.index("no findings") > lines.index("$ dateline gate --yes")
    assert list(tmp_path.iterdir()) == []
    # drawn by `python tests/support/picture.py`
    assert draw_picture(outcome.out) == PICTURE.read_text("utf-8")


def test_failing_step_ends_the_demo_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("PYTHONHOME", str(tmp_path / "nowhere"))
    outcome = dateline("demo")
    assert outcome.status == 2
    assert outcome.err.startswith("dateline generate: exit status 1")
    assert list(tmp_path.iterdir()) == []
