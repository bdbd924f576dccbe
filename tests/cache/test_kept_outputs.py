"""Outputs cached by the meaning of definitions equal those that are generated."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Collection, Iterator
from functools import cache, partial
from itertools import cycle
from pathlib import Path

import pytest
from support.generated_server import keep_folder
from support.other_words import adopted_apis, with_words
from support.seeds import seeds
from support.sources import API, VERSIONS, folder, loaded
from support.thing_sources import SCHEMAS

from dateline.cache import Cache
from dateline.changes import Changes
from dateline.kept_outputs import HiddenWords, recall_outputs
from dateline.load import load
from dateline.load.meaning import replace_words
from dateline.model import Api, Artifact, Definitions
from dateline.project import Projector
from dateline.render import builtin_templates, render, render_package, render_site
from dateline.schema.memo import Memo
from dateline.site import Marker

FOLDERS = [builtin_templates()]
Outputs = tuple[list[Artifact], list[str]]


class Kind:
    """An output, and whether it was generated instead of read from the cache."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.was_kept = False
        self._describe = Memo(lambda found: (Changes(found, Projector(found)), Marker(found)))

    def list_quoted(self, found: Api) -> set[str]:
        """Return the texts that the output may quote from elsewhere."""
        if self.name == "package":
            return set()
        changes, marker = self._describe(found)
        return changes.texts | marker.texts

    def render(self, found: Api, original: Api | None = None) -> Outputs:
        if self.name == "package":
            return render_package(found, Projector(found), FOLDERS)
        return render_site(found, Projector(found), FOLDERS, *self._describe(original or found))

    def recall(self, found: Api, cache: Cache) -> Outputs:
        self.was_kept = True

        def render(each: Api) -> Outputs:
            self.was_kept = False
            return self.render(each, found)

        hidden, inputs = HiddenWords(found), (FOLDERS, ["jinja2"])
        quoted = partial(self.list_quoted, found)
        return recall_outputs(self.name, hidden, inputs, cache, render, list_quoted=quoted)


@pytest.fixture(params=["package", "site"])
def kind(request: pytest.FixtureRequest) -> Kind:
    return Kind(request.param)


@cache
def keep_things(name: str) -> tuple[Api, Cache]:
    """Return the API of FILES, and a cache with its output *name*, made once for all tests."""
    found, kept = load(folder(keep_folder(), FILES), cache=Cache(None)), Cache(None)
    Kind(name).recall(found, kept)
    return found, kept


def reword(found: Api, replace: Callable[[str], str]) -> Api:
    """Return *found* with other descriptions, as if it had the same meaning."""
    assert isinstance(found.document, Definitions)
    document = Definitions(replace_words("document", found.document, replace))
    document.meaning = found.document.meaning
    document.comparison = found.document.comparison
    return dataclasses.replace(found, document=document)


def say_otherwise(word: str) -> str:
    return f"{word} Or, in {len(word)} letters and one line:\n\n{'<' + word * 3 + '>'}"


def apis() -> Iterator[Api]:
    yield load(SCHEMAS, cache=Cache(None))
    yield from (load(each.folder, cache=Cache(None)) for each in adopted_apis())


def otherwise_but(
    replace: Callable[[str], str], quoted: Collection[str] = ()
) -> Callable[[str], str]:
    return lambda word: word if word in quoted else replace(word)


def test_cached_outputs_equal_generated_ones_for_any_descriptions(kind: Kind) -> None:
    differing = []
    for found in apis():
        cache = Cache(None)
        rendered = kind.render(found)
        assert kind.recall(found, cache) == rendered
        assert not kind.was_kept
        other = reword(found, otherwise_but(say_otherwise, kind.list_quoted(found)))
        reworded = kind.render(other)
        differing.append(reworded != rendered)
        # nothing is generated again, neither for the new descriptions nor for the old ones
        assert kind.recall(other, cache) == reworded
        assert kind.was_kept
        assert kind.recall(found, cache) == rendered
        assert kind.was_kept
    # some descriptions of some definitions are not in the output
    assert any(differing)


ODD = (
    "two\nlines",
    "  around  ",
    'a quote " and """three""" and \\',
    "- a list\n  goes on\n- and on",
    "{{ braces }} {% and %} # marks",
    "a word that is " + "very" * 40 + " long, and many others behind it " * 9,
    "\u200b\ue000\u2028\x07",
    "É 漢字 😀",
)


@pytest.mark.parametrize("first", seeds(len(ODD)))
def test_unusual_descriptions_are_rendered_as_without_a_cache(first: int, kind: Kind) -> None:
    found, kept = keep_things(kind.name)
    quoted = kind.list_quoted(found)
    # neighbours begin with different texts, and each with another one for the next number
    texts = cycle(ODD[first:] + ODD[:first])
    other = reword(found, otherwise_but(cache(lambda word: f"{next(texts)} {word}"), quoted))
    assert kind.recall(other, kept) == kind.render(other)
    assert kind.was_kept


@pytest.mark.parametrize("text", [" ", "\n", "It is DEPRECATED.", "\U0001d300 is a mark"])
def test_descriptions_that_affect_the_output_have_a_meaning(text: str, kind: Kind) -> None:
    found, kept = keep_things(kind.name)
    other = reword(found, lambda word: f"{text}{len(word)}" if text.strip() else text)
    assert kind.recall(other, kept) == kind.render(other)


def test_definitions_that_changed_after_loading_are_not_cached() -> None:
    found, _ = keep_things("package")
    assert HiddenWords(found).is_possible
    assert not HiddenWords(dataclasses.replace(found, document=dict(found.document))).is_possible


def test_descriptions_that_are_no_text_are_rendered_as_without_a_cache() -> None:
    kind = Kind("package")
    found, kept = keep_things(kind.name)
    other = reword(found, lambda word: f"\ud800{len(word)}")
    assert kind.recall(other, kept) == kind.render(other)


def test_descriptions_that_look_like_placeholders_are_preserved() -> None:
    kind = Kind("package")
    found, _ = keep_things(kind.name)
    like = ("\U0001d300 is a mark", "\U0001d3001\U0001d300", "\x7f", f"\x7f{'0' * 24}\x7f")
    texts = cycle(like)
    other = reword(found, cache(lambda word: f"{next(texts)} {word}"))
    assert not HiddenWords(other).is_possible
    artifacts, _ = kind.recall(other, Cache(None))
    assert artifacts == kind.render(other)[0]
    modules = [each.content.decode() for each in artifacts if each.path.endswith(".py")]
    for module in modules:
        ast.parse(module)
    for text in like:
        shown = text.replace("\x7f", "\\x7f")
        assert any(f"{shown} " in module for module in modules)
    assert not any("\x7f" in module for module in modules)


SAYING = """\
paths:
  /things:
    get:
      operationId: getThing
      summary: Read it
      tags: [Loans]
      responses:
        '200':
          description: a thing
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
components:
  schemas:
    Thing:
      description: A thing
      type: object
      properties:
        due: { description: When, type: string, x-was: { 2024-09-01: { description: Then } } }
        held:
          type: object
          x-was:
            2024-09-01:
              properties: { by: { description: Whom, type: string } }
          properties: { at: { description: Where, type: string } }
        plain: { type: string, description: Nowhere else }
"""


LATEST = """\
  - { date: 2025-06-01, title: Author names in one field }
"""
SANDBOX = """\
  sandbox: { servers: [{ url: https://sandbox.library.example/api }] }
"""
# the time that a site takes grows with the pairs of versions, and with the environments
SHORT = VERSIONS.replace(LATEST, "").replace(SANDBOX, "").replace("policy:", "site: true\npolicy:")
FILES = {"versions.yaml": SHORT, "api.yaml": API, "things.yaml": SAYING}


@pytest.mark.parametrize("word", ["A thing", "Read it", "Then", "Whom", "Where", "Nowhere else"])
def test_description_may_become_any_other_and_be_restored(tmp_path: Path, word: str) -> None:
    found = with_words(loaded(tmp_path, FILES), str)
    title = found.document["info"]["title"]
    cache = Cache(None)
    # what a text may contain is read in the same way everywhere
    odd = ("", " ", word, title[:3], *ODD_FOR_SITES) if word == "A thing" else ()
    for text in (title, "When", *odd):
        other = with_words(found, partial(replace, word, text))
        rendered = render(other, models=False, validate=False)
        assert render(other, models=False, validate=False, cache=cache) == rendered, text


def replace(word: str, text: str, said: str) -> str:
    return text if said == word else said


PARTS = """\
thing: { type: object, properties: { due: { type: string, description: A thing } } }
"""


@pytest.mark.parametrize("swapped", ["Read it", "Where"])
def test_descriptions_of_another_file_stay_while_others_change(
    tmp_path: Path, swapped: str
) -> None:
    part = "plain: { $ref: 'part.yaml#/thing' }"
    saying = SAYING.replace("plain: { type: string, description: Nowhere else }", part)
    cache = Cache(None)
    # swapped: as many descriptions are equal as before, but different ones
    for text in (saying, swap(saying, "A thing", swapped)):
        files = {"versions.yaml": SHORT, "api.yaml": API + text, "part.yaml": PARTS}
        found = load(folder(tmp_path, files), cache=cache)
        assert found.parts
        assert render(found, cache=cache) == render(found)


def swap(text: str, first: str, second: str) -> str:
    return text.replace(first, "%").replace(second, first).replace("%", second)


ODD_FOR_SITES = (
    *("GET /things", "GET /other", "API", f"{'long ' * 90}", "a\n\n- list\n", "<b>&amp;"),
    *("[only]: /a-reference", "# heading", "```\ncode", "\t", "| a |\n|---|\n| b |", "{{ 1 }}"),
)
