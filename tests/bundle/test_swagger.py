"""Swagger 2.0 is read as its equivalent in OpenAPI 3.0, with places in the original text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from support.random_swagger import make_twins
from support.seeds import scale, seeds
from support.swagger_documents import LIBRARY, LIBRARY_3, Document
from support.tables import cases

from dateline.bundle import Readings, open_document
from dateline.check.comparison import compare
from dateline.load.foreign import find_wrong_types
from dateline.model import Finding, SourceError
from dateline.openapi import pointer as format_pointer

GONE: Final = object()
TAG: Final = ("ShortLoan", "x-ms-discriminator-value")
NO_CONTENT: Final = {"operationId": "list", "responses": {"204": {"description": "d"}}}


def write(path: Path, document: Document) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(document, sort_keys=False) if path.suffix == ".yaml" else None
    path.write_text(text or json.dumps(document))
    return path


def findings(folder: Path, before: Document, after: Document) -> list[Finding]:
    sides = [str(write(folder / f"{at}.json", one)) for at, one in enumerate((before, after))]
    return compare(folder, folder, *sides)[0]


Told = dict[tuple[str, ...], set[str]]


def list_reported(folder: Path, before: Document, after: Document, *, whole: bool = True) -> Told:
    """Return the operations of each finding, or of all findings with one rule if not *whole*."""
    made: Told = {}
    for one in findings(folder, before, after):
        key = (one.rule, f"{one.message} {one.direction}") if whole else (one.rule,)
        made.setdefault(key, set()).update(one.operations)
    return made


def edit_document(document: Document, *edits: tuple[tuple[str | int, ...], Any]) -> Document:
    made: Document = json.loads(json.dumps(document))
    for path, value in edits:
        here: Any = made
        for step in path[:-1]:
            here = here[step]
        if value is GONE:
            del here[path[-1]]
        elif isinstance(here, list) and path[-1] == len(here):
            here.append(value)
        else:
            here[path[-1]] = value
    return made


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_every_construct_is_converted_as_a_person_would(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"library.{suffix}", LIBRARY)
    document = open_document(path, "library", Readings())
    content = json.loads(json.dumps(document.content))
    assert find_wrong_types(document) == []
    assert document.notes == ()
    assert content == json.loads(json.dumps(LIBRARY_3))


def test_conversion_changes_only_the_dialect(tmp_path: Path) -> None:
    assert findings(tmp_path, LIBRARY, LIBRARY) == []
    for before, after, way in (
        (LIBRARY, LIBRARY_3, "'2.0' -> '3.0.4'"),
        (LIBRARY_3, LIBRARY, "'3.0.4' -> '2.0'"),
    ):
        said = f"the document: openapi changed ({way}), and with it the dialect of every schema"
        found = [(one.rule, one.message) for one in findings(tmp_path, before, after)]
        assert found == [("dialect-changed", said)]


@cases("seed", seeds(40))
def test_random_documents_differ_from_their_equivalents_in_the_dialect_only(
    tmp_path: Path, seed: int
) -> None:
    old, new = make_twins(seed)
    assert findings(tmp_path, old, old) == []
    for before, after in ((old, new), (new, old)):
        assert [one.rule for one in findings(tmp_path, before, after)] == ["dialect-changed"]


GET = ("paths", "/loans/{id}", "get")
PUT = ("paths", "/loans/{id}", "put")
COVERS = ("paths", "/covers")
POST = (*COVERS, "post")
LOAN = ("definitions", "Loan")
LOAN_3 = ("components", "schemas", "Loan")
OAUTH_3 = ("components", "securitySchemes", "oauth", "flows", "authorizationCode")
FORM = ("requestBody", "content", "multipart/form-data")
JSON = "application/json"
FILE = ("schema", "properties")

Edit = list[tuple[tuple[str | int, ...], Any]]


def both(*path: str | int, value: Any) -> tuple[Edit, Edit]:
    return [(path, value)], [(path, value)]


def of_loan(*path: str | int, value: Any) -> tuple[Edit, Edit]:
    return [((*LOAN, *path), value)], [((*LOAN_3, *path), value)]


# The same edit in both specifications.
EDITS: dict[str, tuple[Edit, Edit]] = {
    "title": both("info", "title", value="Other"),
    "extension": both("x-root", value={"kept": False}),
    "tag": both("tags", 0, "description", value="Other."),
    "summary": both(*GET, "summary", value="Get."),
    "operation id": both(*GET, "operationId", value="other"),
    "operation removed": both(*GET, value=GONE),
    "path removed": both("paths", "/covers", value=GONE),
    "deprecated": both(*GET, "deprecated", value=True),
    "security of an operation": both(*GET, "security", value=[{"basic": []}]),
    "security": both("security", value=[]),
    "scheme": (
        [(("securityDefinitions", "key", "name"), "X-Other")],
        [(("components", "securitySchemes", "key", "name"), "X-Other")],
    ),
    "scope removed": (
        [(("securityDefinitions", "oauth", "scopes", "write"), GONE)],
        [((*OAUTH_3, "scopes", "write"), GONE)],
    ),
    "token url": (
        [(("securityDefinitions", "oauth", "tokenUrl"), "https://other.example")],
        [((*OAUTH_3, "tokenUrl"), "https://other.example")],
    ),
    "base path": (
        [(("basePath",), "/v2")],
        [
            (("servers",), [{"url": f"{one}://library.example/v2"} for one in ("https", "http")]),
            ((*PUT, "servers", 0, "url"), "https://library.example/v2"),
        ],
    ),
    "schemes of an operation": (
        [((*PUT, "schemes"), ["http"])],
        [((*PUT, "servers", 0, "url"), "http://library.example/v1")],
    ),
    "path parameter": (
        [(("paths", "/loans/{id}", "parameters", 0, "type"), "integer")],
        [(("paths", "/loans/{id}", "parameters", 0, "schema", "type"), "integer")],
    ),
    "parameter removed": (
        [((*GET, "parameters", 0), GONE)],
        [((*GET, "parameters", 0), GONE)],
    ),
    "parameter added": (
        [((*GET, "parameters", 3), {"name": "n", "in": "query", "type": "string"})],
        [((*GET, "parameters", 3), {"name": "n", "in": "query", "schema": {"type": "string"}})],
    ),
    "parameter required": both(*GET, "parameters", 0, "required", value=True),
    "parameter enum": (
        [((*GET, "parameters", 1, "items", "enum", 1), GONE)],
        [((*GET, "parameters", 1, "schema", "items", "enum", 1), GONE)],
    ),
    "shared parameter": (
        [(("parameters", "Page", "default"), 2)],
        [(("components", "parameters", "Page", "schema", "default"), 2)],
    ),
    "csv to multi": (
        [((*GET, "parameters", 0, "collectionFormat"), "multi")],
        [((*GET, "parameters", 0, "explode"), True)],
    ),
    "csv to ssv": (
        [((*GET, "parameters", 0, "collectionFormat"), "ssv")],
        [((*GET, "parameters", 0, "style"), "spaceDelimited")],
    ),
    "empty value": (
        [((*COVERS, "get", "parameters", 2, "allowEmptyValue"), GONE)],
        [((*COVERS, "get", "parameters", 2, "allowEmptyValue"), GONE)],
    ),
    "body required no more": (
        [(("parameters", "LoanBody", "required"), GONE)],
        [
            ((*PUT, "requestBody", "required"), GONE),
            (("components", "requestBodies", "LoanBody", "required"), GONE),
        ],
    ),
    "body removed": (
        [((*PUT, "parameters"), GONE)],
        [((*PUT, "requestBody"), GONE)],
    ),
    "field removed": (
        [((*COVERS, "post", "parameters", 1), GONE)],
        [((*COVERS, "post", *FORM, *FILE, "title"), GONE)],
    ),
    "field required": (
        [((*COVERS, "post", "parameters", 1, "required"), True)],
        [((*COVERS, "post", *FORM, "schema", "required", 2), "title")],
    ),
    "field type": (
        [((*COVERS, "post", "parameters", 0, "type"), "string")],
        [((*COVERS, "post", *FORM, *FILE, "cover", "format"), GONE)],
    ),
    "field of a shared parameter": (
        [(("parameters", "Size", "minimum"), 1)],
        [((*COVERS, "post", *FORM, *FILE, "size", "minimum"), 1)],
    ),
    "field csv to pipes": (
        [((*COVERS, "post", "parameters", 2, "collectionFormat"), "pipes")],
        [((*COVERS, "post", *FORM, "encoding", "kinds", "style"), "pipeDelimited")],
    ),
    "type of a form": (
        [((*COVERS, "put", "consumes"), ["multipart/form-data"])],
        [
            (
                (*COVERS, "put", "requestBody", "content"),
                {
                    "multipart/form-data": LIBRARY_3["paths"]["/covers"]["put"]["requestBody"][
                        "content"
                    ]["application/x-www-form-urlencoded"]
                },
            )
        ],
    ),
    "consumes of an operation": (
        [((*PUT, "consumes", 1), GONE)],
        [((*PUT, "requestBody", "content", "application/xml"), GONE)],
    ),
    "produces of an operation": (
        [((*PUT, "produces"), ["text/csv"])],
        [
            (
                (*PUT, "responses", status, "content"),
                {
                    "text/csv": LIBRARY_3["paths"]["/loans/{id}"]["put"]["responses"][status][
                        "content"
                    ][JSON]
                },
            )
            for status in ("200", "404")
        ],
    ),
    "response removed": both(*GET, "responses", "404", value=GONE),
    "response added": both(*GET, "responses", "409", value={"description": "d"}),
    "response description": both(*GET, "responses", "200", "description", value="d"),
    "response type": (
        [((*GET, "responses", "200", "schema"), {"type": "string"})],
        [
            ((*GET, "responses", "200", "content", name, "schema"), {"type": "string"})
            for name in (JSON, "application/xml")
        ],
    ),
    "header removed": both(*GET, "responses", "200", "headers", "X-Tags", value=GONE),
    "header type": (
        [((*GET, "responses", "200", "headers", "X-Rate", "type"), "string")],
        [((*GET, "responses", "200", "headers", "X-Rate", "schema", "type"), "string")],
    ),
    "example": (
        [((*GET, "responses", "200", "examples", JSON), {"id": "2"})],
        [((*GET, "responses", "200", "content", JSON, "example"), {"id": "2"})],
    ),
    "shared response": (
        [(("responses", "Missing", "description"), "No.")],
        [
            (("components", "responses", "Missing", "description"), "No."),
            ((*PUT, "responses", "404", "description"), "No."),
        ],
    ),
    "property removed": of_loan("properties", "covers", value=GONE),
    "property added": of_loan("properties", "new", value={"type": "string"}),
    "property type": of_loan("properties", "kind", "type", value="integer"),
    "required": of_loan("required", 2, value="covers"),
    "read only": of_loan("properties", "id", "readOnly", value=GONE),
    "null": (
        [((*LOAN, "properties", "due", "x-nullable"), GONE)],
        [((*LOAN_3, "properties", "due", "nullable"), GONE)],
    ),
    "discriminator": (
        [((*LOAN, "discriminator"), "id")],
        [((*LOAN_3, "discriminator", "propertyName"), "id")],
    ),
    "path with a query": (
        [(("x-ms-paths",), {"/?comp=list": {"get": NO_CONTENT}})],
        [(("paths", "/?comp=list"), {"get": NO_CONTENT})],
    ),
    "tag of a variant": (
        [(("definitions", *TAG), "short")],
        [
            (("components", "schemas", *TAG), "short"),
            ((*LOAN_3, "discriminator", "mapping"), {"short": "#/components/schemas/ShortLoan"}),
        ],
    ),
    "behind a reference": (
        [(("definitions", "Person", "properties", "name", "maxLength"), 30)],
        [(("components", "schemas", "Person", "properties", "name", "maxLength"), 30)],
    ),
    "bound": (
        [(("definitions", "Cover", "properties", "size", "exclusiveMinimum"), False)],
        [(("components", "schemas", "Cover", "properties", "size", "exclusiveMinimum"), False)],
    ),
    "definition removed": (
        [(("definitions", "ShortLoan"), GONE)],
        [(("components", "schemas", "ShortLoan"), GONE)],
    ),
}


@cases("name", EDITS)
def test_edit_is_found_as_in_openapi_3(tmp_path: Path, name: str) -> None:
    ours, theirs = EDITS[name]
    old, new = edit_document(LIBRARY, *ours), edit_document(LIBRARY_3, *theirs)
    # a single text in 2.0 may become several nodes in 3.0
    whole = len(ours) == len(theirs)
    found = list_reported(tmp_path / "old", LIBRARY, old, whole=whole)
    assert found
    assert found == list_reported(tmp_path / "new", LIBRARY_3, new, whole=whole)
    # a migration to 3.0 with the same edit has both kinds of changes
    migrated = list_reported(tmp_path / "migrated", LIBRARY, new, whole=False)
    assert migrated.keys() == {key[:1] for key in found} | {("dialect-changed",)}


def test_findings_point_to_the_text_of_2_0(tmp_path: Path) -> None:
    places: dict[str, tuple[Edit, str]] = {
        "property": (
            [((*LOAN, "properties", "kind", "type"), "integer")],
            "/definitions/Loan/properties/kind/type",
        ),
        "null": (
            [((*LOAN, "properties", "id", "x-nullable"), True)],
            "/definitions/Loan/properties/id/x-nullable",
        ),
        "parameter": (
            [(("paths", "/loans/{id}", "parameters", 0, "type"), "integer")],
            "/paths/~1loans~1{id}/parameters/0/type",
        ),
        "list": (
            [((*COVERS, "get", "parameters", 0, "collectionFormat"), "pipes")],
            "/paths/~1covers/get/parameters/0/collectionFormat",
        ),
        "field": (
            [((*COVERS, "post", "parameters", 1, "type"), "integer")],
            "/paths/~1covers/post/parameters/1/type",
        ),
        "shared response": (
            [(("responses", "Missing", "schema", "properties", "title", "type"), "integer")],
            "/responses/Missing/schema/properties/title/type",
        ),
        "type of all messages": ([(("produces", 2), "text/csv")], "/produces/2"),
        "security": (
            [(("securityDefinitions", "key", "name"), "X-Other")],
            "/securityDefinitions/key/name",
        ),
        "flow": (
            [(("securityDefinitions", "oauth", "tokenUrl"), "https://other.example")],
            "/securityDefinitions/oauth/tokenUrl",
        ),
        "discriminator": (
            [((*LOAN, "discriminator"), "id")],
            "/definitions/Loan/discriminator",
        ),
        "tag of a variant": ([(("definitions", *TAG), "short")], f"/definitions/{'/'.join(TAG)}"),
    }
    for name, (edits, pointer) in places.items():
        document = edit_document(LIBRARY, *edits)
        found = findings(tmp_path / name, LIBRARY, document)
        assert {one.after_pointer for one in found} == {pointer}, name
        text = (tmp_path / name / "1.json").read_text().splitlines()
        for one in found:
            assert one.after_source is not None
            key = pointer.rpartition("/")[2]
            written = text[one.after_source.line - 1][one.after_source.column - 1 :]
            assert written.startswith('"text/csv"' if key == "2" else f'"{key}"'), name


# Edits of text that several places share, or that 3.0 has elsewhere, and the text of 2.0 before and
# after. The body and the response of PUT are not those of the component, since it lists media types
# of its own.
SHARED: Final[dict[str, tuple[tuple[str | int, ...], Any, str | None, str | None]]] = {
    "body": (
        ("parameters", "LoanBody", "description"),
        "Other.",
        "/parameters/LoanBody/description",
        "/parameters/LoanBody/description",
    ),
    "body required": (
        ("parameters", "LoanBody", "required"),
        GONE,
        "/parameters/LoanBody/required",
        None,
    ),
    "response": (
        ("responses", "Missing", "description"),
        "Other.",
        "/responses/Missing/description",
        "/responses/Missing/description",
    ),
    "path of all operations": (("basePath",), "/v2", "/basePath", "/basePath"),
    "scheme": (("schemes", 1), GONE, "/schemes", "/schemes"),
    "schema of a response": (
        (*GET, "responses", "200", "schema"),
        GONE,
        f"{format_pointer(GET)}/responses/200/schema",
        None,
    ),
    "new schema of a response": (
        (*GET, "responses", "default", "schema"),
        {"type": "string"},
        None,
        f"{format_pointer(GET)}/responses/default/schema",
    ),
    "type of a shared body": (
        (*PUT, "consumes", 1),
        GONE,
        f"{format_pointer(PUT)}/consumes/1",
        None,
    ),
    "type of responses": ((*PUT, "produces", 1), "a/b", None, f"{format_pointer(PUT)}/produces/1"),
    "reference to a field": (
        (*POST, "parameters", 3),
        GONE,
        f"{format_pointer(POST)}/parameters/3",
        None,
    ),
    "format of a field": (
        (*POST, "parameters", 2, "collectionFormat"),
        "multi",
        f"{format_pointer(POST)}/parameters/2",
        None,
    ),
    "new format of a field": (
        (*COVERS, "put", "parameters", 1, "collectionFormat"),
        "ssv",
        f"{format_pointer(COVERS)}/put/parameters/1/collectionFormat",
        f"{format_pointer(COVERS)}/put/parameters/1/collectionFormat",
    ),
}


@cases("name", SHARED)
def test_shared_text_is_the_place_of_its_findings(tmp_path: Path, name: str) -> None:
    path, value, before, after = SHARED[name]
    found = findings(tmp_path, LIBRARY, edit_document(LIBRARY, (path, value)))
    assert {(one.before_pointer, one.after_pointer) for one in found} == {(before, after)}


def test_edit_of_a_single_text_is_one_finding(tmp_path: Path) -> None:
    found = findings(tmp_path, LIBRARY, edit_document(LIBRARY, (("produces", 2), "text/csv")))
    assert [(one.rule, one.after_pointer) for one in found] == [("media-type-added", "/produces/2")]
    assert found[0].operations == ("GET /covers", "GET /loans/{id}", "POST /covers")


ITEM = {"responses": {"200": {"description": "d"}}}
STRINGS: Document = {"type": "array", "items": {"type": "string"}}
NESTED: Document = {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}


def small(**keys: Any) -> Document:
    head = {"swagger": "2.0", "info": {"title": "T", "version": "1"}, "paths": {}}
    return {**head, **keys}


def operation(*parameters: Document, **keys: Any) -> Document:
    return small(paths={"/x": {"post": {"parameters": [*parameters], **ITEM, **keys}}})


def read(folder: Path, document: Document) -> tuple[Document, list[str]]:
    """Return *document* in OpenAPI 3.0, and the notes."""
    opened = open_document(write(folder / "a.json", document), "a.json", Readings())
    assert find_wrong_types(opened) == []
    content: Document = json.loads(json.dumps(opened.content))
    return content, [str(note.message) for note in opened.notes]


# Parameters that 3.0 can't express, and their conversions.
ODD: dict[str, tuple[Document, Document]] = {
    "tabs": (
        {"name": "p", "in": "query", **STRINGS, "collectionFormat": "tsv"},
        {
            "name": "p",
            "in": "query",
            "content": {"text/tab-separated-values": {"schema": STRINGS}},
        },
    ),
    "blanks in a header": (
        {"name": "p", "in": "header", **STRINGS, "collectionFormat": "ssv"},
        {
            "name": "p",
            "in": "header",
            "content": {'text/plain; collectionFormat="ssv"': {"schema": STRINGS}},
        },
    ),
    "lists in a list": (
        {"name": "p", "in": "query", **NESTED, "collectionFormat": "pipes"},
        {
            "name": "p",
            "in": "query",
            "content": {'text/plain; collectionFormat="pipes csv"': {"schema": NESTED}},
        },
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_collection_format_without_an_equivalent_becomes_a_media_type_with_a_note(
    tmp_path: Path, name: str
) -> None:
    parameter, made = ODD[name]
    content, notes = read(tmp_path, operation(parameter))
    assert content["paths"]["/x"]["post"]["parameters"] == [made]
    assert len(notes) == 1
    plain = {**parameter}
    del plain["collectionFormat"]
    assert findings(tmp_path, operation(parameter), operation(plain))


def test_body_of_a_path_belongs_to_its_operations(tmp_path: Path) -> None:
    body = {"name": "b", "in": "body", "schema": {"type": "string"}}
    own = {"name": "c", "in": "body", "schema": {"type": "integer"}}
    document = small(
        consumes=["application/json"],
        paths={"/x": {"parameters": [body], "put": ITEM, "post": {**ITEM, "parameters": [own]}}},
    )
    item = read(tmp_path, document)[0]["paths"]["/x"]
    assert item == {
        "put": {
            **ITEM,
            "requestBody": {"content": {"application/json": {"schema": {"type": "string"}}}},
        },
        "post": {
            **ITEM,
            "requestBody": {"content": {"application/json": {"schema": {"type": "integer"}}}},
        },
    }


def test_form_fields_of_a_path_and_its_operations_are_joined(tmp_path: Path) -> None:
    def field(name: str, kind: str) -> Document:
        return {"name": name, "in": "formData", "type": kind}

    shared = [field("a", "string"), field("b", "string")]
    own = [field("b", "integer"), field("c", "string")]
    document = small(paths={"/x": {"parameters": shared, "post": {**ITEM, "parameters": own}}})
    body = read(tmp_path, document)[0]["paths"]["/x"]["post"]["requestBody"]
    assert body["content"] == {
        "application/x-www-form-urlencoded": {
            "schema": {
                "type": "object",
                "properties": {
                    "a": {"type": "string"},
                    "b": {"type": "integer"},
                    "c": {"type": "string"},
                },
            }
        }
    }


def test_empty_value_of_a_field_is_one_of_its_values(tmp_path: Path) -> None:
    def properties(**keys: Any) -> Any:
        field = {"name": "f", "in": "formData", "allowEmptyValue": True, **keys}
        body = read(tmp_path, operation(field))[0]["paths"]["/x"]["post"]["requestBody"]
        (media,) = body["content"].values()
        return media["schema"]["properties"]["f"]

    empty = {"type": "string", "enum": [""]}
    assert properties(type="integer") == {"anyOf": [{"type": "integer"}, empty]}
    assert properties(type="string") == {"type": "string"}


def test_types_of_other_json_schema_drafts_are_read(tmp_path: Path) -> None:
    definitions = {
        "One": {"type": ["string"]},
        "Null": {"type": ["string", "null"], "maxLength": 1},
        "Two": {"type": ["string", "integer"]},
        "File": {"type": "file"},
    }
    assert read(tmp_path, small(definitions=definitions))[0]["components"]["schemas"] == {
        "One": {"type": "string"},
        "Null": {"type": "string", "nullable": True, "maxLength": 1},
        "Two": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "File": {"type": "string", "format": "binary"},
    }


def test_references_into_anything_are_followed(tmp_path: Path) -> None:
    body = {"name": "b", "in": "body", "schema": {"type": "object", "properties": {"a": {}}}}
    answers = {
        "200": {"description": "d", "schema": {"$ref": "#/paths/~1x/post/parameters/0/schema"}}
    }
    again = {"$ref": "#/paths/~1x/post/responses/200"}
    document = small(
        paths={
            "/x": {"post": {"parameters": [body], "responses": answers}},
            "/y": {
                "post": {
                    "parameters": [{"$ref": "#/paths/~1x/post/parameters/0"}],
                    "responses": {"200": again},
                }
            },
        },
        responses={"R": {"description": "d", "schema": {"$ref": "#/parameters/P/items"}}},
        parameters={
            "P": {"name": "p", "in": "query", "type": "array", "items": {"type": "string"}}
        },
    )
    content, _ = read(tmp_path, document)
    schemas = content["components"]["schemas"]
    assert schemas == {"schema": body["schema"], "items": {"type": "string"}}
    posts = [content["paths"][path]["post"] for path in ("/x", "/y")]
    assert posts[0] == posts[1]
    # an edit of their target is one finding, at its place
    edit = (("paths", "/x", "post", "parameters", 0, "schema", "properties", "a"), {"type": "null"})
    found = findings(tmp_path, document, edit_document(document, edit))
    assert {one.after_pointer for one in found} == {
        "/paths/~1x/post/parameters/0/schema/properties/a/type"
    }


def test_schemes_without_a_host_are_kept(tmp_path: Path) -> None:
    content, notes = read(tmp_path, small(basePath="/v1", schemes=["http"]))
    assert content["servers"] == [{"url": "/v1", "x-schemes": ["http"]}]
    assert notes == ["schemes without a `host` are kept as x-schemes"]
    paths = operation()["paths"]
    other = small(basePath="/v1", schemes=["https"], paths=paths)
    found = findings(tmp_path, small(basePath="/v1", schemes=["http"], paths=paths), other)
    assert [one.rule for one in found] == ["servers-changed"]
    # 3.0 can't express them
    written = {**small(), "openapi": "3.0.4", "servers": [{"url": "/v1"}]}
    del written["swagger"]
    other = small(basePath="/v1", schemes=["https"])
    assert [one.rule for one in findings(tmp_path, other, written)] == ["dialect-changed"]


def test_version_may_be_a_number(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("swagger: 2.0\ninfo: {title: T, version: '1'}\npaths: {}\n")
    content = open_document(tmp_path / "a.yaml", "a.yaml", Readings()).content
    assert content == {
        "openapi": "3.0.4",
        "info": {"title": "T", "version": "1"},
        "paths": {},
    }


REFUSED: dict[str, tuple[Document, str]] = {
    "file": (
        {
            **operation({"$ref": "#/parameters/A"}),
            "parameters": {"A": {"$ref": "other.json#/A"}},
        },
        "reference-unreadable: 'other.json#/A': No such file or directory; make it a file that "
        "can be read",
    ),
    "address": (
        operation({"$ref": "https://example.com/p.json"}),
        "reference-remote: 'https://example.com/p.json': only files in the folder of the document "
        "are read; save it there, and refer to it by a relative path",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_reference_outside_of_the_file_is_refused(tmp_path: Path, case: str) -> None:
    document, said = REFUSED[case]
    path = write(tmp_path / "a.json", document)
    with pytest.raises(SourceError) as refused:
        open_document(path, "a.json", Readings()).content  # noqa: B018
    (problem,) = refused.value.problems
    assert str(problem).partition(" ")[2] == said


def nodes(document: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    listed = dict(enumerate(document)) if isinstance(document, list) else document
    for step, below in listed.items() if isinstance(listed, dict) else ():
        found += nodes(below, (*path, step))
    return found


# Every node of the document is replaced by some of these in turn.
WRONG: Final[tuple[Any, ...]] = (None, [], 7, {}, "text", [7], {"a": 7}, {"$ref": "#/no"}, [[]])


def test_value_of_the_wrong_type_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    for at, path in enumerate([*nodes(LIBRARY)][:: 4 // scale(4)]):
        if path == ("swagger",):
            continue
        document = edit_document(LIBRARY, (path, WRONG[at % len(WRONG)]))
        opened = open_document(write(tmp_path / "a.json", document), "a.json", Readings())
        try:
            problems = find_wrong_types(opened)
        except SourceError as error:
            problems = list(error.problems)
        assert all(problem.place.line > 0 for problem in problems)
