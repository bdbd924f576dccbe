"""Replay the answers to repeated POSTs.

`Idempotent` goes inside of `Versioned`, which limits the body and omits its headers from replays.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from . import idempotency
from .asgi import (
    REFUSED,
    REPLAYED,
    Answering,
    App,
    Message,
    Receive,
    Scope,
    Send,
    describe_error,
    field,
    find_path,
    list_values,
    plain,
    read_body,
    repeat,
    respond,
)
from .errors import RequestError
from .idempotency import Answer
from .sequences import is_sequential


class Idempotent:
    """Responds to a repeated POST as to the first one.

    *account* takes a request's scope and returns for whom it is made, including the sub-partner;
    None for an unknown caller. Then, and without an idempotency key, and for all methods but POST,
    the request passes through. A replay has the stored status and body, and no headers besides
    their type and length. A stream of items is not stored: its request is executed again.
    """

    def __init__(
        self,
        app: App,
        store: idempotency.Store,
        account: Callable[[Scope], Awaitable[str | None]],
        *,
        patience: float = idempotency.PATIENCE,
        answer: Answering = plain,
    ) -> None:
        self._app = app
        self._store = store
        self._account = account
        self._patience = patience
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_post = scope["type"] == "http" and scope["method"] == "POST"
        header = field(scope, idempotency.HEADER) if is_post else None
        account = await self._account(scope) if header is not None else None
        if header is None or account is None:
            await self._app(scope, receive, send)
            return
        try:
            body = await read_body(receive)
            if body is None:
                return
            attempt = _attempt(scope, account, header, body)
            stored = await idempotency.begin(self._store, attempt, self._patience)
        except RequestError as error:
            await respond(scope, send, self._answer(scope, describe_error(error)))
            return
        if stored is None:
            recording = _Recording(self._store, attempt, send)
            await recording.run(self._app, scope, repeat(body, receive))
        else:
            scope.setdefault("state", {})[REPLAYED] = True
            await respond(scope, send, stored)


class _Recording:
    """The first request with its key: its response is recorded before the caller sees it."""

    def __init__(self, store: idempotency.Store, attempt: idempotency.Attempt, send: Send) -> None:
        self._store = store
        self._attempt = attempt
        self._send = send
        self._start: Message = {}
        self._state: Message = {}
        self._pieces: list[bytes] = []
        self._is_held = True
        self._is_stream = False

    async def run(self, app: App, scope: Scope, receive: Receive) -> None:
        # extensions are other ways to send a body, bypassing this one
        scope["extensions"] = {}
        self._state = scope.setdefault("state", {})
        try:
            await app(scope, receive, self.send)
        finally:
            if self._is_held:
                await self._store.release(self._attempt)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            # it may never end: nobody can be answered with it again
            self._is_stream = is_sequential(_media_type(message) or "")
        if self._is_stream:
            await self._send(message)
        elif message["type"] == "http.response.body":
            self._pieces.append(message.get("body", b""))
            if not message.get("more_body", False):
                await self._end(b"".join(self._pieces))

    async def _end(self, body: bytes) -> None:
        answer = Answer(self._start["status"], _media_type(self._start), body)
        self._is_held = False
        if REFUSED in self._state:
            await self._store.release(self._attempt)
        else:
            await idempotency.finish(self._store, self._attempt, answer)
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})


def _attempt(scope: Scope, account: str, header: str, body: bytes) -> idempotency.Attempt:
    key = idempotency.read_key(header)
    within = idempotency.Scope(account, scope["method"], find_path(scope), key)
    query = scope.get("query_string", b"")
    content_type = field(scope, "content-type") or ""
    return idempotency.Attempt(within, idempotency.fingerprint(within, body, query, content_type))


def _media_type(start: Message) -> str | None:
    values = list_values(start.get("headers", ()), b"content-type")
    return values[0].decode("latin-1") if values else None
