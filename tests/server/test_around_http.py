"""HTTP around an existing application: content codings, tags, ranges, streams, errors."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import zlib
from codecs import BOM_UTF8
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Mount, Route
from support.exchanges import Caller, Response, ask, request
from support.shop import Shop, find_order
from support.shop import wrap_shop as wrap
from support.shop_sources import FILES, VERSIONS
from support.tables import cases

OLDEST, NEWEST = VERSIONS[0], VERSIONS[-1]
ORDER = find_order("one")
BODY = json.dumps(ORDER).encode()
AT = [(b"x-api-version", OLDEST.encode())]

Fields = list[tuple[bytes, bytes]]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Return a shop with an error without a body, and two operations of the newest version."""
    declared = "'404': { $ref: '#/components/responses/Refused' }"
    operation = (
        "'404': { description: none }\n    delete: { operationId: deleteOrder, tags: [Shop],"
        f" x-added: {NEWEST}, parameters: [{{ $ref: '#/components/parameters/Id' }}],"
        " responses: { '204': { description: deleted } } }"
    )
    path = (
        f"paths:\n  /recent: {{ get: {{ operationId: listRecent, tags: [Shop], x-added: {NEWEST},"
        " responses: { '204': { description: none } } } }"
    )
    api = FILES["api.yaml"].replace(declared, operation).replace("paths:", path, 1)
    return Shop(tmp_path_factory.mktemp("extended"), files={**FILES, "api.yaml": api})


class Backend:
    """An application with one answer for everything, which records its requests."""

    def __init__(
        self, body: bytes = BODY, status: int = 200, headers: Fields | None = None
    ) -> None:
        self.body = body
        self.status = status
        self.headers = [(b"content-type", b"application/json")] if headers is None else headers
        self.scope: Any = None
        self.received = b""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scope = scope
        message = await receive()
        self.received = message.get("body", b"")
        start = {"type": "http.response.start", "status": self.status, "headers": self.headers}
        await send(start)
        half = len(self.body) // 2
        await send({"type": "http.response.body", "body": self.body[:half], "more_body": True})
        await send({"type": "http.response.body", "body": self.body[half:]})


def get(
    app: Any, method: str = "GET", headers: Fields = AT, path: str = "/api/orders/one"
) -> Response:
    """Return the answer; its body may come in pieces."""
    caller = Caller()
    asyncio.run(app(request(method, path, headers), caller.receive, caller.send))
    start, *pieces = caller.sent
    fields = [(name.decode(), value.decode("latin-1")) for name, value in start["headers"]]
    return Response(start["status"], fields, b"".join(each.get("body", b"") for each in pieces))


def narrow_order(shop: Shop) -> Any:
    """Return the order in the form of the oldest version."""
    return get(wrap(shop, Backend())).json


def test_narrowed_body_has_its_own_length_and_no_digest(shop: Shop) -> None:
    old = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(BODY)).encode()),
        *((name, b"x") for name in (b"content-md5", b"digest", b"repr-digest", b"accept-ranges")),
    ]
    response = get(wrap(shop, Backend(headers=old)))
    assert response.json["buyer"] == ORDER["customer_name"]
    assert sorted(response.headers) == sorted(
        [
            ("content-type", "application/json"),
            ("content-length", str(len(response.body))),
            ("x-api-version", OLDEST),
            ("vary", "X-API-Version"),
        ]
    )


@pytest.mark.parametrize(
    ("coding", "encode"),
    [
        ("gzip", gzip.compress),
        ("GZIP ", gzip.compress),
        ("x-gzip", gzip.compress),
        ("identity", bytes),
        ("identity", BOM_UTF8.__add__),
        # several members, followed by zeros
        ("gzip", lambda body: gzip.compress(body[:9]) + gzip.compress(body[9:]) + b"\0\0"),
    ],
)
def test_encoded_body_is_narrowed_in_its_coding(shop: Shop, coding: str, encode: Any) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-encoding", coding.encode())]
    backend = Backend(encode(BODY), headers=headers)
    layer = wrap(shop, backend)
    # the first answer determines how the second is handled
    for _ in range(2):
        response = get(layer, headers=[*AT, (b"accept-encoding", b"br, gzip;q=0.5")])
        assert (b"accept-encoding", b"gzip;q=0.5") in backend.scope["headers"]
        plain = response.body if coding == "identity" else gzip.decompress(response.body)
        assert json.loads(plain) == narrow_order(shop)
        assert response.header("content-encoding") == [coding]


@pytest.mark.parametrize("headers", [[], [(b"content-type", b"")]], ids=["absent", "empty"])
def test_body_without_a_content_type_is_narrowed_as_declared(shop: Shop, headers: Fields) -> None:
    layer = wrap(shop, Backend(headers=headers))
    assert [get(layer).json for _ in range(2)] == [narrow_order(shop)] * 2
    wrong = get(wrap(shop, Backend(b"no JSON", headers=headers)))
    assert (wrong.status, b"no JSON" in wrong.body) == (500, False)
    nothing = get(wrap(shop, Backend(b"", headers=headers)))
    assert (nothing.status, nothing.body) == (200, b"")


@pytest.mark.parametrize(
    ("body", "status"), [(BODY, 500), (b"[{}]", 500), (b"accepted", 202), (b"7", 202), (b"", 202)]
)
def test_body_without_a_content_type_at_an_undeclared_status(
    shop: Shop, body: bytes, status: int
) -> None:
    layer = wrap(shop, Backend(body, 202, headers=[(b"x-own", b"1")]))
    for _ in range(2):
        response = get(layer)
        assert response.status == status
        if status == 202:
            assert (response.body, response.header("x-own")) == (body, ["1"])


@cases(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(BODY)[:-1]),
        ("gzip", gzip.compress(BODY) + b"{"),
        ("gzip", gzip.compress(BODY) + gzip.compress(BODY)),
        ("deflate", zlib.compress(BODY)[:-1]),
        ("gzip", BODY),
        ("gzip", b""),
    ],
)
def test_truncated_encoded_body_is_not_sent(shop: Shop, coding: str, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-encoding", coding.encode())]
    assert get(wrap(shop, Backend(body, headers=headers))).status == 500


@cases("status", [204, 205, 304])
@cases("headers", [[], [(b"content-type", b"application/json")]])
def test_body_of_a_status_without_content_is_not_sent(
    shop: Shop, status: int, headers: Fields
) -> None:
    fields = [*headers, (b"content-length", str(len(BODY)).encode())]
    response = get(wrap(shop, Backend(BODY, status, fields)))
    assert (response.status, response.body) == (status, b"")
    assert status != 205 or response.header("content-length") == ["0"]
    head = get(wrap(shop, Backend(headers=fields)), "HEAD")
    assert (head.status, head.body) == (200, b"")


@cases("named", ["application/json", "text/html", "text/event-stream", None])
@cases("status", [300, 301, 303, 307])
def test_redirect_with_a_possible_json_body_loses_it(
    shop: Shop, status: int, named: str | None
) -> None:
    to = (b"location", b"/api/orders/two")
    fields = [to, *([(b"content-type", named.encode())] if named is not None else [])]
    for body in (BODY, b"see: " + BODY):
        response = get(wrap(shop, Backend(body, status, fields)))
        assert (response.status, response.body) == (status, b"")
        assert response.header("location") == ["/api/orders/two"]
    page = get(wrap(shop, Backend(b"<p>there</p>", status, fields)))
    assert (page.status, page.body) == (status, b"<p>there</p>")


@pytest.mark.parametrize("tag", ["a", "'a'", '"a', '"a", "b"', ""])
def test_invalid_entity_tag_is_dropped(shop: Shop, tag: str) -> None:
    headers = [(b"content-type", b"application/json"), (b"etag", tag.encode())]
    response = get(wrap(shop, Backend(headers=headers)))
    assert (response.json, response.header("etag")) == (narrow_order(shop), [])


def test_unreadable_coding_is_logged_as_an_error(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-encoding", b"br")]
    response = get(wrap(shop, Backend(headers=headers)))
    assert response.status == 500
    assert "content coding br can't be narrowed" in caplog.text


def test_bodies_of_the_newest_version_are_not_read(shop: Shop) -> None:
    backend = Backend(b"no JSON", headers=[(b"content-type", b"application/json")])
    response = get(wrap(shop, backend), headers=[], path="/api/stock/x")
    assert (response.status, response.body) == (200, b"no JSON")
    assert response.header("x-api-version") == [OLDEST]


def test_head_has_no_length_of_the_newest_body(shop: Shop) -> None:
    old = [(b"content-type", b"application/json"), (b"content-length", b"99")]
    response = get(wrap(shop, Backend(b"", headers=old)), "HEAD")
    assert (response.body, response.header("content-length")) == (b"", [])


def test_entity_tags_differ_by_version(shop: Shop) -> None:
    headers = [(b"content-type", b"application/json"), (b"etag", b'"a"')]
    backend = Backend(headers=headers)
    app = wrap(shop, backend)
    [tag] = get(app).header("etag")
    assert tag != '"a"'
    get(app, headers=[*AT, (b"if-none-match", tag.encode()), (b"range", b"bytes=0-1")])
    names = dict(backend.scope["headers"])
    assert (names[b"if-none-match"], names.get(b"range")) == (b'"a"', None)


def test_not_modified_has_the_tag_of_the_version(shop: Shop) -> None:
    app = wrap(shop, Backend(b"", 304, [(b"etag", b'"a"')]))
    response = get(app)
    assert response.status == 304
    assert response.header("etag") == get(
        wrap(shop, Backend(headers=[(b"content-type", b"application/json"), (b"etag", b'"a"')]))
    ).header("etag")


def test_declared_error_is_narrowed_and_undeclared_one_unchanged(shop: Shop) -> None:
    said = b'{"message":"no","hint":"look"}'
    assert get(wrap(shop, Backend(said, 404))).json == {"message": "no"}
    assert get(wrap(shop, Backend(said, 409))).body == said


def test_declared_error_with_another_body_is_replaced_by_a_declared_one(shop: Shop) -> None:
    kept = [("retry-after", "9"), ("set-cookie", "a=1"), ("set-cookie", "b=2")]
    lost = [("etag", '"a"'), ("last-modified", "now"), ("x-total-count", "3")]
    headers = [(name.encode(), value.encode()) for name, value in (*kept, *lost)]
    for body, types in (b'{"detail":"no"}', ["application/json"]), (b"{}", ["application/xml"]):
        response = get(wrap(shop, Backend(body, 404, [*typed(types), *headers])))
        said = "no" if types == ["application/json"] else "Not Found"
        assert (response.status, response.json) == (404, {"message": said})
        added = ("content-type", "content-length", "x-api-version", "vary")
        assert [each for each in response.headers if each[0] not in added] == kept
        assert response.header("content-length") == [str(len(response.body))]


ONE_TYPE = [
    *(["application/json"], ["Application/JSON"], ["application/json;"], ["application/json ; x"]),
    *(["application/json;charset=utf-8"], ["application/json; charset=utf-16"]),
    *(['application/json; charset="a,b"'], ["application/json;charset=utf-8;charset=utf-16"]),
    *(["application/json", "application/json"], [", application/json ,"]),
    *(
        ["application/json", "APPLICATION/JSON; charset=utf-8"],
        ["application/json,application/json"],
    ),
]
OTHER_TYPES = [
    *(["application/json", "text/html"], ["text/html", "application/json"]),
    *(["text/html, application/json"], ["application/json, text/html"], ["application/json,x"]),
    *(
        ["text/plain"],
        ["text/html"],
        ["application/octet-stream"],
        ["text/json"],
        ["json"],
        ["*/*"],
    ),
    *(["application/json x"], ["application/problem+json"], ["application/x-ndjson"], [","]),
    *(["text/event-stream"], ["multipart/mixed; boundary=a"], ['application/json"'], ["\xe9"]),
]
HINTED = b'{"message":"no","hint":"look"}'


def typed(types: list[str]) -> Fields:
    return [(b"Content-Type", each.encode("latin-1")) for each in types]


@cases("types", ONE_TYPE, ids=", ".join)
def test_content_type_in_another_spelling_is_the_same(shop: Shop, types: list[str]) -> None:
    layer = wrap(shop, Backend(headers=typed(types)))
    # the second answer takes a faster path
    assert [get(layer).json for _ in range(2)] == [narrow_order(shop)] * 2
    assert get(wrap(shop, Backend(HINTED, 404, typed(types)))).json == {"message": "no"}


@cases("said", [BOM_UTF8 + HINTED, HINTED.decode().encode("utf-16"), b" [{}]"])
@cases("types", [["text/html"], [","], ["application/octet-stream"]])
def test_undeclared_body_that_may_be_json_is_not_sent(
    shop: Shop, said: bytes, types: list[str]
) -> None:
    response = get(wrap(shop, Backend(said, 404, typed(types))))
    message = "no" if said.startswith(BOM_UTF8) else "Not Found"
    assert (response.status, response.json) == (404, {"message": message})


@cases("types", OTHER_TYPES, ids=", ".join)
def test_undeclared_content_type_that_may_be_json_is_not_sent(shop: Shop, types: list[str]) -> None:
    layer = wrap(shop, Backend(headers=typed(types)))
    assert [get(layer).status for _ in range(2)] == [500, 500]
    assert get(wrap(shop, Backend(BODY, 202, typed(types)))).status == 500
    error = wrap(shop, Backend(HINTED, 404, typed(types)))
    for _ in range(2):
        response = get(error)
        assert (response.status, response.json) == (404, {"message": "no"})
    settings = shop.server.Settings(errors="passed")
    page = get(wrap(shop, Backend(b"<p>no</p>", 404, typed(types)), settings=settings))
    data = ("problem+json", "text/json", "x-ndjson", "event-stream")
    is_data = len(types) == 1 and types[0].endswith(data)
    assert (page.status, page.body == b"<p>no</p>") == (404, not is_data)


@cases(
    ("query", "seen"),
    [
        ("limit=2&page_size=3&PAGE_SIZE=4&Page.Size=5&[page_size]=6&a=7", "a=7&page_size=2"),
        ("limit=2;a=1", None),
        ("a=1;Limit=2", None),
        ("a=1;Page_size=2", None),
        ("a=1;b=page_size&State=1", "a=1;b=page_size&page_size=3"),
    ],
)
def test_newer_query_parameters_are_removed_in_any_spelling(
    shop: Shop, query: str, seen: str | None
) -> None:
    backend = Backend(b'{"items": []}')
    status = get(wrap(shop, backend), path=f"/api/orders?{query}").status
    assert status == (400 if seen is None else 200)
    assert backend.scope is None or backend.scope["query_string"].decode() == seen


def test_newer_fields_of_requests_are_removed_in_any_case(shop: Shop) -> None:
    sent = {
        **{"buyer": "Ada", "Customer_Name": "Bob", "EXPRESS": True, "Wanted_At": "soon", "Own": 1},
        "payment": {"kind": "card", "last4": "1", "BRAND": "x"},
    }
    backend = Backend(status=201)
    headers = [*AT, (b"content-type", b"application/json")]
    scope = request("POST", "/api/orders", headers)
    assert ask(wrap(shop, backend), scope, json.dumps(sent).encode()).status == 201
    assert json.loads(backend.received) == {
        **{"customer_name": "Ada", "Own": 1},
        "payment": {"kind": "card", "last4": "1"},
    }


class Download:
    """An application that sends a body in pieces, and records how many pieces were sent when."""

    def __init__(self, pieces: list[bytes], sent: list[Any], headers: Fields) -> None:
        self.pieces = pieces
        self.sent = sent
        self.headers = headers
        self.counts: list[int] = []

    async def __call__(self, _scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 202, "headers": self.headers})
        for piece in self.pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            self.counts.append(len(self.sent))
        await send({"type": "http.response.body", "body": b"."})


@pytest.mark.parametrize(
    ("pieces", "counts"),
    [
        ([b"\x89a", b"{", b"c"], [2, 3, 4]),
        # a body that starts with blanks may be anything
        ([b" ", b"", b"\n\x01", b"{}"], [0, 0, 2, 3]),
        # possibly text, which is not sent if it contains JSON
        ([b"a", b"b", b"\0", b"{}"], [0, 0, 2, 3]),
    ],
)
def test_undeclared_download_is_streamed(
    shop: Shop, pieces: list[bytes], counts: list[int]
) -> None:
    for headers in (typed(["application/zip"]), [*typed(["image/png"]), (b"x-new", b"1")]):
        caller = Caller()
        backend = Download(pieces, caller.sent, headers)
        layer = wrap(shop, backend)
        for _ in range(2):
            caller.sent.clear()
            backend.counts.clear()
            asyncio.run(layer(request("GET", "/api/orders/one", AT), caller.receive, caller.send))
            start, *bodies = caller.sent
            assert (start["status"], backend.counts) == (202, counts)
            assert b"".join(each["body"] for each in bodies) == b"".join([*pieces, b"."])


def test_undeclared_download_that_starts_like_json_is_not_sent(shop: Shop) -> None:
    caller = Caller()
    backend = Download([b" ", b"{", b"}"], caller.sent, typed(["application/zip"]))
    asyncio.run(
        wrap(shop, backend)(request("GET", "/api/orders/one", AT), caller.receive, caller.send)
    )
    assert (caller.sent[0]["status"], backend.counts) == (500, [0, 0, 0])


@cases("named", ["application/xml", "text/xml", "application/soap+xml", "text/yaml"])
def test_declared_error_in_an_undeclared_format_of_data_is_replaced(shop: Shop, named: str) -> None:
    layer = wrap(shop, Backend(b"<hint>look</hint>", 404, typed([named])))
    assert (get(layer).status, get(layer).json) == (404, {"message": "Not Found"})


def test_error_without_a_declared_body_loses_one_that_may_be_newer(extended: Shop) -> None:
    for headers in ([], typed(["application/json"]), typed(["text/plain"])):
        response = get(wrap(extended, Backend(HINTED, 404, headers)))
        assert (response.status, b"hint" in response.body) == (404, False)


@cases("method", ["GET", "HEAD", "OPTIONS", "PATCH"])
@cases(("version", "first"), [(OLDEST, "GET"), (NEWEST, "GET, DELETE")])
def test_allow_has_the_methods_of_the_callers_version(
    extended: Shop, method: str, version: str, first: str
) -> None:
    allow = [(b"Allow", b"GET, DELETE"), (b"allow", b"HEAD, OPTIONS")]
    app = wrap(extended, Backend(headers=[*typed(["application/json"]), *allow]))
    response = get(app, method, [(b"x-api-version", version.encode())])
    found = [value for name, value in response.headers if name.lower() == "allow"]
    assert (response.status, found) == (200, [first, "HEAD, OPTIONS"])


@cases(
    ("method", "path", "version", "status", "allow"),
    [
        ("DELETE", "/api/orders/one", OLDEST, 405, ["GET, HEAD"]),
        ("DELETE", "/api/orders/one/", OLDEST, 405, ["GET, HEAD"]),
        ("DELETE", "/api/orders/one", NEWEST, 200, []),
        ("GET", "/api/recent", OLDEST, 404, []),
        ("HEAD", "/api/recent", OLDEST, 404, []),
        ("GET", "/api/recent", NEWEST, 200, []),
        # the application knows better
        ("PATCH", "/api/orders/one", OLDEST, 200, []),
    ],
)
def test_method_that_the_callers_version_lacks_is_refused_with_the_others(
    extended: Shop, method: str, path: str, version: str, status: int, allow: list[str]
) -> None:
    app = wrap(extended, Backend(b"", 200, []))
    response = get(app, method, [(b"x-api-version", version.encode())], path)
    assert (response.status, response.header("allow")) == (status, allow)


@pytest.mark.parametrize("codings", [["identity", "gzip"], ["gzip", "gzip"], ["gzip, identity"]])
def test_codings_on_several_lines_are_all_decoded(shop: Shop, codings: list[str]) -> None:
    coded = [(b"content-encoding", each.encode()) for each in codings]
    layer = wrap(shop, Backend(gzip.compress(BODY), headers=[*typed(["application/json"]), *coded]))
    assert [get(layer).status for _ in range(2)] == [500, 500]


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"[]", 200), (b"{", 200), (b'{"id": "x"}', 200), (b'{"id": "x"}', 202), (b"[]", 203)],
)
def test_invalid_answer_is_a_server_error_without_details(
    shop: Shop, body: bytes, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    response = get(wrap(shop, Backend(body, status)))
    assert response.status == 500
    assert "internal server error" in response.json["message"]
    assert "MisfitError" in caplog.text


CATEGORY = "/api/categories/one"


def test_parts_without_a_gate_are_only_validated_if_strict(shop: Shop) -> None:
    backend = Backend(b'{"label": 5, "badge": {"a": [1e9]}, "own": 1, "children": []}')
    response = get(wrap(shop, backend), path=CATEGORY)
    assert (response.status, response.json) == (200, {"title": 5, "own": 1, "children": []})
    assert get(wrap(shop, backend, strict=True), path=CATEGORY).status == 500


@cases("strict", [False, True])
@cases(
    "body",
    [
        "[]",
        "null",
        '"badge"',
        '{"label": "a", "children": {"label": "b"}}',
        '{"label": "a", "children": ["badge"]}',
        '{"label": "a", "children": [{"label": "b", "children": [[{"badge": "c"}]]}]}',
        '{"label": "a", "related": [{"label": "b"}]}',
        '{"label": "a", "related": {"b": null}}',
    ],
)
def test_parts_with_a_gate_must_be_valid(shop: Shop, body: str, strict: bool) -> None:
    app = wrap(shop, Backend(body.encode()), strict=strict)
    assert get(app, path=CATEGORY).status == 500


@pytest.mark.parametrize(
    "own",
    [
        "123456789012345678901234567890",
        "-9223372036854775809",
        "1.5",
        "1e22",
        "0.1",
        "-0.0",
        '"\\ud83d\\ude00 \\u0000 \\/ Infinity NaN"',
        "[[[[[[null]]]]]]",
    ],
)
@pytest.mark.parametrize("library", ["msgspec", "pydantic_core"])
def test_unconverted_parts_of_a_narrowed_body_are_preserved(
    shop: Shop, library: str, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _read_with(shop, library, monkeypatch)
    body = f'{{"label": "a", "own": {own}, "own": {own}}}'
    response = get(wrap(shop, Backend(body.encode())), path=CATEGORY)
    assert (response.status, response.json) == (200, {"title": "a", "own": json.loads(own)})


@pytest.mark.parametrize(
    "own",
    [
        "1e400",
        "-1e400",
        "NaN",
        "Infinity",
        "-Infinity",
        "01",
        '"\\ud800"',
        '"\x01"',
        "[1,]",
        "",
        "[" * 9999,
    ],
)
@pytest.mark.parametrize("library", ["msgspec", "pydantic_core"])
def test_body_that_is_not_json_is_not_sent(
    shop: Shop, library: str, own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _read_with(shop, library, monkeypatch)
    body = f'{{"label": "a", "own": {own}}}'
    assert get(wrap(shop, Backend(body.encode())), path=CATEGORY).status == 500


def _read_with(shop: Shop, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read and write bodies with *library* as the fastest one installed."""
    if library == "msgspec":
        pytest.importorskip("msgspec")
        return
    plain = shop.package.module("server.plain")
    for name in ("read", "write"):
        quick = getattr(plain, f"{name}_json")
        monkeypatch.setattr(shop.package.module("server.answers"), f"{name}_quickly", quick)


def test_operations_can_be_enabled_one_by_one(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    app = wrap(shop, Backend(), only={"getCategory"})
    with caplog.at_level(logging.INFO):
        answered = [get(app) for _ in range(3)]
    assert {(each.body, *each.header("x-api-version")) for each in answered} == {(BODY,)}
    assert caplog.text.count("it is passed on unchanged") == 1
    with pytest.raises(ValueError, match="there is no operation getOrders"):
        wrap(shop, Backend(), only={"getOrders"})


def test_request_that_names_a_version_and_passes_is_a_warning(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    for only, path, headers, level in (
        (None, "/orders/one", AT, "WARNING"),
        (None, "/orders/one", [], "INFO"),
        ({"getCategory"}, "/api/orders/one", AT, "INFO"),
    ):
        caplog.clear()
        with caplog.at_level(logging.INFO):
            ask(wrap(shop, Backend(), only=only), request("GET", path, headers))
        assert [each.levelname for each in caplog.records] == [level]


@pytest.mark.parametrize("kind", ["lifespan", "websocket"])
def test_other_scopes_pass(shop: Shop, kind: str) -> None:
    backend = Backend()
    scope = {"type": kind, "path": "/api/orders/one", "headers": []}
    caller = Caller()
    asyncio.run(wrap(shop, backend)(scope, caller.receive, caller.send))
    assert backend.scope is scope


@pytest.mark.parametrize("method", ["OPTIONS", "DELETE"])
def test_other_methods_are_left_to_the_application(shop: Shop, method: str) -> None:
    assert get(wrap(shop, Backend(b"", 204, [])), method).headers == []


def test_mounted_application_is_served_below_its_path(shop: Shop) -> None:
    app = Starlette(routes=[Mount("/eu", wrap(shop, Backend()))])
    response = ask(app, request("GET", "/eu/api/orders/one", AT))
    assert response.json == narrow_order(shop)


def test_root_path_of_fastapi_is_not_part_of_paths(shop: Shop) -> None:
    app = FastAPI(routes=[Route(path, Backend()) for path in ("/api/orders/{id}", "/orders/{id}")])
    order = "/api/orders/one"
    for root, paths in ("/eu", [order, f"/eu{order}"]), ("/api", [order]):
        app.root_path = root
        layer = shop.wrap("production", GZipMiddleware(app))
        assert [get(layer, path=path).json for path in paths] == [narrow_order(shop)] * len(paths)
    backend = Backend()
    # that of Flask is a folder; middleware for WSGI has Flask as `app`
    backend.app = SimpleNamespace(root_path="/srv/shop")  # type: ignore[attr-defined]
    assert get(shop.wrap("production", backend)).json == narrow_order(shop)
    assert "root_path" not in backend.scope


def test_application_gets_lifted_body_and_query(shop: Shop) -> None:
    backend = Backend()
    app = wrap(shop, backend)
    body = b'{"buyer": "Ada", "payment": {"kind": "card", "last4": "1"}, "note": "x"}'
    headers = [
        *AT,
        (b"content-type", b"application/json"),
        (b"digest", b"x"),
        (b"content-length", str(len(body)).encode()),
    ]
    ask_scope = request("POST", "/api/orders", headers)
    caller = Caller(body)
    asyncio.run(app(ask_scope, caller.receive, caller.send))
    assert json.loads(backend.received) == {
        "customer_name": "Ada",
        "payment": {"kind": "card", "last4": "1"},
    }
    names = dict(backend.scope["headers"])
    assert names[b"content-length"] == str(len(backend.received)).encode()
    assert b"digest" not in names
    get(app, path="/api/orders?limit=2&state=draft&page_size=9&x=%20")
    assert backend.scope["query_string"] == b"state=draft&x=%20&page_size=2"


def test_large_body_without_gates_passes_in_pieces(shop: Shop) -> None:
    pieces = []

    async def count(_: Any, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            pieces.append(len(message["body"]))
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    headers = [(b"x-api-version", NEWEST.encode())]
    caller = Caller(*[b"x" * 1_000_000] * 3)
    asyncio.run(
        wrap(shop, count)(request("POST", "/api/orders", headers), caller.receive, caller.send)
    )
    assert pieces == [1_000_000] * 3


@pytest.mark.parametrize(
    ("version", "shown"),
    [
        (OLDEST, ["x-count"]),
        # an older name is not newer than its caller
        (NEWEST, ["x-count", "x-total-count"]),
    ],
)
def test_undeclared_header_of_another_version_is_hidden(
    shop: Shop, version: str, shown: list[str]
) -> None:
    names = ["x-count", "x-total-count", "x-own", "retry-after"]
    headers = [(b"content-type", b"application/json"), *((name.encode(), b"1") for name in names)]
    for path, body in (("/api/orders/one", BODY), ("/api/stock/x", b"no JSON")):
        response = get(
            wrap(shop, Backend(body, headers=headers)),
            headers=[(b"x-api-version", version.encode())],
            path=path,
        )
        assert response.status == 200
        found = [name for name, _ in response.headers if name in names]
        assert found == [name for name in names if name in (*shown, "x-own", "retry-after")]
