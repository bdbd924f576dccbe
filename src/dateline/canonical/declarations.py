"""Fields of a value as the parts of its schemas declare them: themselves, references and bases."""

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
from dateline.schema.types import UNIONS

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

    def list_values(self, schema: Schema) -> Iterator[tuple[Schema, ...]]:
        """Yield the schemas of a value of *schema*, alone and with each member of its unions.

        The members of a union without fields beside it are left out. Each is yielded once, with the
        schemas that lead to it first.
        """
        met: set[int] = set()
        pending: list[tuple[Schema, ...]] = [(schema,)]
        while pending:
            schemas = pending.pop()
            yield schemas
            if len(schemas) == 1 and not self.read(schemas):
                continue
            parts = self._list_parts(schemas[-1], above=schemas[:-1])
            listed = [part.era.get(key) for part in parts for key in UNIONS]
            members = [each for one in listed if isinstance(one, list) for each in one]
            new = [each for each in members if isinstance(each, dict) and id(each) not in met]
            met.update(map(id, new))
            pending += [(*schemas, each) for each in new]

    def read(self, schemas: tuple[Schema, ...], at: int | None = None) -> Fields:
        """Return the fields of *schemas* at a version or, without one, as they are written.

        They are those of one value: a schema, and the members of unions that it is of.
        """
        found: Fields = {}
        for part in self._list_all_parts(schemas, at):
            own = part.era.get("properties")
            for name, child in own.items() if isinstance(own, dict) else ():
                if at is None or self.timeline.of(child) >> at & 1:
                    found.setdefault(name, []).append(Declaration(child, part))
        return found

    def list_demanded(self, schemas: tuple[Schema, ...], at: int) -> set[str]:
        """Return the fields that *schemas* require at a version, or one of their parts."""
        return {
            name
            for part in self._list_all_parts(schemas, at)
            for name in part.era.get("required", ())
            if self.timeline.of(part.era.get("properties", {}).get(name)) >> at & 1
        }

    def _list_all_parts(
        self, schemas: tuple[Schema, ...], at: int | None
    ) -> Iterator[DeclaringPart]:
        for number, schema in enumerate(schemas):
            yield from self._list_parts(schema, at, schemas[:number])

    def _list_parts(
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
            yield from self._list_parts(each, at, (*above, schema))

    def _is_reference(self, era: Schema) -> bool:
        """Return whether nothing counts beside the reference of a schema."""
        return self._is_old and "$ref" in era


class Replaced(NamedTuple):
    """A declaration of a field that others replace, and the number of the last version with it."""

    name: str
    declared: Declaration
    last: int
    newer: list[Any]


class Moves:
    """The fields of a value that some parts of its schemas declare in place of others.

    ``columns`` are the declarations of each at every version.
    """

    def __init__(self, declarations: Declarations, *schemas: Schema) -> None:
        self.schemas = schemas
        self._declarations = declarations
        self._written = declarations.read(schemas)

    @cached_property
    def columns(self) -> dict[str, list[list[Declaration]]]:
        names = [name for name, found in self._written.items() if len(_list_children(found)) > 1]
        read = self._declarations.read
        listed = [read(self.schemas, at) for at in self._declarations.versions]
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
            name in self._declarations.list_demanded(self.schemas, at) if found else None
            for found, at in zip(column, self._declarations.versions, strict=True)
        ]
        for numbers in (range(len(shown) - 2, -1, -1), range(1, len(shown))):
            step = numbers.step
            for at in numbers:
                shown[at] = shown[at - step] if shown[at] is None else shown[at]
        return [each is True for each in shown]

    def list_replaced(self) -> Iterator[Replaced]:
        """Yield the declarations that others replace in another form, which no version has too."""
        for name, column in self.columns.items():
            last = self._find_last(name, column)
            for at, one in last:
                beside = {id(each.child) for found in column if one in found for each in found}
                others = [
                    (to, other.child)
                    for to, other in last
                    if to < at and id(other.child) not in beside
                ]
                newest = min((to for to, _ in others), default=0)
                forms = [child for to, child in others if to == newest]
                if any(read_form(one.child) != read_form(each) for each in forms):
                    yield Replaced(name, one, at, forms)

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
