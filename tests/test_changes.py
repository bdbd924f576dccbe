"""Change pages tell callers all that differs between two versions, why, and what to do about it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import cmarkgfm  # type: ignore[import-untyped]
import gated_apis
import jsonschema_rs
import pytest
from reported import HOSTILE
from sources import API, LIBRARY, VERSIONS, loaded

from dateline import entry
from dateline.check.sides import compared
from dateline.model import Api
from dateline.render import render
from dateline.render.changes import schema
from dateline.render.changes.advice import ADVICE
from dateline.render.changes.history import history
from dateline.render.changes.pages import EVERY_PAIR
from dateline.rules import RULES

GENERATED: Final = Path(__file__).parents[1] / "generated" / "changes"
DATES: Final = ("2024-01-15", "2024-09-01", "2025-06-01", "next")
PAGE: Final = jsonschema_rs.Draft202012Validator(json.loads(schema()))
ATOM: Final = "{http://www.w3.org/2005/Atom}"

Files = dict[str, str]


def pages(api: Api) -> Files:
    """Return the text of every file in `changes/`, by its name."""
    made = render(api, models=False, validate=False).artifacts
    return {
        artifact.path.removeprefix("changes/"): artifact.content.decode()
        for artifact in made
        if artifact.path.startswith("changes/")
    }


def told(files: Files, older: str, newer: str) -> Any:
    return json.loads(files[f"{older}...{newer}.json"])


@pytest.fixture
def library(tmp_path: Path) -> Api:
    return loaded(tmp_path, LIBRARY)


def versions(*rows: str, more: str = "") -> str:
    """Return a version table with *rows*, served in two environments."""
    return VERSIONS[: VERSIONS.index("  - {")] + "".join(
        [
            *(f"  - {{ {row} }}\n" for row in rows),
            VERSIONS[VERSIONS.index("environments:") :],
            more,
        ]
    )


def swapped(files: Files, *edits: tuple[str, str]) -> Files:
    """Return *files* with each text that is there once replaced."""
    changed = dict(files)
    for before, after in edits:
        (name,) = [name for name, text in changed.items() if before in text]
        assert changed[name].count(before) == 1
        changed[name] = changed[name].replace(before, after)
    return changed


# --- The pages


def test_every_two_versions_have_a_page_in_three_forms(library: Api) -> None:
    pairs = [f"{older}...{newer}" for older, newer in combinations(DATES, 2)]
    assert sorted(pages(library)) == sorted(
        [
            *(f"{pair}.{form}" for pair in pairs for form in ("html", "json", "md")),
            *("README.md", "feed.xml", "index.html"),
        ]
    )


def test_a_page_says_what_where_why_and_what_to_do(library: Api) -> None:
    assert told(pages(library), "2025-06-01", "next") == {
        "older": "2025-06-01",
        "newer": "next",
        "draft": True,
        "undisclosed": [],
        "environments": ["production", "sandbox"],
        "announcements": [],
        "summary": {"never": 0, "gated": 1, "additive": 0},
        "changes": [
            {
                "rule": "value-added",
                "verdict": "gated",
                "message": "LoanState: value paused added",
                "direction": "response",
                "schema": "LoanState",
                "field": "",
                "before_pointer": None,
                "after_pointer": "/components/schemas/LoanState/enum/1",
                "before": None,
                "after": "paused",
                "operations": ["GET /loans/{id}"],
                "environments": ["production", "sandbox"],
                "versions": ["next"],
                "why": "a loan can be paused",
                "upgrade": "Be ready for the new value wherever you read the field.",
            }
        ],
    }


def test_a_page_reads_as_a_list_by_reason(library: Api) -> None:
    assert pages(library)["2025-06-01...next.md"] == (
        "# Library: what changed from 2025-06-01 to next\n"
        "\n"
        "next: Loans can be paused\n"
        "\n"
        "1 gated.\n"
        "\n"
        "next is being prepared: all of this may still change.\n"
        "\n"
        "## a loan can be paused\n"
        "\n"
        "### LoanState: value paused added\n"
        "\n"
        "- verdict: gated (`value-added`)\n"
        "- where: `/components/schemas/LoanState/enum/1`, in responses\n"
        "- since: next\n"
        '- after: `"paused"`\n'
        "- operations: `GET /loans/{id}`\n"
        "- to upgrade: Be ready for the new value wherever you read the field.\n"
        "\n"
        "[All versions](README.md) · [this page for programs](2025-06-01...next.json)\n"
    )


def test_a_jump_tells_the_outcome_and_which_version_brought_it(library: Api) -> None:
    found = told(pages(library), "2024-01-15", "next")["changes"]
    assert [(change["message"], change["versions"], change["why"]) for change in found] == [
        ("Item: variant AudioBook added", ["2024-09-01"], None),
        ("Loan.author_name: field renamed ('writer' -> 'author_name')", ["2025-06-01"], None),
        ("Loan.due: format changed ('date' -> 'date-time')", ["2024-09-01"], None),
        ("Loan.fine_cents: field removed", ["2025-06-01"], None),
        ("LoanState: value paused added", ["next"], "a loan can be paused"),
        ("AudioBook: component added", ["2024-09-01"], None),
    ]


def test_what_comes_with_a_gated_member_has_its_reason(tmp_path: Path) -> None:
    why = "x-shown-as: { kind: Book, title: audio book }"
    files = swapped(LIBRARY, (why, f"{why}\n          x-why: People listen."))
    files = swapped(
        files, ("minutes: { type: integer }", "minutes: { $ref: '#/components/schemas/Time' }")
    )
    files["time.yaml"] = "components: { schemas: { Time: { type: integer } } }\n"
    found = told(pages(loaded(tmp_path, files)), "2024-01-15", "2024-09-01")["changes"]
    assert [(change["message"], change["why"]) for change in found] == [
        ("Item: variant AudioBook added", "People listen."),
        ("Loan.due: format changed ('date' -> 'date-time')", None),
        ("AudioBook: component added", "People listen."),
        ("Time: component added", "People listen."),
    ]


def test_changes_stand_under_their_reason_and_those_without_one_last(tmp_path: Path) -> None:
    renamed = "x-was: { 2025-06-01: { name: writer } }"
    removed = "x-removed: 2025-06-01 }"
    files = swapped(
        LIBRARY,
        (renamed, f"{renamed}\n          x-why: One word."),
        (
            "{ kind: Book, title: audio book }",
            "{ kind: Book, title: audio book }\n          x-why: One word.",
        ),
        (removed, "x-removed: 2025-06-01, x-why: Fines are gone. }"),
    )
    page = pages(loaded(tmp_path, files))["2024-01-15...2025-06-01.md"]
    assert re.findall(r"^##+ (.*)$", page, re.MULTILINE) == [
        "One word.",
        "Item: variant AudioBook added",
        r"Loan.author\_name: field renamed ('writer' -\> 'author\_name')",
        "AudioBook: component added",
        "Fines are gone.",
        r"Loan.fine\_cents: field removed",
        "No reason given",
        "Loan.due: format changed ('date' -\\> 'date-time')",
    ]


SANDBOX: Final = """\
paths:
  /sandbox/clock:
    x-environments: [sandbox]
    get:
      operationId: getClock
      tags: [Sandbox]
      responses:
        '200':
          description: a clock
          content: { application/json: { schema: { $ref: '#/components/schemas/Clock' } } }
components:
  schemas:
    Clock:
      type: object
      properties: { now: { type: string, x-was: { 2024-09-01: { name: time } } } }
"""


def test_what_concerns_one_environment_says_so(tmp_path: Path) -> None:
    files = pages(loaded(tmp_path, {**LIBRARY, "clock.yaml": SANDBOX}))
    found = told(files, "2024-01-15", "2024-09-01")["changes"]
    both = ["production", "sandbox"]
    assert {change["message"]: change["environments"] for change in found} == {
        "Clock.now: field renamed ('time' -> 'now')": ["sandbox"],
        "Item: variant AudioBook added": both,
        "Loan.due: format changed ('date' -> 'date-time')": both,
        "AudioBook: component added": both,
    }
    for form in ("md", "html"):
        assert files[f"2024-01-15...2024-09-01.{form}"].count("only in") == 1


def test_what_is_not_disclosed_is_said_and_nothing_invented(tmp_path: Path) -> None:
    rows = ("date: 2024-01-15, title: A", "date: 2024-09-01, title: B, undisclosed: true")
    quiet = {"versions.yaml": versions(*rows), "api.yaml": f"{API}paths: {{}}\n"}
    files = pages(loaded(tmp_path, quiet))
    page = told(files, "2024-01-15", "2024-09-01")
    assert (page["undisclosed"], page["changes"]) == (["2024-09-01"], [])
    sentence = "What 2024-09-01 changes is not disclosed."
    assert sentence in files["2024-01-15...2024-09-01.md"]
    assert sentence in files["2024-01-15...2024-09-01.html"]
    assert "[not disclosed](2024-01-15...2024-09-01.md)" in files["README.md"]


def test_one_version_has_an_index_and_no_page(tmp_path: Path) -> None:
    one = {
        "versions.yaml": versions("date: 2024-01-15, title: A"),
        "api.yaml": f"{API}paths: {{}}\n",
    }
    assert sorted(pages(loaded(tmp_path, one))) == ["README.md", "feed.xml", "index.html"]


@pytest.mark.parametrize("count", [EVERY_PAIR, EVERY_PAIR + 1])
def test_many_versions_have_pages_for_neighbours_and_the_way_to_the_latest(
    tmp_path: Path, count: int
) -> None:
    dates = [f"20{10 + index}-01-01" for index in range(count - 1)] + ["next"]
    rows = [f"date: {date}, title: A{', draft: true' * (date == 'next')}" for date in dates]
    table = versions(*rows).replace("default: 2024-01-15", f"default: {dates[0]}")
    made = pages(loaded(tmp_path, {"versions.yaml": table, "api.yaml": f"{API}paths: {{}}\n"}))
    neighbours = set(pairwise(dates))
    jumps = {(date, dates[-2]) for date in dates[:-2]}
    expected = set(combinations(dates, 2)) if count == EVERY_PAIR else neighbours | jumps
    assert {name for name in made if name.endswith(".json")} == {
        f"{older}...{newer}.json" for older, newer in expected
    }


def test_the_same_sources_give_the_same_bytes(tmp_path: Path) -> None:
    first = pages(loaded(tmp_path / "one", LIBRARY))
    # the order in which fragments are read and named must not show either
    assert first == pages(loaded(tmp_path / "two", dict(reversed(LIBRARY.items()))))


def test_a_template_of_the_users_overrides_the_built_in_one(tmp_path: Path, library: Api) -> None:
    own = tmp_path / "own" / "changes"
    own.mkdir(parents=True)
    (own / "{older}...{newer}.md.jinja").write_text("{{ page.summary | md }}\n")
    (own / "versions.txt.jinja").write_text(
        "{% for row in rows %}{{ row.version.date | md }} {% endfor %}"
    )
    made = {
        artifact.path: artifact.content.decode()
        for artifact in render(library, tmp_path / "own", models=False, validate=False).artifacts
    }
    assert made["changes/2024-01-15...2024-09-01.md"] == "2 gated, 1 additive\n"
    assert made["changes/versions.txt"] == "next 2025-06-01 2024-09-01 2024-01-15 "


# --- Laws, over APIs made by chance


@pytest.fixture(scope="module", params=range(5))
def by_chance(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Api:
    return loaded(tmp_path_factory.mktemp("gated"), gated_apis.sources(request.param))


@pytest.fixture(scope="module")
def made_by_chance(by_chance: Api) -> Files:
    return pages(by_chance)


def test_no_version_is_compared_with_itself_or_backwards(
    by_chance: Api, made_by_chance: Files
) -> None:
    dates = by_chance.table.dates
    names = [name.removesuffix(".json") for name in made_by_chance if name.endswith(".json")]
    assert sorted(names) == sorted("...".join(pair) for pair in combinations(dates, 2))


def test_a_page_holds_what_a_diff_finds(by_chance: Api, made_by_chance: Files) -> None:
    dates = by_chance.table.dates
    for older, newer in combinations(dates, 2):
        findings, _ = compared(by_chance.folder, by_chance.folder / "none", older, newer)
        expected = [
            (found.rule, found.message, found.environments, found.operations) for found in findings
        ]
        page = told(made_by_chance, older, newer)
        assert sorted(expected) == sorted(
            (
                change["rule"],
                change["message"],
                tuple(change["environments"]),
                tuple(change["operations"]),
            )
            for change in page["changes"]
        )
        assert sum(page["summary"].values()) == len(page["changes"])
        PAGE.validate(page)


def test_between_neighbours_each_gated_change_comes_with_the_newer_one(
    by_chance: Api, made_by_chance: Files
) -> None:
    dates = by_chance.table.dates
    for older, newer in pairwise(dates):
        brought = {
            tuple(change["versions"])
            for change in told(made_by_chance, older, newer)["changes"]
            if change["verdict"] == "gated"
        }
        assert brought <= {(newer,)}


# --- What people and their programs read is well formed, whatever the sources say


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


def fetched(page: _Page) -> Iterator[str | None]:
    """Yield every address that a browser asks for, or a reader may follow."""
    for tag, attributes in page.tags:
        for name in ("href", "src", "srcset", "action", "data", "style"):
            if name in attributes and (tag, attributes[name]) != ("link", "data:,"):
                yield attributes[name]


def test_pages_are_well_formed_and_lead_only_to_each_other(library: Api) -> None:
    made = pages(library)
    for name, text in made.items():
        if name.endswith(".html"):
            page = _Page(text)
            assert {*fetched(page)} <= set(made), name
            assert page.tags[0] == ("html", {"lang": "en"})
            assert "url(" not in text
            assert "@import" not in text
            labels = [told["aria-labelledby"] for tag, told in page.tags if tag == "section"]
            assert labels == [told["id"] for tag, told in page.tags if tag == "h2"]


def test_links_of_the_markdown_lead_to_what_is_there(library: Api) -> None:
    made = pages(library)
    for name, text in made.items():
        if name.endswith(".md"):
            rendered = _Page(cmarkgfm.github_flavored_markdown_to_html(text))
            assert {*fetched(rendered)} <= set(made), name


def _hostile(text: str) -> Files:
    """Return sources whose every word for people is *text*."""
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


# What the reader of the sources refuses can't reach a page.
_READABLE: Final = [
    name
    for name, text in HOSTILE.items()
    if text.strip() and all(map(str.isprintable, text)) and len(text) < 10_000
]


@pytest.mark.parametrize("name", _READABLE)
def test_hostile_texts_are_text_in_every_form(tmp_path: Path, name: str) -> None:
    hostile = pages(loaded(tmp_path / "hostile", _hostile(HOSTILE[name])))
    harmless = pages(loaded(tmp_path / "harmless", _hostile("harmless")))
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


# --- Index and feed

ANNOUNCED: Final = """\
announcements:
  - { default: 2025-06-01, from: 2026-01-15 }
  - { ends: 2024-01-15, from: 2025-01-15 }
"""


def test_announcements_stand_in_the_index_and_on_the_pages_they_concern(tmp_path: Path) -> None:
    files = {**LIBRARY, "versions.yaml": VERSIONS + ANNOUNCED}
    made = pages(loaded(tmp_path, files))
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
    assert told(made, "2024-09-01", "2025-06-01")["announcements"] == [
        {"kind": "default", "version": "2025-06-01", "day": "2026-01-15"}
    ]


def feed(files: Files) -> list[tuple[str | None, str | None, str | None]]:
    """Return (title, date, link) of each entry, after holding the feed to RFC 4287 section 4.1."""
    root = ElementTree.fromstring(files["feed.xml"])
    assert root.tag == f"{ATOM}feed"
    entries = root.findall(f"{ATOM}entry")
    for holder in (root, *entries):
        for required in ("id", "title", "updated"):
            assert len(holder.findall(f"{ATOM}{required}")) == 1
        assert re.fullmatch(
            r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
            holder.findtext(f"{ATOM}id") or "",
        )
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(ids)) == len(ids)
    assert root.find(f"{ATOM}author/{ATOM}name") is not None
    updated = [entry.findtext(f"{ATOM}updated") or "" for entry in entries]
    assert updated == sorted(updated, reverse=True)
    assert root.findtext(f"{ATOM}updated") == updated[0]
    listed = []
    for one in entries:
        (link,) = one.findall(f"{ATOM}link[@rel='alternate']")
        assert link.get("href") in files
        listed.append(
            (
                one.findtext(f"{ATOM}title"),
                one.findtext(f"{ATOM}updated"),
                link.get("href"),
            )
        )
    return listed


def test_the_feed_tells_versions_and_announcements_by_their_dates(tmp_path: Path) -> None:
    files = {**LIBRARY, "versions.yaml": VERSIONS + ANNOUNCED}
    assert feed(pages(loaded(tmp_path, files))) == [
        # made on a day that nobody told: it has the date of the latest version
        (
            "Version 2025-06-01 becomes the default on 2026-01-15.",
            "2025-06-01T00:00:00Z",
            "index.html",
        ),
        (
            "2025-06-01: Author names in one field",
            "2025-06-01T00:00:00Z",
            "2024-09-01...2025-06-01.html",
        ),
        ("Version 2024-01-15 ends on 2025-01-15.", "2025-01-15T00:00:00Z", "index.html"),
        ("2024-09-01: Audio books", "2024-09-01T00:00:00Z", "2024-01-15...2024-09-01.html"),
        ("2024-01-15: Initial version", "2024-01-15T00:00:00Z", "index.html"),
    ]


def test_an_entry_keeps_its_id_when_versions_follow(tmp_path: Path) -> None:
    def ids(files: Files) -> list[str | None]:
        entries = ElementTree.fromstring(files["feed.xml"]).findall(f"{ATOM}entry")
        return [entry.findtext(f"{ATOM}id") for entry in entries]

    before = ids(pages(loaded(tmp_path / "before", LIBRARY)))
    cut = {
        name: text.replace(", draft: true", "").replace("next", "2025-11-11")
        for name, text in LIBRARY.items()
    }
    after = ids(pages(loaded(tmp_path / "after", cut)))
    assert after[1:] == before
    assert len(after) == len(before) + 1


# --- Advice


def test_every_rule_has_advice_for_callers_that_names_no_key_of_ours() -> None:
    assert sorted(ADVICE) == sorted(RULES)
    assert [rule for rule, text in ADVICE.items() if "x-" in text or text[-1] != "."] == []


# --- The payment API


def test_the_table_of_the_specification_comes_out() -> None:
    first, fednow, undisclosed = "2025-03-13", "2026-07-01", "2026-08-01"
    files = {path.name: path.read_text(encoding="utf-8") for path in GENERATED.iterdir()}
    why = "A version that is cut gains no union variant; callers of 2025-03-13 never see FedNow."
    six = [
        "GET /autoramps",
        "GET /autoramps/{autoramp_id}",
        "GET /autoramps/{external_id}/external",
        "PATCH /autoramps/{autoramp_id}",
        "POST /autoramps",
        "POST /autoramps/{autoramp_id}/quotes",
    ]
    everything = [
        ("DepositRail: variant FedNow added", "gated", "response", six, [fednow], why),
        # the shape of the member itself, for those who generate code
        ("FedNow: component added", "additive", "model", [], [fednow], why),
    ]
    for newer, changes, hidden in (
        (fednow, everything, []),
        (undisclosed, everything, [undisclosed]),
    ):
        page = told(files, first, newer)
        keys = ("message", "verdict", "direction", "operations", "versions", "why")
        assert [tuple(change[key] for key in keys) for change in page["changes"]] == changes
        assert page["undisclosed"] == hidden
    last = told(files, fednow, undisclosed)
    assert (last["changes"], last["undisclosed"]) == ([], [undisclosed])
    assert [title for title, _, _ in feed(files)] == [
        f"{undisclosed}: Supported; what it changes is not shown.",
        f"{fednow}: Adds the FedNow member to the deposit rails of every autoramp.",
        f"{first}: Initial version; served when a request names none.",
    ]


# --- Histories


def lines(api: Api, name: str) -> list[str]:
    return list(history(api, name).lines())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "Loan.author_name",
            [
                "Loan.author_name (schemas/loans.yaml:26:9)",
                "  2024-01-15  Loan.writer: there from the first version on",
                "  2025-06-01  gated [field-renamed] Loan.author_name: field renamed "
                "('writer' -> 'author_name')",
                "              schemas/loans.yaml:26:9",
            ],
        ),
        (
            "Loan.fine_cents",
            [
                "Loan.fine_cents (schemas/loans.yaml:29:9)",
                "  2024-01-15  Loan.fine_cents: there from the first version on",
                "  2025-06-01  gated [response-field-removed] Loan.fine_cents: field removed",
                "              schemas/loans.yaml:29:9",
            ],
        ),
        (
            # what a field refers to is part of its history
            "Loan.state",
            [
                "Loan.state (schemas/loans.yaml:33:9)",
                "  2024-01-15  Loan.state: there from the first version on",
                "  next        gated [value-added] LoanState: value paused added",
                "              why: a loan can be paused",
                "              schemas/loans.yaml:38:11",
            ],
        ),
        (
            "LoanState.paused",
            [
                "LoanState.paused (schemas/loans.yaml:34:5)",
                "  next        gated [value-added] LoanState: value paused added",
                "              why: a loan can be paused",
                "              schemas/loans.yaml:38:11",
            ],
        ),
        (
            "LoanState.active",
            [
                "LoanState.active (schemas/loans.yaml:34:5)",
                "  2024-01-15  LoanState.active: there from the first version on",
            ],
        ),
        (
            # what came with its component
            "AudioBook.minutes",
            [
                "AudioBook.minutes (schemas/loans.yaml:59:9)",
                "  2024-09-01  additive [component-added] AudioBook: component added",
                "              schemas/loans.yaml:53:5",
            ],
        ),
        (
            "expireLoan",
            [
                "POST /sandbox/loans/{id}/expire (schemas/loans.yaml:13:5)",
                "  2024-01-15  POST /sandbox/loans/{id}/expire: there from the first version on",
            ],
        ),
    ],
)
def test_a_history_tells_since_when_what_before_and_why(
    library: Api, name: str, expected: list[str]
) -> None:
    assert lines(library, name) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Loan.writer", "Loan.author_name"),
        ("Loan.item.minutes", "AudioBook.minutes"),
        ("expireLoan", "POST /sandbox/loans/{id}/expire"),
    ],
)
def test_a_thing_has_one_history_whatever_it_is_called(library: Api, one: str, other: str) -> None:
    assert history(library, one) == history(library, other)


def test_the_history_of_an_operation_is_all_that_its_callers_see(library: Api) -> None:
    seen = [event.message for event in history(library, "getLoan").events]
    made = pages(library)
    expected = [
        change["message"]
        for older, newer in pairwise(DATES)
        for change in told(made, older, newer)["changes"]
        if "GET /loans/{id}" in change["operations"]
    ]
    assert seen == ["GET /loans/{id}: there from the first version on", *expected]


def test_every_component_has_a_history_that_begins_where_it_does(by_chance: Api) -> None:
    shown = [name for (section, name), where in by_chance.visible.items() if where]
    # some of them: each takes as long as all the pages between neighbours
    for name in shown[::9]:
        found = history(by_chance, name)
        dates = by_chance.table.dates
        assert found.versions
        assert found.events[0].version == found.versions[0], name
        gone = dates[dates.index(found.versions[-1]) + 1 :]
        if gone:
            assert found.events[-1].version == gone[0]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Lon", "No component or operation is called 'Lon'; did you mean 'Loan'?"),
        ("Loan.stat", "No field or value of Loan is called 'stat'; did you mean 'state'?"),
        (
            "GET /loan/{id}",
            "No component or operation is called 'GET /loan/{id}'; did you mean 'GET /loans/{id}'?",
        ),
        (
            "LoanState.pause",
            "No field or value of LoanState is called 'pause'; did you mean 'paused'?",
        ),
    ],
)
def test_an_unknown_name_brings_the_nearest_one(library: Api, name: str, said: str) -> None:
    with pytest.raises(LookupError) as caught:
        history(library, name)
    assert caught.value.args == (said,)


def test_a_history_for_programs_holds_the_changes_of_the_pages(library: Api) -> None:
    found = json.loads(history(library, "LoanState.paused").text())
    source = {"file": "schemas/loans.yaml", "line": 38, "column": 11}
    assert found == {
        "name": "LoanState.paused",
        "source": {"file": "schemas/loans.yaml", "line": 34, "column": 5},
        "versions": ["next"],
        "history": [
            {
                "version": "next",
                "message": "LoanState: value paused added",
                "source": source,
                "change": told(pages(library), "2025-06-01", "next")["changes"][0],
            }
        ],
    }


def test_the_command_line_tells_histories(
    library: Api, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(library.folder.parent)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["dateline", *arguments])
        with pytest.raises(SystemExit) as stopped:
            entry.main()
        return int(stopped.value.code or 0), *capfd.readouterr()

    found = history(library, "Loan.state")
    assert run("history", "Loan.state") == (0, "\n".join([*found.lines(), ""]), "")
    assert run("history", "Loan.state", "--format", "json") == (0, f"{found.text()}\n", "")
    said = "No field or value of Loan is called 'sate'; did you mean 'state'?"
    assert run("history", "Loan.sate") == (2, "", f"dateline: {said} See `dateline --help`.\n")
    assert run("schema", "changes") == (0, schema(), "")


# --- Demanding reasons


def demanded(root: Path, *edits: tuple[str, str]) -> list[str]:
    """Return what is found where the version table demands reasons."""
    from datetime import date

    from dateline.check import Published, check

    files = swapped(
        LIBRARY, ("policy: dated-contract", "policy: dated-contract\nrequire-why: true")
    )
    found = check(
        loaded(root, swapped(files, *edits)), Published(label="nothing"), today=date(2026, 1, 1)
    )
    return [
        f"{finding.after_source}: {finding.message}"
        for finding in found
        if finding.rule == "reason-missing"
    ]


def test_a_gate_that_is_not_cut_needs_its_reason_where_the_table_says_so(tmp_path: Path) -> None:
    assert demanded(tmp_path / "given") == []
    assert demanded(tmp_path / "left out", (", x-why: a loan can be paused", "")) == [
        "schemas/loans.yaml:38:28: `x-added` of next gives no reason"
    ]
    edits = ("note: { type: string }", "note: { type: string, x-was: { next: { type: integer } } }")
    assert demanded(tmp_path / "was", edits) == [
        "schemas/loans.yaml:31:31: `x-was` of next gives no reason"
    ]


def test_nobody_needs_a_reason_unless_the_table_says_so(tmp_path: Path) -> None:
    from datetime import date

    from dateline.check import Published, check

    api = loaded(tmp_path, swapped(LIBRARY, (", x-why: a loan can be paused", "")))
    found = check(api, Published(label="nothing"), today=date(2026, 1, 1))
    assert [finding.rule for finding in found] == []
