"""Find the account of a request's caller, once for each request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from .nouns import Account, Credentials, Refusal, Scheme
from .reading import cookies
from .runtime import query
from .runtime.asgi import VERSION, Scope, field
from .runtime.errors import UNAUTHORIZED, Fault, RequestError

A = TypeVar("A", bound=Account)

Security = Sequence[Sequence[str]]
"""Alternatives, each consisting of schemes that callers of a version must satisfy together."""

Authenticate = Callable[[Credentials], Awaitable[A | None]]

# prefixed, because other libraries use the state, too
_ACCOUNT: Final = "dateline.account"


class Callers:
    """Authenticates callers, once for each request."""

    def __init__(self, schemes: Mapping[str, Scheme], authenticate: Authenticate[Any]) -> None:
        self._schemes = schemes
        self._authenticate = authenticate

    async def account(
        self, security: Security, scope: Scope, declared: Mapping[str, str] | None = None
    ) -> Any:
        """Return the account of the caller; None if *security* requires no authentication.

        *declared* are the headers that are parameters of the operation: their names for callers, by
        their canonical names in lower case.

        Raises RequestError (UNAUTHORIZED) if an account is required and there is none, and any
        Refusal that `authenticate` raises.
        """
        if not security:
            return None
        state = scope["state"]
        if _ACCOUNT not in state:
            try:
                state[_ACCOUNT] = await self._find_account(security, scope, declared)
            except Refusal as refused:
                state[_ACCOUNT] = refused
        if isinstance(state[_ACCOUNT], Refusal):
            raise state[_ACCOUNT]
        if state[_ACCOUNT] is None and all(security):
            raise RequestError(UNAUTHORIZED, Fault.UNAUTHORIZED)
        return state[_ACCOUNT]

    async def identity(
        self, security: Security, scope: Scope, declared: Mapping[str, str] | None = None
    ) -> str | None:
        """Return the owner of the caller's idempotency keys; None for unknown callers."""
        try:
            account = await self.account(security, scope, declared)
        except (RequestError, Refusal):
            return None
        return None if account is None else str(account.identity)

    async def _find_account(
        self, security: Security, scope: Scope, declared: Mapping[str, str] | None
    ) -> Any:
        names = dict.fromkeys(name for together in security for name in together)
        sent = {name: _secret(self._schemes.get(name, _UNDEFINED), scope) for name in names}
        values = {name: secret for name, secret in sent.items() if secret is not None}
        if not any(together and values.keys() >= set(together) for together in security):
            return None
        return await self._authenticate(Credentials(values, scope, declared))


# An adopted document may require a scheme that it does not define.
_UNDEFINED: Final = Scheme(name="Authorization", place="header")


def _secret(scheme: Scheme, scope: Scope) -> str | None:
    """Return the secret that was sent; None for none, and for text that can't be a secret."""
    if scheme.place == "header":
        found = field(scope, scheme.name)
    else:
        values = (
            cookies(scope).get(scheme.name, [])
            if scheme.place == "cookie"
            else [v for name, v in query.pairs(scope["query_string"]) if name == scheme.name]
        )
        found = values[0] if len(values) == 1 else None
    if found is not None and scheme.prefix:
        is_meant = found.lower().startswith(scheme.prefix.lower())
        is_bare = scope["state"].get(VERSION) in scheme.bare
        found = found[len(scheme.prefix) :].strip(" ") if is_meant else found if is_bare else None
    # comparisons in constant time refuse other text with an error
    return found if found and found.isascii() and found.isprintable() else None
