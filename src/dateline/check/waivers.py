"""Read `waivers.yaml`, and decide which findings are waived and which waivers are unused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any, Final

from dateline.check.approvals import is_approved
from dateline.check.findings import create_finding
from dateline.check.waived_values import name_value
from dateline.load.table import canonical_date
from dateline.model import Finding, Map, Place, Policy, Problem, Seq, SourceError, Verdict
from dateline.paths import name_folder
from dateline.source.reader import read

FILE: Final = "waivers.yaml"
_KEYS: Final = ("rule", "pointer", "versions", "reason", "expires")
VALUE: Final = "value"
_OPTIONAL: Final = ("class", "usage", "owner", "approved-by", VALUE)
CLASSES: Final = ("bug-fix", "security", "no-callers")
"""The classes of reasons; a `usage` shows that there are no callers."""

_OVER: Final[dict[str, Any]] = {
    "verdict": Verdict.INFORMATION,
    "help": "The finding that it covered is published, so it covers nothing any more. Delete it.",
}
_RULE: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, kw_only=True)
class Waiver:
    """Lets findings of ``rule`` at ``pointer`` in ``versions`` pass until ``expires``.

    ``details`` are the other keys of its row: the class of the reason, the usage that shows it, the
    owner of the waiver, who approved it, and the value at ``pointer`` that it is about, or several.
    Without one, it is about any change of that place.
    """

    rule: str
    pointer: str
    versions: tuple[str, ...]
    reason: str
    expires: str
    place: Place
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def data(self) -> dict[str, Any]:
        """The waiver as its row in the file, plain data."""
        row = {key: getattr(self, key) for key in _KEYS} | {"versions": list(self.versions)}
        return {**row, **self.details}

    @property
    def explanation(self) -> str:
        """The reason with its class, its evidence and the people responsible."""
        parts = [
            f"{key.replace('-', ' ')} {text}" for key, text in self.details.items() if key != VALUE
        ]
        return f"{self.reason} ({', '.join(parts)})" if parts else self.reason

    @property
    def values(self) -> tuple[str, ...]:
        """The values that it is about; none if it is about any."""
        found = self.details.get(VALUE, ())
        return (found,) if isinstance(found, str) else tuple(found)

    def is_at_place(self, finding: Finding) -> bool:
        """Return whether rule and pointer are those of *finding*, whatever its versions."""
        pointers = (finding.before_pointer, finding.after_pointer)
        return finding.rule == self.rule and self.pointer in pointers

    def concerns(self, finding: Finding) -> bool:
        """Return whether rule, pointer and value are those of *finding*, whatever its versions."""
        return self.is_at_place(finding) and (not self.values or name_value(finding) in self.values)


class WaiverState(Enum):
    """The state of a waiver."""

    ACTIVE = "active"  # it covers a finding
    SETTLED = "settled"  # the finding that it covered has been published since
    EXPIRED = "expired"
    UNAPPROVED = "unapproved"  # nobody who may approve it has done so
    UNUSED = "unused"  # it has never covered anything


def read_waivers(folder: Path) -> list[Waiver]:
    """Return the waivers in *folder*; none without a file. Raises SourceError for a bad file."""
    path = folder / FILE
    if not path.exists():
        return []
    problems: list[Problem] = []
    document = read(path, f"{name_folder(folder)}/{FILE}", adopted=False, problems=problems)
    waivers = list(_read_rows(document, problems)) if document is not None else []
    if problems:
        raise SourceError(problems)
    return waivers


def _read_rows(document: Map, problems: list[Problem]) -> Iterator[Waiver]:
    rows = document.get("waivers")
    unknown = [key for key in document if key != "waivers"]
    if unknown or not isinstance(rows, Seq):
        place = document.place(unknown[0]) if unknown else document.place()
        problems.append(
            Problem(
                place=place,
                id="waivers-form",
                message=f"write `waivers:` and a list of {{ {', '.join(_KEYS)} }}",
            )
        )
        return
    for index, row in enumerate(rows):
        if not isinstance(row, Map):
            fault: str | None = "a waiver is a mapping"
            place = rows.place(index)
        else:
            fault, place = _find_fault(row), row.place()
        if fault is None:
            yield Waiver(
                **{key: row[key] for key in _KEYS if key != "versions"},
                versions=tuple(row["versions"]),
                details={key: _plain(row[key]) for key in _OPTIONAL if key in row},
                place=place,
            )
        else:
            problems.append(Problem(place=place, id="waiver-form", message=fault))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


def _find_fault(row: dict[str, Any]) -> str | None:
    """Return what is wrong with a waiver, or None."""
    for key in row:
        if key not in (*_KEYS, *_OPTIONAL):
            return f"{key!r} is not a key of a waiver; known: {', '.join((*_KEYS, *_OPTIONAL))}"
    for key in _KEYS:
        if key not in row:
            return f"`{key}` is missing"
    versions = row["versions"]
    if not isinstance(versions, list) or not all(isinstance(item, str) for item in versions):
        return "`versions` has to be a list of dates"
    values = row.get(VALUE)
    several = values if isinstance(values, list) and values else [values or ""]
    texts = {key: row[key] for key in row if key not in ("versions", VALUE)}
    rows = [*texts.items(), *((VALUE, one) for one in several if VALUE in row)]
    for key, given in rows:
        if not isinstance(given, str) or not given.strip():
            return f"`{key}` has to be a text that is not blank"
    if _RULE.fullmatch(row["rule"]) is None:
        return f"{row['rule']!r} is not the id of a rule; `dateline rules` lists them"
    if (kind := row.get("class", CLASSES[0])) not in CLASSES:
        return f"{kind!r} is not a class of reasons; known: {', '.join(CLASSES)}"
    if kind == "no-callers" and "usage" not in row:
        return "`class: no-callers` needs a `usage` that shows it, such as the address of a report"
    if not canonical_date(row["expires"]):
        return f"{row['expires']!r} is not a canonical YYYY-MM-DD date"
    return None


class Waivers:
    """The waivers of a project on one day, and the rows that *settled* lists.

    Those rows were in force when the baseline was generated, so its documents contain what they
    allowed (without a list, any may have been in force): what differs from such a baseline is
    something else, and needs a waiver of its own. A waiver without the approval of one of
    *approvers* covers nothing; None stands for anybody.
    """

    def __init__(
        self,
        waivers: Sequence[Waiver],
        today: date,
        settled: Iterable[Mapping[str, Any]] | None = (),
        approvers: frozenset[str] | None = None,
    ) -> None:
        self._approvers = approvers
        self._read_rows = waivers
        self._today = today.isoformat()
        rows = list(settled or ())
        self._knows_settled = settled is not None
        self._published = {(row.get("rule"), row.get("pointer")) for row in rows}
        self._settled = {waiver.place for waiver in waivers if waiver.data in rows}

    def reason(self, finding: Finding) -> str | None:
        """Return why *finding* may pass, or None if not all of its versions are covered."""
        holding = list(self._holding(finding))
        if not holding or _missing(finding, holding):
            return None
        return " ".join(dict.fromkeys(waiver.explanation for waiver in holding))

    def mark(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return *findings*, with the reason of its waiver for each that is covered.

        A waiver that covers only some of its versions is reported with the missing ones.
        """
        return [self._mark_one(finding) for finding in findings]

    def find_idle(self, findings: Sequence[Finding]) -> Iterator[Finding]:
        """Yield a finding for each waiver that has expired, or covers nothing and never did.

        If its finding is published, the expiry is information only: a clean check stays clean until
        somebody changes something.
        """
        for waiver, state in self.states(findings):
            of = f"the waiver of {waiver.rule} at {waiver.pointer}"
            if state is WaiverState.EXPIRED:
                expired = _create_finding(
                    "waiver-expired", waiver, f"{of} expired on {waiver.expires}"
                )
                settled = (waiver.rule, waiver.pointer) in self._published
                yield replace(expired, **_OVER) if settled else expired
            elif state is WaiverState.UNAPPROVED:
                given = waiver.details.get("approved-by")
                by = f"approved by {given} only" if given else "not approved"
                names = ", ".join(sorted(self._approvers or ()))
                may = names or "nobody: CODEOWNERS names no owner that is published as one"
                yield _create_finding("waiver-unapproved", waiver, f"{of} is {by}; who may: {may}")
            elif state is WaiverState.UNUSED:
                yield _create_finding("waiver-unused", waiver, f"{of} covers no finding")

    def states(self, findings: Sequence[Finding]) -> Iterator[tuple[Waiver, WaiverState]]:
        """Yield the state of each waiver, in the order of the file."""
        # one that lacks a version is reported with the finding
        used = {waiver.place for finding in findings for waiver in self._holding(finding)}
        for waiver in self._read_rows:
            if waiver.expires < self._today:
                yield waiver, WaiverState.EXPIRED
            elif not self._is_approved(waiver) and not self._is_over(waiver):
                yield waiver, WaiverState.UNAPPROVED
            elif waiver.place in used:
                yield waiver, WaiverState.ACTIVE
            elif self._is_over(waiver):
                yield waiver, WaiverState.SETTLED
            else:
                yield waiver, WaiverState.UNUSED

    def _is_approved(self, waiver: Waiver) -> bool:
        return is_approved(waiver.details.get("approved-by"), self._approvers)

    def _is_over(self, waiver: Waiver) -> bool:
        """Return whether what *waiver* covered is published, as far as that is known."""
        return (waiver.rule, waiver.pointer) in self._published or not self._knows_settled

    def _holding(self, finding: Finding) -> Iterator[Waiver]:
        """Yield the waivers of *finding*, whichever versions they name."""
        for waiver in self._read_rows:
            over = finding.policy is Policy.FROZEN and waiver.place in self._settled
            holds = waiver.expires >= self._today and self._is_approved(waiver)
            if holds and waiver.concerns(finding) and not over:
                yield waiver

    def _mark_one(self, finding: Finding) -> Finding:
        holding = list(self._holding(finding))
        missing = ", ".join(_missing(finding, holding))
        if not holding:
            return self._explain_others(finding)
        if not missing:
            return replace(finding, waived=self.reason(finding))
        at = ", ".join(str(waiver.place) for waiver in holding)
        message = f"The waiver at {at} does not cover {missing}; add what is missing to `versions`."
        return replace(finding, help=f"{finding.help} {message}")

    def _explain_others(self, finding: Finding) -> Finding:
        """Return *finding*; its help says why the waivers at its place do not cover it."""
        others = []
        for one in self._read_rows:
            if one.expires < self._today or not one.is_at_place(finding):
                continue
            if not one.concerns(finding):
                about = ", ".join(one.values)
                value = name_value(finding)
                others.append(f"The waiver at {one.place} is about {about}, and not about {value}.")
            elif one.place in self._settled:
                others.append(
                    f"The waiver at {one.place} is settled: its change is published. To waive the "
                    "same change again, give another reason or day."
                )
        return replace(finding, help=" ".join([finding.help, *others])) if others else finding


def _missing(finding: Finding, waivers: Iterable[Waiver]) -> list[str]:
    covered = {version for waiver in waivers for version in waiver.versions}
    return [version for version in finding.versions if version not in covered]


def _create_finding(rule: str, waiver: Waiver, message: str) -> Finding:
    return create_finding(
        rule,
        Policy.WAIVERS,
        message,
        key=(waiver.rule, waiver.pointer, waiver.expires),
        after_pointer=waiver.pointer,
        versions=waiver.versions,
        after_source=waiver.place,
    )
