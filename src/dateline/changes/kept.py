"""Cache change pages by what they show, and that by the meaning of the definitions.

Words affect a page by being equal or empty, which is part of the meaning, and by being quoted: in
the values of a change, and in the summaries of operations.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dateline.cache import Cache, compress, pack, unpack
from dateline.changes.record import Period
from dateline.load.meaning import digest_word
from dateline.model import Api, Artifact, Keep, in_memory

if TYPE_CHECKING:
    from dateline.changes import Changes

_PACKAGES: Final = ("jinja2", "markupsafe", "jsonschema-rs", "markdown-it-py", "nh3")


def recall_pages(
    api: Api,
    periods: Sequence[Period],
    folders: Sequence[Path],
    cache: Cache,
    compare: Callable[[], Changes],
    lay_out: Callable[[], Iterable[Artifact]],
    keep: Keep = in_memory,
) -> list[Artifact]:
    """Return the pages from *lay_out*, or those it returned earlier for the same content.

    The content is that of *compare*, which is not called if definitions of the same meaning quoted
    the same texts. Besides *api* it may only depend on *periods*, their explanations included.
    Pages may also depend on the templates in *folders*. *keep* is called with each page.
    """
    inputs = [*cache.list_inputs(folders, _PACKAGES)]
    shown = _find_content(api, periods, inputs, cache, compare)
    if (known := cache.get(shown)) is not None:
        paths, contents = unpack(known)
        both = zip(paths, contents, strict=True)
        return [keep(Artifact(path=path, content=content)) for path, content in both]
    artifacts = [*map(keep, lay_out())]
    contents = (compress(artifact.content) for artifact in artifacts)
    cache.put(shown, pack([artifact.path for artifact in artifacts], [*contents]))
    return artifacts


def _find_content(
    api: Api,
    periods: Sequence[Period],
    inputs: Sequence[str],
    cache: Cache,
    compare: Callable[[], Changes],
) -> bytes:
    """Return the cache key of the pages of *api*."""
    words: Sequence[str] | None = getattr(api.document, "words", None)
    explained = [[entry.explanation for entry in period.entries] for period in periods]
    added = json.dumps([[period.data for period in periods], explained])
    key = cache.key("change pages", api.comparison or b"", added, *inputs)
    if api.comparison is None:
        words = None
    if words is not None and (known := cache.get(key)) is not None:
        quoted, shown = json.loads(known)
        if all(words[number] == word for number, word in quoted):
            return bytes.fromhex(shown)
    changes = compare()
    shown = cache.key("pages of changes", changes.digest(), *inputs)
    if words is not None:
        digests = {*map(digest_word, changes.texts)}
        quoted = [(number, word) for number, word in enumerate(words) if word in digests]
        cache.put(key, json.dumps([quoted, shown.hex()]).encode())
    return shown
