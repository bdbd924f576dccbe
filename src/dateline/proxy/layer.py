"""Build the layer of versions from a generated package, in front of a server."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from dateline.serve.listening import ServeError

_CONTRACTS: Final = Path("server", "contracts.json")

# How long a body with a limit of its own may take to arrive.
_SECONDS: Final = 3600.0


@dataclass(frozen=True, kw_only=True)
class Proxy:
    """What is served, and where.

    ``generated`` is a folder of outputs, or that of a generated package. ``environment`` may be
    None where the API has one only. ``prefix`` is the path of the operations, None that of the
    servers in the documents. ``only`` are the operations that are versioned, all if empty;
    ``limits`` are those of bodies (`operation=bytes`). ``spanning`` are the operations whose last
    path parameter may contain slashes, ``errors`` is the setting of that name. ``converters`` names
    an object (`module:name`) with the methods of the converters that the API needs. ``upstream``
    are the fields of the generated package's `Upstream`. ``account_header`` is the name of the
    header that has the account of their context. The requests that run when the proxy is ended have
    ``grace`` seconds.
    """

    upstream: dict[str, Any]
    generated: Path
    environment: str | None
    prefix: str | None
    only: Collection[str]
    limits: Collection[str]
    spanning: Collection[str]
    errors: str
    converters: str | None
    account_header: str | None
    grace: int
    logs_requests: bool


def find_package(folder: Path) -> Path:
    """Return the folder of the package that was generated into *folder*. Raises ServeError."""
    if (folder / _CONTRACTS).is_file():
        return folder
    found = sorted(path.parents[1] for path in folder.glob(f"python/*/{_CONTRACTS}"))
    if len(found) == 1:
        return found[0]
    raise ServeError(
        f"{folder}: there is no generated package with a server; run `dateline generate`, or name "
        "the folder of its outputs with --generated"
    )


def build_layer(server: Any, settings: Proxy) -> tuple[Any, Any]:
    """Return the application that serves every version, and the upstream that it forwards to.

    *server* is the module of that name of a generated package. Raises ServeError for settings that
    do not match its API.
    """
    forwarding = import_module(f"{server.__name__}.forwarding")
    contracts: Mapping[str, Any] = import_module(f"{server.__name__}.data").read_contracts()
    environments = [*contracts["prefixes"]]
    environment = settings.environment
    if environment is None and len(environments) > 1:
        raise ServeError(f"the API has {', '.join(environments)}: name one with --environment")
    if environment is None:
        [environment] = environments
    if environment not in environments:
        raise ServeError(
            f"unknown environment {environment!r}; the API has {', '.join(environments)}"
        )
    nouns = import_module(f"{server.__name__}.nouns")
    limits = {
        name: nouns.Limits(body=size, seconds=_SECONDS)
        for name, size in map(_read_limit, settings.limits)
    }
    given: dict[str, Any] = {
        "settings": nouns.Settings(
            prefix=settings.prefix,
            limits_of=limits,
            spanning=settings.spanning,
            errors=settings.errors,
        ),
        "environment": environment,
        "only": settings.only or None,
    }
    if any(contracts["methods"].values()):
        given["converters"] = _find_object(settings.converters)
        if (name := settings.account_header) is not None:
            field = import_module(f"{server.__name__}.runtime.asgi").field
            given["account"] = lambda scope: field(scope, name)
    try:
        forwarded = forwarding.Forwarding(forwarding.Upstream(**settings.upstream))
        return server.versioned(forwarded, **given), forwarded
    except ValueError as error:
        raise ServeError(str(error)) from None
    except LookupError as error:
        raise ServeError(
            f"{error}: name an object that has the methods with --converters MODULE:NAME"
        ) from None


def _find_object(name: str | None) -> Any:
    """Return the object that *name* (`module:name`) means; for a class, an instance."""
    if name is None:
        return None
    # slow to import, and not needed without converters
    from dateline.trial import TrialError, import_object

    try:
        return import_object(name)
    except TrialError as error:
        raise ServeError(str(error)) from None


def _read_limit(option: str) -> tuple[str, int]:
    """Return an operation and its limit in bytes from `operation=bytes`."""
    name, _, size = option.partition("=")
    if not (size.isascii() and size.isdigit()):
        raise ServeError(
            f"{option!r} is not a limit; write OPERATION=BYTES, such as uploadFile=100000000"
        )
    return name, int(size)
