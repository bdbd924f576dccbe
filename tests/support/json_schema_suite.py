"""The JSON Schema Test Suite (draft 2020-12), each group's schema as a component of a document."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

SUITE: Final = Path(__file__).parents[3] / "shared" / "data" / "json-schema-test-suite.tar.gz"

# What a component of a document can't express: identifiers, anchors, other documents; references
# into a schema, where no component is; and what definitions are refused for by name.
_OUTSIDE: Final = re.compile(
    r'"\$id"|"\$anchor"|"\$dynamic|http|"\$vocabulary"'
    r'|"\$ref": "#/(?!\$defs/[\w-]+"|")'
    r'|"(?:min|max)\w+": \d+\.\d|"enum": \[\]|\\u00[01]|\\[nrtf\\]'
)


class Group(NamedTuple):
    """A group of the suite: what it is called, its schema, and instances with their validity."""

    called: str
    schema: Any
    instances: list[tuple[Any, bool]]


def groups() -> Iterator[Group]:
    """Yield the groups of the suite that a document of OpenAPI 3.1 can hold."""
    with tarfile.open(SUITE) as suite:
        for member in sorted(suite.getmembers(), key=lambda member: member.name):
            file = suite.extractfile(member) if member.isfile() else None
            if file is None or Path(member.name).parent != Path("tests/draft2020-12"):
                continue
            for group in json.loads(file.read()):
                schema = group["schema"]
                if isinstance(schema, dict):
                    schema.pop("$schema", None)
                if not _OUTSIDE.search(json.dumps(schema)):
                    instances = [(each["data"], each["valid"]) for each in group["tests"]]
                    called = f"{Path(member.name).stem}: {group['description']}"
                    yield Group(called, schema, instances)


def components(name: str, schema: Any) -> dict[str, Any]:
    """Return the components that *schema* is as *name*: itself, and each of its definitions."""
    if not isinstance(schema, dict) or '"$ref"' not in json.dumps(schema):
        return {name: schema}
    parts = {name: {key: value for key, value in schema.items() if key != "$defs"}}
    parts |= {f"{name}_{key}": each for key, each in schema.get("$defs", {}).items()}
    return {key: _relocate(part, name) for key, part in parts.items()}


def _relocate(node: Any, name: str) -> Any:
    """Return *node* with its references into the component *name* and its definitions."""
    if isinstance(node, list):
        return [_relocate(each, name) for each in node]
    if not isinstance(node, dict):
        return node
    found = {
        key: value if key in ("enum", "const") else _relocate(value, name)
        for key, value in node.items()
    }
    if isinstance(node.get("$ref"), str):
        below = node["$ref"].removeprefix("#/$defs/").removeprefix("#")
        found["$ref"] = f"#/components/schemas/{name}" + (f"_{below}" if below else "")
    return found
