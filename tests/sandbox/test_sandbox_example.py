"""The example of a caller: it reads all there is, whatever came after it was written."""

from __future__ import annotations

from click.testing import CliRunner
from paynet import LATEST, VERSIONS

from paynet_sandbox import example

from .sandboxes import Caller


def test_the_example_meets_what_it_does_not_know(partner: Caller) -> None:
    partner.transactions([{"fields": {"kind": "Onramp"}}] * 130)
    partner.transactions([{"fields": {"kind": "Swap"}}] * 90)
    host = str(partner.sandbox.client.base_url)
    ran = CliRunner().invoke(example.main, [host, partner.key])
    assert ran.exit_code == 0
    assert ran.output.splitlines() == [
        f"Written for version {VERSIONS[0]}.",
        "   130 transactions of kind Onramp",
        "    90 transactions of kind Swap (not known here)",
        f"Deposit rails that version {VERSIONS[0]} shows: Iban, AchWire, Swift",
        f"Deposit rails that version {LATEST} shows: Iban, AchWire, Swift, FedNow (not known here)",
    ]
