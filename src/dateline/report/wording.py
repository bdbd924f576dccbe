"""What a finding says, as short plain text: one line, and inert wherever it is printed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from posixpath import normpath
from typing import Final, NamedTuple

from dateline.model import Finding, Place, printable
from dateline.report.context import Context

LIMIT: Final = 1_000
"""At most so many characters of one text are shown to people; programs get all of it."""

MOST_OPERATIONS: Final = 3
"""So many operations of a finding are named, and the others counted."""

_MOST_NAMES: Final = 10

# CI servers take such marks in a log for commands: GitHub and others `::name` at the start of a
# line, all of them `##[name]`, `##vso[name]` or `##teamcity[name]` anywhere in it.
_COMMAND: Final = re.compile(r"##(?=[A-Za-z]*\[)|(?<!\S)::(?=[A-Za-z])")


def plain(text: str, limit: int = LIMIT) -> str:
    """Return *text* on one line, cut at *limit*, nothing in it that a terminal or CI obeys."""
    # cut before escaping, too: a giant text costs no more than a long one
    shown = printable(text[: limit + 1], limit)
    return _COMMAND.sub(lambda found: f"{found[0][0]}\\x{ord(found[0][0]):02x}", shown)


class Span(NamedTuple):
    """A piece of a text; ``code`` where it stood between backticks."""

    text: str
    code: bool


def spans(text: str, limit: int = LIMIT) -> list[Span]:
    """Return *text* as plain pieces, those between two backticks marked as code."""
    *pieces, last = plain(text, limit).split("`")
    if len(pieces) % 2:
        # a backtick without a partner is a character like any other
        last = f"{pieces.pop()}`{last}"
    found = [Span(piece, bool(index % 2)) for index, piece in enumerate([*pieces, last])]
    return [span for span in found if span.text]


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of *text*, each on one line."""
    parts = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return [part for part in parts if part]


def first(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Return the first few of *names*, and how many more there are."""
    shown = ", ".join(plain(name, 200) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def place(finding: Finding) -> Place | None:
    """Return where *finding* is shown: where the thing stands now, else where it stood."""
    return finding.after_source or finding.before_source


def whereabouts(finding: Finding) -> str:
    """Return the place of *finding* as text; without one the pointer, and else nothing."""
    stands = place(finding)
    if stands is not None:
        return plain(str(stands))
    pointer = finding.after_pointer or finding.before_pointer
    return f"#{plain(pointer)}" if pointer else ""


class Fact(NamedTuple):
    """One more thing to know about a finding: its name and what there is to say."""

    name: str
    text: str


def facts(finding: Finding) -> Iterator[Fact]:
    """Yield what concerns *finding* beside its message and help."""
    if finding.versions:
        environments = first([name for name in finding.environments if name])
        versions = first(finding.versions)
        yield Fact("versions", f"{versions} ({environments})" if environments else versions)
    if finding.operations:
        yield Fact("operations", first(finding.operations, MOST_OPERATIONS))
    if finding.after_source and finding.before_source:
        yield Fact("before", plain(str(finding.before_source)))
    if finding.waived is not None:
        yield Fact("waived", plain(finding.waived))


def path(file: str, context: Context) -> str:
    """Return *file* from the top of the repository, as code hosts want it."""
    return normpath(f"{context.base_path or '.'}/{file}") if not file.startswith("/") else file


def unique(names: Iterable[str]) -> Iterator[str]:
    """Yield each of *names*, one that was there before with a number: readers drop repetitions."""
    given: Counter[str] = Counter()
    for name in names:
        found = name
        while given[found]:
            given[name] += 1
            found = f"{name} ({given[name]})"
        given[found] += 1
        yield found
