"""Serve every version in front of a server in any language that speaks the newest one."""

from __future__ import annotations

import signal
from collections.abc import Callable
from importlib import import_module
from typing import Final

from dateline.proxy.layer import Proxy, build_layer, find_package
from dateline.serve.listening import bind_address, format_address, require_packages, run

__all__ = ["Proxy", "proxy"]

_NEEDED: Final = ("aiohttp", "jsonschema_rs", "uvicorn", "websockets")


def proxy(settings: Proxy, *, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until interrupted or terminated, completing the requests in progress.

    A new generation is used from the next request on. *say* is called with each line for people,
    once the address is bound; port 0 is any free one. Raises ServeError if a package is missing, or
    for an invalid setting, address or generated package.
    """
    require_packages("proxy", _NEEDED)
    # slow to import, or an optional dependency
    from dateline.proxy.generations import Generations

    package = find_package(settings.generated)
    generations = Generations(
        package,
        lambda server: build_layer(server, settings),
        logs_requests=settings.logs_requests,
    )
    with bind_address(host, port) as listener:
        say(f"{format_address(listener)} forwards to {settings.upstream['url']}")
        say(f"versions as generated in {package}; Ctrl-C ends it")
        # uvicorn ends in good order, and then raises the signal again
        signal.signal(signal.SIGTERM, lambda *_: None)
        connections = import_module(f"{generations.current.name}.runtime.connections")
        run(
            generations,
            listener,
            connections,
            # its lines would contain query strings
            access_log=False,
            # what callers claim is forwarded or replaced, and never trusted here
            proxy_headers=False,
            # those of the upstream server are forwarded
            server_header=False,
            date_header=False,
            lifespan="on",
            level="INFO",
            timeout_graceful_shutdown=settings.grace,
        )
