"""Every text that is refused, with all its problems."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import NamedTuple

import pytest
from support.readings import (
    ANCHOR,
    EMPTY,
    ESCAPED,
    HALF,
    HUGE,
    NOT_A_KEY,
    NOT_A_MAPPING,
    SEVERAL,
    TAB,
    TAG,
    UNSEEN,
    WIDE,
    after,
    inside,
    reading,
    start,
    twice,
    typed,
)
from support.tables import cases

from dateline.source.reader import Locator

# --- Everything that is refused


class Case(NamedTuple):
    """A file, and all its problems."""

    it: str
    content: str | bytes
    says: list[str]
    adopted: list[str] | None = None  # where adopted sources are treated differently


YAML_CASES = [
    Case(
        "a bomb of aliases, with one line for each anchor",
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n",
        [f"1:4: {ANCHOR.format('a')}", f"2:4: {ANCHOR.format('b')}", f"3:4: {ANCHOR.format('c')}"],
    ),
    Case("an alias within its own anchor", "a: &a\n  b: *a\n", [f"1:4: {ANCHOR.format('a')}"]),
    Case("an alias as a key", "a: &a x\n*a : 1\n", [f"1:4: {ANCHOR.format('a')}"]),
    Case(
        "an undefined alias",
        "a: *b\n",
        ["1:4: anchor-used: *b is an alias without an anchor; put the text in quotes"],
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
    Case("only comments", "# nothing\n\n", [f"1:1: {EMPTY}"]),
    Case("only a document mark", "---\n", [f"1:1: {EMPTY}"]),
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
        ["1:17: yaml-syntax: ':' can't be here; quote text that contains ': ', and align keys"],
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
        ["1:7: yaml-syntax: ',2]' can't be here; write a value, or text in quotes"],
    ),
    Case(
        "a list item on the line of its key",
        "a: - b\n",
        ["1:4: yaml-syntax: '-' can't be here; put the text in quotes"],
    ),
    Case(
        "an invalid escape",
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
        adopted=[],
    ),
    Case("half of a surrogate pair", 'a: "x\\ud800"\n', [f"1:4: {HALF}"]),
    Case(
        "a bare carriage return, once",
        "a: 1\rb: 2\rb: 3\n",
        [
            "1:5: control-character: this carriage return has no line feed after it; "
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
        ["1:67: too-deep: more than 64 mappings and lists are within each other; use $ref"],
    ),
    Case(
        "levels of indentation",
        "".join(" " * level + "a:\n" for level in range(1000)),
        ["65:65: too-deep: more than 64 mappings and lists are within each other; use $ref"],
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
        "a quotation of invisible characters",
        "\u2060x\u2060: 1\n\u2060x\u2060: 2\n",
        [f"2:1: {twice(chr(92) + 'u2060x' + chr(92) + 'u2060', 'api.yaml:1:1')}"],
    ),
]


@cases("adopted", [False, True], ids=["authored", "adopted"])
@cases("case", YAML_CASES, ids=lambda case: case.it)
def test_invalid_yaml_is_refused_with_every_problem(
    tmp_path: Path, case: Case, adopted: bool
) -> None:
    expected = case.says if case.adopted is None or not adopted else case.adopted
    _, problems = reading(tmp_path, case.content, adopted=adopted)
    assert problems == [f"api.yaml:{line}" for line in expected]


def json_syntax(found: str, way_out: str) -> str:
    return f"json-syntax: {found} can't be here; {way_out}"


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
        adopted=[],
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
        ["2:2: not-a-mapping: the file must contain an object; write { ... }"],
    ),
    Case(
        "two values",
        '{"a": 1}\n[2]',
        [f"2:1: {json_syntax(repr('[2]'), 'a file contains one value')}"],
    ),
    Case(
        "a key without quotes",
        "{a: 1}",
        ["1:2: " + json_syntax("'a:'", "write a key in double quotes")],
    ),
    *(
        Case(f"a comma too many: {text}", text, [f"{place}: {json_syntax(quoted, way_out)}"])
        for text, place, quoted in (
            ('{"a": 1,}', "1:8", "',}'"),
            ('{"a": 1 , }', "1:9", "','"),
            ('{"a": [1,]}', "1:9", "',]}'"),
            ('{"a": [1,\n\t]}', "1:9", "','"),
        )
        for way_out in ["remove the comma before } or ]"]
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
        ["1:7: " + json_syntax("'True'", "write a value as JSON has it")],
    ),
    Case(
        "a file that ends early",
        '{"a": ',
        ["1:7: " + json_syntax("the end of the file", "write a value as JSON has it")],
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
        "an invalid escape",
        '{"a": "\\d" }',
        ["1:8: " + json_syntax("'\\d\"'", "double the backslash")],
    ),
    Case(
        "65 levels",
        '{"a": "[[", "b":\n' + "[" * 64 + "]" * 64 + "}",
        ["2:64: too-deep: more than 64 mappings and lists are within each other; use $ref"],
    ),
    Case(
        "65 levels behind an escaped quote",
        '{"a": "\\"[[", "b":\n' + "[" * 64 + "]" * 64 + "}",
        ["2:64: too-deep: more than 64 mappings and lists are within each other; use $ref"],
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


@cases("adopted", [False, True], ids=["authored", "adopted"])
@cases("case", JSON_CASES, ids=lambda case: case.it)
def test_invalid_json_is_refused_with_every_problem(
    tmp_path: Path, case: Case, adopted: bool
) -> None:
    expected = case.says if case.adopted is None or not adopted else case.adopted
    _, problems = reading(tmp_path, case.content, name="api.json", adopted=adopted)
    assert problems == [f"api.json:{line}" for line in expected]


@cases("name", ["api.yaml", "api.json"])
@cases(
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


@cases(
    ("escape", "said"),
    [
        *((r"\0", 0), (r"\a", 7), (r"\e", 27), (r"\v", 11), (r"\x1b", 27)),
        *((r"\N", 0x85), (r"\L", 0x2028), (r"\P", 0x2029), (r"\U0000202e", 0x202E)),
    ],
)
def test_escapes_that_only_yaml_has_are_refused(tmp_path: Path, escape: str, said: int) -> None:
    _, problems = reading(tmp_path, f'a: "{escape}"\n')
    assert problems == [f"api.yaml:1:4: {ESCAPED.format(f'U+{said:04X}')}"]


@cases("half", [r"\ud800", r"\uDBFF", r"\udc00", r"\uDFFF", r"\ud83d\ud83d"])
def test_lone_surrogate_is_refused(tmp_path: Path, half: str) -> None:
    for name in ("api.yaml", "api.json"):
        _, problems = reading(tmp_path, f'{{"a": "{half}x"}}', name=name)
        assert problems == [f"{name}:1:7: {HALF}"]


@cases("name", ["api.yaml", "api.json"])
def test_first_of_duplicate_keys_is_kept(tmp_path: Path, name: str) -> None:
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
def test_garbage_collector_is_restored(tmp_path: Path, enabled: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        for content in ("a: 1\n", "a: [\n"):
            reading(tmp_path, content)
            reading(tmp_path, content, name="api.json")
            assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


@cases("adopted", [False, True], ids=["authored", "adopted"])
@cases(
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
def test_hundred_thousand_levels_are_one_problem(
    tmp_path: Path, name: str, unit: str, adopted: bool
) -> None:
    document, problems = reading(tmp_path, unit * 100_000, name=name, adopted=adopted)
    assert (document, len(problems)) == (None, 1)
