"""Faults of requests, and the bodies that describe them unless an application writes its own.

They are a string, and a message with a trace id for server errors.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

LONGEST_QUOTE: Final = 40
"""The number of characters of a caller's text that an error message repeats."""


class Fault(Enum):
    """What is wrong with a request, or prevents it from being served."""

    MALFORMED = "malformed"
    """a part of it can't be read, or is not what the contract allows"""
    UNAUTHORIZED = "unauthorized"
    """no valid credentials"""
    STALLED = "stalled"
    """the body did not arrive in time"""
    KEY_IN_USE = "key in use"
    """the first request with this idempotency key is still running"""
    TOO_LARGE = "too large"
    """the body is larger than the server reads"""
    UNSUPPORTED_MEDIA = "unsupported media"
    """the body is not of the media type that the operation reads"""
    ENCODED = "encoded"
    """the body has a content coding"""
    KEY_REUSED = "key reused"
    """the idempotency key belongs to another request"""
    UNAVAILABLE = "unavailable"
    """the store of answers can't be used, so that a retry might take effect twice"""
    UNREACHABLE = "unreachable"
    """the server that a request is forwarded to can't be reached, or breaks off"""
    LATE = "late"
    """that server does not answer in time"""


class RequestError(Exception):
    """A request that can't be served as it is; the message is one sentence for its sender."""

    def __init__(self, message: str, fault: Fault = Fault.MALFORMED) -> None:
        super().__init__(message)
        self.fault = fault


FAILED: Final = "internal server error"
"""The message of every server error."""

UNAUTHORIZED: Final = "unauthorized"
"""The message for credentials that are absent, unknown or revoked: the same for each."""


@dataclass(frozen=True)
class ApiError:
    """The body of a server error. It reveals nothing about the cause."""

    message: str
    trace_id: str


def new_trace_id() -> str:
    """Return a fresh id for finding a request: 32 hexadecimal digits, as in W3C Trace Context."""
    return secrets.token_hex(16)


def encode(body: Any) -> bytes:
    """Return *body* as JSON. It is ASCII, so that text of any kind can be sent.

    Raises ValueError for a NaN or an infinity.
    """
    return json.dumps(body, separators=(",", ":"), allow_nan=False).encode("ascii")


def quote(text: str) -> str:
    """Return a caller's *text* for an error message: in quotes, escaped, and shortened."""
    shown = text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "..."
    return json.dumps(shown)
