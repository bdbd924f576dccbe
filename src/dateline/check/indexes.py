"""Read the indexes of published documents, `versions.json`, as far as they have our form.

A template may give an index another form; that of the recorded policy is always the same.
"""

from __future__ import annotations

from dateline.bundle import SourceFile
from dateline.check.policy import PolicyRecord, read_announcements
from dateline.model import Announcement


def is_index(name: str) -> bool:
    """Return whether the file *name* of the outputs is an index."""
    return name.endswith("/versions.json")


def read_index(
    index: SourceFile | None,
) -> tuple[str | None, tuple[Announcement, ...] | None]:
    """Return the default version and the announcements of *index*, None if it doesn't say."""
    if index is None:
        return None, None
    default, rows = index.root.get("default"), index.root.get("announcements")
    announcements = read_announcements(rows, lambda at: index.locate(("announcements", at)))
    return default if isinstance(default, str) else None, tuple(announcements)


def offers(record: PolicyRecord | None, index: SourceFile | None, version: str) -> bool:
    """Return whether callers may request *version*, by the *record* or else by the *index*.

    An index of another form, or none, lists every version.
    """
    if record is not None and record.versions is not None:
        return version in record.versions
    rows = index.root.get("versions") if index else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return True
    return any(row.get("version") == version for row in rows)
