"""Sample JSON values that satisfy the schemas of a document, the same for the same seed.

A value depends on the seed, on the name that it is sampled for and on its own schemas, so additions
elsewhere change nothing. Values that jsonschema-rs refuses are never returned.
"""

from __future__ import annotations

from typing import Any

from dateline.model import DatelineError, printable
from dateline.openapi import pointer
from dateline.sample.dice import Dice
from dateline.sample.document import SampledDocument, UnreadableError
from dateline.sample.here import Here, NothingFitsError
from dateline.sample.values import Values
from dateline.sample.varied import vary

__all__ = ["Sampler", "UnsatisfiedError"]

_ROOM = 300.0
"""The approximate number of objects and lists in a value beyond the required ones."""


class UnsatisfiedError(DatelineError):
    """No valid value was found for a schema; ``place`` is where in the value, ``reason`` why."""

    def __init__(self, name: str, place: str, reason: str) -> None:
        self.name = name
        self.place = place
        self.reason = reason
        at = f" at {place}" if place else ""
        super().__init__(
            f"{name}: no value was found that fits its schema{at}: {printable(reason)}"
        )


class Sampler:
    """Creates valid values for the schemas of one OpenAPI 3.0 or 3.1 document.

    Examples, defaults and closed lists of values in the document are used if they are valid; other
    texts and numbers follow the format, the pattern and the name of their field. A `writeOnly`
    field is left out if possible, and recursion ends at the smallest depth that the schemas allow.
    """

    def __init__(self, document: dict[str, Any], seed: int = 0) -> None:
        self._document = SampledDocument(document)
        self._values = Values(self._document)
        self._seed = seed

    def value(self, schema: Any, name: str, room: float = _ROOM) -> Any:
        """Return a valid JSON value for *schema*, the one called *name*.

        References of *schema* lead into the document. The value consists of about *room* objects
        and lists beyond the required ones. Raises UnsatisfiedError if no valid value is found.
        """
        schemas = (self._document.read(schema),)
        try:
            sampled = self._values.make(schemas, Here(name=f"{self._seed} {name}", room=room))
            defect = self._document.defect(schemas, sampled)
        except NothingFitsError as nothing:
            raise UnsatisfiedError(name, pointer(nothing.path), nothing.reason) from None
        except UnreadableError as error:
            raise UnsatisfiedError(name, "", str(error)) from None
        if defect is not None:
            raise UnsatisfiedError(name, pointer(defect[0]), defect[1])
        return sampled

    def vary(self, schema: Any, value: Any, name: str) -> Any:
        """Return *value*, a valid one for *schema*, with rare parts, as the one called *name*.

        Some optional fields are left out, and what may be null, empty, 0 or negative is so, at
        random. A *schema* that any value fits says nothing about what is rare.
        """
        if schema is True or schema == {}:
            return value
        fits = self._document.fits_named((self._document.read(schema),), value)
        return vary(value, fits, Dice(self._seed, name))

    def find_defect(self, schema: Any, value: Any) -> str | None:
        """Return where and how *value* violates *schema*, or None."""
        schemas = (self._document.read(schema),)
        if self._document.fits(schemas, value):
            return None
        found = self._document.defect(schemas, value)
        return "it does not fit" if found is None else f"{pointer(found[0]) or 'it'}: {found[1]}"

    def fits(self, schema: Any, value: Any) -> bool:
        """Return whether *value* is valid for *schema*, for which a value was created before."""
        return self._document.fits((self._document.read(schema),), value)
