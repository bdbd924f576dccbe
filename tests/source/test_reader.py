"""What the reader makes of YAML and JSON files: values, places, and everything it refuses."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from dateline.model import Map, Place, Problem, Seq
from dateline.source.reader import JsonPlaces, Locator, read


def reading(
    folder: Path, content: str | bytes, *, name: str = "api.yaml", adopted: bool = False
) -> tuple[Map | None, list[str]]:
    """Return what a file with *content* is read as, and the lines that are said of it."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    problems: list[Problem] = []
    document = read(path, name, adopted=adopted, problems=problems)
    return document, [str(problem) for problem in problems]


def typed(value: Any) -> Any:
    """Return *value* so that 1, 1.0 and True differ, and the order of keys counts."""
    if isinstance(value, dict):
        return [(typed(key), typed(child)) for key, child in value.items()]
    if isinstance(value, list):
        return [typed(child) for child in value]
    return type(value).__name__, value


def places(value: Any) -> Any:
    """Return the places of a mapping or list and of everything in it."""
    if isinstance(value, Map):
        inside = [(value.place(k), value.place(k, value=True), places(v)) for k, v in value.items()]
        return value.place(), inside
    if isinstance(value, Seq):
        return value.place(), [(value.place(i), places(v)) for i, v in enumerate(value)]
    return None


# --- Plain words and numbers


@pytest.mark.parametrize("adopted", [False, True], ids=["authored", "adopted"])
@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("0", 0),
        ("-17", -17),
        ("9223372036854775807", 9223372036854775807),
        ("9" * 308, int("9" * 308)),
        ("1.0", 1.0),
        ("-0.5", -0.5),
        ("1.5e+3", 1500.0),
        ("2026-07-01", "2026-07-01"),
        ("2026-7-1", "2026-7-1"),
        ("20260701T000000Z", "20260701T000000Z"),
        ("1.2.3", "1.2.3"),
        ("1-2", "1-2"),
        ("10.0.0.1:80", "10.0.0.1:80"),
        ("8080:80", "8080:80"),
        ("--", "--"),
        (".", "."),
        ("...x", "...x"),
        ("noon", "noon"),
        ("nO", "nO"),
        ("tRUE", "tRUE"),
        ("NaN", "NaN"),
        ("Infinity", "Infinity"),
        ("'no'", "no"),
        ('"012"', "012"),
        ("''", ""),
        ('"\\u00e9\\r\\n\\t"', "é\r\n\t"),
        ("a b", "a b"),
    ],
)
def test_a_plain_scalar_is_what_every_reader_takes_it_for(
    tmp_path: Path, written: str, value: Any, adopted: bool
) -> None:
    document, problems = reading(tmp_path, f"a: {written}\n", adopted=adopted)
    assert (typed(document), problems) == (typed({"a": value}), [])


BOOLEAN = "{0}; write '{0}' for the text or {1} for the boolean"
NUMBER = "{0}; write '{0}' for the text or a plain decimal for the number"
NOTHING = "{0}; write '{0}' for the text or null for no value"
TEXT = "{0}; write '{0}' for the text"

DISPUTED = [
    *((word, BOOLEAN, "true", word) for word in ("y", "Y", "yes", "Yes", "YES")),
    *((word, BOOLEAN, "true", word) for word in ("on", "On", "ON")),
    *((word, BOOLEAN, "false", word) for word in ("n", "N", "no", "No", "NO")),
    *((word, BOOLEAN, "false", word) for word in ("off", "Off", "OFF")),
    *((word, BOOLEAN, "true", True) for word in ("True", "TRUE")),
    *((word, BOOLEAN, "false", False) for word in ("False", "FALSE")),
    *((word, NOTHING, "", None) for word in ("~", "Null", "NULL")),
    *((word, TEXT, "", word) for word in ("<<", "=", ".inf", "-.Inf", "+.INF", ".nan", ".NaN")),
    *(
        (word, TEXT, "", word)
        for word in (
            "2026-07-01T10:00:00Z",
            "2026-07-01 10:00:00",
            "2001-12-14t21:59:43.10-05:00",
            "2001-12-14 21:59:43.10 -5",
        )
    ),
    *(
        (word, NUMBER, "", word)
        for word in (
            *("012", "08", "0o14", "0x10", "0XFF", "0b11", "-0x1", "1_000", "1_0.5", "2026_07"),
            *("1:30", "12:30", "12:30:45", "1:30.5", "00"),
        )
    ),
    ("+1", NUMBER, "", 1),
    ("+1.5", NUMBER, "", 1.5),
    (".5", NUMBER, "", 0.5),
    ("1.", NUMBER, "", 1.0),
    ("01.5", NUMBER, "", 1.5),
    ("1e3", NUMBER, "", 1000.0),
    ("1E-2", NUMBER, "", 0.01),
    ("1.5e3", NUMBER, "", 1500.0),
]


@pytest.mark.parametrize(("word", "wording", "alternative", "_"), DISPUTED)
def test_what_readers_disagree_about_is_refused(
    tmp_path: Path, word: str, wording: str, alternative: str, _: Any
) -> None:
    document, problems = reading(tmp_path, f"a: {word}\nb: [{word}]\n")
    said = "ambiguous-scalar: YAML readers disagree about " + wording.format(word, alternative)
    assert problems == [f"api.yaml:1:4: {said}", f"api.yaml:2:5: {said}"]
    assert document == {"a": word, "b": [word]}


@pytest.mark.parametrize(("word", "_wording", "_alternative", "value"), DISPUTED)
def test_adopted_sources_are_read_as_yaml_1_2_or_as_text(
    tmp_path: Path, word: str, _wording: str, _alternative: str, value: Any
) -> None:
    document, problems = reading(tmp_path, f"a: {word}\nb: [{word}]\n", adopted=True)
    assert (typed(document), problems) == (typed({"a": value, "b": [value]}), [])


@pytest.mark.parametrize("word", sorted({row[0] for row in DISPUTED}))
def test_a_key_that_readers_disagree_about_is_text_in_adopted_sources_only(
    tmp_path: Path, word: str
) -> None:
    said = f"ambiguous-scalar: YAML readers disagree about the key {word}; write '{word}'"
    assert reading(tmp_path, f"{word}: 1\n") == ({word: 1}, [f"api.yaml:1:1: {said}"])
    assert reading(tmp_path, f"{word}: 1\n", adopted=True) == ({word: 1}, [])
    assert reading(tmp_path, f"'{word}': 1\n") == ({word: 1}, [])


@pytest.mark.parametrize("word", ["200", "-1", "1.5", "true", "false", "null", "1e400", "9" * 400])
def test_a_key_must_be_text(tmp_path: Path, word: str) -> None:
    shown = word if len(word) < 40 else "9" * 39 + "…"
    said = f"key-not-text: the key {shown} is not text; write '{shown}'"
    assert reading(tmp_path, f"{word}: 1\n") == ({word: 1}, [f"api.yaml:1:1: {said}"])
    assert reading(tmp_path, f"{word}: 1\n", adopted=True) == ({word: 1}, [])
    assert reading(tmp_path, f"'{word}': 1\n") == ({word: 1}, [])


def test_a_date_as_a_key_is_text(tmp_path: Path) -> None:
    document, problems = reading(tmp_path, "x-was: { 2026-07-01: { type: string } }\n")
    assert typed(document) == typed({"x-was": {"2026-07-01": {"type": "string"}}})
    assert problems == []


def test_a_missing_value_is_refused_and_null_in_adopted_sources(tmp_path: Path) -> None:
    text = "a:\nb: [1, {c: , d}]\ne:\n-\n"
    said = "missing-value: no value stands here; write null, '', [] or {}"
    assert reading(tmp_path, text)[1] == [
        f"api.yaml:1:3: {said}",
        f"api.yaml:2:12: {said}",
        f"api.yaml:2:15: {said}",
        f"api.yaml:4:2: {said}",
    ]
    assert reading(tmp_path, text, adopted=True) == (
        {"a": None, "b": [1, {"c": None, "d": None}], "e": [None]},
        [],
    )


# --- Everything that is refused


class Case(NamedTuple):
    """A file and every line that is said of it."""

    it: str
    content: str | bytes
    says: list[str]
    adopted: list[str] | None = None  # where adopted sources are treated otherwise


ANCHOR = "anchor-used: &{0} can't be reused; write the value out where *{0} stands"
TAG = "tag-used: the tag {} is not read; delete it, or put the text in quotes"
EMPTY = "empty-file: nothing stands in this file; write a mapping, or delete the file"
NOT_A_MAPPING = "not-a-mapping: the file must hold a mapping; write `key: value` lines"
NOT_A_KEY = "key-not-text: a mapping or list can't be a key; put a text with {{ }} in quotes"
SEVERAL = "several-documents: a second document begins here; put it into a file of its own"
HALF = "lone-surrogate: this escape stands for no whole character; write the character itself"
WIDE = "not-utf-8: the file is in UTF-16 or UTF-32; save it as UTF-8"
TAB = "yaml-syntax: a tab can't indent; use spaces"
UNSEEN = "control-character: the invisible character {} stands here; delete it"
ESCAPED = "control-character: the invisible character {} stands here, as an escape; delete it"
HUGE = "number-out-of-range: the number {} is too large to be read everywhere; write it as text"


def twice(key: str, first: str) -> str:
    return f"duplicate-key: '{key}' stands at {first} already; keep one of the two"


def start(found: str) -> str:
    return f"yaml-syntax: {found} can't begin a text; put the text in quotes"


def after(found: str, opening: str) -> str:
    way_out = "align it, or put the text in quotes"
    return f"yaml-syntax: {found} can't follow in what begins at {opening}; {way_out}"


def inside(found: str, opening: str) -> str:
    way_out = "look for a missing , or closing bracket"
    return f"yaml-syntax: {found} can't follow in the brackets that open at {opening}; {way_out}"


YAML_CASES = [
    Case(
        "a bomb of aliases, with one line for each anchor",
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n",
        [f"1:4: {ANCHOR.format('a')}", f"2:4: {ANCHOR.format('b')}", f"3:4: {ANCHOR.format('c')}"],
    ),
    Case("an alias within its own anchor", "a: &a\n  b: *a\n", [f"1:4: {ANCHOR.format('a')}"]),
    Case("an alias as a key", "a: &a x\n*a : 1\n", [f"1:4: {ANCHOR.format('a')}"]),
    Case(
        "an alias that stands for nothing",
        "a: *b\n",
        ["1:4: anchor-used: *b stands for nothing; put the text in quotes"],
    ),
    Case(
        "a merge key",
        "base: &b { a: 1 }\nc:\n  <<: *b\n",
        [
            f"1:7: {ANCHOR.format('b')}",
            "3:3: ambiguous-scalar: YAML readers disagree about the key <<; write '<<'",
        ],
        adopted=[f"1:7: {ANCHOR.format('b')}"],
    ),
    Case(
        "duplicate keys, with both places",
        "a: 1\nb: 2\na:\n  c: 1\n  c: 2\nb: 3\n",
        [
            f"3:1: {twice('a', 'api.yaml:1:1')}",
            f"5:3: {twice('c', 'api.yaml:4:3')}",
            f"6:1: {twice('b', 'api.yaml:2:1')}",
        ],
    ),
    Case(
        "duplicate keys on one line, however they are quoted",
        'x: {é: 1, "é": 2, é: [3]}\n',
        [f"1:11: {twice('é', 'api.yaml:1:5')}", f"1:19: {twice('é', 'api.yaml:1:5')}"],
    ),
    Case("a list as a key", "? [1, 2]\n: 3\n", [f"1:3: {NOT_A_KEY}"]),
    Case("a placeholder of a template", "a: {{ x }}\n", [f"1:5: {NOT_A_KEY}"]),
    Case(
        "a key that is missing",
        "? # nothing\n: 1\n",
        ["1:2: key-not-text: a key is missing here; write one before ':'"],
        adopted=[],
    ),
    Case(
        "every tag",
        "!!map\na: !!python/object/apply:os.system [id]\nb: !!binary aGk=\nc: !!set {}\n"
        "d: !foo x\ne: !!str 1\nf: ! x\n!!str g: 1\n",
        [
            f"1:1: {TAG.format('!!map')}",
            f"2:4: {TAG.format('!!python/object/apply:os.system')}",
            f"3:4: {TAG.format('!!binary')}",
            f"4:4: {TAG.format('!!set')}",
            f"5:4: {TAG.format('!foo')}",
            f"6:4: {TAG.format('!!str')}",
            f"7:4: {TAG.format('!')}",
            f"8:1: {TAG.format('!!str')}",
        ],
    ),
    Case(
        "a tag directive",
        "%TAG ! tag:example.com,2000:\n---\na: !x 1\n",
        ["1:1: tag-used: tags are not read; delete the %TAG line"],
    ),
    Case(
        "another directive",
        "%FOO\n---\na: 1\n",
        ["1:1: yaml-syntax: no directive but %YAML is known; delete this line"],
    ),
    Case("two documents", "a: 1\n---\nb: 2\n", [f"2:1: {SEVERAL}"]),
    Case("two documents with an end mark", "a: 1\n...\nb: 2\n", [f"3:1: {SEVERAL}"]),
    Case("an empty file", "", [f"1:1: {EMPTY}"]),
    Case("nothing but comments", "# nothing\n\n", [f"1:1: {EMPTY}"]),
    Case("nothing but a document mark", "---\n", [f"1:1: {EMPTY}"]),
    Case("a list", "- a\n", [f"1:1: {NOT_A_MAPPING}"]),
    Case("a text", "# words\nabc\n", [f"2:1: {NOT_A_MAPPING}"]),
    Case("an empty text", "''\n", [f"1:1: {NOT_A_MAPPING}"]),
    Case("null", "null\n", [f"1:1: {NOT_A_MAPPING}"]),
    Case("a tab before a key", "a:\n\tb: 1\n", [f"2:1: {TAB}"]),
    Case("a tab after a value", "a:\n  b: 1\n\tc: 2\n", [f"3:1: {TAB}"]),
    Case("a tab in a block", "a: |\n\tx\n", [f"2:1: {TAB}"]),
    Case("@ at the start", "a: @x\n", [f"1:4: {start(repr('@x'))}"]),
    Case("a backtick at the start", "a: `x` y\n", [f"1:4: {start(repr('`x`'))}"]),
    Case("% at the start", "a: %x\n", [f"1:4: {start(repr('%x'))}"]),
    Case(
        "a quote that never ends",
        'a: 1\nb: "abc\nc: 1\n',
        [
            "2:4: yaml-syntax: the text in quotes that begins here never ends; "
            "close it with the same quote"
        ],
    ),
    Case(
        "a colon in a plain text",
        "description: see: this\n",
        [
            "1:17: yaml-syntax: ':' can't stand here; "
            "put a text that holds ': ' in quotes, and align keys"
        ],
    ),
    Case(
        "a key that is not aligned",
        "a:\n   b: 1\n  c: 2\n",
        [f"3:3: {after(repr('c:'), 'api.yaml:1:1')}"],
    ),
    Case("words after a quote", 'a: "x" y\n', [f"1:8: {after(repr('y'), 'api.yaml:1:1')}"]),
    Case(
        "a key in a list",
        "a:\n  - 1\n  b: 2\n",
        [f"3:3: {after(repr('b:'), 'api.yaml:2:3')}"],
    ),
    Case(
        "a bracket that is not closed",
        "a: [1, 2\nb: 3\n",
        [f"2:2: {inside(repr(':'), 'api.yaml:1:4')}"],
    ),
    Case(
        "a brace that is not closed",
        "a: {b: 1\n",
        [f"2:1: {inside('the end of the file', 'api.yaml:1:4')}"],
    ),
    Case(
        "two commas",
        "a: [1,,2]\n",
        ["1:7: yaml-syntax: ',2]' can't stand here; write a value, or text in quotes"],
    ),
    Case(
        "a list item on the line of its key",
        "a: - b\n",
        ["1:4: yaml-syntax: '-' can't stand here; put the text in quotes"],
    ),
    Case(
        "an escape that is none",
        'a: "C:\\dir"\n',
        ["1:7: yaml-syntax: no such escape; double the backslash, or use single quotes"],
    ),
    Case(
        "a key without a colon",
        "a: 1\nb\nc: 1\n",
        ["2:1: yaml-syntax: the key that begins here has no ':'; write `key: value`"],
    ),
    Case(
        "stars for emphasis",
        "a: **bold**\n",
        ["1:5: yaml-syntax: * and & can't begin a text; put the text in quotes"],
    ),
    Case("UTF-16", "a: 1\n".encode("utf-16"), [f"1:1: {WIDE}"]),
    Case("UTF-16 without a mark", "a: 1\n".encode("utf-16-be"), [f"1:1: {WIDE}"]),
    Case("UTF-32", "a: 1\n".encode("utf-32"), [f"1:1: {WIDE}"]),
    Case(
        "a byte that is not UTF-8",
        b"\xef\xbb\xbfa: 1\n\xc3\xa9b: \xe9t\xe9\n",
        ["2:5: not-utf-8: the byte 0xe9 is not UTF-8; save the file as UTF-8"],
    ),
    Case("a NUL", "a: 1\nb: x\0y\n", [f"2:5: {UNSEEN.format('U+0000')}"]),
    Case(
        "a forbidden character on each line, a comment's as well",
        "a: x\u0085y\u2028\nb: \u202ex\n# \x7f\nc: no\n",
        [
            f"1:5: {UNSEEN.format('U+0085')}",
            f"2:4: {UNSEEN.format('U+202E')}",
            f"3:3: {UNSEEN.format('U+007F')}",
            "4:4: ambiguous-scalar: YAML readers disagree about no; "
            "write 'no' for the text or false for the boolean",
        ],
        adopted=[
            f"1:5: {UNSEEN.format('U+0085')}",
            f"2:4: {UNSEEN.format('U+202E')}",
            f"3:3: {UNSEEN.format('U+007F')}",
        ],
    ),
    Case("a second byte order mark", "a: \ufeffx\n", [f"1:4: {UNSEEN.format('U+FEFF')}"]),
    Case(
        "forbidden characters behind escapes",
        'a: "\\0"\nb: "\\u202e"\nc: ["\\N"]\n"\\x07": 1\n',
        [
            f"1:4: {ESCAPED.format('U+0000')}",
            f"2:4: {ESCAPED.format('U+202E')}",
            f"3:5: {ESCAPED.format('U+0085')}",
            f"4:1: {ESCAPED.format('U+0007')}",
        ],
    ),
    Case("half of a surrogate pair", 'a: "x\\ud800"\n', [f"1:4: {HALF}"]),
    Case(
        "a bare carriage return, once",
        "a: 1\rb: 2\rb: 3\n",
        [
            "1:5: control-character: a carriage return stands without a line feed; "
            "end lines with LF or CRLF",
            f"3:1: {twice('b', 'api.yaml:2:1')}",
        ],
    ),
    Case(
        "numbers out of range",
        f"a: {'9' * 309}\nb: [1e400, -1.5e+999]\nc: {'9' * 5000}\n",
        [
            f"1:4: {HUGE.format('9' * 39 + '…')}",
            f"2:5: {HUGE.format('1e400')}",
            f"2:12: {HUGE.format('-1.5e+999')}",
            f"3:4: {HUGE.format('9' * 39 + '…')}",
        ],
    ),
    Case(
        "65 levels",
        "a: " + "[" * 64 + "]" * 64 + "\n",
        ["1:67: too-deep: more than 64 mappings and lists stand within each other; use $ref"],
    ),
    Case(
        "levels of indentation",
        "".join(" " * level + "a:\n" for level in range(1000)),
        ["65:65: too-deep: more than 64 mappings and lists stand within each other; use $ref"],
    ),
    Case(
        "a file of more than 4 MiB in authored sources",
        "a: 1\n#" + "x" * (4 << 20),
        ["1:1: too-large: the file has more than 4,194,304 bytes; split it by resource"],
        adopted=[],
    ),
    Case(
        "a text of more than 16 KiB in authored sources",
        f"a: '{'x' * 16384}'\nb: {'é' * 8193}\nc: |\n {'z' * 16384}\nd: {'é' * 8193}\n",
        [
            "2:4: too-large: this text has 16,386 bytes, of at most 16,384; shorten it",
            "3:4: too-large: this text has 16,385 bytes, of at most 16,384; shorten it",
            "5:4: too-large: this text has 16,386 bytes, of at most 16,384; shorten it",
        ],
        adopted=[],
    ),
    Case(
        "more than 200,000 keys and values in authored sources",
        "a:\n" + "- 1\n" * 200_000,
        [
            "199999:3: too-large: the file has more than 200,000 keys and values; "
            "split it by resource"
        ],
        adopted=[],
    ),
    Case(
        "more problems than anybody reads",
        "a:\n" + "- !x 1\n" * 300,
        [f"{line}:3: {TAG.format('!x')}" for line in range(2, 202)]
        + ["201:3: too-many-problems: 200 problems; the rest of the file was not read"],
    ),
    Case(
        "a quotation of characters that nobody sees",
        "\u2060x\u2060: 1\n\u2060x\u2060: 2\n",
        [f"2:1: {twice(chr(92) + 'u2060x' + chr(92) + 'u2060', 'api.yaml:1:1')}"],
    ),
]


@pytest.mark.parametrize("adopted", [False, True], ids=["authored", "adopted"])
@pytest.mark.parametrize("case", YAML_CASES, ids=lambda case: case.it)
def test_yaml_is_refused_with_every_problem(tmp_path: Path, case: Case, adopted: bool) -> None:
    expected = case.says if case.adopted is None or not adopted else case.adopted
    _, problems = reading(tmp_path, case.content, adopted=adopted)
    assert problems == [f"api.yaml:{line}" for line in expected]


def json_syntax(found: str, way_out: str) -> str:
    return f"json-syntax: {found} can't stand here; {way_out}"


JSON_CASES = [
    Case(
        "duplicate keys, with both places",
        '{"a": "c",\n "b": {"c": 1, "c": "c"},\n "\\u0061": [{"a": "c"}]}',
        [f"2:16: {twice('c', 'api.json:2:8')}", f"3:2: {twice('a', 'api.json:1:2')}"],
    ),
    Case(
        "what is a number in JavaScript only",
        '{"a": [NaN, Infinity, -Infinity]}',
        [
            "1:8: json-syntax: NaN is not in JSON; write null or a number",
            "1:13: json-syntax: Infinity is not in JSON; write null or a number",
            "1:23: json-syntax: -Infinity is not in JSON; write null or a number",
        ],
    ),
    Case(
        "numbers out of range",
        '{"a": 1e400, "b": -' + "9" * 308 + ', "c": ' + "9" * 5000 + "}",
        [f"1:7: {HUGE.format('1e400')}", f"1:335: {HUGE.format('9' * 39 + '…')}"],
    ),
    Case(
        "halves of surrogate pairs, whole pairs and doubled backslashes aside",
        '{"a": "\\ud800", "b": ["\\uDC00\\ud83d\\ude00", "\\ud83d\\ude00"],\n'
        ' "\\\\ud800": "\\\\\\ud800"}',
        [f"1:7: {HALF}", f"1:23: {HALF}", f"2:13: {HALF}"],
    ),
    Case(
        "forbidden characters behind escapes",
        '{"a": "\\u0007", "b": ["\\b"],\n "\\u2028": "\\u000a\\n\\\\u0007"}',
        [
            f"1:7: {ESCAPED.format('U+0007')}",
            f"1:23: {ESCAPED.format('U+0008')}",
            f"2:2: {ESCAPED.format('U+2028')}",
        ],
    ),
    Case("a forbidden character", '{\n"a": "x\u202e"}', [f"2:8: {UNSEEN.format('U+202E')}"]),
    Case(
        "a byte that is not UTF-8",
        b'{"a": "\xff"}',
        ["1:8: not-utf-8: the byte 0xff is not UTF-8; save the file as UTF-8"],
    ),
    Case("an empty file", " \n", [f"1:1: {EMPTY}"]),
    Case(
        "an array",
        "\n [1]",
        ["2:2: not-a-mapping: the file must hold an object; write { ... }"],
    ),
    Case(
        "two values",
        '{"a": 1}\n[2]',
        [f"2:1: {json_syntax(repr('[2]'), 'one file holds one value')}"],
    ),
    Case(
        "a key without quotes",
        "{a: 1}",
        ["1:2: " + json_syntax("'a:'", "write a key in double quotes; no comma stands before }")],
    ),
    Case(
        "a comma that is missing",
        '{"a": 1\n "b": 2}',
        ["2:2: " + json_syntax("'\"b\":'", "look for a missing comma or bracket before it")],
    ),
    Case(
        "a colon that is missing",
        '{"a" 1 }',
        ["1:6: " + json_syntax("'1'", "write ':' between key and value")],
    ),
    Case(
        "a word of Python",
        '{"a": True }',
        ["1:7: " + json_syntax("'True'", "write a value as JSON has it; no comma stands before ]")],
    ),
    Case(
        "a file that ends early",
        '{"a": ',
        [
            "1:7: "
            + json_syntax(
                "the end of the file", "write a value as JSON has it; no comma stands before ]"
            )
        ],
    ),
    Case(
        "a string that never ends",
        '{"a":\n "b}',
        ["2:2: " + json_syntax("'\"b}'", "close the text with a double quote")],
    ),
    Case(
        "a line end in a string",
        '{"a": "b\nc"}',
        ["1:9: " + json_syntax("the end of the line", "write a line end as \\n and a tab as \\t")],
    ),
    Case(
        "an escape that is none",
        '{"a": "\\d" }',
        ["1:8: " + json_syntax("'\\d\"'", "double the backslash")],
    ),
    Case(
        "65 levels",
        '{"a": "[[", "b":\n' + "[" * 64 + "]" * 64 + "}",
        ["2:64: too-deep: more than 64 mappings and lists stand within each other; use $ref"],
    ),
    Case(
        "65 levels behind an escaped quote",
        '{"a": "\\"[[", "b":\n' + "[" * 64 + "]" * 64 + "}",
        ["2:64: too-deep: more than 64 mappings and lists stand within each other; use $ref"],
    ),
    Case(
        "a file of more than 4 MiB in authored sources",
        '{"a": 1}' + " " * (4 << 20),
        ["1:1: too-large: the file has more than 4,194,304 bytes; split it by resource"],
        adopted=[],
    ),
    Case(
        "a text of more than 16 KiB in authored sources",
        json.dumps({"a": "x" * 16384, "b": "é" * 8193, "c": "é" * 8192}, ensure_ascii=False),
        ["1:16400: too-large: this text has 16,386 bytes, of at most 16,384; shorten it"],
        adopted=[],
    ),
    Case(
        "more than 200,000 objects and arrays in authored sources",
        '{"a": [' + "{}, [] , " * 70_000 + "1]}",
        ["1:1: too-large: the file has more than 200,000 keys and values; split it by resource"],
        adopted=[],
    ),
    Case(
        "more than 200,000 keys and values in authored sources",
        '{"a": [' + "1, " * 200_000 + "1]}",
        ["1:1: too-large: the file has more than 200,000 keys and values; split it by resource"],
        adopted=[],
    ),
]


@pytest.mark.parametrize("adopted", [False, True], ids=["authored", "adopted"])
@pytest.mark.parametrize("case", JSON_CASES, ids=lambda case: case.it)
def test_json_is_refused_with_every_problem(tmp_path: Path, case: Case, adopted: bool) -> None:
    expected = case.says if case.adopted is None or not adopted else case.adopted
    _, problems = reading(tmp_path, case.content, name="api.json", adopted=adopted)
    assert problems == [f"api.json:{line}" for line in expected]


@pytest.mark.parametrize("name", ["api.yaml", "api.json"])
@pytest.mark.parametrize(
    ("escape", "said"),
    [
        *((rf"\u{code:04x}", code) for code in (0, 7, 0x1F, 0x7F, 0x80, 0x9F, 0x61C, 0x200E)),
        *((rf"\u{code:04X}", code) for code in (0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066)),
        *((rf"\u{code:04x}", code) for code in (0x2069, 0xFEFF, 0xFFFE, 0xFFFF)),
        (r"\b", 8),
        (r"\f", 12),
    ],
)
def test_each_escape_of_a_forbidden_character_is_refused(
    tmp_path: Path, name: str, escape: str, said: int
) -> None:
    _, problems = reading(tmp_path, f'{{"a": "{escape}"}}', name=name)
    assert problems == [f"{name}:1:7: {ESCAPED.format(f'U+{said:04X}')}"]


@pytest.mark.parametrize(
    ("escape", "said"),
    [
        *((r"\0", 0), (r"\a", 7), (r"\e", 27), (r"\v", 11), (r"\x1b", 27)),
        *((r"\N", 0x85), (r"\L", 0x2028), (r"\P", 0x2029), (r"\U0000202e", 0x202E)),
    ],
)
def test_so_are_the_escapes_that_only_yaml_has(tmp_path: Path, escape: str, said: int) -> None:
    _, problems = reading(tmp_path, f'a: "{escape}"\n')
    assert problems == [f"api.yaml:1:4: {ESCAPED.format(f'U+{said:04X}')}"]


@pytest.mark.parametrize("half", [r"\ud800", r"\uDBFF", r"\udc00", r"\uDFFF", r"\ud83d\ud83d"])
def test_half_a_surrogate_pair_is_refused(tmp_path: Path, half: str) -> None:
    for name in ("api.yaml", "api.json"):
        _, problems = reading(tmp_path, f'{{"a": "{half}x"}}', name=name)
        assert problems == [f"{name}:1:7: {HALF}"]


@pytest.mark.parametrize("name", ["api.yaml", "api.json"])
def test_the_first_of_equal_keys_stays(tmp_path: Path, name: str) -> None:
    text = '{"a": 1, "b": {"c": 2}, "a": {"x": [3]}, "b": 4, "d": 5}'
    document, problems = reading(tmp_path, text, name=name)
    assert typed(document) == typed({"a": 1, "b": {"c": 2}, "d": 5})
    assert problems == [
        f"{name}:1:25: {twice('a', f'{name}:1:2')}",
        f"{name}:1:42: {twice('b', f'{name}:1:10')}",
    ]
    assert document is not None
    assert str(Locator([document]).locate(("d",), value=True)) == f"{name}:1:55"


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(tmp_path: Path, enabled: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        for content in ("a: 1\n", "a: [\n"):
            reading(tmp_path, content)
            reading(tmp_path, content, name="api.json")
            assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


@pytest.mark.parametrize("adopted", [False, True], ids=["authored", "adopted"])
@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("api.yaml", "{a: "),
        ("api.yaml", '{"a":['),
        ("api.yaml", "{[: "),
        ("api.json", "["),
        ("api.json", '{"a":'),
        ("api.json", '[{"]":'),
    ],
)
def test_a_hundred_thousand_levels_are_one_problem(
    tmp_path: Path, name: str, unit: str, adopted: bool
) -> None:
    document, problems = reading(tmp_path, unit * 100_000, name=name, adopted=adopted)
    assert (document, len(problems)) == (None, 1)


# --- Files


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "broken.yaml").symlink_to("absent.yaml")
    problems: list[Problem] = []
    for name in ("folder.yaml", "pipe.yaml", "loop.yaml", "broken.yaml", "absent.yaml"):
        assert read(tmp_path / name, name, adopted=True, problems=problems) is None
    regular = "unreadable-file: this is not a regular file; put a file here"
    absent = "unreadable-file: No such file or directory; make it a file that can be read"
    loop = "unreadable-file: the links lead in a circle; make it a file that can be read"
    assert [str(problem) for problem in problems] == [
        f"folder.yaml:1:1: {regular}",
        f"pipe.yaml:1:1: {regular}",
        f"loop.yaml:1:1: {loop}",
        f"broken.yaml:1:1: {absent}",
        f"absent.yaml:1:1: {absent}",
    ]


def test_a_link_is_followed_within_its_folder_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.yaml").write_text("secret: 1\n")
    folder = tmp_path / "schemas"
    folder.mkdir()
    (folder / "api.yaml").write_text("a: 1\n")
    (folder / "near.yaml").symlink_to("api.yaml")
    (folder / "far.yaml").symlink_to("../secret.yaml")
    (folder / "farther.yaml").symlink_to("far.yaml")
    (folder / "fixed.yaml").symlink_to(tmp_path / "secret.yaml")
    problems: list[Problem] = []
    documents = [
        read(folder / name, name, adopted=False, problems=problems)
        for name in ("near.yaml", "far.yaml", "farther.yaml", "fixed.yaml")
    ]
    assert documents == [{"a": 1}, None, None, None]
    assert [str(problem) for problem in problems] == [
        f"{name}.yaml:1:1: symlink-outside: the link leads to secret.yaml, outside its folder; "
        "copy the file here"
        for name in ("far", "farther", "fixed")
    ]


def test_a_folder_may_be_a_link_itself(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "api.yaml").write_text("a: 1\n")
    (tmp_path / "link").symlink_to("real")
    problems: list[Problem] = []
    assert read(tmp_path / "link" / "api.yaml", "x", adopted=False, problems=problems) == {"a": 1}
    assert problems == []


# --- Places

PLACED = """\
# ünïcode
openapi: 3.1.0
"größe 😀": { é: [1, "😀", two], ok: true }
tabbed:\t"x"\t# comment
list:
- one
-   two: 2
    three:
      - - deep
text: |
  no: key
  of: ours
? asked
: answered
last: >-
  folded
"""


def test_every_key_value_and_item_has_its_place(tmp_path: Path) -> None:
    document, problems = reading(tmp_path, PLACED)
    assert problems == []

    def at(line: int, column: int) -> Place:
        return Place("api.yaml", line, column)

    assert places(document) == (
        at(2, 1),
        [
            (at(2, 1), at(2, 10), None),
            (
                at(3, 1),
                at(3, 12),
                (
                    at(3, 12),
                    [
                        (
                            at(3, 14),
                            at(3, 17),
                            (
                                at(3, 17),
                                [(at(3, 18), None), (at(3, 21), None), (at(3, 26), None)],
                            ),
                        ),
                        (at(3, 32), at(3, 36), None),
                    ],
                ),
            ),
            (at(4, 1), at(4, 9), None),
            (
                at(5, 1),
                at(6, 1),
                (
                    at(6, 1),
                    [
                        (at(6, 3), None),
                        (
                            at(7, 5),
                            (
                                at(7, 5),
                                [
                                    (at(7, 5), at(7, 10), None),
                                    (
                                        at(8, 5),
                                        at(9, 7),
                                        (
                                            at(9, 7),
                                            [(at(9, 9), (at(9, 9), [(at(9, 11), None)]))],
                                        ),
                                    ),
                                ],
                            ),
                        ),
                    ],
                ),
            ),
            (at(10, 1), at(10, 7), None),
            (at(13, 3), at(14, 3), None),
            (at(15, 1), at(15, 7), None),
        ],
    )


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff" + PLACED,
        PLACED.replace("\n", "\r\n"),
        "\ufeff" + PLACED.replace("\n", "\r\n"),
        PLACED.rstrip("\n"),
        PLACED + "...\n",
    ],
    ids=["byte order mark", "CRLF", "both", "no line end", "end mark"],
)
def test_line_ends_and_byte_order_mark_change_nothing(tmp_path: Path, content: str) -> None:
    expected, _ = reading(tmp_path, PLACED)
    document, problems = reading(tmp_path, content)
    assert (typed(document), problems) == (typed(expected), [])
    assert places(document) == places(expected)


def test_problems_count_lines_and_columns_likewise(tmp_path: Path) -> None:
    text = '"é😀": 1\n\ta: @\n'
    for content in (text, "\ufeff" + text.replace("\n", "\r\n")):
        assert reading(tmp_path, content)[1] == [f"api.yaml:2:1: {TAB}"]
        assert reading(tmp_path, content.replace("\t", '"é😀": '))[1] == [
            f"api.yaml:2:1: {twice('é😀', 'api.yaml:1:1')}",
            "api.yaml:2:8: yaml-syntax: ':' can't stand here; "
            "put a text that holds ': ' in quotes, and align keys",
        ]


# --- Two notations, two parsers

DATA = {
    "openapi": "3.1.0",
    "info": {"title": "größe 😀", "version": "2026-07-01", "x": None},
    "no": ["yes", "on", "012", "0x10", "1:30", "~", "null", "true", "", " ", "<<", "=", "#", "- a"],
    "numbers": [0, -1, 10**18, 1.0, -0.25, 1.5e300, 12345.678],
    "words": [True, False, None],
    "empty": {"object": {}, "array": [], "nested": [[], [{}]]},
    "text": "two\nlines\twith \\ and \" and '\n",
    "200": {"2026-07-01": 1, "a b": 2, "é": 3},
}


@pytest.mark.parametrize("adopted", [False, True], ids=["authored", "adopted"])
@pytest.mark.parametrize(
    "notation",
    [
        pytest.param(lambda data: json.dumps(data, ensure_ascii=False), id="JSON"),
        pytest.param(lambda data: json.dumps(data, ensure_ascii=False, indent=2), id="indented"),
        pytest.param(lambda data: yaml.safe_dump(data, sort_keys=False), id="block"),
        pytest.param(
            lambda data: yaml.safe_dump(data, sort_keys=False, default_flow_style=True), id="flow"
        ),
    ],
)
def test_the_same_data_in_yaml_and_in_json_is_the_same_document(
    tmp_path: Path, notation: Callable[[Any], str], adopted: bool
) -> None:
    from_json = reading(tmp_path, json.dumps(DATA), name="api.json", adopted=adopted)
    assert (typed(from_json[0]), from_json[1]) == (typed(DATA), [])
    document, problems = reading(tmp_path, notation(DATA), adopted=adopted)
    assert (typed(document), problems) == (typed(DATA), [])


def test_brackets_in_strings_are_no_levels(tmp_path: Path) -> None:
    data = {"a": "\\", "b": "[" * 100, "c": '"' + "{" * 100, "d": '\\"' + "[" * 100}
    assert reading(tmp_path, json.dumps(data), name="api.json") == (data, [])


def test_json_keeps_texts_that_look_like_trouble(tmp_path: Path) -> None:
    text = '{"a\\\\u0007": "\\\\ud800", "b": "\\"[{", "c": ["]}\\\\", "\\ud83d\\ude00"], "d": -0}'
    document, problems = reading(tmp_path, text, name="api.json")
    assert problems == []
    assert typed(document) == typed(
        {"a\\u0007": "\\ud800", "b": '"[{', "c": ["]}\\", "😀"], "d": 0}
    )


WITHOUT_LIBYAML = """\
import sys
sys.modules["yaml._yaml"] = None
import json
from pathlib import Path
from dateline.source.reader import read
for path in sys.argv[1:]:
    problems = []
    document = read(Path(path), Path(path).name, adopted=False, problems=problems)
    print(json.dumps([document, document and document.marks, [str(p) for p in problems]]))
"""


def test_without_libyaml_the_result_is_the_same(tmp_path: Path) -> None:
    contents = [
        PLACED.replace("\t", " "),
        "a: no\n? [1]\n",
        "a: &x !y 1\na: ~\n",
        "a: " + "[" * 100_000,
        "- 1\n",
        "a: 1\n---\nb: 1\n",
        "a: @x\n",
        "a:\n\tb: 1\n",
        "a: 1\nb: ['\n",
    ]
    expected: list[Any] = []
    for index, content in enumerate(contents):
        document, problems = reading(tmp_path, content, name=f"{index}.yaml")
        expected.append([document, document.marks if document is not None else None, problems])
    # only libyaml takes half a pair for the end of the file
    (tmp_path / "half.yaml").write_text('a: "x\\ud800"\n')
    answer = subprocess.run(
        [sys.executable, "-c", WITHOUT_LIBYAML, *sorted(map(str, tmp_path.glob("*.yaml")))],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    *answers, half = map(json.loads, answer.stdout.splitlines())
    assert (answers, half[2]) == (expected, [f"half.yaml:1:4: {HALF}"])


# --- The locator

FIRST = """\
openapi: 3.1.0
paths:
  /a:
    get: { tags: [one, two] }
components:
  schemas:
    A: { type: object }
"""

SECOND = """\
{"paths": {"/b": {"get": {"tags": [ "one",
  "two", []]}}},
 "components": {
  "schemas": {
   "é😀": {"enum": [1.5, "x\\"]}", null, {"k": {}}],
     "type": "string"}, "\\u0041b": true}},
"tags": []}
"""


@pytest.fixture(params=["", "\ufeff"], ids=["plain", "byte order mark"])
def locator(tmp_path: Path, request: pytest.FixtureRequest) -> Locator:
    first, _ = reading(tmp_path, request.param + FIRST, name="first.yaml")
    second, _ = reading(tmp_path, request.param + SECOND, name="second.json")
    assert first is not None
    assert second is not None
    return Locator([first, second])


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        ((), "first.yaml:1:1", "first.yaml:1:1"),
        (("openapi",), "first.yaml:1:1", "first.yaml:1:10"),
        (("paths", "/a"), "first.yaml:3:3", "first.yaml:4:5"),
        (("paths", "/a", "get", "tags"), "first.yaml:4:12", "first.yaml:4:18"),
        (("paths", "/a", "get", "tags", 1), "first.yaml:4:24", "first.yaml:4:24"),
        (("components", "schemas", "A"), "first.yaml:7:5", "first.yaml:7:8"),
        (("paths", "/b"), "second.json:1:12", "second.json:1:18"),
        (("paths", "/b", "get", "tags", 0), "second.json:1:37", "second.json:1:37"),
        (("paths", "/b", "get", "tags", 1), "second.json:2:3", "second.json:2:3"),
        (("paths", "/b", "get", "tags", 2), "second.json:2:10", "second.json:2:10"),
        (("components", "schemas", "é😀"), "second.json:5:4", "second.json:5:10"),
        (("components", "schemas", "é😀", "enum", 0), "second.json:5:20", "second.json:5:20"),
        (("components", "schemas", "é😀", "enum", 2), "second.json:5:34", "second.json:5:34"),
        (("components", "schemas", "é😀", "enum", 3, "k"), "second.json:5:41", "second.json:5:46"),
        (("components", "schemas", "é😀", "type"), "second.json:6:6", "second.json:6:14"),
        (("components", "schemas", "Ab"), "second.json:6:25", "second.json:6:36"),
        (("tags",), "second.json:7:1", "second.json:7:9"),
        # what exists in no file: the nearest that does
        (("servers",), "first.yaml:1:1", "first.yaml:1:1"),
        (("paths", "/c", "get"), "first.yaml:2:1", "first.yaml:2:1"),
        (("paths", "/a", "put"), "first.yaml:3:3", "first.yaml:3:3"),
        (("paths", "/a", "get", "tags", 2), "first.yaml:4:12", "first.yaml:4:12"),
        (("paths", "/a", "get", "tags", "x"), "first.yaml:4:12", "first.yaml:4:12"),
        (("paths", "/b", "get", "tags", 2, 0), "second.json:2:10", "second.json:2:10"),
        (("paths", "/b", "put"), "second.json:1:12", "second.json:1:12"),
        (("openapi", "x"), "first.yaml:1:1", "first.yaml:1:1"),
    ],
)
def test_a_path_of_the_joined_document_has_its_place_in_a_file(
    locator: Locator, path: tuple[str | int, ...], key: str, value: str
) -> None:
    # twice: what was scanned once is remembered
    for _ in range(2):
        assert (str(locator.locate(path)), str(locator.locate(path, value=True))) == (key, value)


def test_a_part_added_after_reading_stands_where_it_hangs(tmp_path: Path) -> None:
    document, _ = reading(tmp_path, FIRST)
    other, _ = reading(tmp_path, SECOND, name="second.json")
    assert document is not None
    assert other is not None
    document["paths"]["/a"]["get"] = {"responses": {"200": {}}}
    other["paths"]["/b"]["get"]["responses"] = {"200": {}}
    path = ("get", "responses", "200")
    assert str(Locator([document]).locate(("paths", "/a", *path))) == "api.yaml:4:5"
    assert str(Locator([other]).locate(("paths", "/b", *path))) == "second.json:1:19"


@pytest.mark.parametrize(
    "text",
    [
        *('{"a": {"b": {"c": {"d": [1, {"e": null}]}}}}', ' {"a" :1 , "b":\n[ ]}\n', "[{}]", "1"),
        *('{"a": {"b": 1, "b": 2}, "a": 3}', '{"\\u0061\\n": "\\ud83d\\ude00"}', "{}", '{"a": {}}'),
        *(
            "",
            "{",
            '{"a"',
            '{"a":',
            '{"a" 1}',
            '{"a"::1}',
            '{"a": 1 "b": 2}',
            '{"a": 1,}',
            '{, "a": 1}',
        ),
        *('{"a": 1} x', '{"a": {"b": 1}', '{"a": {"b" 1}}', "{1: 2}", '{"a": tru}', '{"a": "\n"}'),
    ],
)
def test_places_are_found_in_what_the_parser_takes_and_nothing_else(text: str) -> None:
    assert taken(JsonPlaces("a.json", text).read) == taken(
        lambda: json.loads(text, object_pairs_hook=unique)
    )


def taken(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except ValueError:
        return "refused"


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


@pytest.mark.parametrize("text", ["NaN", "[-Infinity]", '{"a": 1e400}', f"[{'9' * 400}]"])
def test_numbers_that_not_every_reader_knows_are_refused_with_their_places(text: str) -> None:
    assert taken(JsonPlaces("a.json", text).read) == "refused"


def test_what_is_read_with_its_places_has_the_same_as_what_is_looked_up_later() -> None:
    text = '{"a": {"b": {"c": [1, {"d": 2}]}},\n "e": [[3], 4]}'
    known, unknown = JsonPlaces("a.json", text), JsonPlaces("a.json", text)
    known.read()
    found = {
        path: [str(places.find(path)) for places in (known, unknown)]
        for path in (("a",), ("a", "b", "c"), ("a", "b", "c", 1, "d"), ("e", 0, 0), ("a", "x"), ())
    }
    assert found == {
        ("a",): ["a.json:1:2"] * 2,
        ("a", "b", "c"): ["a.json:1:14"] * 2,
        ("a", "b", "c", 1, "d"): ["a.json:1:24"] * 2,
        ("e", 0, 0): ["a.json:2:9"] * 2,
        ("a", "x"): ["a.json:1:2"] * 2,
        (): ["a.json:1:1"] * 2,
    }


FIRST_OF_TWO = """{"paths": {"/a": {"get": {"x": [1]}, "put": {"y": {}}}, "/b": {"get": {"x": 1}}},
 "tags": [{"name": "a"}], "info": {"version": {"of": 1}}, "n": 1}"""


@pytest.mark.parametrize(
    ("old", "new", "shared"),
    [
        ("", "", [("paths", "/a", "get"), ("paths", "/a", "put"), ("paths", "/b", "get")]),
        ('{"x": 1}', '{"x": 10}', [("paths", "/a", "get"), ("paths", "/a", "put")]),
        ('{"x": 1}', '{"x": true}', [("paths", "/a", "get"), ("paths", "/a", "put")]),
        ('{"x": 1}', '{"x":  1}', [("paths", "/a", "get"), ("paths", "/a", "put")]),
        ('"/b"', '"/c"', [("paths", "/a", "get"), ("paths", "/a", "put")]),
        ('"put": {"y": {}}', '"put": []', [("paths", "/a", "get"), ("paths", "/b", "get")]),
        ('"n": 1', '"n": 12', [("paths", "/a", "get"), ("paths", "/b", "get")]),
        ('{"paths"', '{"z": {},\n"paths"', [("paths", "/a", "put"), ("paths", "/b", "get")]),
    ],
)
def test_what_two_texts_hold_in_the_same_words_is_read_once(
    old: str, new: str, shared: list[tuple[str, ...]]
) -> None:
    one, text = JsonPlaces("a.json", FIRST_OF_TWO), FIRST_OF_TWO.replace(old, new, 1)
    other, alone = JsonPlaces("b.json", text), JsonPlaces("b.json", text)
    before, after = one.read(), other.read(one)
    assert json.dumps(after) == json.dumps(alone.read()) == json.dumps(json.loads(text))
    for path in shared:
        assert part(after, path) is part(before, path)
    everything = list(trails(after))
    assert list(map(other.find, everything)) == list(map(alone.find, everything))


def part(value: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def trails(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the keys and indexes that lead to each value in *value*."""
    yield path
    if isinstance(value, dict | list):
        for step, found in value.items() if isinstance(value, dict) else enumerate(value):
            yield from trails(found, (*path, step))
