"""The command `adopt`: the project that it writes, and what it refuses."""

from __future__ import annotations

import copy
import gzip
import importlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from support.adopted_apis import Document, adopt_all, api, loans, read_back, store
from support.commands import Outcome, dateline
from support.random_chains import DATES
from support.tables import cases

from dateline.adopt import UsageError, adopt
from dateline.cli import main
from dateline.load import load
from dateline.model import SourceError

# The command line


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="dateline")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with two documents, which becomes the current folder."""
    monkeypatch.chdir(tmp_path)
    older, newer = loans(
        "{type: object, required: [id], properties: {id: {type: string}, "
        "state: {type: string, enum: [active]}, writer_name: {type: string}}}",
        "{type: object, required: [id], properties: {id: {type: string, format: uuid}, "
        "state: {type: string, enum: [active, paused]}, author_name: {type: string}, 'a b': {}}}",
    )
    (tmp_path / "older.json").write_text(json.dumps(older))
    (tmp_path / "newer.yaml").write_text(yaml.safe_dump(newer))
    return tmp_path


ARGUMENTS = ("adopt", "2024-01-15=older.json", "2025-06-01=newer.yaml")


def test_adopted_project_is_an_ordinary_project(project: Path) -> None:
    done = run(
        *(*ARGUMENTS, "--package", "library", "--header", "Version", "--default", "2025-06-01"),
        *("--rename", "Loan.writer_name=author_name"),
    )
    assert (done.exit_code, done.stderr) == (0, "")
    reported = done.stdout.splitlines()
    assert reported[:10] == [
        "added schemas/_additions/spec/production/2025-06-01.json",
        "added schemas/common.yaml",
        "added schemas/loan.yaml",
        "added schemas/versions.yaml",
        "2024-01-15 older.json: equal",
        "2025-06-01 newer.yaml: equal",
        "4 gates: 2 x-added, 0 x-removed, 2 x-was",
        "1 of them renames:",
        "  schemas/loan.yaml:22:9: writer_name -> author_name",
        "no x-was restates parts as a whole",
    ]
    assert any(line.startswith("  1 property-name, first at newer.yaml:") for line in reported)
    table = load(project / "schemas").table
    assert (table.package, table.header, table.default) == ("library", "Version", "2025-06-01")
    generated = run("generate")
    assert (generated.exit_code, generated.stderr) == (0, "")
    for date, name in (("2024-01-15", "older.json"), ("2025-06-01", "newer.yaml")):
        shown = json.loads(Path(f"generated/spec/production/{date}.json").read_text())
        assert shown == yaml.safe_load(Path(name).read_text())
    assert run("generate", "--check").exit_code == 0
    assert run("check", "--against", "generated").exit_code == 0
    assert run("gate").stderr == "nothing to gate\n"
    assert "author_name" in run("diff", "2024-01-15", "2025-06-01").output
    assert "up to date" in run("status").output


def test_later_changes_of_an_adopted_project_are_checked(project: Path) -> None:
    run(*ARGUMENTS, "--package", "library")
    run("generate")
    path = project / "schemas" / "loan.yaml"
    path.write_text(path.read_text().replace("format: uuid", "format: date"))
    assert run("check").exit_code == 1


def test_operation_that_can_not_be_served_at_a_version_answers_501_and_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def holding(place: str) -> Document:
        document = api(loan={"type": "object"})
        found = {"name": "a", "in": place, "schema": {"type": "string"}}
        document["components"]["parameters"] = {"a": found}
        document["paths"]["/loan"]["get"]["parameters"] = [{"$ref": "#/components/parameters/a"}]
        return document

    monkeypatch.chdir(tmp_path)
    adopt_all(tmp_path, [holding("header"), holding("query")])
    generated = run("generate")
    assert (generated.exit_code, generated.stderr) == (
        0,
        "note: 1 operation can't be served at every version and answers 501 there (first at "
        "schemas/loan.yaml:3:5: its history moves a parameter from one part of the request to "
        "another, so no request of an older version could be read)\n",
    )
    assert run("generate", "--check").exit_code == 0
    assert run("init", "--server").exit_code == 0


@pytest.mark.parametrize("many", [10, 11])
def test_first_of_many_equal_notes_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.chdir(tmp_path)
    kinds = {f"A{number:02}": {"not": {"type": "string"}} for number in range(many)}
    adopt_all(tmp_path, [api(schemas={**kinds, "B": {"if": {"type": "string"}}})])
    notes = run("generate").stderr.splitlines()
    said = "models ignore `not`"
    assert [note for note in notes if said in note] == (
        [f"note: components.{name}: {said}" for name in kinds]
        if many == 10
        else [f"note: components.A00 (and 10 more places): {said}"]
    )
    assert "note: components.B: models ignore `if`" in notes


def zip_document(content: bytes) -> bytes:
    with zipfile.ZipFile(made := io.BytesIO(), "w") as archive:
        archive.writestr("a.json", content)
    return made.getvalue()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("older.json",), "'older.json': write DATE=FILE, such as 2024-01-15=openapi.yaml"),
        (("2024-1-5=older.json",), "'2024-1-5' is not a date such as 2024-01-15"),
        (("2024-01-15=older.json",) * 2, "2024-01-15 is the date of older.json already"),
        (("2024-01-15=none.json",), "there is no file 'none.json'; name an OpenAPI document"),
        (("2024-01-15=.",), "'.' is no .json, .yaml or .yml file; name an OpenAPI document"),
        (
            ("older.json", "2024-01-15=none.json"),
            "'older.json': write DATE=FILE, such as 2024-01-15=openapi.yaml\n"
            "there is no file 'none.json'; name an OpenAPI document",
        ),
        (("2024-01-15=older.json", "--package", "json"), "'json' is a module that"),
        (("2024-01-15=older.json", "--header", "a b"), "'a b' is not a header name"),
        (("2024-01-15=older.json", "--default", "2025-06-01"), "no version 2025-06-01"),
        (("2024-01-15=older.json", "--into", "older.json"), "older.json is not a folder"),
        (("2024-01-15=older.json", "--into", "."), ". contains 'newer.yaml'"),
    ],
)
def test_contradictory_arguments_are_refused(
    project: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = sorted(project.iterdir())
    with pytest.raises(UsageError) as refused:
        CliRunner().invoke(main, ("adopt", *arguments), catch_exceptions=False)
    assert str(refused.value).startswith(said)
    assert sorted(project.iterdir()) == before


@pytest.mark.parametrize(
    ("settings", "arguments", "written"),
    [
        ('schemas = "api/definitions"', (), "api/definitions"),
        ('output = "published"', (), "schemas"),
        ('schemas = "api/definitions"', ("--into", "other"), "other"),
        ('projects = ["apis/*"]', ("--into", "apis/a/schemas"), "apis/a/schemas"),
        ('projects = ["apis/*"]', (), None),
    ],
)
def test_definitions_are_written_where_commands_look_for_them(
    project: Path, settings: str, arguments: tuple[str, ...], written: str | None
) -> None:
    (project / "dateline.toml").write_text(settings)
    done = run(*ARGUMENTS, *arguments)
    tables = [path.parent.relative_to(project).as_posix() for path in project.rglob("versions.*")]
    assert tables == ([] if written is None else [written])
    assert (done.exit_code, "settings here list" in str(done.exception)) == (
        (0, False) if written else (1, True)
    )


def test_invalid_document_is_refused_with_the_place(tmp_path: Path) -> None:
    (path := tmp_path / "a.yaml").write_text("openapi: 3.1.0\ninfo: 1\n")
    with pytest.raises(SourceError) as refused:
        adopt((f"2024-01-15={path}",), tmp_path / "schemas")
    assert f"{path.as_posix()}:2:7" in [str(each.place) for each in refused.value.problems]
    assert not (tmp_path / "schemas").exists()


@cases(
    ("loan", "said"),
    [
        ({"$ref": "#/definitions/A"}, "'#/definitions/A' is not a component"),
        ({"$ref": "a"}, "'a': it names no .json, .yaml or .yml file"),
        ({"$ref": "gone.json"}, "'gone.json': No such file or directory"),
        ({"$ref": "/a.json"}, "'/a.json': an absolute path is not followed"),
        (
            {"$ref": "http://a.example/a; b"},
            "'http://a.example/a; b': only files in the folder of the document are read",
        ),
        ({"$dynamicRef": "a.json#b"}, "a $dynamicRef to another file is not followed"),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}]},
            "`items` is read as in https://json-schema.org/draft/2020-12/schema, and draft-07 has "
            "another meaning for it, or none",
        ),
    ],
    ids=str,
)
def test_no_advice_is_to_edit_a_published_document(
    tmp_path: Path, loan: dict[str, Any], said: str
) -> None:
    with pytest.raises(SourceError) as refused:
        adopt(store(tmp_path, [api(loan=loan)]), tmp_path / "schemas")
    assert [problem.message for problem in refused.value.problems] == [said]


def test_suffix_may_be_in_upper_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "A.JSON").write_text(json.dumps(api(loan={"type": "string"}), indent="\t"))
    (tmp_path / "B.YML").write_text(yaml.safe_dump(api(loan={"type": "string"})))
    adopt_all = dateline("adopt", "2024-01-15=A.JSON", "2024-09-01=B.YML")
    assert (adopt_all.status, adopt_all.err) == (0, "")
    assert "2024-01-15 A.JSON: equal\n" in adopt_all.out


@pytest.mark.parametrize(("packed", "way"), [(gzip.compress, "gzip"), (zip_document, "zip")])
def test_compressed_document_is_refused_as_such(
    packed: Callable[[bytes], bytes], way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    content = packed(json.dumps(api(loan={})).encode())
    (tmp_path / "a.json").write_bytes(content)
    said = f"a.json:1:1: not-utf-8: the file is compressed by {way}; unpack it\n"
    assert dateline("adopt", "2024-01-15=a.json") == Outcome(3, "", said)
    (tmp_path / "a.json.gz").write_bytes(content)
    said = "'a.json.gz' is compressed; unpack it, and name what comes out\n"
    assert dateline("adopt", "2024-01-15=a.json.gz") == Outcome(2, "", said)


def test_swagger_1_is_refused_by_name(tmp_path: Path) -> None:
    (path := tmp_path / "a.json").write_text('{"swagger": "1.2", "apis": []}')
    with pytest.raises(SourceError) as refused:
        adopt((f"2024-01-15={path}",), tmp_path / "schemas")
    assert str(refused.value) == (
        f"{path.as_posix()}:1:13: openapi-version: this is Swagger 1.2; convert it to Swagger "
        "2.0 or OpenAPI 3"
    )


def test_nothing_is_written_if_a_version_is_refused(tmp_path: Path) -> None:
    documents = [api(), api() | {"info": 5}]
    with pytest.raises(SourceError) as refused:
        adopt(store(tmp_path, documents), tmp_path / "schemas")
    assert "wrong-type: the number 5 where a mapping belongs" in str(refused.value)
    assert not (tmp_path / "schemas").exists()
    assert not list(tmp_path.glob(".schemas*"))


def test_names_that_collide_only_in_python_are_made_distinct(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record = {"type": "object", "properties": {"foo-bar": {}, "foo_bar": {}, "foo bar": {}}}
    inline = {"type": "object", "properties": {"bar": {"type": "object", "properties": {"x": {}}}}}
    bars: Document = {"OuterBar": {}, "Outer_Bar": {}, "Outer.Bar": {}}
    older: Document = {
        "openapi": "3.1.0",
        "info": {"title": "Library", "version": DATES[0]},
        "components": {"schemas": {"error": record, "Outer": inline, **bars}},
    }
    newer: Document = copy.deepcopy(older)
    newer["components"]["schemas"]["Error"] = {"type": "object"}
    assert (
        dateline("adopt", *store(tmp_path, [older, newer]), "--package", "told_apart").status == 0
    )
    generated = dateline("generate")
    assert (generated.status, "name-taken" in generated.err) == (0, False)
    monkeypatch.syspath_prepend(tmp_path / "generated/python")
    packages = (f"told_apart.v{date.replace('-', '_')}" for date in DATES[:2])
    old, new = map(importlib.import_module, packages)
    names = {"API_VERSION", "Error", "Outer", "OuterBar", "OuterBarValue", "OuterBar_", "Outer_Bar"}
    assert {*old.__all__} == names
    assert {*new.__all__} == {*names, "Error_"}
    assert new.Error is old.Error
    fields = new.Error.model_fields
    assert {name: field.alias for name, field in fields.items()} == {
        "foo_bar": None,
        "foo_bar_": "foo-bar",
        "foo_bar__": "foo bar",
    }


# From OpenAPI 3.0 to 3.1

_OPERATION = """
openapi: {openapi}
info: {{ title: Library, version: '{version}' }}
servers: [{{ url: https://api.library.example }}]
paths:
  /loan:
    parameters: [{{ $ref: '#/components/parameters/Page' }}]
    get:
      operationId: getLoan
      parameters:
        - {{ name: state, in: query, schema: {state} }}
        - {{ name: X-Trace, in: header, schema: {number} }}
      responses:
        '200':
          description: a loan
          headers:
            X-Total: {{ schema: {number} }}
            X-Next: {{ $ref: '#/components/headers/Next' }}
          content:
            application/json: {{ schema: {{ $ref: '#/components/schemas/Loan' }} }}
components:
  parameters: {{ Page: {{ name: page, in: query, schema: {page} }} }}
  headers: {{ Next: {{ schema: {number} }} }}
  schemas: {{ Page: {{ type: integer }}, Loan: {{ type: object, properties: {properties} }} }}
"""
_3_0 = {
    "openapi": "3.0.3",
    "version": "1",
    "state": "{ type: string, nullable: true, enum: [a, b, null] }",
    "number": "{ type: integer, nullable: true }",
    "page": "{ nullable: true, allOf: [{ $ref: '#/components/schemas/Page' }] }",
    "properties": "{ a: { type: string, nullable: true }, gone: { type: string } }",
}
_3_1 = {
    "openapi": "3.1.0",
    "version": "2",
    "state": "{ type: [string, 'null'], enum: [a, b, null] }",
    "number": "{ type: [integer, 'null'] }",
    "page": "{ anyOf: [{ allOf: [{ $ref: '#/components/schemas/Page' }] }, { type: 'null' }] }",
    "properties": "{ a: { type: [string, 'null'] }, came: { type: string } }",
}


def _document(**parts: str) -> Document:
    found: Document = yaml.safe_load(_OPERATION.format(**parts))
    return found


def test_null_in_parameters_and_headers_of_openapi_3_0_round_trips(tmp_path: Path) -> None:
    older = {**_3_0, "version": "0", "properties": "{}"}
    adopt_all(tmp_path, [_document(**older), _document(**_3_0)])


def test_null_in_parameters_and_headers_is_converted_to_3_1_among_others(
    tmp_path: Path,
) -> None:
    older = {**_3_0, "properties": _3_1["properties"].replace("came", "gone"), "version": "2"}
    documents = [_document(**older), _document(**_3_1)]
    adopt(store(tmp_path, documents), tmp_path / "schemas")
    expected = _document(**{**_3_1, "properties": older["properties"]})
    assert read_back(tmp_path / "schemas") == [expected, documents[1]]


def test_change_page_of_a_new_openapi_version_lists_only_visible_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = store(tmp_path, [_document(**_3_0), _document(**_3_1)])
    assert run("adopt", *arguments).exit_code == 0
    assert run("generate").exit_code == 0
    older, newer = DATES[:2]
    page = json.loads((tmp_path / "generated" / "changes" / f"{older}...{newer}.json").read_text())
    assert [(one["rule"], one["message"]) for one in page["changes"]] == [
        ("response-field-removed", "Loan.gone: field removed"),
        ("response-field-added", "Loan.came: field added"),
    ]
    assert run("check").exit_code == 0
