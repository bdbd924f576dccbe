"""Turn a real document into sources of many versions, each of which adds five of its fields.

`HOME FOLDER VERSIONS` on the command line: reading the document in a process of its own keeps its
memory out of the measurement.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

# when run as a script, modules beside it are found from the folder of the tests
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import documents
from benchmarks.synthetic import dates

_EACH: Final = 5

_VERSIONS: Final = """\
header: X-API-Version
default: {default}
versions:
{versions}
environments:
  production: {{ servers: [{{ url: https://api.adopted.example }}] }}
policy: dated-contract
lint: adopted
python: {{ package: adopted }}
"""


def write(home: Path, folder: Path, versions: int) -> None:
    """Write `head` of *home* into *folder*, everything in the first version except those fields."""
    folder.mkdir(parents=True)
    known = dates(versions)
    rows = "\n".join(f"  - {{ date: {date}, title: What came with {date}. }}" for date in known)
    (folder / "versions.yaml").write_text(_VERSIONS.format(default=known[0], versions=rows))
    document = documents.read(home, "head")
    fields = list(_fields(document))
    # from all over the document, the same ones for any number of versions
    spread = fields[:: max(1, len(fields) // (_EACH * 50))]
    for index, date in enumerate(known[1:]):
        for field in spread[index * _EACH : (index + 1) * _EACH]:
            field["x-added"] = date
    (folder / "head.json").write_text(json.dumps(document))


def _fields(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the strings that no object requires."""
    for schema in document["components"]["schemas"].values():
        for name, field in schema.get("properties", {}).items():
            optional = name not in schema.get("required", ())
            if optional and field.get("type") == "string" and "enum" not in field:
                yield field


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
