"""Compare the newest version of definitions with what the code of an application promises."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Final

from dateline.adopt.applications import read_application
from dateline.adopt.path_names import rename_paths
from dateline.check.comparison import compare
from dateline.load import load
from dateline.model import Combination, Finding
from dateline.project import Projector

# Names and words, which frameworks derive and change with their releases.
_NOISE: Final = frozenset(
    {"documentation-changed", "operation-id-changed", "extension-changed", "dialect-changed"}
    | {
        "path-parameter-renamed",
        "component-added",
        "component-removed",
        "component-renamed",
        "servers-changed",
        "server-added",
    }
)

# What FastAPI declares automatically.
_ADDED: Final = frozenset({"HTTPValidationError", "ValidationError"})


def compare_code(schemas: Path, output: Path, name: str) -> tuple[list[Finding], str]:
    """Return how the application *name* differs from the definitions, and their newest version.

    *name* may also be a file with its document. Before is the state of the definitions. Names,
    documentation and spellings alone don't count as differences, nor do the errors that a framework
    declares automatically. Raises ApplicationError for an application without a document, and what
    `compare` raises.
    """
    api = load(schemas)
    table = api.table
    shown = Combination(table.dates[-1], table.environments[0].name)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(name)
        if not file.is_file():
            file = Path(folder, "openapi.json")
            # one of several methods at a path may have another name of its parameter
            document, _ = rename_paths(
                read_application(name), Projector(api).contract(*shown).document
            )
            file.write_text(json.dumps(document), encoding="utf-8")
        found, _ = compare(schemas, output, "@".join(shown), str(file), respelled=True)
    # the file is gone, and was temporary
    kept = [replace(each, after_source=None) for each in found if not _is_noise(each)]
    return kept, table.dates[-1]


def _is_noise(finding: Finding) -> bool:
    # frameworks number or qualify equal names: another schema may have a name now
    pointer = finding.before_pointer or finding.after_pointer or ""
    is_unused = not finding.operations and pointer.startswith("/components/schemas/")
    return is_unused or finding.rule in _NOISE or finding.schema in _ADDED
