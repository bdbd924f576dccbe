"""The types of contract data, and their entries: values that differ between versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dateline.model import Api, Combination, Trail

Row = dict[str, list[Any]]
"""The values of something at each version, oldest first, by environment."""


def entries(row: Row, versions: tuple[str, ...], key: str) -> Iterator[dict[str, Any]]:
    """Yield where each value of *row* begins, and in which environments if not in all.

    *row* holds the values at each of *versions*; *key* is the key of a value in an entry.
    """
    groups: list[tuple[list[str], list[Any]]] = []
    for environment, values in row.items():
        for names, known in groups:
            if known == values:
                names.append(environment)
                break
        else:
            groups.append(([environment], values))
    for at, version in enumerate(versions):
        for names, values in groups:
            if at == 0 or values[at] != values[at - 1]:
                where = {"environments": names} if len(groups) > 1 else {}
                yield {"since": version, **where, key: values[at]}


def choose_entry(
    rows: Sequence[Mapping[str, Any]], versions: Sequence[str], version: str, environment: str
) -> Mapping[str, Any]:
    """Return the one of *rows*, as `entries` yields them, that applies to *version*.

    *versions* are all of them, oldest first.
    """
    at = versions.index(version)
    return next(
        each
        for each in reversed(rows)
        if versions.index(each["since"]) <= at
        and environment in each.get("environments", (environment,))
    )


class Unserved(NamedTuple):
    """Why an operation can't be served, in which versions and environments.

    ``lost`` are those in which it can't be served around an application either.
    """

    reason: str
    where: frozenset[Combination]
    lost: frozenset[Combination]


class ContractData(NamedTuple):
    """How values differ between versions, as plain JSON values (see the room `contracts`).

    ``canonical`` and ``dated`` are the components that schemas in ``data`` refer to: those whose
    canonical schema is needed, and those whose schema at a version is needed. ``unserved`` are the
    operations that can't be served somewhere, by id. ``places`` are the paths in the definitions of
    the nodes that demand converters, by the converters' names.
    """

    data: dict[str, Any]
    canonical: set[str]
    dated: set[str]
    unserved: dict[str, Unserved]
    places: Mapping[str, Trail]


class Description:
    """The contract data of an API, in a compact form.

    If outputs are generated next, they are needed: a check, which reads most of them, keeps them.
    """

    def __init__(self, _: Api) -> None:
        self.is_needed = False
        self.compressed: bytes | None = None
