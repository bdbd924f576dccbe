"""The shop of six versions behind each door: the same answers, none newer than its caller."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from support.exchanges import Response, exchange, request
from support.shop import ENVIRONMENTS, Asked, Shop, ask_at_random, find_leaks, forget_gate
from support.shop_sources import VERSIONS

COUNT = 300


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("forgetful"), forget_gate)


def answers(app: Any, asked: list[Asked]) -> list[Response]:
    """Return what *app* answers, headers in one order."""

    async def answered() -> list[Response]:
        found = [
            await exchange(app, request(each.method, each.url, each.headers), each.body)
            for each in asked
        ]
        return [each._replace(headers=sorted(each.headers)) for each in found]

    return asyncio.run(answered())


def leaks(environment: str, asked: list[Asked], answered: list[Response]) -> list[str]:
    """Return what callers were shown that their versions do not have."""
    return [
        f"{each} {leak}"
        for each, answer in zip(asked, answered, strict=True)
        if answer.status < 300
        for leak in find_leaks(each.version or VERSIONS[0], environment, answer.body)
    ]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_doors_answer_alike_and_nothing_newer_than_the_caller(shop: Shop, environment: str) -> None:
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
    # what no gate reaches is not validated, but for what is answered that counts in errors alone
    lenient = answers(shop.wrap(environment, strict=False), asked)
    assert leaks(environment, asked, lenient) == []
    pairs = [each for each in zip(served, lenient, strict=True) if each[0].status < 300]
    assert [each for each in pairs if each[0] != each[1]] == []


@pytest.mark.parametrize("door", ["serve", "wrap"])
def test_a_gate_that_is_forgotten_is_noticed(forgetful: Shop, door: str) -> None:
    asked = list(ask_at_random(1, COUNT))
    answered = answers(getattr(forgetful, door)("production"), asked)
    assert leaks("production", asked, answered) != []
