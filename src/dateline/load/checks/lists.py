"""Check lists: lists that need items are not empty, and no item repeats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dateline.load.checks.scope import Scope, Site, Violation, on
from dateline.model import ENVIRONMENTS, EXTENSIBLE
from dateline.schema.types import UNIONS
from dateline.schema.values import find_repeated
from dateline.wording import say_repeated

_EMPTY: Final = {
    "type": "no type is listed, so no value is valid; name one",
    "enum": "no value is listed, so no value is valid; list the values",
    **dict.fromkeys(("allOf", *UNIONS), "no schema is listed; list some"),
    ENVIRONMENTS: "no environment is listed, so it is nowhere; name one",
    EXTENSIBLE: "no value is listed; list those known today",
}
"""The message about an empty list, by its key."""


@on(
    *(f"{'*' if key == ENVIRONMENTS else 'schema'}.{key}" for key in _EMPTY),
    finds=("empty-list",),
)
def not_empty(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    if site.node[key] == []:
        yield Violation(site.at(key), "empty-list", _EMPTY[key], value=True)


@on(
    *("schema.type", "schema.required", f"schema.{EXTENSIBLE}", f"*.{ENVIRONMENTS}"),
    "operation.tags",
    finds=("item-twice",),
)
def items_differ(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for index, item in find_repeated(site.node[key]) if isinstance(site.node[key], list) else ():
        yield Violation(site.at(key, index), "item-twice", say_repeated(item))
