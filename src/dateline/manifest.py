"""The manifest: the size and digest of every file that was written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from dateline.model import MANIFEST


class ManifestEntry(NamedTuple):
    """The size and digest of one file."""

    size: int
    digest: str


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of *content*, in hexadecimal as the manifest has it."""
    return sha256(content).hexdigest()


def format_manifest(listing: dict[str, ManifestEntry]) -> bytes:
    """Return the manifest of *listing*, entries by path; `read_manifest` reads it."""
    # one entry on each line, so that version control merges single entries
    lines = ",\n".join(
        "    " + json.dumps({"path": path, "size": entry.size, "sha256": entry.digest})
        for path, entry in sorted(listing.items())
    )
    return f'{{\n  "files": [\n{lines}\n  ]\n}}\n'.encode()


def read_manifest(folder: Path) -> dict[str, ManifestEntry] | None:
    """Return the entries of the manifest in *folder*, or None without a valid manifest."""
    manifest = folder / MANIFEST
    if manifest.is_symlink() or not manifest.is_file():
        return None
    return parse_manifest(manifest.read_bytes())


def parse_manifest(manifest: bytes) -> dict[str, ManifestEntry] | None:
    """Return the entries of *manifest*, or None if it is not valid."""
    entries = list_entries(manifest)
    return None if entries is None else dict(entries)


def list_entries(manifest: bytes) -> list[tuple[str, ManifestEntry]] | None:
    """Return the entries of *manifest* by path, or None if it is not a manifest of dateline.

    If a merge left it broken, the entries of both sides are returned.
    """
    try:
        files = json.loads(manifest)["files"]
    except (ValueError, KeyError, TypeError, RecursionError):
        files = list(_parse_lines(manifest)) or None
    if not isinstance(files, list):
        return None
    return [
        (file["path"], ManifestEntry(file["size"], file["sha256"]))
        for file in files
        if isinstance(file, dict) and file.keys() == {"path", "size", "sha256"}
        if isinstance(file["path"], str)
    ]


def read_digests(folder: Path) -> dict[str, set[str]]:
    """Return the digests in the manifest of *folder*, by path; several each after a merge."""
    found: dict[str, set[str]] = {}
    try:
        entries = list_entries((folder / MANIFEST).read_bytes())
    except OSError:
        return found
    for path, entry in entries or ():
        found.setdefault(path, set()).add(entry.digest)
    return found


def _parse_lines(manifest: bytes) -> Iterator[object]:
    for line in manifest.splitlines():
        if line.startswith(b'    {"path": '):
            with suppress(ValueError):
                yield json.loads(line.rstrip(b","))
