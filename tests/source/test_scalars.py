"""Every string that is written is read back."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from support.readings import part

from dateline.model import Problem
from dateline.source.reader import read_content
from dateline.source.splice import EditableSource
from dateline.source.text import json_text, yaml_text

# Texts that readers misinterpret, that start or end something, and that are invisible.
PIECES = (
    *("y", "No", "on", "TRUE", "False", "null", "Null", "~", "nan", ".nan", "inf", "-.INF", "<<"),
    *("0", "-1", "+1", "007", "0o7", "0x1F", "0b1", "1_000", "1:30", "190:20:30", "1e3", "1.e5"),
    *(".5", "-.5e+2", "2025-01-01", "2025-01-01T00:00:00Z", "2025-1-1 1:02:03", "=", "a"),
    *(" ", "  ", "\n", "\n\n", "\t", "'", '"', "\\", "\\n", "#", " #", "# ", ":", ": ", " :", "-"),
    *(
        "- ",
        "?",
        "? ",
        "[",
        "]",
        "{",
        "}",
        ",",
        ", ",
        "&",
        "*",
        "!",
        "|",
        ">",
        "%",
        "@",
        "`",
        "---",
    ),
    *("...", "é", "ñandú", "日本", "\u00a0", "\u00ad", "\u0301", "\U0001f600", "{{ x }}", "$ref"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)

# Places of a text: as a key or a value, in block or flow style, with a comment after it.
POSITIONS = {
    "value": (b"a: 1\n", ("put", ("b",)), ("b",)),
    "replaced value": (b"a: 1 # why\nc: 2\n", ("replace", ("a",)), ("a",)),
    "replaced text in quotes": (b'a: "x" # why\nc: 2\n', ("replace", ("a",)), ("a",)),
    "replaced block": (b"a: |  # why\n  one\n\n  two\n# on c\nc: 2\n", ("replace", ("a",)), ("a",)),
    "value at the end": (b"c: 2\na: 1", ("replace", ("a",)), ("a",)),
    "value in brackets": (b"a: { b: 1, c: 2 } # why\n", ("put", ("a", "d")), ("a", "d")),
    "replaced in brackets": (b"a: { b: 1, c: 2 } # why\n", ("replace", ("a", "b")), ("a", "b")),
    "item": (b"a:\n  - 1 # why\n  - 2\n", ("insert", ("a", 1)), ("a", 1)),
    "replaced item": (b"a:\n  - 1 # why\n  - 2\n", ("replace", ("a", 0)), ("a", 0)),
    "item in brackets": (b"a: [1, 2] # why\n", ("insert", ("a", 1)), ("a", 1)),
    "value in JSON": (b'{\n  "a": 1\n}\n', ("put", ("b",)), ("b",)),
}


def read_back(content: bytes, name: str, *, adopted: bool) -> Any:
    problems: list[Problem] = []
    found = read_content(content, name, adopted=adopted, problems=problems)
    assert problems == []
    return found


def requires_same(content: bytes, name: str, path: tuple[str | int, ...], text: str) -> None:
    """Assert that our reader, with both parsers, and PyYAML find *text* at *path*."""
    for adopted in (False, True):
        assert part(read_back(content, name, adopted=adopted), path) == text
    others = json.loads(content) if name.endswith(".json") else yaml.safe_load(content)
    assert part(others, path) == text


@pytest.mark.parametrize("position", POSITIONS)
@given(text=TEXTS)
@example(text="")
@example(text="word " * 40)
def test_text_put_into_a_source_is_read_back(position: str, text: str) -> None:
    before, (edit, path), goal = POSITIONS[position]
    name = "a.json" if before.startswith(b"{") else "a.yaml"
    source = EditableSource(before, json=name == "a.json")
    getattr(source, edit)(path, text)
    requires_same(source.content(), name, goal, text)
    after = source.content()
    # the rest is unchanged, comments included
    assert (b"# why" in before) == (b"# why" in after) or position == "replaced block"


@pytest.mark.parametrize(
    "before",
    [b"a: 1 # why\nb: 2\n", b"{ a: 1, b: 2 } # why\n", b"a: # why\n  b: 2\n", b'{\n  "a": 1\n}\n'],
    ids=["block", "flow", "holder", "JSON"],
)
@given(text=TEXTS.filter(lambda text: text != "b"))
def test_added_or_renamed_key_is_read_back(before: bytes, text: str) -> None:
    name = "a.json" if before.startswith(b"{\n") else "a.yaml"
    renamed = EditableSource(before, json=name == "a.json")
    renamed.rename(("a",), text)
    found = read_back(renamed.content(), name, adopted=False)
    assert next(iter(found)) == text
    added = EditableSource(before, json=name == "a.json")
    added.put((text,), "x")
    assert read_back(added.content(), name, adopted=False)[text] == "x"


@given(
    value=st.recursive(
        st.one_of(TEXTS, st.none(), st.booleans(), st.integers(-(10**20), 10**20))
        | st.floats(allow_nan=False, allow_infinity=False),
        lambda below: st.lists(below, max_size=3) | st.dictionaries(TEXTS, below, max_size=3),
        max_leaves=6,
    )
)
def test_written_document_is_read_back(value: Any) -> None:
    document = {"here": value}
    as_yaml = yaml_text(document).lstrip("\n") + "\n"
    as_json = json_text(document) + "\n"
    assert read_back(as_yaml.encode(), "a.yaml", adopted=False) == document
    assert read_back(as_yaml.encode(), "a.yaml", adopted=True) == document
    assert yaml.safe_load(as_yaml) == document
    assert read_back(as_json.encode(), "a.json", adopted=False) == document
    edited = EditableSource(b"a: 1\n")
    edited.put(("here",), value)
    assert read_back(edited.content(), "a.yaml", adopted=False)["here"] == value
