"""What `make test SEEDS=all` adds: the other three quarters of the random cases, and slow tests.

The cases are the same in every run, so that all of them are tried where time matters less: in CI.
"""

from __future__ import annotations

import os
from typing import Final

import pytest

IN_CI: Final = pytest.mark.skipif(os.environ.get("SEEDS") != "all", reason="runs with SEEDS=all")
"""Marks slow tests of what seldom changes, or of what quicker tests check as well"""


def scale(count: int) -> int:
    """Return how many of *count* random cases this run tries: at least one."""
    return count if os.environ.get("SEEDS") == "all" else -(-count // 4)


def seeds(count: int) -> range:
    """Return the seeds of a test that has *count* of them, as far as this run tries them."""
    return range(scale(count))
