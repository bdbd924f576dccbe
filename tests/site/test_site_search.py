"""The index of the search, and the names of the pages that it leads to."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from support.tables import cases

from dateline.filters import ESCAPES
from dateline.site.contents import group_operations, list_operations, name_pages
from dateline.site.searching import SearchEntry
from dateline.site.trees import ListedValue, TreeRow


def row(name: str, *rows: TreeRow, values: tuple[str, ...] = (), around: str = "a") -> TreeRow:
    listed = tuple(ListedValue(text=each, description="", marks=()) for each in values)
    return TreeRow(name=name, anchor=f"{around}.{name}", role="field", rows=rows, values=listed)


def read_places(shortened: list[Any]) -> list[str]:
    """Return *shortened* places as the script reads them: its characters have 16 bits."""
    places = [b""]
    for count, rest in zip(shortened[::2], shortened[1::2], strict=True):
        places.append(places[-1][: 2 * count] + rest.encode("utf-16-le"))
    return [each.decode("utf-16-le") for each in places[1:]]


PLAIN = row("state", values=('"on"', '"o\\"ff"', "1", "null"))
SAME = ["a.state", "a.state on", 'a.state o"ff', "a.state 1", "a.state null"]
PAGE = TreeRow(name="", anchor="a", role="page", rows=(row("x"),))


@cases(
    "versions, expected",
    [
        ([[PLAIN]], [SAME]),
        ([[PLAIN], [PLAIN]], [SAME, SAME]),
        ([[PLAIN], [], [PLAIN]], [SAME, [], SAME]),
        ([[PLAIN], [row("state", values=('"on"',))]], [SAME, SAME[:2]]),
        ([[row("x")], [row("y"), row("x")]], [["a.x"], ["a.x", "a.y"]]),
        # characters above U+FFFF, and a name within another one
        ([[row("\U0001f600"), row("\U0001f600b"), row("\U0001f601")]], None),
        ([[row("ab"), row("a"), row("abc")]], None),
        # only what has no page of its own is listed with its contents
        ([[replace(PAGE, component="X")]], [[]]),
        ([[PAGE]], [["a.x"]]),
        ([[row("x", row("y", around="a.x"))]], [["a.x", "a.x.y"]]),
    ],
)
def test_places_of_each_version_can_be_read(
    versions: list[list[TreeRow]], expected: list[list[str]] | None
) -> None:
    entry = SearchEntry(title="", name="", tag="", page="", names={}, texts=[])
    for number, trees in enumerate(versions):
        entry.add(str(number), trees)
    found: Any = json.loads(ESCAPES["index"]([entry.write()]))[0][5]
    now: set[str] = set()
    read = []
    for _, added, gone in found:
        now = (now - {*read_places(gone)}) | {*read_places(added)}
        read.append(sorted(now))
    known = expected or [[each.anchor for each in trees] for trees in versions]
    assert read == [sorted(each) for each in known]


@cases(
    "texts, words",
    [
        (["The loan.", "The Loan's end"], "the loan loan's end"),
        (["Read [more](https://a.example/b?c) <https://b.example>."], "read more"),
        (["<p>One <a href='x'>two</a></p> a < bc"], "one two bc"),
        ([], ""),
    ],
)
def test_index_has_each_word_once(texts: list[str], words: str) -> None:
    assert json.loads(ESCAPES["index"]([["title", texts]])) == [["title", words]]


@cases(
    "versions, pages",
    [
        # what a later version adds gets another page, in whatever order the names sort
        (["/a/b | /a/c"], {"/a/b": "a-b", "/a/c": "a-c"}),
        (["/a/{b}", "/a/b | /a/{b}"], {"/a/{b}": "a-b", "/a/b": "a-b-662b7b62"}),
        (["/a/b", "/a/b | /a/{b}"], {"/a/b": "a-b", "/a/{b}": "a-b-2054c595"}),
        (["/a/b", "/a/{b}"], {"/a/b": "a-b", "/a/{b}": "a-b-2054c595"}),
        (["Loan", "Loan | loan"], {"Loan": "Loan", "loan": "loan-472bbf14"}),
        (["a" * 101], {"a" * 101: "a" * 100 + "-9d079339"}),
        # with and without a slash at the end, one page: the picker leads from the one to the other
        (["/a/", "/a"], {"/a/": "a", "/a": "a"}),
        (["/a", "/a/"], {"/a": "a", "/a/": "a"}),
        (["/a/", "/a", "/a | /a/"], {"/a/": "a", "/a": "a-6a50dc85"}),
        (["/a | /a/"], {"/a": "a", "/a/": "a-8290412f"}),
    ],
)
def test_pages_keep_their_names(versions: list[str], pages: dict[str, str]) -> None:
    assert name_pages(each.split(" | ") for each in versions) == pages


MANY = [f"/v1/{name}" for name in ("charges", "charges/{id}", "refunds", *map(str, range(30)))]


@cases(
    "paths, tag, groups",
    [
        (["/v1/charges", "/v1/refunds"], "", {"Other operations": 2}),
        (MANY, "", {"charges": 2, "refunds": 1, **dict.fromkeys(map(str, range(30)), 1)}),
        ([*MANY, "/v1"], "", {"charges": 2, "Other operations": 1}),
        ([*MANY, "/health"], "", {"v1": 33, "health": 1}),
        (MANY, "Money", {"Money": 1, "Other operations": 32}),
    ],
)
def test_many_operations_without_tags_are_grouped_by_path(
    paths: list[str], tag: str, groups: dict[str, int]
) -> None:
    document: dict[str, Any] = {"paths": {path: {"get": {}} for path in paths}}
    if tag:
        document["paths"][paths[0]]["get"]["tags"] = [tag]
    found = group_operations(list_operations(document))
    assert sum(map(len, found.values())) == len(paths)
    assert {name: len(each) for name, each in found.items() if name in groups} == groups
