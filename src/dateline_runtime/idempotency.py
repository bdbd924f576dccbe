"""Let each request with an idempotency key take effect once, and replay its answer to retries.

    new      -> running    the claim is taken; the effect may happen
    running  -> done       the answer is recorded, in one transaction with the effect
    running  -> new        released: the effect is rolled back, a retry starts afresh
    done     -> new        after the retention time

The version served is no part of an attempt: a replay is the stored answer, whichever version
the retry requests.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from enum import Enum
from hashlib import sha256
from typing import Final, NamedTuple, Protocol

from . import bodies
from .errors import Fault, RequestError
from .media_types import JSON, essence

HEADER: Final = "Idempotency-Key"

PATIENCE: Final = 2.0
"""The number of seconds that a retry waits for the first request to end."""

RETENTION: Final = timedelta(hours=24)
"""How long answers are kept by default."""

LONGEST_KEY: Final = 255

_log = logging.getLogger(__name__)

_UNSTORED: Final = frozenset({400, 401, 408, 413, 415, 429})
"""Refused before there was an effect: the request was not read, or not admitted."""


class Scope(NamedTuple):
    """What a key is unique in.

    ``account`` is for whom the request is made, including the sub-partner; ``path`` is the concrete
    path, decoded.
    """

    account: str
    method: str
    path: str
    key: str


class Attempt(NamedTuple):
    """One request with a key. Retries have the same scope and the same fingerprint."""

    scope: Scope
    fingerprint: str


class Answer(NamedTuple):
    """The parts of a response that a replay repeats."""

    status: int
    media_type: str | None
    body: bytes


class Stored(NamedTuple):
    """An answer and the fingerprint of the request that it answered."""

    fingerprint: str
    answer: Answer


class Claim(Enum):
    """The state of an attempt without a stored answer."""

    TAKEN = "taken"
    """the caller has the claim, and must record or release it"""
    RUNNING = "running"
    """another has it, and kept it as long as the caller was willing to wait"""


class Store(Protocol):
    """Where claims and answers are stored.

    Its methods are awaited in the task that serves the request: a store in a database opens its
    transaction in `claim`, lets handlers work in it, commits in `record` and rolls back in
    `release`. A claim that is neither recorded nor released must end with its holder, as a
    transaction ends with its connection.

    Whatever `claim` raises is logged, and answered with status 503: the request had no effect.
    """

    async def claim(self, attempt: Attempt, patience: float) -> Stored | Claim:
        """Take the claim on the attempt's scope, or return what is stored for it.

        Of several concurrent attempts, one gets the claim. The others wait up to *patience* seconds
        for its end.
        """
        ...

    async def record(self, attempt: Attempt, answer: Answer) -> None:
        """Store the answer and end the claim."""

    async def release(self, attempt: Attempt) -> None:
        """End the claim as if it had never existed."""


async def begin(store: Store, attempt: Attempt, patience: float = PATIENCE) -> Answer | None:
    """Return the answer to replay, or None if the caller now has the claim.

    Raises RequestError: KEY_IN_USE if the first request is still running after *patience* seconds,
    KEY_REUSED if the key was used for another request, UNAVAILABLE if the store fails. The second
    is known only when the first request has ended: until then it may be rolled back.
    """
    try:
        found = await store.claim(attempt, patience)
    except Exception as error:
        _log.error("the store of idempotent answers failed", exc_info=error)
        message = "idempotency keys can't be used at the moment: the request had no effect"
        raise RequestError(message, Fault.UNAVAILABLE) from error
    if found is Claim.TAKEN:
        return None
    if found is Claim.RUNNING:
        raise RequestError(
            "the first request with this idempotency key is still running", Fault.KEY_IN_USE
        )
    if found.fingerprint != attempt.fingerprint:
        raise RequestError("this idempotency key was used for another request", Fault.KEY_REUSED)
    return found.answer


async def finish(store: Store, attempt: Attempt, answer: Answer) -> None:
    """End a claim with the answer: record it, or release it if it must not be replayed."""
    if not is_stored(answer.status):
        await store.release(attempt)
        return
    try:
        await store.record(attempt, answer)
    except BaseException:
        await store.release(attempt)
        raise


def is_stored(status: int) -> bool:
    """Return whether an answer of this status is replayed to retries.

    Server errors are rolled back; refusals from before the effect are forgotten.
    """
    return status < 500 and status not in _UNSTORED


def read_key(header: str) -> str:
    """Return the idempotency key in the header.

    Raises RequestError unless it has 1 to 255 visible ASCII characters. Two field lines are joined
    by a comma and a space, hence are refused too.
    """
    if not 1 <= len(header) <= LONGEST_KEY or not all("!" <= sign <= "~" for sign in header):
        raise RequestError(f"{HEADER} has to be 1 to {LONGEST_KEY} visible ASCII characters")
    return header


def fingerprint(scope: Scope, body: bytes, query: bytes = b"", content_type: str = "") -> str:
    """Return a digest that distinguishes a request from all others of its account: 64 hex digits.

    It covers method, path, key, query string, body and media type. JSON bodies with equal values
    have equal digests, whatever their layout.
    """
    parts = [
        scope.method.encode(),
        scope.path.encode(errors="surrogatepass"),
        scope.key.encode(),
        query,
        _canonical(body),
    ]
    if body and essence(content_type) not in ("", JSON):
        parts.append(essence(content_type).encode())
    # the lengths separate the parts
    return sha256(b"".join(b"%d:%b" % (len(part), part) for part in parts)).hexdigest()


def _canonical(body: bytes) -> bytes:
    try:
        value = bodies.read(body)
    except RequestError:
        # not to be refused here: an operation may read other media types
        return b"bytes " + body
    return b"json " + json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


class MemoryStore:
    """A store for tests and examples, safe to share between tasks and threads of one process.

    It is not shared between processes: two of them execute the same request twice. It loses
    everything when its process ends, and keeps every answer in memory for the retention time. There
    is no transaction either: what a handler did before it failed is not undone. *clock* returns
    seconds and never goes back.
    """

    def __init__(
        self, retention: timedelta = RETENTION, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._retention = retention.total_seconds()
        self._clock = clock
        self._lock = threading.Lock()
        # those who wait for each claim
        self._running: dict[Scope, list[asyncio.Future[None]]] = {}
        # until when, oldest first: all are kept for the same time
        self._done: dict[Scope, tuple[float, Stored]] = {}

    async def claim(self, attempt: Attempt, patience: float) -> Stored | Claim:
        try:
            async with asyncio.timeout(patience):
                while True:
                    found = self._claim(attempt)
                    if not isinstance(found, asyncio.Future):
                        return found
                    await found
        except TimeoutError:
            # it may just have ended, on a busy machine
            with self._lock:
                done = self._done.get(attempt.scope)
            return Claim.RUNNING if done is None else done[1]

    async def record(self, attempt: Attempt, answer: Answer) -> None:
        with self._lock:
            until = self._clock() + self._retention
            self._done[attempt.scope] = (until, Stored(attempt.fingerprint, answer))
            self._end(attempt.scope)

    async def release(self, attempt: Attempt) -> None:
        with self._lock:
            self._end(attempt.scope)

    def _claim(self, attempt: Attempt) -> Stored | Claim | asyncio.Future[None]:
        """Return the present state: an answer, the claim, or the end of another's to wait for."""
        with self._lock:
            self._forget()
            if attempt.scope in self._done:
                return self._done[attempt.scope][1]
            if attempt.scope not in self._running:
                self._running[attempt.scope] = []
                return Claim.TAKEN
            ended = asyncio.get_running_loop().create_future()
            self._running[attempt.scope].append(ended)
            return ended

    def _forget(self) -> None:
        now = self._clock()
        while self._done:
            oldest = next(iter(self._done))
            if self._done[oldest][0] > now:
                return
            del self._done[oldest]

    def _end(self, scope: Scope) -> None:
        for waiting in self._running.pop(scope):
            # its loop may be another thread's, and may have closed since
            with suppress(RuntimeError):
                waiting.get_loop().call_soon_threadsafe(_wake, waiting)


def _wake(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)
