"""Further documents become versions of definitions that exist, and keep what is written by hand."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from support.adopted_apis import (
    Document,
    api,
    definitions,
    extend_all,
    read_back,
    store,
    write_extension,
)
from support.gating import publish_cut
from support.random_chains import DATES, chains, plain
from support.seeds import seeds
from support.tables import cases

from dateline.adopt import UsageError, adopt
from dateline.adopt.documents import UnequalError, Words
from dateline.adopt.extending import extend
from dateline.adopt.interning import arrange_alike
from dateline.check import breaches, check
from dateline.cli import main
from dateline.load import load
from dateline.model import Policy, Verdict

LOAN = {
    "type": "object",
    "description": "A loan.",
    "required": ["id", "reader"],
    "properties": {
        "id": {"type": "string", "description": "Its id."},
        "reader": {"type": "string", "maxLength": 9},
        "state": {"enum": ["open", "lost"]},
    },
}


def change(**parts: Any) -> Document:
    """Return the document with other keywords of fields, or without a field: None."""
    loan: Any = copy.deepcopy(LOAN)
    for name, part in parts.items():
        loan["properties"][name] = {**loan["properties"].get(name, {}), **(part or {})}
        if part is None:
            del loan["properties"][name]
            loan["required"] = [each for each in loan["required"] if each != name]
    return api(loan=loan)


OLDEST = change()
OLDER = change(reader={"maxLength": 8}, note={"type": "string"})


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="dateline")


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two versions in one file, to be copied."""
    folder = tmp_path_factory.mktemp("adopted")
    adopt(store(folder, [OLDEST, OLDER]), folder / "schemas")
    return folder


@pytest.fixture
def project(adopted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copied = shutil.copytree(adopted, tmp_path / "project")
    monkeypatch.chdir(copied)
    return copied


def take_over(folder: Path, document: Document, day: str = DATES[2], **options: Any) -> None:
    file = folder / "next.json"
    file.write_text(json.dumps(document))
    write_extension(extend((f"{day}={file}",), folder / "schemas", **options))


def edit(folder: Path, before: str, after: str) -> None:
    (file,) = (each for each in (folder / "schemas").glob("*.yaml") if before in each.read_text())
    file.write_text(file.read_text().replace(before, after))


@pytest.mark.parametrize("seed", seeds(4))
def test_random_chains_become_versions_one_after_another(tmp_path: Path, seed: int) -> None:
    for number, chain in enumerate(chains(seed + 10, 4)):
        folder = tmp_path / str(number)
        folder.mkdir()
        extend_all(folder, chain, accept=bool(number % 2))


@cases(
    "edits",
    [
        [("paths:", "# the library\npaths:")],
        [("x-removed: ", "x-why: Readers asked for it.\n          x-removed: ")],
        [("x-added: ", "x-why: { 2021-02-03: We lost it. }\n          x-added: ")],
        [("maxLength: 9", "converter: longer\n              maxLength: 9")],
        [("description: Its id.", "description: Its id, by hand.")],
        [("lint: adopted", "lint: adopted\nrequire-why: false # no reasons")],
    ],
)
def test_what_is_written_by_hand_stays(
    adopted: Path, tmp_path: Path, edits: list[tuple[str, str]]
) -> None:
    folder = shutil.copytree(adopted, tmp_path / "project")
    newer = change(reader={"maxLength": 7}, state=None, due={"type": "string"})
    take_over(folder, change(reader={"maxLength": 8}, note=None), DATES[2])
    for before, after in edits:
        edit(folder, before, after)
    before_it = read_back(folder / "schemas")
    take_over(folder, newer, DATES[3])
    *others, newest = read_back(folder / "schemas")
    assert others == before_it
    text = "".join(each.read_text() for each in (folder / "schemas").glob("*.yaml"))
    for _, after in edits:
        assert all(line.strip() in text for line in after.splitlines())
    if "by hand" not in text:
        assert plain(newest) == plain(newer)


def test_reason_of_older_gates_is_not_that_of_new_ones(project: Path) -> None:
    edit(project, "x-added: 2021-02-03", "x-added: 2021-02-03\n          x-why: Asked for.")
    take_over(project, OLDEST)
    note = definitions(project / "schemas")["components"]["schemas"]["Loan"]["properties"]["note"]
    assert note == {
        "type": "string",
        "x-added": "2021-02-03",
        "x-why": {"2021-02-03": "Asked for."},
        "x-removed": "2022-05-06",
    }


def test_files_that_only_references_lead_to_refer_to_new_components(
    tmp_path: Path,
) -> None:
    schemas = tmp_path / "schemas"
    adopt(store(tmp_path, [OLDEST]), schemas)
    (file,) = (each for each in schemas.glob("*.yaml") if "Loan:" in each.read_text())
    content = yaml.safe_load(file.read_text())
    part = content["components"]["schemas"]["Loan"]
    content["components"]["schemas"]["Loan"] = {"$ref": "models/loan.yaml"}
    (schemas / "models").mkdir()
    (schemas / "models" / "loan.yaml").write_text(yaml.dump(part))
    file.write_text(yaml.dump(content))
    newer = change(id=None, reader={"$ref": "#/components/schemas/Reader"})
    newer["components"]["schemas"]["Reader"] = {"type": "string"}
    take_over(tmp_path, newer)
    written = yaml.safe_load((schemas / "models" / "loan.yaml").read_text())
    reference = f"../{file.name}#/components/schemas/Reader"
    assert written["properties"]["reader"]["$ref"] == reference
    assert plain(read_back(schemas)[-1]) == plain(newer)


def test_additions_to_a_long_file_are_in_another_part_of_it(tmp_path: Path) -> None:
    def describe(*names: str) -> Document:
        document = api(loan={"type": "string", "x-lines": [*range(1880)]})
        for name in names:
            responses = {"200": {"description": "A text.", "x-lines": [*range(30)]}}
            document["paths"][f"/{name}"] = {"get": {"tags": [name[0]], "responses": responses}}
        document["paths"]["/loan"]["get"]["tags"] = ["a"]
        return document

    adopt(store(tmp_path, [describe("b")]), tmp_path / "schemas")
    newest = describe("b", "a/one", "a/two", "b/one")
    take_over(tmp_path, newest)
    paths = {
        file.stem: [*(yaml.safe_load(file.read_text()).get("paths") or ())]
        for file in (tmp_path / "schemas").glob("*.yaml")
    }
    assert {name: found for name, found in paths.items() if found} == {
        "a": ["/loan"],
        "a-2": ["/a/one", "/a/two"],
        "b": ["/b", "/b/one"],
    }
    assert plain(read_back(tmp_path / "schemas")[-1]) == plain(newest)


def test_file_that_becomes_long_is_divided_with_its_comments(tmp_path: Path) -> None:
    def describe(most: int) -> Document:
        document = api(paths={"/b": {"get": {"tags": ["b"], "responses": {}}}})
        long = {"type": "string", "x-lines": [*range(292)]}
        for name in "ABCDEF":
            document["components"]["schemas"][f"Long{name}"] = {
                "type": "object",
                "properties": {"long": long, **{f"a{n}": {"maxLength": most} for n in range(8)}},
            }
        return document

    adopt(store(tmp_path, [describe(9)]), tmp_path / "schemas")
    schemas = tmp_path / "schemas"
    [file] = [each for each in schemas.glob("*.yaml") if "LongA" in each.read_text()]
    text = "".join(
        f"    # About {line.strip()}\n{line.rstrip()} # beside it\n" if "Long" in line else line
        for line in file.read_text().splitlines(keepends=True)
    )
    file.write_text(f"# About the file.\n{text}      # after it\n# At its end.\n")
    lines = [line for line in text.splitlines() if "#" in line or "x-lines" in line]
    take_over(tmp_path, describe(8))
    parts = sorted(schemas.glob(f"{file.stem}*.yaml"))
    assert [part.name for part in parts] == [f"{file.stem}-2.yaml", file.name]
    texts = [part.read_text() for part in parts]
    assert all(len(each.splitlines()) <= 2000 for each in texts)
    assert [each.count("# About the file.") for each in texts] == [0, 1]
    assert [each.count("# At its end.") for each in texts] == [0, 1]
    assert [each.count("# after it") for each in texts] == [1, 0]
    written = [line for each in texts for line in each.splitlines()]
    assert sorted(line for line in written if line in lines) == sorted(lines)
    for part in parts:
        content = part.read_text()
        assert content.count("Long") == 2 * content.count("x-lines")
    assert [plain(each) for each in read_back(schemas)] == [plain(describe(9)), plain(describe(8))]


# The text as it was adopted, of the definitions, of the next document, and the result.
TEXTS = [
    ("Its id.", "Its id.", "Its id."),
    ("Its id.", "By code.", "By code."),
    ("By hand.", "Its id.", "By hand."),
    ("By hand.", "By hand.", "By hand."),
    ("By hand.", "By code.", "By hand."),
]


@cases("own, new, kept", TEXTS)
def test_words_are_those_of_who_changed_them(
    adopted: Path, tmp_path: Path, own: str, new: str, kept: str
) -> None:
    folder = shutil.copytree(adopted, tmp_path / "project")
    edit(folder, "description: Its id.", f"description: {own}")
    # what was edited once stays in all versions that follow
    for day in DATES[2:4]:
        take_over(folder, change(id={"description": new}), day)
        shown = [
            each["components"]["schemas"]["Loan"]["properties"]["id"]["description"]
            for each in read_back(folder / "schemas")
        ]
        assert shown == [own, own, *[kept] * (len(shown) - 2)]


def test_draft_is_taken_over_as_often_as_its_code_changes(project: Path) -> None:
    published = publish_cut(load(project / "schemas"))
    take_over(project, change(reader={"maxLength": 7}), "next")
    edit(project, "x-removed: next", "x-removed: next\n          x-why: Nobody wrote any.")
    take_over(project, change(reader={"maxLength": 6}, due={"type": "string"}), "next")
    loan = definitions(project / "schemas")["components"]["schemas"]["Loan"]
    assert loan["properties"]["reader"]["x-was"]["next"] == {"maxLength": 8}
    assert "x-added" not in loan["properties"]["due"]
    assert loan["properties"]["note"]["x-why"] == "Nobody wrote any."
    take_over(project, OLDER, "next", published=published)
    assert plain(read_back(project / "schemas")[-1]) == plain(OLDER)
    assert "next" not in yaml.dump(definitions(project / "schemas"))


def draft(parts: Document, loan: Document) -> Document:
    """Return the newest document with other parts, and other fields of a loan."""
    fields = {"reader": {"maxLength": 8}, "note": {"type": "string"}, **loan}
    return {**change(**fields), **copy.deepcopy(parts)}


FOUND: Document = {"responses": {"200": {"description": "some"}}}
GET: Document = OLDER["paths"]["/loan"]["get"]
DEPRECATED: Document = {"get": {**GET, "deprecated": True}}
SECURED: Document = {
    "components": {
        "schemas": OLDER["components"]["schemas"],
        "securitySchemes": {"Card": {"type": "apiKey", "in": "header", "name": "X-Card"}},
    },
    "paths": {"/loan": {"get": {**GET, "security": [{"Card": []}]}}},
}
REPLACED: Document = {
    **LOAN,
    "required": ["code", "title"],
    "properties": {"code": {"type": "string"}, "title": {"maxLength": 9}},
}
PARAMETERS = [{"name": name, "in": "query", "schema": {"type": "integer"}} for name in "ab"]

# Parts of the draft, fields of its loans, and the gates that are left in it.
DRAFTS: list[tuple[Document, Document, int]] = [
    ({}, {"due": {"type": "string"}}, 0),
    ({"paths": {"/loan": DEPRECATED, "/books": {"get": FOUND, "post": FOUND}}}, {}, 0),
    ({}, {"state": {"enum": ["lost", "sold", "open"]}, "due": {"type": "string"}}, 1),
    ({}, {"state": {"enum": ["void"]}}, 3),
    ({}, {"reader": {"maxLength": 7}, "due": {"type": "string"}}, 1),
    ({}, {"reader": {"anyOf": [{"minLength": 1}, {"type": "null"}]}}, 1),
    (SECURED, {}, 1),
    ({"components": {"schemas": {"Loan": REPLACED}}}, {}, 6),
]


@cases("parts, loan, gates", DRAFTS)
def test_draft_gates_only_what_is_breaking_and_leaves_nothing_when_it_is_taken_back(
    adopted: Path, tmp_path: Path, parts: Document, loan: Document, gates: int
) -> None:
    folder = shutil.copytree(adopted, tmp_path / "project")
    published = publish_cut(load(folder / "schemas"))
    take_over(folder, draft(parts, loan), "next", published=published)
    found = check(load(folder / "schemas"), published, today=date(2026, 1, 1))
    assert [each for each in found if each.policy is not Policy.SERVABLE] == []
    assert yaml.dump(definitions(folder / "schemas")).count("next") == gates
    take_over(folder, OLDER, "next", published=published)
    assert "next" not in yaml.dump(definitions(folder / "schemas"))
    assert [plain(each) for each in read_back(folder / "schemas")][1:] == [plain(OLDER)] * 2


@cases("day, gates", [("next", 0), (DATES[2], 1)])
def test_renamed_components_of_a_draft_have_no_history(
    adopted: Path, tmp_path: Path, day: str, gates: int
) -> None:
    folder = shutil.copytree(adopted, tmp_path / "project")
    renamed = json.loads(json.dumps(OLDER).replace('"Loan"', '"Lease"').replace("/Loan", "/Lease"))
    take_over(folder, renamed, day)
    text = json.dumps(definitions(folder / "schemas"))
    assert (text.count(f'"{day}":'), "Lease" in text) == (gates, day != "next")
    newest = OLDER if day == "next" else renamed
    assert [plain(each) for each in read_back(folder / "schemas")][1:] == [
        plain(OLDER),
        plain(newest),
    ]


def test_additions_that_are_published_stay_for_older_versions(project: Path) -> None:
    take_over(project, draft({}, {"due": {"type": "string"}}), "next")
    take_over(project, OLDER, "next", published=publish_cut(load(project / "schemas")))
    loan = definitions(project / "schemas")["components"]["schemas"]["Loan"]
    assert loan["properties"]["due"] == {"type": "string", "x-removed": "next"}


def test_waived_additions_stay_withheld(project: Path) -> None:
    (project / "schemas" / "waivers.yaml").write_text(
        "waivers:\n"
        "  - rule: response-field-added\n"
        "    pointer: /components/schemas/Loan/properties/due\n"
        "    versions: [next]\n"
        "    reason: A pilot.\n"
        "    expires: 2026-02-01\n"
    )
    take_over(project, draft({}, {"due": {"type": "string"}}), "next", today=date(2026, 1, 1))
    loan = definitions(project / "schemas")["components"]["schemas"]["Loan"]
    assert loan["properties"]["due"]["x-added"] == "next"


@cases(
    "value, known, arranged",
    [
        ({"enum": [3, 1, 2]}, {"enum": [1, 2]}, {"enum": [3, 1, 2]}),
        ({"enum": [2, 3, 1]}, {"enum": [1, 2]}, {"enum": [1, 3, 2]}),
        ({"enum": [1, True]}, {"enum": [True, 1]}, {"enum": [True, 1]}),
        ({"enum": [2, 1, 2]}, {"enum": [1, 2]}, {"enum": [2, 1, 2]}),
        ({"required": ["b", "a"]}, {"required": ["a", "c", "b"]}, {"required": ["a", "b"]}),
        ({"servers": ["b", "a"]}, {"servers": ["a", "b"]}, {"servers": ["b", "a"]}),
        ({"parameters": PARAMETERS[::-1]}, {"parameters": PARAMETERS}, {"parameters": PARAMETERS}),
        (
            {"oneOf": [{"$ref": "#/b"}, {"enum": [2, 1]}, {"$ref": "#/a"}]},
            {"oneOf": [{"$ref": "#/a"}, {"$ref": "#/b"}]},
            {"oneOf": [{"$ref": "#/a"}, {"enum": [2, 1]}, {"$ref": "#/b"}]},
        ),
        (
            [{"type": ["null", "string"]}],
            [{"type": ["string", "null"]}],
            [{"type": ["string", "null"]}],
        ),
    ],
)
def test_lists_without_a_meaningful_order_have_the_known_one(
    value: Any, known: Any, arranged: Any
) -> None:
    assert json.dumps(arrange_alike(value, known)) == json.dumps(arranged)


@cases(
    "day, said",
    [
        ("2021-02-03", "2021-02-03 is a version of these definitions, and cut"),
        ("2020-06-01", "2020-06-01 is not newer than 2021-02-03"),
        ("2022-05", "'2022-05' is not a date in the form"),
    ],
)
def test_versions_are_refused_that_are_not_newer(
    adopted: Path, tmp_path: Path, day: str, said: str
) -> None:
    folder = shutil.copytree(adopted, tmp_path / "project")
    with pytest.raises(UsageError, match=said):
        take_over(folder, OLDER, day)


def test_prepared_version_comes_first(project: Path) -> None:
    take_over(project, OLDER, "next")
    with pytest.raises(UsageError, match="next is being prepared; name it in place of 2022-05-06"):
        take_over(project, OLDER)


def test_moving_version_is_replaced(project: Path) -> None:
    row = "    title: Library 1\npolicy:"
    edit(project, row, f"{row[:-7]}  - {{ date: unstable, title: Beta., moving: true }}\npolicy:")
    document = change(due={"type": "string"}, reader={"description": "Its reader."})
    for each in (change(note={"type": "string"}), document):
        take_over(project, each, "unstable", words=Words.GATED)
    older, old, moving = map(plain, read_back(project / "schemas"))
    assert [older, old] == [plain(OLDEST), plain(OLDER)]
    assert moving["components"] == document["components"]


def test_history_that_only_its_author_can_continue_is_refused_with_its_place(
    project: Path,
) -> None:
    edit(
        project,
        "      required:",
        "      x-was:\n"
        "        2021-02-03: { in-place-of: [id], properties: { key: { type: string } } }\n"
        "      required:",
    )
    before = {each: each.read_bytes() for each in (project / "schemas").rglob("*.yaml")}
    document = change(reader=None)
    document["components"]["schemas"]["Loan"]["required"] = ["reader"]
    with pytest.raises(UnequalError, match=r"in-place-of.*; write this change by hand, or"):
        take_over(project, document)
    assert before == {each: each.read_bytes() for each in (project / "schemas").rglob("*.yaml")}


@cases(
    "before, after, is_breach",
    [
        ("    adopted: true\n", "    adopted: true\n", False),
        ("    adopted: true\n", "", True),
        ("    adopted: true\n", "    adopted: true\n    draft: true\n", True),
    ],
)
def test_differences_of_versions_that_were_published_elsewhere_are_information(
    adopted: Path, tmp_path: Path, before: str, after: str, is_breach: bool
) -> None:
    folder = shutil.copytree(adopted, tmp_path / "project")
    published = publish_cut(load(folder / "schemas"))
    take_over(folder, change(due={"type": "string"}))
    edit(folder, before, after)
    found = check(load(folder / "schemas"), published, today=date(2026, 1, 1))
    (due,) = (each for each in found if each.message == "Loan.due: field added")
    assert (due.verdict is not Verdict.INFORMATION, due in breaches(found)) == (is_breach,) * 2


def test_published_version_that_was_adopted_follows_all_rules_afterwards(project: Path) -> None:
    take_over(project, change(due={"type": "string"}))
    published = publish_cut(load(project / "schemas"))
    assert breaches(check(load(project / "schemas"), published, today=date(2026, 1, 1))) == []
    edit(
        project,
        "        due:\n",
        f"        paid:\n          type: string\n          x-added: {DATES[2]}\n        due:\n",
    )
    found = breaches(check(load(project / "schemas"), published, today=date(2026, 1, 1)))
    assert [each.message for each in found] == ["Loan.paid: field added"]


@pytest.mark.usefixtures("project")
def test_patch_is_what_is_written() -> None:
    Path("next.json").write_text(json.dumps(change(reader={"maxLength": 7})))
    before = {each: each.read_bytes() for each in Path("schemas").rglob("*") if each.is_file()}
    shown = run("adopt", "2022-05-06=next.json", "--dry-run")
    assert shown.exit_code == 0
    assert before == {
        each: each.read_bytes() for each in Path("schemas").rglob("*") if each.is_file()
    }
    patched = Path("patched")
    shutil.copytree("schemas", patched / "schemas")
    subprocess.run(
        ["patch", "-p1", "-s", "-d", patched], input=shown.stdout.encode(), check=True, timeout=60
    )
    written = run("adopt", "2022-05-06=next.json")
    assert written.exit_code == 0
    assert "2022-05-06 next.json: equal\n" in written.stdout
    for each in Path("schemas").glob("*.yaml"):
        assert (patched / each).read_text() == each.read_text()


@pytest.mark.parametrize("option", ["--header", "--default", "--package"])
@pytest.mark.usefixtures("project")
def test_settings_of_existing_definitions_are_edited_there(option: str) -> None:
    Path("next.json").write_text(json.dumps(OLDER))
    refused = run("adopt", "2022-05-06=next.json", option, "x")
    assert refused.exit_code == 2
    assert f"{option} is for new definitions; edit schemas/versions.yaml" in refused.stderr
