"""Change pages list all differences between two versions, the reasons, and what callers do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any, Final

import jsonschema_rs
import pytest
from support import gated_apis
from support.changing import (
    DATES,
    Files,
    read_feed,
    read_page_data,
    render_pages,
    replace_texts,
    versions,
)
from support.seeds import seeds
from support.sources import API, LIBRARY, loaded
from support.tables import cases

from dateline.changes import schema
from dateline.changes.entries import DOCUMENTATION, Entry, Explanation, merge_values
from dateline.changes.pages import EVERY_PAIR, MOST_NAMED, compare_versions
from dateline.changes.reasons import Reasons
from dateline.changes.sections import list_sections
from dateline.check.comparison import compare
from dateline.diff import DiffReadings, diff
from dateline.model import ADDED, Api, Change, Direction, Kind
from dateline.project import Projector
from dateline.render import render
from dateline.rules import CHANGE_RULES
from dateline.templating import TemplateError

GENERATED: Final = Path(__file__).parents[2] / "generated" / "changes"
PAGE: Final = jsonschema_rs.Draft202012Validator(json.loads(schema()))


@pytest.fixture
def library(tmp_path: Path) -> Api:
    return loaded(tmp_path, LIBRARY)


# --- The pages


def test_every_pair_of_versions_has_a_page_in_three_forms(library: Api) -> None:
    pairs = [f"{older}...{newer}" for older, newer in combinations(DATES, 2)]
    assert sorted(render_pages(library)) == sorted(
        [
            *(f"{pair}.{form}" for pair in pairs for form in ("html", "json", "md")),
            *("README.md", "feed.xml", "index.html"),
        ]
    )


def test_page_says_what_where_why_and_what_to_do(library: Api) -> None:
    assert read_page_data(render_pages(library), "2025-06-01", "next") == {
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


def test_page_is_a_list_by_reason(library: Api) -> None:
    assert render_pages(library)["2025-06-01...next.md"] == (
        "# Library: what changed from 2025-06-01 to next\n"
        "\n"
        "next: Loans can be paused\n"
        "\n"
        "1 breaking.\n"
        "\n"
        "next is being prepared and may still change.\n"
        "\n"
        "## Breaking changes\n"
        "\n"
        "### a loan can be paused\n"
        "\n"
        "#### LoanState can also be paused in responses.\n"
        "\n"
        "- **Breaking for** code that handles only the values it knows.\n"
        "- **What to do:** Be ready for the new value wherever you read the field.\n"
        "- **You receive it in** `GET /loans/{id}`\n"
        "- Details: `value-added`, gated, `/components/schemas/LoanState/enum/1`, since next, "
        'after `"paused"`\n'
        "\n"
        "```diff\n"
        '+ "paused"\n'
        "```\n"
        "\n"
        "[All versions](README.md) · [this page as JSON](2025-06-01...next.json)\n"
    )


def test_page_of_distant_versions_names_the_version_of_each_change(library: Api) -> None:
    found = read_page_data(render_pages(library), "2024-01-15", "next")["changes"]
    assert [(change["message"], change["versions"], change["why"]) for change in found] == [
        ("Item: variant AudioBook added", ["2024-09-01"], None),
        ("Loan.author_name: field renamed ('writer' -> 'author_name')", ["2025-06-01"], None),
        ("Loan.due: format changed ('date' -> 'date-time')", ["2024-09-01"], None),
        ("Loan.fine_cents: field removed", ["2025-06-01"], None),
        ("LoanState: value paused added", ["next"], "a loan can be paused"),
        ("AudioBook: component added", ["2024-09-01"], None),
    ]


def test_parts_of_a_gated_member_have_its_reason(tmp_path: Path) -> None:
    why = "x-shown-as: { kind: Book, title: audio book }"
    files = replace_texts(LIBRARY, (why, f"{why}\n          x-why: People listen."))
    files = replace_texts(
        files, ("minutes: { type: integer }", "minutes: { $ref: '#/components/schemas/Time' }")
    )
    files["time.yaml"] = "components: { schemas: { Time: { type: integer } } }\n"
    found = read_page_data(render_pages(loaded(tmp_path, files)), "2024-01-15", "2024-09-01")[
        "changes"
    ]
    assert [(change["message"], change["why"]) for change in found] == [
        ("Item: variant AudioBook added", "People listen."),
        ("Loan.due: format changed ('date' -> 'date-time')", None),
        ("AudioBook: component added", "People listen."),
        ("Time: component added", "People listen."),
    ]


def test_gate_of_many_changes_is_searched_once(library: Api) -> None:
    reads = []

    class Gated(dict[str, Any]):
        def items(self) -> Any:
            reads.append(self)
            return super().items()

    gated = Gated({ADDED: "2025-06-01", "items": {"$ref": "#/components/schemas/Loan"}})
    api = replace(library, document={"a": gated, "b": Gated(gated), "c": {}})
    changes = [
        Change(
            kind=Kind.FIELD_ADDED,
            direction=Direction.RESPONSE,
            before_pointer=None,
            after_pointer=name,
            schema=None,
            field="",
            operations=(),
        )
        for name in "abacab"
    ]
    reasons = Reasons(api, lambda pointer, *_: (pointer,), "2024-09-01", "2025-06-01")
    found = reasons.of((change, "production") for change in changes)
    assert [reason.versions for reason in found] == [
        () if name == "c" else ("2025-06-01",) for name in "abacab"
    ]
    assert [id(read) for read in reads] == [id(api.document["a"]), id(api.document["b"])]


def test_changes_are_grouped_by_reason_and_those_without_one_are_last(tmp_path: Path) -> None:
    renamed = "x-was: { 2025-06-01: { name: writer } }"
    removed = "x-removed: 2025-06-01 }"
    files = replace_texts(
        LIBRARY,
        (renamed, f"{renamed}\n          x-why: One word."),
        (
            "{ kind: Book, title: audio book }",
            "{ kind: Book, title: audio book }\n          x-why: One word.",
        ),
        (removed, "x-removed: 2025-06-01, x-why: Fines are gone. }"),
    )
    page = render_pages(loaded(tmp_path, files))["2024-01-15...2025-06-01.md"]
    assert re.findall(r"^##+ (.*)$", page, re.MULTILINE) == [
        "Breaking changes",
        "One word.",
        "Item can also be AudioBook in responses.",
        r"Loan.author\_name was called writer.",
        "Fines are gone.",
        r"Loan.fine\_cents is gone from responses.",
        "Other changes",
        "The format of Loan.due was 'date' and is 'date-time' now.",
        "Only in generated code",
        "One word.",
        "The component AudioBook is new.",
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


def test_change_in_one_environment_names_it(tmp_path: Path) -> None:
    files = render_pages(loaded(tmp_path, {**LIBRARY, "clock.yaml": SANDBOX}))
    found = read_page_data(files, "2024-01-15", "2024-09-01")["changes"]
    both = ["production", "sandbox"]
    assert {change["message"]: change["environments"] for change in found} == {
        "Clock.now: field renamed ('time' -> 'now')": ["sandbox"],
        "Item: variant AudioBook added": both,
        "Loan.due: format changed ('date' -> 'date-time')": both,
        "AudioBook: component added": both,
    }
    for form in ("md", "html"):
        assert (
            files[f"2024-01-15...2024-09-01.{form}"].count("Only in sandbox")
            + files[f"2024-01-15...2024-09-01.{form}"].count("**Only in** sandbox")
            == 1
        )


def test_undisclosed_reason_is_reported_as_such(tmp_path: Path) -> None:
    rows = ("date: 2024-01-15, title: A", "date: 2024-09-01, title: B, undisclosed: true")
    quiet = {"versions.yaml": versions(*rows), "api.yaml": f"{API}paths: {{}}\n"}
    files = render_pages(loaded(tmp_path, quiet))
    page = read_page_data(files, "2024-01-15", "2024-09-01")
    assert (page["undisclosed"], page["changes"]) == (["2024-09-01"], [])
    sentence = "The changes in 2024-09-01 are not disclosed."
    assert sentence in files["2024-01-15...2024-09-01.md"]
    assert sentence in files["2024-01-15...2024-09-01.html"]
    assert "Nothing differs" not in files["2024-01-15...2024-09-01.html"]
    assert "Not disclosed" not in files["2024-01-15...2024-09-01.md"]
    assert "[not disclosed](2024-01-15...2024-09-01.md)" in files["README.md"]


def test_single_version_has_an_index_and_no_page(tmp_path: Path) -> None:
    one = {
        "versions.yaml": versions("date: 2024-01-15, title: A"),
        "api.yaml": f"{API}paths: {{}}\n",
    }
    assert sorted(render_pages(loaded(tmp_path, one))) == ["README.md", "feed.xml", "index.html"]


@pytest.mark.parametrize("count", [EVERY_PAIR, EVERY_PAIR + 1])
def test_many_versions_have_pages_for_neighbours_and_the_way_to_the_latest(
    tmp_path: Path, count: int
) -> None:
    dates = [f"20{10 + index}-01-01" for index in range(count - 1)] + ["next"]
    rows = [f"date: {date}, title: A{', draft: true' * (date == 'next')}" for date in dates]
    table = versions(*rows).replace("default: 2024-01-15", f"default: {dates[0]}")
    made = render_pages(
        loaded(tmp_path, {"versions.yaml": table, "api.yaml": f"{API}paths: {{}}\n"})
    )
    neighbours = set(pairwise(dates))
    jumps = {(date, dates[-2]) for date in dates[:-2]}
    expected = set(combinations(dates, 2)) if count == EVERY_PAIR else neighbours | jumps
    assert {name for name in made if name.endswith(".json")} == {
        f"{older}...{newer}.json" for older, newer in expected
    }


def test_pages_that_would_name_operations_too_often_are_left_out(tmp_path: Path) -> None:
    dates = [f"20{10 + index}-01-01" for index in range(5)]
    body = {"application/json": {"schema": {"$ref": "#/components/schemas/Loan"}}}
    get = {"responses": {"200": {"description": "a loan", "content": body}}}
    paths = {
        f"/loans/{index}": {"get": {"operationId": f"o{index}", **get}} for index in range(300)
    }

    def made(fields: int) -> Files:
        removed = {
            f"f{index}": {"type": "string", "x-removed": dates[2]} for index in range(fields)
        }
        loan = {"type": "object", "properties": {"id": {"type": "string"}, **removed}}
        table = versions(*(f"date: {date}, title: A" for date in dates))
        files = {
            "versions.yaml": table.replace("default: 2024-01-15", f"default: {dates[0]}"),
            "api.yaml": API,
            "loans.json": json.dumps({"paths": paths, "components": {"schemas": {"Loan": loan}}}),
        }
        return render_pages(loaded(tmp_path / str(fields), files))

    # six pages contain the changes of the third version
    fields = MOST_NAMED // 6 // 300 + 1
    every = {f"{older}...{newer}.md" for older, newer in combinations(dates, 2)}
    left_out = {f"{dates[first]}...{dates[last]}.md" for first, last in ((0, 2), (0, 3), (1, 3))}
    written = {name for name in made(fields) if name[0] == "2" and name.endswith(".md")}
    assert written == every - left_out


def test_output_is_deterministic(tmp_path: Path) -> None:
    first = render_pages(loaded(tmp_path / "one", LIBRARY))
    # the order in which fragments are read and named must not matter either
    assert first == render_pages(loaded(tmp_path / "two", dict(reversed(LIBRARY.items()))))


def test_template_of_an_entry_escapes_values(tmp_path: Path, library: Api) -> None:
    own = tmp_path / "own" / "changes"
    own.mkdir(parents=True)
    entry = own / "_entry.md.jinja"
    entry.write_text("- {{ entry.message | md }}\n")
    made = {
        artifact.path: artifact.content.decode()
        for artifact in render(library, tmp_path / "own", models=False, validate=False).artifacts
    }
    assert (
        "\n### a loan can be paused\n- LoanState: value paused added\n\n"
        in (made["changes/2025-06-01...next.md"])
    )
    for text, said in (
        ("{{ entry.message }}", "without a filter"),
        ("{{ entry.nothing | md }}", "no attribute"),
    ):
        entry.write_text(text)
        with pytest.raises(TemplateError, match=said):
            render(library, tmp_path / "own", models=False, validate=False)


# --- Laws for random APIs


@pytest.fixture(scope="module", params=seeds(4))
def by_chance(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Api:
    return loaded(tmp_path_factory.mktemp("gated"), gated_apis.sources(request.param))


@pytest.fixture(scope="module")
def made_by_chance(by_chance: Api) -> Files:
    return render_pages(by_chance)


def test_versions_are_not_compared_with_themselves_or_backwards(
    by_chance: Api, made_by_chance: Files
) -> None:
    dates = by_chance.table.dates
    names = [name.removesuffix(".json") for name in made_by_chance if name.endswith(".json")]
    assert sorted(names) == sorted("...".join(pair) for pair in combinations(dates, 2))


def test_page_contains_the_changes_of_a_diff(by_chance: Api, made_by_chance: Files) -> None:
    dates = by_chance.table.dates
    for older, newer in combinations(dates, 2):
        findings, _ = compare(by_chance.folder, by_chance.folder / "none", older, newer)
        expected = [
            (found.rule, found.message, found.environments, found.operations) for found in findings
        ]
        page = read_page_data(made_by_chance, older, newer)
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


def test_shared_parts_of_documents_do_not_change_the_result_of_a_diff(by_chance: Api) -> None:
    projector, readings = Projector(by_chance), DiffReadings()
    for environment in by_chance.table.environments:
        name = environment.name
        known = {date: projector.contract(date, name).document for date in by_chance.table.dates}
        for older, newer in combinations(known, 2):
            renames = projector.renames(older, newer, name)
            apart = deepcopy(known[older]), deepcopy(known[newer])
            assert diff(known[older], known[newer], renames, readings) == diff(*apart, renames)


def test_json_of_a_page_contains_all_its_information(by_chance: Api, made_by_chance: Files) -> None:
    projector = Projector(by_chance)
    for older, newer in combinations(by_chance.table.versions, 2):
        read = read_page_data(made_by_chance, older.date, newer.date)["changes"]
        made = compare_versions(by_chance, projector, older, newer)
        assert tuple(map(Entry.read, read)) == made.entries


def test_each_gated_change_between_neighbours_belongs_to_the_newer_one(
    by_chance: Api, made_by_chance: Files
) -> None:
    dates = by_chance.table.dates
    for older, newer in pairwise(dates):
        brought = {
            tuple(change["versions"])
            for change in read_page_data(made_by_chance, older, newer)["changes"]
            if change["verdict"] == "gated"
        }
        assert brought <= {(newer,)}


# --- What pages show


def test_names_that_only_generated_code_has_are_apart_from_what_breaks_calls(library: Api) -> None:
    shown = read_entry(library)
    names = {"operation-id-changed", "path-parameter-renamed"}
    names |= {"component-removed", "component-renamed"}
    for rule, direction in product(CHANGE_RULES, Direction):
        entry = replace(shown, rule=rule, direction=direction)
        is_code = rule in names or direction is Direction.MODEL
        (section,) = list_sections([entry])
        assert (section.anchor == "models") == (is_code and rule not in DOCUMENTATION)
        assert (entry.concerned == "Generated code has it in") == is_code


def test_operations_of_an_entry_follow_what_callers_do_there(library: Api) -> None:
    shown = read_entry(library)
    for direction, component, text in (
        (Direction.REQUEST, None, "You send it in"),
        (Direction.RESPONSE, "Loan", "You receive it in"),
        (Direction.BOTH, "Loan", "You send and receive it in"),
        # operations and webhooks as a whole
        (Direction.BOTH, None, "This concerns"),
    ):
        assert replace(shown, direction=direction, schema=component).concerned == text


@cases(("count", "named", "others"), [(1, 1, 0), (10, 10, 0), (11, 10, 1), (300, 10, 290)])
def test_operations_beyond_ten_are_counted(
    library: Api, count: int, named: int, others: int
) -> None:
    entry = replace(read_entry(library), operations=tuple(f"GET /{each}" for each in range(count)))
    assert (len(entry.calls), entry.unnamed) == (named, others)


@cases(
    ("values", "named"),
    [
        (["b", "c"], "b or c"),
        (["b", "c", "d"], "b, c or d"),
        ([str(each) for each in range(21)], f"{', '.join(map(str, range(20)))} or 1 more"),
    ],
)
def test_values_of_an_enumeration_are_one_entry(
    library: Api, values: list[str], named: str
) -> None:
    shown = read_entry(library)
    of = "/components/schemas/A/enum"
    entries = [
        replace(
            shown,
            after_pointer=f"{of}/{index}",
            after=value,
            explanation=Explanation(f"A can also be {value} in responses."),
        )
        for index, value in enumerate(values)
    ]
    merged = replace(
        entries[0],
        after=values,
        explanation=Explanation(f"A can also be {named} in responses."),
    )
    assert describe(merge_values(entries)) == describe([merged])
    # what differs in anything else is another change
    for other in (
        replace(entries[1], why="another reason"),
        replace(entries[1], operations=("GET /other",)),
        replace(entries[1], environments=("sandbox",)),
        replace(entries[1], after_pointer="/components/schemas/B/enum/1"),
        replace(entries[1], after_pointer="/components/schemas/A/oneOf/1"),
        replace(entries[1], explanation=Explanation("A can no longer be c in responses.")),
    ):
        pair = [entries[0], other]
        assert describe(merge_values(pair)) == describe(pair)


def describe(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    return [{**entry.data, **entry.explanation.data} for entry in entries]


@cases(
    ("value", "shown"),
    [
        (5, "5"),
        (["a", 1], '["a", 1]'),
        (False, "false"),
        ({"type": "string"}, None),
        ([{"Key": []}], None),
    ],
)
def test_details_have_no_parts_of_documents(library: Api, value: Any, shown: str | None) -> None:
    entry = replace(read_entry(library), before=value, after=None)
    assert entry.values == ([] if shown is None else [("before", shown)])


def read_entry(api: Api) -> Entry:
    """Return an entry without an explanation."""
    older, newer = api.table.versions[-2:]
    (entry,) = compare_versions(api, Projector(api), older, newer).entries
    return replace(entry, explanation=Explanation(""))


# --- The payment API


def test_table_of_the_specification_is_rendered() -> None:
    first, fednow, undisclosed = "2025-03-13", "2026-07-01", "2026-08-01"
    files = {path.name: path.read_text(encoding="utf-8") for path in GENERATED.iterdir()}
    why = "Deposits can arrive by FedNow. Callers of 2025-03-13 never see this deposit rail."
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
        # the schema of the member itself, for code generators
        ("FedNow: component added", "additive", "model", [], [fednow], why),
    ]
    for newer, changes, hidden in (
        (fednow, everything, []),
        (undisclosed, everything, [undisclosed]),
    ):
        page = read_page_data(files, first, newer)
        keys = ("message", "verdict", "direction", "operations", "versions", "why")
        assert [tuple(change[key] for key in keys) for change in page["changes"]] == changes
        assert page["undisclosed"] == hidden
    last = read_page_data(files, fednow, undisclosed)
    assert (last["changes"], last["undisclosed"]) == ([], [undisclosed])
    assert [title for title, _, _ in read_feed(files)] == [
        f"{undisclosed}: Supported; what it changes is not shown.",
        f"{fednow}: Adds the FedNow member to the deposit rails of every autoramp.",
        f"{first}: Initial version; served when a request names none.",
    ]


@cases(
    ("place", "name", "before", "now", "is_change"),
    [
        ("header", "X-API-Version", "2024-01-15", "2024-09-01", False),
        ("header", "x-api-version", "2024-01-15", "2024-09-01", False),
        ("header", "X-API-Version", "2024-01-15", "latest", True),
        ("header", "X-Since", "2024-01-15", "2024-09-01", True),
        ("query", "X-API-Version", "2024-01-15", "2024-09-01", True),
    ],
)
def test_version_name_is_no_change_of_the_version_parameter(
    tmp_path: Path, place: str, name: str, before: str, now: str, is_change: bool
) -> None:
    schema = {"type": "string", "default": now, "x-was": {"2024-09-01": {"default": before}}}
    parameter = {"name": name, "in": place, "schema": schema}
    operation = {"parameters": [parameter], "responses": {"200": {"description": ""}}}
    api = {"openapi": "3.1.0", "info": {"title": "A", "version": "canonical"}}
    text = json.dumps({**api, "paths": {"/a": {"get": operation}}})
    table = f"{LIBRARY['versions.yaml']}lint: adopted\n"
    loaded_api = loaded(tmp_path, {"versions.yaml": table, "api.yaml": text})
    older, newer = loaded_api.table.versions[:2]
    page = compare_versions(loaded_api, Projector(loaded_api), older, newer)
    assert [entry.rule for entry in page.entries] == ["default-changed"] * is_change
