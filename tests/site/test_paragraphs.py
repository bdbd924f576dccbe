"""Descriptions without any markup are laid out without the Markdown parser, to the same HTML."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from dateline import filters

PIECES = ["a", "Z", "e.g.", "x: y", "it's", "(c)", "1. x", "2", " ", "  ", "\n", "\t", "- x"]
PIECES += ["---", "===", "*b*", "_b_", "`b`", "&amp;", "<b>", "http://a.b", "[a](b)", "a|b", "#"]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join))
@example("A plan, with a trial (of 30 days); see 'Plans'?\nIt ends/renews: monthly.")
@settings(max_examples=600)
def test_texts_are_laid_out_as_the_parser_does(text: str) -> None:
    parser = filters._commonmark()
    inert = filters._inert(text)

    assert filters.ESCAPES["commonmark"](text) == parser.render(inert)
    assert filters.ESCAPES["commonmark_line"](text) == parser.renderInline(inert)


def test_the_parser_is_left_out_for_plain_sentences_only() -> None:
    plain = ["A plan.", "a", "It's (not) due; see x/y-z: when?\nNext line, too."]
    marked = ["1. a", "- a", "a *b*", "a\n---", "a  \nb", "a &amp; b", "a <b>", 'a "b"', "", " a"]

    assert all(map(filters._PLAIN.fullmatch, plain))
    assert not any(map(filters._PLAIN.fullmatch, marked))
