"""Problems of inputs, in reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

from dateline.model import DatelineError, Finding, Place, Policy, Problem, SourceError, Verdict

_LINE: Final = re.compile(
    r"(?:(?P<file>.+?)(?::(?P<line>\d+):(?P<column>\d+))?: )?"
    r"(?P<id>[a-z]+(?:-[a-z]+)+): (?P<fact>.+)"
)


def list_problems(errors: Iterable[DatelineError], fallback: str) -> Iterator[Problem]:
    """Yield the problems in *errors*; those without a place get the file *fallback*."""
    for error in errors:
        if isinstance(error, SourceError):
            yield from error.problems
            continue
        for text in str(error).splitlines():
            found = _LINE.fullmatch(text)
            if found and found["line"]:
                place = Place(found["file"], int(found["line"]), int(found["column"]))
            else:
                place = Place(fallback, 1, 1)
            fact = found["fact"] if found and found["line"] else text
            yield Problem(place=place, id=found["id"] if found else "invalid", message=fact)


def list_invalid(problems: Iterable[Problem]) -> Iterator[Finding]:
    """Yield *problems* as findings that differ from others only in their verdict."""
    for problem in problems:
        key = "\0".join((problem.id, problem.place.file, problem.message))
        yield Finding(
            rule=problem.id,
            verdict=Verdict.INVALID,
            policy=Policy.INPUT,
            message=problem.message,
            help="",
            fingerprint=sha256(key.encode(errors="surrogatepass")).hexdigest()[:32],
            after_source=problem.place,
        )
