"""Gate breaking changes: edits after which published contracts change only additively."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Final

from dateline.check import Published, Waiver, judge_waivers
from dateline.check.merge import Merged, identify_cause
from dateline.check.policy import judging_table
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
    Kind,
    Place,
    Policy,
    SourceError,
    Verdict,
)
from dateline.openapi import VERSION, value_at
from dateline.paths import name_file
from dateline.rules import describe, judge

_ROUNDS: Final = 5
_MOST_CAUSES: Final = 3
_WORDS: Final = (Kind.DOCUMENTATION_CHANGED, Kind.EXTENSION_CHANGED)
_NO_REASON: Final = "what it depends on can't be gated; write it back"


@dataclass(frozen=True, kw_only=True, order=True)
class Edit:
    """What is done to the definitions, where, and because of what."""

    place: Place
    message: str


@dataclass(frozen=True, kw_only=True, order=True)
class Left:
    """A breaking change that can't be gated: where, what, and the reason with the way out."""

    place: Place
    message: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What gating does to the files of ``folder``; nothing is written yet.

    ``questions`` are pairs that look renamed: gate again with those that are, given as
    ``renames``. ``left`` can't be gated. ``remarks`` say what is still to be written beside the
    new gates; it is ``incomplete`` where ``check`` demands some of that. ``api`` is what the files
    are going to say.
    """

    folder: Path
    edits: tuple[Edit, ...] = ()
    replacements: tuple[Replacement, ...] = ()
    questions: tuple[Rename, ...] = ()
    left: tuple[Left, ...] = ()
    remarks: tuple[str, ...] = ()
    incomplete: bool = False
    api: Api | None = field(default=None, compare=False, repr=False)

    def patch(self) -> str:
        """Return the edits as a unified diff, as ``git apply`` takes it; empty if there is none."""
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
    """Return the edits after which no published contract of *api* changes, but additively.

    What waivers cover is left alone. *renames* are those of ``Plan.questions`` that were
    affirmed; the others are treated as one thing removed and another added. The newest version
    stays what it is. *known* holds the sources of *api* where they are not those in its folder
    (see ``opened``). Raises BaselineError where a published document can't be read.
    """
    before = read_contents(api.folder)
    gating = _Gating(api, published, waivers, today, before if known is None else known)
    questions = gating.questions()
    state = gating.run([rename for rename in questions if rename in renames])
    missing = list(_missing(api, state.canvas.api))
    edited = sorted(name for name, content in state.contents.items() if content != before[name])
    made = [_row_added(api)] if known is not None and known != before else []
    return Plan(
        folder=api.folder,
        edits=tuple(sorted((*made, *state.edits))),
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

    Raises EditError where a file has been edited since, or can't be written.
    """
    write(plan.folder, plan.replacements)


def _row_added(api: Api) -> Edit:
    row = api.table.newest
    return Edit(place=row.place, message=f"the version {row.date} is being prepared")


def _remark_shared(folder: Path, edited: Iterable[str]) -> Iterator[str]:
    """Yield what else is to be done about files that other projects refer to."""
    for name in filter(is_shared, edited):
        yield (
            f"{name_file(folder, name)}: it is shared: run `dateline gate` in the other projects "
            "that refer to it, too, and cut them on the same day"
        )


def _missing(before: Api, now: Api) -> Iterator[str]:
    """Yield what the run time still misses, now that there are more gates."""
    known = {finding.message for finding in check_servable(before)}
    for finding in check_servable(now):
        if finding.message not in known and finding.verdict is not Verdict.INFORMATION:
            yield f"{finding.after_source}: {finding.rule}: {finding.message}. {finding.help}"


@dataclass(frozen=True)
class _State:
    """How far gating has come: the sources, what they define, and what is still breaking.

    ``words`` are those of what came back that older versions would lose.
    """

    contents: Mapping[str, bytes]
    canvas: Canvas
    breaking: Sequence[Breaking]
    words: Sequence[Breaking] = ()
    edits: tuple[Edit, ...] = ()


class _Gating:
    """One API against what is published of it."""

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
        self._documents = {
            combination: document.content
            for combination, document in published.documents.items()
            if combination in api.combinations
        }
        self._date = _date(api, published.versions)
        dates = api.table.dates
        self._dates = dates if self._date in dates else (*dates, self._date)
        self._canvas = Canvas(api, self._dates)
        self._reasons: dict[str, str] = {}
        self._contents = known

    def questions(self) -> list[Rename]:
        """Return what looks renamed."""
        return find_renames(Draft(self._canvas, self._documents), self._first)

    def run(self, renames: Iterable[Rename]) -> _State:
        """Gate, look at what is left, gate that, and so on; return the best that was reached."""
        state = _State(self._contents, self._canvas, self._find_breaking(self._first))
        reached = [state]
        while state.breaking and len(reached) <= _ROUNDS:
            after = self._round(state, renames)
            if after is None:
                break
            state, renames = after, ()
            reached.append(state)
        # the last that is best first: what a round could not mend, the one before did not cause
        by_merit = sorted(reached, key=lambda one: len(one.breaking))
        best = next(one for one in by_merit if self._keeps_the_newest(one))
        return self._with_words(best)

    def _with_words(self, state: _State) -> _State:
        """Give what came back the words that each version had for it, as far as that can be."""
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
        """Yield which words of what came back are not those that older versions had."""
        lines: dict[str, None] = {}
        for combination, change, _ in state.words:
            pointer = change.after_pointer or change.holder_pointer or ""
            place = state.canvas.projector.place(pointer, *combination)
            lines[f"{place}: it came back in newer words: {describe(change)}"] = None
        yield from lines

    def list_left(self, state: _State) -> Iterator[Left]:
        """Yield what is still breaking, with the reason."""
        for combination, change, _ in state.breaking:
            at = change.after_pointer or change.holder_pointer or change.before_pointer or ""
            message = describe(change)
            yield Left(
                place=state.canvas.projector.place(at, *combination),
                message=message,
                reason=self._reasons.get(message, _NO_REASON),
            )

    # What is breaking

    @cached_property
    def _first(self) -> list[Breaking]:
        return list(self._find_changes(self._canvas))

    def _find_changes(self, canvas: Canvas) -> Iterator[Breaking]:
        table = self._table
        for combination, document in self._documents.items():
            for change in diff(document, canvas.projector.contract(*combination).document):
                yield Breaking(combination, change, judge(change, table.policy, table.verdicts))

    def _find_breaking(self, changes: Iterable[Breaking]) -> list[Breaking]:
        """Return the changes that may not be, but for those that a waiver covers."""
        broken = (Verdict.GATED, Verdict.NEVER)
        found = [one for one in changes if one.judgement.verdict in broken]
        waived = self._find_waived(found)
        return [one for one in found if (one.combination, identify_cause(one.change)) not in waived]

    def _find_waived(self, found: Iterable[Breaking]) -> set[tuple[Combination, str]]:
        # a waiver is held against all versions of a finding together
        merged = Merged(self._table.policy, self._table.verdicts)
        for combination, change, _ in found:
            merged.add(change, combination)
        return {
            (combination, group.key)
            for group in merged
            if self._waivers.reason(group.finding(Policy.FROZEN)) is not None
            for combination in group.combinations
        }

    def _keeps_the_newest(self, state: _State) -> bool:
        """Return whether the newest version is, for its callers, what the author wrote.

        A component that nothing uses any more goes with the older versions that it stays for.
        """
        written, now = self._canvas.projector, state.canvas.projector
        newest, gated = self._api.table.newest.date, state.canvas.api.table.newest.date
        names = [environment.name for environment in self._api.table.environments]
        return all(
            change.after_pointer == VERSION or change.kind is Kind.COMPONENT_REMOVED
            for name in (*names, EVERYWHERE)
            for change in diff(
                written.contract(newest, name).document, now.contract(gated, name).document
            )
        )

    # Trying repairs

    def _round(self, state: _State, renames: Iterable[Rename]) -> _State | None:
        """Return where all repairs lead that can be done together; None if none can.

        What can't be done in detail is done coarsely, and what can't be done so is given up.
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
                # why it can't be done in detail says more than why it can't be coarsely
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
        """Return where *repairs* lead; else which of them fails, if that shows, and why."""
        before, api = state.contents, state.canvas.api
        if self._date not in api.table.dates:
            rows = sum(not version.moving for version in api.table.versions)
            before = add_version(before, self._date, rows)
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
            Edit(place=api.locate(repair.place), message=f"{_causes(repair)}; {how}")
            for repair, how in done
            if repair.changes
        ]
        changes = list(self._find_changes(canvas))
        words = tuple(self._words(canvas, changes))
        return _State(after, canvas, self._find_breaking(changes), words, (*state.edits, *edits))

    def _words(self, canvas: Canvas, changes: Iterable[Breaking]) -> Iterator[Breaking]:
        """Yield which words of what came back would not be those that were published."""
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
    """Return what tells a change from others whatever else comes back."""
    change = found.change
    return found.combination, change.before_pointer, change.before_pointer or change.after_pointer


def _causes(repair: Repair) -> str:
    """Return what is said of the changes that *repair* is for; of many, of the first few."""
    causes = list(dict.fromkeys(describe(change) for change in repair.changes))
    more = len(causes) - _MOST_CAUSES
    return ", ".join(causes[:_MOST_CAUSES]) + (f", and {more} more" if more > 0 else "")


def _list_concerned(repairs: Sequence[Repair], culprits: Sequence[Repair]) -> set[str]:
    """Return what is said of the changes whose repairs fail, and of those beside them in a list.

    What fails on its own account, such as a component that something refers to, may be due to any.
    """
    lists = {one.path[:-1] for one in culprits if isinstance(one.path[-1], int)}
    concerned = [one for one in repairs if one in culprits or one.path[:-1] in lists]
    found = {describe(change) for one in concerned for change in one.changes}
    return found or {describe(change) for one in repairs for change in one.changes}


def _date(api: Api, published: Sequence[str]) -> str:
    """Return the date that new gates get: the first that is newer than all that is published."""
    newest = max(published, key=order, default="")
    return next((date for date in api.table.dates if order(date) > order(newest)), NEXT)
