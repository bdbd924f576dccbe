"""A market of six versions, with converters of objects, streams, forms and files.

Names are split, addresses merged, prices become amounts in cents with a currency, and an id becomes
the object; one converter is asynchronous. The backend knows only the newest version, and its
answers depend on the requests, so equal answers prove that equal requests arrived.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from dateline_runtime.asgi import Message, Receive, Scope, Send
from support.generated_server import Generated
from support.shop import Choices
from support.sources import loaded

VERSIONS: Final = (
    *("2023-01-10", "2023-07-01", "2024-02-15"),
    *("2024-10-01", "2025-05-20", "2026-01-15"),
)
V1, V2, V3, V4, V5, V6 = VERSIONS

ENVIRONMENTS: Final = ("production", "sandbox")

_TABLE: Final = f"""\
header: X-API-Version
default: {V1}
versions:
  - {{ date: {V1}, title: First }}
  - {{ date: {V2}, title: Names }}
  - {{ date: {V3}, title: Prices }}
  - {{ date: {V4}, title: Addresses }}
  - {{ date: {V5}, title: Sellers }}
  - {{ date: {V6}, title: Units }}
environments:
  production: {{ servers: [{{ url: https://market.example/api }}] }}
  sandbox: {{ servers: [{{ url: https://sandbox.market.example/api }}] }}
policy: dated-contract
python: {{ package: market }}
"""

_API: Final = f"""\
openapi: 3.2.0
info: {{ title: Market, version: canonical }}
tags: [{{ name: Market }}]
paths:
  /offers:
    get:
      operationId: listOffers
      tags: [Market]
      parameters:
        - name: most
          in: query
          schema:
            type: integer
            minimum: 0
            x-was: {{ {V3}: {{ type: string, pattern: '^[0-9]{{1,6}}[.][0-9]{{2}}$' }} }}
        - name: count
          in: query
          schema: {{ type: integer, minimum: 0, maximum: 20, default: 2 }}
          x-was: {{ {V5}: {{ name: limit }} }}
      responses:
        '200':
          description: a page
          content:
            application/json:
              schema:
                type: object
                required: [offers]
                properties:
                  offers: {{ type: array, items: {{ $ref: '#/components/schemas/Offer' }} }}
                  by_place:
                    type: object
                    additionalProperties:
                      type: array
                      items: {{ $ref: '#/components/schemas/Offer' }}
        '400': {{ $ref: '#/components/responses/Refused' }}
    post:
      operationId: createOffer
      tags: [Market]
      requestBody:
        required: true
        content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Offer' }} }} }}
      responses:
        '201':
          description: the offer
          content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Offer' }} }} }}
        '400': {{ $ref: '#/components/responses/Refused' }}
  /feed:
    get:
      operationId: followOffers
      tags: [Market]
      parameters: [{{ name: count, in: query, schema: {{ type: integer }} }}]
      responses:
        '200':
          description: events
          content:
            text/event-stream:
              itemSchema:
                type: object
                required: [data]
                properties:
                  event: {{ type: string }}
                  id: {{ type: string, x-added: {V4} }}
                  data: {{ type: string }}
  /ticks:
    get:
      operationId: readTicks
      tags: [Market]
      parameters: [{{ name: count, in: query, schema: {{ type: integer }} }}]
      responses:
        '200':
          description: the data of each event
          content:
            text/event-stream: {{ schema: {{ $ref: '#/components/schemas/Happening' }} }}
  /lines:
    get:
      operationId: readLines
      tags: [Market]
      parameters: [{{ name: count, in: query, schema: {{ type: integer }} }}]
      responses:
        '200':
          description: an offer on each line
          content:
            application/x-ndjson: {{ itemSchema: {{ $ref: '#/components/schemas/Offer' }} }}
    post:
      operationId: writeLines
      tags: [Market]
      requestBody:
        required: true
        content:
          application/x-ndjson: {{ itemSchema: {{ $ref: '#/components/schemas/Offer' }} }}
      responses:
        '200': {{ $ref: '#/components/responses/Receipt' }}
        '400': {{ $ref: '#/components/responses/Refused' }}
  /pictures:
    post:
      operationId: sendPicture
      tags: [Market]
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              properties:
                title: {{ type: string }}
                alternative: {{ type: string, x-added: {V3} }}
                note: {{ type: string, x-removed: {V5} }}
                file: {{ type: string, format: binary }}
      responses:
        '200': {{ $ref: '#/components/responses/Receipt' }}
        '400': {{ $ref: '#/components/responses/Refused' }}
  /files/{{id}}:
    put:
      operationId: putFile
      tags: [Market]
      parameters: [{{ name: id, in: path, required: true, schema: {{ type: string }} }}]
      requestBody:
        required: true
        content: {{ application/octet-stream: {{}} }}
      responses: {{ '200': {{ $ref: '#/components/responses/Receipt' }} }}
    get:
      operationId: getFile
      tags: [Market]
      parameters: [{{ name: id, in: path, required: true, schema: {{ type: string }} }}]
      responses:
        '200': {{ description: the file, content: {{ application/octet-stream: {{}} }} }}
components:
  responses:
    Receipt:
      description: what was received
      content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Receipt' }} }} }}
    Refused:
      description: refused
      content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Error' }} }} }}
  schemas:
    Error:
      type: object
      required: [message]
      properties: {{ message: {{ type: string }} }}
    Receipt:
      type: object
      required: [digest]
      properties:
        digest: {{ type: string }}
        sha_256: {{ type: string, x-added: {V4} }}
    Happening:
      oneOf:
        - $ref: '#/components/schemas/Offered'
        - $ref: '#/components/schemas/Withdrawn'
          x-added: {V4}
      discriminator:
        propertyName: kind
        mapping:
          offered: '#/components/schemas/Offered'
          withdrawn: '#/components/schemas/Withdrawn'
    Offered:
      type: object
      required: [kind, offer]
      properties:
        kind: {{ const: offered }}
        offer: {{ $ref: '#/components/schemas/Offer' }}
    Withdrawn:
      type: object
      required: [kind, reason]
      properties:
        kind: {{ const: withdrawn }}
        reason: {{ type: string }}
    Offer:
      type: object
      required: [id, seller, price, places]
      properties:
        id: {{ type: string }}
        seller: {{ $ref: '#/components/schemas/Person' }}
        helpers:
          type: array
          items: {{ type: object, additionalProperties: {{ $ref: '#/components/schemas/Person' }} }}
        price: {{ $ref: '#/components/schemas/Price' }}
        places: {{ type: array, items: {{ $ref: '#/components/schemas/Address' }} }}
        shop:
          type: object
          required: [id, label]
          properties: {{ id: {{ type: string }}, label: {{ type: string }} }}
        internal: {{ type: string, x-environments: [sandbox] }}
      x-was:
        {V5}:
          in-place-of: [shop]
          properties: {{ shop_id: {{ type: string }} }}
          converter: offer_shop
    Person:
      type: object
      required: [first_name, last_name]
      properties:
        first_name: {{ type: string, pattern: '^\\S+$' }}
        last_name: {{ type: string, pattern: '^\\S+$' }}
        title: {{ type: string, x-added: {V3} }}
      x-was:
        {V2}:
          in-place-of: [first_name, last_name]
          properties: {{ name: {{ type: string, pattern: '^\\S+ \\S+$' }} }}
    Address:
      type: object
      required: [street]
      properties:
        street: {{ type: string, pattern: '^\\S+ [0-9]+$' }}
        town: {{ type: string }}
      x-was:
        {V4}:
          in-place-of: [street]
          properties:
            road: {{ type: string, pattern: '^\\S+$' }}
            number: {{ type: string, pattern: '^[0-9]+$' }}
    Price:
      type: object
      required: [currency, minor_units]
      properties:
        currency: {{ type: string, enum: [EUR, JPY] }}
        minor_units:
          {{ type: integer, minimum: 0, maximum: 100000, x-was: {{ {V6}: {{ name: cents }} }} }}
        tax: {{ type: number, x-added: {V6} }}
      x-was:
        {V3}:
          in-place-of: [minor_units]
          properties: {{ price: {{ type: string, pattern: '^[0-9]+[.][0-9]{{2}}$' }} }}
"""

FILES: Final = {"versions.yaml": _TABLE, "api.yaml": _API}

NEWER: Final = {
    **dict.fromkeys(('"first_name"', '"last_name"'), V2),
    **dict.fromkeys(('"currency_"', '"title"', '"alternative"'), V3),
    **dict.fromkeys(('"street"', "withdrawn", "beat0", '"reason"', '"sha_256"'), V4),
    '"shop"': V5,
    **dict.fromkeys(('"minor_units"', '"tax"'), V6),
}
"""What older callers must not be shown, and the first version that has it."""

OLDER: Final = {'"name"': V2, '"price":"': V3, '"cents"': V6, '"road"': V4, '"number"': V4}
"""What newer callers must not be shown, and the first version that no longer has it."""


class Converters:
    """Converters for what can't be derived: two are asynchronous, and one needs the context."""

    def older_person(self, value: Any) -> Any:
        return {"name": f"{value['first_name']} {value['last_name']}"}

    async def newer_person(self, value: Any) -> Any:
        await asyncio.sleep(0)
        first, _, last = value["name"].partition(" ")
        return {"first_name": first, "last_name": last}

    def older_address(self, value: Any) -> Any:
        road, _, number = value["street"].partition(" ")
        return {"road": road, "number": number}

    def newer_address(self, value: Any) -> Any:
        return {"street": f"{value['road']} {value['number']}"}

    def older_price(self, value: Any) -> Any:
        units = value["minor_units"]
        return {"price": f"{units // 100}.{units % 100:02}"}

    def newer_price(self, value: Any) -> Any:
        whole, _, rest = value["price"].partition(".")
        if value["currency"] == "JPY" and rest != "00":
            raise ValueError("there are no parts of a yen")
        return {"minor_units": int(whole) * 100 + int(rest)}

    async def older_offer_shop(self, value: Any) -> Any:
        await asyncio.sleep(0)
        return {"shop_id": value["shop"]["id"]}

    async def newer_offer_shop(self, value: Any, context: Any) -> Any:
        await asyncio.sleep(0)
        assert context.operation is not None
        return {"shop": {"id": value["shop_id"], "label": f"shop {value['shop_id']}"}}

    def newer_list_offers_most(self, value: Any) -> Any:
        return int(value.replace(".", ""))


# The data of the backend


def find_offer(id: str) -> dict[str, Any]:
    """Return the offer *id*, the same for each call."""
    lots = Choices(id)
    made: dict[str, Any] = {
        "id": id,
        "seller": _person(lots),
        "price": _price(lots),
        "places": [_address(lots) for _ in range(lots.below(3))],
    }
    if lots.half():
        made["helpers"] = [
            {f"h{at}": _person(lots) for at in range(lots.below(3))} for _ in range(lots.below(3))
        ]
    if lots.half():
        made["shop"] = {"id": f"{lots.below(99)}", "label": "Zoë's"}
    if lots.below(3) == 0:
        made["internal"] = "kept"
    return made


def create_offer(draft: dict[str, Any]) -> dict[str, Any]:
    """Return the offer created from *draft* alone."""
    kept = ("id", "helpers", "price", "places", "shop")
    known: dict[str, Any] = {key: draft[key] for key in kept if key in draft}
    return {**known, "seller": {"first_name": make_receipt(draft)["digest"], "last_name": "X"}}


def find_page(most: int | None, count: int) -> dict[str, Any]:
    """Return a page of offers."""
    offers = [find_offer(f"{most}-{at}") for at in range(count)]
    return {"offers": offers, "by_place": {"here": offers[:1], "there": []}}


def find_happening(at: int) -> dict[str, Any]:
    """Return event number *at*."""
    if at % 3 == 1:
        return {"kind": "withdrawn", "reason": "sold"}
    return {"kind": "offered", "offer": find_offer(f"e{at}")}


def make_receipt(content: Any) -> dict[str, Any]:
    """Return a receipt that depends on *content*."""
    if not isinstance(content, bytes):
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        content = text.encode()
    found = hashlib.sha256(content).hexdigest()
    return {"digest": found[:16], "sha_256": found}


def make_file(id: str) -> bytes:
    """Return the bytes of a file of any size; some look like JSON."""
    lots = Choices(id)
    begin = lots.choose([b"\x89PNG\0", b"{", b'{"first_name": 1}', b"text", b""])
    return begin + bytes(range(256)) * lots.choose([0, 1, 300, 5000])


def _person(lots: Choices) -> dict[str, Any]:
    title = {"title": "Dr"} if lots.half() else {}
    return {"first_name": lots.choose(["Ada", "Zoë"]), "last_name": "King", **title}


def _price(lots: Choices) -> dict[str, Any]:
    tax = {"tax": 0.07} if lots.half() else {}
    return {"currency": "EUR", "minor_units": lots.below(100_000), **tax}


def _address(lots: Choices) -> dict[str, Any]:
    town = {"town": "Bern"} if lots.half() else {}
    return {"street": f"Weg {lots.below(99)}", **town}


def _dump(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


# The backend, and the handlers of the generated server


async def backend(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer as the market of the newest version, without any knowledge of versions."""
    if scope["type"] == "websocket":
        await _echo(receive, send)
        return
    if scope["type"] != "http":
        return
    content = b""
    message: Message = {"more_body": True}
    while message.get("more_body"):
        message = await receive()
        content += message.get("body", b"")
    path: str = scope["path"].removeprefix("/api")
    query = dict(
        pair.split("=", 1) for pair in scope["query_string"].decode().split("&") if "=" in pair
    )
    method = scope["method"]
    if not all(each.isdigit() for each in query.values()):
        await _answer(send, 400, b'{"message":"no number"}')
        return
    count = int(query.get("count", "2"))
    if (method, path) == ("GET", "/offers"):
        most = int(query["most"]) if "most" in query else None
        await _answer(send, 200, _dump(find_page(most, count)))
    elif (method, path) == ("POST", "/offers"):
        await _answer(send, 201, _dump(create_offer(json.loads(content))))
    elif path == "/feed":
        pieces = [b"event: beat\nid: beat%d\ndata: {}\n\n" % at for at in range(count)]
        await _answer(send, 200, *pieces, media_type=b"text/event-stream")
    elif path == "/ticks":
        pieces = [b"data: %s\n\n" % _dump(find_happening(at)) for at in range(count)]
        await _answer(send, 200, *pieces, media_type=b"text/event-stream")
    elif (method, path) == ("GET", "/lines"):
        pieces = [_dump(find_offer(f"l{at}")) + b"\n" for at in range(count)]
        await _answer(send, 200, *pieces, media_type=b"application/x-ndjson")
    elif path == "/lines":
        lines = [json.loads(line) for line in content.splitlines() if line]
        await _answer(send, 200, _dump(make_receipt(lines)))
    elif method == "GET":
        pieces = _cut(make_file(path.removeprefix("/files/")))
        await _answer(send, 200, *pieces, media_type=b"application/octet-stream")
    else:
        await _answer(send, 200, _dump(make_receipt(content)))


def _cut(content: bytes) -> list[bytes]:
    return [content[at : at + 60_000] for at in range(0, len(content), 60_000)]


async def _answer(
    send: Send, status: int, *pieces: bytes, media_type: bytes = b"application/json"
) -> None:
    headers = [(b"content-type", media_type)]
    if media_type == b"application/json":
        headers.append((b"content-length", str(sum(map(len, pieces))).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    for each in pieces:
        # items arrive in pieces cut anywhere
        half = len(each) // 2
        for piece in (each[:half], each[half:]):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def _echo(receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})


class Handlers:
    """The market as the handlers of its generated server."""

    def __init__(self, server: Any) -> None:
        self._server = server

    async def list_offers(self, _: Any, *, most: Any = None, count: int = 2) -> Any:
        return find_page(most, count)

    async def create_offer(self, _: Any, *, body: Any) -> Any:
        return self._server.Reply(create_offer(body.model_dump(mode="json")), status=201)

    async def follow_offers(self, _: Any, *, count: Any = 2) -> AsyncIterator[Any]:
        for at in range(2 if count is None else count):
            yield {"event": "beat", "id": f"beat{at}", "data": "{}"}

    async def read_ticks(self, _: Any, *, count: Any = 2) -> AsyncIterator[Any]:
        for at in range(2 if count is None else count):
            yield find_happening(at)

    async def read_lines(self, _: Any, *, count: Any = 2) -> AsyncIterator[Any]:
        for at in range(2 if count is None else count):
            yield find_offer(f"l{at}")

    async def write_lines(self, _: Any, *, body: Any) -> Any:
        return make_receipt([each.model_dump(mode="json") async for each in body])

    async def send_picture(self, _: Any, *, body: Any) -> Any:
        return make_receipt(await body.read())

    async def put_file(self, _: Any, *, body: Any, **__: Any) -> Any:
        return make_receipt(await body.read())

    async def get_file(self, _: Any, *, id: str) -> Any:
        return make_file(id)


class Market:
    """The package that is generated for the market, and applications that serve it."""

    def __init__(self, folder: Path, forgotten: str = "") -> None:
        self.package = Generated(folder, loaded(folder, FILES))
        if forgotten:
            path = self.package.folder / self.package.name / "server" / "contracts.json"
            data = json.loads(path.read_text(encoding="utf-8"))
            del data["down"]["shapes"][forgotten]
            data["down"] = json.loads(json.dumps(data["down"]).replace(f'"{forgotten}"', "null"))
            path.write_text(json.dumps(data), encoding="utf-8")
        self.server: Any = self.package.module("server")

    def serve(self, environment: str) -> Any:
        """Return the generated server."""
        handlers = self.server.Handlers(market=Handlers(self.server))
        return self.server.create_app(handlers, environment=environment, converters=Converters())

    def wrap(self, environment: str, app: Any = backend, *, strict: bool = True) -> Any:
        """Return the application that wraps *app*."""
        return self.server.versioned(
            app, environment=environment, converters=Converters(), strict=strict
        )

    def forward(self, port: int) -> Any:
        """Return an application for `wrap` that forwards to *port*."""
        forwarding: Any = self.package.module("server.forwarding")
        return forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{port}"))


def find_leaks(version: str, environment: str, text: str) -> list[str]:
    """Return the words in *text* that callers of *version* in *environment* don't know."""
    hidden = [word for word, since in NEWER.items() if version < since]
    hidden += [word for word, until in OLDER.items() if version >= until]
    if environment != "sandbox":
        hidden.append('"internal"')
    text = text.replace('\\"', '"')
    return [word for word in hidden if word in text]


# Requests


class MarketRequest(NamedTuple):
    """A request to the market."""

    method: str
    url: str
    version: str
    media_type: str = ""
    body: bytes = b""

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        found = [(b"x-api-version", self.version.encode())]
        if self.media_type:
            found.append((b"content-type", self.media_type.encode()))
        return found


def make_older(offer: dict[str, Any], version: str) -> dict[str, Any]:
    """Return *offer* in the form of *version*, converted without dateline."""
    made: dict[str, Any] = json.loads(json.dumps(offer))
    made.pop("internal", None)
    people = [made["seller"], *(each for held in made.get("helpers", []) for each in held.values())]
    for each in people:
        if version < V3:
            each.pop("title", None)
        if version < V2:
            each["name"] = f"{each.pop('first_name')} {each.pop('last_name')}"
    for each in made["places"]:
        if version < V4:
            each["road"], each["number"] = each.pop("street").split(" ")
    price = made["price"]
    if version < V6:
        price.pop("tax", None)
        price["cents"] = price.pop("minor_units")
    if version < V3:
        cents = price.pop("cents")
        price["price"] = f"{cents // 100}.{cents % 100:02}"
    if version < V5 and "shop" in made:
        made["shop_id"] = made.pop("shop")["id"]
    return made


def ask_at_random(seed: int, count: int) -> Iterator[MarketRequest]:
    """Yield *count* requests, most of which are valid at their version."""
    pick = random.Random(seed)
    makers = [_ask_list, _ask_create, _ask_create, _ask_stream, _ask_lines, _ask_form, _ask_file]
    for _ in range(count):
        yield pick.choice(makers)(pick, pick.choice(VERSIONS))


def _ask_list(pick: random.Random, version: str) -> MarketRequest:
    called = "limit" if version < V5 else "count"
    query = [f"{called}={pick.choice(['0', '1', '3', '20', '21', 'x'])}"]
    if pick.random() < 0.5:
        texts = ["1.20", "1.2", "12.00"] if version < V3 else ["120", "1.2", "-1"]
        query.append(f"most={pick.choice(texts)}")
    if pick.random() < 0.2 and version < V5:
        query.append("count=7")
    return MarketRequest("GET", f"/api/offers?{'&'.join(query)}", version)


def _ask_create(pick: random.Random, version: str) -> MarketRequest:
    offer = make_older(find_offer(str(pick.random())), version)
    how = pick.random()
    if how < 0.1:
        offer.pop(pick.choice([*offer]))
    elif how < 0.2:
        offer["price"]["currency"] = "JPY"
    elif how < 0.3:
        # keys of other versions: unknown at this one, and no reason to refuse the request
        offer["shop"] = {"id": "7", "label": "later"}
        offer["shop_id"] = "8"
        offer["seller"] |= {"first_name": "Eve", "last_name": "X"}
        offer["seller"]["name"] = "Eve X"
    elif how < 0.35:
        offer["price"] = {"currency": "EUR"}
    body = json.dumps(offer, ensure_ascii=pick.random() < 0.5).encode()
    if pick.random() < 0.05:
        body = pick.choice([body[:-1], b"", b"[]", b"null", b"\xff"])
    return MarketRequest("POST", "/api/offers", version, "application/json", body)


def _ask_stream(pick: random.Random, version: str) -> MarketRequest:
    path = pick.choice(["feed", "ticks", "lines"])
    return MarketRequest("GET", f"/api/{path}?count={pick.choice([0, 1, 3, 6])}", version)


def _ask_lines(pick: random.Random, version: str) -> MarketRequest:
    offers = [
        make_older(find_offer(str(pick.random())), version) for _ in range(pick.choice([1, 4]))
    ]
    if pick.random() < 0.2:
        offers[-1].pop("seller")
    body = "\n".join(map(json.dumps, offers)).encode() + pick.choice([b"", b"\n", b"\n\n"])
    return MarketRequest("POST", "/api/lines", version, "application/x-ndjson", body)


def _ask_form(pick: random.Random, version: str) -> MarketRequest:
    names = pick.sample(["title", "alternative", "note", "file", "other"], pick.choice([1, 3, 5]))
    parts = [
        b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
        % (name.encode(), bytes([pick.randrange(256)]) * pick.choice([0, 3, 4000]))
        for name in names
    ]
    body = b"".join([*parts, b"--b--\r\n"])
    return MarketRequest("POST", "/api/pictures", version, "multipart/form-data; boundary=b", body)


def _ask_file(pick: random.Random, version: str) -> MarketRequest:
    url = f"/api/files/{pick.randrange(100)}"
    if pick.random() < 0.5:
        return MarketRequest("GET", url, version)
    body = bytes([pick.randrange(256)]) * pick.choice([1, 70_000, 900_000])
    return MarketRequest("PUT", url, version, "application/octet-stream", body)
