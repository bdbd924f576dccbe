"""An empty folder in, a starter project in it out."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from dateline.model import DatelineError

_STARTER: Final = Path(__file__).parents[1] / "starter"


class NotEmptyError(DatelineError):
    """The folder already holds something that setting up could overwrite."""

    exit_code = 2


def init(folder: Path) -> list[Path]:
    """Set up a starter project in *folder* and return its files, sorted.

    The folder is made if it does not exist. Raises NotEmptyError, and writes nothing, if it
    holds anything but hidden files.
    """
    if folder.exists():
        if not folder.is_dir():
            raise NotEmptyError(f"{folder} is not a folder; name another one")
        present = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
        if present:
            raise NotEmptyError(f"{folder} holds {present[0]!r}; use an empty folder")
    staged = folder / ".dateline-init"
    shutil.rmtree(staged, ignore_errors=True)
    try:
        shutil.copytree(_STARTER, staged)
        # one rename each: what is there is complete
        for path in sorted(staged.iterdir()):
            path.rename(folder / path.name)
    except OSError as error:
        raise DatelineError(f"{folder} can't be written: {error.strerror}") from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    starters = (path.relative_to(_STARTER) for path in _STARTER.rglob("*") if path.is_file())
    return sorted(folder / path for path in starters)
