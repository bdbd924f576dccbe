"""The example client against a server, as a program and as a library."""

from __future__ import annotations

import os
import subprocess
import sys

from paynet import v2025_03_13 as api
from support.sandboxes import Caller

from paynet_sandbox.client import rail_in_words


def listed(caller: Caller, key: str | None = None) -> subprocess.CompletedProcess[str]:
    host = str(caller.sandbox.client.base_url).rstrip("/")
    return subprocess.run(
        [sys.executable, "-m", "paynet_sandbox.client", host],
        env={**os.environ, "API_KEY": key or caller.key},
        capture_output=True,
        text=True,
        check=False,
    )


def test_rails_and_unknown_kinds_are_listed(partner: Caller) -> None:
    rails = "Iban, AchWire, Swift"
    lines: list[str] = []
    for ramp_type, kind in (("Onramp", "Onramp"), ("Swap", "Swap (unknown)")):
        autoramp = partner.post("/autoramps", {"ramp_type": ramp_type})["id"]
        deposit = partner.post(f"/sandbox/autoramps/{autoramp}/deposits")["id"]
        lines.insert(0, f"autoramp {autoramp}: {rails}")
        lines.append(f"transaction {deposit}: FundsReviewInProgress, {kind}")
    ran = listed(partner)
    assert (ran.stderr, ran.stdout.splitlines()) == ("", lines)


def test_rail_of_a_later_version_is_listed_like_others() -> None:
    known = api.Iban(type="Iban")
    later = api.UnknownDepositRail(type="FedNow")
    assert [rail_in_words(rail) for rail in (known, later)] == ["Iban", "FedNow (unknown)"]


def test_refusal_of_the_server_is_reported(partner: Caller) -> None:
    ran = listed(partner, key="unknown")
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", "401: unauthorized\n")
