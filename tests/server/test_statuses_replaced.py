"""Success responses that later have another status, a range or `default`, and `Accept`.

The application negotiates strictly: it answers 406 if it has no acceptable media type.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import cycle, permutations, product
from typing import Any, Final, NamedTuple

from support.generated_server import Generated, ask, generate_adopted
from support.random_chains import DATES
from support.tables import cases

OLD, NEW = DATES[:2]
JSON, VENDOR, CSV, XML = "application/json", "application/vnd.x+json", "text/csv", "text/xml"
HTML: Final = "text/html;q=0.1"

CONTENTS: Final = ([JSON], [VENDOR], [JSON, CSV], [CSV, VENDOR], [JSON, XML], [JSON, VENDOR])
STATUSES: Final = {"200": 200, "201": 201, "2XX": 202, "default": 203}
"""The responses of the newest version, and the status that the application sends"""

_THING: Final = {"type": "object", "properties": {"here": {"type": "string"}}}
_OTHER: Final = {
    "type": "object",
    "properties": {"here": {"type": "string"}, "later": {"type": "string"}},
}
_FAULT: Final = {"type": "object", "required": ["fault"], "properties": {"fault": {}}}
_LIST: Final = {"type": "array", "items": _OTHER}


class Case(NamedTuple):
    """An operation: its media types at each version, and the key of its newest response."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    key: str

    @property
    def path(self) -> str:
        return f"/accepted/{CASES.index(self)}"


class Success(NamedTuple):
    """An operation whose success has another schema at the newest version.

    With *errors*, each version also declares `default`.
    """

    key: str
    schema: str
    errors: str = ""

    @property
    def path(self) -> str:
        return f"/schemas/{self.key}/{self.schema}{self.errors}"


# the status is found before the media type: each pair of contents has one of the statuses
_PAIRS: Final = [(tuple(before), tuple(after)) for before, after in product(CONTENTS, CONTENTS)]
CASES: Final = [Case(*pair, key) for pair, key in zip(_PAIRS, cycle(STATUSES), strict=False)]
SUCCESSES: Final = [
    Success(*each)
    for each in product([*STATUSES][1:], ("same", "other", "list"), ("", "/errors"))
    if each[0] != "default" or not each[2]
]
SCHEMAS: Final = {"same": _THING, "other": _OTHER, "list": _LIST}


def _response(media_types: tuple[str, ...], schema: Any) -> dict[str, Any]:
    content = {
        each: {"schema": schema if "json" in each else {"type": "string"}} for each in media_types
    }
    return {"description": "done", "content": content}


def _document(at: int) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for case in CASES:
        found = _response((case.before, case.after)[at], _THING)
        paths[case.path] = {"post": {"responses": {("200", case.key)[at]: found}}}
    for one in SUCCESSES:
        found = _response((JSON,), (_THING, SCHEMAS[one.schema])[at])
        responses = {("200", one.key)[at]: found}
        if one.errors:
            responses["default"] = _response((JSON,), _FAULT)
        paths[one.path] = {"post": {"responses": responses}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": paths,
    }


@cache
def made() -> Generated:
    return generate_adopted(_document(0), _document(1))


@cache
def around() -> tuple[Backend, Any]:
    """Return an application that names its media types, and the layer in front of it."""
    backend = Backend()
    return backend, made().module("server").versioned(backend, environment="production")


class Backend:
    """An application of the newest version; it omits `Content-Type` unless it *names* it."""

    def __init__(self, *, names: bool = True) -> None:
        self.calls = 0
        self._names = names

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        self.calls += 1
        kind, *rest = scope["path"].strip("/").split("/")
        if kind == "schemas":
            value: Any = {"here": "a"} if rest[1] == "same" else {"here": "a", "later": "SECRET"}
            body = json.dumps([value] if rest[1] == "list" else value)
            await self._send(send, STATUSES[rest[0]], JSON, body)
            return
        case = CASES[int(rest[0])]
        lines = [value.decode() for name, value in scope["headers"] if name == b"accept"]
        found = _negotiate(", ".join(lines) or "*/*", case.after)
        if found is None:
            await self._send(send, 406, "text/plain", "nothing that is accepted")
        else:
            body = '{"here":"a"}' if "json" in found else "a"
            await self._send(send, STATUSES[case.key], found, body)

    async def _send(self, send: Any, status: int, media_type: str, body: str) -> None:
        headers = [(b"content-type", media_type.encode())] if self._names else []
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body.encode()})


def _negotiate(accept: str, media_types: tuple[str, ...]) -> str | None:
    """Return the member of *media_types* that *accept* prefers, None if it accepts none."""

    def weigh(media_type: str) -> float:
        found = 0.0
        for each in accept.split(","):
            name, _, weight = each.strip().partition(";q=")
            if name in (media_type, f"{media_type.partition('/')[0]}/*", "*/*"):
                found = max(found, float(weight or 1))
        return found

    best = max(media_types, key=weigh)
    return best if weigh(best) else None


def _list_forms(case: Case) -> set[str]:
    """Return the media types in which callers of the older version can be answered."""
    found = set()
    for sent in case.after:
        alike = [each for each in case.before if "json" in each and "json" in sent]
        found.update([sent] if sent in case.before else alike[:1])
    return found


def _list_accepts(case: Case) -> list[list[str]]:
    """Return what callers of the older version may accept, preferred types first."""
    named = [[*each] for count in (1, 2) for each in permutations(case.before, count)]
    return [*named, ["*/*"], ["application/*"], []]


@cases("case", CASES, ids=str)
def test_callers_get_the_preferred_media_type_that_can_be_sent(case: Case) -> None:
    _, app = around()
    forms = _list_forms(case)
    assert forms
    for accepted in _list_accepts(case):
        weighed = [f"{each};q={1 - at / 2}" if at else each for at, each in enumerate(accepted)]
        headers = {"accept": ", ".join([*weighed, HTML])} if accepted else {}
        response = ask(app, "POST", case.path, headers={"X-API-Version": OLD, **headers})
        wanted = [each for each in accepted if each in forms or "*" in each]
        if accepted and not wanted:
            # the application decides
            assert response.status_code in (200, 406)
            continue
        assert response.status_code == 200, (accepted, response.text)
        sent = response.headers["content-type"]
        assert sent == wanted[0] if wanted and wanted[0] in forms else sent in forms
        assert response.text == ('{"here":"a"}' if "json" in sent else "a")


def test_response_without_a_media_type_has_that_of_the_newest_version() -> None:
    [case] = [each for each in CASES if (each.before, each.after) == ((JSON,), (VENDOR,))]
    app = made().module("server").versioned(Backend(names=False), environment="production")
    response = ask(app, "POST", case.path, headers={"X-API-Version": OLD})
    assert (response.status_code, response.json()) == (200, {"here": "a"})
    assert response.headers["content-type"] == JSON


@cases("success", SUCCESSES, ids=str)
def test_handler_runs_only_if_its_answer_can_be_sent(success: Success) -> None:
    backend, app = around()
    backend.calls = 0
    response = ask(app, "POST", success.path, headers={"X-API-Version": OLD})
    if success.schema == "same":
        assert (response.status_code, response.json()) == (200, {"here": "a"})
    else:
        assert (response.status_code, backend.calls) == (501, 0)
    newest = ask(app, "POST", success.path, headers={"X-API-Version": NEW})
    assert newest.status_code == STATUSES[success.key]


@cases("version", [OLD, NEW])
@cases("success", [each for each in SUCCESSES if each.schema == "same"], ids=str)
def test_handler_may_choose_any_status_of_the_success(success: Success, version: str) -> None:
    server: Any = made().module("server")
    reply = server.Reply({"here": "a"}, status=STATUSES[success.key])

    class Handlers:
        def __getattr__(self, name: str) -> Any:
            async def handle(_: Any) -> Any:
                return reply

            return handle if name.startswith("post_") else self

    app = server.create_app(Handlers(), environment="production")
    response = ask(app, "POST", success.path, headers={"X-API-Version": version})
    status = 200 if version == OLD else STATUSES[success.key]
    assert (response.status_code, response.json()) == (status, {"here": "a"})
