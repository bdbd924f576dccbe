"""Call a service that answers immediately: `WHOSE COUNT`.

WHOSE is `ours`, the generated client, or `plain`, httpx and the JSON that it reads. Prints the cost
of the calls, that of the cheapest batch.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import httpx

_REPOSITORY: Final = Path(__file__).parents[2]
_VERSION: Final = "2026-07-01"
_BATCHES: Final = 20
_ID: Final = UUID("7f3c1b8e-2f4a-4e0c-9a55-0c2d8c5b1a02")
_HEADERS: Final = {"Content-Type": "application/json", "X-API-Version": _VERSION}
_RAILS: Final = [{"type": name} for name in ("Iban", "AchWire", "Swift", "FedNow")]
_BODY: Final = json.dumps(
    {"id": str(_ID), "deposit_rails": _RAILS, "created_at": "2026-07-01T12:34:56Z"}
).encode()


class _AtOnce(httpx.BaseTransport):
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert request.headers["X-API-Version"] == _VERSION
        return httpx.Response(200, headers=_HEADERS, content=_BODY)


def _ours() -> Callable[[], Any]:
    sys.path.insert(0, str(_REPOSITORY / "generated/python"))
    from paynet.v2026_07_01 import Client

    client = Client(api_key="key", transport=_AtOnce())
    return lambda: client.get_autoramp(_ID)


def _plain() -> Callable[[], Any]:
    client = httpx.Client(transport=_AtOnce(), base_url="https://api.paynet.example/api")
    headers = {"X-API-Key": "key", "X-API-Version": _VERSION}

    def call() -> Any:
        response = client.get(f"/autoramps/{_ID}", headers=headers)
        response.raise_for_status()
        return response.json()

    return call


def measure(call: Callable[[], Any], count: int) -> float:
    """Return the CPU seconds of *count* calls."""
    call()
    spent = float("inf")
    gc.disable()
    for _ in range(_BATCHES):
        start = time.process_time()
        for _ in range(max(1, count // _BATCHES)):
            call()
        spent = min(spent, time.process_time() - start)
    return spent * _BATCHES


if __name__ == "__main__":
    whose, amount = sys.argv[1:]
    found = measure(_ours() if whose == "ours" else _plain(), int(amount))
    print(json.dumps({"phases": {"calls": found}}))
