"""Find the files that a version of the package concerns: they import it, or each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

_IMPORT: Final = re.compile(r"^\s*(?:from\s+([.\w]+)\s+import\s+(.*)|import\s+(.*))$", re.MULTILINE)
_WORD: Final = re.compile(r"\w+")


def find_concerned(texts: Mapping[Path, str], module: str) -> dict[Path, bool]:
    """Return the files that name the *module* of a version, or import one that does.

    They are with whether they import another one, at any distance: what is imported is found by
    the last parts of names, so there may be too many. All files below the folder of a `conftest.py`
    use its fixtures.
    """
    found = {path: False for path, text in texts.items() if module in text}
    imported = {path: {*_list_imported(text)} for path, text in texts.items()}
    ahead = [*found]
    while ahead:
        path = ahead.pop()
        name = path.parent.name if path.stem == "__init__" else path.stem
        for other, names in imported.items():
            is_below = path.name == "conftest.py" and path.parent in other.parents
            if other is not path and not found.get(other) and (is_below or name in names):
                found[other] = True
                ahead.append(other)
    return found


def find_roots(paths: Sequence[Path]) -> list[Path]:
    """Return the folders that imports in *paths* start from, each once."""
    found: dict[Path, None] = {}
    for path in paths:
        root = path.resolve() if path.is_dir() else path.resolve().parent
        found[root] = None
        while (root / "__init__.py").is_file() and root != root.parent:
            root = root.parent
        found[root] = None
    found[Path.cwd()] = None
    return [*found]


def _list_imported(text: str) -> Iterator[str]:
    """Yield the words in imports of *text*, among them all parts of the names of modules."""
    for found in _IMPORT.finditer(text):
        line = " ".join(filter(None, found.groups()))
        if "(" in line:
            line += text[found.end() : text.find(")", found.end())]
        yield from _WORD.findall(line)
