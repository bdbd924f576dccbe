"""Sources before and after in, what a command does to them out: nothing is written yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dateline.check import Waiver
from dateline.edit.files import Replacement
from dateline.edit.patching import patch
from dateline.model import Api, Version


@dataclass(frozen=True, kw_only=True)
class Revision:
    """What is done about one version to the files of ``folder``; nothing is written yet.

    ``api`` and ``waivers`` are what the files are going to say.
    """

    folder: Path
    version: Version
    api: Api
    waivers: tuple[Waiver, ...]
    replacements: tuple[Replacement, ...]

    def patch(self) -> str:
        """Return the edits as a unified diff, as ``git apply`` takes it."""
        return patch(self.folder, self.replacements)


def replacements(
    before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> tuple[Replacement, ...]:
    """Return the replacements that make the files *before* those *after*, by name."""
    return tuple(
        Replacement(name=name, before=before[name], after=content)
        for name, content in sorted(after.items())
        if content != before[name]
    )
