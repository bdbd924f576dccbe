from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import date
from typing import Any
from urllib.parse import unquote

import pytest
from support.exchanges import Caller, Fields, Response, ask, exchange, request
from support.header_cases import MIDDLE, NEWEST, OLDEST, SUPPORTED
from support.tables import cases

from dateline_runtime.asgi import (
    REPLAYED,
    VERSION,
    App,
    Limits,
    Receive,
    Scope,
    Send,
    field,
    refusal,
    respond,
)
from dateline_runtime.documents import Documents
from dateline_runtime.errors import Fault, RequestError
from dateline_runtime.idempotency import Answer
from dateline_runtime.lifecycle import End
from dateline_runtime.mounting import MOST_ROOTS
from dateline_runtime.versioned import Versioned

JSON = "application/json; charset=utf-8"


def answering(status: int = 200, body: bytes = b"{}", headers: Fields | None = None) -> App:
    """Return an application with the same answer to every request."""

    async def app(scope: Scope, _: Receive, send: Send) -> None:
        await respond(scope, send, Answer(status, None, body), headers or [])

    return app


async def tell_state(scope: Scope, _: Receive, send: Send) -> None:
    await respond(scope, send, Answer(200, None, scope["state"][VERSION].encode()))


async def read_all(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the body, like an application that trusts its server."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    await respond(scope, send, Answer(200, None, body))


async def fail(_: Scope, __: Receive, ___: Send) -> None:
    raise ZeroDivisionError("the password is secret")


async def forget(_: Scope, __: Receive, ___: Send) -> None:
    pass


def wrap(app: App, **options: Any) -> Versioned:
    return Versioned(app, SUPPORTED, **options)


def asking(version: bytes, *fields: tuple[bytes, bytes], **parts: Any) -> Scope:
    return request(headers=[(b"x-api-version", version), *fields], **parts)


def read_version_fields(response: Response) -> dict[str, list[str]]:
    return {name: response.header(name) for name in ("x-api-version", "vary")}


def version_fields(version: str) -> dict[str, list[str]]:
    return {"x-api-version": [version], "vary": ["X-API-Version"]}


# the version served


@cases(
    ("app", "status"),
    [
        (answering(200), 200),
        (answering(204), 204),
        (answering(304), 304),
        (answering(404), 404),
        (answering(422), 422),
        (answering(500), 500),
        (fail, 500),
        (forget, 500),
    ],
)
def test_every_response_names_the_version_served(app: App, status: int) -> None:
    response = ask(wrap(app), asking(b"2026-07-01"))
    assert (response.status, read_version_fields(response)) == (status, version_fields(MIDDLE))


@cases("fault", Fault)
def test_every_refusal_names_the_version_served(fault: Fault) -> None:
    async def refuse(_: Scope, __: Receive, ___: Send) -> None:
        raise RequestError("said", fault)

    response = ask(wrap(refuse), asking(b"2026-07-01"))
    assert (response.status, response.body) == (refusal(RequestError("", fault)).status, b'"said"')
    assert (read_version_fields(response), response.header("content-type")) == (
        version_fields(MIDDLE),
        [JSON],
    )


def test_default_version_is_named_if_it_is_served() -> None:
    assert read_version_fields(ask(wrap(tell_state), request())) == version_fields(OLDEST)
    rejected = ask(wrap(tell_state), asking(b"2026-7-1"))
    assert (rejected.status, read_version_fields(rejected)) == (400, version_fields(OLDEST))


def test_application_finds_the_version_in_the_state_of_its_request() -> None:
    scope = asking(b"2026-08-01")
    scope["state"]["database"] = "kept"
    assert ask(wrap(tell_state), scope).body == NEWEST.encode()
    assert scope["state"] == {"database": "kept", VERSION: NEWEST}


def test_server_without_state_is_supported() -> None:
    scope = request()
    del scope["state"]
    assert ask(wrap(tell_state), scope).body == OLDEST.encode()


def test_rejection_comes_before_the_application() -> None:
    app = wrap(fail, credentials=["X-API-Key"])
    response = ask(app, asking(b"2026-7-1", (b"x-api-key", b"wrong")))
    assert response.body == (
        b'{"error":"unsupported_api_version","reason":"version_malformed","requested":"2026-7-1",'
        b'"supported":["2025-03-13","2026-07-01","2026-08-01"]}'
    )


def test_rejection_leaves_the_body_unread() -> None:
    caller = Caller(b"x")
    app = wrap(fail)
    asyncio.run(app(asking(b"2026-7-1", method="POST"), caller.receive, caller.send))
    assert (caller.response.status, caller.asked) == (400, 0)


def test_answer_to_head_has_the_length_and_no_body() -> None:
    whole = ask(wrap(fail), asking(b"2026-7-1"))
    head = ask(wrap(fail), asking(b"2026-7-1", method="HEAD"))
    assert head == whole._replace(body=b"")


@cases(("status", "length"), [(204, []), (205, ["0"]), (304, [])])
def test_answer_of_a_status_without_content_has_no_body(status: int, length: list[str]) -> None:
    response = ask(answering(status), request())
    assert (response.body, response.header("content-length")) == (b"", length)


@pytest.mark.parametrize("line", [b"2026-07-01", b"2026-7-1", b"\xff", b""])
def test_operations_that_ignore_the_header_are_served_without_it(line: bytes) -> None:
    app = wrap(tell_state, ignoring=lambda scope: scope["path"] == "/api/currencies")
    response = ask(app, asking(line, path="/api/currencies"))
    assert (response.status, response.body) == (200, OLDEST.encode())
    assert read_version_fields(response) == version_fields(OLDEST)
    assert ask(app, asking(b"2026-7-1", path="/api/things")).status == 400


def test_replay_names_no_version() -> None:
    async def replay(scope: Scope, _: Receive, send: Send) -> None:
        scope["state"][REPLAYED] = True
        await respond(scope, send, Answer(201, "text/plain", b"stored"))

    app = wrap(replay, credentials=["X-API-Key"], ends={OLDEST: End(sunset=date(2027, 1, 1))})
    assert ask(app, request(headers=[(b"x-api-key", b"k")])) == Response(
        201, [("content-type", "text/plain"), ("content-length", "6")], b"stored"
    )


def test_another_header_may_select_the_version() -> None:
    supported = type(SUPPORTED)(OLDEST, (OLDEST, NEWEST), header="Library-Version")
    app = Versioned(tell_state, supported)
    response = ask(app, request(headers=[(b"library-version", b"2026-08-01")]))
    assert response.body == NEWEST.encode()
    assert (response.header("library-version"), response.header("vary")) == (
        [NEWEST],
        ["Library-Version"],
    )


@cases(
    ("path", "is_versioned"),
    [
        ("/api", True),
        ("/api/", True),
        ("/api/things", True),
        ("/apiary", False),
        ("/", False),
        ("/health", False),
        ("/other/api/things", False),
    ],
)
def test_only_paths_below_the_prefix_are_versioned(path: str, is_versioned: bool) -> None:
    response = ask(wrap(answering(200)), asking(b"2026-7-1", path=path))
    unversioned = Response(200, [("content-length", "2")], b"{}")
    assert (response.status == 400) if is_versioned else (response == unversioned)


def test_empty_prefix_versions_everything_but_the_documents() -> None:
    app = wrap(answering(200), prefixes=[""], documents=Documents({"/spec": b"spec"}))
    assert read_version_fields(ask(app, request(path="/"))) == version_fields(OLDEST)
    assert ask(app, request(path="/spec")).body == b"spec"


@cases(
    ("root", "path", "is_ours"),
    [
        ("/pay", "/pay/api/things", True),
        ("/pay", "/pay/spec", True),
        ("/pay/eu", "/pay/eu/api", True),
        # some servers omit it from the path
        ("/pay", "/api/things", True),
        ("/pay", "/pay", False),
        ("/pay", "/payapi/things", False),
        ("/pay", "/pay/other/api", False),
        # servers decode the path before they look for the application
        ("/pay", "/pay%2Fapi/things", True),
        ("/pay", "/pay%2fspec", True),
        ("/pay/eu", "/pay%2Feu%2Fapi", True),
        ("/pay", "/pay%2Fother/api", False),
    ],
)
def test_everything_is_served_below_a_mounted_application(
    root: str, path: str, is_ours: bool
) -> None:
    app = wrap(answering(299), documents=Documents({"/spec": b"spec"}))
    scope = {**asking(b"2026-7-1", path=unquote(path)), "raw_path": path.encode()}
    response = ask(app, {**scope, "root_path": root})
    ours = (200, b"spec") if path.endswith("spec") else (400, response.body)
    assert (response.status, response.body) == (ours if is_ours else (299, b"{}"))


# other headers of the response


@cases(
    ("lines", "merged"),
    [
        ([], "X-API-Version"),
        ([b""], "X-API-Version"),
        ([b"Accept-Encoding"], "Accept-Encoding, X-API-Version"),
        ([b"Accept-Encoding,Origin"], "Accept-Encoding, Origin, X-API-Version"),
        ([b"Accept-Encoding", b"Origin"], "Accept-Encoding, Origin, X-API-Version"),
        ([b"X-API-Version"], "X-API-Version"),
        ([b"Origin, x-api-version"], "Origin, x-api-version"),
        ([b"X-API-Version-2"], "X-API-Version-2, X-API-Version"),
        ([b"*"], "*"),
        ([b"Origin", b" * "], "*"),
    ],
)
def test_vary_keeps_the_values_of_the_application(lines: list[bytes], merged: str) -> None:
    app = wrap(answering(headers=[(b"Vary", line) for line in lines]))
    assert ask(app, request()).header("vary") == [merged]


def test_application_can_not_name_another_version() -> None:
    headers = [(b"X-API-Version", b"2020-01-01"), (b"x-api-version", b"latest"), (b"x-a", b"b")]
    response = ask(wrap(answering(headers=headers)), request())
    assert response.headers == [
        ("x-a", "b"),
        ("content-length", "2"),
        ("x-api-version", OLDEST),
        ("vary", "X-API-Version"),
    ]


def test_other_headers_of_the_application_are_unchanged() -> None:
    shared = [(b"content-length", b"0")]

    async def app(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": shared})
        await send({"type": "http.response.body"})

    ask(wrap(app), request())
    assert shared == [(b"content-length", b"0")]


def test_response_without_headers_is_sent() -> None:
    async def app(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 204})
        await send({"type": "http.response.body"})

    assert read_version_fields(ask(wrap(app), request())) == version_fields(OLDEST)


@pytest.mark.parametrize(
    ("sent", "said", "kept"),
    [
        ([(b"x-api-key", b"k")], [], ["private, no-store"]),
        ([(b"x-api-key", b"")], [], ["private, no-store"]),
        ([(b"authorization", b"Bearer k")], [], ["private, no-store"]),
        ([], [], []),
        ([(b"x-api-key", b"k")], [(b"Cache-Control", b"no-cache")], ["no-cache"]),
    ],
)
def test_answers_for_one_caller_are_not_cacheable(
    sent: Fields, said: Fields, kept: list[str]
) -> None:
    app = wrap(answering(headers=said), credentials=["X-API-Key", "Authorization"])
    found = ask(app, request(headers=sent)).headers
    assert [value for name, value in found if name.lower() == "cache-control"] == kept


def test_only_a_version_with_an_announced_end_reports_it() -> None:
    end = End(deprecated=date(2026, 7, 1), sunset=date(2027, 7, 1), successor="/spec/2026-07-01")
    app = wrap(
        tell_state, ends={OLDEST: end}, ignoring=lambda scope: scope["path"] == "/api/currencies"
    )
    announced = [
        ("deprecation", "@1782864000"),
        ("sunset", "Thu, 01 Jul 2027 00:00:00 GMT"),
        ("link", '</spec/2026-07-01>; rel="successor-version"'),
    ]

    def announcements(scope: Scope) -> list[tuple[str, str]]:
        names = {name for name, _ in announced}
        return [pair for pair in ask(app, scope).headers if pair[0] in names]

    assert announcements(request()) == announced
    assert announcements(asking(OLDEST.encode())) == announced
    assert announcements(asking(MIDDLE.encode())) == []
    assert announcements(asking(b"2026-7-1")) == []
    assert announcements(request(path="/api/currencies")) == []


def test_links_lead_below_each_of_many_mount_points() -> None:
    app = wrap(tell_state, ends={OLDEST: End(sunset=date(2027, 7, 1), successor="/spec/new")})
    for root in [f"/tenants/{number}" for number in range(MOST_ROOTS + 2)]:
        scope = {**request(path=f"{root}/api/things"), "root_path": root}
        links = [f'<{root}/spec/new>; rel="successor-version"']
        assert ask(app, scope).header("link") == links


def test_announced_end_must_concern_a_supported_version() -> None:
    with pytest.raises(ValueError, match="the end of '2025-3-13', which is not a supported"):
        wrap(tell_state, ends={"2025-3-13": End(sunset=date(2027, 1, 1))})


# Failures


@pytest.mark.parametrize("app", [fail, forget])
def test_failure_is_reported_with_the_trace_id_of_the_log(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    response = ask(wrap(app), request(path="/api/a\nb"))
    trace_id = response.json["trace_id"]
    assert re.fullmatch("[0-9a-f]{32}", trace_id)
    assert response.json == {"message": "internal server error", "trace_id": trace_id}
    [record] = caplog.records
    assert record.getMessage() == f"{trace_id}: GET '/api/a\\nb'"
    assert record.exc_info is not None


def test_failure_in_the_middle_of_a_response_is_left_to_the_server() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await fail(scope, receive, send)

    with pytest.raises(ZeroDivisionError):
        ask(wrap(app), request())


def test_cancelled_request_stays_cancelled() -> None:
    async def app(_: Scope, __: Receive, ___: Send) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        ask(wrap(app), request())


# Bodies


@pytest.mark.parametrize("pieces", [(b"x" * 10,), (b"x" * 9, b"x"), (b"", b"xxxxxxxxxx", b"")])
def test_body_within_the_limit_arrives_completely(pieces: tuple[bytes, ...]) -> None:
    app = wrap(read_all, limits=Limits(body=10))
    assert ask(app, request("POST"), *pieces).body == b"x" * 10


@pytest.mark.parametrize("length", [b"11", b"10000000000", b"9" * 5000])
def test_body_with_a_length_over_the_limit_is_refused_unread(length: bytes) -> None:
    caller = Caller(b"x")
    app = wrap(fail, limits=Limits(body=10))
    scope = request("POST", headers=[(b"content-length", length)])
    sent: list[int] = []

    async def receive() -> Any:
        sent.append(len(caller.sent))
        return await caller.receive()

    asyncio.run(app(scope, receive, caller.send))
    assert caller.response.status == 413
    assert caller.response.header("connection") == ["close"]
    # a server then reads and discards the body: the start of the response is sent, its end is not
    assert sent == [2]
    assert [message.get("more_body") for message in caller.sent] == [None, True, None]


def test_body_that_waits_for_continue_is_not_read() -> None:
    caller = Caller(b"x")
    headers = [(b"content-length", b"11"), (b"expect", b"100-continue")]
    app = wrap(fail, limits=Limits(body=10))
    asyncio.run(app(request("POST", headers=headers), caller.receive, caller.send))
    assert (caller.response.status, caller.asked) == (413, 0)


def test_refused_body_is_not_awaited_forever() -> None:
    class Dribbling(Caller):
        async def receive(self) -> Any:
            await asyncio.sleep(0.01)
            return {"type": "http.request", "body": b"x", "more_body": True}

    caller = Dribbling()
    app = wrap(fail, limits=Limits(body=10, seconds=0.1))
    scope = request("POST", headers=[(b"content-length", b"11")])

    async def answered() -> None:
        async with asyncio.timeout(5):
            await app(scope, caller.receive, caller.send)

    asyncio.run(answered())
    assert caller.response.status == 413


def test_rejection_does_not_wait_for_a_body_over_the_limit() -> None:
    app = wrap(fail, limits=Limits(body=10))
    response = ask(app, asking(b"2026-7-1", (b"content-length", b"11"), method="POST"))
    assert (response.status, response.header("connection")) == (400, ["close"])


def test_protocols_other_than_http_1_close_their_streams_themselves() -> None:
    scope = request("POST", headers=[(b"content-length", b"11")])
    scope["http_version"] = "2"
    response = ask(wrap(fail, limits=Limits(body=10)), scope)
    assert (response.status, response.header("connection")) == (413, [])


async def hide(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer 400 to a body that can't be read, as frameworks do."""
    try:
        await read_all(scope, receive, send)
    except Exception:
        await respond(scope, send, Answer(400, None, b"There was an error parsing the body"))


async def hide_and_fail(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer 500 and raise again, as frameworks also do."""
    try:
        await read_all(scope, receive, send)
    except Exception:
        await respond(scope, send, Answer(500, None, b"Internal Server Error"))
        raise


@pytest.mark.parametrize("app", [read_all, hide, hide_and_fail])
def test_body_over_the_limit_is_refused_whatever_the_application_answers(app: App) -> None:
    caller = Caller(b"x" * 6, b"x" * 6, b"x" * 6)
    limited = wrap(app, limits=Limits(body=10))
    asyncio.run(limited(request("POST"), caller.receive, caller.send))
    assert (caller.response.status, caller.asked) == (413, 3)
    assert caller.response.json == "the body has to be at most 10 bytes"
    assert read_version_fields(caller.response) == version_fields(OLDEST)


@pytest.mark.parametrize("app", [read_all, hide, hide_and_fail])
def test_stalled_body_is_refused_whatever_the_application_answers(app: App) -> None:
    caller = Caller(b"x", stalls=True)
    limited = wrap(app, limits=Limits(seconds=0.01))
    asyncio.run(limited(request("POST"), caller.receive, caller.send))
    assert (caller.response.status, caller.response.json) == (
        408,
        "the body did not arrive in time",
    )


def test_refused_body_stays_refused() -> None:
    async def insist(scope: Scope, receive: Receive, send: Send) -> None:
        for _ in range(3):
            try:
                await receive()
            except RequestError:
                continue
        await read_all(scope, receive, send)

    caller = Caller(b"x" * 11, b"x")
    limited = wrap(insist, limits=Limits(body=10))
    asyncio.run(limited(request("POST"), caller.receive, caller.send))
    assert (caller.response.status, caller.asked) == (413, 2)


def test_no_time_limit_applies_after_the_body() -> None:
    async def wait_for_the_caller_to_leave(scope: Scope, receive: Receive, send: Send) -> None:
        messages = [(await receive())["type"], (await receive())["type"]]
        await respond(scope, send, Answer(200, None, json.dumps(messages).encode()))

    app = wrap(wait_for_the_caller_to_leave, limits=Limits(seconds=0))
    caller = Caller(b"x")

    async def slow() -> Any:
        if caller.asked:
            await asyncio.sleep(0.01)
        return await caller.receive()

    asyncio.run(app(request("POST"), slow, caller.send))
    assert caller.response.json == ["http.request", "http.disconnect"]


@pytest.mark.parametrize("app", [fail, forget, hide, read_all])
def test_disconnect_is_no_failure(app: App, caplog: pytest.LogCaptureFixture) -> None:
    async def until_it_leaves(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] == "http.request":
            pass
        await app(scope, receive, send)

    caller = Caller(b"x", leaves=True)
    asyncio.run(wrap(until_it_leaves)(request("POST"), caller.receive, caller.send))
    assert [record for record in caplog.records if record.levelno > logging.INFO] == []


def test_disconnected_caller_needs_no_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def leave_too(_: Scope, receive: Receive, __: Send) -> None:
        while (await receive())["type"] == "http.request":
            pass

    caplog.set_level(logging.DEBUG, "dateline_runtime")
    caller = Caller(b"x", leaves=True)
    asyncio.run(wrap(leave_too)(request("POST"), caller.receive, caller.send))
    assert (caller.sent, caplog.records) == ([], [])


# Other scopes


@pytest.mark.parametrize("kind", ["lifespan", "websocket"])
def test_scopes_other_than_http_pass_through(kind: str) -> None:
    seen: list[Any] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend((scope, receive, send))

    scope: Scope = {"type": kind, "path": "/api/things", "headers": []}
    caller = Caller()
    receive, send = caller.receive, caller.send
    asyncio.run(wrap(app)(scope, receive, send))
    assert seen == [scope, receive, send]
    assert scope == {"type": kind, "path": "/api/things", "headers": []}


# Documents of versions

CONTENTS = {
    "/spec": b'{"info": "latest"}',
    "/spec/versions": b'{"versions": []}',
    "/spec/2025-03-13": b'{"info": "oldest"}',
}
SPEC = wrap(fail, documents=Documents(CONTENTS), credentials=["X-API-Key"])


@pytest.mark.parametrize("path", CONTENTS)
def test_document_is_sent_with_its_tag_whatever_version_is_requested(path: str) -> None:
    response = ask(SPEC, asking(b"2026-7-1", path=path))
    [tag] = response.header("etag")
    assert response == Response(
        200,
        [
            ("etag", tag),
            ("cache-control", "no-cache"),
            ("content-type", JSON),
            ("content-length", str(len(CONTENTS[path]))),
        ],
        CONTENTS[path],
    )
    assert re.fullmatch('"[0-9a-f]{32}"', tag)
    assert ask(SPEC, request("HEAD", path)) == response._replace(body=b"")


def test_document_is_sent_again_only_if_it_has_changed() -> None:
    [tag] = ask(SPEC, request(path="/spec")).header("etag")

    def when(name: bytes, *values: str) -> tuple[int, bytes]:
        fields = [(name, value.encode("latin-1")) for value in values]
        response = ask(SPEC, request(path="/spec", headers=fields))
        assert response.status == 412 or response.header("etag") == [tag]
        return response.status, response.body

    assert when(b"if-none-match", tag) == (304, b"")
    assert when(b"if-none-match", f"W/{tag}") == (304, b"")
    assert when(b"if-none-match", '"other"', f"{tag}") == (304, b"")
    assert when(b"if-none-match", "*") == (304, b"")
    assert when(b"if-none-match", '"other"') == (200, CONTENTS["/spec"])
    assert when(b"if-none-match", "\xff") == (200, CONTENTS["/spec"])
    assert when(b"if-match", tag) == (200, CONTENTS["/spec"])
    assert when(b"if-match", '"other"')[0] == 412


def test_not_modified_response_has_no_content_headers() -> None:
    [tag] = ask(SPEC, request(path="/spec")).header("etag")
    response = ask(SPEC, request(path="/spec", headers=[(b"if-none-match", tag.encode())]))
    assert response == Response(304, [("etag", tag), ("cache-control", "no-cache")], b"")


@cases(
    "path",
    ["/spec/", "/spec/2025-3-13", "/spec/2026-07-01", "/spec/latest", "/spec/versions/", "/spec//"],
)
def test_unknown_document_is_not_found(path: str) -> None:
    response = ask(SPEC, request(path=path))
    assert (response.status, response.json) == (404, "there is no such specification document")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_documents_are_read_only(method: str) -> None:
    response = ask(SPEC, request(method, "/spec"))
    assert (response.status, response.header("allow")) == (405, ["GET, HEAD"])


def test_path_that_starts_like_the_documents_is_not_theirs() -> None:
    app = wrap(answering(body=b"other"), documents=Documents(CONTENTS))
    assert ask(app, request(path="/specimen")).body == b"other"


def test_documents_are_an_application_of_their_own() -> None:
    assert ask(Documents(CONTENTS), request(path="/spec")).body == CONTENTS["/spec"]


# Single headers


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ([], None),
        ([b""], ""),
        ([b" a\t"], "a"),
        ([b"a ", b"\tb"], "a, b"),
        ([b"\xe9"], "é"),
    ],
)
def test_header_is_parsed_as_http_defines(lines: list[bytes], value: str | None) -> None:
    scope = request(headers=[(b"x-a", line) for line in lines] + [(b"x-b", b"other")])
    assert field(scope, "X-A") == value


# Laws

APPS: Mapping[str, Callable[..., Awaitable[None]]] = {
    "answers": answering(200),
    "fails": fail,
    "reads": read_all,
}


@pytest.mark.parametrize("name", APPS)
def test_concurrent_requests_are_independent(name: str) -> None:
    app = wrap(APPS[name])

    async def all_at_once() -> list[Response]:
        scopes = [asking(version.encode()) for version in SUPPORTED.versions * 40]
        return await asyncio.gather(*(exchange(app, scope) for scope in scopes))

    found = [read_version_fields(response) for response in asyncio.run(all_at_once())]
    assert found == [version_fields(version) for version in SUPPORTED.versions * 40]
