"""Fields of a schema as its parts declare them: itself, its references and bases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any, Final, NamedTuple

from dateline.gates import Timeline
from dateline.model import ADDED, EVERYWHERE, REMOVED, WHY, Api, Combination
from dateline.openapi import is_old as uses_old_dialect
from dateline.schema.dialect import NOTES
from dateline.schema.references import Resolver

Schema = dict[str, Any]

# What a field says besides its form: words, and when it exists.
_BESIDE: Final = NOTES | {ADDED, REMOVED, WHY, "deprecated", "xml"}


class DeclaringPart(NamedTuple):
    """A part of a schema, and as it is in one era; ``above`` are those that lead to it.

    ``group`` is the id of the member of the schema to which it belongs, or of the schema itself.
    """

    schema: Schema
    era: Schema
    group: int
    above: tuple[Schema, ...]


class Declaration(NamedTuple):
    """A field, and the part that declares it."""

    child: Any
    part: DeclaringPart


Fields = dict[str, list[Declaration]]

Column = Sequence[list[Declaration]]
"""The declarations of one field at each version, newest first."""


class Declarations:
    """Reads the parts of schemas of one API, and their fields, at its versions, newest first."""

    def __init__(self, api: Api) -> None:
        self._resolve = Resolver(api.document).resolve
        self._is_old = uses_old_dialect(api.document)
        self.timeline = Timeline(api.table)
        self.dates = api.table.dates[::-1]
        numbers = {each: at for at, each in enumerate(self.timeline.combinations)}
        self.versions = [numbers[Combination(date, EVERYWHERE)] for date in self.dates]

    def list_eras(self, schema: Schema) -> list[Schema]:
        """Return *schema* as it is at each version."""
        return [self.timeline.era("schema", schema, at) for at in self.versions]

    def list_members(self, era: Schema) -> list[Any]:
        """Return the members of `allOf`, and the target of the reference."""
        members = [] if self._is_reference(era) else era.get("allOf")
        goals = [self._resolve(era["$ref"])] if "$ref" in era else []
        return [*members, *goals] if isinstance(members, list) else goals

    def read(self, schema: Schema, at: int | None = None) -> Fields:
        """Return the fields of *schema* at a version or, without one, as they are written."""
        found: Fields = {}
        for part in self.list_parts(schema, at):
            own = part.era.get("properties")
            for name, child in own.items() if isinstance(own, dict) else ():
                if at is None or self.timeline.of(child) >> at & 1:
                    found.setdefault(name, []).append(Declaration(child, part))
        return found

    def list_demanded(self, schema: Schema, at: int) -> set[str]:
        """Return the fields that *schema* requires at a version, or one of its parts."""
        return {
            name
            for part in self.list_parts(schema, at)
            for name in part.era.get("required", ())
            if self.timeline.of(part.era.get("properties", {}).get(name)) >> at & 1
        }

    def list_parts(
        self, schema: Any, at: int | None = None, above: tuple[Schema, ...] = ()
    ) -> Iterator[DeclaringPart]:
        """Yield the parts of *schema* at a version or, without one, as they are written."""
        if not isinstance(schema, dict) or any(schema is each for each in above):
            return
        if at is not None and not self.timeline.of(schema) >> at & 1:
            return
        era = schema if at is None else self.timeline.era("schema", schema, at)
        if not self._is_reference(era):
            yield DeclaringPart(schema, era, id((*above, schema)[:2][-1]), above)
        for each in self.list_members(era):
            yield from self.list_parts(each, at, (*above, schema))

    def _is_reference(self, era: Schema) -> bool:
        """Return whether nothing counts beside the reference of a schema."""
        return self._is_old and "$ref" in era


class Moves:
    """The fields of a schema that some of its parts declare in place of others.

    ``columns`` are the declarations of each at every version.
    """

    def __init__(self, declarations: Declarations, schema: Schema) -> None:
        self.schema = schema
        self._declarations = declarations
        self._written = declarations.read(schema)

    @cached_property
    def columns(self) -> dict[str, list[list[Declaration]]]:
        names = [name for name, found in self._written.items() if len(_list_children(found)) > 1]
        read = self._declarations.read
        listed = [read(self.schema, at) for at in self._declarations.versions]
        columns = {name: [fields.get(name, []) for fields in listed] for name in sorted(names)}
        return {name: column for name, column in columns.items() if self._is_moved(name, column)}

    @property
    def is_between_members(self) -> bool:
        """Whether one of the fields moves between members of the schema, or into it."""
        return any(
            len({each.part.group for each in self._written[name]}) > 1 for name in self.columns
        )

    def list_demands(self, name: str, column: Column) -> list[bool]:
        """Return whether each version requires the field *name*.

        Where there is none, it is required as at the next older version, or else the next newer.
        """
        shown = [
            name in self._declarations.list_demanded(self.schema, at) if found else None
            for found, at in zip(column, self._declarations.versions, strict=True)
        ]
        for numbers in (range(len(shown) - 2, -1, -1), range(1, len(shown))):
            step = numbers.step
            for at in numbers:
                shown[at] = shown[at - step] if shown[at] is None else shown[at]
        return [each is True for each in shown]

    def list_losers(self, name: str, column: Column) -> list[tuple[Declaration, list[Any]]]:
        """Return the declarations that others replace, each with the schemas of these."""
        last = self._find_last(name, column)
        return [
            (one, found)
            for at, one in last
            if (
                found := [
                    other.child
                    for then, other in last
                    if then < at and read_form(one.child) != read_form(other.child)
                ]
            )
        ]

    def _find_last(self, name: str, column: Column) -> list[tuple[int, Declaration]]:
        """Return each written declaration with the number of the last version that has it."""
        written = _list_children(self._written[name])
        last: dict[int, tuple[int, Declaration]] = {}
        for at, found in enumerate(column):
            for each in found:
                if id(each.child) in written:
                    last.setdefault(id(each.child), (at, each))
        return [*last.values()]

    def _is_moved(self, name: str, column: Column) -> bool:
        last = self._find_last(name, column)
        moved = [(one, other) for (at, one), (to, other) in combinations(last, 2) if at != to]
        if not moved:
            return False
        is_same = all(read_form(one.child) == read_form(other.child) for one, other in moved)
        return not is_same or len({*self.list_demands(name, column)}) > 1


def read_form(child: Any) -> Any:
    """Return what a field allows, and its history: not its words, nor when it exists."""
    if not isinstance(child, dict):
        return child
    return {key: value for key, value in child.items() if key not in _BESIDE}


def _list_children(found: Iterable[Declaration]) -> set[int]:
    return {id(each.child) for each in found}
