"""The market of six versions at each door: converters of objects, streams, forms and files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from support.exchanges import PersistentCaller, Response, request, serving
from support.market import (
    ENVIRONMENTS,
    V5,
    V6,
    Market,
    MarketRequest,
    ask_at_random,
    backend,
    find_leaks,
    find_offer,
    make_older,
)

COUNT = 80

QUIET: dict[str, Any] = {"server_header": False, "date_header": False}


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Market:
    return Market(tmp_path_factory.mktemp("market"))


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Market:
    return Market(tmp_path_factory.mktemp("forgetful"), "Receipt")


def answers(app: Any, asked: list[MarketRequest]) -> list[Response]:
    """Return the answers of *app* to requests with bodies in two pieces."""

    async def answered() -> list[Response]:
        found = []
        for each in asked:
            half = len(each.body) // 2
            caller = PersistentCaller(each.body[:half], each.body[half:])
            await app(request(each.method, each.url, each.headers), caller.receive, caller.send)
            found.append(caller.response)
        return found

    return [_normalize(each) for each in asyncio.run(answered())]


def _normalize(answer: Response) -> Response:
    """Return *answer* with sorted headers, without those of the connection."""
    kept = ("content-type", "vary", "x-api-version")
    return answer._replace(headers=sorted(each for each in answer.headers if each[0] in kept))


@contextmanager
def proxying(market: Market, environment: str) -> Iterator[int]:
    """Yield the port of a proxy in front of the backend."""
    with serving(backend, "h11", **QUIET) as port:
        front = market.wrap(environment, market.forward(port))
        with serving(front, "h11", lifespan="on", **QUIET) as number:
            yield number


def answers_of(port: int, asked: list[MarketRequest]) -> list[Response]:
    """Return the answers of a server at *port*."""
    found = []
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", verify=False) as client:
        for each in asked:
            answer = client.request(
                each.method, each.url, headers=each.headers, content=each.body or None
            )
            headers = [(name.lower(), value) for name, value in answer.headers.items()]
            found.append(_normalize(Response(answer.status_code, headers, answer.content)))
    return found


def leaks(environment: str, asked: list[MarketRequest], answered: list[Response]) -> list[str]:
    """Return words that callers were shown although their versions lack them."""
    return [
        f"{each} {leak}"
        for each, answer in zip(asked, answered, strict=True)
        if answer.status < 300 and not each.url.startswith("/api/files")
        for leak in find_leaks(each.version, environment, answer.body.decode())
    ]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_doors_give_equal_answers_without_newer_parts(market: Market, environment: str) -> None:
    asked = list(ask_at_random(1, COUNT))
    served = answers(market.serve(environment), asked)
    wrapped = answers(market.wrap(environment), asked)
    with proxying(market, environment) as port:
        forwarded = answers_of(port, asked)
    rows = [*zip(asked, served, wrapped, forwarded, strict=True)]
    assert [row for row in rows if not row[1] == row[2] == row[3]] == []
    assert leaks(environment, asked, wrapped) == []
    assert {each.status for each in wrapped} == {200, 201, 400}
    # an application of the newest version gets requests of that version unconverted
    lenient = answers(market.wrap(environment, strict=False), asked)
    assert leaks(environment, asked, lenient) == []
    last = {"/api/pictures": V5}
    pairs = [*zip(asked, wrapped, lenient, strict=True)]
    pairs = [row for row in pairs if row[0].version < last.get(row[0].url, V6)]
    assert [row for row in pairs if row[1].status < 300 and row[1] != row[2]] == []


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_offers_are_narrowed_like_by_independent_code(market: Market, environment: str) -> None:
    asked = [each for each in ask_at_random(2, 4 * COUNT) if each.url.startswith("/api/lines?")]
    compared = 0
    for each, answer in zip(asked, answers(market.wrap(environment), asked), strict=True):
        for at, line in enumerate(answer.body.splitlines()):
            offer = find_offer(f"l{at}")
            older = make_older(offer, each.version)
            if environment == "sandbox" and "internal" in offer:
                older["internal"] = offer["internal"]
            assert json.loads(line) == older
            compared += 1
    assert compared > COUNT // 4


def test_missing_gate_is_noticed(forgetful: Market) -> None:
    asked = list(ask_at_random(1, COUNT))
    answered = answers(forgetful.wrap("production"), asked)
    assert leaks("production", asked, answered) != []
