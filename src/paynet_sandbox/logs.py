"""Logging as lines of JSON on stderr, without headers, bodies and query strings."""

from __future__ import annotations

import json
import logging
import sys
import time
from datetime import UTC, datetime
from typing import Any, Final

from paynet.server.runtime.asgi import VERSION, App, Message, Receive, Scope, Send

_FIELDS: Final = "fields"

_log = logging.getLogger("paynet_sandbox.requests")


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, _FIELDS, {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def configure() -> None:
    """Write what is logged, by whatever library, as lines of JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # what it does at every start is of no account
    logging.getLogger("alembic").setLevel(logging.WARNING)


class Requests:
    """Logs each request once it is answered, and in how many milliseconds."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status: int | None = None

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        start = time.perf_counter()
        try:
            await self._app(scope, receive, noting)
        finally:
            fields = {
                "method": scope["method"],
                "path": scope["path"],
                "version": scope.get("state", {}).get(VERSION),
                "status": status,
                "milliseconds": round(1000 * (time.perf_counter() - start), 1),
            }
            _log.info("request", extra={_FIELDS: fields})
