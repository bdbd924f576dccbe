"""Import generated packages; source that several packages share is compiled once."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

from dateline.serve.package import forget

_FOLDERS: Final[dict[str, str]] = {}
"""The folder of each package that was imported."""
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
    """Loads a module without writing bytecode, which no other process would use."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return _locate(_compile(self.get_data(path)), path)


@cache
def _compile(content: bytes) -> CodeType:
    """Return the compiled *content* from a cache: compiling takes longer than running it."""
    return compile(content, "", "exec", dont_inherit=True)


def _locate(code: CodeType, path: str) -> CodeType:
    """Return *code* with *path* as its file name."""
    constants = tuple(
        _locate(each, path) if isinstance(each, CodeType) else each for each in code.co_consts
    )
    return code.replace(co_filename=path, co_consts=constants)
