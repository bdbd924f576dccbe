"""The example client against a server, as a program and as a library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from paynet import v2025_03_13 as api
from support.sandboxes import Caller, serve_application

from paynet_sandbox import app
from paynet_sandbox.client import rail_in_words


def listed(host: str, key: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "paynet_sandbox.client", host],
        env={**os.environ, "API_KEY": key},
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
    ran = listed(str(partner.sandbox.client.base_url).rstrip("/"), partner.key)
    assert (ran.stderr, ran.stdout.splitlines()) == ("", lines)


def test_rail_of_a_later_version_is_listed_like_others() -> None:
    known = api.Iban(type="Iban")
    later = api.UnknownDepositRail(type="FedNow")
    assert [rail_in_words(rail) for rail in (known, later)] == ["Iban", "FedNow (unknown)"]


def test_refusal_of_the_server_is_reported(tmp_path: Path) -> None:
    application = app.create(f"sqlite:///{tmp_path / 'sandbox.sqlite'}", "sandbox")
    with serve_application(application) as host:
        ran = listed(host, key="unknown")
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", "401: unauthorized\n")
