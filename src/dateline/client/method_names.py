"""Name the methods of clients that iterate over pages and open streams."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from dateline.python.called import Called


class OtherNames(NamedTuple):
    """The names of the methods of an operation beside its own; empty if there is none.

    ``iterating`` reads all its pages, ``opening`` its response while that arrives.
    """

    iterating: str = ""
    opening: str = ""


def name_others(operations: Sequence[Called], paged: Collection[str]) -> dict[str, OtherNames]:
    """Return the other names of each of *operations*, by its own; *paged* are those with pages.

    No two methods have the same name. The order of the operations doesn't matter.
    """
    taken = {each.method_name for each in operations}
    found: dict[str, OtherNames] = {}
    for each in sorted(operations, key=lambda each: _rank(each.method_name)):
        name = each.method_name
        iterating = opening = ""
        if name in paged:
            iterating = _claim(taken, f"iter_{_shorten(name)}", f"iter_{name}")
        if each.stream is not None and not each.stream.is_only:
            opening = _claim(taken, f"stream_{name}")
        found[name] = OtherNames(iterating, opening)
    return found


def _shorten(name: str) -> str:
    """Return *name* without its verb: `loans` for `list_loans`."""
    return name.removeprefix("list_").removeprefix("get_")


def _rank(name: str) -> tuple[bool, bool, str]:
    """Return the place of the operation *name* in the order in which they are named."""
    return not name.startswith("list_"), not name.startswith("get_"), name


def _claim(taken: set[str], *wanted: str) -> str:
    """Return the first of *wanted* that is not *taken*, which is taken from now on."""
    name = next((each for each in wanted if each not in taken), wanted[-1])
    while name in taken:
        name += "_"
    taken.add(name)
    return name
