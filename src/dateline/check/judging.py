"""Check an API against the versioning rules and what is published: three policies."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dateline import progress
from dateline.bundle import Document, read_contents
from dateline.cache import Cache
from dateline.check.approvals import find_approvers
from dateline.check.attachments import explain_attachment
from dateline.check.baseline import Published
from dateline.check.consequences import drop_consequences
from dateline.check.counterparts import check_counterparts
from dateline.check.earlier_checks import EarlierChecks
from dateline.check.header import check_header
from dateline.check.lone_documents import is_unknown
from dateline.check.merge import (
    ChangeGroup,
    ChangeGroups,
    identify_cause,
    identify_switch,
    join_findings,
    sort_key,
)
from dateline.check.policy import check_policy, judging_table
from dateline.check.reasons import check_reasons
from dateline.check.servable import check_servable
from dateline.check.versions import check_table, create_unchanged_finding
from dateline.check.waivers import FILE as WAIVERS
from dateline.check.waivers import Waiver, Waivers
from dateline.check.withheld import explain_held_back, find_held_back, is_withheld
from dateline.load.foreign import wrong_types_refused
from dateline.load.meaning import find_origin
from dateline.model import (
    EVERYWHERE,
    Api,
    Change,
    Combination,
    Finding,
    Kind,
    Place,
    Policy,
    Table,
    Verdict,
)
from dateline.openapi import parts
from dateline.project import Projector
from dateline.rules import RULES, find_verdict

if TYPE_CHECKING:
    from dateline.diff import DiffReadings

# What may differ between neighbouring versions without making a new version necessary: words, and
# components that are added with the gated member that refers to them.
_FOLLOWING = frozenset({Kind.DOCUMENTATION_CHANGED, Kind.EXTENSION_CHANGED, Kind.COMPONENT_ADDED})

# The verdicts on changes that no published contract may have.
_WEIGHTY = (Verdict.GATED, Verdict.NEVER)

# The removals that may be one half of a rename, and the additions that are the other half.
_RENAMED = {
    Kind.FIELD_REMOVED: Kind.FIELD_ADDED,
    Kind.PARAMETER_REMOVED: Kind.PARAMETER_ADDED,
}
_PARAMETERS = (Kind.PARAMETER_REMOVED, Kind.PARAMETER_ADDED)


def check(
    api: Api,
    published: Published,
    *,
    waivers: Sequence[Waiver] = (),
    today: date,
    cache: Cache | None = None,
    cut: str | None = None,
) -> list[Finding]:
    """Return every violation of the versioning rules, sorted by place; waived ones are marked.

    There are three policies: *frozen*, published contracts change only additively; *minted*, no
    version withholds an additive change; *servable*, the run time can serve every gate. The version
    table has rules of its own. The published policy applies where that of *api* is looser, which is
    a finding as well. *today* decides on announcements and waivers. The *cache* has the differences
    between published documents from earlier checks. *cut* is the version that is cut now. Raises
    BaselineError for a published document that can't be read.
    """
    record = published.judging_record(api.table)
    table = judging_table(api.table, record)
    judge = _Judge(api, table, published, cache)
    # the same object, if it is the same: contract data are kept for what follows
    strict = api if table == api.table else replace(api, table=table)
    other = _Judge(api, table, published.other_side, cache)
    frozen = join_findings(one for side in (other, judge) for one in side.check_frozen())
    findings = [
        *check_table(table, published, today),
        *check_header(api, judge.projector, published, judge.unchanged),
        *check_reasons(strict),
        *frozen,
        *judge.check_minted(),
        *check_servable(strict, judge.projector, cache, cut),
        *check_counterparts(api, published, judge.projector, judge.unchanged, cache),
    ]
    findings += check_policy(api.table, record, findings)
    known = judge_waivers(api, published, waivers, today)
    marked = [*known.mark(findings), *known.find_idle(findings)]
    return sorted(drop_consequences(marked, published), key=sort_key)


def list_additive(api: Api, older: str, newer: str) -> tuple[list[ChangeGroup], list[ChangeGroup]]:
    """Return what differs between two versions of *api*, and what of that all could have."""
    groups = _Judge(api, api.table, Published(label="")).compare(older, newer)
    held_back = find_held_back(groups)
    return groups, [each for each in held_back if each.judgement.verdict is Verdict.ADDITIVE]


def judge_waivers(
    api: Api, published: Published, waivers: Sequence[Waiver], today: date
) -> Waivers:
    """Return *waivers* with what decides on them: the day, the baseline, and who may approve."""
    table = judging_table(api.table, published.judging_record(api.table))
    approvers = find_approvers(table, api.folder, WAIVERS, published.owners)
    return Waivers(waivers, today, published.settled, approvers)


def breaches(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that stop a change: those neither waived nor information."""
    return [
        finding
        for finding in findings
        if finding.waived is None and finding.verdict is not Verdict.INFORMATION
    ]


def count_information(findings: Iterable[Finding]) -> int:
    """Return how many of the *findings* remain as information once outputs are generated.

    Those on what is published are settled then; waived ones don't count.
    """
    return sum(
        finding.verdict is Verdict.INFORMATION
        and finding.policy is not Policy.FROZEN
        and finding.waived is None
        for finding in findings
    )


class _Judge:
    """The policies frozen and minted for one API."""

    def __init__(
        self, api: Api, table: Table, published: Published, cache: Cache | None = None
    ) -> None:
        self._api = api
        self._cache = cache or Cache(None)
        self._table = table
        self._published = published
        self._earlier = EarlierChecks(api, table, published, self._cache)
        self.projector = api.derive(Projector)

    @cached_property
    def _readings(self) -> DiffReadings:
        """What comparisons share: each document is compared with several others."""
        # slow to import, and not needed if nothing has changed
        from dateline.diff import DiffReadings

        return DiffReadings()

    def _merge(self) -> ChangeGroups:
        return ChangeGroups(self._table.policy, self._table.verdicts)

    def check_frozen(self) -> list[Finding]:
        """Return the changes of published contracts that are not additive."""
        return self._earlier.recall(Policy.FROZEN, self._find_breaking)

    def check_minted(self) -> list[Finding]:
        """Return additive changes that a version withholds, and versions without change."""
        return self._earlier.recall(Policy.MINTED, self._find_withheld)

    def _find_breaking(self) -> Iterator[Finding]:
        merged = self._merge()
        for shown, changes in self._since_published:
            for change in changes:
                merged.add(change, shown)
        added = [group for group in merged if group.change.kind in _RENAMED.values()]
        for group in merged:
            if group.judgement.verdict in _WEIGHTY and group.key not in self._merged:
                document = self._published.of(group.combinations[0])
                before = group.change.before_pointer
                renamed = next((new for new in added if _looks_renamed(group, new)), None)
                details: dict[str, Any] = {}
                if renamed is not None:
                    details = {"help": _advise_rename(group, renamed)}
                elif attached := explain_attachment(
                    self._api, self.projector, self._published, group
                ):
                    details = {"help": attached}
                yield group.finding(
                    Policy.FROZEN,
                    before_source=None if before is None else document.place(before),
                    after_source=self._source(renamed or group),
                    **details,
                )

    @cached_property
    def _merged(self) -> set[str]:
        """The keys of what the other branch of a merge has changed in published documents."""
        pairs = self._published.elsewhere.values()
        return {
            cause for before, after in pairs if before for cause in self._find_causes(before, after)
        }

    @cached_property
    def _since_published(self) -> list[tuple[Combination, list[Change]]]:
        """The differences from each published document, and the combination it is compared with."""
        documents = self._published.documents
        read_contents({key: documents[key] for key in documents.keys() - self.unchanged})
        differences: list[tuple[Combination, list[Change]]] = []
        for number, (combination, document) in enumerate(documents.items(), 1):
            progress.describe("comparing documents", number, len(documents))
            differences += self._differences(combination, document)
        return differences

    def _differences(
        self, combination: Combination, document: Document
    ) -> Iterator[tuple[Combination, list[Change]]]:
        """Yield the differences from a published document, and its present combination."""
        environments = self._api.table.environment_names
        if combination.environment != EVERYWHERE:
            environments = (combination.environment,)
        shown = [Combination(combination.version, name) for name in environments]
        if combination in self.unchanged:
            yield combination, []
            return
        with wrong_types_refused(document):
            found = [
                (known, self._since(document, known))
                for known in shown
                if known in self._api.combinations
            ]
        # a document without an environment belongs to the one that it resembles most
        yield from sorted(found, key=lambda pair: len(pair[1]))[:1]

    def _find_withheld(self) -> Iterator[Finding]:
        table = self._table
        if table.adopted and not self._published.documents:
            return  # all of it was published elsewhere, and can't be corrected any more
        # words make no difference between versions
        unchanged = {
            shown
            for shown, changes in self._since_published
            if all(change.kind is Kind.DOCUMENTATION_CHANGED for change in changes)
        }
        # what is published only affects withheld changes and adopted definitions
        published = self._published
        inputs = sorted(unchanged), published.versions, published.environments
        known = repr(inputs) if table.adopted else ""
        is_clean = self._api.meaning is not None and (
            not table.adopted or len(unchanged) == len(self._published.documents)
        )
        key = self._cache.key("minted", self._api.meaning or b"", repr(table), known)
        if is_clean and self._cache.get(key) is not None:
            return
        for older, newer in pairwise(table.versions):
            if newer.moving or (table.adopted and is_unknown(published, older.date)):
                continue  # a draft may withhold anything
            settled = table.adopted and newer.date in published.versions
            is_adopted = table.adopted and newer.adopted and not (newer.draft or settled)
            groups = self.compare(older.date, newer.date, unchanged if settled else set())
            held_back = list(find_held_back(groups))
            # what is published already can't be corrected any more
            withheld = self._published_groups(older.date, newer.date) if held_back else frozenset()
            for group in held_back:
                if not is_withheld(group, withheld):
                    details = explain_held_back(group, is_adopted=is_adopted)
                    yield group.finding(Policy.MINTED, after_source=self._source(group), **details)
            is_same = not (groups or newer.undisclosed or newer.draft or settled or is_adopted)
            if is_same:
                yield create_unchanged_finding(newer, older.date)
            is_clean = is_clean and not (held_back or is_same)
        if is_clean:
            self._cache.put(key, b"")

    def _published_groups(self, older: str, newer: str) -> frozenset[str]:
        """Return the keys of all differences between two versions as they are published."""
        found: set[str] = set()
        for combination, document in self._published.documents.items():
            before = self._published.documents.get(combination._replace(version=older))
            if combination.version == newer and before is not None:
                known = self._earlier.recall_causes(older, combination, before, document)
                found.update(self._find_causes(before, document) if known is None else known)
        return frozenset(found)

    def _find_causes(self, before: Document, after: Document) -> list[str]:
        """Return the keys of all differences between two published documents."""
        forms = [Path(one.name).suffix for one in (before, after)]
        key = self._cache.key(
            "published-causes", *forms, before.data, after.data, self._recorded_policy
        )
        is_kept = before.is_alone and after.is_alone
        if is_kept and (known := self._cache.get(key)) is not None:
            return list(json.loads(known))
        from dateline.diff.published import read_meanings

        with wrong_types_refused(before, after):
            are_published = (not before.is_meant, not after.is_meant)
            sides = (before.content, after.content)
            meanings = read_meanings(*sides, self._readings, are_published=are_published)
            changes = self._diff(*meanings)
        causes = ((identify_cause(change), identify_switch(change)) for change in changes)
        found = list(dict.fromkeys(filter(None, chain.from_iterable(causes))))
        if is_kept:
            self._cache.put(key, json.dumps(found).encode())
        return found

    def compare(
        self, older: str, newer: str, unchanged: Collection[Combination] = ()
    ) -> list[ChangeGroup]:
        """Return what differs between two versions, without what follows from other changes.

        What differs between documents that are published and *unchanged* can't be corrected.
        """
        merged = self._merge()
        for environment in self._table.environment_names:
            shown = [Combination(date, environment) for date in (older, newer)]
            if all(each in unchanged for each in shown):
                continue
            before, after = (self.projector.contract(*each).document for each in shown)
            renames = self.projector.renames(older, newer, environment)
            causes: list[str | None] = []
            for change in self._diff(before, after, renames):
                causes += merged.add(change, shown[1]), identify_switch(change)
            if not renames:
                self._earlier.note_causes(older, shown[1], filter(None, causes))
        return [group for group in merged if group.change.kind not in _FOLLOWING]

    @cached_property
    def unchanged(self) -> set[Combination]:
        """The documents that an earlier check found to be as published, except for words."""
        documents = self._published.documents
        if self._judges_words or self._api.meaning is None:
            return set()
        return {
            known
            for known in documents
            if known in self._api.combinations and self._cache.get(self._key(known)) is not None
        }

    def _key(self, published: Combination) -> bytes:
        """Return the cache key of the fact that only words differ from *published*."""
        document = self._published.documents[published]
        form = Path(document.name).suffix
        # documents that differ only in words are equal here
        origin = find_origin(self._cache, document.path, document.data)
        content = document.data if origin is None else origin.key
        facts = (*published, form, content, self._recorded_policy, self._api.meaning or b"")
        return self._cache.key("as-published", *facts)

    @cached_property
    def _recorded_policy(self) -> str:
        """The published policy, which determines how published documents are read."""
        record = self._published.policy
        return "" if record is None else record.text()

    @cached_property
    def _judges_words(self) -> bool:
        rule = RULES["documentation-changed"]
        return find_verdict(rule, self._table.policy, self._table.verdicts) in _WEIGHTY

    def _since(self, document: Document, shown: Combination) -> list[Change]:
        """Return the differences from a published document, with words only if they are judged."""
        from dateline.diff import are_reworded, diff
        from dateline.diff.published import read_meanings

        after = self.projector.contract(*shown).document
        if self._judges_words or not are_reworded(document.content, after, self._readings):
            are_published = (not document.is_meant, False)
            sides = read_meanings(
                document.content, after, self._readings, are_published=are_published
            )
            return diff(*sides, None, self._readings, words=self._judges_words)
        is_published = self._published.documents.get(shown) is document
        if self._api.meaning is not None and document.is_alone and is_published:
            self._cache.put(self._key(shown), b"")
        return []

    def _diff(
        self,
        before: dict[str, Any],
        after: dict[str, Any],
        renames: Mapping[str, str] | None = None,
    ) -> list[Change]:
        from dateline.diff import diff

        # words make no difference between versions
        return diff(before, after, renames, self._readings, words=False)

    def _source(self, group: ChangeGroup) -> Place:
        """Return the place in the definitions of the changed thing, or of its nearest ancestor."""
        change = group.change
        pointer = change.after_pointer or change.before_pointer or ""
        return self.projector.place(pointer, *group.combinations[0])


def _looks_renamed(removed: ChangeGroup, added: ChangeGroup) -> bool:
    """Return whether a removed and an added field or parameter may be one under two names."""
    gone, new = removed.change, added.change
    return (
        _RENAMED.get(gone.kind) is new.kind
        and gone.schema == new.schema
        and gone.shared == new.shared
        and _holder(gone.before_pointer) == _holder(new.after_pointer)
        and gone.before is not None
        and _without_name(gone) == _without_name(new)
    )


def _without_name(change: Change) -> Any:
    """Return the field or parameter without its name, which only a parameter has within."""
    value = change.before if change.after_pointer is None else change.after
    is_named = change.kind in _PARAMETERS and isinstance(value, dict)
    return {**value, "name": None} if is_named else value


def _holder(pointer: str | None) -> str:
    return (pointer or "").rpartition("/")[0]


def _advise_rename(removed: ChangeGroup, added: ChangeGroup) -> str:
    name, new = map(_read_name, (removed.change, added.change))
    return (
        f"{RULES[removed.judgement.rule].help} If it is called `{new}` now, give that one "
        f"`x-was: {{next: {{name: {name}}}}}` (`dateline gate` writes it if you confirm)."
    )


def _read_name(change: Change) -> str:
    """Return the name of a field or parameter."""
    pointer = change.before_pointer or change.after_pointer or ""
    return change.field if change.kind in _PARAMETERS else parts(pointer)[-1]
