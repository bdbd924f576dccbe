"""The place of every key, value and item, in its file and in the joined document."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.readings import PLACED, TAB, part, places, reading, trails, twice, typed
from support.tables import cases

from dateline.model import Place
from dateline.source.reader import JsonText, Locator


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


def test_problems_count_lines_and_columns_alike(tmp_path: Path) -> None:
    text = '"é😀": 1\n\ta: @\n'
    for content in (text, "\ufeff" + text.replace("\n", "\r\n")):
        assert reading(tmp_path, content)[1] == [f"api.yaml:2:1: {TAB}"]
        assert reading(tmp_path, content.replace("\t", '"é😀": '))[1] == [
            f"api.yaml:2:1: {twice('é😀', 'api.yaml:1:1')}",
            "api.yaml:2:8: yaml-syntax: ':' can't be here; "
            "quote text that contains ': ', and align keys",
        ]


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


@cases(
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
        # for a path that exists in no file, the nearest existing one
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
def test_path_of_the_joined_document_has_its_place_in_a_file(
    locator: Locator, path: tuple[str | int, ...], key: str, value: str
) -> None:
    # twice: scanned places are cached
    for _ in range(2):
        assert (str(locator.locate(path)), str(locator.locate(path, value=True))) == (key, value)


def test_part_added_after_reading_has_the_place_of_its_parent(tmp_path: Path) -> None:
    document, _ = reading(tmp_path, FIRST)
    other, _ = reading(tmp_path, SECOND, name="second.json")
    assert document is not None
    assert other is not None
    document["paths"]["/a"]["get"] = {"responses": {"200": {}}}
    other["paths"]["/b"]["get"]["responses"] = {"200": {}}
    path = ("get", "responses", "200")
    assert str(Locator([document]).locate(("paths", "/a", *path))) == "api.yaml:4:5"
    assert str(Locator([other]).locate(("paths", "/b", *path))) == "second.json:1:19"


@cases(
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
def test_places_are_found_in_everything_the_parser_accepts(text: str) -> None:
    assert taken(JsonText("a.json", text).read) == taken(
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
def test_ambiguous_numbers_are_refused_with_their_places(text: str) -> None:
    assert taken(JsonText("a.json", text).read) == "refused"


def test_places_read_at_once_equal_those_looked_up_later() -> None:
    text = '{"a": {"b": {"c": [1, {"d": 2}]}},\n "e": [[3], 4]}'
    known, unknown = JsonText("a.json", text), JsonText("a.json", text)
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


FIRST_OF_TWO = """{"paths": {"/a": {"get": {"x": [1]}, "put": {"y": {}}},
 "/b": {"summary": "s", "get": {"x": 1}}},
 "tags": [{"name": "a"}], "info": {"version": {"of": 1}}, "n": 1}"""


@cases(
    ("old", "new", "shared"),
    [
        ("", "", [("paths",), ("paths", "/a"), ("paths", "/b"), ("tags",)]),
        ('{"x": 1}', '{"x": 10}', [("paths", "/a")]),
        ('{"x": 1}', '{"x": true}', [("paths", "/a")]),
        ('{"x": 1}', '{"x":  1}', [("paths", "/a")]),
        ('"s", ', '"t", ', [("paths", "/a"), ("paths", "/b", "get")]),
        ('"s", ', '"s",  ', [("paths",), ("paths", "/b")]),
        ('"s", ', "true, ", [("paths", "/a"), ("paths", "/b", "get")]),
        ('"s", ', '"s", "z": null, ', [("paths", "/a"), ("paths", "/b", "get")]),
        ('"summary": "s", ', "", [("paths", "/a"), ("paths", "/b", "get")]),
        (
            '{"get": {"x": [1]}, "put": {"y": {}}}',
            '{"put": {"y": {}}, "get": {"x": [1]}}',
            [("paths", "/a", "get"), ("paths", "/a", "put"), ("paths", "/b")],
        ),
        ('"/b"', '"/c"', [("paths", "/a")]),
        ('"put": {"y": {}}', '"put": []', [("paths", "/a", "get"), ("paths", "/b")]),
        ('"n": 1', '"n": 12', [("paths",), ("info",)]),
        ('{"paths"', '{"z": {},\n"paths"', [("paths",), ("info",)]),
    ],
)
def test_equal_parts_of_two_texts_are_read_once(
    old: str, new: str, shared: list[tuple[str, ...]]
) -> None:
    one, text = JsonText("a.json", FIRST_OF_TWO), FIRST_OF_TWO.replace(old, new, 1)
    other, alone = JsonText("b.json", text), JsonText("b.json", text)
    before, after = one.read(), other.read(one)
    assert json.dumps(after) == json.dumps(alone.read()) == json.dumps(json.loads(text))
    for path in shared:
        assert part(after, path) is part(before, path)
    everything = list(trails(after))
    assert list(map(other.find, everything)) == list(map(alone.find, everything))
