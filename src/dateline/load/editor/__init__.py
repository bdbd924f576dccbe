"""The source format as JSON Schemas, with which an editor completes keys and underlines slips."""

from __future__ import annotations

import json
from pathlib import Path

from dateline.load import read_known_table
from dateline.load.editor.source import source_schema
from dateline.load.editor.versions import versions_schema
from dateline.versions import DATE_FORM

__all__ = ["editor_schema", "source_schema", "versions_schema"]


def editor_schema(which: str, folder: Path) -> str:
    """Return the schema that an editor needs, as JSON: of the `source` or of the `versions` file.

    The dates and environments offered are those of the version table in *folder*. While it is
    absent or has a slip in it, every date and every name will do.
    """
    table = read_known_table(folder)
    form = table.form if table else DATE_FORM
    schema = versions_schema(form) if which == "versions" else source_schema(table)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
