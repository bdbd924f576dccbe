"""A finding to let pass for a while in, one more entry in ``waivers.yaml`` out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from dateline.check.waivers import FILE, read_waivers
from dateline.edit.files import Replacement, recover, write
from dateline.edit.splice import Source
from dateline.load.table import canonical_date
from dateline.model import DatelineError, Day, SourceError

_NEW: Final = b"""\
# Breaking changes that may pass until a day. Expired and unused waivers are findings.
waivers: []
"""


class WaiverError(DatelineError):
    """The waiver that was asked for can't be one; the message says why."""

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
) -> Path:
    """Append a waiver to ``waivers.yaml`` in *folder*, which is made if need be; return its path.

    Findings of *rule* at *pointer* in *versions* pass until the day *expires*, because of
    *reason*. Raises WaiverError for values that make no waiver and for a day before *today*,
    SourceError where the file can't be read, EditError where it can't be written; nothing is
    written then.
    """
    recover(folder)
    known = read_waivers(folder)
    path = folder / FILE
    before = path.read_bytes() if path.exists() else None
    source = Source(_NEW if before is None else before)
    row = {
        "rule": rule,
        "pointer": pointer,
        "versions": [_day(version) for version in versions],
        "reason": reason,
        "expires": _day(expires),
    }
    source.insert(("waivers", len(known)), row)
    content = source.content()
    _require_valid(folder.name, content)
    if date.fromisoformat(expires) < today:
        raise WaiverError(f"{expires} is over; name the last day on which it may pass")
    write(folder, [Replacement(name=FILE, before=before, after=content)])
    return path


def _day(text: str) -> str:
    return Day(text) if canonical_date(text) else text


def _require_valid(name: str, content: bytes) -> None:
    with TemporaryDirectory() as parent:
        tried = Path(parent) / name
        tried.mkdir()
        (tried / FILE).write_bytes(content)
        try:
            read_waivers(tried)
        except SourceError as error:
            raise WaiverError(f"{error.problems[0].message}") from error
