"""The command line of the sandbox: its output, and what it stores and removes."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from click.testing import CliRunner
from paynet import LATEST
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from support.processes import HOST, Server, server
from support.sandboxes import BOTH_DATABASES, Caller, open_database, sandbox

from paynet_sandbox.cli import main
from paynet_sandbox.partners import FIRST
from paynet_sandbox.tables import Autoramp, Customer, Transaction

SITE = Path(__file__).parents[2] / "generated" / "site"
SMALL = ("--customers", "20", "--autoramps", "30", "--transactions", "250")


def run_command(address: str, *arguments: str, status: int = 0) -> list[str]:
    """Run a command that exits with *status*, and return the lines that it printed."""
    ran = CliRunner().invoke(main, ["--database", address, *arguments])
    assert ran.exit_code == status, ran.output
    return ran.output.splitlines()


def rows(address: str) -> list[dict[str, Any]]:
    """Return all rows of all tables."""

    async def read(session: AsyncSession) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for table in (Customer, Autoramp, Transaction):
            columns = [column for column in table.__table__.c if column.name != "latest"]
            result = await session.execute(select(*columns).order_by(table.id))
            found += [dict(row) for row in result.mappings()]
        return found

    with open_database(address) as door:
        return door.run(read)


def test_seeds_are_deterministic(new_database: Callable[[], str]) -> None:
    first, second = new_database(), new_database()
    said = ["20 customers, 30 autoramps, 250 transactions"]
    assert run_command(first, "seed", *SMALL) == run_command(second, "seed", *SMALL) == said
    assert len(rows(first)) == 300
    assert rows(first) == rows(second)


@BOTH_DATABASES
def test_data_are_filled_in_once(new_database: Callable[[], str]) -> None:
    address = new_database()
    run_command(address, "seed", *SMALL)
    before = rows(address)
    assert run_command(address, "seed", *SMALL, status=1) == ["Error: the data are there already"]
    assert rows(address) == before


def test_seeds_can_be_listed_and_continued(new_database: Callable[[], str]) -> None:
    address = new_database()
    run_command(address, "seed", *SMALL)
    with sandbox(address) as running:
        caller = Caller(running, FIRST, run_command(address, "keys", "issue")[0])
        autoramps = caller.get("/autoramps")["items"]
        sizes: list[int] = []
        cursor: dict[str, str] = {}
        while True:
            page = caller.get("/autoramp-transactions", page_size=100, **cursor)
            sizes.append(len(page["items"]))
            if "cursor" not in page:
                break
            cursor = {"cursor": page["cursor"]}
        started = caller.post(f"/sandbox/autoramps/{autoramps[0]['id']}/deposits")
        newest = caller.get("/autoramp-transactions", page_size=1)["items"]
    assert (len(autoramps), sizes, newest) == (30, [100, 100, 50], [started])


def test_customers_are_printed_as_specified(
    new_database: Callable[[], str],
) -> None:
    address = new_database()
    run_command(address, "seed", *SMALL)
    printed = [json.loads(line) for line in run_command(address, "customers")]
    assert len(printed) == 20
    assert {customer["partner_id"] for customer in printed} == {str(FIRST)}
    assert {customer["spending_limit_euro"] for customer in printed} == {None}


def test_key_is_valid_until_it_is_revoked(new_database: Callable[[], str]) -> None:
    address = new_database()
    with sandbox(address) as running:
        [key] = run_command(address, "keys", "issue")
        caller = Caller(running, FIRST, key)
        assert caller.ask("GET", "/autoramps").status_code == 200
        [line] = run_command(address, "keys", "list")
        id, partner, _, revoked = line.split("\t")
        assert (partner, revoked) == (str(FIRST), "")
        assert run_command(address, "keys", "revoke", id) == []
        answer = caller.ask("GET", "/autoramps")
        assert (answer.status_code, answer.json()) == (401, "unauthorized")
        [line] = run_command(address, "keys", "list")
        assert line.split("\t")[3] != ""
        said = [f"Error: there is no key {id} that is not revoked yet"]
        assert run_command(address, "keys", "revoke", id, status=1) == said


def test_partners_have_the_rails_they_were_added_with(new_database: Callable[[], str]) -> None:
    address = new_database()
    [partner] = run_command(
        address, "partners", "add", "Théo", "--rail", "Swift", "--rail", "FedNow"
    )
    [sub] = run_command(address, "partners", "add", "Below", "--under", partner)
    assert run_command(address, "partners", "list") == [
        f"{partner}\tThéo\tSwift,FedNow",
        f"{sub}\tBelow\t{partner}",
    ]
    [key] = run_command(address, "keys", "issue", partner)
    with sandbox(address) as running:
        caller = Caller(running, uuid4(), key)
        created = caller.post("/autoramps", x_api_version="2026-07-01")
        listed = caller.ask("GET", "/autoramp-transactions", x_sub_partner_id=sub)
    assert created["deposit_rails"] == [{"type": "Swift"}, {"type": "FedNow"}]
    assert listed.status_code == 200


@pytest.mark.parametrize("command", [("keys", "issue"), ("partners", "add", "x", "--under")])
def test_unknown_partners_are_refused(
    new_database: Callable[[], str], command: tuple[str, ...]
) -> None:
    unknown = str(uuid4())
    said = [f"Error: there is no partner {unknown}"]
    assert run_command(new_database(), *command, unknown, status=1) == said


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mysql://host/name", "mysql is not supported; sqlite and postgresql are"),
        ("nowhere", "the address of the database can't be read"),
    ],
)
def test_other_databases_are_refused(address: str, said: str) -> None:
    assert run_command(address, "keys", "list", status=2)[-1] == f"Error: DATABASE_URL: {said}"


@pytest.mark.parametrize(
    "address", ["sqlite:////nowhere/at/all.sqlite", "postgresql://postgres@/x?host=/nowhere"]
)
def test_missing_database_is_reported_in_one_line(address: str) -> None:
    [line] = run_command(address, "keys", "list", status=1)
    assert line.startswith("Error: the database can't be used: ")


@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_command_printed_at_the_first_start_works(
    new_database: Callable[[], str],
    tmp_path: Path,
    environment: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if shutil.which("curl") is None:
        pytest.skip("there is no curl here")
    monkeypatch.setenv("PAYNET_ENVIRONMENT", environment)
    address, log = new_database(), tmp_path / "log"
    with server(address, log):
        printed = log.read_text()
        [site] = re.findall("  Reference  +(.*)", printed)
        shown = httpx.get(site).text
        lines = [line for line in printed.splitlines() if line.startswith("  curl ")]
        answers = [
            subprocess.run(
                ["bash", "-c", line.replace("curl", "curl --silent --fail", 1)],
                capture_output=True,
                check=True,
            ).stdout
            for line in lines
        ]
    versions, autoramp, page = map(json.loads, answers)
    assert f"The {environment} environment is served." in printed
    assert versions["latest"] == LATEST
    assert (autoramp["ramp_type"], len(autoramp["deposit_rails"])) == ("Onramp", 4)
    assert page == {"items": [], "prev_cursor": None}
    assert shown == (SITE / "index.html").read_text()


def test_first_key_is_shown_once(new_database: Callable[[], str], tmp_path: Path) -> None:
    address, log = new_database(), tmp_path / "log"
    with server(address, log):
        first = log.read_text()
    with server(address, log):
        second = log.read_text().removeprefix(first)
    assert len(set(re.findall(r"paynet_[\w-]{43}", first))) == 1
    assert re.findall(r"paynet_[\w-]{43}", second) == []
    assert '-H "X-API-Key: $API_KEY"' in second


def test_failing_start_shows_and_stores_no_key(tmp_path: Path) -> None:
    address, log = f"sqlite:///{tmp_path / 'sandbox.sqlite'}", tmp_path / "log"
    with (
        socket.create_server((HOST, 0)) as taken,
        pytest.raises(RuntimeError, match=r"does not start \(3\)"),
    ):
        Server(address, log, port=taken.getsockname()[1])
    [said] = log.read_text().splitlines()
    assert "address already in use" in said.lower()
    assert run_command(address, "keys", "list") == []


def test_request_in_progress_is_answered_before_the_end(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    address, log = new_database(), tmp_path / "log"
    [key] = run_command(address, "keys", "issue")
    fields = [f"X-API-Key: {key}", "Content-Type: application/json", "Content-Length: 13"]
    lines = ["POST /api/autoramps HTTP/1.1", "Host: x", *fields, "Expect: 100-continue", "", ""]
    with (
        server(address, log) as running,
        socket.create_connection((HOST, running.port), timeout=20) as connection,
    ):
        connection.sendall("\r\n".join(lines).encode())
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        stopping = threading.Thread(target=running.stop)
        stopping.start()
        while "Shutting down" not in log.read_text():
            time.sleep(0.01)
        connection.sendall(b'{"note": 123}')
        received = connection.recv(65536)
        stopping.join()
    assert received.startswith(b"HTTP/1.1 200 OK")
