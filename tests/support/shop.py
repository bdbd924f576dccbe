"""A shop of six versions: its backend, the applications that serve it, and random requests.

The definitions have a gate of each kind: renames, nested unions, lists of maps, recursion, changed
types, environments. The backend knows only the newest version; its answers depend on the requests,
so equal answers prove that equal requests arrived.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Final, NamedTuple, TypeVar
from urllib.parse import quote

from fastapi import Body, FastAPI, HTTPException, Response

from support.generated_server import Generated
from support.shop_sources import FILES, VERSIONS
from support.sources import loaded

T = TypeVar("T")

ENVIRONMENTS: Final = ("production", "sandbox")

# Words that older callers must not see, and the first version that has them.
NEWER: Final = {
    "packed": "2023-07-01",
    '"express"': "2023-07-01",
    '"label"': "2023-07-01",
    "page_size": "2024-02-15",
    '"customer_name"': "2024-02-15",
    '"brand"': "2024-02-15",
    "fednow": "2024-10-01",
    '"unit"': "2024-10-01",
    "wallet": "2025-05-20",
    '"hint"': "2025-05-20",
    '"badge"': "2026-01-15",
}


class Converters:
    """Converters for what can't be derived: a date that became a date-time, a weight in grams."""

    def older_order_placed_at(self, value: Any) -> Any:
        return value[:10]

    def newer_order_draft_wanted_at(self, value: Any) -> Any:
        return f"{value}T00:00:00Z"

    def older_line_weight(self, value: Any) -> Any:
        return str(value)


class ShopRequest(NamedTuple):
    """A request to the shop."""

    method: str
    url: str
    version: str | None = None
    body: bytes = b""

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        found = [(b"x-api-version", self.version.encode())] if self.version is not None else []
        return [*found, *([(b"content-type", b"application/json")] if self.body else [])]


# The data of the backend


class Choices:
    """Pseudo-random choices that depend on a text, the same in every language (`node_shop.js`)."""

    def __init__(self, text: str) -> None:
        self._state = 2166136261
        for byte in text.encode():
            self._state = (self._state ^ byte) * 16777619 & 0xFFFFFFFF

    def below(self, count: int) -> int:
        self._state = (self._state * 1664525 + 1013904223) & 0xFFFFFFFF
        return (self._state >> 8) % count

    def choose(self, listed: Sequence[T]) -> T:
        return listed[self.below(len(listed))]

    def half(self) -> bool:
        return self.below(2) == 0


def create_order(draft: dict[str, Any]) -> dict[str, Any]:
    """Return the order created from *draft*."""
    text = json.dumps(draft, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    made = find_order(hashlib.sha256(text.encode()).hexdigest())
    return {**made, **{key: value for key, value in draft.items() if key != "wanted_at"}}


def find_order(id: str) -> dict[str, Any]:
    """Return the order *id*, the same for each call."""
    lots = Choices(id)
    made = {
        "id": id,
        "customer_name": lots.choose(["Ada", "Grace", "Zoë"]),
        "state": lots.choose(["draft", "placed", "packed", "returned"]),
        "payment": _payment(lots),
        "lines": [_line(lots) for _ in range(lots.below(4))],
        "placed_at": f"2026-01-{10 + lots.below(18)}T12:00:00Z",
    }
    if lots.half():
        made["refunds"] = {f"r{at}": _payment(lots) for at in range(lots.below(3))}
    if lots.below(3) == 0:
        made["trace"] = f"t{lots.below(100)}"
    return made


def find_page(state: str | None, page_size: int) -> list[dict[str, Any]]:
    """Return a page of orders."""
    return [find_order(f"{state}-{at}") for at in range(page_size)]


def find_category(id: str) -> dict[str, Any]:
    """Return the category *id* with those below it."""
    return _category(Choices(id), 0)


def find_stock(sku: str) -> dict[str, Any]:
    """Return the stock of *sku*, which is the same in all versions."""
    return {"sku": sku, "count": len(sku)}


def _payment(lots: Choices) -> dict[str, Any]:
    kind = lots.choose(["card", "transfer", "wallet"])
    if kind == "card":
        brand = {"brand": "visa"} if lots.half() else {}
        return {"kind": kind, "last4": f"{lots.below(10_000):04}", **brand}
    if kind == "wallet":
        return {"kind": kind, "owner": "Ada"}
    fednow = {"scheme": "fednow", "routing": "021"}
    return {"kind": kind, "bank": lots.choose([{"scheme": "iban", "iban": "DE02"}, fednow])}


def _line(lots: Choices) -> dict[str, Any]:
    return {
        "sku": f"s{lots.below(50)}",
        "weight": lots.below(5000),
        "attributes": [
            {f"a{at}": _attribute(lots) for at in range(lots.below(3))}
            for _ in range(lots.below(3))
        ],
    }


def _attribute(lots: Choices) -> dict[str, Any]:
    unit = {"unit": "cm"} if lots.half() else {}
    return {"label": f"l{lots.below(9)}", **unit}


def _category(lots: Choices, depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {"label": f"c{lots.below(99)}"}
    if lots.half():
        made["badge"] = "new"
    if depth < 3:
        made["children"] = [_category(lots, depth + 1) for _ in range(lots.below(3))]
    if depth < 2 and lots.below(3) == 0:
        made["related"] = {"x": _category(lots, depth + 1)}
    return made


# The backend, in three forms


def backend() -> FastAPI:
    """Return the shop as a FastAPI application without any knowledge of versions."""
    app = FastAPI()

    @app.post("/api/orders", status_code=201)
    def post_order(draft: Annotated[dict[str, Any], Body()]) -> Any:
        return create_order(draft)

    @app.get("/api/orders/{id}")
    def get_order(id: str) -> Any:
        if id.startswith("missing"):
            raise HTTPException(404, {"message": "no such order", "hint": "look again"})
        return find_order(id)

    @app.get("/api/orders")
    async def get_orders(response: Response, state: str | None = None, page_size: int = 3) -> Any:
        response.headers["X-Total-Count"] = "99"
        return {"items": find_page(state, page_size)}

    @app.get("/api/categories/{id}")
    async def get_category(id: str) -> Any:
        return find_category(id)

    @app.get("/api/stock/{sku}")
    async def get_stock(sku: str) -> Any:
        return find_stock(sku)

    @app.post("/api/orders/{id}/simulate")
    async def simulate(id: str) -> Any:
        return find_order(id)

    @app.exception_handler(HTTPException)
    async def answer_error(_: Any, error: HTTPException) -> Response:
        body = json.dumps(error.detail, separators=(",", ":"))
        return Response(body, error.status_code, media_type="application/json")

    return app


class _Handlers:
    """The shop as the handlers of its generated server."""

    def __init__(self, server: Any) -> None:
        self._server = server

    async def create_order(self, _: Any, *, body: Any) -> Any:
        draft = body.model_dump(mode="json")
        # an application of the newest version never gets removed fields
        return self._server.Reply(
            create_order({key: each for key, each in draft.items() if key != "note"}), status=201
        )

    async def get_order(self, _: Any, *, id: str) -> Any:
        if id.startswith("missing"):
            said = {"message": "no such order", "hint": "look again"}
            raise self._server.Refusal(404, said)
        return find_order(id)

    async def list_orders(self, _: Any, *, state: Any = None, page_size: int = 3) -> Any:
        found = find_page(None if state is None else str(state.value), page_size)
        return self._server.Reply({"items": found}, headers={"X-Total-Count": 99})

    async def get_category(self, _: Any, *, id: str) -> Any:
        return find_category(id)

    async def get_stock(self, _: Any, *, sku: str) -> Any:
        return find_stock(sku)

    async def simulate_order(self, _: Any, *, id: str) -> Any:
        return find_order(id)


class Shop:
    """The package generated for the shop, and applications that serve it.

    *edit* changes the contract data; *files* are other definitions.
    """

    def __init__(
        self,
        folder: Path,
        edit: Callable[[Any], None] | None = None,
        files: Mapping[str, str] = FILES,
    ) -> None:
        self.package = Generated(folder, loaded(folder, dict(files)))
        if edit is not None:
            data = json.loads(self.package.text("server/contracts.json"))
            edit(data)
            path = self.package.folder / self.package.name / "server" / "contracts.json"
            path.write_text(json.dumps(data), encoding="utf-8")
        self.server = self.package.module("server")

    def serve(self, environment: str) -> Any:
        """Return the generated server."""
        handlers = SimpleNamespace(shop=_Handlers(self.server))
        return self.server.create_app(handlers, environment=environment, converters=Converters())

    def wrap(self, environment: str, app: Any = None, *, strict: bool = True) -> Any:
        """Return the application that wraps *app*, by default the FastAPI application."""
        return self.server.versioned(
            app or backend(), environment=environment, converters=Converters(), strict=strict
        )


def forget_gate(data: Any) -> None:
    """Remove a gate from the contract data: that of a field of an attribute in a map in a list."""
    del data["down"]["shapes"]["Attribute"]
    data["down"] = json.loads(json.dumps(data["down"]).replace('"Attribute"', "null"))


def find_leaks(version: str, environment: str, body: bytes) -> list[str]:
    """Return the words in *body* that callers of *version* in *environment* must not see."""
    text = body.decode()
    hidden = [word for word, since in NEWER.items() if version < since]
    if environment != "sandbox":
        hidden.append('"trace"')
    return [word for word in hidden if word in text]


# Requests


def ask_at_random(seed: int, count: int) -> Iterator[ShopRequest]:
    """Yield *count* requests: most valid at their version, some faulty, some of no version."""
    pick = random.Random(seed)
    makers = [_ask_create, _ask_create, _ask_list, _ask_order, _ask_order, _ask_other]
    for _ in range(count):
        version = pick.choice(VERSIONS)
        asked = pick.choice(makers)(pick, version)
        how = pick.random()
        if how < 0.03:
            version = pick.choice(["2023-1-10", "2020-01-01", "latest", " "])
        yield asked._replace(version=None if how > 0.97 and version == VERSIONS[0] else version)


def _ask_create(pick: random.Random, version: str) -> ShopRequest:
    draft: dict[str, Any] = {
        "customer_name" if version >= "2024-02-15" else "buyer": "Ada",
        "payment": _sent_payment(pick, version),
    }
    if pick.random() < 0.5:
        draft["wanted_at"] = "2026-02-01T08:00:00Z" if version >= "2024-10-01" else "2026-02-01"
    if pick.random() < 0.3 and version < "2025-05-20":
        draft["note"] = "gift"
    if pick.random() < 0.2:
        # an older caller doesn't know the field of a newer version
        draft["customer_name"] = "Eve"
        draft["express"] = True
    body = json.dumps(draft).encode()
    how = pick.random()
    if how < 0.1:
        body = pick.choice([b"", b"[]", b"{", b'{"a":NaN}', b'{"buyer":"\\ud800"}', body[:-1]])
    return ShopRequest("POST", "/api/orders", body=body)


def _sent_payment(pick: random.Random, version: str) -> dict[str, Any]:
    while True:
        made = _payment(Choices(str(pick.random())))
        if not find_leaks(version, "sandbox", json.dumps(made).encode()):
            return made


def _ask_list(pick: random.Random, version: str) -> ShopRequest:
    called = "page_size" if version >= "2024-02-15" else "limit"
    query = []
    if pick.random() < 0.7:
        query.append(f"{called}={pick.choice(['1', '2', '5', '05', 'x', '1000'])}")
    if pick.random() < 0.5:
        query.append(f"state={pick.choice(['draft', 'placed', 'packed', 'lost'])}")
    if pick.random() < 0.2 and version < "2024-02-15":
        query.append("page_size=4")
    return ShopRequest("GET", f"/api/orders?{'&'.join(query)}")


def _ask_order(pick: random.Random, _: str) -> ShopRequest:
    id = pick.choice(["missing", "one", "two", "Zoë", "a%b"]) + str(pick.randrange(1000))
    return ShopRequest("GET", f"/api/orders/{quote(id)}")


def _ask_other(pick: random.Random, _: str) -> ShopRequest:
    number = pick.randrange(1000)
    return pick.choice(
        [
            ShopRequest("GET", f"/api/categories/c{number}"),
            ShopRequest("GET", f"/api/stock/s{number}"),
            ShopRequest("POST", f"/api/orders/o{number}/simulate"),
        ]
    )


class Layer:
    """The layer around whatever application is behind it at the time."""

    def __init__(self, shop: Shop, **said: Any) -> None:
        self.app: Any = None
        self._layer = shop.server.versioned(
            self._pass, environment="production", converters=Converters(), **said
        )

    async def _pass(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)

    async def ask(self, app: Any, scope: Any, receive: Any, send: Any) -> None:
        self.app = app
        await self._layer(scope, receive, send)


def wrap_shop(shop: Shop, app: Any, **said: Any) -> Any:
    """Return *app* in the layer; to make one for each application takes longer than requests."""
    layer = Layer(shop, **said) if said else _build_layer(shop)
    return partial(layer.ask, app)


@cache
def _build_layer(shop: Shop) -> Layer:
    return Layer(shop)
