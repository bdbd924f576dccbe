"""What a client sends, when it retries, and what it raises."""

from __future__ import annotations

import asyncio
import copy
import inspect
import logging
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import httpx
import pytest
from paynet import client as errors
from paynet.client import Backoff
from paynet.client.calling import Call, Operation
from paynet.types import Unrecognized
from paynet.v2026_07_01 import (
    ApiError,
    AsyncClient,
    Autoramp,
    AutorampTransaction,
    Client,
    RampType,
    SortOrder,
    UnknownDepositRail,
    UpdateCustomerParams,
    VersionRejection,
)
from support.calls import Answer, Scripted, answer
from support.tables import cases

KEY = "key-that-nobody-may-see"
ID = UUID("6f1f8d5a-0000-4000-8000-000000000001")
AUTORAMP = {"id": str(ID), "deposit_rails": [{"type": "Iban"}]}
AT_ONCE = Backoff(initial=0.0)
LISTED = "(GET https://api.paynet.example/api/autoramps)"

RESET = httpx.ReadError("connection reset by peer")
REFUSED = httpx.ConnectError("connection refused")
SLOW = httpx.ReadTimeout("timed out")


def call(kind: str, answers: list[Any], made: Callable[[Any], Any], **settings: Any) -> Any:
    """Return the result of *made* for a client of this *kind*, and the requests."""
    transport = Scripted(answers)
    settings = {"api_key": KEY, "backoff": AT_ONCE, "transport": transport, **settings}
    if kind == "sync":
        with Client(**settings) as client:
            return made(client), transport.requests

    async def run() -> Any:
        async with AsyncClient(**settings) as client:
            return await made(client)

    return asyncio.run(run()), transport.requests


kinds = pytest.mark.parametrize("kind", ["sync", "async"])


def failing(kind: str, answers: list[Any], made: Callable[[Any], Any], **settings: Any) -> Any:
    """Return the error that *made* raises, and the requests."""
    transport = Scripted(answers)
    with pytest.raises(errors.ClientError) as caught:
        call(kind, [transport.handle_request], made, **settings)
    return caught.value, transport.requests


@kinds
def test_request_has_the_version_the_key_and_its_values(kind: str) -> None:
    page: dict[str, list[Any]] = {"items": []}
    _, [request] = call(
        kind,
        [answer(200, page)],
        lambda client: client.list_autoramp_transactions(
            customer_id=ID,
            page_size=5,
            search_term="ä&b=c/d",
            ramp_type=RampType.SWAP,
            status=["Failed", "Completed"],
            sort_order=SortOrder.ASC,
            x_sub_partner_id=ID,
        ),
    )
    assert request.method == "GET"
    assert str(request.url) == (
        "https://api.paynet.example/api/autoramp-transactions"
        f"?customer_id={ID}&page_size=5&search_term=%C3%A4%26b%3Dc%2Fd&ramp_type=Swap"
        "&status=Failed,Completed&sort_order=asc"
    )
    sent = {name: request.headers[name] for name in ("X-API-Version", "X-API-Key", "Accept")}
    assert sent == {
        "X-API-Version": "2026-07-01",
        "X-API-Key": KEY,
        "Accept": "application/json",
    }
    assert request.headers["X-SUB-PARTNER-ID"] == str(ID)


@kinds
def test_body_and_result_are_models(kind: str) -> None:
    body = UpdateCustomerParams(email="a@b.example")
    done, [request] = call(
        kind, [answer(204)], lambda client: client.update_customer(ID, body=body)
    )
    assert done is None
    assert (request.method, request.url.path) == ("PUT", f"/api/customers/{ID}")
    assert request.content == b'{"email":"a@b.example"}'
    assert request.headers["content-type"] == "application/json; charset=utf-8"
    found, _ = call(kind, [answer(200, AUTORAMP)], lambda client: client.get_autoramp(ID))
    assert found == Autoramp.model_validate(AUTORAMP)


@kinds
@pytest.mark.parametrize(
    ("boundary", "named"), [("a1'+_.-", "a1'+_.-"), ("a b:c", '"a b:c"'), (None, None)]
)
def test_multipart_body_names_its_boundary(
    kind: str, boundary: str | None, named: str | None
) -> None:
    given = {"Content-Type": f'multipart/form-data; boundary="{boundary}"'} if boundary else {}
    files = {"scan": ("scan.png", b"\x89PNG", "image/png")}
    form = httpx.Request("POST", "http://form", data={"a": "b"}, files=files, headers=given)
    body = form.read()
    operation: Operation[None] = Operation(
        name="upload",
        method="POST",
        path="/scans",
        body="multipart/form-data",
        results={"2XX": None},
    )
    sent = lambda client: client._send(operation, (), body)  # noqa: E731
    _, [request] = call(kind, [answer(204)], sent)
    assert request.content == body
    found = request.headers["content-type"]
    assert found == (
        f"multipart/form-data; boundary={named}" if named else form.headers["content-type"]
    )
    _, [request] = call(kind, [answer(204)], lambda client: client._send(operation, (), b"-- x"))
    assert request.headers["content-type"] == "multipart/form-data"


def test_unknown_fields_of_a_result_are_kept() -> None:
    later = {**AUTORAMP, "deposit_rails": [{"type": "Pix", "key": "k"}], "colour": "red"}
    found, _ = call("sync", [answer(200, later)], lambda client: client.get_autoramp(ID))
    [rail] = found.deposit_rails
    assert isinstance(rail, UnknownDepositRail)
    assert found.model_extra == {"colour": "red"}
    assert found.model_dump(mode="json") == later
    page = {"items": [{"id": str(ID), "kind": "Later"}]}
    listed, _ = call(
        "sync", [answer(200, page)], lambda client: client.list_autoramp_transactions()
    )
    [made] = listed.items
    assert made.kind == Unrecognized("Later")


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_path_parameter_can_not_change_the_path(value: str) -> None:
    with pytest.raises(ValueError, match="path parameter"):
        call("sync", [], lambda client: client.get_autoramp_by_external_id(value))
    _, [request] = call(
        "sync",
        [answer(200, AUTORAMP)],
        lambda client: client.get_autoramp_by_external_id("../a?b#c d%2e"),
    )
    assert request.url.raw_path == b"/api/autoramps/..%2Fa%3Fb%23c%20d%252e/external"


@pytest.mark.parametrize("value", ["a\r\nX-Evil: b", "ä", " a", "a\x00"])
def test_header_value_is_validated(value: str) -> None:
    with pytest.raises(ValueError, match="X-SUB-PARTNER-ID"):
        call("sync", [], lambda client: client.list_autoramp_transactions(x_sub_partner_id=value))
    with pytest.raises(ValueError, match="IDEMPOTENCY-KEY"):
        call("sync", [], lambda client: client.create_autoramp(idempotency_key=value))
    with pytest.raises(ValueError, match="api_key has characters") as caught:
        call("sync", [], lambda client: client.list_autoramps(), api_key=f"{value}{KEY}")
    assert KEY not in "".join(traceback.format_exception(caught.value))


# Retries


RETRIED: list[Answer] = [RESET, REFUSED, SLOW, *(answer(each) for each in (429, 502, 503, 504))]


@kinds
@pytest.mark.parametrize("failures", [[RESET], [SLOW], [answer(500)], [answer(200, "<html>")]])
def test_error_has_the_key_of_its_call(kind: str, failures: list[Any]) -> None:
    error, requests = failing(kind, failures * 3, lambda client: client.create_autoramp())
    keys = {each.headers["IDEMPOTENCY-KEY"] for each in requests}
    assert keys == {error.idempotency_key}
    error, _ = failing(kind, failures * 3, lambda client: client.update_autoramp(ID, body={}))
    assert error.idempotency_key is None


@kinds
@cases("failure", RETRIED, ids=str)
def test_safe_request_is_retried(kind: str, failure: Answer) -> None:
    done = answer(200, AUTORAMP)
    for made in (
        lambda client: client.get_autoramp(ID),
        lambda client: client.create_autoramp(body={"a": 1}),
    ):
        found, requests = call(kind, [failure, failure, done], made)
        assert found == Autoramp.model_validate(AUTORAMP)
        assert len(requests) == 3
        assert len({each.headers.get("IDEMPOTENCY-KEY") for each in requests}) == 1
        assert len({each.content for each in requests}) == 1
    put = [failure, answer(204)]
    body = UpdateCustomerParams(email="e")
    assert len(call(kind, put, lambda client: client.update_customer(ID, body=body))[1]) == 2


@kinds
@pytest.mark.parametrize("failure", [RESET, SLOW, answer(429), answer(503)], ids=str)
def test_request_that_may_have_had_an_effect_is_not_retried(kind: str, failure: Answer) -> None:
    error, requests = failing(kind, [failure], lambda client: client.update_autoramp(ID, body={}))
    assert len(requests) == 1
    assert "no idempotency key" in error.__notes__[0]
    # a request that was never sent had no effect
    _, requests = call(
        kind, [REFUSED, answer(200, AUTORAMP)], lambda client: client.update_autoramp(ID, body={})
    )
    assert len(requests) == 2


@cases("status", [400, 401, 403, 404, 409, 422, 500, 501])
def test_permanent_error_is_raised_at_once(status: int) -> None:
    error, requests = failing(
        "sync", [answer(status, "no")], lambda client: client.list_autoramps()
    )
    assert len(requests) == 1
    assert (error.status, error.body, str(error)) == (
        status,
        "no",
        f"list_autoramps {LISTED}: status {status}: no",
    )


@kinds
def test_exhausted_retries_give_the_reason(kind: str) -> None:
    answers = [REFUSED, answer(503, retry_after="0"), SLOW]
    error, requests = failing(kind, answers, lambda client: client.list_autoramps())
    assert len(requests) == 3
    assert type(error) is errors.TimedOutError
    assert str(error) == f"list_autoramps {LISTED}: ReadTimeout timed out"
    assert error.attempts == (
        "attempt 1: ConnectError connection refused, waited 0.00 s",
        "attempt 2: status 503, waited 0.00 s",
    )
    assert error.__notes__ == list(error.attempts)
    error, _ = failing(kind, [answer(429, retry_after="0")], lambda client: client.list_autoramps())
    assert type(error) is errors.TooManyRequestsError
    assert (len(error.attempts), error.retry_after) == (2, 0.0)


def test_wait_is_random_below_a_limit_that_doubles() -> None:
    backoff = Backoff(initial=1.0, maximum=3.0, longest=10.0)
    for attempt, limit in ((0, 1.0), (1, 2.0), (2, 3.0), (2000, 3.0)):
        waits = {backoff.choose_delay(attempt) for _ in range(50)}
        assert len(waits) > 40
        assert all(wait is not None and 0 <= wait <= limit for wait in waits)
        asked = backoff.choose_delay(attempt, 10.0)
        assert asked is not None
        assert 10.0 <= asked <= 10.0 + limit
    assert backoff.choose_delay(0, 10.5) is None


def test_response_with_too_long_a_wait_is_raised() -> None:
    error, requests = failing(
        "sync", [answer(429, retry_after="3600")], lambda client: client.list_autoramps()
    )
    assert (len(requests), error.retry_after) == (1, 3600.0)


def test_number_of_retries_is_set_by_the_client() -> None:
    transport = Scripted([answer(503)])
    client = Client(api_key=KEY, max_retries=0, backoff=AT_ONCE, transport=transport)
    for more, count in ((0, 1), (4, 5)):
        transport.requests.clear()
        with pytest.raises(errors.ServerFailedError):
            client.with_options(max_retries=more).list_autoramps()
        assert len(transport.requests) == count
    with pytest.raises(ValueError, match="negative"):
        client.with_options(max_retries=-1)


# The version of a response


@kinds
@pytest.mark.parametrize("served", ["2026-08-01", "2025-03-13", "", None])
def test_response_of_another_version_is_refused(kind: str, served: str | None) -> None:
    error, _ = failing(
        kind, [answer(200, AUTORAMP, served)], lambda client: client.get_autoramp(ID)
    )
    assert type(error) is errors.VersionMismatchError
    assert "2026-07-01" in str(error)
    assert (error.status, error.body) == (200, AUTORAMP)


def test_replayed_response_needs_no_version() -> None:
    call("sync", [answer(200, AUTORAMP, None)], lambda client: client.create_autoramp())
    error, _ = failing(
        "sync", [answer(200, AUTORAMP, "2026-08-01")], lambda client: client.create_autoramp()
    )
    assert type(error) is errors.VersionMismatchError


def test_version_of_a_client_can_not_be_overridden() -> None:
    for name in ("X-API-Version", "x-api-version"):
        with pytest.raises(ValueError, match="import the client of another version"):
            Client(headers={name: "2025-03-13"})
    session = Client()._session
    service = replace(session.service, place="media-type", selector="v")
    session = replace(session, service=service, headers={"X": "y"})
    with pytest.raises(ValueError, match="import the client of another version"):
        replace(session, headers={"accept": "application/json"})
    call = Call(session, Operation[None](name="a", method="GET", path="/a"), (), accept="a/b, c/d")
    request = call.build_request(httpx.Client())
    assert request.headers["Accept"] == "a/b; v=2026-07-01, c/d; v=2026-07-01"


@cases(
    ("name", "value"),
    [
        ("Accept", "text/plain"),
        ("User-Agent", "theirs"),
        ("Idempotency-Key", "theirs"),
        ("Cookie", "a=b"),
        ("X-API-Key", KEY),
        ("Content-Type", "application/json; charset=utf-8"),
    ],
)
def test_header_is_sent_once_whatever_its_case(name: str, value: str) -> None:
    for written in (name, name.lower(), name.upper()):
        transport = Scripted([answer(200, AUTORAMP)])
        client = Client(api_key=KEY, transport=transport, headers={written: "first"})
        other = client.with_options(headers={written.swapcase(): value})
        other.create_autoramp(body={})
        [request] = transport.requests
        assert request.headers.get_list(name) == [value]


def test_key_of_a_call_takes_precedence() -> None:
    transport = Scripted([answer(200, AUTORAMP)])
    client = Client(api_key=KEY, transport=transport, headers={"idempotency-key": "general"})
    client.create_autoramp(body={}, idempotency_key="own")
    assert transport.requests[0].headers.get_list("Idempotency-Key") == ["own"]


def test_parameters_of_the_http_client_are_added() -> None:
    moved = httpx.Response(302, headers={"Location": "/new?a=b"})
    transport = Scripted([moved, answer(200, {"items": []})])
    given = httpx.Client(transport=transport, params={"tenant": "x y"})
    client = Client(api_key=KEY, http_client=given, follow_redirects=True)
    client.list_autoramp_transactions(page_size=3, search_term="[a]")
    queries = [each.url.query for each in transport.requests]
    assert queries == [b"page_size=3&search_term=%5Ba%5D&tenant=x+y", b"a=b"]


# Errors


def test_error_has_the_model_of_its_body() -> None:
    body = {"message": "broken", "trace_id": "t-1"}
    error, _ = failing("sync", [answer(500, body)], lambda client: client.list_autoramps())
    assert type(error) is errors.ServerFailedError
    assert error.body == ApiError(message="broken", trace_id="t-1")
    assert (error.request_id, str(error)) == ("t-1", f"list_autoramps {LISTED}: status 500: broken")
    rejected = {
        "error": "unsupported_api_version",
        "reason": "version_unknown",
        "requested": "2026-07-01",
        "supported": [],
    }
    error, _ = failing(
        "sync", [answer(400, rejected, x_request_id="r")], lambda client: client.list_autoramps()
    )
    assert isinstance(error.body, VersionRejection)
    assert (error.code, error.request_id) == ("unsupported_api_version", "r")
    for other in ({"a": [1]}, None):
        error, _ = failing("sync", [answer(500, other)], lambda client: client.list_autoramps())
        assert error.body == other
    html = httpx.Response(502, html="<h1>no</h1>")
    error, _ = failing("sync", [html], lambda client: client.update_autoramp(ID))
    assert error.body == "<h1>no</h1>"


def test_invalid_success_is_reported_as_a_success() -> None:
    for response in (answer(200, {"id": "x"}), answer(202, AUTORAMP), answer(200, "<html>")):
        error, requests = failing("sync", [response], lambda client: client.get_autoramp(ID))
        assert type(error) is errors.UnreadableResponseError
        assert len(requests) == 1
        assert f"status {response.status_code}, but the response is not what" in str(error)


def test_errors_survive_a_copy() -> None:
    error, _ = failing("sync", [answer(404, "no")], lambda client: client.list_autoramps())
    for made in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (type(made), str(made)) == (type(error), str(error))
        assert made.__dict__ == error.__dict__


def test_missing_credentials_are_named_before_anything_is_sent() -> None:
    error, requests = failing("sync", [], lambda client: client.list_autoramps(), api_key=None)
    assert type(error) is errors.MissingCredentialsError
    assert str(error) == "list_autoramps needs api_key, which the client was not given"
    assert requests == []
    # credentials may be added in other ways
    for settings in ({"headers": {"x-api-key": "own"}}, {"http_client": make_with_auth()}):
        transport = Scripted([answer(200, AUTORAMP)])
        given: Any = {"transport": transport, **settings}
        if "http_client" in settings:
            del given["transport"]
        Client(**given).get_autoramp(ID)
    keys = iter(["first", "second"])
    _, requests = call(
        "sync",
        [answer(503), answer(200, AUTORAMP)],
        lambda client: client.get_autoramp(ID),
        api_key=lambda: next(keys),
    )
    assert [each.headers["X-API-Key"] for each in requests] == ["first", "second"]


def make_with_auth() -> httpx.Client:
    return httpx.Client(transport=Scripted([answer(200, AUTORAMP)]), auth=("a", "b"))


@kinds
def test_keys_are_not_shown(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    seen: list[str] = []
    for failure in (answer(401, f"{KEY} is wrong"), httpx.ReadError(f"{KEY} reset"), answer(500)):
        error, _ = failing(kind, [failure], lambda client: client.list_autoramps())
        seen += [repr(error), str(error), *getattr(error, "__notes__", ())]
        seen += [repr(error.attempts)]
    address = f"https://user:{KEY}@localhost"
    _, requests = call(
        kind,
        [httpx.Response(302, headers={"Location": "/new"}), answer(200, AUTORAMP)],
        lambda client: client.get_autoramp(ID),
        base_url=address,
        follow_redirects=True,
    )
    assert [each.url.password for each in requests] == [KEY, KEY]
    for client in (Client(base_url=address), AsyncClient(api_key=KEY)):
        seen += [repr(client), str(client)]
    seen.append(repr(Client(api_key=KEY, base_url=address)._session))
    assert [each for each in [*seen, caplog.text] if KEY in each] == []


# The client as an object


def test_options_create_another_client_on_the_same_connections() -> None:
    transport = Scripted([answer(200, AUTORAMP)])
    client = Client(api_key=KEY, transport=transport, headers={"A": "1"})
    other = client.with_options(timeout=3, headers={"B": "2"})
    assert type(other) is Client
    for each, headers, timeout in ((client, ("1", None), 60.0), (other, ("1", "2"), 3)):
        each.get_autoramp(ID)
        request = transport.requests[-1]
        assert (request.headers.get("A"), request.headers.get("B")) == headers
        assert request.extensions["timeout"]["read"] == timeout
    other.close()
    client.get_autoramp(ID)


def test_given_http_client_stays_open() -> None:
    with httpx.Client(transport=Scripted([answer(200, AUTORAMP)]), headers={"X": "y"}) as given:
        with Client(api_key=KEY, http_client=given) as client:
            client.get_autoramp(ID)
        assert not given.is_closed
    with pytest.raises(ValueError, match="one of the two"):
        Client(http_client=httpx.Client(), transport=Scripted([]))


def test_base_url_is_that_of_the_environment_or_the_given_one() -> None:
    transport = Scripted([answer(200, {"items": []})])
    make: Any = Client
    for settings, address in (
        ({}, "https://api.paynet.example/api"),
        ({"environment": "sandbox"}, "https://api.sandbox.paynet.example/api"),
        ({"base_url": "http://localhost:8000/x/"}, "http://localhost:8000/x"),
    ):
        make(api_key=KEY, transport=transport, **settings).list_autoramps()
        assert str(transport.requests[-1].url) == f"{address}/autoramps"
    with pytest.raises(ValueError, match="unknown environment 'staging'"):
        Client(environment="staging")  # type: ignore[arg-type]


def test_operations_with_servers_of_their_own_are_called_there() -> None:
    index = {"default": "2026-07-01", "latest": "2026-07-01", "versions": []}
    transport = Scripted([answer(200, index, None)])
    make: Any = Client
    for settings, address in (
        ({}, "https://api.paynet.example/spec/versions"),
        ({"base_url": "http://localhost:8000/api"}, "http://localhost:8000/spec/versions"),
    ):
        make(transport=transport, **settings).list_versions()
        assert str(transport.requests[-1].url) == address
        assert "X-API-Key" not in transport.requests[-1].headers


@kinds
def test_pages_are_read_sequentially(kind: str) -> None:
    def item(number: int) -> dict[str, str]:
        return {"id": str(UUID(int=number))}

    first, second = str(UUID(int=98)), str(UUID(int=99))
    pages = [
        answer(200, {"items": [item(1), item(2)], "cursor": first, "prev_cursor": None}),
        answer(200, {"items": [], "cursor": second}),
        answer(200, {"items": [item(3)]}),
    ]
    transport = Scripted(pages)
    if kind == "sync":
        client = Client(api_key=KEY, transport=transport)
        listing = client.iter_autoramp_transactions(page_size=2)
        assert transport.requests == []
        found = list(listing)
    else:

        async def listed() -> list[AutorampTransaction]:
            async with AsyncClient(api_key=KEY, transport=transport) as client:
                return [each async for each in client.iter_autoramp_transactions(page_size=2)]

        found = asyncio.run(listed())
    assert [each.id for each in found] == [UUID(int=number) for number in (1, 2, 3)]
    assert [each.url.query for each in transport.requests] == [
        b"page_size=2",
        f"cursor={first}&page_size=2".encode(),
        f"cursor={second}&page_size=2".encode(),
    ]
    # the parameter for going backwards is not one of an iterator
    assert "prev_cursor" not in inspect.signature(Client.iter_autoramp_transactions).parameters


@cases("cycle", [[1], [1, 2], [1, 2, 3, 2]])
def test_cyclic_pages_end(cycle: list[int]) -> None:
    pages = [answer(200, {"items": [], "cursor": str(UUID(int=number))}) for number in cycle]
    transport = Scripted(pages * 2)
    with pytest.raises(errors.PagingError, match="leads back to an earlier one"):
        list(Client(api_key=KEY, transport=transport).iter_autoramp_transactions())
    assert len(transport.requests) <= len(cycle) + 1


# Imports


def run(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


def test_version_imports_its_client_on_use() -> None:
    code = "import sys; from paynet.v2026_07_01 import Customer; print('httpx' in sys.modules)"
    assert run(code) == "False"
    code = "import sys; sys.modules['httpx'] = None\nfrom paynet.v2026_07_01 import Customer\n"
    code += "try:\n from paynet.v2026_07_01 import Client\nexcept ImportError as e: print(e)"
    assert run(code) == "the client needs httpx: pip install 'paynet[client]'"


@cases(
    "keyword, limits",
    [
        ("page_size", " (0 to 100, default `10`)"),
        ("search_term", " (at most 256 characters)"),
        # the default is beside a reference
        ("sort_order", ' (default `"desc"`)'),
        ("ramp_type", ""),
    ],
)
@cases("client", [Client, AsyncClient])
def test_docstrings_say_the_limits_and_defaults_of_arguments(
    client: type[Client] | type[AsyncClient], keyword: str, limits: str
) -> None:
    assert f"- `{keyword}`{limits}: " in (inspect.getdoc(client.list_autoramp_transactions) or "")
