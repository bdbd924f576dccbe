"""Run a mock of every version; its responses are sampled from the schemas."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final

from dateline.generate import Workspace
from dateline.model import Api, Environment
from dateline.serve.listening import ServeError, bind_address, format_address, require_packages, run

__all__ = ["ServeError", "serve"]

_NEEDED: Final = ("fastapi", "jsonschema_rs", "uvicorn")


def serve(
    workspace: Workspace,
    *,
    environment: str | None,
    host: str,
    port: int,
    seed: int,
    say: Callable[[str], None],
) -> None:
    """Serve every version of the present definitions, until interrupted.

    *environment* is the first one of the version table unless named; port 0 is any that is free.
    *say* is given each line for people, once the address is taken. Nothing in the project is
    written. Raises SourceError for invalid definitions, ServeError if a package is missing or the
    environment or the address is not available.
    """
    require_packages("serve", _NEEDED)
    # slow to import, or an optional dependency
    from dateline.load import load
    from dateline.serve.lines import format_lines
    from dateline.serve.mock import Mock
    from dateline.serve.package import open_server

    api = load(workspace.schemas)
    chosen = _environment(api, environment)
    with bind_address(host, port) as listener, open_server(workspace, api) as server:
        mock = Mock(api, server, chosen.name, seed)
        address = format_address(listener)
        for line in format_lines(mock, chosen, address):
            say(line)
        site = server.pages.SITE
        if site in mock.app.state.pages:
            say(f"The reference of every version: {address}{site}/")
        connections = import_module(f"{server.__name__}.runtime.connections")
        run(mock.app, listener, connections)


def _environment(api: Api, name: str | None) -> Environment:
    known = {environment.name: environment for environment in api.table.environments}
    if name is None:
        return api.table.environments[0]
    if name not in known:
        raise ServeError(f"unknown environment {name!r}; the API has {', '.join(known)}")
    return known[name]
