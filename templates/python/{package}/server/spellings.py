"""The names of parameters and fields in requests, in every spelling that applications accept."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

_BLANKS: Final = " \t\r\n\0\ufeff'\""
_BEGIN: Final = re.compile(r"[\[\].\0]")


class Foreign:
    """The names in requests that are not those of the caller's version.

    *own* are the names of that version; *names* are others, and those of *own* whose other
    spellings must not reach the application either, as only exact names are lifted. Applications
    may ignore case, blanks and brackets, and read `.` as `_`; in a *header*, `_` as `-`.
    """

    def __init__(
        self, own: Collection[str], names: Iterable[str], *, is_header: bool = False
    ) -> None:
        self._list_readings = _read_header if is_header else _list_readings
        self._own = frozenset(map(str.lower, own) if is_header else own)
        self._names = frozenset(fold(name.removesuffix("[]")) for name in names)
        if is_header:
            self._names = frozenset().union(*map(_read_header, names))

    def __bool__(self) -> bool:
        return bool(self._names)

    def has(self, name: str) -> bool:
        """Return whether applications may read *name*, which is decoded, as one of these."""
        if name in self._own or name.partition("[")[0] in self._own:
            return False
        return not self._names.isdisjoint(self._list_readings(name))


def fold(name: str) -> str:
    """Return *name* without the differences that some applications ignore."""
    return re.sub(r"[\[. ]", "_", name.replace("]", "")).casefold()


def _list_readings(name: str) -> set[str]:
    """Return what applications may take *name* for: itself, or the beginning of a path."""
    name = name.strip(_BLANKS)
    inner = name.lstrip("[")
    return {fold(each) for each in (name, re.split(r"[\[\]\0]", inner)[0], _BEGIN.split(inner)[0])}


def _read_header(name: str) -> set[str]:
    return {name.lower().replace("_", "-")}
