"""Definitions rewritten with the same meaning, and chains of them as they are adopted."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from dateline.adopt import adopt
from dateline.load import load
from dateline.load.meaning import (
    Meaning,
    Unit,
    find_words,
    join_meanings,
    list_words,
    replace_in_units,
)
from dateline.model import Api, Definitions
from support.random_chains import DATES, chains
from support.sources import folder

RANDOM_APIS = 6


def with_words(found: Api, replace: Callable[[str], Any]) -> Api:
    """Return what is loaded of *found* with other words."""
    return with_words_in_units(found, lambda text, _: replace(text))


def with_words_in_units(found: Api, replace: Callable[[str, Unit], Any]) -> Api:
    """Return what is loaded of *found* with other words; *replace* gets their units, too."""
    document = Definitions(replace_in_units(found.document, replace))
    meaning = Meaning.of(document)
    document.meaning = join_meanings([("api", meaning)])
    words = list_words([meaning])
    document.words = tuple(word.digest for word in words)
    document.units = tuple(word.unit for word in words)
    document.find_words = partial(find_words, [(meaning, document)])
    return dataclasses.replace(found, document=document)


# Below these, and below extensions, keys have names of the author's own; servers are known by
# what is said of them.
DATA = {"servers", "const", "default", "enum", "example", "examples", "links", "mapping", "scopes"}


def with_other_words(node: Any) -> Any:
    """Return *node* with another text in place of each of its words, equal ones for equal ones."""
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


def adopted_apis(root: Path) -> Iterator[Api]:
    """Yield chains of random documents as they are adopted: with histories, and all they say."""
    for number, documents in enumerate(chains(5, RANDOM_APIS)):
        given = folder(
            root,
            {f"{day}.json": json.dumps(each) for day, each in zip(DATES, documents, strict=True)},
            f"{number}-published",
        )
        schemas = root / f"{number}-adopted"
        adopt(tuple(f"{day}={given / day}.json" for day in DATES), schemas)
        yield load(schemas)
