"""Drop the gates of a draft that no caller needs: additive changes go to all versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from dateline.check.judging import list_additive
from dateline.check.merge import ChangeGroup, identify_cause
from dateline.diff import diff
from dateline.edit.draft import ADDED as ADDITIONS
from dateline.edit.draft import REMOVED as REMOVALS
from dateline.edit.history import ABSENT, NAME, same, values
from dateline.edit.places import Object, objects
from dateline.edit.repairs import CantRepairError, Canvas, Gated, Repair, Restored, carry_out
from dateline.edit.sources import Sources, load_contents
from dateline.gates import changes
from dateline.model import (
    ADDED,
    EVERYWHERE,
    REMOVED,
    WAS,
    Api,
    Change,
    Combination,
    Place,
    SourceError,
    Trail,
    Verdict,
)
from dateline.rules import describe, judge
from dateline.versions import is_moving

Documents = Mapping[Combination, dict[str, Any]]

_ROUNDS: Final = 3
_REQUIRED: Final = "required"


@dataclass(frozen=True, kw_only=True, order=True)
class Ungated:
    """A change of a draft that all versions have now: its place, and its description."""

    place: Place
    message: str


@dataclass(kw_only=True, eq=False)
class _Withdrawn(Repair):
    """A node that no version shows any more."""

    def apply(self, canvas: Canvas, sources: Sources) -> str:
        sources.remove(self.path)
        sources.remove_empty(self.path)
        is_field = self.path[-2:-1] == ("properties",)
        names = canvas.node(self.path[:-2]).get(_REQUIRED, []) if is_field else []
        left = [name for name in names if name != self.path[-1]]
        if names and not left:
            sources.remove((*self.path[:-2], _REQUIRED))
        elif len(left) < len(names):
            sources.replace((*self.path[:-2], _REQUIRED), left)
        return "it is removed"

    @property
    def rank(self) -> tuple[Any, ...]:
        at = self.path[-1]
        return (1, -at if isinstance(at, int) else 0, 0, str(self.path))


@dataclass(frozen=True)
class Surplus:
    """Drops the gates at ``version``, a draft of ``api``, that callers don't need.

    ``published`` is what they know, as far as it is known. Changes that are ``waived`` may be
    withheld.
    """

    api: Api
    contents: Mapping[str, bytes]
    version: str
    published: Documents
    waived: Callable[[ChangeGroup], bool] = lambda _: False
    done: tuple[Ungated, ...] = field(default=())

    def drop(self) -> Surplus:
        """Return the state in which `check` finds no such gate, as far as that is possible."""
        state = self
        for _ in range(_ROUNDS):
            additive, fresh = state._list_needless()
            shown = {one: state._project(one) for one in state._list_older()}
            after = state._drop(additive, {**shown, **self.published})._drop(fresh, self.published)
            if after is state:
                break
            state = after
        return state

    def _drop(self, groups: Sequence[ChangeGroup], known: Documents) -> Surplus:
        """Return the state without the gates for *groups*, except where *known* documents break."""
        after = self._try(groups, known) if groups else self
        if after is not None or len(groups) == 1:
            return after or self
        half = len(groups) // 2
        return self._drop(groups[:half], known)._drop(groups[half:], known)

    def _try(self, groups: Sequence[ChangeGroup], known: Documents) -> Surplus | None:
        """Return the state without the gates for *groups*; None if *known* documents break."""
        sources = Sources(self.api, self.contents)
        repairs: dict[tuple[type[Repair], Trail], Repair] = {}
        for group in groups:
            self._plan(group.change, group.combinations[0], repairs)
        try:
            carry_out(repairs.values(), self._canvas, sources)
            contents = sources.read_contents()
            api = replace(load_contents(self.api.name, contents), folder=self.api.folder)
        except (CantRepairError, SourceError):
            return None
        now = Canvas(api, self._canvas.dates)
        shown = (one for one in api.combinations if one.version == self.version)
        if not all(self._project(one) == now.projector.contract(*one).document for one in shown):
            return None
        if not set(_find_breaking(now, known)) <= {*_find_breaking(self._canvas, known)}:
            return None
        done = [
            Ungated(place=api.locate(repair.path), message=describe(change))
            for repair in repairs.values()
            for change in repair.changes
        ]
        return replace(self, api=api, contents=contents, done=(*self.done, *done))

    def _list_older(self) -> Iterator[Combination]:
        dates = self._canvas.dates[: self._canvas.dates.index(self.version)]
        for one in self.api.combinations:
            if one.version in dates and one.environment != EVERYWHERE:
                yield one

    @cached_property
    def _canvas(self) -> Canvas:
        return Canvas(self.api, self.api.table.dates)

    @cached_property
    def _before(self) -> str:
        dates = self._canvas.dates
        return dates[dates.index(self.version) - 1]

    def _project(self, combination: Combination) -> dict[str, Any]:
        return self._canvas.projector.contract(*combination).document

    # Find the gates

    def _list_needless(self) -> tuple[list[ChangeGroup], list[ChangeGroup]]:
        """Return what all versions can have, and what callers of the one before don't know yet."""
        groups, additive = list_additive(self.api, self._before, self.version)
        is_known = self.published.keys() >= {*self._list_older()}
        needed = {*self._find_needed()} if is_known else {group.key for group in groups}
        return (
            [group for group in additive if not self.waived(group)],
            [group for group in groups if group.key not in needed],
        )

    def _find_needed(self) -> Iterator[str]:
        """Yield the causes of what differs from the version before as callers know it."""
        for name in self.api.table.environment_names:
            before, now = (Combination(each, name) for each in (self._before, self.version))
            renames = self._canvas.projector.renames(before.version, *now)
            yield from map(
                identify_cause, diff(self.published[before], self._project(now), renames)
            )

    # Plan the edits

    def _plan(
        self, change: Change, shown: Combination, repairs: dict[tuple[type[Repair], Trail], Repair]
    ) -> None:
        """Add to *repairs* what makes older versions have what a *change* did."""
        is_gone = change.kind in REMOVALS
        at = change.before_pointer if is_gone else change.after_pointer or change.holder_pointer
        version = self._before if is_gone else self.version
        path = self._canvas.projector.origin(at or "", version, shown.environment)
        way = objects(self.api.document, path)
        gate = REMOVED if is_gone else ADDED
        gated = next((one for one in reversed(way) if one.node.get(gate) == self.version), None)
        past = next((one for one in reversed(way) if self.version in one.node.get(WAS, {})), None)
        repair: Repair | None = None
        if gated and (past is None or change.kind in {*ADDITIONS, *REMOVALS}):
            repair = self._show(gated, is_gone=is_gone)
        elif past:
            repair = self._restore(past, change.keyword)
        if repair is not None:
            repair = repairs.setdefault((type(repair), repair.path), repair)
            repair.changes.append(change)

    def _show(self, gated: Object, *, is_gone: bool) -> Repair:
        """Return the repair that shows or hides an object in the versions before, too."""
        shown = self._canvas.find_shown(gated.node, gated.path[:-1])
        seen = {date: is_gone if there is None else there for date, there in shown.items()}
        for date in self._list_run(seen):
            shown[date] = None if shown[date] is None else not is_gone
        if not any(shown.values()):
            return _Withdrawn(path=gated.path)
        return Gated(path=gated.path, shown=shown, in_schema=gated.kind == "schema")

    def _restore(self, past: Object, keyword: str) -> Repair:
        """Return the repair that gives a keyword its newest value in the versions before, too."""
        former, unset = changes(past.node[WAS][self.version])
        keys = [*former, *unset]
        repair = Restored(path=past.path)
        for key in [keyword] if keyword in keys else [each for each in keys if each != NAME]:
            then = values(past.node.get(key, ABSENT), past.node[WAS], key, self._canvas.dates)
            for date in self._list_run(then):
                repair.want(key, date, then[self.version])
        return repair

    def _list_run(self, values: Mapping[str, Any]) -> Iterator[str]:
        """Yield the versions before the draft that have the value of the last of them."""
        dates = self._canvas.dates[: self._canvas.dates.index(self.version)]
        for date in reversed(dates):
            if not same(values[date], values[dates[-1]]):
                break
            yield date


def _find_breaking(canvas: Canvas, known: Documents) -> Iterator[tuple[Combination, str]]:
    """Yield what is breaking for callers of the *known* documents."""
    table = canvas.api.table
    for combination, document in known.items():
        if combination not in canvas.api.combinations or is_moving(combination.version):
            continue
        for change in diff(document, canvas.projector.contract(*combination).document):
            verdict = judge(change, table.policy, table.verdicts).verdict
            if verdict in (Verdict.GATED, Verdict.NEVER):
                yield combination, identify_cause(change)
