"""Settings that every test runs under."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from hypothesis.strategies import none
from support import launched
from support.reports import shorten_reports
from support.scratch import use_memory
from support.seeds import scale

from dateline import collector

# The same examples in every run and on every machine, so that a failure can be reproduced. No
# deadlines: a busy machine is no defect of the code.
settings.register_profile(
    "dateline",
    max_examples=scale(60),
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("dateline")

# Nor do they depend on which modules other tests have imported: Hypothesis would parse all of them,
# generated packages as well, and try their constants.
pytest.MonkeyPatch().setattr(providers, "_get_local_constants", Constants)

# Keep bytecode, whatever the environment says: compiling dateline takes each process longer than
# most commands do.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# No test uses TLS. Loading all certificate authorities of the machine takes longer than most of
# what an httpx client is created for; from a folder, they are loaded on demand.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)

# For each request, httpx and httpcore try to import sniffio, which comes with trio. If it isn't
# installed, Python would look through all folders each time.
if find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]

# Skip fsync: files survive the end of a process anyway, only a power cut would lose them, and
# syncing thousands of files takes long.
os.fsync = lambda fd: None  # noqa: ARG005

use_memory()

# Let the C library keep freed memory: it would look for it among the objects of thousands of tests.
collector.MUCH = sys.maxsize

# Collection creates many objects that all live until the end: without the garbage collector, which
# would walk them repeatedly, it takes half as long.
gc.disable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the number of processors plus one, since some tests wait for stalled connections."""
    return len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else [0]) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let xdist workers share one process that forks commands, since its imports take long."""
    node.workerinput["launch_folder"] = str(launched.launch_folder())


def pytest_sessionstart(session: pytest.Session) -> None:
    """Reduce what xdist workers report to what is printed, and use what they share."""
    shorten_reports(session.config)
    given = getattr(session.config, "workerinput", {})
    if "launch_folder" in given:
        launched.use_folder(Path(given["launch_folder"]))


def pytest_collection_finish() -> None:
    """Let the garbage collector run only within tests that create very many objects."""
    gc.freeze()
    gc.set_threshold(3_000_000, 20, 20)
    gc.enable()
    _start_hypothesis()


@given(none())
def _start_hypothesis(_: None) -> None:
    """Let Hypothesis do its one pass over all objects now, while there are few."""


def pytest_runtest_logfinish() -> None:
    """Collect the garbage of tests between them, while few other objects are alive."""
    young, _, middle = gc.get_count()
    if young > 300_000:
        gc.collect(2 if middle > 20 else 1)


def pytest_unconfigure() -> None:
    """Collect once what the last tests left; pytest would do so five times to find errors."""
    gc.collect(1)
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def user_caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the secret of the cache out of the user's home folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "user-caches"))
        yield


@pytest.fixture(scope="session", autouse=True)
def mypy_cache(pytestconfig: pytest.Config) -> Iterator[None]:
    """Share mypy's cache of libraries between all runs, in later sessions as well.

    Each process has a copy, because mypy writes into it. It starts with what `make test` found out.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    folder = pytestconfig.rootpath / ".pytest_cache" / "mypy" / worker
    known = pytestconfig.rootpath / ".mypy_cache"
    if known.is_dir() and not folder.exists():
        shutil.copytree(known, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPY_CACHE_DIR", str(folder))
        yield
