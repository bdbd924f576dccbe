"""The operations of one version, as its callers see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from dateline.openapi import Framing
from dateline.python.docstrings import DescribedOperation
from dateline.python.forms import FormPart, is_multipart
from dateline.python.types import Inline


@dataclass(frozen=True, kw_only=True)
class Argument:
    """A parameter of an operation, and its keyword in the method; ``limits`` are in words."""

    keyword: str
    name: str
    place: str
    style: str
    explode: bool | None
    allow_reserved: bool
    required: bool
    description: str
    limits: str
    deprecated: bool
    inline: Inline


@dataclass(frozen=True, kw_only=True)
class CalledBody:
    """The body of a request or response; without ``inline``, it is neither JSON nor a form.

    ``parts`` says how properties of a form are written, where their values do not.
    """

    media_type: str
    inline: Inline | None
    required: bool = True
    parts: Mapping[str, FormPart] = field(default_factory=dict[str, FormPart])

    @property
    def is_multipart(self) -> bool:
        return self.inline is not None and is_multipart(self.media_type)


@dataclass(frozen=True, kw_only=True)
class StreamedBody:
    """A body that is read while it arrives: `bytes`, or items in a framing.

    ``inline`` is the schema of an item of JSON; with ``is_only``, the response has no other form.
    """

    kind: Framing | Literal["bytes"]
    media_type: str
    inline: Inline | None
    is_only: bool


@dataclass(frozen=True, kw_only=True)
class Called(DescribedOperation):
    """An operation as a caller of one version sees it.

    ``results`` and ``errors`` are by status, None for no content. ``idempotency`` is the header of
    the key that makes repetitions safe, with ``echoes`` responses name the version. ``servers`` are
    its own addresses by environment, ``only`` the environments that have it where not all do.
    """

    id: str
    method_name: str
    arguments: tuple[Argument, ...]
    body: CalledBody | None
    results: dict[str, CalledBody | None]
    errors: dict[str, CalledBody | None]
    stream: StreamedBody | None
    security: tuple[tuple[str, ...], ...]
    idempotency: str
    echoes: bool
    ignores_version: bool
    servers: dict[str, str]
    only: tuple[str, ...]

    @property
    def inlines(self) -> Iterator[Inline]:
        """Yield the schemas for which a type is needed."""
        for argument in self.arguments:
            yield argument.inline
        bodies = (self.body, *self.results.values(), *self.errors.values())
        for each in (*bodies, self.stream):
            if each is not None and each.inline is not None:
                yield each.inline


def list_inlines(operations: Iterable[Called]) -> list[Inline]:
    """Return the schemas of *operations* for which clients need a type, each once."""
    return list({each.key: each for one in operations for each in one.inlines}.values())
