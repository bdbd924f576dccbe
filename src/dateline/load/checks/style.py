"""The defects that adopted sources may have, since they are matters of style."""

from __future__ import annotations

from typing import Final

STYLE: Final = frozenset(
    {
        # names that a fixed rule makes identifiers of
        *("component-name-style", "property-name", "parameter-name", "operation-name"),
        *("operation-unnamed", "reserved-name", "name-collision", "operation-id-twice"),
        *("tag-twice", "undeclared-tag", "path-twice", "media-type"),
        # keys that are read as notes, and keywords that only documents carry
        *("unknown-key", "key-names-code", "key-of-another-openapi", "unsupported-keyword"),
        *("reference-sibling", "unknown-format", "blank-text", "annotation-in-data"),
        # a schema that is odd, looser than it looks, or never lets anything through
        *("array-without-items", "item-twice", "member-twice", "enum-value-twice"),
        *("enum-types-mixed", "enum-of-another-type", "required-unknown", "too-many-properties"),
        *("unsatisfiable-bounds", "never-sent", "contradiction", "closed-base"),
        *("undiscriminated-union", "discriminator-member", "discriminator-property"),
        *("discriminator-tag", "mapping-outside-union", "default-invalid", "example-invalid"),
        *("pattern-dialect", "pattern-explodes", "pattern-loose"),
        # a reference leads nowhere; published documents of others do have such
        "reference-dangling",
        # how versions are chosen there is not ours to say
        *("version-header-missing", "version-header-ignored", "version-header-default"),
        *("version-header-required", "version-header-unknown"),
    }
)
"""The ids of problems that an adopted document may have. All others hold always."""
