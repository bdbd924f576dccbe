"""Regular expressions that the validators of servers can read."""

from __future__ import annotations

from functools import cache

from dateline.regex.engines import is_usual, write_portable


@cache
def find_supported(pattern: str) -> str | None:
    """Return *pattern*, or what means the same, as validators can read it; None if they can't.

    They refuse some that are valid (`[\\w-.]`), and those that take too much memory (`.{0,65536}`).
    """
    if is_usual(pattern) or is_supported(pattern):
        return pattern
    portable = write_portable(pattern)
    return portable if portable is not None and is_supported(portable) else None


@cache
def is_supported(pattern: str) -> bool:
    """Return whether validators can read *pattern*."""
    try:
        import jsonschema_rs
    except ModuleNotFoundError:
        return True  # nothing is generated here

    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except jsonschema_rs.ValidationError:
        return False
    return True
