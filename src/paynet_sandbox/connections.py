"""The protocol of the server: uvicorn's, with a limit on how long the head of a request takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paynet.server.runtime.connections import HeadTimeout
from uvicorn.protocols.http.auto import AutoHTTPProtocol

if TYPE_CHECKING:
    from asyncio import Protocol as _Base
else:
    _Base = AutoHTTPProtocol


class Protocol(HeadTimeout, _Base):
    """Closes connections on which no request begins in time."""
