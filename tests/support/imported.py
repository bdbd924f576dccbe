"""Import generated packages: code of files that are the same in many is compiled once."""

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
    """Return the module *name* of a package in *folder*; its warnings are errors."""
    package, _, _ = name.partition(".")
    if package not in _FOLDERS:
        _forget_removed()
    _FOLDERS[package] = str(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return importlib.import_module(name)


def _forget_removed() -> None:
    """Forget packages whose files were removed after a test: pytest asks each logger in each."""
    for package, folder in list(_FOLDERS.items()):
        if not Path(folder, package).is_dir():
            del _FOLDERS[package]
            # whose import failed is not there
            if module := sys.modules.get(package):
                forget(module)


class _Finder(MetaPathFinder):
    """Finds the modules of generated packages, also those that are imported when first used."""

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
    """Loads a module without byte code on the disk, which no other process would use."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return _locate(_compile(self.get_data(path)), path)


@cache
def _compile(content: bytes) -> CodeType:
    """Return the code of a file with *content*: to compile it takes longer than to run it."""
    return compile(content, "", "exec", dont_inherit=True)


def _locate(code: CodeType, path: str) -> CodeType:
    """Return *code* as that of the file at *path*."""
    constants = tuple(
        _locate(each, path) if isinstance(each, CodeType) else each for each in code.co_consts
    )
    return code.replace(co_filename=path, co_consts=constants)
