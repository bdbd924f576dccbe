"""Definitions in, a running mock of every version out: answers are sampled from the schemas."""

from __future__ import annotations

import copy
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from dateline.generate import Workspace
from dateline.model import Api, DatelineError, Environment

_NEEDED: Final = ("fastapi", "jsonschema_rs", "uvicorn")


class ServeError(DatelineError):
    """The mock can't run as it was asked to."""

    exit_code = 2


def serve(
    workspace: Workspace,
    *,
    environment: str | None,
    host: str,
    port: int,
    seed: int,
    say: Callable[[str], None],
) -> None:
    """Serve every version of what the definitions say now, until interrupted.

    *environment* is the first one of the version table unless named; port 0 is any that is free.
    *say* is given each line for people, once the address is taken. Nothing in the project is
    written. Raises SourceError for invalid definitions, ServeError if a package is missing or the
    environment or the address is not available.
    """
    _require_packages()
    # what follows is heavy, or there only now
    from dateline.load import load
    from dateline.serve.lines import lines
    from dateline.serve.mock import Mock
    from dateline.serve.package import package

    api = load(workspace.schemas)
    chosen = _environment(api, environment)
    with _listening(host, port) as listener, package(workspace, api) as server:
        mock = Mock(api, server, chosen.name, seed)
        for line in lines(mock, chosen, _address(listener)):
            say(line)
        connections = import_module(f"{server.__name__}.runtime.connections")
        _run(mock.app, listener, connections.HeadTimeout)


def _require_packages() -> None:
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ServeError(
            f"`dateline serve` needs {', '.join(missing)}, which this Python does not have; "
            "run: pip install 'dateline[serve]'"
        )


def _environment(api: Api, name: str | None) -> Environment:
    known = {environment.name: environment for environment in api.table.environments}
    if name is None:
        return api.table.environments[0]
    if name not in known:
        raise ServeError(f"{name!r} is no environment; there are {', '.join(known)}")
    return known[name]


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        raise ServeError(
            f"{host}:{port} can't be listened on ({reason}); name another one with --port or --host"
        ) from None
    with listener:
        yield listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _run(app: Any, listener: socket.socket, timeout: type) -> None:
    """Run *app* until it is interrupted; what it answers is logged, a line each.

    *timeout* is what protocols lack to close connections without requests.
    """
    import uvicorn
    from uvicorn.config import LOGGING_CONFIG
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    logging = copy.deepcopy(LOGGING_CONFIG)
    # of its own life uvicorn need not tell
    for name in ("uvicorn", "uvicorn.error"):
        logging["loggers"][name]["level"] = "WARNING"
    protocol = type("Protocol", (timeout, AutoHTTPProtocol), {})
    server = uvicorn.Server(uvicorn.Config(app, http=protocol, log_config=logging))
    # uvicorn ends in good order, and then interrupts whoever called it
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
