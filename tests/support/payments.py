"""The generated payment API with handlers that record their arguments."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

from dateline_runtime.asgi import App
from support.exchanges import Response, ask, request

_GENERATED: Final = Path(__file__).parents[2] / "generated"

VERSIONS: Final = ("2025-03-13", "2026-07-01", "2026-08-01")
OLDEST, MIDDLE, NEWEST = VERSIONS
ENVIRONMENTS: Final = ("production", "sandbox")

ID: Final = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
RAILS: Final = ("Iban", "FedNow", "AchWire", "Swift", "FedNow")
"""Those of every autoramp."""

Arguments = dict[str, Any]


def server() -> Any:
    """Return the package of the generated server."""
    if str(_GENERATED / "python") not in sys.path:
        sys.path.append(str(_GENERATED / "python"))
    return importlib.import_module("paynet.server")


def published(environment: str, name: str) -> bytes:
    """Return the bytes of a published document."""
    return (_GENERATED / "spec" / environment / f"{name}.json").read_bytes()


@dataclass(frozen=True)
class Account:
    identity: str


async def authenticate(credentials: Any) -> Account | None:
    """Accept the keys `key-...`; each sub-partner is a caller of its own."""
    key = credentials.values["ApiKey"]
    sub = credentials.header("X-SUB-PARTNER-ID")
    return Account(f"{key} {sub}") if key.startswith("key-") else None


@dataclass
class Payments:
    """The handlers of all groups. Each account has its own autoramps.

    Results are plain values, or models if *as_models*.
    """

    as_models: bool = False
    calls: list[tuple[str, Arguments]] = field(default_factory=list)
    autoramps: dict[tuple[str, UUID], dict[str, Any]] = field(default_factory=dict)

    def _shown(self, name: str, value: dict[str, Any]) -> Any:
        models = importlib.import_module("paynet.server.models")
        return getattr(models, name).model_validate(value) if self.as_models else value

    def _note(self, name: str, call: Any, **arguments: Any) -> str:
        self.calls.append((name, arguments))
        identity: str = call.account.identity
        return identity

    def _autoramp(self, who: str, id: UUID) -> Any:
        if (who, id) not in self.autoramps:
            raise server().Refusal(404, "no such autoramp")
        return self._shown("Autoramp", self.autoramps[who, id])

    async def create_autoramp(self, call: Any, *, body: Any) -> Any:
        who = self._note("create_autoramp", call, body=body)
        made = uuid4()
        rails = [{"type": name, "of": name} for name in RAILS]
        self.autoramps[who, made] = {
            "id": str(made),
            "external_id": f"external {len(self.autoramps)}",
            "deposit_rails": rails,
        }
        return self._autoramp(who, made)

    async def list_autoramps(self, call: Any) -> Any:
        who = self._note("list_autoramps", call)
        items = [each for (owner, _), each in self.autoramps.items() if owner == who]
        return self._shown("AutorampList", {"items": items})

    async def get_autoramp(self, call: Any, *, autoramp_id: UUID) -> Any:
        return self._autoramp(self._note("get_autoramp", call, id=autoramp_id), autoramp_id)

    async def update_autoramp(self, call: Any, *, autoramp_id: UUID, body: Any) -> Any:
        who = self._note("update_autoramp", call, id=autoramp_id, body=body)
        return self._autoramp(who, autoramp_id)

    async def create_autoramp_quote(self, call: Any, *, autoramp_id: UUID, body: Any) -> Any:
        who = self._note("create_autoramp_quote", call, id=autoramp_id, body=body)
        return self._autoramp(who, autoramp_id)

    async def get_autoramp_by_external_id(self, call: Any, *, external_id: str) -> Any:
        who = self._note("get_autoramp_by_external_id", call, id=external_id)
        for (owner, id), each in self.autoramps.items():
            if (owner, each["external_id"]) == (who, external_id):
                return self._autoramp(who, id)
        raise server().Refusal(404, "no such autoramp")

    async def list_autoramp_transactions(self, call: Any, **arguments: Any) -> Any:
        self._note("list_autoramp_transactions", call, **arguments)
        items = [{"id": ID, "status": "Completed", "kind": "Onramp"}]
        return self._shown("AutorampTransactionPage", {"items": items, "prev_cursor": None})

    async def update_customer(self, call: Any, *, id: UUID, body: Any, **sub: Any) -> None:
        self._note("update_customer", call, id=id, body=body, **sub)

    async def get_customer_spending_limit(self, call: Any, *, id: UUID) -> Any:
        self._note("get_customer_spending_limit", call, id=id)
        return self._shown("SpendingLimit", {"threshold_eur": "10.00"})

    async def retry_fiat_address_auth(self, call: Any, *, id: str) -> None:
        self._note("retry_fiat_address_auth", call, id=id)

    async def simulate_deposit(self, call: Any, *, autoramp_id: UUID, body: Any) -> Any:
        self._note("simulate_deposit", call, id=autoramp_id, body=body)
        return self._shown("AutorampTransaction", {"id": ID})

    async def advance_transaction(self, call: Any, *, id: UUID, body: Any) -> Any:
        self._note("advance_transaction", call, id=id, body=body)
        return self._shown("AutorampTransaction", {"id": ID, "status": body.status})


class OwnedByClient:
    """Forwards to the handlers, or the store of idempotency keys, of the current client."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __getattr__(self, name: str) -> Any:
        getattr(self.owner, name)

        async def call(*arguments: Any, **named: Any) -> Any:
            return await getattr(self.owner, name)(*arguments, **named)

        return call


def create_app(environment: str, payments: Any, store: Any) -> App:
    """Return the API of *environment* with the handlers *payments*."""
    groups = dict.fromkeys(("addresses", "autoramp", "customer", "sandbox"), payments)
    app: App = server().create_app(
        server().Handlers(**groups),
        environment=environment,
        authenticate=authenticate,
        idempotency=store,
    )
    return app


def create_store() -> Any:
    return importlib.import_module("paynet.server.runtime.idempotency").MemoryStore()


@cache
def share_app(environment: str) -> tuple[App, OwnedByClient, OwnedByClient]:
    """Return the API of *environment*, shared by all clients, and its two forwarding parts.

    Sharing saves the work that an application does for the first request of each kind.
    """
    payments, store = OwnedByClient(Payments()), OwnedByClient(create_store())
    return create_app(environment, payments, store), payments, store


class Client:
    """Calls one environment of the API, with `key-1` by default."""

    def __init__(
        self,
        environment: str = "sandbox",
        *,
        as_models: bool = False,
        payments: Payments | None = None,
    ) -> None:
        self.payments = payments or Payments(as_models)
        self._environment = environment
        self._store = create_store()

    @cached_property
    def app(self) -> App:
        """An application for this client alone, for concurrent requests."""
        return create_app(self._environment, self.payments, self._store)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        version: str | None = None,
        key: str | None = "key-1",
        headers: Iterable[tuple[bytes, bytes]] = (),
    ) -> Response:
        sent = [*headers]
        if key is not None:
            sent.append((b"x-api-key", key.encode("latin-1")))
        if version is not None:
            sent.append((b"x-api-version", version.encode("latin-1")))
        if body is not None and b"content-type" not in dict(sent):
            sent.append((b"content-type", b"application/json; charset=utf-8"))
        app, payments, store = share_app(self._environment)
        payments.owner, store.owner = self.payments, self._store
        return ask(app, request(method, path, sent), body or b"")
