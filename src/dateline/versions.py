"""How versions are named: the forms of names, and their order."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from dateline_runtime.negotiation import DATED_VERSION
from dateline_runtime.negotiation import is_well_formed as is_well_formed
from dateline_runtime.negotiation import order as order_served

NEXT: Final = "next"
"""The name of the version being prepared; newer than every dated one."""

DATE_FORM: Final = "YYYY-MM-DD"
"""The form of names unless the version table declares another."""

FORMS: Final = tuple(
    f"{day}{suffix}"
    for day in (DATE_FORM, "YYYY-MM", "YYYYMMDD", "YYYYMM")
    for suffix in ("", "-suffix", ".suffix")
)
"""The forms of names. A suffix is optional, as in `2024-11-01` and `2024-11-01-preview`."""

_PARTS: Final = {"YYYY": "[0-9]{4}", "MM": "(?:0[1-9]|1[0-2])", "DD": "(?:0[1-9]|[12][0-9]|3[01])"}
_SUFFIX: Final = r"[a-z][a-z0-9]*(?:[.-][a-z0-9]+)*"

DATED: Final = re.sub(r"\?P<\w+>", "?:", DATED_VERSION.pattern)
"""A regular expression for dated names of any form, without groups."""

MOVING: Final = r"[a-z][a-z0-9-]{0,31}"
"""The form of names of moving versions: a word, such as `unstable`."""

RESERVED: Final = frozenset({NEXT, "latest", "versions", "server"})
"""Names that no version may have, because files and packages use them."""


@cache
def name_pattern(form: str) -> str:
    """Return a regular expression for the names of *form* that excludes impossible dates.

    It uses only syntax that Python and ECMA-262 share.
    """
    day, suffix = _split(form)
    pattern = re.sub("YYYY|MM|DD", lambda part: _PARTS[part[0]], day)
    return f"{pattern}(?:{re.escape(suffix)}{_SUFFIX})?" if suffix else pattern


def drops_suffix(form: str, former: str) -> bool:
    """Return whether names with a suffix are of the form *former*, and no longer of *form*."""
    (day, suffix), (former_day, former_suffix) = _split(form), _split(former)
    return day == former_day and former_suffix not in ("", suffix)


def first_day(name: str) -> str:
    """Return the first day, `YYYY-MM-DD`, of the date at the beginning of *name*."""
    found = DATED_VERSION.fullmatch(name)
    assert found is not None
    day = found["day"].replace("-", "").ljust(8, "0")
    return f"{day[:4]}-{day[4:6]}-{day[6:].replace('00', '01')}"


def write_date(day: str, form: str) -> str:
    """Return *day*, `YYYY-MM-DD`, in *form*, without a suffix."""
    year, month, of_month = day.split("-")
    parts = {"YYYY": year, "MM": month, "DD": of_month}
    return re.sub("YYYY|MM|DD", lambda part: parts[part[0]], _split(form)[0])


def is_dated(name: str) -> bool:
    """Return whether *name* begins with a date, of any form."""
    return DATED_VERSION.fullmatch(name) is not None


def is_moving(name: str) -> bool:
    """Return whether *name* is that of a moving version: neither dated nor `next`."""
    return name != NEXT and not is_dated(name)


@cache
def order(name: str) -> tuple[int, str, int, str]:
    """Return a sort key for names: dates as in servers, then `next`, then moving versions."""
    if not is_dated(name):
        return (1 if name == NEXT else 2), name, 0, ""
    return order_served(name)


def _split(form: str) -> tuple[str, str]:
    """Return the form of the date, and the separator of the suffix, empty without one."""
    day = form.removesuffix("suffix")
    return (day, "") if day == form else (day[:-1], day[-1])
