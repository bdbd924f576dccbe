"""The state of a project, as data and in lines: versions, what is pending, what is stale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dateline import fresh
from dateline.cache import Cache, Recollection, open_cache
from dateline.collector import collection_off
from dateline.demands import format_demand, list_pending
from dateline.files import Stale, find_stale
from dateline.generate import Workspace, find_recorded_key, render_outputs
from dateline.load import load
from dateline.model import ADDITIONS, Announcement, Api, Verdict, Version, current_day
from dateline.paths import name_path
from dateline.project import Projector
from dateline.project_checks import list_findings

if TYPE_CHECKING:
    from dateline.check.baseline import Published


def read_status(workspace: Workspace) -> dict[str, Any]:
    """Return the state of the project, in the form of `status.schema.json` of `answers`.

    Raises SourceError for invalid definitions.
    """
    with collection_off(), open_cache(workspace.output) as cache:
        return _describe(workspace, cache)


def _describe(workspace: Workspace, cache: Cache) -> dict[str, Any]:
    api = load(workspace.schemas, cache=cache)
    projector = Projector(api)
    return {
        "name": workspace.name,
        "versions": [_describe_version(api, version) for version in api.table.versions],
        "retired": [
            {"date": one.date, "title": one.title, "ended": one.ended} for one in api.table.retired
        ],
        "environments": [
            {"name": each.name, "servers": [str(server["url"]) for server in each.servers]}
            for each in api.table.environments
        ],
        "announcements": [
            _describe_announcement(api, announcement)
            for announcement in sorted(api.table.announcements, key=lambda one: one.day)
        ],
        "pending": [
            {"version": draft.date, "changes": _list_changes(api, projector, older, draft)}
            for older, draft in pairwise(api.table.versions)
            if draft.draft
        ],
        "converters": [each.describe() for each in list_pending(api, cache)],
        "added": _list_added(workspace, api, projector, cache),
        "waivers": _list_waivers(workspace, api, cache),
        "outputs": _compare_outputs(workspace, api, cache),
    }


def format_status(state: Mapping[str, Any], workspace: Workspace) -> Iterator[str]:
    """Yield *state*, the result of `read_status` for *workspace*, as lines for people."""
    yield "versions"
    width = max(10, *(len(each["date"]) for each in (*state["versions"], *state["retired"])))
    for version in state["versions"]:
        marks = ", ".join(mark for mark in _MARKS if version[mark])
        yield f"  {version['date']:{width}}  {marks:19}  {version['title']}".rstrip()
    for version in state["retired"]:
        yield f"  {version['date']:{width}}  {'retired':19}  {version['title']}".rstrip()
    yield "environments"
    for environment in state["environments"]:
        yield f"  {environment['name']:10}  {', '.join(environment['servers'])}".rstrip()
    if state["announcements"]:
        yield "announced"
    for announced in state["announcements"]:
        event = "becomes the default" if announced["kind"] == "default" else "ends"
        left = f"; {announced['left']}" if announced["left"] else ""
        yield f"  {announced['day']}  {announced['version']} {event}{left}"
        for brownout in announced["brownouts"]:
            yield f"  {brownout['from']} to {brownout['to']}  {announced['version']} is refused"
    if not state["pending"]:
        yield "pending for the next version"
        yield "  nothing"
    for pending in state["pending"]:
        yield f"pending for {pending['version']}"
        yield from (f"  {line}" for line in list(format_changes(pending["changes"])) or ["nothing"])
    if state["converters"]:
        yield "converters that are demanded"
    for converter in state["converters"]:
        yield f"  {format_demand(converter)}"
        yield from (f"    {signature}" for signature in converter["signatures"])
    yield f"added to all versions {state['added']['since']}"
    yield from (f"  {message}" for message in state["added"]["messages"] or ["nothing"])
    if state["waivers"]:
        yield "waivers"
    yield from (f"  {_format_waiver(waiver)}" for waiver in state["waivers"])
    yield from _format_outputs(state, workspace)


def format_changes(changes: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield gated *changes*, the ``data`` of entries, grouped by reason; those without are last."""
    gated = [change for change in changes if change["verdict"] == str(Verdict.GATED)]
    for why in sorted(
        dict.fromkeys(change["why"] for change in gated), key=lambda why: why is None
    ):
        yield why or "no reason given (`x-why`)"
        yield from (f"  {change['message']}" for change in gated if change["why"] == why)


_MARKS: Final = ("default", "latest", "draft", "undisclosed")


def _describe_version(api: Api, version: Version) -> dict[str, Any]:
    return {
        "date": version.date,
        "title": version.title,
        "default": version.date == api.table.default,
        "latest": version.date == api.table.latest,
        "draft": version.draft,
        "undisclosed": version.undisclosed,
    }


def _describe_announcement(api: Api, announcement: Announcement) -> dict[str, Any]:
    due = announcement.day <= current_day().isoformat()
    return {
        "kind": announcement.kind,
        "version": announcement.version,
        "day": announcement.day,
        "left": _find_left_to_do(api, announcement) if due else None,
        "brownouts": [{"from": one.start, "to": one.end} for one in announcement.brownouts],
    }


def _find_left_to_do(api: Api, due: Announcement) -> str | None:
    """Return what is left to do about *due*, whose day has come; None if it is done."""
    if due.kind == "ends":
        is_served = due.version in api.table.dates
        return f"run `dateline retire {due.version}`" if is_served else None
    return None if due.version == api.table.default else f"write `default: {due.version}`"


def _list_changes(
    api: Api, projector: Projector, older: Version, draft: Version
) -> list[dict[str, Any]]:
    from dateline.changes.pages import compare_versions

    return [entry.data for entry in compare_versions(api, projector, older, draft).entries]


def _list_added(
    workspace: Workspace, api: Api, projector: Projector, cache: Cache
) -> dict[str, Any]:
    """Return the additions to all versions since the newest cut, by the record or else by git."""
    recollection = Recollection(cache, api.meaning)
    recorded = fresh.digest(workspace.schemas / ADDITIONS)
    start = recollection.recall(
        "empty period", lambda: _find_start(workspace, api, projector, cache), recorded
    )
    if start is not None:
        return {"since": start, "messages": []}
    # the record may have the same words as the definitions, so they count as well
    known = recollection.recall(
        "added",
        lambda: _compare_with_record(workspace, api, projector, cache),
        recorded,
        *getattr(api.document, "words", ()),
    )
    if known is not None:
        since, messages = known
        return {"since": since, "messages": messages}
    from dateline.changes.pages import Differences

    since, published = _read_published_at_cut(workspace.output, api.table.latest)
    latest = api.table.latest
    before = {
        shown.environment: document.content
        for shown, document in published.documents.items()
        if shown.version == latest
    }
    entries = Differences(api, projector).list_additions(latest, before)
    return {"since": since, "messages": sorted(entry.message for entry in entries)}


def _find_start(workspace: Workspace, api: Api, projector: Projector, cache: Cache) -> str | None:
    """Return since when nothing but words differs from the record; None if anything does."""
    from dateline.changes.additions import find_empty_period
    from dateline.changes.record import read_record

    record = read_record(workspace.schemas, api.table, cache)
    period = find_empty_period(api, projector, record) if record else None
    return None if period is None else period.words


def _compare_with_record(
    workspace: Workspace, api: Api, projector: Projector, cache: Cache
) -> tuple[str, list[str]] | None:
    """Return the additions and their start by the record; None if it does not say."""
    from dateline.changes.additions import list_periods
    from dateline.changes.record import read_record

    record = read_record(workspace.schemas, api.table, cache)
    newest = next(list_periods(api, projector, record), None) if record else None
    if newest is None or newest.until is not None:
        return None
    return newest.words, sorted(entry.message for entry in newest.entries)


def _read_published_at_cut(output: Path, version: str) -> tuple[str, Published]:
    """Return what was published when *version* was cut, and a phrase for that time.

    Without a commit of the cut, the published documents are the oldest known ones.
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


def _list_waivers(workspace: Workspace, api: Api, cache: Cache) -> list[dict[str, Any]]:
    """Return each waiver with its current state."""
    from dateline.check import baseline, judge_waivers, read_waivers

    waivers = read_waivers(workspace.schemas)
    if not waivers:
        return []
    published, today = baseline.read_own_baseline(workspace.output), current_day()
    found = list_findings(workspace, api, published, today, cache=cache)
    states = judge_waivers(api, published, waivers, today).states(found)
    return [
        {
            **waiver.data,
            "state": state.value,
            "explanation": waiver.explanation,
            "source": waiver.place._asdict(),
        }
        for waiver, state in sorted(states, key=lambda one: (one[0].expires, one[0].place))
    ]


def _format_waiver(row: Mapping[str, Any]) -> str:
    until = "expired on" if row["state"] == "expired" else f"{row['state']} until"
    return f"{until} {row['expires']}  {row['rule']} at {row['pointer']}: {row['explanation']}"


def _compare_outputs(workspace: Workspace, api: Api, cache: Cache) -> dict[str, Any]:
    key = find_recorded_key(workspace)
    edited = key is None
    untouched = key is not None and fresh.is_unchanged_since(workspace.output, key)
    stale = [] if untouched else _find_stale(workspace, api, cache, edited=edited)
    return {
        "folder": name_path(workspace.output),
        "package": api.table.package,
        "stale": [{"path": one.path, "state": one.state} for one in stale],
        "edited": bool(stale) and edited,
    }


def _format_outputs(state: Mapping[str, Any], workspace: Workspace) -> Iterator[str]:
    outputs, folder = state["outputs"], workspace.output
    yield "outputs"
    yield from (f"  {folder / str(Stale(**stale))}" for stale in outputs["stale"])
    if outputs["edited"]:
        yield "  and what else depends on the sources: run `dateline generate`"
    if outputs["stale"]:
        return
    yield f"  {folder}/ is up to date"
    # a newcomer learns here where the outputs are
    for environment in state["environments"]:
        documents = folder / "spec" / environment["name"]
        yield f"    {documents}/  one OpenAPI document for each version, versions.json, latest"
    for path, what in (
        (f"python/{outputs['package']}/", "models and clients of each version, and the server"),
        ("changes/", "what differs between versions, for callers"),
        ("site/index.html", "the API reference"),
    ):
        if (folder / path).exists():
            yield f"    {folder}/{path}  {what}"


def _is_resized(output: Path, path: str, size: int) -> bool:
    """Return whether the file at *path* has another size; False if that is unknown."""
    try:
        # an empty file must be compared with the expected content
        return (output / path).stat().st_size not in (0, size)
    except OSError:
        return False


def _find_stale(workspace: Workspace, api: Api, cache: Cache, *, edited: bool) -> list[Stale]:
    """Return the stale outputs: only documents, if sources were *edited* in what they show."""
    if edited:
        documents, _ = render_outputs(
            workspace,
            api,
            validate=False,
            only_documents=partial(_is_resized, workspace.output),
            cache=cache,
        )
        wanted = {artifact.path for artifact in documents}
        found = find_stale(documents, workspace.output)
        stale = [one for one in found if one.path in wanted or one.path.startswith("spec/")]
        if stale:
            return stale
    artifacts, _ = render_outputs(workspace, api, validate=False, cache=cache)
    return find_stale(artifacts, workspace.output)
