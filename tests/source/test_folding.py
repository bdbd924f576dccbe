"""Text folded to a width is read back unchanged, by dateline and by PyYAML."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.tables import cases

from dateline.source.spans import spans
from dateline.source.text import yaml_text
from dateline.source.writing import Style, entry, style_of

WIDTH = 40

PIECES = st.sampled_from(
    [
        *("a", "word", "the", "x" * 20, "https://library.example/" + "y" * 30, "  ", "\n", "\n\n"),
        *("- a", "# h", '"q"', "\\", "é", "\t", "\u2028", "😀", ":", "\n  in", "a ", "%", "&", "|"),
        *(">", "\r"),
    ]
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from([" ", ""])), min_size=1, max_size=40).map(
    lambda pieces: "".join(piece + blank for piece, blank in pieces)
)


def fold(text: str) -> str:
    document = {"key": {"list": [text, {"below": text}], "text": text}}
    written = yaml_text(document, width=WIDTH)
    assert yaml.safe_load(written) == document
    return written


@given(TEXTS)
def test_any_text_round_trips(text: str) -> None:
    longest = max(map(len, text.split()), default=0)
    assert all(len(line) <= WIDTH or longest > 12 for line in fold(text).split("\n"))


@cases(
    ("text", "written"),
    [
        ("short", "text: short"),
        (
            "All the loans of a reader, newest first.",
            "text: >-\n  All the loans of a reader, newest\n  first.",
        ),
        (
            "All the loans of a reader, newest first.\n\nAt most 7.\n",
            "text: >\n  All the loans of a reader, newest\n  first.\n\n\n  At most 7.",
        ),
        ("One line.\nAnother line.", "text: |-\n  One line.\n  Another line."),
        (
            "All the loans of a reader:\n  - the newest and the longest ones first",
            'text: "All the loans of a reader:\\n\\\n'
            '  \\  - the newest and the longest ones \\\n  first"',
        ),
        ("https://library.example/" + "a" * 9, "text: https://library.example/" + "a" * 9),
        ("https://library.example/" + "a" * 30, "text: >-\n  https://library.example/" + "a" * 30),
    ],
)
def test_long_text_is_folded(text: str, written: str) -> None:
    assert yaml_text({"text": text}, width=WIDTH).strip() == written
    assert yaml.safe_load(f"{written}\n") == {"text": text}


STYLE = Style(
    brackets=True,
    map_padding=" ",
    list_padding="",
    quote="'",
    step=2,
    list_step=2,
    width=WIDTH,
)


@given(TEXTS)
def test_any_text_round_trips_in_the_style_of_a_file(text: str) -> None:
    written = "\n".join(["key:", f"    {entry('text', text, STYLE, 4)}", "    last: 1"])
    assert yaml.safe_load(written) == {"key": {"text": text, "last": 1}}
    longest = max(map(len, text.split()), default=0)
    assert all(len(line) <= WIDTH or longest > 12 for line in written.split("\n"))


@pytest.mark.parametrize(
    ("lines", "folds"),
    [
        (["a: short"], True),
        (["a: https://library.example/" + "x" * 120], True),
        (["- " + "x" * 130], True),
        (["a: " + "many words " * 13], False),
        (["a: >-", "  folded", "b: " + "many words " * 13], True),
    ],
)
def test_long_lines_that_could_be_broken_show_the_style_of_a_file(
    lines: list[str], folds: bool
) -> None:
    text = "\n".join(lines) + "\n"
    assert style_of(text, spans(text)).folds is folds
