"""Render the errors of an application by the definitions, where no gate affects its responses."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from .answers import ErrorBody, list_error_headers
from .narrowed import DONE, AnswerWay
from .runtime.asgi import App, Message, Receive, Scope, Send, join_lines, list_values, respond

_LOWEST: Final = 400


def render_errors(app: App, way: AnswerWay) -> App:
    """Return *app*, whose errors are validated, and written anew where they don't fit."""

    def serve(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        sending = send

        def forward(message: Message) -> Awaitable[None]:
            nonlocal sending
            # most answers are no errors
            if (
                message["type"] == "http.response.start"
                and message["status"] >= _LOWEST
                and scope["method"] != "HEAD"
                and (body := _find_body(way, message)) is not None
            ):
                sending = _Kept(scope, send, way, body, message).send
                return DONE
            return sending(message)

        return app(scope, receive, forward)

    return serve


def _find_body(way: AnswerWay, start: Message) -> ErrorBody | None:
    content_type = join_lines(list_values(start.get("headers", ()), b"content-type"))
    return way.answers.find_error(start["status"], content_type)


class _Kept:
    """An error that is kept until all of its body is there."""

    def __init__(
        self, scope: Scope, send: Send, way: AnswerWay, body: ErrorBody, start: Message
    ) -> None:
        self._scope = scope
        self._send = send
        self._way = way
        self._body: ErrorBody | None = body
        self._start = start
        self._content = bytearray()

    async def send(self, message: Message) -> None:
        """Send a message of the application once it is known that the body fits."""
        if self._body is None or message["type"] != "http.response.body":
            await self._send(message)
            return
        self._content += message.get("body", b"")
        is_last = not message.get("more_body", False)
        if not is_last and not self._body.is_certain(self._content, ""):
            return
        content = bytes(self._content)
        if not is_last or not await self._replace(self._body, content):
            await self._send(self._start)
            await self._send({**message, "body": content})
        self._body = None

    async def _replace(self, body: ErrorBody, content: bytes) -> bool:
        """Send another error in place of *content* if that does not fit; return whether it was."""
        status, given = self._start["status"], [*self._start.get("headers", ())]
        coding = join_lines(list_values(given, b"content-encoding")).lower()
        if body.fits(content, coding):
            return False
        way = self._way
        answer = way.problems.restate(self._scope, status, content, coding, way.results)
        if answer is None:
            return False
        await respond(self._scope, self._send, answer, list_error_headers(given))
        return True
