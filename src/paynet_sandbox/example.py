"""A caller of the API, on the models of one version: `python -m paynet_sandbox.example HOST KEY`.

It stays with the version that it was written for. What came later does not break it: neither a
value of an open-ended field nor a deposit rail that its models don't know.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import click
from paynet import LATEST
from paynet import v2025_03_13 as api
from paynet.types import ABSENT, Unrecognized


class Client:
    """Calls the API at *host* as the owner of *key*."""

    def __init__(self, host: str, key: str) -> None:
        self._base = f"{host}/api"
        self._key = key

    def transactions(self) -> Iterator[api.AutorampTransaction]:
        """Yield all transactions, newest first, page after page."""
        query = {"page_size": "100"}
        while True:
            sent = self._sent("GET", f"/autoramp-transactions?{urlencode(query)}")
            page = api.AutorampTransactionPage.model_validate_json(sent)
            yield from page.items
            if page.cursor is ABSENT:
                return
            query["cursor"] = str(page.cursor)

    def create_autoramp(self, fields: dict[str, Any], *, version: str) -> api.Autoramp:
        """Return a new autoramp, as callers of *version* see it."""
        sent = self._sent("POST", "/autoramps", json.dumps(fields).encode(), version=version)
        return api.Autoramp.model_validate_json(sent)

    def _sent(
        self, method: str, path: str, body: bytes | None = None, version: str = api.API_VERSION
    ) -> bytes:
        headers = {
            "X-API-Key": self._key,
            "X-API-Version": version,
            "Content-Type": "application/json; charset=utf-8",
        }
        request = Request(self._base + path, body, headers, method=method)
        with urlopen(request, timeout=30) as response:
            content: bytes = response.read()
            return content


@click.command()
@click.argument("host")
@click.argument("key")
def main(host: str, key: str) -> None:
    """Call the API at HOST with an API KEY, and say what there is."""
    client = Client(host, key)
    click.echo(f"Written for version {api.API_VERSION}.")
    kinds = Counter(each.kind for each in client.transactions() if each.kind is not ABSENT)
    for kind, count in sorted(kinds.items()):
        click.echo(f"{count:6} transactions of kind {_told(kind)}")
    for version in (api.API_VERSION, LATEST):
        autoramp = client.create_autoramp({"ramp_type": "Onramp"}, version=version)
        rails = ", ".join(map(_told, autoramp.deposit_rails))
        click.echo(f"Deposit rails that version {version} shows: {rails}")


def _told(value: object) -> str:
    match value:
        case Unrecognized():
            return f"{value} (not known here)"
        case api.UnknownDepositRail():
            return f"{value.type} (not known here)"
        case api.Iban() | api.AchWire() | api.Swift():
            return value.type
    return str(value)


if __name__ == "__main__":
    main()
