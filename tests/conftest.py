"""Settings that every test runs under."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import none
from support.reports import shorten_reports
from support.scratch import use_memory

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

# Byte code is kept, whatever the surroundings say: compiling dateline takes each process longer
# than most commands.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Nothing here is encrypted: to read all the authorities that the machine trusts takes each client
# of httpx longer than most of what it is made for. It reads those of a folder when it needs them.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)

# What is written survives the end of the process; only a power cut would show whether it is on
# the disk as well, and thousands of files take long to get there.
os.fsync = lambda fd: None  # noqa: ARG005

use_memory()

# All that is collected stays until the end: without the garbage collector, which would walk it
# over and over, that takes half as long.
gc.disable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than there are processors: some tests wait, for what has to stall."""
    return len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else [0]) + 1


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let processes that xdist started report what is printed."""
    shorten_reports(session.config)


def pytest_collection_finish() -> None:
    """Let the garbage collector come within a test only where that makes very much."""
    gc.freeze()
    gc.set_threshold(3_000_000, 20, 20)
    gc.enable()
    _start_hypothesis()


@given(none())
def _start_hypothesis(_: None) -> None:
    """Let Hypothesis look once through all objects now, while that takes little."""


def pytest_runtest_logfinish() -> None:
    """Collect what tests left, now that little else is alive that would have to be walked."""
    young, _, middle = gc.get_count()
    if young > 300_000:
        gc.collect(2 if middle > 20 else 1)


def pytest_unconfigure() -> None:
    """Collect once what the last tests left: pytest does so five times, in search of errors."""
    gc.collect(1)
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def user_caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the secret of the cache out of the home of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "user-caches"))
        yield


@pytest.fixture(scope="session", autouse=True)
def mypy_cache(pytestconfig: pytest.Config) -> Iterator[None]:
    """Let all runs of mypy, in later sessions as well, share what they know of libraries.

    Each process has a copy, as mypy writes into it. It begins with what `make test` found out.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    folder = pytestconfig.rootpath / ".pytest_cache" / "mypy" / worker
    known = pytestconfig.rootpath / ".mypy_cache"
    if known.is_dir() and not folder.exists():
        shutil.copytree(known, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPY_CACHE_DIR", str(folder))
        yield
