"""The runtime needs only the standard library, and its core doesn't know HTTP."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from support.tables import cases

import dateline_runtime

FOLDER = Path(dateline_runtime.__file__).parent
MODULES = sorted(FOLDER.glob("*.py"))

HTTP = {"asgi", "documents", "exchanges", "references", "replaying", "versioned"}


def list_imports(path: Path) -> set[str]:
    """Return the top-level packages that the module imports; siblings start with a dot."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            siblings = [module] if module else [alias.name for alias in node.names]
            if node.level:
                names |= {f".{name}" for name in siblings}
            else:
                names.add(module.partition(".")[0])
    return names


@cases("path", MODULES, ids=lambda path: path.stem)
def test_only_the_standard_library_and_siblings_are_imported(path: Path) -> None:
    known = sys.stdlib_module_names | {f".{sibling.stem}" for sibling in MODULES}
    assert sorted(list_imports(path) - known) == []


@cases("path", MODULES, ids=lambda path: path.stem)
def test_only_modules_of_asgi_know_http(path: Path) -> None:
    assert path.stem in HTTP or list_imports(path).isdisjoint({f".{name}" for name in HTTP})


def test_copy_works_without_the_original(tmp_path: Path) -> None:
    (tmp_path / "runtime").mkdir()
    for path in MODULES:
        (tmp_path / "runtime" / path.name).write_bytes(path.read_bytes())
    code = "import sys, runtime.versioned; print('dateline_runtime' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.stdout, run.stderr) == ("False\n", "")
