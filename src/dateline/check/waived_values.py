"""Name the value that a finding is about, so that its waiver covers no other one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

from dateline.model import Change, Finding, Kind, Policy
from dateline.schema.values import text

# Mappings by name: what they contain may have a number as its name.
_MAPS: Final = (
    *("properties", "patternProperties", "dependentSchemas", "$defs", "schemas", "responses"),
    *("headers", "content", "encoding", "links", "callbacks", "paths", "webhooks", "pathItems"),
    *("securitySchemes", "requestBodies", "variables", "mapping", "scopes"),
)
_NODE: Final = re.compile(rf"/(?:{'|'.join(map(re.escape, _MAPS))})/[^/]*\Z|/requestBody\Z")
_INDEX: Final = re.compile(rf"/(?!(?:{'|'.join(map(re.escape, _MAPS))})/)[^/]+/[0-9]+(?=/|\Z)")
_DOCUMENTATION: Final = frozenset({"description", "summary", "title", "example", "examples"})
_LITERAL: Final = re.compile(r"true|false|null|-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_LONG: Final = 60


def name_value(finding: Finding) -> str | None:
    """Return the value that *finding* is about, since another one may take its place.

    In a list, it is the item that is there or was there. Elsewhere, it is the former value and the
    new one (`3 -> 5`), and for a reference also what differs behind it; for a parameter, its name
    comes first, since its place is an index. It is None where the place alone says what happened,
    such as that the field with this name was removed.
    """
    before, after = finding.before, finding.after
    pointers = (finding.after_pointer or "", finding.before_pointer or "")
    indexes = [found for one in pointers for found in _INDEX.finditer(one)]
    if any(found.end() == len(found.string) for found in indexes):
        named = _name_item(before if after is None else after) or finding.field
        return _add_differences(named, finding.within) or None
    if before is None and after is None:
        return None
    if any(_NODE.search(one) for one in pointers):
        is_removed = after is None and isinstance(before, dict)
        # of what a version withholds, the content may go on changing
        is_withheld = finding.policy is Policy.MINTED and isinstance(after, dict)
        if is_removed or (is_withheld and before is None):
            return None
    named = f"{_abridge(before)} -> {_abridge(_drop_documentation(after))}"
    if indexes and finding.field:
        named = f"{finding.field}: {named}"
    return _add_differences(named, finding.within)


def _name_item(item: Any) -> str:
    if item is None:
        return ""
    if isinstance(item, dict) and isinstance(item.get("name"), str) and "in" in item:
        return f"{item['in']} {item['name']}"
    is_word = isinstance(item, str) and item.strip() and not _LITERAL.fullmatch(item)
    return str(item) if is_word else _abridge(_drop_documentation(item))


def _add_differences(named: str, within: Iterable[Change]) -> str:
    """Return *named* with a digest of the differences *within*, except for documentation."""
    differences = text([_identify(each) for each in within if not _is_documentation(each)])
    return f"{named} {_digest(differences)}" if differences != "[]" else named


def _identify(change: Change) -> list[Any]:
    within = [_identify(each) for each in change.within if not _is_documentation(each)]
    return [
        *(change.kind.value, change.keyword, change.schema, change.field),
        *(change.before, change.after, within),
    ]


def _is_documentation(change: Change) -> bool:
    return change.kind is Kind.DOCUMENTATION_CHANGED


def _drop_documentation(value: Any, *, are_names: bool = False) -> Any:
    """Return *value* without the documentation in it; *are_names* are its keys in a mapping."""
    if isinstance(value, list):
        return [_drop_documentation(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _drop_documentation(below, are_names=not are_names and key in _MAPS)
        for key, below in value.items()
        if are_names or key not in _DOCUMENTATION
    }


def _abridge(value: Any) -> str:
    """Return *value* as JSON, with a digest in place of the end if it is long."""
    if value is None:
        return "absent"
    found = text(value)
    return found if len(found) <= _LONG else f"{found[:_LONG]}… {_digest(found)}"


def _digest(found: str) -> str:
    return sha256(found.encode("utf-8", "surrogatepass")).hexdigest()[:16]
