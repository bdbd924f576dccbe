"""Run commands after random edits, each with several states of the cache."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from dateline.cache import FILE
from dateline.load import load
from dateline.model import SourceError
from support.commands import Outcome, dateline, read_files
from support.random_documents import edit_randomly
from support.random_sources import Sources
from support.sources import LIBRARY, folder

CACHE: Final = Path(".generated.dateline", FILE)

COMMANDS: Final = (
    ["check", "--format", "json", "--against", "generated"],
    ["status"],
    ["generate"],
)


class Tried(NamedTuple):
    """The statuses of each command, and the cases in which the cache changed the result."""

    statuses: dict[str, set[int]]
    differing: list[str]


# How to prepare the cache before a command, from the content that an earlier run left.
STATES: Final[dict[str, Callable[[bytes], object]]] = {
    "stale": CACHE.write_bytes,
    "deleted": lambda _: CACHE.unlink(missing_ok=True),
}


def try_edits(root: Path, count: int, seed: int = 1) -> Tried:
    """Run each command after each of *count* edits in *root*, with every state of the cache.

    Every other edit, from the first on, changes one word: the definitions keep their meaning.
    """
    home = {"XDG_CACHE_HOME": str(root / "home")}
    with contextlib.chdir(root), patch.dict(os.environ, home):
        return _try_edits(root, count, Random(seed))


def _try_edits(root: Path, count: int, random: Random) -> Tried:
    table = LIBRARY["versions.yaml"] + "site: true\n"
    sources = Sources.read(folder(root, {**LIBRARY, "versions.yaml": table}, "origin"))
    folder(root, {"versions.yaml": sources.table, "api.json": json.dumps(sources.document)})
    assert dateline("generate").status == 0
    left = CACHE.read_bytes()
    tried = Tried({}, [])
    for number in range(count):
        if number % 2:
            _write_edit(random, sources)
        else:
            _edit_word(random)
        for name in ("schemas", "generated"):
            shutil.rmtree(root / "start" / name, ignore_errors=True)
            shutil.copytree(name, root / "start" / name)
        for command in COMMANDS:
            found = {}
            for state, spoil in STATES.items():
                spoil(left)
                found[state] = _run(root, command)
            # and with everything that the run before cached
            found["full"] = _run(root, command)
            tried.differing.extend(
                f"edit {number}: {' '.join(command)}, {state}"
                for state, made in found.items()
                if made != found["deleted"]
            )
            left = CACHE.read_bytes() if CACHE.exists() else left
            tried.statuses.setdefault(" ".join(command), set()).add(found["deleted"][0].status)
    return tried


def _run(root: Path, command: list[str]) -> tuple[Outcome, dict[str, str]]:
    Path(".generated.dateline/record").unlink(missing_ok=True)
    outcome = dateline(*command)
    made = read_files(root / "schemas") | read_files(root / "generated")
    if command == ["generate"]:
        for name in ("schemas", "generated"):
            shutil.rmtree(name)
            shutil.copytree(root / "start" / name, name)
    return outcome, made


def _write_edit(random: Random, sources: Sources) -> None:
    """Write different definitions, which can be loaded."""
    path = Path("schemas/api.json")
    before = path.read_text()
    while True:
        document = sources.copied().document
        edit_randomly(random, document)
        path.write_text(json.dumps(document))
        try:
            load(Path("schemas"))
        except SourceError:
            path.write_text(before)
        else:
            return


def _edit_word(random: Random) -> None:
    """Append words to one of the descriptions, or replace the text of one."""
    path = Path("schemas/api.json")
    document = json.loads(path.read_text())
    described = [node for node in _list_nodes(document) if isinstance(node.get("description"), str)]
    edit_randomly, other = random.choices(described, k=2)
    longer = f"{edit_randomly['description']} {random.choice(('More', 'than', 'that'))}."
    edit_randomly["description"] = random.choice((longer, longer, other["description"]))
    path.write_text(json.dumps(document))


def _list_nodes(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, dict):
        return [node, *(found for child in node.values() for found in _list_nodes(child))]
    if isinstance(node, list):
        return [found for child in node for found in _list_nodes(child)]
    return []
