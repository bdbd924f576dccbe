"""Build the layer of versions from a generated package, in front of a server."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dateline.serve.listening import ServeError

if TYPE_CHECKING:
    from dateline.proxy import Proxy


def find_package(folder: Path) -> Path:
    """Return the folder of the package that was generated into *folder*. Raises ServeError."""
    data = Path("server", "contracts.json")
    if (folder / data).is_file():
        return folder
    found = sorted(path.parents[1] for path in folder.glob(f"python/*/{data}"))
    if len(found) == 1:
        return found[0]
    raise ServeError(
        f"{folder}: no generated package with a server is there; run `dateline generate`, or name "
        "the folder with --generated"
    )


def build_layer(server: Any, settings: Proxy) -> tuple[Any, Any]:
    """Return the application that *server*, of a generated package, makes, and what it forwards to.

    Raises ServeError for settings that are none of its API.
    """
    ...
