"""Listen on an address, and run an application there with uvicorn."""

from __future__ import annotations

import copy
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any

from dateline.collector import collection_on
from dateline.model import DatelineError


class ServeError(DatelineError):
    """An application can't be served as requested."""

    exit_code = 2


def require_packages(command: str, needed: Sequence[str]) -> None:
    """Raise ServeError for those packages *needed* by *command* that are not installed."""
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise ServeError(
            f"`dateline {command}` needs {', '.join(missing)}, which this Python does not have; "
            f"run: pip install 'dateline[{command}]'"
        )


@contextmanager
def bind_address(host: str, port: int) -> Iterator[socket.socket]:
    """Bind an address for the duration. Raises ServeError if it is not available."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        raise ServeError(
            f"can't listen on {host}:{port} ({reason}); choose another address with --port or "
            "--host"
        ) from None
    with listener:
        yield listener


def format_address(listener: socket.socket) -> str:
    """Return the URL of the server at *listener*."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(
    app: Any, listener: socket.socket, connections: Any, *, level: str = "WARNING", **settings: Any
) -> None:
    """Run *app* until it is interrupted; *settings* are those of uvicorn.

    *connections* is the module of the run time with what uvicorn's protocol classes lack. Log
    messages of *app* from *level* on are printed.
    """
    import uvicorn
    from uvicorn.config import LOGGING_CONFIG
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    logging = copy.deepcopy(LOGGING_CONFIG)
    # uvicorn's own lifecycle is of no interest
    for name in ("uvicorn", "uvicorn.error"):
        logging["loggers"][name]["level"] = "WARNING"
    logging["root"] = {"handlers": ["default"], "level": level}
    bases = (connections.HeadTimeout, connections.TrailersDropped, AutoHTTPProtocol)
    protocol = type("Protocol", bases, {})
    server = uvicorn.Server(uvicorn.Config(app, http=protocol, log_config=logging, **settings))
    # uvicorn ends in good order, and then interrupts its caller
    with suppress(KeyboardInterrupt), collection_on():
        server.run(sockets=[listener])
