"""Keep the answers to POSTs with an idempotency key in Redis: one store for many processes.

Redis knows nothing about the effects of a request: if a process ends between an effect and its
answer, the retry causes the effect again. A store in the database of the effects has no such gap.
Needs the extra `redis`.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import secrets
from collections.abc import Awaitable
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final, NamedTuple, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError

from .runtime.idempotency import RETENTION, Answer, Attempt, Claim, Scope, Stored

_SHORTEST_WAIT: Final = 0.01
_LONGEST_WAIT: Final = 0.1

# The content of a key: a claim with its owner, or an answer.
_CLAIM: Final = "claim "
_ANSWER: Final = "answer "

_EXTEND: Final = """
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('pexpire', KEYS[1], ARGV[2])
"""
# An answer is stored even if Redis is full: only claims are refused then. The client repeats a
# script whose result it did not get.
_RECORD: Final = """#!lua flags=allow-oom
local content = redis.call('get', KEYS[1])
if content == ARGV[2] then return 1 end
if content ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2], 'px', ARGV[3])
return 1
"""
_RELEASE: Final = """
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('del', KEYS[1])
"""

_log = logging.getLogger(__name__)


class LostClaimError(Exception):
    """A claim ended before its request: Redis or this process stalled for too long."""


class _Held(NamedTuple):
    """A claim: its key, the content of the key, and the task that extends it."""

    key: str
    value: str
    task: asyncio.Task[None]


class RedisStore:
    """A store in Redis 7 or newer (or Valkey), for any number of processes and machines.

    *client* is one of `redis.asyncio`. A claim is extended as long as its request runs, and ends
    *lease* seconds after its process has ended. Answers are kept for the *retention* time. Redis
    must not evict keys (`maxmemory-policy noeviction`).
    """

    def __init__(
        self,
        client: Redis,
        *,
        retention: timedelta = RETENTION,
        prefix: str = "idempotency:",
        lease: float = 10.0,
    ) -> None:
        self._client: Any = client
        self._retention = round(retention.total_seconds() * 1000)
        self._prefix = prefix
        self._lease = lease
        self._held: dict[Scope, _Held] = {}

    async def claim(self, attempt: Attempt, patience: float) -> Stored | Claim:
        key = self._prefix + sha256(json.dumps(attempt.scope).encode()).hexdigest()
        value = _CLAIM + secrets.token_hex(16)
        deadline = asyncio.get_running_loop().time() + patience
        wait = _SHORTEST_WAIT
        while True:
            found = await self._try(attempt.scope, key, value)
            left = deadline - asyncio.get_running_loop().time()
            if found is not Claim.RUNNING or left <= 0:
                return found
            await asyncio.sleep(min(wait, left))
            wait = min(wait * 2, _LONGEST_WAIT)

    async def _try(self, scope: Scope, key: str, value: str) -> Stored | Claim:
        """Take the claim if nobody has it.

        A request of this process has it until its end, even if its lease ends before.
        """
        if scope in self._held:
            return Claim.RUNNING
        async with asyncio.timeout(self._lease):
            found = await self._client.set(key, value, nx=True, px=self._milliseconds, get=True)
        # the client may have repeated the command, and found its own claim
        text = value if found is None else found.decode() if isinstance(found, bytes) else found
        if text.startswith(_ANSWER):
            return _read(text)
        if text != value or scope in self._held:
            return Claim.RUNNING
        self._held[scope] = _Held(key, value, asyncio.create_task(self._extend(key, value)))
        return Claim.TAKEN

    async def record(self, attempt: Attempt, answer: Answer) -> None:
        lock = self._held[attempt.scope]
        given = lock.value, _write(attempt, answer), self._retention
        deadline = asyncio.get_running_loop().time() + self._lease
        # the effect can't be undone: wait for a Redis that restarts or moves
        while (is_stored := await self._try_to_run(_RECORD, lock.key, *given)) is None:
            if asyncio.get_running_loop().time() >= deadline:
                break
            await asyncio.sleep(_LONGEST_WAIT)
        if not is_stored:
            raise LostClaimError("the claim on this idempotency key has ended meanwhile")
        await self._end(self._held.pop(attempt.scope))

    async def release(self, attempt: Attempt) -> None:
        lock = self._held.pop(attempt.scope)
        await self._end(lock)
        # otherwise it ends with its lease
        await self._try_to_run(_RELEASE, lock.key, lock.value)

    @property
    def _milliseconds(self) -> int:
        return round(self._lease * 1000)

    async def _extend(self, key: str, value: str) -> None:
        wait = self._lease / 3
        while True:
            await asyncio.sleep(wait)
            result = await self._try_to_run(_EXTEND, key, value, self._milliseconds)
            if result == 0:
                return
            # after a failure, the rest of the lease is for several attempts
            wait = self._lease / (3 if result else 30)

    async def _try_to_run(self, script: str, key: str, *given: str | int) -> int | None:
        """Return the result of a script; None, and a warning in the log, if Redis fails."""
        try:
            async with asyncio.timeout(self._lease / 3):
                return await cast("Awaitable[int]", self._client.eval(script, 1, key, *given))
        except (RedisError, OSError) as error:
            _log.warning("the claim on an idempotency key was not updated", exc_info=error)
            return None

    @staticmethod
    async def _end(lock: _Held) -> None:
        lock.task.cancel()
        with suppress(asyncio.CancelledError):
            await lock.task


def _write(attempt: Attempt, answer: Answer) -> str:
    body = base64.b64encode(answer.body).decode()
    return _ANSWER + json.dumps([attempt.fingerprint, answer.status, answer.media_type, body])


def _read(text: str) -> Stored:
    fingerprint, status, media_type, body = json.loads(text.removeprefix(_ANSWER))
    return Stored(fingerprint, Answer(status, media_type, base64.b64decode(body)))
