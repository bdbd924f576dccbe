"""Sample objects and arrays: choose their fields and their number of items."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

from dateline.sample import patterns, texts
from dateline.sample.document import SampledDocument, Schemas
from dateline.sample.here import Here, NothingFitsError
from dateline.sample.together import Together

# The number of entries and items where the schema doesn't determine it.
_ENTRIES: Final = 2
_ITEMS: Final = 3
_NAMES: Final = 50
_DUPLICATES: Final = 50
# Each of them is compared with all others.
_MOST_DISTINCT: Final = 500
_NAME: Final = {"type": "string"}
_DISTINCT: Final = ({"uniqueItems": True},)


class Maker(Protocol):
    """Creates the values within."""

    document: SampledDocument

    def make(self, schemas: Schemas, here: Here) -> Any: ...

    def is_container(self, schemas: Schemas) -> bool: ...

    def is_welcome(self, schemas: Schemas, here: Here, known: Together) -> bool: ...


def object_(
    maker: Maker, known: Together, here: Here, attempt: int, settle: Callable[[Together], None]
) -> dict[str, Any]:
    """Return an object for *known*; *settle* chooses members of unions that come up.

    The first attempt has all fields, the second only required ones, others some. Raises
    NothingFitsError if a required field can't be created.
    """
    names = _fields(maker, known, here, attempt, settle)
    here.check_size(max(len(names), known.least("minProperties")))
    required = known.list_required()
    share = sum(maker.is_container(known.field(name)) for name in names) or 1
    result: dict[str, Any] = {}
    for name in names:
        below = here.below(name, share, known.references, attempt)
        try:
            result[name] = maker.make(known.field(name), below)
        except NothingFitsError:
            if name in required:
                raise
    least, wanted = known.least("minProperties"), _choose_size(known, here, attempt)
    for name in _free_names(maker, known, here, attempt):
        if len(result) >= max(least, wanted):
            break
        schemas = known.field(name)
        if name in result or (len(result) >= least and not maker.is_welcome(schemas, here, known)):
            continue
        result[name] = maker.make(schemas, here.below(name, _ENTRIES, known.references, attempt))
    if len(result) < least:
        raise NothingFitsError(here.path, f"no {least} fields were found that it may have")
    return result


def _fields(
    maker: Maker, known: Together, here: Here, attempt: int, settle: Callable[[Together], None]
) -> list[str]:
    """Return the described fields to include, with all fields that they require."""
    dice = here.dice("fields", attempt)
    required, rules = known.list_required(), tuple(known.list_values("propertyNames"))
    optional = [
        name
        for name in known.names()
        if name not in required
        and (attempt == 0 or (attempt > 1 and dice.pick((True, False))))
        and maker.is_welcome(known.field(name), here, known)
        and maker.document.fits(rules, name)
    ]
    most = known.most("maxProperties")
    if most is not None:
        optional = optional[: max(0, most - len(required))]
    ahead = [name for name in known.names() if name in required or name in optional]
    chosen: dict[str, None] = {}
    ahead += known.list_required()
    while ahead:
        name = ahead.pop(0)
        if name in chosen:
            continue
        chosen[name] = None
        for dependent in known.list_values("dependentSchemas"):
            if name in dependent:
                known.add(dependent[name])
                settle(known)
                ahead += known.list_required()
        for dependent in known.list_values("dependentRequired"):
            ahead += dependent.get(name, ())
    return list(chosen)


def _choose_size(known: Together, here: Here, attempt: int) -> int:
    """Return the number of fields of a map that describes its values."""
    values = [*known.list_values("additionalProperties"), *known.list_values("patternProperties")]
    is_described = any(isinstance(each, dict) and each for each in values)
    if known.names() or here.is_tight or attempt == 1 or not is_described:
        return 0
    most = known.most("maxProperties")
    return _ENTRIES if most is None else min(most, _ENTRIES)


def _free_names(maker: Maker, known: Together, here: Here, attempt: int) -> Iterator[str]:
    """Yield possible names of fields that no schema describes by name."""
    rules = tuple(known.list_values("propertyNames"))
    dice = here.dice("names", attempt)
    described = [pattern for each in known.list_values("patternProperties") for pattern in each]
    found = [
        itertools.islice(patterns.generate_texts(pattern, dice), _NAMES) for pattern in described
    ]
    names = itertools.chain(
        _ruled_names(maker, rules, here) if rules else (),
        *zip(*found, strict=False),
        (texts.word(dice) for _ in range(_NAMES)),
    )
    for name in names:
        if False not in known.field(name) and maker.document.fits(rules, name):
            yield name


def _ruled_names(maker: Maker, rules: Schemas, here: Here) -> Iterator[str]:
    for attempt in range(_NAMES):
        try:
            yield maker.make((_NAME, *rules), here.again(attempt))
        except NothingFitsError:
            return


def array(maker: Maker, known: Together, here: Here, attempt: int) -> list[Any]:
    """Return a list for *known*.

    Raises NothingFitsError if a required item can't be created.
    """
    contained = [
        (part["contains"], int(part.get("minContains", 1)))
        for part in known.parts
        if "contains" in part
    ]
    least = max(known.least("minItems"), *(count for _, count in contained), 0)
    size = _size(maker, known, here, attempt, least)
    is_distinct = True in known.list_values("uniqueItems")
    here.check_size(size, *([_MOST_DISTINCT] if is_distinct else []))
    items: list[Any] = []
    for index in range(size):
        # the last items are those that the list must contain
        last = tuple(schema for schema, count in contained if size - index <= count)
        below = here.below(index, size, known.references, attempt)
        try:
            item = _item(maker, known.item(index) + last, below, items if is_distinct else [])
        except NothingFitsError:
            if index < least:
                raise
            break
        items.append(item)
    return items


def _size(maker: Maker, known: Together, here: Here, attempt: int, least: int) -> int:
    """Return the number of items."""
    first = max(map(len, known.list_values("prefixItems")), default=0)
    most = known.most("maxItems")
    if here.is_tight or attempt == 1 or not maker.is_welcome(known.item(first), here, known):
        wanted = 0 if here.is_tight else first
    else:
        wanted = first + here.dice("size", attempt).between(1, _ITEMS)
    return max(least, wanted if most is None else min(most, wanted))


def _item(maker: Maker, schemas: Schemas, here: Here, others: list[Any]) -> Any:
    """Return an item that is not one of *others*."""
    for attempt in range(_DUPLICATES):
        item = maker.make(schemas, here.again(attempt))
        if maker.document.fits(_DISTINCT, [*others, item]):
            return item
    raise NothingFitsError(here.path, "no further item was found that differs from those before")
