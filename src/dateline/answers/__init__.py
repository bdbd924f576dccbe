"""The JSON output of commands: plain data, and a JSON Schema (2020-12) for each command.

`check` and `diff` have formats of their own, in the room `report`, and `history` in `changes`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

ANSWERS: Final = ("status", "rules", "explain", "gate", "cut", "retire", "try", "problems")
"""The commands that answer in JSON with a schema of this room; and what any of them answers that
can't do its work."""


def format_answer(data: Mapping[str, Any]) -> str:
    """Return *data* as JSON (RFC 8259) in lines, the keys in their order."""
    return json.dumps(data, indent=2, ensure_ascii=False)


def schema(command: str) -> str:
    """Return the JSON Schema of the output of *command*, one of `ANSWERS`.

    Shared parts come from the schema of change pages and from that of reports.
    """
    from dateline import changes, report

    folder = Path(__file__).parent
    own = json.loads((folder / f"{command}.schema.json").read_text(encoding="utf-8"))
    known = {
        **json.loads(report.schema())["$defs"],
        **json.loads(changes.schema())["$defs"],
        **json.loads((folder / "shared.schema.json").read_text(encoding="utf-8"))["$defs"],
    }
    needed: dict[str, Any] = {}
    _collect_definitions(own, known, needed)
    return json.dumps({**own, "$defs": dict(sorted(needed.items()))}, indent=2) + "\n"


def _collect_definitions(node: Any, known: Mapping[str, Any], found: dict[str, Any]) -> None:
    """Add to *found* every definition of *known* that *node* refers to, directly or not."""
    if isinstance(node, dict):
        name = str(node.get("$ref", "")).rpartition("/")[2]
        if name in known and name not in found:
            found[name] = known[name]
            _collect_definitions(known[name], known, found)
    for item in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _collect_definitions(item, known, found)
