"""The published policy: the one at the time of generation, and its effect now."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from dateline.check.findings import create_finding
from dateline.check.merge import FROM_MILD_TO_STRICT
from dateline.check.waivers import Waiver
from dateline.model import (
    NOTICE_DAYS,
    Announcement,
    Brownout,
    Finding,
    Place,
    Policy,
    Table,
    Verdict,
)
from dateline.placement import hide_version
from dateline.presets import DEFAULT_POLICY, PRESETS
from dateline.rules import CHANGE_RULES
from dateline.versions import DATE_FORM, FORMS, is_well_formed

FILE: Final = "policy.json"
"""The file of the output folder that records the policy."""

_SHOWN: Final = 3


@dataclass(frozen=True, kw_only=True)
class PolicyRecord:
    """The policy at the time of generation, as ``policy.json`` records it.

    ``waivers`` are the rows of ``waivers.yaml`` at that time: all of them covered a finding then,
    or had done so before. ``versions`` are those that callers could request, in ``environments``,
    in the order of the table. With ``nearest``, the nearest earlier version was served for an
    unknown one, which had the ``form`` of names. ``counterparts`` are what cut versions have in
    place of what others have. ``versions``, ``environments``, ``announcements``, ``form`` and
    ``counterparts`` are None in records of releases that did not write them.
    """

    header: str
    default: str
    ignoring_tags: tuple[str, ...]
    preset: str
    rules: Mapping[str, str]
    notice_days: int
    require_why: bool
    adopted: bool
    waivers: tuple[Mapping[str, Any], ...] = ()
    versions: tuple[str, ...] | None = None
    environments: tuple[str, ...] | None = None
    announcements: tuple[Announcement, ...] | None = None
    oddities: bool = False
    approvals: tuple[str, ...] = ()
    nearest: bool = False
    form: str | None = DATE_FORM
    counterparts: Mapping[str, Any] | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        waivers: Iterable[Waiver],
        counterparts: Mapping[str, Any] | None = None,
    ) -> PolicyRecord:
        """Return the record of *table*, *waivers* and *counterparts*."""
        return cls(
            header=table.selector,
            default=table.default,
            ignoring_tags=table.ignoring_tags,
            preset=table.policy,
            rules=table.overrides,
            notice_days=table.notice_days,
            require_why=table.require_why,
            adopted=table.adopted,
            waivers=tuple(waiver.data for waiver in waivers),
            versions=tuple(one.date for one in table.supported if not one.moving),
            environments=table.environment_names,
            announcements=table.announcements,
            oddities=table.oddities,
            approvals=table.approvals,
            nearest=table.nearest,
            form=table.form,
            counterparts=counterparts,
        )

    @classmethod
    def assume(cls, table: Table) -> PolicyRecord:
        """Return the policy for documents whose record is gone: the built-in preset, unchanged.

        What no policy can loosen is taken from *table*.
        """
        built_in = replace(table, policy=DEFAULT_POLICY, overrides={}, notice_days=NOTICE_DAYS)
        return cls.of(built_in, ())

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> PolicyRecord:
        """Return the record in *data*. Raises ValueError if it is not valid."""
        found: dict[str, Any] = {key: data.get(key) for key in _TYPES}
        for key, known in found.items():
            if type(known) is not _TYPES[key]:
                raise ValueError(f"`{key}` is not what `dateline generate` writes")
        policy = found.pop("policy")
        rules, notice = policy.get("rules", {}), policy.get("notice-days")
        if not isinstance(rules, dict) or not isinstance(notice, int):
            raise ValueError("`policy` is not what `dateline generate` writes")
        known_rules = {rule: verdict for rule, verdict in rules.items() if rule in CHANGE_RULES}
        if not {str(verdict) for verdict in known_rules.values()} <= {*map(str, Verdict)} - {
            str(Verdict.INVALID)
        }:
            raise ValueError("`policy` has an unknown verdict")
        rows = data.get("announcements")
        is_list = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
        announced = tuple(read_announcements(rows, lambda _: Place(FILE, 1, 1)))
        return cls(
            header=found["header"],
            default=found["default"],
            ignoring_tags=tuple(map(str, found["ignores-header"])),
            preset=str(policy.get("preset")),
            rules=known_rules,
            notice_days=notice,
            require_why=found["require-why"],
            adopted=found["lint"] == "adopted",
            waivers=tuple(row for row in found["waivers"] if isinstance(row, dict)),
            versions=_texts(data, "versions"),
            environments=_texts(data, "environments"),
            announcements=announced if is_list else None,
            oddities=data.get("oddities") == "kept",
            approvals=_texts(policy, "approvals") or (),
            nearest=data.get("unknown") == "nearest",
            form=_read_form(data),
            counterparts=_read_counterparts(data.get("counterparts")),
        )

    @property
    def is_shown(self) -> bool:
        """Whether documents have additions that are not part of their contracts."""
        return self.oddities or self.header.startswith(("path ", "media-type "))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the documents that were published with it, as far as known."""
        return tuple(
            f"spec/{environment}/{version}.json"
            for environment in self.environments or ()
            for version in self.versions or ()
        )

    def restore(self, document: dict[str, Any], version: str) -> dict[str, Any]:
        """Return the contract of *version* that was published as *document*."""
        hidden = hide_version(document, self.header, version)
        if not self.oddities:
            return hidden
        # slow to import, and not needed for what was compared before
        from dateline.oddities import keep_oddities

        return keep_oddities(hidden)

    def text(self) -> str:
        """Return the record as JSON, keys and lists in a fixed order."""
        counterparts = self.counterparts
        data = {
            "header": self.header,
            "default": self.default,
            **({"unknown": "nearest"} if self.nearest else {}),
            **({"form": self.form} if self.form != DATE_FORM else {}),
            "ignores-header": sorted(self.ignoring_tags),
            "policy": {
                "preset": self.preset,
                "rules": dict(sorted(self.rules.items())),
                "notice-days": self.notice_days,
                **({"approvals": list(self.approvals)} if self.approvals else {}),
            },
            "require-why": self.require_why,
            "lint": "adopted" if self.adopted else "authored",
            **({"oddities": "kept"} if self.oddities else {}),
            "versions": list(self.versions or ()),
            "environments": list(self.environments or ()),
            "announcements": [one.data for one in self.announcements or ()],
            **({"counterparts": counterparts} if counterparts is not None else {}),
            "waivers": sorted(self.waivers, key=lambda row: json.dumps(row, sort_keys=True)),
        }
        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


_ANNOUNCEMENT: Final = ("kind", "version", "day", "announced")
_TYPES: Final[dict[str, type]] = {
    "header": str,
    "default": str,
    "ignores-header": list,
    "policy": dict,
    "require-why": bool,
    "lint": str,
    "waivers": list,
}


def _texts(data: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    found = data.get(key)
    return tuple(map(str, found)) if isinstance(found, list) else None


def _read_form(data: Mapping[str, Any]) -> str | None:
    form = data.get("form")
    if form is not None:
        return form if form in FORMS else None
    # older releases wrote none at all
    versions = _texts(data, "versions") or ()
    return DATE_FORM if all(is_well_formed(each, DATE_FORM) for each in versions) else None


def _read_counterparts(found: Any) -> dict[str, Any] | None:
    if not isinstance(found, dict):
        return None
    rows = [row for document in found.values() for row in _list_values(document)]
    if not all(_is_counterpart(entry) for row in rows for entry in _list_values(row)):
        raise ValueError("`counterparts` is not what `dateline generate` writes")
    return found


def _list_values(found: Any) -> list[Any]:
    return list(found.values()) if isinstance(found, dict) else [None]


def _is_counterpart(entry: Any) -> bool:
    members = [entry.get(key, []) for key in ("shown-as", "was")] if isinstance(entry, dict) else []
    return all(isinstance(one, list) for one in members or [None]) and all(
        isinstance(pair, list) and [type(one) for one in pair[:1]] == [str] and len(pair) == 2
        for one in members
        for pair in one
    )


def read_announcements(rows: Any, locate: Callable[[int], Place]) -> Iterator[Announcement]:
    """Yield the announcements in *rows* that have our form.

    *locate* returns the place of a row.
    """
    for number, row in enumerate(rows if isinstance(rows, list) else ()):
        known = row if isinstance(row, dict) else {}
        texts = {key: value for key in _ANNOUNCEMENT if isinstance(value := known.get(key), str)}
        if len(texts) == len(_ANNOUNCEMENT):
            brownouts = tuple(_read_brownouts(known.get("brownouts")))
            yield Announcement(**texts, brownouts=brownouts, place=locate(number))


def _read_brownouts(rows: Any) -> Iterator[Brownout]:
    for row in rows if isinstance(rows, list) else ():
        known = row if isinstance(row, dict) else {}
        if isinstance(start := known.get("from"), str) and isinstance(end := known.get("to"), str):
            yield Brownout(start, end)


def judging_table(table: Table, record: PolicyRecord | None) -> Table:
    """Return *table* with the stricter of its own policy and the published one.

    Without a *record* the policy of the table applies alone, since nothing is known of the
    published one.
    """
    if record is None:
        return table
    kept = {rule: str(was) for rule, (was, _) in _find_loosened(table, record).items()}
    return replace(
        table,
        overrides={**table.overrides, **kept},
        notice_days=max(table.notice_days, record.notice_days),
        require_why=table.require_why or record.require_why,
        approvals=record.approvals if _find_approvers_added(table, record) else table.approvals,
        adopted=table.adopted and record.adopted,
    )


def check_policy(
    table: Table, record: PolicyRecord | None, findings: Sequence[Finding]
) -> Iterator[Finding]:
    """Yield what makes the policy of *table* looser than the published one, one for each cause.

    Each finding names what the new policy would allow: rules, and the *findings* that it would
    hide.
    """
    if record is None:
        return
    for pointer, (rules, what, was, now) in _list_causes(table, record).items():
        hidden = [one for one in findings if one.rule in rules or one.policy.value in rules]
        message = what
        if hidden:
            named = ", ".join(f"“{one.message}”" for one in hidden[:_SHOWN])
            more = f" and {len(hidden) - _SHOWN} more" if len(hidden) > _SHOWN else ""
            message += f". It would hide {named}{more}"
        # what was deleted from the table has no place left
        keys = (pointer.rpartition("/")[2], pointer.split("/")[1])
        places = (table.places[key] for key in keys if key in table.places)
        yield create_finding(
            "policy-loosened",
            Policy.FROZEN,
            message,
            key=(pointer, was, now),
            after_pointer=pointer,
            before=was,
            after=now,
            after_source=next(places, Place(table.versions[0].place.file, 1, 1)),
        )


class _Cause(NamedTuple):
    """What loosens a policy: the affected rules or policies, the fact, and both values."""

    concerns: Collection[str]
    fact: str
    was: Any
    now: Any


def _list_causes(table: Table, record: PolicyRecord) -> dict[str, _Cause]:
    """Return what makes the policy of *table* looser than that of *record*, by its pointer."""
    found: dict[str, _Cause] = {}
    by_preset: dict[str, str] = {}
    for rule, (was, now) in _find_loosened(table, record).items():
        if rule in table.overrides or rule in record.rules:
            fact = f"{rule} loosened ({was} -> {now})"
            found[f"/policy/rules/{rule}"] = _Cause([rule], fact, str(was), str(now))
        else:
            by_preset[rule] = f"{rule} ({was} -> {now})"
    if by_preset:
        fact = f"preset changed ({record.preset} -> {table.policy}), which loosens "
        fact += ", ".join(by_preset.values())
        found["/policy/preset"] = _Cause(by_preset, fact, record.preset, table.policy)
    if table.notice_days < record.notice_days:
        was_days, days = record.notice_days, table.notice_days
        fact = f"notice-days lowered ({was_days} -> {days}), which loosens notice-too-short"
        found["/policy/notice-days"] = _Cause(["notice-too-short"], fact, was_days, days)
    if record.require_why and not table.require_why:
        fact = "require-why dropped, which loosens reason-missing"
        found["/require-why"] = _Cause(["reason-missing"], fact, True, False)
    if added := _find_approvers_added(table, record):
        fact = f"approvals widened ({', '.join(added)}), which lets others approve waivers"
        found["/policy/approvals"] = _Cause(
            ["waiver-unapproved"], fact, list(record.approvals), list(table.approvals)
        )
    if table.adopted and not record.adopted:
        concerns = [Policy.MINTED.value, Policy.SERVABLE.value]
        fact = (
            "lint changed (authored -> adopted), which loosens the rules between versions and "
            "for the server"
        )
        found["/lint"] = _Cause(concerns, fact, "authored", "adopted")
    return found


def _find_approvers_added(table: Table, record: PolicyRecord) -> list[str]:
    """Return who may approve by *table* but not by *record*: `anybody`, or names."""
    if not record.approvals:
        return []
    return sorted({*table.approvals} - {*record.approvals}) if table.approvals else ["anybody"]


def _find_loosened(table: Table, record: PolicyRecord) -> dict[str, tuple[Verdict, Verdict]]:
    """Return the published verdict and the looser one of *table*, by rule id."""
    published = _verdicts(record.preset, record.rules)
    now = _verdicts(table.policy, table.overrides)
    strictness = FROM_MILD_TO_STRICT.index
    return {
        rule: (published[rule], now[rule])
        for rule in CHANGE_RULES
        if strictness(now[rule]) < strictness(published[rule])
    }


def _verdicts(preset: str, rules: Mapping[str, str]) -> dict[str, Verdict]:
    known = PRESETS[preset].verdicts if preset in PRESETS else {}
    given = {**known, **{rule: Verdict(verdict) for rule, verdict in rules.items()}}
    return {id: given.get(id, rule.verdict) for id, rule in CHANGE_RULES.items()}
