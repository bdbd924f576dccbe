"""Send many retries of a few requests, and list all broken promises."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

import httpx
from paynet.client import Backoff, ClientError
from paynet.v2026_07_01 import AsyncClient

from .processes import HOST, Answer, Server, ask

_PATH: Final = "/autoramps"
_RUNNING: Final = 409
_REUSED: Final = 422

# the number of concurrent callers while servers are killed
_CALLERS: Final = 8


class Tried(NamedTuple):
    """The counts of a run, and a line for each broken promise."""

    said: str
    broken: list[str]


def storm(ports: Sequence[int], key: str, other: str, *, posts: int, keys: int) -> Tried:
    """Send that many POSTs at once to all *ports*, distributed over some idempotency keys.

    *key* and *other* are API keys of two partners without autoramps.
    """
    return asyncio.run(_storm(ports, key, other, posts, keys))


async def _storm(ports: Sequence[int], key: str, other: str, posts: int, keys: int) -> Tried:
    names = [f"key-{number}" for number in range(keys)]
    # each key reaches every server
    wanted = [(names[n % keys], ports[n // keys % len(ports)]) for n in range(posts)]
    waited: Counter[str] = Counter()
    answers = await asyncio.gather(
        *(_create(port, key, name, waited, note=name) for name, port in wanted)
    )
    first = {name: answer for (name, _), answer in zip(wanted, answers, strict=True)}
    broken = [
        f"{name}: {answer.status} {answer.body[:80]!r}, and {first[name].body[:80]!r}"
        for (name, _), answer in zip(wanted, answers, strict=True)
        if answer != first[name] or answer.status != 200
    ]
    broken += await _effects(ports[0], key, first)
    broken += [f"another account: {each}" for each in await _effects(ports[0], other, {})]
    for name, port in zip(names, [*ports] * keys, strict=False):
        reused = await _create(port, key, name, waited, note="another body")
        if reused.status != _REUSED:
            broken.append(f"{name} with another body: {reused.status}")
    theirs = {name: await _create(ports[-1], other, name, waited, note=name) for name in names}
    broken += await _effects(ports[-1], other, theirs)
    broken += await _effects(ports[-1], key, first)
    said = f"{posts} POSTs over {keys} keys at {len(ports)} servers, {len(broken)} misses"
    return Tried(f"{said}; {waited.total()} were told to come back", broken)


def crashes(server: Server, key: str, *, posts: int, kills: int) -> Tried:
    """Send that many POSTs, each until it is answered, while the server is killed repeatedly.

    *key* is the API key of a partner without autoramps.
    """
    return asyncio.run(_crashes(server, key, posts, kills))


async def _crashes(server: Server, key: str, posts: int, kills: int) -> Tried:
    first: dict[str, Answer] = {}
    cut: Counter[str] = Counter()
    names = iter([f"key-{number}" for number in range(posts)])

    async def call() -> None:
        for name in names:
            first[name] = await _insist(server, key, name, cut)

    async def kill() -> None:
        for number in range(1, kills + 1):
            while len(first) < posts * number // (kills + 1):
                await asyncio.sleep(0.001)
            # at whatever requests are in flight
            await asyncio.sleep(random.random() / 50)
            server.kill()
            await asyncio.to_thread(server.start)

    async with asyncio.TaskGroup() as group:
        group.create_task(kill())
        for _ in range(_CALLERS):
            group.create_task(call())
    broken = [f"{name}: {answer.status}" for name, answer in first.items() if answer.status != 200]
    for name, answer in first.items():
        if await _insist(server, key, name, Counter()) != answer:
            broken.append(f"{name}: not the answer that it was")
    broken += await _effects(server.port, key, first)
    if not cut:
        broken.append("no request was cut off: nothing was tried")
    said = f"{posts} POSTs, {kills} kills, {len(cut)} POSTs cut off"
    return Tried(f"{said}, {len(broken)} misses", broken)


async def _insist(server: Server, key: str, name: str, cut: Counter[str]) -> Answer:
    """Retry until there is an answer, and return it; count how many attempts were *cut* off."""
    while True:
        try:
            return await _create(server.port, key, name, Counter(), note=name)
        except ConnectionRefusedError:
            pass
        except (OSError, EOFError):
            cut[name] += 1
        await asyncio.sleep(0.02)


async def _create(port: int, key: str, name: str, waited: Counter[str], **body: Any) -> Answer:
    """Return the answer to a POST; retry while the first request is still in progress."""
    headers = {"X-API-Key": key, "IDEMPOTENCY-KEY": name}
    while (answer := await ask(port, "POST", _PATH, headers, body)).status == _RUNNING:
        waited[name] += 1
        await asyncio.sleep(0.05)
    return answer


async def _effects(port: int, key: str, answers: dict[str, Answer]) -> list[str]:
    """Return what is wrong: each name must have one effect, the one in the answer."""
    listed = json.loads((await ask(port, "GET", _PATH, {"X-API-Key": key})).body)["items"]
    times = Counter(item["note"] for item in listed)
    reported = {name: json.loads(answer.body) for name, answer in answers.items()}
    return [
        *(f"{name}: {times[name]} effects" for name in times | reported if times[name] != 1),
        *(
            f"{item['note']}: not what was answered"
            for item in listed
            if item not in reported.values()
        ),
    ]


def call_while_killed(server: Server, key: str, *, calls: int, kills: int) -> Tried:
    """Create that many autoramps with the generated client while the server is killed.

    *key* is the API key of a partner without autoramps. Only the client retries failed requests.
    """
    return asyncio.run(_call_while_killed(server, key, calls, kills))


async def _call_while_killed(server: Server, key: str, calls: int, kills: int) -> Tried:
    made: dict[str, UUID] = {}
    failed: list[str] = []
    names = iter([f"call-{number}" for number in range(calls)])
    transport = _Moving(server)
    client = AsyncClient(
        api_key=key,
        base_url=f"http://{HOST}/api",
        max_retries=200,
        backoff=Backoff(initial=0.02, maximum=0.1),
        transport=transport,
    )

    async def call() -> None:
        for name in names:
            try:
                made[name] = (await client.create_autoramp(body={"note": name})).id
            except ClientError as error:
                failed.append(f"{name}: {error!r}")

    async def kill() -> None:
        for number in range(1, kills + 1):
            while len(made) + len(failed) < calls * number // (kills + 1):
                await asyncio.sleep(0.001)
            await asyncio.sleep(random.random() / 50)
            server.kill()
            await asyncio.to_thread(server.start)

    async with client, asyncio.TaskGroup() as group:
        group.create_task(kill())
        for _ in range(_CALLERS):
            group.create_task(call())
    async with AsyncClient(api_key=key, base_url=f"http://{HOST}:{server.port}/api") as client:
        items = (await client.list_autoramps()).items or []
    times = Counter(str((item.model_extra or {}).get("note")) for item in items)
    broken = failed + [
        f"{name}: {times[name]} effects" for name in times | made if times[name] != 1
    ]
    if kills and not transport.failures:
        broken.append("no request was cut off: nothing was tried")
    said = f"{calls} calls, {kills} kills, {transport.failures} requests cut off"
    return Tried(f"{said}, {len(broken)} misses", broken)


class _Moving(httpx.AsyncHTTPTransport):
    """Sends requests to the current port of a server, and counts failures."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server
        self.failures = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.url = request.url.copy_with(port=self._server.port)
        try:
            return await super().handle_async_request(request)
        except httpx.TransportError:
            self.failures += 1
            raise
