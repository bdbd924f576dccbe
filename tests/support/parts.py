"""Many independent definitions as one API: the problems and findings of each are told apart."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from dateline.load import load
from dateline.model import Api, Place, SourceError
from support.sources import folder

Json = Any

Made = TypeVar("Made")

_TOGETHER: Final = 300
"""How many parts a fragment has."""


def load_parts(
    versions: str, head: str, parts: dict[str, Json], make: Callable[[Api], Made]
) -> tuple[Api, Made, dict[str, set[str]], Callable[[Place], str]]:
    """Return the API that *parts* define together with *head*, and what *make* returns for it.

    Also return the ids of the problems by part (parts with problems are left out), and a function
    that returns the part of a place.
    """
    refused: dict[str, set[str]] = defaultdict(set)
    while True:
        kept = [(name, part) for name, part in parts.items() if name not in refused]
        files = {"versions.yaml": versions, "head.yaml": head}
        named: dict[str, dict[int, str]] = {}
        for at in range(0, len(kept), _TOGETHER):
            file = f"parts{at}.json"
            files[file], named[file] = join_parts(dict(kept[at : at + _TOGETHER]))

        def part(place: Place, named: dict[str, dict[int, str]] = named) -> str:
            return named[Path(place.file).name][place.line]

        with TemporaryDirectory() as root:
            try:
                api = load(folder(Path(root), files))
                return api, make(api), refused, part
            except SourceError as error:
                for problem in error.problems:
                    refused[part(problem.place)].add(problem.id)


def join_parts(parts: dict[str, Json]) -> tuple[str, dict[int, str]]:
    """Return *parts* as one fragment, and for each of its lines the part it belongs to.

    Thousands of files would take longer to read than to check.
    """
    lines = ["{"]
    named: dict[int, str] = {}
    sections: dict[str, dict[str, list[tuple[str, Json]]]] = {"paths": {}, "components": {}}
    for name, part in parts.items():
        for key, node in part["paths"].items():
            sections["paths"].setdefault("", []).append((name, {key: node}))
        for section, nodes in part.get("components", {}).items():
            sections["components"].setdefault(section, []).append((name, nodes))
    for at, (key, found) in enumerate(sections.items()):
        lines.append(f'{", " if at else ""}"{key}": {{')
        for which, (section, nodes) in enumerate(found.items()):
            lines += [f'{", " if which else ""}"{section}": {{'] if section else []
            for number, (name, node) in enumerate(nodes):
                lines.append((", " if number else "") + json.dumps(node)[1:-1])
                named[len(lines)] = name
            lines += ["}"] if section else []
        lines.append("}")
    return "\n".join([*lines, "}"]), named
