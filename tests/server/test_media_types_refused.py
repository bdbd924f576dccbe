"""Without a converter for one media type of a body, the others are still served, at each door."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest
from support.adopted_apis import store
from support.exchanges import serving
from support.generated_server import Generated, ask, keep_folder
from support.random_chains import DATES
from support.tables import cases

from dateline.adopt import adopt
from dateline.demands import list_demands
from dateline.load import load

OLD, NEW = DATES[:2]
JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
PDF: Final = "application/pdf"
OTHERS: Final = {
    FORM: b"here=a&later=SECRET",
    MULTIPART: b'--b\r\nContent-Disposition: form-data; name="later"\r\n\r\nSECRET\r\n--b--',
    "application/xml": b"<a><later>SECRET</later></a>",
    "text/csv": b"here,later\r\na,SECRET\r\n",
}

_TEXT: Final = {"type": "string"}
_THING: Final[dict[str, Any]] = {"type": "object", "properties": {"here": _TEXT}}


def _with(name: str, schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {**_THING["properties"], name: schema}}


GATES: Final[dict[str, tuple[Any, Any]]] = {
    "none": (_THING, _THING),
    "added": (_THING, _with("later", _TEXT)),
    "removed": (_with("later", _TEXT), _THING),
    "changed": (_with("later", {"type": "integer"}), _with("later", _TEXT)),
}


class Case(NamedTuple):
    """An operation: the direction of the body, and the gate of each of its media types."""

    position: str
    gates: dict[str, str]

    @property
    def path(self) -> str:
        steps = [f"{name.translate({47: 45})}.{gate}" for name, gate in self.gates.items()]
        return "/".join(["", self.position, *steps])

    def leaves_out(self, media_type: str, version: str) -> bool:
        """Return whether parts of a form are removed, which needs no converter."""
        is_form = self.position == "request" and media_type in (FORM, MULTIPART)
        gone = {"added": OLD, "removed": NEW}.get(self.gates[media_type])
        return is_form and gone == version

    def lacks(self, media_type: str, version: str) -> bool:
        """Return whether a converter is missing: JSON is converted field by field."""
        gate = self.gates[media_type]
        if self.leaves_out(media_type, version):
            return False
        if media_type == JSON:
            return gate == "changed" and version == OLD
        return gate != "none" and version == (NEW if gate == "removed" else OLD)


CASES: Final = [
    Case(position, gates)
    for position, other, gate in product(("request", "response"), OTHERS, GATES)
    if gate != "none"
    for gates in (
        {JSON: gate, other: gate},
        {JSON: gate, other: "none"},
        {JSON: "none", other: gate},
        {other: gate, PDF: "none"},
        {other: gate},
    )
]
BODIES: Final = {JSON: b'{"here": "a"}', PDF: b"%PDF", **OTHERS}


def _document(at: int) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for number, case in enumerate(CASES):
        content = {
            name: {"schema": _with("one", _TEXT) if name == PDF else GATES[gate][at]}
            for name, gate in case.gates.items()
        }
        operation: dict[str, Any] = {"operationId": f"do_{number}", "tags": ["all"]}
        operation["responses"] = {"200": {"description": "done"}}
        if case.position == "request":
            operation["requestBody"] = {"required": True, "content": content}
        else:
            operation["responses"]["200"]["content"] = content
        operation["responses"]["default"] = {
            "description": "an error",
            "content": {JSON: {"schema": {"type": "object", "required": ["detail"]}}},
        }
        paths[case.path] = {"post": operation}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": paths,
    }


@cache
def schemas() -> Path:
    folder = keep_folder()
    sources = store(folder, [_document(0), _document(1)])
    adopt(sources, folder / "schemas", accept=lambda _: True)
    return folder / "schemas"


@cache
def made() -> Generated:
    return Generated(keep_folder(), load(schemas()))


class Backend:
    """An application of the newest version that records requests, and sends what is accepted.

    It prefers the last media type of a response.
    """

    def __init__(self) -> None:
        self.taken: list[bytes] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        content = b""
        more = True
        while more:
            message = await receive()
            content += message.get("body", b"")
            more = message.get("more_body", False)
        self.taken.append(content)
        accepted = dict(scope["headers"]).get(b"accept", b"*/*").decode()
        case = next(each for each in CASES if each.path == scope["path"])
        sent = [each for each in case.gates if "*/*" in accepted or each in accepted]
        headers, body = [], b""
        if case.position == "response":
            name = sent[-1] if sent else [*case.gates][-1]
            headers, body = [(b"content-type", name.encode())], BODIES[name]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class Handlers:
    """Handlers of everything, which record requests and return canonical values."""

    def __init__(self) -> None:
        self.taken: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("do_"):
            return self
        case = CASES[int(name.removeprefix("do_"))]

        async def handle(call: Any, body: Any = None) -> Any:
            self.taken.append(await body.read() if hasattr(body, "read") else body)
            if case.position == "request":
                assert isinstance(body, bytes) or call.media_type in (JSON, MULTIPART, PDF)
                return None
            return {"here": "a"} if call.wanted == JSON else BODIES[call.wanted]

        return handle


_CLIENT: Final = httpx.Client()


class Door(NamedTuple):
    app: Any
    taken: list[Any]

    def ask(self, case: Case, version: str, **headers: str) -> httpx.Response:
        named = {"X-API-Version": version}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        body = (
            BODIES[headers["content_type"].partition(";")[0]] if "content_type" in headers else b""
        )
        self.taken.clear()
        if isinstance(self.app, int):
            url = f"http://127.0.0.1:{self.app}{case.path}"
            return _CLIENT.post(url, headers=named, content=body)
        return ask(self.app, "POST", case.path, headers=named, content=body)


@contextmanager
def _proxying(server: Any) -> Iterator[Door]:
    backend = Backend()
    with serving(backend, "h11") as port:
        behind = made().module("server.forwarding")
        upstream = behind.Upstream(url=f"http://127.0.0.1:{port}")
        front = server.versioned(behind.Forwarding(upstream), environment="production")
        with serving(front, "h11", lifespan="on") as number:
            yield Door(number, backend.taken)


@pytest.fixture(scope="module", params=["generated", "around", "strict", "proxy"])
def door(request: pytest.FixtureRequest) -> Iterator[tuple[str, Door]]:
    server = made().module("server")
    if request.param == "generated":
        handlers = Handlers()
        app = server.create_app(handlers, environment="production")
        yield request.param, Door(app, handlers.taken)
    elif request.param == "proxy":
        with _proxying(server) as found:
            yield request.param, found
    else:
        backend = Backend()
        strict = request.param == "strict"
        app = server.versioned(backend, environment="production", strict=strict)
        yield request.param, Door(app, backend.taken)


def _of(position: str) -> list[Case]:
    return [case for case in CASES if case.position == position]


def _is_left_to_others(case: Case, name: str) -> bool:
    """Return whether a proxy or a strict layer, which decide like others, skip a case."""
    return CASES.index(case) % {"proxy": 9, "strict": 4}.get(name, 1) != 0


@cases("version", [OLD, NEW])
@cases("case", _of("request"), ids=lambda case: case.path)
def test_request_of_each_media_type(case: Case, version: str, door: tuple[str, Door]) -> None:
    name, behind = door
    if _is_left_to_others(case, name):
        return
    served = [each for each in case.gates if not case.lacks(each, version)]
    for media_type in case.gates:
        boundary = "; boundary=b" if media_type.startswith("multipart") else ""
        response = behind.ask(case, version, content_type=f"{media_type}{boundary}")
        if not served:
            assert response.status_code == 501
        elif media_type in served or (name != "generated" and version == NEW):
            # an application of the newest version gets everything that version has
            assert response.status_code == 200
            [taken] = behind.taken
            if media_type in OTHERS:
                is_left_out = case.leaves_out(media_type, version)
                # an application of the newest version reads requests of that version itself
                is_left_out &= name in ("generated", "strict") or version == OLD
                assert (b"SECRET" in taken) != is_left_out
            continue
        else:
            assert response.status_code == 415
            assert response.json()["detail"] == f"the body has to be {' or '.join(served)}"
        assert behind.taken == []


@cases("version", [OLD, NEW])
@cases("case", _of("response"), ids=lambda case: case.path)
def test_response_of_each_media_type(case: Case, version: str, door: tuple[str, Door]) -> None:
    name, behind = door
    if _is_left_to_others(case, name):
        return
    served = [each for each in case.gates if not case.lacks(each, version)]
    if name == "generated" and next(iter(case.gates)) not in served:
        # a handler may return the usual media type, whatever is wanted
        served = []
    for accept in ("*/*", *case.gates):
        response = behind.ask(case, version, accept=accept)
        sent = response.headers.get("content-type", "").partition(";")[0]
        if not served:
            assert response.status_code == 501
            assert behind.taken == []
        elif name == "generated":
            wanted = accept if accept in served else served[0]
            assert (response.status_code, sent) == (200, wanted)
            assert ("Accept" in response.headers["vary"]) == (len(served) > 1)
        elif accept in case.gates and accept not in served:
            assert response.status_code in (200, 500)
            assert response.status_code == 500 or sent in served
        else:
            assert response.status_code == 200
            assert sent == (served[-1] if accept == "*/*" else accept)
        if response.status_code == 200:
            assert (b"SECRET" in response.content) == (sent in OTHERS)
            assert sent in served
        else:
            assert b"SECRET" not in response.content


def test_note_names_the_media_type_that_needs_a_converter() -> None:
    [note] = [each for each in made().notes if "yours to write" in each]
    assert note.endswith(f"answer 501, or refuse only its media type (first {FORM})")
    for each in list_demands(load(schemas())):
        media_type = each.path[[*each.path].index("content") + 1]
        [line, *_] = each.format_lines()
        assert each.describe()["media_type"] == media_type
        assert f": {each.name} ({media_type})" in line
