"""The JSON Schema Test Suite (draft 2020-12), with each group's schema as a component."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin

from dateline.bundle import Document
from dateline.model import SourceError
from support.readers import document

SUITE: Final = Path(__file__).parents[3] / "shared" / "data" / "json-schema-test-suite.tar.gz"

# Keywords that definitions refuse, and one that declares another dialect.
_REFUSED: Final = re.compile(
    r'"\$vocabulary"|"(?:min|max)(?!imum)\w+": \d+\.\d|"enum": \[\]|\\u00[01]|\\[nrtf\\]'
)
# Keywords that need an address: identifiers, anchors, references into a schema.
_ADDRESSED: Final = re.compile(
    r'"\$id"|"\$anchor"|"\$dynamic|http|"\$ref": "#/(?!\$defs/[\w-]+"|")'
)
_ANCHOR: Final = re.compile(r'"\$(dynamicAnchor|anchor)": "([^"]*)"')
_OUR_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


class Group(NamedTuple):
    """A group of the suite: its description, its schema, and instances with their validity."""

    called: str
    schema: Any
    instances: list[tuple[Any, bool]]


def groups() -> Iterator[Group]:
    """Yield the groups of the suite that an OpenAPI 3.1 document can contain.

    Other documents that a schema refers to are embedded in it (JSON Schema 2020-12, core, section
    9.3).
    """
    for group in _all_groups():
        if find_obstacle(group.schema) is None:
            yield group


def left_out() -> dict[str, list[str]]:
    """Return the groups that are left out, by reason."""
    found: dict[str, list[str]] = {}
    for group in _all_groups():
        if (reason := find_obstacle(group.schema)) is not None:
            found.setdefault(reason, []).append(group.called)
    return found


def find_obstacle(schema: Any) -> str | None:
    """Return why no OpenAPI 3.1 document can contain *schema*; None if one can."""
    text = json.dumps(schema)
    if isinstance(schema, dict) and "$schema" in schema:
        return "another dialect"
    if _REFUSED.search(text):
        return "refused by name"
    if not _ADDRESSED.search(text):
        return None
    anchors = _ANCHOR.findall(text)
    names = [name for _, name in anchors]
    if any(kind == "dynamicAnchor" and names.count(name) > 1 for kind, name in anchors):
        return "several goals of a dynamic reference"
    return None if _is_complete(schema) else "refers to the metaschema"


def _all_groups() -> Iterator[Group]:
    files = _read_suite()
    remotes = {
        name.removeprefix("remotes/"): content
        for name, content in files.items()
        if name.startswith("remotes/draft2020-12/")
    }
    for name, content in files.items():
        if Path(name).parent != Path("tests/draft2020-12"):
            continue
        for group in content:
            schema = group["schema"]
            if isinstance(schema, dict) and schema.get("$schema") == _OUR_DIALECT:
                schema = {key: value for key, value in schema.items() if key != "$schema"}
            instances = [(each["data"], each["valid"]) for each in group["tests"]]
            called = f"{Path(name).stem}: {group['description']}"
            yield Group(called, _embed(schema, remotes), instances)


@cache
def _read_suite() -> dict[str, Any]:
    with tarfile.open(SUITE) as suite:
        members = sorted(suite.getmembers(), key=lambda member: member.name)
        files = ((one.name, suite.extractfile(one)) for one in members if one.isfile())
        return {
            name: json.loads(file.read())
            for name, file in files
            if file is not None and name.endswith(".json")
        }


def _embed(schema: Any, remotes: dict[str, Any]) -> Any:
    """Return *schema* with all the *remotes* that it reaches as definitions."""
    found: dict[str, Any] = {}
    texts = [json.dumps(schema)] if "$ref" in json.dumps(schema) else []
    while texts:
        text = texts.pop()
        for name, remote in remotes.items():
            if name not in found and Path(name).name in text:
                found[name] = {key: each for key, each in remote.items() if key != "$schema"}
                texts.append(json.dumps(remote))
    if not found:
        return schema
    made: dict[str, Any] = {}
    for at, (name, remote) in enumerate(found.items()):
        address = f"http://localhost:1234/{name}"
        own = urljoin(address, remote.get("$id", ""))
        made[f"remote{at}"] = {**remote, "$id": own}
        if own != address:
            made[f"moved{at}"] = {"$id": address, "$ref": own}
    return {**schema, "$defs": {**schema.get("$defs", {}), **made}}


def _is_complete(schema: Any) -> bool:
    """Return whether a schema with an address refers only to itself."""
    written = document(components("Group", schema), "3.1.0")
    try:
        return bool(Document(name="x.json", data=json.dumps(written).encode()).content)
    except SourceError:
        return False


def components(name: str, schema: Any) -> dict[str, Any]:
    """Return *schema* as components for *name*.

    These are the schema and each of its definitions, or, if fragments need it, the schema with an
    address.
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
    """Return the schema in *text* with addresses and anchors that no other group uses."""
    text = re.sub(r"(https?://)([\w.:-]+)", rf"\1{name.lower()}.\2", text)
    text = re.sub(r'"(urn:[^"#?]*)', rf'"\1:{name.lower()}', text)
    for _, anchor in _ANCHOR.findall(text):
        text = text.replace(f'nchor": "{anchor}"', f'nchor": "{anchor}{name}"')
        text = text.replace(f'#{anchor}"', f'#{anchor}{name}"')
    return {"$id": f"https://{name.lower()}.example/", **json.loads(text)}


def _relocate(node: Any, name: str) -> Any:
    """Return *node* with its references redirected to the component *name* and its definitions."""
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
