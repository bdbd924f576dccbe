"""Converters at every door: the five of the docs page, their context, and their failures."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI, Request
from support.converting import NEW, NEWEST, OLD, OLDER, load_project, read_converters
from support.generated_server import Generated, ask


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("converted")
    return Generated(folder, load_project(folder))


@pytest.fixture(scope="module")
def known(made: Generated) -> type[Any]:
    """Return the class of converters shown on the docs page."""
    made.module("server")
    return read_converters(made.name)


class Stored:
    """Stores its argument in the newest form, and returns it; a handler of the server."""

    def __init__(self, result: Callable[[Any], Any] = lambda value: value) -> None:
        self.received: list[Any] = []
        self._result = result

    async def put_person(self, _: Any, *, body: Any) -> Any:
        self.received.append(body.model_dump(mode="json"))
        return self._result(self.received[-1])


def serve(made: Generated, door: str, converters: object, stored: Stored, **around: Any) -> Any:
    """Return the application of all versions behind *door*; with *around*, only for that door."""
    server = made.module("server")
    if door == "server":
        return server.create_app(
            SimpleNamespace(loans=stored), environment="production", converters=converters
        )
    app = FastAPI()

    @app.put("/v1/people")
    async def put_person(request: Request) -> Any:
        stored.received.append(await request.json())
        return stored._result(stored.received[-1])

    return server.versioned(app, environment="production", converters=converters, **around)


DOORS = ("server", "versioned")


def put(app: Any, version: str, body: Any) -> tuple[int, Any]:
    response = ask(app, "PUT", "/v1/people", json=body, headers={"X-API-Version": version})
    return response.status_code, response.json()


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("version", "shown"), [(OLD, OLDER), (NEW, NEWEST)])
def test_requests_and_answers_are_converted(
    door: str, version: str, shown: Any, made: Generated, known: type[Any]
) -> None:
    stored = Stored()
    assert put(serve(made, door, known(), stored), version, shown) == (200, shown)
    assert stored.received == [NEWEST]


def test_values_and_events_are_converted(made: Generated, known: type[Any]) -> None:
    components, events = made.module("components"), made.module("events")
    given: dict[str, Any] = {"converters": known()}
    assert components.narrow(NEWEST, "Household", OLD, **given) == OLDER
    assert events.render("household.stored", NEWEST, OLD, **given) == OLDER
    assert asyncio.run(events.render_async("household.stored", NEWEST, OLD, **given)) == OLDER
    assert asyncio.run(components.narrow_async(NEWEST, "Household", OLD, **given)) == OLDER
    assert asyncio.run(components.lift_async(OLDER, "Household", OLD, **given)) == NEWEST
    with pytest.raises(components.ConversionError, match="`async def`, and nothing awaits it here"):
        components.lift(OLDER, "Household", OLD, **given)


def test_converter_gets_the_context_of_the_call(made: Generated, known: type[Any]) -> None:
    contexts: list[Any] = []

    class Told(known):  # type: ignore[misc]
        def older_person(self, value: Any, context: Any) -> Any:
            contexts.append(context)
            return known.older_person(self, value)

        async def newer_fee(self, value: Any, context: Any) -> Any:
            contexts.append(context)
            await asyncio.sleep(0)
            return known.newer_fee(self, value)

    def list_contexts() -> set[tuple[Any, ...]]:
        found = {(c.environment, c.version, c.account, c.operation) for c in contexts}
        assert contexts
        contexts.clear()
        return found

    for door in DOORS:
        assert put(serve(made, door, Told(), Stored()), OLD, OLDER) == (200, OLDER)
        scopes = [context.scope for context in contexts]
        assert {scope["path"] for scope in scopes} == {"/v1/people"}
        assert list_contexts() == {("production", OLD, None, "putPerson")}

    async def wait_for_account(scope: Any) -> str:
        await asyncio.sleep(0)
        return f"emma at {scope['path']}"

    for find in (lambda scope: f"emma at {scope['path']}", wait_for_account):
        app = serve(made, "versioned", Told(), Stored(), account=find)
        assert put(app, OLD, OLDER) == (200, OLDER)
        assert list_contexts() == {("production", OLD, "emma at /v1/people", "putPerson")}
    components, events = made.module("components"), made.module("events")
    given: dict[str, Any] = {"converters": Told(), "account": "emma"}
    assert components.narrow(NEWEST, "Household", OLD, **given) == OLDER
    assert list_contexts() == {("production", OLD, "emma", None)}
    assert events.render("household.stored", NEWEST, OLD, **given) == OLDER
    assert list_contexts() == {("production", OLD, "emma", None)}
    assert asyncio.run(components.lift_async(OLDER, "Household", OLD, **given)) == NEWEST
    assert list_contexts() == {("production", OLD, "emma", None)}


def test_equal_values_are_awaited_once_and_sequentially(made: Generated, known: type[Any]) -> None:
    calls: list[str] = []

    class Slow(known):  # type: ignore[misc]
        async def older_person(self, value: Any) -> Any:
            calls.append(f"begin {value['id']}")
            await asyncio.sleep(0)
            calls.append(f"end {value['id']}")
            return known.older_person(self, value)

    jane, emma = NEWEST["people"]
    # a generator can be consumed only once
    stored = Stored(lambda value: {**value, "people": (each for each in (jane, emma, jane))})
    app = serve(made, "server", Slow(), stored)
    people = [OLDER["people"][0], OLDER["people"][1], OLDER["people"][0]]
    assert put(app, OLD, OLDER) == (200, {**OLDER, "people": people})
    assert calls == ["begin 1", "end 1", "begin 2", "end 2"]


def fail(_: Any) -> Any:
    raise RuntimeError("secret")


def refuse(_: Any) -> Any:
    raise ValueError("secret")


async def fail_later(_: Any) -> Any:
    await asyncio.sleep(0)
    raise RuntimeError("secret")


WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "it fails": (fail, "the converter Person failed for callers of 2025-01-15"),
    "it fails later": (fail_later, "the converter Person failed for callers of 2025-01-15"),
    "it refuses": (refuse, "the converter Person refuses it for callers of 2025-01-15"),
    "another type": (
        lambda _: {"name": 3, "first_name": 3, "last_name": "x"},
        "the converter Person makes '",
    ),
    "no object": (lambda _: "secret", "the converter Person makes no object"),
    "nothing": (lambda _: {}, "makes of it for callers of 2025-01-15 does not fit: it is missing"),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("way", ["older", "newer"])
@pytest.mark.parametrize("case", WRONG)
def test_failures_are_logged_and_never_sent(
    door: str,
    way: str,
    case: str,
    made: Generated,
    known: type[Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    convert, said = WRONG[case]
    converters = type("Wrong", (known,), {f"{way}_person": staticmethod(convert)})()
    status, body = put(serve(made, door, converters, Stored()), OLD, OLDER)
    assert status == (400 if (way, case) == ("newer", "it refuses") else 500)
    assert "secret" not in str(body)
    assert "Person" not in str(body)
    if status == 500:
        [record] = [each for each in caplog.records if each.levelno == logging.ERROR]
        assert record.exc_info is not None
        assert said in caplog.text
        assert "/people/0" in caplog.text
    components = made.module("components")
    taken = components.narrow_async if way == "older" else components.lift_async
    value = NEWEST if way == "older" else OLDER
    with pytest.raises(components.UnfitError) as caught:
        asyncio.run(taken(value, "Household", OLD, converters=converters))
    assert caught.value.place.startswith("/people/0")
    assert said in str(caught.value)


def test_converters_that_cannot_be_called_are_named_at_start(
    made: Generated, known: type[Any]
) -> None:
    class Wrong(known):  # type: ignore[misc]
        def older_person(self) -> None: ...

        @staticmethod
        def newer_person(value: object, context: object, more: object) -> None: ...

        def older_more(self, *values: object) -> None: ...

    expected = "older_person: too many positional arguments|newer_person: missing a required arg"
    for door in DOORS:
        with pytest.raises(TypeError, match=expected) as caught:
            serve(made, door, Wrong(), Stored())
        assert str(caught.value).count(";") == 1
        with pytest.raises(TypeError, match="older_person: pass an instance, not the class"):
            serve(made, door, Wrong, Stored())
    with pytest.raises(TypeError, match=expected):
        made.module("components").narrow({}, "Person", "2024-01-15", converters=Wrong())
