"""``waivers.yaml`` in, findings marked as waived out; an idle waiver is a finding itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from dateline.check.laws import breach
from dateline.load.reader import read
from dateline.load.table import canonical_date
from dateline.model import Finding, Map, Place, Policy, Problem, Seq, SourceError

FILE: Final = "waivers.yaml"
_KEYS: Final = ("rule", "pointer", "versions", "reason", "expires")
_RULE: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, kw_only=True)
class Waiver:
    """Lets findings of ``rule`` at ``pointer`` in ``versions`` pass until ``expires``."""

    rule: str
    pointer: str
    versions: tuple[str, ...]
    reason: str
    expires: str
    place: Place

    def covers(self, finding: Finding) -> bool:
        return (
            finding.rule == self.rule
            and self.pointer in (finding.before_pointer, finding.after_pointer)
            and set(finding.versions) <= set(self.versions)
        )


def read_waivers(folder: Path) -> list[Waiver]:
    """Return the waivers in *folder*; none without a file. Raises SourceError for a bad file."""
    path = folder / FILE
    if not path.exists():
        return []
    problems: list[Problem] = []
    document = read(path, f"{folder.name}/{FILE}", adopted=False, problems=problems)
    waivers = list(_waivers(document, problems)) if document is not None else []
    if problems:
        raise SourceError(problems)
    return waivers


def _waivers(document: Map, problems: list[Problem]) -> Iterator[Waiver]:
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
            fault, place = _fault(row), row.place()
        if fault is None:
            yield Waiver(
                **{key: row[key] for key in _KEYS if key != "versions"},
                versions=tuple(row["versions"]),
                place=place,
            )
        else:
            problems.append(Problem(place=place, id="waiver-form", message=fault))


def _fault(row: dict[str, Any]) -> str | None:
    """Return what is wrong with a waiver, None where nothing is."""
    for key in row:
        if key not in _KEYS:
            return f"{key!r} is no key of a waiver; known: {', '.join(_KEYS)}"
    for key in _KEYS:
        if key not in row:
            return f"`{key}` is missing"
    versions = row["versions"]
    if not isinstance(versions, list) or not all(isinstance(item, str) for item in versions):
        return "`versions` is a list of dates"
    texts = {key: row[key] for key in _KEYS if key != "versions"}
    for key, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            return f"`{key}` is text"
    if _RULE.fullmatch(row["rule"]) is None:
        return f"{row['rule']!r} is not the id of a rule; `dateline rules` lists them"
    if not canonical_date(row["expires"]):
        return f"{row['expires']!r} is not a canonical YYYY-MM-DD date"
    return None


def waive(findings: Sequence[Finding], waivers: Sequence[Waiver], today: date) -> list[Finding]:
    """Return *findings*, marked where a waiver covers them, and one for each idle waiver."""
    current = [waiver for waiver in waivers if waiver.expires >= today.isoformat()]
    marked = []
    used: set[Place] = set()
    for finding in findings:
        covering = [waiver for waiver in current if waiver.covers(finding)]
        used.update(waiver.place for waiver in covering)
        marked.append(replace(finding, waived=covering[0].reason) if covering else finding)
    for waiver in waivers:
        if waiver not in current:
            message = f"the waiver of {waiver.rule} at {waiver.pointer} expired on {waiver.expires}"
            marked.append(_idle("waiver-expired", waiver, message))
        elif waiver.place not in used:
            message = f"the waiver of {waiver.rule} at {waiver.pointer} covers no finding"
            marked.append(_idle("waiver-unused", waiver, message))
    return marked


def _idle(rule: str, waiver: Waiver, message: str) -> Finding:
    return breach(
        rule,
        Policy.WAIVERS,
        message,
        key=(waiver.rule, waiver.pointer, waiver.expires),
        after_pointer=waiver.pointer,
        versions=waiver.versions,
        after_source=waiver.place,
    )
