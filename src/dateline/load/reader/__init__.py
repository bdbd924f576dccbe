"""One source file in, its mappings and lists with places out; what is wrong becomes problems."""

from __future__ import annotations

from pathlib import Path

from dateline.load.reader.characters import file_text
from dateline.load.reader.json_document import JsonReader
from dateline.load.reader.limits import ADOPTED, AUTHORED, Limits
from dateline.load.reader.places import JsonPlaces, Locator
from dateline.load.reader.problems import MOST_PROBLEMS, Log, StoppedError
from dateline.load.reader.yaml_document import YamlReader
from dateline.model import Map, Problem

__all__ = ["ADOPTED", "AUTHORED", "MOST_PROBLEMS", "JsonPlaces", "Limits", "Locator", "read"]


def read(path: Path, name: str, *, adopted: bool, problems: list[Problem]) -> Map | None:
    """Return what the `.yaml` or `.json` file at *path* holds; *name* is its name for people.

    Mappings from YAML are ``Map`` and lists ``Seq``, with the place of every key, value and
    item. Objects from JSON are ``Map`` without marks, arrays plain lists: ``Locator`` finds
    their places when one is needed.

    Never raises for bad input: everything wrong is appended to *problems*. Returns None where
    the file could not be read to its end; else what it holds, with refused values as text and
    the first value of a duplicate key.
    """
    log = Log(name, problems)
    limits = ADOPTED if adopted else AUTHORED
    try:
        text = file_text(path, limits.size, log)
        if path.suffix.lower() == ".json":
            return JsonReader(text, limits, log).read()
        return YamlReader(text, limits, adopted, log).read()
    except StoppedError:
        return None
