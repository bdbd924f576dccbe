"""The parts of a schema: every schema object that applies to one value, with its pointer.

A value must be valid for a schema, the target of its `$ref`, the members of its `allOf`, and the
one member of a union of one (or of one and null). `PartReader` finds all of these, in any dialect;
what is computed from them is for each caller to decide.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from dateline.schema.dialect import NOTES, OR_NULL, Dialect, Schema, is_annotation
from dateline.schema.memo import Memo
from dateline.schema.references import REFERENCES, Located, component, escape
from dateline.schema.types import UNIONS, type_of
from dateline.schema.values import text

NOTHING: Final[frozenset[str]] = frozenset()

ANYTHING: Final[Schema] = {}
NEVER: Final[Schema] = {"not": {}}
"""The meaning of the schemas `true` and `false`."""

VALUE: Final = frozenset({"const", "enum", "type"})
"""The keys of a union member that is one value, besides annotations."""

_VALUE_KEYS: Final = VALUE | NOTES | {"deprecated"}

# Chains of references are followed this far: a longer one is a circle.
_FAR: Final = 100


class Part(NamedTuple):
    """A schema object that applies to a value, its keywords read, and its pointer.

    ``skip`` are the keywords that other parts replace (`$ref`, `allOf`, unions of one member),
    ``above`` the objects that led here, outermost first. ``null`` is the pointer of what allows
    null whatever the part says, empty if nothing does; ``via`` is that of the reference to it.
    """

    node: Any
    pointer: str
    skip: frozenset[str] = NOTHING
    above: tuple[Any, ...] = ()
    null: str = ""
    via: str = ""

    def get(self, keyword: str, default: Any = None) -> Any:
        """Return the part's own value of *keyword*."""
        return default if keyword in self.skip else self.node.get(keyword, default)

    def at(self, keyword: str) -> Located:
        """Return the value of *keyword*, which must exist, and its place."""
        return Located(self.node[keyword], f"{self.pointer}/{escape(keyword)}")


Parts = tuple[Part, ...]


class UnionChoice(NamedTuple):
    """The members of a union without null, and those that allow null alone.

    ``values`` are the members, references resolved, if each is one value; else None.
    """

    members: list[Located]
    nulls: list[Located]
    values: list[Located] | None

    @property
    def null(self) -> str:
        """The pointer of the first member that allows null alone; empty if there is none."""
        return self.nulls[0].pointer if self.nulls else ""


class PartReader:
    """Reads the schemas of one document in its dialect; the document must not change meanwhile."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.dialect = Dialect(document)
        self.resolver = self.dialect.resolver
        self._parts = Memo(PartReader._read, owner=self)
        self._choices = Memo(PartReader._read_choice, owner=self)

    def parts(self, located: Iterable[Located]) -> Parts:
        """Return the parts of all of *located* together, outermost first.

        A circular part is listed once. A component is a part even if it says nothing itself, and so
        is a union with null that annotates null, and the outermost object if there is no other.
        `true` is read as `ANYTHING`, `false` as
        `NEVER`.
        """
        nodes = tuple(located)
        values = tuple(one.value for one in nodes)
        return self._parts(values, tuple(one.pointer for one in nodes))

    def parts_of(self, schema: Any) -> Parts:
        """Return the parts of a value of *schema*, with pointers relative to it."""
        return self.parts([Located(schema, "")])

    def _read(self, values: tuple[Any, ...], pointers: tuple[str, ...]) -> Parts:
        found: list[Part] = []
        outer: Part | None = None
        met: set[tuple[int, bool]] = set()
        stack = [Part(*one) for one in zip(values, pointers, strict=True)][::-1]
        while stack:
            part = stack.pop()
            node = part.node
            if isinstance(node, bool):
                node = ANYTHING if node else NEVER
            if not isinstance(node, dict) or (id(node), bool(part.null)) in met:
                continue
            met.add((id(node), bool(part.null)))
            node = self.dialect.keywords(node)
            null = f"{part.pointer}/{node[OR_NULL]}" if OR_NULL in node else part.null
            part = part._replace(node=node, null=null)
            skip, below = self._through(part)
            if skip:
                part = part._replace(skip=skip)
            if len(skip) < len(node) or component(part.pointer) or self._notes_null(part):
                found.append(part)
            outer = outer or part
            stack += reversed(below)
        return tuple(found or ([outer] if outer else ()))

    def _through(self, part: Part) -> tuple[frozenset[str], list[Part]]:
        """Return the keywords of *part* that other parts replace, and those parts."""
        node, pointer = part.node, part.pointer
        above = (*part.above, node)
        skip: list[str] = []
        below: list[Part] = []
        for keyword in REFERENCES:
            if keyword in node:
                goal = self.resolver.locate_by(keyword, node[keyword])
                if goal is not None:
                    skip.append(keyword)
                    below.append(Part(*goal, above=above, null=part.null, via=pointer))
        if isinstance(node.get("allOf"), list):
            skip.append("allOf")
            bases = list_members(node, pointer, "allOf")
            below += [Part(*one, above=above, null=part.null) for one in bases]
        for keyword in UNIONS:
            if isinstance(node.get(keyword), list):
                choice = self.choice(node, pointer, keyword)
                if len(choice.members) == 1 and not _lists_value(choice):
                    skip.append(keyword)
                    null = part.null or choice.null
                    below.append(Part(*choice.members[0], above=above, null=null))
        return (frozenset(skip) if skip else NOTHING), below

    def choice(self, node: Schema, pointer: str, keyword: str) -> UnionChoice:
        """Return the choice of the union *keyword* of *node*, whose keywords are read."""
        return self._choices(node, pointer, keyword)

    def _read_choice(self, node: Schema, pointer: str, keyword: str) -> UnionChoice:
        listed = list(self._flatten_members(node, pointer, keyword, set()))
        goals = [self.goal(member) for member in listed]
        nulls = [self._is_null(member) for member in listed]
        several = keyword == "oneOf" and any(nulls) and OR_NULL not in node
        if all(nulls) or (several and sum(self.dialect.admits_null(n.value) for n in goals) > 1):
            # a union of null alone keeps it; and if two members allow null, `oneOf` refuses it
            nulls = [False] * len(nulls)
        kept = [member for member, null in zip(goals, nulls, strict=True) if not null]
        return UnionChoice(
            members=[member for member, null in zip(listed, nulls, strict=True) if not null],
            nulls=[member for member, null in zip(listed, nulls, strict=True) if null],
            values=kept if _are_values(keyword, kept) else None,
        )

    def _flatten_members(
        self, node: Schema, pointer: str, keyword: str, met: set[int]
    ) -> Iterator[Located]:
        """Yield the members of a union; an `anyOf` within `anyOf` is flattened."""
        for member in list_members(node, pointer, keyword):
            goal = self.goal(member)
            inner = goal.value
            nested = isinstance(inner, dict) and isinstance(inner.get(keyword), list)
            if (
                nested
                and keyword == "anyOf"
                and "discriminator" not in node
                and inner.keys() <= {keyword} | NOTES
                # null is reported for the union that lists it
                and not any(map(self._is_null, list_members(inner, goal.pointer, keyword)))
                and id(inner) not in met
            ):
                yield from self._flatten_members(inner, goal.pointer, keyword, met | {id(inner)})
            else:
                yield member

    def _notes_null(self, part: Part) -> bool:
        """Return whether *part* is a union of one schema and of null, which may have annotations.

        A reference counts as one: those of its target may change.
        """
        return any(
            any(key in REFERENCES or is_annotation(key) for key in node)
            for keyword in part.skip.intersection(UNIONS)
            for null in self.choice(part.node, part.pointer, keyword).nulls
            for node in self._null_way(null)
        )

    def _is_null(self, member: Located) -> bool:
        """Return whether a member of a union allows null alone, with any annotations."""
        return any(map(_allows_null_alone, self._null_way(member)))

    def _null_way(self, member: Located) -> Iterator[Schema]:
        """Yield a schema and those below it that mean the same except for annotations.

        The last may be that of null: references, `allOf` of one and unions of one are followed.
        """
        node = member.value
        for _ in range(_FAR):
            if not isinstance(node, dict):
                return
            node = self.dialect.keywords(node)
            yield node
            keywords = [key for key in node if key != OR_NULL and not is_annotation(key)]
            if len(keywords) != 1:
                return
            below = node[keywords[0]]
            if goals := self.resolver.list_referred(node):
                node = goals[0].value
            elif keywords[0] in ("allOf", *UNIONS) and isinstance(below, list) and len(below) == 1:
                node = below[0]
            else:
                return

    def goal(self, located: Located) -> Located:
        """Return the last of `way`."""
        return deque(self.way(located), maxlen=1)[0]

    def way(self, located: Located) -> Iterator[Located]:
        """Yield a schema, its keywords read, and the chain of schemas that it is an alias of.

        A schema is an alias if it is nothing but a `$ref`, or an `allOf` of one.
        """
        for _ in range(_FAR):
            value, pointer = located
            if not isinstance(value, dict):
                yield located
                return
            value = self.dialect.keywords(value)
            yield Located(value, pointer)
            if len(value) != 1:
                return
            if goals := self.resolver.list_referred(value):
                located = goals[0]
            elif isinstance(value.get("allOf"), list) and len(value["allOf"]) == 1:
                located = Located(value["allOf"][0], f"{pointer}/allOf/0")
            else:
                return


def list_members(node: Schema, pointer: str, keyword: str) -> list[Located]:
    """Return the schemas in the list *keyword* of *node*."""
    return [
        Located(member, f"{pointer}/{keyword}/{index}")
        for index, member in enumerate(node[keyword])
    ]


def _allows_null_alone(node: Schema) -> bool:
    """Return whether *node*, its keywords read, is the schema of null with annotations at most.

    In 3.0 that may be `enum: [null]` beside `nullable: true`, whatever type is beside them.
    """
    if OR_NULL in node:
        node = {key: value for key, value in node.items() if key not in (OR_NULL, "type")}
    if not all(key in VALUE or is_annotation(key) for key in node):
        return False
    if "const" in node or "enum" in node:
        only = node.get("const") is None and node.get("enum", [None]) == [None]
        return only and "null" in node.get("type", "null")
    return node.get("type") in ("null", ["null"])


def may_be_value(node: Any) -> bool:
    """Return whether *node* consists of a type or values, and annotations."""
    return isinstance(node, dict) and all(
        key in _VALUE_KEYS or key.startswith("x-") for key in node
    )


def value_of(node: Schema) -> Any:
    """Return the value of a member that lists one, as `const` or as an `enum` of one."""
    return node["const"] if "const" in node else node["enum"][0]


def _lists_value(choice: UnionChoice) -> bool:
    """Return whether the single member of a union stands for a value in a list."""
    [member] = choice.members
    return choice.values is not None and REFERENCES[0] not in member.value


def _are_values(keyword: str, members: list[Located]) -> bool:
    """Return whether a union only lists values."""
    if not members or not all(_is_value(member.value) for member in members):
        return False
    # `oneOf` refuses what two members allow
    values = {text(value_of(one.value)) for one in members}
    return keyword != "oneOf" or len(values) == len(members)


def _is_value(node: Any) -> bool:
    """Return whether a member of a union is one value with annotations."""
    if not may_be_value(node) or ("const" in node) == ("enum" in node):
        return False
    values = [node["const"]] if "const" in node else node["enum"]
    if not isinstance(values, list) or len(values) != 1:
        return False
    types = node.get("type", type_of(values[0]))
    return type_of(values[0]) in types or (type_of(values[0]), types) == ("integer", "number")
