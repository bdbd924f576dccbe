"""What a handler returns or refuses with in, the answer for callers of a version out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from .nouns import Operation, Refusal, Reply
from .runtime.asgi import MEDIA_TYPE, Headers
from .runtime.errors import encode
from .runtime.idempotency import Answer
from .runtime.narrowing import Narrowing, UnfitError, unchanged

_BODILESS: Final = frozenset({204, 304})

Write = Callable[[Any], bytes]


class MisfitError(Exception):
    """What a handler gave does not fit the canonical contract: the server's fault."""


class Results:
    """Makes the answers of one operation, for callers of any version."""

    def __init__(self, operation: Operation, narrowings: Mapping[str, Narrowing]) -> None:
        self._name = operation.id
        self._narrowings = narrowings
        self._responses = {
            key: _Canonical(*next(iter(content.items()))) if content else None
            for key, content in operation.responses.items()
        }
        self._status = _usual(operation.responses)
        self._writers: dict[tuple[str, int], tuple[str, Write] | None] = {}

    def answer(self, result: Any, version: str) -> tuple[Answer, Headers]:
        """Return the answer that *result* makes. Raises MisfitError."""
        if not isinstance(result, Reply):
            return self._answer(result, self._status, version), []
        status = self._status if result.status is None else result.status
        if self._key(status) is None:
            raise MisfitError(f"{self._name} has no response with status {status}")
        headers = self._headers(result.headers, status, version)
        return self._answer(result.body, status, version), headers

    def refused(self, refusal: Refusal, version: str) -> tuple[Answer, Headers]:
        """Return the answer that *refusal* makes; a status that is not defined has any body."""
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
        try:
            return Answer(status, media_type, write(body))
        except ValidationError as error:
            raise MisfitError(_places(error)) from None
        except (PydanticSerializationError, UnfitError) as error:
            raise MisfitError(str(error)) from error

    def _writer(self, status: int, version: str) -> tuple[str, Write] | None:
        response = self._responses.get(self._key(status) or "")
        if response is None or status in _BODILESS:
            return None
        change = self._narrowings[version].body(self._name, status, response.media_type)
        return response.media_type, response.writer(change)

    def _headers(self, given: Mapping[str, Any], status: int, version: str) -> Headers:
        if not given:
            return []
        return _encoded(self._narrowings[version].headers(self._name, status)(dict(given)))

    def _key(self, status: int) -> str | None:
        keys = (str(status), f"{status // 100}XX", "default")
        return next((key for key in keys if key in self._responses), None)


class _Canonical:
    """A response at its canonical type."""

    def __init__(self, media_type: str, kind: Any) -> None:
        self.media_type = media_type
        self._type = kind

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self._type)

    def writer(self, change: Callable[[Any], Any]) -> Write:
        """Return what writes a value as *change* makes it.

        A value that is no model becomes one first; a model is what its type lets it be. Raises
        ValidationError, PydanticSerializationError and UnfitError.
        """
        if self._type is bytes:
            return _raw
        adapter = self._adapter
        read = adapter.validate_python
        write = adapter.dump_json
        plain = adapter.dump_python
        if change is unchanged:
            return lambda body: write(read(body), warnings="error")
        return lambda body: to_json(change(plain(read(body), mode="json", warnings="error")))


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


def _places(error: ValidationError) -> str:
    """Return what does not fit and where. It is for the log, and quotes no value all the same."""
    return "; ".join(
        f"{''.join(f'/{step}' for step in each['loc']) or 'the value itself'}: {each['msg']}"
        for each in error.errors(include_url=False, include_input=False, include_context=False)
    )


def _encoded(headers: Mapping[str, Any]) -> Headers:
    """Return header fields as they are sent. Raises MisfitError for what no field can hold."""
    made = []
    for name, value in headers.items():
        text = value if isinstance(value, str) else encode(value).decode()
        if not text.isprintable() or not text.isascii():
            raise MisfitError(f"the header {name} holds what is not printable ASCII")
        made.append((name.lower().encode("ascii"), text.encode("ascii")))
    return made
