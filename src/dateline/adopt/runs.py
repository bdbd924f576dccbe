"""The words of merging: what versions show, and the stretches of versions that show one thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, Final, NamedTuple

from dateline.model import EXTENSIBLE, KEYS
from dateline.openapi import WHOLE

States = dict[int, Any]
"""What versions show, each by its number in the table, the newest first."""


class Absent(Enum):
    """In place of a value: there is none."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

NAMED_BY_KEY: Final = frozenset({("schema", "properties"), ("header", "headers")})
"""What goes by the key it stands under: (kind, the keyword that holds it)."""

_WORDS: Final = frozenset(
    {"description", "title", "summary", "example", "examples", "deprecated", "$comment"}
    | {"externalDocs", "xml"}
    | (KEYS - {EXTENSIBLE})
)
"""What an object says beside its shape."""


class Run(NamedTuple):
    """Versions, the newest first, that one value with its gates speaks for."""

    versions: list[int]
    value: Any


def runs(states: States) -> list[Run]:
    """Return *states* as stretches of versions that show the very same, the newest first."""
    found: list[Run] = []
    for version, value in states.items():
        if found and found[-1].value is value:
            found[-1].versions.append(version)
        else:
            found.append(Run([version], value))
    return found


def stretches(states: States, alike: Callable[[Any, Any], bool]) -> Iterable[States]:
    """Yield *states* in stretches of neighbours that are *alike*, the newest first."""
    stretch: States = {}
    last: Any = None
    for version, value in states.items():
        if stretch and not alike(last, value):
            yield stretch
            stretch = {}
        stretch[version] = last = value
    if stretch:
        yield stretch


def gateable(kind: str, node: Any) -> bool:
    """Tell whether *node*, one of several in a mapping or list, can come and go by itself."""
    return isinstance(node, dict) and kind not in WHOLE


def shape(node: dict[str, Any]) -> dict[str, Any]:
    """Return what *node* says but for words."""
    return {key: value for key, value in node.items() if key not in _WORDS}
