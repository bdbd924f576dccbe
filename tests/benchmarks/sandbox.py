"""The rows of the table about the reference server: its cost, and its promises."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.measure import Case, FailedError
from benchmarks.rows import Row, SkippedError, scaled, script

_MANY: Final = 1_000_000
"""How many transactions the listing is measured with."""


def _job(*arguments: str) -> list[str]:
    return script("sandboxed.py", *arguments)


def _prepare_filled(
    database: str, amount: int, measured: tuple[str, ...], against: tuple[str, ...], phase: str
) -> Callable[[Path], Case]:
    """Return a function that fills a database and then measures one job, compared with another."""

    def prepare(root: Path) -> Case:
        _need(database)
        filled = _fill(database, scaled(amount)).name
        # a database belongs to the user who runs it
        subprocess.run(["cp", "-a", f"{filled}/.", root], check=True)
        first, second = (_job(job, database, *rest) for job, *rest in (measured, against))
        return Case(root, first, second, phase=phase)

    return prepare


@cache
def _fill(database: str, amount: int) -> TemporaryDirectory[str]:
    """Return a folder with a *database* of *amount* transactions, which several rows share."""
    folder = TemporaryDirectory(prefix="bench-")
    # in a separate process, so that its peak memory doesn't count for measured ones
    ran = subprocess.run(
        _job("fill", database, str(amount)),
        cwd=folder.name,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise FailedError(ran.stderr.strip())
    return folder


@cache
def _need(database: str) -> None:
    """Raise SkippedError if there can be no such database here."""
    # imported only by its rows, since imports here add to the memory of all that is measured
    from support.clusters import UnavailableError, cluster

    if database == "postgresql":
        try:
            with cluster():
                return
        except UnavailableError as reason:
            raise SkippedError(f"PostgreSQL: {reason}") from None


def _listing(database: str) -> Row:
    return Row(
        name=f"listing-{database}",
        what=f"the last page of 100 of {_MANY:,} transactions on {database}, over HTTP",
        against="the first",
        prepare=_prepare_filled(
            database, _MANY, ("listing", "last"), ("listing", "first"), "request"
        ),
        ratio=1.5,
        about="To hold 100 transactions to the contract and to write them. Where a page begins is "
        "found in an index, whichever page it is.",
        runs=3,
    )


def _rare(database: str) -> Row:
    return Row(
        name=f"listing-rare-{database}",
        what=f"a page of the one of {_MANY:,} transactions with its status on {database}, by HTTP",
        against="the first page of 100",
        prepare=_prepare_filled(
            database, _MANY, ("listing", "rare"), ("listing", "first"), "request"
        ),
        ratio=1.0,
        about="To ask: an index has the partner's transactions by their statuses.",
        runs=3,
    )


def _promise(name: str, what: str, kind: str, *amounts: int, about: str) -> Row:
    """Return a row about a job on PostgreSQL, compared with the same on SQLite."""

    def prepare(root: Path) -> Case:
        _need("postgresql")
        rest = [str(scaled(amount)) for amount in amounts]
        return Case(root, _job(kind, "postgresql", *rest), _job(kind, "sqlite", *rest))

    return Row(name=name, what=what, against="SQLite", prepare=prepare, about=about, runs=0)


ROWS: Final = (
    _listing("sqlite"),
    _listing("postgresql"),
    _rare("sqlite"),
    _rare("postgresql"),
    Row(
        name="listing-two",
        what="the time of a request at two processes on PostgreSQL, with eight callers",
        against="at one",
        prepare=_prepare_filled(
            "postgresql",
            100_000,
            ("listing", "first", "2"),
            ("listing", "first", "1"),
            "of many",
        ),
        ratio=1 / 1.6,
        about="Nine tenths of a request is the server's own work, most of it to hold 100 "
        "transactions to the contract; its callers and PostgreSQL share the processors with it.",
        runs=3,
    ),
    Row(
        name="stalling",
        what="the 99th percentile of a request while 100 others stall, on SQLite",
        against="while none stalls",
        prepare=_prepare_filled("sqlite", 5000, ("stalling", "100"), ("stalling", "0"), "p99"),
        ratio=1.5,
        about="A connection that stalls is a socket and a timer.",
        runs=3,
    ),
    _promise(
        "retries",
        "2,000 POSTs at one time over 50 idempotency keys, two processes on PostgreSQL",
        *("storm", 2000, 50),
        about="Each key has one effect and one answer; another body is refused, and another "
        "account sees nothing.",
    ),
    _promise(
        "calls",
        "2,000 calls of the generated client at a server that is killed five times",
        *("calls", 2_000, 5),
        about="The client sends again what failed, with the key of the first attempt.",
    ),
    _promise(
        "crashes",
        "600 POSTs while the server is killed 15 times, on PostgreSQL",
        *("crashes", 600, 15),
        about="No effect is doubled, and none is lost to who tries again.",
    ),
    _promise(
        "paging",
        "60 rows in pages of 1 to 100, both ways, while four write, on PostgreSQL",
        "paging",
        about="Every row that was there is seen once; who follows the end misses nothing.",
    ),
)
