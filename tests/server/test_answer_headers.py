"""Headers of responses in the style `simple`: of each type, at each door, in two versions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pytest
import yaml
from starlette.types import Receive, Scope, Send
from support.exchanges import PersistentCaller, Response, request, run, serving
from support.generated_server import Generated
from support.sources import API, loaded
from support.tables import cases
from support.thing_sources import ADOPTED

OLD, NEW = "2024-01-15", "2025-06-01"

TAG: Final = {"type": "string", "oneOf": [{"const": "a"}, {"const": "b", "x-added": NEW}]}


class Kind(NamedTuple):
    """A type of header: its schema, a value, and what versions are sent for it.

    ``lines`` are those of an application, ``older`` what callers of the older version get, both
    with ``explode`` first; None for a header that is left out.
    """

    schema: Any
    value: Any
    lines: tuple[list[str], list[str]]
    older: tuple[list[str] | None, list[str] | None]
    content: bool = False
    required: bool = False


def alike(*lines: str) -> tuple[list[str], list[str]]:
    return [*lines], [*lines]


POINT: Final = {"$ref": "#/components/schemas/Point"}
SHOWN_AS: Final = {
    "type": "string",
    "oneOf": [{"const": "a"}, {"const": "b", "x-added": NEW, "x-shown-as": "a"}],
}
SCALAR: Final = {"type": ["integer", "boolean"]}

KINDS: Final = {
    "text": Kind({"type": "string"}, "a,b=c", alike("a,b=c"), alike("a,b=c")),
    "number": Kind({"type": "number"}, 1.5, alike("1.5"), alike("1.5")),
    "truth": Kind({"type": "boolean"}, True, alike("true"), alike("true")),
    "value": Kind(SHOWN_AS, "b", alike("b"), alike("a"), required=True),
    "numbers": Kind(
        {"type": "array", "items": {"type": "integer"}}, [1, 2], alike("1,2"), alike("1,2")
    ),
    "tags": Kind({"type": "array", "items": TAG}, ["b", "a", "b"], alike("b,a,b"), alike("a")),
    "lines": Kind({"type": "array", "items": TAG}, ["b", "a"], alike("b", "a"), alike("a")),
    "gone": Kind({"type": "array", "items": TAG}, ["b"], alike("b"), (None, None)),
    "values": Kind({"type": "array", "items": SHOWN_AS}, ["b", "a"], alike("b, a"), alike("a")),
    "point": Kind(
        POINT,
        {"x": 1, "y": "c", "z": True},
        (["x=1,y=c,z=true"], ["x,1,y,c,z,true"]),
        (["left=1,y=c"], ["left,1,y,c"]),
    ),
    "map": Kind(
        {"type": "object", "additionalProperties": TAG},
        {"p": "a", "q": "b"},
        (["p=a,q=b"], ["p,a,q,b"]),
        (["p=a"], ["p,a"]),
    ),
    "either": Kind(
        {"anyOf": [{"type": "integer"}, {"type": "array", "items": TAG}]},
        ["a", "b"],
        alike("a, b"),
        alike("a"),
    ),
    "one": Kind(
        {"anyOf": [{"type": "integer"}, {"type": "array", "items": TAG}]}, 7, alike("7"), alike("7")
    ),
    "json": Kind(
        POINT, {"x": 1, "z": True}, alike('{"x":1,"z":true}'), alike('{"left":1}'), content=True
    ),
    "quoted": Kind(SHOWN_AS, "b", alike('"b"'), alike('"a"'), content=True, required=True),
}


def describe_header(kind: Kind, name: str, *, explode: bool, renamed: bool) -> dict[str, Any]:
    written: dict[str, Any] = (
        {"content": {"application/json": {"schema": kind.schema}}}
        if kind.content
        else {"explode": explode, "schema": kind.schema}
    )
    written["required"] = kind.required
    return {**written, **({"x-was": {NEW: {"name": f"X-Was-{name}"}}} if renamed else {})}


class Case(NamedTuple):
    """A header of a kind, and its name in lower case."""

    kind: Kind
    name: str
    explode: bool
    renamed: bool

    @property
    def at_old(self) -> str:
        return self.name.replace("x-", "x-was-", 1) if self.renamed else self.name

    @property
    def older(self) -> list[tuple[str, str]]:
        return [(self.at_old, line) for line in self.kind.older[not self.explode] or ()]

    @property
    def lines(self) -> list[tuple[str, str]]:
        return [(self.name, line) for line in self.kind.lines[not self.explode]]


CASES: Final = [
    Case(kind, f"x-{name}-{number}{other}", bool(number), bool(other))
    for name, kind in KINDS.items()
    for number in (1, 0)
    for other in (1, 0)
]

# One header changes its style, and nothing else.
TURNED: Final = [("x-turned", "x=1"), ("x-turned-list", "1, 2"), ("x-turned-texts", "d")]
TURNED_OLDER: Final = [("x-turned", "x,1"), *TURNED[1:]]


def describe() -> str:
    headers = {
        each.name: describe_header(
            each.kind, each.name[2:], explode=each.explode, renamed=each.renamed
        )
        for each in CASES
    }
    was = {NEW: {"explode": False}}
    integers = {"type": "array", "items": {"type": "integer"}}
    texts = {"type": "array", "items": {"type": "string"}}
    opened = {"type": "object", "additionalProperties": {"type": "integer"}}
    turned = {
        "x-turned": {"explode": True, "schema": opened, "x-was": was},
        "x-turned-list": {"explode": True, "schema": integers, "x-was": was},
        "x-turned-texts": {"required": True, "schema": texts},
        "set-cookie": {"schema": texts},
    }
    paths = {
        path: {
            "get": {
                "operationId": name,
                "tags": ["Loans"],
                "responses": {"204": {"description": "done", "headers": found}},
            }
        }
        for path, name, found in (("/all", "get_all", headers), ("/turned", "get_turned", turned))
    }
    point = {
        "type": "object",
        "properties": {
            "x": {"type": "integer", "x-was": {NEW: {"name": "left"}}},
            "y": {"type": "string"},
            "z": {"type": "boolean", "x-added": NEW},
        },
    }
    return json.dumps(
        {**yaml.safe_load(API), "paths": paths, "components": {"schemas": {"Point": point}}}
    )


class Backend:
    """An application of the newest version, which sends given headers."""

    def __init__(self) -> None:
        self.headers: list[tuple[str, str]] = []

    async def __call__(self, _: Scope, __: Receive, send: Send) -> None:
        headers = [(name.encode(), line.encode("latin-1")) for name, line in self.headers]
        await send({"type": "http.response.start", "status": 204, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


class Doors:
    """The doors of the API: each answers with the given headers."""

    def __init__(self, package: Generated, port: int, backend: Backend) -> None:
        self.server: Any = package.module("server")
        forwarding: Any = package.module("server.forwarding")
        self.backend = backend
        behind = forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{port}"))
        self.apps = {
            name: self.server.versioned(app, environment="production", strict=strict)
            for name, app, strict in (
                ("around", backend, False),
                ("strictly around", backend, True),
                ("proxy", behind, False),
            )
        }
        self.given: dict[str, Any] = {}
        loans: Any = self
        self.apps["server"] = self.server.create_app(
            self.server.Handlers(loans=loans), environment="production"
        )

    async def get_all(self, _: Any) -> Any:
        return self.server.Reply(None, status=204, headers=self.given)

    get_turned = get_all

    def ask(self, door: str, path: str, version: str) -> Response:
        scope = request("GET", f"/api{path}", [(b"x-api-version", version.encode())])
        # the caller stays, as those of a proxy do
        caller = PersistentCaller()
        run(self.apps[door](scope, caller.receive, caller.send))
        return caller.response


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    pytest.importorskip("uvicorn", reason="the proxy needs a server behind it")
    folder = tmp_path_factory.mktemp("headers")
    api = loaded(folder, {"versions.yaml": ADOPTED, "api.yaml": describe()})
    backend = Backend()
    with serving(backend, "h11", server_header=False, date_header=False) as port:
        yield Doors(Generated(folder, api), port, backend)


def list_ours(answer: Response) -> list[tuple[str, str]]:
    ours = ("x-api-version", "vary", "date", "server", "content-length", "via")
    return sorted(pair for pair in answer.headers if pair[0] not in ours)


DOORS: Final = ("around", "strictly around", "proxy", "server")


@pytest.mark.parametrize("door", DOORS)
def test_headers_are_in_the_form_of_the_callers_version(doors: Doors, door: str) -> None:
    doors.given = {each.name: each.kind.value for each in CASES}
    doors.backend.headers = [pair for each in CASES for pair in each.lines]
    older, newer = (doors.ask(door, "/all", each) for each in (OLD, NEW))
    assert (older.status, newer.status) == (204, 204)
    expected = {pair for each in CASES for pair in each.older}
    assert {*list_ours(older)} - expected == expected - {*list_ours(older)}
    sent = [pair for each in CASES for pair in each.lines]
    if door == "server":
        lines = [(each.name, [line for _, line in each.lines]) for each in CASES]
        sent = [(name, ",".join(found).replace(", ", ",")) for name, found in lines]
    assert list_ours(newer) == sorted(sent)


@cases(
    ("value", "sent"),
    [
        ({"x-turned-list": "1, 2"}, [("x-turned-list", "1,2")]),
        ({"x-turned-list": []}, []),
        ({"x-turned": {}}, []),
        ({"x-turned": {"a,b": 1}}, None),
        ({"x-turned": {"a=b": 1}}, None),
        ({"x-turned": "a"}, None),
        ({"x-turned-list": ["a"]}, None),
        ({"x-turned-texts": ["a", "b,c"]}, None),
        ({"x-turned-texts": []}, [("x-turned-texts", "")]),
        ({"set-cookie": ["a=1, b", "c=2"]}, [("set-cookie", "a=1, b"), ("set-cookie", "c=2")]),
        (
            {"set-cookie": ["a=1", "c=2"], "etag": '"x"'},
            [("etag", f'"x;{NEW}"'), ("set-cookie", "a=1"), ("set-cookie", "c=2")],
        ),
    ],
)
def test_handler_gives_values_that_the_style_can_write(
    doors: Doors, value: dict[str, Any], sent: list[tuple[str, str]] | None
) -> None:
    doors.given = value if "x-turned-texts" in value else {"x-turned-texts": ["d"], **value}
    answer = doors.ask("server", "/turned", NEW)
    found = [pair for pair in list_ours(answer) if pair[0] in value]
    assert (answer.status, found) == ((204, sent) if sent is not None else (500, []))


@cases("door", ["around", "proxy"])
def test_headers_without_a_difference_are_sent_as_they_are(doors: Doors, door: str) -> None:
    doors.backend.headers = [
        ("x-turned-list", "x"),
        ("x-turned-list", ""),
        ("x-turned-texts", "caf\u00e9 , b"),
        ("set-cookie", "a=1, b"),
        ("set-cookie", "c=2"),
    ]
    answer = doors.ask(door, "/turned", OLD)
    assert (answer.status, list_ours(answer)) == (204, sorted(doors.backend.headers))


@cases("door", DOORS)
def test_style_of_a_header_differs_between_versions(doors: Doors, door: str) -> None:
    doors.given = {"x-turned": {"x": 1}, "x-turned-list": [1, 2], "x-turned-texts": ["d"]}
    doors.backend.headers = TURNED
    older, newer = (doors.ask(door, "/turned", each) for each in (OLD, NEW))
    assert (older.status, newer.status) == (204, 204)
    change = str.replace if door == "server" else lambda text, *_: str(text)
    found = [
        [(name, change(line, ", ", ",")) for name, line in each] for each in (TURNED_OLDER, TURNED)
    ]
    assert [list_ours(older), list_ours(newer)] == found
