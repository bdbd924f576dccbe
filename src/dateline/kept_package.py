"""Cache the generated package by the meaning of the definitions; words are filled in last."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import dateline
from dateline.cache import Cache, list_inputs
from dateline.load.meaning import replace_words
from dateline.model import Api, Artifact, DatelineError, Definitions, Keep, Place, in_memory
from dateline.python.deferral import create_placeholder, deferring, has_marks
from dateline.python.filling import Deferred, Filling, Words

Render = Callable[[Api], tuple[list[Artifact], list[str]]]
"""Returns the files of a package, and notes."""

_PACKAGES: Final = ("datamodel-code-generator", "jinja2")
_RUN_TIME: Final = Path(dateline.__file__).parents[1] / "dateline_runtime"

_BEGIN, _END = "\ue000", "\ue001"
_PLACE: Final = re.compile(f"{_BEGIN}(.*?){_END}:0:0")
"""Stands in notes for positions in the sources, which edits of words move."""


def recall_package(
    api: Api,
    folders: Sequence[Path],
    cache: Cache,
    render: Render,
    keep: Keep = in_memory,
) -> tuple[list[Artifact], list[str]]:
    """Return what *render* returns for *api*, or returned for definitions of the same meaning.

    *folders* are those of the templates. Only parts with words that have changed are laid out
    again. *keep* is called with each file once its words are filled in.
    """
    numbers: dict[str, int] = {}

    def number(text: str) -> str:
        return create_placeholder(numbers.setdefault(text, len(numbers)), text)

    document = replace_words("document", api.document, number)
    words = [*numbers]
    if api.meaning is None or any(map(has_marks, words)):
        return render(api)
    said = json.dumps([create_placeholder(0, text) for text in words])
    key = cache.key("package", api.meaning, said, *list_inputs((*folders, _RUN_TIME), _PACKAGES))
    digests = [*map(_digest, words)]
    known = cache.get(key)
    if known is not None:
        artifacts, notes = _read(known, digests, words.__getitem__, keep)
    else:
        try:
            with deferring() as parts:
                rendered, notes = render(_with_placeholders(api, document))
            artifacts, kept = _fill(rendered, Filling(parts, words.__getitem__), keep)
        except (DatelineError, ValueError, KeyError):
            # errors have their places in the definitions themselves
            return render(api)
        head = json.dumps([digests, notes, [*map(len, kept)]]).encode()
        cache.put(key, b"\n".join([head, b"".join(kept)]))
    return artifacts, [_PLACE.sub(lambda found: _locate(api, found[1]), note) for note in notes]


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=9).hexdigest()


def _with_placeholders(api: Api, document: dict[str, Any]) -> Api:
    """Return *api* with *document*, which has the same meaning, and without positions."""
    definitions = Definitions(document)
    if isinstance(api.document, Definitions):
        definitions.meaning = api.document.meaning
    return replace(
        api,
        document=definitions,
        locate=lambda path: Place(f"{_BEGIN}{json.dumps(path)}{_END}", 0, 0),
    )


def _locate(api: Api, path: str) -> str:
    return str(api.locate(tuple(json.loads(path))))


def _read_text(artifact: Artifact) -> str:
    """Return the text of *artifact*; ValueError if it is not text, or contains a position."""
    text = artifact.content.decode()
    if _BEGIN in text:
        raise ValueError("a place in the sources")
    return text


def _fill(
    rendered: list[Artifact], filling: Filling, keep: Keep
) -> tuple[list[Artifact], list[bytes]]:
    """Return the *rendered* files with the words of *filling*, and what to store of them.

    Raises ValueError if a word, or a position in the sources, is somewhere it can't be filled in.
    """
    artifacts, kept = [], []
    for each in rendered:
        pieces = [*filling.split(_read_text(each))]
        artifacts.append(keep(Artifact(path=each.path, content=filling.join(pieces).encode())))
        kept.append(_pack([each.path, pieces]))
    return artifacts, [_pack(filling.known), *kept]


def _pack(value: Any) -> bytes:
    return zlib.compress(json.dumps(value).encode(), 1)


def _read(
    kept: bytes, digests: list[str], words: Words, keep: Keep
) -> tuple[list[Artifact], list[str]]:
    """Return the *kept* files and notes, filled in with *words*, whose digests are *digests*."""
    end = kept.index(b"\n")
    before, notes, sizes = json.loads(kept[:end])
    both = enumerate(zip(before, digests, strict=True))
    changed = {number for number, (old, new) in both if old != new}

    def unpack() -> Iterator[Any]:
        start = end + 1
        for size in sizes:
            yield json.loads(zlib.decompress(kept[start : start + size]))
            start += size

    deferred, *files = unpack()
    parts = {name: row[0] for name, row in deferred.items()}
    known = {name: Deferred(*row) for name, row in deferred.items() if changed.isdisjoint(row[2])}
    filling = Filling(parts, words, known)
    artifacts = [
        keep(Artifact(path=path, content=filling.join(pieces).encode())) for path, pieces in files
    ]
    return artifacts, notes
