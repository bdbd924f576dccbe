"""Outputs are fresh unless an input or output has changed, and nothing else matters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dateline.fresh import digest, digest_inputs

EDITS: dict[str, Callable[[Path], object]] = {
    "a source": lambda root: (root / "schemas/api.yaml").write_text("b"),
    "a new source": lambda root: (root / "schemas/more.yaml").touch(),
    "a source less": lambda root: (root / "schemas/api.yaml").unlink(),
    "a source's name": lambda root: (root / "schemas/api.yaml").rename(root / "schemas/b.yaml"),
    "a template": lambda root: (root / "templates/deep/one.jinja").write_text("b"),
    "a day, where waivers end": lambda root: (root / "schemas/waivers.yaml").touch(),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("schemas/api.yaml", "templates/deep/one.jinja"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("a")
    return tmp_path


@pytest.mark.parametrize("edit", EDITS)
def test_every_input_matters(root: Path, edit: str) -> None:
    before = digest_inputs(root / "schemas", root / "templates")
    assert digest_inputs(root / "schemas", root / "templates") == before
    EDITS[edit](root)
    assert digest_inputs(root / "schemas", root / "templates") != before


def test_options_matter(root: Path) -> None:
    asked = [
        digest_inputs(root / "schemas"),
        digest_inputs(root / "schemas", strict=True),
        digest_inputs(root / "schemas", root / "templates"),
    ]
    assert len(set(asked)) == 3


def test_file_can_not_be_mistaken_for_two(root: Path) -> None:
    one, two = root / "one", root / "two"
    one.mkdir()
    two.mkdir()
    (one / "a").write_bytes(b"xb\x006\x00file y")
    (two / "a").write_bytes(b"x")
    (two / "b").write_bytes(b"y")
    assert digest(one) != digest(two)


def test_caches_do_not_matter(root: Path) -> None:
    before = digest(root)
    (root / "schemas/__pycache__").mkdir()
    (root / "schemas/__pycache__/x").touch()
    (root / "schemas/x.pyc").touch()
    assert digest(root) == before
