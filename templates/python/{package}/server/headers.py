"""Read and write the headers of responses, in the style that the definitions declare for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from pydantic_core import to_jsonable_python

from .contracts import TYPES, Contract, MisfitError, Validator
from .objects import CONTENT, Either, is_either, parameter_reader
from .rewriting import join_parts
from .runtime import bodies
from .runtime.errors import RequestError

# RFC 9110, section 5.1
_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")

# Headers that describe the body are written with it.
_OURS: Final = frozenset({"content-length", "content-type", "transfer-encoding"})

# The only list whose items are never in one line (RFC 9110, section 5.3).
_COOKIES: Final = "set-cookie"

Described = Mapping[str, Any]
"""A header as the contract data describe it, with its name."""


class Header:
    """A declared header: its canonical name, and the constraints of its values."""

    def __init__(self, name: str, described: Described, schemas: Mapping[str, Any]) -> None:
        self.name = name
        self.described: Final[Described] = {**described, "name": name, "in": "header"}
        schema = described["schema"]
        contract = Contract({}, schemas)
        types = contract.types(schema)
        self._validator = Validator(schema, schemas.get)
        self._is_json = described["style"] == CONTENT
        self._is_list = "array" in types and types != TYPES and not self._is_json
        self._has_fields = "object" in types and types != TYPES
        self._is_split = self._is_list or self._has_fields
        reader = parameter_reader(self.described, contract)
        assert reader is not None
        self._read = (
            Either(self.described, contract).read
            if is_either(self.described, contract)
            else reader.read
        )

    def read(self, value: Any) -> Any:
        """Return *value* as JSON; a text may represent another type. Raises MisfitError."""
        try:
            plain = to_jsonable_python(value)
        except ValueError as error:
            raise MisfitError(str(error)) from error
        if isinstance(plain, str) and not self._validator.fits(plain):
            plain = self._parse(plain)
        return self._check(plain)

    def read_lines(self, lines: list[str], *, is_strict: bool) -> Any:
        """Return the value that *lines* represent.

        If it is invalid, it is the text itself. Raises MisfitError for that if this *is_strict*.
        """
        if self._is_list and self._is_cookie:
            return self._check(lines) if is_strict else lines
        text = ",".join(lines)
        value = text
        if self._is_json or not self._validator.fits(text):
            value = self._parse(text)
        return self._check(value) if is_strict or self._validator.fits(value) else text

    def group(self, lines: list[str]) -> Iterator[list[str]]:
        """Yield those of the *lines* of a message that represent a value together."""
        if self._is_split and (self._is_list or not self._is_cookie):
            yield lines
        else:
            yield from ([line] for line in lines)

    def has_notation(self, notation: Mapping[str, Any]) -> bool:
        """Return whether values are written alike with the style *notation*."""
        # without fields, it is the same whether they are exploded or not
        names = ("style", "explode") if self._has_fields else ("style",)
        return all(self.described[each] == notation[each] for each in names)

    @property
    def _is_cookie(self) -> bool:
        return self.name.lower() == _COOKIES

    def _parse(self, text: str) -> Any:
        """Return the value of *text*; itself if it has none."""
        value: Any = text
        with suppress(RequestError):
            value = self._read(text)
        if self._is_split and not self._validator.fits(value):
            if self._is_list and not text:
                return []
            # an object in a list has no other spelling
            with suppress(RequestError):
                value = bodies.read(text.encode())
        return value

    def _check(self, plain: Any) -> Any:
        misfit = self._validator.misfit(plain)
        if misfit is not None:
            raise MisfitError(f"the header {self.name}: {misfit}")
        return plain


def write_header(described: Described, value: Any) -> list[str]:
    """Return the lines by which a response has *value*. Raises MisfitError.

    A list or an object without parts has none (RFC 6570, section 2.3), unless it is required.
    """
    if described["style"] != CONTENT:
        value = _leave_out_null(value)
        if value is None or value in ([], {}):
            return [""] if described["required"] and value is not None else []
        if isinstance(value, str):
            return [value]
        if isinstance(value, list) and described["name"].lower() == _COOKIES:
            return [join_parts(each, described) for each in value]
        below = value.values() if isinstance(value, dict) else value
        if isinstance(value, dict | list) and any(isinstance(each, dict | list) for each in below):
            described = {**described, "style": CONTENT}
    try:
        return [join_parts(value, described)]
    except RequestError:
        name = described["name"]
        raise MisfitError(f"the header {name} has a part that its style can't separate") from None


def _leave_out_null(value: Any) -> Any:
    """Return *value* without parts that are null: they are undefined (RFC 6570, section 2.3)."""
    if isinstance(value, list):
        return [each for each in value if each is not None]
    if isinstance(value, dict):
        return {name: each for name, each in value.items() if each is not None}
    return value


def encode_header(name: str, text: str, encoding: str = "ascii") -> tuple[bytes, bytes]:
    """Return a header field as it is sent. Raises MisfitError for what can't be sent."""
    if not _NAME.fullmatch(name) or name.lower() in _OURS:
        raise MisfitError(f"{name!r} can't be set by a handler")
    try:
        if text.isprintable():
            return name.lower().encode("ascii"), text.encode(encoding)
    except UnicodeEncodeError:
        pass
    raise MisfitError(f"the header {name} contains a character that is not printable ASCII")
