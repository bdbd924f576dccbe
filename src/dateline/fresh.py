"""Decide whether the outputs are up to date with their inputs.

This runs before anything else is imported, since most runs have nothing to do: hence no pathlib, no
dataclasses and no click here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from hashlib import sha256

Folder = str | os.PathLike[str]

# The folders of a project without settings, and the files that have settings.
SCHEMAS, OUTPUT = "schemas", "generated"
SETTINGS, SHARED_SETTINGS = "dateline.toml", "pyproject.toml"

# The environment variables of options, by option. CI jobs have others that begin alike.
VARIABLES = {
    option: f"DATELINE_{option.upper()}"
    for option in ("directory", "schemas", "output", "templates")
}

_CODE = "dateline"
_PACKAGE = os.path.dirname(os.path.abspath(__file__))
# The digest of the running code, once it is computed.
_DIGESTS: list[str] = []

# The output of the plain commands if nothing has changed.
UP_TO_DATE = "{}: up to date"
NO_FINDINGS = "no findings: nothing has changed since the outputs were generated"

# The names of the files in the folder beside the output, `.<name>.dateline`.
RECORD = "record"

# What a killed run leaves in the folder beside the output, and in that of the sources.
STAGED = ("new", "old", "copy", "draft")
STAGED_EDIT = ".dateline-edit"

# Where code hosts look for the owners of files, from the top of the repository.
OWNERS = (".github/CODEOWNERS", ".gitlab/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")

# The last line of a record if git's files do not name the last commit.
_UNKNOWN_COMMIT = "commit ?"

_CACHE_FOLDERS = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache")


# The end of the key in a record if folders are shared: their paths from the sources.
_SHARED = ", shared="


def is_up_to_date(schemas: Folder, output: Folder) -> bool:
    """Return whether neither inputs nor *output* have changed since *output* was written.

    False if a killed run left something to clean up, or the last commit is another one.
    """
    home = name_home(output)
    left = [os.path.join(home, name) for name in STAGED] + [os.path.join(schemas, STAGED_EDIT)]
    if any(map(os.path.lexists, left)):
        return False
    key = find_recorded_key(output, schemas)
    return key is not None and is_same_commit(output) and is_unchanged_since(output, key)


def find_recorded_key(
    output: Folder, schemas: Folder, templates: Folder | None = None, *, strict: bool = False
) -> str | None:
    """Return the digest of all inputs if *output* was written for them, even if changed since.

    None as soon as one of them differs; the others are not read.
    """
    recorded, key = _read_record(output), ""
    shared = list_recorded_shared(output)
    for part in _list_inputs(schemas, templates, strict=strict, shared=shared):
        key += part
        if not recorded.startswith(key):
            return None
    return key if recorded.partition("\n")[0] == key else None


def has_settings() -> bool:
    """Return whether the working folder or the environment may have settings of a project."""
    if os.path.exists(SETTINGS) or any(name in os.environ for name in VARIABLES.values()):
        return True
    try:
        with open(SHARED_SETTINGS, "rb") as file:
            return b"dateline" in file.read()
    except OSError:
        return False


def name_home(output: Folder) -> str:
    """Return the folder in which runs keep data about *output*."""
    home, name = os.path.split(os.path.abspath(output))
    return os.path.join(home, f".{name}.dateline")


def digest_inputs(
    schemas: Folder,
    templates: Folder | None = None,
    *,
    strict: bool = False,
    shared: Iterable[str] = (),
) -> str:
    """Return a digest of all inputs of the outputs: sources, templates and dateline itself.

    *shared* are the folders that the version table lists, as written there.
    """
    return "".join(_list_inputs(schemas, templates, strict=strict, shared=tuple(shared)))


def _list_inputs(
    schemas: Folder, templates: Folder | None, *, strict: bool, shared: tuple[str, ...]
) -> Iterator[str]:
    """Yield the parts of the digest of all inputs."""
    yield f"strict {strict}"
    for label, folder in list_folders(schemas, templates, shared).items():
        yield f", {label} {digest_code() if label == _CODE else digest(folder)}"
    # waivers end, and announcements come due: yesterday's result may not be today's
    yield time.strftime(", %Y-%m-%d", time.gmtime())
    if os.path.exists(os.path.join(schemas, "waivers.yaml")):
        yield f", owners {_digest_owners(schemas)}"
    if shared:
        # names of shared folders have no blanks: see `dateline.load.table`
        yield _SHARED + " ".join(shared)


def list_recorded_shared(output: Folder) -> tuple[str, ...]:
    """Return the shared folders from which *output* was written.

    While the sources are the same, the version table lists the same ones.
    """
    key = _read_record(output).partition("\n")[0]
    return tuple(key.partition(_SHARED)[2].split())


def digest_code() -> str:
    """Return the digest of dateline's code as it was when this process first computed it.

    The running code is what was loaded when the process began; later edits to the files did not
    make any output of this process.
    """
    if not _DIGESTS:
        _DIGESTS.append(digest(_PACKAGE))
    return _DIGESTS[0]


def _digest_owners(schemas: Folder) -> str:
    """Return a digest of the files that list who may approve waivers."""
    total, folder = sha256(), _find_top(schemas)
    for name in OWNERS:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                total.update(file.read())
        except OSError:
            continue
    return total.hexdigest()


def list_folders(
    schemas: Folder, templates: Folder | None = None, shared: Iterable[str] = ()
) -> dict[str, Folder]:
    """Return the folders of all inputs of the outputs, by what they hold."""
    # the run time is beside dateline, and is copied into the generated package
    run_time = os.path.join(_PACKAGE, "..", "dateline_runtime")
    found: dict[str, Folder] = {"schemas": schemas, _CODE: _PACKAGE, "run time": run_time}
    if not os.path.isdir(os.path.join(_PACKAGE, "templates")):
        # an editable installation uses the templates of the repository
        found["templates"] = os.path.join(_PACKAGE, "..", "..", "templates")
    if templates is not None:
        found["overrides"] = templates
    for name in shared:
        found[f"shared {name}"] = os.path.join(schemas, name)
    return found


def list_stamps(
    schemas: Folder, templates: Folder | None, shared: Iterable[str]
) -> list[tuple[str, int, int]]:
    """Return every file of `list_folders` with its time and size, which change with an edit."""
    found = []
    for folder in list_folders(schemas, templates, shared).values():
        for path, entry in _files(folder, ""):
            try:
                state = entry.stat()
            except OSError:
                continue  # editors save through files that soon disappear
            found.append((os.path.join(folder, path), state.st_mtime_ns, state.st_size))
    return sorted(found)


def is_unchanged_since(output: Folder, key: str) -> bool:
    """Return whether *output* is, byte for byte, the tree that was recorded for *key*."""
    recorded = _read_record(output).split("\n")
    # digesting the outputs is the slowest step, so the inputs come first
    return recorded[0] == key and recorded[1:2] == [_phrase_output(digest(output))]


def is_same_commit(output: Folder) -> bool:
    """Return whether the last commit, and any merge in progress, are those of the record.

    Another commit may have published other documents than those *output* was compared with.
    """
    recorded, found = _read_record(output).split("\n"), _phrase_commit(output)
    return found != _UNKNOWN_COMMIT and recorded[2:3] == [found]


def count_remarks(output: Folder) -> int:
    """Return how many findings were information when *output* was written."""
    recorded = "".join(_read_record(output).split("\n")[3:4])
    return int(recorded) if recorded.isdecimal() else 0


def phrase_no_findings(outputs: Iterable[Folder]) -> str:
    """Return what `check` prints if nothing has changed since *outputs* were written."""
    count = sum(map(count_remarks, outputs))
    return f"{NO_FINDINGS} ({count} information: see --format text)" if count else NO_FINDINGS


def _read_record(output: Folder) -> str:
    return _read(os.path.join(name_home(output), RECORD))


def format_record(
    output: Folder, key: str, remarks: int, digests: dict[str, str] | None = None
) -> str:
    """Return the record to keep beside *output*: *key*, its content, the last commit, *remarks*.

    *remarks* is how many findings are information. *digests* are the SHA-256 of its files by path,
    if the caller has just written them.
    """
    if digests is None:
        found = digest(output)
    else:
        found = _digest_all((path, f"file {each}") for path, each in digests.items())
    return f"{key}\n{_phrase_output(found)}\n{_phrase_commit(output)}\n{remarks}\n"


def _phrase_output(found: str) -> str:
    return f"output {found}"


def _phrase_commit(output: Folder) -> str:
    """Return what git's files say about the last commit; starting git would take longer.

    They may say nothing: a branch may stand for another, and git has more ways to store them.
    """
    folder = _find_top(output)
    home = os.path.join(folder, ".git")
    # a file in additional work trees and in submodules
    home = os.path.join(folder, _read(home).removeprefix("gitdir: ").strip() or home)
    head, merged = (_read(os.path.join(home, name)).strip() for name in ("HEAD", "MERGE_HEAD"))
    if head.startswith("ref: "):
        name = head.removeprefix("ref: ")
        shared = os.path.join(home, _read(os.path.join(home, "commondir")).strip())
        head = _read(os.path.join(shared, name)).strip() or _find_packed(shared, name)
        if not head.isalnum():
            return _UNKNOWN_COMMIT
    return " ".join(("commit", head, *merged.split()))


def _find_top(folder: Folder) -> str:
    """Return the top of the repository of *folder*; the root of the disk outside of one."""
    top = os.path.abspath(folder)
    while not os.path.exists(os.path.join(top, ".git")) and os.path.dirname(top) != top:
        top = os.path.dirname(top)
    return top


def _find_packed(folder: str, name: str) -> str:
    """Return the commit of the reference *name* in the packed references in *folder*."""
    lines = _read(os.path.join(folder, "packed-refs")).split("\n")
    return next((line.split(" ")[0] for line in lines if line.endswith(f" {name}")), "")


def _read(path: str) -> str:
    """Return the text of the file at *path*; empty if it can't be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError):
        return ""


def digest(folder: Folder) -> str:
    """Return a digest of every file in *folder* without caches; that of nothing if it is absent."""
    return _digest_all((path, _digest_file(entry)) for path, entry in _files(folder, ""))


def _digest_all(files: Iterable[tuple[str, str]]) -> str:
    total = sha256()
    for path, content in sorted(files):
        total.update(f"{path}\0{content}\0".encode(errors="surrogateescape"))
    return total.hexdigest()


def is_cache(name: str, folder: bool) -> bool:
    """Return whether *name* in *folder* is a file or folder that tools cache beside imports."""
    if folder:
        return name in _CACHE_FOLDERS or name.endswith(".egg-info")
    return name.endswith(".pyc")


def _files(folder: Folder, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        # whoever needs its content will report what is wrong with it
        return
    for entry in entries:
        path = prefix + entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_cache(entry.name, is_folder) or entry.name == STAGED_EDIT:
            continue
        if is_folder:
            yield from _files(entry.path, path + "/")
        else:
            yield path, entry


def _digest_file(entry: os.DirEntry[str]) -> str:
    """Return a digest of a file, distinct from that of a link to the same content or of no file."""
    try:
        if not entry.is_file():
            return "none"
        with open(entry.path, "rb", buffering=0) as file:
            content = sha256(file.read()).hexdigest()
    except OSError:
        return "unreadable"
    return f"link {content}" if entry.is_symlink() else f"file {content}"
