"""Cached change pages equal those that definitions with the same meaning generate."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

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


BOTH: Final = ["compared", "laid out"]


class Pages:
    """The change pages of an API, and whether they were compared and laid out again."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.changes = Changes(api, Projector(api))
        made = render(api, models=False, validate=False).artifacts
        self.all = [each for each in made if each.path.startswith("changes/")]
        self.done: list[str] = []

    def recall(self, cache: Cache) -> list[Artifact]:
        def compare() -> Changes:
            self.done.append("compared")
            return self.changes

        def lay_out() -> list[Artifact]:
            self.done.append("laid out")
            return self.all

        return recall_pages(self.api, [], FOLDERS, cache, compare, lay_out)


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
        pages = Pages(same)
        assert [pages.recall(cache) == pages.all for _ in range(2)] == [True, True]
        assert pages.done == BOTH
        quoted = pages.changes.texts
        words = sorted(words_of(found), key=lambda word: word not in quoted)
        for word in (words[0], words[-1]):
            pages = Pages(with_words(same, partial(emphasize, word)))
            assert pages.recall(cache) == pages.all, word
            outcomes.add(tuple(pages.done))
    # a text that is quoted may also be somewhere else
    assert outcomes - {("compared",)} == {(), tuple(BOTH)}


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
    Pages(found).recall(cache)
    pages = Pages(with_words(found, lambda text: f"{text} else" if text == word else text))
    assert pages.recall(cache) == pages.all
    assert pages.done == (BOTH if is_quoted else [])


@pytest.mark.parametrize("text", ["", "Now"])
def test_descriptions_that_become_equal_or_empty_have_another_meaning(
    tmp_path: Path, text: str
) -> None:
    found = with_words(api(tmp_path, things(TELLING)), str)
    cache = Cache(None)
    Pages(found).recall(cache)
    pages = Pages(with_words(found, lambda word: text if word in ("Then", "Nowhere") else word))
    assert pages.recall(cache) == pages.all
    assert pages.done == BOTH


def test_pages_are_laid_out_again_if_they_show_something_else(tmp_path: Path) -> None:
    cache = Cache(None)
    done = []
    for name, edit in (
        ("first", ("", "")),
        ("for all versions", ("plain:", "added: { type: string }\n        plain:")),
        ("first again", ("", "")),
        ("for some", ("plain:", "added: { type: string, x-added: 2024-09-01 }\n        plain:")),
    ):
        pages = Pages(with_words(api(tmp_path / name, things(TELLING.replace(*edit))), str))
        assert pages.recall(cache) == pages.all
        done.append(pages.done)
    assert done == [BOTH, ["compared"], [], BOTH]
