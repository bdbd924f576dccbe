"""Schemas without references and `allOf`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from dateline.schema.values import text

# Keywords with schemas of values below: the values of one by name, others one or a list.
_MAPS: Final = frozenset({"properties", "patternProperties"})
_BELOW: Final = _MAPS | {"additionalProperties", "unevaluatedProperties", "items", "prefixItems"}


def list_parts(schema: Any) -> list[Any]:
    """Return the schemas that *schema* combines if it is an `allOf` and nothing else, or itself."""
    is_whole = isinstance(schema, dict) and schema.keys() == {"allOf"}
    if not (is_whole and isinstance(schema["allOf"], list)):
        return [schema]
    return [part for each in schema["allOf"] for part in list_parts(each)]


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

    @property
    def content(self) -> tuple[Any, ...] | None:
        """All but the annotations, with the identities of the parts of schemas below.

        It is equal for schemas of one document that allow the same values and are written in the
        same places. None if there are no schemas below: such a schema can't contain itself.
        """
        keywords = self.keywords
        if not self.unions and _BELOW.isdisjoint(keywords):
            return None
        unions = [(each.keyword, each.tag, *map(_identify, each.members)) for each in self.unions]
        return (
            (self.never, self.nullable, self.or_null, self.types),
            None if self.values is None else tuple(map(text, self.values)),
            tuple((key, _describe(key, keywords[key])) for key in sorted(keywords)),
            (*self.patterns, None, *self.formats, None, *self.multiples, None, *self.left),
            tuple(unions),
        )

    def text(self, key: str) -> str | None:
        """Return the annotation *key* if it is a non-empty text."""
        text = self.annotations.get(key)
        return text if isinstance(text, str) and text else None


def _describe(keyword: str, value: Any) -> Any:
    if keyword in _MAPS:
        return tuple((name, _identify(each)) for name, each in value.items())
    if keyword in _BELOW:
        return tuple(map(_identify, value if isinstance(value, list) else [value]))
    return text(value)


def _identify(schema: Any) -> tuple[int, ...]:
    return tuple(map(id, list_parts(schema)))
