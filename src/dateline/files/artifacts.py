"""The content of every file to write, by path; and paths that some file systems can't represent."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from dateline.files.errors import ArtifactError
from dateline.fresh import is_cache
from dateline.manifest import ManifestEntry, digest_of, format_manifest
from dateline.model import MANIFEST, Artifact, printable

_LONGEST: Final = 200  # UTF-8 bytes; leaves room for a folder below Windows' limit of 260
_UNPORTABLE: Final = frozenset('\\<>:"|?*')
_DEVICES: Final = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [name + digit for name in ("COM", "LPT") for digit in "123456789¹²³"]
)


def _is_unspellable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return True
    return False


_PATH_FAULTS: Final[tuple[tuple[Callable[[str], bool], str], ...]] = (
    (lambda path: not path, "is empty"),
    (lambda path: not path.isprintable(), "contains a control character"),
    (lambda path: path.startswith("/"), "is absolute"),
    (lambda path: not _UNPORTABLE.isdisjoint(path), 'contains one of \\ < > : " | ? *'),
    (lambda path: len(path.encode()) > _LONGEST, f"is longer than {_LONGEST} bytes"),
    (_is_unspellable, "can't be spelt in this locale (LC_ALL=C.UTF-8 would)"),
)
_PART_FAULTS: Final[tuple[tuple[Callable[[str], bool], str], ...]] = (
    (lambda part: part in ("", ".", ".."), "has an empty part, '.' or '..'"),
    (lambda part: part.endswith((".", " ")), "has a part that ends in a dot or a space"),
    (
        lambda part: part.partition(".")[0].rstrip().upper() in _DEVICES,
        "has a part that is the name of a device on Windows",
    ),
    (lambda part: is_cache(part, True) or is_cache(part, False), "lies where tools keep caches"),
)


class Contents(Mapping[str, bytes]):
    """The content of every file, by path; those on the disk are read when needed."""

    def __init__(self, artifacts: Iterable[Artifact], digests: dict[str, str]) -> None:
        self._artifacts = {artifact.path: artifact for artifact in artifacts}
        self.digests = digests
        """The SHA-256 of every file, by path."""

    def __getitem__(self, path: str) -> bytes:
        return self._artifacts[path].content

    def __iter__(self) -> Iterator[str]:
        return iter(self._artifacts)

    def __len__(self) -> int:
        return len(self._artifacts)

    def __contains__(self, path: object) -> bool:
        return path in self._artifacts


def collect_contents(artifacts: Iterable[Artifact]) -> Contents:
    """Return the content of every file, by path, including the manifest.

    Raises ArtifactError for paths that not every file system can hold side by side.
    """
    given = sorted(artifacts, key=lambda artifact: artifact.path)
    paths = [artifact.path for artifact in given]
    faults = [(path, fault) for path in paths if (fault := _find_fault(path))]
    problems = [f"{path}: artifact-path: {fault}, rename it" for path, fault in faults]
    # paths that are invalid by themselves would only collide in confusing ways
    if not problems:
        problems = [
            f"{later}: artifact-path: can't be beside {earlier} on every file system, rename one"
            for earlier, later in _find_collisions([MANIFEST, *paths])
        ]
    if problems:
        raise ArtifactError("\n".join(map(printable, problems)))
    listing = {}
    for artifact in given:
        content = artifact.content
        listing[artifact.path] = ManifestEntry(len(content), digest_of(content))
    manifest = Artifact(path=MANIFEST, content=format_manifest(listing))
    digests = {path: entry.digest for path, entry in listing.items()}
    digests[MANIFEST] = digest_of(manifest.content)
    return Contents([*given, manifest], digests)


def _find_fault(path: str) -> str | None:
    for holds, fault in _PATH_FAULTS:
        if holds(path):
            return fault
    for holds, fault in _PART_FAULTS:
        if any(map(holds, path.split("/"))):
            return fault
    return None


def _find_collisions(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of files or folders that are one on a file system that folds names."""
    from unicodedata import normalize

    known: dict[str, str] = {}
    for path in paths:
        parts = path.split("/")
        folders = ["/".join(parts[:depth]) + "/" for depth in range(1, len(parts))]
        for name in [*folders, path]:
            folded = normalize("NFC", normalize("NFC", name.rstrip("/")).casefold())
            if folded not in known:
                known[folded] = name
            elif name == path or known[folded] != name:
                yield known[folded], name
                break
