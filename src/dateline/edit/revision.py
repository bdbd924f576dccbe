"""The planned edits of a command, before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from dateline.changes.record import Record, record_files
from dateline.check import Waiver
from dateline.files.sources import Replacement
from dateline.model import Api, Version
from dateline.paths import name_file


@dataclass(frozen=True, kw_only=True)
class Revision:
    """The changes to the files of ``folder`` for one version; nothing is written yet.

    ``api``, ``waivers`` and ``record`` are the results of the edits. ``recorded`` are the
    replacements of the record, ``replacements`` all others.
    """

    folder: Path
    version: Version
    api: Api
    waivers: tuple[Waiver, ...]
    record: Record | None
    replacements: tuple[Replacement, ...]
    recorded: tuple[Replacement, ...]

    def patch(self) -> str:
        """Return the edits without the record as a unified diff, as ``git apply`` reads it."""
        return format_patch(self.folder, self.replacements)


def compare_contents(
    before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> tuple[Replacement, ...]:
    """Return the replacements that turn the files *before* into *after*, by name."""
    return tuple(
        Replacement(name=name, before=before.get(name), after=after.get(name))
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    )


def compare_record(folder: Path, record: Record | None) -> tuple[Replacement, ...]:
    """Return the replacements that make *record* the one of the definitions in *folder*."""
    before = {name: (folder / name).read_bytes() for name in record_files(folder)}
    return compare_contents(before, {} if record is None else record.files)


def format_patch(folder: Path, replacements: Iterable[Replacement]) -> str:
    """Return *replacements* in *folder* as a unified diff, as ``git apply`` reads it.

    It is empty if there is none.
    """
    return "".join(
        _patch(name_file(folder, one.name), one.before or b"", one.after or b"")
        for one in replacements
    )


def _patch(name: str, before: bytes, after: bytes) -> str:
    # bytes are split at line ends only, text at other characters too
    then, now = (
        [line.decode() for line in content.splitlines(keepends=True)] for content in (before, after)
    )
    lines = unified_diff(then, now, f"a/{name}", f"b/{name}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
