"""Generate the outputs of a project, cut and retire versions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dateline import fresh, progress
from dateline.cache import Cache, open_cache
from dateline.collector import collection_off, collection_on, cycles_freed
from dateline.model import (
    Api,
    Artifact,
    DatelineError,
    Finding,
    Keep,
    Place,
    SourceError,
    current_day,
    in_memory,
)
from dateline.project_checks import list_findings, read_against, read_before_writing, read_published
from dateline.settings import Workspace as Workspace

if TYPE_CHECKING:
    from dateline.check import Waiver
    from dateline.check.baseline import Published
    from dateline.demands import DemandedConverter
    from dateline.edit.cut import Cut, CutRequest
    from dateline.edit.gate import Plan
    from dateline.edit.renames import Rename
    from dateline.edit.revision import Revision
    from dateline.files import Stale, WriteResult
    from dateline.kept_documents import RecordFiles, Resized

_POLL_SECONDS: Final = 0.3


class BreachError(DatelineError):
    """The outputs would break a published contract; ``findings`` say where."""

    exit_code = 1

    def __init__(self, findings: Sequence[Finding], baseline: str) -> None:
        self.findings = tuple(findings)
        self.baseline = baseline
        super().__init__("\n".join(f"{found.rule}: {found.message}" for found in findings))


@dataclass(frozen=True, kw_only=True)
class Generated:
    """What a run wrote (None if there was nothing to do), and what the models can't express."""

    written: WriteResult | None
    notes: tuple[str, ...] = ()


def generate(workspace: Workspace) -> Generated:
    """Bring the outputs up to date, unless that would break a published contract.

    Raises SourceError for invalid definitions, BreachError for a breach of the versioning rules,
    BaselineError for a published document that can't be read, TemplateError for a template that
    can't be laid out, and what `files.write` raises. In each case the folder is as it was.
    """
    key = digest_inputs(workspace)
    if fresh.is_unchanged_since(workspace.output, key) and _is_compared(workspace):
        return Generated(written=None)
    # slow to import, and not needed if there is nothing to do
    from dateline.canonical.contract_data import Description
    from dateline.check import breaches, count_information
    from dateline.check.baseline import require_restored
    from dateline.files import write
    from dateline.files.spool import spooling
    from dateline.load import load

    with collection_off(), open_cache(workspace.output) as cache, spooling() as keep:
        progress.describe("reading the definitions")
        api = load(workspace.schemas, cache=cache)
        if api.table.shared != fresh.list_recorded_shared(workspace.output):
            # the key covers what is read from here on
            key = digest_inputs(workspace, api.table.shared)
            api = load(workspace.schemas, cache=cache)
        progress.describe("checking")
        published = read_before_writing(workspace)
        api.derive(Description).is_needed = True
        findings = list_findings(workspace, api, published, cache=cache)
        if broken := breaches(findings):
            raise BreachError(broken, published.label)
        artifacts, notes = render_outputs(workspace, api, cache=cache, keep=keep)
        require_restored(published, artifacts, workspace.output)
        progress.describe("writing the outputs")
        written = write(
            artifacts,
            workspace.output,
            protected=workspace.protected,
            key=key,
            remarks=count_information(findings),
        )
        return Generated(written=written, notes=notes)


def plan_gates(
    workspace: Workspace, against: str | None, renamed: Callable[[Place, Rename], bool]
) -> Plan:
    """Return the edits that gate what breaks a published contract.

    *renamed* decides whether a pair is a rename. Raises what `load` and `read_published` raise.
    """
    from dateline.check import read_waivers
    from dateline.check.lone_documents import assign_version
    from dateline.edit.gate import gate
    from dateline.edit.sources import open_sources
    from dateline.load import load

    # a second pass may restore what the history says of older versions: the new gate makes that
    # history visible again
    api, known = open_sources(workspace.schemas, tolerated={"history-without-effect"})
    published = assign_version(read_published(workspace, against), api)
    waivers, today = read_waivers(workspace.schemas), current_day()
    plan = gate(api, published, today=today, waivers=waivers, known=known)
    renames = [pair for pair in plan.questions if renamed(api.locate(pair.path), pair)]
    if renames:
        plan = gate(api, published, today=today, waivers=waivers, known=known, renames=renames)
    if not plan.replacements:
        load(workspace.schemas)
    return plan


def list_gate_demands(workspace: Workspace, plan: Plan) -> list[DemandedConverter]:
    """Return the converters that the edits of *plan* demand; call it before they are written."""
    from dateline.demands import list_new
    from dateline.load import load

    if not plan.replacements or plan.api is None:
        return []
    try:
        before = load(workspace.schemas)
    except SourceError:
        # a gate of a version that the plan adds to the table
        before = None
    return list_new(before, plan.api)


def find_waiver_target(
    workspace: Workspace,
    against: str | None,
    *,
    rule: str,
    given: str,
    versions: Sequence[str],
) -> tuple[str, tuple[str, ...], str | list[str] | None]:
    """Return the pointer, versions and value for a waiver of *rule* at the *given* place.

    Raises what `load` and `edit.waive.find_target` raise.
    """
    from dateline.check import baseline
    from dateline.check.lone_documents import assign_version
    from dateline.edit.waive import find_target
    from dateline.load import load

    api = load(workspace.schemas)
    if against is None:
        published = baseline.read_own_baseline(workspace.output)
    else:
        published = assign_version(read_against(workspace, against), api)
    found = list_findings(workspace, api, published)
    return find_target(api, published, found, rule=rule, given=given, versions=versions)


def cut(
    workspace: Workspace, request: CutRequest, *, dry_run: bool = False
) -> tuple[Cut, Generated | None]:
    """Cut the version of *request*, in the sources and in the outputs at once.

    Return the changes to the sources and the files written to the outputs; with *dry_run*, None,
    and nothing is written. Raises what `edit.cut.cut` and `generate` raise, and CutError if git
    reports uncommitted changes; sources and outputs are then unchanged.
    """
    # slow to import, and not needed if there is nothing to do
    from dateline.check.baseline import read_own_baseline
    from dateline.check.git import require_committed
    from dateline.edit.cut import CutError
    from dateline.edit.cut import cut as planned

    if not dry_run:
        require_committed(workspace.schemas, [*workspace.protected, workspace.output], CutError)
    published = read_own_baseline(workspace.output)
    plan = planned(workspace.schemas, request, published)
    return plan, _carry_out(workspace, plan, published, dry_run=dry_run, cut=plan.version.date)


def retire(
    workspace: Workspace, day: str, *, dry_run: bool = False
) -> tuple[Revision, Generated | None]:
    """Remove the version of *day*, which has ended, from the sources and the outputs at once.

    Returns and raises what `cut` does, with `edit.retire.retire` in place of `edit.cut.cut`.
    """
    # slow to import, and not needed if there is nothing to do
    from dateline.check.announcements import find_announcement
    from dateline.check.baseline import read_own_baseline
    from dateline.check.git import require_committed
    from dateline.edit.retire import RetireError
    from dateline.edit.retire import retire as planned

    if not dry_run:
        require_committed(workspace.schemas, [*workspace.protected, workspace.output], RetireError)
    plan = planned(workspace.schemas, day, current_day())
    published = read_own_baseline(workspace.output)
    announced = find_announcement(plan.api.table, published, "ends", day)
    if day in published.versions and announced is None:
        raise RetireError(
            f"the end of {day} is announced in the sources, and not published; run `dateline "
            f"generate`, commit, and let the notice of the policy pass"
        )
    return plan, _carry_out(workspace, plan, published, dry_run=dry_run)


def _carry_out(
    workspace: Workspace,
    plan: Revision,
    published: Published,
    *,
    dry_run: bool,
    cut: str | None = None,
) -> Generated | None:
    """Write the result of *plan*, unless it is a *dry_run*; BreachError if it breaks a rule."""
    from dateline.check import breaches, check, count_information
    from dateline.files.sources import Outputs
    from dateline.files.sources import write as write_sources
    from dateline.kept_documents import RecordFiles

    found = check(plan.api, published, waivers=plan.waivers, today=current_day(), cut=cut)
    if broken := breaches(found):
        raise BreachError(broken, published.label)
    if dry_run:
        return None
    recorded = RecordFiles("", lambda: plan.record)
    rendering = _OutputRendering(workspace=workspace, recorded=recorded, waivers=plan.waivers)
    artifacts, notes = rendering.render(plan.api)
    outputs = Outputs(
        folder=workspace.output,
        artifacts=artifacts,
        protected=workspace.protected,
        key=lambda: digest_inputs(workspace, plan.api.table.shared),
        remarks=count_information(found),
    )
    written = write_sources(workspace.schemas, [*plan.replacements, *plan.recorded], outputs)
    return Generated(written=written, notes=notes)


def is_untouched(workspace: Workspace) -> bool:
    """Return whether nothing has changed since the outputs were generated and checked."""
    return is_up_to_date(workspace) and _is_compared(workspace)


def is_up_to_date(workspace: Workspace) -> bool:
    """Return whether inputs and outputs are as they were when the outputs were generated."""
    key = find_recorded_key(workspace)
    return key is not None and fresh.is_unchanged_since(workspace.output, key)


def _is_compared(workspace: Workspace) -> bool:
    """Return whether unchanged outputs were compared with what the last commit publishes.

    If that is the outputs themselves, there is nothing to compare, which is recorded.
    """
    if fresh.is_same_commit(workspace.output):
        return True
    from dateline.check.baseline import is_as_committed
    from dateline.files import remember

    if not is_as_committed(workspace.output):
        return False
    with suppress(DatelineError):
        remarks = fresh.count_remarks(workspace.output)
        remember(workspace.output, digest_inputs(workspace), remarks)
    return True


def find_recorded_key(workspace: Workspace) -> str | None:
    """Return the digest of the inputs if the outputs were written for them, or else None."""
    return fresh.find_recorded_key(
        workspace.output, workspace.schemas, workspace.templates, strict=workspace.strict
    )


def list_stale(workspace: Workspace) -> list[Stale]:
    """Return the outputs that differ from what the definitions generate; writes nothing.

    Raises what `render_outputs` and `files.find_stale` raise.
    """
    # slow to import, and not needed if there is nothing to do
    from dateline.files import find_stale
    from dateline.files.spool import spooling
    from dateline.load import load

    with spooling() as keep:
        with open_cache(workspace.output) as cache:
            api = load(workspace.schemas, cache=cache)
            # in a fresh clone, where often nothing else runs, the results are not stored
            known = cache if cache.is_begun else None
            artifacts, _ = render_outputs(workspace, api, cache=known, keep=keep)
        return find_stale(artifacts, workspace.output)


def watch(workspace: Workspace) -> Iterator[Generated | DatelineError]:
    """Bring the outputs up to date now and after every change of an input, until interrupted.

    Yields the result of each run, or the error that stopped it; the next change is another attempt.
    """
    from dateline.files.sources import recover
    from dateline.load import read_known_table

    seen: list[tuple[str, int, int]] = []
    shared: tuple[str, ...] = ()
    with collection_on():
        while True:
            if fresh.list_stamps(workspace.schemas, workspace.templates, shared) != seen:
                table = read_known_table(workspace.schemas)
                shared = shared if table is None else table.shared
                seen = fresh.list_stamps(workspace.schemas, workspace.templates, shared)
                try:
                    recover(workspace.schemas)
                    # the collector alone lets reference cycles pile up over many edits
                    with cycles_freed():
                        outcome: Generated | DatelineError = generate(workspace)
                except DatelineError as error:
                    outcome = error
                yield outcome
            time.sleep(_POLL_SECONDS)


def render_outputs(
    workspace: Workspace,
    api: Api | None = None,
    *,
    validate: bool = True,
    changes: bool = True,
    only_documents: Resized | None = None,
    cache: Cache | None = None,
    keep: Keep = in_memory,
) -> tuple[tuple[Artifact, ...], tuple[str, ...]]:
    """Return everything that the definitions generate, and what the models can't express.

    *api* is the loaded definitions, if the caller has them. Comparing outputs does not require to
    *validate* them. With *only_documents*, what `render` calls *resized*, only documents are
    rendered; *changes*, *cache* and *keep* are those of `render`. Raises what `load` and `render`
    raise.
    """
    # slow to import, and not needed if there is nothing to do
    from dateline.check import read_waivers
    from dateline.kept_documents import find_record
    from dateline.load import load

    api = api or load(workspace.schemas, cache=cache)
    recorded = find_record(workspace.schemas, api.table, cache)
    if only_documents is None:  # problems of the record come first
        recorded.read()
    rendering = _OutputRendering(
        workspace=workspace,
        recorded=recorded,
        waivers=read_waivers(workspace.schemas),
        validate=validate,
        changes=changes,
        only_documents=only_documents,
        cache=cache,
        keep=keep,
    )
    try:
        return rendering.render(api)
    except SourceError:
        if api.meaning is None:
            raise
        # the cached content of a file lacks the positions that messages name
        return rendering.render(load(workspace.schemas))


@dataclass(frozen=True, kw_only=True)
class _OutputRendering:
    """What outputs depend on besides the definitions; see `render_outputs`."""

    workspace: Workspace
    recorded: RecordFiles
    waivers: Sequence[Waiver]
    validate: bool = True
    changes: bool = True
    only_documents: Resized | None = None
    cache: Cache | None = None
    keep: Keep = in_memory

    def render(self, api: Api) -> tuple[tuple[Artifact, ...], tuple[str, ...]]:
        from dateline.check.counterparts import list_counterparts
        from dateline.check.policy import FILE, PolicyRecord
        from dateline.render import render

        with collection_off():
            outputs = render(
                api,
                self.workspace.templates,
                recorded=self.recorded,
                models=self.only_documents is None,
                changes=self.changes and self.only_documents is None,
                validate=self.validate and (self.workspace.strict or not api.table.adopted),
                cache=self.cache,
                resized=self.only_documents,
                keep=self.keep,
            )
        record = PolicyRecord.of(api.table, self.waivers, list_counterparts(api, self.cache))
        policy = Artifact(path=FILE, content=record.text().encode())
        return (*outputs.artifacts, policy), outputs.notes


def digest_inputs(workspace: Workspace, shared: Iterable[str] | None = None) -> str:
    """Return the digest of the inputs; *shared* are the shared folders of the last run."""
    if shared is None:
        shared = fresh.list_recorded_shared(workspace.output)
    return fresh.digest_inputs(
        workspace.schemas, workspace.templates, strict=workspace.strict, shared=shared
    )
