"""Documents cached by the meaning of definitions equal those that are rendered."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest
from support.other_words import adopted_apis
from support.sources import API, LIBRARY, VERSIONS, folder
from support.tables import cases
from support.thing_sources import SCHEMAS, things

from dateline.cache import Cache
from dateline.changes.record import read_record
from dateline.kept_documents import RecordFiles, recall_documents
from dateline.load import load
from dateline.load.meaning import digest_word, replace_words
from dateline.model import Api, Artifact, DatelineError, Definitions, PendingText
from dateline.render import builtin_templates, render

FOLDERS = [builtin_templates()]


def render_documents(api: Api) -> list[Artifact]:
    record = RecordFiles("", lambda: read_record(api.folder, api.table))
    made = render(api, recorded=record, models=False, changes=False, validate=False)
    return list(made.artifacts)


def recall(
    api: Api, cache: Cache, render: Callable[[Api], list[Artifact]], recorded: str = ""
) -> list[Artifact]:
    return sorted(recall_documents(api, recorded, FOLDERS, cache, render))


def never(_: Api) -> list[Artifact]:
    pytest.fail("they were not kept")


def with_words(api: Api, replace: Callable[[str], str]) -> Api:
    """Return *api* with other descriptions, except those of `info`, as if it was loaded so."""
    before = api.document
    assert isinstance(before, Definitions)
    known = before.find_words(before.words)
    texts = {digest: replace(known[digest]) if known[digest] else "" for digest in before.words}
    info = {key: value for key, value in before.items() if key == "info"}

    def say(text: str) -> str:
        return texts[digest_word(text)]

    document = Definitions(replace_words("document", before, say) | info)
    document.meaning = before.meaning
    document.comparison = before.comparison
    document.words = tuple(digest_word(texts[digest]) for digest in before.words)
    document.units = before.units

    def find_words(wanted: Collection[str]) -> dict[str, str]:
        found = {digest_word(text): text for text in texts.values()}
        return {digest: found[digest] for digest in wanted}

    document.find_words = find_words
    return dataclasses.replace(api, document=document)


def apis(root: Path) -> Iterator[Api]:
    yield load(SCHEMAS, cache=Cache(None))
    yield load(folder(root, LIBRARY, "library"), cache=Cache(None))
    yield from (load(each.folder, cache=Cache(None)) for each in adopted_apis())


def test_cached_documents_equal_rendered_ones_for_any_descriptions(tmp_path: Path) -> None:
    differing = []
    for api in apis(tmp_path):
        cache = Cache(None)
        assert recall(api, cache, render_documents) == render_documents(api)
        other = with_words(api, lambda word: f"{word} Or:\n\n- {len(word)}\n\n<{word * 3}>")
        rendered = render_documents(other)
        differing.append(rendered != render_documents(api))
        # nothing is rendered again, neither for the new descriptions nor for the old ones
        assert recall(other, cache, never) == rendered
        assert recall(api, cache, never) == render_documents(api)
    assert any(differing)


@cases(
    "text",
    [
        *("two\nlines", "  around  ", 'a quote " and a \\', "- a list\n  goes on\n- and on", " "),
        *("{{ braces }} {% and %} # marks", "true", "12", "1e5", "2026-07-01", "\ttab\n\n", "~"),
        "\u200b\ue000\u2028\x07\U0001d304",
        "É 漢字 😀",
    ],
)
def test_unusual_descriptions_are_rendered_as_without_a_cache(text: str, tmp_path: Path) -> None:
    api = load(folder(tmp_path, LIBRARY), cache=Cache(None))
    cache = Cache(None)
    recall(api, cache, render_documents)
    numbers: dict[str, int] = {}
    # a single description, without other text
    other = with_words(api, lambda word: text + str(numbers.setdefault(word, len(numbers)) or ""))
    assert recall(other, cache, never) == render_documents(other)


def test_other_inputs_lead_to_a_new_rendering(tmp_path: Path) -> None:
    schemas = folder(tmp_path, LIBRARY, "schemas")
    api = load(schemas, cache=Cache(None))
    cache = Cache(None)
    recall(api, cache, render_documents)
    assert recall(api, cache, lambda _: [], "another record") == []
    info = {**api.document["info"], "description": "What `info` says is a part of other texts."}
    document = with_words(api, str).document
    document["info"] = info
    assert recall(dataclasses.replace(api, document=document), cache, lambda _: []) == []


def test_lost_document_is_rendered_again(tmp_path: Path) -> None:
    api = load(SCHEMAS, cache=Cache(None))
    path = tmp_path / "cache"
    cache = Cache(path, b"secret")
    rendered = recall(api, cache, render_documents)
    cache.close()
    # a cache so small that it keeps only the head, or nothing
    small = Cache(path, b"secret", limit=20_000)
    small.put(small.key("one more"), b"")
    small.close()
    again = Cache(path, b"secret")
    assert recall(api, again, render_documents) == rendered
    again.close()


def test_entry_of_another_size_may_lack_content() -> None:
    api = load(SCHEMAS, cache=Cache(None))
    cache = Cache(None)
    before = {each.path: each.content for each in recall(api, cache, render_documents)}

    def is_resized(path: str, size: int) -> bool:
        return size != len(before[path])

    for longer in (False, True):
        other = with_words(api, (lambda word: f"{word}!") if longer else swap_case)
        wanted = {each.path: each.content for each in render_documents(other)}
        made = recall_documents(other, "", FOLDERS, cache, never, is_resized)
        found = {each.path: each.content for each in made}
        assert found.keys() == wanted.keys()
        for path, content in wanted.items():
            assert found[path] == (content if len(content) == len(before[path]) else b"")
        assert (b"" in found.values()) is longer


def swap_case(word: str) -> str:
    return word[:-1] + word[-1].swapcase()


@pytest.mark.parametrize("word", ["One", "Two", "Three"])
def test_descriptions_are_in_place_after_other_definitions_with_an_equal_document(
    tmp_path: Path, word: str
) -> None:
    fields = [
        f"        {name}: {{ type: string, description: {text} }}"
        for name, text in (("a", "One"), ("b", "Two"), ("c", "Three"))
    ]
    new = "        fresh: { type: string, x-added: next, description: Four }"
    cache = Cache(None)

    def load_with(name: str, lines: list[str]) -> Api:
        schema = "\n".join(["    Thing:", "      type: object", "      properties:", *lines])
        files = {"versions.yaml": VERSIONS, "api.yaml": API, "things.yaml": things(schema)}
        return load(folder(tmp_path, files, name), cache=Cache(None))

    api = load_with("before", fields)
    recall(api, cache, render_documents)
    for at in range(4):
        recall(load_with(f"{at}", [*fields[:at], new, *fields[at:]]), cache, render_documents)
        other = with_words(api, lambda text: "Another" if text == word else text)
        assert recall(other, cache, never) == render_documents(other)


def test_definitions_in_several_files_are_rendered(tmp_path: Path) -> None:
    files = dict(LIBRARY)
    schemas = folder(tmp_path, files, "schemas")
    part = schemas / "parts" / "name.yaml"
    part.parent.mkdir()
    part.write_text("Name: {type: string, description: What it is called.}\n")
    (schemas / "named.yaml").write_text(
        "components:\n  schemas:\n    Named: {$ref: 'parts/name.yaml#/Name'}\n"
    )
    api = load(schemas, cache=Cache(None))
    assert api.parts
    cache = Cache(None)
    for _ in range(2):
        assert recall(api, cache, lambda _: []) == []


def test_unknown_text_is_not_compared() -> None:
    word = PendingText("one")
    assert word in (word,)
    with pytest.raises(ValueError, match="compared"):
        _ = word == "one"
    with pytest.raises(ValueError, match="compared"):
        _ = word in ("two",)


def test_descriptions_in_edited_files_are_found(tmp_path: Path) -> None:
    folder(tmp_path, LIBRARY)
    cache = Cache(None)
    before = render(load(tmp_path / "schemas", cache=cache), models=False, cache=cache)
    path = tmp_path / "schemas" / "loans.yaml"
    path.write_text(path.read_text().replace("description: ", "description: Edited. ", 1))
    api = load(tmp_path / "schemas", cache=cache)
    after = render(api, models=False, cache=cache)
    assert after != before
    assert after == render(load(tmp_path / "schemas"), models=False)


def test_errors_are_those_of_the_definitions() -> None:
    api = load(SCHEMAS, cache=Cache(None))

    def refuse(each: Api) -> list[Artifact]:
        raise DatelineError("hidden" if each.document is not api.document else "as it is")

    with pytest.raises(DatelineError, match="as it is"):
        recall(api, Cache(None), refuse)
