"""Text that is written is read back as the same value by every reader."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from support.tables import cases

from dateline.source.text import compact_json, json_text, write_json, yaml_text

# Texts that some YAML readers interpret as something else.
_AMBIGUOUS = """
y Y n N yes no on off true True FALSE null Null ~ 012 0o14 0x1F 0b1 1_000 1:30 190:20:30 .inf
-.INF .nan 1e3 1.0 -1 +1 2026-07-01 2026-07-01T00:00:00Z << = - ? : , [ ] { } # & * ! | > ' "
% @ ` --- ... !!str &a *a #c key: :key a:b  NaN Infinity 0 00 1. .5 1.e+3 ???
"""
AMBIGUOUS = _AMBIGUOUS.split()

texts = st.characters(exclude_categories=["Cs"])

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(texts)
    | st.sampled_from(AMBIGUOUS),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.text(texts, max_size=60) | st.sampled_from(AMBIGUOUS),
            inner,
        )
    ),
    max_leaves=12,
)


def as_yaml(value: Any) -> str:
    return "value:" + yaml_text({"v": value}, 2) + "\n"


@given(values)
def test_json_round_trips(value: Any) -> None:
    assert json.loads(json_text(value, 4)) == value


@given(values, st.sampled_from([0, 4]))
def test_all_writers_of_json_agree(value: Any, indent: int) -> None:
    assert json_text([value], indent) == write_json([value], indent)


@cases(
    "value", [1e16, -1e-5, 0.00001, 0.000012, 0.0001, -0.0, 5e-324, 2**64, "1e5", "\x7f", "\ud800"]
)
def test_all_writers_of_json_agree_about_extremes(value: Any) -> None:
    assert json_text({"a": [value]}) == write_json({"a": [value]}, 0)


@given(values)
@example([1e16, 1e22, -1e-5, 0.00001, 0.000012, 0.0001, 5e-324, -0.0])
@example({"1e5": ["1e5", "\x7f", 2**64, -4.812919713439847e-07]})
def test_compact_json_is_that_of_the_standard_library(value: Any) -> None:
    plain = json.dumps([value], ensure_ascii=False, separators=(",", ":"))
    assert compact_json([value]) == plain.encode()


@given(values)
def test_yaml_round_trips_in_a_yaml_1_1_reader(value: Any) -> None:
    assert yaml.safe_load(as_yaml(value)) == {"value": {"v": value}}


@given(values)
def test_yaml_round_trips_in_a_yaml_1_2_reader(value: Any) -> None:
    from ruamel.yaml import YAML

    assert YAML(typ="safe", pure=True).load(as_yaml(value)) == {"value": {"v": value}}


@cases("text", AMBIGUOUS)
def test_ambiguous_text_stays_text(text: str) -> None:
    assert yaml.safe_load(as_yaml([text, {text: text}])) == {"value": {"v": [text, {text: text}]}}


def test_yaml_is_laid_out_for_people() -> None:
    value = {
        "paths": {"/a/{id}": {"get": {"tags": ["One", "Two words"], "responses": {"200": {}}}}},
        "text": "first line\nsecond line\n",
        "empty": [],
        "list": [{"name": "a", "in": "path"}, ["nested"], None, True, 1.5],
    }
    assert (
        "doc:" + yaml_text(value, 2) + "\n"
        == """\
doc:
  paths:
    /a/{id}:
      get:
        tags:
          - One
          - Two words
        responses:
          "200": {}
  text: |
    first line
    second line
  empty: []
  list:
    - name: a
      in: path
    - - nested
    - null
    - true
    - 1.5
"""
    )


def test_unprintable_characters_are_escaped() -> None:
    text = "a\u202eb\u2028c\x07d\x85e"
    assert json_text(text) == r'"a\u202eb\u2028c\u0007d\u0085e"'
    assert yaml_text(text) == r' "a\u202eb\u2028c\u0007d\u0085e"'


@cases(
    ("text", "laid_out"),
    [
        ("one\ntwo", " |-\n  one\n  two"),
        ("one\ntwo\n", " |\n  one\n  two\n"),
        ("one\n\ntwo\n", " |\n  one\n\n  two\n"),
        # a literal block would add or drop blank lines at its ends
        ("one\ntwo\n\n", ' "one\\ntwo\\n\\n"'),
        ("one\n\n", ' "one\\n\\n"'),
        ("\none\n", ' "\\none\\n"'),
        ("\n", ' "\\n"'),
        # a blank before the first line would become indentation, and one after a line would be lost
        (" one\ntwo\n", ' " one\\ntwo\\n"'),
        ("\tone\ntwo\n", ' "\\tone\\ntwo\\n"'),
        ("one \ntwo\n", ' "one \\ntwo\\n"'),
        ("one\n two\n", " |\n  one\n   two\n"),
    ],
)
def test_block_style_is_only_used_if_it_round_trips(text: str, laid_out: str) -> None:
    found = yaml_text(text, 2)
    assert found == laid_out.removesuffix("\n")
    assert yaml.safe_load(f"value:{found}\n") == {"value": text}
