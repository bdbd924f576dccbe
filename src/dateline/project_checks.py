"""Check projects against what is published."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from dateline import progress
from dateline.cache import Cache, open_cache
from dateline.collector import collection_off
from dateline.model import MANIFEST, Api, DatelineError, Finding, Place, SourceError, current_day
from dateline.paths import name_folder
from dateline.settings import (
    UnknownProjectError,
    Workspace,
    find_projects,
    list_former,
    list_gone,
)

if TYPE_CHECKING:
    from pathlib import Path

    from dateline.check.baseline import Published


def check(workspace: Workspace, against: str | None) -> tuple[list[Finding], Published]:
    """Return every finding of the definitions, and the baseline they were compared with.

    *against* names the baseline; by default it is what the output folder has published. Adopted
    definitions that were neither generated nor committed are compared with nothing. Raises what
    `load`, `read_published` and `list_findings` raise.
    """
    from dateline.check import read_waivers
    from dateline.check.baseline import BaselineError, is_committed, read_own_baseline
    from dateline.check.lone_documents import assign_version
    from dateline.load import read_known_table

    with collection_off(), open_cache(workspace.output) as cache:
        is_new = against is None and not os.path.lexists(workspace.output / MANIFEST)
        # definitions that a pipeline checks out without outputs must not pass as compared
        is_new = is_new and not is_committed(workspace.schemas, workspace.schemas)
        published = read_own_baseline(workspace.output) if is_new else None
        table = read_known_table(workspace.schemas) if is_new else None
        if published is None or published.documents or not (table and table.adopted):
            try:
                published = read_published(workspace, against)
            except BaselineError:
                # problems of the sources come before any comparison
                _load(workspace, cache)
                read_waivers(workspace.schemas)
                raise
        api = _load(workspace, cache)
        published = assign_version(published, api)
        return list_findings(workspace, api, published, cache=cache), published


def _load(workspace: Workspace, cache: Cache) -> Api:
    """Return the definitions. Raises SourceError for problems of the waivers together with theirs.

    Without problems of the definitions, those of the waivers are not looked for.
    """
    from dateline.check import read_waivers
    from dateline.load import load

    try:
        return load(workspace.schemas, cache=cache)
    except SourceError as error:
        try:
            read_waivers(workspace.schemas)
        except SourceError as other:
            raise SourceError([*error.problems, *other.problems]) from error
        raise


@dataclass(frozen=True, kw_only=True)
class Checked:
    """The result of checking projects.

    ``baseline`` is what they were compared with, ``errors`` are the reasons why projects could not
    be checked, and ``uncompared`` are the projects for which nothing was published.
    """

    findings: list[Finding]
    baseline: str
    errors: list[DatelineError]
    uncompared: list[Workspace]


def check_projects(workspaces: Sequence[Workspace], against: str | None) -> Checked:
    """Check each project as `check` does; an error in one doesn't stop the others."""
    if len(workspaces) > 1 and against is not None and os.path.lexists(against):
        raise UnknownProjectError(
            f"{against} can be compared with one project only; name it with -p"
        )
    labels: dict[str, list[str]] = {}
    checked = Checked(findings=[], baseline="", errors=[], uncompared=[])
    for number, workspace in enumerate(workspaces, 1):
        progress.enter_project(workspace.name, number, len(workspaces))
        progress.describe("reading the definitions")
        try:
            found, published = check(workspace, against)
        except DatelineError as error:
            checked.errors.append(error)
            continue
        checked.findings.extend(_place_findings(workspace, found))
        labels.setdefault(published.label, []).append(workspace.name)
        if not published.documents:
            checked.uncompared.append(workspace)
    if against is not None and not os.path.lexists(against):
        checked.errors.extend(_find_gone(workspaces, against))
    named = [f"{', '.join(names)}: {label}" for label, names in labels.items()]
    baseline = next(iter(labels), "") if len(labels) < 2 else "; ".join(named)
    return replace(checked, baseline=baseline)


def _find_gone(workspaces: Sequence[Workspace], against: str) -> Iterator[DatelineError]:
    """Yield an error for each project that *against* publishes and that is gone."""
    from dateline.check.baseline import BaselineError
    from dateline.check.git import GitError

    try:
        gone = list_gone(_list_outputs(workspaces[0].output, against), workspaces)
    except GitError:  # which the project itself has reported
        return
    for folder in gone:
        yield BaselineError(
            f"{name_folder(folder)}: project-gone: {against} publishes it, and `projects` finds it "
            "no longer; put the project back, or list the remaining ones without a pattern"
        )


def _list_outputs(output: Path, against: str) -> Iterator[Path]:
    """Yield the output folders of *against*; git is started when the first one is needed."""
    from dateline.check.git import Repository
    from dateline.check.policy import FILE as POLICY

    yield from Repository(output).list_folders(against, [MANIFEST, POLICY])


def _place_findings(workspace: Workspace, found: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings; one without a place gets that of its project's version table."""
    table = Place(f"{name_folder(workspace.schemas)}/versions.yaml", 1, 1)
    for finding in found:
        if finding.after_source or finding.before_source or not workspace.name:
            yield finding
        else:
            yield replace(finding, after_source=table)


def list_findings(
    workspace: Workspace,
    api: Api,
    published: Published,
    today: date | None = None,
    *,
    cache: Cache | None = None,
) -> list[Finding]:
    """Return every finding of *api* against *published*, including waived ones, sorted by place.

    *today* decides on waivers and announcements. The default *cache* is that of the workspace.
    Raises SourceError for unreadable waivers, BaselineError for an unreadable published document.
    """
    from dateline.check import check, read_waivers
    from dateline.demands import find_pending

    waivers = read_waivers(workspace.schemas)
    opened = nullcontext(cache) if cache else open_cache(workspace.output)
    with collection_off(), opened as known:
        found = check(api, published, waivers=waivers, today=today or current_day(), cache=known)
        return [*found, *find_pending(api, known)]


def read_published(workspace: Workspace, against: str | None) -> Published:
    """Return the published documents from *against*, or from the output folder by default.

    Raises BaselineError if they can't be read, or if that folder has none.
    """
    from dateline.check import baseline

    if against is not None:
        return read_against(workspace, against)
    found = baseline.read_own_baseline(workspace.output)
    if not found.documents:
        raise baseline.BaselineError(
            f"{workspace.output}: baseline-empty: there is no published document here to "
            f"compare with; run `dateline generate`, or name one with `--against`"
        )
    return found


def read_known(schemas: Path) -> Published | None:
    """Return the published documents of the project with the definitions in *schemas*, if any.

    Raises BaselineError if they can't be read.
    """
    from dateline.check import baseline

    for project in find_projects():
        if project.schemas.resolve() == schemas.resolve():
            return baseline.read_before_writing(project.output)
    return None


def read_before_writing(workspace: Workspace) -> Published:
    """Return the published documents that `generate` must not break.

    Raises BaselineError if they can't be read.
    """
    from dateline.check import baseline

    published = baseline.read_before_writing(workspace.output)
    is_known = published.documents or published.lost
    if is_known or not baseline.is_committed(workspace.schemas, workspace.output):
        return published
    # the folder of the outputs may have another name than at the last commit
    former = _read_baseline(workspace, "HEAD")
    return former if former.documents else published


def read_against(workspace: Workspace, against: str) -> Published:
    """Return the published documents from *against*.

    Their label says so if *against* is a commit that the current branch lacks. Raises BaselineError
    if they can't be read, and if outputs are never committed.
    """
    from dateline.check.baseline import BaselineError
    from dateline.check.git import Repository

    found = _read_baseline(workspace, against)
    if not (found.documents or found.policy) and _lacks_outputs(workspace, against):
        raise BaselineError(
            f"{workspace.output}: baseline-empty: {against} has the definitions without outputs, "
            f"and so has the last commit; run `dateline generate`, and commit {workspace.output}"
        )
    if os.path.lexists(against) or not Repository(workspace.output).lacks(against):
        return found
    return replace(found, label=f"{found.label}, which has commits that this branch lacks")


def _read_baseline(workspace: Workspace, against: str) -> Published:
    from dateline.check.baseline import read_baseline

    former = partial(list_former, workspace=workspace)
    return read_baseline(against, workspace.output, list_former=former)


def _lacks_outputs(workspace: Workspace, against: str) -> bool:
    """Return whether *against* has the definitions, and the last commit still lacks the outputs."""
    from dateline.check.baseline import is_committed

    output = workspace.output
    return is_committed(workspace.schemas, output, against) and not is_committed(output, output)
