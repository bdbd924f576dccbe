"""The command line: serve, fill in data, and keep keys and partners."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar
from uuid import UUID

import click
import uvicorn
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncSession
from uvicorn.supervisors import Multiprocess

from . import customers, keys, partners, seed
from .app import ADDRESS, ENVIRONMENT
from .connections import Protocol
from .database import Database, DatabaseAddressError
from .greeting import format_greeting
from .records import find_all
from .tables import ApiKey, Customer, Partner, SubPartner

T = TypeVar("T")

_SHUTDOWN: Final = 10
"""How many seconds requests have to end in once the server is told to."""


@dataclass(frozen=True)
class _Place:
    """Where everything is kept."""

    environment: str
    address: str

    def run(self, work: Callable[[AsyncSession], Awaitable[T]]) -> T:
        """Return what *work* returns, with its changes committed and the schema up to date."""

        async def run() -> T:
            database = Database(self.address)
            try:
                await database.migrate()
                async with database.writing() as session:
                    return await work(session)
            finally:
                await database.close()

        try:
            return asyncio.run(run())
        except DatabaseAddressError as error:
            raise click.UsageError(f"{ADDRESS}: {error}") from None
        except OperationalError as error:
            message = str(error.orig).splitlines()[0]
            raise click.ClickException(f"the database can't be used: {message}") from None


@click.group()
@click.option(
    "--environment",
    type=click.Choice(["sandbox", "production"]),
    default="sandbox",
    show_default=True,
    envvar=ENVIRONMENT,
    help="The environment to serve.",
)
@click.option(
    "--database",
    envvar=ADDRESS,
    help=f"Address of the database; also by {ADDRESS}. A file in data/ unless given.",
)
@click.pass_context
def main(context: click.Context, environment: str, database: str | None) -> None:
    """The reference server of the payment network API."""
    if database is None:
        folder = Path("data")
        folder.mkdir(mode=0o700, exist_ok=True)
        database = f"sqlite:///{folder / environment}.sqlite"
    context.obj = _Place(environment, database)


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=int, default=8000, show_default=True, help="0 for any free one.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True)
@click.pass_obj
def serve(place: _Place, host: str, port: int, workers: int) -> None:
    """Serve the API until the process is told to end."""
    os.environ |= {ADDRESS: place.address, ENVIRONMENT: place.environment}
    config = uvicorn.Config(
        "paynet_sandbox.app:from_environment",
        factory=True,
        http=Protocol,
        host=host,
        port=port,
        workers=workers,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN,
    )
    # first of all: a key that is issued has to be shown
    socket = config.bind_socket()
    key = place.run(_first_key)
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{socket.getsockname()[1]}"
    text = format_greeting(
        environment=place.environment, host=address, database=place.address, key=key
    )
    click.echo(text)
    server = uvicorn.Server(config)
    if workers == 1:
        server.run(sockets=[socket])
    else:
        Multiprocess(config, sockets=[socket]).run()


async def _first_key(session: AsyncSession) -> str | None:
    """Return a key of the first partner; None where there are keys already."""
    partner = await partners.ensure_first(session)
    return None if await find_all(session, ApiKey) else await keys.issue(session, partner.id)


@main.command("seed")
@click.option("--customers", type=click.IntRange(1), default=200, show_default=True)
@click.option("--autoramps", type=click.IntRange(1), default=300, show_default=True)
@click.option("--transactions", type=click.IntRange(0), default=5000, show_default=True)
@click.pass_obj
def fill(place: _Place, customers: int, autoramps: int, transactions: int) -> None:
    """Fill in data of the first partner: the same for the same numbers."""
    amounts = seed.Amounts(customers=customers, autoramps=autoramps, transactions=transactions)
    if not place.run(lambda session: seed.fill(session, amounts)):
        raise click.ClickException("the data are there already")
    click.echo(f"{customers} customers, {autoramps} autoramps, {transactions} transactions")


@main.command("customers")
@click.pass_obj
def list_customers(place: _Place) -> None:
    """Print all customers, oldest first: one in JSON on each line."""
    for customer in place.run(lambda session: find_all(session, Customer)):
        click.echo(customers.show(customer).model_dump_json())


@main.group("keys")
def keys_group() -> None:
    """API keys."""


@keys_group.command("issue")
@click.argument("partner", type=click.UUID, default=partners.FIRST)
@click.pass_obj
def issue_key(place: _Place, partner: UUID) -> None:
    """Issue a key of PARTNER, the first one unless given, and print it: this once."""

    async def issue(session: AsyncSession) -> str:
        if partner == partners.FIRST:
            await partners.ensure_first(session)
        return await keys.issue(session, (await _partner(session, partner)).id)

    click.echo(place.run(issue))


@keys_group.command("list")
@click.pass_obj
def list_keys(place: _Place) -> None:
    """Print all keys, oldest first: id, partner, issued, revoked."""
    for key in place.run(lambda session: find_all(session, ApiKey)):
        revoked = "" if key.revoked_at is None else key.revoked_at.isoformat()
        _print_row(key.id, key.partner_id, key.created_at.isoformat(), revoked)


@keys_group.command("revoke")
@click.argument("key", type=click.UUID)
@click.pass_obj
def revoke_key(place: _Place, key: UUID) -> None:
    """Let KEY, by its id, open nothing from now on."""
    if not place.run(lambda session: keys.revoke(session, key)):
        raise click.ClickException(f"there is no key {key} that is not revoked yet")


@main.group("partners")
def partners_group() -> None:
    """Partners, and the sub-partners that they act for."""


@partners_group.command("add")
@click.argument("name")
@click.option(
    "--rail",
    "rails",
    multiple=True,
    type=click.Choice(partners.RAILS),
    help="A deposit rail that the partner's accounts support; all unless given.",
)
@click.option("--under", type=click.UUID, help="Add a sub-partner of this partner.")
@click.pass_obj
def add_partner(place: _Place, name: str, rails: tuple[str, ...], under: UUID | None) -> None:
    """Add the partner NAME and print its id."""

    async def add(session: AsyncSession) -> UUID:
        if under is None:
            return (await partners.add(session, name, rails or partners.RAILS)).id
        partner = await _partner(session, under)
        return (await partners.add_sub_partner(session, partner, name)).id

    click.echo(place.run(add))


@partners_group.command("list")
@click.pass_obj
def list_partners(place: _Place) -> None:
    """Print all partners and then all sub-partners: id, name, rails or partner."""
    for partner in place.run(lambda session: find_all(session, Partner)):
        _print_row(partner.id, partner.name, ",".join(partner.deposit_rails))
    for sub_partner in place.run(lambda session: find_all(session, SubPartner)):
        _print_row(sub_partner.id, sub_partner.name, sub_partner.partner_id)


async def _partner(session: AsyncSession, id: UUID) -> Partner:
    partner = await session.get(Partner, id)
    if partner is None:
        raise click.ClickException(f"there is no partner {id}")
    return partner


def _print_row(*values: object) -> None:
    click.echo("\t".join(map(str, values)))
