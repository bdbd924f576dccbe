"""Additions to all versions are listed period by period, from the record that cutting writes."""

from __future__ import annotations

import copy
import json
import shutil
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

import pytest
from support import gated_apis
from support.additions import (
    CLEAN,
    FORM_VALUE,
    LATER,
    PAGES_FIELD,
    added_pages,
    cut_next,
    feed,
    index,
    page,
    publish,
    record,
    section,
)
from support.commands import Outcome, dateline, read_files
from support.random_chains import chains, is_sound
from support.random_documents import edit_randomly
from support.repositories import (
    DAY,
    FILES,
    LOST,
    commit,
    edit,
    enter_copy,
    git,
    recorded,
    repository,
)
from support.schema_sites import Document
from support.seeds import seeds
from support.sources import folder, loaded

from dateline.adopt import adopt
from dateline.changes.additions import (
    begin_record,
    continue_record,
    find_empty_period,
    list_periods,
)
from dateline.changes.record import Record, read_record
from dateline.check.comparison import compare
from dateline.load import load
from dateline.load.meaning import replace_words
from dateline.model import Verdict
from dateline.project import Projector

CHANGE: Final = {
    "rule": "response-field-added",
    "verdict": "additive",
    "message": "Loan.pages: field added",
    "direction": "response",
    "schema": "Loan",
    "field": "pages",
    "before_pointer": None,
    "after_pointer": "/components/schemas/Loan/properties/pages",
    "before": None,
    "after": {"type": "integer"},
    "operations": ["GET /loans/{id}"],
    "environments": ["production"],
    "versions": [],
    "why": None,
    "upgrade": "Nothing has to be done. A field that you don't know may be ignored.",
    "effect": "Loan.pages is new in responses.",
    "lines": ["  {", '+   "pages": 183', "  }"],
}

ENTRY: Final = (
    "#### Loan.pages is new in responses.\n"
    "\n"
    "- **What to do:** Nothing has to be done. A field that you don't know may be ignored.\n"
    "- **You receive it in** Get a loan (`GET /loans/{id}`)\n"
    "- Details: `response-field-added`, additive, `/components/schemas/Loan/properties/pages`\n"
    "\n"
    "```diff\n"
    "  {\n"
    '+   "pages": 183\n'
    "  }\n"
    "```\n"
    "\n"
)
SUMMARY: Final = ("/loans/{id}:\n    get:\n", "/loans/{id}:\n    get:\n      summary: Get a loan\n")


# --- From cut to cut


def test_cutting_records_the_documents_of_the_day(project: Path) -> None:
    name = f"spec/production/{DAY}.json"
    assert record() == {name: read_files(project / "generated")[name]}
    assert section(index(), "Added to all versions") == [f"- since {DAY} was cut: nothing yet"]
    assert added_pages() == []


def test_additions_have_a_page_from_then_on(project: Path) -> None:
    before = feed()
    edit(PAGES_FIELD, SUMMARY)
    assert dateline("generate").status == CLEAN

    assert page(DAY) == {
        "since": DAY,
        "until": None,
        "environments": ["production"],
        "changes": [CHANGE],
    }
    assert (project / f"generated/changes/added-since-{DAY}.md").read_text("utf-8") == (
        f"# Library: added to all versions since {DAY} was cut\n"
        "\n"
        "1 additive. Additive changes go to all versions: every caller gets them.\n"
        "\n"
        "## Nothing to do\n"
        "\n"
        f"{ENTRY}"
        f"[All versions](README.md) · [this page as JSON](added-since-{DAY}.json)\n"
    )
    html = (project / f"generated/changes/added-since-{DAY}.html").read_text("utf-8")
    assert f"<h1>Library: added to all versions since {DAY} was cut</h1>" in html
    assert html.count("<article>") == 1
    assert section(index(), "Added to all versions") == [
        f"- [since {DAY} was cut](added-since-{DAY}.md): 1 additive"
    ]
    assert f"[1 additive since](added-since-{DAY}.md) |" in index()
    assert f'<a href="added-since-{DAY}.html">1 additive since</a>' in (
        project / "generated/changes/index.html"
    ).read_text("utf-8")
    # the day of an addition is unknown, so the feed doesn't list it yet
    assert feed() == before
    # additions that haven't been cut are not recorded
    assert git("status", "--porcelain", "schemas") == " M schemas/loans.yaml\n"

    # titles of operations are the current ones
    edit(("summary: Get a loan", "summary: Find a loan"))
    assert dateline("generate").status == CLEAN
    assert ENTRY.count("Get a loan") == 1
    now = (project / f"generated/changes/added-since-{DAY}.md").read_text("utf-8")
    assert ENTRY.replace("Get a loan", "Find a loan") in now


def test_closed_period_is_explained_like_an_open_one(closed: Path) -> None:
    # the record has the descriptions of its time, and operations have their current titles
    publish(SUMMARY)
    written = (closed / f"generated/changes/added-since-{DAY}.md").read_text("utf-8")
    assert written == (
        f"# Library: added to all versions after {DAY} and before {LATER} was cut\n"
        "\n"
        "1 additive. Additive changes go to all versions: every caller gets them.\n"
        "\n"
        "## Nothing to do\n"
        "\n"
        f"{ENTRY}"
        f"[All versions](README.md) · [this page as JSON](added-since-{DAY}.json)\n"
    )
    html = (closed / f"generated/changes/added-since-{DAY}.html").read_text("utf-8")
    assert "<h4>Loan.pages is new in responses.</h4>" in html
    assert "<li>Get a loan <code>GET /loans/{id}</code></li>" in html


def test_record_of_an_earlier_release_is_explained_by_its_message(closed: Path) -> None:
    kept = closed / f"schemas/_additions/{DAY}.json"
    recorded_then = json.loads(kept.read_text("utf-8"))
    del recorded_then["changes"][0]["effect"], recorded_then["changes"][0]["lines"]
    kept.write_text(json.dumps(recorded_then))
    assert dateline("generate").status == CLEAN
    written = (closed / f"generated/changes/added-since-{DAY}.md").read_text("utf-8")
    assert "\n#### Loan.pages: field added.\n" in written


def test_descriptions_and_gated_changes_are_no_additions(project: Path) -> None:
    edit(("due: { type: string,", "due: { type: string, description: Until when.,"), LOST)
    assert dateline("gate").status == CLEAN
    assert dateline("generate").status == CLEAN
    assert added_pages() == []
    assert project.is_dir()


def test_cutting_closes_the_period_and_starts_another(project: Path) -> None:
    publish(PAGES_FIELD)
    before = record()
    require_summary_of_dry_run(project)

    outcome = cut_next()

    assert outcome.out.splitlines()[:7] == [
        f"{LATER}: As before.",
        f"  added to all versions after {DAY} and before {LATER} was cut",
        "    Loan.pages: field added",
        "changed schemas/versions.yaml",
        f"added schemas/_additions/{DAY}.json",
        f"removed schemas/_additions/spec/production/{DAY}.json",
        f"added schemas/_additions/spec/production/{LATER}.json",
    ]
    generated = read_files(project / "generated")
    closed = generated[f"changes/added-since-{DAY}.json"]
    assert record() == {
        f"{DAY}.json": closed,
        **{
            name.removeprefix("_additions/"): text
            for name, text in recorded(LATER, generated).items()
        },
    }
    assert not before.keys() & record().keys()
    assert page(DAY) == {
        "since": DAY,
        "until": LATER,
        "environments": ["production"],
        "changes": [CHANGE],
    }
    assert section(index(), "Added to all versions") == [
        f"- since {LATER} was cut: nothing yet",
        f"- [after {DAY} and before {LATER} was cut](added-since-{DAY}.md): 1 additive",
    ]
    reported = (
        f"Added to all versions after {DAY} and before {LATER} was cut "
        "Loan.pages is new in responses."
    )
    assert [title for title, text in feed().items() if reported in text] == [f"{LATER}: As before."]
    assert dateline("generate", "--check").status == CLEAN
    assert dateline("check", "--against", "HEAD").status == CLEAN

    commit()
    publish(FORM_VALUE)
    assert [change["message"] for change in page(LATER)["changes"]] == [
        "Loan.channel: open-ended value post added"
    ]
    assert page(DAY)["changes"] == [CHANGE]
    assert section(index(), "Added to all versions") == [
        f"- [since {LATER} was cut](added-since-{LATER}.md): 1 additive",
        f"- [after {DAY} and before {LATER} was cut](added-since-{DAY}.md): 1 additive",
    ]


def test_period_without_additions_leaves_nothing(project: Path) -> None:
    cut_next()
    assert {*record()} == {f"spec/production/{LATER}.json"}
    assert section(index(), "Added to all versions") == [f"- since {LATER} was cut: nothing yet"]
    assert project.is_dir()


def require_summary_of_dry_run(project: Path) -> None:
    """Assert that a dry run of the cut summarizes the change of the record, and writes nothing."""
    before = read_files(project)
    shown = dateline("cut", LATER, "--title", "As before.", "--undisclosed", "--dry-run")
    assert shown.out.splitlines()[:4] == [
        f"{LATER}: As before.",
        f"  added to all versions after {DAY} and before {LATER} was cut",
        "    Loan.pages: field added",
        f"schemas: added _additions/{DAY}.json, "
        f"removed _additions/spec/production/{DAY}.json, "
        f"added _additions/spec/production/{LATER}.json",
    ]
    assert shown.out.splitlines()[4:6] == [
        "--- a/schemas/versions.yaml",
        "+++ b/schemas/versions.yaml",
    ]
    assert read_files(project) == before


def test_status_counts_additions_since_the_record(project: Path) -> None:
    edit(PAGES_FIELD)
    shutil.rmtree(project / ".git")
    shown = dateline("status").out
    assert shown[shown.index("added to") : shown.index("outputs\n")] == (
        f"added to all versions since {DAY} was cut\n  Loan.pages: field added\n"
    )


def test_status_compares_descriptions_of_the_record(project: Path) -> None:
    aside = "    Aside: { type: string, description: Same. }\n"
    publish(("  schemas:\n", f"  schemas:\n{aside}"))
    cut_next()
    shown = []
    # a component with the description of a removed one is that one
    for before, after in (("Aside", "Beside"), ("Same.", "Other."), ("Other.", "Same.")):
        edit((before, after))
        shown.append("Beside: component added" in dateline("status").out)
    assert shown == [False, True, False]
    assert project.is_dir()


def test_record_can_be_compared_with_the_current_documents(project: Path) -> None:
    edit(PAGES_FIELD)
    shown = dateline("diff", "schemas/_additions", DAY)
    assert shown.out.splitlines()[0].endswith("Loan.pages: field added")
    assert project.is_dir()


def told_of(name: str) -> str:
    """Return what the first line of the history of *name* says."""
    outcome = dateline("history", name)
    assert outcome.status == CLEAN
    return outcome.out.splitlines()[1].strip()


READERS: Final = (
    "components:\n",
    "  /readers:\n"
    "    get:\n"
    "      operationId: listReaders\n"
    "      tags: [Loans]\n"
    "      responses:\n"
    "        '200':\n"
    "          description: all readers\n"
    "          content: { application/json: { schema: { $ref: '#/components/schemas/Reader' } } }\n"
    "components:\n",
)
READER: Final = (
    "    LoanState:\n",
    "    Reader: { type: object, properties: { name: { type: string } } }\n    LoanState:\n",
)


def test_histories_say_since_when_all_versions_have_an_addition(project: Path) -> None:
    publish(PAGES_FIELD, READERS, READER)
    since = f"added to all versions since {DAY} was cut"
    assert {name: told_of(name) for name in ("Loan.pages", "Reader.name", "listReaders")} == {
        "Loan.pages": f"2024-01-15  Loan.pages: {since}",
        "Reader.name": f"2024-01-15  Reader.name: {since}",
        "listReaders": f"2024-01-15  GET /readers: {since}",
    }
    cut_next()
    commit()
    publish(FORM_VALUE)
    closed = f"added to all versions after {DAY} and before {LATER} was cut"
    names = ("Loan.pages", "Loan.channel.post", "Loan.channel.desk", "Loan.channel", "Loan")
    assert {name: told_of(name) for name in names} == {
        "Loan.pages": f"2024-01-15  Loan.pages: {closed}",
        "Loan.channel.post": f"2024-01-15  Loan.channel.post: added to all versions since {LATER} "
        "was cut",
        **{
            name: f"2024-01-15  {name}: there from the first version on"
            for name in ("Loan.channel.desk", "Loan.channel", "Loan")
        },
    }
    assert project.is_dir()


# --- The same output for every copy of the sources


def test_clone_without_history_generates_the_same(closed: Path, tmp_path: Path) -> None:
    publish(FORM_VALUE)
    expected = read_files(closed / "generated")
    shallow = tmp_path / "shallow"
    git("clone", "--quiet", "--depth", "1", f"file://{closed}", str(shallow))
    for without in (".git", "generated"):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(shallow)
            assert dateline("generate", "--check") == Outcome(CLEAN, "", "")
            shutil.rmtree(shallow / without)
            assert dateline("generate").status == CLEAN
            assert read_files(shallow / "generated") == expected


# --- New and removed versions and environments


def test_version_dated_by_hand_keeps_the_record_valid(project: Path) -> None:
    edit(
        PAGES_FIELD,
        (
            "environments:\n",
            f"  - {{ date: {LATER}, title: By hand, undisclosed: true }}\nenvironments:\n",
        ),
    )
    assert dateline("generate").status == CLEAN
    commit()
    assert section(index(), "Added to all versions") == [
        f"- [since {DAY} was cut](added-since-{DAY}.md): 1 additive"
    ]
    cut_next("2026-03-01")
    assert section(index(), "Added to all versions") == [
        "- since 2026-03-01 was cut: nothing yet",
        f"- [after {DAY} and before 2026-03-01 was cut](added-since-{DAY}.md): 1 additive",
    ]
    assert project.is_dir()


def test_removed_version_is_not_reported(project: Path) -> None:
    publish(PAGES_FIELD)
    row = f"  - {{ date: {DAY}, title: As before., undisclosed: true }}\n"
    edit((row, ""))
    shutil.rmtree(project / "generated")
    shutil.rmtree(project / ".git")
    assert dateline("generate").status == CLEAN
    assert added_pages() == []
    assert "Added to all versions" not in index()
    assert "added to all versions since the outputs were generated\n" in dateline("status").out


def test_environments_can_be_added_and_removed(project: Path) -> None:
    new = "  test: { servers: [{ url: https://test.library.example/api }] }\n"
    publish(PAGES_FIELD, ("policy: dated-contract\n", f"{new}policy: dated-contract\n"))
    # everything is new in a new environment, so it isn't listed
    assert page(DAY) == {
        "since": DAY,
        "until": None,
        "environments": ["production", "test"],
        "changes": [CHANGE],
    }
    cut_next()
    assert f"spec/test/{LATER}.json" in record()
    commit()
    # the record doesn't say that it was published
    edit((new, ""))
    for name in ("generated", ".git"):
        shutil.rmtree(project / name)
    assert dateline("generate").status == CLEAN
    assert page(DAY)["environments"] == ["production", "test"]
    cut_next("2026-03-01")
    assert {*record()} == {
        f"{DAY}.json",
        "spec/production/2026-03-01.json",
    }


ENDS: Final = """\
announcements:
  - { ends: 2024-01-15, from: 2025-12-31, announced: 2025-06-01 }
  - { ends: 2024-09-01, from: 2025-12-31, announced: 2025-06-01 }
"""


@pytest.fixture(scope="module")
def periods_of_three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which two versions end after two periods."""
    second = "  - { date: 2024-09-01, title: The second., undisclosed: true }\n  - { date: 2025"
    table = FILES["versions.yaml"].replace("  - { date: 2025", second)
    table = table.replace("default: 2024-01-15", "default: 2025-06-01") + ENDS
    root = repository(tmp_path_factory.mktemp("three"), {**FILES, "versions.yaml": table})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        api = load(root / "schemas")
        projector = Projector(api)
        now: Record | None = None
        for day in ("2024-01-15", "2024-09-01", "2025-06-01"):
            now = continue_record(api, projector, now, day)
            then = {name: copy.deepcopy(document) for name, document in now.documents.items()}
            for document in then.values():
                del document["components"]["schemas"]["Loan"]["properties"][ADDED_SINCE[day]]
            now = replace(now, documents=then)
        assert now is not None
        assert read_back(now, root / "schemas") == now
        assert dateline("generate").status == CLEAN
        commit()
    return root


ADDED_SINCE: Final = {"2024-01-15": "note", "2024-09-01": "channel", "2025-06-01": "due"}


@pytest.mark.parametrize(
    ("ending", "kept", "said"),
    [
        # all remaining versions had it from their start
        ("2024-01-15", ["2024-09-01"], "removed schemas/_additions/2024-01-15.json"),
        # callers of 2024-01-15 got it later
        ("2024-09-01", ["2024-01-15", "2024-09-01"], "generated: "),
    ],
)
def test_retiring_removes_additions_that_no_remaining_version_got_later(
    ending: str,
    kept: list[str],
    said: str,
    periods_of_three: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    enter_copy(periods_of_three, tmp_path, monkeypatch)
    assert {name for name in record() if "/" not in name} == {"2024-01-15.json", "2024-09-01.json"}
    before = record()
    planned = dateline("retire", ending, "--dry-run")
    assert ("removed _additions" in planned.out) == (len(kept) == 1)

    outcome = dateline("retire", ending)

    assert outcome.status == CLEAN
    assert said in outcome.out
    documents = {name for name in before if "/" in name}
    left = {*documents, *(f"{day}.json" for day in kept)}
    assert record() == {name: text for name, text in before.items() if name in left}
    assert [name for name in added_pages() if name.endswith("md")] == sorted(
        f"added-since-{day}.md" for day in (*kept, "2025-06-01")
    )
    assert dateline("generate", "--check").status == CLEAN


# --- Adopted definitions


def test_additions_start_at_the_adoption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    field = {"type": "object", "properties": {"id": {"type": "string"}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Loans", "version": "1.4.0"},
        "paths": {
            "/loans": {
                "get": {
                    "responses": {
                        "200": {
                            "description": "one",
                            "content": {"application/json": {"schema": field}},
                        }
                    }
                }
            }
        },
    }
    Path("a.json").write_text(json.dumps(document))
    done = dateline("adopt", "2024-01-15=a.json")
    assert done.status == CLEAN
    assert "added schemas/_additions/spec/production/2024-01-15.json\n" in done.out
    assert dateline("generate").status == CLEAN
    assert record() == {
        "spec/production/2024-01-15.json": Path(
            "generated/spec/production/2024-01-15.json"
        ).read_text("utf-8")
    }
    (source,) = [path for path in Path("schemas").glob("*.yaml") if "/loans" in path.read_text()]
    text = source.read_text()
    assert text.count("id:\n") == 1
    margin = text.splitlines()[[line.strip() for line in text.splitlines()].index("id:")]
    margin = margin[: -len("id:")]
    source.write_text(text.replace(f"{margin}id:\n", f"{margin}pages: {{}}\n{margin}id:\n"))
    assert dateline("generate").status == CLEAN
    assert [change["rule"] for change in page("2024-01-15")["changes"]] == ["response-field-added"]


# --- Laws


def read_back(record: Record, schemas: Path) -> Record | None:
    """Return *record* as read after it is stored with the definitions in *schemas*."""
    shutil.rmtree(schemas / "_additions", ignore_errors=True)
    for name, content in record.files.items():
        (schemas / name).parent.mkdir(parents=True, exist_ok=True)
        (schemas / name).write_bytes(content)
    return read_record(schemas, load(schemas).table)


@pytest.mark.parametrize("seed", seeds(4))
def test_record_round_trips(seed: int, tmp_path: Path) -> None:
    api = loaded(tmp_path, gated_apis.sources(seed))
    assert api.table.latest == "2026-02-01"
    begun_now = begin_record(Projector(api), api.table.latest)
    assert read_back(begun_now, api.folder) == begun_now


_WORDS: Final = ("documentation-changed", "extension-changed")


def add_randomly(random: Random, document: Document) -> Document:
    """Return *document* after random edits that the list of versioning rules calls additive."""
    for _ in range(20):
        tried = copy.deepcopy(document)
        _, listed = edit_randomly(random, tried)
        document = tried if listed and is_sound(tried) else document
    return document


@pytest.mark.parametrize("seed", seeds(2))
def test_additions_are_the_additive_findings_between_two_cuts(seed: int, tmp_path: Path) -> None:
    """Uses two documents of a random chain: the recorded one, and the current one."""
    random = Random(seed)
    count = 0
    for number, (older, newer) in enumerate(chains(seed, 9, 2)):
        root = folder(tmp_path, {}, str(number))
        newer = newer if "x-origin" in newer else add_randomly(random, newer)
        for name, document in (("then", older), ("now", newer)):
            (root / f"{name}.json").write_text(json.dumps(document))
            adopt((f"{DAY}={root}/{name}.json",), root / name)
        shutil.rmtree(root / "now" / "_additions")
        shutil.copytree(root / "then" / "_additions", root / "now" / "_additions")

        api = load(root / "now")
        projector = Projector(api)
        kept = read_record(api.folder, api.table)
        assert kept is not None
        (period,) = list_periods(api, projector, kept)
        assert find_empty_period(api, projector, kept) in (None, period)

        found, _ = compare(api.folder, root, f"{root}/then.json", f"{root}/now.json")
        reported = [(one.rule, one.message, one.operations) for one in period.entries]
        assert sorted(reported) == sorted(
            (one.rule, one.message, one.operations)
            for one in found
            if one.verdict is Verdict.ADDITIVE and one.rule not in _WORDS
        )
        count += len(reported)
        closed = continue_record(api, projector, kept, DAY)
        assert [one.entries for one in closed.closed] == ([period.entries] if reported else [])
        again = read_back(
            replace(
                closed,
                version=LATER,
                closed=tuple(replace(one, until=LATER) for one in closed.closed),
            ),
            api.folder,
        )
        assert again is not None
        assert [one.entries for one in again.closed] == [one.entries for one in closed.closed]
    assert count > 3


@pytest.mark.parametrize("seed", seeds(4))
def test_period_with_changed_descriptions_only_is_empty(seed: int, tmp_path: Path) -> None:
    api = loaded(tmp_path, gated_apis.sources(seed))
    latest, projector = api.table.latest, Projector(api)
    now = begin_record(projector, latest)
    words: list[str] = []

    def change(text: str) -> str:
        words.append(text)
        return f"{text}, then" if text else text

    then = {
        name: replace_words("document", document, change)
        for name, document in now.documents.items()
    }
    (period,) = list_periods(api, projector, replace(now, documents=then))
    assert words
    assert not period.entries
    assert find_empty_period(api, projector, replace(now, documents=then)) == period
