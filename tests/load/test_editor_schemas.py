"""JSON Schemas of the source format for editors: valid sources pass, mistakes are marked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from support.sources import VERSIONS, parsed, plain
from support.tables import cases

from dateline.load.editor import editor_schema, source_schema, versions_schema
from dateline.load.table import KEYS, read_table
from dateline.model import KEYS as OUR_KEYS
from dateline.model import Problem, Table
from dateline.openapi import ANY, OBJECTS
from dateline.source.reader import read

ROOT = Path(__file__).parents[2]

LOANS = """\
openapi: 3.1.0
info: { title: Library, version: next }
paths:
  /loans/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
      - $ref: '#/components/parameters/Version'
    get:
      operationId: getLoan
      tags: [Loans]
      responses:
        '200':
          description: a loan
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
  /sandbox/loans/{id}/expire:
    x-environments: [sandbox]
    post: { operationId: expireLoan, responses: { '204': { description: expired } } }
components:
  parameters:
    Version: { name: X-API-Version, in: header, schema: { type: string } }
  schemas:
    Loan:
      type: object
      required: [id, item, author_name, state]
      properties:
        id: { type: string, format: uuid }
        item: { $ref: '#/components/schemas/Item' }
        author_name:
          type: string
          x-was: { 2025-06-01: { name: writer } }
        fine_cents: { type: integer, x-removed: 2025-06-01 }
        due: { type: string, format: date-time, x-was: { 2024-09-01: { format: date } } }
        note: { type: string, x-was: { 2024-09-01: { set: { maxLength: 9 }, unset: [default] } } }
        channel: { type: string, x-extensible-enum: [desk, app], x-owner: desk team }
        state: { $ref: '#/components/schemas/LoanState' }
    LoanState:
      type: string
      oneOf:
        - const: active
        - { const: paused, x-added: next, x-shown-as: active, x-why: the branch is closed }
        - { const: lent, x-removed: next, x-shown-as: active, x-why: { next: a lean word } }
        - const: returned
    Item:
      oneOf:
        - $ref: '#/components/schemas/Book'
        - $ref: '#/components/schemas/AudioBook'
          x-added: 2024-09-01
          x-shown-as: { kind: Book, title: audio book }
      discriminator: { propertyName: kind, mapping: { Book: '#/components/schemas/Book' } }
    Book: { type: object, additionalProperties: false }
    AudioBook: { type: object, properties: { kind: { const: AudioBook } } }
"""


@pytest.fixture
def table(tmp_path: Path) -> Table:
    problems: list[Problem] = []
    found = read_table(parsed(tmp_path, VERSIONS), problems)
    assert found is not None
    return found


def accepts(schema: dict[str, Any], instance: Any) -> bool:
    return jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(plain(instance))


def test_editor_schemas_are_valid_schemas(table: Table) -> None:
    for schema in (source_schema(None), source_schema(table), versions_schema()):
        jsonschema_rs.meta.validate(schema)


def test_valid_source_passes(table: Table, tmp_path: Path) -> None:
    source = parsed(tmp_path, LOANS)
    assert accepts(source_schema(table), source)
    assert accepts(source_schema(None), source)
    assert accepts(versions_schema(), parsed(tmp_path, VERSIONS))


PARTS = {
    "{ type: object, properties: { a: { type: string, x-added: next } } }": True,
    "{ get: { responses: { '200': { description: a } } } }": True,
    "{ responses: { '200': { description: a } } }": True,
    "{ name: a, in: query, schema: { type: string } }": True,
    "{ description: a, content: { application/json: { schema: {} } } }": True,
    "{ type: http, scheme: bearer }": True,
    "{ Loan: { type: object }, Item: { type: string } }": True,
    "{ tags: [{ name: a }] }": True,
    "{ typ: object, properties: {} }": False,
    "{ name: a, in: query, schma: { type: string } }": False,
    "{ type: object, x-aded: next }": False,
    "{ Loan: { type: object }, x-aded: next }": False,
    "{ pahts: {} }": False,
    "{ path: {} }": False,
    "{ paths: {}, Loan: { type: object } }": False,
    "[]": False,
}


@cases("written", PARTS)
def test_referenced_file_is_an_object_of_its_kind(written: str) -> None:
    assert accepts(source_schema(None), yaml.safe_load(written)) is PARTS[written]


def test_definitions_of_this_repository_pass() -> None:
    problems: list[Problem] = []
    documents = {
        path.name: read(path, path.name, adopted=False, problems=problems)
        for path in (ROOT / "schemas").glob("*.yaml")
    }
    versions = documents.pop("versions.yaml")
    assert versions is not None
    own = read_table(versions, problems)
    assert problems == []
    refused = [
        f"{name}: {error.instance_path}: {error.message}"
        for name, document in sorted(documents.items())
        for error in jsonschema_rs.validator_for(source_schema(own)).iter_errors(plain(document))
    ]
    assert refused == []
    assert accepts(versions_schema(), versions)


@cases(
    ("written", "slip"),
    [
        ("x-removed: 2025-06-01", "x-remved: 2025-06-01"),
        ("x-removed: 2025-06-01", "x-removeed: 2025-06-01"),
        ("x-removed: 2025-06-01", "x-removeds: 2025-06-01"),
        ("x-removed: 2025-06-01", "x-remobed: 2025-06-01"),
        ("x-removed: 2025-06-01", "x-remvoed: 2025-06-01"),
        ("x-removed: 2025-06-01", "x_removed: 2025-06-01"),
        ("x-removed: 2025-06-01", "X-Removed: 2025-06-01"),
        ("x-shown-as: active", "x-shown_as: active"),
        ("x-environments: [sandbox]", "x-environment: [sandbox]"),
        ("x-environments: [sandbox]", "x-environments: [sandbx]"),
        ("x-environments: [sandbox]", "x-environments: sandbox"),
        ("x-environments: [sandbox]", "x-environments: []"),
        ("x-added: next", "x-added: 2025-06-02"),
        ("x-added: next", "x-added: nxt"),
        ("x-removed: 2025-06-01", "x-removed: 2025-6-1"),
        ("{ 2025-06-01: { name: writer } }", "{ 2025-06-02: { name: writer } }"),
        ("{ 2025-06-01: { name: writer } }", "{ 2025-06-01: { nam: writer } }"),
        ("{ 2025-06-01: { name: writer } }", "{ 2025-06-01: writer }"),
        ("set: { maxLength: 9 }", "set: { maxLenght: 9 }"),
        ("unset: [default]", "unset: [defualt]"),
        ("x-extensible-enum: [desk, app]", "x-extensible-enum: [desk, desk]"),
        ("x-extensible-enum: [desk, app]", "x-extensible-enum: [desk], enum: [desk]"),
        ("x-added: next, x-shown-as: active, x-why: the branch is closed", "x-shown-as: active"),
        ("x-added: next, x-shown-as: active, x-why", "x-why"),
        ("format: uuid", "fromat: uuid"),
        ("required: [id, item", "requried: [id, item"),
        ("type: integer", "type: intger"),
        ("operationId: getLoan", "operationID: getLoan"),
        ("description: expired", "descripton: expired"),
        ("in: path", "in: paht"),
        ("'204'", "'2O4'"),
        ("openapi: 3.1.0", "openapi: 3.3.0"),
        ("'#/components/schemas/LoanState'", "https://other.example/a.yaml#/LoanState"),
        ("'#/components/schemas/LoanState'", "/etc/other.yaml#/LoanState"),
        ("propertyName: kind", "propertyname: kind"),
        ("components:", "component:"),
        ("/sandbox/loans", "sandbox/loans"),
        ("{ type: string }", "{ type: string, x-wy: 1 }"),
    ],
)
def test_mistake_in_a_source_is_refused(
    written: str, slip: str, table: Table, tmp_path: Path
) -> None:
    assert written in LOANS
    assert not accepts(source_schema(table), parsed(tmp_path, LOANS.replace(written, slip, 1)))


@cases(
    ("written", "slip"),
    [
        ("header:", "heder:"),
        ("X-API-Version", "X API"),
        ("default: 2024-01-15", "default: next"),
        ("date: 2024-09-01", "date: 2024-9-1"),
        ("date: 2024-09-01", "date: 2024-13-01"),
        ("title: Audio books", "titel: Audio books"),
        ("title: Audio books", "title: ''"),
        ("draft: true", "draft: yes please"),
        (", draft: true", ""),
        ("production:", "Production:"),
        ("servers:", "server:"),
        ("servers: [{ url: https://api.library.example/api }]", ""),
        ("https://api", "ftp://api"),
        ("policy: dated-contract", "policy: dated"),
        ("policy: dated-contract", "policy: { preset: github, rules: { a: aditive } }"),
        ("package: library", "package: Library"),
        ("package: library", "package: class"),
        ("policy:", "lint: adoptd\npolicy:"),
        (VERSIONS[VERSIONS.index("versions:") : VERSIONS.index("environments:")], ""),
        (VERSIONS[VERSIONS.index("environments:") : VERSIONS.index("policy:")], ""),
    ],
)
def test_mistake_in_the_version_table_is_refused(written: str, slip: str, tmp_path: Path) -> None:
    assert written in VERSIONS
    assert not accepts(versions_schema(), parsed(tmp_path, VERSIONS.replace(written, slip, 1)))


def test_adopted_table_may_omit_keys(tmp_path: Path) -> None:
    text = "lint: adopted\nversions: [{ date: 2024-01-15, title: One }]\n"
    assert accepts(versions_schema(), parsed(tmp_path, text))


def test_every_keyword_of_openapi_is_completed() -> None:
    defined = source_schema(None)["$defs"]
    offered = {kind: set(object_schema(defined[kind])["properties"]) - OUR_KEYS for kind in OBJECTS}
    assert offered == {kind: set(slots) - {ANY} for kind, slots in OBJECTS.items()}


def object_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return *schema*, or its alternative for an object that is no reference."""
    found: dict[str, Any] = schema.get("else", schema)
    return found


def test_every_key_of_the_version_table_is_completed() -> None:
    schema = versions_schema()
    assert set(schema["properties"]) == set(KEYS["the version table"])
    assert set(schema["$defs"]["version"]["properties"]) == set(KEYS["a version"])
    assert set(schema["$defs"]["policy"]["properties"]) == set(KEYS["policy"])


def test_keys_of_dateline_are_no_misspellings_of_each_other() -> None:
    keys = jsonschema_rs.validator_for(source_schema(None)["$defs"]["key"])
    assert [key for key in sorted(OUR_KEYS) if not keys.is_valid(key)] == []


def test_foreign_key_passes(table: Table, tmp_path: Path) -> None:
    text = LOANS.replace("{ type: string }", "{ type: string, x-who: me, x-way-out: [] }")
    assert accepts(source_schema(table), parsed(tmp_path, text))


def test_dates_are_completed_with_their_titles(table: Table) -> None:
    assert source_schema(table)["$defs"]["date"] == {
        "enum": ["2024-01-15", "2024-09-01", "2025-06-01", "next"],
        "description": "2024-01-15: Initial version\n2024-09-01: Audio books\n"
        "2025-06-01: Author names in one field\nnext: Loans can be paused",
    }


def test_dates_of_the_folder_are_completed(table: Table, tmp_path: Path) -> None:
    assert json.loads(editor_schema("versions", tmp_path)) == versions_schema()
    assert json.loads(editor_schema("source", tmp_path)) == source_schema(table)


@pytest.mark.parametrize("text", [VERSIONS.replace("title", "titel"), "versions: [", None])
def test_any_date_is_accepted_while_the_table_is_invalid(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "versions.yaml").write_text(text, encoding="utf-8")
    assert json.loads(editor_schema("source", tmp_path)) == source_schema(None)
