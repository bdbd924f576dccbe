"""Paths that servers read as other paths, through the layer: no answer is newer than its caller."""

from __future__ import annotations

import asyncio
import posixpath
import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any
from urllib.parse import unquote

import pytest
from support.exchanges import Response, exchange, request, run, serving, talk
from support.generated_server import Generated, keep_folder
from support.shop import (
    Converters,
    Shop,
    ShopRequest,
    ask_at_random,
    backend,
    find_leaks,
    find_order,
    forget_gate,
)
from support.shop_sources import FILES, VERSIONS
from support.sources import loaded
from support.tables import cases

pytest.importorskip("aiohttp", reason="the proxy is a client with aiohttp")

OLDEST, NEWEST = VERSIONS[0], VERSIONS[-1]
LITERALS = {"api", "orders", "categories", "stock", "simulate"}
ODD = ["//", "/./", "/x/../", "/%2e/", "/;/", ";v=1/", "%2F", "%2f", "\\", "%5C"]
ENDS = ["/", "//", "/.", "/x/..", ";", ";v=1", ".json", "/;a", "%2F", "%0A"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop"))


class Lenient:
    """A server that reads many paths as the same, and accepts another method in a header."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            path = scope["path"].replace("\\", "/")
            path = "/".join(segment.partition(";")[0] for segment in path.split("/"))
            path = posixpath.normpath(path).removesuffix(".json")
            segments = path.lstrip("/").split("/")
            known = [each.lower() if each.lower() in LITERALS else each for each in segments]
            named = dict(scope["headers"]).get(b"x-http-method-override", b"").decode()
            method = named.partition(",")[0].strip().upper()
            changed = {"path": "/" + "/".join(known), "method": method or scope["method"]}
            scope = {**scope, **changed}
        await self._app(scope, receive, send)


def spell(lots: random.Random, url: str) -> str:
    """Return *url* with another path that servers may read as the same."""
    path, mark, query = url.partition("?")
    for _ in range(lots.choice([1, 1, 2, 3])):
        how = lots.randrange(4)
        slashes = [at for at, each in enumerate(path) if each == "/"]
        if how == 0:
            path += lots.choice(ENDS)
        elif how == 1:
            path = "".join(lots.choice([each, each.upper()]) for each in path.split("one")[0])
            path += url.partition("?")[0][len(path) :]
        elif how == 2:
            at = lots.choice([at for at, each in enumerate(path) if each.isalpha()])
            path = f"{path[:at]}%{ord(path[at]):02x}{path[at + 1 :]}"
        else:
            at = lots.choice(slashes)
            path = path[:at] + lots.choice(ODD if at else ODD[:4]) + path[at + 1 :]
    return f"{path}{mark}{query}"


def spell_requests(seed: int, count: int) -> list[ShopRequest]:
    lots = random.Random(seed)
    listed = [each for each in ask_at_random(seed, count) if each.version in VERSIONS]
    # the application itself can't handle a lone surrogate
    asked = [each for each in listed if b"ud800" not in each.body]
    return [each._replace(url=spell(lots, each.url)) for each in asked]


async def ask(app: Any, asked: ShopRequest) -> Response:
    scope = request(asked.method, asked.url, asked.headers)
    sent: str = scope["path"]
    scope.update(path=unquote(sent), raw_path=sent.encode())
    return await exchange(app, scope, asked.body)


def ask_all(app: Any, asked: list[ShopRequest]) -> list[Response]:
    async def answered() -> list[Response]:
        return [await ask(app, each) for each in asked]

    return asyncio.run(answered())


def leaks(asked: list[ShopRequest], answers: list[Response]) -> list[Any]:
    return [
        (each, found)
        for each, answer in zip(asked, answers, strict=True)
        if answer.status < 400
        for found in [find_leaks(each.version or OLDEST, "production", answer.body)]
        if found
    ]


@pytest.mark.parametrize(
    ("wraps", "strict"), [(Lenient, False), (Lenient, True), (lambda app: app, False)]
)
def test_no_spelling_of_a_path_bypasses_the_layer(shop: Shop, wraps: Any, strict: bool) -> None:
    asked = spell_requests(3, 250)
    app = wraps(backend())
    answers = ask_all(shop.wrap("production", app, strict=strict), asked)
    assert leaks(asked, answers) == []
    # the application alone answers as well, and in a form that is too new
    alone = ask_all(app, asked)
    reached = [
        (one, other) for one, other in zip(alone, answers, strict=True) if one.status in (200, 201)
    ]
    is_lenient = wraps is Lenient
    assert len(reached) > (125 if is_lenient else 25)
    assert len(leaks(asked, alone)) > (40 if is_lenient else 5)
    # they are served, not refused; only requests with faults, as in the body, are refused
    assert sum(other.status in (400, 404) for _, other in reached) < len(reached) / 5
    assert not [each for each in answers if each.status >= 500]


def test_missing_gate_is_noticed(tmp_path: Any) -> None:
    asked = spell_requests(3, 250)
    app = Shop(tmp_path, forget_gate).wrap("production", Lenient(backend()))
    assert leaks(asked, ask_all(app, asked)) != []


@contextmanager
def proxying(shop: Shop, app: Any, http: Any = "httptools") -> Iterator[int]:
    """Serve all versions in front of *app*; yield the port."""
    forwarding = shop.package.module("server.forwarding")
    quiet: dict[str, Any] = {"server_header": False, "date_header": False}
    with ExitStack() as stack:
        port = stack.enter_context(serving(app, "h11", **quiet))
        behind = forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{port}"))
        front = shop.wrap("production", behind, strict=False)
        yield stack.enter_context(serving(front, http, lifespan="on", **quiet))


def send(port: int, asked: ShopRequest, *lines: bytes) -> Response:
    start = f"{asked.method} {asked.url} HTTP/1.1".encode("latin-1")
    fields = [b": ".join(each) for each in asked.headers]
    length = [b"content-length: %d" % len(asked.body)] if asked.body else []
    head = [start, b"host: shop.example", b"connection: close", *fields, *length, *lines]
    return talk(port, b"\r\n".join(head), asked.body)


def test_no_spelling_of_a_path_bypasses_the_proxy(shop: Shop) -> None:
    # httptools refuses a target with a backslash
    asked = [each for each in spell_requests(4, 80) if "\\" not in each.url]
    with serving(Lenient(backend()), "h11") as port:
        alone = [send(port, each) for each in asked]
    with proxying(shop, Lenient(backend())) as port:
        answers = [send(port, each) for each in asked]
    assert leaks(asked, answers) == []
    assert len(leaks(asked, alone)) > 10
    assert not [each for each in answers if each.status >= 500]


ORDER = ShopRequest("GET", "/api/orders/one", OLDEST)


def is_narrowed(response: Response) -> bool:
    return response.status == 200 and response.json["buyer"] == find_order("one")["customer_name"]


@cache
def build_with_place(place: str) -> Any:
    """Return the shop's layer for requests that name their version at *place*."""
    table = FILES["versions.yaml"].replace("header: X-API-Version", place)
    folder = keep_folder()
    sources = loaded(folder, {**FILES, "versions.yaml": table})
    return (
        Generated(folder, sources)
        .module("server")
        .versioned(Lenient(backend()), environment="production", converters=Converters())
    )


@pytest.mark.parametrize("http", ["h11", "httptools"])
@pytest.mark.parametrize("form", ["{}", "http://elsewhere.example{}", "HTTPS://[::1]:8443{}"])
def test_target_in_absolute_form_is_reduced_to_its_path(shop: Shop, http: Any, form: str) -> None:
    asked = ORDER._replace(url=form.format(ORDER.url))
    with serving(shop.serve("production"), http) as port:
        assert is_narrowed(send(port, asked))
    with serving(shop.wrap("production"), http) as port:
        assert is_narrowed(send(port, asked))
    with proxying(shop, backend(), http) as port:
        assert is_narrowed(send(port, asked))


@cases("host", ["", "me@h", "me:secret@h", "a@b@h", "a\r\nX: y", "a b", "\xe9"])
@cases("door", ["serve", "wrap"])
def test_target_in_absolute_form_without_a_path_is_the_root(
    shop: Shop, door: str, host: str
) -> None:
    # decoded, as servers pass it
    scope = request("GET", f"http://{host}{ORDER.url}")
    response = run(exchange(getattr(shop, door)("production"), scope, b""))
    assert response.status == 400
    assert "the target of the request is not a path" in response.body.decode()


def surrounding(shop: Shop, app: Any) -> Any:
    return serving(shop.wrap("production", app))


@pytest.mark.parametrize("door", [proxying, surrounding])
def test_redirects_of_the_application_point_to_the_operation(shop: Shop, door: Any) -> None:
    with door(shop, backend()) as port:
        asked = ShopRequest("GET", "/api/orders/?limit=2&state=draft", OLDEST)
        redirect = send(port, asked)
        [location] = redirect.header("location")
        # the application sees `page_size`
        assert redirect.status == 307
        assert location.endswith("/api/orders?limit=2&state=draft")
        followed = send(port, asked._replace(url=f"/api{location.partition('/api')[2]}"))
    assert len(followed.json["items"]) == 2
    assert "buyer" in followed.json["items"][0]


OVERRIDE = b"x-http-method-override: "


@cases(
    ("method", "path", "named", "status"),
    [
        # not an operation by its own method, but by the other one
        ("POST", "/api/orders/one", b"GET", 200),
        ("POST", "/api/orders/one/", b"get", 200),
        ("POST", "/api/orders/one", b"GET, POST", 200),
        ("POST", "/api/orders/one", b" GET,PURGE", 200),
        ("GET", "/api/orders/one", b"GET", 200),
        # an operation, which the application may read as another one
        ("POST", "/api/orders", b"GET", 404),
        ("GET", "/api/orders", b"POST", 404),
        # no existing operation
        ("GET", "/api/orders/one", b"PURGE", 405),
        ("POST", "/api/things", b"GET", 404),
    ],
)
def test_method_override_in_a_header_is_respected(
    shop: Shop, method: str, path: str, named: bytes, status: int
) -> None:
    asked = ShopRequest(method, path, OLDEST)
    with serving(shop.wrap("production", Lenient(backend()))) as port:
        response = send(port, asked, OVERRIDE + named)
        assert response.status == status
        assert find_leaks(OLDEST, "production", response.body) == []


def test_callers_of_the_newest_version_get_the_applications_reading_of_a_path(shop: Shop) -> None:
    asked = ShopRequest("POST", "/api/orders", NEWEST)
    with serving(shop.wrap("sandbox", Lenient(backend()), strict=False)) as port:
        assert send(port, asked, OVERRIDE + b"GET").status == 200
        assert send(port, asked._replace(version=VERSIONS[-3]), OVERRIDE + b"GET").status == 404


def test_unversioned_operations_pass_at_their_own_paths(shop: Shop) -> None:
    app = shop.server.versioned(
        Lenient(backend()),
        environment="production",
        converters=Converters(),
        only={"listOrders"},
    )
    passed = asyncio.run(ask(app, ORDER))
    assert (passed.json, passed.header("x-api-version")) == (find_order("one"), [])


@cases(
    "path",
    [
        "/api/2023-01-10/orders/one",
        "/api/2023-01-10//orders/one",
        "/api/2023-01-10/Orders/./one/",
        # no server of the newest version alone reads these as paths with a version
        *("//api/orders/one", "/API/orders/one", "/api/orders/one/", "/./api/orders/one"),
        *("/api/2026-01-15/../orders/one", "/api/x/../orders/one"),
    ],
)
def test_version_in_the_path_is_read_in_other_spellings(path: str) -> None:
    app = build_with_place("path: true")
    assert is_narrowed(asyncio.run(ask(app, ShopRequest("GET", path))))


@pytest.mark.parametrize(
    ("place", "path", "accept"),
    [
        ("path: true", "/api/{}/orders/one", "*/*"),
        ("query: version", "/api/orders/one?version={}", "*/*"),
        ("media-type: version", "/api/orders/one", "application/json;version={}"),
    ],
)
def test_method_override_preserves_the_version(place: str, path: str, accept: str) -> None:
    app = build_with_place(place)
    for version, key in ((OLDEST, "buyer"), (NEWEST, "customer_name")):
        for method, named in (("GET", b"GET"), ("POST", b"GET"), ("POST", b"get")):
            headers = [
                (b"accept", accept.format(version).encode()),
                (b"x-http-method-override", named),
            ]
            scope = request(method, path.format(version), headers)
            scope["raw_path"] = scope["path"].encode()
            response = run(exchange(app, scope, b""))
            assert (response.status, key in response.json) == (200, True)
