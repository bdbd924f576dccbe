"""Statuses, bodies and headers that no response declares are not sent."""

from __future__ import annotations

import logging
from typing import Any

import fastapi
import pytest
from support.assembled import serving
from support.exchanges import Response
from support.faults import NEW, OLD, KnownCaller, create_app, declare, fetch
from support.tables import cases

# Undeclared results


THING = {"id": "1", "secret": "leaked"}


def list_undeclared() -> dict[str, Any]:
    """Return what handlers and `authenticate` may return although it is undeclared."""
    module = serving()
    return {
        "an object": module.Refusal(418, THING),
        "a list": module.Refusal(418, [THING]),
        "a number": module.Refusal(418, 7),
        "a truth": module.Refusal(418, True),
        "bytes": module.Refusal(418, b"leaked"),
        "an error of the server": module.Refusal(503, THING),
        "a redirection": module.Refusal(302, THING),
        "a standard header that is no text": module.Refusal(418, "text", {"Link": THING}),
        "a header of nobody": module.Refusal(418, "text", {"X-Other": THING}),
        "a declared error of another body": module.Refusal(409, THING),
        "a newer error": module.Refusal(410, THING),
        "a header of a declared error": module.Refusal(409, "text", {"X-Other": [THING]}),
    }


def successes() -> dict[str, Any]:
    reply = serving().Reply
    return {
        "a success": reply(THING, status=201),
        "a success without a body": reply(status=202),
        "an error": reply(THING, status=404),
        "a redirection": reply(THING, status=303),
        "a newer error": reply(THING, status=410),
        "a header": reply({"id": "1"}, headers={"X-Other": THING}),
        "a generator": reply(each for each in [THING]),
        "bytes": reply(b"leaked"),
        "text": reply("leaked"),
        "a response of the framework": fastapi.Response("leaked"),
        "a refusal that is returned": serving().Refusal(418, THING),
    }


RESPONSES = "\n".join(
    [
        declare("409", "{ type: string }"),
        declare("410", "{ $ref: '#/components/schemas/Thing' }").replace(
            "description", "x-added: 2025-06-01, description"
        ),
    ]
)


async def known(_: Any) -> Any:
    return KnownCaller()


def asked(result: Any, *, in_authenticate: bool, version: str) -> Response:
    async def refuse(_: Any) -> Any:
        raise result

    scheme = serving().Scheme(name="X-Key", place="header")
    application = create_app(
        RESPONSES,
        "",
        result,
        ("409", "410"),
        operation={"security": (("Key",),)},
        schemes={"Key": scheme},
        authenticate=refuse if in_authenticate else known,
    )
    return fetch(application, "/things/a", version, x_key="k")


@pytest.mark.parametrize("in_authenticate", [False, True], ids=["handler", "authenticate"])
@pytest.mark.parametrize("name", list_undeclared())
def test_undeclared_refusal_is_a_server_error(
    name: str, in_authenticate: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        refusal = list_undeclared()[name]
        response = asked(refusal, in_authenticate=in_authenticate, version=OLD)
    assert_inside(response, caplog)


@pytest.mark.parametrize("name", successes())
def test_undeclared_result_is_a_server_error(name: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        response = asked(successes()[name], in_authenticate=False, version=OLD)
    assert_inside(response, caplog)


def test_details_of_framework_exceptions_are_not_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    error = fastapi.HTTPException(418, THING)
    for in_authenticate in (False, True):
        response = asked(error, in_authenticate=in_authenticate, version=OLD)
        assert (response.status, response.body) == (418, b'"I\'m a Teapot"')
    assert caplog.records == []


def assert_inside(response: Response, caplog: pytest.LogCaptureFixture) -> None:
    [record] = caplog.records
    said = f"internal server error (trace id {record.getMessage()[:32]})"
    assert (response.status, response.json) == (500, said)
    assert "leaked" not in f"{response.headers}"


@cases("in_authenticate", [False, True], ids=["handler", "authenticate"])
@cases(
    ("refusal", "status", "body"),
    [
        ((418, "a teapot"), 418, b'"a teapot"'),
        ((418, None), 418, b""),
        ((302, None, {"Location": "/elsewhere"}), 302, b""),
        ((429, "slow down", {"Retry-After": 7}), 429, b'"slow down"'),
        ((401, "who?", {"WWW-Authenticate": "Bearer"}), 401, b'"who?"'),
        ((409, "there is one"), 409, b'"there is one"'),
        ((410, THING), 410, b'{"id":"1","secret":"leaked"}'),
    ],
)
def test_texts_declared_bodies_and_standard_headers_are_sent(
    refusal: tuple[Any, ...], status: int, body: bytes, in_authenticate: bool
) -> None:
    response = asked(serving().Refusal(*refusal), in_authenticate=in_authenticate, version=NEW)
    assert (response.status, response.body) == (status, body)
    for name, value in (refusal[2] if len(refusal) > 2 else {}).items():
        assert response.header(name.lower()) == [str(value)]


HEADERS = """\
'409':
  description: bad
  headers:
    X-Count: { schema: { type: integer }, x-added: 2025-06-01 }
    X-Rest: { schema: { type: integer }, x-was: { 2025-06-01: { name: X-Left } } }
    X-State:
      required: true
      schema: { oneOf: [{ const: a }, { const: b, x-added: 2025-06-01, x-shown-as: a }] }
    Retry-After: { schema: { type: integer }, x-added: 2025-06-01 }
    X-Must: { required: true, schema: { type: string }, x-added: 2025-06-01 }
  content: { application/json: { schema: { type: string } } }
"""


@pytest.mark.parametrize("is_lower", [False, True])
@pytest.mark.parametrize("as_text", [False, True])
def test_headers_are_those_of_the_callers_version(is_lower: bool, as_text: bool) -> None:
    given: dict[str, Any] = {"X-Count": 3, "X-Rest": 4, "X-State": "b", "Retry-After": 5}
    given = {name: str(value) if as_text else value for name, value in given.items()}
    given["X-Must"] = "there"
    given = {name.lower() if is_lower else name: value for name, value in given.items()}
    application = create_app(HEADERS, "", serving().Refusal(409, "no", given), ("409",))

    def sent(version: str) -> dict[str, str]:
        ours = ("x-api-version", "vary", "content-type", "content-length")
        headers = fetch(application, "/things/a", version).headers
        return {name: value for name, value in headers if name not in ours}

    assert sent(NEW) == {
        "x-count": "3",
        "x-rest": "4",
        "x-state": "b",
        "retry-after": "5",
        "x-must": "there",
    }
    assert sent(OLD) == {"x-left": "4", "x-state": "a"}


@cases("name", ["X-Count", "x-count", "X-REST"])
@cases("version", [NEW, OLD])
def test_header_of_other_responses_is_not_sent(name: str, version: str) -> None:
    refusal = serving().Refusal(418, "text", {name: "leaked", "X-Free": "free"})
    response = fetch(create_app(HEADERS, "", refusal, ("409",)), "/things/a", version)
    assert (response.status, response.header(name.lower())) == (418, [])
    assert response.header("x-free") == ["free"]


@pytest.mark.parametrize(
    "given", [{"X-Count": "many"}, {"X-State": "c"}, {"X-Count": THING}, {"X-Rest": [THING]}]
)
def test_headers_must_satisfy_their_schemas(given: dict[str, Any]) -> None:
    application = create_app(HEADERS, "", serving().Refusal(409, "no", given), ("409",))
    assert fetch(application, "/things/a").status == 500
