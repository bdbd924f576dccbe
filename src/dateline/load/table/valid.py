"""What values of `versions.yaml` have to be, each as a check that returns a complaint.

A ``Check`` is called for what a value has to be: ``line``, ``day``, ``one_of(…)`` and so on.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Callable
from datetime import date
from typing import Any, Final, NamedTuple

from dateline.load.table.vocabulary import (
    ENVIRONMENT_NAME,
    HEADER_NAME,
    PACKAGE_NAME,
    RULE_ID,
    SERVER_URL,
)
from dateline.load.wording import did_you_mean, quote
from dateline.model import NEXT, Map, Seq

TYPES: Final[dict[type, str]] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    Map: "a mapping",
    Seq: "a list",
}

_DATE: Final = re.compile(r"([0-9]{4})-?([0-9]{1,2})-?([0-9]{1,2})")

# Names that some file systems keep for devices: an environment or a package becomes a folder.
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)
# What the generated package imports: under such a name it would import itself.
_IMPORTED: Final = frozenset(
    {"annotated_types", "dateline", "dateline_runtime", "pydantic", "pydantic_core"}
    | {"typing_extensions", "typing_inspection"}
)


class Complaint(NamedTuple):
    """What is wrong with a value: the id of the problem and its message."""

    id: str
    message: str


Check = Callable[[Any], Complaint | None]


def canonical_date(text: str) -> bool:
    """Return whether *text* is a day of the calendar, spelled ``YYYY-MM-DD``."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _of_type(expected: type) -> Check:
    def check(value: Any) -> Complaint | None:
        if type(value) is expected:
            return None
        return Complaint("wrong-type", f"{quote(value)} where {TYPES[expected]} belongs")

    return check


text: Final = _of_type(str)
flag: Final = _of_type(bool)
_whole: Final = _of_type(int)
mapping: Final = _of_type(Map)
sequence: Final = _of_type(Seq)


def count(value: Any) -> Complaint | None:
    """A number of days."""
    negative = Complaint("negative", f"{value!r} days are none; write 0 or more")
    return _whole(value) or (negative if value < 0 else None)


def rows(value: Any) -> Complaint | None:
    """A list that is not empty."""
    return sequence(value) or (None if value else Complaint("empty-list", "the list is empty"))


def environments(value: Any) -> Complaint | None:
    """A mapping of environments that is not empty."""
    empty = Complaint("no-environment", "there is no environment; name one, such as `production`")
    return mapping(value) or (None if value else empty)


def one_of(*known: str) -> Check:
    """One of the *known* texts."""

    def check(value: Any) -> Complaint | None:
        if value in known:
            return None
        return text(value) or Complaint(
            "unknown-value", f"{value!r} is none of the values here{did_you_mean(value, known)}"
        )

    return check


def line(value: Any) -> Complaint | None:
    """One line of text that is not blank."""
    if complaint := text(value):
        return complaint
    if not value.strip():
        return Complaint("blank-text", "the text is blank; write one line")
    if len(value.splitlines()) > 1:
        return Complaint("several-lines", f"{value!r} has several lines; write one")
    return None


def _matching(pattern: str, id: str, law: str) -> Check:
    def check(value: Any) -> Complaint | None:
        if complaint := text(value):
            return complaint
        return (
            None if re.fullmatch(pattern, value) else Complaint(id, f"{quote(value)} is not {law}")
        )

    return check


header: Final = _matching(
    HEADER_NAME,
    "header-name",
    "a header name; use letters, digits and hyphens (RFC 9110 section 5.6.2)",
)
server_url: Final = _matching(
    SERVER_URL,
    "server-url",
    "an address to serve from; write http://..., https://... or a path from /, "
    "without a query or a fragment",
)
rule: Final = _matching(RULE_ID, "rule-name", "the id of a rule; they look like `variant-added`")
_environment_word: Final = _matching(
    ENVIRONMENT_NAME,
    "environment-name",
    "an environment's name; use a lower-case letter, then such letters, digits and hyphens, "
    "64 at most",
)
_package_word: Final = _matching(
    PACKAGE_NAME,
    "package-name",
    "a package name; use a lower-case letter, then such letters, digits and `_`, 64 at most",
)


def environment_name(value: Any) -> Complaint | None:
    """A name of an environment that can be a folder's name."""
    return _environment_word(value) or _check_device(value, "environment-name")


def package(value: Any) -> Complaint | None:
    """A name that the generated package can have."""
    if complaint := _package_word(value) or _check_device(value, "package-name"):
        return complaint
    if keyword.iskeyword(value):
        return Complaint("package-name", f"{value!r} is a word of Python; choose another name")
    if value in sys.stdlib_module_names or value in _IMPORTED:
        return Complaint(
            "package-name",
            f"{value!r} is a module that the generated code imports or Python brings; "
            "choose another name",
        )
    return None


def _check_device(value: str, id: str) -> Complaint | None:
    if value not in _DEVICES:
        return None
    return Complaint(id, f"{value!r} can't be a folder's name on every system; choose another")


def version_date(value: Any) -> Complaint | None:
    """The date of a version, or `next`."""
    if value == NEXT or (isinstance(value, str) and canonical_date(value)):
        return None
    written = str(value) if type(value) in (str, int) else ""
    parts = _DATE.fullmatch(written)
    padded = "-".join((parts[1], parts[2].zfill(2), parts[3].zfill(2))) if parts else ""
    named = quote(value) if isinstance(value, str) else value
    if padded and canonical_date(padded):
        return Complaint("date", f"{named} is not a canonical YYYY-MM-DD date; write {padded}")
    if padded == value:
        return Complaint("date", f"{named} is not a day of the calendar; write one, or `next`")
    wrong = f"{named} is not a canonical YYYY-MM-DD date; write one, or `next`"
    return text(value) or Complaint("date", wrong)


def day(value: Any) -> Complaint | None:
    """A day of the calendar."""
    if value == NEXT:
        return Complaint("date", "'next' is no date yet; write a canonical YYYY-MM-DD date")
    return version_date(value)
