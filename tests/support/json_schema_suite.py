"""The JSON Schema Test Suite (draft 2020-12), each group's schema as a component of a document."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from dateline.bundle import Document
from dateline.model import SourceError
from support.readers import document

SUITE: Final = Path(__file__).parents[3] / "shared" / "data" / "json-schema-test-suite.tar.gz"

# What definitions are refused for by name, and what a dialect of its own changes.
_REFUSED: Final = re.compile(
    r'"\$vocabulary"|"(?:min|max)\w+": \d+\.\d|"enum": \[\]|\\u00[01]|\\[nrtf\\]'
)
# What needs an address for its fragments: identifiers, anchors, references into a schema.
_ADDRESSED: Final = re.compile(
    r'"\$id"|"\$anchor"|"\$dynamic|http|"\$ref": "#/(?!\$defs/[\w-]+"|")'
)
_ANCHOR: Final = re.compile(r'"\$(dynamicAnchor|anchor)": "([^"]*)"')
_OUR_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


class Group(NamedTuple):
    """A group of the suite: what it is called, its schema, and instances with their validity."""

    called: str
    schema: Any
    instances: list[tuple[Any, bool]]


def groups() -> Iterator[Group]:
    """Yield the groups of the suite that a document of OpenAPI 3.1 can hold.

    Those that refer to other documents are left out, those of other dialects, and those whose
    dynamic references have several goals: definitions can't have any of these.
    """
    with tarfile.open(SUITE) as suite:
        for member in sorted(suite.getmembers(), key=lambda member: member.name):
            file = suite.extractfile(member) if member.isfile() else None
            if file is None or Path(member.name).parent != Path("tests/draft2020-12"):
                continue
            for group in json.loads(file.read()):
                schema = group["schema"]
                dialect = schema.pop("$schema", None) if isinstance(schema, dict) else None
                text = json.dumps(schema)
                if _REFUSED.search(text) or dialect not in (None, _OUR_DIALECT):
                    continue
                if not _ADDRESSED.search(text) or _is_complete(schema):
                    instances = [(each["data"], each["valid"]) for each in group["tests"]]
                    called = f"{Path(member.name).stem}: {group['description']}"
                    yield Group(called, schema, instances)


def _is_complete(schema: Any) -> bool:
    """Return whether a schema that has an address leads nowhere else, each time to one goal."""
    anchors = _ANCHOR.findall(json.dumps(schema))
    names = [name for _, name in anchors]
    if any(kind == "dynamicAnchor" and names.count(name) > 1 for kind, name in anchors):
        return False
    written = document(components("Group", schema), "3.1.0")
    try:
        return bool(Document(name="x.json", data=json.dumps(written).encode()).content)
    except SourceError:
        return False


def components(name: str, schema: Any) -> dict[str, Any]:
    """Return the components that *schema* is as *name*.

    These are itself and each of its definitions, or, where fragments need it, itself at an address.
    """
    text = json.dumps(schema)
    if not isinstance(schema, dict) or not ('"$ref"' in text or _ADDRESSED.search(text)):
        return {name: schema}
    if _ADDRESSED.search(text):
        return {name: _address(name, text)}
    parts = {name: {key: value for key, value in schema.items() if key != "$defs"}}
    parts |= {f"{name}_{key}": each for key, each in schema.get("$defs", {}).items()}
    return {key: _relocate(part, name) for key, part in parts.items()}


def _address(name: str, text: str) -> dict[str, Any]:
    """Return the schema written as *text* with addresses and anchors that no other group has."""
    text = re.sub(r"(https?://)([\w.:-]+)", rf"\1{name.lower()}.\2", text)
    text = re.sub(r'"(urn:[^"#?]*)', rf'"\1:{name.lower()}', text)
    for _, anchor in _ANCHOR.findall(text):
        text = text.replace(f'nchor": "{anchor}"', f'nchor": "{anchor}{name}"')
        text = text.replace(f'#{anchor}"', f'#{anchor}{name}"')
    return {"$id": f"https://{name.lower()}.example/", **json.loads(text)}


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
