"""What a handler gives is what callers of each version are shown, as a plain value or a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.served_values import served


@pytest.mark.parametrize("name", ["payment", "library", "3", "7"])
def test_what_a_handler_gives_is_shown_as_each_version_promises(name: str, tmp_path: Path) -> None:
    assert list(served(tmp_path, name).wrong(25)) == []
