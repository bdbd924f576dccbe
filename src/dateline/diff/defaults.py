"""Keywords of schemas that mean the same as their absence."""

from __future__ import annotations

from typing import Any, Final

from dateline.diff.views import APPLICATORS, DEFINITIONS, list_needs
from dateline.model import EXTENSIBLE
from dateline.schema.dialect import NOTES
from dateline.schema.parts import NOTHING, Parts

# JSON Schema 2020-12, core, section 10.2.2; validation, sections 6.4.4, 6.4.5 and 8.5.
NEEDED: Final = {
    **dict.fromkeys(("then", "else"), ("if",)),
    "if": ("then", "else"),
    **dict.fromkeys(("contains", "minContains", "maxContains"), ("contains",)),
    "contentSchema": ("contentMediaType",),
}
"""Keywords that mean nothing without one of others."""

_IDLE: Final = NEEDED.keys() - {"if", "contains"}

# Keywords that mean the same as their absence with this value.
_DEFAULTS: Final[dict[str, Any]] = {
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly", "uniqueItems", "nullable"), False),
    **dict.fromkeys(("minLength", "minItems", "minProperties"), 0),
    **{"minContains": 1, "pattern": "", "not": False},
}
# The same for keywords whose comparison needs no care for this value.
_EMPTY: Final[dict[str, Any]] = {
    "required": [],
    **{key: {} for key in ("properties", "patternProperties", "dependentSchemas")},
}
_DESCRIBING: Final = NOTES | {"deprecated", *DEFINITIONS}


def is_default(keyword: str, value: Any) -> bool:
    """Return whether *keyword* with *value* means the same as its absence."""
    if keyword == "dependentRequired":
        return list_needs(value) == {}
    default = _DEFAULTS.get(keyword)
    return (
        default is not None
        and isinstance(value, bool) == isinstance(default, bool)
        and bool(value == default)
    )


def restricts(parts: Parts) -> bool:
    """Return whether *parts* may do more than describe values: `{}` does not."""
    return not all(_describes(part.node, part.skip) for part in parts)


def takes_anything(schema: Any) -> bool:
    """Return whether *schema* itself, without any reference, only describes values."""
    return schema is True or (isinstance(schema, dict) and _describes(schema))


def _describes(node: dict[str, Any], skip: frozenset[str] = NOTHING) -> bool:
    return all(
        keyword in skip
        or keyword in _DESCRIBING
        or (keyword.startswith("x-") and keyword != EXTENSIBLE)
        or is_default(keyword, value)
        or (keyword in _EMPTY and value == _EMPTY[keyword])
        or (keyword in APPLICATORS and takes_anything(value))
        or (keyword in _IDLE and node.keys().isdisjoint(NEEDED[keyword]))
        for keyword, value in node.items()
    )
