"""Find out which regular expressions the validators of servers can read."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from dateline.regex.engines import may_refer_to_nothing, spell_dots, write_portable

# What every validator reads and is small, known without one: it takes time to import.
_USUAL: Final = re.compile(
    r"(?:[^\\(){}\[\]?]|\\[.dws/+-]|\[(?:\^(?!\])|(?!\^))(?:[A-Za-z0-9]-[A-Za-z0-9]|\\[.dws/+](?!-)|[^\\\[\]&~-])+\]"
    r"|\{\d{1,2}(?:,\d{0,2})?\}|\((?!\?)|\)|\?)*"
)

# Look-around, references and word boundaries: validators have another engine for these, with the
# letters and digits of Unicode.
_OTHER_ENGINE: Final = re.compile(r"(?<!\\)(?:\\\\)*(?:\\[bBk1-9]|\(\?[=!<])")

# Repetitions, and whether they are of a group: these multiply what is in it.
_REPETITION: Final = re.compile(r"(\)?)\{(\d+)(?:,(\d*))?\}")
_MOST_STEPS: Final = 4000
"""With so many steps of any kind, an expression is small enough for every validator."""


@cache
def find_supported(pattern: str) -> str | None:
    """Return what *pattern* means in ECMA-262 as validators can read it; None if they can't.

    They refuse some that are valid (`[\\w-.]`), and those that take too much memory (`.{0,65536}`).
    Back references to groups that may match nothing are read otherwise.
    """
    dotless = spell_dots(pattern)
    if _USUAL.fullmatch(pattern) is not None and _count_steps(pattern) <= _MOST_STEPS:
        return dotless
    if may_refer_to_nothing(pattern):
        return None
    portable = write_portable(pattern)
    forms = (portable, dotless) if _OTHER_ENGINE.search(pattern) else (dotless, portable)
    return next((form for form in forms if form is not None and is_supported(form)), None)


def _count_steps(pattern: str) -> int:
    """Return how many steps a usual *pattern* has at most once its repetitions are written out."""
    steps, times = len(pattern), 1
    for group, least, most in _REPETITION.findall(pattern):
        count = max(int(least), int(most or 0), 1)
        if group:
            times *= count
        else:
            steps += count
    return steps * times


@cache
def is_supported(pattern: str) -> bool:
    """Return whether validators can read *pattern*; True where none is installed."""
    try:
        import jsonschema_rs
    except ModuleNotFoundError:
        return True  # a light installation builds no validators either

    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except jsonschema_rs.ValidationError:
        return False
    return True
