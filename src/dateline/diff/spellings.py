"""Whether a parameter of another type still takes every text that it took, as the same value."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from dateline.diff.schemas import Schemas
from dateline.diff.unions import shape
from dateline.diff.views import SchemaView
from dateline.schema.dialect import NOTES
from dateline.schema.references import Located
from dateline.schema.values import text

_SCALARS: Final = frozenset({"string", "number", "integer", "boolean"})
_SEPARATORS: Final = ", |"

# Styles in which one value is written as a list of it is: `label` parts a number at its point.
_LISTS: Final = {
    "query": ("form", "spaceDelimited", "pipeDelimited"),
    "path": ("simple", "matrix"),
    "header": ("simple",),
}


class Spelling(NamedTuple):
    """How the items of a list are written into a parameter.

    ``lists`` if one item is written as a single value is; ``parted`` if some character parts
    several of them.
    """

    lists: bool
    parted: bool


def spelling(place: str, style: str, *, explode: bool) -> Spelling:
    """Return how a parameter of *style* is written (OpenAPI 3.1.1, section 4.8.12.4)."""
    return Spelling(style in _LISTS.get(place, ()), not (style == "form" and explode))


class ParameterReading(NamedTuple):
    """A schema of a parameter, with all schemas of its document."""

    schemas: Schemas
    view: SchemaView

    @property
    def types(self) -> set[str]:
        return (self.view.types or set()) - {"null"}

    @property
    def said(self) -> dict[str, list[Located]]:
        """What it says beside its type, its values and what it holds, words left out."""
        return {
            keyword: facts
            for keyword, facts in self.view.facts.items()
            if keyword not in NOTES and not keyword.startswith("x-") and keyword != "deprecated"
        }

    @property
    def items(self) -> ParameterReading | None:
        """The schema of its items, if it says no more of what it holds than that."""
        view = self.view
        if view.below.keys() != {"items"} or view.maps or view.unions or view.values is not None:
            return None
        return ParameterReading(
            self.schemas, self.schemas.view(self.schemas.parts(view.below["items"]))
        )

    @property
    def texts(self) -> set[str] | None:
        """The texts of its values, if they are listed."""
        if self.view.values is None:
            return {"true", "false"} if self.types == {"boolean"} else None
        return {_spelled(fact.value) for fact in self.view.values.values()}

    @property
    def is_scalar(self) -> bool:
        view = self.view
        return bool(self.types) and self.types <= _SCALARS and not (view.unions or view.below)

    @property
    def at(self) -> Located:
        names = sorted(self.types - {"integer"} if "number" in self.types else self.types)
        return Located(names[0] if len(names) == 1 else names, self.view.types_at)


def widened(
    before: ParameterReading, after: ParameterReading, spelled: Spelling
) -> tuple[Located, Located] | None:
    """Return the types of *before* and *after* if nothing that was sent is lost; else None.

    Nothing is told where a type is left that both have: then it is compared keyword by keyword.
    """
    if before.types == after.types == {"array"}:
        ours, theirs = before.items, after.items
        if ours is None or theirs is None or _texts(before.said) != _texts(after.said):
            return None
        return widened(ours, theirs, Spelling(lists=False, parted=spelled.parted))
    if before.types & after.types or not before.is_scalar:
        return None
    fits = _is_any_text(before, after) if after.is_scalar else _is_list_of(before, after, spelled)
    return (before.at, after.at) if fits else None


def _is_any_text(before: ParameterReading, after: ParameterReading) -> bool:
    """Tell whether *after* is text that takes whatever *before* was written as."""
    if after.types != {"string"} or after.said.keys() - {"default"}:
        return False
    defaults = (
        [_spelled(fact.value) for fact in side.said.get("default", ())] for side in (before, after)
    )
    if len({tuple(found) for found in defaults}) > 1:
        return False
    if after.texts is None:
        return True
    return before.texts is not None and before.texts <= after.texts


def _is_list_of(before: ParameterReading, after: ParameterReading, spelled: Spelling) -> bool:
    """Tell whether *after* is a list that a single value of *before* is one item of."""
    items = after.items
    if after.types != {"array"} or items is None or not items.is_scalar or not spelled.lists:
        return False
    bounds = {keyword: facts[0].value for keyword, facts in after.said.items()}
    if not (bounds.pop("minItems", 1) <= 1 <= bounds.pop("maxItems", 1)):
        return False
    if bounds.keys() - {"uniqueItems"} or "default" in before.said:
        return False
    may_hold_separator = "string" in before.types and not (
        before.texts is not None
        and not any(one in told for told in before.texts for one in _SEPARATORS)
    )
    if spelled.parted and may_hold_separator:
        return False
    return shape(before.schemas, before.view) == shape(items.schemas, items.view) or _is_any_text(
        before, items
    )


def _texts(said: dict[str, list[Located]]) -> dict[str, list[str]]:
    return {keyword: [text(fact.value) for fact in facts] for keyword, facts in said.items()}


def _spelled(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else json.dumps(value)
