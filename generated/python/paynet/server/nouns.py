"""The types for handlers, and for the table of the operations."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from .runtime import asgi, idempotency, problems
from .runtime.asgi import Limits, Scope
from .runtime.conversion import ConversionContext
from .runtime.problems import Problem
from .uploads import Upload

__all__ = [
    "Account",
    "Bytes",
    "Call",
    "Credentials",
    "Handled",
    "Item",
    "Items",
    "Json",
    "MissingHandlerError",
    "Operation",
    "Parameter",
    "Place",
    "Refusal",
    "Reply",
    "Result",
    "Scheme",
    "ServerSentEvent",
    "Settings",
    "Upload",
]

A_co = TypeVar("A_co", covariant=True)
T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")
V = TypeVar("V")
R = TypeVar("R")

Json: TypeAlias = Any
"""A plain JSON value: dict, list, str, int, float, bool or None."""


Convert: TypeAlias = (
    Callable[[V], R | Awaitable[R]] | Callable[[V, ConversionContext], R | Awaitable[R]]
)
"""Converts a value; it may take the call that it serves, and may have to be awaited."""


class Account(Protocol):
    """The account that a request is made for, as `authenticate` returns it."""

    @property
    def identity(self) -> str:
        """What distinguishes callers: each has idempotency keys of its own.

        Use a value from a header only after it has been checked.
        """
        ...


@dataclass(frozen=True, slots=True)
class Call(Generic[A_co]):
    """What a handler receives about a request besides its parameters and its body.

    ``account`` is the result of `authenticate`; None for operations without authentication.
    ``scope`` is the ASGI scope, for rare needs. Handlers are independent of the version.

    ``media_type`` is the declared media type of the body, without parameters; None if there is no
    body. ``wanted`` is that one of the media types of the usual success that the caller prefers
    (`Accept`); None if it has no body.
    """

    account: A_co
    idempotency_key: str | None
    scope: Scope
    media_type: str | None = None
    wanted: str | None = None


@dataclass(frozen=True, slots=True)
class Reply(Generic[T_co]):
    """A result with its status, or with headers, if the defaults are not sufficient.

    Without ``status``, it is the first one in the definitions. ``headers`` are keyed by canonical
    names, values are those of JSON. Of several media types that the body may have, it is sent in
    ``media_type`` or, without that, in the one that the caller prefers.
    """

    body: T_co | Json = None
    status: int | None = None
    headers: Mapping[str, Any] = field(default_factory=dict)
    media_type: str | None = None


Result: TypeAlias = T | Reply[T] | dict[str, Any] | list[Any]
"""What a handler may return: a model, its value as plain JSON, a reply with either."""


Handled: TypeAlias = T | Awaitable[T]
"""What a handler returns, whether it is a plain function or one that is awaited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSentEvent(Generic[T_co]):
    """An item of an event stream that has more than data: the fields of the event.

    ``retry`` is in milliseconds. Texts are of one line.
    """

    data: T_co
    event: str | None = None
    id: str | None = None
    retry: int | None = None


Item: TypeAlias = T | ServerSentEvent[T] | dict[str, Any] | list[Any]
"""What is sent as an item of a stream: a model, its value as plain JSON, an event with either."""

Items: TypeAlias = AsyncIterable[Item[T]] | Iterable[Item[T]]
"""A stream: each item is sent as soon as it is there, in the form for the caller's version."""

Bytes: TypeAlias = bytes | AsyncIterable[bytes] | Iterable[bytes]
"""A body that is not JSON, or its pieces, each sent as soon as it is there."""


class Refusal(Exception):  # noqa: N818 - it is no error: a handler's answer
    """Raised by a handler to refuse a request: a status, and a body or None.

    If the operation has a response with the status at the caller's version, the body is validated
    against it, and a text is put into a body of its schema; otherwise the body may only be a text.
    Headers are validated against those of the response. Headers that only other versions or
    responses have are not sent, except standard ones such as `Retry-After`; undeclared ones may
    only be texts. Anything else is answered with status 500, and logged.
    """

    def __init__(self, status: int, body: Any, headers: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{status}: {body!r}")
        self.status = status
        self.body = body
        self.headers = headers or {}


class MissingHandlerError(TypeError):
    """Handlers of the environment's operations are missing."""


class Credentials:
    """The credentials of a request.

    ``values`` are the secrets that were sent, by the names of their security schemes. All are
    visible ASCII, blanks included.
    """

    def __init__(
        self, values: Mapping[str, str], scope: Scope, declared: Mapping[str, str] | None = None
    ) -> None:
        self.values = values
        self._scope = scope
        self._declared = declared or {}

    def header(self, name: str) -> str | None:
        """Return the value of a header, or None.

        Anybody can send any header: use `parameter` to find out for whom a request is made.
        """
        return asgi.field(self._scope, name)

    def parameter(self, name: str) -> str | None:
        """Return the value of a header that the operation declares at the caller's version.

        *name* is the canonical one, whatever the name at that version. None if the operation
        declares none or none was sent. The value has not been checked yet.
        """
        sent = self._declared.get(name.lower())
        return None if sent is None else self.header(sent)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits for bodies, and the number of seconds that a retry waits for the first request.

    A retry is a request with the same idempotency key. ``limits_of`` are the limits for the bodies
    of single operations, by their ids.

    The operations are below ``prefix``, except those with servers of their own; None is the path of
    the address that the documents have.

    With ``unwritten`` 501, operations whose handler is missing respond with that status; otherwise
    building the application fails.

    With ``docs``, the specification documents have a page, at `/docs`, and the site is at `/site/`:
    that in the folder ``site``, or else the one that was generated with this package, as long as it
    is beside it.

    ``spanning`` are the ids of operations of the application behind `versioned` in which the value
    of the last parameter of the path may contain slashes.

    ``errors`` says what happens to errors of the application behind `versioned` that do not fit the
    schema which the operation declares for their status: if they are ``declared``, what they say is
    put into a body of that schema; if they are ``passed``, those stay that no gate affects.

    ``problem`` creates the bodies of errors, like `problem_details`. They are validated against the
    schema that the operation declares for the status; without one, they are sent as
    ``problem_type``. Without the function, bodies follow the declared schemas.
    """

    prefix: str | None = None
    limits: Limits = field(default_factory=Limits)
    limits_of: Mapping[str, Limits] = field(default_factory=dict)
    patience: float = idempotency.PATIENCE
    spanning: Collection[str] = ()
    problem: Callable[[Problem], Any] | None = None
    problem_type: str = problems.MEDIA_TYPE
    unwritten: Literal["error", "501"] = "error"
    errors: Literal["declared", "passed"] = "declared"
    docs: bool = False
    site: str | PathLike[str] | None = None

    def __post_init__(self) -> None:
        if self.prefix is not None:
            # `/` is the root
            object.__setattr__(self, "prefix", self.prefix.rstrip("/"))


Place: TypeAlias = Literal["path", "query", "header", "cookie"]


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """Where a request has a secret: in a field, after ``prefix`` (`Bearer `).

    Requests of the versions that are ``bare`` may have it without the prefix.
    """

    name: str
    place: Literal["header", "query", "cookie"]
    prefix: str = ""
    bare: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter, by its canonical name, and the keyword argument of handlers.

    ``type`` is the type that its values are read as, ``default`` the argument if it is absent. If
    it is ``required``, it is never absent; the contract of a version may require it, too.
    """

    keyword: str
    name: str
    place: Place
    type: Any
    default: Any = None
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation, named as in the contract data, and the method of a group that handles it.

    ``body`` and each of ``responses`` have the canonical type for each media type: that of items
    for a sequence, `Upload` or `bytes` for anything else that is not JSON, and None for a response
    without content. The keys of ``responses`` are those of the document (`200`, `4XX`, `default`).
    ``security`` lists alternatives, each of which needs all of its schemes; without any, or if one
    is empty, callers may be unknown. ``unserved`` is the reason why the operation has no handler
    and responds with 501, if so.
    """

    id: str
    group: str
    handler: str
    method: str
    path: str
    environments: tuple[str, ...]
    ignores_version: bool = False
    security: tuple[tuple[str, ...], ...] = ()
    parameters: tuple[Parameter, ...] = ()
    body: Mapping[str, Any] | None = None
    responses: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    unserved: str = ""
