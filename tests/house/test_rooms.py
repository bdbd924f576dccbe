"""The structure: rooms import only earlier rooms, and each package has one home."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from support.source_trees import list_imports, list_imports_of
from support.tables import cases

SOURCE = Path(__file__).parents[2] / "src" / "dateline"

ROOMS = (
    *("fresh", "collector", "spool", "progress", "versions", "paths", "model", "manifest", "cache"),
    *("presets", "openapi", "wording", "placement", "addresses", "regex", "schema", "oddities"),
    *("source", "gates", "bundle", "load"),
    *("project", "canonical", "sample", "diff", "contracts", "rules", "check", "report"),
    *("deferral", "markup", "filters", "templating", "python"),
    *("changes", "documents", "models", "server", "client", "site"),
    *("kept_documents", "kept_outputs", "render"),
    *("demands", "trial", "files", "edit", "adopt", "migrate"),
    *("settings", "project_checks", "generate", "status", "answers"),
    *("serve", "proxy", "demo", "options", "completion", "cli", "entry", "__main__"),
)
"""From left to right. The last two are what the script and `python -m` call."""

OUTPUTS = ("changes", "documents", "models", "contracts", "server", "client", "site")
"""What is generated stands side by side: no output is made of another."""

HOMES = {
    "yaml": {"source"},
    "jsonschema_rs": {"regex", "sample"},
    "deepdiff": {"diff"},
    "jinja2": {"templating"},
    "markdown_it": {"filters"},
    "nh3": {"markup"},
    "markupsafe": {"filters"},
    "pydantic_core": {"regex", "schema", "source", "models"},
    "datamodel_code_generator": {"models"},
    "openapi_spec_validator": {"documents"},
    "pydantic": {"models"},
    "jedi": {"migrate"},
    "libcst": {"migrate"},
    "click": {"options", "completion", "cli", "entry"},
    "uvicorn": {"serve"},
    "dateline_runtime": {
        *("versions", "sample", "diff", "contracts", "check", "python", "server", "trial", "serve")
    },
}
"""Where each third-party package may be imported. Any other is imported nowhere."""

HEAVY = (
    "datamodel_code_generator",
    "deepdiff",
    "jinja2",
    "openapi_spec_validator",
    "pydantic",
)

MODULES = sorted(SOURCE.rglob("*.py"))


def room_of(path: Path) -> str:
    """Return the room of the file; an empty name for the package's own file."""
    first = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return "" if first == "__init__" else first


def list_misplaced(path: Path, imported: list[str]) -> list[str]:
    """Return the forbidden imports of the module at *path*."""
    room = room_of(path)
    left = {"", *ROOMS[: ROOMS.index(room) + 1]} if room else {""}
    return sorted(name for name in set(imported) if not allowed(name, room, left))


def allowed(name: str, room: str, left: set[str]) -> bool:
    package, _, rest = name.partition(".")
    if package == "dateline":
        below = rest.split(".")[0]
        # a name that the package's own file defines, such as `__version__`
        return below in left or below.startswith("__")
    return package in sys.stdlib_module_names or room in HOMES.get(package, set())


@cases("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_room_imports_only_earlier_rooms(path: Path) -> None:
    assert list_misplaced(path, list_imports_of(path)) == []


def corner_of(*steps: str) -> str:
    """Return the folder or file of a room that *steps* lead to; the room for its own names."""
    corner = SOURCE.joinpath(*steps[:2])
    known = corner.is_dir() or corner.with_suffix(".py").is_file()
    return "/".join(steps[:2] if known and steps[1:2] != ("__init__",) else steps[:1])


def test_imports_within_a_room_have_no_cycle() -> None:
    leads: dict[str, set[str]] = {}
    for path in MODULES:
        home = corner_of(*path.relative_to(SOURCE).with_suffix("").parts)
        steps = (name.split(".") for name in list_imports_of(path))
        goals = {corner_of(*rest) for package, *rest in steps if package == "dateline" and rest}
        leads.setdefault(home, set()).update(goals - {home})
    # raises CycleError, which names the cycle
    TopologicalSorter(leads).prepare()


def test_outputs_do_not_import_each_other() -> None:
    found = {
        (room_of(path), room)
        for path in MODULES
        for name in list_imports_of(path)
        for room in name.split(".")[1:2]
        if {room_of(path), room} <= {*OUTPUTS} and room != room_of(path)
    }
    assert found == set()


def test_every_module_belongs_to_a_room() -> None:
    rooms = {room_of(path) for path in MODULES} - {""}
    assert sorted(rooms - set(ROOMS)) == []


@cases(
    ("path", "source", "refused"),
    [
        ("load/table.py", "from dateline.source.reader import read", []),
        ("source/text.py", "import dateline.model, yaml, re", []),
        ("load/table.py", "from dateline import project", ["dateline.project"]),
        ("load/table.py", "import dateline.changes", ["dateline.changes"]),
        ("load/table.py", "def f():\n    import jinja2", ["jinja2"]),
        ("source/text.py", "from yaml.nodes import Node", []),
        ("project.py", "from yaml.nodes import Node", ["yaml.nodes.Node"]),
        ("project.py", "from .gates import order", [".gates.order"]),
        ("templating.py", "from jinja2 import Environment", []),
        ("cli.py", "from dateline_runtime import negotiate", ["dateline_runtime.negotiate"]),
        ("cli.py", "import paynet, paynet_sandbox", ["paynet", "paynet_sandbox"]),
        ("cli.py", "from dateline import __version__, nowhere", ["dateline.nowhere"]),
        ("__init__.py", "from dateline.model import Api", ["dateline.model.Api"]),
    ],
)
def test_import_of_a_later_room_is_detected(path: str, source: str, refused: list[str]) -> None:
    assert list_misplaced(SOURCE / path, list_imports(ast.parse(source))) == refused


@pytest.mark.parametrize(
    ("module", "kept_away"),
    [
        ("dateline.fresh", (*HEAVY, "click", "yaml", "dataclasses", "pathlib", "re", "typing")),
        ("dateline.entry", (*HEAVY, "click", "yaml")),
        ("dateline.cli", (*HEAVY, "asyncio", "yaml")),
        ("dateline.generate", (*HEAVY, "asyncio", "yaml")),
        ("dateline.load", HEAVY),
        ("dateline.load.editor", HEAVY),
        ("dateline.project", (*HEAVY, "yaml")),
        ("dateline.serve", (*HEAVY, "fastapi", "jsonschema_rs", "uvicorn", "yaml")),
        ("dateline.proxy", (*HEAVY, "aiohttp", "jsonschema_rs", "uvicorn", "yaml")),
    ],
)
def test_importing_a_room_does_not_import_heavy_packages(
    module: str, kept_away: tuple[str, ...]
) -> None:
    code = f"import sys, {module}; print(*sorted(set({kept_away!r}) & set(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert (run.stdout, run.stderr) == ("\n", "")
