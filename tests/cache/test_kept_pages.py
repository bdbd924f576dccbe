"""Cached change pages equal those that definitions with the same meaning generate."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path

import pytest
from support.other_words import adopted_apis, with_words
from support.thing_sources import SCHEMAS, api, things

from dateline.cache import Cache
from dateline.changes import Changes
from dateline.changes.kept import recall_pages
from dateline.load import load
from dateline.load.meaning import replace_words
from dateline.model import Api, Artifact
from dateline.project import Projector
from dateline.render import builtin_templates, render

FOLDERS = [builtin_templates()]


def lay_out(api: Api) -> tuple[list[Artifact], Collection[str]]:
    made = render(api, models=False, validate=False).artifacts
    pages = [each for each in made if each.path.startswith("changes/")]
    return pages, Changes(api, Projector(api)).texts


def recall(
    api: Api, cache: Cache, pages: tuple[list[Artifact], Collection[str]]
) -> tuple[list[Artifact], bool]:
    """Return the pages, and whether they came from the cache; *pages* are the other outputs."""
    laid_out = []

    def note() -> tuple[list[Artifact], Collection[str]]:
        laid_out.append(True)
        return pages

    return recall_pages(api, [], FOLDERS, cache, note), not laid_out


def words_of(found: Api) -> list[str]:
    words: dict[str, None] = {}
    replace_words("document", found.document, lambda text: words.setdefault(text))
    return [*filter(None, words)]


def emphasize(word: str, text: str) -> str:
    return f"{text}!" if text == word else text


def test_pages_are_cached_until_a_description_on_them_changes() -> None:
    outcomes = set()
    for found in (load(SCHEMAS, cache=Cache(None)), *adopted_apis()):
        cache = Cache(None)
        same = with_words(found, str)
        pages = lay_out(same)
        assert recall(same, cache, pages) == (pages[0], False)
        assert recall(same, cache, pages) == (pages[0], True)
        quoted = {*pages[1]}
        words = sorted(words_of(found), key=lambda word: word not in quoted)
        for word in (words[0], words[-1]):
            other = with_words(same, partial(emphasize, word))
            pages = lay_out(other)
            found_pages, was_kept = recall(other, cache, pages)
            assert found_pages == pages[0], word
            outcomes.add(was_kept)
    assert outcomes == {True, False}


TELLING = """
    Thing:
      type: object
      properties:
        due:
          x-added: 2024-09-01
          description: When
          type: object
          properties: { by: { description: Whom, type: string } }
        old:
          type: string
          description: Now
          x-was: { 2024-09-01: { description: Then } }
        plain: { type: string, description: Nowhere }
"""


@pytest.mark.parametrize(
    ("word", "is_quoted"),
    [("When", True), ("Whom", True), ("Now", True), ("Then", True), ("Nowhere", False)],
)
def test_descriptions_of_changed_parts_are_quoted(
    tmp_path: Path, word: str, is_quoted: bool
) -> None:
    found = with_words(api(tmp_path, things(TELLING)), str)
    cache = Cache(None)
    recall(found, cache, lay_out(found))
    other = with_words(found, lambda text: f"{text} else" if text == word else text)
    pages = lay_out(other)
    assert recall(other, cache, pages) == (pages[0], not is_quoted)


@pytest.mark.parametrize("text", ["", "Now"])
def test_descriptions_that_become_equal_or_empty_have_another_meaning(
    tmp_path: Path, text: str
) -> None:
    found = with_words(api(tmp_path, things(TELLING)), str)
    cache = Cache(None)
    recall(found, cache, lay_out(found))
    other = with_words(found, lambda word: text if word in ("Then", "Nowhere") else word)
    pages = lay_out(other)
    assert recall(other, cache, pages) == (pages[0], False)
