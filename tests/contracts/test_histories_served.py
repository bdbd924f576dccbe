"""The generated server handles histories by itself: values, credentials, other media."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, Final

import pytest
from support.generated_server import Generated, ask
from support.histories import NEW, OLD, VERSIONS, S, api, was
from support.sources import loaded
from support.tables import cases

_KEY: Final = {"type": "apiKey", "in": "header"}
_STATE: Final = {
    **S,
    "oneOf": [{"const": "active", **was(const="open")}, {"const": "closed"}],
}
_LOAN: Final = {"type": "object", "required": ["state"], "properties": {"state": _STATE}}


def _content(media_type: str, schema: Any) -> dict[str, Any]:
    return {"content": {media_type: {"schema": schema}}}


def _put(name: str, content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "operationId": name,
        "tags": ["All"],
        "requestBody": {"required": True, **content},
        "responses": {"200": {"description": "the same", **content}},
        **more,
    }


def _get_with(scheme: str) -> dict[str, Any]:
    return {
        "operationId": f"get{scheme}",
        "tags": ["All"],
        "security": [{scheme: []}],
        "responses": {"204": {"description": "known"}},
    }


_ISSUED: Final = {
    "type": "openIdConnect",
    "scheme": None,
    "openIdConnectUrl": "https://example.com/.well-known/openid-configuration",
}

SOURCES: Final = {
    "versions.yaml": VERSIONS,
    "api.yaml": api(
        paths={
            "/loan": {"put": _put("putLoan", _content("application/json", _LOAN))},
            "/note": {"put": _put("putNote", _content("text/plain", {**S, **was(type="integer")}))},
            "/secret": {
                "get": {
                    "operationId": "getSecret",
                    "tags": ["All"],
                    "security": [{"Key": []}],
                    **was(security=[{"Old": []}]),
                    "responses": {"204": {"description": "known"}},
                }
            },
            **{f"/{name}": {"get": _get_with(name)} for name in ("Bearer", "Issued", "Case")},
        },
        components={
            "securitySchemes": {
                "Key": {**_KEY, "name": "X-Key"},
                "Old": {**_KEY, "name": "X-Old"},
                # each has its secret in the same place at both versions
                "Bearer": {"type": "http", "scheme": "bearer", **was(scheme="Bearer")},
                "Issued": {"type": "http", "scheme": "bearer", **was(**_ISSUED)},
                "Case": {**_KEY, "name": "X-Case", **was(name="x-case")},
            }
        },
    ),
}


class Handlers:
    """Handlers that record what they are sent, and return it."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    async def put_loan(self, _: Any, *, body: Any) -> Any:
        self.sent.append(body.state.value)
        return body

    async def put_note(self, _: Any, *, body: bytes) -> bytes:
        self.sent.append(body)
        return body

    async def get_secret(self, call: Any) -> None:
        self.sent.append(call.account.identity)

    get_bearer = get_issued = get_case = get_secret


class Converters:
    """Converters that mark values with their direction."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("older_", "newer_")):
            return lambda value, _: f"{name[:5]} {value}"
        raise AttributeError(name)


async def authenticate(credentials: Any) -> Any:
    return SimpleNamespace(identity=" ".join(credentials.values))


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("histories")
    return Generated(folder, loaded(folder, SOURCES))


def create_app(package: Generated, handlers: Any, converters: Any) -> Any:
    server = package.module("server")
    return server.create_app(
        server.Handlers(all=handlers),
        environment="production",
        authenticate=authenticate,
        converters=converters,
    )


@pytest.mark.parametrize(
    ("version", "sent", "status"),
    [
        (OLD, "open", 200),
        (OLD, "closed", 200),
        (OLD, "active", 400),
        (NEW, "active", 200),
        (NEW, "open", 400),
    ],
)
def test_renamed_value_is_shown_as_each_version_calls_it(
    package: Generated, version: str, sent: str, status: int
) -> None:
    handlers = Handlers()
    app = create_app(package, handlers, Converters())
    answer = ask(app, "PUT", "/loan", headers={"X-API-Version": version}, json={"state": sent})
    assert answer.status_code == status
    if status == 200:
        assert answer.json() == {"state": sent}
        assert handlers.sent == ["active" if sent == "open" else sent]


def test_body_that_is_no_json_goes_through_its_converter(package: Generated) -> None:
    handlers = Handlers()
    app = create_app(package, handlers, Converters())
    for version in (NEW, OLD):
        headers = {"X-API-Version": version, "Content-Type": "text/plain"}
        answer = ask(app, "PUT", "/note", headers=headers, content=b"1")
        assert (answer.status_code, answer.content) == (
            (200, b"1") if version == NEW else (200, b"older newer 1")
        )
    assert handlers.sent == [b"1", b"newer 1"]


def test_converter_of_a_body_that_is_no_json_is_required(package: Generated) -> None:
    server = package.module("server")
    with pytest.raises(server.MissingConverterError, match=r"putNote"):
        create_app(package, Handlers(), object())


@pytest.mark.parametrize(
    ("version", "header", "status"),
    [(NEW, "X-Key", 204), (NEW, "X-Old", 401), (OLD, "X-Old", 204), (OLD, "X-Key", 401)],
)
def test_credentials_are_those_of_the_callers_version(
    package: Generated, version: str, header: str, status: int
) -> None:
    handlers = Handlers()
    app = create_app(package, handlers, Converters())
    answer = ask(app, "GET", "/secret", headers={"X-API-Version": version, header: "secret"})
    assert answer.status_code == status
    assert handlers.sent == ([header.removeprefix("X-")] if status == 204 else [])


@cases("version", [OLD, NEW])
@cases("name", ["Bearer", "Issued", "Case"])
def test_secret_that_stays_in_its_place_is_read_at_each_version(
    package: Generated, name: str, version: str
) -> None:
    app = create_app(package, Handlers(), Converters())
    headers = {"X-API-Version": version, "Authorization": "Bearer token", "X-Case": "token"}
    answers = [ask(app, "GET", f"/{name}", headers=each) for each in (headers, {})]
    assert [answer.status_code for answer in answers] == [204, 401]


def test_contract_data_are_plain(package: Generated) -> None:
    data = json.loads(package.text("server/contracts.json"))
    [older, newer] = data["requests"]["getSecret"]
    assert (older["request"]["security"], "security" in newer["request"]) == ([["Old"]], False)
