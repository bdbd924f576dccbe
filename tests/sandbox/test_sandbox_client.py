"""The example of a caller, against a server: as a program of its own, and as a library."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support.sandboxes import Caller

from paynet_sandbox.client import Client


def listed(
    caller: Caller, *options: str, key: str | None = None
) -> subprocess.CompletedProcess[str]:
    host = str(caller.sandbox.client.base_url).rstrip("/")
    return subprocess.run(
        [sys.executable, "-m", "paynet_sandbox.client", host, *options],
        env={**os.environ, "API_KEY": key or caller.key},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("version", "rails"),
    [
        ("2025-03-13", "Iban, AchWire, Swift"),
        ("2026-07-01", "Iban, AchWire, Swift, FedNow (unknown)"),
    ],
)
def test_unknown_rails_and_unknown_kinds_are_listed_like_others(
    partner: Caller, version: str, rails: str
) -> None:
    lines: list[str] = []
    for ramp_type, kind in (("Onramp", "Onramp"), ("Swap", "Swap (unknown)")):
        autoramp = partner.post("/autoramps", {"ramp_type": ramp_type})["id"]
        deposit = partner.post(f"/sandbox/autoramps/{autoramp}/deposits")["id"]
        lines.insert(0, f"autoramp {autoramp}: {rails}")
        lines.append(f"transaction {deposit}: FundsReviewInProgress, {kind}")
    ran = listed(partner, "--version", version)
    assert (ran.stderr, ran.stdout.splitlines()) == ("", lines)


def test_all_pages_are_read(partner: Caller) -> None:
    added = partner.transactions({} for _ in range(7))
    client = Client(str(partner.sandbox.client.base_url).rstrip("/"), partner.key)
    found = [str(each.id) for each in client.transactions(page_size=3)]
    assert found == sorted(added, reverse=True)


def test_what_the_server_refuses_is_told(partner: Caller) -> None:
    ran = listed(partner, key="unknown")
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", '401: "unauthorized"\n')
