"""The lines that were added to or removed from a message, with the lines around them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dateline.cache import Recollection, name_release
from dateline.model import EXTENSIBLE, Change, Direction, Kind
from dateline.openapi import parts, pointer
from dateline.rules.predicates import KEYWORD
from dateline.schema.references import Resolver
from dateline.source.text import json_text

if TYPE_CHECKING:
    from dateline.sample import Sampler

_ROOM: Final = 2.0
"""About how many objects and lists a value has: more of it would hide what changed."""

_LONGEST: Final = 12
"""Of a longer value, so many lines are shown."""

_CHOICES: Final = frozenset(
    {
        *(Kind.VALUE_ADDED, Kind.VALUE_REMOVED, Kind.OPEN_VALUE_ADDED, Kind.OPEN_VALUE_REMOVED),
        *(Kind.VARIANT_ADDED, Kind.VARIANT_REMOVED),
    }
)
_FIELDS: Final = frozenset({Kind.FIELD_ADDED, Kind.FIELD_REMOVED, Kind.FIELD_RENAMED})
_PARAMETERS: Final = frozenset(
    {
        *(Kind.PARAMETER_ADDED, Kind.PARAMETER_REMOVED, Kind.PARAMETER_RENAMED),
        *(Kind.HEADER_ADDED, Kind.HEADER_REMOVED, Kind.HEADER_RENAMED),
    }
)
_RENAMED: Final = frozenset({Kind.FIELD_RENAMED, Kind.PARAMETER_RENAMED, Kind.HEADER_RENAMED})

_REWRITTEN: Final = frozenset({"type", "format", "const"})
"""Keywords whose change shows in a value."""

# The number of pointer steps that continue from a schema, by the keyword that is the first one.
_LISTS: Final = {"items": 1, "prefixItems": 2}
_MAPS: Final = {"additionalProperties": 1, "patternProperties": 2}
_GROUPS: Final = frozenset({"allOf", "oneOf", "anyOf"})

# How a parameter or a header is written, by `in`.
_WRITTEN: Final = {
    "query": "?{name}={value}",
    "header": "{name}: {value}",
    "cookie": "Cookie: {name}={value}",
}

_Steps = tuple[str | None, ...]
"""What leads to a value from outside: the names of fields, None for an item of a list."""


class FragmentLine(NamedTuple):
    """A line of a fragment; ``sign`` is `+` if it was added, `-` if it was removed, or a space."""

    sign: str
    text: str

    @property
    def marked(self) -> str:
        """The line as `diff` writes it."""
        return f"{self.sign} {self.text}"


class MessageFragments:
    """Fragments for the changes from one document to another."""

    def __init__(self, before: MessageValues, after: MessageValues) -> None:
        self._before, self._after = before, after

    def list_lines(self, change: Change) -> tuple[FragmentLine, ...]:
        """Return the lines that *change* concerns; none if no message shows it."""
        if change.direction is Direction.MODEL:
            return ()
        if change.kind in _PARAMETERS:
            before = self._before.make_parameter(change.before_pointer)
            after = self._after.make_parameter(change.after_pointer)
        elif change.kind in _FIELDS | _CHOICES:
            before = self._before.make_value(change.before_pointer, change.before)
            after = self._after.make_value(change.after_pointer, change.after)
        elif change.kind in KEYWORD and change.keyword in _REWRITTEN:
            # a value without the keyword is as informative as one with it
            holder = change.holder_pointer
            before = self._before.make_value(change.before_pointer or holder, change.before)
            after = self._after.make_value(change.after_pointer or holder, change.after)
        else:
            return ()
        if change.kind in _RENAMED and before is not None and after is not None:
            # the value is the same under both names
            before = before._replace(value=after.value)
        return tuple(_list_lines(before, after)) if before != after else ()


class _Placed(NamedTuple):
    """A value in a message; ``where`` is `in` of a parameter or header, empty for a body."""

    steps: _Steps
    value: Any
    where: str = ""

    def list_texts(self) -> list[str]:
        """Return the lines of the message; those of the value are between ``depth`` others."""
        if self.where:
            text = self.value if isinstance(self.value, str) else _write(self.value)
            return [_WRITTEN[self.where].format(name=self.steps[-1], value=text)]
        whole = self.value
        for step in reversed(self.steps):
            whole = [whole] if step is None else {step: whole}
        return json_text(whole).split("\n")

    @property
    def depth(self) -> int:
        return 0 if self.where else len(self.steps)


class MessageValues:
    """Values of one document, each created once for all comparisons.

    Values for definitions of the same meaning are taken from *known*; *document* is that of *which*
    version and environment of them.
    """

    def __init__(
        self,
        document: dict[str, Any],
        known: Recollection | None = None,
        which: tuple[str, ...] = (),
    ) -> None:
        self._document = document
        self._known = known or Recollection()
        self._which = which
        self._resolver = Resolver(document)
        self._made: dict[tuple[str, str], list[Any]] = {}

    def make_value(self, at: str | None, choice: Any) -> _Placed | None:
        """Return a value for the schema at *at*, or *choice* if *at* leads to one of an enum.

        None where no message has the value, or none can be made.
        """
        found = None if at is None else _find_place(parts(at))
        if found is None:
            return None
        steps, schema = found
        if schema is None:
            return _Placed(steps, choice)
        return self._make({"$ref": f"#{pointer(tuple(schema))}"}, steps)

    def make_parameter(self, at: str | None) -> _Placed | None:
        """Return a value for the parameter or header at *at*; None if there is none."""
        node = None if at is None else self._resolver.resolve(f"#{at}")
        if isinstance(node, dict) and "$ref" in node:
            node = self._resolver.resolve(node["$ref"])
        if at is None or not isinstance(node, dict) or "schema" not in node:
            return None
        where = node.get("in", "header")
        if where not in _WRITTEN:
            return None
        return self._make(node["schema"], (str(node.get("name", parts(at)[-1])),), where)

    def _make(self, schema: Any, steps: _Steps, where: str = "") -> _Placed | None:
        # the value depends on the name of its field
        name = next((step for step in reversed(steps) if step), "value")
        key = _write(schema), name
        if key not in self._made:
            self._made[key] = self._known.recall(
                "message-value",
                lambda: self._sample(schema, name),
                name_release("jsonschema-rs"),
                *self._which,
                *key,
            )
        return _Placed(steps, self._made[key][0], where) if self._made[key] else None

    def _sample(self, schema: Any, name: str) -> list[Any]:
        """Return a list with a value of *schema*, called *name*; an empty one if there is none."""
        from dateline.sample import UnsatisfiedError  # a light installation has no samples

        holder = {"type": "object", "required": [name], "properties": {name: schema}}
        try:
            return [self._sampler.value(holder, name, _ROOM)[name]]
        except UnsatisfiedError:
            return []

    @cached_property
    def _sampler(self) -> Sampler:
        from dateline.sample import Sampler

        return Sampler(self._document)


def _find_place(steps: Sequence[str]) -> tuple[_Steps, Sequence[str] | None] | None:
    """Return what leads to a value in a message, and the path of its schema.

    The path is None if *steps* lead to a value of an enum; all is None if they lead to nothing that
    a message shows.
    """
    at = _find_schema(steps)
    if at is None:
        return None
    place: list[str | None] = []
    while at < len(steps):
        keyword = steps[at]
        if keyword == "properties" and at + 1 < len(steps):
            place.append(steps[at + 1])
            at += 2
        elif keyword in _LISTS:
            place.append(None)
            at += _LISTS[keyword]
        elif keyword in _MAPS:
            place.append("…")
            at += _MAPS[keyword]
        elif keyword in _GROUPS:
            at += 2
        elif keyword in ("enum", EXTENSIBLE):
            return tuple(place), None
        elif keyword in _REWRITTEN:
            return tuple(place), steps[:at]
        else:
            return None
    return tuple(place), steps


def _find_schema(steps: Sequence[str]) -> int | None:
    """Return how many of *steps* lead to the schema of a body; None if there is none on the way."""
    if tuple(steps[:2]) == ("components", "schemas"):
        return 3
    for index in range(2, len(steps)):
        if steps[index] in ("schema", "itemSchema") and steps[index - 2] == "content":
            return index + 1
    return None


def _list_lines(before: _Placed | None, after: _Placed | None) -> Iterator[FragmentLine]:
    newest = after or before
    if newest is None:
        return
    around, depth = newest.list_texts(), newest.depth
    values = [
        [] if side is None else side.list_texts()[side.depth :][: -side.depth or None]
        for side in (before, after)
    ]
    shown = list(_compare(*values))
    yield from (FragmentLine(" ", text) for text in around[:depth])
    yield from shown[:_LONGEST]
    if len(shown) > _LONGEST:
        yield FragmentLine(" ", "…")
    yield from (FragmentLine(" ", text) for text in around[len(around) - depth :])


def _compare(before: list[str], after: list[str]) -> Iterator[FragmentLine]:
    # slow to import, and not needed if no message is compared
    from difflib import SequenceMatcher

    for tag, first, last, start, end in SequenceMatcher(None, before, after, False).get_opcodes():
        if tag == "equal":
            yield from (FragmentLine(" ", text) for text in after[start:end])
        else:
            yield from (FragmentLine("-", text) for text in before[first:last])
            yield from (FragmentLine("+", text) for text in after[start:end])


def _write(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
