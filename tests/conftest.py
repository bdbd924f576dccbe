"""Settings that every test runs under."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run, on every machine: a failure seen once is seen again. No clock
# is looked at, since a busy machine is no defect of the code.
settings.register_profile(
    "dateline",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("dateline")


@pytest.fixture(scope="session", autouse=True)
def user_caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the secret of the cache out of the home of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "user-caches"))
        yield


@pytest.fixture(scope="session", autouse=True)
def mypy_cache(pytestconfig: pytest.Config) -> Iterator[None]:
    """Let all runs of mypy, in later sessions as well, share what they know of libraries."""
    folder = Path(pytestconfig.rootpath) / ".pytest_cache" / "mypy"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPY_CACHE_DIR", str(folder / os.environ.get("PYTEST_XDIST_WORKER", "main")))
        yield
