"""The spans of the parts of a source in its text, for all characters and line ends."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import yaml
from support.tables import cases
from support.yaml_styles import Writer, value

from dateline.source import spans as room
from dateline.source.spans import Span, everything, spans

TEXT = """\
# größe ☃ 😀
plain: two words   # note
'quoted ☃': "a \\" b"
flow: { a: [1, 2], b: over
    lines }
list:
- one
- - nested
  - 😀
- key: |
    kept

  # a note
  other: >-
    folded
    text

last: {}
"""


def parts(text: str, span: Span) -> Any:
    """Return *span* and its parts as (style, column, text or children)."""
    if span.is_map:
        pairs = zip(span.names, span.keys, span.below, strict=True)
        children: Any = {
            name: (text[key.start : key.end], parts(text, below)) for name, key, below in pairs
        }
    elif span.style in ("[", "-"):
        children = [parts(text, below) for below in span.below]
    else:
        children = text[span.start : span.end]
    return span.style, span.column, children


EXPECTED = (
    ":",
    0,
    {
        "plain": ("plain", ("", 7, "two words")),
        "quoted ☃": ("'quoted ☃'", ('"', 12, '"a \\" b"')),
        "flow": (
            "flow",
            (
                "{",
                6,
                {
                    "a": ("a", ("[", 11, [("", 12, "1"), ("", 15, "2")])),
                    "b": ("b", ("", 22, "over\n    lines")),
                },
            ),
        ),
        "list": (
            "list",
            (
                "-",
                0,
                [
                    ("", 2, "one"),
                    ("-", 2, [("", 4, "nested"), ("", 4, "😀")]),
                    (
                        ":",
                        2,
                        {
                            "key": ("key", ("|", 7, "|\n    kept")),
                            "other": ("other", (">", 9, ">-\n    folded\n    text")),
                        },
                    ),
                ],
            ),
        ),
        "last": ("last", ("{", 6, {})),
    },
)


def test_every_part_is_found_with_its_style_and_column() -> None:
    assert parts(TEXT, spans(TEXT)) == EXPECTED


def test_line_ends_may_be_of_either_kind() -> None:
    def unified(node: Any) -> Any:
        if isinstance(node, dict):
            return {name: unified(below) for name, below in node.items()}
        if isinstance(node, list | tuple):
            return type(node)(map(unified, node))
        return node.replace("\r\n", "\n") if isinstance(node, str) else node

    text = TEXT.replace("\n", "\r\n")
    assert unified(parts(text, spans(text))) == EXPECTED


@cases(
    ("text", "end"),
    [
        ("a:\n  b: 1\n\n# about c\n", "b: 1"),
        ("a:\n- 1\n- 2 # note\n\n", "- 2"),
        ("a: |\n  x\n\n\n", "  x"),
        ("a: |+\n  x\n\n\n", "  x\n\n"),
        ("a: |+\n  x\n\n# about b\n", "  x\n"),
        ("a: >2-\n   x", "   x"),
        ("a: |   # + no mark\n  x\n\n", "  x"),
    ],
)
def test_block_collection_ends_with_its_last_line(text: str, end: str) -> None:
    root = spans(text)
    assert text[: root.end].endswith(end)
    assert root.end == root.below[-1].end


def test_json_has_flow_collections() -> None:
    text = '{\n  "a\\u00e4": [1, {"b": null}],\n\t"c\\/": "x\\"}",\n "😀": {} }'
    assert parts(text, spans(text, json=True)) == (
        "{",
        0,
        {
            "aä": (
                '"a\\u00e4"',
                ("[", 13, [("", 14, "1"), ("{", 17, {"b": ('"b"', ("", 23, "null"))})]),
            ),
            "c/": ('"c\\/"', ('"', 8, '"x\\"}"')),
            "😀": ('"😀"', ("{", 6, {})),
        },
    )


def test_both_parsers_find_the_same_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [TEXT, TEXT.replace("\n", "\r\n")]
    texts += [Writer(Random(seed)).text(value(Random(seed))) for seed in range(40)]
    here = [parts(text, spans(text)) for text in texts]
    monkeypatch.setattr(room, "_Loader", yaml.SafeLoader)
    assert [parts(text, spans(text)) for text in texts] == here


@cases("seed", range(40))
def test_children_are_consecutive_within_their_parent(seed: int) -> None:
    text = Writer(Random(seed)).text(value(Random(seed)))
    for span in everything(spans(text)):
        ends = [span.start]
        for number, below in enumerate(span.below):
            if span.is_map:
                ends += [span.keys[number].start, span.keys[number].end]
            ends += [below.start, below.end]
        assert [*ends, span.end] == sorted([*ends, span.end])
