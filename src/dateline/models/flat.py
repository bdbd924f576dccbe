"""Schemas without references and `allOf`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def are_texts(value: Any) -> bool:
    """Return whether *value* is a list of texts."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


@dataclass
class Union:
    """The members of a `oneOf` or `anyOf`, and the discriminator that distinguishes them.

    ``default`` is the component of data without a tag, or with an unknown one.
    """

    keyword: str
    members: list[Any]
    tag: str | None = None
    mapping: dict[str, str] = field(default_factory=dict)
    default: str | None = None

    @property
    def only_requires(self) -> bool:
        """Whether the members only say which fields are required."""
        return all(
            isinstance(member, dict)
            and are_texts(member.get("required"))
            and member.keys() <= {"required", "type", "title", "description"}
            for member in self.members
        )


@dataclass
class Flat:
    """A schema without `$ref` and `allOf`: either a component's name, or keywords.

    ``types`` is None if any type is allowed; ``nullable`` is separate, and ``or_null`` says that
    null is valid even if unions refuse it. ``values`` are those of `enum` and `const`, ``formats``
    those of ``FORMATS``. ``left`` are the keywords that are not modelled.
    """

    reference: str | None = None
    never: bool = False
    nullable: bool | None = None
    or_null: bool = False
    types: tuple[str, ...] | None = None
    values: list[Any] | None = None
    keywords: dict[str, Any] = field(default_factory=dict)
    patterns: list[str] = field(default_factory=list)
    formats: list[str] = field(default_factory=list)
    multiples: list[Any] = field(default_factory=list)
    unions: list[Union] = field(default_factory=list)
    annotations: dict[str, Any] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    @property
    def constrained(self) -> bool:
        """Return whether there is anything but annotations, types and a union."""
        lists = (self.keywords, self.patterns, self.formats, self.multiples)
        return any(lists) or self.values is not None

    @property
    def is_silent(self) -> bool:
        """Return whether there is nothing but annotations."""
        allows_all = self.reference is None and self.types is None and self.nullable is None
        return allows_all and not (self.never or self.constrained or self.unions or self.left)

    @property
    def constraints(self) -> list[str]:
        """The keywords that constrain values, except `type`, `enum` and `const`."""
        found = [*self.keywords, *(union.keyword for union in self.unions)]
        found += ["pattern"] if self.patterns else []
        found += ["format"] if self.formats else []
        return [*found, "multipleOf"] if self.multiples else found

    def text(self, key: str) -> str | None:
        """Return the annotation *key* if it is a non-empty text."""
        text = self.annotations.get(key)
        return text if isinstance(text, str) and text else None
