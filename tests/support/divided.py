"""Split definitions: each schema, parameter, response and path goes into its own file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import yaml

SECTIONS: Final = ("schemas", "parameters", "responses", "requestBodies", "headers")

# Alternating names and suffixes: the order of files must not matter.
_SUFFIXES: Final = (".json", ".yaml", ".yml")


class _TextDates(yaml.CSafeLoader):
    """Loads dates as text."""


_TextDates.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def divide(files: Mapping[str, str]) -> dict[str, str]:
    """Return *files* with each component and path replaced by a reference to a file.

    Components keep their names, since documents show them.
    """
    found = dict(files)
    homes: dict[str, str] = {}
    roots = {
        name: yaml.load(text, _TextDates)
        for name, text in files.items()
        if name not in ("versions.yaml", "waivers.yaml")
    }
    for root in roots.values():
        for section in SECTIONS:
            for name in root.get("components", {}).get(section, {}):
                suffix = _SUFFIXES[len(homes) % 3]
                homes[f"#/components/{section}/{name}"] = f"parts/{section}/{name}{suffix}"
    for name, root in roots.items():
        for address, home in homes.items():
            section, short = address.split("/")[2:]
            entries = root.get("components", {}).get(section, {})
            if short in entries:
                found[home] = _write(_relate(entries[short], homes, "../"))
                entries[short] = {"$ref": home}
        for number, (path, item) in enumerate(root.get("paths", {}).items()):
            home = f"parts/{name.partition('.')[0]} {number}.yaml".replace(" ", "-")
            found[home] = _write(_relate(item, homes, ""))
            root["paths"][path] = {"$ref": home}
        found[name] = _write(root)
    return found


def _relate(node: Any, homes: Mapping[str, str], up: str) -> Any:
    """Adapt the references in *node* to a file that many folders deeper; *homes* maps targets."""
    if isinstance(node, list):
        return [_relate(one, homes, up) for one in node]
    if not isinstance(node, dict):
        address = homes.get(node) if isinstance(node, str) else None
        return node if address is None else up + address.removeprefix("parts/")
    return {key: _relate(below, homes, up) for key, below in node.items()}


def _write(node: Any) -> str:
    return json.dumps(node, indent=2) + "\n"
