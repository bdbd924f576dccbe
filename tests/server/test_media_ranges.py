"""Bodies declared with a media range are read, written and narrowed as their usual media type."""

from __future__ import annotations

import json
from functools import partial
from itertools import permutations, product
from pathlib import Path
from typing import Any, Final

import pytest
from support.adopted_apis import store
from support.generated_server import Generated, ask
from support.random_chains import DATES
from support.tables import cases

from dateline.adopt import adopt
from dateline.load import load

OLD, NEW = DATES[0], DATES[1]


def document(media_type: str, schema: Any) -> dict[str, Any]:
    content = {media_type: {} if schema is None else {"schema": schema}}
    return {
        "openapi": "3.0.3",
        "info": {"title": "Things", "version": "1"},
        "paths": {
            "/it": {
                "get": {
                    "operationId": "getIt",
                    "responses": {"200": {"description": "it", "content": content}},
                },
                "post": {
                    "operationId": "makeIt",
                    "requestBody": {"content": content},
                    "responses": {"204": {"description": "made"}},
                },
            }
        },
    }


def generate_app(folder: Path, *documents: dict[str, Any]) -> Any:
    """Return a function that makes an application of the server adopted from *documents*."""
    adopt(store(folder, list(documents)), folder / "schemas", accept=lambda _: True)
    return Generated(folder, load(folder / "schemas")).module("server")


class Handlers:
    """Returns *answer*, and records the body."""

    def __init__(self, answer: Any) -> None:
        self.default = self
        self.answer = answer
        self.body: Any = None

    def __getattr__(self, name: str) -> Any:
        return self.make_it if name.startswith("make") else self.get_it

    async def get_it(self, _: Any) -> Any:
        return self.answer

    async def make_any(self, call: Any, *, body: Any) -> None:
        await self.make_it(call, body=body)

    async def make_it(self, _: Any, *, body: Any) -> None:
        # other media than JSON and text are read unchanged
        self.body = await body.read() if hasattr(body, "read") else body


THING: dict[str, Any] = {
    "type": "object",
    "required": ["a"],
    "properties": {"a": {"type": "string"}},
}

USUAL: list[tuple[Any, Any, str, bytes]] = [
    (THING, {"a": "x"}, "application/json", b'{"a":"x"}'),
    ({"type": "array", "items": {"type": "integer"}}, [1], "application/json", b"[1]"),
    ({"type": "string"}, b"x", "text/plain", b"x"),
    ({"type": "string", "nullable": True}, b"x", "text/plain", b"x"),
    ({"type": "string", "format": "binary"}, b"x", "application/octet-stream", b"x"),
    (None, b"x", "application/octet-stream", b"x"),
]


RANGES: Final = ("*/*", "application/*")


@pytest.fixture(scope="module")
def usual_server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the server of an API with an operation for each range and each of ``USUAL``."""
    paths: dict[str, Any] = {}
    for number, (media_type, (schema, *_)) in enumerate(product(RANGES, USUAL)):
        path = document(media_type, schema)["paths"]["/it"]
        path["get"]["operationId"], path["post"]["operationId"] = f"get{number}", f"make{number}"
        paths[f"/it{number}"] = path
    return generate_app(tmp_path_factory.mktemp("usual"), {**document("", None), "paths": paths})


@cases("number", range(len(RANGES) * len(USUAL)))
def test_body_of_a_media_range_has_the_usual_type(usual_server: Any, number: int) -> None:
    _, answer, usual, sent = USUAL[number % len(USUAL)]
    handlers = Handlers(answer)
    app = usual_server.create_app(handlers, environment="production")
    path = f"/it{number}"
    got = ask(app, "GET", path)
    assert (got.status_code, got.headers["content-type"], got.content) == (200, usual, sent)
    posted = ask(app, "POST", path, content=sent, headers={"content-type": usual})
    assert posted.status_code == 204
    body = handlers.body
    assert (body if isinstance(body, bytes | list) else body.model_dump()) == answer


def test_body_of_a_media_range_is_narrowed(tmp_path: Path) -> None:
    older = {**THING, "additionalProperties": False}
    fields = {"a": {"type": "string"}, "b": {"type": "integer"}}
    newer = {**older, "properties": fields}
    server = generate_app(tmp_path, document("*/*", older), document("*/*", newer))
    app = server.create_app(Handlers({"a": "x", "b": 1}), environment="production")
    answers = [ask(app, "GET", "/it", headers={"X-API-Version": date}).json() for date in DATES[:2]]
    assert answers == [{"a": "x"}, {"a": "x", "b": 1}]
    for named, status in ("application/hal+json; a=1", 200), ("application/xml", 500):
        around = server.versioned(
            partial(send_json, b'{"a":"x","b":1}', named), environment="production"
        )
        # the second answer takes a faster path
        for _ in range(2):
            answer = ask(around, "GET", "/it", headers={"X-API-Version": OLD})
            assert answer.status_code == status
            if status == 200:
                assert (answer.json(), answer.headers["content-type"]) == ({"a": "x"}, named)


async def send_json(body: bytes, named: str, _: Any, __: Any, send: Any) -> None:
    headers = [(b"content-type", named.encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


# Ways to declare media types of bodies; callers use JSON in all of them.
CONTENTS: Final = (
    ("*/*",),
    ("application/*",),
    ("application/json",),
    ("*/*", "application/*"),
    ("application/*", "application/json"),
    ("application/json", "*/*"),
)


class NarrowedHandlers:
    """Answers every operation with a complete thing, and records the last body."""

    def __init__(self) -> None:
        self.default = self
        self.body: Any = None

    def __getattr__(self, name: str) -> Any:
        async def answer(_: Any, **sent: Any) -> Any:
            self.body = sent["body"].model_dump() if sent else None
            return None if sent else {"a": "x", "b": 1}

        return answer


def find_narrowest(media_types: tuple[str, ...]) -> str:
    return max(media_types, key=lambda each: each.replace("*", ""))


def chain_document(contents: list[tuple[str, ...]], schema: dict[str, Any]) -> dict[str, Any]:
    """Return a document with operations for *contents*; *schema* is that of the narrowest."""
    paths: dict[str, Any] = {}
    thing = {"$ref": "#/components/schemas/Thing"}
    for at, media_types in enumerate(contents):
        narrowest = find_narrowest(media_types)
        content = {
            each: {"schema": thing if each == narrowest else {"type": "object"}}
            for each in media_types
        }
        found = document("", None)["paths"]["/it"]
        found["get"]["operationId"], found["post"]["operationId"] = f"get{at}", f"make{at}"
        found["get"]["responses"]["200"]["content"] = content
        found["post"]["requestBody"]["content"] = content
        paths[f"/it{at}"] = found
    return {**document("", None), "paths": paths, "components": {"schemas": {"Thing": schema}}}


def test_range_and_its_replacement_are_one_media_type(tmp_path: Path) -> None:
    older = {**THING, "additionalProperties": False}
    newer = {**older, "properties": {**THING["properties"], "b": {"type": "integer"}}}
    pairs = [
        (old, new)
        for old, new in permutations(CONTENTS, 2)
        # an entry whose schema becomes another one needs a converter, range or not
        if all(
            find_narrowest(one) not in other or find_narrowest(one) == find_narrowest(other)
            for one, other in ((old, new), (new, old))
        )
    ]
    assert len(pairs) > len(CONTENTS)
    old, new = (list(side) for side in zip(*pairs, strict=True))
    documents = chain_document(old, older), chain_document(new, newer)
    handlers = NarrowedHandlers()
    app = generate_app(tmp_path, *documents).create_app(handlers, environment="production")
    found = {}
    for at, pair in enumerate(pairs):
        for date in (OLD, NEW):
            headers = {"X-API-Version": date}
            got = ask(app, "GET", f"/it{at}", headers=headers)
            body = {"a": "x"} if date == OLD else {"a": "x", "b": 1}
            posted = ask(app, "POST", f"/it{at}", json=body, headers=headers)
            sent = {key: value for key, value in handlers.body.items() if value is not None}
            answer = got.status_code, got.headers["content-type"], got.json()
            expected = (200, "application/json", body), (204, body)
            if (answer, (posted.status_code, sent)) != expected:
                found[pair, date] = answer, posted.status_code, sent
    assert found == {}


BINARY: Final = {"type": "string", "format": "binary"}
FORM: Final = "application/x-www-form-urlencoded"
SENT: Final = ("application/json", "application/vnd.x+json", FORM, "image/png", "text/plain", "")

# The media types of a body before and after a change, and which of those `SENT` callers of the
# older version may send: what only the newest version declares, or reads fields from, is refused.
CHANGED: Final[tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...]] = (
    (("*/*",), ("*/*",), SENT),
    (("*/*",), ("image/png",), SENT),
    (("*/*",), ("application/json",), SENT[2:5]),
    (("*/*",), ("application/vnd.x+json", "*/*"), SENT[2:5]),
    (("*/*",), (FORM, "*/*"), (*SENT[:2], *SENT[3:])),
    (("application/json", "*/*"), ("application/json", FORM, "*/*"), (*SENT[:2], *SENT[3:])),
    (("application/*",), ("*/*",), SENT[:3]),
    (("image/*",), ("*/*",), SENT[3:4]),
    (("application/octet-stream",), ("*/*",), ()),
    (("application/octet-stream",), ("image/*",), ()),
)


# Declared types of a JSON body, and which of `NAMED` callers may send in it.
NAMED: Final = (
    "application/json",
    "text/json",
    "application/vnd.x+json;charset=utf-8",
    "text/x+json",
)
JSONS: Final[tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = (
    (("*/*",), NAMED),
    (("application/*",), (NAMED[0], NAMED[2])),
    (("application/*+json",), (NAMED[2],)),
    (("text/json",), (NAMED[1],)),
    (("application/json",), (NAMED[0],)),
    # as ASP.NET declares them
    (("application/json", "text/json", "application/*+json"), NAMED[:3]),
)


def describe_json(types: tuple[str, ...], at: int) -> dict[str, Any]:
    """Return an operation with a body of *types*, in which the newer version has another field."""
    newer = {"b": {"type": "integer"}} if at else {}
    schema = {**THING, "properties": {**THING["properties"], **newer}}
    content = {each: {"schema": schema} for each in types}
    return {"requestBody": {"content": content}, "responses": {"204": {"description": "made"}}}


@pytest.fixture(scope="module")
def changed_server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the server of operations with a binary body in ranges, and those of `CHANGED`."""
    documents = []
    for at in (0, 1):
        found = document("image/*", BINARY)
        both = document("*/*", BINARY)["paths"]["/it"]
        anything = both["post"]
        for path in (found["paths"]["/it"], both):
            # answers are narrowed
            headers = {"X-At": {"schema": {"type": "string"}}} if at else {}
            path["get"]["responses"]["200"]["headers"] = headers
        found["paths"]["/any"] = {
            "get": {**both["get"], "operationId": "getAny"},
            "post": {**anything, "operationId": "makeAny"},
        }
        for number, case in enumerate(CHANGED):
            content = {
                each: {"schema": THING if "json" in each or each == FORM else BINARY}
                for each in case[at]
            }
            post = {**anything, "operationId": f"make{number}", "requestBody": {"content": content}}
            found["paths"][f"/changed{number}"] = {"post": post}
        for number, (types, _) in enumerate(JSONS):
            found["paths"][f"/json{number}"] = {"put": describe_json(types, at)}
        documents.append(found)
    return generate_app(tmp_path_factory.mktemp("changed"), *documents)


@cases("door", ["server", "around"])
def test_body_of_other_ranges_may_have_any_of_their_types(changed_server: Any, door: str) -> None:
    handlers = Handlers(b"x")
    app = changed_server.create_app(handlers, environment="production")
    if door == "around":
        app = changed_server.versioned(app, environment="production", strict=True)
    types = {"image/png": 204, "Image/SVG+xml; a=b": 204, "image/*": 204, "text/plain": 415}
    for media_type, status in {**types, "application/json": 415}.items():
        posted = ask(app, "POST", "/it", content=b"x", headers={"content-type": media_type})
        assert (media_type, posted.status_code) == (media_type, status)
    assert handlers.body == b"x"
    for media_type in types:
        posted = ask(app, "POST", "/any", content=b"y", headers={"content-type": media_type})
        assert (media_type, posted.status_code, handlers.body) == (media_type, 204, b"y")


@cases("number", range(len(CHANGED)))
def test_type_in_an_older_range_is_not_read_as_a_newer_one(
    changed_server: Any, number: int
) -> None:
    passed: list[str] = []

    async def application(scope: Any, _: Any, send: Any) -> None:
        passed.append(dict(scope["headers"]).get(b"content-type", b"").decode())
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    app = changed_server.versioned(application, environment="production")
    statuses = {}
    for media_type in SENT:
        headers = {"X-API-Version": OLD, **({"content-type": media_type} if media_type else {})}
        posted = ask(app, "POST", f"/changed{number}", content=b'{"a":"x"}', headers=headers)
        statuses[media_type] = posted.status_code
    taken = CHANGED[number][2]
    assert statuses == {each: 204 if each in taken else 415 for each in SENT}
    assert passed == [*taken]


@cases("number", range(len(JSONS)))
@cases("named", NAMED)
def test_json_of_any_name_in_a_range_is_validated_and_lifted(
    changed_server: Any, number: int, named: str
) -> None:
    passed: list[tuple[Any, str]] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        sent = json.loads((await receive())["body"])
        passed.append((sent, dict(scope["headers"])[b"content-type"].decode()))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    app = changed_server.versioned(application, environment="production")
    headers = {"X-API-Version": OLD, "content-type": named}
    bodies = b'{"a":"x","b":"mine"}', b'{"a":1}'
    found = [ask(app, "PUT", f"/json{number}", content=b, headers=headers) for b in bodies]
    is_taken = named in JSONS[number][1]
    assert [each.status_code for each in found] == ([204, 400] if is_taken else [415, 415])
    assert passed == ([({"a": "x"}, named)] if is_taken else [])


@cases(
    ("path", "media_type", "status"),
    [
        ("/it", "image/png", 200),
        ("/it", "Image/SVG+xml; a=b", 200),
        ("/it", "text/plain", 500),
        ("/any", "application/pdf", 200),
        ("/any", "application/octet-stream", 200),
        # they may contain fields that the definitions do not describe
        ("/any", "application/json", 500),
        ("/any", "application/x-ndjson", 500),
    ],
)
def test_application_may_answer_with_any_type_of_a_range(
    changed_server: Any, path: str, media_type: str, status: int
) -> None:
    async def application(_: Any, __: Any, send: Any) -> None:
        headers = [(b"content-type", media_type.encode()), (b"x-at", b"1")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"x"})

    app = changed_server.versioned(application, environment="production")
    got = ask(app, "GET", path, headers={"X-API-Version": OLD})
    assert (got.status_code, got.headers.get("x-at")) == (status, None)
    if status == 200:
        assert (got.headers["content-type"], got.content) == (media_type, b"x")
