"""The source format as JSON Schemas, with which editors complete keys and mark errors."""

from __future__ import annotations

import json
from pathlib import Path

from dateline.load import read_known_table
from dateline.load.editor.source import source_schema
from dateline.load.editor.versions import versions_schema
from dateline.versions import DATE_FORM

__all__ = ["editor_schema", "source_schema", "versions_schema"]


def editor_schema(which: str, folder: Path) -> str:
    """Return a schema for editors, as JSON: that of the `source` files or of `versions`.

    It offers the dates and environments of the version table in *folder*. If the table is missing
    or has errors, every date and every name is valid.
    """
    table = read_known_table(folder)
    form = table.form if table else DATE_FORM
    schema = versions_schema(form) if which == "versions" else source_schema(table)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
