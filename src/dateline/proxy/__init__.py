"""Serve every version in front of a server in any language that speaks the newest one."""

from __future__ import annotations

import signal
from collections.abc import Callable
from importlib import import_module
from typing import Final

from dateline.proxy.layer import Proxy, build_layer, find_package
from dateline.serve.listening import format_address, listening, require_packages, run

__all__ = ["Proxy", "proxy"]

_NEEDED: Final = ("aiohttp", "jsonschema_rs", "uvicorn", "websockets")


def proxy(settings: Proxy, *, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until interrupted or terminated; requests that run then are answered first.

    What was generated anew is served from the next request on. *say* is given each line for
    people, once the address is taken; port 0 is any that is free. Raises ServeError where a
    package is missing, or a setting, the address or the generated package is not what is needed.
    """
    require_packages("proxy", _NEEDED)
    # what follows is there only now
    from dateline.proxy.generations import Generations

    package = find_package(settings.generated)
    generations = Generations(
        package,
        lambda server: build_layer(server, settings),
        logs_requests=settings.logs_requests,
    )
    with listening(host, port) as listener:
        say(f"{format_address(listener)} forwards to {settings.upstream['url']}")
        say(f"versions as generated in {package}; Ctrl-C ends it")
        # uvicorn ends in good order, and raises the signal once more then
        signal.signal(signal.SIGTERM, lambda *_: None)
        connections = import_module(f"{generations.current.name}.runtime.connections")
        run(
            generations,
            listener,
            connections.HeadTimeout,
            # its lines would hold query strings
            access_log=False,
            # what callers claim is passed on or replaced, and never believed here
            proxy_headers=False,
            # those of the server behind are passed on
            server_header=False,
            date_header=False,
            lifespan="on",
            level="INFO",
            timeout_graceful_shutdown=settings.grace,
        )
