"""Cut a version: its date replaces that of the drafts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dateline.changes.additions import continue_record
from dateline.changes.pages import Page, compare_versions
from dateline.changes.record import Period, read_record
from dateline.check import Published, read_waivers
from dateline.edit.folding import together
from dateline.edit.redating import redate_gates, redate_table, redate_waivers
from dateline.edit.revision import Revision, compare_contents, compare_record
from dateline.edit.sources import TITLE, Sources, open_sources, read_contents, write_trial
from dateline.gates import order
from dateline.load import load, read_known_table
from dateline.model import NEXT, DatelineError, Table, Version
from dateline.project import Projector
from dateline.versions import is_well_formed
from dateline.wording import did_you_mean


class CutError(DatelineError):
    """The requested version can't be cut; the message says why, with the way out."""

    exit_code = 2


@dataclass(frozen=True, kw_only=True)
class CutRequest:
    """A version to be cut.

    ``drafts`` are the dates of the drafts that become it; without any it is the draft of that
    day, or `next`. The title may be left out where the only draft has one. ``undisclosed`` marks
    a version that shows no change.
    """

    day: str
    title: str | None = None
    drafts: tuple[str, ...] = ()
    undisclosed: bool = False


@dataclass(frozen=True, kw_only=True)
class Cut(Revision):
    """The changes that a cut makes to the sources.

    ``closed`` is what was added to all versions since the previous cut, if that is known.
    """

    closed: Period | None

    def page(self) -> Page:
        """Return what the version changes for its callers."""
        versions = self.api.table.versions
        older = versions[versions.index(self.version) - 1]
        return compare_versions(self.api, Projector(self.api), older, self.version)


def cut(folder: Path, request: CutRequest, published: Published) -> Cut:
    """Return the edits that cut a version: its date replaces those of its drafts.

    Raises CutError for a date that is invalid or not newer than every version that is cut or
    *published*, for unknown drafts, an empty title, and a version without change; SourceError for
    definitions that are invalid, or would be.
    """
    before = read_contents(folder)
    api, known = open_sources(folder, day=request.day)
    own = read_known_table(folder)
    if own and {NEXT, request.day} <= {*api.table.dates} and request.day not in own.dates:
        # another project has cut the draft in a shared file
        request = replace(request, drafts=request.drafts or (NEXT, request.day))
    if not is_well_formed(request.day, api.table.form):
        raise CutError(f"{request.day!r} is not a date in the form {api.table.form}")
    newest = max((api.table.latest, *published.versions), key=order)
    if order(request.day) <= order(newest):
        raise CutError(
            f"{request.day} is not newer than {newest}, the newest version that is cut; name a "
            f"later day"
        )
    drafts = _drafts(api.table, request)
    title = _title(request.title, drafts)
    undisclosed = request.undisclosed or any(draft.undisclosed for draft in drafts)
    dates = [draft.date for draft in drafts]
    if dates:
        api, known = together(api, known, dates)
    sources = Sources(api, known)
    if redate_gates(api, sources, dates, request.day) == undisclosed:
        raise CutError(_contradiction(request.day, drafts, api.table, undisclosed=undisclosed))
    redate_waivers(sources, read_waivers(folder), dates, request.day)
    redate_table(api.table, sources, dates, request.day, title=title, undisclosed=undisclosed)
    after = sources.read_contents()
    with write_trial(api.name, after) as there:
        now, waivers = load(there), read_waivers(there)
    version = now.table.version(request.day)
    record = continue_record(now, Projector(now), read_record(folder, now.table), request.day)
    return Cut(
        folder=folder,
        version=version,
        api=now,
        waivers=tuple(waivers),
        record=record,
        replacements=compare_contents(before, after),
        recorded=compare_record(folder, record),
        closed=next((period for period in record.closed if period.until == request.day), None),
    )


def _drafts(table: Table, request: CutRequest) -> list[Version]:
    """Return the drafts that become the version, oldest first."""
    known = {version.date: version for version in table.versions if version.draft}
    for name in request.drafts:
        if name not in known:
            raise CutError(f"the version table has no draft {name}{did_you_mean(name, known)}")
    wanted = request.drafts or ((request.day,) if request.day in known else (NEXT,))
    for date in known:
        if date not in wanted and order(date) <= order(request.day):
            folded = " ".join(f"--draft {name}" for name in known if name in (*wanted, date))
            raise CutError(
                f"{date} is a draft, and not newer than {request.day}; fold it in with `{folded}`"
            )
    return [draft for date, draft in known.items() if date in wanted]


def _title(given: str | None, drafts: Sequence[Version]) -> str:
    titles = [given] if given is not None else [draft.title for draft in drafts]
    if len(titles) != 1 or titles[0] == TITLE:
        raise CutError("`--title` is missing: say in one sentence what callers will notice")
    if not titles[0].strip():
        raise CutError("the title is blank; say what callers will notice")
    if len(titles[0].splitlines()) > 1:
        raise CutError(f"the title {titles[0]!r} is not one line; say what callers will notice")
    return titles[0]


def _contradiction(day: str, drafts: Sequence[Version], table: Table, *, undisclosed: bool) -> str:
    """Return why the mark `undisclosed` of a version is wrong, or missing."""
    names = _join([draft.date for draft in drafts] or [NEXT])
    if undisclosed:
        return f"gates say {names}, so {day} shows changes; leave `undisclosed` out"
    others = _join([one.date for one in table.versions if one.draft and one not in drafts])
    return (
        f"no gate says {names}, so {day} would promise the same as {table.latest} does; gate a "
        f"change"
        + (f", name other drafts with `--draft` ({others})" if others != "none" else "")
        + ", or mark the version with `--undisclosed`"
    )


def _join(dates: Sequence[str]) -> str:
    return ", ".join(dates) or "none"
