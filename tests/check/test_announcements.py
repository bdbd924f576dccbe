"""Announcements of the end of a version and of a new default are binding."""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from support.commands import dateline
from support.generated_server import keep_folder
from support.sources import LIBRARY, VERSIONS, folder, loaded, problems
from support.tables import cases

from dateline.check import Published, breaches, check
from dateline.check.baseline import read_tree
from dateline.files import write
from dateline.model import Api, Artifact, Finding
from dateline.render import render

TODAY: Final = date(2026, 1, 10)

MOVE: Final = "{ default: 2025-06-01, from: 2026-09-01, announced: 2026-01-10 }"
END: Final = "{ ends: 2024-01-15, from: 2026-10-01, announced: 2026-01-12 }"


def files(*announcements: str, **changed: str) -> dict[str, str]:
    """Return the library API with *announcements* and edits of its version table."""
    rows = "".join(f"  - {one}\n" for one in announcements)
    table = VERSIONS + ("announcements:\n" + rows if rows else "")
    for old, new in changed.items():
        old = old.replace("_", "-")
        start = table.index(f"{old}: ")
        table = table[:start] + f"{old}: {new}" + table[table.index("\n", start) :]
    return {**LIBRARY, "versions.yaml": table}


def publish(root: Path, *announcements: str, **changed: str) -> Published:
    """Return what callers have after the API is generated with *announcements*."""
    sources = files(*announcements, **changed)
    folder(root, sources)
    write(render_documents(tuple(sources.items())), root / "generated", protected=())
    return read_tree(root / "generated")


@cache
def render_documents(sources: tuple[tuple[str, str], ...]) -> tuple[Artifact, ...]:
    api = loaded(keep_folder(), dict(sources))
    return tuple(render(api, models=False, changes=False, validate=False).artifacts)


def line(found: Finding) -> str:
    return f"{found.after_source}: {found.verdict} [{found.rule}] {found.message}"


def found(root: Path, known: Published, *announcements: str, **changed: str) -> list[str]:
    """Return the findings for *announcements* when callers have *known*."""
    api = loaded(root / "now", files(*announcements, **changed))
    return [line(one) for one in check(api, known, today=TODAY)]


AT: Final = "schemas/versions.yaml:14:5:"


@cases(
    ("row", "said"),
    [
        (MOVE, []),
        (END.replace("2024-01-15", "2024-09-01"), []),
        (
            "{ ends: 2024-09-01, from: 2026-07-08, announced: 2025-11-01 }",
            # before it is published, nobody can read it, whatever it says
            [f"{AT} gated [notice-too-short] 2024-09-01 ends on 2026-07-08, 179 days after "
             "2026-01-10; the policy's notice is 180 days"],
        ),
        ("{ ends: 2024-09-01, from: 2026-07-09, announced: 2025-11-01 }", []),
        (
            "{ ends: 2024-09-01, from: 2026-07-09, announced: 2026-01-11 }",
            [f"{AT} gated [notice-too-short] 2024-09-01 ends on 2026-07-09, 179 days after "
             "2026-01-11; the policy's notice is 180 days"],
        ),
        (
            "{ default: 2024-09-01, from: 2025-12-01, announced: 2025-01-01 }",
            [f"{AT} gated [notice-too-short] the default moves to 2024-09-01 on 2025-12-01, "
             "before 2026-01-10; the policy's notice is 180 days"],
        ),
        (
            "{ ends: 2025-06-01, from: 2026-10-01, announced: 2026-01-10 }",
            [f"{AT} gated [newest-ends] 2025-06-01 ends on 2026-10-01, and there is no newer "
             "version"],
        ),
        (
            "{ default: 2024-09-01, from: 2026-01-10, announced: 2025-01-10 }",
            [f"{AT} gated [notice-too-short] the default moves to 2024-09-01 on 2026-01-10, 0 "
             "days after 2026-01-10; the policy's notice is 180 days"],
        ),
        (
            END,
            [f"{AT} gated [default-ends] 2024-01-15 ends on 2026-10-01, and is the default then"],
        ),
        (
            "{ default: 2024-09-02, from: 2026-10-01, announced: 2026-01-10 }",
            [f"{AT} gated [announcement-unknown] the default moves to 2024-09-02 on 2026-10-01, "
             "and 2024-09-02 is not in the table"],
        ),
    ],
)  # fmt: skip
def test_announcement_gives_notice_and_leaves_a_default(
    row: str, said: list[str], tmp_path: Path
) -> None:
    assert found(tmp_path, publish(tmp_path), row) == said


@cases(
    ("moves", "fits"),
    [
        (["{ default: 2025-06-01, from: 2026-10-01, announced: 2026-01-10 }"], True),
        (["{ default: 2025-06-01, from: 2026-10-02, announced: 2026-01-10 }"], False),
        ([MOVE, "{ default: 2024-01-15, from: 2026-09-15, announced: 2026-01-10 }"], False),
        ([MOVE, "{ default: 2024-01-15, from: 2026-10-01, announced: 2026-01-10 }"], False),
        ([MOVE, "{ default: 2024-09-01, from: 2026-10-01, announced: 2026-01-10 }"], True),
        ([MOVE, "{ default: 2024-01-15, from: 2026-11-15, announced: 2026-01-10 }"], False),
    ],
)
def test_default_moves_before_its_version_ends(
    moves: list[str], fits: bool, tmp_path: Path
) -> None:
    said = found(tmp_path, publish(tmp_path), *moves, END)
    expected = (
        f"schemas/versions.yaml:{14 + len(moves)}:5: gated [default-ends] 2024-01-15 ends on "
        "2026-10-01, and is the default then"
    )
    assert said == ([] if fits else [expected])


def test_draft_can_not_be_announced(tmp_path: Path) -> None:
    table = files(MOVE)["versions.yaml"].replace("in one field }", "in one field, draft: true }")
    api = loaded(tmp_path, {**LIBRARY, "versions.yaml": table})
    assert [line(one) for one in check(api, Published(label="nothing"), today=TODAY)] == [
        f"{AT} gated [announcement-unknown] the default moves to 2025-06-01 on 2026-09-01, and "
        "2025-06-01 is a draft"
    ]


def test_policy_sets_the_notice_period(tmp_path: Path) -> None:
    row = "{ default: 2024-09-01, from: 2026-02-09, announced: 2026-01-10 }"
    known = publish(tmp_path)
    enough, short = (f"{{ preset: dated-contract, notice-days: {days} }}" for days in ("30", "31"))
    assert found(tmp_path, known, row, policy=enough) == []
    assert found(tmp_path, known, row, policy=short) == [
        f"{AT} gated [notice-too-short] the default moves to 2024-09-01 on 2026-02-09, 30 days "
        "after 2026-01-10; the policy's notice is 31 days"
    ]


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ("-1", "negative: -1 is not a number of days; write 0 or more"),
        ("'30'", "wrong-type: '30' where a whole number belongs"),
        ("true", "wrong-type: true where a whole number belongs"),
    ],
)
def test_notice_period_is_a_number_of_days(days: str, said: str, tmp_path: Path) -> None:
    policy = f"{{ preset: dated-contract, notice-days: {days} }}"
    assert problems(tmp_path, files(policy=policy)) == [f"schemas/versions.yaml:11:48: {said}"]


@pytest.mark.parametrize(
    ("day", "said"),
    [
        # the day has come: callers no longer wait for it
        ("2026-01-10", []),
        (
            "2026-01-11",
            ["schemas/versions.yaml:4:13: never [announcement-changed] it was announced that the "
             "default moves to 2025-06-01 on 2026-01-11; now it is not"],
        ),
    ],
)  # fmt: skip
def test_announced_default_may_be_withdrawn_until_its_day(
    day: str, said: list[str], tmp_path: Path
) -> None:
    row = f"{{ default: 2025-06-01, from: {day}, announced: 2025-01-01 }}"
    assert found(tmp_path, publish(tmp_path, row)) == said


def test_past_announcement_may_name_a_removed_version(tmp_path: Path) -> None:
    def unknown(day: str) -> list[str]:
        row = f"{{ ends: 2023-01-01, from: {day}, announced: 2022-01-01 }}"
        api = loaded(tmp_path, files(row))
        findings = check(api, Published(label="nothing"), today=TODAY)
        return [one.rule for one in findings]

    assert unknown("2026-01-10") == []
    assert unknown("2026-01-11") == ["announcement-unknown"]


@cases(
    ("now", "said"),
    [
        ([MOVE, END], []),
        # a later day gives callers more time
        ([MOVE.replace("2026-09-01", "2026-09-30"), END.replace("10-01", "11-01")], []),
        (
            [MOVE, END.replace("2026-10-01", "2026-09-30")],
            ["schemas/versions.yaml:15:5: never [announcement-changed] 2024-01-15 ends on "
             "2026-09-30; announced was 2026-10-01"],
        ),
        (
            [MOVE.replace("2026-09-01", "2026-08-31"), END],
            ["schemas/versions.yaml:14:5: never [announcement-changed] the default moves to "
             "2025-06-01 on 2026-08-31; announced was 2026-09-01"],
        ),
        (
            [MOVE, END.replace("2026-01-12", "2025-01-12")],
            ["schemas/versions.yaml:15:5: never [announcement-changed] that 2024-01-15 ends was "
             "announced on 2026-01-12, not on 2025-01-12"],
        ),
        (
            [MOVE],
            ["schemas/versions.yaml:13:1: never [announcement-changed] it was announced that "
             "2024-01-15 ends on 2026-10-01; now it is not"],
        ),
    ],
)  # fmt: skip
def test_published_announcement_can_not_be_withdrawn(
    now: list[str], said: list[str], tmp_path: Path
) -> None:
    assert found(tmp_path, publish(tmp_path, MOVE, END), *now) == said


def without_first(root: Path, *announcements: str, **changed: str) -> Api:
    """Return the library API with *announcements* and without its first version."""
    table = files(*announcements, **changed)["versions.yaml"]
    gone = table.replace("  - { date: 2024-01-15, title: Initial version }\n", "")
    loans = LIBRARY["loans.yaml"]
    for gate in (
        "          x-added: 2024-09-01\n          x-shown-as: { kind: Book, title: audio book }\n",
        ", x-was: { 2024-09-01: { format: date } }",
    ):
        assert gate in loans
        loans = loans.replace(gate, "")
    return loaded(root, {**LIBRARY, "versions.yaml": gone, "loans.yaml": loans})


def withdrawn(root: Path, day: str) -> list[str]:
    """Return the findings after a version is removed whose end was announced for *day*."""
    end = f"{{ ends: 2024-01-15, from: {day}, announced: 2025-01-01 }}"
    changed = {"default": "2024-09-01"}
    known = publish(root, end, **changed)
    api = without_first(root / "now", **changed)
    return [line(one) for one in check(api, known, today=TODAY)]


def test_version_may_be_removed_on_the_announced_day(tmp_path: Path) -> None:
    assert withdrawn(tmp_path / "on", "2026-01-10") == []
    assert withdrawn(tmp_path / "before", "2026-01-11") == [
        "schemas/versions.yaml:4:13: never [version-withdrawn] 2024-01-15 is not in the table, "
        "and ends on 2026-01-11 only"
    ]


def test_default_moves_on_the_announced_day(tmp_path: Path) -> None:
    for number, (day, said) in enumerate(
        [
            ("2026-01-10", []),
            (
                "2026-01-11",
                [
                    "schemas/versions.yaml:2:1: never [default-moved] the default moves from "
                    "2024-01-15 to 2025-06-01 before 2026-01-11, the announced day"
                ],
            ),
        ]
    ):
        row = f"{{ default: 2025-06-01, from: {day}, announced: 2025-01-01 }}"
        root = tmp_path / str(number)
        assert found(root, publish(root, row), row, default="2025-06-01") == said


FIRST_END: Final = "{ ends: 2024-01-15, from: 2026-10-01, announced: 2026-01-10 }"


def refused(*brownouts: tuple[str, str]) -> str:
    """Return the announcement of an end with *brownouts*."""
    rows = ", ".join(f"{{ from: {start}, to: {end} }}" for start, end in brownouts)
    return FIRST_END.replace(" }", f", brownouts: [{rows}] }}")


def days(*numbers: int) -> list[tuple[str, str]]:
    """Return a brownout for each whole day of a month."""
    return [(f"2026-09-{day}T00:00Z", f"2026-09-{day + 1}T00:00Z") for day in numbers]


SEPTEMBER: Final = ("2026-09-10T08:00Z", "2026-09-10T20:00Z")
SOON: Final = ("2026-01-23T08:00Z", "2026-01-23T09:00Z")


@cases(
    ("before", "now", "said"),
    [
        ([FIRST_END], [SEPTEMBER], []),
        (None, [SEPTEMBER], []),
        (
            [FIRST_END],
            [SOON],
            [f"{AT} gated [brownout-too-soon] 2024-01-15 is refused from 2026-01-23 08:00 to 09:00 "
             "UTC, less than 14 days after 2026-01-10"],
        ),
        ([refused(SOON)], [SOON], []),
        # shortened, postponed, dropped
        ([refused(SOON)], [("2026-01-23T08:10Z", "2026-01-23T08:50Z")], []),
        ([refused(SOON)], [("2026-01-24T08:00Z", "2026-01-25T08:00Z")], []),
        ([refused(SOON)], [], []),
        (
            [refused(SOON, SEPTEMBER)],
            [("2026-01-23T08:00Z", "2026-01-24T09:01Z"), SEPTEMBER],
            [f"{AT} gated [brownout-too-long] 2024-01-15 is refused from 2026-01-23 08:00 to "
             "2026-01-24 09:01 UTC, for more than 24 hours",
             f"{AT} gated [brownout-too-soon] 2024-01-15 is refused from 2026-01-23 08:00 to "
             "2026-01-24 09:01 UTC, less than 14 days after 2026-01-10"],
        ),
        # a longer one would be the end
        (None, [("2026-09-10T08:00Z", "2026-09-11T08:00Z")], []),
        (
            None,
            [("2026-09-10T08:00Z", "2026-09-11T08:01Z")],
            [f"{AT} gated [brownout-too-long] 2024-01-15 is refused from 2026-09-10 08:00 to "
             "2026-09-11 08:01 UTC, for more than 24 hours"],
        ),
        ([FIRST_END], days(10, 11, 12), []),
        (
            [FIRST_END],
            days(10, 11, 12, 14),
            [f"{AT} gated [brownout-too-long] 2024-01-15 is refused for more than 72 hours before "
             "it ends"],
        ),
        ([refused(*days(10, 11, 12, 14))], days(10, 12, 14), []),
        ([refused(*days(10, 11, 12, 14))], days(10, 11, 12, 14), []),
        ([refused(*days(10, 11, 12))], days(10, 11, 12, 14),
            [f"{AT} gated [brownout-too-long] 2024-01-15 is refused for more than 72 hours before "
             "it ends"],
        ),
    ],
)  # fmt: skip
def test_brownout_is_published_early(
    before: list[str] | None, now: list[tuple[str, str]], said: list[str], tmp_path: Path
) -> None:
    moved = {"default": "2025-06-01"}
    known = publish(tmp_path, *(before or ()), **moved)
    assert found(tmp_path, known, refused(*now), **moved) == said


@cases(("day", "fits"), [("2026-09-10", True), ("2026-09-11", False), ("2026-09-01", True)])
def test_version_is_not_the_default_in_its_brownouts(day: str, fits: bool, tmp_path: Path) -> None:
    row = MOVE.replace("2026-09-01", day)
    said = [
        "schemas/versions.yaml:15:5: gated [default-ends] 2024-01-15 is refused from 2026-09-10 "
        "08:00 to 20:00 UTC, and is the default then"
    ]
    assert found(tmp_path, publish(tmp_path), row, refused(SEPTEMBER)) == ([] if fits else said)


ORDER: Final = (
    "brownout-order: brownouts come after the announcement, one after the other, and are over "
    "before the version ends on 2026-10-01"
)


@cases(
    ("row", "said"),
    [
        (refused(SEPTEMBER, SEPTEMBER), [f"14:130: {ORDER}"]),
        (refused(("2026-09-10T20:00Z", "2026-09-10T20:00Z")), [f"14:78: {ORDER}"]),
        (refused(("2026-09-30T20:00Z", "2026-10-01T00:01Z")), [f"14:78: {ORDER}"]),
        (refused(("2026-09-30T20:00Z", "2026-10-01T00:00Z")), []),
        (refused(("2026-01-09T20:00Z", "2026-01-10T00:00Z")), [f"14:78: {ORDER}"]),
        (
            refused(("2026-09-10T20:00Z", "2026-09-10T24:00Z")),
            ["14:109: moment: '2026-09-10T24:00Z' is not a time of UTC, in minutes; write "
             "YYYY-MM-DDTHH:MMZ"],
        ),
        (
            refused(("2026-09-31T20:00Z", "'2026-09-10T21:00+02:00'")),
            ["14:86: moment: '2026-09-31T20:00Z' is not a time of UTC, in minutes; write "
             "YYYY-MM-DDTHH:MMZ",
             "14:109: moment: '2026-09-10T21:00+02:00' is not a time of UTC, in minutes; write "
             "YYYY-MM-DDTHH:MMZ"],
        ),
        (
            MOVE.replace(" }", f", brownouts: [{{ from: {SOON[0]}, to: {SOON[1]} }}] }}"),
            ["14:69: brownout-order: only versions that end have brownouts: `ends: DATE`"],
        ),
    ],
)  # fmt: skip
def test_brownouts_are_between_the_announcement_and_the_end(
    row: str, said: list[str], tmp_path: Path
) -> None:
    table = {"default": "2025-06-01"}
    if not said:
        assert loaded(tmp_path, files(row, **table)).table.announcements[0].brownouts
        return
    assert problems(tmp_path, files(row, **table)) == [
        f"schemas/versions.yaml:{one}" for one in said
    ]


def test_index_and_document_announce_the_end_of_a_version(tmp_path: Path) -> None:
    api = loaded(tmp_path, files(MOVE, END))
    plain = loaded(tmp_path / "plain", files())
    reported, before = (
        {one.path: one.content for one in render(each, models=False, changes=False).artifacts}
        for each in (api, plain)
    )
    ends = [f"spec/{name}/2024-01-15.{form}" for name in ("production", "sandbox")
            for form in ("json", "yaml")]  # fmt: skip
    indexes = [f"spec/{name}/versions.json" for name in ("production", "sandbox")]
    assert sorted(path for path in reported if reported[path] != before[path]) == sorted(
        ends + indexes
    )
    for path in ends:
        document: Any = yaml.safe_load(reported[path])
        assert document["info"] == {
            "title": "Library",
            "version": "2024-01-15",
            "description": "This version ends on 2026-10-01, as announced on 2026-01-12.",
            "x-sunset": "2026-10-01",
        }
    index = json.loads(reported["spec/sandbox/versions.json"])
    old = json.loads(before["spec/sandbox/versions.json"])
    first = {**old["versions"][0], "state": "deprecated", "deprecated": "2026-01-12",
             "sunset": "2026-10-01"}  # fmt: skip
    assert index == {
        **old,
        "announcements": [
            {"kind": "default", "version": "2025-06-01", "day": "2026-09-01",
             "announced": "2026-01-10"},
            {"kind": "ends", "version": "2024-01-15", "day": "2026-10-01",
             "announced": "2026-01-12"},
        ],
        "versions": [first, *old["versions"][1:]],
    }  # fmt: skip


def test_index_and_document_announce_brownouts_and_retired_versions(tmp_path: Path) -> None:
    sources = files(MOVE, refused(SEPTEMBER))
    sources["versions.yaml"] += "retired: [{ date: 2023-01-01, title: Old., ended: 2025-01-01 }]\n"
    api = loaded(tmp_path, sources)
    reported = {one.path: one.content for one in render(api, models=False, changes=False).artifacts}
    document = json.loads(reported["spec/sandbox/2024-01-15.json"])
    assert document["info"]["description"] == (
        "This version ends on 2026-10-01, as announced on 2026-01-10. Before that, it is refused "
        "from 2026-09-10 08:00 to 20:00 UTC."
    )
    index = json.loads(reported["spec/sandbox/versions.json"])
    assert index["announcements"][1]["brownouts"] == [{"from": SEPTEMBER[0], "to": SEPTEMBER[1]}]
    assert index["retired"] == [{"version": "2023-01-01", "summary": "Old.", "ended": "2025-01-01"}]


def test_description_of_a_version_is_preserved(tmp_path: Path) -> None:
    described = {**files(MOVE, END)}
    described["api.yaml"] = described["api.yaml"].replace(
        "version: canonical", 'version: canonical, description: "Lends books.\\n"'
    )
    api = loaded(tmp_path, described)
    made = {one.path: one.content for one in render(api, models=False, changes=False).artifacts}
    reported = json.loads(made["spec/production/2024-01-15.json"])["info"]["description"]
    assert reported == (
        "Lends books.\n\nThis version ends on 2026-10-01, as announced on 2026-01-12."
    )
    later = json.loads(made["spec/production/2024-09-01.json"])["info"]["description"]
    assert later == "Lends books.\n"


def test_unrecognized_index_announces_nothing(tmp_path: Path) -> None:
    publish(tmp_path, MOVE)
    own = {"announcements": ["soon", {"kind": "ends", "version": 1}], "default": "2024-01-15"}
    (tmp_path / "generated" / "manifest.json").unlink()
    for name in ("production", "sandbox"):
        (tmp_path / "generated" / "spec" / name / "versions.json").write_text(json.dumps(own))
    assert read_tree(tmp_path / "generated").announcements == ()


def test_status_lists_pending_announcements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        "{ default: 2024-09-01, from: 2025-02-01, announced: 2024-09-01 }",
        "{ default: 2025-06-01, from: 2025-12-01, announced: 2025-06-01 }",
        "{ ends: 2024-01-15, from: 2025-12-02, announced: 2025-06-01 }",
        "{ ends: 2024-09-01, from: 9999-12-31, announced: 2025-06-01 }",
    ]
    folder(tmp_path, files(*reversed(rows), default="2024-09-01"))
    lines = dateline("status").out.splitlines()
    start = lines.index("announced") + 1
    assert lines[start : start + 4] == [
        "  2025-02-01  2024-09-01 becomes the default",
        "  2025-12-01  2025-06-01 becomes the default; write `default: 2025-06-01`",
        "  2025-12-02  2024-01-15 ends; run `dateline retire 2024-01-15`",
        "  9999-12-31  2024-09-01 ends",
    ]


# Announcements made outside of dateline, for an adopted API


ELSEWHERE: Final = (
    "{ ends: 2024-01-15, from: 2025-12-01, announced: 2025-05-01, elsewhere: 'a letter' }",
    "{ default: 2025-06-01, from: 2025-12-01, announced: 2025-05-01, elsewhere: 'a letter' }",
)


def adopt_library(root: Path, *announcements: str) -> Api:
    """Return the library API as an adopted one, with *announcements*."""
    made = files(*announcements)
    table = made["versions.yaml"].replace("default: 2024-01-15", "default: 2025-06-01")
    return loaded(root, {**made, "versions.yaml": f"{table}lint: adopted\n"})


def test_notice_of_an_earlier_announcement_counts_from_its_day(tmp_path: Path) -> None:
    before = adopt_library(tmp_path / "before")
    write(
        render(before, models=False, changes=False, validate=False).artifacts,
        tmp_path / "generated",
        protected=(),
    )
    known = read_tree(tmp_path / "generated")

    def list_breaches(*rows: str) -> list[str]:
        now = adopt_library(tmp_path / "now", *rows)
        return [one.rule for one in breaches(check(now, known, today=TODAY))]

    assert list_breaches(*ELSEWHERE) == []
    # the same without a place where it was announced, and with too little notice
    assert list_breaches(ELSEWHERE[0].replace(", elsewhere: 'a letter'", "")) == [
        "notice-too-short"
    ]
    assert list_breaches(ELSEWHERE[0].replace("2025-05-01", "2025-10-01")) == ["notice-too-short"]


def test_authored_definitions_can_not_refer_to_announcements_elsewhere(tmp_path: Path) -> None:
    known = publish(tmp_path)
    (breach,) = found(tmp_path, known, ELSEWHERE[1])
    assert "[notice-too-short]" in breach


def test_version_announced_elsewhere_can_be_retired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = VERSIONS.replace("default: 2024-01-15", "default: 2025-06-01") + "lint: adopted\n"
    folder(tmp_path, {**LIBRARY, "versions.yaml": table})
    assert dateline("generate").status == 0
    rows = f"announcements:\n  - {ELSEWHERE[0]}\n"
    (tmp_path / "schemas" / "versions.yaml").write_text(table + rows)
    assert dateline("generate").status == 0
    assert dateline("retire", "2024-01-15").status == 0
    assert (tmp_path / "schemas" / "versions.yaml").read_text() == (
        table.replace("  - { date: 2024-01-15, title: Initial version }\n", "")
        + "retired:\n  - { date: 2024-01-15, title: Initial version, ended: 2025-12-01 }\n"
    )
    assert not (tmp_path / "generated" / "spec" / "production" / "2024-01-15.json").exists()
    compared = dateline("diff", "2024-01-15", "2025-06-01")
    assert compared.err.startswith("2024-01-15 ended on 2025-12-01, and is not in the definitions")
    assert dateline("check").status == 0


FIRST: Final = "{ default: 2024-09-01, from: 2025-03-01, announced: 2024-02-01 }"
SECOND: Final = "{ default: 2025-06-01, from: 2025-12-01, announced: 2025-02-01 }"
AGAIN: Final = "{ default: 2024-09-01, from: 2026-07-09, announced: 2026-01-10 }"
TO_FIRST: Final = {"default": "2024-09-01"}
TO_SECOND: Final = {"default": "2025-06-01"}


@cases(
    ("rows", "now", "changed", "rules"),
    [
        ([FIRST, SECOND], [FIRST, SECOND], TO_SECOND, []),
        ([FIRST, SECOND], [SECOND], TO_SECOND, []),
        ([FIRST, SECOND], [], TO_SECOND, []),
        # a past announcement doesn't move the default again
        ([FIRST, SECOND], [FIRST, SECOND], TO_FIRST, ["default-moved"]),
        ([FIRST, SECOND], [SECOND, FIRST], TO_FIRST, ["default-moved"]),
        ([FIRST, SECOND], [SECOND], TO_FIRST, ["default-moved"]),
        ([FIRST, SECOND], [FIRST, SECOND], {"default": "2024-01-15"}, ["default-moved"]),
        # nor after its successor was removed
        ([FIRST, SECOND], [FIRST], TO_SECOND, ["announcement-changed"]),
        # it may be made again, with notice
        ([FIRST, SECOND], [AGAIN, SECOND], TO_SECOND, []),
        ([FIRST, SECOND], [AGAIN, SECOND], TO_FIRST, ["default-moved"]),
        (
            [FIRST, SECOND],
            [AGAIN.replace("2026-07-09", "2026-07-08"), SECOND],
            TO_SECOND,
            ["notice-too-short"],
        ),
        (
            [FIRST, SECOND],
            [FIRST.replace("2025-03-01", "2026-01-11"), SECOND],
            TO_SECOND,
            ["notice-too-short"],
        ),
        (
            [FIRST, SECOND],
            [FIRST.replace("2025-03-01", "2025-12-02"), SECOND],
            TO_SECOND,
            ["notice-too-short"],
        ),
        (
            [FIRST, SECOND],
            [FIRST, SECOND.replace("2025-12-01", "2026-01-11")],
            TO_SECOND,
            ["notice-too-short"],
        ),
    ],
)
def test_latest_announcement_sets_the_default(
    rows: list[str], now: list[str], changed: dict[str, str], rules: list[str], tmp_path: Path
) -> None:
    known = publish(tmp_path, *rows, **TO_SECOND)
    said = found(tmp_path, known, *now, **changed)
    assert [one.partition("[")[2].partition("]")[0] for one in said] == rules


def test_going_back_to_an_older_announcement_names_the_latest(tmp_path: Path) -> None:
    known = publish(tmp_path, FIRST, SECOND, **TO_SECOND)
    assert found(tmp_path, known, FIRST, SECOND, **TO_FIRST) == [
        "schemas/versions.yaml:2:1: never [default-moved] the default moves from 2025-06-01 to "
        "2024-09-01 as announced for 2025-03-01, and it was announced to move to 2025-06-01 on "
        "2025-12-01"
    ]


@cases(
    ("rows", "default", "rules"),
    [
        ([SECOND], "2025-06-01", []),
        ([SECOND], "2024-09-01", ["default-moved"]),
        ([], "2025-06-01", ["default-moved"]),
        ([FIRST, SECOND], "2024-09-01", ["default-moved"]),
        ([FIRST, SECOND], "2025-06-01", []),
    ],
)
def test_default_moves_as_announced_after_its_version_ended(
    rows: list[str], default: str, rules: list[str], tmp_path: Path
) -> None:
    end = "{ ends: 2024-01-15, from: 2026-01-01, announced: 2025-01-01 }"
    known = publish(tmp_path, *rows, end)
    api = without_first(tmp_path / "now", *rows, default=default)
    assert [one.rule for one in check(api, known, today=TODAY)] == rules
