"""Documents that were published in, definitions that give each of them back out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dateline.adopt.documents import Merged, merged
from dateline.adopt.inputs import (
    Source,
    UsageError,
    given,
    house_rules,
    sources,
    version_table,
    written_table,
)
from dateline.adopt.placing import write
from dateline.adopt.renames import Proposal, Renames
from dateline.adopt.telling import Told, renamed, restated
from dateline.load.table import canonical_date
from dateline.model import ADDED, REMOVED, WAS
from dateline.schema.dialect import departures

__all__ = ["Adoption", "Proposal", "Told", "UsageError", "adopt"]


@dataclass(frozen=True, kw_only=True)
class Adoption:
    """What was adopted: the files written, sorted; how much was gated, and what to know of it.

    ``documents`` holds each date, its file, and how what comes back compares with it.
    ``gates`` counts by key. ``renamed`` are the renames, ``proposals`` what looks like one and was
    written as removed and added, ``restated`` the reasons why parts are repeated, ``house_rules``
    the rules for authored sources that the newest breaks, ``nulls`` the documents in which null
    fits beyond the letter of OpenAPI 3.0.
    """

    files: tuple[Path, ...]
    documents: tuple[tuple[str, str, str], ...]
    gates: dict[str, int]
    renamed: tuple[Told, ...]
    proposals: tuple[Proposal, ...]
    restated: tuple[Told, ...]
    house_rules: tuple[Told, ...]
    nulls: tuple[Told, ...]


def adopt(
    arguments: tuple[str, ...],
    folder: Path,
    *,
    header: str | None = None,
    default: str | None = None,
    package: str | None = None,
    renames: Iterable[str] = (),
    accept: Callable[[Proposal], bool] = lambda _: False,
) -> Adoption:
    """Write definitions into *folder* from which each document comes back.

    *arguments* are `DATE=FILE`. Two names are those of one thing where *renames* say so, as
    `OLD=NEW` or `HOLDER.OLD=NEW`, or where *accept* does, which is asked of what looks like it;
    otherwise one was removed and the other one added. Before anything counts as written, what was
    written is read and projected, and compared with each document: equal, the order of keys
    aside, or, where 3.0 and 3.1 are mixed, equal to the document in the words of 3.1.

    Raises UsageError for arguments that make no sense and a *folder* that is not empty,
    SourceError for documents that can't be read, and UnequalError where one would not come back;
    nothing is written then.
    """
    files = given(arguments)
    dates = [date for date, _ in files]
    text = written_table(dates, header=header, default=default, package=package)
    table = version_table(text)
    found = sources(files, table)
    decided = Renames(renames, accept)
    result: Merged = merged(found, table, decided)
    decided.require_used()
    written = write(result, found, text, folder)
    return Adoption(
        files=tuple(written.files),
        documents=tuple((each.date, each.name, _comparison(each, result)) for each in found),
        gates=_gates(result.document),
        renamed=tuple(renamed(result.document, written.locate)),
        proposals=decided.declined,
        restated=tuple(restated(result.document, written.locate)),
        house_rules=tuple(house_rules(found[-1], table)),
        nulls=tuple(_nulls(found)),
    )


def _comparison(source: Source, result: Merged) -> str:
    words = ["equal"]
    if source.date in result.modernized:
        words.append("in the words of OpenAPI 3.1")
    if source.date in result.trimmed:
        words.append("but for an empty section")
    named = source.document["info"]["version"]
    if named != source.date and canonical_date(named):
        words.append(f"though it calls itself {named}")
    return ", ".join(words)


def _nulls(sources: list[Source]) -> Iterator[Told]:
    """Yield where the documents let null through beyond the letter of OpenAPI 3.0."""
    for source in sources:
        departing = departures(source.document)
        if departing:
            yield Told(source.name, len(departing), source.place(departing[0]))


def _gates(document: dict[str, Any]) -> dict[str, int]:
    """Return how many gates of each key stand in *document*, those in histories included."""
    counts = Counter({ADDED: 0, REMOVED: 0, WAS: 0})
    pending: list[Any] = [document]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            for key in (ADDED, REMOVED):
                counts[key] += isinstance(node.get(key), str)
            if isinstance(node.get(WAS), dict):
                counts[WAS] += len(node[WAS])
            pending += node.values()
        elif isinstance(node, list):
            pending += node
    return dict(counts)
