"""Set up a starter project, and the first handlers of a project."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

from dateline.load import TABLE
from dateline.model import DatelineError, Day
from dateline.source.text import yaml_text
from dateline.versions import DATE_FORM, write_date

SERVER: Final = "server.py"
"""The file of handlers, beside the folder of definitions."""

_DAY: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_STARTER: Final = Path(__file__).parents[1] / "starter"


class NotEmptyError(DatelineError):
    """The folder already contains something that setting up could overwrite."""

    exit_code = 2


def init(folder: Path, form: str = DATE_FORM) -> list[Path]:
    """Set up a starter project in *folder* with versions named in *form*; return its files.

    The folder is created if it does not exist. Raises NotEmptyError, and writes nothing, if it
    contains anything but hidden files.
    """
    if folder.exists():
        if not folder.is_dir():
            raise NotEmptyError(f"{folder} is not a folder; name another one")
        present = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
        if present:
            raise NotEmptyError(f"{folder} contains {present[0]!r}; use an empty folder")
    staged = folder / ".dateline-init"
    shutil.rmtree(staged, ignore_errors=True)
    try:
        shutil.copytree(_STARTER, staged)
        for path in staged.rglob("*.yaml"):
            _rename_versions(path, form)
        # one rename each: every file that is there is complete
        for path in sorted(staged.iterdir()):
            path.rename(folder / path.name)
    except OSError as error:
        raise DatelineError(f"{folder} can't be written: {error.strerror}") from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    starters = (path.relative_to(_STARTER) for path in _STARTER.rglob("*") if path.is_file())
    return sorted(folder / path for path in starters)


def _rename_versions(path: Path, form: str) -> None:
    """Write the names of versions in the file at *path* in *form*."""
    if form == DATE_FORM:
        return
    text = path.read_text("utf-8")
    text = _DAY.sub(lambda day: yaml_text(Day(write_date(day[0], form))).strip(), text)
    if path.name == TABLE:
        text = text.replace("\nversions:", f"\nform: {form}\nversions:", 1)
    path.write_text(text, "utf-8", newline="\n")


def init_server(folder: Path) -> Path:
    """Write the first file of handlers for the project in *folder*, and return its path.

    Raises NotEmptyError if it exists already, SourceError for invalid definitions. In each case
    nothing is written.
    """
    # slow to import, and needed for nothing else here
    from dateline.load import load
    from dateline.render import first_server

    path = folder / SERVER
    if path.exists():
        raise NotEmptyError(f"{path} exists already, and is yours: it is never overwritten")
    content = first_server(load(folder / "schemas"))
    try:
        path.write_bytes(content)
    except OSError as error:
        raise DatelineError(f"{path} can't be written: {error.strerror}") from error
    return path
