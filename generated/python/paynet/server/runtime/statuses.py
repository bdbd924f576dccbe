"""Which response of an operation is sent: the meaning of their keys in OpenAPI documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final

BODILESS: Final = frozenset({"204", "205", "304"})
"""The statuses without content, whatever a document declares (RFC 9110 section 6.4.1)."""

SUCCESSES: Final = ("2", "default", "3")
"""How the statuses of successes begin; each kind counts only if there is none of those before."""


# Published documents also write ranges in lower case.
_STATUS: Final = re.compile("[1-5](?:[0-9]{2}|XX|xx)|default")


def has_meaning(status: str) -> bool:
    """Return whether *status*, the key of a response, is a status, a range or `default`."""
    return _STATUS.fullmatch(status) is not None


def choose_successes(statuses: Iterable[str]) -> list[str]:
    """Return those of *statuses* that are a success, the usual one first.

    The usual one is sent if a handler's result has no status.
    """
    listed = sorted(filter(has_meaning, statuses))
    for wanted in SUCCESSES:
        if found := [status for status in listed if status.startswith(wanted)]:
            return found
    return []


def list_ranges(status: str) -> tuple[str, str]:
    """Return the keys of the range of *status*: published documents also write it in lower case."""
    return f"{status[:1]}XX", f"{status[:1]}xx"


# called for each response
@lru_cache(maxsize=1 << 10)
def list_covering(status: str) -> tuple[str, ...]:
    """Return the keys of responses that cover *status*, in order of precedence.

    Source: OpenAPI 3.1.1, section 4.8.16.
    """
    return status, *list_ranges(status), "default"


def find_covering(status: str, keys: Collection[str]) -> str | None:
    """Return the first of *keys* that covers *status*, None if there is none."""
    return next((each for each in list_covering(status) if each in keys), None)


def is_usual(status: str, keys: Collection[str]) -> bool:
    """Return whether *status*, or that key, may be sent for a result without a status.

    That is so for all successes with a body that have the same key, a range or `default`. If there
    is no success among *keys*, it is 204.
    """
    usual = next(iter(choose_successes(keys)), "204")
    is_alike = status[0] == "2" and status not in BODILESS and find_covering(status, keys) == usual
    return status == usual or is_alike


def find_declared(status: str, newest: Collection[str], older: Collection[str]) -> str | None:
    """Return the response of *older* that covers *status*, which is one of *newest*, or None.

    A `default` beside successes is for errors, and not for what replaced them.
    """
    found = find_covering(status, older)
    is_replaced = (
        found == "default" != find_covering(status, newest)
        and status[0] == "2"
        and status not in BODILESS
        and any(key[0] == "2" for key in older)
    )
    return None if is_replaced and is_usual(status, newest) else found


def find_counterpart(status: str, newest: Collection[str], older: Collection[str]) -> str | None:
    """Return which response of *older* takes the place of that of *newest* with *status*, or None.

    It is the one that covers the status; for the usual success, otherwise the usual one of *older*.
    """
    found = find_declared(status, newest, older)
    if found is None and is_usual(status, newest):
        return next(iter(choose_successes(older)), None)
    return found


def first_status(key: str) -> int:
    """Return the first status of a success by the *key* of its response."""
    return 200 if key == "default" else int(key.lower().replace("xx", "00"))
