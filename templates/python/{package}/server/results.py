"""What a handler returns or refuses with in, the answer for callers of a version out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic_core import to_json, to_jsonable_python

from .contracts import Validator
from .nouns import Operation, Refusal, Reply
from .runtime.asgi import MEDIA_TYPE, Headers
from .runtime.errors import encode
from .runtime.idempotency import Answer
from .runtime.narrowing import Narrowing, UnfitError

_BODILESS: Final = frozenset({204, 304})
_HIGHEST: Final = 599

# RFC 9110, section 5.1
_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")

# What tells of the body is said by whoever writes it.
_OURS: Final = frozenset({"content-length", "content-type", "transfer-encoding"})

Write = Callable[[Any], bytes]


class MisfitError(Exception):
    """What a handler gave does not fit the canonical contract: the server's fault."""


class Results:
    """Makes the answers of one operation, for callers of any version."""

    def __init__(
        self,
        operation: Operation,
        contracts: Mapping[str, Any],
        narrowings: Mapping[str, Narrowing],
    ) -> None:
        self._name = operation.id
        self._contracts = contracts
        self._narrowings = narrowings
        self._media_types = {
            key: next(iter(content)) if content else None
            for key, content in operation.responses.items()
        }
        self._status = _usual(operation.responses)
        self._validators: dict[str, Validator] = {}
        self._writers: dict[tuple[str, int], tuple[str, Write] | None] = {}

    def answer(self, result: Any, version: str) -> tuple[Answer, Headers]:
        """Return the answer that *result* makes. Raises MisfitError."""
        if not isinstance(result, Reply):
            return self._answer(result, self._status, version), []
        status = self._status if result.status is None else result.status
        if not 200 <= status <= _HIGHEST or self._key(status) is None:
            raise MisfitError(f"{self._name} has no response with status {status}")
        headers = self._headers(result.headers, status, version)
        return self._answer(result.body, status, version), headers

    def refused(self, refusal: Refusal, version: str) -> tuple[Answer, Headers]:
        """Return the answer that *refusal* makes; a status that is not defined has any body.

        Raises MisfitError.
        """
        if not 300 <= refusal.status <= _HIGHEST:
            raise MisfitError(f"{refusal.status} is no status to refuse with")
        if self._key(refusal.status) is None:
            answer = Answer(refusal.status, MEDIA_TYPE, encode(refusal.body))
            return answer, _encoded(refusal.headers)
        headers = self._headers(refusal.headers, refusal.status, version)
        return self._answer(refusal.body, refusal.status, version), headers

    def _answer(self, body: Any, status: int, version: str) -> Answer:
        key = (version, status)
        if key not in self._writers:
            self._writers[key] = self._writer(status, version)
        writer = self._writers[key]
        if writer is None:
            return Answer(status, None, b"")
        media_type, write = writer
        return Answer(status, media_type, write(body))

    def _writer(self, status: int, version: str) -> tuple[str, Write] | None:
        """Return the media type and what writes a body; None where there is none."""
        key = self._key(status)
        media_type = None if key is None else self._media_types[key]
        if key is None or media_type is None or status in _BODILESS:
            return None
        schema = self._contracts["results"].get(self._name, {}).get(key, {}).get(media_type)
        if schema is None:
            return media_type, _raw
        if key not in self._validators:
            self._validators[key] = Validator(schema, self._contracts["canonical"])
        change = self._narrowings[version].body(self._name, status, media_type)
        return media_type, _writer(self._validators[key], change)

    def _headers(self, given: Mapping[str, Any], status: int, version: str) -> Headers:
        if not given:
            return []
        return _encoded(self._narrowings[version].headers(self._name, status)(dict(given)))

    def _key(self, status: int) -> str | None:
        keys = (str(status), f"{status // 100}XX", "default")
        return next((key for key in keys if key in self._media_types), None)


def _writer(validator: Validator, change: Callable[[Any], Any]) -> Write:
    """Return what writes a value, once it is held to the contract, as *change* makes it."""

    def write(body: Any) -> bytes:
        try:
            plain = to_jsonable_python(body, inf_nan_mode="null")
            misfit = validator.misfit(plain)
            if misfit is not None:
                raise MisfitError(misfit)
            return to_json(change(plain))
        except (ValueError, UnfitError) as error:
            raise MisfitError(str(error)) from error

    return write


def _usual(responses: Mapping[str, Any]) -> int:
    """Return the status of a result that says none: the first success that is defined."""
    found = sorted(key for key in responses if key[0] == "2")
    if found:
        return 200 if found[0] == "2XX" else int(found[0])
    if "default" in responses:
        return 200
    return min((int(key) for key in responses if key.isdigit() and key[0] == "3"), default=204)


def _raw(body: Any) -> bytes:
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, bytes):
        return body
    raise MisfitError(f"{type(body).__name__} where bytes or text belong")


def _encoded(headers: Mapping[str, Any]) -> Headers:
    """Return header fields as they are sent. Raises MisfitError for what no field can hold."""
    made = []
    for name, value in headers.items():
        if not _NAME.fullmatch(name) or name.lower() in _OURS:
            raise MisfitError(f"{name!r} is no header that a handler can set")
        text = value if isinstance(value, str) else encode(value).decode()
        if not text.isprintable() or not text.isascii():
            raise MisfitError(f"the header {name} holds what is not printable ASCII")
        made.append((name.lower().encode("ascii"), text.encode("ascii")))
    return made
