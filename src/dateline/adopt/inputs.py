"""Read the documents to adopt, and the version table for them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from dateline import progress
from dateline.adopt.applications import is_application, read_application
from dateline.adopt.remarks import Remark, count_remarks
from dateline.bundle import Document, FolderFiles, open_document
from dateline.load import TABLE
from dateline.load.checks import find_problems
from dateline.load.table import (
    DEFAULT_HEADER,
    DEFAULT_PACKAGE,
    read_table,
)
from dateline.model import DatelineError, Day, Place, Problem, SourceError, Table, Trail
from dateline.oddities import find_published, keep_oddities
from dateline.paths import name_path
from dateline.placement import hide_version
from dateline.presets import DEFAULT_POLICY
from dateline.source.problems import Log
from dateline.source.reader import AUTHORED
from dateline.source.reader.yaml_document import YamlReader
from dateline.source.text import yaml_text
from dateline.versions import DATE_FORM, FORMS, is_dated, is_well_formed, order

_SUFFIXES: Final = (".json", ".yaml", ".yml")
_PACKED: Final = (".gz", ".zip")
# problems of documents that others can read
_PUBLISHED: Final = (
    "reference-",
    "parameter-",
    "missing-key",
    "method-name",
    "unsupported-dialect",
)
_WIDTH: Final = 120
"""How many characters a line of the definitions has at most, where YAML allows it."""


class UsageError(DatelineError):
    """The arguments are invalid, whatever the documents contain."""

    exit_code = 2


class Source:
    """A document as its provider published it, and its version. Raises SourceError."""

    def __init__(self, date: str, read: Document) -> None:
        self.date = date
        self.name = read.name
        self.read = read
        self.document = keep_oddities(read.content)
        self.is_odd = self.document is not self.read.content
        """whether the document has oddities, which are replaced by their meaning"""

    def hide(self, selector: str) -> None:
        """Remove what is published of *selector* at its version from the document."""
        self.document = hide_version(self.document, selector, self.date)

    def place(self, path: Trail, *, value: bool = False) -> Place:
        """Return the place of *path* in the file, or of its nearest ancestor; or of its *value*."""
        published = find_published(self.read.content, path) if self.is_odd else path
        return self.read.locate(published, value=value)


def parse_arguments(
    arguments: Iterable[str], names: Collection[str] = ()
) -> list[tuple[str, Path]]:
    """Return the dates and files in *arguments*, `DATE=FILE`, oldest first.

    In place of a date, one of *names* is a version without a date; these are last. In place of a
    file, `MODULE:NAME` names an application.

    Raises UsageError for an invalid or repeated date, and for something other than a document.
    """
    found: dict[str, Path] = {}
    faults: list[str] = []
    for argument in arguments:
        date, equals, file = argument.partition("=")
        if not equals:
            faults.append(f"{argument!r}: write DATE=FILE, such as 2024-01-15=openapi.yaml")
        elif date not in names and not is_dated(date):
            faults.append(f"{date!r} is not a date such as 2024-01-15")
        elif date in found:
            faults.append(f"{date} is the date of {found[date]} already; name each date once")
        elif not Path(file).exists() and is_application(file):
            found[date] = Path(file)
        elif not Path(file).exists():
            faults.append(f"there is no file {file!r}; name an OpenAPI document")
        elif Path(file).suffix.lower() in _PACKED:
            faults.append(f"{file!r} is compressed; unpack it, and name what comes out")
        elif Path(file).suffix.lower() not in _SUFFIXES or not Path(file).is_file():
            faults.append(f"{file!r} is no .json, .yaml or .yml file; name an OpenAPI document")
        else:
            found[date] = Path(file)
    if faults:
        raise UsageError("\n".join(faults))
    return sorted(found.items(), key=lambda pair: order(pair[0]))


def read_sources(files: list[tuple[str, Path]], table: Table) -> list[Source]:
    """Return the documents in *files*, read and checked as adopted ones.

    Raises SourceError with every problem of all of them.
    """
    problems: list[Problem] = []
    found = []
    for number, (date, path) in enumerate(files, 1):
        progress.describe("reading documents", number, len(files))
        try:
            source = Source(date, _open(path))
        except SourceError as error:
            problems += map(_drop_advice, error.problems)
            continue
        refused = find_problems(dict(source.document), table, source.place)
        problems += map(_drop_advice, refused)
        found.append(source)
    if problems:
        raise SourceError(problems)
    return found


def _open(path: Path) -> Document:
    """Return the document in a file, or of an application."""
    name = path.as_posix()
    if path.exists() or not is_application(name):
        return open_document(path, name_path(path), None)
    data = json.dumps(read_application(name), ensure_ascii=False, indent=1).encode()
    return Document(name=f"{name}.json", data=data, files=FolderFiles(Path()), readings=None)


def _drop_advice(problem: Problem) -> Problem:
    """Return *problem* without advice to edit the document, which is published already."""
    fact = problem.message.rpartition("; ")[0]
    # the separator may be part of a quoted text
    is_fact = fact != "" and fact.count("'") % 2 == 0 and problem.id.startswith(_PUBLISHED)
    return replace(problem, message=fact) if is_fact else problem


def find_house_rules(source: Source, table: Table) -> list[Remark]:
    """Return what the rules for authored definitions would refuse in *source*, by rule."""
    problems = find_problems(
        dict(source.read.content), replace(table, adopted=False), source.read.locate
    )
    return sorted(count_remarks((problem.id, problem.place) for problem in problems))


def parse_table(text: str) -> Table:
    """Return the version table that *text*, the future `versions.yaml`, describes.

    Raises UsageError if the options that it was made from are invalid.
    """
    problems: list[Problem] = []
    document = YamlReader(text, AUTHORED, False, Log(TABLE, problems)).read()
    table = read_table(document, problems)
    if table is None:
        raise UsageError("\n".join(problem.message for problem in problems))
    return table


def format_title(source: Source) -> str:
    """Return the title of the version of *source*, from the title of the document."""
    info = source.document.get("info", {})
    title, version = (_one_line(str(info.get(key, ""))) for key in ("title", "version"))
    if not title:
        return ""
    if not version or version == source.date:
        return f"{title}, as of {source.date}"
    return f"{title} {version}"


def _one_line(text: str) -> str:
    """Return *text* in one line, without invisible characters."""
    words = " ".join(text.split())
    return "".join(each for each in words if each.isprintable())


def format_table(
    titles: Mapping[str, str],
    more: Mapping[str, str] = MappingProxyType({}),
    /,
    *,
    default: str | None = None,
    package: str | None = None,
    **selector: str | None,
) -> str:
    """Return the text of `versions.yaml` for versions with these *titles*, by date.

    *more* are further keys of it, *selector* the name of what selects a version by its place.
    """
    versions = [
        {"date": Day(date), "title": title or f"As of {date}"} for date, title in titles.items()
    ]
    form = next((one for one in FORMS if all(is_well_formed(date, one) for date in titles)), "")
    served = default or versions[0]["date"]
    usual = {"header": DEFAULT_HEADER}
    content: dict[str, Any] = {
        **({key: key == "path" or name for key, name in selector.items() if name} or usual),
        "default": Day(served) if is_dated(served) else served,
        "versions": versions,
        "policy": DEFAULT_POLICY,
        "lint": "adopted",
        **more,
        **({"form": form} if form not in ("", DATE_FORM) else {}),
        "python": {"package": package or DEFAULT_PACKAGE},
    }
    return yaml_file(content)


def yaml_file(content: dict[str, Any]) -> str:
    """Return the text of a YAML file with *content*."""
    return f"{yaml_text(content, width=_WIDTH).lstrip()}\n"
