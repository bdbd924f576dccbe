"""What the reader makes of YAML and JSON files: values, places, and everything it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.readings import HALF, PLACED, reading, typed
from support.tables import cases

from dateline.model import Problem
from dateline.source.reader import read

# --- Plain scalars


@cases("adopted", [False, True], ids=["authored", "adopted"])
@cases(
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
def test_unambiguous_plain_scalar_is_read(
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


@cases(("word", "wording", "alternative"), [row[:3] for row in DISPUTED])
def test_ambiguous_plain_scalar_is_refused(
    tmp_path: Path, word: str, wording: str, alternative: str
) -> None:
    document, problems = reading(tmp_path, f"a: {word}\nb: [{word}]\n")
    said = "ambiguous-scalar: YAML readers disagree about " + wording.format(word, alternative)
    assert problems == [f"api.yaml:1:4: {said}", f"api.yaml:2:5: {said}"]
    assert document == {"a": word, "b": [word]}


@cases(("word", "value"), [(word, value) for word, _, _, value in DISPUTED])
def test_ambiguous_scalar_is_read_as_yaml_1_2_or_text_in_adopted_sources(
    tmp_path: Path, word: str, value: Any
) -> None:
    document, problems = reading(tmp_path, f"a: {word}\nb: [{word}]\n", adopted=True)
    assert (typed(document), problems) == (typed({"a": value, "b": [value]}), [])


@cases("word", sorted({row[0] for row in DISPUTED}))
def test_ambiguous_key_is_text_in_adopted_sources_only(tmp_path: Path, word: str) -> None:
    said = f"ambiguous-scalar: YAML readers disagree about the key {word}; write '{word}'"
    assert reading(tmp_path, f"{word}: 1\n") == ({word: 1}, [f"api.yaml:1:1: {said}"])
    assert reading(tmp_path, f"{word}: 1\n", adopted=True) == ({word: 1}, [])
    assert reading(tmp_path, f"'{word}': 1\n") == ({word: 1}, [])


@cases("word", ["200", "-1", "1.5", "true", "false", "null", "1e400", "9" * 400])
def test_key_must_be_text(tmp_path: Path, word: str) -> None:
    shown = word if len(word) < 40 else "9" * 39 + "…"
    said = f"key-not-text: the key {shown} is not text; write '{shown}'"
    assert reading(tmp_path, f"{word}: 1\n") == ({word: 1}, [f"api.yaml:1:1: {said}"])
    assert reading(tmp_path, f"{word}: 1\n", adopted=True) == ({word: 1}, [])
    assert reading(tmp_path, f"'{word}': 1\n") == ({word: 1}, [])


def test_date_as_a_key_is_text(tmp_path: Path) -> None:
    document, problems = reading(tmp_path, "x-was: { 2026-07-01: { type: string } }\n")
    assert typed(document) == typed({"x-was": {"2026-07-01": {"type": "string"}}})
    assert problems == []


def test_missing_value_is_refused_and_null_in_adopted_sources(tmp_path: Path) -> None:
    text = "a:\nb: [1, {c: , d}]\ne:\n-\n"
    said = "missing-value: a value is missing; write null, '', [] or {}"
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


# --- Files


def test_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
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


def test_symbolic_link_is_followed_within_its_folder_only(
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


def test_folder_may_be_a_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "api.yaml").write_text("a: 1\n")
    (tmp_path / "link").symlink_to("real")
    problems: list[Problem] = []
    assert read(tmp_path / "link" / "api.yaml", "x", adopted=False, problems=problems) == {"a": 1}
    assert problems == []


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
def test_yaml_and_json_with_the_same_data_are_the_same_document(
    tmp_path: Path, notation: Callable[[Any], str], adopted: bool
) -> None:
    from_json = reading(tmp_path, json.dumps(DATA), name="api.json", adopted=adopted)
    assert (typed(from_json[0]), from_json[1]) == (typed(DATA), [])
    document, problems = reading(tmp_path, notation(DATA), adopted=adopted)
    assert (typed(document), problems) == (typed(DATA), [])


def test_brackets_in_strings_are_no_nesting(tmp_path: Path) -> None:
    data = {"a": "\\", "b": "[" * 100, "c": '"' + "{" * 100, "d": '\\"' + "[" * 100}
    assert reading(tmp_path, json.dumps(data), name="api.json") == (data, [])


def test_json_keeps_ambiguous_texts(tmp_path: Path) -> None:
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


def test_result_is_the_same_without_libyaml(tmp_path: Path) -> None:
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
    # only libyaml takes a lone surrogate for the end of the file
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
