"""Definitions with other descriptions and the same meaning, and chains of adopted documents."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from dateline.adopt import adopt
from dateline.load import load
from dateline.load.meaning import (
    Meaning,
    Unit,
    digest_comparison,
    find_words,
    join_meanings,
    list_words,
    replace_in_units,
)
from dateline.model import Api, Definitions
from support.generated_server import keep_folder
from support.random_chains import DATES, chains
from support.seeds import scale
from support.sources import folder

RANDOM_APIS = 6


def with_words(found: Api, replace: Callable[[str], Any]) -> Api:
    """Return the loaded definitions *found* with each text passed through *replace*."""
    return with_words_in_units(found, lambda text, _: replace(text))


def with_words_in_units(found: Api, replace: Callable[[str, Unit], Any]) -> Api:
    """Return the loaded definitions *found* with other texts; *replace* also gets their units."""
    document = Definitions(replace_in_units(found.document, replace))
    meaning = Meaning.of(document)
    document.meaning = join_meanings([("api", meaning)])
    document.comparison = digest_comparison([meaning], refers=bool(found.parts))
    words = list_words([meaning])
    document.words = tuple(word.digest for word in words)
    document.units = tuple(word.unit for word in words)
    document.find_words = partial(find_words, [(meaning, document)])
    return dataclasses.replace(found, document=document)


# Below these keys and below extensions, keys are names that the author chose; a server is
# identified by its description.
DATA = {"servers", "const", "default", "enum", "example", "examples", "links", "mapping", "scopes"}


def with_other_words(node: Any) -> Any:
    """Return *node* with different descriptions and summaries; equal texts stay equal."""
    if isinstance(node, list):
        return [*map(with_other_words, node)]
    if not isinstance(node, dict):
        return node
    return {key: change_words(key, value) for key, value in node.items()}


def change_words(key: str, value: Any) -> Any:
    if key in DATA or (key.startswith("x-") and key != "x-was"):
        return value
    if key in ("description", "summary") and isinstance(value, str):
        return value and f"`{value[::-1]}`: otherwise, in {len(value)} letters"
    return with_other_words(value)


@cache
def adopted_apis() -> tuple[Api, ...]:
    """Return APIs adopted from chains of random documents, with all their history.

    They are adopted once per process.
    """
    root = keep_folder()
    made = enumerate(chains(5, scale(RANDOM_APIS)))
    return tuple(_adopt(root / str(number), chain) for number, chain in made)


def _adopt(root: Path, chain: list[dict[str, Any]]) -> Api:
    texts = {f"{day}.json": json.dumps(each) for day, each in zip(DATES, chain, strict=True)}
    given = folder(root, texts, "published")
    adopt(tuple(f"{day}={given / day}.json" for day in DATES), root / "adopted")
    return load(root / "adopted")
