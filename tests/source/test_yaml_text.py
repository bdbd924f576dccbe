"""A YAML text read entry by entry has the same values and places as when read as a whole."""

from __future__ import annotations

from itertools import product
from typing import Any

import yaml
from support.readings import part, trails, typed
from support.tables import cases

from dateline.model import Problem
from dateline.source.problems import Log, StoppedError
from dateline.source.reader import ADOPTED, Locator, YamlReader, YamlText

NAME = "api.yaml"

DOCUMENT = """\
# about the file
openapi: 3.0.0
info: { title: T, version: 1.0 }
servers:
- url: /a
  description: |
    text

    # no comment
tags: []
paths:
  # about the path

  /a:
    get:
      description: >-
        folded
         more

  '/b':
    get: { tags: [a, "b"] }
  "/c": {}
components:
    schemas:
        A:
          type: object
          properties: {x: {type: string, default: "1:30"}}
        B: {}
        # the last
    responses:
      R:
        description: |+
           1

x-none:
x-text: plain
  over lines
x-quoted: 'over

  lines'
"""

# Lines that replace or extend lines of the document, and that line-based readers get wrong.
ODDITIES = {
    "nothing": ("", ""),
    "a document mark": ("# about the file\n", "---\n"),
    "a document mark with a comment": ("# about the file\n", "--- # one\n"),
    "a second document": ("tags: []\n", "---\ntags: []\n"),
    "an end mark": ("tags: []\n", "tags: []\n...\n"),
    "a directive": ("# about the file\n", "%YAML 1.2\n---\n"),
    "a quoted text over entries": ("tags: []\n", 'tags: "a\n\npaths:\n  b"\n'),
    "a quoted text to the margin": ("tags: []\n", 'tags: "a\nb: c"\n'),
    "brackets over entries": ("tags: []\n", "tags: [\na,\nb ]\n"),
    "brackets with keys at the margin": ("tags: []\n", "tags: {\na: 1,\nb: 2 }\n"),
    "a complex key": ("tags: []\n", "? tags\n: []\n"),
    "a quoted key": ("tags: []\n", "'tags': []\n"),
    "an escaped key": ("tags: []\n", '"t\\x61gs": []\n'),
    "an anchor": ("tags: []\n", "tags: &a []\nx-other: *a\n"),
    "an anchor of a mapping": ("paths:\n", "paths: &a\n"),
    "a tag": ("paths:\n", "paths: !!map\n"),
    "an alias as a key": ("tags: []\n", "*a : []\n"),
    "a merge key": ("  '/b':\n", "  <<: { get: {} }\n  '/b':\n"),
    "a merge key with a tag": ("  '/b':\n", "  !!merge '<<': { get: {} }\n  '/b':\n"),
    "a merge key in quotes": ("  '/b':\n", "  '<<': { get: {} }\n  '/b':\n"),
    "a merge key within an entry": ("    get: {", "    <<: { post: {} }\n    get: {"),
    "an alias of another entry": ("x-none:\n", "x-none: &a [1]\nx-b: { c: *a, <<: { d: *a } }\n"),
    "an unknown tag": ("tags: []\n", "tags: !Ref []\n"),
    "a key twice": ("tags: []\n", "tags: []\nopenapi: 3.0.1\n"),
    "a mapping twice": ("tags: []\n", "paths:\n  /x: {}\n"),
    "a path twice": ("  '/b':\n", "  '/a':\n"),
    "a component twice": ("        B: {}\n", "        A: {}\n"),
    "a section twice": ("    responses:\n", "    schemas:\n"),
    "a deeper entry": ("tags: []\n", "  tags: []\n"),
    "a shallower entry": ("  '/b':\n", " '/b':\n"),
    "a deeper section": ("    responses:\n", "      responses:\n"),
    "an entry that only a tab indents": ("  '/b':\n", "\t'/b':\n"),
    "a tab before a comment": ("# about the file\n", "\t# about\n"),
    "a list in place of a mapping": ("  '/b':\n", "- '/b':\n"),
    "a list below a list": ("- url: /a\n", "- - url: /a\n"),
    "a list as the mapping": ("    schemas:\n", "    schemas:\n    - A:\n"),
    "a key that begins with a dash": ("tags: []\n", "-tags: []\n"),
    "a key that begins with a dot": ("tags: []\n", ".tags: []\n"),
    "an empty key": ("tags: []\n", ": []\n"),
    "a key of other letters": ("tags: []\n", "größe: []\n"),
    "a number as a key": ("tags: []\n", "200: []\n"),
    "a text in place of a mapping": ("        B: {}\n", "        B\n"),
    "a comment at the margin": ("    get: {", "# here\n    get: {"),
    "a comment in a block text": ("    text\n", "    text\n# comment\n    text\n"),
    "blank lines kept": ("  over lines\n", "  over lines\nx-kept: |+\n  a\n\n\nx-more: 1\n"),
    "an indicator of indentation": ("tags: []\n", "tags: |1\n a\n  b\n"),
    "an empty block text": ("tags: []\n", "tags: |\npaths2: 1\n"),
    "a block text at the margin": ("tags: []\n", "tags: |\n#a\n  b\n"),
    "a forbidden escape": ("tags: []\n", 'tags: "\\u0007"\n'),
    "half of a character": ("tags: []\n", 'tags: "\\ud800"\n'),
    "a number out of range": ("tags: []\n", f"tags: {'9' * 400}\n"),
    "brackets that do not close": ("tags: []\n", "tags: [\n"),
    "a quote that does not close": ("tags: []\n", "tags: 'a\n"),
    "too deep": ("tags: []\n", f"tags: {'[' * 63}{']' * 63}\n"),
    "just not too deep": ("        B: {}\n", f"        B: {'[' * 61}{']' * 61}\n"),
    "too deep below": ("        B: {}\n", f"        B: {'[' * 62}{']' * 62}\n"),
    "no line end": ("x-text", "x-last: 1\nx-text"),
    "Windows": ("\n", "\r\n"),
}


def read_whole(text: str) -> tuple[Any, list[str]]:
    problems: list[Problem] = []
    try:
        document = YamlReader(text, ADOPTED, True, Log(NAME, problems), published=True).read()
    except StoppedError:
        return None, sorted(map(str, problems))
    return (None if problems else document), sorted(map(str, problems))


def read_by_entry(text: str, like: YamlText | None = None) -> tuple[Any, list[str], YamlText]:
    problems: list[Problem] = []
    entries = YamlText(NAME, text)
    try:
        document = entries.read(Log(NAME, problems), like)
    except StoppedError:
        document = {}
    return (None if problems else document), sorted(map(str, problems)), entries


def edit(oddity: str) -> str:
    old, new = ODDITIES[oddity]
    assert old in DOCUMENT
    return DOCUMENT.replace(old, new, 1) if old else DOCUMENT


@cases("oddity", ODDITIES)
@cases("ending", ["\n", ""], ids=["with a line end", "without"])
def test_entries_have_the_values_and_places_of_the_whole_text(oddity: str, ending: str) -> None:
    text = edit(oddity).replace("\r\n", "\n").rstrip("\n") + ending
    whole, problems = read_whole(text)
    document, found, entries = read_by_entry(text)
    assert document is not None or oddity != "nothing"
    assert (typed(document), found) == (typed(whole), problems)
    if document is not None:
        locate = Locator([whole]).locate
        known = [*trails(document), ("paths", "/x"), ("info", "x", 0), ("servers", 7), ("x",)]
        for path, value in product(known, (False, True)):
            assert entries.find(path, value) == locate(path, value=value), (path, value)


@cases("oddity", ODDITIES)
def test_entries_shared_with_another_text_are_read_once(oddity: str) -> None:
    before, _, first = read_by_entry(DOCUMENT)
    text = edit(oddity).replace("\r\n", "\n")
    whole, problems = read_whole(text)
    after, found, entries = read_by_entry(text, first)
    assert (typed(after), found) == (typed(whole), problems)
    if after is None:
        return
    for path, value in product(trails(after), (False, True)):
        assert entries.find(path, value) == Locator([whole]).locate(path, value=value), path
    if oddity == "nothing":
        assert after == before
        for path in (("servers",), ("paths", "/a"), ("components", "schemas", "A")):
            assert part(after, path) is part(before, path)


def test_edit_leaves_the_rest_shared() -> None:
    before, _, first = read_by_entry(DOCUMENT)
    after, _, _ = read_by_entry(DOCUMENT.replace('default: "1:30"', "default: x"), first)
    assert part(after, ("paths", "/a")) is part(before, ("paths", "/a"))
    assert part(after, ("components", "schemas", "B")) is part(
        before, ("components", "schemas", "B")
    )
    changed = ("components", "schemas", "A")
    assert part(after, changed) != part(before, changed)


@cases("style", [None, True, False], ids=["mixed", "flow", "block"])
@cases("indent", [2, 4, 7])
def test_layout_of_other_writers_is_read(style: bool | None, indent: int) -> None:
    data = yaml.safe_load(DOCUMENT)
    text = yaml.safe_dump(data, sort_keys=False, default_flow_style=style, indent=indent)
    document, problems, _ = read_by_entry(text)
    assert (typed(document), problems) == (typed(read_whole(text)[0]), [])
