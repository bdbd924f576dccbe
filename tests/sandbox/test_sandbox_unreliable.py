"""The generated client calls the reference server over connections that fail."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import httpx
from paynet import client as errors
from paynet.v2025_03_13 import AsyncClient, Client
from support.sandboxes import BOTH_DATABASES, Caller, Sandbox
from support.tables import cases
from support.unreliable import FAULTS, unreliable

# what a call raises at once; after all other faults it is sent again
_AT_ONCE = {
    "429 for long": (errors.TooManyRequestsError, "Retry-After asks for is longer"),
    "500": (errors.ServerFailedError, "status 500"),
    "500 after": (errors.ServerFailedError, "status 500"),
    "a page": (errors.UnreadableResponseError, "its type is text/html: Welcome"),
}
_EXHAUSTED = {
    "429": errors.TooManyRequestsError,
    "429 at once": errors.TooManyRequestsError,
    "502 after": errors.ServerFailedError,
    "503": errors.ServerFailedError,
    "stalled": errors.TimedOutError,
}
_RETRIES = 2
# longer than any response takes that does not stall
_TIMEOUTS = {"stalled": 0.8}


class Calls:
    """The calls of one client, synchronous or asynchronous, over one unreliable connection."""

    def __init__(self, kind: type[Any], address: str, key: str, timeout: float) -> None:
        self._kind = kind
        self._settings = {
            "api_key": key,
            "base_url": f"{address}/api",
            "timeout": timeout,
            "max_retries": _RETRIES,
            "backoff": errors.Backoff(initial=0.0),
        }

    def call(self, name: str, *values: Any, **named: Any) -> Any:
        """Return the result of the method *name*, or the error that it raises."""
        is_awaited = self._kind is AsyncClient
        # without TLS; loading all certificates takes longer than several calls
        transport = (httpx.AsyncHTTPTransport if is_awaited else httpx.HTTPTransport)(verify=False)
        client = self._kind(**self._settings, transport=transport)
        try:
            made = getattr(client, name)(*values, **named)
            return asyncio.run(made) if is_awaited else made
        except errors.ClientError as error:
            return error


def _explain(error: errors.ClientError) -> str:
    return " ".join([str(error), *getattr(error, "__notes__", ())])


@BOTH_DATABASES
@cases("fault", [name for name in FAULTS if name != "none"])
def test_each_effect_happens_at_most_once_and_failures_say_why(
    fault: str, partner: Caller, environments: dict[str, Sandbox]
) -> None:
    port = environments["sandbox"].client.base_url.port
    assert port is not None
    with unreliable(port) as (address, connection):
        for kind, times in ((Client, 1), (AsyncClient, _RETRIES + 1)):
            calls = Calls(kind, address, partner.key, _TIMEOUTS.get(fault, 30.0))
            note = f"{fault} {kind.__name__} {times}"
            connection.planned = [fault] * times + ["none"]
            connection.requests.clear()
            found = calls.call("create_autoramp", body={"note": note})
            sent = connection.requests.copy()
            assert len({request.partition(b"\r\n\r\n")[2] for request in sent}) == 1
            items = partner.get("/autoramps")["items"]
            effects = [UUID(item["id"]) for item in items if item["note"] == note]
            if fault in _AT_ONCE:
                expected, why = _AT_ONCE[fault]
                assert (type(found), len(sent)) == (expected, 1)
                assert why in _explain(found)
            elif times > _RETRIES:
                assert type(found) is _EXHAUSTED.get(fault, errors.ConnectionFailedError)
                assert (len(sent), len(found.attempts)) == (_RETRIES + 1, _RETRIES)
                assert all(attempt in _explain(found) for attempt in found.attempts)
            else:
                assert effects == [found.id]
            assert len(effects) <= 1
            if isinstance(found, errors.ClientError):
                # another call with the same key has no second effect
                connection.planned = ["none"]
                again = calls.call(
                    "create_autoramp", body={"note": note}, idempotency_key=found.idempotency_key
                )
                effects = effects or [again.id]
                assert (again.id, len(partner.get("/autoramps")["items"])) == (
                    effects[0],
                    len({item["note"] for item in items} | {note}),
                )


@cases("fault", [name for name in FAULTS if name != "none"])
def test_request_without_a_key_is_sent_once(
    fault: str, partner: Caller, environments: dict[str, Sandbox]
) -> None:
    port = environments["sandbox"].client.base_url.port
    assert port is not None
    made = UUID(partner.post("/autoramps", {})["id"])
    with unreliable(port) as (address, connection):
        calls = Calls(Client, address, partner.key, _TIMEOUTS.get(fault, 30.0))
        connection.planned = [fault, "none"]
        found = calls.call("update_autoramp", made, body={})
        assert isinstance(found, errors.ClientError)
        assert (len(connection.requests), found.attempts) == (1, ())
        if fault not in ("500", "500 after", "a page"):
            assert "Not sent again" in _explain(found)
