"""Projects that were adopted from one document, generated and checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner

from dateline.cli import main

VERSION: Final = "2024-01-15"


def adopt_project(root: Path, document: dict[str, Any], package: str) -> Path:
    """Adopt *document* below *root* as an API with one version, generate, and check.

    Writes `schemas` and `generated`, and the output of each command to `COMMAND.txt`. Returns
    *root*.
    """
    (root / "old.json").write_text(json.dumps(document))
    source = f"{VERSION}={root / 'old.json'}"
    schemas, output = str(root / "schemas"), str(root / "generated")
    for command in (
        ["adopt", "--into", schemas, "--package", package, source],
        ["generate", "--schemas", schemas, "--output", output],
        ["check", "--schemas", schemas, "--output", output],
    ):
        ran = CliRunner().invoke(main, command, catch_exceptions=False)
        assert (ran.exit_code, "no server" in ran.stderr) == (0, False), ran.output
        (root / f"{command[0]}.txt").write_text(ran.output)
    return root
