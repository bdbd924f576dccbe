"""Pages and feeds of changes are well-formed, and link only to existing targets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import cmarkgfm  # type: ignore[import-untyped]
import pytest
from support.changing import ATOM, DATES, Files, read_feed, read_page_data, render_pages, versions
from support.reported import HOSTILE
from support.sources import API, LIBRARY, VERSIONS, loaded
from support.tables import cases

from dateline.model import Api


@pytest.fixture
def library(tmp_path: Path) -> Api:
    return loaded(tmp_path, LIBRARY)


# --- Pages for any text in the sources


class _Page(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(written)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def list_addresses(page: _Page) -> Iterator[str | None]:
    """Yield every address that a browser requests, or a reader may follow."""
    for tag, attributes in page.tags:
        for name in ("href", "src", "srcset", "action", "data", "style"):
            if name in attributes and (tag, attributes[name]) != ("link", "data:,"):
                yield attributes[name]


def test_pages_are_well_formed_and_link_only_to_each_other(library: Api) -> None:
    made = render_pages(library)
    for name, text in made.items():
        if name.endswith(".html"):
            page = _Page(text)
            ids = {f"#{attributes['id']}" for _, attributes in page.tags if "id" in attributes}
            assert {*list_addresses(page)} <= {*made, *ids}, name
            assert page.tags[0] == ("html", {"lang": "en"})
            assert "url(" not in text
            assert "@import" not in text
            labels = [
                attributes["aria-labelledby"] for tag, attributes in page.tags if tag == "section"
            ]
            assert labels == [attributes["id"] for tag, attributes in page.tags if tag == "h2"]


def test_links_of_the_markdown_have_targets(library: Api) -> None:
    made = render_pages(library)
    for name, text in made.items():
        if name.endswith(".md"):
            rendered = _Page(cmarkgfm.github_flavored_markdown_to_html(text))
            assert {*list_addresses(rendered)} <= set(made), name


def _hostile(text: str) -> Files:
    """Return sources in which every text for people is *text*."""
    quoted = json.dumps(text, ensure_ascii=False)
    rows = (
        f"date: 2024-01-15, title: {quoted}",
        f"date: 2024-09-01, title: {quoted}",
    )
    loans = {
        "paths": {},
        "components": {
            "schemas": {
                "Loan": {
                    "type": "object",
                    "properties": {
                        "kind": {
                            "const": text,
                            "x-was": {"2024-09-01": {"const": "b"}},
                            "x-why": text,
                        }
                    },
                }
            }
        },
    }
    api = {"openapi": "3.1.0", "info": {"title": text, "version": "canonical"}}
    return {
        "versions.yaml": versions(*rows),
        "api.json": json.dumps(api),
        "loans.json": json.dumps(loans),
    }


# Text that the reader of the sources refuses can't reach a page.
_READABLE: Final = [
    name
    for name, text in HOSTILE.items()
    if text.strip() and all(map(str.isprintable, text)) and len(text) < 10_000
]


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return render_pages(loaded(tmp_path_factory.mktemp("harmless"), _hostile("harmless")))


@cases("name", _READABLE)
def test_hostile_texts_are_text_in_every_form(tmp_path: Path, name: str, harmless: Files) -> None:
    hostile = render_pages(loaded(tmp_path, _hostile(HOSTILE[name])))
    assert list(hostile) == list(harmless)
    for file, text in hostile.items():
        if file.endswith(".html"):
            assert _Page(text).tags == _Page(harmless[file]).tags
        elif file.endswith(".xml"):
            shapes = [
                [e.tag for e in ElementTree.fromstring(one).iter()]
                for one in (text, harmless[file])
            ]
            assert shapes[0] == shapes[1]
        elif file.endswith(".md"):
            one, other = (
                _Page(cmarkgfm.github_flavored_markdown_to_html(written))
                for written in (text, harmless[file])
            )
            assert [tag for tag in one.tags if tag != ("code", {})] == [
                tag for tag in other.tags if tag != ("code", {})
            ]


# --- Descriptions of new parts

_DESCRIBED: Final = (
    "Takes **{name}**, `<b>` and <script>x</script> ![i](https://elsewhere.example/i)"
)


def _describe(name: str, **node: Any) -> dict[str, Any]:
    return {"description": _DESCRIBED.format(name=name), **node}


def _define(key: str) -> Files:
    """Return sources with one node of each kind that has *key* from the second version on."""
    gate = {key: "2024-09-01"}
    text = {"schema": {"type": "string"}}
    responses = {
        "200": _describe(
            "kept response",
            headers={"X-A": _describe("header", **text, **gate)},
            content={"application/json": {"schema": {"$ref": "#/components/schemas/Loan"}}},
        ),
        "404": _describe("response", **gate),
    }
    parameter = _describe("parameter", **text, **gate)
    parameters = [{"name": "q", "in": "query", **parameter}]
    get = _describe(
        "kept operation", operationId="read", parameters=parameters, responses=responses
    )
    written = {"204": {"description": "put"}}
    put = _describe("operation", operationId="write", responses=written, **gate)
    field = _describe("field", type="string", **gate)
    loan = _describe("kept schema", type="object", properties={"field": field})
    loans = {
        "paths": {"/loans": {"get": get, "put": put}},
        "components": {"schemas": {"Loan": loan}},
    }
    rows = ("date: 2024-01-15, title: a", "date: 2024-09-01, title: b")
    return {"versions.yaml": versions(*rows), "api.yaml": API, "loans.json": json.dumps(loans)}


@pytest.mark.parametrize(
    ("key", "described"),
    [
        ("x-added", {"operation", "parameter", "header", "response", "field"}),
        ("x-removed", set[str]()),
    ],
)
def test_new_parts_are_described_as_commonmark(
    tmp_path: Path, key: str, described: set[str]
) -> None:
    text = render_pages(loaded(tmp_path, _define(key)))["2024-01-15...2024-09-01.html"]
    assert {*re.findall(r"<p>Takes <strong>(.+?)</strong>, <code>", text)} == described
    assert text.count('<div class="words">') == len(described)
    assert not {"script", "b", "img"} & {tag for tag, _ in _Page(text).tags}


# --- Index and feed

ANNOUNCED: Final = """\
announcements:
  - { default: 2025-06-01, from: 2026-01-15, announced: 2025-07-01 }
  - { ends: 2024-01-15, from: 2025-01-15, announced: 2024-07-01 }
"""


def test_announcements_are_in_the_index_and_on_the_pages_concerned(tmp_path: Path) -> None:
    files = {**LIBRARY, "versions.yaml": VERSIONS + ANNOUNCED}
    made = render_pages(loaded(tmp_path, files))
    moves = "Version 2025-06-01 becomes the default on 2026-01-15."
    ends = "Version 2024-01-15 ends on 2025-01-15."
    for form, index in (("md", "README.md"), ("html", "index.html")):
        assert moves in made[index]
        assert ends in made[index]
        shown = {name for name in made if name.endswith(f".{form}") and ends in made[name]}
        assert shown == {
            index,
            *(f"2024-01-15...{newer}.{form}" for newer in DATES[1:]),
        }
    assert read_page_data(made, "2024-09-01", "2025-06-01")["announcements"] == [
        {
            "kind": "default",
            "version": "2025-06-01",
            "day": "2026-01-15",
            "announced": "2025-07-01",
        }
    ]


def test_feed_lists_versions_and_announcements_by_date(tmp_path: Path) -> None:
    files = {**LIBRARY, "versions.yaml": VERSIONS + ANNOUNCED}
    assert read_feed(render_pages(loaded(tmp_path, files))) == [
        (
            "Version 2025-06-01 becomes the default on 2026-01-15.",
            "2025-07-01T00:00:00Z",
            "index.html",
        ),
        (
            "2025-06-01: Author names in one field",
            "2025-06-01T00:00:00Z",
            "2024-09-01...2025-06-01.html",
        ),
        ("2024-09-01: Audio books", "2024-09-01T00:00:00Z", "2024-01-15...2024-09-01.html"),
        ("Version 2024-01-15 ends on 2025-01-15.", "2024-07-01T00:00:00Z", "index.html"),
        ("2024-01-15: Initial version", "2024-01-15T00:00:00Z", "index.html"),
    ]


def test_entry_keeps_its_id_when_versions_follow(tmp_path: Path) -> None:
    def ids(files: Files) -> list[str | None]:
        entries = ElementTree.fromstring(files["feed.xml"]).findall(f"{ATOM}entry")
        return [entry.findtext(f"{ATOM}id") for entry in entries]

    before = ids(render_pages(loaded(tmp_path / "before", LIBRARY)))
    cut = {
        name: text.replace(", draft: true", "").replace("next", "2025-11-11")
        for name, text in LIBRARY.items()
    }
    after = ids(render_pages(loaded(tmp_path / "after", cut)))
    assert after[1:] == before
    assert len(after) == len(before) + 1


def test_feed_names_the_first_changes_of_a_version_and_counts_the_others(
    tmp_path: Path,
) -> None:
    fields = {f"f{index}": {"type": "string", "x-removed": "2024-09-01"} for index in range(53)}
    loan = {"type": "object", "properties": fields}
    files = {
        "versions.yaml": versions("date: 2024-01-15, title: A", "date: 2024-09-01, title: B"),
        "api.yaml": API,
        "loans.json": json.dumps({"paths": {}, "components": {"schemas": {"Loan": loan}}}),
    }
    made = render_pages(loaded(tmp_path, files))
    assert made["feed.xml"].count("<li>") == 50
    assert "<p>and 3 more</p>" in made["feed.xml"]
    assert made["2024-01-15...2024-09-01.html"].count("<article>") == 53
