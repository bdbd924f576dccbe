"""Functions that convert plain JSON values to another version.

Each function built here returns the same object if nothing in it differs, never changes its
argument, and shares with its result whatever stays the same. If documented, it returns ``OMITTED``
for what may not be shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, Final

Json = Any
"""A plain JSON value: dict, list, str, int, float, bool or None."""

Change = Callable[[Json], Json]

Fits = Callable[[Json], bool]
"""Returns whether a value fits a schema."""


def pointer(steps: Iterable[str | int]) -> str:
    """Return the JSON pointer (RFC 6901) for *steps*; empty if there are none."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


class UnfitError(Exception):
    """A value that is not valid for the canonical contract where something in it must change.

    ``place`` is a JSON pointer (RFC 6901) into the value, ``reason`` one sentence that quotes
    nothing of it. The fault is that of the server, never of the caller.
    """

    def __init__(self, reason: str, steps: Iterable[str | int] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self._steps = [*steps][::-1]

    def within(self, step: str | int) -> None:
        """Prepend *step* to the place."""
        self._steps.append(step)

    @property
    def place(self) -> str:
        return pointer(reversed(self._steps))

    def __str__(self) -> str:
        return f"{self.place or 'the value itself'}: {self.reason}"


class ConversionError(UnfitError):
    """A converter raised anything but ValueError, which is its cause, or its result is invalid.

    The fault is that of the server on the way up, too.
    """


class _Omitted:
    """The type of ``OMITTED``."""


OMITTED: Final = _Omitted()
"""Stands for a value: leave out its field or item or, if that is required, what contains it."""

_TYPES: Final[dict[type, str]] = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}

_WORDS: Final[dict[str | None, str]] = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "boolean": "a boolean",
    "integer": "a number",
    "number": "a number",
    "null": "null",
}


def identity(value: Json) -> Json:
    """Return *value*."""
    return value


def omit(_: Json) -> Json:
    """Return ``OMITTED``."""
    return OMITTED


def _misfit(value: Json, wanted: str) -> UnfitError:
    found = _WORDS.get(_TYPES.get(type(value)), "something other than a JSON value")
    return UnfitError(f"{found} where {wanted} belongs")


def require_value(change: Change) -> Change:
    """Return *change* for a value at the top, which can't be left out."""

    def apply(value: Json) -> Json:
        try:
            after = change(value)
        except RecursionError:
            raise UnfitError("it is nested too deeply") from None
        if after is OMITTED:
            reason = "nothing of it may be shown at this version"
            raise UnfitError(reason, _find_withheld(change, value))
        return after

    return apply


_passed_on: ContextVar[list[tuple[Json, str]] | None] = ContextVar("passed on", default=None)
"""Each object that may not be shown because of a required field, and its name; None: not needed"""


def _pass_on(value: Json, name: str) -> _Omitted:
    """Return ``OMITTED`` for *value*, whose required field *name* may not be shown."""
    found = _passed_on.get()
    if found is not None:
        found.append((value, name))
    return OMITTED


def _find_withheld(change: Change, value: Json) -> list[str]:
    """Return the steps to the part because of which *change* shows nothing of *value*."""
    found: list[tuple[Json, str]] = []
    token = _passed_on.set(found)
    try:
        change(value)
    except UnfitError:
        # from a converter that refuses what it has converted before
        return []
    finally:
        _passed_on.reset(token)
    steps: list[str] = []
    for holder, name in reversed(found):
        if holder is not value:
            break
        steps.append(name)
        value = value[name]
    return steps


withheld: Final = require_value(omit)
"""Refuses every value: the version has nothing there."""


def replace_values(shown: list[tuple[Json, Json]]) -> Change:
    """Return a function that replaces the first of each pair by the second.

    It refuses a list or an object that contains one of them anywhere.
    """
    texts = {value: instead for value, instead in shown if isinstance(value, str)}
    others = {_text(value): instead for value, instead in shown if not isinstance(value, str)}
    known = [_text(value) for value, _ in shown]

    def change(value: Json) -> Json:
        if isinstance(value, str):
            return texts.get(value, value)
        after = others.get(_text(value), value) if others else value
        if after is value and isinstance(value, list | dict):
            text = _text(value)
            if any(each in text for each in known):
                raise _misfit(value, "one of the values of an enumeration")
        return after

    return change


# Lists


def change_items(item: Change, *, least: int, unique: bool) -> Change:
    """Return a function that applies *item* to each item and leaves out those not to be shown.

    A list with fewer than *least* items may not be shown either; if items must be *unique*, those
    that have become equal to an earlier one are left out.
    """

    def change(value: Json) -> Json:
        if not isinstance(value, list):
            raise _misfit(value, "a list")
        items: list[Json] = []
        add = items.append
        same = True
        before = None
        try:
            for before in value:
                after = item(before)
                if after is before:
                    add(before)
                else:
                    same = False
                    if after is not OMITTED:
                        add(after)
        except UnfitError as error:
            error.within(next(at for at, each in enumerate(value) if each is before))
            raise
        if same:
            return value
        if unique:
            items = _distinct(items)
        return items if len(items) >= least else OMITTED

    return change


def filter_items(tag: str, shown: Mapping[str, bool], otherwise: Change) -> Change:
    """Return a function that leaves items out by their *tag*, or else by *otherwise*."""

    def change(value: Json) -> Json:
        if not isinstance(value, list):
            return otherwise(value)
        items = []
        try:
            # most lists are short: a comprehension costs more than it saves
            for item in value:
                if shown[item[tag]]:
                    items.append(item)
        except (KeyError, TypeError):
            # an item without a known tag: `otherwise` reports which
            return otherwise(value)
        return value if len(items) == len(value) else items

    return change


def _distinct(values: list[Json]) -> list[Json]:
    by_text: dict[str, Json] = {}
    for value in values:
        by_text.setdefault(_text(value), value)
    return list(by_text.values())


# Objects


def change_fields(
    fields: Mapping[str, Change],
    *,
    required: Container[str],
    least: int,
    names: Mapping[str, str] = MappingProxyType({}),
    left_out: Collection[str] = (),
) -> Change:
    """Return a function that applies *fields* to the fields of an object, and no others.

    It then leaves out those that are *left_out*, and renames others to their *names*. An object
    that lacks one of *required* then, or has fewer than *least*, may not be shown.
    """
    steps = [
        (name, each, name in required) for name, each in fields.items() if name not in left_out
    ]
    moved = frozenset({*names, *left_out})
    if len(steps) == 1 and not least and not moved:
        return _change_field(*steps[0])

    def change(value: Json) -> Json:
        if not isinstance(value, dict):
            raise _misfit(value, "an object")
        result = value
        name = ""
        try:
            for name, field, stays in steps:
                if name in value:
                    before = value[name]
                    after = field(before)
                    if after is before:
                        continue
                    if result is value:
                        result = dict(value)
                    if after is not OMITTED:
                        result[name] = after
                    elif stays:
                        return _pass_on(value, name)
                    else:
                        del result[name]
        except UnfitError as error:
            error.within(name)
            raise
        if not moved.isdisjoint(value):
            result = {
                names[name] if name in names else name: each  # noqa: SIM401 - a call costs more
                for name, each in result.items()
                if name not in left_out
            }
        return result if result is value or len(result) >= least else OMITTED

    return change


def _change_field(name: str, field: Change, stays: bool) -> Change:
    """Return a function for the one field *name*, which must be there if it *stays*."""

    def change(value: Json) -> Json:
        if not isinstance(value, dict):
            raise _misfit(value, "an object")
        if name not in value:
            return value
        before = value[name]
        try:
            after = field(before)
        except UnfitError as error:
            error.within(name)
            raise
        if after is before:
            return value
        if after is not OMITTED:
            return {**value, name: after}
        if stays:
            return _pass_on(value, name)
        return {each: value[each] for each in value if each != name}

    return change


def drop_spellings(change: Change, own: Container[str], names: Iterable[str]) -> Change:
    """Return *change* for objects without the fields that are *names* in another case.

    Some readers ignore the case of names, and *change* does not. Fields with *own* names stay.
    """
    folded = frozenset(map(str.casefold, names))

    def apply(value: Json) -> Json:
        if not isinstance(value, dict):
            return change(value)
        strange = {name for name in value if name.casefold() in folded and name not in own}
        if not strange:
            return change(value)
        return change({name: each for name, each in value.items() if name not in strange})

    return apply


def change_extras(
    fields: Mapping[str, Change],
    extras: Change,
    declared: Iterable[str],
    *,
    required: Container[str],
    least: int,
    names: Mapping[str, str],
    left_out: Collection[str],
) -> Change:
    """Return what `change_fields` does, with *extras* for the fields that are not *declared*."""
    known = frozenset({*fields, *declared, *left_out})

    def change(value: Json) -> Json:
        is_object = isinstance(value, dict)
        others = {name: extras for name in value if name not in known} if is_object else {}
        apply = change_fields(
            {**fields, **others}, required=required, least=least, names=names, left_out=left_out
        )
        return apply(value)

    return change


def add_defaults(defaults: Mapping[str, Json], change: Change) -> Change:
    """Return *change* for objects with *defaults* for missing fields."""

    def apply(value: Json) -> Json:
        if not isinstance(value, dict) or defaults.keys() <= value.keys():
            return change(value)
        return change({**defaults, **value})

    return apply


# Unions


def choose_by_tag(
    tag: str, members: Mapping[str, Change | None], otherwise: Change | None
) -> Change:
    """Return a function that applies the member that the *tag* names; None changes nothing.

    *otherwise* is applied if it names none; without it, such an object is refused.
    """
    lacking = otherwise or refuse(f"its {tag!r} names no member of the union")

    def change(value: Json) -> Json:
        if not isinstance(value, dict):
            raise _misfit(value, "an object")
        text = value.get(tag)
        member = members.get(text, lacking) if isinstance(text, str) else lacking
        return value if member is None else member(value)

    return change


def change_tag(tag: str, texts: Mapping[str, str], change: Change | None) -> Change:
    """Return *change*, after which a *tag* that is one of *texts* is replaced."""

    def apply(value: Json) -> Json:
        after = value if change is None else change(value)
        if not isinstance(after, dict) or not isinstance(text := after.get(tag), str):
            return after
        return {**after, tag: texts[text]} if text in texts else after

    return apply


def choose_by_type(members: Mapping[str | None, Change | None]) -> Change:
    """Return a function that applies the member of the value's JSON type; None changes nothing."""

    def refuse_type(value: Json) -> Json:
        raise _misfit(value, " or ".join(dict.fromkeys(_WORDS[name] for name in members)))

    def change(value: Json) -> Json:
        name = _TYPES.get(type(value))
        if name == "number" and value.is_integer():
            name = "integer"
        member = members.get(name, refuse_type)
        return value if member is None else member(value)

    return change


def choose_by_schema(members: Sequence[tuple[Fits, Change | None]]) -> Change:
    """Return a function that applies the first member that is valid; None changes nothing.

    The value is valid for one of them: if for none of the others, it belongs to the last.
    """

    def change(value: Json) -> Json:
        last = len(members) - 1
        for at, (fits, member) in enumerate(members):
            if at == last or fits(value):
                return value if member is None else member(value)
        raise _misfit(value, "a member of a union")

    return change


def withhold_unfit(change: Change, fits: Fits) -> Change:
    """Return *change*, after which an invalid value may not be shown."""

    def apply(value: Json) -> Json:
        after = change(value)
        return after if after is OMITTED or fits(after) else OMITTED

    return apply


def refuse(reason: str) -> Change:
    """Return a function that refuses every value, for *reason*."""

    def change(_: Json) -> Json:
        raise UnfitError(reason)

    return change


def _text(value: Json) -> str:
    """Return *value* as text that is equal for equal JSON values: 1 is 1.0, but not true."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        return json.dumps(value, sort_keys=True)
    except (TypeError, ValueError):
        raise UnfitError("it is not a JSON value") from None
