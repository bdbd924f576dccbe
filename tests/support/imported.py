"""Import generated packages; source that several packages share is compiled once."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

from dateline.serve.package import forget

_FOLDERS: Final[dict[str, str]] = {}
"""The folder of each package that was imported."""
_COMPILED: Final[dict[bytes, CodeType]] = {}
"""The code of each content that was imported."""
_SERVED: Final = "dateline_served_"
"""The beginning of the names of packages that dateline serves."""


def import_from(folder: Path, name: str) -> ModuleType:
    """Import the module *name* from *folder*, with warnings as errors, and return it."""
    package, _, _ = name.partition(".")
    if package not in _FOLDERS:
        _forget_removed()
    _FOLDERS[package] = str(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return importlib.import_module(name)


def _forget_removed() -> None:
    """Forget packages whose files were removed after a test: pytest visits every logger in each."""
    for package, folder in list(_FOLDERS.items()):
        if not Path(folder, package).is_dir():
            del _FOLDERS[package]
            forget(package)


class _Finder(MetaPathFinder):
    """Finds modules of generated packages, including those that are imported later."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, below = name.partition(".")
        folder = _FOLDERS.get(package)
        if folder is None and not (below and package.startswith(_SERVED)):
            return None
        spec = PathFinder.find_spec(name, [folder] if folder and path is None else path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(name, spec.loader.path)
        return spec


sys.meta_path.insert(0, _Finder())


class _Loader(SourceFileLoader):
    """Loads a module without writing bytecode, which no other process would use.

    Compiling takes longer than running, so equal modules have one code, with the path of the first.
    """

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        content = self.get_data(path)
        if content not in _COMPILED:
            _COMPILED[content] = compile(content, path, "exec", dont_inherit=True)
        return _COMPILED[content]
