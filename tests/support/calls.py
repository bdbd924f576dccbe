"""Transports with scripted answers for clients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import httpx

Answer = httpx.Response | Exception


class Scripted(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Sends *answers* one after the other, repeating the last one; records all requests."""

    def __init__(self, answers: Iterable[Answer | Callable[[httpx.Request], Answer]]) -> None:
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._answers[min(len(self.requests), len(self._answers) - 1)]
        self.requests.append(request)
        found = answer(request) if callable(answer) else answer
        if isinstance(found, Exception):
            raise found
        if isinstance(found.stream, Cut):
            return found
        # a response can be read only once
        return httpx.Response(found.status_code, headers=found.headers, content=found.content)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return self.handle_request(request)


class Cut(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body in chunks; the connection breaks after them if *is_cut*."""

    def __init__(self, *chunks: bytes, is_cut: bool = True) -> None:
        self._chunks = chunks
        self._is_cut = is_cut

    def __iter__(self) -> Iterator[bytes]:
        yield from self._chunks
        if self._is_cut:
            raise httpx.ReadError("connection reset by peer")

    async def __aiter__(self) -> Any:
        for chunk in self:
            yield chunk


def answer(
    status: int, body: Any = None, version: str | None = "2026-07-01", **headers: str
) -> httpx.Response:
    """Return a response of *version*; ``retry_after=`` sets a header, and so on."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if version is not None:
        sent["X-API-Version"] = version
    if body is None:
        return httpx.Response(status, headers=sent)
    return httpx.Response(status, headers=sent, json=body)
