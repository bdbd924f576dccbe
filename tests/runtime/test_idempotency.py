from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.exchanges import Caller, PersistentCaller, Response, ask, exchange, request
from support.header_cases import SUPPORTED
from support.tables import cases

from dateline_runtime.asgi import STATUSES, App, Limits, Receive, Scope, Send, field, respond
from dateline_runtime.errors import Fault, RequestError
from dateline_runtime.idempotency import (
    Answer,
    Attempt,
    Claim,
    MemoryStore,
    Store,
    Stored,
    begin,
    fingerprint,
    finish,
    is_stored,
    read_key,
)
from dateline_runtime.idempotency import Scope as KeyScope
from dateline_runtime.replaying import Idempotent
from dateline_runtime.versioned import Versioned

HERE = KeyScope("account", "POST", "/api/things", "key")
ONE = Attempt(HERE, "one")
CREATED = Answer(201, "application/json", b'{"id":1}')


def run(story: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(story)


# Keys


@pytest.mark.parametrize(
    "key", ["a", "!", "~", "x" * 255, '"8e03978e-40d5-43dd-bc93-6894a57f9324"']
)
def test_visible_ascii_is_a_valid_key(key: str) -> None:
    assert read_key(key) == key


@cases("key", ["", "x" * 256, "a b", "a, b", "\t", "é", "\x7f", "\0", "１", "\n"])
def test_other_characters_are_refused(key: str) -> None:
    with pytest.raises(RequestError, match="1 to 255 visible ASCII characters") as refused:
        read_key(key)
    assert refused.value.fault is Fault.MALFORMED


# Fingerprints


@pytest.mark.parametrize(
    "body",
    [
        b'{"a":1,"b":[2,{"c":"\xc3\xa9"}]}',
        b' {"b": [2, {"c": "\\u00e9"}], "a": 1}\n',
        b'{"\\u0061":1,"b":[2,{"c":"\\u00E9"}]}',
    ],
)
def test_fingerprint_ignores_the_layout_of_json(body: bytes) -> None:
    assert fingerprint(HERE, body) == fingerprint(HERE, b'{"a":1,"b":[2,{"c":"\xc3\xa9"}]}')


BODIES = [
    b"",
    b"null",
    b"{}",
    b"[]",
    b"1",
    b"1.0",
    b'"1"',
    b'{"a":1}',
    b'{"a":1,"a":1}',
    b"\xff",
    b"json 1",
]


def test_fingerprint_covers_everything_else_of_a_request() -> None:
    others = [
        fingerprint(HERE._replace(method="PATCH"), b"{}"),
        fingerprint(HERE._replace(path="/api/thing"), b"{}"),
        fingerprint(HERE._replace(path="/api/things\ud800"), b"{}"),
        fingerprint(HERE._replace(key="kez"), b"{}"),
        fingerprint(HERE._replace(path="/api/thing", key="skey"), b"{}"),
        fingerprint(HERE, b"{}", b"a=1"),
        fingerprint(HERE, b"{}", content_type="application/vnd.x+json"),
        fingerprint(HERE, b"{}", content_type="application/vnd.y+json"),
        *(fingerprint(HERE, body) for body in BODIES),
    ]
    assert len(set(others)) == len(others)


@cases("name", ["application/json", "Application/JSON; charset=utf-8", " "])
def test_fingerprint_ignores_how_json_is_named(name: str) -> None:
    assert fingerprint(HERE, b"{}", content_type=name) == fingerprint(HERE, b"{}")
    named = fingerprint(HERE, b"{}", content_type="application/vnd.x+json")
    assert fingerprint(HERE, b"{}", content_type="APPLICATION/vnd.X+json ;a=b") == named
    assert fingerprint(HERE, b"", content_type="application/vnd.x+json") == fingerprint(HERE, b"")


@given(st.binary())
def test_every_body_has_a_fingerprint(body: bytes) -> None:
    assert len(fingerprint(HERE, body)) == 64


class Full(MemoryStore):
    """A store that is full; out of reach, if *patience* is negative."""

    async def claim(self, attempt: Attempt, patience: float) -> Stored | Claim:
        if patience < 0:
            raise ConnectionError
        return await super().claim(attempt, patience)

    async def record(self, *_: object) -> None:
        raise OSError("disk full")


# The state machine


def test_first_attempt_holds_the_claim_and_second_replays_its_answer() -> None:
    async def story() -> list[Answer | None]:
        store = MemoryStore()
        first = await begin(store, ONE)
        await finish(store, ONE, CREATED)
        return [first, await begin(store, ONE), await begin(store, ONE)]

    assert run(story()) == [None, CREATED, CREATED]


def test_another_request_with_the_same_key_is_refused() -> None:
    async def story() -> None:
        store = MemoryStore()
        await begin(store, ONE)
        await finish(store, ONE, CREATED)
        await begin(store, ONE._replace(fingerprint="other"))

    with pytest.raises(RequestError, match="was used for another request") as refused:
        run(story())
    assert refused.value.fault is Fault.KEY_REUSED


@pytest.mark.parametrize("second", [ONE, ONE._replace(fingerprint="other")])
def test_concurrent_attempts_are_refused_while_a_request_runs(second: Attempt) -> None:
    async def story() -> None:
        store = MemoryStore()
        await begin(store, ONE)
        await begin(store, second, patience=0.01)

    with pytest.raises(RequestError, match="is still running") as refused:
        run(story())
    assert refused.value.fault is Fault.KEY_IN_USE


def test_waiting_attempts_get_the_answer_or_the_next_claim() -> None:
    async def story() -> list[Answer | None]:
        store = MemoryStore()
        await begin(store, ONE)
        waiting = [asyncio.create_task(begin(store, ONE, patience=60)) for _ in range(3)]
        await asyncio.sleep(0)
        await finish(store, ONE, Answer(500, None, b""))
        done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        assert [task.result() for task in done] == [None]
        await finish(store, ONE, CREATED)
        return sorted(await asyncio.gather(*waiting), key=str)

    assert run(story()) == [CREATED, CREATED, None]


STORED = {200, 201, 202, 204, 302, 403, 404, 405, 406, 409, 410, 412, 422}
FORGOTTEN = {400, 401, 408, 413, 415, 429, 500, 501, 502, 503, 504, 599}


@cases("status", sorted(STORED | FORGOTTEN))
def test_only_answers_to_served_requests_are_stored(status: int) -> None:
    async def story() -> Answer | None:
        store = MemoryStore()
        await begin(store, ONE)
        await finish(store, ONE, Answer(status, None, b""))
        return await begin(store, ONE, patience=0)

    expected = Answer(status, None, b"") if status in STORED else None
    assert (run(story()), is_stored(status)) == (expected, status in STORED)


def test_claim_is_released_if_the_store_fails() -> None:
    async def story() -> Answer | None:
        store = Full()
        await begin(store, ONE)
        with pytest.raises(OSError, match="disk full"):
            await finish(store, ONE, CREATED)
        return await begin(store, ONE, patience=0)

    assert run(story()) is None


def test_request_is_refused_before_its_effect_if_the_store_is_out_of_reach(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(RequestError, match="the request had no effect") as refused:
        run(begin(Full(), ONE, patience=-1))
    assert (refused.value.fault, STATUSES[refused.value.fault]) == (Fault.UNAVAILABLE, 503)
    assert [record.exc_info and record.exc_info[0] for record in caplog.records] == [
        ConnectionError
    ]


# The store in memory


def test_answers_are_stored_for_exactly_the_retention_time() -> None:
    now = [0.0]
    store = MemoryStore(timedelta(hours=24), clock=lambda: now[0])
    later = ONE._replace(scope=HERE._replace(key="later"))

    async def record(attempt: Attempt) -> None:
        assert await store.claim(attempt, 0) is Claim.TAKEN
        await store.record(attempt, CREATED)

    async def at(hours: float, attempt: Attempt) -> Stored | Claim:
        now[0] = hours * 3600
        found = await store.claim(attempt, 0)
        if found is Claim.TAKEN:
            await store.release(attempt)
        return found

    async def story() -> list[Stored | Claim]:
        await record(ONE)
        now[0] = 3600
        await record(later)
        return [
            await at(23.9, ONE),
            await at(24, ONE),
            await at(24.9, later),
            await at(25, later),
        ]

    kept = Stored("one", CREATED)
    assert run(story()) == [kept, Claim.TAKEN, kept, Claim.TAKEN]


@pytest.mark.parametrize(
    "other",
    [
        HERE._replace(account="other"),
        HERE._replace(method="PUT"),
        HERE._replace(path="/api/things/1"),
        HERE._replace(key="other"),
    ],
)
def test_scopes_are_independent(other: KeyScope) -> None:
    async def story() -> list[Answer | None]:
        store = MemoryStore()
        elsewhere = Attempt(other, "one")
        found = [await begin(store, ONE, patience=0), await begin(store, elsewhere, patience=0)]
        await finish(store, ONE, CREATED)
        await finish(store, elsewhere, Answer(200, None, b"theirs"))
        return [*found, await begin(store, ONE), await begin(store, elsewhere)]

    assert run(story()) == [None, None, CREATED, Answer(200, None, b"theirs")]


def test_cancelled_waiter_does_not_affect_others(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> list[Stored | Claim]:
        store = MemoryStore()
        await store.claim(ONE, 0)
        patient = asyncio.create_task(store.claim(ONE, 60))
        cancelled = asyncio.create_task(store.claim(ONE, 60))
        await asyncio.sleep(0)
        cancelled.cancel()
        hasty = await store.claim(ONE, 0.01)
        await store.record(ONE, CREATED)
        return [hasty, await patient]

    assert run(story()) == [Claim.RUNNING, Stored("one", CREATED)]
    # such as an exception of a callback in the event loop
    assert caplog.records == []


def test_finished_request_is_not_reported_as_running() -> None:
    async def story() -> list[Stored | Claim]:
        store = MemoryStore()
        await store.claim(ONE, 0)
        waiting = [asyncio.create_task(store.claim(ONE, 0.05)) for _ in range(3)]
        await asyncio.sleep(0)
        # as on a busy machine: no waiter is woken in time
        time.sleep(0.1)
        await store.record(ONE, CREATED)
        return await asyncio.gather(*waiting)

    assert run(story()) == [Stored("one", CREATED)] * 3


def test_waiting_thread_that_ended_does_no_harm() -> None:
    store = MemoryStore()

    async def wait_in_vain() -> None:
        assert await store.claim(ONE, 0.01) is Claim.RUNNING

    async def story() -> Stored | Claim:
        await store.claim(ONE, 0)
        await asyncio.to_thread(asyncio.run, wait_in_vain())
        await store.record(ONE, CREATED)
        return await store.claim(ONE, 0)

    assert run(story()) == Stored("one", CREATED)


def test_of_forty_threads_one_performs_and_all_get_its_answer() -> None:
    store, performed, found = MemoryStore(), list[int](), list[Answer]()
    gate = threading.Barrier(40)

    async def attempt(number: int) -> None:
        gate.wait()
        answer = await begin(store, ONE, patience=60)
        if answer is None:
            performed.append(number)
            await asyncio.sleep(0.01)
            answer = Answer(201, None, str(number).encode())
            await finish(store, ONE, answer)
        found.append(answer)

    threads = [
        threading.Thread(target=lambda number=number: asyncio.run(attempt(number)))
        for number in range(40)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [winner] = performed
    assert found == [Answer(201, None, str(winner).encode())] * 40


# Requests


class Counter:
    """An application that counts what it performs, and answers with the count."""

    def __init__(self, status: int = 201, pause: float = 0) -> None:
        self.status = status
        self.pause = pause
        self.performed: list[tuple[str | None, str, bytes]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = (await receive())["body"]
        account = field(scope, "X-API-Key")
        self.performed.append((account, scope["path"], body))
        answer = f"{account} {len(self.performed)}".encode()
        await asyncio.sleep(self.pause)
        await respond(
            scope, send, Answer(self.status, "text/plain", answer), [(b"location", b"/x")]
        )


async def account_of(scope: Scope) -> str | None:
    return field(scope, "X-API-Key")


def once(app: App, store: Store | None = None, patience: float = 2.0) -> Versioned:
    inner = Idempotent(app, store or MemoryStore(), account_of, patience=patience)
    return Versioned(inner, SUPPORTED, limits=Limits(body=100))


def post(
    key: bytes | None = b"k", account: bytes | None = b"me", version: bytes = b"", **parts: str
) -> Scope:
    fields = {b"idempotency-key": key, b"x-api-key": account, b"x-api-version": version}
    return request(
        headers=[(name, value) for name, value in fields.items() if value is not None],
        **{"method": "POST", **parts},
    )


def together(app: App, *requests: tuple[Scope, bytes]) -> list[Response]:
    async def story() -> list[Response]:
        return await asyncio.gather(*(exchange(app, scope, body) for scope, body in requests))

    return asyncio.run(story())


def in_turn(app: App, *requests: tuple[Scope, bytes]) -> list[Response]:
    return [ask(app, scope, body) for scope, body in requests]


def test_replay_has_the_stored_body_and_status_and_no_other_headers() -> None:
    first, replay = in_turn(once(Counter()), (post(), b"{}"), (post(), b" {} "))
    assert first == Response(
        201,
        [
            ("location", "/x"),
            ("content-type", "text/plain"),
            ("content-length", "4"),
            ("x-api-version", "2025-03-13"),
            ("vary", "X-API-Version"),
        ],
        b"me 1",
    )
    assert replay == Response(
        201, [("content-type", "text/plain"), ("content-length", "4")], b"me 1"
    )


def test_replay_is_the_stored_body_whichever_version_is_requested() -> None:
    app = once(Counter())
    first, replay = in_turn(
        app, (post(version=b"2025-03-13"), b""), (post(version=b"2026-07-01"), b"")
    )
    assert (replay.status, replay.body) == (first.status, first.body)
    assert ask(app, post(version=b"2026-7-1")).json["reason"] == "version_malformed"


@given(
    st.sampled_from(sorted(STORED)),
    st.binary(max_size=20),
    st.none() | st.sampled_from(["text/plain", "application/json; charset=utf-8"]),
)
def test_every_replay_equals_the_first_answer(
    status: int, body: bytes, media_type: str | None
) -> None:
    async def app(scope: Scope, _: Receive, send: Send) -> None:
        await respond(scope, send, Answer(status, media_type, body))

    first, replay = in_turn(once(app), (post(), b""), (post(), b""))
    assert (replay.status, replay.body) == (first.status, first.body)
    assert replay.header("content-type") == first.header("content-type")
    assert replay.header("content-length") == first.header("content-length")


def test_of_forty_concurrent_requests_one_is_performed_and_all_get_its_answer() -> None:
    counter = Counter(pause=0.01)
    answers = together(once(counter, patience=60), *[(post(), b"{}")] * 40)
    assert len(counter.performed) == 1
    assert {(answer.status, answer.body) for answer in answers} == {(201, b"me 1")}


def test_accounts_do_not_see_or_affect_each_others_requests() -> None:
    counter = Counter(pause=0.01)
    accounts = [b"a", b"b", b"c", b"d"] * 10
    requests = [(post(account=account), b"{}") for account in accounts]
    answers = together(once(counter, patience=60), *requests)
    assert [answer.body.split()[0] for answer in answers] == accounts
    assert sorted(str(account) for account, _, _ in counter.performed) == ["a", "b", "c", "d"]


def test_every_path_has_its_own_keys() -> None:
    counter = Counter()
    in_turn(once(counter), (post(path="/api/a"), b""), (post(path="/api/b"), b""))
    assert [path for _, path, _ in counter.performed] == ["/api/a", "/api/b"]


@pytest.mark.parametrize(
    "second", [(post(), b'{"a": 2}'), (post(), b""), (post(path="/api/things?a=1"), b'{"a": 1}')]
)
def test_key_used_for_another_request_is_refused(second: tuple[Scope, bytes]) -> None:
    counter = Counter()
    _, refused = in_turn(once(counter), (post(), b'{"a": 1}'), second)
    assert (refused.status, refused.json) == (
        422,
        "this idempotency key was used for another request",
    )
    assert refused.header("x-api-version") == ["2025-03-13"]
    assert len(counter.performed) == 1


def test_running_request_is_reported() -> None:
    started, release = asyncio.Event(), asyncio.Event()

    async def app(scope: Scope, _: Receive, send: Send) -> None:
        started.set()
        await release.wait()
        await respond(scope, send, CREATED)

    async def story() -> list[Response]:
        idempotent = once(app, patience=0.01)
        first = asyncio.create_task(exchange(idempotent, post()))
        await started.wait()
        second = await exchange(idempotent, post())
        release.set()
        return [second, await first]

    refused, first = asyncio.run(story())
    assert (refused.status, refused.json, first.status) == (
        409,
        "the first request with this idempotency key is still running",
        201,
    )


@cases("status", sorted(FORGOTTEN))
def test_request_that_was_not_served_may_be_retried(status: int) -> None:
    counter = Counter(status)
    answers = in_turn(once(counter), (post(), b""), (post(), b""))
    assert [answer.body for answer in answers] == [b"me 1", b"me 2"]
    assert all(answer.header("x-api-version") for answer in answers)


def test_failed_request_may_be_retried() -> None:
    async def raising(scope: Scope, receive: Receive, send: Send) -> None:
        if not counter.performed:
            counter.performed.append((None, "", b""))
            raise ZeroDivisionError
        await counter(scope, receive, send)

    counter = Counter()
    first, second = in_turn(once(raising), (post(), b""), (post(), b""))
    assert (first.status, sorted(first.json)) == (500, ["message", "trace_id"])
    assert (second.status, second.body) == (201, b"me 2")


def test_cancelled_request_may_be_retried() -> None:
    started = asyncio.Event()

    async def hanging(_: Scope, __: Receive, ___: Send) -> None:
        started.set()
        await asyncio.Event().wait()

    async def story() -> Response:
        store = MemoryStore()
        first = asyncio.create_task(exchange(once(hanging, store), post()))
        await started.wait()
        first.cancel()
        await asyncio.wait([first])
        return await exchange(once(Counter(), store), post())

    assert asyncio.run(story()).status == 201


def test_answer_that_can_not_be_recorded_is_not_sent() -> None:
    response = ask(once(Counter(), Full()), post())
    assert (response.status, response.header("x-api-version")) == (500, ["2025-03-13"])


@cases("key", [b"", b" ", b"x" * 256, b"a b", b"\xe9", b"a\x00"])
def test_invalid_key_is_refused(key: bytes) -> None:
    counter = Counter()
    response = ask(once(counter), post(key))
    assert (response.status, response.json) == (
        400,
        "Idempotency-Key has to be 1 to 255 visible ASCII characters",
    )
    assert counter.performed == []


def test_two_keys_are_refused() -> None:
    scope = post()
    scope["headers"].append((b"idempotency-key", b"k"))
    assert ask(once(Counter()), scope).status == 400


@pytest.mark.parametrize(
    "scope",
    [post(key=None), post(account=None), post(method="PUT"), post(method="GET")],
    ids=["no key", "unknown caller", "PUT", "GET"],
)
def test_only_posts_of_known_callers_with_a_key_are_handled(scope: Scope) -> None:
    counter = Counter()
    answers = in_turn(once(counter), (scope, b""), (scope, b""))
    assert len(counter.performed) == 2
    assert [answer.header("location") for answer in answers] == [["/x"], ["/x"]]


def test_invalid_key_is_reported_only_to_known_callers() -> None:
    assert ask(once(Counter(status=401)), post(key=b"", account=None)).status == 401


def test_oversized_body_is_refused_before_anything_is_stored() -> None:
    counter, store = Counter(), MemoryStore()
    assert ask(once(counter, store), post(), b"x" * 60, b"x" * 60).status == 413
    assert ask(once(counter, store), post(), b"x" * 60).status == 201


def test_disconnect_before_the_end_of_the_body_performs_nothing() -> None:
    counter, store = Counter(), MemoryStore()
    caller = Caller(b"x", leaves=True)
    asyncio.run(once(counter, store)(post(), caller.receive, caller.send))
    assert (caller.sent, counter.performed) == ([], [])
    assert ask(once(counter, store), post(), b"x").status == 201


def test_application_gets_the_body_in_one_piece_and_then_a_disconnect() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        messages = [await receive(), await receive()]
        assert messages == [
            {"type": "http.request", "body": b"abc", "more_body": False},
            {"type": "http.disconnect"},
        ]
        await respond(scope, send, CREATED)

    assert ask(once(app), post(), b"a", b"b", b"c").status == 201


def test_answer_in_pieces_is_replayed_completely() -> None:
    async def app(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for piece in (b"a", b"b"):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"c"})

    first, replay = in_turn(once(app), (post(), b""), (post(), b""))
    assert (first.body, replay.body) == (b"abc", b"abc")


def test_application_gets_no_extension_to_send_unrecorded_bodies() -> None:
    async def app(scope: Scope, _: Receive, send: Send) -> None:
        assert scope["extensions"] == {}
        await respond(scope, send, CREATED)

    scope = post()
    scope["extensions"] = {"http.response.pathsend": {}}
    assert ask(once(app), scope).status == 201


def test_work_after_the_answer_delays_no_other_attempt() -> None:
    async def app(scope: Scope, _: Receive, send: Send) -> None:
        await respond(scope, send, CREATED)
        await asyncio.Event().wait()

    async def story() -> Response:
        store, caller = MemoryStore(), Caller(b"")
        first = asyncio.create_task(once(app, store)(post(), caller.receive, caller.send))
        await asyncio.sleep(0)
        replay = await exchange(once(app, store), post())
        first.cancel()
        await asyncio.wait([first])
        assert caller.response.body == CREATED.body
        return replay

    assert asyncio.run(story()).body == CREATED.body


def test_late_or_missing_answer_releases_the_claim() -> None:
    async def silent(_: Scope, __: Receive, ___: Send) -> None:
        pass

    store, caller = MemoryStore(), PersistentCaller()
    asyncio.run(once(silent, store)(post(), caller.receive, caller.send))
    assert caller.response.status == 500
    assert ask(once(Counter(), store), post()).status == 201


def test_lifespan_passes_through() -> None:
    seen: list[str] = []

    async def app(scope: Scope, _: Receive, __: Send) -> None:
        seen.append(scope["type"])

    caller = Caller()
    asyncio.run(once(app)({"type": "lifespan"}, caller.receive, caller.send))
    assert seen == ["lifespan"]
