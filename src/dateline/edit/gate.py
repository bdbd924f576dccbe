"""Gate breaking changes: edits after which published contracts change only additively."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Final

from dateline.check import Published, Waiver, judge_waivers
from dateline.check.counterparts import check_counterparts
from dateline.check.merge import ChangeGroups, identify_cause
from dateline.check.policy import judging_table
from dateline.check.reasons import check_reasons
from dateline.check.servable import check_servable
from dateline.diff import diff
from dateline.edit.draft import Breaking, Draft
from dateline.edit.places import objects
from dateline.edit.planning import plan
from dateline.edit.renames import Rename, find_renames
from dateline.edit.repairs import CantRepairError, Canvas, Repair, carry_out
from dateline.edit.revision import format_patch
from dateline.edit.sources import Sources, add_version, is_shared, load_contents, read_contents
from dateline.files.sources import Replacement, write
from dateline.gates import order
from dateline.model import (
    EVERYWHERE,
    NEXT,
    REMOVED,
    Api,
    Combination,
    Finding,
    Kind,
    Place,
    Policy,
    SourceError,
    Verdict,
)
from dateline.openapi import VERSION, value_at
from dateline.paths import name_file
from dateline.rules import describe, judge
from dateline.versions import is_moving

_ROUNDS: Final = 5
_MOST_CAUSES: Final = 3
_WORDS: Final = (Kind.DOCUMENTATION_CHANGED, Kind.EXTENSION_CHANGED)
_NO_REASON: Final = "what it depends on can't be gated; restore it"


@dataclass(frozen=True, kw_only=True, order=True)
class Edit:
    """An edit of the definitions: its place, what is done, and why."""

    place: Place
    message: str


@dataclass(frozen=True, kw_only=True, order=True)
class UngatedChange:
    """A breaking change that can't be gated: its place, and the reason with the way out."""

    place: Place
    message: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The edits that gate the files of ``folder``; nothing is written yet.

    ``questions`` are pairs that look renamed: gate again with the confirmed ones as ``renames``.
    ``left`` can't be gated. ``remarks`` list what must still be written beside the new gates; it is
    ``incomplete`` if ``check`` demands some of that. ``api`` is the result of the edits.
    """

    folder: Path
    edits: tuple[Edit, ...] = ()
    replacements: tuple[Replacement, ...] = ()
    questions: tuple[Rename, ...] = ()
    left: tuple[UngatedChange, ...] = ()
    remarks: tuple[str, ...] = ()
    incomplete: bool = False
    api: Api | None = field(default=None, compare=False, repr=False)

    def patch(self) -> str:
        """Return the edits as a unified diff, as ``git apply`` reads it; empty if there is none."""
        return format_patch(self.folder, self.replacements)


def gate(
    api: Api,
    published: Published,
    *,
    today: date,
    waivers: Sequence[Waiver] = (),
    renames: Collection[Rename] = (),
    known: Mapping[str, bytes] | None = None,
) -> Plan:
    """Return the edits after which published contracts of *api* change only additively.

    Waived changes are skipped. *renames* are the confirmed ``Plan.questions``; the others are
    treated as one thing removed and another added. The newest version is unchanged. *known* are the
    sources of *api* if they differ from those in its folder (see ``open_sources``). Raises
    BaselineError for a published document that can't be read.
    """
    before = read_contents(api.folder)
    gating = _Gating(api, published, waivers, today, before if known is None else known)
    questions = gating.questions()
    state = gating.run([rename for rename in questions if rename in renames])
    missing = list(_list_missing(api, state.canvas.api))
    edited = sorted(name for name, content in state.contents.items() if content != before[name])
    edits = []
    if known is not None and known != before:
        row = api.table.newest
        edits = [Edit(place=row.place, message=f"the version {row.date} is being prepared")]
    return Plan(
        folder=api.folder,
        edits=tuple(sorted((*edits, *state.edits))),
        replacements=tuple(
            Replacement(name=name, before=before[name], after=state.contents[name])
            for name in edited
        ),
        questions=tuple(rename for rename in questions if rename not in renames),
        left=tuple(sorted(set(gating.list_left(state)))),
        remarks=(*missing, *gating.list_lost_words(state), *_remark_shared(api.folder, edited)),
        incomplete=bool(missing),
        api=state.canvas.api,
    )


def apply(plan: Plan) -> None:
    """Write *plan*: all of its files or none.

    Raises EditError if a file has been edited since, or can't be written.
    """
    write(plan.folder, plan.replacements)


def _remark_shared(folder: Path, edited: Iterable[str]) -> Iterator[str]:
    """Yield what else must be done about files that other projects refer to."""
    for name in filter(is_shared, edited):
        yield (
            f"{name_file(folder, name)}: it is shared: run `dateline gate` in the other projects "
            "that refer to it, too, and cut them on the same day"
        )


def _list_missing(before: Api, now: Api) -> Iterator[str]:
    """Yield what the run time still lacks for the additional gates, and their missing reasons."""
    if now is before:
        return
    found = _list_failing(now)
    # what is information about cut versions fails a check once a gate concerns a draft
    known = {finding.fingerprint for finding in _list_failing(before)} if found else set[str]()
    for finding in found:
        if finding.fingerprint not in known:
            yield f"{finding.after_source}: {finding.rule}: {finding.message}. {finding.help}"


def _list_failing(api: Api) -> list[Finding]:
    """Return what the run time and the reasons lack, without what is information."""
    found = (*check_servable(api), *check_reasons(api))
    return [one for one in found if one.verdict is not Verdict.INFORMATION]


@dataclass(frozen=True)
class _State:
    """The progress of gating: the sources, what they define, and what is still breaking.

    ``words`` are those of restored parts that older versions would lose.
    """

    contents: Mapping[str, bytes]
    canvas: Canvas
    breaking: Sequence[Breaking]
    words: Sequence[Breaking] = ()
    edits: tuple[Edit, ...] = ()


class _Gating:
    """Gates one API against its published documents."""

    def __init__(
        self,
        api: Api,
        published: Published,
        waivers: Sequence[Waiver],
        today: date,
        known: Mapping[str, bytes],
    ) -> None:
        self._api = api
        self._table = judging_table(api.table, published.judging_record(api.table))
        self._waivers = judge_waivers(api, published, waivers, today)
        self._published = published
        self._documents = {
            combination: document.content
            for combination, document in published.documents.items()
            if combination in api.combinations and not is_moving(combination.version)
        }
        self._find_date = _find_date(api, published.versions)
        dates = api.table.dates
        moving = [date for date in dates if is_moving(date)]
        dated = [date for date in dates if date not in moving]
        self._dates = dates if self._find_date in dates else (*dated, self._find_date, *moving)
        self._canvas = Canvas(api, self._dates)
        self._reasons: dict[str, str] = {}
        self._contents = known

    def questions(self) -> list[Rename]:
        """Return the pairs that look renamed."""
        return find_renames(Draft(self._canvas, self._documents), self._first)

    def run(self, renames: Iterable[Rename]) -> _State:
        """Gate, check what is left, gate that, and so on; return the best state."""
        state = _State(self._contents, self._canvas, self._find_breaking(self._first))
        reached = [state]
        while state.breaking and len(reached) <= _ROUNDS:
            after = self._round(state, renames)
            if after is None:
                break
            state, renames = after, ()
            reached.append(state)
        # the last of the best comes first: what a round could not fix, the one before did not cause
        by_merit = sorted(reached, key=lambda one: len(one.breaking))
        best = next(one for one in by_merit if self._keeps_the_newest(one))
        return self._with_words(best)

    def _with_words(self, state: _State) -> _State:
        """Restore the words of restored parts for each version, as far as possible."""
        repairs = plan(Draft(state.canvas, self._documents), state.words).repairs
        if not repairs:
            return state
        reached = self._try(state, repairs)
        if not isinstance(reached, _State):
            culprits = self._find_culprits(state, repairs)
            reached = self._try(state, [one for one in repairs if one not in culprits])
        if not isinstance(reached, _State) or len(reached.breaking) > len(state.breaking):
            return state
        return reached if self._keeps_the_newest(reached) else state

    def list_lost_words(self, state: _State) -> Iterator[str]:
        """Yield the words of restored parts that differ from those of older versions."""
        lines: dict[str, None] = {}
        for combination, change, _ in state.words:
            pointer = change.after_pointer or change.holder_pointer or ""
            place = state.canvas.projector.place(pointer, *combination)
            lines[f"{place}: it was restored with newer words: {describe(change)}"] = None
        yield from lines

    def list_left(self, state: _State) -> Iterator[UngatedChange]:
        """Yield what is still breaking, with the reason, and what no document shows."""
        for combination, change, _ in state.breaking:
            at = change.after_pointer or change.holder_pointer or change.before_pointer or ""
            message = describe(change)
            yield UngatedChange(
                place=state.canvas.projector.place(at, *combination),
                message=message,
                reason=self._reasons.get(message, _NO_REASON),
            )
        canvas = state.canvas
        for finding in check_counterparts(canvas.api, self._published, canvas.projector):
            if finding.after_source and self._waivers.reason(finding) is None:
                yield UngatedChange(
                    place=finding.after_source, message=finding.message, reason=finding.help
                )

    # Find what is breaking

    @cached_property
    def _first(self) -> list[Breaking]:
        return list(self._find_changes(self._canvas))

    def _find_changes(self, canvas: Canvas) -> Iterator[Breaking]:
        table = self._table
        for combination, document in self._documents.items():
            for change in diff(document, canvas.projector.contract(*combination).document):
                yield Breaking(combination, change, judge(change, table.policy, table.verdicts))

    def _find_breaking(self, changes: Iterable[Breaking]) -> list[Breaking]:
        """Return the forbidden changes, except for waived ones."""
        broken = (Verdict.GATED, Verdict.NEVER)
        found = [one for one in changes if one.judgement.verdict in broken]
        waived = self._find_waived(found)
        return [one for one in found if (one.combination, identify_cause(one.change)) not in waived]

    def _find_waived(self, found: Iterable[Breaking]) -> set[tuple[Combination, str]]:
        # a waiver applies to all versions of a finding together
        merged = ChangeGroups(self._table.policy, self._table.verdicts)
        for combination, change, _ in found:
            merged.add(change, combination)
        return {
            (combination, group.key)
            for group in merged
            if self._waivers.reason(group.finding(Policy.FROZEN)) is not None
            for combination in group.combinations
        }

    def _keeps_the_newest(self, state: _State) -> bool:
        """Return whether the newest version is what the author wrote, for its callers.

        A component that nothing uses any more is removed with the older versions that need it.
        """
        written, now = self._canvas.projector, state.canvas.projector
        newest, gated = self._api.table.newest.date, state.canvas.api.table.newest.date
        return all(
            change.after_pointer == VERSION or change.kind is Kind.COMPONENT_REMOVED
            for name in (*self._api.table.environment_names, EVERYWHERE)
            for change in diff(
                written.contract(newest, name).document, now.contract(gated, name).document
            )
        )

    # Try repairs

    def _round(self, state: _State, renames: Iterable[Rename]) -> _State | None:
        """Return the state after all repairs that can be done together; None if none can.

        Repairs that fail in detail are done coarsely, and given up if that fails, too.
        """
        canvas = state.canvas
        coarse: set[str] = set()
        hopeless: set[str] = set()
        while True:
            hopeful = [found for found in state.breaking if describe(found.change) not in hopeless]
            planned = plan(Draft(canvas, self._documents), hopeful, renames, coarse)
            for change, reason in planned.left:
                self._reasons.setdefault(describe(change), reason)
            if not planned.repairs:
                return None
            reached = self._try(state, planned.repairs)
            if isinstance(reached, _State):
                return reached
            culprit, reason = reached
            culprits = [culprit] if culprit else self._find_culprits(state, planned.repairs)
            concerned = _list_concerned(planned.repairs, culprits)
            for message in concerned:
                # the reason why it fails in detail is more helpful than that of the coarse repair
                self._reasons.setdefault(message, reason)
            if concerned <= coarse:
                hopeless |= concerned
            coarse |= concerned

    def _find_culprits(self, state: _State, repairs: Sequence[Repair]) -> Sequence[Repair]:
        """Return the repairs without which the others lead to valid sources."""
        for repair in repairs:
            others = [other for other in repairs if other is not repair]
            if isinstance(self._try(state, others), _State):
                return [repair]
        kept: list[Repair] = []
        culprits = []
        for repair in repairs:
            if isinstance(self._try(state, [*kept, repair]), _State):
                kept.append(repair)
            else:
                culprits.append(repair)
        return culprits

    def _try(self, state: _State, repairs: Sequence[Repair]) -> _State | tuple[Repair | None, str]:
        """Return the state after *repairs*; or else the one that fails, if known, and why."""
        before, api = state.contents, state.canvas.api
        if self._find_date not in api.table.dates:
            rows = sum(not version.moving for version in api.table.versions)
            before = add_version(before, self._find_date, rows)
        sources = Sources(api, before)
        try:
            done = carry_out(repairs, state.canvas, sources)
            after = sources.read_contents()
            canvas = Canvas(load_contents(api.name, after), self._dates)
        except CantRepairError as error:
            return error.repair, str(error)
        except SourceError as error:
            first = error.problems[0]
            return None, f"the definitions would be invalid: {first.id}: {first.message}"
        edits = [
            Edit(place=api.locate(repair.place), message=f"{_describe_causes(repair)}; {how}")
            for repair, how in done
            if repair.changes
        ]
        changes = list(self._find_changes(canvas))
        words = tuple(self._words(canvas, changes))
        return _State(after, canvas, self._find_breaking(changes), words, (*state.edits, *edits))

    def _words(self, canvas: Canvas, changes: Iterable[Breaking]) -> Iterator[Breaking]:
        """Yield the words of restored parts that would differ from the published ones."""
        known = {_identify(found) for found in self._first}
        for found in changes:
            pointer = found.change.after_pointer or found.change.holder_pointer
            if found.change.kind not in _WORDS or pointer is None or _identify(found) in known:
                continue
            path = canvas.projector.origin(pointer, *found.combination)
            is_part = any(REMOVED in one.node for one in objects(canvas.api.document, path))
            if is_part or value_at(self._canvas.api.document, path[:3]) is None:
                yield found


def _identify(found: Breaking) -> tuple[Combination, str | None, str | None]:
    """Return what identifies a change, whatever else is restored."""
    change = found.change
    return found.combination, change.before_pointer, change.before_pointer or change.after_pointer


def _describe_causes(repair: Repair) -> str:
    """Return the descriptions of the changes that *repair* is for, at most a few."""
    causes = list(dict.fromkeys(describe(change) for change in repair.changes))
    more = len(causes) - _MOST_CAUSES
    return ", ".join(causes[:_MOST_CAUSES]) + (f", and {more} more" if more > 0 else "")


def _list_concerned(repairs: Sequence[Repair], culprits: Sequence[Repair]) -> set[str]:
    """Return the descriptions for failing repairs, and for those beside them in a list.

    If something else fails, such as a component that is referred to, any repair may be the cause.
    """
    lists = {one.path[:-1] for one in culprits if isinstance(one.path[-1], int)}
    concerned = [one for one in repairs if one in culprits or one.path[:-1] in lists]
    found = {describe(change) for one in concerned for change in one.changes}
    return found or {describe(change) for one in repairs for change in one.changes}


def _find_date(api: Api, published: Sequence[str]) -> str:
    """Return the date for new gates: the first that is newer than everything published."""
    newest = max((date for date in published if not is_moving(date)), key=order, default="")
    dated = (date for date in api.table.dates if not is_moving(date))
    return next((date for date in dated if order(date) > order(newest)), NEXT)
