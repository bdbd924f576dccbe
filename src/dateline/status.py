"""The lines of `dateline status`: versions, what is pending, what is stale."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dateline.cache import open_cache
from dateline.files import Stale, find_stale
from dateline.generate import Workspace, findings, is_edited, is_untouched, render_outputs
from dateline.load import load
from dateline.model import Announcement, Api, Verdict, Version
from dateline.project import Projector

if TYPE_CHECKING:
    from dateline.changes.pages import Page
    from dateline.check.baseline import Published


def status(workspace: Workspace) -> Iterator[str]:
    """Yield the lines of the project's state. Raises SourceError for invalid definitions."""
    api = load(workspace.schemas)
    yield "versions"
    yield from (f"  {_row(api, version)}" for version in api.table.versions)
    yield "environments"
    for environment in api.table.environments:
        servers = ", ".join(str(server["url"]) for server in environment.servers)
        yield f"  {environment.name:10}  {servers}".rstrip()
    yield from _announcements(api)
    projector = Projector(api)
    yield from _pending(api, projector)
    yield from _for_all(workspace, api, projector)
    yield from _waivers(workspace, api)
    yield from _outputs(workspace, api)


def format_page(page: Page) -> Iterator[str]:
    """Yield what *page* says of gated changes, below the reason of each; no reason comes last."""
    for why, entries in page.reasons:
        gated = [one.message for one in entries if one.verdict is Verdict.GATED]
        if gated:
            yield why or "no reason given (`x-why`)"
            yield from (f"  {message}" for message in gated)


def _row(api: Api, version: Version) -> str:
    marks = {
        "default": version.date == api.table.default,
        "latest": version.date == api.table.latest,
        "draft": version.draft,
        "undisclosed": version.undisclosed,
    }
    shown = ", ".join(mark for mark, holds in marks.items() if holds)
    return f"{version.date:10}  {shown:19}  {version.title}".rstrip()


def _announcements(api: Api) -> Iterator[str]:
    announced = sorted(api.table.announcements, key=lambda announcement: announcement.day)
    if announced:
        yield "announced"
    today = date.today().isoformat()
    for one in announced:
        left = _left_to_do(api, one) if one.day <= today else ""
        yield f"  {one.day}  {_describe_announcement(one)}{left}"


def _describe_announcement(announcement: Announcement) -> str:
    if announcement.kind == "default":
        return f"{announcement.version} becomes the default"
    return f"{announcement.version} ends"


def _left_to_do(api: Api, due: Announcement) -> str:
    """Say what is to be done about *due*, whose day has come; nothing where it is done."""
    if due.kind == "ends":
        ended = due.version in api.table.dates
        return f"; run `dateline retire {due.version}`" if ended else ""
    moved = due.version == api.table.default
    return "" if moved else f"; write `default: {due.version}`"


def _pending(api: Api, projector: Projector) -> Iterator[str]:
    from dateline.changes.pages import compare_versions

    drafts = [pair for pair in pairwise(api.table.versions) if pair[1].draft]
    if not drafts:
        yield "pending for the next version"
        yield "  nothing"
    for older, draft in drafts:
        yield f"pending for {draft.date}"
        lines = list(format_page(compare_versions(api, projector, older, draft)))
        yield from (f"  {line}" for line in lines or ["nothing"])


def _for_all(workspace: Workspace, api: Api, projector: Projector) -> Iterator[str]:
    """Yield what all versions got since the newest was cut: by the record, else by git."""
    from dateline.changes.additions import list_additions, list_periods
    from dateline.changes.record import read_record

    record = read_record(workspace.schemas, api.table)
    newest = next(list_periods(api, projector, record), None) if record else None
    if newest is not None and newest.until is None:
        words, entries = newest.words, newest.entries
    else:
        words, published = _at_the_cut(workspace.output, api.table.latest)
        entries = list_additions(api, projector, api.table.latest, _latest(api, published))
    yield f"added to all versions {words}"
    yield from (f"  {line}" for line in sorted(entry.message for entry in entries) or ["nothing"])


def _at_the_cut(output: Path, version: str) -> tuple[str, Published]:
    """Return what was published when *version* was cut, and the words for that.

    Without a commit of it the published documents are the oldest that are known.
    """
    from dateline.check import baseline
    from dateline.check.git import NoRepositoryError, Repository

    try:
        commit = Repository(output).commit_that_published(output, version)
    except NoRepositoryError:
        commit = None
    if commit is None:
        return "since the outputs were generated", baseline.read_tree(output, restoring=True)
    return f"since {version} was cut ({commit[:7]})", baseline.read_baseline(commit, output)


def _latest(api: Api, published: Published) -> dict[str, dict[str, Any]]:
    """Return what is *published* of the latest version, by environment."""
    return {
        shown.environment: document.content
        for shown, document in published.documents.items()
        if shown.version == api.table.latest
    }


def _waivers(workspace: Workspace, api: Api) -> Iterator[str]:
    """Yield each waiver with what became of it since it was written."""
    from dateline.check import baseline
    from dateline.check.waivers import Waivers, WaiverState, read_waivers

    waivers = read_waivers(workspace.schemas)
    if not waivers:
        return
    yield "waivers"
    published, today = baseline.read_standing(workspace.output), date.today()
    found = findings(workspace, api, published, today)
    states = Waivers(waivers, today, published.settled).states(found)
    for waiver, state in sorted(states, key=lambda one: (one[0].expires, one[0].place)):
        until = f"expired on {waiver.expires}"
        if state is not WaiverState.EXPIRED:
            until = f"{state.value} until {waiver.expires}"
        yield f"  {until}  {waiver.rule} at {waiver.pointer}: {waiver.explanation}"


def _outputs(workspace: Workspace, api: Api) -> Iterator[str]:
    yield "outputs"
    stale = [] if is_untouched(workspace) else _find_stale(workspace, api)
    yield from (f"  {workspace.output / str(path)}" for path in stale)
    if stale and is_edited(workspace):
        yield "  and what else depends on the sources: run `dateline generate`"
    if not stale:
        yield f"  {workspace.output}/ is up to date"
        yield from (f"    {line}" for line in _landmarks(workspace, api))


def _find_stale(workspace: Workspace, api: Api) -> list[Stale]:
    """Return the outputs that are stale: only documents, where sources were edited that show."""
    if is_edited(workspace):
        documents, _ = render_outputs(workspace, api, validate=False, only_documents=True)
        wanted = {artifact.path for artifact in documents}
        found = find_stale(documents, workspace.output)
        stale = [one for one in found if one.path in wanted or one.path.startswith("spec/")]
        if stale:
            return stale
    with open_cache(workspace.output) as cache:
        artifacts, _ = render_outputs(workspace, api, validate=False, cache=cache)
    return find_stale(artifacts, workspace.output)


def _landmarks(workspace: Workspace, api: Api) -> Iterator[str]:
    """Yield where a newcomer finds what was generated."""
    for environment in api.table.environments:
        folder = workspace.output / "spec" / environment.name
        yield f"{folder}/  one OpenAPI document for each version, versions.json, latest"
    package = workspace.output / "python" / api.table.package
    yield f"{package}/  the models, one module for each version"
