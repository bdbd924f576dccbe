"""Write waivers to `waivers.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from dateline.check.baseline import Published
from dateline.check.waived_values import name_value
from dateline.check.waivers import FILE, read_waivers
from dateline.edit.sources import write_trial
from dateline.files.sources import Replacement, recover, write
from dateline.gates import order
from dateline.load.table import canonical_date
from dateline.model import Api, DatelineError, Day, Finding, Policy, SourceError
from dateline.paths import name_folder
from dateline.project import Projector
from dateline.report.wording import list_names
from dateline.schema.references import Resolver
from dateline.source.splice import EditableSource
from dateline.wording import did_you_mean

_SHOWN: Final = 5

_NEW: Final = b"""\
# Breaking changes that may pass until a day. Expired and unused waivers are findings.
waivers: []
"""


class WaiverError(DatelineError):
    """The requested waiver is invalid; the message says why."""

    exit_code = 2


def waive(
    folder: Path,
    *,
    rule: str,
    pointer: str,
    versions: Sequence[str],
    reason: str,
    expires: str,
    today: date,
    details: Mapping[str, Any] | None = None,
) -> Path:
    """Write a waiver to ``waivers.yaml`` in *folder*, creating it if necessary; return its path.

    Findings of *rule* at *pointer* in *versions* pass until the day *expires*, because of *reason*;
    *details* are the other keys of its row (see ``Waiver``). A waiver of the same rule, place and
    versions is replaced.

    Raises WaiverError for invalid values and for a day before *today*, SourceError if the file
    can't be read, EditError if it can't be written; nothing is written then.
    """
    recover(folder)
    known = read_waivers(folder)
    path = folder / FILE
    before = path.read_bytes() if path.exists() else None
    source = EditableSource(_NEW if before is None else before)
    row = {
        "rule": rule,
        "pointer": pointer,
        "versions": [_day(version) for version in versions],
        "reason": reason,
        "expires": _day(expires),
        **(details or {}),
    }
    meant = (rule, pointer, {*versions})
    same = [(each.rule, each.pointer, {*each.versions}) == meant for each in known]
    if True in same:
        source.replace(("waivers", same.index(True)), row)
    else:
        source.insert(("waivers", len(known)), row)
    content = source.content()
    _require_valid(name_folder(folder), content)
    if date.fromisoformat(expires) < today:
        raise WaiverError(f"{expires} has passed; name the last day of the waiver")
    write(folder, [Replacement(name=FILE, before=before, after=content)])
    return path


def find_target(
    api: Api,
    published: Published,
    findings: Sequence[Finding],
    *,
    rule: str,
    given: str,
    versions: Sequence[str],
) -> tuple[str, tuple[str, ...], str | list[str] | None]:
    """Return the pointer, versions and value, or values, of the waiver for *given* and *versions*.

    *given* is a pointer, or what a report prints about one of *findings*: its place, its
    fingerprint or the name before the colon of its message. Without *versions* they are those of
    the finding. Raises WaiverError for an unknown version, and if *given* stands for nothing, or
    for several places.
    """
    known = tuple(dict.fromkeys((*api.table.dates, *published.versions)))
    for version in versions:
        if version not in known:
            hint = did_you_mean(version, known)
            raise WaiverError(f"no version {version} in the version table{hint}")
    ours = [one for one in findings if one.rule == rule and one.policy is not Policy.WAIVERS]
    matching = [one for one in ours if given in _names(one)]
    pointers = sorted(
        {
            given if given in _pointers(one) else _pointers(one)[0]
            for one in matching
            if _pointers(one)
        }
    )
    if len(pointers) > 1:
        raise WaiverError(
            f"{given} is the place of several findings; name one of {list_names(pointers, _SHOWN)}"
        )
    if not pointers:
        if matching:
            raise WaiverError(
                f"{rule} at {given} is not a finding that can be waived; {matching[0].help}"
            )
        if not _leads_somewhere(api, published, given):
            names = sorted({name for one in ours for name in _names(one)[:4]})
            hint = did_you_mean(given, names) if names else f"; nothing breaks {rule} now"
            raise WaiverError(
                f"{given} is not a place of a finding of {rule}, nor of a document{hint}"
            )
        pointers = [given]
    found = {version for one in matching for version in one.versions}
    if not versions and not matching:
        raise WaiverError(
            "there is no finding at that place yet, so name the versions: `--version DATE`"
        )
    concerned = [one for one in matching if not versions or {*versions} & {*one.versions}]
    named = {name_value(one) for one in concerned}
    values = [] if None in named else sorted(filter(None, named))
    value = values[0] if len(values) == 1 else values or None
    return pointers[0], tuple(versions) or tuple(sorted(found, key=order)), value


def _names(finding: Finding) -> list[str]:
    """Return every name of *finding* in reports; what is printed first comes first."""
    head, colon, _ = finding.message.partition(": ")
    field = f"{finding.schema}.{finding.field}" if finding.schema and finding.field else ""
    places = (finding.after_source, finding.before_source)
    names = [head if colon else "", *map(str, filter(None, places)), field]
    names += [*_pointers(finding), *(f"#{one}" for one in _pointers(finding)), finding.fingerprint]
    return [name for name in names if name]


def _pointers(finding: Finding) -> list[str]:
    return [one for one in (finding.after_pointer, finding.before_pointer) if one is not None]


def _leads_somewhere(api: Api, published: Published, pointer: str) -> bool:
    projector = Projector(api)
    documents = [
        *(document.content for document in published.documents.values()),
        *(projector.contract(*shown).document for shown in api.combinations),
    ]
    reference = "#" + quote(pointer, safe="/~")
    return pointer.startswith("/") and any(Resolver(one).locate(reference) for one in documents)


def _day(text: str) -> str:
    return Day(text) if canonical_date(text) else text


def _require_valid(name: str, content: bytes) -> None:
    with write_trial(name, {FILE: content}) as tried:
        try:
            read_waivers(tried)
        except SourceError as error:
            raise WaiverError(f"{error.problems[0].message}") from error
