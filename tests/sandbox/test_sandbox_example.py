"""The example of a caller: it reads all there is, whatever came after it was written."""

from __future__ import annotations

from collections.abc import Callable

from click.testing import CliRunner
from paynet import LATEST, VERSIONS

from paynet_sandbox import cli, example

from .sandboxes import sandbox


def test_the_example_meets_what_it_does_not_know(new_database: Callable[[], str]) -> None:
    address = new_database()
    runner = CliRunner()
    runner.invoke(cli.main, ["--database", address, "seed", "--transactions", "250"])
    key = runner.invoke(cli.main, ["--database", address, "keys", "issue"]).output.strip()
    with sandbox(address) as running:
        ran = runner.invoke(example.main, [str(running.client.base_url), key])
    assert ran.exit_code == 0
    assert ran.output.splitlines() == [
        f"Written for version {VERSIONS[0]}.",
        "    73 transactions of kind Mint (not known here)",
        "    40 transactions of kind Offramp (not known here)",
        "    31 transactions of kind Onramp",
        "    43 transactions of kind Redeem (not known here)",
        "    63 transactions of kind Swap (not known here)",
        f"Deposit rails that version {VERSIONS[0]} shows: Iban, AchWire, Swift",
        f"Deposit rails that version {LATEST} shows: Iban, AchWire, Swift, FedNow (not known here)",
    ]
