"""The version table: the data of valid ones, and the problems of invalid ones."""

from __future__ import annotations

from pathlib import Path

from support.sources import parsed
from support.tables import cases

from dateline.load.table import read_table
from dateline.model import Announcement, Environment, Place, Problem, Retired, Table, Version

VERSIONS = "versions: [{ date: 2024-01-15, title: One }]\n"
ENVIRONMENTS = "environments: { production: { servers: [{ url: https://api.example }] } }\n"


def table(text: str, folder: Path) -> Table:
    problems: list[Problem] = []
    found = read_table(parsed(folder, text), problems)
    assert problems == []
    assert found is not None
    return found


def complaints(text: str, folder: Path) -> list[str]:
    """Return the problems of *text*, sorted by place, without the file's name."""
    problems: list[Problem] = []
    assert read_table(parsed(folder, text), problems) is None
    return [str(problem).removeprefix("versions.yaml:") for problem in sorted(problems)]


def place(line: int, column: int) -> Place:
    return Place("versions.yaml", line, column)


def test_table_has_all_data_of_its_file(tmp_path: Path) -> None:
    text = """\
header: Api-Version
default: 2024-01-15
annotation: 2024-09-01
versions:
  - { date: 2024-01-15, title: Initial version }
  - { date: 2024-09-01, title: Audio books, undisclosed: true }
  - { date: 2025-06-01, title: Cut soon, draft: true }
  - { date: next, title: Loans can be paused, draft: true }
environments:
  production: { servers: [{ url: https://api.library.example/api, description: the real one }] }
  sandbox: { servers: [{ url: /sandbox }] }
ignores-header: [Opening hours, Branches]
policy: { preset: github, rules: { variant-added: gated } }
python: { package: library }
"""
    assert table(text, tmp_path) == Table(
        header="Api-Version",
        default="2024-01-15",
        annotation="2024-09-01",
        versions=(
            Version(date="2024-01-15", title="Initial version", place=place(5, 13)),
            Version(date="2024-09-01", title="Audio books", undisclosed=True, place=place(6, 13)),
            Version(date="2025-06-01", title="Cut soon", draft=True, place=place(7, 13)),
            Version(date="next", title="Loans can be paused", draft=True, place=place(8, 13)),
        ),
        environments=(
            Environment(
                name="production",
                servers=(
                    {"url": "https://api.library.example/api", "description": "the real one"},
                ),
                place=place(10, 3),
            ),
            Environment(name="sandbox", servers=({"url": "/sandbox"},), place=place(11, 3)),
        ),
        ignoring_tags=("Opening hours", "Branches"),
        policy="github",
        overrides={"variant-added": "gated"},
        package="library",
        adopted=False,
    )


def test_retired_versions_are_sorted_and_their_names_are_taken(tmp_path: Path) -> None:
    rows = """\
retired:
  - { date: 2024-01-01, title: Two, ended: 2025-01-01 }
  - { date: 2023-01-01, ended: 2024-02-01 }
"""
    assert table(VERSIONS + ENVIRONMENTS + rows, tmp_path).retired == (
        Retired(date="2023-01-01", title="", ended="2024-02-01", place=place(5, 13)),
        Retired(date="2024-01-01", title="Two", ended="2025-01-01", place=place(4, 13)),
    )
    again = rows.replace("2023-01-01", "2024-01-01").replace(
        "date: 2024-01-01", "date: 2024-01-15", 1
    )
    assert complaints(VERSIONS + ENVIRONMENTS + again, tmp_path) == [
        "4:13: version-twice: 2024-01-15 is at versions.yaml:1:20 already; the name of a retired "
        "version is taken",
    ]
    # newer than the newest version that is cut
    later = rows.replace("2023-01-01", "2031-01-01")
    assert complaints(VERSIONS + ENVIRONMENTS + later, tmp_path) == [
        "5:13: version-order: 2031-01-01 is newer than 2024-01-15 (versions.yaml:1:20), the newest "
        "version that is cut, which can't be retired; correct its date, or leave the row out"
    ]


def test_omitted_keys_have_defaults(tmp_path: Path) -> None:
    text = """\
versions:
  - { date: 2024-01-15, title: One }
  - { date: 2024-09-01, title: Two }
"""
    assert table(text + ENVIRONMENTS, tmp_path) == Table(
        header="X-API-Version",
        default="2024-01-15",
        annotation=None,
        versions=(
            Version(date="2024-01-15", title="One", place=place(2, 13)),
            Version(date="2024-09-01", title="Two", place=place(3, 13)),
        ),
        environments=(
            Environment(
                name="production", servers=({"url": "https://api.example"},), place=place(4, 17)
            ),
        ),
        ignoring_tags=(),
        policy="dated-contract",
        overrides={},
        package="api_models",
        adopted=False,
    )


def test_site_may_name_the_address_of_documents(tmp_path: Path) -> None:
    for said, expected in (
        ("", (False, "")),
        ("site: false\n", (False, "")),
        ("site: true\n", (True, "")),
        (
            'site: { documents: "https://a.example/{version}.json?x=1" }\n',
            (True, "https://a.example/{version}.json?x=1"),
        ),
    ):
        found = table(said + VERSIONS + ENVIRONMENTS, tmp_path)
        assert (found.site, found.documents) == expected


def test_adopted_source_needs_no_environment(tmp_path: Path) -> None:
    found = table("lint: adopted\n" + VERSIONS, tmp_path)
    assert found.adopted
    assert found.environments == (Environment(name="production", servers=(), place=place(1, 1)),)


def test_adopted_environment_needs_no_servers(tmp_path: Path) -> None:
    found = table("lint: adopted\nenvironments: { live: {} }\n" + VERSIONS, tmp_path)
    assert found.environments == (Environment(name="live", servers=(), place=place(2, 17)),)


def test_draft_is_not_served_by_default(tmp_path: Path) -> None:
    text = """\
versions:
  - { date: 2024-01-15, title: One }
  - { date: next, title: Two, draft: true }
"""
    found = table(text + ENVIRONMENTS, tmp_path)
    assert (found.default, found.latest, found.dates) == (
        "2024-01-15",
        "2024-01-15",
        ("2024-01-15", "next"),
    )


@cases(
    ("date", "complaint"),
    [
        ("2026-7-1", "'2026-7-1' is not a canonical YYYY-MM-DD date; write 2026-07-01"),
        ("'20260701'", "'20260701' is not a canonical YYYY-MM-DD date; write 2026-07-01"),
        ("20260701", "20260701 is not a canonical YYYY-MM-DD date; write 2026-07-01"),
        ("2026-02-30", "'2026-02-30' is not an existing date; write one, or `next`"),
        ("0000-01-01", "'0000-01-01' is not an existing date; write one, or `next`"),
        *(
            (text, f"{text!r} is not a canonical YYYY-MM-DD date; write one, or `next`")
            for text in ("2026-W27-3", "soon", "Next", "２０２６-07-01", "2026-07-01T00:00")
        ),
    ],
)
def test_only_the_canonical_spelling_of_a_real_day_is_a_date(
    date: str, complaint: str, tmp_path: Path
) -> None:
    text = f"versions: [{{ title: One, date: {date} }}]\n" + ENVIRONMENTS
    assert complaints(text, tmp_path) == [f"1:32: date: {complaint}"]


@cases(
    ("rows", "said"),
    [
        (
            ["{ date: 2024-09-01, title: a }", "{ date: 2024-01-15, title: b }"],
            [
                "3:13: version-order: 2024-01-15 comes after 2024-09-01 (versions.yaml:2:13); "
                "write the versions oldest first, `next` last"
            ],
        ),
        (
            ["{ date: 2024-09-01, title: a }", "{ date: 2024-09-01, title: b }"],
            [
                "3:13: version-twice: 2024-09-01 is at versions.yaml:2:13 already; "
                "leave one of the two out"
            ],
        ),
        (
            [
                "{ date: 2024-01-15, title: a }",
                "{ date: next, title: b, draft: true }",
                "{ date: 2024-09-01, title: c, draft: true }",
            ],
            [
                "4:13: version-order: 2024-09-01 comes after next (versions.yaml:3:13); "
                "write the versions oldest first, `next` last"
            ],
        ),
        (
            ["{ date: 2024-01-15, title: a }", "{ date: next, title: b }"],
            [
                "3:13: next-is-cut: `next` is the version being prepared; give it `draft: true`, "
                "or a date"
            ],
        ),
        (
            ["{ date: 2024-01-15, title: a, draft: true }", "{ date: 2024-09-01, title: b }"],
            [
                "3:13: draft-before-cut: 2024-09-01 comes after the draft 2024-01-15 "
                "(versions.yaml:2:13); drafts come last"
            ],
        ),
        (
            ["{ date: next, title: a, draft: true }"],
            [
                "1:1: no-supported-version: every version is a draft; callers need one: "
                "drop its `draft: true`"
            ],
        ),
        (
            ["2024-01-15", "{ title: b }", "{ date: 2024-09-01 }"],
            [
                "2:5: wrong-type: '2024-01-15' where a mapping belongs; "
                "write { date: 2026-07-01, title: ... }",
                "3:5: missing-key: `date` is missing; write `date: YYYY-MM-DD`",
                "4:5: missing-key: `title` is missing; say in one sentence what callers will "
                "notice",
            ],
        ),
    ],
    ids=["order", "twice", "after-next", "next-cut", "draft-first", "drafts-only", "half-rows"],
)
def test_versions_are_listed_oldest_first_with_drafts_last(
    rows: list[str], said: list[str], tmp_path: Path
) -> None:
    text = "versions:\n" + "".join(f"  - {row}\n" for row in rows) + ENVIRONMENTS
    assert complaints(text, tmp_path) == said


@cases(
    ("lines", "said"),
    [
        (
            "heder: X-V",
            "1:1: unknown-key: 'heder' is not a key of the version table; did you mean 'header'?",
        ),
        (
            "header: X API",
            "1:9: header-name: 'X API' is not a header name; use letters, digits and hyphens "
            "(RFC 9110 section 5.6.2)",
        ),
        (
            "x-zone: b",
            "1:1: unknown-key: 'x-zone' is not a key of the version table; known: header, default, "
            "annotation, versions, environments, announcements, retired, ignores-header, …",
        ),
        ("header: [X]", "1:9: wrong-type: a list where text belongs"),
        (
            "default: 2024-01-16",
            "1:10: default-unsupported: no version 2024-01-16 in the table; "
            "did you mean '2024-01-15'?",
        ),
        (
            "default: next",
            "1:10: default-unsupported: next is a draft; only a version that is cut can be "
            "served without the header",
        ),
        (
            "annotation: 2024-01-16",
            "1:13: annotation-unknown: no version 2024-01-16 in the table; "
            "did you mean '2024-01-15'?",
        ),
        ("ignores-header: Hours", "1:17: wrong-type: 'Hours' where a list belongs"),
        ("ignores-header: [Hours, Hours]", "1:25: item-twice: 'Hours' is in the list already"),
        (
            "policy: date-contract",
            "1:9: unknown-value: 'date-contract' is not one of the values; did you mean "
            "'dated-contract'?",
        ),
        (
            "policy: { rules: {} }",
            "1:9: missing-key: `preset` is missing; name the rules to start from",
        ),
        (
            "policy: { preset: github, rules: { variant-added: aditive } }",
            "1:51: unknown-value: 'aditive' is not one of the values; did you mean 'additive'?",
        ),
        (
            "policy: { preset: github, rules: { Variant: gated } }",
            "1:36: rule-name: 'Variant' is not the id of a rule; they look like `variant-added`",
        ),
        (
            "lint: adoptd",
            "1:7: unknown-value: 'adoptd' is not one of the values; did you mean 'adopted'?",
        ),
        ("site: shown", "1:7: wrong-type: 'shown' where true or false belongs"),
        (
            "site: { documents: https://library.example/spec }",
            "1:20: documents-address: 'https://library.example/spec' is not an address of "
            "documents; write http://... or https://... with {version} in it",
        ),
        (
            "site: {}",
            "1:7: missing-key: `documents` is missing; write "
            "`documents: https://...{version}...`, or `site: true`",
        ),
        ("python: library", "1:9: wrong-type: 'library' where a mapping belongs"),
        (
            "python: { pakage: library }",
            "1:11: unknown-key: 'pakage' is not a key of python; did you mean 'package'?",
        ),
    ],
)
def test_values_of_each_key_are_checked(lines: str, said: str, tmp_path: Path) -> None:
    versions = (
        "versions:\n"
        "  - { date: 2024-01-15, title: One }\n"
        "  - { date: next, title: Two, draft: true }\n"
    )
    assert complaints(f"{lines}\n{versions}{ENVIRONMENTS}", tmp_path) == [said]


@cases(
    ("package", "reason"),
    [
        ("Library", "is not a package name; use a lower-case letter"),
        ("2library", "is not a package name; use a lower-case letter"),
        ("lib-rary", "is not a package name; use a lower-case letter"),
        ("bücher", "is not a package name; use a lower-case letter"),
        ("class", "is a Python keyword"),
        ("json", "is a module that the generated code imports or Python brings"),
        ("pydantic", "is a module that the generated code imports or Python brings"),
        ("aux", "can't be a folder's name on every system"),
    ],
)
def test_package_name_is_importable_and_hides_no_other(
    package: str, reason: str, tmp_path: Path
) -> None:
    text = f"python: {{ package: {package} }}\n{VERSIONS}{ENVIRONMENTS}"
    [said] = complaints(text, tmp_path)
    assert said.startswith(f"1:20: package-name: {package!r} {reason}")


@cases(
    "url",
    [
        "https://api.example",
        "http://localhost:8000/api/v1",
        "http://[::1]:8000",
        "https://{region}.api.example:{port}/{base}",
        "/",
        "/api",
    ],
)
def test_server_has_a_web_address_or_a_path(url: str, tmp_path: Path) -> None:
    variables = "region: { default: eu, enum: [eu, us] }, port: { default: '443' }"
    given = f", variables: {{ {variables}, base: {{ default: api }} }}" if "{" in url else ""
    text = f"{VERSIONS}environments: {{ live: {{ servers: [{{ url: '{url}'{given} }}] }} }}\n"
    assert table(text, tmp_path).environments[0].servers[0]["url"] == url


@cases(
    "url",
    [
        "javascript:alert(1)",
        "ftp://api.example",
        "//api.example",
        "api.example",
        "https://",
        "https://user:secret@api.example",
        "https://api.example/?key=1",
        "https://api.example/#top",
        'https://api.example/"',
        "https://api.example/ api",
        "https://api.example:port",
        "",
    ],
)
def test_other_server_address_is_refused(url: str, tmp_path: Path) -> None:
    text = f"{VERSIONS}environments: {{ live: {{ servers: [{{ url: '{url}' }}] }} }}\n"
    assert complaints(text, tmp_path) == [
        f"2:42: server-url: {url!r} is not an address to serve from; write http://..., "
        "https://... or a path from /, without a query or a fragment"
    ]


@cases(
    ("environments", "said"),
    [
        ("{}", ["2:15: no-environment: there is no environment; name one, such as `production`"]),
        (
            "{ Live: { servers: [{ url: /api }] } }",
            [
                "2:17: environment-name: 'Live' is not an environment's name; use a lower-case "
                "letter, then such letters, digits and hyphens, 64 at most"
            ],
        ),
        (
            "{ con: { servers: [{ url: /api }] } }",
            [
                "2:17: environment-name: 'con' can't be a folder's name on every system; "
                "choose another"
            ],
        ),
        ("{ live: {} }", ["2:23: missing-key: `servers` is missing; list where it is served"]),
        ("{ live: { servers: [] } }", ["2:34: empty-list: the list is empty"]),
        (
            "{ live: { servers: [{ ulr: /api }] } }",
            [
                "2:35: missing-key: `url` is missing; write `url: https://...`",
                "2:37: unknown-key: 'ulr' is not a key of a server; did you mean 'url'?",
            ],
        ),
        (
            "{ live: { servers: [{ url: /api, x-environments: [live] }] } }",
            [
                "2:48: unknown-key: 'x-environments' is not a key of a server; "
                "known: url, description, variables"
            ],
        ),
        (
            "{ live: { servers: [{ url: '/{a}', variables: { b: { default: x, enum: [z] } } }] } }",
            [
                "2:42: server-variable-missing: {a} is not among the server's variables; "
                "write `variables: { a: { default: ... } }`",
                "2:63: server-variable-unused: the address '/{a}' has no {b}; known: a",
                "2:77: server-variable-default: 'x' is not in the variable's `enum`; known: z",
            ],
        ),
    ],
)
def test_each_environment_has_a_name_and_a_server(
    environments: str, said: list[str], tmp_path: Path
) -> None:
    assert complaints(f"{VERSIONS}environments: {environments}\n", tmp_path) == said


def test_foreign_key_of_a_server_passes(tmp_path: Path) -> None:
    text = f"{VERSIONS}environments: {{ live: {{ servers: [{{ url: /api, x-zone: b }}] }} }}\n"
    assert table(text, tmp_path).environments[0].servers == ({"url": "/api", "x-zone": "b"},)


def test_all_problems_are_reported_together(tmp_path: Path) -> None:
    text = """\
heder: X
default: 2026-1-1
versions:
  - { date: 2024-01-15, titel: One }
python: { package: json }
"""
    assert complaints(text, tmp_path) == [
        "1:1: missing-key: `environments` is missing; name one, with the servers it has",
        "1:1: unknown-key: 'heder' is not a key of the version table; did you mean 'header'?",
        "2:10: date: '2026-1-1' is not a canonical YYYY-MM-DD date; write 2026-01-01",
        "4:5: missing-key: `title` is missing; say in one sentence what callers will notice",
        "4:25: unknown-key: 'titel' is not a key of a version; did you mean 'title'?",
        "5:20: package-name: 'json' is a module that the generated code imports or Python brings; "
        "choose another name",
    ]


def test_title_is_one_line(tmp_path: Path) -> None:
    text = 'versions: [{ date: 2024-01-15, title: "One\\nTwo" }]\n' + ENVIRONMENTS
    assert complaints(text, tmp_path) == [
        "1:39: several-lines: 'One\\nTwo' has several lines; write one"
    ]


def test_announcements_have_an_event_and_a_day(tmp_path: Path) -> None:
    text = """\
announcements:
  - { default: 2024-09-01, from: 2026-01-01, announced: 2025-06-01 }
  - { ends: 2024-01-15, from: 2027-01-01, announced: 2027-01-01 }
"""
    found = table(text + VERSIONS + ENVIRONMENTS, tmp_path)
    assert found.announcements == (
        Announcement(
            kind="default",
            version="2024-09-01",
            day="2026-01-01",
            announced="2025-06-01",
            place=place(2, 5),
        ),
        Announcement(
            kind="ends",
            version="2024-01-15",
            day="2027-01-01",
            announced="2027-01-01",
            place=place(3, 5),
        ),
    )


@cases(
    ("row", "said"),
    [
        (
            "{ default: 2024-09-01 }",
            "1:17: missing-key: `announced` is missing; write the day of the announcement\n"
            "1:17: missing-key: `from` is missing; write the day on which it takes effect",
        ),
        (
            "{ ends: next, from: 2026-1-1, announced: 2025-01-01 }",
            "1:25: date: 'next' is not a date yet; write a canonical YYYY-MM-DD date\n"
            "1:37: date: '2026-1-1' is not a canonical YYYY-MM-DD date; write 2026-01-01",
        ),
        (
            "{ from: 2026-01-01 }",
            "1:17: announcement-kind: an announcement has one subject: `default: DATE`, the "
            "version that becomes the default, or `ends: DATE`, the version that is no longer "
            "served",
        ),
        (
            "{ ends: 2024-01-15, from: 2026-01-01, announced: 2026-01-02 }",
            "1:66: announced-late: announced on 2026-01-02 and in force from 2026-01-01; announce "
            "it before that day",
        ),
        (
            "{ ends: 2024-01-15, from: 2026-01-01, announced: 2025-01-01 }, "
            "{ ends: 2024-01-15, from: 2026-02-01, announced: 2025-01-01 }",
            "1:80: announcement-twice: `ends: 2024-01-15` is announced at versions.yaml:"
            "1:17 already; leave one out",
        ),
    ],
)
def test_announcement_names_one_event_and_its_day(row: str, said: str, tmp_path: Path) -> None:
    text = f"announcements: [{row}]\n" + VERSIONS + ENVIRONMENTS
    assert complaints(text, tmp_path) == said.split("\n")
