"""Find the files that a version of the package concerns: they import it, or each other."""

from __future__ import annotations

import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Final

_FROM: Final = re.compile(
    r"^[^\S\n]*from\s+(\.*)\s*([\w.]*)\s+import\s*(\([^)]*\)|(?:[^\n\\]|\\\n)*)", re.MULTILINE
)
_IMPORT: Final = re.compile(r"^[^\S\n]*import\s+((?:[^\n\\]|\\\n)*)", re.MULTILINE)
_RENAMED: Final = re.compile(r"\s+as\s+\w+")
_PATH: Final = re.compile(r"[^\W\d][\w.]*")
# as in pytest_plugins, mock.patch or import_module
_QUOTED: Final = re.compile(r"""["'](\w+(?:\.\w+)+)["']""")


def find_concerned(texts: Mapping[Path, str], module: str) -> dict[Path, bool]:
    """Return the files that name the *module* of a version, or import one that does.

    They are with whether they import another one, at any distance. A file is imported if its path
    ends with the name of the module, so there may be too many. All files below the folder of a
    `conftest.py` use its fixtures.
    """
    found = {path: False for path, text in texts.items() if module in text}
    importers: dict[str, list[tuple[tuple[str, ...], Path]]] = defaultdict(list)
    for path, text in texts.items():
        for names in {*_list_imported(text, path.resolve())}:
            importers[names[-1]].append((names, path))
    ahead = [*found]
    while ahead:
        path = ahead.pop()
        whole = path.resolve()
        own = (whole.parent if whole.stem == "__init__" else whole.with_suffix("")).parts
        using = [each for names, each in importers[own[-1]] if own[-len(names) :] == names]
        if path.name == "conftest.py":
            using += [each for each in texts if path.parent in each.parents]
        for other in using:
            if other != path and not found.get(other):
                found[other] = True
                ahead.append(other)
    return found


def read_code(path: Path) -> tuple[str, str]:
    """Return the text of a file and its encoding. Raises SyntaxError, UnicodeDecodeError."""
    content = path.read_bytes()
    encoding, _ = tokenize.detect_encoding(BytesIO(content).readline)
    return content.decode(encoding), encoding


def find_roots(paths: Sequence[Path]) -> list[Path]:
    """Return the folders that imports in *paths* start from, each once."""
    found: dict[Path, None] = {}
    for path in paths:
        root = path.resolve() if path.is_dir() else path.resolve().parent
        found[root] = None
        found[find_top(root)] = None
    found[Path.cwd()] = None
    return [*found]


def find_top(folder: Path) -> Path:
    """Return the folder that imports in *folder* start from: it is no package."""
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return folder


def _list_imported(text: str, path: Path) -> Iterator[tuple[str, ...]]:
    """Yield the names of modules that *text*, the file at *path*, may import, in parts."""
    for dots, name, listed in _FROM.findall(text):
        start = path.parents[min(len(dots), len(path.parents)) - 1].parts if dots else ()
        inside = start + tuple(filter(None, name.split(".")))
        yield from _list_starts(inside, len(start))
        yield from (
            inside + tuple(each.split(".")) for each in _PATH.findall(_RENAMED.sub("", listed))
        )
    for listed in _IMPORT.findall(text):
        for each in _PATH.findall(_RENAMED.sub("", listed)):
            yield from _list_starts(tuple(each.split(".")))
    for quoted in _QUOTED.findall(text):
        yield from _list_starts(tuple(quoted.split(".")), 1)


def _list_starts(names: tuple[str, ...], shortest: int = 0) -> Iterator[tuple[str, ...]]:
    """Yield *names*, and the packages around: importing a module imports these, too."""
    return (names[:count] for count in range(max(shortest, 1), len(names) + 1))
