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

_FOLDERS: Final[dict[str, str]] = {}
"""The folder of each package that was imported."""


def import_from(folder: Path, name: str) -> ModuleType:
    """Return the module *name* of a package in *folder*; its warnings are errors."""
    _FOLDERS[name.partition(".")[0]] = str(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return importlib.import_module(name)


class _Finder(MetaPathFinder):
    """Finds the modules of generated packages, also those that are imported when first used."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        folder = _FOLDERS.get(name.partition(".")[0])
        if folder is None:
            return None
        spec = PathFinder.find_spec(name, [folder] if path is None else path, target)
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
