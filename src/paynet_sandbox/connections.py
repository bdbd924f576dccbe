"""The protocol of the server: uvicorn's, with a time limit for heads and without trailers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paynet.server.runtime.connections import HeadTimeout, TrailersDropped
from uvicorn.protocols.http.auto import AutoHTTPProtocol

if TYPE_CHECKING:
    from asyncio import Protocol as _Base
else:
    _Base = AutoHTTPProtocol


class Protocol(HeadTimeout, TrailersDropped, _Base):
    """Closes connections on which no request begins in time, and drops trailers."""
