"""Generate the server package of definitions, and import it by its path."""

from __future__ import annotations

import importlib
import itertools
import logging
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from dateline.generate import Workspace, is_up_to_date, render_outputs
from dateline.model import Api

# The name of packages while they are served: their own name may be taken.
_NAMES: Final = (f"dateline_served_{number}" for number in itertools.count(1))


@contextmanager
def open_server(workspace: Workspace, api: Api) -> Iterator[Any]:
    """Yield the module `server` of the package that *api* generates.

    It comes from the folder of outputs if that is up to date, else from a folder of its own, laid
    out like that one, with the site of the API.
    """
    present = workspace.output / "python" / api.table.package
    if is_up_to_date(workspace) and (present / "server").is_dir():
        with _import_for_a_while(present) as server:
            yield server
        return
    with tempfile.TemporaryDirectory(prefix="dateline-") as folder:
        prefixes = f"python/{api.table.package}/", "site/"
        # change pages are served as part of the site only
        artifacts, _ = render_outputs(workspace, api, changes=api.table.site)
        for artifact in artifacts:
            if artifact.path.startswith(prefixes):
                target = Path(folder, artifact.path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(artifact.content)
        with _import_for_a_while(Path(folder, "python", api.table.package)) as server:
            yield server


@contextmanager
def _import_for_a_while(folder: Path) -> Iterator[ModuleType]:
    server = import_server(folder)
    try:
        yield server
    finally:
        forget(server.__name__)


def import_server(folder: Path) -> ModuleType:
    """Import the module `server` of the package in *folder*, without writing anything there.

    Each call imports it anew, as a package with a name of its own.
    """
    name = next(_NAMES)
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec = spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
        return importlib.import_module(f"{name}.server")
    except BaseException:
        forget(name)
        raise
    finally:
        sys.dont_write_bytecode = written


def forget(module: str) -> None:
    """Remove the package of *module*, and its loggers, so that their memory can be freed."""
    package, _, _ = module.partition(".")
    known: tuple[dict[str, Any], ...] = sys.modules, logging.Logger.manager.loggerDict
    for names in known:
        for name in [name for name in names if name.partition(".")[0] == package]:
            del names[name]
