"""Where requests are sent, and have their secrets: what `servers` and security schemes mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import normpath
from typing import Any, Final, NamedTuple

from dateline.openapi import security_schemes

# Scheme and authority, then the path. Either may have variables, and one may stand for both.
_PARTS: Final = re.compile(r"((?:[^/?#]*:)?//[^/?#]*|\{[^{}]*\}(?=/|$))?([^?#]*)")


def find_own_servers(item: Mapping[str, Any], operation: Mapping[str, Any]) -> Any:
    """Return the servers that an operation has beside those of the document, or nothing.

    Those of the operation itself replace those of its path item (OpenAPI 3.1.1, section 4.8.9.1).
    """
    return operation.get("servers") or item.get("servers")


def read_address(servers: Any) -> str:
    """Return the first address of a list of servers, with default variables; or nothing.

    It has no slash at its end. One without a host, which is relative to wherever the document is,
    is returned as an absolute path on that host.
    """
    host, path = _read_first(servers)
    return host + path


def read_path(servers: Any) -> str:
    """Return the path of the first address of *servers*: `/api`; empty for the root."""
    return _read_first(servers)[1]


def read_addresses(environments: Mapping[str, dict[str, Any]]) -> dict[str, str]:
    """Return the address of each of *environments*, the documents of one version, that has one.

    An address that is relative, or whose host has a variable that is not defined, is none.
    """
    found = {name: read_address(each.get("servers")) for name, each in environments.items()}
    return {name: each for name, each in found.items() if "://" in each and "{" not in each}


def find_own_address(
    document: Mapping[str, Any], item: Mapping[str, Any], operation: Mapping[str, Any]
) -> str | None:
    """Return the address of an operation with servers of its own; None if it is the document's."""
    usual = read_address(document.get("servers"))
    servers = find_own_servers(item, operation)
    own = read_address(servers) if servers else usual
    if "://" not in own:
        # it is on the host of the document
        own = _split(usual)[0] + _split(own)[1]
    return None if own == usual else own


def _read_first(servers: Any) -> tuple[str, str]:
    """Return the host, with the scheme, and the path of the first one of *servers*."""
    server = servers[0] if isinstance(servers, Sequence) and servers else {}
    if not isinstance(server, Mapping):
        return "", ""
    url, variables = str(server.get("url", "")), server.get("variables")
    for name, variable in (variables if isinstance(variables, Mapping) else {}).items():
        if isinstance(variable, Mapping) and "default" in variable:
            url = url.replace("{" + name + "}", str(variable.get("default", "")))
    host, path = _split(url)
    # a variable that is not defined stands for its name
    path = re.sub(r"[{}]", "", path)
    if not host and not path.startswith("/"):
        path = normpath(f"/{path}")
    return f"https:{host}" if host.startswith("//") else host, path.rstrip("/")


def _split(url: str) -> tuple[str, str]:
    found = _PARTS.match(url)
    assert found is not None
    return found[1] or "", found[2]


class SecretPlace(NamedTuple):
    """Where requests have a secret: the name of a field, its place, and the text before it."""

    field: str
    place: str
    prefix: str = ""


def are_read_alike(now: Mapping[str, Any], then: Mapping[str, Any]) -> bool:
    """Return whether the secrets of two schemes are in the same field, and are known there.

    The whole `Authorization` header is the secret of an `apiKey`: what is a secret after `Bearer`
    may be one alone, and the reverse. Case does not count in headers.
    """
    one, other = (_fold(read_secret(each)) for each in (now, then))
    is_same_field = one[:2] == other[:2] == ("authorization", "header")
    return one == other or (is_same_field and (not one.prefix or is_bare(now, then)))


def is_bare(now: Mapping[str, Any], then: Mapping[str, Any]) -> bool:
    """Return whether the secret of the scheme *then* may lack the `Bearer` that it has *now*."""
    one, other = (_fold(read_secret(each)) for each in (now, then))
    return one == (*_BARE[:2], "Bearer ") and other == _BARE


def _fold(secret: SecretPlace) -> SecretPlace:
    return secret._replace(field=secret.field.lower()) if secret.place == "header" else secret


_BARE: Final = SecretPlace("authorization", "header")


def find_secret(document: dict[str, Any], name: str) -> SecretPlace:
    """Return where requests have the secret of the security scheme *name*.

    For a scheme that is not defined, it is the whole `Authorization` header.
    """
    scheme = security_schemes(document).get(name)
    return read_secret(scheme) if scheme else SecretPlace("Authorization", "header")


def read_secret(scheme: Mapping[str, Any]) -> SecretPlace:
    """Return where requests have the secret of *scheme*."""
    kind = scheme.get("type")
    if kind == "apiKey":
        name, place = scheme.get("name", "Authorization"), scheme.get("in", "header")
        return SecretPlace(str(name), str(place))
    if kind == "mutualTLS":
        # the TLS terminator passes the certificate on (RFC 9440, section 2.2)
        return SecretPlace("Client-Cert", "header")
    called = str(scheme.get("scheme", "bearer")) if kind == "http" else "bearer"
    return SecretPlace("Authorization", "header", f"{called.capitalize()} ")
