"""Invalid output of Swagger 2.0 generators is accepted without loss."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from support.tables import cases

from dateline.bundle import Readings, open_document
from dateline.check.comparison import compare
from dateline.load.foreign import find_wrong_types

Document = dict[str, Any]

DONE: Final = {"200": {"description": "d"}}
TEXT: Final = {"type": "string"}
BODY: Final = {"in": "body", "name": "b", "schema": {"type": "object"}}
FIELD: Final = {"in": "formData", "name": "f", "type": "string"}
FORM: Final = "application/x-www-form-urlencoded"


def swagger(**keys: Any) -> Document:
    return {"swagger": "2.0", "info": {"title": "T", "version": "1"}, "paths": {}, **keys}


def operation(*parameters: Any, **keys: Any) -> Document:
    return {"parameters": [*parameters], "responses": DONE, **keys}


def read(folder: Path, document: Document) -> tuple[Document, list[str]]:
    """Return *document* in OpenAPI 3.0, and the notes."""
    (folder / "a.json").write_text(json.dumps(document))
    opened = open_document(folder / "a.json", "a.json", Readings())
    return json.loads(json.dumps(opened.content)), [note.message for note in opened.notes]


def rules(folder: Path, *documents: Document) -> list[str]:
    sides = [folder / f"{number}.json" for number, _ in enumerate(documents)]
    for path, document in zip(sides, documents, strict=True):
        path.write_text(json.dumps(document))
    return [found.rule for found in compare(folder, folder, *map(str, sides))[0]]


# `host`, `basePath` and `schemes`, and the addresses of the servers.
SERVERS: Final[list[tuple[Document, list[str]]]] = [
    ({"host": ""}, []),
    ({"host": "", "basePath": "", "schemes": []}, []),
    ({"host": "", "basePath": "/"}, []),
    ({"host": "", "basePath": "/v1"}, ["/v1"]),
    ({"host": "", "basePath": "/v1", "schemes": ["https"]}, ["/v1"]),
    ({"basePath": "v1"}, ["/v1"]),
    ({"host": "h.example", "basePath": "v1/", "schemes": ["https"]}, ["https://h.example/v1"]),
    ({"host": "h.example/", "basePath": "/v1"}, ["//h.example/v1"]),
    ({"host": "http://h.example", "basePath": "/v1"}, ["http://h.example/v1"]),
    ({"host": "http://h.example/", "schemes": ["https", "wss"]}, ["http://h.example"]),
    *(
        ({"host": "bad", "x-ms-parameterized-host": host, "basePath": "/v1", **keys}, urls)
        for host, keys, urls in (
            ({"hostTemplate": "{a}.example"}, {}, ["//{a}.example/v1"]),
            ({"hostTemplate": "{a}.example/"}, {"schemes": ["https"]}, ["https://{a}.example/v1"]),
            ({"hostTemplate": "{a}", "useSchemePrefix": False}, {"schemes": ["https"]}, ["{a}/v1"]),
            ({"hostTemplate": "http://{a}"}, {"schemes": ["https"]}, ["http://{a}/v1"]),
            ({"hostTemplate": 7}, {}, ["//bad/v1"]),
            ([], {}, ["//bad/v1"]),
        )
    ),
]


@cases(("keys", "urls"), SERVERS)
def test_servers_have_one_host_and_a_path(tmp_path: Path, keys: Document, urls: list[str]) -> None:
    content, _ = read(tmp_path, swagger(**keys))
    assert [server["url"] for server in content.get("servers", [])] == urls


def test_parameters_of_a_host_are_variables(tmp_path: Path) -> None:
    account = {"name": "account", "in": "path", "required": True, "type": "string"}
    suffix = {**account, "name": "suffix", "default": "a.example", "enum": ["a.example", "b"]}
    host = {
        "hostTemplate": "{account}.{suffix}",
        "positionInOperation": "last",
        "parameters": [
            {**account, "pattern": "^a", "description": "Yours.", "x-ms-skip-url-encoding": True},
            {"$ref": "#/parameters/Suffix"},
            {**account, "name": "other"},
            {"$ref": "#/parameters/None"},
            7,
        ],
    }
    keys: Document = {"schemes": ["https", "http"], "parameters": {"Suffix": suffix}}
    content, notes = read(tmp_path, swagger(**{**keys, "x-ms-parameterized-host": host}))
    more = {
        "variables": {
            "account": {"x-pattern": "^a", "description": "Yours.", "x-ms-skip-url-encoding": True},
            "suffix": {"default": "a.example", "enum": ["a.example", "b"]},
        },
        "x-parameters": [*host["parameters"][2:]],
        "x-positionInOperation": "last",
    }
    assert content["servers"] == [
        {"url": f"{scheme}://{{account}}.{{suffix}}", **more} for scheme in keys["schemes"]
    ]
    assert "x-ms-parameterized-host" not in content
    assert notes == ["parameters that the host does not have are kept as x-parameters"]


@cases("place", ["query", "header", "path", "formData"])
def test_format_null_is_the_default(tmp_path: Path, place: str) -> None:
    listed = {"in": place, "name": "p", "type": "array", "items": TEXT}
    ours, theirs = (
        read(tmp_path, swagger(paths={"/a": {"post": operation({**listed, **more})}}))
        for more in ({"collectionFormat": None}, {})
    )
    assert ours == theirs


OTHER: Final = {"in": "body", "name": "c", "schema": TEXT, "required": True}
MORE: Final = {**FIELD, "name": "g"}

# The parameters of a path and of its operation, and those outside of the body.
SPARE: Final[list[tuple[list[Document], list[Document], list[Document]]]] = [
    ([], [BODY, FIELD], [FIELD]),
    ([], [FIELD, BODY, MORE], [FIELD, MORE]),
    ([], [BODY, OTHER], [OTHER]),
    ([], [BODY, OTHER, FIELD], [OTHER, FIELD]),
    ([FIELD], [BODY], [FIELD]),
    ([BODY], [FIELD], [FIELD]),
    ([{"$ref": "#/parameters/F"}], [BODY], [FIELD]),
]


@cases(("shared", "own", "spare"), SPARE)
def test_parameters_beside_the_body_are_kept(
    tmp_path: Path, shared: list[Document], own: list[Document], spare: list[Document]
) -> None:
    def document(*own: Document) -> Document:
        item = {"parameters": shared, "post": operation(*own)}
        return swagger(paths={"/a": item}, parameters={"F": FIELD})

    content, notes = read(tmp_path, document(*own))
    made = content["paths"]["/a"]["post"]
    assert made["requestBody"]["content"] == {"*/*": {"schema": BODY["schema"]}}
    assert made["x-parameters"] == spare
    assert len(notes) == len(spare)
    if spare[-1] in own:
        changed = [{**one, "description": "d"} if one is spare[-1] else one for one in own]
        assert rules(tmp_path, document(*own), document(*changed)) == ["extension-changed"]


SECTIONS: Final = {
    "definitions": "schemas",
    "parameters": "parameters",
    "responses": "responses",
    "securityDefinitions": "securitySchemes",
}


@cases("empty", [[], None, {}])
@cases("key", SECTIONS)
def test_empty_list_is_accepted_as_an_empty_section(tmp_path: Path, key: str, empty: Any) -> None:
    """PHP writes an empty mapping as a list."""
    content, notes = read(tmp_path, swagger(**{key: empty}))
    assert content["components"] == {SECTIONS[key]: empty}
    assert len(notes) == (empty != {})
    found = rules(tmp_path, swagger(**{key: empty}), swagger(**{key: {}}))
    assert found == (["extension-changed"] if empty == [] else [])


@pytest.mark.parametrize("empty", [[], None, {}])
def test_schemas_elsewhere_become_components_beside_an_empty_section(
    tmp_path: Path, empty: Any
) -> None:
    response = {"200": {"description": "d", "schema": {"$ref": "#/x-schemas/A"}}}
    document = swagger(
        definitions=empty,
        paths={"/a": {"get": {"responses": response}}},
        **{"x-schemas": {"A": TEXT}},
    )
    content, _ = read(tmp_path, document)
    assert content["components"]["schemas"] == {"A": TEXT}


@pytest.mark.parametrize("scopes", [[], ["read"]])
def test_scopes_in_a_list_are_kept(tmp_path: Path, scopes: list[str]) -> None:
    oauth = {"type": "oauth2", "flow": "application", "tokenUrl": "https://t.example"}
    document = swagger(securityDefinitions={"o": {**oauth, "scopes": scopes}})
    content, _ = read(tmp_path, document)
    flow = content["components"]["securitySchemes"]["o"]["flows"]["clientCredentials"]
    assert flow == {"tokenUrl": "https://t.example", "scopes": scopes}


@pytest.mark.parametrize("examples", ["text", [{"id": 1}], 7])
def test_examples_without_media_types_are_kept(tmp_path: Path, examples: Any) -> None:
    def document(found: Any) -> Document:
        response = {"description": "d", "schema": TEXT, "examples": found}
        return swagger(paths={"/a": {"get": {"responses": {"200": response}}}})

    content, notes = read(tmp_path, document(examples))
    made = content["paths"]["/a"]["get"]["responses"]["200"]
    assert made == {
        "description": "d",
        "content": {"*/*": {"schema": TEXT}},
        "x-examples": examples,
    }
    assert len(notes) == 1
    assert rules(tmp_path, document(examples), document("other")) == ["extension-changed"]


@pytest.mark.parametrize("examples", [[], None, {}])
def test_empty_examples_are_dropped(tmp_path: Path, examples: Any) -> None:
    response = {"description": "d", "schema": TEXT, "examples": examples}
    content, notes = read(tmp_path, swagger(responses={"R": response}))
    made = content["components"]["responses"]["R"]
    assert made == {"description": "d", "content": {"*/*": {"schema": TEXT}}}
    assert notes == []


def test_extensions_of_a_response_are_kept_beside_its_examples(tmp_path: Path) -> None:
    response = {"description": "d", "examples": {"x-a": 1}, "x-examples": {"own": 2}}
    content, _ = read(tmp_path, swagger(responses={"R": response}))
    assert content["components"]["responses"]["R"]["x-examples"] == {"own": 2, "x-a": 1}


ANY: Final = [{"enum": ["a", 1]}]
UNION: Final = {"anyOf": [{"type": "string"}, {"type": "integer"}]}

# Schemas with several types, and their conversions.
TYPES: Final[list[tuple[Document, Document]]] = [
    ({"type": ["string", None]}, {"type": "string", "nullable": True}),
    ({"type": ["string", "integer"]}, UNION),
    ({"type": ["string", "integer"], "anyOf": ANY}, {"allOf": [UNION], "anyOf": ANY}),
    ({"anyOf": ANY, "type": ["string", "integer"]}, {"allOf": [UNION], "anyOf": ANY}),
    (
        {"anyOf": ANY, "allOf": [TEXT], "type": ["string", "integer", None]},
        {"allOf": [TEXT, UNION], "anyOf": ANY, "nullable": True},
    ),
    (
        {"type": ["string", "integer"], "anyOf": ANY, "allOf": [{"x-nullable": True, **TEXT}]},
        {"allOf": [{"nullable": True, **TEXT}, UNION], "anyOf": ANY},
    ),
]


@cases(("schema", "made"), TYPES)
def test_several_types_become_a_union_beside_any_other(
    tmp_path: Path, schema: Document, made: Document
) -> None:
    content, _ = read(tmp_path, swagger(definitions={"A": schema}))
    assert content["components"]["schemas"]["A"] == made


POST: Final = operation(BODY, {"in": "query", "name": "q", "type": "integer"})
POST_3: Final = {
    "parameters": [{"in": "query", "name": "q", "schema": {"type": "integer"}}],
    "requestBody": {"content": {"*/*": {"schema": BODY["schema"]}}},
    "responses": DONE,
}


@cases(
    ("item", "made"),
    [
        ({"$ref": "#/x-items/a"}, {"post": POST_3, "x-a": 1}),
        ({"$ref": "#/x-items/b"}, {"post": POST_3, "x-a": 1}),
        (
            {"get": {"responses": DONE}, "$ref": "#/x-items/a", "x-a": 2},
            {"get": {"responses": DONE}, "post": POST_3, "x-a": 2},
        ),
        ({"$ref": "#/paths/~1b"}, {"$ref": "#/paths/~1b"}),
        ({"$ref": "#/x-items/none"}, {"$ref": "#/x-items/none"}),
        ({"$ref": "#/x-items/c"}, {"$ref": "#/x-items/c"}),
    ],
)
def test_path_items_in_extensions_are_converted(
    tmp_path: Path, item: Document, made: Document
) -> None:
    items = {
        "a": {"post": POST, "x-a": 1},
        "b": {"$ref": "#/x-items/a"},
        "c": {"$ref": "#/x-items/c"},
    }
    document = swagger(paths={"/a": item, "/b": {"post": POST}}, **{"x-items": items})
    content, _ = read(tmp_path, document)
    assert content["paths"] == {"/a": made, "/b": {"post": POST_3}}
    assert content["x-items"] == items


def test_findings_in_extensions_have_places(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    parameter = {"in": "query", "name": "q", "type": 7}
    document = swagger(
        paths={"/a": {"$ref": "#/x-items/a"}}, **{"x-items": {"a": {"get": operation(parameter)}}}
    )
    path.write_text(json.dumps(document))
    (found,) = find_wrong_types(open_document(path, "a.json", Readings()))
    assert '"type": 7' in path.read_text().splitlines()[found.place.line - 1]


def test_references_in_extensions_lead_to_what_has_moved(tmp_path: Path) -> None:
    def lead(*addresses: str) -> Document:
        return {"x-a": [{"b": {"$ref": address}} for address in addresses]}

    before = (
        "#/definitions/A~1b",
        "#/definitions/A~1b/properties/c",
        "#/parameters/Query",
        "#/parameters/Alias",
        "#/parameters/Body",
        "#/responses/Done",
    )
    after = (
        "#/components/schemas/A~1b",
        "#/components/schemas/A~1b/properties/c",
        "#/components/parameters/Query",
        "#/components/requestBodies/Alias",
        "#/components/requestBodies/Body",
        "#/components/responses/Done",
    )
    # what has no place of its own, is nowhere, or is written somewhere else
    kept = (
        *("#/parameters/Field", "#/parameters/Query/type", "#/definitions/None"),
        *("#/x-a", "#/paths/~1x", "https://a.example/b", "no.json#/definitions/A"),
    )
    document = swagger(
        **lead(*before, *kept),
        paths={"/x": {**lead(*before), "get": {**operation(), **lead(*kept)}}},
        definitions={"A/b": {"properties": {"c": {**TEXT, **lead(*before)}}}},
        parameters={
            "Query": {"in": "query", "name": "q", **TEXT, **lead(*before)},
            "Body": {**BODY, **lead(*before)},
            "Field": FIELD,
            "Alias": {"$ref": "#/parameters/Body"},
        },
        responses={"Done": {"description": "d", **lead(*before)}},
    )
    content, _ = read(tmp_path, document)
    components = content["components"]
    assert content["x-a"] == lead(*after, *kept)["x-a"]
    for one in (
        content["paths"]["/x"],
        components["schemas"]["A/b"]["properties"]["c"],
        components["parameters"]["Query"],
        components["requestBodies"]["Body"],
        components["responses"]["Done"],
    ):
        assert one["x-a"] == lead(*after)["x-a"]
    assert content["paths"]["/x"]["get"]["x-a"] == lead(*kept)["x-a"]
    assert rules(tmp_path, document, document) == []


def test_null_beside_a_reference_is_beside_an_all_of(tmp_path: Path) -> None:
    ref, ref_3 = {"$ref": "#/definitions/A"}, {"$ref": "#/components/schemas/A"}
    wrapped = {"allOf": [ref_3], "nullable": True}
    schemas: dict[str, tuple[Document, Document]] = {
        "a": ({**ref, "x-nullable": True}, wrapped),
        "b": (
            {"x-nullable": True, "description": "d", **ref},
            {"description": "d", **wrapped},
        ),
        "c": ({**ref, "x-nullable": False}, {**ref_3, "nullable": False}),
        "d": (
            {**ref, "x-nullable": True, "allOf": [TEXT]},
            {**ref_3, "nullable": True, "allOf": [TEXT]},
        ),
        "e": ({"items": {**ref, "x-nullable": True}}, {"items": wrapped}),
    }
    properties = {name: schema for name, (schema, _) in schemas.items()}
    alias = {**ref, "x-nullable": True}
    document = swagger(definitions={"A": TEXT, "B": {"properties": properties}, "C": alias})
    content, _ = read(tmp_path, document)
    components = content["components"]["schemas"]
    assert components["B"]["properties"] == {name: made for name, (_, made) in schemas.items()}
    # no variant of A
    assert components["C"] == {**ref_3, "nullable": True}
    (tmp_path / "b.json").write_text(json.dumps(document))
    opened = open_document(tmp_path / "b.json", "b.json", Readings())
    at = "/components/schemas/B/properties/a/allOf"
    for pointer in (at, f"{at}/0", f"{at}/0/$ref"):
        assert opened.find_pointer(pointer) == "/definitions/B/properties/a/$ref"


OPEN: Final = {"x-ms-enum": {"name": "State", "modelAsString": True}}
LISTED: Final = {"type": "string", "enum": ["lent", "back"]}

# Schemas with `x-ms-enum`, and the keywords by which values are listed then.
ENUMERATIONS: Final[dict[str, tuple[Document, list[str]]]] = {
    "open": ({**LISTED, **OPEN}, ["x-extensible-enum"]),
    "closed": ({**LISTED, "x-ms-enum": {"modelAsString": False}}, ["enum"]),
    "not said": ({**LISTED, "x-ms-enum": {"name": "State"}}, ["enum"]),
    "not said as a truth value": ({**LISTED, "x-ms-enum": {"modelAsString": "true"}}, ["enum"]),
    "both": ({**LISTED, **OPEN, "x-extensible-enum": ["a"]}, ["enum", "x-extensible-enum"]),
    "numbers": ({"type": "integer", "enum": [1], **OPEN}, ["enum"]),
    "null": ({"type": "string", "enum": ["a", None], **OPEN}, ["enum"]),
    "blank": ({"type": "string", "enum": [""], **OPEN}, ["enum"]),
    "without a list": ({"type": "string", **OPEN}, []),
    "not a list": ({"type": "string", "enum": {}, **OPEN}, ["enum"]),
}


def hold(name: str, schema: Document) -> Document:
    """Return a document with *schema* in each place where values are listed."""
    query = {"in": "query", "name": "q", **schema}
    done = {"200": {"description": "d", "headers": {"h": schema}, "schema": {"items": schema}}}
    operations = {"get": {"operationId": name, "parameters": [query], "responses": done}}
    return swagger(paths={"/x": operations}, definitions={"S": schema})


@cases("name", ENUMERATIONS)
def test_enumeration_that_generators_model_as_a_text_is_open(tmp_path: Path, name: str) -> None:
    schema, keywords = ENUMERATIONS[name]
    content, _ = read(tmp_path, hold("list", schema))
    operation = content["paths"]["/x"]["get"]
    response = operation["responses"]["200"]
    for found in (
        content["components"]["schemas"]["S"],
        operation["parameters"][0]["schema"],
        response["headers"]["h"]["schema"],
        response["content"]["*/*"]["schema"]["items"],
    ):
        assert sorted(found.keys() & {"enum", "x-extensible-enum"}) == keywords
        assert found["x-ms-enum"] == schema["x-ms-enum"]


def test_open_enumeration_gets_values_additively_at_their_places(tmp_path: Path) -> None:
    more = {**LISTED, "enum": [*LISTED["enum"], "lost"]}
    before, after = (
        {"200": {"description": "d", "schema": {**one, **OPEN}}} for one in (LISTED, more)
    )
    documents = [swagger(paths={"/x": {"get": {"responses": one}}}) for one in (before, after)]
    assert rules(tmp_path, *documents) == ["open-value-added"]
    opened = open_document(tmp_path / "0.json", "0.json", Readings())
    at = "/paths/~1x/get/responses/200"
    found = opened.find_pointer(f"{at}/content/*~1*/schema/x-extensible-enum/0")
    assert found == f"{at}/schema/enum/0"
    closed = json.loads(json.dumps(documents).replace("true", "false"))
    assert rules(tmp_path, *closed) == ["value-added"]
