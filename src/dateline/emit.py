"""Artifacts in, a folder that holds exactly them: switched at once, never half written."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, NamedTuple

from dateline.fresh import RECORD, is_cache, record
from dateline.model import MANIFEST, Artifact, DatelineError, printable

# What the folder beside the output, `.<name>.dateline`, may hold.
_LOCK: Final = "lock"
_IGNORE: Final = ".gitignore"
_NEW: Final = "new"  # the tree being staged; after an exchange, the one it replaced
_OLD: Final = "old"  # the tree moved out of the way where two can't be exchanged
_COPY: Final = "copy"  # an `old` in the making, where a tree can't be moved
_DRAFT: Final = "draft"  # a small file in the making


class OutputError(DatelineError):
    """The output folder can't be used, or holds files that are not ours."""

    exit_code = 2


class ArtifactError(DatelineError):
    """Artifacts have paths that not every file system can hold side by side."""


class BusyError(DatelineError):
    """Another run is writing to the same folder."""


@dataclass(frozen=True)
class Written:
    """What ``write`` did: sorted relative paths, the manifest's among them, and a count."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int


@dataclass(frozen=True)
class Stale:
    """A file that ``write`` would bring up to date, by its relative path.

    ``missing``: not on disk. ``edited``: not what the manifest says was written. ``outdated``:
    as written, but the artifact differs by now. ``extra``: no artifact.
    """

    path: str
    state: Literal["missing", "edited", "outdated", "extra"]

    def __str__(self) -> str:
        return f"{printable(self.path)}: {self.state}"


def write(
    artifacts: Iterable[Artifact],
    folder: Path,
    *,
    protected: Iterable[Path] = (),
    key: str | None = None,
) -> Written:
    """Make *folder* hold exactly *artifacts* and their manifest, all at once.

    Files that stay the same are not touched; edited ones are restored; when nothing differs,
    nothing is switched. Caches that tools leave beside imports are carried over. A *key* is
    remembered (see ``remember``) before another run can get at the folder.

    Raises ``ArtifactError`` for paths that can't be held; ``OutputError`` for a *folder* that is
    misused (none may hold, be or lie in a *protected* one), can't be written, or holds a file
    that dateline did not write; ``BusyError`` while another run is at it. The tree is then as it
    was before.
    """
    wanted = _wanted(artifacts)
    with _explained(folder):
        _refuse(folder, _kind_faults(folder))
        _refuse(folder, _place_faults(folder, protected))
        if not _beside(folder).exists():
            # nothing to recover from: find foreign files before anything is created
            _survey(folder, wanted)
        with _alone(folder):
            found, same = _survey(folder, wanted)
            written = Written(
                added=tuple(sorted(wanted.keys() - found.files.keys())),
                changed=tuple(sorted((wanted.keys() & found.files.keys()) - same)),
                removed=tuple(sorted(found.files.keys() - wanted.keys())),
                unchanged=len(same),
            )
            if written.added or written.changed or written.removed:
                new = _beside(folder) / _NEW
                _stage(wanted, same, folder, new)
                replaced = _switch(new, folder)
                _retire(replaced, folder, found, same)
            if key is not None:
                _record(folder, key)
    return written


def stale(artifacts: Iterable[Artifact], folder: Path) -> list[Stale]:
    """Return what ``write`` would change, sorted by path; empty if *folder* is up to date.

    Writes nothing, but puts a tree back that a killed run left out of its place.
    Raises ``ArtifactError`` and ``OutputError`` as ``write`` does.
    """
    wanted = _wanted(artifacts)
    settle(folder)
    with _explained(folder):
        found = _scan(folder)
        listing = _listing(folder)
        foreign = _foreign(folder, found, listing, wanted)
        paths = sorted(wanted.keys() | found.files.keys())
        states = ((path, _state(path, folder, found, listing, wanted)) for path in paths)
        return [
            Stale(path, "extra" if path in foreign else state) for path, state in states if state
        ]


def settle(folder: Path) -> None:
    """Put a tree back that a killed run left out of its place; else do nothing.

    Raises ``OutputError`` for a *folder* that can't be used, ``BusyError`` as ``write`` does.
    """
    with _explained(folder):
        _refuse(folder, _kind_faults(folder))
        if (_beside(folder) / _OLD).exists():
            with _alone(folder):
                pass


def manifest(artifacts: Iterable[Artifact]) -> bytes:
    """Return the manifest that ``write`` puts beside *artifacts*: no other tree has the same.

    Raises ``ArtifactError`` as ``write`` does.
    """
    return _wanted(artifacts)[MANIFEST]


def remember(folder: Path, key: str) -> None:
    """Keep *key*, a digest of what the tree was made from, together with the tree's state.

    Raises ``OutputError`` where there is no written tree, ``BusyError`` as ``write`` does.
    """
    with _explained(folder), _alone(folder):
        # without a tree there is nothing to remember
        (folder / MANIFEST).stat()
        _record(folder, key)


# What is wanted


_LONGEST: Final = 200  # UTF-8 bytes; leaves room for a folder below Windows' limit of 260
_UNPORTABLE: Final = frozenset('\\<>:"|?*')
_DEVICES: Final = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [name + digit for name in ("COM", "LPT") for digit in "123456789¹²³"]
)


def _unspellable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return True
    return False


_PATH_FAULTS: Final[tuple[tuple[Callable[[str], bool], str], ...]] = (
    (lambda path: not path, "is empty"),
    (lambda path: not path.isprintable(), "holds a control character"),
    (lambda path: path.startswith("/"), "is absolute"),
    (lambda path: not _UNPORTABLE.isdisjoint(path), 'holds one of \\ < > : " | ? *'),
    (lambda path: len(path.encode()) > _LONGEST, f"is longer than {_LONGEST} bytes"),
    (_unspellable, "can't be spelt in this locale (LC_ALL=C.UTF-8 would)"),
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


def _wanted(artifacts: Iterable[Artifact]) -> dict[str, bytes]:
    """Return the content of every file to hold, by path, the manifest included."""
    given = sorted(artifacts)
    paths = [artifact.path for artifact in given]
    faults = [(path, fault) for path in paths if (fault := _path_fault(path))]
    problems = [f"{path}: artifact-path: {fault}, rename it" for path, fault in faults]
    # paths that are faulty in themselves would only collide in confusing ways
    if not problems:
        problems = [
            f"{later}: artifact-path: can't stand beside {earlier} on every file system, rename one"
            for earlier, later in _collisions([MANIFEST, *paths])
        ]
    if problems:
        raise ArtifactError("\n".join(map(printable, problems)))
    wanted = {artifact.path: artifact.content for artifact in given}
    wanted[MANIFEST] = _manifest(
        {path: _Entry(len(content), _digest(content)) for path, content in wanted.items()}
    )
    return wanted


def _path_fault(path: str) -> str | None:
    for holds, fault in _PATH_FAULTS:
        if holds(path):
            return fault
    for holds, fault in _PART_FAULTS:
        if any(map(holds, path.split("/"))):
            return fault
    return None


def _collisions(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
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


# What is there


class _Entry(NamedTuple):
    """What the manifest says of a file."""

    size: int
    digest: str


class _Found(NamedTuple):
    """What a folder holds: whether each file is a regular one, by path; and cache paths."""

    files: dict[str, bool]
    caches: list[str]


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _scan(folder: Path) -> _Found:
    """Return what *folder* holds, nothing if it is absent; links are not followed."""
    found = _Found({}, [])
    pending = [""] if folder.is_dir() else []
    while pending:
        prefix = pending.pop()
        with os.scandir(folder / prefix) as entries:
            for entry in entries:
                path = prefix + entry.name
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_cache(entry.name, is_folder):
                    found.caches.append(path)
                elif is_folder:
                    pending.append(path + "/")
                else:
                    found.files[path] = entry.is_file(follow_symlinks=False)
    return found


def _manifest(listing: dict[str, _Entry]) -> bytes:
    # one entry a line, so that version control merges entries and not the whole
    lines = ",\n".join(
        "    " + json.dumps({"path": path, "size": entry.size, "sha256": entry.digest})
        for path, entry in sorted(listing.items())
    )
    return f'{{\n  "files": [\n{lines}\n  ]\n}}\n'.encode()


def _listing(folder: Path) -> dict[str, _Entry] | None:
    """Return what the manifest in *folder* lists, or None without a manifest of ours."""
    manifest = folder / MANIFEST
    if manifest.is_symlink() or not manifest.is_file():
        return None
    return _entries(manifest.read_bytes())


def _entries(manifest: bytes) -> dict[str, _Entry] | None:
    try:
        files = json.loads(manifest)["files"]
    except (ValueError, KeyError, TypeError, RecursionError):
        # after a merge with conflicts: the entries of both sides
        files = list(_parsed_lines(manifest)) or None
    if not isinstance(files, list):
        return None
    return {
        file["path"]: _Entry(file["size"], file["sha256"])
        for file in files
        if isinstance(file, dict) and file.keys() == {"path", "size", "sha256"}
        if isinstance(file["path"], str)
    }


def _parsed_lines(manifest: bytes) -> Iterator[object]:
    for line in manifest.splitlines():
        if line.startswith(b'    {"path": '):
            with suppress(ValueError):
                yield json.loads(line.rstrip(b","))


def _survey(folder: Path, wanted: dict[str, bytes]) -> tuple[_Found, set[str]]:
    """Return what *folder* holds and which of it is as wanted; refuse it for foreign files."""
    found = _scan(folder)
    foreign = sorted(_foreign(folder, found, _listing(folder), wanted))
    if foreign:
        others = f" (nor {len(foreign) - 1} more)" if len(foreign) > 1 else ""
        raise OutputError(
            _sentence(
                folder / foreign[0],
                "output-foreign",
                f"dateline did not write this file{others}, move it out of the output folder",
            )
        )
    return found, {path for path in found.files if _is_wanted(path, folder, found, wanted)}


def _foreign(
    folder: Path, found: _Found, listing: dict[str, _Entry] | None, wanted: dict[str, bytes]
) -> set[str]:
    unlisted = found.files.keys() - (listing or {}).keys()
    healed = {path for path in unlisted if _is_wanted(path, folder, found, wanted)}
    # a manifest that can't be read is ours only if something beside it is
    ours = {MANIFEST} if listing is not None or healed else set()
    return unlisted - healed - ours


def _is_wanted(path: str, folder: Path, found: _Found, wanted: dict[str, bytes]) -> bool:
    return found.files[path] and path in wanted and (folder / path).read_bytes() == wanted[path]


def _state(
    path: str,
    folder: Path,
    found: _Found,
    listing: dict[str, _Entry] | None,
    wanted: dict[str, bytes],
) -> Literal["missing", "edited", "outdated", "extra"] | None:
    if path not in found.files:
        return "missing"
    if path not in wanted:
        return "extra"
    if not found.files[path]:
        return "edited"
    content = (folder / path).read_bytes()
    if content == wanted[path]:
        return None
    listing = listing or {}
    as_written = (
        content == _manifest(listing)
        if path == MANIFEST
        else path in listing and listing[path].digest == _digest(content)
    )
    return "outdated" if as_written else "edited"


# What is refused


def _sentence(path: Path, id: str, fact: str) -> str:
    return printable(f"{path}: {id}: {fact}")


def _refuse(folder: Path, faults: Iterator[str]) -> None:
    for fault in faults:
        raise OutputError(_sentence(folder, "output-path", fault))


def _kind_faults(folder: Path) -> Iterator[str]:
    beside = _beside(folder)
    if folder.is_symlink():
        yield "is a symbolic link, name the folder it points to"
    if folder.exists() and not folder.is_dir():
        yield "is not a folder, name another output"
    # what lies in it is deleted: it must not lead elsewhere
    if beside.is_symlink() or (beside.exists() and not beside.is_dir()):
        yield f"needs {beside.name} beside it as a folder, move what stands there away"


def _place_faults(folder: Path, protected: Iterable[Path]) -> Iterator[str]:
    place = folder.resolve()
    own = "give the output a folder of its own"
    if place == place.parent:
        yield f"is the root of the file system, {own}"
    kept = [("the current directory", Path.cwd())]
    with suppress(RuntimeError):  # nobody's home is known
        kept.append(("the home directory", Path.home()))
    sources = [(str(source), source) for source in protected]
    for name, path in kept + sources:
        if place == path.resolve():
            yield f"is {name}, {own}"
        if place in path.resolve().parents:
            yield f"holds {name}, {own}"
    for name, path in sources:
        if path.resolve() in place.parents:
            yield f"lies in {name}, {own}"
    if folder.name == "..":
        yield "ends in '..', name the folder itself"
    if folder.is_mount():
        yield "is a mount point and can't be switched, name a folder in it"


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn what the operating system refuses into a sentence."""
    try:
        yield
    except OSError as error:
        at = f" at {error.filename}" if error.filename else ""
        fact = f"{error.strerror or error}{at}, nothing was changed; mend it or name another output"
        raise OutputError(_sentence(folder, "output-unusable", fact)) from error


# One run at a time


def _beside(folder: Path) -> Path:
    """Return where runs keep their lock, their record and what they stage for *folder*."""
    # on the same file system, hence not in the system's folder for temporary files
    return folder.parent / f".{folder.name}.dateline"


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other runs off *folder*, which a killed one may have left to recover."""
    beside = _beside(folder)
    beside.mkdir(parents=True, exist_ok=True)
    # the lock is the system's, so that it goes with the process; its file stays for ever, as
    # deleting it would let two runs hold two files of that name
    lock = os.open(beside / _LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    try:
        if not _take(lock):
            holder = os.read(lock, 20).decode("ascii", "replace").strip() or "just started"
            fact = f"another dateline (process {holder}) is writing to it, wait for it to end"
            raise BusyError(_sentence(folder, "output-busy", fact))
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        _recover(folder)
        _put(beside / _IGNORE, "*\n")
        try:
            yield
        finally:
            _recover(folder)
    finally:
        os.close(lock)


def _take(lock: int) -> bool:
    """Tell whether this process could lock the open file *lock*."""
    try:
        if sys.platform == "win32":
            import msvcrt

            # past the process number, which others read
            os.lseek(lock, 1 << 20, os.SEEK_SET)
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
            os.lseek(lock, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        return False
    return True


def _recover(folder: Path) -> None:
    """Put the tree back if a run ended between moving the old one out and the new one in."""
    new, old = _beside(folder) / _NEW, _beside(folder) / _OLD
    # `new` is gone from here once the switch is done: then `old` is only rubbish
    if _is_tree(old) and _is_tree(new):
        if folder.exists():
            _refill(folder, old)
        else:
            old.rename(folder)
    for name in (_COPY, _NEW, _OLD, _DRAFT):
        _remove(_beside(folder) / name)


def _refill(folder: Path, old: Path) -> None:
    """Give *folder* every file of *old* that it lacks."""
    missing = _scan(old).files.keys() - _scan(folder).files.keys()
    for path in sorted(missing):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (old / path).rename(folder / path)


def _is_tree(path: Path) -> bool:
    # someone else's link must not lead what is moved or deleted out of here
    return path.is_dir() and not path.is_symlink()


def _remove(path: Path) -> None:
    if _is_tree(path):
        from shutil import rmtree

        # what can't be deleted now is tried again by the next run
        rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _put(path: Path, text: str) -> None:
    """Make *path* a file that holds *text*, at once; leave it alone if it is."""
    content = text.encode()
    if path.is_file() and not path.is_symlink() and path.read_bytes() == content:
        return
    draft = path.with_name(_DRAFT)
    with draft.open("xb") as file:
        file.write(content)
    draft.replace(path)


def _record(folder: Path, key: str) -> None:
    _put(_beside(folder) / RECORD, record(folder, key))


# Staging and switching


def _stage(wanted: dict[str, bytes], same: set[str], folder: Path, new: Path) -> None:
    """Build the wanted tree at *new*, with links to the files that stay the *same*."""
    folders = {
        "/".join(parts[:depth])
        for parts in (path.split("/") for path in wanted)
        for depth in range(len(parts))
    }
    for name in sorted(folders):
        (new / name).mkdir()
        (new / name).chmod(_folder_mode(folder / name))
    for path, content in sorted(wanted.items()):
        if path in same:
            _link(folder / path, new / path)
        else:
            _create(new / path, content)
    for name in folders:
        _sync(new / name)
    _sync(new.parent)


def _folder_mode(folder: Path) -> int:
    """Return the mode for the successor of *folder*: its own, if it is there."""
    if _is_tree(folder):
        return stat.S_IMODE(folder.stat().st_mode) | stat.S_IRWXU
    return 0o755


def _create(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        # a switch that outlives a power cut must not find empty files behind it
        os.fsync(file.fileno())
    path.chmod(0o644)


def _link(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source)
    except OSError:
        from shutil import copy2

        copy2(source, target)
        _sync(target)


def _sync(path: Path) -> None:
    # where the system can't, the switch is still atomic for everyone who looks
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _switch(new: Path, folder: Path) -> Path | None:
    """Put *new* in the place of *folder*; return where the tree is that it replaced."""
    replaced = None
    if not folder.exists():
        new.rename(folder)
    elif _EXCHANGES.get(sys.platform, _exchange_nothing)(new, folder):
        replaced = new
    else:
        replaced = new.with_name(_OLD)
        _move_out(folder, replaced)
        # the one moment without a tree: whoever comes next puts `old` back
        new.rename(folder)
    _sync(folder.parent)
    return replaced


def _move_out(folder: Path, old: Path) -> None:
    try:
        folder.rename(old)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # a folder of a lower layer of an overlay (a container image) can't be renamed
        from shutil import copytree, rmtree

        copy = old.with_name(_COPY)
        copytree(folder, copy, symlinks=True, copy_function=_link_to)
        copy.rename(old)
        rmtree(folder)


def _link_to(source: str, target: str) -> str:
    _link(Path(source), Path(target))
    return target


def _exchange_linux(one: Path, other: Path) -> bool:
    """renameat2(2) with RENAME_EXCHANGE, relative to AT_FDCWD."""
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    return rename is not None and rename(-100, os.fsencode(one), -100, os.fsencode(other), 2) == 0


def _exchange_macos(one: Path, other: Path) -> bool:
    """renamex_np(2) with RENAME_SWAP."""
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renamex_np", None)
    return rename is not None and rename(os.fsencode(one), os.fsencode(other), 2) == 0


def _exchange_nothing(_one: Path, _other: Path) -> bool:
    return False


_EXCHANGES: Final[dict[str, Callable[[Path, Path], bool]]] = {
    "linux": _exchange_linux,
    "darwin": _exchange_macos,
}
"""How two folders change places in one step, by platform; False where they did not.

Why not is of no interest: two renames come next, and they say what is really wrong.
"""


def _retire(replaced: Path | None, folder: Path, found: _Found, same: set[str]) -> None:
    """Carry over what is not ours from the tree that was *replaced*, and delete the rest."""
    if replaced is None:
        return
    for path in found.caches:
        with suppress(OSError):  # a cache without a place any more is dropped
            _drop_compiled(replaced, path, same)
            (replaced / path).rename(folder / path)
    # files that someone saved there while the new tree was staged
    for path in sorted(_scan(replaced).files.keys() - found.files.keys()):
        if not (folder / path).exists():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (replaced / path).rename(folder / path)
    _remove(replaced)


def _drop_compiled(tree: Path, cache: str, same: set[str]) -> None:
    """Delete byte code in *cache* whose source did not stay the *same*.

    Python tells old byte code by the second and the size of its source, and imports it even
    without one: a tree that is made twice within a second would run what it was before.
    """
    home, _, name = cache.rpartition("/")
    if name == "__pycache__":
        compiled = [f"{cache}/{file.name}" for file in (tree / cache).iterdir()]
    else:
        compiled = [cache] if name.endswith(".pyc") else []
    for path in compiled:
        module = path.rpartition("/")[2].partition(".")[0]
        if f"{home}/{module}.py".lstrip("/") not in same:
            (tree / path).unlink()
