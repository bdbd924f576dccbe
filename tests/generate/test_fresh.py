"""Outputs are fresh unless an input or output has changed, and nothing else matters."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from dateline.cli import main as commands
from dateline.fresh import VARIABLES, digest, digest_inputs, has_settings
from dateline.model import current_day

EDITS: dict[str, Callable[[Path], object]] = {
    "a source": lambda root: (root / "schemas/api.yaml").write_text("b"),
    "a new source": lambda root: (root / "schemas/more.yaml").touch(),
    "a source less": lambda root: (root / "schemas/api.yaml").unlink(),
    "a source's name": lambda root: (root / "schemas/api.yaml").rename(root / "schemas/b.yaml"),
    "a template": lambda root: (root / "templates/deep/one.jinja").write_text("b"),
    "who may approve waivers": lambda root: (root / "schemas/waivers.yaml").touch(),
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


def test_day_matters(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    today = digest_inputs(root / "schemas")
    monkeypatch.setattr(time, "gmtime", lambda: time.struct_time((2001, 2, 3, 4, 5, 6, 5, 34, 0)))
    assert digest_inputs(root / "schemas") != today


def test_time_zone_does_not_matter(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = set()
    try:
        for zone in ("AAA-14", "BBB+12"):
            # it is never the same day in both
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            found.add((digest_inputs(root / "schemas"), current_day()))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert len(found) == 1


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


def test_only_variables_of_options_are_settings(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    for name in ("DATELINE_TOKEN", "DATELINE_NAME", "DATELINE_SCHEMA", "_DATELINE_OUTPUT"):
        monkeypatch.setenv(name, "x")
    assert not has_settings()
    for name in VARIABLES.values():
        with monkeypatch.context() as patch:
            patch.setenv(name, "x")
            assert has_settings(), name


def test_options_are_set_by_their_variables() -> None:
    found = {
        str(option.envvar)
        for command in commands.commands.values()
        for option in command.params
        if isinstance(option, click.Option) and option.envvar
    }
    assert {name for name in found if name.startswith("DATELINE_")} == {*VARIABLES.values()}
