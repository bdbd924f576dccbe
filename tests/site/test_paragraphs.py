"""Descriptions: plain ones are laid out without the Markdown parser, and their HTML is safe."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.seeds import scale
from support.tables import cases

from dateline import filters
from dateline.markup import has_markup, remove_markup, tidy_markup

PIECES = ["a", "Z", "e.g.", "x: y", "it's", "(c)", "1. x", "2", " ", "  ", "\n", "\t", "- x"]
PIECES += ["---", "===", "*b*", "_b_", "`b`", "&amp;", "<b>", "http://a.b", "[a](b)", "a|b", "#"]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join))
@example("A plan, with a trial (of 30 days); see 'Plans'?\nIt ends/renews: monthly.")
@settings(max_examples=scale(300))
def test_texts_are_rendered_as_by_the_parser(text: str) -> None:
    inert = filters._inert(text)
    parser = filters._commonmark()
    if has_markup(inert):
        return

    assert filters.ESCAPES["commonmark"](text) == parser.render(inert)
    assert filters.ESCAPES["commonmark_line"](text) == parser.renderInline(inert)


def test_parser_is_bypassed_for_plain_sentences_only() -> None:
    plain = ["A plan.", "a", "It's (not) due; see x/y-z: when?\nNext line, too."]
    marked = ["1. a", "- a", "a *b*", "a\n---", "a  \nb", "a &amp; b", "a <b>", 'a "b"', "", " a"]

    assert all(map(filters._PLAIN.fullmatch, plain))
    assert not any(map(filters._PLAIN.fullmatch, marked))


@cases(
    ("text", "page", "plain"),
    [
        (
            "<p>A <b>list</b>.</p>\n\n<p>B</p>",
            "<p>A <strong>list</strong>.</p><p>B</p>",
            "A **list**.\n\nB",
        ),
        ("a<br/>*b*", "<p>a<br><em>b</em></p>", "a\n*b*"),
        (
            "see <a href='https://a.example/?b&c' onclick=d>e</a>",
            '<p>see <a href="https://a.example/?b&amp;c">e</a></p>',
            "see e",
        ),
        ('<a href="/b">c</a> <a href="java&#115;cript:d">e</a>', "<p><a>c</a> <a>e</a></p>", "c e"),
        (
            "<ul><li>a<li>b</ul>c &mdash; d",
            "<ul><li>a</li><li>b</li></ul>c — d",
            "- a\n- b\n\nc — d",
        ),
        ("<h1 id=a>A</h1>", "<h4>A</h4>", "A"),
        ("<div class='a'><span style='b'>c</span></div>", "<div>c</div>", "c"),
        ("<!-- a -->b", "b", "b"),
        ("a <!-- <b>b</b>", "<p>a &lt;!-- &lt;b&gt;b&lt;/b&gt;</p>", "a <!-- <b>b</b>"),
        ("<b>a</b> <!-- b", "<p><strong>a</strong> &lt;!-- b</p>", "**a** <!-- b"),
        (
            "``a<b>`c`` <b>b</b>",
            "<p><code>a&lt;b&gt;`c</code> <strong>b</strong></p>",
            "``a<b>`c`` **b**",
        ),
        # what is not closed, or closed twice, or somewhere else
        ("<p>a <em>b <p>c</em> d", "<p>a <em>b </em></p><p><em>c</em> d</p>", "a *b\n\nc* d"),
        ("- a</li></ul></div>\n- b", "<ul><li>a</li></ul><li>b</li>", "- a\n\n- b"),
        ("<td>a</td><li>b", "a<li>b</li>", "a \n- b"),
        # other tags are text, and so is code
        ("the <id>, `<br>`", "<p>the &lt;id&gt;, <code>&lt;br&gt;</code></p>", "the <id>, `<br>`"),
        (
            "<script>a</script><b>c</b>",
            "&lt;script&gt;a&lt;/script&gt;<strong>c</strong>",
            "<script>a</script>**c**",
        ),
        ("a < b & c <b>d</b>", "<p>a &lt; b &amp; c <strong>d</strong></p>", "a < b & c **d**"),
    ],
)
def test_elements_of_descriptions_are_kept_if_they_only_lay_out_text(
    text: str, page: str, plain: str
) -> None:
    assert filters.ESCAPES["commonmark"](text).replace("\n", "") == page
    assert remove_markup(text) == plain


ELEMENTS = [
    "<p>",
    "</p>",
    "<ul>",
    "</ul>",
    "<li>",
    "</li>",
    "<b>",
    "</b>",
    "<table>",
    "<tr>",
    "</tr>",
]
ELEMENTS += [
    "<td>",
    "</table>",
    "<a href='http://a'>",
    "</a>",
    "<x>",
    "<div>",
    "<!--",
    "-->",
    "<br>",
]


@given(st.lists(st.sampled_from([*ELEMENTS, *PIECES]), max_size=9).map("".join), st.booleans())
def test_elements_of_descriptions_end_within_the_one_they_begin_in(
    text: str, in_line: bool
) -> None:
    tidied = tidy_markup(text, in_line=in_line).replace("<br>", "<br/>")

    parsed = ElementTree.fromstring(f"<root>{re.sub('&[a-z]+;', '', tidied)}</root>")

    tags = {each.tag for each in parsed.iter()}
    assert tags <= {
        "root",
        "strong",
        "a",
        "br",
        *(() if in_line else ("div", "p", "ul", "li", "table", "tbody", "tr", "td")),
    }
    assert not parsed.findall(".//p//p") + parsed.findall(".//p//ul")
