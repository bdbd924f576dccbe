"""The documents declare every response with which the reference server refuses a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from support.payment_documents import OLDEST, operations, read, resolved
from support.sandboxes import Caller

DOCUMENT = read("sandbox", OLDEST)
ROWS = {key: row for key, row in operations(DOCUMENT).items() if row.get("security") != []}

# Not covered here: failures, and cases that need concurrent requests or a stalled body.
ELSEWHERE = {"408", "409", "500"}

Ask = Callable[..., httpx.Response]


def provoke(ask: Ask, caller: Caller, method: str) -> dict[str, httpx.Response]:
    """Return the responses to requests that are refused, by the reason."""
    key = {"x-api-key": caller.key}
    json = key | {"content-type": "application/json"}
    plain = key | {"content-type": "text/plain"}
    made = {
        "no key": ask(headers={}),
        "an unknown key": ask(headers={"x-api-key": "unknown"}),
        "an unknown version": ask(headers=key | {"x-api-version": "2026-07-02"}),
        "a malformed version": ask(headers=key | {"x-api-version": "2026-7-1"}),
        "too long a body": ask(headers=json, content=b" " * (1024 * 1024 + 1)),
    }
    if method in ("POST", "PUT", "PATCH"):
        made |= {
            "a body of another type": ask(headers=plain, content=b"a"),
            "an encoded body": ask(headers=json | {"content-encoding": "gzip"}, content=b"a"),
            "a body that is no JSON": ask(headers=json, content=b"{"),
        }
    if method == "POST":
        again = json | {"idempotency-key": "key"}
        made |= {
            "too long an idempotency key": ask(headers=json | {"idempotency-key": "a" * 256}),
            "an empty idempotency key": ask(headers=json | {"idempotency-key": ""}),
            "an idempotency key with a blank": ask(headers=json | {"idempotency-key": "a b"}),
            "a first request": ask(headers=again, content=b'{"status": "Completed"}'),
            "another request": ask(headers=again, content=b'{"status": "Failed"}'),
        }
    return made


@pytest.mark.parametrize(("method", "path"), ROWS, ids=" ".join)
def test_refusals_are_declared(method: str, path: str, partner: Caller) -> None:
    operation = ROWS[method, path]
    [parameter] = [name[1:-1] for name in path.split("/") if name.startswith("{")] or [""]
    id = str(uuid4())
    if parameter == "autoramp_id":
        id = partner.post("/autoramps", {})["id"]
    elif path.startswith("/customers"):
        id = partner.customer()
    elif path.startswith("/sandbox"):
        [id] = partner.transactions([{}])
    address = "/api" + path.replace(f"{{{parameter}}}", id)

    def ask(headers: dict[str, str], content: bytes | None = None) -> httpx.Response:
        return partner.sandbox.client.request(method, address, headers=headers, content=content)

    given = provoke(ask, partner, method)
    undeclared = {
        why: (response.status_code, response.text)
        for why, response in given.items()
        if not _is_declared(operation, response)
    }
    assert undeclared == {}
    declared = {status for status in operation["responses"] if status >= "400"} - ELSEWHERE
    if path.endswith("/retry-auth"):
        # every request fails, and refusals are not stored
        declared.remove("422")
    assert {str(each.status_code) for each in given.values() if each.is_error} == declared


def _is_declared(operation: Any, response: httpx.Response) -> bool:
    """Return whether *operation* declares the status, and the body if it is an error."""
    found = operation["responses"].get(str(response.status_code))
    if found is None or response.is_success:
        return found is not None
    [(media_type, content)] = resolved(DOCUMENT, found)["content"].items()
    schemas = content["schema"].get("oneOf", [content["schema"]])
    is_text = isinstance(response.json(), str)
    return response.headers["content-type"] == media_type and any(
        ("$ref" in schema) != is_text for schema in schemas
    )


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/spec/2025-03-14", {}, 404),
        ("/spec/versions", {"if-match": '"other"'}, 412),
        (f"/spec/{OLDEST}", {"if-match": '"other"'}, 412),
        ("/spec", {"if-match": '"other"'}, 412),
    ],
)
def test_refusals_of_the_documents_are_declared(
    path: str, headers: dict[str, str], status: int, partner: Caller
) -> None:
    response = partner.sandbox.client.get(path, headers=headers)
    assert (response.status_code, type(response.json())) == (status, str)
    template = path if path in ("/spec", "/spec/versions") else "/spec/{version}"
    assert str(status) in operations(DOCUMENT)["GET", template]["responses"]
