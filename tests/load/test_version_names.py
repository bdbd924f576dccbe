"""Versions with every form of names, at every place of a request, behave alike."""

from __future__ import annotations

import json
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest
from support.commands import dateline
from support.generated_server import Generated, ask
from support.sources import parsed
from support.tables import cases

from dateline.check import Published
from dateline.documents import publish
from dateline.edit.cut import CutRequest, cut
from dateline.edit.retire import retire
from dateline.load import load
from dateline.load.table import read_table
from dateline.model import Api, Problem
from dateline.placement import hide_version
from dateline.project import Projector
from dateline.versions import FORMS, first_day, is_well_formed, order
from dateline_runtime.negotiation import Supported, negotiate
from dateline_runtime.negotiation import is_well_formed as is_well_formed_when_served


class Names(NamedTuple):
    """Names of one form: two versions, one to cut, an invalid one, and one that is no date."""

    first: str
    second: str
    third: str
    unknown: str
    malformed: str


NAMES: Final = {
    "YYYY-MM-DD": Names("2025-01-15", "2025-09-01", "2026-01-15", "2025-05-05", "2025-02-30"),
    "YYYY-MM": Names("2025-01", "2025-07", "2026-01", "2025-03", "2025-13"),
    "YYYYMM": Names("202501", "202507", "202601", "202503", "202513"),
    "YYYY-MM-DD-suffix": Names(
        "2025-01-15-preview", "2025-01-15", "2026-01-15-rc.1", "2025-05-05-preview", "2025-05-05.a"
    ),
    "YYYY-MM-DD.suffix": Names(
        "2025-01-15", "2025-09-01.acacia", "2026-01-15.basil", "2025-09-01.birch", "2025-09-01-a"
    ),
}

PLACES: Final = {
    "header": "header: Api-Version",
    "query": "query: api-version",
    "path": "path: true",
    "media-type": "media-type: version",
}

PARAMETERS: Final = {
    "header": "{ name: Api-Version, in: header, schema: { type: string } }",
    "query": "{ name: api-version, in: query, schema: { type: string } }",
}

MOVING: Final = "unstable"


def write_project(folder: Path, form: str, place: str, *lines: str) -> Path:
    """Write definitions of three versions, including a draft and one that moves."""
    names = NAMES[form]
    versions = [
        *(PLACES[place], f"form: {form}", *lines, "versions:"),
        f"  - {{ date: '{names.first}', title: One. }}",
        f"  - {{ date: '{names.second}', title: Two. }}",
        "  - { date: next, title: Three., draft: true }",
        f"  - {{ date: {MOVING}, title: Anything., moving: true }}",
        "environments: { production: { servers: [{ url: https://api.example/api }] } }",
        "python: { package: library }",
    ]
    parameters = ["{ name: id, in: path, required: true, schema: { type: string } }"]
    parameters += [PARAMETERS[place]] if place in PARAMETERS else []
    api = [
        *(
            "openapi: 3.1.0",
            "info: { title: Library, version: canonical }",
            "tags: [{ name: Loans }]",
        ),
        *(
            "paths:",
            "  /loans/{id}:",
            "    get:",
            "      operationId: getLoan",
            "      tags: [Loans]",
        ),
        f"      parameters: [{', '.join(parameters)}]",
        "      responses:",
        "        '200':",
        "          description: a loan",
        "          content:",
        "            application/json: { schema: { $ref: '#/components/schemas/Loan' } }",
        *("components:", "  schemas:", "    Loan:", "      type: object", "      required: [id]"),
        *("      properties:", "        id: { type: string }"),
        f"        borrower: {{ type: string, x-was: {{ '{names.second}': {{ name: reader }} }} }}",
        "        fine: { type: string, x-was: { next: { name: fee } } }",
        f"        branch: {{ type: string, x-was: {{ {MOVING}: {{ name: shelf }} }} }}",
    ]
    schemas = folder / "schemas"
    schemas.mkdir()
    (schemas / "versions.yaml").write_text("\n".join([*versions, ""]))
    (schemas / "api.yaml").write_text("\n".join([*api, ""]))
    return schemas


class Loans:
    """The only handler; each property contains its own newest name."""

    async def get_loan(self, *_: Any, **__: Any) -> Any:
        return {name: name for name in ("id", "borrower", "fine", "branch")}


def request(app: Any, place: str, name: str | None) -> httpx.Response:
    """Return the answer to a request for a loan, with or without a version."""
    path, headers = "/api/loans/1", {}
    if name is not None and place == "path":
        path = f"/api/{name}/loans/1"
    elif name is not None and place == "query":
        path += f"?api-version={name}"
    elif name is not None:
        key, value = ("Api-Version", name)
        if place == "media-type":
            key, value = ("Accept", f'text/html, application/json; q=0.9; version="{name}"')
        headers = {key: value}
    return ask(app, "GET", path, headers=headers)


def serve(folder: Path, api: Api) -> Any:
    """Return the application of *api*, generated in *folder*."""
    server = Generated(folder, api).module("server")
    return server.create_app(server.Handlers(loans=Loans()), environment="production")


def fields(reader: bool, fee: bool, shelf: bool) -> set[str]:
    """Return the old and the new names of a loan's properties."""
    renamed = [("borrower", "reader", reader), ("fine", "fee", fee), ("branch", "shelf", shelf)]
    return {"id", *(old if is_old else new for new, old, is_old in renamed)}


# every form, at two places each, and every place with several forms
COMBINED: Final = [
    (form, [*PLACES][(at + step) % len(PLACES)]) for at, form in enumerate(NAMES) for step in (0, 2)
]


@pytest.mark.parametrize(("form", "place"), COMBINED)
def test_version_of_any_form_is_cut_and_served_at_any_place(
    form: str, place: str, tmp_path: Path
) -> None:
    names = NAMES[form]
    schemas = write_project(tmp_path, form, place)
    done = cut(schemas, CutRequest(day=names.third), Published(label="nothing"))
    assert done.api.table.dates == (names.first, names.second, names.third, MOVING)
    app = serve(tmp_path / "served", done.api)
    answers = {
        name: request(app, place, name)
        for name in (None, *names[:3], MOVING, names.unknown, names.malformed)
    }
    served = {name: set(each.json()) for name, each in answers.items() if each.status_code == 200}
    assert served == {
        None: fields(True, True, True),
        names.first: fields(True, True, True),
        names.second: fields(False, True, True),
        names.third: fields(False, False, True),
        MOVING: fields(False, False, False),
    }
    refused = {
        name: (each.status_code, each.json()["reason"], each.json()["requested"])
        for name, each in answers.items()
        if name not in served
    }
    assert refused == {
        names.unknown: (400, "version_unknown", names.unknown),
        names.malformed: (400, "version_malformed", names.malformed),
    }
    assert {each.json()["supported"][-1] for each in answers.values() if each.is_error} == {MOVING}


USUAL: Final = "YYYY-MM"

# every combination except the usual one
PAIRS: Final = [*zip([*NAMES][1:], ["path", "query", "header", "media-type"], strict=True)]


@pytest.mark.parametrize(("form", "place"), PAIRS)
def test_commands_support_any_form_and_place(
    form: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = NAMES[form]
    schemas = write_project(tmp_path, form, place)
    monkeypatch.chdir(tmp_path)
    outcomes = [
        dateline(*command)
        for command in (
            ["generate"],
            ["check"],
            ["cut", names.third, "--title", "Three."],
            ["check"],
            ["generate", "--check"],
        )
    ]
    assert [(each.status, each.err) for each in outcomes if each.status] == []
    compared = dateline("diff", names.first, MOVING)
    assert (compared.status, compared.err) == (0, "")
    assert "field renamed ('reader' -> 'borrower')" in compared.out
    # only the moving version may change
    api = schemas / "api.yaml"
    written = api.read_text()
    api.write_text(written.replace("{ name: shelf }", "{ name: place }"))
    frozen = dateline("check")
    assert frozen.status == 1
    assert f"versions: {', '.join(names[:3])} (production)" in frozen.out
    api.write_text(written.replace("branch", "office"))
    assert dateline("check").status == 0


def test_document_shows_where_its_version_is_named(tmp_path: Path) -> None:
    shown = {}
    for place in PLACES:
        folder = tmp_path / place
        folder.mkdir()
        api = load(write_project(folder, USUAL, place))
        found = publish(Projector(api).contract("2025-07", "production"), api.table)
        get = found["paths"]["/loans/{id}"]["get"]
        shown[place] = (
            [server["url"] for server in found["servers"]],
            [(each["in"], each["name"]) for each in get["parameters"]],
            [*get["responses"]["200"]["content"]],
        )
        assert hide_version(found, api.table.selector, "2025-07") == {
            **Projector(api).contract("2025-07", "production").document
        }
    url, id, json = "https://api.example/api", ("path", "id"), "application/json"
    assert shown == {
        "header": ([url], [id, ("header", "Api-Version")], [json]),
        "query": ([url], [id, ("query", "api-version")], [json]),
        "path": ([f"{url}/2025-07"], [id], [json]),
        "media-type": ([url], [id], [f"{json}; version=2025-07"]),
    }


@pytest.mark.parametrize("place", PLACES)
def test_nearest_earlier_version_is_served_if_configured(place: str, tmp_path: Path) -> None:
    api = load(write_project(tmp_path, USUAL, place, "unknown: nearest"))
    app = serve(tmp_path / "served", api)
    answers = {
        name: request(app, place, name) for name in ("2025-03", "2025-08", "2024-12", "2025-13")
    }
    served = {name: set(each.json()) for name, each in answers.items() if each.status_code == 200}
    assert served == {"2025-03": fields(True, True, True), "2025-08": fields(False, True, True)}
    refused = [each.json()["reason"] for each in answers.values() if each.status_code == 400]
    assert refused == ["version_unknown", "version_malformed"]


def test_tools_and_runtime_agree_about_names() -> None:
    texts = {text for names in NAMES.values() for text in names} | {
        *("", "next", "unstable", "2025", "20250115", "2025-1", "2025-01-15-", "2025-01-15.a.b"),
        *(
            "2025-02-29",
            "2024-02-29",
            "20240229-a-b",
            "202402.x",
            "2025-01-15-Preview",
            "２０２５-01",
        ),
    }
    for form, text in product(FORMS, sorted(texts)):
        assert is_well_formed(text, form) == is_well_formed_when_served(text, form), (form, text)


def test_names_are_in_the_order_of_their_dates() -> None:
    names = ["2025-01-15-a", "2025-01-15", "2025-01-15.b", "2025-02-01-a", "next", "unstable"]
    assert sorted({*names}, key=order) == names
    supported = Supported("2025-01", ("2025-01", "2025-07", "unstable"), form="YYYY-MM")
    assert negotiate("unstable", supported) == "unstable"
    with pytest.raises(ValueError, match="oldest first"):
        Supported("2025-01", ("2025-07", "2025-01"), form="YYYY-MM")


@cases(
    ("lines", "rows", "said"),
    [
        (
            "form: YYYY-MM",
            "{ date: 2025-01-15, title: a }",
            "'2025-01-15' is not a canonical YYYY-MM date; write one, or `next`",
        ),
        (
            "form: YYYY-MM",
            "{ date: 2025-13, title: a }",
            "'2025-13' is not an existing date; write one, or `next`",
        ),
        (
            "form: YYYYMM",
            "{ date: 202501, title: a }",
            "202501 is a number in YAML; write '202501' in quotes",
        ),
        (
            "form: YY",
            "{ date: 2025-01-15, title: a }",
            "'YY' is not one of the values; known: YYYY-MM-DD, YYYY-MM-DD-suffix, "
            "YYYY-MM-DD.suffix, YYYY-MM, YYYY-MM-suffix, YYYY-MM.suffix, YYYYMMDD, "
            "YYYYMMDD-suffix, …",
        ),
        (
            "query: version\nheader: X-V",
            "{ date: 2025-01-15, title: a }",
            "`header` is the place of the version; keep one of header and query",
        ),
        (
            "unknown: newest",
            "{ date: 2025-01-15, title: a }",
            "'newest' is not one of the values; did you mean 'nearest'?",
        ),
        (
            "",
            "{ date: 2025-01-15, title: a }, { date: unstable, title: b }",
            "'unstable' is not a canonical YYYY-MM-DD date; write one, or `next`",
        ),
        (
            "",
            "{ date: unstable, title: b, moving: true }, { date: 2025-01-15, title: a }",
            "unstable is a moving version, which is always the newest; put it last",
        ),
        (
            "",
            "{ date: 2025-01-15, title: a }, "
            "{ date: unstable, title: b, draft: true, moving: true }",
            "unstable is a moving version, which can't be a draft; leave `draft` out",
        ),
        (
            "",
            "{ date: 2025-01-15, title: a, moving: true }",
            "2025-01-15 is dated, so it can't be a moving version; use a word such as unstable",
        ),
        *(
            (
                "",
                f"{dated}{{ date: unstable, title: b, moving: true }}",
                "the moving version may change at any time; add a dated one, without `draft: true`",
            )
            for dated in ("", "{ date: 2025-01-15, title: a, draft: true }, ")
        ),
        (
            "",
            "{ date: 2025-01-15, title: a }, { date: latest, title: b, moving: true }",
            "'latest' is not a canonical YYYY-MM-DD date; write one, or `next`",
        ),
    ],
)
def test_table_declares_form_and_place_of_versions(
    lines: str, rows: str, said: str, tmp_path: Path
) -> None:
    problems: list[Problem] = []
    text = f"{lines}\nlint: adopted\nversions: [{rows}]\n"
    assert read_table(parsed(tmp_path, text), problems) is None
    assert said in [problem.message for problem in problems]


def test_published_documents_are_adopted_under_names_of_their_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, kind in (("a", "string"), ("b", "integer")):
        content = {
            "openapi": "3.1.0",
            "info": {"title": "A", "version": "1"},
            "components": {"schemas": {"A": {"type": kind}}},
        }
        Path(f"{name}.json").write_text(json.dumps(content))
    done = dateline("adopt", "202507=b.json", "202501=a.json")
    assert (done.status, done.err) == (0, "")
    table = load(Path("schemas")).table
    assert (table.form, table.dates) == ("YYYYMM", ("202501", "202507"))


def test_numbers_in_suffixes_are_compared_as_numbers() -> None:
    names = ["2025-01-rc2", "2025-01-rc10", "2025-01", "2025-02-beta9", "2025-02-beta11"]
    assert sorted(names, key=order) == names
    supported = Supported(names[0], tuple(names), form="YYYY-MM-suffix", nearest=True)
    assert negotiate("2025-01-rc9", supported) == "2025-01-rc2"


@cases("form", FORMS)
def test_starter_project_has_versions_of_the_requested_form(tmp_path: Path, form: str) -> None:
    assert dateline("init", str(tmp_path / "it"), "--form", form).status == 0
    api = load(tmp_path / "it/schemas")
    assert (api.table.form, len(api.table.versions)) == (form, 2)
    older, newer = (
        Projector(api).contract(each.date, "production").document for each in api.table.versions
    )
    fields = [each["components"]["schemas"]["Loan"]["properties"] for each in (older, newer)]
    assert ["reader" in each for each in fields] == [True, False]


@cases(
    ("name", "day"),
    [
        ("2025-07-15", "2025-07-15"),
        ("2025-07", "2025-07-01"),
        ("202507", "2025-07-01"),
        ("20250715", "2025-07-15"),
        ("2025-10-20-preview", "2025-10-20"),
        ("2025-10.acacia", "2025-10-01"),
    ],
)
def test_name_stands_for_a_day(name: str, day: str) -> None:
    assert first_day(name) == day


def test_version_is_retired_beside_a_moving_one(tmp_path: Path) -> None:
    names = NAMES[USUAL]
    ended = f"announcements: [{{ ends: '{names.first}', from: 2025-12-01, announced: 2025-01-01 }}]"
    schemas = write_project(tmp_path, USUAL, "header", f"default: '{names.second}'", ended)
    before = load(schemas)
    done = retire(schemas, names.first, date(2026, 1, 1))
    assert done.api.table.dates == (names.second, "next", MOVING)
    assert done.api.document["components"]["schemas"]["Loan"]["properties"] == {
        "id": {"type": "string"},
        "borrower": {"type": "string"},
        "fine": {"type": "string", "x-was": {"next": {"name": "fee"}}},
        "branch": {"type": "string", "x-was": {MOVING: {"name": "shelf"}}},
    }
    for version in done.api.table.dates:
        shown, now = (Projector(api).contract(version, "production") for api in (before, done.api))
        assert json.dumps(now.document) == json.dumps(shown.document)
