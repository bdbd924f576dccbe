"""Find files that dateline wrote earlier, though the present manifest doesn't list them.

Switching branches, stashing and `git checkout .` take the manifest back to what a commit has, and
leave files that no commit has: outputs of another branch. They are known by their content, from a
log beside the output folder, or from a manifest that some commit has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from dateline.files.disk import read_or_none
from dateline.manifest import digest_of, parse_manifest

LOG: Final = "written"
"""The log beside the output folder: a line for each content that a file had, the newest last."""

_MOST_LINES: Final = 20_000
_MOST_COMMITS: Final = 50


def extend_log(log: Path, manifest: bytes) -> str:
    """Return *log* extended by everything that *manifest* lists, without its oldest lines."""
    new = [f"{entry.digest} {path}" for path, entry in (parse_manifest(manifest) or {}).items()]
    lines = dict.fromkeys([*_read_log(log), *new])
    return "\n".join(list(lines)[-max(_MOST_LINES, len(new)) :]) + "\n"


def find_written(folder: Path, log: Path, paths: Iterable[str]) -> set[str]:
    """Return those of *paths* in *folder* with content that dateline once wrote there.

    They are regular files. One that was edited since is not among them.
    """
    digests = {path: digest_of(content) for path in paths if (content := _read(folder / path))}
    if not digests:
        return set()
    logged = {*_read_log(log)}
    found = {path for path, digest in digests.items() if f"{digest} {path}" in logged}
    left = {path: digest for path, digest in digests.items() if path not in found}
    return found | _find_committed(folder, left)


def _find_committed(folder: Path, digests: Mapping[str, str]) -> set[str]:
    """Return the paths whose digest is in a manifest in a commit of any branch."""
    from dateline.check.git import GitError, Repository  # needed only if files are left over

    found: set[str] = set()
    try:
        repository = Repository(folder)
        for manifest in repository.list_versions(folder, [*digests], _MOST_COMMITS):
            listed = parse_manifest(manifest) or {}
            found |= {
                path
                for path, digest in digests.items()
                if path in listed and listed[path].digest == digest
            }
            if len(found) == len(digests):
                break
    except GitError:
        pass  # if git does not answer, the log decides
    return found


def _read_log(log: Path) -> list[str]:
    content = read_or_none(log) or b""
    return [line for line in content.decode(errors="replace").splitlines() if line]


def _read(path: Path) -> bytes | None:
    return None if path.is_symlink() or not path.is_file() else path.read_bytes()
