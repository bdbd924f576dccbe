"""List the functions that receive one schema node, and one edit: `python tests/support/flow.py`.

ARCHITECTURE.md shows the modules. A function counts if one of its arguments is the node, as it is
in the definitions or in a document, or contains it; for the edit, if one is a change, group or
finding.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import dateline
from dateline.diff import diff
from dateline.edit import init
from dateline.generate import Workspace, generate
from dateline.load import load
from dateline.model import Api, Change, Finding
from dateline.project import Projector
from dateline.project_checks import list_findings, read_published
from dateline.render import builtin_templates, render

ROOT: Final = Path(dateline.__file__).parent
_OURS: Final = f"{ROOT}{os.sep}"
SCHEMA: Final = "LoanState"
EDIT: Final = ("- const: returned", "- const: returned\n        - const: lost")


def trace(stage: str, run: Callable[[], Any], concerns: Callable[[Any], bool]) -> None:
    """Print the modules with a function to which *run* passes what *concerns* accepts."""
    found: dict[CodeType, str] = {}

    def look(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # there are millions of calls: arguments that can't match have to be dismissed cheaply
        if event == "call" and code.co_filename.startswith(_OURS) and code not in found:
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            if any(concerns(frame.f_locals.get(name)) for name in names):
                path = Path(code.co_filename).relative_to(ROOT)
                found[code] = path.with_suffix("").as_posix()

    sys.setprofile(look)
    try:
        run()
    finally:
        sys.setprofile(None)
    modules = [name.removesuffix("/__init__") for name in dict.fromkeys(found.values())]
    print(f"{stage}: {len(modules)} modules, {len(found)} functions\n    {' '.join(modules)}")


def main() -> None:
    """Trace the node through loading, projecting, comparing and rendering; then an edit of it."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        init(top)
        workspace = Workspace(
            schemas=top / "schemas", output=top / "generated", templates=None, strict=False
        )
        generate(workspace)
        api = load(workspace.schemas)
        documents = project(api)
        known = [each["components"]["schemas"].get(SCHEMA) for each in (api.document, *documents)]

        def is_node(value: Any) -> bool:
            held = [value, *(getattr(value, name, None) for name in ("node", "value", "schema"))]
            return any(isinstance(one, dict) and one and one in known for one in held)

        trace("load", lambda: load(workspace.schemas), is_node)
        trace("project", lambda: project(api), is_node)
        trace("diff", lambda: diff(documents[0], documents[1]), is_node)
        trace("render", lambda: render(api, builtin_templates()), is_node)
        source = workspace.schemas / "loans.yaml"
        source.write_text(source.read_text(encoding="utf-8").replace(*EDIT), encoding="utf-8")

        def is_edit(value: Any) -> bool:
            return isinstance(value, Change | Finding) or type(value).__name__ == "Group"

        edited = load(workspace.schemas)
        before = read_published(workspace, None)
        trace("edit", lambda: list_findings(workspace, edited, before), is_edit)
        command = [sys.executable, "-m", "dateline", "check"]
        subprocess.run(command, cwd=top, check=False)


def project(api: Api) -> list[dict[str, Any]]:
    """Return the documents of *api*, by environment and version."""
    projector = Projector(api)
    return [
        projector.contract(version, environment.name).document
        for environment in api.table.environments
        for version in api.table.dates
    ]


if __name__ == "__main__":
    main()
