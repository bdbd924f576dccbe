"""An example of a caller, on the generated models: what an API may add later does not break it.

    API_KEY=... python -m paynet_sandbox.client http://127.0.0.1:8000

It is written against one version: the import says which, and every request does. Autoramps and
transactions are listed; a deposit rail or a kind that this version does not know is listed, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen
from uuid import UUID

import click
from paynet import v2025_03_13 as api
from paynet.types import ABSENT, Absent, Unrecognized

_SECONDS: Final = 30


class Client:
    """Asks the server at *host* in the name of the account that *key* opens.

    *version* is what is asked for: that of the models, unless callers try a newer one before
    they take its models.
    """

    def __init__(self, host: str, key: str, version: str = api.API_VERSION) -> None:
        self._address = f"{host}/api"
        self._headers = {"X-API-Key": key, "X-API-Version": version}

    def autoramps(self) -> list[api.Autoramp]:
        """Return all autoramps, newest first."""
        items = api.AutorampList.model_validate_json(self._get("/autoramps")).items
        return [] if items is ABSENT else items

    def transactions(self, **query: Any) -> Iterator[api.AutorampTransaction]:
        """Yield all transactions that *query* asks for, page by page."""
        cursor: UUID | Absent = ABSENT
        while True:
            place = {} if cursor is ABSENT else {"cursor": cursor}
            answer = self._get("/autoramp-transactions", **query, **place)
            page = api.AutorampTransactionPage.model_validate_json(answer)
            yield from page.items
            cursor = page.cursor
            if cursor is ABSENT:
                return

    def _get(self, path: str, **query: Any) -> bytes:
        """Return the body of the response. Raises HTTPError for any but a success."""
        address = f"{self._address}{path}?{urlencode(query)}"
        with urlopen(Request(address, headers=self._headers), timeout=_SECONDS) as response:
            body: bytes = response.read()
        return body


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
@click.option("--version", default=api.API_VERSION, show_default=True, help="The version to ask.")
def main(host: str, key: str, version: str) -> None:
    """List the autoramps of an account, and all of its transactions, oldest first."""
    client = Client(host, key, version)
    try:
        for autoramp in client.autoramps():
            rails = ", ".join(map(rail_in_words, autoramp.deposit_rails))
            click.echo(f"autoramp {autoramp.id}: {rails}")
        for transaction in client.transactions(sort_order="asc", page_size=100):
            kind = kind_in_words(transaction.kind)
            click.echo(f"transaction {transaction.id}: {transaction.status}, {kind}")
    except HTTPError as error:
        sys.exit(f"{error.code}: {error.read().decode(errors='replace')}")


if __name__ == "__main__":
    main()
