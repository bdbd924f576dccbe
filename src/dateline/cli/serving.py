"""The commands that serve every version: serve, proxy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dateline import completion
from dateline.cli.group import main
from dateline.options import one_project
from dateline.settings import Workspace

_HOST = click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
_PORT = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on; 0 picks a free one.",
)


@main.command()
@one_project
@click.option(
    "--environment",
    metavar="NAME",
    shell_complete=completion.environments,
    help="Environment to serve; by default the first in versions.yaml.",
)
@_HOST
@_PORT
@click.option("--seed", default=0, show_default=True, help="Seed of the generated values.")
def serve(workspace: Workspace, environment: str | None, host: str, port: int, seed: int) -> None:
    """Serve a mock of every version of the definitions, until Ctrl-C.

    Its responses are generated: they are valid, and the same for the same request and seed. It
    writes no files, and needs `pip install 'dateline[serve]'`.
    """
    from dateline.serve import serve as room

    room(workspace, environment=environment, host=host, port=port, seed=seed, say=click.echo)


@main.command()
@click.option(
    "--upstream", "url", metavar="URL", required=True, help="The server behind the proxy."
)
@click.option(
    "--generated",
    type=click.Path(path_type=Path),
    default=Path("generated"),
    show_default=True,
    help="Folder of the outputs, or of a generated package; read again when it changes.",
)
@click.option("--environment", metavar="NAME", help="Environment to serve, if the API has several.")
@_HOST
@_PORT
@click.option(
    "--prefix",
    metavar="PATH",
    help="Path of the operations, instead of that of the servers in the documents.",
)
@click.option(
    "--only",
    metavar="OPERATION",
    multiple=True,
    help="Version only this operation, and pass all others through unchanged; repeatable.",
)
@click.option(
    "--spanning",
    metavar="OPERATION",
    multiple=True,
    help="The last path parameter of this operation may contain slashes; repeatable.",
)
@click.option(
    "--errors",
    type=click.Choice(["declared", "passed"]),
    default="declared",
    show_default=True,
    help="Whether errors get the declared form, or are passed where no gate affects them.",
)
@click.option("--converters", metavar="MODULE:NAME", help="Object with the converter methods.")
@click.option(
    "--account-header",
    metavar="NAME",
    help="Header with the account that a request is made for, passed to converters.",
)
@click.option(
    "--limit",
    "limits",
    metavar="OPERATION=BYTES",
    multiple=True,
    help="Maximum size of request bodies of this operation; repeatable.",
)
@click.option(
    "--trust",
    "trusted",
    metavar="NETWORK",
    multiple=True,
    help="Trust Forwarded and X-Forwarded-* from this network; repeatable.",
)
@click.option(
    "--keep-host", "keeps_host", is_flag=True, help="Forward the Host header as received."
)
@click.option(
    "--connect",
    type=float,
    default=5.0,
    show_default=True,
    help="Seconds to wait for a connection.",
)
@click.option(
    "--read",
    type=float,
    default=60.0,
    show_default=True,
    help="Seconds to wait for more bytes of a response, or of a caller's body.",
)
@click.option(
    "--grace",
    type=int,
    default=30,
    show_default=True,
    help="Seconds to finish requests in progress after SIGTERM.",
)
@click.option("--quiet", is_flag=True, help="Don't log requests.")
def proxy(host: str, port: int, quiet: bool, **given: Any) -> None:
    """Serve every version in front of a server of the newest one.

    That server may be written in any language. The proxy writes no files, and needs
    `pip install 'dateline[proxy]'`. On SIGTERM and Ctrl-C it answers the requests in progress, and
    exits.
    """
    from dateline.proxy import Proxy
    from dateline.proxy import proxy as room

    keys = ("url", "connect", "read", "trusted", "keeps_host")
    upstream = {key: given.pop(key) for key in keys}
    settings = Proxy(upstream=upstream, logs_requests=not quiet, **given)
    room(settings, host=host, port=port, say=click.echo)
