"""The source format as JSON Schemas, with which an editor completes keys and underlines slips."""

from __future__ import annotations

import json
from pathlib import Path

from dateline.load import TABLE
from dateline.load.editor.source import source_schema
from dateline.load.editor.versions import versions_schema
from dateline.load.reader import read
from dateline.load.table import read_table
from dateline.model import Problem, Table

__all__ = ["editor_schema", "source_schema", "versions_schema"]


def editor_schema(which: str, folder: Path) -> str:
    """Return the schema that an editor needs, as JSON: of the `source` or of the `versions` file.

    The dates and environments offered are those of the version table in *folder*. While it is
    absent or has a slip in it, every date and every name will do.
    """
    schema = versions_schema() if which == "versions" else source_schema(_table(folder))
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _table(folder: Path) -> Table | None:
    # what is wrong with the table is told when definitions are checked, not here
    problems: list[Problem] = []
    document = read(folder / TABLE, TABLE, adopted=False, problems=problems)
    return None if document is None else read_table(document, problems)
