"""What handlers, and the table of the operations, are written with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from .runtime import asgi, idempotency, problems
from .runtime.asgi import Limits, Scope
from .runtime.problems import Problem

A_co = TypeVar("A_co", covariant=True)
T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

Json: TypeAlias = Any
"""A plain JSON value: dict, list, str, int, float, bool or None."""


class Account(Protocol):
    """Whom a request is done for, as `authenticate` tells it."""

    @property
    def identity(self) -> str:
        """What keeps callers apart: idempotency keys are theirs.

        What a header says of it counts only once it has been checked.
        """
        ...


@dataclass(frozen=True, slots=True)
class Call(Generic[A_co]):
    """What a handler is told of a request beside its parameters and its body.

    ``account`` is what `authenticate` returned; None for operations without authentication.
    ``scope`` is the ASGI scope, for what is rare. Handlers know no version.
    """

    account: A_co
    idempotency_key: str | None
    scope: Scope


@dataclass(frozen=True, slots=True)
class Reply(Generic[T_co]):
    """A result with its status, or with headers, where a handler has to say them.

    Without ``status``, it is the one that the definitions name first. ``headers`` go by their
    canonical names, values as they are in JSON.
    """

    body: T_co | Json = None
    status: int | None = None
    headers: Mapping[str, Any] = field(default_factory=dict)


Result: TypeAlias = T | Reply[T] | dict[str, Any] | list[Any]
"""What a handler may return: a model, the plain value that it stands for, a reply with either."""


class Refusal(Exception):  # noqa: N818 - it is no error: a handler's answer
    """What a handler raises in order to refuse a request: a status, and a body or None.

    Where the operation has a response with the status at the caller's version, the body is held
    to it, and a text is put into a body of its schema; elsewhere it may only be a text. Headers
    are held to those of the response. Those that only other versions or responses have are not
    sent, standard ones such as `Retry-After` apart; others may only be texts. Anything else is
    answered with status 500, and logged.
    """

    def __init__(self, status: int, body: Any, headers: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{status}: {body!r}")
        self.status = status
        self.body = body
        self.headers = headers or {}


class Credentials:
    """What a request has to show for its caller.

    ``values`` holds the secrets that were sent, by the names of their security schemes. All are
    visible ASCII, blanks included.
    """

    def __init__(
        self, values: Mapping[str, str], scope: Scope, declared: Mapping[str, str] | None = None
    ) -> None:
        self.values = values
        self._scope = scope
        self._declared = declared or {}

    def header(self, name: str) -> str | None:
        """Return the value of a header; None where there is none.

        Anybody can send any header: for whom a request is done, ask `parameter`.
        """
        return asgi.field(self._scope, name)

    def parameter(self, name: str) -> str | None:
        """Return the value of a header that the operation declares at the caller's version.

        *name* is the canonical one, whatever the header is called at that version. None where
        the operation declares none or none was sent. The value has not been checked yet.
        """
        sent = self._declared.get(name.lower())
        return None if sent is None else self.header(sent)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How much is read of a body, and for how many seconds a retry waits for the first request
    with its idempotency key.

    The operations stand below ``prefix``; None is the path of the environment's address.

    ``problem`` makes the bodies that tell what is wrong with a request, `problem_details` for
    one. What it makes is held to what the operation declares for the status; where that is
    nothing, it is sent as ``problem_type``. Without it, bodies follow the declared schemas.
    """

    prefix: str | None = None
    limits: Limits = field(default_factory=Limits)
    patience: float = idempotency.PATIENCE
    problem: Callable[[Problem], Any] | None = None
    problem_type: str = problems.MEDIA_TYPE


Place: TypeAlias = Literal["path", "query", "header", "cookie"]


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """Where a secret stands: in a field of the request, behind ``prefix`` (`Bearer `)."""

    name: str
    place: Literal["header", "query", "cookie"]
    prefix: str = ""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter, by its canonical name, and what a handler takes for it.

    ``type`` is what its values are read as, ``default`` what stands for it where it is absent.
    What is ``required`` is never absent; the contract of a version may require it, too.
    """

    keyword: str
    name: str
    place: Place
    type: Any
    default: Any = None
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation, called as in the contract data, and the method of a group that does it.

    ``body`` and each of ``responses`` give the canonical type for each media type: `bytes` for
    what is not JSON, and None for a response without content. ``responses`` go by the keys of
    the document (`200`, `4XX`, `default`). ``security`` lists alternatives, each all schemes that
    it takes together; without any, and where one is empty, callers may be unknown.
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
    body_required: bool = False
    responses: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
