"""The databases that tests of the reference server run on: SQLite, unless they ask for both."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from support.clusters import Cluster, UnavailableError, cluster
from support.sandboxes import Caller, Sandbox, sandbox


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Cluster]:
    """Yield a running PostgreSQL; skip if none can be started."""
    try:
        with cluster() as running:
            yield running
    except UnavailableError as error:
        pytest.skip(f"PostgreSQL can't be started here: {error}")


@pytest.fixture(scope="session", params=["sqlite"])
def new_database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], str]:
    """Return a function that creates an empty database and returns its address."""
    if request.param == "sqlite":
        return lambda: f"sqlite:///{tmp_path_factory.mktemp('data') / 'sandbox.sqlite'}"
    running: Cluster = request.getfixturevalue("postgresql")
    return running.database


@pytest.fixture(scope="session")
def environments(new_database: Callable[[], str]) -> Iterator[dict[str, Sandbox]]:
    """Yield servers of both environments on one database."""
    address = new_database()
    with sandbox(address) as simulating, sandbox(address, "production") as production:
        yield {"sandbox": simulating, "production": production}


@pytest.fixture
def partner(environments: dict[str, Sandbox]) -> Caller:
    """Return a new partner in the sandbox."""
    return environments["sandbox"].partner()


@pytest.fixture
def other(environments: dict[str, Sandbox]) -> Caller:
    """Return another partner in the sandbox."""
    return environments["sandbox"].partner()
