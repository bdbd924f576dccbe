"""The problems that adopted sources may have: matters of style, or slips with one meaning."""

from __future__ import annotations

from typing import Final

STYLE: Final = frozenset(
    {
        # names from which a fixed rule makes identifiers
        *("component-name-style", "property-name", "parameter-name", "operation-name"),
        *("operation-unnamed", "reserved-name", "name-collision", "operation-id-twice"),
        *("tag-twice", "undeclared-tag", "tag-circular", "path-twice", "media-type"),
        # keys that are read as notes, and keywords that only documents have
        *("unknown-key", "key-names-code", "key-of-another-openapi", "unsupported-keyword"),
        *(
            "keys-together",
            "reference-sibling",
            "unknown-format",
            "blank-text",
            "annotation-in-data",
        ),
        # a schema that is odd, looser than it looks, or never valid
        *("array-without-items", "item-twice", "member-twice", "enum-value-twice"),
        *("enum-types-mixed", "enum-of-another-type", "required-unknown", "too-many-properties"),
        *("unsatisfiable-bounds", "never-sent", "contradiction", "closed-base"),
        *("undiscriminated-union", "discriminator-member", "discriminator-property"),
        *("discriminator-tag", "mapping-outside-union", "default-invalid", "example-invalid"),
        *("pattern-dialect", "pattern-explodes", "pattern-loose"),
        # published third-party documents have dangling references
        "reference-dangling",
        # their publishers decide how a version is selected
        *("version-header-missing", "version-header-ignored", "version-header-default"),
        *("version-header-required", "version-header-unknown"),
    }
)
"""The ids of problems that are matters of style."""

ODDITIES: Final = frozenset(
    {
        *("path-grammar", "path-parameter-optional", "path-parameter-twice"),
        *("path-parameter-undeclared", "path-parameter-unknown", "parameter-style"),
        *("status-code", "no-response"),
        *("server-url", "server-variable-missing", "server-variable-default", "address"),
        *("undefined-security-scheme", "security-type", "unknown-operation"),
        *("unsafe-name", "component-name", "header-name", "header-twice", "format-name"),
        *("control-character", "several-lines", "misspelt-key", "mapping-dangling"),
        *("discriminator-tag-twice", "pattern-invalid", "unknown-type", "empty-list"),
        # a converter, which may be missing, decides
        "tag-without-way",
    }
)
"""The ids of problems whose cause has one meaning, whatever validators make of it."""

ADOPTABLE: Final = STYLE | ODDITIES
"""The ids of problems that an adopted document may have. All others are always reported."""
