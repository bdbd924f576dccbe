"""An API and its published documents, and the repairs collected so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeVar

from dateline.edit.history import ABSENT, plain
from dateline.edit.places import Object, Spot, find_spot, objects
from dateline.edit.repairs import CantGateError, Canvas, Repair, Restored
from dateline.model import EXTENSIBLE, WAS, Change, Combination, Kind, Trail
from dateline.openapi import pointer, value_at
from dateline.rules import Judgement
from dateline.wording import name_kind

ADDED: Final = frozenset(
    {
        *(Kind.FIELD_ADDED, Kind.PARAMETER_ADDED, Kind.BODY_ADDED, Kind.MEDIA_TYPE_ADDED),
        *(Kind.RESPONSE_ADDED, Kind.HEADER_ADDED, Kind.VARIANT_ADDED, Kind.COMPONENT_ADDED),
        Kind.OPERATION_ADDED,
    }
)
"""Additions of parts, which `x-added` can hide."""

REMOVED: Final = frozenset(
    {
        *(Kind.FIELD_REMOVED, Kind.PARAMETER_REMOVED, Kind.BODY_REMOVED, Kind.MEDIA_TYPE_REMOVED),
        *(Kind.RESPONSE_REMOVED, Kind.HEADER_REMOVED, Kind.VARIANT_REMOVED, Kind.COMPONENT_REMOVED),
        Kind.OPERATION_REMOVED,
    }
)
"""Removals of parts, which `x-removed` can keep for older versions."""

MOVED: Final = "it moved at the same time; move it in a separate step"
BY_HAND: Final = "it is in an `x-was`, or follows from other parts; change it by hand"

_R = TypeVar("_R", bound=Repair)


class Breaking(NamedTuple):
    """A breaking change of a published contract in one combination, and its description."""

    combination: Combination
    change: Change
    judgement: Judgement


class Draft:
    """Finds what contracts show in the definitions, and collects repairs of these."""

    def __init__(self, canvas: Canvas, published: Mapping[Combination, dict[str, Any]]) -> None:
        self.canvas = canvas
        self.published = published
        self.projector = canvas.projector
        self.repairs: dict[tuple[str, Trail], Repair] = {}
        self.items: dict[tuple[Trail, str], int] = {}

    def project(self, combination: Combination) -> dict[str, Any]:
        """Return what would be published now."""
        return self.projector.contract(*combination).document

    def before(self, found: Breaking, pointer: str | None) -> Spot:
        """Return the place of *pointer* in the published document.

        Raises CantGateError without a pointer.
        """
        return _require_spot(self.published[found.combination], pointer)

    def after(self, found: Breaking, pointer: str | None) -> Spot:
        """Return the place of *pointer* in what would be published now.

        Raises CantGateError without a pointer.
        """
        return _require_spot(self.project(found.combination), pointer)

    def canonical(self, path: Trail, found: Breaking) -> Trail:
        """Return the place in the definitions of what a contract shows at *path*.

        Raises CantGateError if it is in a history, or nowhere.
        """
        origin = self.projector.origin(pointer(path), *found.combination)
        if origin[-1:] == (WAS,) or len(origin) != len(path):
            raise CantGateError(BY_HAND)
        return origin

    def keep(self, repair: _R) -> _R:
        """Return the existing repair of this kind for the place, or this one."""
        known = self.repairs.setdefault((type(repair).__name__, repair.path), repair)
        assert isinstance(known, type(repair))
        return known

    def to_source(self, value: Any) -> Any:
        """Return a published *value* in source form."""
        return (
            plain(value)
            if self.canvas.api.table.adopted
            else _drop_published_examples(plain(value))
        )

    def published_values(self, path: Trail, key: str) -> dict[str, Any]:
        """Return the value of *key* of the object at *path* in every published version."""
        found = {}
        for combination, document in self.published.items():
            there = objects(document, path)[-1]
            if there.path == path:
                value = there.node.get(key, ABSENT)
                found[combination.version] = value if value is ABSENT else self.to_source(value)
        return found

    def is_published(self, path: Trail) -> bool:
        """Return whether any published document has something at *path*."""
        return any(value_at(document, path) is not None for document in self.published.values())

    def holder(self, found: Breaking, published: Spot) -> tuple[Object, Object]:
        """Return the innermost remaining object around a published place: before, and now."""
        above = [one for one in reversed(published.way) if len(one.path) < len(published.path)]
        if found.change.holder_pointer is not None:
            now = self.after(found, found.change.holder_pointer).inner
            pairs = [(then, now) for then in above if then.kind == now.kind]
        else:
            document = self.project(found.combination)
            both = ((then, objects(document, then.path)[-1]) for then in above)
            pairs = [(then, now) for then, now in both if then.path == now.path]
        if not pairs:
            raise CantGateError(MOVED)
        return pairs[0]

    def repair_history(self, holder: Object, found: Breaking) -> Restored:
        """Return the repair that writes the history of *holder*, an object of a contract."""
        if not holder.gateable:
            raise CantGateError(
                f"`{WAS}` is not allowed on {name_kind(holder.kind)}, which every version has; "
                "restore the published value"
            )
        return self.keep(Restored(path=self.canonical(holder.path, found)))

    def want(self, repair: Restored, key: str, found: Breaking, value: Any) -> None:
        """Demand that *key* is the published *value* in the version in which a change was found."""
        node, version = self.canvas.node(repair.path), found.combination.version
        if key == "enum" and "enum" not in node and "oneOf" in node:
            # what is published as an `enum` is written as a `oneOf` of `const`
            repair.want("oneOf", version, ABSENT)
        repair.want(key, version, value if value is ABSENT else self.to_source(value))


def _require_spot(document: dict[str, Any], pointer: str | None) -> Spot:
    if pointer is None:
        raise CantGateError(MOVED)
    return find_spot(document, pointer)


def _drop_published_examples(value: Any) -> Any:
    """Return *value* without what publishing adds to it."""
    if isinstance(value, list):
        return [_drop_published_examples(item) for item in value]
    if not isinstance(value, dict):
        return value
    named = EXTENSIBLE in value and value.get("examples") == value[EXTENSIBLE]
    return {
        key: _drop_published_examples(below)
        for key, below in value.items()
        if not (named and key == "examples")
    }
