"""Create definitions with gates from the documents published for each version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dateline.adopt.documents import MergedDocuments, Words, merge_documents
from dateline.adopt.inputs import (
    Source,
    UsageError,
    find_house_rules,
    format_table,
    format_title,
    parse_arguments,
    parse_table,
    read_sources,
)
from dateline.adopt.remarks import DefinitionRemarks, Remark, count_remarks
from dateline.adopt.renames import Proposal, Renames
from dateline.adopt.selectors import find_selector
from dateline.adopt.writing import write
from dateline.load.table import canonical_date
from dateline.oddities import list_wrapped
from dateline.openapi import ConvertedDocument
from dateline.schema.dialect import departures

__all__ = ["Adoption", "Proposal", "Remark", "UsageError", "Words", "adopt"]


@dataclass(frozen=True, kw_only=True)
class Adoption:
    """The result of an adoption: the files written, sorted, and remarks about them.

    ``documents`` are each date, its file, and how the restored document compares with it. ``gates``
    counts by key. ``renamed`` are the renames, ``proposals`` are likely renames that were written
    as a removal and an addition, ``restated`` the reasons why parts are repeated, ``house_rules``
    the rules for authored sources that the newest document breaks, ``nulls`` the documents in which
    null is valid beyond the letter of OpenAPI 3.0, ``kept`` what Swagger 2.0 can express and
    OpenAPI 3.0 can't, ``dangling`` the documents whose discriminators name what only others
    have. ``words`` counts the documentation of older documents that differs from the newest.
    ``selector`` is the header or query parameter that selects a version judging by the documents.
    """

    files: tuple[Path, ...]
    documents: tuple[tuple[str, str, str], ...]
    gates: dict[str, int]
    renamed: tuple[Remark, ...]
    proposals: tuple[Proposal, ...]
    restated: tuple[Remark, ...]
    house_rules: tuple[Remark, ...]
    nulls: tuple[Remark, ...]
    kept: tuple[Remark, ...]
    dangling: tuple[Remark, ...]
    words: int
    selector: str


def adopt(
    arguments: tuple[str, ...],
    folder: Path,
    *,
    header: str | None = None,
    default: str | None = None,
    package: str | None = None,
    renames: Iterable[str] = (),
    accept: Callable[[Proposal], bool] = lambda _: False,
    words: Words = Words.KEPT,
) -> Adoption:
    """Write definitions to *folder* that reproduce each document.

    *arguments* are `DATE=FILE`. Without *header*, a version is named where the documents say so, if
    they do: in a header, the query, the path or the media type; its default is taken over.
    Something was renamed according to *renames*, as `OLD=NEW` or `HOLDER.OLD=NEW`, or to *accept*,
    which is called for likely renames; otherwise one thing was removed and the other one added. The
    written definitions are read and projected, and compared with each document, before they replace
    *folder*: they must be equal, apart from the order of keys, or, if 3.0 and 3.1 are mixed, equal
    to the document in the terms of 3.1. *words* says how changed documentation is handled; without
    gates for it, the definitions have the newest.

    Raises UsageError for invalid arguments and a *folder* that is not empty, SourceError for
    documents that can't be read, and UnequalError if one is not reproduced; nothing is written
    then.
    """
    files = parse_arguments(arguments)
    dates = [date for date, _ in files]
    options = {"header": header, "default": default, "package": package}
    sources = read_sources(files, parse_table(format_table(dict.fromkeys(dates, ""), **options)))
    found = find_selector(sources) if header is None else None
    if found is not None:
        options[found.place] = found.name
        options["default"] = default or (found.default if found.default in dates else None)
        for source in sources:
            source.hide(found.text)
    titles = {source.date: format_title(source) for source in sources}
    more = {"oddities": "kept"} if any(source.is_odd for source in sources) else {}
    text = format_table(titles, more, **options)
    table = parse_table(text)
    decided = Renames(renames, accept)
    merged = merge_documents(sources, table, decided, words)
    is_kept = any(merged.dangling.values()) or any(map(list_wrapped, merged.wanted.values()))
    if is_kept and not more:
        text = format_table(titles, {"oddities": "kept"}, **options)
    decided.require_used()
    written = write(merged, sources, text, folder)
    remarks = DefinitionRemarks(merged.document, written.locate)
    return Adoption(
        files=tuple(written.files),
        documents=tuple(
            (each.date, each.name, _describe_comparison(each, merged)) for each in sources
        ),
        gates=remarks.gates(),
        renamed=tuple(remarks.renames()),
        proposals=decided.declined,
        restated=tuple(remarks.list_restated()),
        house_rules=tuple(find_house_rules(sources[-1], table)),
        nulls=tuple(_list_nulls(sources)),
        words=sum(map(len, merged.words.values())),
        dangling=tuple(
            Remark(each.name, len(paths), each.place(paths[0]))
            for each in sources
            if (paths := merged.dangling[each.date])
        ),
        kept=tuple(
            count_remarks((note.message, note.place) for one in sources for note in one.read.notes)
        ),
        selector="" if found is None else found.description,
    )


def _describe_comparison(source: Source, merged: MergedDocuments) -> str:
    words = ["equal"]
    if isinstance(source.read.content, ConvertedDocument):
        words.append(f"as OpenAPI 3.0: it is Swagger {source.read.content.written}")
    if source.date in merged.modernized:
        words.append("in the words of OpenAPI 3.1")
    if source.date in merged.trimmed:
        words.append("but for an empty section")
    if source.date in merged.reworded:
        words.append("but for documentation that changed")
    named = source.document.get("info", {}).get("version", "")
    if named != source.date and canonical_date(named):
        words.append(f"though it calls itself {named}")
    return ", ".join(words)


def _list_nulls(sources: list[Source]) -> Iterator[Remark]:
    """Yield where null is valid in the documents beyond the letter of OpenAPI 3.0."""
    for source in sources:
        departing = departures(source.document)
        if departing:
            yield Remark(source.name, len(departing), source.place(departing[0]))
