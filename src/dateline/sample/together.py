"""Reduce schemas that one value must satisfy together to plain ones.

References are followed and `allOf` is expanded, but nothing is merged: the requirements for a value
are a list of schemas, and so are those for each value within it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from dateline.sample.document import SampledDocument, Schemas, matches
from dateline.schema.types import IMPLIED, UNIONS

TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")
_CHECKED: Final = frozenset(
    {"oneOf", "not", "if", "contains", "uniqueItems", "dependentSchemas"}
    | {"unevaluatedItems", "unevaluatedProperties", "propertyNames", "maxProperties"}
)
"""Keywords that a value created from the others may violate."""


@dataclass
class Together:
    """The requirements for a value: plain schemas, outermost first, and unresolved unions.

    ``references`` are those that were followed; ``impossible`` says why no value is valid.
    """

    document: SampledDocument
    parts: list[dict[str, Any]] = field(default_factory=list)
    unions: list[Schemas] = field(default_factory=list)
    references: set[str] = field(default_factory=set)
    impossible: str = ""
    _chosen: set[str] = field(default_factory=set)

    def copy(self) -> Together:
        """Return a copy, to which more can be added."""
        return Together(
            self.document,
            [*self.parts],
            [*self.unions],
            {*self.references},
            self.impossible,
            {*self._chosen},
        )

    def add(self, schema: Any) -> None:
        """Add the requirements of *schema*."""
        if schema is False:
            self.impossible = "no value is valid for the schema `false`"
        if not isinstance(schema, dict):
            return
        self.parts.append(schema)
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference not in self.references:
            variants = self._variants(schema, reference)
            if variants:
                self.unions.append(variants)
                return
            self.references.add(reference)
            try:
                self.add(self.document.at(reference))
            except LookupError as missing:
                self.impossible = str(missing)
        for base in schema.get("allOf", ()):
            self.add(base)
        for keyword in (*UNIONS, "if"):
            if keyword in schema:
                self.unions.append(self.document.members(schema, keyword))

    def _variants(self, schema: dict[str, Any], reference: str) -> Schemas:
        """Return the variants of *reference* if a discriminator chooses, and has not chosen yet."""
        if reference in self._chosen or self.document.is_chosen(schema):
            return ()
        self._chosen.add(reference)
        variants = self.document.variants(reference)
        # an extension of it was found before: the choice was made there
        met = {each["allOf"][0]["$ref"] for each in variants}
        return () if met & self.references else variants

    @property
    def is_checked(self) -> bool:
        """Return whether a created value may violate some keyword, and so must be validated."""
        return any(part.keys() & _CHECKED for part in self.parts)

    @property
    def is_listed(self) -> bool:
        """Return whether the values are listed one by one."""
        return any("const" in part or "enum" in part for part in self.parts)

    @property
    def types(self) -> list[str]:
        """The JSON types a value may have: the declared ones, else those that are implied."""
        found: set[str] | None = None
        for part in self.parts:
            if "type" in part:
                type_ = part["type"]
                here = {type_} if isinstance(type_, str) else {*type_}
                if "number" in here:
                    here.add("integer")
                found = here if found is None else found & here
        if found is not None:
            if "number" in found:
                found.discard("integer")
            return [each for each in TYPES if each in found]
        said_of = {key for part in self.parts for key in part}
        return [each for each in TYPES if IMPLIED.get(each, frozenset()) & said_of] or ["string"]

    def list_values(self, keyword: str) -> list[Any]:
        """Return every value of *keyword*, outermost first."""
        return [part[keyword] for part in self.parts if keyword in part]

    def least(self, keyword: str) -> int:
        return int(max(self.list_values(keyword), default=0))

    def most(self, keyword: str) -> int | None:
        found = self.list_values(keyword)
        return int(min(found)) if found else None

    def names(self) -> list[str]:
        """Return the fields that are described or required, in their order."""
        described = (name for each in self.list_values("properties") for name in each)
        return list(dict.fromkeys([*described, *self.list_required()]))

    def list_required(self) -> list[str]:
        return list(dict.fromkeys(name for each in self.list_values("required") for name in each))

    def field(self, name: str) -> Schemas:
        """Return the requirements for the field *name*."""
        found: list[Any] = []
        for part in self.parts:
            named = part.get("properties")
            here = [named[name]] if named and name in named else []
            if "patternProperties" in part:
                patterns = part["patternProperties"].items()
                here += [schema for pattern, schema in patterns if matches(pattern, name)]
            if not here and "additionalProperties" in part:
                here = [part["additionalProperties"]]
            found += here
        return tuple(found or self.list_values("unevaluatedProperties"))

    def item(self, index: int) -> Schemas:
        """Return the requirements for the item *index*."""
        found: list[Any] = []
        for part in self.parts:
            first = part.get("prefixItems", ())
            if index < len(first):
                found.append(first[index])
            elif "items" in part:
                found.append(part["items"])
        return tuple(found or self.list_values("unevaluatedItems"))


def together(document: SampledDocument, schemas: Schemas) -> Together:
    """Return the joint requirements of *schemas*."""
    result = Together(document)
    for schema in schemas:
        result.add(schema)
    return result
