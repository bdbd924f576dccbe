"""An example of a caller, on the generated client: what an API may add later does not break it.

    API_KEY=... python -m paynet_sandbox.client http://127.0.0.1:8000

It is written against one version: the import says which, and the client sends it. Autoramps and
transactions are listed; a deposit rail or a kind that this version does not know is listed, too.
"""

from __future__ import annotations

import sys

import click
from paynet import v2025_03_13 as api
from paynet.client import StatusError
from paynet.types import ABSENT, Absent, Unrecognized


def rail_in_words(rail: api.DepositRail) -> str:
    match rail:
        case api.Iban() | api.AchWire() | api.Swift():
            return rail.type
        case api.UnknownDepositRail():
            # nothing to pay in by as long as nobody taught us how; its data are kept
            return f"{rail.type} (unknown)"


def kind_in_words(kind: api.AutorampTransactionKind | Absent) -> str:
    match kind:
        case Absent.ABSENT:
            return "-"
        case Unrecognized():
            return f"{kind} (unknown)"
        case "Onramp":
            return kind


@click.command()
@click.argument("host")
@click.option("--key", envvar="API_KEY", required=True, help="Better given as API_KEY.")
def main(host: str, key: str) -> None:
    """List the autoramps of an account, and all of its transactions, oldest first."""
    with api.Client(api_key=key, base_url=f"{host}/api") as client:
        try:
            autoramps = client.list_autoramps().items
            for autoramp in [] if autoramps is ABSENT else autoramps:
                rails = ", ".join(map(rail_in_words, autoramp.deposit_rails))
                click.echo(f"autoramp {autoramp.id}: {rails}")
            oldest_first = api.SortOrder.ASC
            for each in client.iter_autoramp_transactions(sort_order=oldest_first, page_size=100):
                click.echo(f"transaction {each.id}: {each.status}, {kind_in_words(each.kind)}")
        except StatusError as error:
            sys.exit(f"{error.status}: {error.body}")


if __name__ == "__main__":
    main()
