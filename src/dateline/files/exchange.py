"""Two folders change places in one step, where the system can do that."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final


def exchange(one: Path, other: Path) -> bool:
    """Let *one* and *other* change places; tell whether they did.

    Why not is of no interest: two renames come next, and they say what is really wrong.
    """
    on_this_platform = EXCHANGES.get(sys.platform)
    return on_this_platform is not None and on_this_platform(one, other)


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


EXCHANGES: Final[dict[str, Callable[[Path, Path], bool]]] = {
    "linux": _exchange_linux,
    "darwin": _exchange_macos,
}
"""How two folders change places in one step, by platform; False where they did not."""
