"""Sample a value that satisfies several schemas: candidates are tried in a fixed order."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from dateline.model import EXTENSIBLE
from dateline.openapi import is_json
from dateline.sample import patterns, texts
from dateline.sample.containers import array, object_
from dateline.sample.dice import Dice
from dateline.sample.document import NULL_BESIDE_REFERENCE, SampledDocument, Schemas
from dateline.sample.here import Here, NothingFitsError
from dateline.sample.numbers import number
from dateline.sample.together import TYPES, Together, together
from dateline.schema.memo import Memo

_LONGEST: Final = 1 << 20
"""The maximum number of characters of a text."""

_ATTEMPTS: Final = 24
_SIMPLE_ATTEMPTS: Final = 3
"""The number of attempts where nothing can be chosen."""

_TEXTS: Final = 400
_CHARACTERS: Final = 1 << 18
"""The number of characters in texts that are tried, if few texts have as many."""

_DEEPEST: Final = 50
_UNLIKELY: Final = ("other", 0, False)
"""Values of which a field is likely to refuse one."""

_SPOILED: Final = 300
_SPOILED_DEPTH: Final = 4
"""How many changes of an object are tried so that one member of a `oneOf` allows it, how deep."""

_CONTENT: Final = "(content)"
_CONTENTS: Final = 2
"""The step to the JSON in a text, and how often a path has it."""

_GIVING: Final = frozenset({"const", "enum", "examples", EXTENSIBLE, "example", "default"})
"""The keywords that give values."""

_MOST_READ: Final = 1 << 12
"""How many combinations of schemas are kept as one: a value uses those of its fields repeatedly."""

_ANY_OBJECT: Final = {"type": "object"}
_CONTAINERS: Final = frozenset({"object", "array"})


class _Choices:
    """The choices of one attempt; each attempt uses another combination."""

    def __init__(self, attempt: int) -> None:
        self._left = attempt

    def next(self, count: int) -> int:
        """Return a number below *count*; zero in the first attempt."""
        self._left, chosen = divmod(self._left, count)
        return chosen


class Values:
    """Creates values for the schemas of one document."""

    def __init__(self, document: SampledDocument) -> None:
        self.document = document
        # each with its schemas: an id is unique only while its object lives
        # and with how many copies at least they have no value
        self._failed: dict[tuple[int, ...], tuple[Schemas, str, int]] = {}
        self._together: dict[tuple[int, ...], tuple[Schemas, Together]] = {}
        self.is_container = Memo(Values._is_container, owner=self)
        """Returns whether values of schemas may contain others."""

    def make(self, schemas: Schemas, here: Here) -> Any:
        """Return a valid value for *schemas*. Raises NothingFitsError if none is found."""
        key = tuple(map(id, schemas))
        _, reason, copies = self._failed.get(key, ((), "", math.inf))
        if here.copies >= copies:
            raise NothingFitsError(here.path, reason, lacks_room=copies > 0)
        failures: list[NothingFitsError] = []
        for attempt in range(_ATTEMPTS):
            if attempt == _SIMPLE_ATTEMPTS and self._is_simple(schemas):
                break
            try:
                return self._attempt(schemas, here, attempt)
            except NothingFitsError as nothing:
                failures.append(nothing)
        first = failures[0]
        first.lacks_room = any(failure.lacks_room for failure in failures)
        self._failed[key] = schemas, first.reason, here.copies if first.lacks_room else 0
        raise first

    def _read(self, schemas: Schemas) -> Together:
        """Return the joint requirements of *schemas*, of which only copies may be changed."""
        key = tuple(map(id, schemas))
        if key not in self._together:
            if len(self._together) >= _MOST_READ:
                self._together.clear()
            self._together[key] = schemas, together(self.document, schemas)
        return self._together[key][1]

    def _is_simple(self, schemas: Schemas) -> bool:
        """Return whether all attempts choose the same: there are no unions, types or fields."""
        known = self._read(schemas)
        is_declared = bool(known.list_values("type")) and len(known.types) == 1
        return is_declared and not (
            known.unions or known.is_checked or known.types[0] in _CONTAINERS
        )

    def _attempt(self, schemas: Schemas, here: Here, attempt: int) -> Any:
        known = self._read(schemas).copy()
        choices = _Choices(attempt)
        self._settle(known, here, choices)
        if known.references & here.above:
            here = replace(here, room=0)
        if here.is_tight and not self._has_end(schemas, here):
            raise NothingFitsError(here.path, "each value must contain another one, without end")
        for given in _list_given(known, here.dice("given")):
            if self.document.fits(schemas, given):
                return given
        if known.is_listed:
            raise NothingFitsError(here.path, "none of the listed values is valid")
        kind = _kind(known, here, choices, attempt)
        value = self._of(kind, known, schemas, here, attempt)
        # the parts of an object or list were validated when they were created
        if known.is_checked or kind not in _CONTAINERS:
            defect = self.document.defect(schemas, value)
            if defect is not None and attempt >= _ATTEMPTS // 2:
                value = self._distinguish(known, schemas, value)
                defect = self.document.defect(schemas, value)
            if defect is not None:
                raise NothingFitsError((*here.path, *defect[0]), defect[1])
        return value

    def _distinguish(self, known: Together, schemas: Schemas, value: Any) -> Any:
        """Return a value that satisfies several `oneOf` members, changed so that one allows it.

        If all fields are optional, the only way is a field that other members describe, here or
        within what both describe, with a value that they refuse.
        """
        for part in known.parts:
            members = [each for each in part.get("oneOf", ()) if self.document.fits((each,), value)]
            for member in members:
                changed: Any = value
                for other in members:
                    if other is not member:
                        changed = self._spoil((member,), (other,), changed)
                if self.document.fits(schemas, changed):
                    return changed
        return value

    def _spoil(self, wanted: Schemas, unwanted: Schemas, value: Any) -> Any:
        """Return *value*, changed in a field that *unwanted* refuse and *wanted* allow, if any."""
        for changed in itertools.islice(self._list_spoiled(unwanted, value), _SPOILED):
            if self.document.fits(wanted, changed) and not self.document.fits(unwanted, changed):
                return changed
        return value

    def _list_spoiled(self, schemas: Schemas, value: Any, depth: int = 0) -> Iterator[Any]:
        """Yield copies of *value* with a field that *schemas* are likely to refuse."""
        known = self._read(schemas)
        if isinstance(value, dict):
            names = known.names()
            for name in names:
                if name not in value:
                    yield from ({**value, name: each} for each in _UNLIKELY)
            if depth < _SPOILED_DEPTH:
                for name in names:
                    if name in value:
                        below = self._list_spoiled(known.field(name), value[name], depth + 1)
                        yield from ({**value, name: each} for each in below)
        elif isinstance(value, list) and value:
            below = self._list_spoiled(known.item(0), value[0], depth + 1)
            yield from ([each, *value[1:]] for each in below)

    def _of(self, kind: str, known: Together, schemas: Schemas, here: Here, attempt: int) -> Any:
        if kind == "object":
            settle = partial(self._settle, here=here, choices=_Choices(attempt))
            return object_(self, known, here, attempt, settle)
        if kind == "array":
            return array(self, known, here, attempt)
        dice = here.dice("scalar", attempt)
        if kind == "string":
            least = known.least("minLength")
            here.check_size(least, _LONGEST)
            count = _TEXTS if least <= _CHARACTERS // _TEXTS else max(_CHARACTERS // least, 1)
            candidates = itertools.chain(self._contents(known, here), _texts(known, here, dice))
            tried = itertools.islice(candidates, count)
            # the last attempt provides the reason
            return next(
                (text for text in tried if self.document.fits(schemas, text)),
                texts.fill(least, known.most("maxLength"), dice),
            )
        if kind == "boolean":
            return dice.pick((True, False))
        if kind == "null":
            return None
        name = here.fields[-1] if here.fields else ""
        value = number(known.parts, whole=kind == "integer", name=name, dice=dice)
        if value is None:
            raise NothingFitsError(here.path, "there is no number within its bounds and steps")
        return value

    def _contents(self, known: Together, here: Here) -> Iterator[str]:
        """Yield JSON where that is what a text contains."""
        # quotes in quotes grow with each level
        parts = known.parts if here.path.count(_CONTENT) < _CONTENTS else ()
        for part in parts:
            media_type = part.get("contentMediaType")
            if (
                isinstance(media_type, str)
                and is_json(media_type)
                and "contentEncoding" not in part
            ):
                schema = part.get("contentSchema", _ANY_OBJECT)
                below = here.below(_CONTENT, 1, known.references, 0)
                with suppress(NothingFitsError):
                    yield json.dumps(self.make((schema,), below), ensure_ascii=False)

    def is_welcome(self, schemas: Schemas, here: Here, known: Together) -> bool:
        """Return whether a value of *schemas* is worth including in one of *known*."""
        below = self._read(schemas)
        again = self._comes_again(below, here.above | known.references)
        if below.impossible or again or any(part.get("writeOnly") for part in below.parts):
            return False
        return not (here.is_tight and self.is_container(schemas))

    def _is_container(self, schemas: Schemas) -> bool:
        known = self._read(schemas)
        return bool(known.unions or _CONTAINERS & {*known.types})

    def _has_end(self, schemas: Schemas, here: Here) -> bool:
        deepest = max(map(self.document.depth, schemas), default=0)
        return len(here.path) < _DEEPEST and deepest < math.inf

    def _settle(self, known: Together, here: Here, choices: _Choices) -> None:
        """Choose a member of every union, including unions within the chosen members."""
        for count in itertools.count():
            if known.impossible:
                raise NothingFitsError(here.path, known.impossible)
            if not known.unions:
                return
            members = self._prefer(known.unions.pop(0), here, count)
            known.add(members[choices.next(len(members))])

    def _prefer(self, members: Schemas, here: Here, count: int) -> list[Any]:
        """Return *members* in the order of trying: recursive ones last, before them null.

        Without room, null comes first, unless only some validators accept it. A member that others
        extend comes after them.
        """

        def rank(member: Any) -> tuple[bool, bool, float, bool]:
            depth = self.document.depth(member)
            is_null = isinstance(member, dict) and member.get("type") == "null"
            again = self._comes_again(self._read((member,)), here.above)
            matters = here.is_tight or depth == math.inf
            abstract = self.document.is_extended(member)
            is_last = is_null and (member == NULL_BESIDE_REFERENCE or not here.is_tight)
            return again, is_last, depth if matters else 0, abstract

        return sorted(here.dice("member", count).shuffle(members), key=rank)

    def _comes_again(self, known: Together, above: frozenset[str]) -> bool:
        """Return whether values of *known* can only lead back to what contains them."""
        if known.references & above:
            return True
        above |= known.references
        return any(
            all(self._comes_again(self._read((each,)), above) for each in members)
            for members in known.unions
        )


def _list_given(known: Together, dice: Dice) -> Iterator[Any]:
    """Yield the values that the document gives, the most binding ones first."""
    if all(part.keys().isdisjoint(_GIVING) for part in known.parts):
        return
    yield from known.list_values("const")
    for keyword in ("enum", "examples", EXTENSIBLE):
        for values in known.list_values(keyword):
            yield from dice.shuffle(value for value in values if value is not None)
    for keyword in ("example", "default"):
        yield from (value for value in known.list_values(keyword) if value is not None)
    listed = (each for keyword in ("enum", "examples") for each in known.list_values(keyword))
    if any(None in values for values in listed):
        yield None


def _kind(known: Together, here: Here, choices: _Choices, attempt: int) -> str:
    """Return the JSON type to create: null last, and without room, containers last as well."""
    types = known.types
    if attempt >= _ATTEMPTS // 2 and not known.list_values("type"):
        types = [*TYPES]  # keywords say nothing about values of other types
    if not types:
        raise NothingFitsError(here.path, "its constraints allow no type in common")

    def rank(kind: str) -> tuple[bool, bool]:
        return here.is_tight and kind in _CONTAINERS, kind == "null"

    ordered = sorted(here.dice("type").shuffle(types), key=rank)
    return ordered[choices.next(len(ordered))]


def _texts(known: Together, here: Here, dice: Dice) -> Iterator[str]:
    """Yield texts that may be valid, the most readable ones first."""
    yield from texts.suitable(known.list_values("format"), here.fields, dice)
    least = known.least("minLength")
    listed = known.list_values("pattern")
    generated = [patterns.generate_texts(pattern, dice, least) for pattern in listed]
    for text in itertools.chain.from_iterable(zip(*generated, strict=False)):
        yield text
        if len(text) < least:
            yield text + texts.fill(least - len(text), least - len(text), dice)
