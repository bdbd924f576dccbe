"""The shop of six versions at each door: the same answers, and nothing newer than the caller."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from support.exchanges import Response, exchange, request
from support.shop import ENVIRONMENTS, Shop, ShopRequest, ask_at_random, find_leaks, forget_gate
from support.shop_sources import VERSIONS
from support.tables import cases

COUNT = 120


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("forgetful"), forget_gate)


def answers(app: Any, asked: list[ShopRequest]) -> list[Response]:
    """Return the answers of *app*, with sorted headers."""

    async def answered() -> list[Response]:
        found = [
            await exchange(app, request(each.method, each.url, each.headers), each.body)
            for each in asked
        ]
        return [each._replace(headers=sorted(each.headers)) for each in found]

    return asyncio.run(answered())


def leaks(environment: str, asked: list[ShopRequest], answered: list[Response]) -> list[str]:
    """Return words that callers were shown although their versions lack them."""
    return [
        f"{each} {leak}"
        for each, answer in zip(asked, answered, strict=True)
        if answer.status < 300
        for leak in find_leaks(each.version or VERSIONS[0], environment, answer.body)
    ]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_doors_give_equal_answers_without_newer_parts(shop: Shop, environment: str) -> None:
    asked = list(ask_at_random(1, COUNT))
    served = answers(shop.serve(environment), asked)
    wrapped = answers(shop.wrap(environment), asked)
    different = [
        (each, one, other)
        for each, one, other in zip(asked, served, wrapped, strict=True)
        if one != other
    ]
    assert different == []
    assert leaks(environment, asked, wrapped) == []
    assert {each.status for each in wrapped} == {200, 201, 400, 404}
    # without `strict`, parts without a gate are not validated, so only the errors may differ
    lenient = answers(shop.wrap(environment, strict=False), asked)
    assert leaks(environment, asked, lenient) == []
    pairs = [each for each in zip(served, lenient, strict=True) if each[0].status < 300]
    assert [each for each in pairs if each[0] != each[1]] == []


# Headers that don't change the meaning of a request, some of them twice.
ODD = [
    *((b"content-type", each) for each in (b"APPLICATION/JSON", b"text/plain", b"", b"*/*")),
    (b"content-type", b"application/json;charset=utf-16"),
    (b"content-type", b"application/json, application/json"),
    *((b"content-encoding", each) for each in (b"gzip", b"br", b"identity", b"identity, gzip")),
    *((b"accept-encoding", each) for each in (b"br, zstd", b"*;q=0", b"")),
    *((b"accept", each) for each in (b"text/html", b"application/xml;q=1, */*;q=0")),
    *((b"range", b"bytes=0-3"), (b"if-range", b'"a"'), (b"if-match", b'"a"')),
    *((b"if-none-match", each) for each in (b'"a"', b"*", b'W/"a", "b"', b"a")),
    (b"if-modified-since", b"Sat, 01 Jan 2050 00:00:00 GMT"),
    *((b"x-api-version", each) for each in (b"", VERSIONS[2].encode(), b"2023-01-10, x")),
    *((b"expect", b"100-continue"), (b"te", b"trailers"), (b"prefer", b"return=minimal")),
]


def test_doors_answer_unusual_headers_alike(shop: Shop) -> None:
    lots = random.Random(4)
    asked = list(ask_at_random(5, COUNT))
    requests = []
    for each in asked:
        added = lots.sample(ODD, lots.choice([1, 1, 2, 3]))
        replaced = {name for name, _ in added if lots.random() < 0.5}
        kept = [field for field in each.headers if field[0] not in replaced]
        requests.append([*kept, *added])

    async def answer(app: Any) -> list[Response]:
        found = []
        for each, headers in zip(asked, requests, strict=True):
            half = len(each.body) // 2
            pieces = [each.body[:half], each.body[half:]]
            scope = request(each.method, each.url, headers)
            found.append(await exchange(app, scope, *pieces))
        return [each._replace(headers=sorted(each.headers)) for each in found]

    served = asyncio.run(answer(shop.serve("production")))
    wrapped = asyncio.run(answer(shop.wrap("production")))
    pairs = zip(asked, requests, served, wrapped, strict=True)
    assert [each for each in pairs if each[2] != each[3]] == []
    named = [[value for name, value in each if name == b"x-api-version"] for each in requests]
    shown = [
        each._replace(version=versions[0].decode() if len(versions) == 1 else VERSIONS[0])
        for each, versions in zip(asked, named, strict=True)
    ]
    assert leaks("production", shown, wrapped) == []
    assert {each.status for each in wrapped} >= {200, 201, 400, 404, 415}


def test_missing_gate_is_noticed(forgetful: Shop) -> None:
    asked = list(ask_at_random(1, COUNT))
    answered = answers(forgetful.wrap("production"), asked)
    assert leaks("production", asked, answered) != []


# Declared headers that have the same values in all versions, as an application sends them. One is
# invalid.
FIELDS = [
    *(("set-cookie", "a=1"), ("set-cookie", "b=2"), ("x-left", "1.5")),
    *(("x-page", '{"next":2}'), ("x-tags", "new, sold"), ("x-tags", "old")),
]


async def answer_with_fields(_: Any, __: Any, send: Any) -> None:
    """Answer with the `FIELDS`, and one whose name differs by version."""
    given = [("content-type", "application/json"), ("x-total-count", "0"), *FIELDS]
    headers = [(name.encode(), value.encode()) for name, value in given]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b'{"items":[]}'})


@cases("version, count", [(VERSIONS[0], "x-count"), (VERSIONS[-1], "x-total-count")])
def test_header_that_differs_changes_no_other_one(shop: Shop, version: str, count: str) -> None:
    app, strict = (
        shop.wrap("production", answer_with_fields, strict=each) for each in (False, True)
    )
    asked = request("GET", "/api/orders", [(b"x-api-version", version.encode())])
    is_narrowed = version == VERSIONS[0]
    assert asyncio.run(exchange(strict, asked, b"")).status == (500 if is_narrowed else 200)
    answered = asyncio.run(exchange(app, asked, b""))
    assert answered.status == 200
    found = sorted(pair for pair in answered.headers if pair[0] in {*dict(FIELDS), count})
    assert found == sorted([(count, "0"), *FIELDS])
