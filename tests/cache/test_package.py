"""The package that is kept by the meaning of definitions is the one that these generate."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.other_words import adopted_apis
from support.thing_sources import SCHEMAS

from dateline.cache import Cache
from dateline.kept_package import recall_package
from dateline.load import load
from dateline.load.meaning import replace_words
from dateline.model import Api, Artifact, Definitions
from dateline.project import Projector
from dateline.render import builtin_templates, render_package

FOLDERS = [builtin_templates()]
Package = tuple[list[Artifact], list[str]]


def render(api: Api) -> Package:
    return render_package(api, Projector(api), FOLDERS)


def never(_: Api) -> Package:
    pytest.fail("it was not kept")


def with_words(api: Api, replace: Callable[[str], str]) -> Api:
    """Return *api* with other words, as if it had the same meaning."""
    assert isinstance(api.document, Definitions)
    document = Definitions(replace_words("document", api.document, replace))
    document.meaning = api.document.meaning
    return dataclasses.replace(api, document=document)


def say_otherwise(word: str) -> str:
    return f"{word} Or, in {len(word)} letters and one line:\n\n{'<' + word * 3 + '>'}"


def apis(root: Path) -> Iterator[Api]:
    yield load(SCHEMAS, cache=Cache(None))
    yield from (load(each.folder, cache=Cache(None)) for each in adopted_apis(root))


def test_what_is_kept_is_what_is_rendered_whatever_the_words_are(tmp_path: Path) -> None:
    differing = []
    for api in apis(tmp_path):
        cache = Cache(None)
        assert recall_package(api, FOLDERS, cache, render) == render(api)
        other = with_words(api, say_otherwise)
        rendered = render(other)
        differing.append(rendered != render(api))
        # nothing is rendered again: not for other words, not for those of before
        assert recall_package(other, FOLDERS, cache, never) == rendered
        assert recall_package(api, FOLDERS, cache, never) == render(api)
    # some words of some definitions are no words of the package
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


@pytest.mark.parametrize("text", ODD)
def test_odd_words_are_laid_out_as_they_are_otherwise(text: str) -> None:
    api = load(SCHEMAS, cache=Cache(None))
    cache = Cache(None)
    recall_package(api, FOLDERS, cache, render)
    other = with_words(api, lambda word: f"{text} {word}")
    assert recall_package(other, FOLDERS, cache, never) == render(other)


@pytest.mark.parametrize("text", [" ", "\n", "It is DEPRECATED.", "\U0001d300 is a mark", "\ud800"])
def test_words_that_decide_something_are_no_words_of_the_same_meaning(text: str) -> None:
    api = load(SCHEMAS, cache=Cache(None))
    cache = Cache(None)
    recall_package(api, FOLDERS, cache, render)
    other = with_words(api, lambda word: f"{text}{len(word)}" if text.strip() else text)
    assert recall_package(other, FOLDERS, cache, render) == render(other)


@pytest.mark.parametrize(
    "text", ["\U0001d300 is a mark", "\U0001d3001\U0001d300", "\x7f", f"\x7f{'0' * 24}\x7f"]
)
def test_words_that_look_like_what_waits_for_words_are_words(text: str) -> None:
    other = with_words(load(SCHEMAS, cache=Cache(None)), lambda word: f"{text} {word}")
    cache = Cache(None)
    artifacts, _ = recall_package(other, FOLDERS, cache, render)
    assert artifacts == render(other)[0]
    shown = text.replace("\x7f", "\\x7f")
    modules = [each.content.decode() for each in artifacts if each.path.endswith(".py")]
    for module in modules:
        ast.parse(module)
    assert any(f"{shown} " in module for module in modules)
    assert not any("\x7f" in module for module in modules)
