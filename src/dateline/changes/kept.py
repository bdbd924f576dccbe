"""Cache change pages by the meaning of the definitions, as long as the words they quote are equal.

Words affect a page by being equal or empty, which is part of the meaning, and by being quoted: in
the values of a change, and in the summaries of operations.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final

from dateline.cache import Cache, compress, pack, unpack
from dateline.changes.record import Period
from dateline.load.meaning import digest_word
from dateline.model import Api, Artifact, Keep, in_memory

_PACKAGES: Final = ("jinja2", "markupsafe", "jsonschema-rs", "markdown-it-py", "nh3")

LayOut = Callable[[], tuple[list[Artifact], Collection[str]]]
"""Returns pages, and all texts that they may quote."""


def recall_pages(
    api: Api,
    periods: Sequence[Period],
    folders: Sequence[Path],
    cache: Cache,
    lay_out: LayOut,
    keep: Keep = in_memory,
) -> list[Artifact]:
    """Return the pages from *lay_out*, or those it returned earlier with the same quoted texts.

    Besides *api* they may only depend on *periods*, their explanations included, and on the
    templates in *folders*. *keep* is called with the pages of earlier runs.
    """
    words = getattr(api.document, "words", None)
    if api.comparison is None or words is None:
        return lay_out()[0]
    explained = [[entry.explanation for entry in period.entries] for period in periods]
    added = json.dumps([[period.data for period in periods], explained])
    key = cache.key("change pages", api.comparison, added, *cache.list_inputs(folders, _PACKAGES))
    known = cache.get(key)
    if known is not None and (kept := _read(known, words, keep)) is not None:
        return kept
    artifacts, texts = lay_out()
    cache.put(key, _write(artifacts, texts, words))
    return artifacts


def _write(artifacts: Sequence[Artifact], texts: Collection[str], words: Sequence[str]) -> bytes:
    """Return the cached form of *artifacts*, with those of the *words* that are among *texts*."""
    digests = {*map(digest_word, texts)}
    quoted = [(number, word) for number, word in enumerate(words) if word in digests]
    contents = [compress(artifact.content) for artifact in artifacts]
    return pack([quoted, [artifact.path for artifact in artifacts]], contents)


def _read(kept: bytes, words: Sequence[str], keep: Keep) -> list[Artifact] | None:
    """Return the *kept* pages; None if they quote a word that is not one of *words*."""
    (quoted, paths), contents = unpack(kept)
    if any(words[number] != word for number, word in quoted):
        return None
    return [
        keep(Artifact(path=path, content=content))
        for path, content in zip(paths, contents, strict=True)
    ]
