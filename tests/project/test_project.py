"""The documents of each version and environment, projected from the canonical definitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.sources import API, LIBRARY, VERSIONS, loaded
from support.tables import cases

from dateline.check.places import name_place
from dateline.gates import Timeline
from dateline.model import EVERYWHERE, Api, Place
from dateline.openapi import find_operation, pointer, walk
from dateline.project import Projector, project
from dateline.project.origins import ContractPaths

DATES = ("2024-01-15", "2024-09-01", "2025-06-01", "next")


@pytest.fixture
def library(tmp_path: Path) -> Api:
    return loaded(tmp_path, LIBRARY)


def schemas(api: Api, version: str, environment: str = "production") -> dict[str, Any]:
    found: dict[str, Any] = project(api, version, environment).document["components"]["schemas"]
    return found


OLD_LOAN = {
    "type": "object",
    "required": ["id", "item", "writer", "state"],
    "properties": {
        "id": {"type": "string", "format": "uuid"},
        "item": {"$ref": "#/components/schemas/Item"},
        "writer": {"type": "string"},
        "fine_cents": {"type": "integer"},
        "due": {"type": "string", "format": "date"},
        "note": {"type": "string"},
        "channel": {
            "type": "string",
            "x-extensible-enum": ["desk", "app"],
            "examples": ["desk", "app"],
        },
        "state": {"$ref": "#/components/schemas/LoanState"},
    },
}


def test_first_version_shows_every_old_form(library: Api) -> None:
    book = {
        "type": "object",
        "required": ["kind", "title"],
        "properties": {"kind": {"const": "Book"}, "title": {"type": "string"}},
    }
    assert schemas(library, "2024-01-15") == {
        "Loan": OLD_LOAN,
        "LoanState": {"type": "string", "enum": ["active", "returned"]},
        "Item": {
            "oneOf": [{"$ref": "#/components/schemas/Book"}],
            "discriminator": {
                "propertyName": "kind",
                "mapping": {"Book": "#/components/schemas/Book"},
            },
        },
        "Book": book,
    }


@pytest.mark.parametrize(
    ("version", "fields", "due", "states"),
    [
        ("2024-01-15", {"writer", "fine_cents"}, "date", ["active", "returned"]),
        ("2024-09-01", {"writer", "fine_cents"}, "date-time", ["active", "returned"]),
        ("2025-06-01", {"author_name"}, "date-time", ["active", "returned"]),
        ("next", {"author_name"}, "date-time", ["active", "paused", "returned"]),
    ],
)
def test_each_version_shows_its_own_fields_and_values(
    library: Api, version: str, fields: set[str], due: str, states: list[str]
) -> None:
    found = schemas(library, version)
    properties = found["Loan"]["properties"]
    always = {"id", "item", "due", "note", "channel", "state"}
    assert set(properties) == fields | always
    assert properties["due"] == {"type": "string", "format": due}
    assert found["LoanState"] == {"type": "string", "enum": states}
    name = "author_name" if "author_name" in fields else "writer"
    assert found["Loan"]["required"] == ["id", "item", name, "state"]


@pytest.mark.parametrize(("version", "there"), [(date, date != DATES[0]) for date in DATES])
def test_component_that_only_a_gated_member_reaches_is_removed_with_it(
    library: Api, version: str, there: bool
) -> None:
    found = schemas(library, version)
    assert ("AudioBook" in found) is there
    assert ("AudioBook" in found["Item"]["discriminator"]["mapping"]) is there
    assert ({"$ref": "#/components/schemas/AudioBook"} in found["Item"]["oneOf"]) is there


@pytest.mark.parametrize("version", DATES)
def test_sandbox_paths_are_in_sandbox_documents_only(library: Api, version: str) -> None:
    production = project(library, version, "production").document
    sandbox = project(library, version, "sandbox").document
    assert list(production["paths"]) == ["/loans/{id}"]
    assert list(sandbox["paths"]) == ["/loans/{id}", "/sandbox/loans/{id}/expire"]
    assert production["servers"] == [{"url": "https://api.library.example/api"}]
    assert sandbox["servers"] == [{"url": "https://sandbox.library.example/api"}]


@pytest.mark.parametrize("version", DATES)
def test_document_has_the_name_of_its_date(library: Api, version: str) -> None:
    assert project(library, version, "sandbox").document["info"] == {
        "title": "Library",
        "version": version,
    }


def test_no_key_of_dateline_is_published(library: Api) -> None:
    text = repr([project(library, version, "sandbox").document for version in DATES])
    ours = ("x-added", "x-removed", "x-was", "x-shown-as", "x-environments", "x-why")
    assert [key for key in ours if key in text] == []


def test_versions_share_equal_parts(library: Api) -> None:
    projector = Projector(library)
    first, second, third, _ = (
        projector.contract(version, "production").document["components"]["schemas"]
        for version in DATES
    )
    assert first["Book"] is second["Book"]
    assert second["Item"] is third["Item"]
    assert first["LoanState"] is third["LoanState"]
    assert first["Loan"] is not second["Loan"]
    assert first["Loan"]["properties"]["id"] is third["Loan"]["properties"]["id"]


def test_part_without_a_gate_is_the_source_itself(library: Api) -> None:
    book = project(library, "next", "sandbox").document["components"]["schemas"]["Book"]
    assert book is library.document["components"]["schemas"]["Book"]


def test_everywhere_shows_what_any_environment_shows(library: Api) -> None:
    document = project(library, "2024-01-15", EVERYWHERE).document
    assert list(document["paths"]) == ["/loans/{id}", "/sandbox/loans/{id}/expire"]
    assert "servers" not in document


def test_unknown_version_is_an_error(library: Api) -> None:
    with pytest.raises(ValueError, match="2020-01-01"):
        project(library, "2020-01-01", "production")


THING = """\
paths:
  /things:
    get:
      operationId: listThings
      parameters:
{parameters}
      responses:
        '200':
          description: things
          headers: {{ {headers} }}
          content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }}
components:
  schemas:
    Thing: {thing}
"""
AUTHORED = {"versions.yaml": VERSIONS, "api.yaml": API.replace("tags", "x-tags")}

SHARED_MEMBER = """\

      type: object
      properties:
        other: { $ref: '#/components/schemas/B' }
        one: { $ref: '#/components/schemas/U' }
    A: { type: object, required: [kind], properties: { kind: { type: string } } }
    B: { type: object, required: [kind], properties: { kind: { type: string } } }
    U:
      oneOf:
        - { $ref: '#/components/schemas/A' }
        - { $ref: '#/components/schemas/B', x-added: 2025-06-01 }
      discriminator: { propertyName: kind, mapping: { a: A, b: B } }
"""


def test_items_of_lists_and_tags_are_those_of_the_version(tmp_path: Path) -> None:
    was = "x-was: { 2025-06-01: { schema: { type: integer } } }"
    changed = f"        - {{ name: q, in: query, schema: {{ type: string }}, {was} }}"
    text = THING.format(parameters=changed, headers="", thing=SHARED_MEMBER)
    api = loaded(tmp_path, {**AUTHORED, "things.yaml": text})
    expected = (("2024-09-01", "integer", ["a"]), ("2025-06-01", "string", ["a", "b"]))
    for version, kind, tags in expected:
        document = project(api, version, "production").document
        parameters = document["paths"]["/things"]["get"]["parameters"]
        assert parameters == [{"name": "q", "in": "query", "schema": {"type": kind}}]
        # another field still leads to the component
        assert "B" in document["components"]["schemas"]
        union = document["components"]["schemas"]["U"]
        assert [*union["discriminator"]["mapping"]] == tags


def thing(tmp_path: Path, thing: str, parameters: str = "", headers: str = "") -> Api:
    plain = "        - { name: page, in: query, schema: { type: string } }\n" + parameters
    text = THING.format(thing=thing, parameters=plain.rstrip("\n"), headers=headers)
    return loaded(tmp_path, {**AUTHORED, "things.yaml": text})


def test_older_keywords_apply_from_the_newest_change_to_the_oldest(tmp_path: Path) -> None:
    api = thing(
        tmp_path,
        "{ type: string, maxLength: 30, x-was: { 2025-06-01: { maxLength: 20 },"
        " 2024-09-01: { maxLength: 10, minLength: 2 } } }",
    )
    assert [schemas(api, version)["Thing"] for version in DATES] == [
        {"type": "string", "maxLength": 10, "minLength": 2},
        {"type": "string", "maxLength": 20},
        {"type": "string", "maxLength": 30},
        {"type": "string", "maxLength": 30},
    ]


def test_null_and_the_long_form_unset_a_keyword(tmp_path: Path) -> None:
    api = thing(
        tmp_path,
        "{ type: object, properties: {"
        " a: { type: string, maxLength: 3, x-was: { next: { maxLength: null } } },"
        " b: { type: [string, 'null'], default: a,"
        " x-was: { next: { set: { default: null }, unset: [type] } } } } }",
    )
    assert schemas(api, "2025-06-01")["Thing"]["properties"] == {
        "a": {"type": "string"},
        "b": {"default": None},
    }
    assert schemas(api, "next")["Thing"]["properties"] == {
        "a": {"type": "string", "maxLength": 3},
        "b": {"type": ["string", "null"], "default": "a"},
    }


def test_required_is_removed_with_its_last_property(tmp_path: Path) -> None:
    api = thing(
        tmp_path,
        "{ type: object, required: [a], properties:"
        " { a: { type: string, x-added: next }, b: { type: string } } }",
    )
    assert schemas(api, "2025-06-01")["Thing"] == {
        "type": "object",
        "properties": {"b": {"type": "string"}},
    }


def test_parameters_and_headers_are_added_removed_and_renamed(tmp_path: Path) -> None:
    api = thing(
        tmp_path,
        "{ type: object }",
        parameters="        - { name: size, in: query, schema: { type: integer },"
        " x-was: { 2025-06-01: { name: limit } } }\n"
        "        - { name: old, in: query, schema: { type: string }, x-removed: 2024-09-01 }\n",
        headers="X-Left: { schema: { type: integer }, x-was: { 2025-06-01: { name: X-Rest } } }",
    )
    seen = []
    for version in DATES:
        operation = project(api, version, "production").document["paths"]["/things"]["get"]
        names = [parameter["name"] for parameter in operation["parameters"]]
        seen.append((names, list(operation["responses"]["200"]["headers"])))
    assert seen == [
        (["page", "limit", "old"], ["X-Rest"]),
        (["page", "limit"], ["X-Rest"]),
        (["page", "size"], ["X-Left"]),
        (["page", "size"], ["X-Left"]),
    ]


@pytest.mark.parametrize("key", ["x-added", "x-removed"])
def test_part_is_shown_in_exactly_the_versions_of_its_gate(library: Api, key: str) -> None:
    timeline = Timeline(library.table)
    for date in DATES:
        shown = {member.version for member in timeline.members(timeline.of({key: date}))}
        from_then_on = set(DATES[DATES.index(date) :])
        assert shown == (from_then_on if key == "x-added" else set(DATES) - from_then_on)


@pytest.mark.parametrize(
    ("version", "pointer", "origin"),
    [
        ("2024-01-15", "/components/schemas/Loan/properties/writer/type",
         ("components", "schemas", "Loan", "properties", "author_name", "type")),
        ("2024-01-15", "/components/schemas/Loan/properties/due/format",
         ("components", "schemas", "Loan", "properties", "due", "x-was")),
        ("2024-09-01", "/components/schemas/Loan/properties/due/format",
         ("components", "schemas", "Loan", "properties", "due", "format")),
        ("2024-01-15", "/components/schemas/LoanState/enum/1",
         ("components", "schemas", "LoanState", "oneOf", 2)),
        ("next", "/components/schemas/LoanState/enum/1",
         ("components", "schemas", "LoanState", "oneOf", 1)),
        ("next", "/components/schemas/Item/oneOf/1/$ref",
         ("components", "schemas", "Item", "oneOf", 1, "$ref")),
        ("2024-01-15", "/components/schemas/Item/oneOf/1",
         ("components", "schemas", "Item", "oneOf")),
        ("2024-01-15", "/paths/~1loans~1{id}/get/responses/200/content/application~1json/schema",
         ("paths", "/loans/{id}", "get", "responses", "200", "content", "application/json",
          "schema")),
        ("2024-01-15", "/components/schemas/Gone/type", ("components", "schemas")),
    ],
)  # fmt: skip
def test_part_of_a_contract_has_the_place_of_its_definition(
    library: Api, version: str, pointer: str, origin: tuple[str | int, ...]
) -> None:
    assert Projector(library).origin(pointer, version, "production") == origin


def test_cost_of_nested_histories_is_linear(tmp_path: Path) -> None:
    depth = 18
    schema = "{ type: string }"
    for level in range(depth):
        schema = (
            f"{{ type: object, maxProperties: {level + 2}, properties: {{ a: {schema} }},"
            f" x-was: {{ next: {{ maxProperties: {level + 1} }} }} }}"
        )
    api = thing(tmp_path, schema)
    found = schemas(api, "2024-01-15")["Thing"]
    for level in reversed(range(depth)):
        assert found["maxProperties"] == level + 1
        found = found["properties"]["a"]
    assert found == {"type": "string"}


def test_section_is_removed_with_its_last_component_and_kept_if_written_empty(
    tmp_path: Path,
) -> None:
    text = (
        "paths: {}\ncomponents:\n  headers: {}\n"
        "  schemas: { New: { type: object, x-added: next } }\n"
    )
    api = loaded(tmp_path, {**AUTHORED, "things.yaml": text})
    shown = [project(api, date, "sandbox").document["components"] for date in DATES[2:]]
    assert shown == [{"headers": {}}, {"schemas": {"New": {"type": "object"}}, "headers": {}}]


# Places of parts that a contract has, or had


PLACES = """\
paths:
  /loans:
    get:
      operationId: getLoan
      tags: [Loans]
      parameters:
        - { name: page, in: query, schema: { type: string } }
        - { name: order, in: query, schema: {}, x-was: { 2025-06-01: { name: sort } } }
      responses:
        '200':
          description: loans
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
components:
  schemas:
    Loan: { type: object }
"""


@cases(
    ("at", "line", "column"),
    [
        ("/paths", 1, 1),
        ("/paths/~1loans/get", 3, 5),
        ("/paths/~1loans~1{id}", 2, 3),
        ("/paths/~1readers", 1, 1),
        ("/components/schemas/Loan", 15, 5),
        # a removed part has the place of the longest existing prefix
        ("/components/schemas/Loaf", 15, 5),
        ("/components/schemas/Look", 14, 3),
    ],
)
def test_pointer_has_its_place_or_the_nearest(
    tmp_path: Path, at: str, line: int, column: int
) -> None:
    api = loaded(tmp_path, {"versions.yaml": VERSIONS, "api.yaml": API, "loans.yaml": PLACES})
    place = Projector(api).place(at, "2025-06-01", "production")
    assert place == Place("schemas/loans.yaml", line, column)


def test_renamed_parameter_is_counted_among_those_shown(tmp_path: Path) -> None:
    api = loaded(tmp_path, {"versions.yaml": VERSIONS, "api.yaml": API, "loans.yaml": PLACES})
    renames = Projector(api).renames("2024-09-01", "2025-06-01", "production")
    assert renames == {"/paths/~1loans/get/parameters/1": "sort"}


MAIL = "mail: { type: string, x-was: { 2024-09-01: { name: email } } }"


@cases(
    ("schema", "at"),
    [
        # what surrounds it is renamed, inserted or removed later or earlier
        (f"{{ properties: {{ to: {{ x-was: {{ 2025-06-01: {{ name: by }} }}, "
         f"properties: {{ {MAIL} }} }} }} }}", "/properties/by/properties/mail"),
        (f"{{ properties: {{ to: {{ x-was: {{ 2025-06-01: {{ name: by }} }}, type: array, "
         f"items: {{ properties: {{ {MAIL} }} }} }} }} }}", "/properties/by/items/properties/mail"),
        (f"{{ allOf: [{{ x-added: 2025-06-01 }}, {{ properties: {{ {MAIL} }} }}] }}",
         "/allOf/0/properties/mail"),
        (f"{{ allOf: [{{ x-removed: 2025-06-01 }}, {{ properties: {{ {MAIL} }} }}] }}",
         "/allOf/1/properties/mail"),
        (f"{{ properties: {{ {MAIL} }} }}", "/properties/mail"),
        # it is hidden, or something around it
        (f"{{ properties: {{ to: {{ x-added: 2025-06-01, properties: {{ {MAIL} }} }} }} }}", None),
        (f"{{ x-was: {{ 2025-06-01: {{ properties: {{}} }} }}, properties: {{ {MAIL} }} }}", None),
    ],
)  # fmt: skip
def test_renamed_field_is_found_where_the_newer_version_has_it(
    tmp_path: Path, schema: str, at: str | None
) -> None:
    renames = Projector(thing(tmp_path, schema)).renames("2024-01-15", "2024-09-01", "production")
    assert renames == ({} if at is None else {f"/components/schemas/Thing{at}": "email"})


def test_place_in_a_contract_leads_back_to_its_definition(library: Api) -> None:
    timeline, projector = Timeline(library.table), Projector(library)
    paths = ContractPaths(library, timeline)
    shown = 0
    for path, _, _ in walk("document", library.document):
        for at, combination in enumerate(timeline.combinations):
            found = paths.find(path, at)
            if found is not None:
                shown += 1
                assert projector.origin(pointer(found), *combination) == path
    assert shown > len(timeline.combinations)


@cases(
    ("path", "operation", "named"),
    [
        (("paths", "/a", "get"), ("/a", "get"), "GET /a"),
        (("paths", "/a", "query", "responses", "200"), ("/a", "query"), "QUERY /a"),
        (("paths", "/a", "additionalOperations", "COPY"), ("/a", "COPY"), "COPY /a"),
        (("paths", "/a", "additionalOperations", "copy", "tags", 0), ("/a", "copy"), "copy /a"),
        (("paths", "/a", "additionalOperations"), None, "/a"),
        (("paths", "/a", "parameters", 0), None, "/a"),
        (("paths", "/a"), None, "/a"),
        (("components", "pathItems", "a", "get"), None, "/components/pathItems/a/get"),
    ],
)  # fmt: skip
def test_operation_around_a_place_is_found_and_named(
    path: tuple[str | int, ...], operation: tuple[str, str] | None, named: str
) -> None:
    assert (find_operation(path), name_place(path)) == (operation, named)
